"""Programs of numbers: straight-line code that gives what the engine gives, including inf and nan."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.compiling import compile_function as compiled
from tests.compiling.programs_of_numbers import disagreement, numbers, random_program, source_of

EACH = ("fold", "algebra", "cse", "pack", "numbers")
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-320, 1e300, -1e300, 800.0, math.inf, -math.inf, math.nan)


def same(found, expected):
    """Whether two numbers are the same: nan equals nan, and -0 differs from 0."""
    found, expected = float(found), float(expected)
    if math.isnan(expected):
        return math.isnan(found)
    return found == expected and math.copysign(1, found) == math.copysign(1, expected)


def gradients_of(f):
    return lambda *x: ad.value_and_grad(f, argnums=tuple(range(len(x))))(*x)


def test_the_program_is_what_one_would_write():
    fast = compiled(lambda x, y: (ad.tanh(x * y + 1) * x, (x - y) / (x + y)))
    fast(Tensor(1.0), Tensor(2.0))
    assert source_of(fast) == (
        "from math import tanh\n"
        "def program(x, y):\n"
        "    return (tanh(x * y + 1) * x, (x - y) / (x + y))\n"
    )


@pytest.mark.parametrize(("f", "text"), [
    (lambda x: x - (x - 1), "x - (x - 1)"),
    (lambda x: x - 1 - x, "x - 1 - x"),
    (lambda x: x / (x * x), "x / (x * x)"),
    (lambda x: x * x / x, "x * x / x"),
    (lambda x: -(x + 1) * 3, "-(x + 1) * 3"),
    (lambda x: (x > 0) * x, "(x > 0) * x"),
    (lambda x: x * -2.0, "x * -2.0"),
    (lambda x: -2.0 * x, "-2.0 * x"),
    (lambda x: x + math.inf, "x + inf"),
    (lambda x: ad.relu(x), "0.0 if x <= 0 else x"),
    (lambda x: x**1.5, "pow(x, 1.5)"),
])  # fmt: skip
def test_parentheses_stand_where_they_are_needed_and_nowhere_else(f, text):
    fast = compiled(f)
    assert same(fast(Tensor(3.0)), f(Tensor(3.0)))
    assert text in source_of(fast)


UNARY = [ad.exp, ad.log, ad.sqrt, ad.sin, ad.tanh, ad.sigmoid, ad.relu, ad.abs, ad.sign, ad.softplus,
         ad.square, ad.reciprocal, ad.cbrt, ad.expm1, ad.log1p, ad.log2, ad.floor, ad.arcsin, ad.arctan,
         ad.neg, lambda x: x**0.5, lambda x: x**-1, lambda x: x**3, lambda x: 2**x, lambda x: 0 * x,
         lambda x: x + 0.0, lambda x: x - 0.0, lambda x: 1 / x, lambda x: x / 0, lambda x: 0.0 - x,
         lambda x: ad.maximum(x, 0), lambda x: ad.minimum(0.0, x), lambda x: ad.where(x > 0, x, -x),
         lambda x: x // 2, lambda x: x % 3]  # fmt: skip


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("f", UNARY)
def test_special_values_of_one_number(f, value):
    found, expected = compiled(f)(Tensor(value)), f(Tensor(value))
    assert same(found, expected) or abs(float(found) - float(expected)) <= 4e-16 * abs(float(expected))
    assert type(found._value) is type(expected._value) is float


BINARY = [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y, ad.maximum,
          ad.minimum, ad.pow, ad.hypot, ad.arctan2, lambda x, y: x // y, lambda x, y: x % y]  # fmt: skip


@pytest.mark.parametrize("f", BINARY)
def test_special_values_of_two_numbers(f):
    fast = compiled(f)
    for x in SPECIAL:
        for y in SPECIAL:
            with np.errstate(all="ignore"):
                expected = f(Tensor(x), Tensor(y))
            assert same(fast(Tensor(x), Tensor(y)), expected), (x, y)


@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("f", [ad.exp, ad.log, ad.sqrt, ad.relu, ad.tanh, ad.abs, lambda x: x**-0.5,
                               lambda x: 1 / x, lambda x: x * x / (x - 1)])  # fmt: skip
def test_special_values_of_derivatives(f, value):
    first = ad.grad(f)
    for g in (first, ad.grad(first)):
        found, expected = float(compiled(g)(Tensor(value))), float(g(Tensor(value)))
        assert same(found, expected) or abs(found - expected) <= 1e-15 * abs(expected)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_agree_with_the_engine_in_value_gradient_and_second_derivative(seed):
    rng = random.Random(seed)
    count = rng.randint(1, 4)
    f = random_program(rng, count, rng.randint(1, 40))
    at = numbers(*(rng.choice(SPECIAL) if rng.random() < 0.1 else rng.uniform(0.3, 2) for _ in range(count)))
    each = gradients_of(f)
    value, gradients = each(*at)
    passes = EACH if seed % 2 else [p for p in EACH if rng.random() < 0.6]
    found = compiled(each, passes=passes)(*at)
    assert disagreement([found[0], *found[1]], [value, *gradients]) < 1e-12
    second = ad.grad(lambda x: ad.grad(f)(x, *at[1:]))
    assert disagreement([compiled(second, passes=passes)(at[0])], [second(at[0])]) < 1e-10


@pytest.mark.parametrize("without", EACH)
def test_every_pass_can_be_left_out(without):
    f = gradients_of(lambda x, y: ad.tanh(x * y) / (1 + ad.exp(-x)) + 0 * (2.0 * y) + x**2)
    fast = compiled(f, passes=[name for name in EACH if name != without])
    found, expected = fast(*numbers(0.5, 2.0)), f(*numbers(0.5, 2.0))
    assert disagreement([found[0], *found[1]], [expected[0], *expected[1]]) < 1e-15


def test_inputs_constants_and_unused_inputs_as_results():
    fast = compiled(lambda x, y, z: (y, 2.0, x, x, -0.0, math.inf, x + y, True, 3))
    found = fast(Tensor(1.0), 5.0, Tensor(7.0))
    assert [float(value) for value in found] == [5, 2, 1, 1, 0, math.inf, 6, 1, 3]
    assert math.copysign(1, float(found[4])) == -1
    assert [type(found[k]) for k in (1, 7, 8)] == [float, bool, int]


def test_no_input_at_all():
    assert compiled(lambda: 2.0)() == 2.0


def test_comparisons_are_numbers_too():
    def f(x, y):
        on = x > y
        return on * x, (x == y) + (x >= y) + (x < 5), -(on * 1.0), ad.where(on, x, 1)

    for at in ((1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (math.nan, 0.0)):
        found, expected = compiled(f)(*numbers(*at)), f(*numbers(*at))
        assert all(same(a, b) for a, b in zip(found, expected, strict=True))


def test_a_number_that_is_changed_in_place_is_another_number():
    def f(x):
        y = x
        y += 1.0
        y *= x
        return x, y

    assert [float(value) for value in compiled(f)(3.0)] == [3, 12]


def test_a_long_chain():
    def f(x):
        for _ in range(4_000):
            x = x * 0.9999 + 0.0001
        return x

    fast = compiled(ad.value_and_grad(f))
    value, slope = fast(Tensor(0.5))
    expected = ad.value_and_grad(f)(Tensor(0.5))
    assert disagreement([value, slope], [*expected]) < 1e-12


def test_names_that_python_or_the_program_use_already():
    def f(tanh, exp, np, math, inf, t1):
        return ad.tanh(tanh) + ad.exp(exp) + ad.abs(np) ** math + inf * t1 * t1

    at = numbers(0.1, 0.2, -0.3, 1.5, 2.0, 3.0)
    assert disagreement([compiled(f)(*at)], [f(*at)]) < 1e-15


def test_comparisons_of_comparisons():
    def f(x, y):
        return (x < y) < (y < 2.0), (x < y) == (y < 2.0), x < (y < 2.0)

    for at in ((0.5, 1.0), (1.0, 0.5), (0.5, 3.0), (3.0, 2.5)):
        found, expected = compiled(f)(*at), f(*at)
        assert [float(value) for value in found] == [float(value) for value in expected]


def test_zero_and_minus_zero_are_two_constants():
    found = compiled(lambda x: (x * 0.0, x * -0.0))(1.0)
    assert [math.copysign(1, value) for value in found] == [1, -1]


def test_results_are_recorded_for_a_leaf_after_calls_on_constants():
    fast = compiled(lambda x, y: (x * y, [x + y]))
    constant = Tensor(2.0, requires_grad=False)
    for _ in range(2):
        assert not fast(constant, 3.0)[0].requires_grad
        x = Tensor(2.0)
        product, (total,) = fast(x, 3.0)
        (product + total).backward()
        assert float(x.grad) == 4
        with pytest.raises(TypeError):
            fast(constant, 3.0, 4.0)
    np.testing.assert_array_equal(fast(np.array([1.0, 2.0]), 3.0)[0], [3, 6])
