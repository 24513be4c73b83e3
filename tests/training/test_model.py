"""The three verbs, and the loops: fit, evaluate, predict."""

from __future__ import annotations

import gc
import math
import tracemalloc

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim, training
from autodiff.engine import recording
from tests.training.fits import batch, classifier, line, loader, same, samples, weights

X, Y = samples().tensors


# --- the three verbs --------------------------------------------------------------------------------


def test_the_three_verbs_are_a_step_of_the_optimizer():
    model = line()
    x, y = batch(2.0, 3.0)
    prediction = model.forward(x)
    assert prediction.data.tolist() == [[0.0]]
    loss = model.backward(prediction, y)
    assert isinstance(loss, ad.Tensor)
    assert loss.item() == 9.0
    assert loss.creation_op is not None
    assert model.net.weight.grad.item() == -12.0  # 2 (0 - 3) 2
    model.apply_grad()
    assert model.net.weight.item() == pytest.approx(1.2)
    assert model.net.bias.item() == pytest.approx(0.6)
    assert model.net.weight.grad is None


def test_backward_releases_the_graph():
    model = line()
    x, y = batch(2.0, 3.0)
    prediction = model.forward(x)
    model.backward(prediction, y)
    with pytest.raises(RuntimeError, match=r"backward\(release=True\) dropped it"):
        model.backward(prediction, y)


def test_fit_calls_the_verbs_of_a_subclass():
    class Clipped(training.Model):
        def apply_grad(self):
            optim.clip_grad_norm_(self.net.parameters(), 0.5)
            super().apply_grad()

    model = line(lr=1.0)
    clipped = Clipped(model.net, model.loss, model.optimizer)
    clipped.fit([batch(0.0, 100.0)], 1)
    assert model.net.bias.item() == pytest.approx(0.5, rel=1e-4)


def test_what_is_no_model_is_refused():
    net, other = nn.Linear(1, 1), nn.Linear(1, 1)
    optimizer = optim.SGD(net.parameters())
    with pytest.raises(TypeError, match=r"net of a Model must be an nn\.Module"):
        training.Model(lambda x: x, nn.MSELoss(), optimizer)
    with pytest.raises(TypeError, match=r"create an instance: MSELoss\(\)"):
        training.Model(net, nn.MSELoss, optimizer)
    with pytest.raises(TypeError, match="optimizer of a Model"):
        training.Model(net, nn.MSELoss(), optim.SGD)
    with pytest.raises(ValueError, match="none of the net's parameters"):
        training.Model(other, nn.MSELoss(), optimizer)


# --- fit --------------------------------------------------------------------------------------------


def test_fit_is_the_loop_written_out():
    ad.seed(1)
    model = classifier()
    history = model.fit(loader(), 3)

    ad.seed(1)
    twin, losses = classifier(), []
    for _ in range(3):
        total = 0.0
        for x, y in loader():
            loss = nn.cross_entropy(twin.net(x), y)
            loss.backward()
            twin.optimizer.step()
            twin.optimizer.zero_grad()
            total += loss.item() * len(y)
        losses.append(total / 48)
    assert same(weights(model), weights(twin))
    assert history["loss"] == losses
    assert history["lr"] == [0.05] * 3


def test_the_same_seed_gives_the_same_run():
    def run(seed):
        ad.seed(seed)
        model = classifier()
        model.fit(loader(), 2, metrics=[training.accuracy])
        return model.history.rows, weights(model)

    (rows, first), (again, second), (other, third) = run(5), run(5), run(6)
    assert rows == again != other
    assert same(first, second)
    assert not same(first, third)


def test_a_smaller_last_batch_counts_by_its_samples():
    model = line(lr=1e-12)
    x = ad.Tensor([[0.0]] * 3, requires_grad=False)
    three = (x, ad.Tensor([[1.0]] * 3, requires_grad=False))
    history = model.fit([three, batch(0.0, 3.0)], 1)
    assert history["loss"] == [pytest.approx((3 * 1 + 9) / 4)]
    assert model.evaluate([three, batch(0.0, 3.0)])["loss"] == pytest.approx(3.0)


def test_validation_and_metrics_have_their_columns():
    model = classifier()
    metrics = {"accuracy": training.accuracy, "f1": training.f1}
    history = model.fit(loader(), 2, validation=loader(7, False), metrics=metrics)
    assert history.columns == ["epoch", "lr", "loss", "accuracy", "f1", "val_loss", "val_accuracy", "val_f1"]
    judged = model.evaluate(loader(48, False), metrics)
    assert judged["accuracy"] == history["val_accuracy"][-1]
    assert judged["loss"] == pytest.approx(history["val_loss"][-1])


def test_metrics_see_all_samples_at_once():
    """The mean of the batches' F1 is not the F1; that of a batch without a positive is not even defined."""
    model = classifier()
    seen = []
    model.fit(loader(), 1, metrics={"count": lambda p, t: seen.append((p.shape, t.shape)) or 0.0})
    assert seen == [((48, 2), (48,))]
    predicted = model.predict(X)
    for size in (5, 48):
        assert model.evaluate(loader(size, False), [training.f1])["f1"] == training.f1(predicted, Y)


def test_metrics_of_the_training_are_of_the_predictions_that_were_trained_on():
    model = line(lr=0.25)
    history = model.fit([batch(0.0, 2.0), batch(0.0, 2.0)], 1, metrics=[training.mae])
    assert history["mae"] == [1.5]  # |0 - 2|, and then |1 - 2|


def test_fit_goes_on_where_it_ended():
    model = line()
    first = model.fit([batch(1.0, 1.0)], 2)
    second = model.fit([batch(1.0, 1.0)], 1)
    assert first is second is model.history
    assert second["epoch"] == [1, 2, 3]
    assert model.fit([batch(1.0, 1.0)], 0) is second


def test_gradients_left_over_are_no_part_of_the_training():
    model, twin = line(), line()
    model.backward(model.forward(batch(1.0, 50.0)[0]), batch(1.0, 50.0)[1])
    for each in (model, twin):
        each.fit([batch(1.0, 1.0)], 1)
    assert same(weights(model), weights(twin))


def test_every_module_has_its_own_mode_again():
    class Told(training.Callback):
        def on_batch_end(self, model, loss):
            modes.append([module.training for module in model.net.modules()])

    modes = []
    model = classifier()
    model.net.eval()
    model.net[2].train()
    before = [module.training for module in model.net.modules()]
    watched = []
    model.net[0].register_forward_hook(lambda module, args, output: watched.append(module.training))
    model.fit(loader(48), 1, validation=loader(48), callbacks=[Told()])
    assert modes == [[True] * 5]
    assert watched == [True, False]
    assert [module.training for module in model.net.modules()] == before
    with pytest.raises(ValueError, match="takes a target"):
        model.evaluate([(X, Y[:5])])
    assert [module.training for module in model.net.modules()] == before


def test_a_scheduler_goes_on_after_every_epoch():
    model = classifier(lr=0.1)
    scheduler = optim.StepLR(model.optimizer, step_size=2, gamma=0.5)
    history = model.fit(loader(), 5, scheduler=scheduler)
    assert history["lr"] == [0.1, 0.1, 0.05, 0.05, 0.025]


@pytest.mark.parametrize(("validation", "lr"), [(None, 1.0), ([batch(0.0, 7.0)], 0.5)])
def test_a_plateau_is_one_of_the_validation_s_loss_if_there_is_one(validation, lr):
    """The training's loss falls, that of the validation rises."""
    model = line(lr=1.0)
    scheduler = optim.ReduceLROnPlateau(model.optimizer, factor=0.5, patience=0)
    for group in model.optimizer.param_groups:
        group["lr"] = 0.01
    history = model.fit([batch(0.0, -1.0)], 2, validation=validation, scheduler=scheduler)
    assert history["loss"][1] < history["loss"][0]
    assert model.optimizer.param_groups[0]["lr"] == 0.01 * lr


@pytest.mark.thorough
def test_memory_stays_flat_over_epochs():
    class Measure(training.Callback):
        def on_epoch_end(self, model, history):
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])

    sizes = []
    model, batches = classifier(), loader()
    tracemalloc.start()
    try:
        model.fit(batches, 5, callbacks=[Measure()])
    finally:
        tracemalloc.stop()
    assert sizes[-1] - sizes[1] < 4096  # a row of the history each, and no graph


@pytest.mark.parametrize("where", ["batch", "epoch"])
def test_ctrl_c_ends_the_training_with_the_history_so_far(where):
    class Interrupt(training.Callback):
        ended = False

        def on_batch_end(self, model, loss):
            if where == "batch" and len(model.history) == 2:
                raise KeyboardInterrupt

        def on_epoch_end(self, model, history):
            if where == "epoch" and len(history) == 2:
                raise KeyboardInterrupt

        def on_fit_end(self, model, history):
            self.ended = True

    model, callback = classifier(), Interrupt()
    model.net.eval()
    history = model.fit(loader(), 5, callbacks=[callback], on_interrupt="return")
    assert history.interrupted
    assert callback.ended
    assert len(history) == 2
    assert repr(history).endswith("interrupted")
    assert not model.net.training
    assert recording.current().recording
    assert model.fit(loader(), 1) is history
    assert not history.interrupted
    assert len(history) == 3


def test_ctrl_c_between_the_verbs_leaves_no_gradient():
    class Stopped(training.Model):
        def apply_grad(self):
            raise KeyboardInterrupt

    model = line()
    stopped = Stopped(model.net, model.loss, model.optimizer)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit([batch(1.0, 1.0)], 3)
    assert model.net.weight.grad is None


def test_other_errors_come_through():
    model = line()
    with pytest.raises(ZeroDivisionError):
        model.fit([batch(1.0, 1.0)], 2, metrics={"odd": lambda p, t: 1 / 0})
    assert model.net.training
    assert len(model.history) == 0


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([],), {}, ValueError, "the loader gave no batches"),
        (([X],), {}, TypeError, r"pairs \(input, target\), not Tensor"),
        (([(X, Y, Y)],), {}, TypeError, "not 3 parts"),
        ((iter([(X, Y)]),), {}, ValueError, "can be read only once, but there are 2 epochs"),
        (([(X, Y)],), {"validation": iter([(X, Y)])}, ValueError, "can be read only once"),
        (([(X, Y)],), {"metrics": [lambda p, t: 0.0]}, ValueError, "metrics need distinct names"),
        (([(X, Y)],), {"metrics": [training.f1, training.f1]}, ValueError, "metrics need distinct names"),
        (([(X, Y)],), {"metrics": {"lr": training.f1}}, ValueError, "cannot be called 'lr'"),
        (([(X, Y)],), {"metrics": {"val_loss": training.f1}}, ValueError, "cannot be called 'val_loss'"),
        (([(X, Y)],), {"metrics": {"a": len, "val_a": len}}, ValueError, "cannot be called 'val_a'"),
        (([(X, Y)],), {"metrics": training.f1}, TypeError, "metrics must be a list .* not <function f1"),
        (([(X, Y)],), {"metrics": "f1"}, TypeError, "metrics must be a list .* not 'f1'"),
        (([(X, Y)],), {"metrics": ["f1"]}, TypeError, "a metric must be a function .*, not 'f1'"),
        (([(X, Y)],), {"metrics": {"f1": 1.0}}, TypeError, "a metric must be a function .*, not 1.0"),
        (([(X, Y)],), {"metrics": {"odd": lambda p, t: p}}, TypeError, "metric odd must be a single number"),
        (([(X, Y)],), {"metrics": {"odd": lambda p, t: None}}, TypeError, "metric odd must be"),
    ],
)
def test_what_cannot_be_fitted_is_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        classifier().fit(*arguments, 2, **options)


def test_epochs_are_counted_in_whole_numbers():
    for epochs in (-1, 1.5, True):
        with pytest.raises(ValueError, match="epochs must be an integer"):
            classifier().fit(loader(), epochs)
    assert len(classifier().fit(loader(), np.int64(2))) == 2


# --- evaluate and predict ---------------------------------------------------------------------------


def test_evaluation_changes_nothing_and_is_the_same_again():
    model = classifier(dropout=0.9)
    before = weights(model)
    first = model.evaluate(loader(), [training.accuracy])
    assert first["accuracy"] == model.evaluate(loader(), [training.accuracy])["accuracy"]
    assert same(weights(model), before)
    assert all(parameter.grad is None for parameter in model.net.parameters())


def test_nothing_is_recorded_in_evaluation():
    model = classifier()
    recorded = []
    model.net.register_forward_hook(lambda module, args, output: recorded.append(output.requires_grad))
    model.evaluate(loader(48))
    model.predict(X)
    assert recorded == [False, False]


def test_predictions_of_a_loader_are_joined():
    model = classifier(dropout=0.9)
    whole = model.predict(X)
    assert isinstance(whole, ad.Tensor)
    assert not whole.requires_grad
    assert whole.shape == (48, 2)
    pairs, inputs = loader(7, False), data.DataLoader(data.TensorDataset(X), 7)
    for batches in (pairs, inputs, (x for x, _ in pairs)):
        np.testing.assert_allclose(model.predict(batches).data, whole.data, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.predict(X.data).data, whole.data)
    with pytest.raises(ValueError, match="no batches"):
        model.predict(iter(()))


@pytest.mark.parametrize("container", [tuple, list])
def test_a_net_with_several_outputs_is_told_that_they_cannot_be_joined(container):
    class Two(nn.Linear):
        def forward(self, x):
            return container([super().forward(x), ad.Tensor(x)])

    net = Two(1, 1)
    model = training.Model(net, lambda p, t: nn.mse_loss(p[0], t), optim.SGD(net.parameters()))
    assert math.isfinite(model.fit([batch(1.0, 1.0)], 1)["loss"][0])
    for given in (iter([batch(1.0, 1.0)]), [[1.0]]):
        with pytest.raises(TypeError, match=f"one Tensor each, not a {container.__name__}"):
            model.predict(given)
    with pytest.raises(TypeError, match=f"one Tensor each, not a {container.__name__}"):
        model.fit([batch(1.0, 1.0)], 1, metrics=[training.mae])


class TwoTargets(data.Dataset):
    """A target of two parts, a row and a number, in some container."""

    def __init__(self, container):
        self.container = container

    def __len__(self):
        return 5

    def __getitem__(self, index):
        return np.zeros(1), self.container([np.full(2, 3.0 * (index == 4)), 0.0])


@pytest.mark.parametrize("container", [tuple, list, lambda parts: dict(zip("ab", parts))])
def test_a_target_of_several_parts_counts_by_its_samples(container):
    def loss(prediction, target):
        row, _ = target.values() if isinstance(target, dict) else target
        return nn.mse_loss(prediction, row[:, :1])

    net = nn.Linear(1, 1, bias=False)
    model = training.Model(net, loss, optim.SGD(net.parameters()))
    batches = data.DataLoader(TwoTargets(container), batch_size=4)
    assert model.evaluate(batches)["loss"] == pytest.approx(9 / 5)  # four zeros, and a nine
    assert model.fit(batches, 1)["loss"] == [pytest.approx(9 / 5)]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scheduler": 3}, TypeError, "one of autodiff.optim, not 3"),
        ({"scheduler": optim.StepLR(optim.SGD([ad.Tensor([1.0])]), 1)}, ValueError, "another optimizer"),
        ({"callbacks": training.EarlyStopping("loss")}, TypeError, r"a list, even of one: \[EarlyStopping"),
        ({"callbacks": [training.EarlyStopping]}, TypeError, "create an instance: EarlyStopping"),
    ],
)
def test_what_fit_cannot_use_is_refused_before_anything_is_trained(options, error, message):
    model = line()
    before = weights(model)
    with pytest.raises(error, match=message):
        model.fit([batch(1.0, 1.0)], 2, **options)
    assert same(weights(model), before)
    assert len(model.history) == 0
