"""Losses that are no plain mean: several batches give what one batch of all gives, in every way of going
through them."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn, optim, training
from autodiff.nn.loss_weights import LossWeights
from autodiff.training.measures import sample_count
from autodiff.training.parallel.shares import BatchPart, Worker, counts_of, put_together, split, state_of

CLASSES = np.array([0.5, 2.0, 1.25])


def classes(rng, count):
    target = rng.integers(0, 3, count)
    target[: count // 2 : 2] = -100  # the first batches have fewer that count
    return target


def probabilities(rng, count):
    return rng.dirichlet(np.ones(3), count)


def numbers(rng, count):
    return rng.normal(size=(count, 3))


def bits(rng, count):
    return (rng.random((count, 3)) > 0.5) * 1.0


def weighted(name, target, **options):
    """A loss with each reduction, as a module."""
    make = getattr(nn, name)
    return {f"{name} {options} {how}": (functools.partial(make, reduction=how, **options), target)
            for how in ("mean", "sum", *make.more_reductions)}  # fmt: skip


MODULES = {
    **weighted("MSELoss", numbers), **weighted("L1Loss", numbers),
    **weighted("HuberLoss", numbers, delta=0.5),
    **weighted("SmoothL1Loss", numbers, beta=0.5), **weighted("SmoothL1Loss", numbers, beta=0.0),
    **weighted("CrossEntropyLoss", classes), **weighted("CrossEntropyLoss", classes, weight=CLASSES),
    **weighted("CrossEntropyLoss", classes, ignore_index=1),
    **weighted("CrossEntropyLoss", classes, ignore_index=2, weight=CLASSES, label_smoothing=0.25),
    **weighted("CrossEntropyLoss", probabilities),
    **weighted("CrossEntropyLoss", probabilities, weight=CLASSES),
    **weighted("NLLLoss", classes), **weighted("NLLLoss", classes, weight=CLASSES, ignore_index=0),
    **weighted("BCELoss", bits), **weighted("BCELoss", bits, weight=CLASSES),
    **weighted("BCEWithLogitsLoss", bits, weight=CLASSES, pos_weight=2 * CLASSES),
    **weighted("KLDivLoss", probabilities),
}  # fmt: skip

FUNCTIONS = {
    "function": (lambda: nn.cross_entropy, classes),
    "partial": (lambda: functools.partial(nn.cross_entropy, weight=CLASSES), classes),
    "lambda": (lambda: lambda p, t: nn.nll_loss(p, t, ignore_index=0), classes),
    "scaled": (lambda: lambda p, t: 0.5 * nn.cross_entropy(p, t), classes),
    "with a penalty": (lambda: lambda p, t: nn.cross_entropy(p, t, CLASSES) + 0.25, classes),
    "two terms": (lambda: lambda p, t: nn.mse_loss(p, t) + nn.l1_loss(p, t), numbers),
    "a mean of one's own": (lambda: lambda p, t: ((p - t) ** 4).mean(), numbers),
    "a sum that is divided": (lambda: lambda p, t: nn.mse_loss(p, t, "sum") / len(t), numbers),
}
LOSSES = MODULES | FUNCTIONS


def make_model(loss, **options):
    """A net in float64 whose outputs are probabilities, which every loss takes, and that hardly learns."""
    net = nn.Sequential(nn.Linear(4, 3, generator=0), nn.Sigmoid()).double()
    return training.Model(net, loss(), optim.SGD(net.parameters(), lr=1e-30), **options)


def case(name, count=11):
    """A function that makes the loss, inputs, and targets, some of which are ignored if the loss can."""
    make, target = LOSSES[name]
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(count, 4)), target(rng, count)
    ignored = 0 if name == "lambda" else getattr(make(), "ignore_index", -100)
    return make, x, np.where(y < 0, ignored, y) if target is classes else y


def of_one_batch(model, x, y):
    """The loss of one batch of all, and its gradients."""
    loss = model.backward(model.forward(x), y)
    return loss.item(), [parameter.grad.data for parameter in model.net.parameters()]


@pytest.mark.parametrize("name", LOSSES)
def test_batches_of_every_size_give_the_loss_of_one_batch(name):
    make, x, y = case(name)
    model = make_model(make)
    right, _ = of_one_batch(model, x, y)
    assert math.isfinite(right)
    for size in (1, 2, 4, 5, 10, 11, 32):
        assert model.evaluate(x, y, batch_size=size)["loss"] == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_the_history_has_the_loss_of_one_batch(name, is_compiled):
    make, x, y = case(name)
    right, _ = of_one_batch(make_model(make), x, y)
    model = make_model(make, compile=is_compiled)
    history = model.fit(x, y, epochs=2, batch_size=4, shuffle=False, validation_data=(x, y))
    for column in ("loss", "val_loss"):
        assert history[column] == pytest.approx([right, right], rel=1e-12)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("cuts", [[], [4], [1, 2], [1, 9, 10]])
def test_parts_of_any_sizes_give_the_loss_and_the_gradients_of_one_batch(name, cuts):
    make, x, y = case(name)
    right, gradients = of_one_batch(make_model(make), x, y)
    server = make_model(make)
    pairs = zip(np.split(x, cuts), np.split(y, cuts))
    shares = [Worker(lambda: make_model(make)).share(state_of(server), BatchPart(*pair, 0)) for pair in pairs]
    loss, _ = put_together(server, shares)
    assert loss == pytest.approx(right, rel=1e-12)
    for parameter, gradient in zip(server.net.parameters(), gradients, strict=True):
        np.testing.assert_allclose(parameter.grad.data, gradient, rtol=1e-11, atol=1e-16)


@pytest.mark.parametrize("is_compiled", [False, True])
def test_batches_where_nothing_counts_are_no_part_of_the_loss(is_compiled):
    x, y = np.random.default_rng(0).normal(size=(6, 4)), np.array([-100, -100, -100, 1, 2, -100])
    model = make_model(nn.CrossEntropyLoss, compile=is_compiled)
    right, _ = of_one_batch(model, x, y)
    assert model.evaluate(x, y, batch_size=3)["loss"] == pytest.approx(right)
    history = model.fit(x, y, epochs=2, batch_size=3, shuffle=False)
    assert history["loss"] == pytest.approx([right, right])
    assert all(np.isfinite(parameter.data).all() for parameter in model.net.parameters())
    assert math.isnan(model.evaluate(x[:3], y[:3])["loss"])


def test_an_empty_batch_is_no_part_of_the_loss():
    x, y = np.random.default_rng(0).normal(size=(4, 4)), np.zeros((4, 3))
    model = make_model(nn.MSELoss)
    expected = model.evaluate([(x, y)])
    assert model.evaluate([(x[:1], y[:1]), (x[:0], y[:0]), (x[1:], y[1:])]) == pytest.approx(expected)


def test_sequences_of_several_lengths_count_by_their_elements():
    net = nn.Linear(2, 3, generator=0).double()

    def loss(p, t):
        return nn.cross_entropy(p.reshape(-1, 3), t.reshape(-1), ignore_index=0)

    model = training.Model(net, loss, optim.SGD(net.parameters()))
    rng = np.random.default_rng(0)
    batches = [(rng.normal(size=(n, t, 2)), rng.integers(0, 3, (n, t))) for n, t in ((2, 3), (1, 7), (4, 2))]
    flat = [np.concatenate([part.reshape(-1, *part.shape[2:]) for part in parts]) for parts in zip(*batches)]
    assert model.evaluate(batches)["loss"] == pytest.approx(model.evaluate([tuple(flat)])["loss"], rel=1e-12)


def test_metrics_are_of_all_samples_at_once():
    make, x, y = case("MSELoss {} mean")
    model = make_model(make)
    metrics = [training.mae, training.r2]
    expected = model.evaluate(x, y, metrics, batch_size=11)
    assert model.evaluate(x, y, metrics, batch_size=2) == pytest.approx(expected)


def test_a_parameter_that_one_part_does_not_use_has_the_gradient_of_the_others():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.always, self.sometimes = nn.Linear(4, 3, generator=0), nn.Linear(4, 3, generator=1)

        def forward(self, x):
            y = self.always(x)
            return y + self.sometimes(x) if x[0, 0] > 0 else y

    def model():
        net = Net().double()
        return training.Model(net, nn.MSELoss("sum"), optim.SGD(net.parameters()))

    x, y = np.abs(np.random.default_rng(0).normal(size=(4, 4))), np.zeros((4, 3))
    x[2:] *= -1
    server, twin = model(), model()
    put_together(
        server, [Worker(model).share(state_of(server), BatchPart(*pair, 0)) for pair in split(x, y, 2)]
    )
    twin.backward(twin.forward(x[:2]), y[:2])
    np.testing.assert_allclose(server.net.sometimes.bias.grad.data, twin.net.sometimes.bias.grad.data)


def test_a_loss_says_what_it_was_divided_by_where_somebody_listens():
    p, t = ad.Tensor(np.zeros((2, 3))), np.zeros((2, 3))
    with LossWeights() as outer:
        with LossWeights() as weights:
            loss = nn.mse_loss(p, t)
        total = nn.l1_loss(p, t, reduction="sum")
    assert weights.of(loss) == weights.of(loss + 1) == 6
    assert (outer.of(total), outer.of(total / 2), outer.of(loss)) == ("sum", None, None)
    assert len(weights.noted) == len(outer.noted) == 1


def test_sums_are_added_and_means_weighed():
    model = make_model(nn.MSELoss)
    share = Worker(lambda: model).share(state_of(model), BatchPart(np.ones((2, 4)), np.ones((2, 3)), 0))
    assert share.weight == 6
    assert counts_of([share._replace(weight=1), share._replace(weight=3)]) == ([0.25, 0.75], 4)
    assert counts_of([share._replace(weight="sum")] * 2) == ([1.0, 1.0], "sum")
    assert counts_of([share._replace(weight=0.0)] * 2) == ([1.0, 1.0], 0.0)


TARGETS = {
    "an array": (np.zeros((3, 2)), 3), "a Tensor": (ad.Tensor([1.0, 2.0]), 2), "a list": ([1, 2, 3, 4], 4),
    "a number": (5.0, 1), "nothing": ([], 0), "no rows": (np.zeros((0, 2)), 0), "rows": ([[1, 2], [3, 4]], 2),
    "Tensors": ((ad.Tensor([1.0, 2.0]), ad.Tensor([1.0])), 2), "a dict": ({"a": ad.Tensor([1.0])}, 1),
    "parts in parts": (({"a": (ad.Tensor([1.0, 2.0]), 1)}, 3), 2), "an empty tuple": ((), 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", TARGETS)
def test_samples_are_counted_in_the_first_part_of_a_target(kind):
    target, count = TARGETS[kind]
    assert sample_count(target) == count
