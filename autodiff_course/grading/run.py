"""The student's process: the notebooks are run here, and what the lessons say of each answer is noted.

Everything in this process is in the hands of the student's code, so what it reports is only a claim.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
from collections.abc import Callable
from typing import Any, BinaryIO

from .. import checking
from ..checking import Verdict
from ..machine import live
from ..machine.plan import Piece
from ..place import folder
from .handed_in import MOST
from .values import packed
from .walls import enter

Note = Callable[[dict[str, Any]], None]


def main() -> None:
    """Run the notebooks that are handed over, and report after each check what it said, and after each piece
    that is kept what the machine's files hold: so a notebook without end loses nothing but the rest."""
    data, report = enter()
    given = json.loads(data)
    for name, text in given["files"].items():
        (folder() / name).write_text(text, encoding="utf-8", newline="")

    def note(said: dict[str, Any]) -> None:
        report.write(json.dumps(said).encode() + b"\n")

    record(note)
    for text in given["notebooks"]:
        run(text)
    leave(report)


def leave(report: BinaryIO) -> None:
    """End at once, whatever threads or functions for the end a notebook has left behind."""
    report.close()
    os._exit(0)


def texts() -> dict[str, str]:
    """What the machine's files hold."""
    return {
        name: (folder() / name).read_text(encoding="utf-8") for name in MOST if (folder() / name).exists()
    }


def record(note: Note) -> None:
    """Report every verdict of ``check`` and of ``yours`` from now on."""
    check, verdict_on, kept = checking.check, live.verdict_on, live.kept

    def noted_check(name: str, *answer: Any) -> Verdict:
        verdict = check(name, *answer)
        said: dict[str, Any] = {"exercise": name, "status": verdict.status, "message": verdict.message}
        if verdict.status == checking.RIGHT:
            with contextlib.suppress(Exception):  # NotData, or what the answer itself raises
                said["answer"] = packed(list(answer))
        note(said)
        return verdict

    def noted_verdict(piece: Piece, *arguments: Any) -> tuple[Verdict, str]:
        verdict, code = verdict_on(piece, *arguments)
        note({"piece": piece.name, "status": verdict.status, "message": verdict.message})
        return verdict, code

    def noted_kept(*arguments: Any) -> str:
        said = kept(*arguments)
        note({"kept": texts()})
        return said

    room: Any = importlib.import_module("autodiff_course")
    machine: Any = live
    room.check = noted_check
    machine.verdict_on, machine.kept = noted_verdict, noted_kept


def run(text: str) -> None:
    """Run the cells of a notebook in order. What a cell raises ends that cell alone."""
    nbformat: Any = importlib.import_module("nbformat")
    shell: Any = importlib.import_module("IPython.core.interactiveshell").InteractiveShell()
    try:
        cells = nbformat.reads(text, as_version=4).cells
    except Exception:  # noqa: BLE001  a file that is no notebook
        return
    for cell in cells:
        if cell.cell_type == "code":
            shell.run_cell(cell.source)


if __name__ == "__main__":
    main()
