"""Running a program whose buffers belong to one call at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..memory_order import Axes, axes_of, stand_in

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
