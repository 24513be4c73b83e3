"""The number of calls that were traced, and how many of them each simplification left out."""

from __future__ import annotations

from .nodes import ProgramNode

ON_MAKING = ("fold", "algebra", "cse")
"""The simplifications that are applied when a node is made."""


class Counted:
    """The counts of a graph.

    Attributes
    ----------
    count
        The number of nodes.
    leaves
        The number of nodes that compute nothing.
    folded, simplified, repeated
        The number of calls that are left out since they were computed on constants, replaced by simpler ones,
        or made before.
    """

    passes: frozenset[str]

    def __init__(self) -> None:
        self.count = self.leaves = self.folded = self.simplified = self.repeated = 0

    @property
    def calls(self) -> int:
        """The number of calls so far: those that became a node, and those that were left out."""
        return self.count - self.leaves + self.folded + self.simplified + self.repeated

    def in_place_of_one(self, before: int, node: ProgramNode) -> ProgramNode:
        """The node that stands in place of one call. All calls since ``before`` count as this one."""
        self.simplified -= self.calls - before - 1
        return node

    def counts(self) -> dict[str, int]:
        """The number of calls, and how many of them each simplification has left."""
        found = {"traced": (left := self.calls)}
        for name, removed in zip(ON_MAKING, (self.folded, self.simplified, self.repeated)):
            left -= removed
            found[name] = left
        return {name: count for name, count in found.items() if name == "traced" or name in self.passes}
