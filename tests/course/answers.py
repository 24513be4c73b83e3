"""The answers to the exercises, right ones and wrong ones, as readers give them: the rows of the exercises'
tables. ``python -m tests.course.answers`` prints them all, with what the check says; the site has a page of
them.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import linecache
import math
import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import autodiff as ad
from autodiff_course import check, machine
from autodiff_course.checking import EXERCISES, exercises_of
from autodiff_course.exercises import table
from autodiff_course.machine.__main__ import row
from autodiff_course.machine.plan import clean


@dataclass(frozen=True)
class Answer:
    """An answer as it stands in a cell: its last line is what is handed to ``check`` after the name. The
    names of the machine after the lesson, ``ad``, ``np`` and ``math`` are there. The message holds the
    words."""

    kind: str
    code: str
    is_right: bool
    words: tuple[str, ...]


def lessons():
    """The numbers of the lessons that have exercises, two digits as text."""
    return sorted(path.stem[-2:] for path in Path(table.__file__).parent.glob("lesson_*.py"))


@functools.cache
def answers(number):
    """The answers to each exercise of a lesson."""
    return {name: tuple(map(of_row, EXERCISES[name].table.rows())) for name in exercises_of(int(number))}


def of_row(row):
    """The answer of a row of an exercise's table."""
    answer, code, words = row
    is_right = isinstance(answer, table.Right)
    assert is_right or any(words), f"nothing is asked of the message for {answer.kind!r}"
    return Answer(answer.kind, code, is_right, tuple(words))


def everything():
    """Each exercise's name with one of its answers."""
    return [(name, each) for number in lessons() for name, row in answers(number).items() for each in row]


def verdict(name, answer):
    """What ``check`` says of an answer, and what the answer printed meanwhile."""
    code = clean(answer.code)
    lines, begin = code.split("\n"), ast.parse(code).body[-1].lineno - 1
    body, last = "\n".join(lines[:begin]), "\n".join(lines[begin:])
    filename = f"<{name}: {answer.kind}>"
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    names = vars(machine.after(int(name[:2]))) | {"__name__": filename, "ad": ad, "np": np, "math": math}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(body, filename, "exec"), names)
        judged = eval(f"check({name!r}, {last})", names | {"check": check})
    return judged, printed.getvalue()


# -- the page ------------------------------------------------------------------------------------------------

HEAD = """\
# What the checks of the exercises say

Answers to the exercises of the course, with what the reader is told: first the right answers of each
exercise, then the wrong ones. Those to pieces of the reader's machine are on the page
[All wrong answers, and what the reader is told](wrong_answers.md)."""


def page():
    """The whole page."""
    text = [HEAD]
    for number in lessons():
        text.append(f"## Lesson {number}")
        for name, given in answers(number).items():
            text.append(f"### {name}\n\n| answer | what the reader is told |\n|---|---|\n" + "\n".join(map(
                functools.partial(line, name), given
            )))  # fmt: skip
    return "\n\n".join(text) + "\n"


def line(name, answer):
    """A line of a table."""
    message = " ".join(verdict(name, answer)[0].message.split())
    return row(answer.kind, re.sub(r" at 0x[0-9a-f]+", "", message))


if __name__ == "__main__":
    sys.stdout.write(page())
