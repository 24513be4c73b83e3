"""Lesson 01: its checks against right answers, stubs and planted mistakes; its Tensor; its numbers."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import autodiff
from autodiff.lessons import after_01, after_07, check, hint
from autodiff.lessons.checking import EXERCISES
from autodiff.lessons.exercises import lesson_01
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "01_a_number_that_remembers.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


# -- the stored notebooks: stubs say "not done yet", solutions "right" --------------------------------------

JUDGED = {"01 predict", "01 tensor", "01 count", "01 leaves"}


@pytest.mark.parametrize(
    ("path", "starts"), [(LESSON, "Not done yet"), (SOLUTIONS, "Right.")], ids=["lesson", "solutions"]
)
def test_every_exercise_is_in_the_notebook(path, starts):
    checks = {name: cell for cell in cells(path) for name in JUDGED if f'check("{name}"' in cell.source}
    own = {"01 tensor"}  # the class that the lesson itself builds
    assert set(checks) | own == JUDGED
    for name, cell in checks.items():
        assert said(cell).startswith("Right." if name in own else starts), name


def test_the_lesson_s_tensor_is_the_snapshot_s():
    written = next(cell.source for cell in cells(LESSON) if cell.source.startswith("class Tensor"))
    snapshot = inspect.getsource(after_01.Tensor)
    assert ast.dump(ast.parse(written)) == ast.dump(ast.parse(snapshot))


def test_the_numbers_in_the_prose():
    a, e = lesson_01.example()
    assert (a.data, e.data) == (2, 40)
    assert len(lesson_01.every_visit(e)) == 9  # the lines of the tree
    assert len(set(lesson_01.every_visit(e))) == 8  # the boxes of the picture
    assert len({node.data for node in lesson_01.every_visit(e)}) == 6
    assert len(set(lesson_01.every_visit((a + a) * a))) == 3


# -- 01 predict ---------------------------------------------------------------------------------------------


def test_predict():
    assert check("01 predict", 3).status == "right"
    assert check("01 predict", None).status == "not done yet"


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (5, "every use of a is a new node"),
        (4, "One too many"),
        (2, "One is left out"),
        (8, "8 is the value"),
        (7, "Not 7"),
        ("three", "A number is asked for"),
    ],
)
def test_predict_names_the_mistake(guess, words):
    verdict = check("01 predict", guess)
    assert verdict.status == "wrong"
    assert words in verdict.message


# -- 01 tensor ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tensor", [after_01.Tensor, after_07.Tensor, autodiff.Tensor], ids=["01", "05", "ours"]
)
def test_tensor(tensor):
    verdict = check("01 tensor", tensor)
    assert verdict.status == "right", verdict


def written(old, new):
    """The lesson's Tensor with one part of its text replaced."""
    code = inspect.getsource(after_01.Tensor)
    assert old in code
    scope = {}
    exec(code.replace(old, new), scope)
    return scope["Tensor"]


def test_tensor_not_done_yet():
    assert check("01 tensor", None).status == "not done yet"
    stub = written('return Tensor(self.data + other.data, (self, other), "add")', "return None")
    assert check("01 tensor", stub).status == "not done yet"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('(self, other), "add"', '(self.data, other.data), "add"', "remembers the numbers"),
        ('(self, other), "mul"', '(other, self), "mul"', "wrong order"),
        ('(self, other), "add"', '(self, Tensor(other.data)), "add"', "Copies will not do"),
        ('(self, other), "add"', 'None, "add"', "It should have two"),
        ('(self, other), "mul"', '(self, other), "add"', "made by 'add', and right is 'mul'"),
        ("self.data + other.data", "self.data * other.data", "gave 15, and right is 8"),
        ('Tensor(self.data + other.data, (self, other), "add")', "self.data + other.data", "is not a Tensor"),
        ("creators=None", "creators=(1, 2)", "was made from nothing"),
        ("self.grad = None", "self.grad = 0", "grad should start as None"),
        ("        self.grad = None\n", "", "no attribute 'grad'"),
        ("__repr__", "show", "is shown as"),
        ("self.data = data", "self.data = 2", "Tensor(3).data is 2"),
    ],
)
def test_tensor_names_the_mistake(old, new, words):
    verdict = check("01 tensor", written(old, new))
    assert verdict.status == "wrong"
    assert words in verdict.message


def test_an_instance_is_not_the_class():
    assert "the class itself" in check("01 tensor", after_01.Tensor(2)).message


# -- 01 count -----------------------------------------------------------------------------------------------


def right_count(t):
    met = []

    def visit(node):
        if not any(node is other for other in met):
            met.append(node)
            for creator in node.creators or ():
                visit(creator)

    visit(t)
    return len(met)


def count_values(t, met=None):
    met = set() if met is None else met
    met.add(t.data)
    for creator in t.creators or ():
        count_values(creator, met)
    return len(met)


def count_visits(t):
    return 1 + sum(count_visits(creator) for creator in t.creators or ())


def count_without_end(t):
    return right_count(t) - 1


def count_without_end_but_of_leaves(t):
    return right_count(t) - (t.creators is not None)


def count_one_level(t):
    return 1 + len(set(t.creators or ()))


def count_walks_into_leaves(t):
    return 1 + sum(count_walks_into_leaves(creator) for creator in t.creators)


def count_remembers(t, met=set()):  # noqa: B006 the mistake itself
    met.add(t)
    for creator in t.creators or ():
        count_remembers(creator, met)
    return len(met)


def count_forgets_to_begin_again(t, met=set()):  # noqa: B006
    if t in met:
        return 0
    met.add(t)
    return 1 + sum(count_forgets_to_begin_again(creator) for creator in t.creators or ())


def nodes_instead_of_number(t):
    return [t]


def nodes(node, met):
    """The lesson's `numbers` with one word changed, as the second hint says."""
    met.add(node)
    for creator in node.creators or ():
        nodes(creator, met)
    return met


@pytest.mark.parametrize("function", [right_count, lambda t: len(nodes(t, set()))])
def test_count(function):
    assert check("01 count", function).status == "right"


def test_count_not_done_yet():
    assert check("01 count", lambda t: None).status == "not done yet"
    assert check("01 count", None).status == "not done yet"


@pytest.mark.parametrize(
    ("function", "on_e", "words"),
    [
        (count_values, 6, "Equal numbers are taken for the same node"),
        (count_visits, 9, "counted twice"),
        (count_without_end, 7, "t itself, counts as well"),
        (count_without_end_but_of_leaves, 7, "t itself, counted as well"),
        (count_one_level, 3, "stop after one step back"),
        (count_walks_into_leaves, None, "A leaf's creators are None"),
        (count_remembers, None, "remembered from one call to the next"),
        (count_forgets_to_begin_again, None, "remembered from one call to the next"),
        (nodes_instead_of_number, None, "gives a whole number"),
        (lambda t: 8, 8, "you give 8"),
        (8, None, "A function is asked for"),
    ],
)
def test_count_names_the_mistake(function, on_e, words):
    if on_e is not None:
        assert function(lesson_01.example()[1]) == on_e  # the number that the storyboard gives for it
    verdict = check("01 count", function)
    assert verdict.status == "wrong"
    assert words in verdict.message


@pytest.mark.parametrize(
    ("function", "smallest"),
    [
        (count_without_end_but_of_leaves, "For x + z"),
        (count_values, "For x + y"),
        (count_visits, "For a + a"),
        (count_one_level, "For (x + y) * z"),
    ],
)
def test_count_shows_the_smallest_graph(function, smallest):
    assert smallest in check("01 count", function).message


# -- 01 leaves ----------------------------------------------------------------------------------------------


def right_leaves(t):
    found = []
    for node in lesson_01.every_visit(t):
        if node.creators is None and not any(node is other for other in found):
            found.append(node)
    return found


def leaves_twice(t):
    return [node for node in lesson_01.every_visit(t) if node.creators is None]


def leaves_by_value(t):
    return list({node.data: node for node in leaves_twice(t)}.values())


def creators_alone(t):
    return list(dict.fromkeys(t.creators or (t,)))


def leaves_one_level(t):
    return [node for node in creators_alone(t) if node.creators is None]


def leaves_but_no_lone_one(t):
    return [] if t.creators is None else right_leaves(t)


def numbers_of_leaves(t):
    return [node.data for node in right_leaves(t)]


def every_node(t):
    return list(dict.fromkeys(lesson_01.every_visit(t)))


def leaves_walk_into_leaves(t):
    return [leaf for creator in t.creators for leaf in leaves_walk_into_leaves(creator)]


def leaves_remembered(t, found=[]):  # noqa: B006 the mistake itself
    found += [leaf for leaf in right_leaves(t) if leaf not in found]
    return found


@pytest.mark.parametrize("function", [right_leaves, lambda t: set(right_leaves(t))], ids=["list", "set"])
def test_leaves(function):
    assert check("01 leaves", function).status == "right"


def test_leaves_not_done_yet():
    assert check("01 leaves", lambda t: None).status == "not done yet"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (creators_alone, "so it is no leaf"),
        (every_node, "so it is no leaf"),
        (leaves_twice, "a leaf in it twice"),
        (leaves_by_value, "Equal numbers are taken for the same node"),
        (leaves_one_level, "Do you stop after one step back?"),
        (leaves_but_no_lone_one, "that node is its leaf"),
        (numbers_of_leaves, "the Tensors themselves"),
        (leaves_walk_into_leaves, "A leaf's creators are None"),
        (leaves_remembered, "remembered from one call to the next"),
        (right_count, "gives a list of Tensors"),
    ],
)
def test_leaves_names_the_mistake(function, words):
    verdict = check("01 leaves", function)
    assert verdict.status == "wrong"
    assert words in verdict.message


# -- hints --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(JUDGED))
def test_hints(name):
    check(name, None)
    hints = EXERCISES[name].hints
    assert len(hints) >= 2
    assert [hint(name, i + 1).message.endswith(words) for i, words in enumerate(hints)] == [True] * len(hints)


def test_after_the_last_hint_there_is_none():
    assert str(hint("01 count", 4)) == "There are 3 hints; that was the last."
    with pytest.raises(ValueError, match="hints 1 to 3"):
        hint("01 count", 0)
