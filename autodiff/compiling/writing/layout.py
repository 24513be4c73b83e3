"""How the values of a program lie in memory.

NumPy gives the result of a call the memory order of its operands. The writer gives each buffer the order that
NumPy would give it, for two reasons: calls are faster if all their arrays lie in the same order, and since
NumPy adds up in the order of the memory, the last bits of a sum depend on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..memory_order import Axes, axes_by_steps, axes_of, axes_of_result, stand_in
from ..nodes import ELEMENTWISE, VIEWS, ProgramNode, Shape

COPIES = ("astype", "concatenate", "stack", "put")


class Layouts:
    """The memory order of each value as NumPy makes it, provided that every input lies as it did when the
    program was traced.

    Parameters
    ----------
    nodes
        The nodes of a program, arguments first.
    is_exact
        Whether only what is certain counts. Otherwise values of which nothing is known count as values in C
        order, as far as speed is concerned.

    Attributes
    ----------
    in_c
        The values in C order, perhaps with gaps.
    others
        For each value in another order, an array that stands for it.
    """

    def __init__(self, nodes: list[ProgramNode], is_exact: bool) -> None:
        self.is_exact = is_exact
        self.in_c: set[ProgramNode] = set()
        self.others: dict[ProgramNode, np.ndarray] = {}
        for node in nodes:
            like = self.found(node)
            if like is not None and axes_by_steps(like.shape, like.strides):
                self.others[node] = like
            elif like is not None or not is_exact:
                self.in_c.add(node)

    def is_known(self, node: ProgramNode) -> bool:
        """Whether the memory order of a value is known."""
        return node in self.in_c or node in self.others

    def axes(self, node: ProgramNode) -> Axes:
        """The order of the axes of a new array for a value; ``()`` for C order."""
        like = self.others.get(node)
        return () if like is None else axes_by_steps(like.shape, like.strides)

    def like(self, node: ProgramNode) -> np.ndarray:
        """An array that stands for a value."""
        if node.op == "broadcast_to":  # whose steps are 0 along some axes
            return np.broadcast_to(self.like(node.args[0]), node.shape)
        like = self.others.get(node)
        return stand_in(node.shape, node.dtype) if like is None else like

    def new_like(self, node: ProgramNode) -> np.ndarray:
        """An array that stands for a new array for a value."""
        return stand_in(node.shape, node.dtype, self.axes(node))

    def is_copied(self, node: ProgramNode) -> bool:
        """Whether a reshape cannot be a view, since its array does not lie in C order."""
        x = node.args[0]
        return x in self.others and reshaped_view(self.others[x], node.shape) is None

    # -- one node ------------------------------------------------------------------------------------------

    def found(self, node: ProgramNode) -> np.ndarray | None:
        """An array that stands for a value; None if nothing is known of its memory order."""
        if node.op in ("input", "call", "part"):
            own = next((option for option in node.options if isinstance(option, tuple)), ())
            return stand_in(node.shape, node.dtype, own) if own or node.op == "input" else None
        if node.op in ("const", "array"):
            value = np.asarray(node.value)
            return value if value.flags.c_contiguous or axes_of(value) else None
        if not all(map(self.is_known, node.args)):
            return None
        if node.op in VIEWS:
            return self.found_view(node)
        axes = self.found_axes(node)
        return None if axes is None else stand_in(node.shape, node.dtype, axes)

    def found_view(self, node: ProgramNode) -> np.ndarray | None:
        """``found`` for a view."""
        like = self.like(node.args[0])
        if node.op == "transpose":
            return like.transpose(node.options[0])
        if node.op == "broadcast_to":
            return np.broadcast_to(like, node.shape)
        if node.op == "reshape":
            return reshaped(like, node.shape)
        if any(step_of(part) < 0 for part in parts_of(node.value)):
            return None
        return like[node.value] if node.shape else like.reshape(-1)[:1].reshape(())

    def found_axes(self, node: ProgramNode) -> Axes | None:
        """The order of the axes of a value that is no view."""
        if node.op in ("full", "copy", "ascontiguousarray"):
            return ()
        if node.op == "matmul":
            is_plain = all(len(arg.shape) <= 2 or arg in self.in_c for arg in node.args)
            return () if is_plain else None
        if node.op in COPIES and any(arg.op in VIEWS for arg in node.args):
            return None  # in a copy of a broadcast array the axes that were broadcast come last in memory
        is_known = node.op in ELEMENTWISE or node.op in COPIES or node.op.startswith("reduce_")
        if not is_known:
            return None
        return self.kept_axes(node) if any(arg in self.others for arg in node.args) else ()

    def kept_axes(self, node: ProgramNode) -> Axes | None:
        """The order of the axes of the result of a call of which an operand does not lie in C order."""
        fulls = [arg for arg in node.args if arg.op == "full" and arg.shape]
        if self.is_exact and (fulls or node.op in ("stack", "put")):
            return None  # ``np.zeros_like`` keeps the order of its argument, and "full" has none
        if not node.size or node.op in ("stack", "put"):
            return ()
        axes = axes_of_result([self.like(arg) for arg in node.args if not (arg.number or arg in fulls)])
        if not node.op.startswith("reduce_") or node.options[1]:
            return axes
        kept = [axis for axis in axes or range(len(node.args[0].shape)) if axis not in node.options[0]]
        numbers = {axis: number for number, axis in enumerate(sorted(kept))}
        return tuple(numbers[axis] for axis in kept)


def reshaped(like: np.ndarray, shape: Shape) -> np.ndarray | None:
    """An array that stands for ``like.reshape(shape)``; None if that cannot be found out."""
    if like.flags.c_contiguous:
        return stand_in(shape, like.dtype)
    try:
        view = reshaped_view(like, shape)
    except TypeError:  # NumPy 2.0 does not take ``copy``
        return None
    return stand_in(shape, like.dtype) if view is None else view  # a copy lies in C order


def reshaped_view(like: np.ndarray, shape: Shape) -> np.ndarray | None:
    """``like.reshape(shape)`` if that is a view; None if it is a copy."""
    try:
        return np.reshape(like, shape, copy=False)
    except ValueError:
        return None


def parts_of(index: Any) -> tuple[Any, ...]:
    """An index as a tuple."""
    return index if isinstance(index, tuple) else (index,)


def step_of(part: Any) -> int:
    """The step of a slice; 1 for any other part of an index."""
    return (part.step or 1) if isinstance(part, slice) else 1
