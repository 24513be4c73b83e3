"""Callbacks: when they are told, and the three that are there."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from autodiff import training
from tests.training.fits import batch, line, same, weights

BATCHES = [batch(1.0, 1.0), batch(2.0, 1.0)]


class Given(training.Callback):
    """Puts a column of given values into the history, as if they had been measured."""

    def __init__(self, name, values):
        self.name, self.values = name, iter(values)

    def on_epoch_end(self, model, history):
        history.rows[-1][self.name] = next(self.values)


def test_callbacks_are_told_in_order():
    class Told(training.Callback):
        def on_fit_begin(self, model, history):
            events.append(("begin", len(history)))

        def on_batch_end(self, model, loss):
            events.append(("batch", type(loss)))

        def on_epoch_end(self, model, history):
            events.append(("epoch", len(history)))

        def on_fit_end(self, model, history):
            events.append(("end", len(history)))

    events = []
    line().fit(BATCHES, 2, callbacks=[Told()])
    one_epoch = [("batch", float)] * 2
    assert events == [("begin", 0), *one_epoch, ("epoch", 1), *one_epoch, ("epoch", 2), ("end", 2)]


def test_a_callback_ends_the_training_after_the_epoch():
    class Once(training.Callback):
        def on_batch_end(self, model, loss):
            model.stop_training = True

    model = line()
    assert len(model.fit(BATCHES, 5, callbacks=[Once()])) == 1
    assert len(model.fit(BATCHES, 2)) == 3


@pytest.mark.parametrize(
    ("values", "options", "epochs", "best_epoch"),
    [
        ([3, 2, 1, 0], {}, 4, 4),
        ([3, 2, 2, 2, 9], {}, 4, 2),
        ([3, 4, 2, 3, 1], {}, 5, 5),
        ([3, 2.9, 2.8, 2.7], {"min_delta": 0.5}, 3, 1),
        ([1, 2, 2, 1], {"mode": "max"}, 4, 2),
        ([math.nan, math.nan, 1], {}, 2, 0),
        ([2, math.nan, 1, math.nan, math.nan], {}, 5, 3),
        ([3, 4, 5, 6], {"patience": 1}, 2, 1),
        ([math.inf, math.inf, 1], {}, 3, 3),
    ],
)
def test_early_stopping_counts_epochs_without_improvement(values, options, epochs, best_epoch):
    stopping = training.EarlyStopping("x", **{"patience": 2} | options)
    history = line().fit(BATCHES, len(values), callbacks=[Given("x", values), stopping])
    assert len(history) == epochs
    assert stopping.best_epoch == best_epoch
    if best_epoch:
        assert stopping.best == values[best_epoch - 1]


def test_early_stopping_restores_the_best_weights():
    class Keep(training.Callback):
        def on_epoch_end(self, model, history):
            kept.append(weights(model))

    for restore in (True, False):
        kept = []
        model = line()
        stopping = training.EarlyStopping("x", patience=2, restore_best=restore)
        model.fit(BATCHES, 9, callbacks=[Given("x", [3, 1, 2, 3]), Keep(), stopping])
        assert len(kept) == 4
        assert same(weights(model), kept[1 if restore else 3])


def test_early_stopping_counts_within_one_fit():
    model, stopping = line(), training.EarlyStopping("x", patience=2)
    for _ in range(2):
        model.fit(BATCHES, 9, callbacks=[Given("x", [1, 2, 3]), stopping])
    assert len(model.history) == 6
    assert stopping.best_epoch == 4


def test_what_cannot_be_watched_is_refused():
    with pytest.raises(
        KeyError, match="EarlyStopping monitors 'val_loss', but the history has only the columns epoch, lr"
    ):
        line().fit(BATCHES, 1, callbacks=[training.EarlyStopping()])
    with pytest.raises(ValueError, match="mode of EarlyStopping must be"):
        training.EarlyStopping(mode="auto")
    with pytest.raises(ValueError, match="patience of EarlyStopping must be 1 epoch or more, not 0"):
        training.EarlyStopping(patience=0)
    with pytest.raises(ValueError, match=r"saved as \.npz or \.safetensors, but best\.pt"):
        training.BestCheckpoint("best.pt")


def test_best_checkpoint_keeps_the_weights_of_the_best_epoch(tmp_path):
    class Keep(training.Callback):
        def on_epoch_end(self, model, history):
            kept.append(weights(model))

    kept, model, path = [], line(), tmp_path / "best.npz"
    best = training.BestCheckpoint(path, "x")
    model.fit(BATCHES, 4, callbacks=[Given("x", [3, 1, 2, 1]), Keep(), best])
    assert (best.best, best.best_epoch) == (1, 2)
    twin = line()
    training.load_weights(twin.net, path)
    assert same(weights(twin), kept[1])
    assert [file.name for file in tmp_path.iterdir()] == ["best.npz"]


def test_best_checkpoint_goes_on_with_the_history(tmp_path):
    model, path = line(), tmp_path / "best.npz"
    model.fit(BATCHES, 2, callbacks=[Given("x", [3, 1]), training.BestCheckpoint(path, "x")])
    content = path.read_bytes()
    model.fit(BATCHES, 1, callbacks=[Given("x", [2]), training.BestCheckpoint(path, "x")])
    assert path.read_bytes() == content
    path.unlink()
    model.fit(BATCHES, 1, callbacks=[Given("x", [2]), training.BestCheckpoint(path, "x")])
    assert path.is_file()


def test_csv_logger_keeps_the_whole_table_exactly(tmp_path):
    model, path = line(), tmp_path / "log.csv"
    model.fit(BATCHES, 2, callbacks=[training.CSVLogger(path)])
    model.fit(BATCHES, 1, validation=BATCHES, callbacks=[training.CSVLogger(path)])
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["epoch"] for row in rows] == ["1", "2", "3"]
    assert [float(row["loss"]) for row in rows] == model.history["loss"]
    assert [row["val_loss"] for row in rows[:2]] == ["", ""]
    assert float(rows[2]["val_loss"]) == model.history["val_loss"][-1]
    assert np.isfinite(float(rows[2]["val_loss"]))


def read(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def log(path, model=None, epochs=2, **options):
    model = model or line()
    model.fit(BATCHES, epochs, callbacks=[training.CSVLogger(path, **options)])
    return model


def test_csv_logger_leaves_another_run_alone(tmp_path):
    path = tmp_path / "log.csv"
    log(path)
    content = path.read_bytes()
    for model, epochs in ((line(), 2), (line(), 0), (line(lr=0.2), 5)):
        before = weights(model)
        with pytest.raises(
            FileExistsError, match=r"log\.csv holds something else .* CSVLogger\(path, append="
        ):
            log(path, model, epochs)
        assert same(weights(model), before)
        assert path.read_bytes() == content
    other = line(lr=0.2)
    other.fit(BATCHES, 1)
    with pytest.raises(FileExistsError):
        log(path, other)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "content", [b"my notes", b"\xff\xfe\0", b"epoch,loss\n1,2,3\n", b"loss,epoch\n1,1\n", b"a\n"]
)
def test_csv_logger_leaves_other_files_alone(tmp_path, content):
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    with pytest.raises(FileExistsError, match="something else than this run"):
        log(path)
    with pytest.raises(ValueError, match="is no table of a CSVLogger"):
        log(path, append=True)
    assert path.read_bytes() == content


@pytest.mark.parametrize("content", [b"", b"epoch,lr,loss\n"])
def test_csv_logger_takes_a_file_with_no_epoch_in_it(tmp_path, content):
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    log(path)
    assert len(read(path)) == 2


def test_csv_logger_goes_on_with_a_run_that_was_loaded(tmp_path):
    class Save(training.Callback):
        def on_epoch_end(self, model, history):
            if len(history) == 2:
                training.save_run(model, tmp_path / "run.npz")

    path, whole = tmp_path / "log.csv", line()
    whole.fit(BATCHES, 3, callbacks=[Save(), training.CSVLogger(path)])
    again = line()
    training.load_run(again, tmp_path / "run.npz")
    log(path, again, 3)
    assert [row["epoch"] for row in read(path)] == list("12345")
    assert [float(row["loss"]) for row in read(path)] == again.history["loss"]


def test_csv_logger_appends_if_it_is_told_to(tmp_path):
    path, first, second = tmp_path / "log.csv", line(), line(lr=0.2)
    first.fit(BATCHES, 2, validation=BATCHES, callbacks=[training.CSVLogger(path)])
    log(path, second, append=True)
    assert [row["epoch"] for row in read(path)] == list("1212")
    assert [float(row["loss"]) for row in read(path)] == first.history["loss"] + second.history["loss"]
    assert [row["val_loss"] != "" for row in read(path)] == [True, True, False, False]
    log(path, second, 1, append=True)  # the same run goes on
    log(path, second, 1)
    assert [row["epoch"] for row in read(path)] == list("121234")
    assert [float(row["loss"]) for row in read(path)] == first.history["loss"] + second.history["loss"]
    log(path, line(), 1, append=True)
    assert [row["epoch"] for row in read(path)] == list("1212341")


def test_csv_logger_knows_its_run_though_more_was_measured_since(tmp_path):
    path, model = tmp_path / "log.csv", line()
    callbacks = [training.CSVLogger(path), Given("x", [1, 2, 3, 4])]
    model.fit(BATCHES, 2, callbacks=callbacks)
    model.fit(BATCHES, 2, callbacks=callbacks)
    assert [row["x"] for row in read(path)] == ["1", "2", "3", ""]
