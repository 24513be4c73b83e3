"""ProgramNode: one value of a program."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

Shape = tuple[int, ...]


class ProgramNode:
    """One value of a program: an input, a constant, or the result of a call on other nodes.

    Attributes
    ----------
    op
        ``"input"``, ``"const"``, ``"array"`` (an array that the function refers to, in ``value``), ``"full"``
        (its one argument everywhere), the name of one of NumPy's elementwise functions, or one of
        ``"where"``, ``"matmul"``, ``"reduce_add"`` (and other ufuncs; options: axes, keepdims), ``"astype"``,
        ``"copy"`` (in C order), the views ``"reshape"``, ``"transpose"``, ``"broadcast_to"``, ``"getitem"``,
        and ``"pick"`` (an index with arrays; parts that are computed are further arguments), ``"put"`` (the
        first argument, with the second in the place of the index in ``value``), ``"put_add"``,
        ``"assemble"`` (zeros, with each argument added at its index in ``value``), ``"stack"``,
        ``"concatenate"``, ``"ascontiguousarray"`` (a copy, or a view of an array that lies in C order
        already), ``"call"`` (of the function in ``value``) and ``"part"`` (the one at the place in ``value``
        of several results of a call).
    args
        The nodes that it is computed from.
    options
        The other arguments of the call, in a hashable form.
    shape, dtype
        The shape and dtype of the value.
    number
        ``float``, ``int`` or ``bool`` if the value is a Python number, else None.
    value
        The object that the op needs: a constant, an array, an index or a function.
    name
        The name of its variable in the program, or None.
    index
        The place in the order of creation: arguments come before the nodes that use them.
    """

    __slots__ = ("args", "dtype", "index", "name", "number", "op", "options", "shape", "value")

    args: tuple[ProgramNode, ...]
    dtype: np.dtype[Any]
    index: int
    name: str | None
    number: type | None
    op: str
    options: tuple[Any, ...]
    shape: Shape
    value: Any

    @property
    def is_operator(self) -> bool:
        """Whether the operator of Python computes the same as NumPy's function. It does not on Python numbers
        alone if the result is NumPy's: ``np.add(True, True)`` is True, and ``True + True`` is 2."""
        return bool(self.number) or not all(arg.number for arg in self.args)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"<{self.op} {self.shape} {self.dtype}{f' {self.name}' * bool(self.name)}>"


LEAVES = frozenset(("input", "const", "array", "full"))
VIEWS = frozenset(("reshape", "transpose", "broadcast_to", "getitem"))
ELEMENTWISE = frozenset(
    name for name, ufunc in vars(np).items() if isinstance(ufunc, np.ufunc) and ufunc.signature is None
) | {"where"}


def reachable(results: Iterable[ProgramNode]) -> list[ProgramNode]:
    """Every node that the results depend on, in the order of creation: arguments before what uses them."""
    seen: set[ProgramNode] = set()
    stack = list(results)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(node.args)
    return sorted(seen, key=lambda node: node.index)


def users_of(nodes: Iterable[ProgramNode]) -> dict[ProgramNode, list[ProgramNode]]:
    """For each node the nodes that use it; a node that uses it twice is listed twice."""
    users: dict[ProgramNode, list[ProgramNode]] = {}
    for node in nodes:
        users.setdefault(node, [])
        for arg in node.args:
            users.setdefault(arg, []).append(node)
    return users
