"""where, clip, fmax, fmin and the rounding constants: who gets the gradient, at ties and bounds too."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor, log
from autodiff.engine.backward import gradients
from autodiff.ops.piecewise import ceil, clip, floor, fmax, fmin, where
from autodiff.ops.piecewise import round as rounded

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    "condition",
    [
        [True, False, True],
        np.array([1, 0, 2]),
        Tensor([1.0, 0.0, -1.0]),
        Tensor([True, False, True], requires_grad=False),
    ],
    ids=["list", "integers", "Tensor", "constant"],
)
def test_where_takes_from_one_and_gives_back_to_it(condition):
    x, y = Tensor([1.0, 2.0, 3.0]), Tensor(10.0)
    z = where(condition, x, y)
    z.backward([1, 2, 4])
    assert z.data.tolist() == [1, 10, 3]
    assert (x.grad.data.tolist(), y.grad) == ([1, 0, 4], 2)
    if isinstance(condition, Tensor):
        assert condition.grad is None


@pytest.mark.parametrize("condition", [True, False])
def test_where_of_numbers_is_a_python_float(condition):
    x, y = Tensor(2), Tensor(3)
    z = where(condition, x, y)
    z.backward()
    assert (type(z.data), z.data) == (float, 2 if condition else 3)
    assert (x.grad, y.grad) == (condition, not condition)
    assert type(where(condition, x, 0).data) is float


def test_where_keeps_an_infinite_gradient_from_the_other_side():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    where([True, False], x, y).backward([INF, NAN])
    np.testing.assert_array_equal(x.grad.data, [INF, 0])
    np.testing.assert_array_equal(y.grad.data, [0, NAN])


def test_where_guards_a_logarithm():
    """The guard belongs inside: what is not chosen is computed all the same."""
    x = Tensor([0.0, 2.0])
    where(x > 0, log(where(x > 0, x, 1.0)), 0.0).backward(1)
    assert x.grad.data.tolist() == [0, 0.5]


def test_clip_passes_the_gradient_to_whichever_is_the_result():
    x, low, high = Tensor([-2.0, 0.0, 0.5, 1.0, 7.0]), Tensor(0.0), Tensor(1.0)
    z = clip(x, low, high)
    z.backward([1, 2, 4, 8, 16])
    assert z.data.tolist() == [0, 0, 0.5, 1, 1]
    assert x.grad.data.tolist() == [0, 2, 4, 8, 0]
    assert (low.grad, high.grad) == (1, 16)


def test_every_element_of_a_clip_has_one_owner_even_where_bounds_meet_or_cross():
    values = [1.0, 2.0, 3.0]
    x, low, high = (Tensor(grid) for grid in np.meshgrid(values, values, values))
    z = clip(x, low, high)
    np.testing.assert_array_equal(z.data, np.clip(x.data, low.data, high.data))
    shares = [slope.data for slope in gradients(z, [x, low, high], 1)]
    np.testing.assert_array_equal(sum(shares), np.ones((3, 3, 3)))
    for share, operand in zip(shares, (x, low, high), strict=True):
        assert (operand.data[share == 1] == z.data[share == 1]).all()


def test_clip_with_one_bound():
    x = Tensor(np.array([-1000, 1000], dtype=np.float32))
    z = clip(x, -INF, 1)
    z.backward(1)
    assert (z.dtype, z.data.tolist(), x.grad.data.tolist()) == (np.float32, [-1000, 1], [1, 0])


@pytest.mark.parametrize(
    ("operation", "values", "to_x"),
    [(fmax, [1, 2, 5, 4, NAN], [0, 0.5, 1, 1, 0.5]), (fmin, [1, 2, 3, 4, NAN], [1, 0.5, 0, 1, 0.5])],
    ids=str,
)
@pytest.mark.parametrize("form", [float, lambda x: np.array([x], dtype=float)], ids=["number", "array"])
def test_fmax_and_fmin_share_a_tie_and_pass_over_nan(operation, values, to_x, form):
    pairs = zip([1, 2, 5, 4, NAN], [3, 2, 3, NAN, NAN], values, to_x, strict=True)
    for a, b, value, share in pairs:
        value = {fmax: max, fmin: min}[operation](a, b) if not math.isnan(a + b) else value
        for swapped in (False, True):
            x, y = (Tensor(form(b if swapped else a)), Tensor(form(a if swapped else b)))
            z = operation(x, y)
            z.backward()
            np.testing.assert_equal(z.item(), float(value))
            expected = (1 - share, share) if swapped else (share, 1 - share)
            assert (x.grad.item(), y.grad.item()) == expected


@pytest.mark.parametrize(
    ("operation", "expected"),
    [(floor, [-2, -1, 0, 0, 2]), (ceil, [-1, 0, 0, 1, 3]), (rounded, [-2, 0, 0, 0, 2])],
    ids=str,
)
def test_rounding_is_a_constant(operation, expected):
    x = Tensor([-1.5, -0.5, 0.0, 0.5, 2.5])
    z = operation(x)
    assert (z.data.tolist(), z.requires_grad) == (expected, False)
    assert [operation(Tensor(value)).data for value in x.data.tolist()] == expected
    y = x * z  # a staircase of lines: the slope is the step's
    y.backward(1)
    assert x.grad.data.tolist() == expected


def test_round_to_decimals():
    assert rounded(Tensor([3.14159, -2.5]), decimals=2).data.tolist() == [3.14, -2.5]
    assert rounded(Tensor(1234.5), decimals=-2).data == 1200


def test_numbers_clipped_at_an_array_have_its_dtype():
    low, high = -1.0, np.array([0.25, 2.0], np.float32)
    assert clip(0.5, low, high).dtype == np.float32
    assert clip(Tensor(0.5), low, high).dtype == np.float32
    assert clip(np.array(0.5), low, high).dtype == np.float64
