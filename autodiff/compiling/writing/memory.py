"""Buffers: arrays that a program makes once and in which its values take turns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..memory_order import Axes
from ..nodes import ProgramNode, Shape


class Buffer(NamedTuple):
    """Memory for values of one dtype."""

    name: str  # of the array that it was first made for
    dtype: str
    size: int
    shape: Shape  # of that array
    axes: Axes  # and the order of its axes in memory


class Buffers:
    """Gives a buffer to each value that needs one, and takes it back for the next.

    ``reuse`` tells whether a buffer is given out more than once. ``made`` lists all of them.
    """

    def __init__(self, reuse: bool = True) -> None:
        self.reuse = reuse
        self.made: list[Buffer] = []
        self.free: list[Buffer] = []
        self.taken: dict[ProgramNode, Buffer] = {}

    @property
    def bytes(self) -> int:
        """The size of all buffers."""
        return sum(buffer.size * np.dtype(buffer.dtype).itemsize for buffer in self.made)

    def take(self, node: ProgramNode, name: str, axes: Axes = ()) -> tuple[Buffer, bool]:
        """The smallest free buffer that can hold a value, if at most half of it is left over, or else a new
        one; and whether it is new."""
        dtype = str(node.dtype)
        fitting = [
            buffer
            for buffer in self.free
            if buffer.dtype == dtype and node.size <= buffer.size <= 2 * node.size
        ]
        if fitting and self.reuse:
            buffer = min(fitting, key=lambda buffer: (buffer.size, buffer.shape != node.shape))
            self.free.remove(buffer)
        else:
            buffer = Buffer(name, dtype, node.size, node.shape, axes)
            self.made.append(buffer)
        self.taken[node] = buffer
        return buffer, buffer.name == name

    def hand_over(self, old: ProgramNode, new: ProgramNode) -> None:
        """Give the buffer of a value that is not read any more to the value that is computed from it."""
        if old in self.taken:
            self.taken[new] = self.taken.pop(old)

    def give_back(self, node: ProgramNode) -> None:
        """Free the buffer of a value, if it has one."""
        if node in self.taken:
            self.free.append(self.taken.pop(node))


def new_text(shape: Shape, dtype: Any, axes: Axes = ()) -> str:
    """The text of a new array whose axes lie in this order in memory."""
    made = f"np.empty({in_memory(shape, axes)}, {str(dtype)!r})"
    return transposed_text(made, axes)


def text_of(buffer: Buffer, shape: Shape, axes: Axes = ()) -> str:
    """The text of an array of this shape in a buffer, with its axes in this order in memory."""
    if (shape, axes) == (buffer.shape, buffer.axes):
        return buffer.name
    size = math.prod(shape)
    flat = buffer.name
    if len(buffer.shape) > 1:
        flat = f"{flat}.ravel('K')" if buffer.axes else f"{flat}.reshape(-1)"
    if size != buffer.size:
        flat = f"{flat}[:{size}]"
    return transposed_text(flat if len(shape) == 1 else f"{flat}.reshape{in_memory(shape, axes)}", axes)


def in_memory(shape: Shape, axes: Axes) -> Shape:
    """The sizes of the axes in the order in which they lie in memory."""
    return tuple(shape[axis] for axis in axes) if axes else shape


def transposed_text(text: str, axes: Axes) -> str:
    """The text of an array with its axes moved from their order in memory to their own order."""
    back = tuple(sorted(range(len(axes)), key=axes.__getitem__))
    return f"{text}.transpose{back}" if axes else text
