"""The grades as a text for the teacher, in which no name and no message can look like anything else."""

from __future__ import annotations

import unicodedata
from collections import Counter

from ..checking import RIGHT
from . import Grade

LONG = 600  # characters of a message or a note


def table(grades: list[Grade]) -> str:
    """The grades as a table in Markdown; below it what each student was told of what is wrong, and why
    something is not confirmed."""
    head = ("student", "pieces", "exercises", "not right yet", "not confirmed", "note")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    told = []
    for one, name in zip(grades, names(grades)):
        counts = [str(count_right(row)) for row in (one.pieces, one.exercises)]
        cells = [name, *counts, ", ".join(one.messages), ", ".join(one.unconfirmed), escaped(one.note)]
        lines.append(f"| {' | '.join(cells)} |")
        told += [f"- **{name}**, {what}: {shown(said)}" for what, said in one.messages.items()]
        told += [
            f"- **{name}**, {what} is not confirmed: {shown(why)}" for what, why in one.unconfirmed.items()
        ]
    return "\n".join([*lines, "", *told]).rstrip() + "\n"


def count_right(row: dict[str, str]) -> int:
    """How many of these are right."""
    return sum(status == RIGHT for status in row.values())


def names(grades: list[Grade]) -> list[str]:
    """The students' names; those that would look the same with what is not ASCII written out."""
    alike = Counter(map(looks, (one.student for one in grades)))
    return [
        escaped(ascii(one.student)[1:-1] if alike[looks(one.student)] > 1 else one.student) for one in grades
    ]


def looks(name: str) -> str:
    """What a name looks like: composed and decomposed letters, and wide and narrow ones, are alike."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def printable(text: str) -> str:
    """A text in which what has no look of its own (controls, escapes, marks of direction, halves of
    characters) is written out."""
    hidden = {each for each in text if unicodedata.category(each)[0] in "CZ" and each != " "}
    return text.translate({ord(each): each.encode("unicode_escape").decode() for each in hidden})


def escaped(text: str) -> str:
    """A text for a cell of the table, where Markdown and HTML mean nothing."""
    text = printable(text[:LONG])
    return "".join(f"\\{each}" if each in "\\`*_[]<>|&#" else each for each in text)


def shown(message: str) -> str:
    """A message in one line. Its code stays as it is, without tags and links."""
    text = printable(" ".join(message[:LONG].split()))
    return text.replace("<", "\\<").replace("](", "]\\(")
