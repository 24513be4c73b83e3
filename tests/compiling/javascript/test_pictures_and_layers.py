"""Convolution, pooling, attention and recurrent layers, with all their options, to 1e-12 of autodiff's
forwards."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from autodiff.nn import attention_pieces, attention_weights
from autodiff.ops import convolution, cumulative, ordering, patches, pooling, recurrence
from tests.compiling.javascript.node import check

RNG = np.random.default_rng(0)
CONVOLUTIONS = [
    {}, {"stride": (2, 1)}, {"padding": ((1, 2), (0, 3))}, {"dilation": (2, 3)}, {"groups": 2},
    {"stride": (2, 3), "padding": ((2, 1), (1, 1)), "dilation": (1, 2), "groups": 2},
]  # fmt: skip
POOLS = [
    {"kernel_size": 2}, {"kernel_size": (3, 2), "stride": (1, 2)},
    {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 2, "stride": 2, "ceil_mode": True},
    {"kernel_size": (2, 3), "padding": (1, 1), "ceil_mode": True},
]  # fmt: skip
LIMITS = {"float64": 1e-12, "float32": 3e-5}


def close(found, expected):
    for one, other in zip(found, expected) if isinstance(expected, list) else [(found, expected)]:
        rtol = LIMITS[str(np.asarray(other).dtype)]
        check(one, other, rtol, rtol)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("options", CONVOLUTIONS, ids=str)
def test_convolutions(nd, options, dtype):
    groups = options.get("groups", 1)
    x = RNG.normal(size=(3, 4, 9, 11)).astype(dtype)
    weight, bias = RNG.normal(size=(6, 4 // groups, 3, 2)).astype(dtype), RNG.normal(size=6).astype(dtype)
    y = convolution.convolution.forward(x, weight, bias, **options)
    close(nd.convolution(x, weight, bias, **options), y)
    turned = x.transpose(2, 3, 0, 1).copy().transpose(2, 3, 0, 1)[:, :, ::-1]
    expected = convolution.convolution.forward(turned, weight, 0, **options)
    close(nd.convolution(turned, weight, 0, **options), expected)
    for name, args, more in (
        ("transposed_convolution", (y, weight, 0), {"size": (9, 11)}),
        ("transposed_convolution", (y, weight, bias[: 4 // groups * groups]), {"size": (9, 11)}),
        ("kernel_gradient", (x, y), {"size": (3, 2)}),
    ):
        expected = getattr(convolution, name).forward(*args, **options, **more)
        close(nd.call(name, *args, **options, **more), expected)


@pytest.mark.parametrize("options", POOLS, ids=str)
@pytest.mark.parametrize("shape", [(2, 3, 7, 8), (3, 5, 6)])
def test_pools(nd, shape, options):
    x = np.round(RNG.normal(size=shape), 1)  # with equal elements
    y = pooling.max_pool2d.forward(x, **options)
    close(nd.max_pool2d(x, **options), y)
    grad = RNG.normal(size=y.shape)
    close(nd.to_largest(grad, x, **options), pooling.to_largest.forward(grad, x, **options))
    close(nd.at_largest(x, x, **options), pooling.at_largest.forward(x, x, **options))
    for more in ({}, {"count_include_pad": False}, {"divisor_override": 3}):
        given = {**options, **more}
        close(nd.avg_pool2d(x, **given), pooling.avg_pool2d.forward(x, **given))
        given["size"] = shape[-2:]
        close(nd.spread_mean(grad, **given), pooling.spread_mean.forward(grad, **given))


def test_a_window_with_nan_has_no_largest_element(nd):
    x = RNG.normal(size=(1, 1, 4, 4))
    x[0, 0, 1, 1] = np.nan
    grad = np.ones((1, 1, 2, 2))
    with np.errstate(all="ignore"):
        check(nd.max_pool2d(x, kernel_size=2), pooling.max_pool2d.forward(x, kernel_size=2))
        expected = pooling.to_largest.forward(grad, x, kernel_size=2)
    check(nd.to_largest(grad, x, kernel_size=2), expected)


@pytest.mark.parametrize(
    "options", [{}, {"stride": (2, 1)}, {"padding": (1, 2)}, {"dilation": 2, "padding": 1}], ids=str
)
@pytest.mark.parametrize("shape", [(2, 3, 6, 7), (3, 6, 7)])
def test_fold_and_unfold(nd, shape, options):
    x = RNG.normal(size=shape)
    columns = patches.unfold.forward(x, kernel_size=(2, 3), **options)
    close(nd.unfold(x, kernel_size=(2, 3), **options), columns)
    options = {**options, "output_size": shape[-2:], "kernel_size": (2, 3)}
    close(nd.fold(columns, **options), patches.fold.forward(columns, **options))


MASKS = [0.0, np.where(np.arange(12).reshape(3, 4) % 3 == 1, -np.inf, 0.0), np.full((3, 4), -np.inf)]


@pytest.mark.parametrize("scale", [0.5, 500.0])
@pytest.mark.parametrize("mask", MASKS, ids=["none", "some", "all"])
@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
def test_attention(nd, lead, mask, scale):
    query, key, value = (RNG.normal(size=(*lead, n, 5)) for n in (3, 4, 4))
    with np.errstate(all="ignore"):
        z = attention_pieces.attention.forward(query, key, value, mask, scale=scale)
        weights = attention_weights.attention_weights.forward(query, key, mask, scale=scale)
        grad = RNG.normal(size=z.shape)
        rule = attention_pieces.attention_rule(grad, z, query, key, value, mask, (True,) * 4, scale)
    close(nd.attention(query, key, value, mask, scale=scale), z)
    close(nd.attention_weights(query, key, mask, scale=scale), weights)
    found = nd.attention_rule(grad, z, query, key, value, mask, scale=scale)
    for one, other in zip(found[:3], rule[:3]):
        check(one, other, 1e-11, 1e-11 * scale)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "gates"), [("rnn", 1), ("lstm", 4), ("gru", 3)])
def test_recurrent_layers(nd, name, gates, dtype):
    x = RNG.normal(size=(5, 2, 3)).astype(dtype)
    rows = 4 * gates
    weights = [RNG.normal(size=s).astype(dtype) for s in ((rows, 3), (rows, 4), (rows,), (rows,))]
    states = [RNG.normal(size=(2, 4)).astype(dtype) for _ in range(1 + (name == "lstm"))]
    forward = getattr(recurrence, name).forward
    close(nd.call(name, x, *states, *weights), forward(x, *states, *weights))
    numbers = [0.0] * len(states)
    close(nd.call(name, x, *numbers, *weights[:2], 0.0, 0.0), forward(x, *numbers, *weights[:2], 0.0, 0.0))
    close(nd.call(name, x[:0], *states, *weights), forward(x[:0], *states, *weights))
    if name == "rnn":
        relu = {"nonlinearity": "relu"}
        close(nd.rnn(x, *states, *weights, **relu), forward(x, *states, *weights, **relu))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_linear_recurrences(nd, axis):
    for one, other in itertools.product(("float64", "float32"), repeat=2):
        x, y = RNG.normal(size=(4, 5)).astype(one), RNG.normal(size=(4, 5)).astype(other)
        check(nd.linear_recurrence(x, y, axis=axis), cumulative.linear_recurrence.forward(x, y, axis=axis))
    y = y[:1]
    check(nd.linear_recurrence(x, y, axis=axis), cumulative.linear_recurrence.forward(x, y, axis=axis))


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)])
def test_the_slope_of_the_median(nd, axis):
    x = RNG.normal(size=(3, 4, 5))
    check(nd.middle(x, axis=axis), ordering.middle.forward(x, axis=axis))
    check(nd.middle(x[:2], axis=axis), ordering.middle.forward(x[:2], axis=axis))
    check(nd.middle(0.5), np.float64(1))
