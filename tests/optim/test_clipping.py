"""Gradient clipping."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor, optim


def parameters():
    """Gradients 3, (4, -12), 84 in one number, one array, and one array without axes: 85 together."""
    tensors = [Tensor(1.0), Tensor([1.0, 1.0]), Tensor(np.array(1.0)), Tensor(1.0)]
    for tensor, grad in zip(tensors, (3.0, [4.0, -12.0], 84.0, None)):
        tensor.grad = grad
    return tensors


@pytest.mark.parametrize(("norm_type", "norm"), [(2, 85.0), (1, 103.0), (math.inf, 84.0), ("inf", 84.0)])
def test_the_norm_is_of_all_gradients_together(norm_type, norm):
    tensors = parameters()
    assert optim.clip_grad_norm_(tensors, norm / 2, norm_type) == pytest.approx(norm, rel=1e-15)
    for tensor, grad in zip(tensors, (1.5, [2, -6], 42)):
        np.testing.assert_allclose(tensor.grad.data, grad, rtol=1e-7)
    assert tensors[3].grad is None
    assert optim.clip_grad_norm_(tensors, math.inf, norm_type) == pytest.approx(norm / 2)


def test_small_gradients_are_unchanged():
    tensors = parameters()
    before = [tensor.grad for tensor in tensors]
    assert optim.clip_grad_norm_(iter(tensors), 86.0) == 85.0
    assert all(tensor.grad is grad for tensor, grad in zip(tensors, before))
    assert tensors[1].grad.data.tolist() == [4, -12]


def test_one_tensor_and_no_tensor_are_accepted():
    tensors = parameters()
    assert optim.clip_grad_norm_(tensors[0], 1.0) == 3.0
    assert optim.clip_grad_norm_([], 1.0) == 0.0
    assert optim.clip_grad_norm_(tensors[3], 1.0) == 0.0
    optim.clip_grad_value_(tensors[2], 5.0)
    assert (tensors[2].grad.data, tensors[1].grad.data.tolist()) == (5, [4, -12])


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan])
def test_a_norm_that_is_not_finite(bad):
    tensors = parameters()
    tensors[1].grad = [4.0, bad]
    with pytest.raises(RuntimeError, match=r"norm of the gradients is (inf|nan)"):
        optim.clip_grad_norm_(tensors, 1.0, error_if_nonfinite=True)
    assert (tensors[0].grad.data, tensors[1].grad.data[0]) == (3, 4)
    assert not math.isfinite(optim.clip_grad_norm_(tensors, 1.0))
    left = 0 if math.isinf(bad) else math.nan
    np.testing.assert_equal([tensors[0].grad.data, *tensors[1].grad.data], [left, left, math.nan])


def test_an_infinite_max_norm_only_measures():
    tensors = parameters()
    tensors[1].grad = [4.0, math.inf]
    before = [tensor.grad for tensor in tensors]
    assert optim.clip_grad_norm_(tensors, math.inf) == math.inf
    assert all(tensor.grad is grad for tensor, grad in zip(tensors, before))
    assert (tensors[0].grad.data, tensors[1].grad.data.tolist()) == (3, [4, math.inf])


@pytest.mark.parametrize("clip", [optim.clip_grad_norm_, optim.clip_grad_value_])
def test_a_numpy_bound_keeps_the_dtype(clip):
    w = Tensor(np.float32([1.0, 1.0]))
    w.grad = [3.0, 4.0]
    clip(w, np.float64(0.5))
    assert w.grad.dtype == np.float32


def test_values_are_clipped():
    tensors = parameters()
    tensors[0].grad = math.nan
    optim.clip_grad_value_(tensors, 5)
    assert math.isnan(tensors[0].grad)
    assert [tensors[1].grad.data.tolist(), tensors[2].grad.data] == [[4, -5], 5]
    tensors[0].grad = 7.0
    optim.clip_grad_value_(tensors, 5)
    assert type(tensors[0].grad.data) is float
    assert tensors[0].grad.data == 5


CLIP = {
    "norm": lambda tensor: optim.clip_grad_norm_([tensor], 1.0),
    "value": lambda tensor: optim.clip_grad_value_([tensor], 1.0),
}


@pytest.mark.parametrize("clip", CLIP.values(), ids=CLIP)
def test_a_held_gradient_changes_and_a_held_array_does_not(clip):
    w = Tensor(np.float32([1.0, 1.0]))
    (w * [30, 40]).sum().backward()
    grad, array = w.grad, w.grad.data
    clip(w)
    assert w.grad is grad
    assert np.all(grad.data <= 1)
    assert grad.dtype == np.float32
    assert array.tolist() == [30, 40]


@pytest.mark.parametrize("clip", CLIP.values(), ids=CLIP)
@pytest.mark.parametrize("value", [2.0, [2.0, 3.0]], ids=["number", "array"])
def test_a_recorded_gradient_is_clipped_without_changing_its_graph(clip, value):
    w = Tensor(value)
    (w**3).sum().backward(create_graph=True)
    grad = w.grad
    before = np.copy(grad.data)
    clip(w)
    assert np.all(w.grad.data <= 1)
    assert w.grad.creators is None
    np.testing.assert_array_equal(grad.data, before)
    w.zero_grad()
    grad.sum().backward()
    np.testing.assert_allclose(w.grad.data, 6 * np.asarray(value))


@pytest.mark.parametrize("clip", CLIP.values(), ids=CLIP)
def test_a_graph_that_used_the_gradient_raises(clip):
    w, v = Tensor([30.0]), Tensor([1.0])
    (w * w).sum().backward()
    used = (v * w.grad).sum()
    clip(w)
    with pytest.raises(RuntimeError, match="was changed after"):
        used.backward()


def test_what_is_refused():
    w = Tensor(1.0)
    for bad in (-1, math.nan):
        with pytest.raises(ValueError, match="max_norm of clip_grad_norm_ must be at least 0"):
            optim.clip_grad_norm_([w], bad)
        with pytest.raises(ValueError, match="clip_value of clip_grad_value_ must be at least 0"):
            optim.clip_grad_value_([w], bad)
    with pytest.raises(ValueError, match="norm_type of clip_grad_norm_ must be above 0"):
        optim.clip_grad_norm_([w], 1.0, norm_type=0)
    for clip in CLIP.values():
        with pytest.raises(TypeError, match="clipping takes Tensors, not 3"):
            clip(3)


@pytest.mark.parametrize("size", [1e21, 1e-25, 3e38])
def test_squares_that_float32_cannot_hold(size):
    w = Tensor(np.zeros(2, np.float32))
    w.grad = np.float32([size / 2, size / 2])
    assert optim.clip_grad_norm_([w], size / 10) == pytest.approx(size / 2**0.5)
    if size > 1:
        np.testing.assert_allclose(w.grad.data, size / 10 / 2**0.5, rtol=1e-6)
