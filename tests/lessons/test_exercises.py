"""What the lessons have in common.

Each exercise of lessons 06 to 19 is in the lesson as a stub and in the solutions as a right answer, and has
three hints. A long lesson marks one place to stop. The prose's examples for PyTorch and JAX are right.
"""

from __future__ import annotations

import doctest
import importlib
import re

import pytest

from autodiff.lessons import hint
from autodiff.lessons.checking import EXERCISES
from tests.lessons.stored import NOTEBOOKS, cells, lesson_path, prose, run_examples, said

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


LONG_LESSONS = (
    "03", "04", "05", "06", "07", "08", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
)  # fmt: skip


@pytest.mark.parametrize("number", LONG_LESSONS)
def test_there_is_one_marked_place_to_stop(number):
    assert prose(lesson_path(number)).count("**A good place to stop.**") == 1


# The number of examples that each lesson's prose has for PyTorch and for JAX.
EXAMPLES = {
    "01": (9, 0), "02": (5, 0), "03": (7, 0), "04": (11, 0), "05": (13, 0), "06": (5, 0), "07": (6, 6),
    "08": (6, 4), "09": (9, 3), "10": (11, 4), "11": (18, 4), "12": (11, 3), "13": (10, 4), "14": (5, 6),
    "15": (7, 5), "16": (8, 3), "17": (17, 6), "18": (6, 0), "19": (17, 0),
}  # fmt: skip

FLAGS = {"17": doctest.IGNORE_EXCEPTION_DETAIL}  # a message that is longer than the prose quotes it


def framework_examples(number, module):
    """The examples for PyTorch or JAX in a lesson's prose, as one text."""
    blocks = re.findall(r"```python\n(>>> .*?)```", prose(lesson_path(number)), flags=re.DOTALL)
    text = "\n".join(block for block in blocks if ("jax" in block) == (module == "jax"))
    return text.replace("by an inplace operation\n", "by an inplace operation: ...\n")  # the message goes on


@pytest.mark.usefixtures("drawing_kept")
@pytest.mark.filterwarnings("ignore")  # whatever they warn of while they are imported
@pytest.mark.parametrize(
    ("number", "module", "count"),
    [
        (number, module, count)
        for number, counts in EXAMPLES.items()
        for module, count in zip(("torch", "jax"), counts)
        if count
    ],
)
def test_the_other_frameworks_say_what_the_lesson_says_they_say(number, module, count):
    pytest.importorskip(module)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | FLAGS.get(number, 0)
    failed, tried = run_examples(framework_examples(number, module), module, flags)
    assert (failed, tried) == (0, count)


def test_no_framework_is_left_out():
    for number, counts in EXAMPLES.items():
        examples = [framework_examples(number, module) for module in ("torch", "jax")]
        assert [text.count(">>> ") for text in examples] == [*counts]
