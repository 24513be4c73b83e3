"""Judging a reader's answer: ``check`` runs an exercise's judge on the reader's object, and ``hint`` gives a
hint. The exercises are in ``exercises/``."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .place import note_solved

NOT_YET = "not done yet"
RIGHT = "right"
WRONG = "wrong"


@dataclass(frozen=True, repr=False)
class Verdict:
    """The result of ``check`` or ``hint``. ``status`` is "right", "wrong", "not done yet" or "hint";
    ``message`` is for the reader."""

    status: str
    message: str

    def __repr__(self) -> str:
        return "\n".join(textwrap.fill(line, 88) for line in self.message.splitlines())


class Mistake(Exception):
    """Raised by a judge for a wrong answer. The message names the mistake and the smallest input that shows
    it."""


class NotYet(Exception):
    """Raised by a judge if the answer is still a stub."""


@dataclass(frozen=True)
class Exercise:
    """An exercise: its name, its judge and its hints. The judge raises Mistake or NotYet, or returns the
    message for a right answer. The table is a Table of exercises/table.py, which imports this module."""

    name: str
    judge: Callable[..., str]
    hints: tuple[str, ...]
    table: Any = None


EXERCISES: dict[str, Exercise] = {}


def check(name: str, *answer: Any) -> Verdict:
    """Judge your answer to an exercise.

    Parameters
    ----------
    name
        The lesson's number and the exercise: "01 count".
    answer
        Your answer: a number, a function or a class. None means that you have not started.

    Raises
    ------
    ValueError
        If there is no exercise of that name.

    Example
    -------
    >>> from autodiff_course import check
    >>> check("01 predict", None)
    Not done yet: put your answer in place of None.
    """
    exercise = find_exercise(name)
    if all(part is None for part in answer):
        return Verdict(NOT_YET, "Not done yet: put your answer in place of None.")
    fault = fault_of_count(exercise, len(answer))
    if fault:
        return Verdict(WRONG, f"Not right yet. {fault}")
    try:
        praise = exercise.judge(*answer)
    except NotYet as stub:
        return Verdict(NOT_YET, f"Not done yet: {stub}")
    except Mistake as mistake:
        return Verdict(WRONG, f"Not right yet. {mistake}")
    except RecursionError:
        return Verdict(WRONG, "Not right yet. Your code calls itself without end.")
    except Exception as error:  # noqa: BLE001  the reader's code may raise anything
        said = in_words(f"{type(error).__name__}: {error}")
        advice = advice_on_error(said)
        return Verdict(WRONG, f"Not right yet. Your code stopped with {said}{'. ' * bool(advice)}{advice}")
    note_solved(name)
    return Verdict(RIGHT, f"Right. {praise}".strip())


def fault_of_count(exercise: Exercise, count: int) -> str:
    """What is wrong with so many answers to an exercise, or ""."""
    signature = inspect.signature(exercise.judge)
    try:
        signature.bind(*[None] * count)
    except TypeError:
        wanted = len(signature.parameters)
        if wanted == 1:
            return (
                f"One answer is asked for, and you gave {count}. Put several numbers into one list: [a, b]."
            )
        return f"{wanted} answers are asked for, and you gave {count}."
    return ""


ADVICE = (
    (
        r"operand 'Tensor' does not support ufuncs",
        "A function of NumPy, such as np.exp, does not take a Tensor. Use your machine's: exp, log or tanh.",
    ),
    (
        r"got an unexpected keyword argument '(out|dtype)'",
        "np.sum, np.mean and np.max do not take a Tensor. Write x.sum(...), x.mean(...) or x.max(...).",
    ),
    (
        r"object of type 'Tensor' has no len\(\)",
        "A Tensor has no len. Its array has one, and a shape: len(x.data) and x.data.shape.",
    ),
    (
        r"'Tensor' object has no attribute '(exp|log|tanh|relu|sigmoid)'",
        r"\1 is a function of your machine, and not a method of a Tensor: write \1(...).",
    ),
)


def advice_on_error(said: str) -> str:
    """A sentence for an error that code for NumPy's arrays stops with when it gets a Tensor, or ""."""
    for pattern, words in ADVICE:
        found = re.search(pattern, said)
        if found:
            return found.expand(words)
    return ""


def in_words(said: str) -> str:
    """The text of an error, with plain words for NumPy's about two matrices that do not fit."""
    return re.sub(
        r"matmul: Input operand 1 has a mismatch .*\(size (\d+) is different from (\d+)\)",
        r"@ does not fit: rows of \2 on the left, columns of \1 on the right",
        said,
    )


def hint(name: str, step: int = 1) -> Verdict:
    """A hint for an exercise. Hint 1 is the gentlest; a number beyond the last returns the number of hints.
    For a piece of the machine it says where to look.

    Raises
    ------
    ValueError
        If there is no exercise of that name, or step is less than 1.

    Example
    -------
    >>> from autodiff_course import hint
    >>> str(hint("01 predict")).startswith("Hint 1 of")
    True
    """
    if is_piece(name):
        others = ", ".join(exercises_of(int(name[:2])))
        where = "Its hint, if it has one, is folded above its cell, and the reference below"
        return Verdict("hint", f"{name!r} is a piece of your machine. {where}. There are hints for {others}.")
    hints = find_exercise(name).hints
    if step < 1:
        raise ValueError(f"{name!r} has hints 1 to {len(hints)}")
    if step > len(hints):
        return Verdict("hint", f"There are {len(hints)} hints; that was the last.")
    return Verdict("hint", f"Hint {step} of {len(hints)}: {hints[step - 1]}")


def is_piece(name: str) -> bool:
    """Whether it is the name of a piece of the machine, and not of an exercise."""
    from .machine.plan import pieces  # here, since the machine's checks import this module

    return name in pieces() and name not in exercises_of(int(name[:2]))


def find_exercise(name: str) -> Exercise:
    """The exercise of that name. The module of its lesson is imported at the first use."""
    lesson = name[:2]
    if name not in EXERCISES and lesson.isdigit():
        module = f"{__package__}.exercises.lesson_{lesson}"
        if importlib.util.find_spec(module):
            importlib.import_module(module)
    if name not in EXERCISES:
        known = ", ".join(sorted(other for other in EXERCISES if other.startswith(lesson))) or "none"
        raise ValueError(f"there is no exercise {name!r}; of this lesson there are: {known}")
    return EXERCISES[name]


def exercises_of(lesson: int) -> list[str]:
    """The names of a lesson's exercises."""
    module = f"{__package__}.exercises.lesson_{lesson:02}"
    if importlib.util.find_spec(module):
        importlib.import_module(module)
    return [name for name in EXERCISES if name.startswith(f"{lesson:02} ")]


def result(function: Callable[..., Any], *inputs: Any, said: str) -> Any:
    """The result of the reader's function. Raises NotYet if it is None, since the function is a stub then.

    ``said`` is the call as the reader would write it.
    """
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
    value = function(*inputs)
    if value is None:
        raise NotYet(f"{said} gave None.")
    return value


def number(answer: Any) -> float:
    """A reader's number, plain or in a Tensor, as a float. Raises NotYet for None, Mistake for no number."""
    if answer is None:
        raise NotYet("one of the answers is still None.")
    forms: tuple[Any, ...] = (answer, getattr(answer, "data", None))
    for value in forms:  # first the answer itself, since NumPy's numbers have an attribute `data` too
        try:
            return float(value)
        except (TypeError, ValueError):
            continue
    raise Mistake(f"A number is asked for here, and this is {answer!r:.60}.")


def parameters(function: Callable[..., Any]) -> int:
    """The number of positional parameters of a reader's function."""
    return len(inspect.signature(function).parameters)
