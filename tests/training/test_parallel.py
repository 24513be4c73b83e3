"""Training on several processes: what the parts of a batch give together, and what a dead worker costs."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from autodiff import Tensor, data, nn, optim, training
from autodiff.training import parallel
from autodiff.training.parallel.shares import BatchPart, Worker, put_together, rows, split, state_of

pytestmark = pytest.mark.filterwarnings("ignore")  # whatever Ray warns of while it is imported and started


def make_model(net=None, rate=0.05):
    if net is None:
        net = nn.Sequential(nn.Linear(5, 8, generator=0), nn.Tanh(), nn.Linear(8, 3, generator=1))
    return training.Model(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters(), lr=rate))


def with_dropout():
    first, last = nn.Linear(5, 8, generator=0), nn.Linear(8, 3, generator=1)
    return make_model(nn.Sequential(first, nn.Dropout(0.5), last))


def samples(count=50):
    rng = np.random.default_rng(0)
    return rng.normal(size=(count, 5)), rng.integers(0, 3, count)


def batches(size=20):
    return data.DataLoader(data.TensorDataset(*samples()), size)


def weights(model):
    return [parameter.data for parameter in model.net.parameters()]


def assert_same(model, other, within=1e-6):
    for one, two in zip(weights(model), weights(other), strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=within)


# -- parts, without Ray -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "parts"), [(50, 2), (50, 3), (5, 5), (3, 8), (1, 2)])
def test_a_batch_is_cut_into_parts_that_are_the_batch(count, parts):
    x, y = samples(count)
    pieces = split(x, y, parts)
    assert len(pieces) == min(count, parts)
    sizes = [len(target) for _, target in pieces]
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1
    np.testing.assert_array_equal(np.concatenate([part for part, _ in pieces]), x)
    np.testing.assert_array_equal(np.concatenate([target for _, target in pieces]), y)


def test_structures_of_tensors_are_cut_leaf_by_leaf():
    x, _ = samples(4)
    cut = rows({"a": Tensor(x, requires_grad=False), "b": (x * 2, [x])}, 1, 3)
    np.testing.assert_allclose(cut["a"], x[1:3], rtol=1e-6)
    np.testing.assert_array_equal(cut["b"][1][0], x[1:3])
    assert isinstance(cut["b"], tuple)


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_the_parts_together_give_the_gradients_of_the_whole_batch(parts):
    (x, y), whole, server = samples(), make_model(), make_model()
    whole.backward(whole.forward(x), y)
    shares = [Worker(make_model).share(state_of(server), BatchPart(*pair, 0)) for pair in split(x, y, parts)]
    put_together(server, shares)
    for one, two in zip(server.net.parameters(), whole.net.parameters()):
        np.testing.assert_allclose(one.grad.data, two.grad.data, rtol=1e-4, atol=1e-7)


def test_a_part_counts_by_its_samples():
    (x, y), whole, server = samples(30), make_model(), make_model()
    whole.backward(whole.forward(x), y)
    pairs = [(x[:3], y[:3]), (x[3:], y[3:])]
    put_together(server, [Worker(make_model).share(state_of(server), BatchPart(*pair, 0)) for pair in pairs])
    first, right = (model.net[0].weight.grad.data for model in (server, whole))
    np.testing.assert_allclose(first, right, rtol=1e-4, atol=1e-7)


def test_buffers_are_averaged_and_what_gets_no_gradient_has_none():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.linear = nn.BatchNorm1d(5), nn.Linear(5, 3, generator=0)
            self.unused = nn.Linear(2, 2, generator=0)

        def forward(self, x):
            return self.linear(self.norm(x))

    (x, y), server = samples(40), make_model(Net())
    pairs = split(x, y, 2)
    shares = [
        Worker(lambda: make_model(Net())).share(state_of(server), BatchPart(*pair, 0)) for pair in pairs
    ]
    put_together(server, shares)
    right = np.mean([0.1 * part.mean(axis=0) for part, _ in pairs], axis=0)
    np.testing.assert_allclose(server.net.norm.running_mean.data, right, rtol=1e-5, atol=1e-7)
    assert server.net.unused.weight.grad is None
    assert server.net.linear.weight.grad is not None


def test_read_only_arrays_as_ray_sends_them_are_fine():
    server, (x, y) = make_model(), samples()
    state = [{name: array.copy() for name, array in part.items()} for part in state_of(server)]
    for array in (x, y, *state[0].values()):
        array.setflags(write=False)
    worker = Worker(make_model)
    worker.share(state, BatchPart(x, y, 0))
    worker.model.apply_grad()  # in arrays of its own
    assert np.isfinite(worker.share(state, BatchPart(x, y, 0)).loss)


# -- what is refused before a process starts ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"make_model": make_model()}, TypeError, "a function that returns a training.Model"),
        ({"make_model": lambda: 3}, TypeError, "it returned 3"),
        ({"workers": 0}, ValueError, "an integer of 1 or more"),
        ({"workers": 1.5}, ValueError, "an integer of 1 or more"),
        ({"workers": True}, ValueError, "an integer of 1 or more"),
        ({"mode": "fast"}, ValueError, '"sync" or "async"'),
        ({"patience": 0}, ValueError, "positive number of seconds"),
        ({"seed": -1}, ValueError, "non-negative"),
    ],
)
def test_wrong_arguments_are_refused_before_any_process_starts(arguments, error, words, monkeypatch):
    monkeypatch.setattr("autodiff.training.parallel.trainer.Pool", None)
    with pytest.raises(error, match=words):
        parallel.RayTrainer(**{"make_model": make_model, **arguments})


def test_without_ray_the_error_has_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r'pip install "autodiff\[ray\]"'):
        parallel.RayTrainer(make_model)


# -- with Ray -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ray():
    """Ray, started once for all of these tests."""
    ray = pytest.importorskip("ray")
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path.cwd()), path]))
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield ray
    ray.shutdown()
    os.environ.pop("PYTHONPATH") if path is None else os.environ.update(PYTHONPATH=path)


def test_two_workers_take_the_steps_of_one_process(ray):
    alone = make_model()
    expected = alone.fit(batches(), epochs=3, metrics=[training.accuracy])
    with parallel.RayTrainer(make_model, workers=2) as trainer:
        history = trainer.fit(batches(), epochs=3, metrics=[training.accuracy])
        assert_same(trainer, alone)
        assert history["loss"] == pytest.approx(expected["loss"], rel=1e-5)
        assert history["accuracy"] == expected["accuracy"]
        assert trainer.evaluate(batches()) == pytest.approx(alone.evaluate(batches()), rel=1e-5)
    with pytest.raises(RuntimeError, match="ended by close"):
        trainer.fit(batches(), epochs=1)
    assert ray.is_initialized(), "Ray was there before, and stays"


class Kill(training.Callback):
    """Kills a worker in the middle of the second epoch."""

    def __init__(self, kill):
        self.kill, self.seen = kill, 0

    def on_batch_end(self, model, loss):
        self.seen += 1
        if self.seen == 4:
            self.kill(model.pool.workers[0])


@pytest.mark.thorough
def test_a_worker_killed_in_the_middle_of_an_epoch_costs_nothing_but_time(ray):
    """Dropout draws the same for the part that is computed again."""
    with parallel.RayTrainer(with_dropout, workers=2) as undisturbed:
        expected = undisturbed.fit(batches(), epochs=3)
        assert undisturbed.replaced == 0
    with parallel.RayTrainer(with_dropout, workers=2) as trainer:
        history = trainer.fit(batches(), epochs=3, callbacks=[Kill(ray.kill)])
        assert trainer.replaced == 1
        assert trainer.workers == 2
    assert history["loss"] == expected["loss"]
    assert_same(trainer, undisturbed, within=0)


@pytest.mark.thorough
def test_asynchronous_steps_take_every_batch_once_and_learn(ray):
    with parallel.RayTrainer(make_model, workers=2, mode="async") as trainer:
        history = trainer.fit(batches(10), epochs=8, metrics=[training.accuracy], callbacks=[Kill(ray.kill)])
        assert trainer.replaced == 1
    state = trainer.optimizer.state_dict()
    steps = {int(np.asarray(values["step"])) for values in state["state"].values()}
    assert steps == {8 * 5}
    assert history["loss"][-1] < history["loss"][0]
    assert history["accuracy"][-1] > history["accuracy"][0]


@pytest.mark.thorough
def test_a_worker_that_is_too_slow_is_replaced(ray, tmp_path):
    flag = tmp_path / "slept"

    def sleeps_once():
        model = make_model()

        class Sleepy(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = model.net

            def forward(self, x):
                if not flag.exists():
                    flag.write_text("once")
                    time.sleep(60)
                return self.net(x)

        return make_model(Sleepy())

    alone = make_model()
    alone.fit(batches(), epochs=1)
    with parallel.RayTrainer(sleeps_once, workers=2, patience=10) as trainer:
        trainer.fit(batches(), epochs=1)
        assert trainer.replaced >= 1  # more on a machine where a process takes long to start
    assert_same(trainer, alone)


@pytest.mark.thorough
def test_what_the_model_raises_is_raised_here_and_the_workers_live_on(ray):
    x, y = samples()
    with parallel.RayTrainer(make_model, workers=2) as trainer:
        with pytest.raises(ValueError, match="last axis 5"):
            trainer.fit([(x[:, :4], y)], epochs=1)
        assert trainer.replaced == 0
        assert len(trainer.fit(batches(), epochs=1)) == 1


@pytest.mark.thorough
def test_a_part_that_kills_every_worker_is_given_up(ray):
    def deadly():
        class Deadly(nn.Linear):
            def forward(self, x):
                os._exit(1)

        return make_model(Deadly(5, 3))

    words = "3 workers in a row have died of part 0"
    with parallel.RayTrainer(deadly, workers=1) as trainer, pytest.raises(RuntimeError, match=words):
        trainer.fit(batches(), epochs=1)


@pytest.mark.thorough
def test_a_saved_run_goes_on_with_the_same_numbers(ray, tmp_path):
    with parallel.RayTrainer(with_dropout, workers=2) as trainer:
        expected = trainer.fit(batches(), epochs=4)["loss"]
    with parallel.RayTrainer(with_dropout, workers=2) as first:
        first.fit(batches(), epochs=2)
        training.save_run(first, tmp_path / "run.npz")
    with parallel.RayTrainer(with_dropout, workers=2) as second:
        training.load_run(second, tmp_path / "run.npz")
        assert second.fit(batches(), epochs=2)["loss"] == expected
    assert_same(second, trainer, within=0)


@pytest.mark.thorough
def test_more_workers_than_processors_are_refused(ray):
    with pytest.raises(ValueError, match="workers must be at most 4, the processors that Ray has, not 5"):
        parallel.RayTrainer(make_model, workers=5)
    assert ray.is_initialized()


@pytest.mark.thorough
def test_what_cannot_be_sent_to_other_processes_is_refused(ray):
    held = threading.Lock()
    with pytest.raises(TypeError, match="cannot be sent to other processes"):
        parallel.RayTrainer(lambda: (held, make_model())[1])


@pytest.mark.thorough
def test_a_second_trainer_says_within_seconds_who_holds_the_processors(ray):
    with parallel.RayTrainer(make_model, workers=3) as first:
        begun = time.monotonic()
        with pytest.raises(RuntimeError, match=r"of the 4 that Ray has 1 are free.*trainer\.close\(\)"):
            parallel.RayTrainer(make_model, workers=2)
        assert time.monotonic() - begun < 20
        assert len(first.fit(batches(), epochs=1)) == 1
    trainer = parallel.RayTrainer(make_model, workers=4)
    assert len(trainer.fit(batches(), epochs=1)) == 1
    del trainer  # which is not closed
    with parallel.RayTrainer(make_model, workers=4) as last:
        assert len(last.fit(batches(), epochs=1)) == 1
