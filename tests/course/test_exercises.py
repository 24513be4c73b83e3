"""What the lessons have in common.

Each exercise is in its lesson as a stub and in the solutions as a right answer, and has three hints. A long
lesson marks one place to stop. The prose's examples for PyTorch and JAX are right.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from autodiff_course import exercises as judged
from autodiff_course import hint
from autodiff_course.checking import EXERCISES, exercises_of
from tests.course.stored import NOTEBOOKS, cells, lesson_path, prose, run_examples, said

LESSONS = sorted(path.stem[-2:] for path in Path(judged.__path__[0]).glob("lesson_*.py"))


@pytest.mark.parametrize("number", LESSONS)
@pytest.mark.parametrize(
    ("folder", "starts"), [("", "Not done yet"), ("solutions", "Right.")], ids=["lesson", "solutions"]
)
def test_every_exercise_is_in_the_notebook(number, folder, starts):
    (path,) = (NOTEBOOKS / folder).glob(f"{number}_*.ipynb")
    checks = [
        (name, cell)
        for cell in cells(path)
        for name in exercises_of(int(number))
        if f'check("{name}"' in cell.source and not cell.source.startswith(("hint(", "if check("))
    ]
    assert {name for name, _ in checks} == {*exercises_of(int(number))}
    for name, cell in checks:
        assert said(cell).startswith(starts), name


def test_a_hint_for_a_piece_of_the_machine_says_where_there_are_hints():
    said = str(hint("22 train"))
    assert said.startswith("'22 train' is a piece of your machine. Its hint, if it has one, is folded")
    assert "There are hints for 22 " in " ".join(said.split())
    with pytest.raises(ValueError, match="there is no exercise '22 no'"):
        hint("22 no")


@pytest.mark.parametrize("number", LESSONS)
def test_hints_go_from_the_gentlest_to_the_plainest(number):
    for name in exercises_of(int(number)):
        assert str(hint(name)).startswith("Hint 1 of")
        assert 2 <= len(EXERCISES[name].hints) <= 4


def stops(number):
    """How often a lesson names a place to stop."""
    return prose(lesson_path(number)).count("**A good place to stop.**")


@pytest.mark.parametrize("number", LESSONS)
def test_there_is_at_most_one_marked_place_to_stop(number):
    assert stops(number) <= 1


# -- other frameworks ----------------------------------------------------------------------------------------

# A message may go on where the prose breaks off.
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def framework_examples(number, module):
    """The examples for PyTorch, JAX or gymnasium in a lesson's prose, as one text."""
    blocks = re.findall(r"```python\n(>>> .*?)```", prose(lesson_path(number)), flags=re.DOTALL)
    others = ("jax", "gymnasium")
    return "\n".join(
        block
        for block in blocks
        if module == next((other for other in others if other in block), "torch")
    )


@pytest.mark.usefixtures("drawing_kept")
@pytest.mark.filterwarnings("ignore")  # whatever they warn of while they are imported
@pytest.mark.parametrize("module", ["torch", "jax", "gymnasium"])
@pytest.mark.parametrize("number", LESSONS)
def test_the_other_frameworks_say_what_the_lesson_says_they_say(number, module):
    text = framework_examples(number, module)
    if not text:
        pytest.skip(f"lesson {number} shows nothing of {module}")
    pytest.importorskip(module)
    assert run_examples(text, module, FLAGS) == (0, text.count(">>> "))


@pytest.mark.parametrize("number", LESSONS)
def test_every_lesson_shows_pytorch(number):
    assert framework_examples(number, "torch")
