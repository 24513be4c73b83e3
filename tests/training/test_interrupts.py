"""Ctrl-C during a ``fit``, pressed at the most awkward moments: it acts between two batches."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from autodiff import data, optim, training
from autodiff.engine import recording
from autodiff.training import interrupts
from tests.training.fits import batch, line, same, weights

BATCHES = [batch(1.0, 1.0), batch(2.0, 1.0)]
RETURN = {"on_interrupt": "return"}


def press():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def all_is_as_before():
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not interrupts.pending


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
    history = model.fit(BATCHES, 9, **RETURN)
    assert history.interrupted
    assert len(history) == epochs
    assert same(weights(model), trained(step))
    assert not model.fit(BATCHES, 1).interrupted


def test_pressed_again_it_acts_at_once():
    model = pressed(3, times=2)
    assert model.fit(BATCHES, 9, **RETURN).interrupted
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
    history = model.fit(BATCHES, planned, callbacks=[Press(event), note], scheduler=scheduler, **RETURN)
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
    history = model.fit(BATCHES, 5, validation=BATCHES, **RETURN)
    assert history.interrupted
    assert len(history) == 1
    assert judged == [0, 0, 1]


def test_while_a_batch_is_being_loaded_it_is_trained_on():
    def loader():
        for pair in BATCHES:
            press()
            yield pair

    model = line()
    assert model.fit(loader(), 1, **RETURN).interrupted
    assert same(weights(model), trained(1))


def test_together_with_another_error_it_is_not_lost():
    class Faulty(training.Callback):
        def on_batch_end(self, model, loss):
            press()
            raise ZeroDivisionError

    for on_interrupt in ("raise", "return"):
        with pytest.raises(KeyboardInterrupt) as raised:
            line().fit(BATCHES, 2, callbacks=[Faulty()], on_interrupt=on_interrupt)
        assert isinstance(raised.value.__context__, ZeroDivisionError)


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
    assert model.fit(BATCHES, 5, callbacks=[Inner()], **RETURN).interrupted
    assert same(weights(model), trained(2))


# -- raised again -------------------------------------------------------------------------------------------


def interrupted(model, batches=BATCHES, epochs=9, **options):
    """Fit until Ctrl-C; what was raised."""
    with pytest.raises(KeyboardInterrupt) as raised:
        model.fit(batches, epochs, **options)
    return raised.value


def check_usable(model, epochs):
    """A model that was interrupted is in order, and can be trained on."""
    assert len(model.history) == epochs
    assert [row["epoch"] for row in model.history] == list(range(1, epochs + 1))
    assert recording.current().recording
    assert not recording.open_blocks
    assert all(parameter.grad is None for parameter in model.net.parameters())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    model.evaluate(BATCHES)
    assert not model.fit(BATCHES, 1).interrupted
    assert len(model.history) == epochs + 1


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize(("step", "epochs"), [(1, 0), (2, 0), (3, 1)])
def test_it_is_raised_again_and_the_model_is_usable(step, epochs, times):
    model = pressed(step, times)
    model.net.eval()
    error = interrupted(model)
    assert model.history.interrupted
    assert not model.net.training
    assert f"stopped by Ctrl-C after {epochs} of 9 epochs" in error.__notes__[0]
    if times == 1:
        assert same(weights(model), trained(step))
    check_usable(model, epochs)


def test_a_sweep_over_seeds_stops():
    begun = []

    def sweep():
        for seed in range(5):
            begun.append(seed)
            pressed(3 if seed == 1 else 1000).fit(BATCHES, 4)

    with pytest.raises(KeyboardInterrupt):
        sweep()
    assert begun == [0, 1]


@pytest.mark.parametrize("event", ["on_fit_begin", "on_batch_end", "on_epoch_end", "on_fit_end"])
@pytest.mark.parametrize("times", [1, 2])
def test_pressed_in_a_callback_all_are_told_of_the_end(event, times):
    class Pressing(training.Callback):
        def __init__(self):
            setattr(self, event, self.press)

        def press(self, *about):
            for _ in range(times):
                press()

    model, note = line(), Note()
    interrupted(model, epochs=1, callbacks=[Pressing(), note])
    if (event, times) != ("on_fit_end", 2):  # there the second press means: leave at once
        assert note.told[-1] == "end"
    check_usable(model, len(model.history))


def test_pressed_while_all_are_told_of_the_end_a_notebook_goes_on():
    model, note = line(), Note()
    history = model.fit(BATCHES, 1, callbacks=[Press("on_fit_end"), note], **RETURN)
    assert history.interrupted
    assert note.told[-1] == "end"
    check_usable(model, 1)


def test_in_the_validation_it_is_raised_too():
    model = line()
    handle = model.net.register_forward_hook(lambda module, *_: None if module.training else press())
    interrupted(model, validation=BATCHES)
    handle.remove()
    check_usable(model, 0)


@pytest.mark.parametrize("on_interrupt", ["raise", "return"])
def test_the_best_weights_are_restored_and_files_are_whole(tmp_path, on_interrupt):
    class Worse(training.Callback):
        def on_epoch_end(self, model, history):
            kept.append(weights(model))
            history.rows[-1]["x"] = len(history)
            if len(history) == 3:
                press()

    kept, model = [], line()
    callbacks = [
        Worse(),
        training.EarlyStopping("x", patience=9, restore_best=True),
        training.CSVLogger(tmp_path / "log.csv"),
        training.BestCheckpoint(tmp_path / "best.npz", "x"),
    ]
    try:
        model.fit(BATCHES, 9, callbacks=callbacks, on_interrupt=on_interrupt)
    except KeyboardInterrupt:
        assert on_interrupt == "raise"
    assert same(weights(model), kept[0])
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 4
    twin = line()
    training.load_weights(twin.net, tmp_path / "best.npz")
    assert same(weights(twin), kept[0])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best.npz", "log.csv"]


def test_another_word_is_refused():
    with pytest.raises(ValueError, match='on_interrupt must be "raise" or "return", not \'stop\''):
        line().fit(BATCHES, 1, on_interrupt="stop")


class Slow(data.Dataset):
    """Samples that take their time."""

    def __len__(self):
        return 64

    def __getitem__(self, index):
        time.sleep(0.01)
        return np.float32([index / 64]), np.float32([1.0])


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("presses", [1, 2])
def test_a_real_signal_while_threads_load_batches_ends_them(workers, presses):
    before = threading.active_count()
    model, begun = line(), threading.Event()
    loader = data.DataLoader(Slow(), 4, num_workers=workers)

    class Begun(training.Callback):
        def on_batch_end(self, model, loss):
            begun.set()

    def press_later():
        begun.wait(timeout=60)
        for _ in range(presses):
            time.sleep(0.01)
            if signal.getsignal(signal.SIGINT) is interrupts.remember_interrupt:  # fit is still at it
                os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press_later)
    thread.start()
    error = None
    try:
        with pytest.raises(KeyboardInterrupt) as error:
            model.fit(loader, 1000, callbacks=[Begun()])
    finally:
        thread.join()
    assert error is not None  # which holds the frames of fit, and so the loader's iterator
    assert threading.active_count() == before
    check_usable(model, len(model.history))


SWEEP = """
import sys
import numpy as np
from autodiff import nn, optim, training

class Begun(training.Callback):
    begun = False
    def on_batch_end(self, model, loss):
        if not self.begun:
            print("begun", flush=True)
            self.begun = True

x = np.ones((4, 1))
for seed in range(2):
    net = nn.Linear(1, 1, generator=seed)
    model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters()))
    history = model.fit(x, x, epochs=10**9, callbacks=[Begun()], on_interrupt=sys.argv[1])
    print(seed, history.interrupted, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a signal for one process alone is POSIX's")
@pytest.mark.parametrize(("on_interrupt", "fits"), [("raise", 1), ("return", 2)])
def test_a_program_ends_or_goes_on(on_interrupt, fits):
    root = Path(__file__).resolve().parents[2]
    started = subprocess.Popen(
        [sys.executable, "-c", SWEEP, on_interrupt], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    heard = []
    for _ in range(fits):
        heard.append(started.stdout.readline())
        started.send_signal(signal.SIGINT)
        heard.append(started.stdout.readline())
    rest, errors = started.communicate(timeout=60)
    if on_interrupt == "raise":
        assert [*heard, rest] == ["begun\n", "", ""]
        assert started.returncode == -signal.SIGINT
        assert "fit was stopped by Ctrl-C" in errors
    else:
        assert [*heard, rest] == ["begun\n", "0 True\n", "begun\n", "1 True\n", ""]
        assert (started.returncode, errors) == (0, "")
