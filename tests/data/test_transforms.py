"""Transforms: one by one, many at once, and where their random numbers come from."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor
from autodiff.data.transforms import (
    Compose,
    Flatten,
    Normalize,
    OneHot,
    RandomCrop,
    RandomHorizontalFlip,
    ToTensor,
    takes_batches,
)

RNG = np.random.default_rng(0)
GREY = RNG.integers(0, 256, (6, 5, 4), np.uint8)
COLOUR = RNG.integers(0, 256, (6, 5, 4, 3), np.uint8)
FLOATS = RNG.normal(size=(6, 3, 5, 4)).astype(np.float32)


@pytest.mark.parametrize(
    ("make", "samples"),
    [
        (ToTensor, GREY),
        (ToTensor, COLOUR),
        (ToTensor, FLOATS),
        (lambda: Normalize([1, 2, 3], [4, 5, 6]), FLOATS),
        (lambda: Normalize(0.5, 0.5), FLOATS[:, 0]),
        (lambda: OneHot(256), GREY[:, 0, 0]),
        (Flatten, FLOATS),
        (Flatten, GREY[:, 0, 0]),
        (lambda: RandomCrop(3, generator=1), GREY),
        (lambda: RandomCrop((2, 4), padding=2, generator=1), FLOATS),
        (lambda: RandomHorizontalFlip(generator=1), GREY),
        (lambda: RandomHorizontalFlip(0.3, generator=1), FLOATS),
        (lambda: Compose([RandomCrop(4, 1, generator=1), ToTensor(), Normalize(0.1, 0.3), Flatten()]), GREY),
    ],
)
def test_many_at_once_are_the_same_as_one_by_one(make, samples):
    before = samples.copy()
    together, one = make().apply(samples), make()
    apart = [one(sample) for sample in samples]
    np.testing.assert_array_equal(together, np.stack([getattr(a, "data", a) for a in apart]))
    assert together.dtype == apart[0].dtype
    np.testing.assert_array_equal(samples, before)


@pytest.mark.parametrize("transform", [Normalize(0, 2), Flatten(), RandomCrop(2), RandomHorizontalFlip()])
def test_arrays_give_arrays_and_tensors_give_constants(transform):
    assert type(transform(np.ones((2, 2)))) is np.ndarray
    result = transform(Tensor(np.ones((2, 2))))
    assert isinstance(result, Tensor)
    assert not result.requires_grad


def test_to_tensor_scales_bytes_and_puts_channels_first():
    picture = ToTensor()(COLOUR[0])
    assert isinstance(picture, Tensor)
    assert not picture.requires_grad
    assert picture.dtype == np.float32
    assert picture.shape == (3, 5, 4)
    np.testing.assert_array_equal(picture.data[2], COLOUR[0, :, :, 2] / np.float32(255))
    ends = ToTensor()(np.array([[0, 255]], np.uint8))
    assert ends.data.tolist() == [[[0, 1]]]
    assert ToTensor()(np.array([[0.5, 7]])).data.tolist() == [[[0.5, 7]]]


def test_normalize_keeps_float32_and_does_what_it_says():
    x = Normalize([0.5, 1.5], [2, 4])(np.array([[[1.5]], [[3.5]]], np.float32))
    assert x.dtype == np.float32
    assert x.ravel().tolist() == [0.5, 0.5]


def test_one_hot_takes_arrays_of_labels():
    assert OneHot(3)(np.array([2, 0])).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert OneHot(3)(Tensor([2], requires_grad=False)).data.tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("padding", [0, 2])
def test_every_window_of_a_crop_comes_up_and_no_other(padding):
    picture = np.arange(1, 13).reshape(3, 4)
    padded = np.pad(picture, padding)
    possible = {
        padded[i : i + 2, j : j + 3].tobytes()
        for i in range(padded.shape[0] - 1)
        for j in range(padded.shape[1] - 2)
    }
    crop = RandomCrop((2, 3), padding, generator=0)
    assert {crop(picture).tobytes() for _ in range(1000)} == possible


def test_a_size_may_be_a_number_of_numpy_s():
    assert RandomCrop(np.int64(2))(GREY[0]).shape == (2, 2)


def test_a_flip_comes_with_its_probability():
    flip = RandomHorizontalFlip(0.25, generator=0)
    picture = np.array([[1, 2]])
    flipped = sum(flip(picture)[0, 0] == 2 for _ in range(4000))
    assert abs(flipped - 1000) < 4 * (4000 * 0.25 * 0.75) ** 0.5
    assert (RandomHorizontalFlip(0).apply(GREY) == GREY).all()
    assert (RandomHorizontalFlip(1).apply(GREY) == GREY[..., ::-1]).all()


def test_a_seed_is_a_generator_and_not_the_same_number_again():
    crop = RandomCrop(4, 4, generator=0)
    crops = [crop(GREY[0]).tobytes() for _ in range(20)]
    assert len(set(crops)) > 10


def test_any_callable_may_stand_in_a_compose():
    compose = Compose([ToTensor(), lambda x: x.data.sum(), float])
    assert compose(np.full((2, 2), 255, np.uint8)) == 4.0
    assert not takes_batches(compose)
    assert not takes_batches(Compose([Flatten(), compose]))
    assert takes_batches(Compose([Flatten(), Compose([ToTensor()])]))
    with pytest.raises(TypeError, match="one sample at a time"):
        compose.apply(GREY)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: ToTensor()(np.zeros(3)), ValueError, r"not \(3,\)"),
        (lambda: ToTensor()(np.zeros((2, 2), np.int64)), TypeError, "uint8 or floats, not of int64"),
        (lambda: Normalize(0, 1)(GREY[0]), TypeError, "put ToTensor"),
        (lambda: Normalize(0, 0), ValueError, "above 0, not 0"),
        (lambda: Normalize(0, [1, float("nan")]), ValueError, "above 0"),
        (lambda: Normalize([[0]], 1), ValueError, "one per channel"),
        (
            lambda: Normalize([0, 0], 1)(FLOATS[0]),
            ValueError,
            r"2 channels, which do not match a sample of shape \(3, 5, 4\)",
        ),
        (lambda: OneHot(3)(3), ValueError, "labels from 0 to 2, not 3"),
        (lambda: OneHot(3)(-1), ValueError, "not -1"),
        (lambda: OneHot(3)(1.0), TypeError, "integer labels, not float64"),
        (lambda: OneHot(0), ValueError, "n of OneHot must be at least 1, not 0"),
        (lambda: OneHot(2.5), TypeError, r"n of OneHot must be a whole number, not 2\.5"),
        (lambda: RandomCrop(9, 2)(GREY[0]), ValueError, r"9 x 9 from .* \(5, 4\) with a padding of 2"),
        (lambda: RandomCrop(1)(GREY[0, 0]), ValueError, "cannot crop"),
        (lambda: RandomHorizontalFlip(1.5), ValueError, "between 0 and 1"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()
