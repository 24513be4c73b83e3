"""checkpoint: the same numbers, with less kept."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

RNG = np.random.default_rng(0)
W = RNG.normal(size=(3, 3))
X = RNG.normal(size=3)


def block(w, h):
    return lambda x: ((x @ w).tanh() @ h + x).sum()


def both(run):
    """What ``run`` gives with and without a checkpoint."""
    return run(lambda f, *x: ad.checkpoint(f, *x)), run(lambda f, *x: f(*x))


@pytest.mark.parametrize("release", [False, True])
@pytest.mark.parametrize("made_before", [False, True])
def test_the_gradients_are_the_same(release, made_before):
    def run(call):
        w, x = Tensor(W), Tensor(X)
        h = w * 2 if made_before else w
        y = call(block(w, h), x) * x.sum()
        y.backward(release=release)
        return [y.data, w.grad.data, x.grad.data]

    with_it, without = both(run)
    for one, other in zip(with_it, without):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_it_is_one_operation_in_the_graph():
    w, x = Tensor(W), Tensor(X)
    y = ad.checkpoint(block(w, w), x)
    assert (str(y.creation_op), y.creators[0] is x, y.creators[1] is w) == ("recompute", True, True)


def test_second_derivatives_go_through():
    def run(call):
        def penalty(w):
            slope = ad.grad(lambda x: call(block(w, w * 2), x))(Tensor(X))
            return (slope * slope).sum()

        return ad.grad(penalty)(W).data, ad.hessian(lambda x: call(block(W, W), x))(X).data

    for one, other in zip(*both(run)):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_forward_mode_goes_through():
    moved = both(lambda call: ad.jvp(lambda x: call(block(W, W), x), (X,), (X,))[1].data)
    np.testing.assert_allclose(*moved, rtol=1e-13)


def test_random_numbers_are_drawn_alike():
    ad.seed(3)
    x = Tensor(np.ones(100))
    y = ad.checkpoint(lambda x: x * (ad.seeding.generator().random(100) < 0.5), x)
    after = ad.seeding.generator().random()
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, y.data)
    ad.seed(3)
    ad.seeding.generator().random(100)
    assert ad.seeding.generator().random() == after


def test_other_arguments_are_handed_on():
    x = Tensor(3.0)
    y = ad.checkpoint(lambda x, k, words: x**k if words == "go" else x, x, 3, "go")
    y.backward()
    assert (y, x.grad) == (27, 27)


def test_under_no_grad_and_for_constants_it_is_a_plain_call():
    with ad.no_grad():
        assert not ad.checkpoint(lambda x: x * x, Tensor(3.0)).requires_grad
    assert not ad.checkpoint(lambda x: x * x, Tensor(3.0, requires_grad=False)).requires_grad


def test_what_returns_no_tensor_is_refused():
    with pytest.raises(TypeError, match="returns one Tensor, not tuple"):
        ad.checkpoint(lambda x: (x, x), Tensor(1.0))


def test_a_weight_changed_since_is_noticed():
    w, x = Tensor(2.0, name="w"), Tensor(3.0)
    y = ad.checkpoint(lambda x: w * x, x)
    w += 1
    with pytest.raises(RuntimeError, match=r"'w' \(now 3\) was changed after"):
        y.backward()


def test_it_keeps_less():
    def held(call):
        x = Tensor(np.ones(10_000))
        tracemalloc.start()
        y = x
        for _ in range(10):
            y = call(lambda y: (((y.exp() * 0.1).tanh() + 1).log() * 2).sin(), y)
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    with_it, without = both(held)
    assert with_it < without / 4
