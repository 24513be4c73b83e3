"""The lines of one call: an expression that makes a new array, or statements that write into an existing
one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..language import OPERATORS
from ..memory_order import Axes
from ..nodes import ELEMENTWISE, ProgramNode
from ..plain import PlainWriter

CAN_WRITE = ELEMENTWISE | {"matmul", "astype", "copy", "stack", "concatenate", "put", "put_add"}
"""The operations that can write into an existing array; so can every ``reduce``."""


def can_write(node: ProgramNode) -> bool:
    """Whether the operation of a node can write into an existing array."""
    if node.op == "where":
        return node.args[0].dtype.kind == "b"
    return node.op in CAN_WRITE or node.op.startswith("reduce_")


class CallWriter(PlainWriter):
    """Writes single calls, given the node and the texts of its arguments. ``passes`` names the departures
    from the plain form."""

    passes: frozenset[str]
    is_exact: bool

    # -- new arrays ----------------------------------------------------------------------------------------

    def expression(self, node: ProgramNode, args: Sequence[str]) -> str:
        """The call of a node as text."""
        if node.op == "matmul" and self.is_dot(node):
            return f"{args[0]}.dot({args[1]})"  # np.dot and @ take up to twice as long for small arrays
        return super().expression(node, args)

    def is_dot(self, node: ProgramNode) -> bool:
        """Whether ``dot`` can compute a product. For matrices it does what ``@`` does. Where one factor is a
        row or a column, or where the dtypes differ, it adds up in another order in some layouts, and 0 times
        inf may become 0."""
        x, y = (arg.shape for arg in node.args)
        if "dot" not in self.passes or len(x) > 2 or len(y) > 2 or 1 in (*x, *y):
            return False
        are_alike = node.args[0].dtype == node.args[1].dtype
        return not self.is_exact or (are_alike and len(x) == len(y) == 2)

    # -- existing arrays -----------------------------------------------------------------------------------

    def statements(self, node: ProgramNode, args: list[str], out: str) -> list[str]:
        """The lines that write the result of a call into an array."""
        if node.op == "where":
            return self.where_statements(args, out)
        if node.op in ("put", "put_add"):
            return self.put_statements(node, args, out)
        if node.op == "copy":
            return [f"np.copyto({out}, {args[0]})"]
        if node.op in ("astype", "positive"):
            return [f"np.copyto({out}, {args[0]}, casting='unsafe')"]
        if node.op == "matmul" and self.is_dot(node) and self.is_in_order(node):
            return [f"np.dot({args[0]}, {args[1]}, out={out})"]
        if node.op in OPERATORS:
            return [f"np.{node.op}({', '.join(args)}, out={out})"]
        return [f"{super().expression(node, args)[:-1]}, out={out})"]

    def where_statements(self, args: list[str], out: str) -> list[str]:
        """``where`` in two lines: the second choice everywhere, unless ``out`` holds it already, and then the
        first choice where the mask is True."""
        mask, x, y = args
        lines = [] if out == y else [f"np.copyto({out}, {y})"]
        return [*lines, f"np.copyto({out}, {x}, where={mask})"]

    def put_statements(self, node: ProgramNode, args: list[str], out: str) -> list[str]:
        """A copy of an array with a value written to, or added at, one place."""
        base = node.args[0]
        index = self.index(node, args[2:])
        first = f"{out}[...] = {args[0]}"
        if base.op == "full":
            first = f"{out}.fill({self.literal(np.asarray(base.args[0].value).item())})"
        lines = [] if out == args[0] else [first]
        if node.op == "put":
            return [*lines, f"{out}[{index}] = {args[1]}"]
        return [*lines, f"np.add.at({out}, np.s_[{index}], {args[1]})"]

    # -- sums ----------------------------------------------------------------------------------------------

    def is_total_by_dot(self, node: ProgramNode) -> bool:
        """Whether a node is the total of an array of floats that a dot product may compute faster."""
        is_total = node.op == "reduce_add" and len(node.options[0]) == len(node.args[0].shape)
        return "totals" in self.passes and is_total and is_for_blas(node) and not node.options[1]

    def is_sum_by_ones(self, node: ProgramNode) -> bool:
        """Whether a node is a sum over the axes that come first in memory, which a product with ones may
        compute faster."""
        if "ones" not in self.passes or node.op != "reduce_add" or not is_for_blas(node):
            return False
        axes = node.options[0]
        order = self.axes(node.args[0]) or range(len(node.args[0].shape))
        first, kept = order[: len(axes)], [*order[len(axes) :]]
        return {*first} == {*axes} and kept == sorted(kept) != [] and node.size > 1

    def sum_by_ones(self, node: ProgramNode, x: str) -> str:
        """The expression of a sum over the axes that come first in memory as a product with ones."""
        count = len(node.options[0])
        shape, axes = node.args[0].shape, self.axes(node.args[0])
        if axes:
            x, shape = f"{x}.transpose{axes}", tuple(shape[axis] for axis in axes)
        rows = math.prod(shape[:count])
        if count > 1 or len(shape) > 2:
            x = f"{x}.reshape({rows}, {math.prod(shape[count:])})"
        total = f"{self.ones(rows, node.dtype)}.dot({x})"
        return total if len(node.shape) == 1 else f"{total}.reshape{node.shape}"

    def flat(self, node: ProgramNode) -> str:
        """The elements of an array along one axis, in the order in which they are expected to lie in
        memory."""
        if len(node.shape) == 1:
            return self.text(node)
        axes = self.axes(node)
        return f"{self.text(node)}{f'.transpose{axes}' * bool(axes)}.ravel()"

    def is_in_order(self, node: ProgramNode) -> bool:
        """Whether a value is computed into memory in C order, as ``np.dot(out=...)`` requires."""
        raise NotImplementedError

    def axes(self, node: ProgramNode) -> Axes:
        """The order of the axes of a value in memory."""
        raise NotImplementedError

    def text(self, node: ProgramNode) -> str:
        """A value as text."""
        raise NotImplementedError

    def ones(self, count: int, dtype: Any) -> str:
        """The name of an array of ones."""
        raise NotImplementedError


def is_product(node: ProgramNode) -> bool:
    """Whether a node is a product of two arrays of its own shape and dtype."""
    kinds = {(arg.shape, arg.dtype, arg.number) for arg in node.args}
    return node.op == "multiply" and kinds == {(node.shape, node.dtype, None)}


def is_for_blas(node: ProgramNode) -> bool:
    """Whether a sum has more than one element, of a dtype that BLAS computes with."""
    (x,) = node.args
    return str(node.dtype) in ("float32", "float64") and x.dtype == node.dtype and x.size > 1
