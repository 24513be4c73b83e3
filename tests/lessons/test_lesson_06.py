"""Lesson 06: its checks against right answers, stubs and planted mistakes; its class; its numbers."""

from __future__ import annotations

import ast
import inspect
import math
from pathlib import Path

import pytest

import autodiff as ad
from autodiff.lessons import after_07, check, hint
from autodiff.lessons.after_07 import RULES, Tensor, as_tensor, backward
from autodiff.lessons.checking import EXERCISES
from autodiff.lessons.exercises import lesson_06
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "06_more_operations.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"math": math, "Tensor": Tensor, "check": check}
    exec(cell.source, scope)
    return scope


# -- the stored notebooks -----------------------------------------------------------------------------------

JUDGED = {"06 relu", "06 log", "06 points", "06 engine"}
OWN = {"06 engine"}  # what the lesson itself builds


@pytest.mark.parametrize(
    ("path", "starts"), [(LESSON, "Not done yet"), (SOLUTIONS, "Right.")], ids=["lesson", "solutions"]
)
def test_every_exercise_is_in_the_notebook(path, starts):
    checks = {name: cell for cell in cells(path) for name in JUDGED if f'check("{name}"' in cell.source}
    assert set(checks) == JUDGED
    for name, cell in checks.items():
        assert said(cell).startswith("Right." if name in OWN else starts), name


def code(source):
    return ast.dump(ast.parse(source))


def test_the_lesson_s_class_is_the_snapshot_s():
    for thing, starts in ((Tensor, "class Tensor"), (as_tensor, "def as_tensor")):
        written = next(cell.source for cell in cells(LESSON) if cell.source.startswith(starts))
        assert code(written) == code(inspect.getsource(thing))


def test_the_lesson_s_rows_are_the_snapshot_s():
    rows = {}  # the last statement that enters a row is the repaired one
    for cell in cells(LESSON):
        for node in ast.parse(cell.source).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("RULES["):
                rows[ast.literal_eval(node.targets[0].slice)] = ast.dump(node.value)
    table = next(
        node.value
        for node in ast.parse(inspect.getsource(after_07)).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "RULES"
    )
    snapshot = {ast.literal_eval(key): ast.dump(value) for key, value in zip(table.keys, table.values)}
    assert set(rows) == {"neg", "pow", "exp", "tanh"}
    assert rows == {name: snapshot[name] for name in rows}


def test_hints_go_from_the_gentlest_to_the_plainest():
    for name in JUDGED:
        assert str(hint(name)).startswith("Hint 1 of 3")
        assert len(EXERCISES[name].hints) == 3


# -- numbers in the prose that no cell shows ----------------------------------------------------------------


def test_the_numbers_in_the_prose():
    assert f"{math.log(3):.4f}" == "1.0986"
    assert f"{math.exp(1):.5f}" == "2.71828"
    assert round(3**0.001 - 1, 4) == 0.0011  # "which is 9 times 0.0011 or so"
    assert isinstance((-3) ** 2.001, complex)
    assert ad.mul(2, 3) == 6
    assert ad.Tensor(2).__mul__(3).creation_op == "mul"


def test_the_mark_that_is_also_an_answer():
    """SEEDS' sentinel: the lesson's other engine says +1 for x * -1; ours and the package say -1."""
    scope = {"Tensor": Tensor, "RULES": RULES, "backward": backward, "slope": after_07.slope}
    cell = next(cell for cell in cells(LESSON) if cell.source.startswith("def backward_with_mark"))
    exec(cell.source.split("x, y = make()")[0], scope)
    x, y = scope["make"]()
    scope["backward_with_mark"](y)
    assert x.grad == 1
    x, y = scope["make"]()
    backward(y)
    assert x.grad == -1
    x = ad.Tensor(4)
    (x * -1).backward()
    assert x.grad == -1


# -- 05 relu ------------------------------------------------------------------------------------------------


def test_relu_takes_the_right_rule():
    for rule in (
        answer("06 relu")["relu_rule"],
        lambda grad, z, x: grad * (z > 0),
        lambda grad, z, x: 0 if x <= 0 else grad,
    ):
        assert check("06 relu", rule).status == "right"


@pytest.mark.parametrize(("share", "said"), [(0.5, "1.5 of 3"), (1, "3 of 3")])
def test_relu_takes_another_choice_at_the_corner(share, said):
    verdict = check("06 relu", lambda grad, z, x: share * grad if x == 0 else grad * (x > 0))
    assert verdict.status == "right"
    assert f"At 0 you chose {said}" in verdict.message


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        (lambda grad, z, x: 1 if x > 0 else 0, "gradient above was dropped"),
        (lambda grad, z, x: x > 0, "gradient above was dropped"),
        (lambda grad, z, x: grad, "Left of 0 the curve is flat"),
        (lambda grad, z, x: grad * (z >= 0), "z >= 0"),
        (lambda grad, z, x: 2 * grad if x == 0 else grad * (x > 0), "this is beyond"),
        (lambda grad, z, x: -grad if x == 0 else grad * (x > 0), "this is beyond"),
        (lambda grad, z, x: max(grad, 0) if x >= 0 else 0, "not grad"),
        (lambda grad, z, x: z, "how high the curve is"),
        (lambda grad, z, x: grad * z, "Right is 3 and 0"),
        (lambda grad, z, x: max(grad, 0) if x > 0 else 0, "not grad"),
        (3, "A function is asked for"),
        (lambda grad, z, x: "up", "A number is asked for"),
    ],
)
def test_relu_names_the_mistake(rule, kind):
    verdict = check("06 relu", rule)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 05 log -------------------------------------------------------------------------------------------------


def log(x):
    return Tensor(math.log(x.data), (x,), "log")


def log_rule(grad, z, x):
    return grad / x


def test_log_takes_the_right_answer():
    scope = answer("06 log")
    assert check("06 log", scope["log"], scope["log_rule"]).status == "right"
    assert check("06 log", log, log_rule).status == "right"


@pytest.mark.parametrize(
    ("forward", "rule", "kind"),
    [
        (log, lambda grad, z, x: grad * z, "exp that is its own slope"),
        (log, lambda grad, z, x: 1 / x, "gradient above was dropped"),
        (log, lambda grad, z, x: grad * x, "multiplied by x"),
        (log, lambda grad, z, x: grad / z, "divided by z"),
        (log, lambda grad, z, x: -grad / x**2, "slope of 1 / x"),
        (log, lambda grad, z, x: grad + 1 / x, "multiplied, not added"),
        (log, lambda grad, z, x: abs(grad) / x, "Nudge math.log"),
        (lambda x: math.log(x.data), log_rule, "takes no notes"),
        (lambda x: Tensor(math.log10(x.data), (x,), "log"), log_rule, "base 10"),
        (lambda x: Tensor(math.log2(x.data), (x,), "log"), log_rule, "base 2"),
        (lambda x: Tensor(math.exp(x.data), (x,), "log"), log_rule, "right is 1.3863"),
        (lambda x: Tensor(math.log(x.data), x, "log"), log_rule, "with a comma"),
        (lambda x: Tensor(math.log(x.data), (Tensor(x.data),), "log"), log_rule, "x alone"),
        (lambda x: Tensor(math.log(x.data), (x,), "exp"), log_rule, 'the word is "log"'),
    ],
)
def test_log_names_the_mistake(forward, rule, kind):
    verdict = check("06 log", forward, rule)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_log_is_not_done_yet_until_both_are():
    assert check("06 log", lambda x: None, lambda grad, z, x: None).status == "not done yet"
    assert check("06 log", log, lambda grad, z, x: None).status == "not done yet"


# -- 05 points ----------------------------------------------------------------------------------------------


def test_points_takes_points_where_the_mistakes_show():
    for given in (
        answer("06 points")["my_points"],
        {"pow": (2, 3), "div": (7, 2), "tanh": 0.5},
        {"pow": [-3, 3], "div": (-1, 0.5), "tanh": (-2,)},
    ):
        assert check("06 points", given).status == "right"


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"pow": (5, 2)}, "the wrong rule of pow gives 10.0000, and right is 10.0000"),
        ({"pow": (1, 7)}, "nobody would notice"),
        ({"div": (7, 1)}, "the wrong rule of div gives -7.0000, and right is -7.0000"),
        ({"div": (0, 5)}, "nobody would notice"),
        ({"tanh": 0}, "the wrong rule of tanh"),
        ({"tanh": 0.02}, "nearly the same"),
        ({"div": (7, 0)}, "has no value"),
        ({"pow": (0, -1)}, "has no value"),
        ({"pow": (-3, 1.5)}, "Take x above 0"),
        ({"pow": 5}, "a pair (x, y)"),
        ({"tanh": (1, 2)}, "one number x"),
    ],
)
def test_points_names_the_blind_spot(changed, kind):
    verdict = check("06 points", {"pow": (5, 3), "div": (7, 2), "tanh": 0.5} | changed)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_points_is_not_done_yet_until_all_three_are():
    assert check("06 points", {"pow": None, "div": None, "tanh": None}).status == "not done yet"
    verdict = check("06 points", {"pow": (5, 3), "div": None, "tanh": 0.5})
    assert (verdict.status, "div" in verdict.message) == ("not done yet", True)


def test_the_friend_s_points_in_the_lesson_are_blind():
    assert check("06 points", {"pow": (5, 2), "div": (7, 1), "tanh": 0}).status == "wrong"


# -- 05 engine ----------------------------------------------------------------------------------------------


def first(grad, z, x, y):
    return grad


def test_engine_takes_the_snapshot_and_the_package():
    assert check("06 engine", Tensor, backward).status == "right"
    assert check("06 engine", ad.Tensor, ad.Tensor.backward).status == "right"


@pytest.mark.parametrize(
    ("name", "row", "kind"),
    [
        ("neg", (lambda grad, z, x: grad,), "The minus is lost"),
        ("neg", (lambda grad, z, x: 0,), "the gradient is 0, and right is -1"),
        ("pow", (lambda grad, z, x, y: grad * y * x, RULES["pow"][1]), "At b = 2 it cannot be seen"),
        ("pow", (lambda grad, z, x, y: grad * y * z, RULES["pow"][1]), "the exponent goes down by one"),
        ("pow", (lambda grad, z, x, y: grad * x ** (y - 1), RULES["pow"][1]), "come down in front"),
        ("pow", (RULES["pow"][0], RULES["pow"][0]), "An exponent that moves multiplies"),
        ("pow", (RULES["pow"][0], lambda grad, z, x, y: grad * math.log(abs(x))), "the value is missing"),
        ("pow", (RULES["pow"][0], lambda grad, z, x, y: grad * z * math.log(x)), "no logarithm"),
        ("exp", (lambda grad, z, x: grad * x * math.exp(x - 1),), "rule for powers"),
        ("exp", (lambda grad, z, x: grad * x,), "it is z"),
        ("tanh", (lambda grad, z, x: grad * (1 - x * x),), "At 0 it cannot be seen"),
        ("tanh", (lambda grad, z, x: grad * (1 - z),), "1 - z * z"),
        ("tanh", (lambda grad, z, x: 1 - z * z,), "((a - b) / c) ** 2"),
        ("tanh", (lambda grad, z, x: 1 - z * z,), "the gradient of b is 0.536448 and should be 1.88779"),
        ("exp", (lambda grad, z, x: z,), "1.25616 arrives from exp(a), 0.25 from a + -b"),
        ("add", (first, lambda grad, z, x, y: 1), "the gradient of -b is 1 and should be 0.25"),
        ("mul", (lambda grad, z, x, y: y, lambda grad, z, x, y: x), "8 arrives from 3 * a"),
        ("pow", (lambda grad, z, x, y: y * x ** (y - 1), RULES["pow"][1]), "-1.75 arrives from b ** -1"),
    ],
)
def test_engine_names_a_wrong_rule(monkeypatch, name, row, kind):
    monkeypatch.setitem(RULES, name, row)
    verdict = check("06 engine", Tensor, backward)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_engine_names_a_missing_row(monkeypatch):
    monkeypatch.delitem(RULES, "tanh")
    assert "no row for 'tanh'" in check("06 engine", Tensor, backward).message


def as_operation(word):
    """An operator of two numbers as an operation of its own, with a row of RULES by that word."""

    def operator(self, other):
        other = as_tensor(other)
        data = self.data - other.data if word == "sub" else self.data / other.data
        return Tensor(data, (self, other), word)

    return operator


@pytest.mark.parametrize(
    ("method", "word", "row", "kind"),
    [
        ("__sub__", "sub", (first, first), "the rule of add"),
        (
            "__truediv__",
            "div",
            (lambda grad, z, x, y: grad / y, lambda grad, z, x, y: -grad * x / y),
            "divided by b twice",
        ),
        (
            "__truediv__",
            "div",
            (lambda grad, z, x, y: grad / y, lambda grad, z, x, y: grad * z / y),
            "the sign is turned",
        ),
        (
            "__truediv__",
            "div",
            (lambda grad, z, x, y: grad * y, lambda grad, z, x, y: -grad * z / y),
            "should be divided",
        ),
    ],
)
def test_engine_names_a_wrong_rule_of_an_operation_of_its_own(monkeypatch, method, word, row, kind):
    monkeypatch.setitem(RULES, word, row)
    monkeypatch.setattr(Tensor, method, as_operation(word))
    verdict = check("06 engine", Tensor, backward)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_engine_takes_sub_and_div_with_rules_of_their_own(monkeypatch):
    monkeypatch.setitem(RULES, "sub", (first, lambda grad, z, x, y: -grad))
    monkeypatch.setitem(RULES, "div", (lambda grad, z, x, y: grad / y, lambda grad, z, x, y: -grad * z / y))
    monkeypatch.setattr(Tensor, "__sub__", as_operation("sub"))
    monkeypatch.setattr(Tensor, "__truediv__", as_operation("div"))
    assert check("06 engine", Tensor, backward).status == "right"


@pytest.mark.parametrize(
    ("method", "made", "kind"),
    [
        ("__rsub__", lambda self, other: self - other, "the plain number comes first"),
        ("__rtruediv__", lambda self, other: self / other, "the plain number comes first"),
        ("__sub__", lambda self, other: self + other, "your forward gives 9"),
        ("__neg__", lambda self: Tensor(self.data, (self,), "neg"), "your forward gives 4"),
        ("__mul__", lambda self, other: Tensor(self.data * other.data, (self, other), "mul"), "'int'"),
    ],
)
def test_engine_names_a_wrong_operator(monkeypatch, method, made, kind):
    monkeypatch.setattr(Tensor, method, made)
    verdict = check("06 engine", Tensor, backward)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_engine_catches_a_walk_that_overwrites():
    def overwriting(node, grad=1):
        node.grad = grad
        for creator, rule in zip(node.creators or (), RULES.get(node.creation_op, ())):
            values = [operand.data for operand in node.creators]
            overwriting(creator, rule(grad, node.data, *values))

    verdict = check("06 engine", Tensor, overwriting)
    assert verdict.status == "wrong"
    assert "(a + 2) * (3 * a + 4) at a = 2 the gradient is 12" in verdict.message
    assert "only what comes from 3 * a is there" in verdict.message


def test_engine_says_no_more_than_it_knows_of_an_operation_that_the_package_lacks(monkeypatch):
    """A reader may give an operation a word of their own: then the graph cannot be walked by other rules."""

    def minus(self, other):
        other = as_tensor(other)
        return Tensor(self.data - other.data, (self, other), "minus")

    monkeypatch.setitem(RULES, "minus", (first, lambda grad, z, x, y: -1))
    monkeypatch.setattr(Tensor, "__sub__", minus)
    verdict = check("06 engine", Tensor, backward)
    assert verdict.status == "wrong"
    assert "((a - b) / c) ** 2" in verdict.message
    assert verdict.message.endswith("Compare the rule with a nudge there.")


def test_the_nodes_are_named_as_one_would_write_them():
    for tensor, graph in (
        (Tensor, ["a", "2", "a + 2", "3", "3 * a", "4", "3 * a + 4", "(a + 2) * (3 * a + 4)"]),
        (ad.Tensor, ["a", "a + 2", "3 * a", "3 * a + 4", "(a + 2) * (3 * a + 4)"]),
    ):
        a = tensor(2)
        assert list(lesson_06.written((a + 2) * (3 * a + 4), [a])) == graph[::-1]
    a, b = ad.Tensor(2), ad.Tensor(3)
    names = lesson_06.written(-(a - b).tanh() / (a - b) ** 2, [a, b])
    assert next(iter(names)) == "(-tanh(a - b)) / ((a - b) ** 2)"


def test_engine_says_when_nothing_was_walked():
    assert "still None" in check("06 engine", Tensor, lambda end: None).message
