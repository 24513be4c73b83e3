"""Powers, roots, exponentials, logarithms: values and slopes by hand, and what happens far out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor, gradcheck
from autodiff.ops import powers

INF = math.inf


@pytest.mark.parametrize(
    ("operation", "x", "value", "slope"),
    [
        (powers.square, 3, 9, 6),
        (powers.cbrt, 8, 2, 1 / 12),
        (powers.cbrt, -8, -2, 1 / 12),
        (powers.reciprocal, 4, 0.25, -0.0625),
        (powers.exp2, 3, 8, 8 * math.log(2)),
        (powers.expm1, 1, math.e - 1, math.e),
        (powers.log2, 8, 3, 1 / (8 * math.log(2))),
        (powers.log10, 100, 2, 1 / (100 * math.log(10))),
        (powers.log1p, 3, math.log(4), 0.25),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", [float, lambda x: np.array([x], dtype=float)], ids=["number", "array"])
def test_value_and_slope(operation, x, value, slope, form):
    x = Tensor(form(x))
    y = operation(x)
    y.backward()
    assert (y.item(), x.grad.item()) == pytest.approx((value, slope), rel=1e-14)


def test_tiny_numbers_are_not_lost_beside_1():
    for operation in (powers.expm1, powers.log1p):
        for tiny in (1e-20, np.array([1e-20])):
            assert operation(Tensor(tiny)).item() == pytest.approx(1e-20, rel=1e-14)


def test_slopes_at_0():
    x = Tensor([0.0])
    powers.cbrt(x).backward()
    assert x.grad.data.tolist() == [INF]
    y = Tensor(0.0)
    powers.reciprocal(y).backward()
    assert y.grad == -INF


def test_reciprocal_of_an_integer_is_a_fraction():
    assert powers.reciprocal(np.array([2, 4])).tolist() == [0.5, 0.25]
    assert powers.reciprocal(2) == 0.5


def test_logaddexp_shares_the_gradient_as_the_terms_share_the_sum():
    x, y = Tensor([0.0, 1000.0, -1000.0]), Tensor([math.log(3), 1000.0, 1000.0])
    z = powers.logaddexp(x, y)
    z.backward(1)
    np.testing.assert_allclose(z.data, [math.log(4), 1000 + math.log(2), 1000], rtol=1e-15)
    np.testing.assert_allclose(x.grad.data, [0.25, 0.5, 0], rtol=1e-12)
    np.testing.assert_allclose(y.grad.data, [0.75, 0.5, 1], rtol=1e-12)


def test_logaddexp_gives_no_gradient_to_what_is_masked_out():
    x, y = Tensor([-INF, -INF]), Tensor([-INF, 2.0])
    z = powers.logaddexp(x, y)
    z.backward(1)
    assert z.data.tolist() == [-INF, 2]
    assert (x.grad.data.tolist(), y.grad.data.tolist()) == ([0, 0], [0, 1])


def test_logaddexp_at_a_tie_has_a_second_derivative():
    gradcheck(powers.logaddexp, [0.5, 1000.0], [0.5, 1000.0])
    x = Tensor(2.0)
    powers.logaddexp(x, 2.0).backward(create_graph=True)
    slope, x.grad = x.grad, None
    slope.backward()
    assert x.grad.item() == pytest.approx(0.25)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("large", [1e7, -1e7, 1e30])
def test_the_gradient_of_logaddexp_does_not_depend_on_how_large_the_terms_are(large, dtype):
    """log(2) is lost beside 1e30; which part of the sum is whose is not."""
    x, y = Tensor(np.array([large], dtype)), Tensor(np.array([large], dtype))
    powers.logaddexp(x, y).backward(1)
    assert (x.grad.item(), y.grad.item()) == (0.5, 0.5)


def test_what_is_infinite_takes_the_whole_gradient_of_logaddexp():
    x, y = Tensor([INF, 1.0]), Tensor([1.0, INF])
    powers.logaddexp(x, y).backward(1)
    assert (x.grad.data.tolist(), y.grad.data.tolist()) == ([1, 0], [0, 1])
