"""Upsample, PixelShuffle and Dropout2d."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.nn import functional as F  # noqa: N812  what everybody calls it
from tests.nn.helpers import random, trained

PICTURE = np.array([[[[1.0, 2.0], [3.0, 4.0]]]])


def test_nearest_repeats_pixels():
    assert F.interpolate(PICTURE, scale_factor=2)[0, 0].tolist() == [
        [1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4],
    ]  # fmt: skip
    assert F.interpolate(PICTURE, size=(1, 3))[0, 0].tolist() == [[1, 1, 2]]
    assert F.interpolate(PICTURE, size=2) is PICTURE


def test_bilinear_mixes_neighbours():
    middles = F.interpolate(PICTURE, scale_factor=2, mode="bilinear")[0, 0]
    assert middles[0].tolist() == [1, 1.25, 1.75, 2]
    assert middles[:, 0].tolist() == [1, 1.5, 2.5, 3]
    corners = F.interpolate(PICTURE, size=3, mode="bilinear", align_corners=True)[0, 0]
    assert corners.tolist() == [[1, 1.5, 2], [2, 2.5, 3], [3, 3.5, 4]]
    assert F.interpolate(PICTURE, size=1, mode="bilinear", align_corners=True)[0, 0].tolist() == [[1]]


@pytest.mark.parametrize(
    "options",
    [
        {"scale_factor": 2},
        {"size": (5, 3)},
        {"size": 1},
        {"scale_factor": 1.5, "mode": "bilinear"},
        {"size": (4, 1), "mode": "bilinear", "align_corners": True},
    ],
)
def test_gradients_of_upsample(options):
    ad.gradcheck(nn.Upsample(**options), random(2, 2, 2, 3))
    ad.gradgradcheck(nn.Upsample(**options), random(2, 1, 2, 2))
    assert trained(nn.Upsample(**options), random(1, 2, 2, 3)).dtype == np.float32
    assert nn.Upsample(**options)(np.zeros((0, 2, 2, 3))).shape[:2] == (0, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "exactly one of them"),
        ({"size": 2, "scale_factor": 2}, "exactly one of them"),
        ({"size": (2, 2, 2)}, "size has 3 numbers"),
        ({"size": 2.5}, "whole numbers"),
        ({"size": 0}, "whole numbers"),
        ({"scale_factor": -1.0}, "number above 0"),
        ({"scale_factor": 0.1}, "leaves nothing"),
        ({"size": 2, "mode": "bicubic"}, "'nearest', 'linear' or 'bilinear'"),
        ({"size": 2, "mode": "linear"}, r"takes inputs of shape \(N, C, L\)"),
        ({"size": 2, "align_corners": True}, "leave it out for 'nearest'"),
    ],
)
def test_upsample_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        nn.Upsample(**options)(PICTURE)


def test_upsample_refuses_inputs():
    with pytest.raises(ValueError, match="takes inputs of shape"):
        F.interpolate(random(2, 3), size=2)
    with pytest.raises(ValueError, match="at least one value along each axis"):
        F.interpolate(np.zeros((1, 1, 0)), size=2)


def test_pixels_are_shuffled_block_by_block():
    x = np.arange(8.0).reshape(1, 8, 1, 1)
    assert F.pixel_shuffle(x, 2)[0].tolist() == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    x = Tensor(random(2, 8, 3, 2))
    y = nn.PixelShuffle(2)(x)
    assert y.shape == (2, 2, 6, 4)
    np.testing.assert_array_equal(nn.PixelUnshuffle(2)(y).data, x.data)
    ad.gradcheck(nn.PixelShuffle(2), random(1, 4, 1, 2))
    ad.gradcheck(nn.PixelUnshuffle(2), random(1, 2, 2))


@pytest.mark.parametrize(("layer", "shape"), [(nn.PixelShuffle(2), (1, 6, 2, 2)), (nn.PixelShuffle(2), (4,)),
                                              (nn.PixelUnshuffle(2), (1, 3, 2))])  # fmt: skip
def test_what_does_not_fit_is_not_shuffled(layer, shape):
    with pytest.raises(ValueError, match=r"shuffle by 2 takes inputs of shape"):
        layer(random(*shape))


def test_factors_are_whole_numbers():
    with pytest.raises(ValueError, match="upscale_factor of PixelShuffle must be at least 1"):
        nn.PixelShuffle(0)
    with pytest.raises(TypeError, match="downscale_factor"):
        nn.PixelUnshuffle(1.5)


# -- Dropout2d --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(50, 40, 2, 3), (50, 40, 6)])
def test_whole_channels_are_left_out(shape):
    x = Tensor(np.ones(shape))
    y = nn.Dropout2d(0.2, generator=0)(x)
    channels = y.data.reshape(2000, 6)
    assert set(np.unique(channels)) == {0.0, 1.25}
    assert (channels == channels[:, :1]).all()
    assert (channels == 0).mean() == pytest.approx(0.2, abs=0.03)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, y.data)


def test_channels_stay_in_evaluation():
    x = random(2, 3, 4, 4)
    net = nn.Sequential(nn.Sequential(nn.Dropout2d(0.9)))
    assert net.eval()(x) is x
    assert F.dropout2d(x, 0.5, training=False) is x
    assert not F.dropout2d(x, 1.0).any()
    assert F.dropout2d(np.float32(x)).dtype == np.float32
    assert F.dropout2d(x[:0]).shape == (0, 3, 4, 4)
    with pytest.raises(ValueError, match="p of Dropout2d must be between 0 and 1"):
        nn.Dropout2d(1.5)
    with pytest.raises(ValueError, match=r"takes inputs of shape \(N, C, H, W\) or \(N, C, L\)"):
        nn.Dropout2d()(random(3, 4))
