"""%, //, divmod and round: Python's words for operations of NumPy."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from autodiff import Tensor

VALUES = [7.5, -7.5, [7.5, -7.5, 0.25], np.float32([[7.5], [-3.5]])]
DIVISORS = [2.0, -2.0, [2.0, -2.0, 0.75]]
OPERATORS = {"%": operator.mod, "//": operator.floordiv, "divmod": divmod}


def values(result):
    return [getattr(part, "data", part) for part in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("apply", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize("y", DIVISORS, ids=str)
@pytest.mark.parametrize("x", VALUES, ids=str)
def test_remainders_and_whole_quotients_are_numpy_s(apply, x, y):
    a, b = np.asarray(x), np.asarray(y)
    pairs = [(Tensor(x), Tensor(y)), (Tensor(x), y), (Tensor(x), b), (a.tolist(), Tensor(y))]
    pairs += [] if apply is divmod else [(a, Tensor(y))]  # np.divmod is no operation of one result
    for left, right in pairs:
        for mine, theirs in zip(values(apply(left, right)), values(apply(a, b)), strict=True):
            np.testing.assert_allclose(mine, theirs)


def test_the_gradient_of_a_remainder():
    x, y = Tensor([7.5, -7.5]), Tensor(2.0)
    (x % y).sum().backward()
    assert (x.grad.tolist(), y.grad) == ([1, 1], -(3 - 4))
    assert not (Tensor(7.5) // 2).requires_grad


def test_the_augmented_forms_make_a_new_tensor():
    x = y = z = Tensor([7.5, -7.5])
    y %= 2
    z //= 2
    assert (x.tolist(), y.tolist(), z.tolist()) == ([7.5, -7.5], [1.5, 0.5], [3, -4])


@pytest.mark.parametrize("x", VALUES, ids=str)
def test_round(x):
    np.testing.assert_array_equal(round(Tensor(x)).data, np.round(np.asarray(x)))
    np.testing.assert_array_equal(round(Tensor(x) / 3, 2).data, np.round(np.asarray(x) / 3, 2))
