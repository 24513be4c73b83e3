"""exp, log, sqrt, sin, cos, tanh, sigmoid, relu, abs, sign: values by hand, and their corners."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

TANH = math.tanh(0.5)
SIGMOID = 1 / (1 + math.exp(-0.5))


@pytest.mark.parametrize(
    ("operation", "value", "slope"),
    [
        (ad.exp, math.exp(0.5), math.exp(0.5)),
        (ad.log, math.log(0.5), 2),
        (ad.sqrt, math.sqrt(0.5), 0.5 / math.sqrt(0.5)),
        (ad.sin, math.sin(0.5), math.cos(0.5)),
        (ad.cos, math.cos(0.5), -math.sin(0.5)),
        (ad.tanh, TANH, 1 - TANH**2),
        (ad.sigmoid, SIGMOID, SIGMOID * (1 - SIGMOID)),
        (ad.relu, 0.5, 1),
        (ad.abs, 0.5, 1),
    ],
    ids=str,
)
def test_value_and_slope_at_a_half(operation, value, slope):
    x = Tensor(0.5)
    y = operation(x)
    y.backward()
    assert (y.data, x.grad.data) == pytest.approx((value, slope), rel=1e-15)


@pytest.mark.parametrize(
    ("operation", "slopes"), [(ad.relu, [0, 0, 1]), (ad.abs, [-1, 0, 1])], ids=["relu", "abs"]
)
def test_at_a_corner_the_slope_is_0(operation, slopes):
    x = Tensor([-2.0, 0.0, 3.0])
    operation(x).backward(1)
    assert x.grad.data.tolist() == slopes
    for value, slope in zip(x.data.tolist(), slopes, strict=True):
        number = Tensor(value)
        operation(number).backward()
        assert number.grad == slope


def test_sigmoid_far_out_is_exact_and_silent():
    x = Tensor([-1000.0, -800.0, 0.0, 800.0, 1000.0])
    y = ad.sigmoid(x)
    y.backward(1)
    assert y.data.tolist() == [0, 0, 0.5, 1, 1]
    assert x.grad.data.tolist() == [0, 0, 0.25, 0, 0]


def test_sigmoid_keeps_float32_far_out():
    y = ad.sigmoid(Tensor(np.array([-100, 100], dtype=np.float32)))
    assert (y.dtype, y.data.tolist()) == (np.float32, [0, 1])


@pytest.mark.parametrize(
    "operation", [ad.exp, ad.log, ad.sqrt, ad.sin, ad.cos, ad.tanh, ad.sigmoid, ad.relu, ad.abs], ids=str
)
@pytest.mark.parametrize("operand", [Tensor(8.0), Tensor([8.0]), 8.0, np.array([8.0])], ids=repr)
def test_a_function_of_one_variable_takes_one_operand(operation, operand):
    """math.log has a second parameter, its base, which must not come through."""
    with pytest.raises(TypeError):
        operation(operand, 2.0)
