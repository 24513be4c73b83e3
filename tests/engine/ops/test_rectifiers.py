"""The activations of rectifiers.py: values by hand, and their corners."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor
from autodiff.ops import rectifiers

ALPHA, SCALE = 1.6732632423543772, 1.0507009873554805
MISH_OF_1 = math.tanh(math.log1p(math.e))
OPERATIONS = {
    "selu": rectifiers.selu,
    "celu": lambda x: rectifiers.celu(x, alpha=2.0),
    "mish": rectifiers.mish,
    "softsign": rectifiers.softsign,
    "prelu": lambda x: rectifiers.prelu(x, 0.25),
    "hardtanh": rectifiers.hardtanh,
    "hardsigmoid": rectifiers.hardsigmoid,
    "hardswish": rectifiers.hardswish,
    "threshold": lambda x: rectifiers.threshold(x, level=0.0, value=-1.0),
}


@pytest.mark.parametrize(
    ("name", "x", "value", "slope"),
    [
        ("selu", 2.0, 2 * SCALE, SCALE),
        ("selu", -math.log(2), -SCALE * ALPHA / 2, SCALE * ALPHA / 2),
        ("celu", 2.0, 2.0, 1.0),
        ("celu", -2 * math.log(2), -1.0, 0.5),
        ("mish", 0.0, 0.0, 0.6),
        ("mish", 1.0, MISH_OF_1, MISH_OF_1 + (1 - MISH_OF_1**2) / (1 + math.exp(-1))),
        ("softsign", -3.0, -0.75, 1 / 16),
        ("softsign", 0.0, 0.0, 1.0),
        ("prelu", -2.0, -0.5, 0.25),
        ("prelu", 0.0, 0.0, 0.25),
        ("hardtanh", 0.5, 0.5, 1.0),
        ("hardtanh", 1.0, 1.0, 0.0),
        ("hardsigmoid", 1.5, 0.75, 1 / 6),
        ("hardswish", 1.5, 1.125, 1.0),
        ("hardswish", 3.0, 3.0, 1.0),
        ("hardswish", -3.0, 0.0, 0.0),
        ("threshold", 0.0, -1.0, 0.0),
        ("threshold", 0.5, 0.5, 1.0),
    ],
)
@pytest.mark.parametrize("form", [float, np.float64, lambda x: np.array([x])], ids=["number", "0-d", "array"])
def test_values_and_slopes_by_hand(name, x, value, slope, form):
    x = Tensor(form(x))
    y = OPERATIONS[name](x)
    y.backward(1)
    np.testing.assert_allclose(np.ravel(y.data), value, rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(np.ravel(x.grad.data), slope, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("x", [math.inf, -math.inf, math.nan, 1e308, -1e308, 1e-320, -0.0], ids=str)
def test_a_number_does_what_arrays_do(name, x):
    number, array = Tensor(x), Tensor(np.array([x]))
    results = []
    for operand in (number, array):
        out = OPERATIONS[name](operand)
        out.backward(1)
        results.append([*np.ravel(out.data), *np.ravel(operand.grad.data)])
    assert type(number.data) is float
    np.testing.assert_allclose(results[0], results[1], rtol=1e-14)
    assert math.isnan(results[1][0]) or not math.isnan(x)


@pytest.mark.parametrize("name", OPERATIONS)
def test_far_out_nothing_overflows(name):
    x = Tensor(np.float32([-3e38, -1e4, 1e4, 3e38]))
    y = OPERATIONS[name](x)
    y.sum().backward()
    assert y.dtype == x.grad.dtype == np.float32
    assert np.isfinite(x.grad.data).all()
    assert np.isfinite(y.data).all() or name == "selu"  # whose scale takes 3e38 beyond float32


def test_a_weight_per_element_gets_the_inputs_below_0():
    x, weight = Tensor([[-2.0, 3.0], [-4.0, 0.0]]), Tensor([0.5, 0.1])
    rectifiers.prelu(x, weight).backward(1)
    assert weight.grad.data.tolist() == [-6, 0]
    assert x.grad.data.tolist() == [[0.5, 1], [0.5, 0.1]]
