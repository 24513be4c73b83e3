"""The passes over a whole graph: functions from the results of a program to results that mean the same.

``pass_(graph, inputs, results)`` returns the new results, in the same order; it makes nodes with ``graph``.
They are applied in the order of ``GRAPH_PASSES``, those that ``ad.compile(f, passes=...)`` names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..graph import Graph
from ..nodes import Node
from .beside import beside
from .joins import joins
from .pieces import pieces
from .regroup import regroup
from .stacks import stacks

GraphPass = Callable[[Graph, Sequence[Node], Sequence[Node]], list[Node]]

GRAPH_PASSES: dict[str, GraphPass] = {
    "pieces": pieces,
    "joins": joins,
    "regroup": regroup,
    "beside": beside,
    "stacks": stacks,
}
INEXACT_GRAPH_PASSES = frozenset(("regroup", "beside", "stacks"))
"""Those that compute in another order, so that the last bits may differ."""
