"""A recorded graph as a function of its leaves: its operations are applied again, in their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..draw.graph.caller import Scope
from ..draw.graph.reading import read
from ..draw.graph.walk import walk
from ..engine.tensor import Tensor, raw
from .levels import is_small


class Replay:
    """The function that computes the end of a recorded graph from other numbers in its leaves.

    Attributes
    ----------
    leaves
        The leaves that take a gradient and are shown number by number, by their names: new Tensors with the
        same numbers. The others stay as they are.
    made
        The named nodes of the last call.
    """

    def __init__(self, end: Tensor, scope: Scope) -> None:
        self.walked: Any = walk(end)
        graph = read(end, scope, limit=len(self.walked.order), fold=False)
        self.names = {node.index: node.name for node in graph.nodes if node.is_named}
        self.__name__ = graph.nodes[-1].name
        self.made: dict[str, Any] = {}
        self.leaves = {
            node.name: Tensor(_copied(raw(self.walked.order[node.index])), name=node.name)
            for node in graph.nodes
            if node.operation is None and not node.is_quiet and is_small(node.data)
        }
        self._taken = {node.index: node.name for node in graph.nodes if node.name in self.leaves}

    def __call__(self, **leaves: Any) -> Any:
        """The end of the graph for these leaves."""
        walked = self.walked
        found: list[Any] = []
        for i, node in enumerate(walked.order):
            if i in self._taken:
                found.append(leaves[self._taken[i]])
            elif not walked.creators[i]:
                found.append(node)
            else:
                places = [walked.index.get(id(creator)) for creator in walked.creators[i]]
                operands = [
                    creator if place is None else found[place]
                    for place, creator in zip(places, walked.creators[i])
                ]
                found.append(walked.operation(i)(*operands, **getattr(node, "options", {})))
        self.made = {name: found[i] for i, name in self.names.items()}
        return found[-1]


def _copied(data: Any) -> Any:
    return np.array(data) if isinstance(data, np.ndarray) else data
