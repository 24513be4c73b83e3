"""What the machine consists of: texts that are given and pieces that the reader writes, and how the file is
assembled from them. The parts themselves are in ``reference/``, one module per lesson."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import textwrap
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True, eq=False)
class Probe:
    """A calculation that shows whether a piece is right.

    ``code`` runs on the machine as it is after the piece's lesson. Its last line is an expression, whose
    value is ``right``; with ``prints``, what the code prints is compared instead. With ``until_replaced`` it
    no longer holds when a later piece has replaced this one. With ``at_once`` the piece is judged on the
    machine as the lesson has it when it comes to the piece, without what the lesson adds further down.
    ``asks`` is the sentence for an earlier piece that is right at its own lesson and too narrow for this
    calculation.
    """

    code: str
    right: Any
    prints: bool = False
    until_replaced: bool = False
    at_once: bool = False
    asks: str = ""


class Wrong:
    """A wrong answer: what kind of mistake it is, the sentence for the reader, and the changes (text, other
    text) that make the reference wrong, or one text that is the whole answer."""

    def __init__(self, kind: str, say: str, *changes: tuple[str, str] | str) -> None:
        self.kind = kind
        self.say = " ".join(say.split())
        self.changes = changes

    def code(self, reference: str) -> str:
        """The wrong answer as the reader would write it."""
        for change in self.changes:
            if isinstance(change, str):
                return clean(change)
            if change[0] not in reference:
                raise ValueError(f"{self.kind}: the reference does not hold {change[0]!r}")
            reference = reference.replace(*change)
        return reference


class Given:
    """A text of the file that the reader does not write."""

    def __init__(self, name: str, code: str) -> None:
        self.name, self.code = name, clean(code)
        self.lesson = int(name[:2])
        self.replaces, self.in_place = "", False

    @property
    def all_made(self) -> set[str]:
        """The functions, classes and tables that the text defines or adds to."""
        found = set()
        for node in ast.parse(self.code).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, (ast.Assign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
        return found


class Piece(Given):
    """A function, a class or rows of a table that the reader writes.

    Parameters
    ----------
    name
        The lesson's number and a name: "05 order".
    code
        The reference: a ``def``, a ``class``, or a table with ``|=`` and a dict.
    probes, wrong
        How it is judged.
    stub
        What stands in the lesson. By default the body of the function is left out.
    open
        Of a class, the methods whose body is left out in the stub.
    replaces, in_place
        An earlier piece that this one replaces, and whether it also takes that piece's place in the file.
    """

    def __init__(
        self,
        name: str,
        code: str,
        probes: tuple[Probe, ...],
        wrong: tuple[Wrong, ...],
        *,
        stub: str = "",
        open: tuple[str, ...] = (),  # noqa: A002  the word for it
        replaces: str = "",
        in_place: bool = False,
    ) -> None:
        super().__init__(name, code)
        self.probes = tuple(replace(probe, code=clean(probe.code)) for probe in probes)
        self.wrong = wrong
        self.replaces, self.in_place = replaces, in_place
        self.stub = clean(stub) if stub else stub_of(self.code, open)

    @property
    def makes(self) -> str:
        """The name that the piece makes: a function's, a class's or a table's."""
        return made(self.code)[0]

    @property
    def kind(self) -> str:
        """The word for it: "function", "class", "rows", or "changed function" if it replaces an earlier
        one."""
        kind = made(self.code)[1]
        return f"changed {kind}" if self.replaces else kind

    @property
    def lines(self) -> int:
        """The number of lines that the reader writes."""
        there = code_lines(self.stub)
        return sum(line not in there for line in code_lines(self.code))


def clean(code: str) -> str:
    """A text without the blank lines around it and without a common margin."""
    return textwrap.dedent(code).strip("\n")


def made(code: str) -> tuple[str, str]:
    """The name that a text makes, and of what kind it is: "function", "class" or "rows"."""
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef):
            return node.name, "function"
        if isinstance(node, ast.ClassDef):
            return node.name, "class"
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            return node.target.id, "rows"
    raise ValueError(f"no function, class or table is made by {code!r:.60}")


def stub_of(code: str, open_methods: tuple[str, ...]) -> str:
    """The text of a function or of a class with ``return None`` in place of what the reader is to write."""
    lines = code.split("\n")
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)]
    opened = [node for node in nodes if node.name in open_methods] if open_methods else nodes[:1]
    for node in sorted(opened, key=lambda node: -node.lineno):
        body = node.body[1:] if ast.get_docstring(node) else node.body
        last = node.end_lineno or node.lineno
        lines[body[0].lineno - 1 : last] = [" " * body[0].col_offset + "return None"]
    return "\n".join(lines)


def code_lines(code: str) -> list[str]:
    """The lines of a text without blank lines, comments and docstrings."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and ast.get_docstring(node):
            first = node.body[0]
            docstrings |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    numbered = enumerate(code.split("\n"), start=1)
    kept = [line.strip() for number, line in numbered if number not in docstrings]
    return [line for line in kept if line and not line.startswith("#")]


def cell_of(piece: Piece, code: str) -> str:
    """The cell of a lesson that hands a piece over: its code, and the call of ``yours``."""
    if piece.kind == "rows":
        return re.sub(r"\A(\w+) \|= (\{.*\})\Z", rf'\1 |= yours("{piece.name}", \2)', code, flags=re.DOTALL)
    return f'{code}\n\n\n{piece.makes} = yours("{piece.name}", {piece.makes})'


def solved(cell: str) -> str:
    """The text of a cell with every stub in it replaced by the reference."""
    for piece in pieces().values():
        cell = cell.replace(cell_of(piece, piece.stub), cell_of(piece, piece.code))
    return cell


# -- all of them ---------------------------------------------------------------------------------------------


@functools.cache
def lessons() -> tuple[tuple[int, str, tuple[Given, ...]], ...]:
    """For each lesson its number, its title and its parts, in order."""
    found = []
    for path in sorted((Path(__file__).parent / "reference").glob("lesson_*.py")):
        module = importlib.import_module(f"{__package__}.reference.{path.stem}")
        found.append((int(path.stem[-2:]), module.TITLE, tuple(module.PARTS)))
    return tuple(found)


@functools.cache
def parts() -> tuple[Given, ...]:
    """All parts in the order in which the course comes to them."""
    return tuple(part for _, _, parts in lessons() for part in parts)


@functools.cache
def pieces() -> dict[str, Piece]:
    """All pieces by name, in the order of the course."""
    return {part.name: part for part in parts() if isinstance(part, Piece)}


def find(name: str) -> Piece:
    """The piece of that name. Raises ValueError, with the names of its lesson, if there is none."""
    if name in pieces():
        return pieces()[name]
    near = [other for other in pieces() if other[:2] == name[:2]]
    known = f"this lesson has {', '.join(near)}" if near else f"the first is {next(iter(pieces()))!r}"
    raise ValueError(f"there is no piece {name!r}; {known}")


def after_lesson(lesson: int) -> int:
    """How many parts are there after a lesson."""
    return sum(part.lesson <= lesson for part in parts())


def after_piece(name: str) -> int:
    """How many parts are there after a piece, with the given texts that follow it in its lesson."""
    names = [part.name for part in parts()]
    stop = names.index(name) + 1
    while stop < len(names) and not isinstance(parts()[stop], Piece) and names[stop][:2] == name[:2]:
        stop += 1
    return stop


@functools.cache
def active(stop: int) -> tuple[Given, ...]:
    """What the file consists of when the first ``stop`` parts are there, in the order of the file."""
    found: list[Given] = []
    for part in parts()[:stop]:
        place = next((i for i, other in enumerate(found) if other.name == part.replaces), None)
        if place is not None and part.in_place:
            found[place] = part
        else:
            if place is not None:
                del found[place]
            found.append(part)
    return tuple(found)


TOP = '''\
"""My machine: it records how a number was made, and walks back for the gradients.

Everything about an operation stands in two tables: FORWARD says what it computes, RULES what each of its
creators is given on the way back. `apply` is the one place where something is recorded.
"""

import math

import numpy as np
'''
YOURS = "yours"
NOT_RIGHT = "yours, not right yet"
REFERENCE = "the reference, until yours is right"


def assembled(
    stop: int, own: Mapping[str, str] | None = None, top: str = TOP, not_right: Collection[str] = ()
) -> str:
    """The text of the file when the first ``stop`` parts are there, with the texts in ``own`` in place of
    the reference's. A comment over each part says whose it is; parts in ``not_right`` are marked as such."""
    own = own or {}
    titles = {number: title for number, title, _ in lessons()}
    text, section = [top.strip("\n")], 0
    for part in active(stop):
        if section != place_of(part):
            section = place_of(part)
            text.append(f"# == {section:02}  {titles[section]} ".ljust(110, "="))
        text.append(f"# {part.name}: {whose(part, own, not_right)}\n\n{own.get(part.name, part.code)}")
    return "\n\n\n".join(text) + "\n"


def whose(part: Given, own: Mapping[str, str], not_right: Collection[str] = ()) -> str:
    """The words that stand over a part in the file."""
    if part.name in own:
        return NOT_RIGHT if part.name in not_right else YOURS
    return REFERENCE if isinstance(part, Piece) else "given"


def place_of(part: Given) -> int:
    """The lesson in whose section of the file a part stands."""
    while part.in_place:
        part = pieces()[part.replaces]
    return part.lesson
