"""Ctrl-C during a ``fit``, pressed at the most awkward moments: it acts between two batches."""

from __future__ import annotations

import signal
import threading

import pytest

from autodiff import optim, training
from autodiff.training import interrupts
from tests.training.fits import batch, line, same, weights

BATCHES = [batch(1.0, 1.0), batch(2.0, 1.0)]


def press():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def all_is_as_before():
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not interrupts.waiting


class Pressed(optim.SGD):
    """Ctrl-C is pressed, once or more, in a certain step, when the weight is new and the bias still old."""

    def __init__(self, model, step, times=1):
        super().__init__(model.net.parameters(), lr=0.1)
        self.when, self.times = step, times

    def update(self, data, grad, state, group):
        super().update(data, grad, state, group)
        if state["step"] == self.when and data.shape == (1, 1):
            for _ in range(self.times):
                press()


def pressed(step, times=1):
    model = line()
    return training.Model(model.net, model.loss, Pressed(model, step, times))


def trained(batches):
    """The weights after a number of batches."""
    model = line()
    for x, y in (BATCHES * 3)[:batches]:
        model.backward(model.forward(x), y)
        model.apply_grad()
    return weights(model)


@pytest.mark.parametrize(("step", "epochs"), [(1, 0), (2, 0), (3, 1), (4, 1)])
def test_a_step_that_was_begun_is_finished(step, epochs):
    model = pressed(step)
    history = model.fit(BATCHES, 9)
    assert history.interrupted
    assert len(history) == epochs
    assert same(weights(model), trained(step))
    assert not model.fit(BATCHES, 1).interrupted


def test_pressed_again_it_acts_at_once():
    model = pressed(3, times=2)
    assert model.fit(BATCHES, 9).interrupted
    weight, bias = weights(model)
    before, after = trained(2), trained(3)
    assert (weight, bias) == (after[0], before[1])


class Press(training.Callback):
    """Presses Ctrl-C in one of the events."""

    def __init__(self, event):
        setattr(self, event, lambda *about: press())


class Note(training.Callback):
    """Comes after Press, and notes what it is told of."""

    def __init__(self):
        self.told = []

    def on_batch_end(self, model, loss):
        self.told.append("batch")

    def on_epoch_end(self, model, history):
        self.told.append("epoch")

    def on_fit_end(self, model, history):
        self.told.append("end")


@pytest.mark.parametrize(
    ("event", "told", "epochs"),
    [
        ("on_fit_begin", ["batch", "end"], 0),
        ("on_batch_end", ["batch", "end"], 0),
        ("on_epoch_end", ["batch", "batch", "epoch", "end"], 1),
    ],
)
@pytest.mark.parametrize("planned", [1, 5])
def test_what_one_callback_is_told_of_all_are(event, told, epochs, planned):
    model, note = line(), Note()
    scheduler = optim.StepLR(model.optimizer, step_size=1)
    history = model.fit(BATCHES, planned, callbacks=[Press(event), note], scheduler=scheduler)
    assert history.interrupted
    assert note.told == told
    assert len(history) == scheduler.last_epoch == epochs


def test_in_the_validation_no_further_batch_is_judged_and_the_epoch_does_not_count():
    model, judged = line(), []

    def watch(module, args, output):
        if not module.training:
            judged.append(len(model.history))
            if len(model.history) == 1:
                press()

    model.net.register_forward_hook(watch)
    history = model.fit(BATCHES, 5, validation=BATCHES)
    assert history.interrupted
    assert len(history) == 1
    assert judged == [0, 0, 1]


def test_while_a_batch_is_being_loaded_it_is_trained_on():
    def loader():
        for pair in BATCHES:
            press()
            yield pair

    model = line()
    assert model.fit(loader(), 1).interrupted
    assert same(weights(model), trained(1))


def test_together_with_another_error_it_is_not_lost():
    class Faulty(training.Callback):
        def on_batch_end(self, model, loss):
            press()
            raise ZeroDivisionError

    assert line().fit(BATCHES, 2, callbacks=[Faulty()]).interrupted


def test_a_program_s_own_handling_of_ctrl_c_is_left_alone():
    heard = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        history = pressed(1).fit(BATCHES, 2)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    assert heard == [signal.SIGINT]
    assert not history.interrupted
    assert len(history) == 2


def test_fit_works_in_a_thread():
    model = line()
    thread = threading.Thread(target=model.fit, args=(BATCHES, 2))
    thread.start()
    thread.join()
    assert len(model.history) == 2


def test_a_fit_within_a_fit_leaves_the_outer_one_protected():
    class Inner(training.Callback):
        def on_fit_begin(self, model, history):
            line().fit(BATCHES, 1)

    model = pressed(2)
    assert model.fit(BATCHES, 5, callbacks=[Inner()]).interrupted
    assert same(weights(model), trained(2))
