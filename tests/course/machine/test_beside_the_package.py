"""The reader's machine for numbers, as it is after lesson 07, beside the package."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff.engine.backward import order as order_of_ours
from autodiff_course import machine

ENGINE = machine.after(7)


def exp(x):
    """Exp of either kind of Tensor."""
    return ENGINE.exp(x) if isinstance(x, ENGINE.Tensor) else ad.exp(x)


def tanh(x):
    """Tanh of either kind of Tensor."""
    return ENGINE.tanh(x) if isinstance(x, ENGINE.Tensor) else ad.tanh(x)


# -- the rules --------------------------------------------------------------

POINTS = ((3.0, 2.0), (0.5, -1.5), (1.25, 0.75), (2.0, 3.0))


@pytest.mark.parametrize("name", [name for name in ENGINE.RULES if name])
def test_a_row_of_rules_gives_what_the_package_s_rules_give(name):
    operation, row = getattr(ad, name), ENGINE.RULES[name]
    assert len(row) == len(operation.rules)
    for point in POINTS:
        inputs = point[: len(row)]
        z = operation(*inputs)
        for grad in (1.0, -2.5):
            for mine, ours in zip(row, operation.rules):
                assert mine(grad, z, *inputs) == pytest.approx(ours(grad, z, *inputs), rel=1e-12)


def test_the_second_rule_of_pow_stops_below_zero_where_the_package_s_says_nan():
    """Lesson 06 says so."""
    exponent = ENGINE.Tensor(2)
    with pytest.raises(ValueError, match=r"math domain error|positive"):
        ENGINE.backward(ENGINE.Tensor(-3) ** exponent)
    ours = ad.Tensor(2)
    (ad.Tensor(-3) ** ours).backward()
    assert math.isnan(ours.grad.data)


# -- whole calculations -----------------------------------------------------


def doubled(a):
    for _ in range(10):
        a = a + a
    return a


def shared(x):
    h = x * x
    return h + h * h


def laboratory(a):
    h = a + a
    k = a + h
    m = k + h
    return k + m


CALCULATIONS = {
    "the course's": (lambda a: (a + 2) * (3 * a + 4), (2,)),
    "h + h * h": (shared, (2,)),
    "the laboratory graph": (laboratory, (2,)),
    "ten doublings": (doubled, (3,)),
    "x * (-1)": (lambda x: x * (-1), (4,)),
    "lesson 06's": (lambda a, b, c: ((a - b) / c) ** 2 + exp(a) * tanh(b), (1, 0.5, 2)),
    "numbers on the left": (lambda a: 7 / a - 2 * a + (1 - a) + 2**a, (1.5,)),
    "a negative base": (lambda a: (a - 5) ** 2 / (a - 4), (1.0,)),
    "a neuron": (lambda w, b: (tanh(w * 1 + b) - 1) ** 2, (2, -1.5)),
}


def both(f, point):
    """The value and the leaves' gradients, by the machine and by the package."""
    answers = []
    for tensor, backward in ((ENGINE.Tensor, ENGINE.backward), (ad.Tensor, ad.Tensor.backward)):
        leaves = [tensor(value) for value in point]
        end = f(*leaves)
        backward(end)
        answers.append([float(end.data), *(float(getattr(leaf.grad, "data", leaf.grad)) for leaf in leaves)])
    return answers


@pytest.mark.parametrize("said", CALCULATIONS)
def test_the_machine_gives_the_package_s_numbers(said):
    mine, ours = both(*CALCULATIONS[said])
    assert mine == pytest.approx(ours, rel=1e-12)


def test_the_numbers_that_the_course_is_built_on():
    numbers = {said: both(*CALCULATIONS[said])[0] for said in CALCULATIONS}
    assert numbers["the course's"] == [40, 22]
    assert numbers["h + h * h"] == [20, 36]
    assert numbers["the laboratory graph"] == [16, 8]
    assert numbers["ten doublings"] == [3072, 1024]
    assert numbers["x * (-1)"] == [-4, -1]
    assert [round(value, 4) for value in numbers["lesson 06's"]] == [1.3187, 1.5062, 1.8878, -0.0625]


def test_a_second_walk_back_adds_in_both():
    for tensor, backward in ((ENGINE.Tensor, ENGINE.backward), (ad.Tensor, ad.Tensor.backward)):
        a = tensor(2)
        e = (a + 2) * (3 * a + 4)
        backward(e)
        backward(e)
        assert float(getattr(a.grad, "data", a.grad)) == 44


def at_random(rng):
    """A calculation of 25 random operations on two inputs, in which any result may be used again."""
    steps = [(rng.choice(["+", "-", "*", "/", "tanh", "neg"]), *rng.random(2)) for _ in range(25)]

    def f(a, b):
        nodes = [a, b]
        for i, (sign, first, second) in enumerate(steps):
            x, y = (nodes[int(place * (i + 2))] for place in (first, second))
            nodes.append(
                {
                    "+": lambda x, y: x + y,
                    "-": lambda x, y: x - y,
                    "*": lambda x, y: tanh(x * y),
                    "/": lambda x, y: x / (y * y + 1),
                    "tanh": lambda x, y: tanh(x),
                    "neg": lambda x, y: -x,
                }[sign](x, y)
            )
        return sum(nodes, nodes[0] * 0)

    return f


@pytest.mark.parametrize("seed", range(20))
def test_on_random_graphs_the_machine_and_the_package_agree(seed):
    mine, ours = both(at_random(np.random.default_rng(seed)), (0.7, -1.3))
    assert mine == pytest.approx(ours, rel=1e-9, abs=1e-12)


def test_their_orders_list_creators_first():
    for tensor, order in ((ENGINE.Tensor, ENGINE.order), (ad.Tensor, order_of_ours)):
        nodes = order(laboratory(tensor(2)))
        places = {id(node): i for i, node in enumerate(nodes)}
        assert len(nodes) == 5
        for node in nodes:
            assert all(places[id(creator)] < places[id(node)] for creator in node.creators or ())
