"""Answers to the exercises, right ones and wrong ones, as readers give them.

They are the rows of the exercises' tables. ``lesson_03.py`` has a table ``ANSWERS`` for exercises whose judge
is written without one: the answers that the check must accept and those that it must refuse, with words that
the message must hold. ``python -m tests.course.answers`` prints them all, with what the check says; the site
has a page of them.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import io
import linecache
import math
import re
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
    names of the machine after the lesson, ``ad``, ``np`` and ``math`` are there."""

    kind: str
    code: str
    say: str = ""
    """Words that the message holds."""
    words: tuple[str, ...] = ()
    """More of them."""


class Right(Answer):
    """An answer that has to be accepted."""


class Wrong(Answer):
    """An answer that has to be refused."""


def lessons():
    """The numbers of the lessons that have answers here, two digits as text."""
    return sorted(path.stem[-2:] for path in Path(table.__file__).parent.glob("lesson_*.py"))


@functools.cache
def answers(number):
    """The answers of a lesson's exercises: their tables' rows, or those that stand here."""
    names = exercises_of(int(number))
    here = Path(__file__).parent / f"lesson_{number}.py"
    old = importlib.import_module(f"{__name__}.{here.stem}").ANSWERS if here.exists() else {}
    tables = {name: EXERCISES[name].table for name in names}
    return {name: tuple(map(of_row, each.rows())) if each else old[name] for name, each in tables.items()}


def of_row(row):
    """The answer of a row of an exercise's table."""
    answer, code, words = row
    kind = Right if isinstance(answer, table.Right) else Wrong
    assert kind is Right or any(words), f"nothing is asked of the message for {answer.kind!r}"
    return kind(answer.kind, code, words=tuple(words))


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


def exercises(number):
    """The exercises of a lesson, by the module that registers them."""
    importlib.import_module(f"autodiff_course.exercises.lesson_{number}")
    return {name for name in EXERCISES if name.startswith(number)}
