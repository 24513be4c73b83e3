"""ad.vmap of functions whose examples are single numbers computes with them as Python does in a loop, where
True counts as 1."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

X = np.array([-1.5, -0.25, 0.7, 2.0])

OF_COMPARISONS = {
    "add": lambda x: (x > 0) + (x > 0.5),
    "subtract": lambda x: (x > 0) - (x > 0.5),
    "multiply": lambda x: (x > 0) * (x > 0.5),
    "negative": lambda x: -(x > 0),
    "positive": lambda x: +(x > 0),
    "absolute": lambda x: abs(x > 0),
    "and": lambda x: (x > 0) & (x < 1),
    "or": lambda x: (x > 1) | (x < 0),
    "xor": lambda x: (x > 0) ^ (x > 1),
    "and int": lambda x: ((x > 0) + (x > 1)) & 1,
    "left shift": lambda x: (x > 0) << 2,
    "right shift": lambda x: ((x > 0) + 3) >> (x > 0.5),
    "add int": lambda x: (x > 0) + 2,
    "int minus": lambda x: 1 - (x > 0),
    "multiply int": lambda x: 3 * (x > 0),
    "add bool": lambda x: True + (x > 0),
    "add float": lambda x: 0.5 + (x > 0),
    "divide": lambda x: (x > 0) / 4,
    "floor divide": lambda x: ((x > 0) + (x > 1)) // 2,
    "remainder": lambda x: ((x > 0) + (x > 1)) % 2,
    "divmod": lambda x: sum(divmod((x > 0) + 3, 2)),
    "power": lambda x: ((x > 0) + (x > 1)) ** 2,
    "equal": lambda x: (x > 0) == (x > 1),
    "less": lambda x: (x > 1) < (x > 0),
    "add ufunc": lambda x: np.add(x > 0, x > 0.5),
    "with np scalar": lambda x: (x > 0) + np.float32(2),
    "with 0-d array": lambda x: (x > 0) * np.array(3),
    "with an array": lambda x: ((x > 0) + (x > 1)) * np.arange(3.0),
    "with booleans": lambda x: (x > 0) + np.array([True, False]),
    "three": lambda x: (x > 0) + (x > 0.5) + (x > 1),
}
OF_NUMBERS = {
    "kept": lambda x: x * ((x > 0) + (x > 0.5)),
    "maximum": lambda x: ad.maximum(x * x, 0.1),
    "minimum": lambda x: ad.minimum(x * x, 0.1),
    "tie": lambda x: ad.maximum(x, x * 1.0),
    "clip": lambda x: ad.clip(x * x, 0.1, 3.0),
    "abs": lambda x: abs(x * x * x),
    "relu": lambda x: ad.relu(x) ** 2,
    "hinge": lambda x: ad.maximum(0, 1 - x) ** 2,
    "where": lambda x: ad.where(x > 0, x * x, -x * x * x),
    "divide": lambda x: x**3 / (1 + (x > 0) + (x > 1)),
}


@pytest.mark.parametrize("name", OF_COMPARISONS)
def test_comparisons_count_as_in_a_loop(name):
    f = OF_COMPARISONS[name]
    values = [np.asarray(f(Tensor(x))) for x in X.tolist()]
    expected = np.stack(values)
    for over in (ad.vmap(f), ad.compile(ad.vmap(f))):
        found = np.asarray(ad.as_tensor(over(Tensor(X))).data)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype
    twice = ad.vmap(ad.vmap(f))(Tensor(X.reshape(2, 2)))
    np.testing.assert_array_equal(ad.as_tensor(twice).data, expected.reshape(2, 2, *expected.shape[1:]))


DERIVATIVES = {
    "value": lambda f: f,
    "grad": ad.grad,
    "second": lambda f: ad.grad(ad.grad(f)),
    "hessian": ad.hessian,
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_derivatives_of_numbers(name, derivative):
    f = DERIVATIVES[derivative](OF_NUMBERS[name])
    expected = np.stack([ad.as_tensor(f(x)).data for x in X.tolist()])
    for over in (ad.vmap(f), ad.compile(ad.vmap(f))):
        np.testing.assert_allclose(ad.as_tensor(over(Tensor(X))).data, expected, rtol=1e-12)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_a_derivative_of_vmap(name):
    f = OF_NUMBERS[name]
    expected = [ad.grad(f)(x) for x in X.tolist()]
    found = ad.grad(lambda xs: ad.vmap(f)(xs).sum())(X)
    np.testing.assert_allclose(ad.as_tensor(found).data, [float(x) for x in expected], rtol=1e-12)


def test_a_minimum_and_a_maximum_have_their_whole_gradient():
    found = ad.vmap(ad.grad(lambda x: ad.maximum(x * x, 0.1)))(np.array([0.7, 2.0]))
    np.testing.assert_allclose(found.data, [1.4, 4.0])
    assert ad.vmap(lambda x: x * ((x > 0) + (x > 0.5)))(Tensor([0.7])).data == [1.4]
