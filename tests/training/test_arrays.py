"""fit, evaluate and predict on arrays: the same as on a loader of them."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim, training
from tests.training.fits import classifier, line, loader, same, samples, weights

X, Y = (part.data for part in samples().tensors)


def counted(model):
    """The lengths of the batches that a model sees, in training and otherwise."""
    seen = []
    model.net.register_forward_hook(lambda module, args, out: seen.append((module.training, len(args[0]))))
    return seen


def test_arrays_are_fitted_as_a_shuffling_loader_of_them():
    ad.seed(0)
    model = classifier()
    history = model.fit(X, Y, epochs=3, batch_size=10, metrics=[training.accuracy])
    ad.seed(0)
    twin = classifier()
    assert twin.fit(loader(), 3, metrics=[training.accuracy]).rows == history.rows
    assert same(weights(model), weights(twin))


def test_without_shuffling_the_order_is_that_of_the_arrays():
    ad.seed(0)
    model = classifier(dropout=0.0)
    model.fit(X, Y, epochs=2, batch_size=10, shuffle=False)
    ad.seed(0)
    twin = classifier(dropout=0.0)
    twin.fit(loader(shuffle=False), epochs=2)
    assert same(weights(model), weights(twin))


@pytest.mark.parametrize(
    "given",
    [
        lambda x: x, lambda x: x.tolist(), lambda x: ad.Tensor(x, requires_grad=False), np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=0)[::2], lambda x: x[::-1].copy()[::-1],
    ],
    ids=["array", "list", "tensor", "fortran", "strided", "reversed"],
)  # fmt: skip
def test_what_may_be_an_array(given):
    ad.seed(0)
    model = classifier()
    before = X.copy()
    model.fit(given(X), given(Y), epochs=1)
    ad.seed(0)
    twin = classifier()
    twin.fit(X, Y, epochs=1)
    np.testing.assert_allclose(model.net[0].weight.data, twin.net[0].weight.data, rtol=1e-5)
    assert np.array_equal(X, before)


def test_a_batch_has_32_samples_unless_it_is_said():
    model = classifier()
    seen = counted(model)
    model.fit(X, Y, epochs=1)
    model.fit(X, Y, epochs=1, batch_size=48)
    model.evaluate(X, Y)
    assert seen == [(True, 32), (True, 16), (True, 48), (False, 32), (False, 16)]


def test_validation_data_is_a_pair_of_arrays():
    for given in ((X[:7], Y[:7]), [X[:7], Y[:7]], (X[:7].tolist(), Y[:7].tolist())):
        model = classifier()
        history = model.fit(X, Y, epochs=2, validation_data=given)
        assert history["val_loss"][-1] == pytest.approx(model.evaluate(X[:7], Y[:7])["loss"], rel=1e-5)
    history = classifier().fit(loader(), 1, validation_data=(X, Y), batch_size=5)
    assert len(history["val_loss"]) == 1


@pytest.mark.parametrize(("share", "trained"), [(0.25, 36), (0.5, 24), (0.1, 43), (1 / 48, 47)])
def test_validation_split_keeps_the_last_part(share, trained):
    model = classifier()
    seen = counted(model)
    history = model.fit(X, Y, epochs=1, batch_size=48, validation_split=share)
    assert seen == [(True, trained), (False, 48 - trained)]
    judged = model.evaluate(X[trained:], Y[trained:])["loss"]
    assert history["val_loss"] == [pytest.approx(judged, rel=1e-5)]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((X, Y[:5]), {"epochs": 1}, ValueError, "x has 48 samples, but y has 5"),
        ((X, Y), {"epochs": 1, "validation_data": (X, Y[:1])}, ValueError, "x has 48 samples, but y has 1"),
        ((X, Y[:5]), {"epochs": 1, "validation_split": 0.5}, ValueError, "x has 48 samples, but y has 5"),
        ((X, Y), {}, TypeError, "needs the number of epochs"),
        ((loader(),), {}, TypeError, "needs the number of epochs"),
        ((loader(), 3), {"epochs": 4}, TypeError, "epochs twice, 3 and 4"),
        ((X, Y), {"epochs": -1}, ValueError, "epochs must be an integer"),
        ((X,), {"epochs": 1}, TypeError, r"fit\(x, y, epochs=...\), not ndarray alone"),
        ((X, 5), {}, TypeError, r"fit\(x, y, epochs=...\), not ndarray alone"),
        ((5, 5), {}, TypeError, "not int alone"),
        ((loader(), Y), {"epochs": 1}, TypeError, "a DataLoader has its own targets"),
        ((samples(), Y), {"epochs": 1}, TypeError, "a TensorDataset has its own targets"),
        ((X, Y), {"epochs": 1, "batch_size": 0}, ValueError, "batch_size must be at least 1"),
        ((X, Y), {"epochs": 1, "batch_size": 1.5}, TypeError, "batch_size must be a whole number"),
        ((loader(), 1), {"batch_size": 5}, TypeError, "batch_size works only with arrays"),
        ((loader(), 1), {"shuffle": False}, TypeError, "shuffle works only with arrays"),
        ((loader(), 1), {"validation_split": 0.1}, TypeError, "validation_split works only with arrays"),
        (
            (X, Y),
            {"epochs": 1, "validation_split": 1.0},
            ValueError,
            "validation_split must be between 0 and 1, not 1.0",
        ),
        (
            (X, Y),
            {"epochs": 1, "validation_split": -0.1},
            ValueError,
            "validation_split must be between 0 and 1, not -0.1",
        ),
        ((X, Y), {"epochs": 1, "validation_split": 0.999}, ValueError, "leaves no samples for training"),
        (
            (X[:1], Y[:1]),
            {"epochs": 1, "validation_split": 0.5},
            ValueError,
            "leaves no samples for training",
        ),
        ((X, Y), {"epochs": 1, "validation_data": X}, TypeError, r"a pair of arrays \(x, y\)"),
        ((X, Y), {"epochs": 1, "validation_data": loader()}, TypeError, "pass a loader as validation="),
        (
            (X, Y),
            {"epochs": 1, "validation_data": (X, Y), "validation_split": 0.1},
            TypeError,
            "give only one of",
        ),
        ((X, ["a"] * 48), {"epochs": 1}, TypeError, "must be an array of real numbers"),
        ((X[:0], Y[:0]), {"epochs": 1}, ValueError, "no batches"),
    ],
)
def test_what_cannot_be_fitted_is_refused(arguments, options, error, message):
    model = classifier()
    before = weights(model)
    with pytest.raises(error, match=message):
        model.fit(*arguments, **options)
    assert same(weights(model), before)
    assert len(model.history) == 0


def test_arrays_are_evaluated_as_a_loader_of_them():
    model = classifier()
    metrics = [training.accuracy]
    expected = model.evaluate(loader(shuffle=False), metrics)
    for given in (
        model.evaluate(X, Y, metrics, batch_size=10),
        model.evaluate(X, Y, metrics=metrics, batch_size=10),
        model.evaluate(loader(shuffle=False), metrics=metrics),
        model.evaluate(X.tolist(), Y.tolist(), {"accuracy": training.accuracy}),
    ):
        assert given == pytest.approx(expected, rel=1e-5)
    assert model.evaluate(X, Y, ()).keys() == {"loss"}
    with pytest.raises(ValueError, match="x has 48 samples, but y has 2"):
        model.evaluate(X, Y[:2])
    with pytest.raises(TypeError, match="not ndarray alone"):
        model.evaluate(X)


def test_an_array_is_predicted_whole_or_in_batches():
    model = classifier()
    whole, seen = model.predict(X), counted(model)
    for given in (X, X.tolist(), ad.Tensor(X)):
        parts = model.predict(given, batch_size=20)
        np.testing.assert_allclose(parts.data, whole.data, rtol=1e-5, atol=1e-6)
    assert seen == [(False, 20), (False, 20), (False, 8)] * 3
    with pytest.raises(TypeError, match="without y and batch_size"):
        model.predict(loader(), batch_size=5)


def test_as_scikit_learn_and_keras_do_it():
    """Targets of shape (n,) for one output are told, and not broadcast to a square."""
    net = nn.Linear(4, 1)
    model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.1))
    with pytest.raises(ValueError, match="target"):
        model.fit(X, Y.astype(float), epochs=1)
    model.fit(X, Y[:, None], epochs=1)


def test_a_run_on_arrays_goes_on_bit_by_bit(tmp_path):
    ad.seed(0)
    whole = classifier()
    whole.fit(X, Y, epochs=4)
    ad.seed(0)
    first = classifier()
    first.fit(X, Y, epochs=2)
    training.save_run(first, tmp_path / "run.npz")
    ad.seed(5)
    second = classifier()
    training.load_run(second, tmp_path / "run.npz")
    second.fit(X, Y, epochs=2)
    assert same(weights(second), weights(whole))


def test_a_loader_in_a_list_of_two_batches_is_one_still():
    x, y = data.TensorDataset(np.ones((2, 1))).tensors[0], np.ones((2, 1))
    assert len(line().fit([(x, y), (x, y)], 2, validation=[(x, y), (x, y)])) == 2
