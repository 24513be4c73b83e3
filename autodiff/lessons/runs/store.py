"""The full runs by lesson, and the files of their results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...training.files import read_npz, write_npz
from .lesson_22 import Arrays, mnist

RESULTS = Path(__file__).parent

RUNS: dict[str, tuple[str, Callable[[], Arrays]]] = {"22": ("mnist_22", mnist)}
"""By lesson: the name of the file of results, and the function that makes them."""


def stored(lesson: str) -> Arrays:
    """The stored results of a lesson's full run. Raises KeyError if the lesson has none.

    Example
    -------
    >>> from autodiff.lessons import runs
    >>> len(runs.stored("22")["test_right"])
    20
    """
    name, _ = RUNS[lesson]
    return read_npz(RESULTS / f"{name}.npz")


def run_and_store(lesson: str) -> None:
    """Run a lesson's training in full, and store its results."""
    name, run = RUNS[lesson]
    write_npz(RESULTS / f"{name}.npz", run())
