"""Grading: ``python -m autodiff.lessons grade FOLDER`` judges what students have handed in.

The folder has a folder for each student, with the student's ``engine.py``, notebooks, or both, anywhere
inside. Each student's work runs in a process of its own, with a limit on its time and, where the system has
such limits, on its memory, in a temporary folder and with a copy of the files. That stops accidents; it is
no wall against code that means harm, so grade work of strangers in a container.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from . import checking
from .checking import Verdict
from .machine import live
from .machine.live import described, trusted
from .machine.plan import YOURS, Piece, parts
from .machine.store import load

SECONDS = 300
MEMORY = 4 * 2**30
"""How many bytes a student's process may take."""


@dataclass
class Grade:
    """What was found of one student's work: for each piece and exercise its status, "right", "wrong" or "not
    done yet", and for what is wrong what the student was told."""

    student: str
    pieces: dict[str, str] = field(default_factory=dict)
    exercises: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    note: str = ""


# -- all students --------------------------------------------------------------------------------------------


def grade(folder: Path, seconds: float = SECONDS) -> list[Grade]:
    """Grade every student in a folder, in the order of their names.

    Raises
    ------
    ValueError
        If there is no such folder, or no folder in it.
    """
    students = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not students:
        raise ValueError(f"{folder} has to be a folder with a folder for each student in it")
    return [graded_apart(student, seconds) for student in students]


def graded_apart(student: Path, seconds: float) -> Grade:
    """Grade one student in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        mine, report = Path(place) / "mine", Path(place) / "report.json"
        copy_files(student, mine)
        command = [sys.executable, "-m", "autodiff.lessons.grading", str(student.resolve()), str(report)]
        root = str(Path(__file__).resolve().parents[2])
        environment = {**os.environ, "AUTODIFF_MINE": str(mine), "PYTHONPATH": root, "MPLBACKEND": "agg"}
        note = ""
        try:
            done = subprocess.run(
                command,
                cwd=place,
                env=environment,
                timeout=seconds,
                capture_output=True,
                check=False,
            )
            if done.returncode:
                note = f"ended by itself ({done.returncode})"
        except subprocess.TimeoutExpired:
            note = f"stopped after {seconds:g} seconds"
        found = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
        return Grade(**{**found, "student": student.name, "note": note})


def copy_files(student: Path, mine: Path) -> None:
    """Copy a student's engine.py and earlier.py, wherever they are, into a folder."""
    mine.mkdir()
    for name in ("engine.py", "earlier.py"):
        for found in sorted(student.rglob(name))[:1]:
            shutil.copy(found, mine / name)


def limit_memory() -> None:
    """Limit the memory of this process."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def table(grades: list[Grade]) -> str:
    """The grades as a table in Markdown, and below it what each student was told of what is wrong."""
    lines = ["| student | pieces | exercises | not right yet | note |", "|---|---|---|---|---|"]
    told = []
    for one in grades:
        pieces, exercises = map(count_right, (one.pieces, one.exercises))
        lines.append(f"| {one.student} | {pieces} | {exercises} | {', '.join(one.messages)} | {one.note} |")
        told += [
            f"- **{one.student}**, {name}: {' '.join(said.split())}" for name, said in one.messages.items()
        ]
    return "\n".join([*lines, "", *told]).rstrip() + "\n"


def count_right(row: dict[str, str]) -> int:
    """How many of these are right."""
    return sum(status == checking.RIGHT for status in row.values())


# -- one student, in the process of its own ------------------------------------------------------------------


def graded(student: Path, report: Path) -> None:
    """Grade a student's work, and write what is found after each notebook, so that a notebook without end
    loses nothing but itself."""
    found = Grade(student.name)
    judge_pieces(found)
    report.write_text(json.dumps(asdict(found)), encoding="utf-8")
    with recorded(found):
        for notebook in sorted(student.rglob("[0-9][0-9]_*.ipynb")):
            if ".ipynb_checkpoints" not in notebook.parts:
                run(notebook)
                report.write_text(json.dumps(asdict(found)), encoding="utf-8")
    judge_pieces(found)  # with those that the notebooks have kept
    report.write_text(json.dumps(asdict(found)), encoding="utf-8")


def judge_pieces(found: Grade) -> None:
    """Judge the pieces in the student's file."""
    _, _, doubts = trusted(load(), len(parts()))
    for _, _, there in described():
        for piece, whose in there:
            if whose.startswith(YOURS):
                found.pieces[piece.name] = checking.WRONG if piece.name in doubts else checking.RIGHT
    found.messages |= doubts


@contextlib.contextmanager
def recorded(found: Grade) -> Iterator[None]:
    """Note every verdict of ``check`` and of ``yours``. What was right once stays right."""
    check, verdict_on = checking.check, live.verdict_on

    def note(row: dict[str, str], name: str, verdict: Verdict) -> None:
        if row.get(name) != checking.RIGHT:
            row[name] = verdict.status
            found.messages.pop(name, None)
            if verdict.status == checking.WRONG:
                found.messages[name] = verdict.message

    def noted_check(name: str, *answer: Any) -> Verdict:
        verdict = check(name, *answer)
        note(found.exercises, name, verdict)
        return verdict

    def noted_verdict(piece: Piece, *arguments: Any) -> tuple[Verdict, str]:
        verdict, code = verdict_on(piece, *arguments)
        note(found.pieces, piece.name, verdict)
        return verdict, code

    room: Any = importlib.import_module(__package__)
    machine: Any = live
    room.check, machine.verdict_on = noted_check, noted_verdict
    try:
        yield
    finally:
        room.check, machine.verdict_on = check, verdict_on


def run(notebook: Path) -> None:
    """Run the cells of a notebook in order. What a cell raises ends that cell alone."""
    nbformat: Any = importlib.import_module("nbformat")
    shell: Any = importlib.import_module("IPython.core.interactiveshell").InteractiveShell()
    try:
        cells = nbformat.read(notebook, as_version=4).cells
    except Exception:  # noqa: BLE001  a file that is no notebook
        return
    for cell in cells:
        if cell.cell_type == "code":
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                shell.run_cell(cell.source)


if __name__ == "__main__":
    limit_memory()
    graded(Path(sys.argv[1]), Path(sys.argv[2]))
