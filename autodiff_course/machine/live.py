"""The machine that a notebook runs on, and ``yours``, which puts the reader's pieces into it."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from ..checking import NOT_YET, RIGHT, WRONG, Verdict
from ..source import Source
from . import store
from .cells import NoSource, is_kept, is_reference, source_of
from .form import rows_of
from .judging import calculation, first_spoiled, gives, judge, later_need
from .plan import (
    TOP,
    Given,
    Piece,
    Probe,
    active,
    after_lesson,
    after_piece,
    find,
    lessons,
    parts,
    pieces,
    whose,
)
from .store import SHOWN, Mine, are_yours, counts
from .trying import Outcome, built, run_part

__all__ = ["Machine", "yours"]


class Machine:
    """A machine in one notebook: its names, how many parts it has, and the reader's texts that it runs."""

    def __init__(self) -> None:
        self.names: dict[str, Any] | None = None
        self.stop = 0
        self.own: dict[str, str] = {}

    def start(self, lesson: int | None = None) -> None:
        """Build the machine as it is before a lesson, or the whole one, and say how much of it is yours."""
        last = lessons()[-1][0]
        if lesson is not None and (isinstance(lesson, bool) or not isinstance(lesson, int) or lesson < 1):
            raise ValueError(
                f"a lesson is a number from 1 on, as in machine.start(5), and this is {lesson!r}"
            )
        stop = len(parts()) if lesson is None else after_lesson(min(lesson - 1, last))
        self.open(stop, lesson or 0)
        mine, total = counts(self.own_pieces(), self.stop)
        if total == 0:
            say(f"Your machine begins here, with {parts()[0].name}.")
        elif mine == 0:
            say(f"Your machine: none of its {total} pieces is yours yet; the reference stands in for them.")
        else:
            say(f"Your machine: {are_yours(mine, total)}")
        say(store.how_to_save())

    def open(self, stop: int, lesson: int = 0) -> None:
        """Build the machine from the first ``stop`` parts, with the reader's texts where they are right and
        not too narrow for the lesson that begins."""
        mine = store.load()
        say(mine.note)
        top, self.own, doubts = trusted(mine, stop)
        for name, why in too_narrow(self.own, lesson, top).items():
            doubts[name] = why
            del self.own[name]
        for name, why in doubts.items():
            say(f"In {SHOWN}, {name} is not right, so the reference stands in for it. {why}")
        self.stop = stop
        self.rebuild(top, keep_rows=False)

    def rebuild(self, top: str, *, keep_rows: bool) -> None:
        """Run all parts anew in the namespace that is there. The classes, the tables and the functions whose
        text has not changed stay the same objects, since the notebook holds them: ``isinstance(layer,
        Linear)`` and ``layer is relu`` stay true. Rows that the notebook has added stay if ``keep_rows``."""
        names = self.names = {} if self.names is None else self.names
        before = dict(names)
        names.clear()
        built(self.stop, self.own, top, names)
        for name in before.keys() & names.keys():
            names[name] = renewed(before[name], names[name])
        for name in ("FORWARD", "RULES"):
            if name in before and name in names:
                new, table = names[name], before[name]
                if not keep_rows:
                    table.clear()
                table.update(new)
                names[name] = table

    def code_of(self, name: str) -> list[str]:
        """The texts of the machine, as it is now, that are called so or make something of that name."""
        if self.names is None:
            self.open(len(parts()))
        found = [part for part in active(self.stop) if name == part.name or name in part.all_made]
        if not found:
            raise ValueError(f"your machine has no {name} here")
        return [self.own.get(part.name, part.code) for part in found]

    def own_pieces(self) -> set[str]:
        """The names of the pieces that are the reader's and right, those replaced by later lessons
        included."""
        everything = store.load().own
        there = {part.name for part in active(self.stop)}
        return {name for name in everything if name not in there or name in self.own}

    def install(self, piece: Piece, own: Mapping[str, str], top: str = TOP) -> Any:
        """Put a piece into the machine, with the given texts around it, and return what it makes."""
        assert self.names is not None
        names, stop = self.names, after_piece(piece.name)
        if stop > self.stop:
            self.advance(stop, own)
        elif piece.name in {part.name for part in active(self.stop)}:
            self.own.pop(piece.name, None)
            if piece.name in own:
                self.own[piece.name] = own[piece.name]
            self.rebuild(top, keep_rows=True)
        else:  # a later lesson has replaced it: it is made, and the machine stays as it is
            names = dict(names)
            run_part(piece, own, names)
        made = names[piece.makes]
        return made if piece.kind != "rows" else {key: made[key] for key in rows_of(piece.code)}

    def advance(self, stop: int, own: Mapping[str, str]) -> None:
        """Run the next parts, with the given texts in place of the reference's."""
        assert self.names is not None
        for part in parts()[self.stop : stop]:
            run_part(part, own, self.names)
            if part.name in own:
                self.own[part.name] = own[part.name]
        self.stop = max(stop, self.stop)

    def give(self, name: str) -> Given:
        """Run the parts up to a given text, if they are not there yet."""
        part = next((part for part in parts() if part.name == name and not isinstance(part, Piece)), None)
        if part is None:
            known = [part.name for part in parts() if not isinstance(part, Piece)]
            near = [other for other in known if other[:2] == name[:2]] or known
            raise ValueError(f"there is no given text {name!r}; there are {', '.join(map(repr, near))}")
        if self.names is None:
            self.open(after_lesson(part.lesson - 1))
        stop = parts().index(part) + 1
        if stop > self.stop:
            mine = store.load()
            self.advance(stop, trusted(mine, after_lesson(part.lesson))[1])
        return part


def renewed(before: Any, new: Any) -> Any:
    """The class that was there, with everything that the new one has and nothing else: so the Tensors of a
    notebook stay Tensors when its first cell is run again. A function that was there and has the same text,
    so that ``layer is relu`` stays true."""
    if isinstance(before, FunctionType) and isinstance(new, FunctionType):
        if before.__code__ is not new.__code__ or new.__closure__:
            return new
        before.__defaults__, before.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
        return before
    if not isinstance(before, type) or not isinstance(new, type) or before.__bases__ != new.__bases__:
        return new
    fixed = {"__dict__", "__weakref__"}
    for name in set(vars(before)) - set(vars(new)) - fixed:
        delattr(before, name)
    for name, value in vars(new).items():
        if name not in fixed:
            setattr(before, name, value)
    return before


# -- what is in the file, and whether it can be trusted ------------------------------------------------------


def trusted(mine: Mine, stop: int) -> tuple[str, dict[str, str], dict[str, str]]:
    """The first lines and the reader's texts among the first ``stop`` parts that pass all probes, and for the
    others the reason why they do not."""
    there = {part.name for part in active(stop)}
    own = {name: text for name, text in mine.own.items() if name in there}
    if passes(stop, own, mine.top):
        return mine.top, own, {}
    top, doubts = mine.top, {}
    if not passes(stop, {}, top):
        top = TOP
        doubts["the beginning"] = "Its first lines import math and numpy as np; they have to stay."
    for name, text in own.items():
        why = what_is_wrong(name, text, stop, top)
        if why:
            doubts[name] = why
    own = {name: text for name, text in own.items() if name not in doubts}
    while own and not passes(stop, own, top):  # each by itself is right, and together they are not
        name = list(own)[-1]
        doubts[name] = "By itself it is right, and together with your other pieces it is not."
        del own[name]
    return top, own, doubts


def too_narrow(own: Mapping[str, str], lesson: int, top: str) -> dict[str, str]:
    """The reader's texts, right so far, that what a lesson adds finds too narrow, and why."""
    stop = after_lesson(lesson)
    there = {part.name for part in active(stop)}
    found: dict[str, str] = {}
    if passes(stop, {name: text for name, text in own.items() if name in there}, top):
        return found
    for name, text in own.items():
        need = first_spoiled(stop, {name: text}, top=top) if name in there else None
        if need:
            found[name] = f"It was right so far and is too narrow for this lesson:\n{what_is_asked(*need)}"
    return found


def what_is_asked(other: Piece, probe: Probe, found: Outcome, where: str = "") -> str:
    """What to change, and the calculation of a later lesson that a piece is too narrow for, with its result.
    ``where`` are words before "gives" for a reader who is not in that lesson yet."""
    asked = probe.asks or LATER.get(other.lesson, "")
    return f"{asked}\n{calculation(probe)}\n{where}{gives(found, probe).rstrip()}".lstrip("\n")


def passes(stop: int, own: Mapping[str, str], top: str) -> bool:
    """Whether a machine with these texts can be built and passes all probes of its pieces."""
    if not own and top == TOP:
        return True
    try:
        return first_spoiled(stop, dict(own), top=top) is None
    except Exception:  # noqa: BLE001  a text may raise anything while it is defined
        return False


def what_is_wrong(name: str, text: str, stop: int, top: str) -> str:
    """Why the reader's text for a part cannot be used in a machine of the first ``stop`` parts; "" if it
    can."""
    if name in pieces():
        verdict = judge(find(name), text, {}, top)
        if verdict.status != RIGHT:
            return verdict.message or "It is still empty."
    try:
        spoiled = first_spoiled(stop, {name: text}, top=top)
    except SyntaxError as error:
        return f"Python cannot read it: {error.msg}, line {error.lineno} (`{(error.text or '').strip()}`)."
    except Exception as error:  # noqa: BLE001  a text may raise anything while it is defined
        return f"It cannot be defined: {type(error).__name__}: {error}."
    if spoiled is None:
        return ""
    other, probe, found = spoiled
    return f"It spoils {other.name}:\n{what_is_asked(other, probe, found)}"


# -- yours ---------------------------------------------------------------------------------------------------

MACHINE = Machine()


def yours(name: str, answer: Any) -> Any:
    """Judge a piece of your machine, keep it if it is right, and return what the lesson goes on with.

    A right piece is written into your file, ``mine/engine.py``, and returned as the machine has it. If it is
    not done yet, or not right yet, the reference is returned, and shown folded below the cell.

    Parameters
    ----------
    name
        The lesson's number and the piece: "05 order".
    answer
        What you wrote: a function, a class, or a dict of rows.

    Raises
    ------
    ValueError
        If there is no piece of that name.

    Example
    -------
    >>> from autodiff_course import yours
    >>> def slope(f, x, h=0.001):
    ...     return None
    >>> slope = yours("02 slope", slope)
    Not done yet: 02 slope (1 line). The lesson goes on with the reference; yours takes its
    place as soon as it is right.
    >>> round(slope(lambda x: x**2, 3), 3)
    6.0
    """
    piece = find(name)
    if MACHINE.names is None:
        MACHINE.open(after_lesson(piece.lesson - 1))
    cell = sys._getframe(1).f_code.co_filename
    mine = store.load()
    top, own, doubts = trusted(mine, after_lesson(piece.lesson))
    before = own.pop(piece.name, None)
    if is_kept(answer) and before is not None:
        say(f"Right. {name} is in {SHOWN} already.")
        return MACHINE.install(piece, {**own, name: before}, top)
    verdict, code = verdict_on(piece, answer, cell, own, top)
    if verdict.status == RIGHT:
        say(kept(piece, code, set(mine.own) - set(doubts), set(doubts)))
        say(what_comes_later(piece, code))
        return MACHINE.install(piece, {**own, name: code}, top)
    say(refusal(piece, verdict, kept_before=before is not None))
    if before is not None:
        own[name] = before
    else:
        show_folded(piece)
    return MACHINE.install(piece, own, top)


def verdict_on(piece: Piece, answer: Any, cell: str, own: dict[str, str], top: str) -> tuple[Verdict, str]:
    """The verdict on an answer, and the answer's source."""
    if answer is None or is_reference(answer):
        return Verdict(NOT_YET, ""), ""
    try:
        code = source_of(piece, answer, cell)
    except NoSource as error:
        return Verdict(WRONG, str(error)), ""
    return judge(piece, code, own, top), code


def kept(piece: Piece, code: str, right: set[str], doubtful: set[str]) -> str:
    """Keep a right piece; returns what to say."""
    why = store.keep(piece.name, code, doubtful)
    if why:
        return (
            f"Right, and in use in this notebook. It could not be saved: {why} To save your pieces, set the "
            "environment variable AUTODIFF_MINE to a folder of yours before Jupyter starts."
        )
    mine, total = counts(right | {piece.name}, len(parts()))
    return f"Right. Kept in {SHOWN}. Of the whole machine, {are_yours(mine, total)}"


LATER = {
    6: "There, an operation may have a single input.",
    16: "There, your functions get Tensors, of which NumPy's functions make arrays of Tensors. "
    'Write grad.sum(...), or apply("broadcast_to", ...) and the like, which record.',
}
"""What a lesson newly asks of pieces that stood before it, where a probe does not say it itself."""


def what_comes_later(piece: Piece, code: str) -> str:
    """What to say of a right piece that a later lesson will find too narrow; usually nothing."""
    need = later_need(piece, code)
    if need is None:
        return ""
    other = need[0]
    where = f"lesson {other.name[:2]}" if other.lesson > piece.lesson else "the machine of a later lesson"
    return (
        f"It works here, but it is too narrow for {where}, which will need this:\n"
        f"{what_is_asked(*need, where='In the later lesson, it ')}\n"
        "From then on the reference will stand in for it, unless you change yours first."
    )


def refusal(piece: Piece, verdict: Verdict, kept_before: bool) -> str:
    """What to say of a piece that is not kept."""
    goes_on = "The lesson goes on with the reference; yours takes its place as soon as it is right."
    if kept_before:
        goes_on = f"The one that you kept in {SHOWN} before was right, and the lesson goes on with it."
    if verdict.status == NOT_YET:
        lines = f"{piece.lines} line{'s' * (piece.lines > 1)}"
        return f"Not done yet: {piece.name} ({lines}). {verdict.message}".rstrip() + f" {goes_on}"
    return f"Not right yet: {piece.name}.\n{verdict.message}\n{goes_on}"


class Folded(Source):
    """A piece of the reference, folded. In plain text it is only named, so that it is not seen by
    accident."""

    def __init__(self, piece: Piece) -> None:
        super().__init__(piece.code, f"The reference for {piece.name}, to go on with")
        self.name = piece.name

    def __repr__(self) -> str:
        return f"The reference for {self.name} is folded here."


def show_folded(piece: Piece) -> None:
    """Show the reference of a piece folded, where there is a notebook to show it in."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        return
    if get_ipython() is not None:
        display(Folded(piece))  # type: ignore[no-untyped-call]


def say(text: str) -> None:
    """Print a message in lines that fit below a cell. Lines of code are left alone."""
    for line in text.splitlines():
        wrapped = [line] if line.startswith("    ") else textwrap.wrap(line, 88)
        print("\n".join(wrapped))  # noqa: T201  a notebook's reader reads it


def described() -> list[tuple[int, str, list[tuple[Piece, str]]]]:
    """For each lesson its number, its title, and its pieces with whose they are."""
    mine = store.load()
    _, _, doubts = trusted(mine, len(parts()))
    found = []
    for number, title, there in lessons():
        asked = [part for part in there if isinstance(part, Piece)]
        found.append((number, title, [(piece, whose(piece, mine.own, doubts)) for piece in asked]))
    return found
