"""The first wrong gradient: which it is, how it is told, what the picture shows, and every error."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import compare, draw, fingerprint
from autodiff.draw.comparing.difference import first_difference
from autodiff.draw.picture.faces import NOT_FINITE
from autodiff_course import machine
from tests.draw.lessons import RULES, Tensor, backward, engine, overwriting
from tests.draw.readers import below, face, made, rows
from tests.draw.test_drawing import stored_svg

WRONG = """\
the gradient of a is 12 and should be 22: 12 arrives from b, 10 from c, and 12 + 10 = 22; only what comes from b is there

node        expected  found
e = c * d          1      1
d = b + v5         4      4
v5                 4      4
b = a * v3         4      4
v3                 8      8
c = a + v1        10     10
v1                10     10
a                 22     12  <- the first that differs"""  # noqa: E501

RIGHT = """\
all 8 gradients are as the package finds them

node        expected  found
e = c * d          1      1
d = b + v5         4      4
v5                 4      4
b = a * v3         4      4
v3                 8      8
c = a + v1        10     10
v1                10     10
a                 22     22"""


def graph_22(kind):
    a = kind(2)
    b = a * kind(3)
    c = a + kind(2)
    d = b + kind(4)
    return SimpleNamespace(a=a, b=b, c=c, d=d, e=c * d)


def shared(kind):
    x = kind(2)
    h = x * x
    return SimpleNamespace(x=x, h=h, y=h + h * h)


# -- one graph --------------------------------------------------------------------------------------------


def test_the_12_that_should_be_22():
    g = graph_22(Tensor)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841 - the names are read from here
    overwriting(e)
    shown = compare(e)
    assert repr(shown) == shown.text == WRONG
    difference = shown.difference
    assert (difference.kind, difference.name) == ("gradient", "a")
    assert (difference.expected, difference.found) == (22.0, 12)
    assert str(difference) == difference.message == WRONG.splitlines()[0]


@pytest.mark.parametrize("walk", [backward, ad.Tensor.backward])
def test_right_gradients(walk):
    g = graph_22(ad.Tensor if walk is ad.Tensor.backward else Tensor)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841
    walk(e)
    shown = compare(e)
    assert repr(shown) == RIGHT
    assert shown.difference is None
    assert first_difference(e) is None


def test_the_first_is_where_it_went_wrong_and_not_where_it_shows():
    g = shared(Tensor)
    x, h, y = g.x, g.h, g.y  # noqa: F841
    overwriting(y)
    difference = compare(y).difference
    assert (difference.name, difference.expected, difference.found) == ("h", 9.0, 4)
    assert repr(compare(y)).splitlines()[0] == (
        "the gradient of h is 4 and should be 9: 1 arrives from y, 4 from v2 (as its 1st h), "
        "4 from v2 (as its 2nd h), and 1 + 4 + 4 = 9; only 4 is there"
    )
    assert re.search(r"^x +36 +8  <- differs too$", repr(compare(y)), re.MULTILINE)


def swapped_mul(graph):
    rules = {**RULES, "mul": (lambda g, z, x, y: g * x, lambda g, z, x, y: g * y)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "RULES", rules)
        backward(graph)


def dropped_gradient_above(graph):
    rules = {**RULES, "mul": (lambda g, z, x, y: y, lambda g, z, x, y: x)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "RULES", rules)
        backward(graph)


def accumulated_gradient_passed_on(node, grad=1):
    node.grad = grad if node.grad is None else node.grad + grad
    for creator, rule in zip(node.creators or (), RULES.get(node.creation_op, ())):
        accumulated_gradient_passed_on(creator, rule(node.grad, node.data, *[c.data for c in node.creators]))


def nearest_first(end):
    """First in, first out, each once."""
    end.grad = 1
    waiting, seen = [end], {end}
    for node in waiting:
        for creator, rule in zip(node.creators or (), RULES.get(node.creation_op, ())):
            share = rule(node.grad, node.data, *[c.data for c in node.creators])
            creator.grad = (creator.grad or 0) + share
            if creator not in seen:
                seen.add(creator)
                waiting.append(creator)


@pytest.mark.parametrize(
    ("walk", "graph", "name", "expected", "found"),
    [
        (swapped_mul, "22", "d", 4, 10),
        (dropped_gradient_above, "22", "v3", 8, 2),
        (accumulated_gradient_passed_on, "shared", "x", 36, 60),
        (nearest_first, "shared", "x", 36, 4),
    ],
)
def test_planted_mistakes(walk, graph, name, expected, found):
    g = graph_22(Tensor) if graph == "22" else shared(Tensor)
    end = g.e if graph == "22" else g.y
    walk(end)
    difference = first_difference(end, names=vars(g))
    assert (difference.name, difference.expected, difference.found) == (name, expected, found)


def test_a_second_walk_back():
    g = graph_22(Tensor)
    backward(g.e)
    backward(g.e)
    assert str(first_difference(g.e, names=vars(g))) == (
        "the gradient of e is 2 and should be 1: a walk back starts with 1 at its end; "
        "clear the gradients of an earlier walk first"
    )


def test_a_gradient_that_never_came():
    g = graph_22(Tensor)
    backward(g.e)
    g.a.grad = None
    assert str(first_difference(g.e, names=vars(g))).startswith(
        "a has no gradient and should have 22: 12 arrives "
    )
    g.e.grad = None
    assert str(first_difference(g.e, names=vars(g))) == (
        "e has no gradient and should have 1: a walk back starts with 1 at its end"
    )


def test_two_of_three_contributions():
    x = Tensor(2)
    y = x * Tensor(5) + x * Tensor(7) + x
    backward(y)
    assert x.grad == 13
    x.grad = 6
    assert str(first_difference(y)).endswith("= 13; only 1 + 5 is there")


def test_a_whole_lesson_s_engine():
    whole = machine.after(7)
    a, b, c = (whole.Tensor(v) for v in (1.0, 0.5, 2.0))
    f = ((a - b) / c) ** 2 + whole.exp(a) * whole.tanh(b)
    whole.backward(f)
    assert first_difference(f) is None
    right = b.grad
    b.grad = right + 1e-3
    assert first_difference(f).name == "b"
    b.grad = right + 1e-9
    assert first_difference(f) is None, "rounding is no difference"


def test_what_arrives_as_nothing_may_be_missing():
    x = Tensor(0.0)
    y = x * Tensor(3.0)
    backward(y)
    y.creators[1].grad = None
    assert first_difference(y) is None


def test_constants_are_not_asked_for_a_gradient():
    a = ad.Tensor(2)
    e = a * ad.Tensor(3, requires_grad=False) + 1
    e.backward()
    assert first_difference(e) is None


def test_arrays():
    W = ad.Tensor(np.ones((2, 3)))
    x = ad.Tensor(np.ones((4, 2)))
    loss = (x @ W).tanh().sum()
    loss.backward()
    assert compare(loss).difference is None
    grad = W.grad.data.copy()
    grad[1, 2] += 1
    W.grad = grad
    difference = compare(loss).difference
    assert difference.name == "W"
    assert re.fullmatch(r"W\.grad\[1, 2\] is 1\.28\d+ and should be 0\.28\d+", difference.message)


def test_a_gradient_of_another_shape():
    x = Tensor(np.ones((2, 3)))
    y = made("sum", np.array(6.0), x)
    y.grad, x.grad = 1.0, np.ones(3)
    assert str(first_difference(y)) == "the gradient of x has shape (3,) and should have shape (2, 3)"


def test_the_words_below_the_picture_are_the_message():
    g = shared(Tensor)
    x, h, y = g.x, g.h, g.y  # noqa: F841
    overwriting(y)
    shown = compare(y)
    assert " ".join(below(shown)) == shown.difference.message
    assert max(map(len, below(shown))) <= 76
    assert {ink for _, ink in shown._composed[1].caption} == {"wrong_line"}


def arrays(held):
    b = Tensor(np.array([1.0, 2.25]))
    v = made("mul", b.data * b.data, b, b)
    y = made("sum", np.array(v.data.sum()), v)
    y.grad, v.grad, b.grad = 1.0, np.ones(2), held
    return compare(y)


def test_an_array_that_differs_stands_above_what_it_should_be():
    shown = arrays(np.array([2.0, 5.0]))
    assert rows(shown, "n0") == {"data": [["1", "2.25"]], "grad": [["2", "5"]], "not": [["2", "4.5"]]}
    _, grad, right = face(shown, "n0").rows
    for row in (grad, right):
        assert [cell.shade for cell in row.cells[0]] == [0, NOT_FINITE], "the element that differs is red"


@pytest.mark.parametrize(
    ("held", "there"),
    [
        (np.arange(6.0).reshape(2, 3), [["0", "1", "2"], ["3", "4", "5"]]),
        (np.ones((4, 200)), "(4, 200)"),
        (3.0, "3"),
        (np.zeros((0, 2)), "(0, 2)"),
        (None, "none"),
    ],
)
def test_an_array_of_another_shape(held, there):
    shown = arrays(held)
    assert rows(shown, "n0")["grad"] == there
    assert rows(shown, "n0")["not"] == [["2", "4.5"]]
    assert shown.svg


def test_three_digits_where_they_show_the_difference():
    x = Tensor(3.0)
    y = made("exp", np.exp(3.0), x, grad=1.0)
    for held, text in [(20.5, "20.5, not 20.1"), (20.09, "20.09, not 20.0855"), (None, "none, not 20.1")]:
        x.grad = held
        assert rows(compare(y), "n0")["grad"] == text


def test_a_long_chain_shows_what_is_around_the_difference():
    x = Tensor(1)
    y = x
    for _ in range(200):
        y = y + x
    backward(y)
    wrong = y.creators[0].creators[0]
    wrong.grad = 5
    lines = repr(compare(y)).splitlines()
    assert lines[0] == "the gradient of wrong is 5 and should be 1: 1 arrives from v199"
    assert len(lines) == 2 + 1 + 2 + 9 + 1
    assert re.fullmatch(r"wrong = v197 \+ x +1 +5  <- the first that differs", lines[5])
    assert lines[-1].endswith("more behind these")
    x.grad = 3
    wrong.grad = 1
    lines = repr(compare(y)).splitlines()
    assert lines[3] == "... 192 before these are right"
    assert lines[-1].endswith("3  <- the first that differs")
    assert len(compare(y).dot) < 20_000
    assert face(compare(y), "n0").title == "x", "also where it is the old end of the part that is drawn"


# -- two graphs -------------------------------------------------------------------------------------------


def test_mine_against_the_package_s():
    theirs, mine = graph_22(ad.Tensor), graph_22(Tensor)
    overwriting(mine.e)
    difference = compare(theirs.e, mine.e).difference
    assert (difference.expected, difference.found, difference.name) == (22.0, 12, "mine.a")
    assert theirs.a.grad is None
    mine = graph_22(Tensor)
    backward(mine.e)
    assert first_difference(theirs.e, mine.e) is None


def test_unnamed_nodes_take_the_names_of_the_package_s():
    a = ad.Tensor(2)
    e = a * a + a

    def theirs():
        mine = Tensor(2)
        return mine * mine + mine

    end = theirs()
    overwriting(end)
    assert first_difference(e, end).name == "a"


def test_constants_may_be_tensors():
    a = ad.Tensor(2)
    e = 3 * a + 4
    mine = Tensor(3) * Tensor(2) + Tensor(4)
    backward(mine)
    assert first_difference(e, mine) is None
    mine.creators[0].creators[1].grad = 5
    assert first_difference(e, mine).expected == 3


def test_another_operation():
    x, y = ad.Tensor(2), ad.Tensor(3)
    z = x * y
    mine = Tensor(2) + Tensor(3)
    difference = first_difference(z, mine)
    assert (difference.kind, difference.expected, difference.found) == ("operation", "mul", "add")
    assert str(difference) == "the operation of mine should be mul, and yours is add"
    assert repr(compare(z, mine)) == str(difference)


def test_other_data_is_told_where_it_begins():
    theirs, mine = graph_22(ad.Tensor), graph_22(Tensor)
    mine.b.data, mine.d.data, mine.e.data = 5, 9, 36
    difference = first_difference(theirs.e, mine.e, names=vars(mine))
    assert (difference.kind, difference.name) == ("data", "b")
    assert str(difference) == "the data of b should be 6, and yours is 5"


def test_operands():
    x = ad.Tensor(2)
    y = x * x
    u, v = Tensor(2), Tensor(2)
    assert str(first_difference(y, u * v)) == "v should be one node, and yours is two"
    z = ad.Tensor(2) * ad.Tensor(2)
    assert str(first_difference(z, u * u)) == "u should be two nodes, and yours is one and the same"
    one = made("mul", 4, u)
    assert str(first_difference(y, one)) == "one should be made from 2 operands, and yours is made from 1"


# -- the picture ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["compact", "spread"])
def test_the_first_wrong_node_is_red_and_says_both_numbers(style):
    g = graph_22(Tensor)
    overwriting(g.e)
    shown = compare(g.e, style=style)
    wrong = face(shown, "n0")
    assert (wrong.kind, wrong.outline, wrong.weight) == ("wrong", "wrong_line", 2.6)
    assert rows(shown, "n0") == {"data": "2", "grad": "12, not 22"}
    assert [one.kind for one in shown._composed[1].faces.values()].count("wrong") == 1
    assert ">12, not 22</text>" in shown.svg
    assert "only what comes from g.b is there" in " ".join(below(shown))


def test_what_is_wrong_behind_it_has_a_red_line():
    g = shared(Tensor)
    overwriting(g.y)
    shown = compare(g.y)
    assert (face(shown, "n0").kind, face(shown, "n0").outline) == ("leaf", "wrong_line")
    assert (face(shown, "n1").kind, face(shown, "n1").outline) == ("wrong", "wrong_line")
    assert face(shown, "n0").weight < face(shown, "n1").weight


def test_wrong_data_stand_in_the_row_of_the_data():
    theirs, mine = graph_22(ad.Tensor), graph_22(Tensor)
    mine.b.data, mine.d.data, mine.e.data = 5, 9, 36
    shown = compare(theirs.e, mine.e)
    assert rows(shown, f"n{shown.difference.place}") == {"data": "5, not 6"}


def test_another_operation_has_a_red_box():
    x, y = ad.Tensor(2), ad.Tensor(3)
    z = x * y
    mine = Tensor(2) + Tensor(3)
    shown = compare(z, mine)
    assert face(shown, "n2").kind == "wrong"
    assert rows(shown, "n2") == {"data": "5"}


def test_all_right_shows_no_red():
    g = graph_22(Tensor)
    backward(g.e)
    shown = compare(g.e)
    assert {one.kind for one in shown._composed[1].faces.values()} == {"leaf", "made"}
    assert [ink for _, ink in shown._composed[1].caption] == ["page"]
    assert "#d92d2d" not in shown.dot


@pytest.mark.parametrize("style", ["compact", "spread"])
def test_boxes_and_names_are_those_of_draw(style):
    g = graph_22(Tensor)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841
    backward(e)
    shown, drawn = compare(e, style=style), draw(e, style=style)
    assert shown._composed[0] == drawn._composed[0]
    assert shown._composed[1].faces == drawn._composed[1].faces


def test_nameless_nodes_have_names_only_where_the_message_has_them():
    g = graph_22(Tensor)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841
    backward(e)
    v3 = b.creators[1]
    v3.grad, v3 = 5, None
    shown = compare(e)
    assert shown.difference.message.startswith("the gradient of v3 is 5 and should be 8: 8 arrives from b")
    assert [face(shown, key).title for key in ("n1", "n3", "n4")] == ["", "v3", "b = a × v3"]


def test_the_bundle_of_a_notebook():
    g = graph_22(Tensor)
    overwriting(g.e)
    shown = compare(g.e)
    bundle, metadata = shown._repr_mimebundle_()
    assert bundle["text/plain"] == shown.text
    assert metadata == {"autodiff": fingerprint(shown.text)}
    assert f"<desc>autodiff:{fingerprint(shown.text)}</desc>" in stored_svg(bundle["text/html"])
    assert 'alt="Compared graph of g.e: the gradient of g.a is 12 and should be 22' in bundle["text/html"]


def test_without_a_layout(no_layout):
    g = graph_22(Tensor)
    backward(g.e)
    assert set(compare(g.e)._repr_mimebundle_()[0]) == {"text/plain"}


def test_it_touches_nothing():
    g = graph_22(ad.Tensor)
    g.e.backward()
    before = [float(node.grad) for node in vars(g).values()]
    compare(g.e)
    assert [float(node.grad) for node in vars(g).values()] == before


# -- errors -----------------------------------------------------------------------------------------------


def test_a_graph_without_gradients():
    g = graph_22(Tensor)
    e = g.e
    with pytest.raises(
        ValueError, match="the graph of e holds no gradients yet: walk back from e with your backward"
    ):
        compare(e)


def test_a_leaf():
    a = Tensor(2)
    with pytest.raises(ValueError, match=r"a \(2\) is a leaf: nothing is recorded behind it"):
        compare(a)
    e = a + a
    with pytest.raises(ValueError, match=r"a \(2\) is a leaf"):
        compare(e, a)


@pytest.mark.parametrize("thing", [3, "e", [1.0]])
def test_what_is_no_node(thing):
    e = Tensor(1) + Tensor(2)
    for given in ((thing,), (e, thing), (thing, e)):
        with pytest.raises(
            TypeError, match="compare needs the end of a calculation after a walk back: a Tensor, or"
        ):
            compare(*given)


def test_an_operation_that_the_package_does_not_know():
    x = Tensor(2.0)
    y = made("cube", 8.0, x, grad=1.0)
    with pytest.raises(
        ValueError, match="no slopes are known for the operation cube of the node that holds 8"
    ):
        compare(y)


def test_an_unknown_direction():
    g = graph_22(Tensor)
    backward(g.e)
    with pytest.raises(ValueError, match=r"unknown direction .*LR, TB"):
        compare(g.e, direction="up")
