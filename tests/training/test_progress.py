"""The bar: on a terminal or when asked for, and nowhere else."""

from __future__ import annotations

import io
import sys

import pytest

from tests.training.fits import batch, line

BATCHES = [batch(1.0, 1.0)] * 3


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("kind", "verbose"), [(io.StringIO, None), (Terminal, False), (io.StringIO, False)])
def test_nothing_is_written_elsewhere(monkeypatch, kind, verbose):
    monkeypatch.setattr(sys, "stderr", kind())
    line().fit(BATCHES, 2, verbose=verbose)
    assert sys.stderr.getvalue() == ""


def test_without_a_stderr_nothing_is_written(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert len(line().fit(BATCHES, 1)) == 1


@pytest.mark.parametrize(("kind", "verbose"), [(Terminal, None), (io.StringIO, True)])
def test_the_bar_has_the_epoch_its_batches_and_its_measures(monkeypatch, kind, verbose):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys, "stderr", kind())
    line().fit(BATCHES, 2, validation=BATCHES, verbose=verbose)
    said = sys.stderr.getvalue()
    for word in ("epoch 1/2", "epoch 2/2", "3/3", "val_loss"):
        assert word in said


def test_a_loader_without_a_length_has_a_bar_without_an_end(monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    line().fit(iter(BATCHES), 1, verbose=True)
    assert "3batch" in sys.stderr.getvalue()


def test_without_tqdm_there_is_a_line_per_epoch(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    model = line(lr=0.25)
    model.fit([batch(0.0, 2.0)], 2, verbose=True)
    assert sys.stderr.getvalue() == "epoch 1/2: lr 0.25, loss 4\nepoch 2/2: lr 0.25, loss 1\n"
