"""Flatten and Reshape."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor, nn
from tests.nn.helpers import check_gradients, random


def test_flatten_keeps_the_batch():
    x = random(5, 2, 3)
    np.testing.assert_array_equal(nn.Flatten()(Tensor(x)).data, x.reshape(5, 6))
    assert nn.Flatten(0)(x).shape == (30,)
    assert nn.Flatten(0, 1)(x).shape == (10, 3)
    assert nn.Flatten()(random(5)[:, None]).shape == (5, 1)


@pytest.mark.parametrize(
    ("shape", "expected"), [((6,), (5, 6)), ((3, 2), (5, 3, 2)), ((-1,), (5, 6)), ((1, -1, 2), (5, 1, 3, 2))]
)
def test_reshape_keeps_the_batch(shape, expected):
    x = random(5, 2, 3)
    for layer in (nn.Reshape(*shape), nn.Reshape(shape)):
        np.testing.assert_array_equal(layer(Tensor(x)).data, x.reshape(expected))
    assert nn.Reshape(*shape)(x[:0]).shape == (0, *expected[1:])


@pytest.mark.parametrize("layer", [nn.Flatten(), nn.Flatten(0, 1), nn.Reshape(3, 2)])
def test_gradients(layer):
    check_gradients(layer, random(2, 2, 3))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"Reshape\(4, -1\) cannot take .* 6 elements per example"):
        nn.Reshape(4, -1)(random(5, 6))
    with pytest.raises(ValueError, match=r"Reshape\(7\)"):
        nn.Reshape(7)(random(7, 6))
    with pytest.raises(ValueError, match="Reshape"):
        nn.Reshape(1)(Tensor(1.0))


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        ((-1, -1), ValueError, r"only one size of Reshape may be -1, .* \(-1, -1\)"),
        ((-2, -3), ValueError, "a size of Reshape must be at least -1, not -2"),
        ((2.0, 3), TypeError, "a size of Reshape must be a whole number, not 2.0"),
    ],
)
def test_an_invalid_shape_is_refused_at_once(shape, error, message):
    with pytest.raises(error, match=message):
        nn.Reshape(*shape)


def test_the_repr_names_the_axes():
    assert repr(nn.Flatten()) == "Flatten(start_dim=1, end_dim=-1)"
    assert repr(nn.Reshape((2, np.int64(-1)))) == "Reshape(2, -1)"
