"""Grading: ``python -m autodiff_course grade FOLDER`` judges what students have handed in.

The folder has a folder for each student, with the student's ``engine.py``, notebooks, or both, anywhere
inside. Their texts are read (``handed_in``), and each student has two processes in a room of their own
(``room``): one runs the notebooks and notes what the lessons say (``run``), and one, in which nothing of the
student's is imported, judges again what the first has claimed (``confirm``). Only what both say counts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..checking import WRONG
from .claims import NOT_CONFIRMED, Claims, notes, verdicts
from .handed_in import HandedIn, read
from .room import Finished, run_apart

__all__ = ["NOT_CONFIRMED", "SECONDS", "Grade", "grade"]

SECONDS = 300
"""How long each of a student's two processes may take."""


@dataclass
class Grade:
    """What was found of one student's work: for each piece and exercise its status, "right", "wrong", "not
    done yet" or "not confirmed"; for what is wrong what the student was told; for what is not confirmed the
    reason; and what there is to say of the whole."""

    student: str
    pieces: dict[str, str] = field(default_factory=dict)
    exercises: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    unconfirmed: dict[str, str] = field(default_factory=dict)
    note: str = ""


def grade(folder: Path, seconds: float = SECONDS) -> list[Grade]:
    """Grade every student in a folder, in the order of their names. All are read before anything is run, so
    nothing that is run changes what another has handed in.

    Raises
    ------
    ValueError
        If there is no such folder, or no folder in it.
    """
    students = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not students:
        raise ValueError(f"{folder} has to be a folder with a folder for each student in it")
    all_handed_in = [read(student) for student in students]
    return [graded(*one, seconds) for one in zip(students, all_handed_in)]


def graded(student: Path, handed_in: HandedIn, seconds: float) -> Grade:
    """Grade one student. Whatever happens, there is a grade."""
    found = Grade(student.name)
    try:
        first = second = Finished(b"")
        if handed_in.notebooks:
            given = {"files": handed_in.files, "notebooks": list(handed_in.notebooks.values())}
            first = apart("run", given, seconds, student.parent)
        claims = Claims(first.output)
        files = claims.kept or handed_in.files
        if files or claims.answers:
            given = {"files": files, "notebooks": handed_in.notebooks, "claims": claims.answers}
            second = apart("confirm", given, seconds, student.parent)
        for verdict in verdicts(claims, second.output):
            enter(found, *verdict)
        again = f"judging again: {second.note}" if second.note else ""
        found.note = "; ".join(filter(None, [*handed_in.notes, first.note, again, *notes(second.output)]))
    except Exception as error:  # noqa: BLE001  one student's work must not end the run
        found.note = f"could not be graded ({type(error).__name__}: {error})"
    return found


def enter(found: Grade, kind: str, name: str, status: str, message: str) -> None:
    """Enter a verdict into a grade."""
    (found.pieces if kind == "piece" else found.exercises)[name] = status
    if status == WRONG:
        found.messages[name] = message
    elif status == NOT_CONFIRMED:
        found.unconfirmed[name] = message


def apart(module: str, given: dict[str, Any], seconds: float, hidden: Path) -> Finished:
    """Run a module of this package in a room."""
    return run_apart(f"{__name__}.{module}", json.dumps(given).encode(), seconds, hidden)
