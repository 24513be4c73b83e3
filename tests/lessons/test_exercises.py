"""What the exercises of lessons 06 to 19 have in common: each is in the lesson as a stub, in the solutions
as a right answer, and has three hints."""

from __future__ import annotations

import importlib

import pytest

from autodiff.lessons import hint
from autodiff.lessons.checking import EXERCISES
from tests.lessons.stored import NOTEBOOKS, cells, said

JUDGED = {
    "06": {"06 merge", "06 start", "06 step"},
    "07": {"07 matrix", "07 predict", "07 seeds"},
    "08": {"08 table", "08 together", "08 unbroadcast"},
    "09": {"09 bowl", "09 price", "09 scores"},
    "10": {"10 best", "10 one-hot", "10 rows"},
    "11": {"11 floor", "11 huber", "11 sign"},
    "12": {"12 hands", "12 rule", "12 softmax"},
    "13": {"13 newton", "13 quartic", "13 times"},
    "14": {"14 columns", "14 divide", "14 walks"},
    "15": {"15 parameters", "15 tanh", "15 twice"},
    "16": {"16 sure", "16 temperature", "16 yesno"},
    "17": {"17 first", "17 nesterov", "17 schedule"},
    "18": {"18 mean", "18 stop", "18 windows"},
    "19": {"19 dropout", "19 patient", "19 size"},
}


@pytest.mark.parametrize("number", JUDGED)
@pytest.mark.parametrize(
    ("folder", "starts"), [("", "Not done yet"), ("solutions", "Right.")], ids=["lesson", "solutions"]
)
def test_every_exercise_is_in_the_notebook(number, folder, starts):
    (path,) = (NOTEBOOKS / folder).glob(f"{number}_*.ipynb")
    checks = [
        (name, cell) for cell in cells(path) for name in JUDGED[number] if f'check("{name}"' in cell.source
    ]
    assert {name for name, _ in checks} == JUDGED[number]
    for name, cell in checks:
        assert said(cell).startswith(starts), name


@pytest.mark.parametrize("number", JUDGED)
def test_hints_go_from_the_gentlest_to_the_plainest(number):
    for name in JUDGED[number]:
        assert str(hint(name)).startswith("Hint 1 of 3")
        assert len(EXERCISES[name].hints) == 3


@pytest.mark.parametrize("number", JUDGED)
def test_no_exercise_is_left_out(number):
    importlib.import_module(f"autodiff.lessons.exercises.lesson_{number}")
    assert {name for name in EXERCISES if name.startswith(number)} == JUDGED[number]
