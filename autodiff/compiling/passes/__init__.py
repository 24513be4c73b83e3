"""The passes over a whole graph. Each one replaces the results of a program by results with the same meaning.

``ad.compile(f, passes=...)`` selects passes by name; they run in the order of ``GRAPH_PASSES``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

from ..graph import ProgramGraph
from ..nodes import ProgramNode
from .beside import beside
from .pieces import pieces
from .regroup import regroup
from .rows import LEAST
from .stacks import stacks
from .upright import upright


class GraphPass(NamedTuple):
    """A pass over a graph.

    ``rewritten(graph, inputs, results)`` makes nodes with ``graph`` and returns the new results in the same
    order. ``works_on`` are the operations without which it finds nothing to rewrite, if there are not
    ``many_alike`` calls of some operation either. A pass that is not ``exact`` computes in another order, so
    that the last bits may differ.
    """

    rewritten: Callable[[ProgramGraph, Sequence[ProgramNode], Sequence[ProgramNode]], list[ProgramNode]]
    works_on: frozenset[str]
    exact: bool = False
    many_alike: float = inf

    def finds_work(self, counts: Counter[str]) -> bool:
        """Whether it may rewrite a program with so many calls of each operation."""
        return not self.works_on.isdisjoint(counts) or max(counts.values(), default=0) >= self.many_alike


ROWS = frozenset(("getitem", "array", "stack", "concatenate"))

GRAPH_PASSES = {
    "pieces": GraphPass(pieces, frozenset(("put",)), exact=True),
    "regroup": GraphPass(regroup, ROWS | {"assemble", "subtract"}),
    "beside": GraphPass(beside, frozenset(("getitem",))),
    "stacks": GraphPass(stacks, ROWS, many_alike=LEAST),
    "upright": GraphPass(upright, frozenset(("matmul",))),
}
