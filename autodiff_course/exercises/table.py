"""Exercises as tables: a right answer, cases, and the wrong answers that are known, each with its sentence.

A row is an answer as a reader would write it: ``Right(kind, code)`` or ``Wrong(kind, code, sentence)``. Its
code is a whole text, or the change that turns the exercise's right answer into this one: a pair (text, other
text), or several pairs. A text that is one expression is what the function of the ``head`` returns, and one
with a ``return`` is its body; one that ends in a ``def``, a ``class`` or an assignment hands over what that
makes; otherwise the last line is the answer.

One row serves three times. The judge runs the wrong answers on the case at hand, and the first that gives
what the reader's answer gives names the mistake by its sentence. The tests hand every row to the judge. The
site's page of wrong answers is written from them. A wrong answer that is known by something else than what it
gives has no sentence, but words that its message ``holds``: it stops with an error (for which there is a
``Stop``), never ends, prints, changes what it is given. One with neither is told the table's ``otherwise``.

Sentences may hold values in braces: {said}, {found}, {right}, {case}; those of a ``Stop`` {said}, {case},
{error} and {name}, the error's.

A ``Task`` asks for a function and judges it on cases, a ``Guess`` asks for a number. For other exercises a
plain ``Table`` keeps the answers, and the judge is a function beside it: ``@TABLE.judged``, which has the
sentence from ``TABLE.why``.
"""

from __future__ import annotations

import ast
import contextlib
import io
import math
import string
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

import autodiff as ad

from ..checking import EXERCISES, Exercise, Mistake, NotYet, in_words, number
from ..machine.plan import clean
from ..machine.trying import STEPS, Stopped, stopped_after
from .calling import call, is_counted, names_of
from .shared import array, listed, numpy_array, same

Code = str | tuple[str, str] | tuple[tuple[str, str], ...]

PRINTS = "prints its result and returns nothing"
GIVES = "{said} gives {gives}; it should give {wanted}. {why}"
"""A ``Task``'s ``message``, where the case is told in words."""
SHAPE = "{said} has the shape {found.shape}; it should be {right.shape}. {why}"
"""A ``Task``'s ``shape``, where the shape of the result is not plain to see."""


# -- rows ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Right:
    """An answer that is accepted."""

    kind: str
    code: Code


@dataclass(frozen=True)
class Wrong:
    """An answer that is refused: the kind of mistake, its code, and the sentence that names it. ``holds`` has
    words of a message that does not come from a comparison with what the code gives."""

    kind: str
    code: Code
    say: str = ""
    holds: str = ""


@dataclass(frozen=True)
class Stop:
    """An error with which an answer stops: its type, the sentence, words in it, and on which cases."""

    error: type[Exception] | tuple[type[Exception], ...]
    say: str
    words: str = ""
    case: Callable[[Any], bool] = lambda case: True


@contextlib.contextmanager
def advice(*stops: Stop, **values: Any) -> Iterator[None]:
    """Raise Mistake with the sentence of the first ``Stop`` that fits an error. ``values`` are for the
    sentence; ``case`` is looked at, too."""
    try:
        yield
    except (Mistake, NotYet):
        raise
    except Exception as error:
        for stop in stops:
            if isinstance(error, stop.error) and stop.words in str(error) and stop.case(values.get("case")):
                text = in_words(str(error)).strip()
                raise Mistake(filled(stop.say, **values, error=text, name=type(error).__name__)) from error
        raise


def filled(sentence: str, **values: Any) -> str:
    """A sentence with values in place of its braces."""
    return sentence.format(**values).rstrip()


def cell(code: str, head: str = "") -> str:
    """An answer as it stands in a cell: its last statement is an expression, whose value is the answer."""
    code = whole(code, head)
    *before, last = ast.parse(code).body
    if isinstance(last, ast.FunctionDef | ast.ClassDef):
        return f"{code}\n\n\n{last.name}"
    if isinstance(last, ast.Assign):
        return f"{code}\n\n{ast.unparse(last.targets[0])}"
    if head and not before and isinstance(last, ast.Expr) and not isinstance(last.value, ast.Lambda):
        return f"lambda {', '.join(arguments(head))}: {code}"
    return code


def whole(code: str, head: str) -> str:
    """A text without its margin, and with the first line of its function if it is the body of one."""
    code = clean(code)
    outside = [node for node in ast.parse(code).body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if any(isinstance(node, ast.Return) for each in outside for node in ast.walk(each)):
        return f"def {head}:\n{textwrap.indent(code, '    ')}"
    return code


def arguments(head: str) -> list[str]:
    """The arguments of a call: x and y of f(x, y)."""
    return head.partition("(")[2].removesuffix(")").split(", ")


def value_of(code: str, names: Mapping[str, Any]) -> Any:
    """The value of a cell's last expression."""
    tree = ast.parse(code)
    last = tree.body.pop()
    names = {**names, "__name__": "answer"}
    exec(compile(tree, "<answer>", "exec"), names)
    return eval(ast.unparse(last), names)


def outcome(function: Callable[..., Any], *inputs: Any) -> Any:
    """What a known answer gives, or None if it stops or never ends."""
    try:
        with quiet(), stopped_after(STEPS, is_counted):
            return function(*inputs)
    except (Exception, Stopped):  # noqa: BLE001  a mistake that stops here is not the one that came through
        return None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Nothing is printed, and NumPy warns of nothing."""
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        yield


# -- tables -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """An exercise: its name, a right answer, the other answers, the sentence for a mistake that is not known,
    and hints from gentle to plain. ``head`` is the call of the function that is asked for."""

    name: str
    _: KW_ONLY
    right: str
    answers: tuple[Right | Wrong, ...]
    hints: tuple[str, ...]
    otherwise: str = ""
    head: str = ""

    @property
    def asked(self) -> str:
        """The name of the function that is asked for."""
        return self.head.partition("(")[0]

    def judged(self, judge: Callable[..., str]) -> Callable[..., str]:
        """Enter the exercise with its judge."""
        EXERCISES[self.name] = Exercise(self.name, judge, self.hints, self)
        return judge

    def cell(self, answer: Right | Wrong) -> str:
        """A row's answer as it stands in a cell. Raises ValueError if the right answer lacks what it
        changes."""
        code, changes = whole(self.right, self.head), answer.code
        if isinstance(changes, str):
            return cell(changes, self.head)
        for old, new in (changes,) if isinstance(changes[0], str) else changes:
            if old not in code:
                raise ValueError(f"{self.name}, {answer.kind}: the right answer does not hold {old!r}")
            code = code.replace(old, new)
        return cell(code, self.head)

    def rows(self) -> Iterator[tuple[Right | Wrong, str, list[str]]]:
        """All answers, each with its cell and with words that its message holds. The right one is first."""
        for row in (Right("the right answer", self.right), *self.answers):
            said = "" if isinstance(row, Right) else row.say or row.holds or self.otherwise
            yield row, self.cell(row), [words for words, *_ in string.Formatter().parse(said)]

    def names(self, function: Any) -> dict[str, Any]:
        """The names with which answers are run: the machine's, that of the reader's function if it has one,
        and of the libraries."""
        return names_of(function, int(self.name[:2])) | {"ad": ad, "np": np, "math": math}

    def answer(self, function: Any = None) -> Any:
        """The right answer."""
        return value_of(cell(self.right, self.head), self.names(function))

    def why(
        self, fits: Callable[[Any], bool], function: Any = None, otherwise: str | None = None, **values: Any
    ) -> str:
        """The sentence of the first wrong answer that fits, with these values."""
        names = self.names(function)
        known = (each for each in self.answers if isinstance(each, Wrong) and each.say)
        says = (each.say for each in known if fits(value_of(self.cell(each), names)))
        return filled(next(says, self.otherwise if otherwise is None else otherwise), **values)


@dataclass(frozen=True)
class Guess(Table):
    """An exercise that asks for a number, right ``within`` a distance. Wrong ones are known within ``near``,
    by default as well."""

    _: KW_ONLY
    praise: str
    within: float = 1e-6
    near: float | None = None
    message: str = "It is not {found:,.6g}. {why}"
    read: Callable[[Any], float] = number

    def __post_init__(self) -> None:
        self.judged(self.judge)

    def judge(self, guess: Any) -> str:
        """Judge a number."""
        found, right = self.read(guess), self.read(self.answer())
        if not abs(found - right) <= self.within:  # nan, too
            near = self.within if self.near is None else self.near
            why = self.why(lambda wrong: abs(found - self.read(wrong)) <= near, found=found, right=right)
            raise Mistake(filled(self.message, found=found, right=right, why=why))
        return self.praise


def fresh(case: Any, function: Any) -> list[Any]:
    """The arguments of a case: new arrays in place of lists."""
    return [np.array(part) if isinstance(part, list | np.ndarray) else part for part in case]


def typed(part: Any) -> str:
    """An argument as one would type it."""
    is_number = isinstance(part, list | np.ndarray | int | float) and not isinstance(part, bool)
    return listed(part) if is_number else repr(part)


def as_array(answer: Any, said: str) -> Any:
    """A reader's answer as an array."""
    return array(answer, f"{said} gave")


def as_numpy_array(answer: Any, said: str) -> Any:
    """A reader's array of NumPy."""
    return numpy_array(answer, f"{said} gave")


def as_number(answer: Any, said: str) -> float:
    """A reader's answer as a number."""
    return number(answer)


def unchanged(
    sentence: str, *places: int, equal: Callable[[Any, Any], bool] = np.array_equal
) -> Callable[[Any, Any, list[Any], list[Any], str], None]:
    """A ``Task``'s ``after``: raise Mistake with a sentence if the arguments at these places, by default all,
    are not as they were."""

    def check(answer: Any, wanted: Any, inputs: list[Any], others: list[Any], said: str) -> None:
        looked_at = places or range(len(inputs))
        if not all(equal(inputs[place], others[place]) for place in looked_at):
            raise Mistake(filled(sentence, said=said))

    return check


@dataclass(frozen=True)
class Task(Table):
    """An exercise that asks for a function.

    A case has the arguments of one call. ``inputs`` makes them, anew each time, of the case and of the
    reader's function (whose machine they may need), and ``said`` writes the call. ``read`` makes what is
    compared of an answer, or raises Mistake. ``equal`` compares it with what the right answer gives, and
    ``alike`` with what wrong ones give. What follows then is said by ``shape``, if the shapes differ and it
    is not "", or ``message``; ``unequal(found, right, said)`` comes before and may raise another Mistake.
    ``after(answer, wanted, inputs, others, said)`` judges what is equal further: the answer and what the
    right answer gave, each with the inputs that it had.
    """

    _: KW_ONLY
    cases: tuple[Any, ...]
    praise: str
    inputs: Callable[[Any, Any], list[Any]] = fresh
    said: Callable[[Any], str] | None = None
    steps: int = STEPS
    stops: tuple[Stop, ...] = ()
    read: Callable[[Any, str], Any] = as_array
    equal: Callable[[Any, Any], bool] = same
    alike: Callable[[Any, Any], bool] = same
    unequal: Callable[[Any, Any, str], None] = lambda found, right, said: None
    shape: str = ""
    message: str = "{said} gives {gives}; it should be {wanted}. {why}"
    shown: Callable[[Any], str] = listed
    after: Callable[[Any, Any, list[Any], list[Any], str], None] = lambda *everything: None

    def __post_init__(self) -> None:
        self.judged(self.judge)

    def judge(self, function: Any) -> str:
        """Judge an answer on every case."""
        for case in self.cases:
            self.judge_case(function, case)
        return self.praise

    def judge_case(self, function: Any, case: Any) -> None:
        """Judge an answer on one case."""
        said = self.said(case) if self.said else f"{self.asked}({', '.join(map(typed, case))})"
        inputs, others = self.inputs(case, function), self.inputs(case, function)
        with advice(*self.stops, said=said, case=case), np.errstate(all="ignore"):
            answer = call(function, *inputs, said=said, header=f"def {self.head}:", steps=self.steps)
        found = self.read(answer, said)
        with quiet():
            wanted = self.answer(function)(*others)
        right = self.read(wanted, said)
        if self.equal(found, right):
            self.after(answer, wanted, inputs, others, said)
            return
        self.unequal(found, right, said)

        def fits(wrong: Any) -> bool:
            other = outcome(wrong, *self.inputs(case, function))
            with contextlib.suppress(Mistake, NotYet):
                return other is not None and self.alike(found, self.read(other, said))
            return False

        values = {"said": said, "found": found, "right": right, "case": case}
        why = self.why(fits, function, **values)
        message = self.shape if self.shape and np.shape(found) != np.shape(right) else self.message
        raise Mistake(filled(message, **values, gives=self.shown(found), wanted=self.shown(right), why=why))
