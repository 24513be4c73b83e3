"""Lesson 24: the numbers of its prose, with starts that are moved a little."""

from __future__ import annotations

import re

import numpy as np
import pytest

from autodiff import data
from autodiff_course import machine
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("24")
PROSE = prose(LESSON)


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


@pytest.fixture(scope="module")
def names():
    """The names of the machine after the lesson, and those that its cells define."""
    pytest.importorskip("sklearn")
    names = {"np": np, "data": data, **vars(machine.after(24))}
    for words in ("noise = np.random", "def wide(", "def report(", "def loss_of("):
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        exec(source.partition("\n\ntitles = ")[0].partition("\n\n\nlearn(")[0], names)
    return names


def moved(names, net, jitter):
    """The network with its parameters moved a little, as another machine's arithmetic might do."""
    noise = np.random.default_rng(3)
    for p in names["parameters"](net):
        p.data = p.data * (1 + jitter * noise.normal(size=p.data.shape))
    return net


def rows(holds):
    """What the rows of a table in the notebook say, by name."""
    lines = printed(holds).splitlines()[1:]
    return {line[:14].strip(): columns(line[14:]) for line in lines if line.endswith("%")}


def columns(line):
    """What stands in the columns of a table's row, without the signs for percent."""
    return re.split(r" {2,}", line.replace(" %", "").strip())


def shown(names, net, capsys):
    """The row that the lesson prints for a network."""
    names["report"]("", net)
    return columns(capsys.readouterr().out)


def in_the_drawer(names, net):
    """What the lesson prints for a network when it opens the drawer."""
    drawer = names["drawer"]
    right = names["count_right"](net, names["pictures"][drawer], names["digits"][drawer])
    return names["in_steps"](right / 500)


def drawer_says(name):
    """What the notebook has for a network there."""
    line = next(line for line in printed('("plain", plain),').splitlines() if line.startswith(name))
    return line.removeprefix(name).strip()


@pytest.mark.parametrize("jitter", [0, 1e-9])
def test_a_plain_network_learns_everything_by_heart(names, jitter, capsys):
    net = names["learn"](moved(names, names["wide"](), jitter))
    assert shown(names, net, capsys) == rows("plain = learn")["plain"] == ["over 95", "over 50 of 60", "70"]
    assert in_the_drawer(names, net) == drawer_says("plain") == "70 %"


@pytest.mark.parametrize("jitter", [0, 1e-3, 1e-1])
def test_with_right_labels_a_plain_network_reads_over_90_percent(names, jitter, monkeypatch):
    monkeypatch.setitem(names, "labels", names["digits"])
    net = names["learn"](moved(names, names["wide"](), jitter))
    drawer = names["drawer"]
    right = names["count_right"](net, names["pictures"][drawer], names["digits"][drawer])
    assert 0.92 < right / 500 < 0.96  # so about half of what the wrong labels cost, 20 to 25 %, is won back
    assert "With all 200 labels right, the plain network reads over 90 %" in PROSE


@pytest.mark.parametrize("jitter", [0, 1e-9])
def test_what_dropout_does(names, jitter, capsys):
    found = rows("for rate in (0.2, 0.5)")
    for rate in (0.2, 0.5):
        net = names["wide"](names["Dropout"](rate, np.random.default_rng(2)))
        net = names["learn"](moved(names, net, jitter))
        assert shown(names, net, capsys) == found[f"Dropout {rate}"]
    assert found["Dropout 0.5"] == ["75", "10 of 60", "85"]
    assert in_the_drawer(names, net) == drawer_says("Dropout 0.5") == "85 %"


@pytest.mark.parametrize("jitter", [0, 1e-9])
@pytest.mark.thorough
def test_what_the_penalty_does(names, jitter, capsys):
    found = rows("for amount in (0.003, 0.01)")
    loss, penalty = names["softmax_cross_entropy"], names["l2_penalty"]
    for amount in (0.003, 0.01):
        net = moved(names, names["wide"](), jitter)
        names["learn"](net, loss=lambda out, t, net=net, amount=amount: loss(out, t) + penalty(net, amount))
        assert shown(names, net, capsys) == found[f"amount {amount}"]
    assert in_the_drawer(names, net) == drawer_says("amount 0.01") == "85 %"
    assert "less than half of the plain network's: True" in printed("for amount in (0.003, 0.01)")


def test_with_a_large_amount_nothing_is_learned(names):
    net, loss, penalty = names["wide"](), names["softmax_cross_entropy"], names["l2_penalty"]
    names["learn"](net, loss=lambda out, t: loss(out, t) + penalty(net, 1))
    aside = names["aside"]
    assert names["count_right"](net, names["pictures"][aside], names["digits"][aside]) < 60


@pytest.mark.parametrize("jitter", [0, 1e-9])
def test_the_validation_loss_turns_and_the_other_goes_on(names, jitter):
    curves = {"few": [], "aside": []}

    def watch(net):
        curves["few"].append(names["loss_of"](net, names["few"], names["labels"]))
        curves["aside"].append(names["loss_of"](net, names["aside"], names["digits"]))

    names["learn"](moved(names, names["wide"](), jitter), watch=watch)
    best = int(np.argmin(curves["aside"])) + 1
    assert 40 <= best <= 55
    assert curves["aside"][-1] > 1.2 * min(curves["aside"])
    assert all(late < early for early, late in zip(curves["few"][:-5], curves["few"][5:]))
    assert PROSE.count("after 40 to 55 epochs") + PROSE.count("After 40 to 55 epochs") == 2
    higher = np.array(curves["few"]) > curves["aside"]
    assert higher[10:35].all()  # "for some 40 epochs"
    assert not higher[50:].any()


@pytest.mark.parametrize("jitter", [0, 1e-9])
@pytest.mark.parametrize("epochs", [40, 55])
def test_what_early_stopping_does(names, epochs, jitter):
    net = names["learn"](moved(names, names["wide"](), jitter), epochs=epochs)
    assert in_the_drawer(names, net) == drawer_says("early stopping") == "80 %"


def test_the_network_has_as_many_numbers_as_is_said(names):
    count = sum(p.data.size for p in names["parameters"](names["wide"]()))
    assert f"it has {count:,} numbers" in PROSE
    assert "140 of the 200 labels are true" in PROSE
    assert np.sum(names["labels"] != names["digits"]) == 60


def test_what_was_dropped_has_the_gradient_0():
    lines = printed("def end_of").splitlines()
    assert [line.split()[2] for line in lines] == ["0,", "20,", "20,", "0,"]
    assert [line.split()[-1] for line in lines] == ["0.000", "0.020", "0.020", "0.000"]


def test_a_forgotten_switch_shows():
    assert printed("counts = [") == "always the same count: False\neach lower than with Dropout off: True\n"
