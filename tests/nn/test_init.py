"""Initialization: distributions, fans, and writing in place."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.nn import init

DRAWN = {
    "uniform_": {},
    "normal_": {},
    "trunc_normal_": {},
    "xavier_uniform_": {},
    "xavier_normal_": {},
    "kaiming_uniform_": {},
    "kaiming_normal_": {},
    "orthogonal_": {},
}
FIXED = {"zeros_": (), "ones_": (), "constant_": (0.5,)}


def moments(a, b):
    """Mean and deviation of a standard normal variable between a and b, by the formula."""
    normal = NormalDist()
    inside = normal.cdf(b) - normal.cdf(a)
    mean = (normal.pdf(a) - normal.pdf(b)) / inside
    return mean, math.sqrt(1 + (a * normal.pdf(a) - b * normal.pdf(b)) / inside - mean**2)


def weight(*shape):
    return nn.Parameter(np.zeros(shape or (40, 60)))


@pytest.mark.parametrize("name", [*DRAWN, *FIXED])
def test_it_changes_the_tensor_in_place_and_returns_it(name):
    tensor = weight()
    tensor.assign(np.full(tensor.shape, 9.0))
    used = tensor * tensor
    assert getattr(init, name)(tensor, *FIXED.get(name, ())) is tensor
    assert tensor.dtype == np.float32
    assert (tensor.data != 9).all()
    with pytest.raises(RuntimeError, match="was changed after"):  # the edit is counted
        used.sum().backward()


@pytest.mark.parametrize("name", [*DRAWN, *FIXED])
def test_only_leaves_can_be_filled(name):
    function, more = getattr(init, name), FIXED.get(name, ())
    with pytest.raises(RuntimeError, match="its value comes from its creators"):
        function(weight() * 2, *more)
    with pytest.raises(TypeError, match="values are written into a Tensor, not into an array"):
        function(np.zeros((2, 2)), *more)


@pytest.mark.parametrize("name", DRAWN)
def test_random_numbers_come_from_the_generator_or_the_package(name):
    function = getattr(init, name)

    def drawn(generator=None):
        return function(weight(), generator=generator).data.tolist()

    assert drawn(0) == drawn(np.random.default_rng(0)) != drawn(1)
    ad.seed(0)
    first, second = drawn(), drawn()
    ad.seed(0)
    assert drawn() == first == drawn(0)
    assert first != second  # a seeded generator continues, it does not start again
    generator = np.random.default_rng(0)
    assert drawn(generator) != drawn(generator)


@pytest.mark.parametrize(
    ("name", "options", "mean", "std", "largest"),
    [
        ("uniform_", {}, 0.5, 1 / math.sqrt(12), 1),
        ("uniform_", {"a": -3, "b": 1}, -1, 4 / math.sqrt(12), 3),
        ("normal_", {"mean": 2, "std": 0.5}, 2, 0.5, math.inf),
        ("trunc_normal_", {}, *moments(-2, 2), 2),
        ("trunc_normal_", {"std": 5.0, "a": -1.0, "b": 1.0}, 0, 1 / math.sqrt(3), 1),
        ("trunc_normal_", {"a": 1.0, "b": 3.0}, *moments(1, 3), 3),
        ("xavier_uniform_", {}, 0, math.sqrt(2 / 500), math.sqrt(6 / 500)),
        ("xavier_uniform_", {"gain": 2.0}, 0, 2 * math.sqrt(2 / 500), 2 * math.sqrt(6 / 500)),
        ("xavier_normal_", {}, 0, math.sqrt(2 / 500), math.inf),
        ("kaiming_uniform_", {}, 0, math.sqrt(2 / 300), math.sqrt(6 / 300)),
        ("kaiming_uniform_", {"a": math.sqrt(5)}, 0, math.sqrt(1 / 900), math.sqrt(1 / 300)),
        ("kaiming_normal_", {}, 0, math.sqrt(2 / 300), math.inf),
        ("kaiming_normal_", {"mode": "fan_out"}, 0, math.sqrt(2 / 200), math.inf),
        ("kaiming_normal_", {"nonlinearity": "tanh"}, 0, 5 / 3 / math.sqrt(300), math.inf),
    ],
)
def test_mean_deviation_and_bounds(name, options, mean, std, largest):
    values = getattr(init, name)(weight(200, 300), generator=0, **options).data
    assert values.mean() == pytest.approx(mean, abs=0.02 * std)
    assert values.std() == pytest.approx(std, rel=0.01)
    assert abs(values).max() <= np.float32(largest)
    if largest < math.inf:
        assert abs(values).max() > 0.99 * largest


def test_fan_in_counts_the_kernel_s_area():
    assert init.calculate_fans(weight(32, 16, 3, 5)) == (16 * 15, 32 * 15)
    assert init.calculate_fans(weight(10, 20)) == (20, 10)
    assert init.calculate_fans(weight(4, 2, 7)) == (14, 28)
    values = init.kaiming_normal_(weight(64, 32, 3, 3), generator=0).data
    assert values.std() == pytest.approx(math.sqrt(2 / (32 * 9)), rel=0.02)


@pytest.mark.parametrize("name", ["xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_"])
@pytest.mark.parametrize("shape", [(), (5,)])
def test_a_tensor_without_fans_is_refused(name, shape):
    with pytest.raises(ValueError, match="only a weight with two axes or more"):
        getattr(init, name)(Tensor(np.zeros(shape)))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (3, 2, 2)])
def test_orthogonal(shape):
    values = init.orthogonal_(Tensor(np.zeros(shape)), gain=2.0, generator=0).data.reshape(shape[0], -1)
    small = values @ values.T if values.shape[0] < values.shape[1] else values.T @ values
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-12)
    with pytest.raises(ValueError, match="needs a matrix"):
        init.orthogonal_(Tensor([1.0, 2.0]))


def test_orthogonal_matrices_have_no_preferred_signs():
    generator = np.random.default_rng(0)
    corners = [init.orthogonal_(Tensor(np.zeros((3, 3))), generator=generator).data[0, 0] for _ in range(400)]
    assert abs(np.mean(corners)) < 0.1


@pytest.mark.parametrize(
    ("nonlinearity", "param", "gain"),
    [
        ("linear", None, 1),
        ("conv2d", None, 1),
        ("sigmoid", None, 1),
        ("tanh", None, 5 / 3),
        ("relu", None, math.sqrt(2)),
        ("leaky_relu", None, math.sqrt(2 / 1.0001)),
        ("leaky_relu", 1, 1),
        ("selu", None, 0.75),
    ],
)
def test_gains(nonlinearity, param, gain):
    assert init.calculate_gain(nonlinearity, param) == pytest.approx(gain)


def test_settings_are_checked():
    with pytest.raises(ValueError, match="no gain is known for 'swish'"):
        init.calculate_gain("swish")
    with pytest.raises(ValueError, match="'fan_in' or 'fan_out'"):
        init.kaiming_uniform_(weight(), mode="fan_avg")
    for options in ({"a": 5.0, "b": 6.0}, {"a": 1.0, "b": -1.0}, {"std": 0.0}, {"mean": math.nan}):
        with pytest.raises(ValueError, match="interval of probability at least"):
            init.trunc_normal_(weight(), **options)


def test_numbers_can_be_filled_too():
    assert init.constant_(Tensor(1.0), 3).data == 3
    assert type(init.uniform_(Tensor(1.0), generator=0).data) is float
