"""Programs drawn by chance, with results used again and again: numbers, arrays, forward mode and reverse mode
tell the same story."""

from __future__ import annotations

import functools
import itertools
import math
from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.engine.operands import run_with_numpy
from autodiff.testing import LAYOUTS, laid

UNARY = (
    "neg", "exp", "log", "tanh", "sin", "sqrt", "relu", "abs", "sigmoid", "square", "reciprocal", "softplus",
)  # fmt: skip
BINARY = ("add", "sub", "mul", "div", "maximum", "hypot", "arctan2", "logaddexp")
SMOOTH_UNARY = ("neg", "tanh", "sin", "sigmoid", "softplus", "cos", "arctan", "erf")
SMOOTH_BINARY = ("add", "sub", "mul")
EVERYDAY = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0)
layouts = st.sampled_from(sorted(LAYOUTS))
EXTREME = (*EVERYDAY, 1e-300, 1e300, -1e300, math.inf, -math.inf, math.nan)


@st.composite
def programs(draw, unary, binary):
    """Steps (operation, places of its operands, memory layout of the result and of its gradient); a place
    counts what there is: inputs, then results."""
    inputs = draw(st.integers(1, 3))
    steps = []
    for count in range(inputs, inputs + draw(st.integers(1, 8))):
        place = st.integers(0, count - 1)
        name, places = draw(st.sampled_from(unary)), (draw(place),)
        if draw(st.booleans()):
            name, places = draw(st.sampled_from(binary)), (draw(place), draw(place))
        steps.append((name, places, draw(layouts)))
    return inputs, steps


def run(steps, inputs):
    """The last result of a program."""
    made = [laid(value, layout=layout) for value, layout in zip(inputs, itertools.cycle(reversed(LAYOUTS)))]
    for name, places, layout in steps:
        made.append(laid(getattr(ad, name)(*(made[place] for place in places)), layout=layout))
    return made[-1]


def reverse(steps, values):
    """The result, and its slope by each input, in reverse mode."""
    leaves = [Tensor(value) for value in values]
    end = run(steps, leaves)
    return np.asarray(end.data), [np.asarray(g.data) for g in gradients(end, leaves, 1.0)]


@contextmanager
def numpy_s_own_functions():
    """For numbers too: else a last digit in which math.tanh and np.tanh differ grows in a difference of two
    that are nearly equal, and the log of that is finite in one and infinite in the other."""
    with ExitStack() as stack:
        for name in (*UNARY, *BINARY):
            operation = getattr(ad, name)
            number = functools.partial(run_with_numpy, operation.forward)
            stack.enter_context(mock.patch.object(operation, "scalar", number))
        yield


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_an_operation_on_numbers_and_on_arrays(name):
    """With Python's own arithmetic for the numbers, infinities and nan included."""
    count = 1 if name in UNARY else 2
    for values in itertools.product(EXTREME, repeat=count):
        with np.errstate(all="ignore"):
            steps = [(name, tuple(range(count)), "C")]
            number, by_input = reverse(steps, values)
            end, slopes = reverse(steps, [np.array([value]) for value in values])
        np.testing.assert_allclose(number, end[0], rtol=1e-13, err_msg=str(values))
        for one, other in zip(by_input, slopes):
            np.testing.assert_allclose(one, other[0], rtol=1e-13, err_msg=str(values))


@settings(max_examples=150)
@given(program=programs(UNARY, BINARY), data=st.data())
@numpy_s_own_functions()
def test_numbers_and_arrays_agree_on_everything_infinities_too(program, data):
    inputs, steps = program
    count = data.draw(st.sampled_from([2, 4]))
    columns = [
        data.draw(st.lists(st.sampled_from(EXTREME), min_size=count, max_size=count)) for _ in range(inputs)
    ]
    with np.errstate(all="ignore"):
        end, slopes = reverse(steps, [np.array(column).reshape(-1, 2) for column in columns])
        end, slopes = np.ravel(end), [np.ravel(slope) for slope in slopes]
        for row, values in enumerate(zip(*columns)):
            number, by_input = reverse(steps, values)
            np.testing.assert_allclose(number, end[row], rtol=1e-12)
            for one, other in zip(by_input, slopes):
                np.testing.assert_allclose(one, other[row], rtol=1e-12)


@settings(max_examples=150)
@given(program=programs(SMOOTH_UNARY, SMOOTH_BINARY), data=st.data())
def test_forward_mode_reverse_mode_and_nudges_agree(program, data):
    inputs, steps = program
    table = hnp.arrays(float, (2, 3), elements=st.sampled_from(EVERYDAY))
    values = [data.draw(table) for _ in range(inputs)]
    _, slopes = reverse(steps, values)
    for place in range(inputs):
        moves = [np.full((2, 3), float(i == place)) for i in range(inputs)]
        moved = ad.jvp(lambda *x: run(steps, x), tuple(values), tuple(moves))[1]
        np.testing.assert_allclose(moved.data, slopes[place], rtol=1e-9, atol=1e-12)
        up, down = (
            run(steps, [v + h * m for v, m in zip(values, moves)]) for h in (1e-6, -1e-6)
        )  # plain arrays: nothing is recorded
        scale = 1 + max(np.max(np.abs(up)), np.max(np.abs(slopes[place]))) ** 2
        np.testing.assert_allclose((up - down) / 2e-6, slopes[place], rtol=1e-4, atol=1e-5 * scale)


@settings(max_examples=50)
@given(program=programs(SMOOTH_UNARY, SMOOTH_BINARY), data=st.data())
def test_the_second_derivative_is_the_same_every_way(program, data):
    inputs, steps = program
    values = tuple(data.draw(st.sampled_from(EVERYDAY)) for _ in range(inputs))
    f = lambda *x: run(steps, x)
    both = ad.jacobian(ad.jacobian(f, range(inputs), mode="reverse"), range(inputs), mode="reverse")(*values)
    mixed = ad.jacobian(ad.jacobian(f, range(inputs), mode="reverse"), range(inputs), mode="forward")(*values)
    other = ad.jacobian(ad.jacobian(f, range(inputs), mode="forward"), range(inputs), mode="reverse")(*values)
    table = [np.array([[float(x) for x in row] for row in found]) for found in (both, mixed, other)]
    np.testing.assert_allclose(table[1], table[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(table[2], table[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(table[0], table[0].T, rtol=1e-9, atol=1e-9)
