"""The map of the course: ``python -m autodiff_course`` prints which pieces of the machine are yours, which
exercises you have solved, and where to go on. It reads your files, and nothing leaves your computer. For
teachers, ``python -m autodiff_course grade FOLDER`` prints a table of what their students have handed in,
and ``python -m autodiff_course slides NOTEBOOK`` makes slides of a lesson."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import slides
from .checking import exercises_of
from .grading import SECONDS, grade
from .grading.table import table
from .machine import path
from .machine.live import described
from .machine.plan import NOT_RIGHT, YOURS, Piece
from .machine.store import are_yours
from .place import solved

SIGNS = {YOURS: "[x]", NOT_RIGHT: "[!]"}


def course_map() -> str:
    """The map as text."""
    lines, done = [], solved()
    whole = [(lesson, piece, whose) for lesson, _, pieces in described() for piece, whose in pieces]
    for number, title, pieces in described():
        lines.append(f"{number:02}  {title}")
        for piece, whose in pieces:
            sign = SIGNS.get(whose, "[ ]")
            count = f"{piece.lines} line{'s' * (piece.lines > 1)}"
            lines.append(f"    {sign} {piece.name[3:]:<22} {piece.kind}, {count}")
        exercises = [(name[3:], "[x]" if name in done else "[ ]") for name in exercises_of(number)]
        lines += [f"    {sign} {name:<22} exercise" for name, sign in exercises]
    kept = sum(whose == YOURS for _, _, whose in whole)
    lines += ["", are_yours(kept, len(whole)), *next_steps(whole), f"Your file: {path()}"]
    return "\n".join(lines)


def next_steps(whole: list[tuple[int, Piece, str]]) -> list[str]:
    """Where to go on: first what is not right any more, then the first piece that is open."""
    wrong = [piece.name for _, piece, whose in whole if whose == NOT_RIGHT]
    opened = [(lesson, piece.name) for lesson, piece, whose in whole if whose not in SIGNS]
    steps = [f"Not right in your file any more: {', '.join(wrong)}." if wrong else ""]
    if opened:
        steps.append(f"Go on with {opened[0][1]}, in lesson {opened[0][0]:02}.")
    elif not wrong:
        steps.append("Your machine is complete.")
    return [step for step in steps if step]


def main(arguments: list[str]) -> None:
    """Print the map, grade a folder, or make slides."""
    parser = argparse.ArgumentParser(prog="python -m autodiff_course", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    command = commands.add_parser("grade", help="grade a folder of students' work")
    command.add_argument("folder", type=Path, help="it has a folder for each student")
    limit = "how many seconds each of a student's two processes may take (default %(default)s)"
    command.add_argument("--seconds", type=float, default=SECONDS, help=limit)
    command = commands.add_parser("slides", help="make slides of a lesson")
    command.add_argument("notebook", type=Path)
    command.add_argument("--folder", type=Path, help="where the slides go (default: beside the notebook)")
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "grade":
            said = table(grade(asked.folder, asked.seconds))
        elif asked.command == "slides":
            said = f"{slides.write(asked.notebook, asked.folder)}\n"
        else:
            said = course_map() + "\n"
    except (FileNotFoundError, ValueError) as error:
        parser.error(str(error))
    encoding = sys.stdout.encoding or "utf-8"  # a name that the terminal cannot show is written out
    sys.stdout.write(said.encode(encoding, "backslashreplace").decode(encoding))


if __name__ == "__main__":
    main(sys.argv[1:])
