"""The same operations in PyTorch, values and gradients, where it is installed. The package never needs it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff as ad
from autodiff import Tensor
from autodiff.catalogue import catalogue
from tests.engine.ops.cases import CASES, calls

torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.torch])
@settings(max_examples=20)
@given(data=st.data())
def test_values_and_gradients_are_torch_s(name, data):
    operands, options = data.draw(calls(name))
    function = CASES[name].torch
    function = getattr(torch, function) if isinstance(function, str) else function
    theirs = [torch.tensor(operand, dtype=torch.float64, requires_grad=True) for operand in operands]
    expected = function(*theirs, **options)
    expected.backward(torch.full(expected.shape, 3.0, dtype=torch.float64))

    ours = [Tensor(operand) for operand in operands]
    out = catalogue.find(name)(*ours, **options)
    out.backward(3)
    np.testing.assert_allclose(out.data, expected.detach().numpy(), rtol=1e-12, atol=1e-14)
    for mine, other in zip(ours, theirs, strict=True):
        assert (mine.grad is None) == (other.grad is None)  # which it is for a condition
        if mine.grad is not None:
            np.testing.assert_allclose(mine.grad.data, other.grad.numpy(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ["relu", "abs", "maximum", "minimum"])
def test_kinks_are_torch_s(name):
    count = len(CASES[name].grids)
    ours = [Tensor([0.0, 1.0]) for _ in range(count)]
    theirs = [torch.tensor([0.0, 1.0], requires_grad=True) for _ in range(count)]
    getattr(ad, name)(*ours).backward(1)
    getattr(torch, name)(*theirs).sum().backward()
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine.grad.data, other.grad.numpy())


def test_a_small_network_has_torch_s_gradients():
    random = np.random.default_rng(0)
    x, w1, b1, w2 = (random.normal(size=shape) for shape in [(5, 3), (3, 4), (4,), (4, 2)])

    def loss(x, w1, b1, w2):
        return (((x @ w1 + b1).tanh() @ w2).exp().sum(-1) ** 2).mean()

    ours = [Tensor(value) for value in (x, w1, b1, w2)]
    theirs = [torch.tensor(value, requires_grad=True) for value in (x, w1, b1, w2)]
    loss(*ours).backward()
    loss(*theirs).backward()
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine.grad.data, other.grad.numpy(), rtol=1e-12)
