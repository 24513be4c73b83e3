"""Activations, erf, and the softmax family: values by hand, kinks, and large inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor, exp
from autodiff.ops import activations as act

INF = math.inf
TANH_GELU_OF_1 = 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * 1.044715))


@pytest.mark.parametrize(
    ("operation", "options", "x", "value", "slope"),
    [
        (act.softplus, {}, 0, math.log(2), 0.5),
        (act.softplus, {}, math.log(3), math.log(4), 0.75),
        (act.logsigmoid, {}, 0, -math.log(2), 0.5),
        (act.logsigmoid, {}, math.log(3), math.log(0.75), 0.25),
        (act.silu, {}, 0, 0, 0.5),
        (act.silu, {}, math.log(3), 0.75 * math.log(3), 0.75 + math.log(3) * 0.1875),
        (act.leaky_relu, {}, -2, -0.02, 0.01),
        (act.leaky_relu, {"slope": 0.2}, -2, -0.4, 0.2),
        (act.leaky_relu, {"slope": 0.2}, 0, 0, 0.2),
        (act.leaky_relu, {"slope": 0.2}, 3, 3, 1),
        (act.elu, {}, -math.log(2), -0.5, 0.5),
        (act.elu, {"alpha": 2.0}, -math.log(2), -1, 1),
        (act.elu, {"alpha": 2.0}, 0, 0, 2),
        (act.elu, {}, 3, 3, 1),
        (act.erf, {}, 0, 0, 2 / math.sqrt(math.pi)),
        (act.erf, {}, 1, 0.8427007929497149, 2 / math.sqrt(math.pi) / math.e),
        (act.gelu, {}, 0, 0, 0.5),
        (act.gelu, {}, 1, 0.8413447460685429, 1.0833154705876864),
        (act.gelu, {"approximate": "tanh"}, 0, 0, 0.5),
        (act.gelu, {"approximate": "tanh"}, 1, TANH_GELU_OF_1, 1.0829640838457826),
    ],
)
@pytest.mark.parametrize("form", [float, lambda x: np.array([x], dtype=float)], ids=["number", "array"])
def test_value_and_slope(operation, options, x, value, slope, form):
    x = Tensor(form(x))
    y = operation(x, **options)
    y.backward()
    assert (y.item(), x.grad.item()) == pytest.approx((value, slope), rel=1e-13)


@pytest.mark.parametrize(
    ("operation", "options", "values", "slopes"),
    [
        (act.softplus, {}, [0, 1000], [0, 1]),
        (act.logsigmoid, {}, [-1000, 0], [1, 0]),
        (act.silu, {}, [0, 1000], [0, 1]),
        (act.leaky_relu, {}, [-10, 1000], [0.01, 1]),
        (act.elu, {}, [-1, 1000], [0, 1]),
        (act.erf, {}, [-1, 1], [0, 0]),
        (act.gelu, {}, [0, 1000], [0, 1]),
        (act.gelu, {"approximate": "tanh"}, [0, 1000], [0, 1]),
    ],
)
@pytest.mark.parametrize("dtype", [float, np.float32, np.float64])
def test_far_out(operation, options, values, slopes, dtype):
    for at, value, slope in zip([-1000, 1000], values, slopes, strict=True):
        x = Tensor(at if dtype is float else np.array([at], dtype=dtype))
        y = operation(x, **options)
        y.backward(create_graph=True)
        assert y.dtype == x.grad.dtype == np.dtype(dtype)
        assert (y.item(), x.grad.item()) == pytest.approx((value, slope))
        first, x.grad = x.grad, None
        if first.requires_grad:
            first.backward()
            assert x.grad is None or x.grad.item() == 0


def test_erf_is_right_in_every_digit_and_everywhere():
    x = np.concatenate(
        [np.linspace(-6.5, 6.5, 4001), np.logspace(-300, 0, 301), [-0.0, 0.0, 1000, INF, -INF]]
    )
    expected = np.array([math.erf(value) for value in x])
    np.testing.assert_allclose(act.erf(x), expected, rtol=4e-16, atol=0)
    np.testing.assert_array_equal(np.signbit(act.erf(x)), np.signbit(expected))
    assert np.isnan(act.erf(np.array([np.nan]))).all()


@pytest.mark.parametrize("x", [Tensor(1.0), Tensor([1.0]), 1.0])
def test_gelu_knows_two_formulas(x):
    with pytest.raises(ValueError, match="approximate must be 'none' or 'tanh', not 'sigmoid'"):
        act.gelu(x, approximate="sigmoid")


def test_softmax_shares():
    x = Tensor(np.log([[1.0, 2.0, 5.0], [1.0, 1.0, 2.0]]))
    p = act.softmax(x)
    np.testing.assert_allclose(p.data, [[0.125, 0.25, 0.625], [0.25, 0.25, 0.5]], rtol=1e-15)
    p.backward([[1, 0, 0], [0, 0, 1]])  # p_i (1 - p_i) for the element itself, -p_i p_j for another
    expected = [[0.109375, -0.03125, -0.078125], [-0.125, -0.125, 0.25]]
    np.testing.assert_allclose(x.grad.data, expected, rtol=1e-14)


def test_log_softmax_has_the_gradient_of_a_cross_entropy():
    x = Tensor(np.log([1.0, 2.0, 5.0]))
    z = act.log_softmax(x)
    np.testing.assert_allclose(z.data, np.log([0.125, 0.25, 0.625]), rtol=1e-15)
    z.backward([0, -1, 0])
    np.testing.assert_allclose(x.grad.data, [0.125, -0.75, 0.625], rtol=1e-14)


@pytest.mark.parametrize("axis", [0, 1, -1, -2, None, (0, 1), (0, -1)])
def test_the_softmax_family_agrees_along_every_axis(axis):
    x = Tensor([[1000.0, 1001.0, 1002.5], [-1000.0, 1000.0, 999.0]])
    p = act.softmax(x, axis=axis)
    np.testing.assert_allclose(p.data.sum(axis=axis), 1, rtol=1e-15)
    np.testing.assert_allclose(exp(act.log_softmax(x, axis=axis)).data, p.data, rtol=1e-13)
    z = act.logsumexp(x, axis=axis, keepdims=True)
    np.testing.assert_allclose((x - z).exp().data, p.data, rtol=1e-12)
    z.backward(1)
    np.testing.assert_allclose(x.grad.data, p.data, rtol=1e-12)


def test_what_is_masked_out_gets_no_gradient():
    x = Tensor([[-INF, 0.0, 0.0], [-INF, -INF, -INF]])
    z = act.logsumexp(x, axis=1)
    z.backward(1)
    assert z.data.tolist() == [pytest.approx(math.log(2)), -INF]
    np.testing.assert_allclose(x.grad.data, [[0, 0.5, 0.5], [0, 0, 0]])
    y = Tensor([-INF, 0.0, 0.0])
    p = act.softmax(y)
    p.backward([1, 2, 4])
    assert (p.data.tolist(), y.grad.data.tolist()) == ([0, 0.5, 0.5], [0, -0.5, 0.5])


def test_logsumexp_of_infinity_and_of_nothing():
    assert act.logsumexp(np.array([INF, 1.0])) == INF
    assert act.logsumexp(Tensor(np.zeros((2, 0))), axis=1).data.tolist() == [-INF, -INF]
    assert act.softmax(Tensor(np.zeros((2, 0)))).shape == (2, 0)


@pytest.mark.parametrize("operation", [act.softmax, act.log_softmax, act.logsumexp], ids=str)
def test_integers_and_numbers_are_taken(operation):
    np.testing.assert_array_equal(operation(np.array([1, 2, 3])), operation(np.array([1.0, 2.0, 3.0])))
    x = Tensor(2.0)
    z = operation(x)
    z.backward()
    assert type(z.data) is type(x.grad.data) is float
    expected = {"softmax": (1, 0), "log_softmax": (0, 0), "logsumexp": (2, 1)}[operation.name]
    assert (z.data, x.grad.data) == expected
