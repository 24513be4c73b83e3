"""The form of an exercise's table: what a row's code stands for, and whose sentence is said."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_course import check
from autodiff_course.checking import EXERCISES, Mistake
from autodiff_course.exercises.table import Guess, Right, Stop, Task, Wrong, advice, cell


@pytest.mark.parametrize(
    ("code", "there"),
    [
        ("x + y", "lambda x, y: x + y"),
        ("lambda y: y", "lambda y: y"),
        ("z = x\nreturn z", "def f(x, y):\n    z = x\n    return z\n\n\nf"),
        ("def g(x):\n    return x", "def g(x):\n    return x\n\n\ng"),
        ("answer = abs", "answer = abs\n\nanswer"),
        ("a = 2\na + 1", "a = 2\na + 1"),
    ],
    ids=["an expression", "a lambda", "a body", "a function", "a name", "a cell"],
)
def test_a_row_s_code_is_written_as_it_stands_in_a_cell(code, there):
    assert cell(code, "f(x, y)") == there


@pytest.fixture
def task():
    yield Task(
        "01 double",
        head="f(x)",
        right="x + x",
        cases=((0.0,), (3.0,)),
        answers=(
            Right("by 2", "2 * x"),
            Wrong("a change", ("+", "-"), "That is {found:g} at {case[0]:g}, and {right:g} is right."),
            Wrong("stops", "1 / x", holds="divide"),
            Wrong("never ends", "while True:\n    x = x\nreturn x", "It is said to no answer."),
            Wrong("no mistake that is known", "7"),
        ),
        otherwise="Add it to itself.",
        praise="",
        hints=("Add.", "x + x"),
        stops=(
            Stop(ArithmeticError, "{said}: {name}, so do not divide.", "division"),
            Stop(ValueError, "{said}: {error}."),
        ),
    )
    del EXERCISES["01 double"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda x: x - x, "f(3) gives 0; it should be 6. That is 0 at 3, and 6 is right."),
        (lambda x: 1 / x, "f(0): ZeroDivisionError, so do not divide."),
        (
            lambda x: np.ones(3) @ np.ones(4),
            "f(0): @ does not fit: rows of 3 on the left, columns of 4 on the right.",
        ),
        (lambda x: x * 3, "f(3) gives 9; it should be 6. Add it to itself."),
        (lambda x: [x, x], "f(0) gives [0, 0]; it should be 0. Add it to itself."),
    ],
    ids=["a known one", "an error", "shapes", "an unknown one", "another shape"],
)
def test_a_mistake_is_known_by_what_it_gives_on_the_case_at_hand(task, answer, said):
    assert check(task.name, answer).message == f"Not right yet. {said}"


def test_a_change_has_to_change_something(task):
    with pytest.raises(ValueError, match="01 double, no: the right answer does not hold '-'"):
        task.cell(Wrong("no", ("-", "+"), ""))


def test_a_row_without_a_sentence_is_told_the_table_s(task):
    words = {row.kind: held for row, _, held in task.rows()}
    assert words["no mistake that is known"] == ["Add it to itself."]
    assert words["a change"] == ["That is ", " at ", ", and ", " is right."]


def test_a_number_is_known_within_a_distance_of_its_own():
    rows = (Wrong("half", "1", "That is half of it."),)
    words = {"otherwise": "No.", "praise": "Yes.", "hints": ()}
    guess = Guess("01 two", right="2", answers=rows, within=0.5, near=0.1, **words)
    del EXERCISES["01 two"]
    assert guess.judge(2.4) == "Yes."
    with pytest.raises(Mistake, match=r"^It is not 1.05. That is half of it.$"):
        guess.judge(1.05)
    with pytest.raises(Mistake, match=r"^It is not 1.2. No.$"):
        guess.judge(1.2)
    with pytest.raises(Mistake, match=r"^It is not nan. No.$"):
        guess.judge(float("nan"))


def test_advice_leaves_alone_what_no_stop_is_for():
    stop = Stop(ValueError, "No.", case=lambda case: case == 1)
    with pytest.raises(ValueError, match="here"), advice(stop, case=2):
        raise ValueError("here")
    with pytest.raises(Mistake, match="its own"), advice(Stop(Exception, "No.")):
        raise Mistake("its own")
