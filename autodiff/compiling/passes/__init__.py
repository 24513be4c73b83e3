"""The passes over a whole graph. Each one replaces the results of a program by results with the same meaning.

``a_pass(graph, inputs, results)`` makes nodes with ``graph`` and returns the new results in the same order.
``ad.compile(f, passes=...)`` selects passes by name; they run in the order of ``GRAPH_PASSES``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ..graph import ProgramGraph
from ..nodes import ProgramNode
from .beside import beside
from .pieces import pieces
from .regroup import regroup
from .rows import LEAST
from .stacks import stacks
from .upright import upright

GraphPass = Callable[[ProgramGraph, Sequence[ProgramNode], Sequence[ProgramNode]], list[ProgramNode]]

GRAPH_PASSES: dict[str, GraphPass] = {
    "pieces": pieces,
    "regroup": regroup,
    "beside": beside,
    "stacks": stacks,
    "upright": upright,
}
ROWS = frozenset(("getitem", "array", "stack", "concatenate"))
WORKS_ON = {
    "pieces": frozenset(("put",)),
    "regroup": ROWS | {"assemble", "subtract"},
    "beside": frozenset(("getitem",)),
    "stacks": ROWS,
    "upright": frozenset(("matmul",)),
}
"""The operations without which a pass finds nothing to rewrite."""
INEXACT_GRAPH_PASSES = frozenset(("regroup", "beside", "stacks", "upright"))
"""The passes after which a program computes in another order, so that the last bits may differ."""


def finds_work(name: str, counts: Counter[str]) -> bool:
    """Whether a pass may rewrite a program with so many calls of each operation. ``stacks`` also looks for
    calls that are alike."""
    has_many = name == "stacks" and max(counts.values(), default=0) >= LEAST
    return has_many or not WORKS_ON[name].isdisjoint(counts)
