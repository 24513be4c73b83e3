"""Compiled functions give what the functions give."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.compiling import TraceError
from autodiff.compiling import compile_function as compiled


def weighted(x, w):
    return ((x @ w).tanh() * w).sum()


X = [[1.0, 2.0], [0.5, 0.1]]
W = [[1.0, 2.0], [3.0, 4.0]]


def test_the_gradient_is_taken_inside():
    fast = compiled(ad.value_and_grad(weighted, argnums=(0, 1)))
    value, gradients = fast(Tensor(X), Tensor(W))
    expected, by_rules = ad.value_and_grad(weighted, argnums=(0, 1))(Tensor(X), Tensor(W))
    np.testing.assert_allclose(value.data, expected.data, rtol=1e-15)
    for mine, other in zip(gradients, by_rules, strict=True):
        np.testing.assert_allclose(mine.data, other.data, rtol=1e-15)


def test_the_gradient_is_taken_outside_of_arguments_and_of_captured_tensors():
    x, w = Tensor(X), Tensor(W)
    fast = compiled(lambda x: weighted(x, w))
    fast(x).backward()
    found = x.grad, w.grad
    x.zero_grad()
    w.zero_grad()
    weighted(x, w).backward()
    np.testing.assert_allclose(found[0].data, x.grad.data, rtol=1e-14)
    np.testing.assert_allclose(found[1].data, w.grad.data, rtol=1e-14)


def test_a_compiled_function_is_differentiated_twice():
    w = Tensor(W)
    fast = compiled(lambda x: weighted(x, w))
    point = Tensor([[0.1, 0.2]])
    expected = ad.hessian(lambda x: weighted(x, w))(point)
    np.testing.assert_allclose(ad.hessian(fast)(point).data, expected.data, rtol=1e-12)


def test_captured_tensors_are_read_at_each_call():
    w = Tensor(3.0)
    fast = compiled(lambda x: x * w * w)
    assert fast(2.0) == 18
    w.assign(5.0)
    assert fast(2.0) == 50


def test_one_program_for_each_kind_of_arguments():
    calls = []

    def f(x, power):
        calls.append(power)
        return x**power

    fast = compiled(f)
    assert [fast(2.0, 3), fast(3.0, 3), fast(2.0, 2)] == [8, 27, 4]
    np.testing.assert_array_equal(fast(np.array([2.0, 3.0]), 2), [4, 9])
    assert calls == [3, 2, 2]


@pytest.mark.parametrize("f", [
    lambda x: x if x.sum() > 0 else -x,
    lambda x: x * float(x.sum()),
    lambda x: x * x.sum().item(),
    lambda x: x[x > 0],
])  # fmt: skip
def test_a_value_is_refused_while_tracing(f):
    with pytest.raises(TraceError):
        compiled(f)(Tensor([1.0, 2.0]))
