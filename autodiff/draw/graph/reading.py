"""From a Tensor to the records that a picture is made of: the walk, folded if it is large, with names, local
slopes, and what is highlighted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ...engine.tensor import Tensor
from . import as_text
from .as_text import Value
from .fold import apply
from .fold import fold as fold_graph
from .highlight import light
from .records import WHOLE, WINDOW, Graph, Node, Walk, is_backward, walked
from .signs import sign_of
from .slopes import contributions

PREFIXES = ("v", "t", "node")  # of the stand-ins for names; the first that no name in the graph looks like


def read(
    end: object,
    find_names: Callable[[Sequence[object]], Mapping[int, str]],
    limit: int | None,
    *,
    fold: bool | None = None,
    depth: int | None = None,
    highlight: object = None,
    slopes: bool = False,
) -> Graph:
    """The graph of `end` as plain records: folded, if it is larger than `limit` or than a page can hold.

    `find_names` is given the nodes that need a name and returns those it found, by `id`. For `fold` and
    `depth` see `fold.fold`, for `highlight` see `highlight.find`.
    """
    found = walked(end)
    total = len(found.order)
    view = fold_graph(found, find_names, limit=limit, wanted=fold, depth=depth)
    order = found.order
    shown: Collection[int]
    cut: list[int] = []
    if view is None:
        most = limit if limit is not None else WHOLE if total <= WHOLE else WINDOW
        first = max(0, total - most)
        shown = range(first, total)
        if first:  # operands that are not shown, but are asked for by name
            cut = sorted({j for i in shown for j in found.operands(i) if j < first})
    else:
        shown = view.kept
    given = find_names([order[i] for i in (*shown, *cut, *(view.pieces if view else ()))])
    stand_in = stand_in_for(given)
    record = _recorder(found, given, stand_in, slopes)
    nodes = tuple([record(i) for i in shown])

    def name(i: int) -> str:
        return given.get(id(order[i])) or f"{stand_in}{i}"

    graph = Graph(nodes, total, {i: name(i) for i in cut})
    if view is not None:
        graph = apply(view, graph, name)
    if highlight is not None:
        graph = light(graph, highlight, found, name, view.item if view else None)
    return graph


def _recorder(found: Walk, given: Mapping[int, str], stand_in: str, slopes: bool) -> Callable[[int], Node]:
    """What makes a node's record of its place in the walk."""
    at = found.place
    # Of operations, which are few. They are kept, so that no id comes again.
    words: dict[int, tuple[object, str, str | None]] = {}

    def word_and_sign(operation: object) -> tuple[str, str | None]:
        if id(operation) not in words:
            word = "?" if operation is None else as_text.word(operation)
            words[id(operation)] = (operation, word, sign_of(operation))
        return words[id(operation)][1:]

    def record(i: int) -> Node:
        node, creators = found.order[i], found.creators[i]
        if type(node) is Tensor:  # by its slots: looking at .grad would make an object that stays
            data, grad, operation = node._value, node._grad, node.creation_op
            is_quiet = not node._requires_grad
        else:
            data, grad = as_text.attribute(node, "data"), as_text.attribute(node, "grad")
            operation = as_text.attribute(node, "creation_op")
            is_quiet = as_text.attribute(node, "requires_grad") is False
        known = given.get(id(node))
        word, sign = word_and_sign(operation) if creators else (None, None)
        operands = []
        for c in creators:
            j = at.get(id(c))
            operands.append(as_text.read(c) if j is None else j)
        return Node(
            i,
            known or f"{stand_in}{i}",
            known is not None,
            word,
            tuple(operands),
            as_text.read(data),
            as_text.NOTHING if grad is None else as_text.read(grad),
            is_quiet,
            getattr(node, "_group", None) is not None and is_backward(node),
            _slopes(node, creators) if slopes and creators else (),
            sign=sign,
        )

    return record


def _slopes(node: Any, creators: Sequence[Any]) -> tuple[Value | None, ...]:
    """The local slope of each operand that is a node, where all are numbers; an array's is no number."""
    if any(as_text.read(thing).is_array for thing in (node, *creators)):
        return ()
    try:
        found = contributions(node)
    except Exception:  # noqa: BLE001 - an operation of the reader's own, which the engine does not know
        return ()
    return tuple(None if slope is None else as_text.read(slope) for slope in found)


def stand_in_for(given: Mapping[int, str]) -> str:
    """What a node without a name is called, before its number: not what a variable is called already."""

    def is_free(prefix: str) -> bool:
        return not any(n.startswith(prefix) and n[len(prefix) :].isdigit() for n in given.values())

    return next((prefix for prefix in PREFIXES if is_free(prefix)), "unnamed")
