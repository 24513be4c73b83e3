"""RayTrainer on a stand-in for Ray: whole trainings, processors that others hold, waits, and the end."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import numpy as np
import pytest

from autodiff import nn, optim, training
from autodiff.training.parallel import RayTrainer, pool
from tests.training.fake_ray import FakeRay
from tests.training.test_loss_weights import LOSSES, case, make_model


@pytest.fixture
def ray(monkeypatch):
    """The stand-in, not started yet."""
    fake = FakeRay()
    monkeypatch.setattr(pool, "imported_ray", lambda: fake)
    monkeypatch.setattr(pool, "FREE_WITHIN", 0.2)
    pool.holders.clear()
    return fake


def line():
    net = nn.Linear(2, 1, generator=0)
    return training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.1))


X, Y = np.random.default_rng(0).normal(size=(6, 2)), np.ones((6, 1))


@pytest.mark.parametrize("name", LOSSES)
def test_workers_train_as_one_process_does(name, ray):
    make, x, y = case(name)

    def model():
        made = make_model(make)
        made.optimizer.param_groups[0]["lr"] = 0.1
        return made

    alone = model()
    expected = alone.fit(x, y, epochs=2, batch_size=7, shuffle=False)
    with RayTrainer(model, workers=3) as trainer:
        history = trainer.fit(x, y, epochs=2, batch_size=7, shuffle=False)
    assert history["loss"] == pytest.approx(expected["loss"], rel=1e-10)
    for one, two in zip(trainer.net.parameters(), alone.net.parameters(), strict=True):
        np.testing.assert_allclose(one.data, two.data, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", LOSSES)
def test_asynchronous_losses_are_put_together_by_their_weights(name, ray):
    make, x, y = case(name)
    expected = make_model(make).evaluate(x, y)["loss"]
    with RayTrainer(lambda: make_model(make), workers=2, mode="async") as trainer:
        history = trainer.fit(x, y, epochs=1, batch_size=4, shuffle=False)
    assert history["loss"] == pytest.approx([expected], rel=1e-12)


def test_the_seed_is_0_unless_another_is_given(ray):
    """What the workers draw is drawn again, and with another seed otherwise."""

    def noisy():
        net = nn.Sequential(nn.Dropout(0.5), nn.Linear(2, 1, generator=0))
        return training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.1))

    losses = []
    for options in ({}, {"seed": 0}, {"seed": 1}):
        with RayTrainer(noisy, workers=2, **options) as trainer:
            losses.append(trainer.fit(X, Y, epochs=2, shuffle=False)["loss"])
    assert losses[0] == losses[1] != losses[2]


def test_a_second_trainer_that_finds_no_free_processor_says_so(ray):
    with RayTrainer(line, workers=2) as first:
        with pytest.raises(RuntimeError, match=r"of the 2 that Ray has 0 are free.*trainer\.close\(\)"):
            RayTrainer(line, workers=1)
        assert len(first.fit(X, Y, epochs=1)) == 1, "the first goes on"
    with RayTrainer(line, workers=2) as second:
        assert len(second.fit(X, Y, epochs=1)) == 1
    assert not ray.is_initialized()


def test_more_workers_than_processors_are_refused_and_end_nothing(ray):
    ray.cpus = 2
    with pytest.raises(ValueError, match="at most 2, the processors that Ray has, not 3"):
        RayTrainer(line, workers=3)
    assert ray.is_initialized()


def test_workers_end_when_the_trainer_is_freed(ray):
    trainer = RayTrainer(line, workers=2)
    trainer.fit(X, Y, epochs=1)
    assert len(ray.alive) == 2
    del trainer
    gc.collect()
    assert ray.alive == []
    assert not ray.is_initialized(), "the trainer had started Ray"


def test_ray_runs_until_the_last_trainer_is_closed(ray):
    first = RayTrainer(line, workers=2)
    ray.cpus = 4
    second = RayTrainer(line, workers=2)
    first.close()
    first.close()
    assert len(second.fit(X, Y, epochs=1)) == 1
    second.close()
    assert not ray.is_initialized()


def test_a_long_wait_is_told_once(ray):
    with RayTrainer(line, workers=2) as trainer:
        ray.slow = 2
        with pytest.warns(RuntimeWarning, match=r"60 seconds.*parts 0, 1.*patience=seconds") as told:
            trainer.fit(X, Y, epochs=1)
    assert len(told) == 1
    assert ray.timeouts[:3] == [pool.STARTED_WITHIN, pool.TOLD_AFTER, None]


def test_workers_that_do_not_start_are_an_error(ray, monkeypatch):
    monkeypatch.setattr(ray, "wait", lambda calls, num_returns, timeout: (calls[:1], calls[1:]))
    with pytest.raises(RuntimeError, match="1 of 2 workers have started within 120 seconds"):
        RayTrainer(line, workers=2)
    assert ray.alive == []
    assert not ray.is_initialized()


def test_a_worker_that_cannot_make_the_model_is_an_error(ray, monkeypatch):
    monkeypatch.setattr(pool.RemoteWorker, "is_ready", lambda self: ray.kill(ray.alive[0]))
    wait = ray.wait

    def dies(calls, **options):
        calls[0].error = ray.exceptions.RayActorError("no module named tiny")
        return wait(calls, **options)

    monkeypatch.setattr(ray, "wait", dies)
    with pytest.raises(RuntimeError, match="could not make the model: no module named tiny"):
        RayTrainer(line, workers=1)


def test_a_dead_worker_is_replaced_and_errors_leave_the_others(ray):
    with RayTrainer(line, workers=2) as trainer:
        ray.kill(ray.alive[0])
        trainer.fit(X, Y, epochs=1)
        assert trainer.replaced == 1
        assert trainer.workers == len(ray.alive) == 2
        with pytest.raises(ValueError, match="last axis"):
            trainer.fit(X[:, :1], Y, epochs=1)
        assert len(trainer.fit(X, Y, epochs=1)) == 2
    with pytest.raises(RuntimeError, match="ended by close"):
        trainer.fit(X, Y, epochs=1)


def test_a_worker_that_is_slower_than_patience_is_replaced_and_its_part_is_computed_again(ray, monkeypatch):
    now = 100.0
    monkeypatch.setattr(pool, "time", SimpleNamespace(monotonic=lambda: now))
    wait = ray.wait

    def waits(calls, num_returns, timeout):
        nonlocal now
        done, rest = wait(calls, num_returns, timeout)
        now += 0 if done else timeout
        return done, rest

    monkeypatch.setattr(ray, "wait", waits)
    alone = line()
    expected = alone.fit(X, Y, epochs=2, batch_size=4, shuffle=False)["loss"]
    with RayTrainer(line, workers=2, patience=7.5) as trainer:
        ray.slow = 1
        found = trainer.fit(X, Y, epochs=2, batch_size=4, shuffle=False)["loss"]
        assert ray.timeouts[:2] == [pool.STARTED_WITHIN, 7.5]
        assert trainer.replaced == 2, "both had begun at the same time"
        assert len(ray.alive) == 2
    assert found == pytest.approx(expected, rel=1e-6)


def test_a_part_that_is_never_done_is_given_up(ray, monkeypatch):
    monkeypatch.setattr(ray, "get", lambda calls: ready(ray, calls))
    with RayTrainer(line, workers=1) as trainer:
        with pytest.raises(RuntimeError, match="3 workers in a row have died of part 0"):
            trainer.fit(X, Y, epochs=1)
        assert trainer.replaced == pool.LIVES - 1


def ready(ray, calls):
    """Whether workers are ready; a call of any other method has killed its worker."""
    if isinstance(calls, list):
        return [True for _ in calls]
    raise ray.exceptions.WorkerCrashedError("out of memory")


def test_what_cannot_be_sent_is_refused_before_ray_starts(ray, monkeypatch):
    def dumps(function):
        raise TypeError("cannot pickle '_thread.lock' object")

    monkeypatch.setattr(ray.cloudpickle, "dumps", dumps)
    with pytest.raises(TypeError, match=r"cannot be sent to other processes \(cannot pickle"):
        RayTrainer(line, workers=1)
    assert not ray.is_initialized()
