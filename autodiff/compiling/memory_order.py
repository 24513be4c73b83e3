"""The order in which the elements of arrays lie in memory, and arrays that stand for others without taking
memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .nodes import Shape

Axes = tuple[int, ...]
"""The axes of an array from the longest steps in memory to the shortest; ``()`` stands for C order."""


def stand_in(shape: Shape, dtype: Any, axes: Axes = ()) -> np.ndarray:
    """An array without gaps in which the axes lie in this order. It takes no memory: its shape and strides
    are read, its elements never."""
    strides, step = [0] * len(shape), np.dtype(dtype).itemsize
    for axis in reversed(axes or range(len(shape))):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides)


def axes_by_steps(shape: Shape, steps: Sequence[int]) -> Axes:
    """The axes from the longest step to the shortest; axes of size 1 come first, since their steps say
    nothing. ``()`` for C order."""
    lone = [axis for axis, size in enumerate(shape) if size <= 1]
    others = [axis for axis, size in enumerate(shape) if size > 1]
    ordered = sorted(others, key=lambda axis: -abs(steps[axis]))
    return () if ordered == others else (*lone, *ordered)


def axes_of(array: np.ndarray) -> Axes:
    """The order of the axes of an array without gaps; ``()`` for one with gaps too."""
    if array.flags.c_contiguous or array.ndim < 2:
        return ()
    axes = axes_by_steps(array.shape, array.strides)
    return axes if axes and array.transpose(axes).flags.c_contiguous else ()


def axes_of_result(operands: Sequence[np.ndarray]) -> Axes:
    """The order that NumPy gives to the result of an elementwise call on these operands."""
    # arrays with the same steps, of which NumPy makes a result without using time or memory
    small = [
        np.lib.stride_tricks.as_strided(x, [1 if size < 2 else 2 for size in x.shape], x.strides)
        for x in operands
    ]
    flags: Any = [["readonly"]] * len(small) + [["writeonly", "allocate"]]
    made = np.nditer([*small, None], op_flags=flags, order="K").operands[-1]
    return axes_by_steps(made.shape, made.strides)
