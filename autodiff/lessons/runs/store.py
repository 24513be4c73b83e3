"""The full runs by lesson, and the files of their results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...training.files import read_npz, write_npz
from .lesson_22 import Arrays, run

RESULTS = Path(__file__).parent

RUNS: dict[str, tuple[str, Callable[[], Arrays]]] = {"22": ("mnist_22", run)}
"""By lesson: the name of the file of results, and the function that makes them."""


def stored(lesson: str) -> Arrays:
    """The stored results of a lesson's full run. Raises KeyError if the lesson has none.

    Example
    -------
    >>> from autodiff.lessons import runs
    >>> runs.stored("22")["confusion"].shape
    (10, 10)
    """
    name, _ = RUNS[lesson]
    return read_npz(RESULTS / f"{name}.npz")


def run_and_store(lesson: str) -> None:
    """Run a lesson's training in full, and store its results."""
    name, full_run = RUNS[lesson]
    write_npz(RESULTS / f"{name}.npz", full_run())
