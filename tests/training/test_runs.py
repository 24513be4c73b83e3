"""A run that is saved and loaded goes on bit by bit; one that does not fit changes nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim, training
from autodiff.training.files import read_npz, write_npz
from tests.training.fits import classifier, line, same, samples, weights


class Parts:
    """A model and all that belongs to its run, fresh."""

    def __init__(self, own=False, optimizer=optim.Adam, scheduler=None, **options):
        drawn = (np.random.default_rng(7), 8) if own else (None, None)
        net = nn.Sequential(
            nn.Linear(4, 8),
            nn.BatchNorm1d(8),
            nn.Tanh(),
            nn.Dropout(0.25, generator=drawn[1]),
            nn.Linear(8, 2),
        )
        self.model = training.Model(net, nn.CrossEntropyLoss(), optimizer(net.parameters(), **options))
        make = scheduler or (lambda optimizer: optim.StepLR(optimizer, step_size=1, gamma=0.5))
        self.scheduler = make(self.model.optimizer)
        self.loader = data.DataLoader(samples(), 10, shuffle=True, generator=drawn[0])

    def fit(self, epochs):
        metrics = [training.accuracy]
        self.model.fit(self.loader, epochs, scheduler=self.scheduler, metrics=metrics)

    def save(self, path):
        training.save_run(self.model, path, scheduler=self.scheduler, loader=self.loader)

    def load(self, path):
        return training.load_run(self.model, path, scheduler=self.scheduler, loader=self.loader)

    def state(self):
        """Everything that a run is made of."""
        arrays = {}
        parts = [self.model.net.state_dict(), self.model.optimizer.state_dict(), self.scheduler.state_dict()]
        generators = [ad.seeding.generator(), self.loader.generator, self.model.net[3]._generator]
        parts += [generator and generator.bit_generator.state for generator in generators]
        parts += [self.model.history.rows]
        text = json.dumps(training.runs.pack(parts, "", arrays))
        return text, {name: array.tobytes() for name, array in arrays.items()}


OPTIONS = [
    {},
    {"own": True},
    {"optimizer": optim.SGD, "lr": 0.1, "momentum": 0.9},
    {"optimizer": optim.RMSprop, "own": True},
    {"scheduler": lambda optimizer: optim.ReduceLROnPlateau(optimizer, patience=0)},
    {"scheduler": lambda optimizer: optim.OneCycleLR(optimizer, 0.1, total_steps=9)},
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_a_loaded_run_goes_on_bit_by_bit(tmp_path, options):
    ad.seed(0)
    whole = Parts(**options)
    whole.fit(4)
    expected = whole.state()

    ad.seed(0)
    first = Parts(**options)
    first.fit(2)
    first.save(tmp_path / "run.npz")
    saved = first.state()
    first.fit(1)  # what comes after does not matter

    ad.seed(99)
    second = Parts(**options)
    second.fit(1)
    history = second.load(tmp_path / "run.npz")
    assert second.state() == saved
    assert history is second.model.history
    assert len(history) == 2
    second.fit(2)
    assert second.state() == expected
    assert same(weights(second.model), weights(whole.model))


def test_a_run_may_be_saved_after_every_epoch(tmp_path):
    class Save(training.Callback):
        def on_epoch_end(self, model, history):
            parts.save(tmp_path / f"{len(history)}.npz")

    ad.seed(0)
    parts = Parts()
    parts.model.fit(parts.loader, 3, scheduler=parts.scheduler, callbacks=[Save()])
    expected = parts.state()
    parts = Parts()
    parts.load(tmp_path / "2.npz")
    parts.model.fit(parts.loader, 1, scheduler=parts.scheduler, callbacks=[Save()])
    assert parts.state() == expected
    assert np.load(tmp_path / "3.npz")["header"].dtype == np.uint8


def test_a_loss_with_parameters_is_saved_too(tmp_path):
    class Scaled(nn.Module):
        def __init__(self):
            self.scale = nn.Parameter([1.0])

        def forward(self, prediction, target):
            return (self.scale * nn.mse_loss(prediction, target)).sum()

    def fresh():
        net, loss = nn.Linear(1, 1, generator=0), Scaled()
        return training.Model(net, loss, optim.SGD([*net.parameters(), *loss.parameters()], lr=0.1))

    first, second, batches = fresh(), fresh(), [([[1.0]], [[2.0]])]
    first.fit(batches, 2)
    training.save_run(first, tmp_path / "run.npz")
    training.load_run(second, tmp_path / "run.npz")
    assert second.loss.scale.item() == first.loss.scale.item() != 1
    with pytest.raises(
        ValueError, match="the loss of the run is a module, but the loss of the model is a function"
    ):
        training.load_run(training.Model(first.net, nn.mse_loss, first.optimizer), tmp_path / "run.npz")


def test_a_loss_that_draws_numbers_goes_on_drawing_them(tmp_path):
    class Noisy(nn.Module):
        def __init__(self):
            self.drop = nn.Dropout(0.5, generator=3)

        def forward(self, prediction, target):
            return nn.mse_loss(self.drop(prediction), target)

    def fresh():
        net = nn.Linear(1, 8, generator=0)
        return training.Model(net, Noisy(), optim.SGD(net.parameters(), lr=0.1))

    whole, first, second, batches = fresh(), fresh(), fresh(), [([[1.0]], np.ones((1, 8)))]
    whole.fit(batches, 4)
    first.fit(batches, 2)
    training.save_run(first, tmp_path / "run.npz")
    second.fit(batches, 1)
    training.load_run(second, tmp_path / "run.npz")
    assert second.fit(batches, 2)["loss"] == whole.history["loss"]


def test_a_loss_may_be_a_function(tmp_path):
    def fresh():
        net = nn.Linear(1, 1, generator=0)
        return training.Model(net, nn.mse_loss, optim.SGD(net.parameters(), lr=0.1))

    first, second, batches = fresh(), fresh(), [([[1.0]], [[2.0]])]
    first.fit(batches, 2)
    training.save_run(first, tmp_path / "run.npz")
    training.load_run(second, tmp_path / "run.npz")
    assert same(weights(first), weights(second))


def test_a_layer_that_is_not_built_yet_is_built_by_the_run(tmp_path):
    def fresh():
        net = nn.Sequential(nn.Dense(3), nn.Dense(1))
        return training.Model(net, nn.MSELoss(), optim.Adam(net.parameters()))

    first, second = fresh(), fresh()
    batches = [([[1.0, 2.0]], [[2.0]])]
    first.fit(batches, 2)
    training.save_run(first, tmp_path / "run.npz")
    other = Parts()
    other.fit(1)
    with pytest.raises(ValueError, match="but load_run was given StepLR"):
        training.load_run(second, tmp_path / "run.npz", scheduler=optim.StepLR(second.optimizer, 1))
    assert second.net[0].weight.shape == (3, 0)
    assert second.net[0].in_features is None
    training.load_run(second, tmp_path / "run.npz")
    for each in (first, second):
        each.fit(batches, 1)
    assert same(weights(first), weights(second))


def test_generators_of_transforms_are_saved_if_they_are_given(tmp_path):
    model, path = classifier(), tmp_path / "run.npz"
    crop, rng = data.RandomCrop(1, generator=1), np.random.default_rng(2)
    training.save_run(model, path, generators=[crop, rng])
    expected = crop.generator.random(), rng.random()
    training.load_run(model, path, generators=[crop, rng])
    assert (crop.generator.random(), rng.random()) == expected
    with pytest.raises(TypeError, match="cannot be saved: it is 5"):
        training.save_run(model, path, generators=[type("Odd", (), {"generator": 5})()])


def other_net(parts):
    net = nn.Sequential(nn.Linear(4, 2))
    parts.model = training.Model(net, parts.model.loss, optim.Adam(net.parameters()))


def other_dtype(parts):
    weight = parts.model.net[0].weight
    weight._value = weight.data.astype(float)


def other_optimizer(parts):
    parts.model.optimizer = optim.NAdam(parts.model.net.parameters())
    parts.scheduler = optim.StepLR(parts.model.optimizer, step_size=1)


def other_scheduler(parts):
    parts.scheduler = optim.ExponentialLR(parts.model.optimizer, gamma=0.5)


def other_generator(parts):
    parts.loader.generator = np.random.Generator(np.random.MT19937(0))


def other_groups(parts):
    first, *others = parts.model.net.parameters()
    parts.model.optimizer = optim.Adam([{"params": [first]}, {"params": others}])
    parts.scheduler = optim.StepLR(parts.model.optimizer, step_size=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (other_net, "nothing was loaded into Sequential"),
        (other_dtype, r"0\.weight has the dtype float64, but the saved array has float32"),
        (other_optimizer, "saved by Adam, not by NAdam"),
        (other_scheduler, "the run had StepLR, but load_run was given ExponentialLR"),
        (lambda parts: setattr(parts, "scheduler", None), "the run had StepLR, but load_run was given none"),
        (lambda parts: setattr(parts, "loader", None), "drew from generators at .*the loader.*, but"),
        (lambda parts: setattr(parts.model.net[3], "_generator", None), r"generators at .*net\.3"),
        (other_generator, "PCG64|MT19937"),
        (other_groups, "StepLR is for 1 parameter groups"),
    ],
)
def test_a_run_that_does_not_fit_changes_nothing(tmp_path, change, message):
    saved = Parts(own=True)
    saved.fit(2)
    saved.save(tmp_path / "run.npz")
    parts = Parts(own=True)
    parts.fit(1)
    change(parts)
    scheduler, loader = parts.scheduler, parts.loader
    history, before = parts.model.history, None
    if scheduler and loader and len(parts.model.net) == 5:
        before = parts.state()
    kept = weights(parts.model)
    with pytest.raises(ValueError, match=message):
        parts.load(tmp_path / "run.npz")
    assert parts.model.history is history
    assert same(weights(parts.model), kept)
    assert before is None or parts.state() == before


@pytest.mark.parametrize("length", [0, 2, 5000, -1])
def test_a_run_that_was_cut_off_changes_nothing(tmp_path, length):
    parts = Parts()
    parts.fit(1)
    parts.save(tmp_path / "run.npz")
    parts.fit(1)
    before = parts.state()
    whole = (tmp_path / "run.npz").read_bytes()
    (tmp_path / "run.npz").write_bytes(whole[:length])
    with pytest.raises(ValueError, match=r"run\.npz is no \.npz file, or a damaged one"):
        parts.load(tmp_path / "run.npz")
    assert parts.state() == before


def edited(path, edit, is_resigned=True):
    """A run whose header somebody has edited, with its old checksum or a new one."""
    arrays = read_npz(path)
    old = arrays.pop("sha256")
    header = json.loads(arrays["header"].tobytes())
    edit(header)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    write_npz(path, {"sha256": training.runs.arrays_checksum(arrays) if is_resigned else old, **arrays})


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda header: header.update(format="a letter"), "its format is 'a letter'"),
        (lambda header: header.update(version=4), "its version is 4, but this autodiff reads up to 3"),
        (lambda header: header["run"].pop("optimizer"), "it has no optimizer"),
        (lambda header: header.pop("run"), "it has no 'run'"),
        (lambda header: header.update(run=5), "no attribute 'items'"),
        (lambda header: header["run"].update(net={"object": 1}), "unknown kind 'object'"),
    ],
)
def test_a_foreign_header_is_refused(tmp_path, edit, message):
    model, path = line(), tmp_path / "run.npz"
    training.save_run(model, path)
    edited(path, edit)
    with pytest.raises(ValueError, match=f"is no run that save_run saved: .*{message}"):
        training.load_run(model, path)


class Remembering(optim.Optimizer):
    """A rule of one's own, whose state is no array of the parameter's shape."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    def update(self, data, grad, state, group):
        state["norms"] = np.append(state.get("norms", ()), np.linalg.norm(grad)).astype(data.dtype)
        state.setdefault("signs", []).append(int(np.sign(grad.sum())))
        data -= group["lr"] * grad / (1 + len(state["signs"]))


def test_the_state_of_an_optimizer_of_one_s_own_is_what_it_likes(tmp_path):
    first, second = Parts(optimizer=Remembering), Parts(optimizer=Remembering)
    first.fit(2)
    first.save(tmp_path / "run.npz")
    second.fit(1)
    second.load(tmp_path / "run.npz")
    assert second.state() == first.state()


@pytest.mark.parametrize("saved", [None, "strong_wolfe"])
@pytest.mark.parametrize("current", [None, "strong_wolfe"])
def test_an_option_that_is_off_in_the_run_or_in_the_model_is_that_of_the_run(tmp_path, saved, current):
    first = Parts(optimizer=optim.LBFGS, line_search_fn=saved)
    first.save(tmp_path / "run.npz")
    second = Parts(optimizer=optim.LBFGS, line_search_fn=current)
    second.load(tmp_path / "run.npz")
    assert second.model.optimizer.param_groups[0]["line_search_fn"] == saved


def test_weights_are_no_run_and_a_run_is_no_weights(tmp_path):
    model, path = line(), tmp_path / "a.npz"
    training.save_weights(model.net, path)
    with pytest.raises(ValueError, match="is no run that save_run saved: it has no 'header'"):
        training.load_run(model, path)
    training.save_run(model, path)
    with pytest.raises(ValueError, match="missing: weight, bias"):
        training.load_weights(model.net, path)


def test_parameters_that_would_not_be_saved_are_refused(tmp_path):
    net = nn.Linear(1, 1)
    optimizer = optim.SGD([*net.parameters(), ad.Tensor(1.0)])
    with pytest.raises(ValueError, match="they would not be saved"):
        training.save_run(training.Model(net, nn.MSELoss(), optimizer), tmp_path / "run.npz")
    assert list(tmp_path.iterdir()) == []
