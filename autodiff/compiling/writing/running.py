"""Running a program whose buffers belong to one call at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

getrefcount = getattr(sys, "getrefcount", lambda array: sys.maxsize)


def recycled(shape: Any, dtype: Any) -> Callable[[], np.ndarray]:
    """A function that returns an array for a result: one that everybody has dropped, or a new one."""
    kept: list[np.ndarray] = []

    def new() -> np.ndarray:
        for place in range(len(kept)):
            if getrefcount(kept[place]) == 2:  # the list refers to it, and the call here
                return kept[place]
        del kept[:-1]  # the others are their holders' alone
        kept.append(np.empty(shape, dtype))
        return kept[-1]

    return new


class Pool:
    """Runs a program, from several threads at once and from within itself.

    A call takes a program that no other call is running, with the buffers that belong to it, or builds
    another one.
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


def in_order(program: Callable[..., Any], plain: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """A program that computes sums in the order of the memory: ``program`` where every array lies in C order,
    else what ``plain`` makes, which leaves the order of every array to NumPy."""
    made: list[Callable[..., Any]] = []

    def run(*values: Any) -> Any:
        if all(value.flags.c_contiguous for value in values if type(value) is np.ndarray):
            return program(*values)
        if not made:
            made.append(plain())
        return made[0](*values)

    return run
