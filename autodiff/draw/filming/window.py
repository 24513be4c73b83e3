"""Which operations of a graph are filmed: all, those on the paths between two Tensors, or the last ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..graph import as_text
from ..graph.records import creators_of, is_node


def window(
    order: Sequence[object],
    index: Mapping[int, int],
    between: tuple[object, object] | None,
    last: int | None,
) -> list[int]:
    """The results of the operations that are filmed, in the order of the graph."""
    chosen = [i for i, node in enumerate(order) if creators_of(node) and not is_constant(node)]
    if between is not None:
        inside = on_paths(order, index, between)
        start = min(index[id(x)] for x in between)
        chosen = [i for i in chosen if i in inside and i != start]
    return chosen if last is None else chosen[-last:]


def on_paths(
    order: Sequence[object], index: Mapping[int, int], between: tuple[object, object]
) -> set[int]:
    """The nodes on the paths between two Tensors, both of them included; ValueError if there is no path."""
    start, stop = sorted(between, key=lambda node: index[id(node)])
    after = {index[id(start)]}
    for i in range(index[id(start)], index[id(stop)] + 1):
        if any(index.get(id(c)) in after for c in creators_of(order[i])):
            after.add(i)
    before = {index[id(stop)]}
    for i in range(index[id(stop)], index[id(start)] - 1, -1):
        if i in before:
            before.update(index[id(c)] for c in creators_of(order[i]) if is_node(c))
    if index[id(start)] not in before or index[id(stop)] not in after:
        raise ValueError(
            f"there is no path between {called(start)} and {called(stop)}: neither was computed from the "
            "other"
        )
    return after & before


def called(thing: object) -> str:
    """What an error message calls a Tensor that may not be in the graph."""
    name = as_text.attribute(thing, "name")
    if isinstance(name, str) and name.strip():
        return f"{as_text.one_line(name)!r}"
    if is_node(thing):
        return f"the one with data {as_text.read(as_text.attribute(thing, 'data')).line}"
    return as_text.word(thing)


def is_constant(node: object) -> bool:
    """Whether a node wants no gradient."""
    return as_text.attribute(node, "requires_grad") is False
