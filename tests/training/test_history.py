"""The table of epochs."""

from __future__ import annotations

import math
import sys

import pytest

from autodiff import training


def table(*rows):
    history = training.History()
    for row in rows:
        history.append(row)
    return history


def test_columns_and_rows():
    history = table({"loss": 2.0}, {"loss": 1.0, "val_loss": 3.0})
    assert history.columns == ["epoch", "loss", "val_loss"]
    assert history["epoch"] == [1, 2]
    assert math.isnan(history["val_loss"][0])
    assert list(history) == [{"epoch": 1, "loss": 2.0}, {"epoch": 2, "loss": 1.0, "val_loss": 3.0}]
    with pytest.raises(KeyError, match=r"no column 'accuracy'; it has epoch, loss, val_loss"):
        history["accuracy"]


def test_its_text_is_a_table():
    assert repr(table()) == "no epochs yet"
    history = table({"lr": 0.001, "loss": 12.345678}, {"lr": 1e-05, "loss": math.nan, "accuracy": 1.0})
    assert repr(history).splitlines() == [
        "epoch     lr   loss  accuracy",
        "    1  0.001  12.35         -",
        "    2  1e-05    nan         1",
    ]


def test_a_long_table_shows_its_ends():
    lines = repr(table(*({"loss": 1.0} for _ in range(100)))).splitlines()
    assert len(lines) == 22
    assert [line.split()[0] for line in lines[9:13]] == ["9", "10", "...", "91"]
    assert len(repr(table(*({"loss": 1.0} for _ in range(20)))).splitlines()) == 21


def test_a_plot_has_a_curve_per_column():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    history = table({"loss": 2.0, "accuracy": 0.5}, {"loss": 1.0, "val_loss": 3.0, "accuracy": 0.75})
    ax = history.plot()
    assert [curve.get_label() for curve in ax.lines] == ["loss", "val_loss"]
    assert ax.lines[0].get_xydata().tolist() == [[1, 2.0], [2, 1.0]]
    assert [curve.get_linestyle() for curve in ax.lines] == ["-", "--"]
    assert history.plot("accuracy", ax=ax) is ax
    assert len(ax.lines) == 3
    with pytest.raises(KeyError, match="no column 'recall'"):
        history.plot("recall")
    ax.figure.canvas.draw()
    plt.close(ax.figure)


def test_before_the_first_epoch_the_plot_is_empty():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    ax = table().plot()
    ax.figure.canvas.draw()
    assert len(ax.lines) == 0
    plt.close(ax.figure)


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "autodiff\[lessons\]"'):
        table({"loss": 1.0}).plot()
