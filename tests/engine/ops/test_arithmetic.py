"""add, sub, mul, div, neg, pow, maximum, minimum: values by hand, and their corners."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.backward import gradients


@pytest.mark.parametrize(
    ("operation", "value", "slopes"),
    [
        (ad.add, 9, (1, 1)),
        (ad.sub, 5, (1, -1)),
        (ad.mul, 14, (2, 7)),
        (ad.div, 3.5, (0.5, -1.75)),
        (ad.pow, 49, (14, 49 * np.log(7))),
        (ad.maximum, 7, (1, 0)),
        (ad.minimum, 2, (0, 1)),
    ],
    ids=str,
)
def test_values_and_slopes_at_7_and_2(operation, value, slopes):
    x, y = Tensor(7), Tensor(2)
    z = operation(x, y)
    z.backward()
    assert z == value
    assert (x.grad.data, y.grad.data) == pytest.approx(slopes)


@pytest.mark.parametrize("operation", [ad.maximum, ad.minimum], ids=str)
def test_a_tie_shares_the_gradient(operation):
    x, y = Tensor([1.0, 2.0, 3.0]), Tensor([2.0, 2.0, 2.0])
    operation(x, y).backward(1)
    assert x.grad.data[1] == y.grad.data[1] == 0.5
    assert (x.grad.data + y.grad.data).tolist() == [1, 1, 1]


@pytest.mark.parametrize("operation", [ad.maximum, ad.minimum], ids=str)
def test_of_a_number_with_itself_the_whole_gradient_arrives(operation):
    x = Tensor(3)
    operation(x, x).backward()
    assert x.grad == 1


@pytest.mark.parametrize("base", [-3.0, -0.5, 0.0])
@pytest.mark.parametrize("exponent", [1, 2, 3])
def test_pow_of_a_base_that_has_no_logarithm(base, exponent):
    x = Tensor(base)
    (x**exponent).backward()
    assert x.grad == exponent * base ** (exponent - 1)


def test_a_constant_exponent_is_never_asked_for_its_slope(monkeypatch):
    def refuse(*_):
        raise AssertionError("log was taken for a gradient that nobody wants")

    monkeypatch.setattr(ad.pow, "rules", (ad.pow.rules[0], refuse))
    x = Tensor([-1.0, 2.0])
    (x**2).backward(1)
    assert x.grad.data.tolist() == [-2, 4]


@pytest.mark.parametrize("x", [2.0, [2.0]], ids=["number", "array"])
def test_mixed_second_derivative_of_pow_where_the_exponent_is_0(x):
    """d/dx x**y = y x**(y-1), and the slope of that by y is x**(y-1) (1 + y log x): 1/2 at x=2, y=0."""
    x, y = Tensor(x), Tensor(0.0)
    slope = gradients(x**y, [x], 1, create_graph=True)[0]
    assert gradients(slope, [y], 1)[0].data == pytest.approx(0.5)


@pytest.mark.parametrize("x", [0.0, -2.0, 3.0])
def test_second_and_third_derivative_of_a_square(x):
    slope = ad.grad(lambda x: x**2)
    assert ad.grad(slope)(x) == 2
    assert ad.grad(ad.grad(slope))(x) == 0


@pytest.mark.parametrize("exponent", [[2, 3], [0, 1]])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32])
def test_integer_exponents_in_an_array(exponent, dtype):
    x = Tensor([3.0, 3.0])
    (x ** np.array(exponent, dtype=dtype)).backward(1)
    assert x.grad.data.tolist() == [n * 3 ** max(n - 1, 0) for n in exponent]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8, np.bool_])
@pytest.mark.parametrize("base", [1000.0, [1000.0, 2.0]], ids=["number", "array"])
def test_an_unsigned_exponent_does_not_wrap_around(base, dtype):
    x = Tensor(base)
    (x ** dtype(0)).sum().backward()
    assert np.all(x.grad.data == 0)
    x.zero_grad()
    (x ** np.zeros(2, dtype)).sum().backward()
    assert np.all(x.grad.data == 0)
