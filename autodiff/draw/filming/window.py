"""Which operations of a graph are filmed: all, those on the paths between two Tensors, or the last ones."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph import as_text
from ..graph.walk import Walk, between, is_node

MOST = 1000  # nodes times steps: a page of about a megabyte


@dataclass(frozen=True, slots=True)
class Window:
    """The results of the operations that are filmed, and all nodes that are shown, in the graph's order."""

    operations: list[int]
    shown: list[int]


def window(walk: Walk, ends: tuple[object, object] | None, last: int | None) -> Window:
    """What a film shows. Raises ValueError if `ends` are not in the graph or no path leads between them."""
    operations = [i for i in range(len(walk.order)) if walk.creators[i] and not walk.is_constant(i)]
    on_path = None
    if ends is not None:
        start, *later = _on_path(walk, ends)
        on_path = {start, *later}
        operations = [i for i in operations if i in on_path and i != start]
    if last is not None:
        operations = operations[-last:]
    shown = {j for i in operations for j in (i, *walk.operands(i)) if on_path is None or j in on_path}
    return Window(operations, sorted(shown))


def check_size(window: Window, end: str) -> None:
    """Raise ValueError if there is nothing to film in a window, or more than a page can hold."""
    shown, steps = len(window.shown), len(window.operations)
    if not steps:
        raise ValueError(
            f"there is nothing to film: no operation with a gradient made {end}. Give film the Tensor at the "
            "end of a calculation"
        )
    if shown * steps > MOST:
        raise ValueError(
            f"the film of {end} would show {shown:,} nodes in {steps:,} steps, more than a page can hold. "
            f"Ask for a narrower window: last=20 for the 20 operations nearest to {end}, or between=(x, y) "
            "for the paths between two Tensors"
        )


def _on_path(walk: Walk, ends: tuple[object, object]) -> list[int]:
    """The nodes on the paths between two Tensors, both of them included."""
    for end in ends:
        if id(end) not in walk.index:
            raise ValueError(
                f"between takes two Tensors of the graph that is filmed, and {_described(end)} is not in it"
            )
    start, stop = sorted(walk.index[id(end)] for end in ends)
    nodes = between(walk.operands, start, stop)
    if not nodes:
        raise ValueError(
            f"there is no path between {_described(walk.order[start])} and {_described(walk.order[stop])}: "
            "neither was computed from the other"
        )
    return nodes


def _described(thing: object) -> str:
    """What an error message calls a Tensor that may not be in the graph."""
    name = as_text.attribute(thing, "name")
    if isinstance(name, str) and name.strip():
        return f"{as_text.one_line(name)!r}"
    if is_node(thing):
        return f"the one with data {as_text.value_of(as_text.attribute(thing, 'data')).line}"
    return as_text.word(thing)
