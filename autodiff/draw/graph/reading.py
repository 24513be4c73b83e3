"""From a Tensor to the records that a picture is made of: walked, folded if it is large, and named."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import numpy as np

from ...engine.tensor import Tensor
from .ages import ages
from .as_text import NOTHING, Value, attribute, index_text, value_of
from .caller import Scope
from .flows import flows_of
from .fold import LARGE, pieces
from .fold import fold as fold_graph
from .highlight import highlighted
from .names import Names, find_names
from .records import Flows, ShownGraph, ShownNode
from .returns import returns_of
from .signs import OperationTexts
from .slopes import contributions
from .walk import Walk, is_backward, longest_first, walk


def read(
    end: object,
    scope: Scope,
    *,
    limit: int | None = None,
    fold: bool | None = None,
    depth: int | None = None,
    names: Literal[True] | tuple[str, ...] | None = None,
    highlight: object = None,
    slopes: bool = False,
    flow: bool = False,
) -> ShownGraph:
    """The graph behind `end` as records, with the names that it has in a scope.

    It is folded if it is larger than `limit` or than a page can hold. For `fold`, `depth` and `names`, the
    boxes that are opened, see `fold.fold`, for `highlight` see `highlight.highlighted`.
    """
    walked = walk(end)
    if len(walked.order) > max(LARGE, limit or 0):
        walked = longest_first(walked)
    view = fold_graph(walked, scope, limit=limit, wanted=fold, depth=depth, names=names)
    inside = view.used_inside(walked)
    named = dict.fromkeys([*view.kept, *view.cut, *view.groups, *inside])
    called = Names(walked, find_names([walked.order[i] for i in named], scope))
    nodes, edges = highlighted(highlight, walked, view, called)
    reader = Reader(walked, called, has_slopes=slopes)
    return ShownGraph(
        nodes=tuple([reader.node(i, view.box.get(i, -1)) for i in view.kept]),
        total=len(walked.order),
        outside={i: called[i] for i in view.cut},
        pieces=pieces(view, walked, inside),
        boxes=view.boxes,
        inside={i: (view.item[i], called[i], called.is_given(i)) for i in inside},
        highlighted=nodes,
        highlighted_edges=edges,
        more=view.more,
        returns=returns_of(view, walked),
        flows=flows_of(walked, view) if flow else Flows(),
    )


def read_part(
    walked: Walk,
    names: Names,
    kept: Collection[int],
    *,
    named: Collection[int] | None = None,
) -> ShownGraph:
    """The records of some nodes alone; an operand of theirs that is not kept is shown as a leaf.

    `named` are the nodes whose names are shown, all by default.
    """
    named = range(len(walked.order)) if named is None else named
    reader = Reader(walked, names, named=named, marks_backward=False)
    leaves = {j for i in kept for j in walked.operands(i)}.difference(kept)
    nodes = [reader.node(i, is_leaf=i in leaves) for i in sorted(leaves.union(kept))]
    return ShownGraph(nodes=tuple(nodes), total=len(nodes), outside={})


class Reader:
    """Makes the record of any node of a walk."""

    def __init__(
        self,
        walked: Walk,
        names: Names,
        *,
        has_slopes: bool = False,
        named: Collection[int] | None = None,
        marks_backward: bool = True,
    ) -> None:
        self.walked, self.names = walked, names
        self.has_slopes, self.marks_backward = has_slopes, marks_backward
        self.named = named
        self.operations = OperationTexts()
        self.ages = ages(walked)

    def node(self, i: int, box: int = -1, *, is_leaf: bool = False) -> ShownNode:
        """The record of a node. With `is_leaf` it is shown as a leaf, even if it was computed."""
        node = self.walked.order[i]
        creators = () if is_leaf else self.walked.creators[i]
        if type(node) is Tensor:  # its slots are read, since reading .grad would make an object that stays
            data, grad, operation = node._value, node._grad, node.creation_op
            is_quiet = not node._requires_grad
        else:
            data, grad = attribute(node, "data"), attribute(node, "grad")
            operation = attribute(node, "creation_op")
            is_quiet = attribute(node, "requires_grad") is False
        word, sign = self.operations.name_and_sign(operation) if creators else (None, None)
        index, name = self.walked.index, self.names.given.get(id(node))
        return ShownNode(
            i,
            name or self.names[i],
            name is not None if self.named is None else i in self.named,
            word,
            tuple([operand(c) if (j := index.get(id(c))) is None else j for c in creators]),
            value_of(data),
            NOTHING if grad is None else value_of(grad),
            is_quiet,
            self.marks_backward and getattr(node, "_group", None) is not None and is_backward(node),
            self.slopes(node, creators) if self.has_slopes and creators else (),
            box,
            sign,
            index_of(node, creators) if word == "getitem" else "",
            self.ages.get(i, ""),
        )

    def slopes(self, node: Any, creators: Collection[Any]) -> tuple[Value | None, ...]:
        """The local slope of each operand that is a node; none if one of them is an array."""
        if any(value_of(thing).is_array for thing in (node, *creators)):
            return ()
        try:
            found = contributions(node)
        except Exception:  # noqa: BLE001 - an operation of the reader's own, which is not in the catalogue
            return ()
        return tuple(None if slope is None else value_of(slope) for slope in found)


def operand(thing: object) -> Value:
    """The text of an operand that is not a node. As an axis, None stands for all; a tuple may be a shape."""
    is_shape = isinstance(thing, tuple) and all(type(size) is int for size in thing)
    return Value(str(thing)) if thing is None or is_shape else value_of(thing)


def index_of(node: object, creators: Collection[Any]) -> str:
    """The index of a part, in brackets. In a machine of lesson 12 it is the second input of the operation."""
    options = attribute(node, "options")
    if options is not None or len(creators) < 2:
        return index_text(options)
    _, index = creators
    parts = index if isinstance(index, tuple) else (index,)
    lines = [
        value_of(part).line if isinstance(part, (np.ndarray, list)) else index_text({"index": part})[1:-1]
        for part in parts
    ]
    return f"[{', '.join(lines)}]"
