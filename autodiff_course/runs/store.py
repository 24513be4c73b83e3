"""The full runs by lesson, and the files of their results. A module ``lesson_22`` here has a function ``run``
that returns arrays by name, and its results are in ``lesson_22.npz``."""

from __future__ import annotations

import importlib
import subprocess
import time
from pathlib import Path

import numpy as np

from autodiff.training.files import read_npz, write_npz

RESULTS = Path(__file__).parent


def runs() -> list[str]:
    """The lessons that have a full run, such as "22"."""
    return sorted(path.stem[-2:] for path in Path(__file__).parent.glob("lesson_*.py"))


def stored(lesson: str) -> dict[str, np.ndarray]:
    """The stored results of a lesson's full run. Raises KeyError if the lesson has none.

    Example
    -------
    >>> from autodiff_course import runs
    >>> runs.stored("22")["confusion"].shape
    (10, 10)
    """
    if lesson not in runs():
        raise KeyError(f"lesson {lesson} has no full run; there are {', '.join(runs())}")
    return read_npz(RESULTS / f"lesson_{lesson}.npz")


def run_and_store(lesson: str) -> None:
    """Run a lesson's training in full, and store its results.

    Besides what the run returns, they hold ``seconds``, the time that it took, and ``code``, the date of the
    last commit (empty outside a clone).
    """
    begun = time.perf_counter()
    found = importlib.import_module(f"{__package__}.lesson_{lesson}").run()
    seconds = np.array(time.perf_counter() - begun)
    write_npz(RESULTS / f"lesson_{lesson}.npz", {**found, "seconds": seconds, "code": np.array(date())})


def date() -> str:
    """The date of the last commit of this clone, such as "2026-11-23", or nothing outside a clone."""
    asked = ["git", "-C", str(RESULTS), "log", "-1", "--format=%cs"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""
