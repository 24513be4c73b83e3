"""Graphs go when they are let go; a chain of a million operations needs no recursion."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor


@pytest.fixture
def no_collector():
    """With the collector off, only what has no cycle is freed at once."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def compute(x):
    h = (x * 2).exp() + x
    return h, (h * h).sum(axis=None).mean()


def fail(x):
    y = x * x
    x += 1
    with pytest.raises(RuntimeError):
        y.backward(1)
    return y, y


def walk(x, **options):
    h, y = compute(x)
    y.backward(**options)
    return h, y


def slope_of_slope(x):
    _, y = compute(x)
    slope = ad.grad(lambda x: ad.grad(lambda x: compute(x)[1])(x).sum())(x)
    return slope, y


@pytest.mark.parametrize(
    "use",
    [
        compute,
        walk,
        lambda x: walk(x, release=True),
        slope_of_slope,
        lambda x: ad.no_grad()(compute)(x),
        lambda x: (x.detach(), Tensor(x.data)),
        fail,
    ],
    ids=["forward", "backward", "release", "grad of grad", "no_grad", "detach", "an error"],
)
@pytest.mark.parametrize("value", [0.5, [0.5, 0.25]], ids=["number", "array"])
@pytest.mark.usefixtures("no_collector")
def test_no_reference_cycles(use, value):
    x = Tensor(value)
    inner, end = use(x)
    watched = [weakref.ref(inner), weakref.ref(end), weakref.ref(x)]
    del inner, end
    assert [watch() for watch in watched[:2]] == [None, None]
    del x
    assert watched[2]() is None


@pytest.mark.usefixtures("no_collector")
def test_a_graph_lives_as_long_as_its_end():
    x = Tensor([1.0])
    h = x * 2
    inner = weakref.ref(h)
    y = h * 3
    del h
    assert inner() is not None
    y.backward()
    assert inner().grad.data == [3]
    del y
    assert inner() is None


@pytest.mark.usefixtures("no_collector")
def test_release_lets_go_of_what_nobody_holds():
    x = Tensor([1.0])
    h = x * 2
    inner = weakref.ref(h)
    y = h * 3
    del h
    y.backward(release=True)
    assert inner() is None
    assert x.grad.data == [6]


def chain(x, length):
    for _ in range(length):
        x = x + 1.0
    return x


@pytest.mark.thorough
def test_a_chain_of_a_million_operations():
    x = Tensor(0.0)
    y = chain(x, 1_000_000)
    y.backward()
    assert (y.data, x.grad.data) == (1_000_000, 1)
    inner = weakref.ref(y.creators[0])
    del y
    assert inner() is None


@pytest.mark.parametrize("value", [0.0, [0.0, 1.0]], ids=["number", "array"])
def test_a_long_chain_that_is_released(value):
    x = Tensor(value)
    y = chain(x, 200_000)
    y.backward(1, release=True)
    assert np.all(x.grad.data == 1)
    assert y.creators is None


def test_a_deep_graph_of_the_gradient():
    x = Tensor(1.0)
    y = x
    for _ in range(20_000):
        y = y * 1.0
    y = y * y
    y.backward(create_graph=True)
    slope = x.grad
    x.zero_grad()
    slope.backward()
    assert x.grad == 2


def test_operands_beyond_two_make_a_long_chain_too():
    @ad.operation
    def add_three(x, y, z):
        return x + y + z

    add_three.backward(*[lambda grad, out, x, y, z: grad] * 3)
    x = Tensor(0.0)
    y = x
    for _ in range(50_000):
        y = add_three(0.5, 0.5, y)
    y.backward()
    assert x.grad == 1
