"""What the fuzzers draw by chance: shapes, axes, values, memory layouts. Plain NumPy, since a trial must be
cheap.

Nothing is searched or shrunk: shapes are small anyway, and a seed gives the same trial again.
"""

from __future__ import annotations

import argparse
import collections
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff.testing import LAYOUTS

SIDE = 4

VALUES = {
    "any": lambda normal: normal,
    "positive": lambda normal: 0.2 + np.abs(normal),
    "nonzero": lambda normal: np.copysign(0.3 + np.abs(normal), normal),
    "inside": lambda normal: 0.9 * np.sin(normal),  # between -1 and 1
    "outside": lambda normal: 1.1 + np.abs(normal),
    "small": lambda normal: 1.4 * np.sin(normal),  # where a tangent is no pole away
}


def numbers_within(seconds: float, trials: int) -> Iterator[int]:
    """The numbers of trials, as long as the time has not passed."""
    start = time.monotonic()
    for number in range(trials):
        if time.monotonic() - start > seconds:
            return
        yield number


def run_trials(
    make: Callable[[Any], Any], run: Callable[[Any], Any], trials: int, seed: int, seconds: float
) -> collections.Counter[Any]:
    """Make trials from a seed and run them, no longer than so many seconds, and count what ``run`` returns.
    A failure raises AssertionError with the trial, and with the numbers that run it again."""
    counts: collections.Counter[Any] = collections.Counter()
    for number in numbers_within(seconds, trials):
        trial = make((seed, number))
        try:
            counts[run(trial)] += 1
        except Exception as error:
            message = f"trial ({seed}, {number}): {trial}\n{type(error).__name__}: {error}"
            raise AssertionError(message) from error
    return counts


@contextmanager
def quiet() -> Iterator[None]:
    """Warnings of Python and of NumPy are of no interest."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def parser(description: str | None, trials: int) -> argparse.ArgumentParser:
    """The options that every fuzzer has as a program."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    made.add_argument("--trials", type=int, default=trials)
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--only", type=int, nargs=2, metavar=("SEED", "TRIAL"), help="run one trial again")
    return made


class Chance:
    """A random generator with the draws that trials are made of."""

    def __init__(self, seed: Any) -> None:
        self.rng = np.random.default_rng(seed)

    def choice(self, options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def often(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def integer(self, low: int, high: int) -> int:
        """From ``low`` to ``high``, both included."""
        return int(self.rng.integers(low, high + 1))

    def integers(self, low: int, high: int, size: Any) -> Any:
        return self.rng.integers(low, high + 1, size=size)

    def size(self) -> int:
        """A size of an axis: now and then 0, more often 1."""
        return self.choice((0, 1, 1, 2, 2, 3, 3, 3, SIDE, SIDE))

    def shape(self, least: int = 0, most: int = 4, side: int = 0) -> tuple[int, ...]:
        return tuple(max(self.size(), side) for _ in range(self.integer(least, most)))

    def broadcastable(self, count: int) -> list[tuple[int, ...]]:
        """Shapes that NumPy broadcasts together."""
        whole = self.shape()
        return [
            tuple(
                1 if self.often(0.25) else n
                for n in whole[self.choice((0, 0, self.integer(0, len(whole)))) :]
            )
            for _ in range(count)
        ]

    def axis(self, shape: tuple[int, ...]) -> int:
        """An axis, counted from either end."""
        return self.integer(-len(shape), len(shape) - 1)

    def axes(self, shape: tuple[int, ...]) -> Any:
        """None, an axis, or several of them in any order."""
        if not shape or self.often(0.25):
            return None
        if self.often(0.4):
            return self.axis(shape)
        some = self.rng.permutation(len(shape))[: self.integer(1, len(shape))]
        return tuple(int(a) - len(shape) * self.often(0.3) for a in some)

    def array(self, shape: tuple[int, ...], kind: str = "any", *, ties: bool = True) -> Any:
        """Values of a kind; with ``ties`` sometimes alike along an axis, so that a stride can be 0."""
        values = VALUES[kind](self.rng.normal(size=shape))
        if ties and shape and values.size and self.often(0.15):
            axis = self.axis(shape)
            values = np.broadcast_to(values.take([0], axis), shape).copy()
        return np.asarray(values)

    def layout(self) -> str:
        return self.choice(sorted(LAYOUTS))

    def index(self, shape: tuple[int, ...]) -> Any:
        """An index of one of NumPy's kinds, or a tuple of them; places may come twice."""
        parts: list[Any] = []
        result = self.choice(((self.integer(0, 3),), (1,), (2, 1), (self.integer(1, 2), 2)))
        axis = 0
        while axis < len(shape) and self.often(0.85):
            part, used = self.index_part(shape[axis:], result)
            if part is Ellipsis and any(other is Ellipsis for other in parts):
                continue
            parts.append(part)
            axis += used
        if len(parts) == 1 and self.often(0.5) and not isinstance(parts[0], tuple):
            return parts[0]
        return tuple(parts)

    def index_part(self, shape: tuple[int, ...], result: tuple[int, ...]) -> tuple[Any, int]:
        """One part of an index, and how many axes it takes."""
        n = shape[0]
        kind = self.choice(
            ("slice", "slice", "none", "ellipsis", "mask", "places", "places", "tuple", "integer")
        )
        if kind == "none":
            return None, 0
        if kind == "ellipsis":
            return Ellipsis, self.integer(0, len(shape))
        if kind == "mask":
            axes = self.integer(1, min(2, len(shape)))
            mask = self.rng.random(shape[:axes]) < 0.6
            return self.choice((mask, mask.tolist() if mask.size else mask)), axes
        if kind == "slice" or n == 0:
            step = self.choice((None, None, 1, 2, -1, -2))
            return slice(
                self.choice((None, self.integer(-n, n))), self.choice((None, self.integer(-n, n))), step
            ), 1
        if kind == "integer":
            place = self.integer(-n, n - 1)
            return self.choice((place, np.int64(place), np.array(place))), 1
        places = self.integers(-n, n - 1, result)
        if kind == "tuple" and places.size:
            return tuple(map(tuple, places.tolist())) if places.ndim > 1 else tuple(places.tolist()), 1
        return self.choice((places, places.astype(np.int8), places.tolist() if places.size else places)), 1
