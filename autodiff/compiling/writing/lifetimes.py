"""Which values share memory, and until when it is read.

A view shares the memory of the array that it shows. A function that is called uncompiled may return a view of
any of its arguments, so its result counts as a view of all of them, unless ``known_results.py`` says that it
is new.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from ..nodes import VIEWS, ProgramNode

Step = Sequence[ProgramNode]
"""Nodes that are computed together: one, or those of a block."""


class Lifetimes:
    """Until when the memory of each value is read.

    Parameters
    ----------
    steps
        The program, in its order.
    reads
        For each node, the nodes that its line reads.
    kept
        The nodes that are read at the end.

    Attributes
    ----------
    owners
        For each node, the nodes whose memory its value may lie in: itself, or for a view the array that it
        shows.
    last
        For each owner, the place of the last step that reads or writes its memory; ``len(steps)`` for memory
        that is read at the end.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        reads: dict[ProgramNode, Sequence[ProgramNode]],
        kept: Iterable[ProgramNode],
    ) -> None:
        self.owners: dict[ProgramNode, frozenset[ProgramNode]] = {}
        self.last: dict[ProgramNode, int] = {}
        self.end = len(steps)
        for place, step in enumerate(steps):
            for node in step:
                for arg in reads[node]:
                    self._read(arg, place)
                self._enter(node, reads[node])
                self._read(node, place)
        for node in kept:
            self._read(node, self.end)

    def _enter(self, node: ProgramNode, reads: Sequence[ProgramNode]) -> None:
        shared = frozenset[ProgramNode]()
        if may_share(node):
            shared = shared.union(*map(self.of, reads))
        self.owners[node] = shared if node.op in VIEWS else shared | {node}

    def _read(self, node: ProgramNode, place: int) -> None:
        for owner in self.of(node):
            self.last[owner] = place

    def of(self, node: ProgramNode) -> frozenset[ProgramNode]:
        """The nodes whose memory a value may lie in."""
        return self.owners.get(node) or frozenset((node,))

    def is_read_after(self, owner: ProgramNode, place: int) -> bool:
        """Whether some later step reads the memory of a node."""
        return self.last.get(owner, -1) > place


def may_share(node: ProgramNode) -> bool:
    """Whether a value may lie in the memory of an argument: a view does, the result of an uncompiled function
    may, and so may ``np.ascontiguousarray(x)``, and ``x[i]`` where ``i`` is one integer that is computed."""
    if node.op == "pick":
        return any(not arg.shape for arg in node.args[1:])
    if node.op in ("call", "part"):
        return not is_new(node)
    return node.op in VIEWS or node.op == "ascontiguousarray"


def is_new(node: ProgramNode) -> bool:
    """Whether a value is the result of an uncompiled function in memory of its own."""
    return node.op in ("call", "part") and "new" in node.options


def may_be_kept(node: ProgramNode) -> Sequence[ProgramNode]:
    """The arguments that a call may keep a reference to: all, unless the function is NumPy's or the
    package's."""
    if node.op != "call":
        return ()
    function = node.value
    while isinstance(function, functools.partial):
        is_wrapper = is_trusted(function.func) and function.args  # such as ``opaque.call_with``
        function = function.args[0] if is_wrapper else function.func
    return () if is_trusted(function) else node.args


def is_trusted(function: Any) -> bool:
    """Whether a function is NumPy's or the package's, which keep no reference to an argument."""
    module = getattr(function, "__module__", None) or ""
    return module.split(".")[0] in ("numpy", "autodiff")


def whole(node: ProgramNode) -> ProgramNode:
    """The array that a value shows all of, if it is a reshape or a transpose; else the node itself."""
    while node.op in ("reshape", "transpose"):
        node = node.args[0]
    return node
