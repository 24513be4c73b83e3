"""Dropout: dropped elements, the factor of the others, and the source of randomness."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.engine.backward import gradients


def test_elements_are_zero_or_scaled_and_the_gradient_has_the_same_mask():
    layer = nn.Dropout(0.2, generator=0)
    x = Tensor(np.full(10_000, 4.0))
    y = layer(x)
    y.sum().backward()
    assert set(np.unique(y.data)) == {0.0, 5.0}
    assert (y.data == 0).mean() == pytest.approx(0.2, abs=0.02)
    assert y.data.mean() == pytest.approx(4, abs=0.1)
    np.testing.assert_array_equal(x.grad.data, y.data / 4)


def test_the_mask_is_a_constant_operand():
    x = Tensor(np.ones(8))
    y = nn.Dropout(0.5, generator=0)(x)
    assert y.creation_op == "mul"
    assert isinstance(y.creators[1], np.ndarray)


def test_evaluation_is_the_identity():
    x = Tensor(np.ones(8))
    assert nn.Dropout(0.5).eval()(x) is x
    assert nn.Dropout(0.0)(x) is x


def test_p_1_drops_every_element():
    x = Tensor(np.ones(8))
    y = nn.Dropout(1.0)(x)
    y.sum().backward()
    assert y.data.tolist() == x.grad.data.tolist() == [0] * 8


def test_a_seed_repeats_the_run_with_a_new_mask_each_call():
    def masks(layer):
        return [layer(np.ones(50)).tolist() for _ in range(3)]

    first = masks(nn.Dropout(0.5, generator=7))
    assert first == masks(nn.Dropout(0.5, generator=7))
    assert first[0] != first[1] != first[2] != first[0]
    ad.seed(0)
    by_package = masks(nn.Dropout(0.5))
    ad.seed(0)
    assert masks(nn.Dropout(0.5)) == by_package
    assert by_package[0] != by_package[1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_is_kept(dtype):
    x = Tensor(np.ones((3, 4), dtype))
    y = nn.Dropout(0.3)(x)
    y.sum().backward()
    assert y.dtype == x.grad.dtype == dtype


def test_plain_arrays_lists_and_numbers_are_accepted():
    layer = nn.Dropout(1.0)
    assert type(layer(np.ones(3))) is np.ndarray
    assert layer([1, 2]).tolist() == [0, 0]
    assert layer(Tensor(2.0)).item() == 0


def test_it_differentiates_twice():
    x = Tensor(np.ones(4))
    y = nn.Dropout(0.5, generator=0)(x) ** 3
    (first,) = gradients(y.sum(), [x], create_graph=True)
    first.sum().backward()
    np.testing.assert_allclose(x.grad.data, 6 * y.data)


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_p_is_a_probability(p):
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        nn.Dropout(p)


def test_the_repr_names_the_probability():
    assert repr(nn.Dropout(0.25)) == "Dropout(p=0.25)"


def test_a_generator_is_checked_at_once():
    with pytest.raises(TypeError, match="Generator"):
        nn.Dropout(0.5, generator="chance")
