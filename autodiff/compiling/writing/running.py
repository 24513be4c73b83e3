"""Running a program whose buffers belong to one call at a time."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..memory_order import Axes, axes_of, stand_in

FEWEST_ROWS, ALIASING, GAP = 16, 1024, 16
getrefcount = getattr(sys, "getrefcount", lambda array: sys.maxsize)


def recycled(shape: Any, dtype: Any, axes: Axes = ()) -> Callable[[], np.ndarray]:
    """A function that returns an array for a result: one that nothing else refers to any more, or a new
    one. ``axes`` is the order of its axes in memory."""
    like = stand_in(shape, dtype, axes)
    kept: list[np.ndarray] = []

    def new() -> np.ndarray:
        for place in range(len(kept)):
            if getrefcount(kept[place]) == 2:  # the list refers to it, and the call here
                return kept[place]
        del kept[:-1]  # the list is short: it lets go of the arrays that others still hold
        kept.append(np.empty_like(like))
        return kept[-1]

    return new


def in_c_order(x: np.ndarray) -> np.ndarray:
    """A copy of an array in C order, made in a fifth of NumPy's time where the array lies in memory as (H, W,
    N, C) and N * C is a large power of 2, say.

    A copy in C order then takes steps of N * C through memory. If these are multiples of 1024 bytes, all
    that it reads falls into the same few places of the processor's cache. So x is copied first into rows that
    are a little longer.
    """
    axes = axes_of(x)
    first = axes.index(0) if axes else 0
    if not first or axes != (*range(x.ndim - first, x.ndim), *range(x.ndim - first)):
        return np.ascontiguousarray(x)
    rows, columns = math.prod(x.shape[-first:]), math.prod(x.shape[:-first])
    if rows < FEWEST_ROWS or columns * x.itemsize % ALIASING:
        return np.ascontiguousarray(x)
    longer = np.empty((rows, columns + GAP), x.dtype)
    longer[:, :columns] = x.transpose(axes).reshape(rows, columns)
    return np.ascontiguousarray(longer[:, :columns].T).reshape(x.shape)


class Pool:
    """Runs a program, from several threads at once and from within itself.

    A call takes a program that no other call is running, together with its buffers, or builds another one.
    """

    def __init__(self, build: Callable[[], Callable[..., Any]]) -> None:
        self.build = build
        self.idle = [build()]

    def __call__(self, *values: Any) -> Any:
        """Run the program."""
        try:
            program = self.idle.pop()
        except IndexError:
            program = self.build()
        results = program(*values)
        self.idle.append(program)
        return results


def in_order(
    program: Callable[..., Any], orders: Sequence[Axes], plain: Callable[[], Callable[..., Any]]
) -> Callable[..., Any]:
    """A program for any memory order: ``program`` where each array lies in its order of ``orders``, else the
    one that ``plain`` makes, in which NumPy chooses the order of every array."""
    made: list[Callable[..., Any]] = []

    def run(*values: Any) -> Any:
        if all(lies_in(value, axes) for value, axes in zip(values, orders) if type(value) is np.ndarray):
            return program(*values)
        if not made:
            made.append(plain())
        return made[0](*values)

    return run


def lies_in(array: np.ndarray, axes: Axes) -> bool:
    """Whether an array has no gaps and its axes lie in this order."""
    return axes_of(array) == axes if axes else array.flags.c_contiguous
