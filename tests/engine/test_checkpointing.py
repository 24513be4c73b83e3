"""checkpoint: the same numbers, with less kept."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, data, nn

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


def test_a_film_of_it_changes_nothing():
    """It computes the operation again, for which a Tensor that the function changes has its value from
    before; what was computed from the Tensor since then may still be walked back through."""
    count, x = Tensor([1.0, 2.0], requires_grad=False), Tensor([3.0, 4.0])

    def counted(x):
        count.data = count.data * 2
        return (x * count * x).sum()

    y = ad.checkpoint(counted, x)
    z = (x * count).sum() + y
    ad.film(y)
    assert count.data.tolist() == [2, 4]
    z.backward()
    assert x.grad.data.tolist() == [2 + 12, 4 + 32]


def test_what_one_inside_of_another_changes_is_changed_once():
    def slope_and_count(call):
        count, x = Tensor([1.0, 2.0], requires_grad=False), Tensor([3.0, 4.0])

        def counted(x):
            count.data = count.data * 2
            return (x * count * x).sum()

        y = call(lambda x: call(counted, x) * 1.5, x)
        y.backward()
        return x.grad.data.tolist(), count.data.tolist()

    assert slope_and_count(ad.checkpoint) == slope_and_count(lambda f, x: f(x))


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


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.BatchNorm1d(2),
        lambda: nn.LazyBatchNorm1d(),
        lambda: nn.InstanceNorm1d(2, track_running_stats=True),
        lambda: nn.LazyInstanceNorm1d(),
    ],
    ids=["batch", "lazy batch", "instance", "lazy instance"],
)
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("nested", [False, True])
def test_running_means_are_updated_once(make, create_graph, nested):
    def run(call):
        layer = make()
        x = Tensor(np.arange(12.0).reshape(2, 2, 3))
        f = (lambda x: call(layer, x) * 1.0) if nested else layer
        loss = (call(f, x) ** 3).sum()
        loss.backward(create_graph=create_graph)
        if create_graph:
            (x.grad * x.grad).sum().backward()
        return [layer.running_mean.data, layer.running_var.data, layer.num_batches_tracked.data]

    for one, other in zip(*both(run)):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_a_running_mean_is_that_of_one_batch():
    layer = nn.BatchNorm1d(2)
    y = ad.checkpoint(layer, Tensor([[1.0, 2.0], [3.0, 6.0]]))
    y.sum().backward()
    assert str(layer.running_mean) == "[0.2 0.4]"
    assert layer.num_batches_tracked == 1


def test_arrays_of_running_means_are_updated_once():
    mean, var = np.zeros(1), np.ones(1)
    x = Tensor([[1.0], [3.0]])
    ad.checkpoint(lambda x: nn.functional.batch_norm(x, mean, var, training=True), x).sum().backward()
    np.testing.assert_allclose([mean[0], var[0]], [0.2, 1.1])


@pytest.mark.parametrize("change", ["assign", "in place", "compiled"])
def test_a_tensor_that_the_function_changes_is_changed_once(change):
    count = Tensor(np.array([1.0, 1.0]), requires_grad=False)
    add = ad.compile(lambda: count.assign(count + 1) * 1)

    def f(x):
        scaled = x * count.detach().data.copy()
        if change == "assign":
            count.assign(count + 1)
        elif change == "in place":
            count.__iadd__(1.0)
        else:
            add()
        return scaled

    x = Tensor([1.0, 1.0])
    y = ad.checkpoint(f, x)
    y.sum().backward()
    assert (count.tolist(), x.grad.tolist()) == ([2, 2], [1, 1])
    ad.checkpoint(f, x).sum().backward()
    assert (count.tolist(), x.grad.tolist()) == ([3, 3], [3, 3])


@pytest.mark.parametrize("given", [None, 0, np.random.default_rng(0)], ids=["package", "seed", "generator"])
@pytest.mark.parametrize("nested", [False, True])
def test_draws_are_those_without_a_checkpoint(given, nested):
    def run(call):
        ad.seed(1)
        rng = np.random.default_rng(5) if isinstance(given, np.random.Generator) else given
        x = Tensor(np.ones(40))

        def f(x):
            y = nn.functional.dropout(x, 0.5) + ad.seeding.generator(rng).normal(size=40) * x
            y = call(lambda y: y * ad.seeding.generator(rng).random(40), y) if nested else y
            return y * ad.seeding.generator().integers(1, 9, size=40)

        y = call(f, x)
        y.sum().backward()
        first = x.grad.data
        (x * 0 + call(f, x)).sum().backward()
        return [y.data, first, x.grad.data, ad.seeding.generator().random(3)]

    for one, other in zip(*both(run)):
        np.testing.assert_array_equal(one, other)


def test_more_draws_than_at_first_are_an_error():
    calls = []

    def f(x):
        calls.append(1)
        return x * sum(ad.seeding.generator().random() for _ in calls)

    y = ad.checkpoint(f, Tensor(1.0))
    with pytest.raises(RuntimeError, match="draws more random numbers"):
        y.backward()


def test_a_loader_s_threads_draw_while_a_function_is_computed_again():
    class Noise(data.Dataset):
        def __len__(self):
            return 100

        def __getitem__(self, index):
            return ad.seeding.generator().random(8) + ad.rand(8).data

    for batch in data.DataLoader(Noise(), 2, num_workers=2):
        x = Tensor(np.ones_like(batch.data))
        y = ad.checkpoint(lambda x: nn.functional.dropout(x, 0.5), x)
        y.sum().backward()
        np.testing.assert_array_equal(x.grad.data, y.data)


def test_inside_of_compile_and_vmap_it_is_a_plain_call():
    layer = nn.BatchNorm1d(2)
    fast = ad.compile(lambda x: ad.checkpoint(layer, x))
    fast(Tensor([[1.0, 2.0], [3.0, 6.0]]))
    assert layer.num_batches_tracked == 1
    x = np.ones((3, 2))
    slopes = ad.vmap(ad.grad(lambda x: ad.checkpoint(lambda x: (x * x).sum(), x)))(x)
    np.testing.assert_array_equal(slopes, 2 * x)
