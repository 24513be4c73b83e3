"""Judging a reader's answer: ``check`` runs an exercise's judge on the reader's own object, ``hint`` gives
the next step. The exercises themselves are in ``exercises/``."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NOT_YET = "not done yet"
RIGHT = "right"
WRONG = "wrong"


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check says: ``status`` is one of "right", "wrong", "not done yet"; ``message`` is for the
    reader."""

    status: str
    message: str

    def __repr__(self) -> str:
        return "\n".join(textwrap.fill(line, 88) for line in self.message.splitlines())


class Mistake(Exception):
    """Raised by a judge: names the kind of mistake and the smallest input on which it shows."""


class NotYet(Exception):
    """Raised by a judge that finds the answer still a stub."""


@dataclass(frozen=True)
class Exercise:
    """An exercise: its name, a judge that raises Mistake (or NotYet) or returns what to say when all is
    well, and hints."""

    name: str
    judge: Callable[..., str]
    hints: tuple[str, ...]


EXERCISES: dict[str, Exercise] = {}


def exercise(name: str, *hints: str) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """Enter a judge as the exercise ``name`` ("01 count"), with hints from the gentlest to the plainest."""

    def enter(judge: Callable[..., str]) -> Callable[..., str]:
        EXERCISES[name] = Exercise(name, judge, hints)
        return judge

    return enter


def check(name: str, *answer: Any) -> Verdict:
    """Judge your answer to an exercise.

    Parameters
    ----------
    name
        The lesson's number and the exercise: "01 count".
    answer
        What you made: a number, a function, a class. None means that you have not started.

    Raises
    ------
    ValueError
        If there is no exercise of that name.

    Example
    -------
    >>> from autodiff.lessons import check
    >>> check("01 predict", None)
    Not done yet: put your answer in place of None.
    """
    exercise = find(name)
    if all(part is None for part in answer):
        return Verdict(NOT_YET, "Not done yet: put your answer in place of None.")
    try:
        return Verdict(RIGHT, f"Right. {exercise.judge(*answer)}".strip())
    except NotYet as stub:
        return Verdict(NOT_YET, f"Not done yet: {stub}")
    except Mistake as mistake:
        return Verdict(WRONG, f"Not right yet. {mistake}")
    except RecursionError:
        return Verdict(WRONG, "Not right yet. Your code calls itself without end.")
    except Exception as error:  # noqa: BLE001  whatever the reader's code raised is news for the reader, not a crash
        return Verdict(WRONG, f"Not right yet. Your code stopped with {type(error).__name__}: {error}")


def hint(name: str, step: int = 1) -> Verdict:
    """A hint for an exercise: 1 is the gentlest. Beyond the last it says how many there are.

    Raises
    ------
    ValueError
        If there is no exercise of that name, or step is less than 1.

    Example
    -------
    >>> from autodiff.lessons import hint
    >>> str(hint("01 predict")).startswith("Hint 1 of")
    True
    """
    hints = find(name).hints
    if step < 1:
        raise ValueError(f"{name!r} has hints 1 to {len(hints)}")
    if step > len(hints):
        return Verdict("hint", f"There are {len(hints)} hints; that was the last.")
    return Verdict("hint", f"Hint {step} of {len(hints)}: {hints[step - 1]}")


def find(name: str) -> Exercise:
    """The exercise of that name; its lesson's module is imported when first asked for."""
    lesson = name[:2]
    if name not in EXERCISES and lesson.isdigit():
        module = f"{__package__}.exercises.lesson_{lesson}"
        if importlib.util.find_spec(module):
            importlib.import_module(module)
    if name not in EXERCISES:
        known = ", ".join(sorted(other for other in EXERCISES if other.startswith(lesson))) or "none"
        raise ValueError(f"there is no exercise {name!r}; of this lesson there are: {known}")
    return EXERCISES[name]


def result(function: Callable[..., Any], *inputs: Any, said: str) -> Any:
    """Call the reader's function in a judge; None as its result means that it is still a stub.

    ``said`` is the call as the reader would write it.
    """
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
    value = function(*inputs)
    if value is None:
        raise NotYet(f"{said} gave None.")
    return value


def number(answer: Any) -> float:
    """A reader's number as a float, plain or in a Tensor.

    Raises NotYet for None, and Mistake for what is no number.
    """
    if answer is None:
        raise NotYet("one of the answers is still None.")
    forms: tuple[Any, ...] = (answer, getattr(answer, "data", None))
    for value in forms:  # plain first: NumPy's numbers have a `data` too
        try:
            return float(value)
        except (TypeError, ValueError):
            continue
    raise Mistake(f"A number is asked for here, and this is {answer!r:.60}.")


def parameters(function: Callable[..., Any]) -> int:
    """How many positional parameters a reader's function takes."""
    return len(inspect.signature(function).parameters)
