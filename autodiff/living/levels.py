"""The graph of a live page at several depths: its modules and scopes closed, some of them open, and all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..draw.graph.as_text import value_of
from ..draw.graph.caller import Scope
from ..draw.graph.fold import fold
from ..draw.graph.reading import read
from ..draw.graph.records import ShownGraph
from ..draw.graph.slopes import walk_back
from ..draw.graph.walk import Walk
from ..draw.words.folded import piece_title
from ..engine.tensor import Tensor
from .everything import Edge

DEEPEST = 8  # levels of modules in modules
BROAD = 40  # a level with more boxes is not the one with which a page begins


class Level(NamedTuple):
    """What is shown at one depth: single nodes and closed boxes, and for each node what is shown for it."""

    graph: ShownGraph
    item: Sequence[int]

    @property
    def closed(self) -> dict[int, str]:
        """The titles of the closed boxes, by their index, which is that of the last node in them."""
        return {piece.index: piece_title(piece, self.graph) for piece in self.graph.pieces}

    def tail(self, walked: Walk, key: Edge) -> int:
        """What an edge of this level comes from."""
        head, place = key
        for piece in self.graph.pieces:
            if piece.index == head:
                return [*dict.fromkeys(map(self.graph.shown_as, piece.operands))][place]
        return self.item[dict(walked.places(head))[place]]

    def flowing(self, walked: Walk, key: Edge) -> list[list[Edge]]:
        """The edges of the whole graph that an edge of this level stands for, by their operand.

        What flows along those to one operand adds up.
        """
        head, tail = key[0], self.tail(walked, key)
        if head not in self.closed:
            return [[key]]
        groups: dict[int, list[Edge]] = {}
        for i, item in enumerate(self.item):
            if item == head:
                for place, j in walked.places(i):
                    if self.item[j] == tail:
                        groups.setdefault(j, []).append((i, place))
        return [*groups.values()]


def whole(end: Tensor, walked: Walk, scope: Scope) -> ShownGraph:
    """The records of all nodes, with the gradients of a walk back, whatever `.grad` holds."""
    graph = read(end, scope, limit=len(walked.order), fold=False, flow=True)
    _set_gradients(graph, end, walked)
    return graph


def levels(end: Tensor, walked: Walk, scope: Scope, limit: int) -> list[Level]:
    """The graph from all boxes closed to all open, as far as `limit` boxes show it; none if closing does not
    help."""
    count = len(walked.order)
    found: list[Level] = []
    for depth in range(DEEPEST):
        graph = read(end, scope, limit=count, fold=False, depth=depth, flow=True)
        if len(graph.items()) > limit or (found and len(graph.items()) == len(found[-1].graph.items())):
            break
        _set_gradients(graph, end, walked)
        found.append(Level(graph, fold(walked, scope, limit=count, wanted=False, depth=depth).item))
    return found


def first(found: Sequence[Level]) -> int:
    """The level with which a page begins: the most open one that is not too broad."""
    return max([k for k, level in enumerate(found) if len(level.graph.items()) <= BROAD], default=0)


def _set_gradients(graph: ShownGraph, end: Tensor, walked: Walk) -> None:
    nodes = {node.index: node for node in graph.nodes}
    for node in graph.nodes:
        node.grad = value_of(None)
    for visit in walk_back(walked, np.ones_like(end.data) if isinstance(end.data, np.ndarray) else 1.0):
        if visit.node in nodes:
            nodes[visit.node].grad = value_of(visit.grad)
