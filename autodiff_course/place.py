"""Where the reader's files are, and which exercises they have solved."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def folder() -> Path:
    """The folder of the reader's files.

    It is named by the environment variable AUTODIFF_MINE; else it is ``notebooks/mine`` in a checkout of the
    course, and ``mine`` in the working folder where the package was installed without one.
    """
    named = os.environ.get("AUTODIFF_MINE")
    if named:
        return Path(named).expanduser()
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / "notebooks" / "execute.py").exists():
        return checkout / "notebooks" / "mine"
    return Path.cwd() / "mine"


def solved() -> set[str]:
    """The names of the exercises that were solved, from ``solved.txt``."""
    try:
        return set((folder() / "solved.txt").read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError):
        return set()


def note_solved(name: str) -> None:
    """Add an exercise to ``solved.txt``. Where nothing can be written, nothing is noted: it is for the map
    alone."""
    if name not in solved():
        with contextlib.suppress(OSError):
            folder().mkdir(parents=True, exist_ok=True)
            with (folder() / "solved.txt").open("a", encoding="utf-8") as file:
                file.write(name + "\n")
