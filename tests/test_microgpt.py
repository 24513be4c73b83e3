"""The GPT of numbers in ``benchmarks/microgpt.py``: every engine computes the same, and it learns."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.compiling.compiled import Compiled
from benchmarks import microgpt
from benchmarks.__main__ import ONE_THREAD
from benchmarks.microgpt import SMALL, Sizes, ids_of, loss_of_length, loss_of_name, matrices
from benchmarks.number_engines import AUTODIFF, FLOATS, VALUE, Value, engines
from benchmarks.seeds.text import NAMES

ROOT = Path(__file__).resolve().parents[1]
IDS = ids_of("anna", SMALL.context)


def slopes_of_value(ids, sizes):
    loss = loss_of_name(ids, sizes, VALUE)
    return microgpt.loss_and_gradients(loss, microgpt.random_parameters(sizes), VALUE)


def constants(sizes):
    return [ad.Tensor(value, requires_grad=False) for value in microgpt.random_parameters(sizes)]


def test_it_has_microgpt_s_parameters():
    assert Sizes().count() == 4_192
    assert [len(rows) for rows in matrices(range(4_192), Sizes()).values()] == [
        *(27, 16, 16, 16, 16, 16, 64, 16, 27)
    ]


@pytest.mark.parametrize("peer", ["Value", "micrograd"])
def test_engines_agree_on_the_loss_and_every_gradient(peer):
    if peer not in engines():
        pytest.skip(f"{peer} is not installed")
    assert microgpt.disagreement(engines()[peer], IDS, SMALL) < 1e-12


def test_a_wrong_slope_is_noticed(monkeypatch):
    monkeypatch.setattr(ad.relu, "rules", (lambda grad, z, x: 1.001 * grad * (z > 0),))
    assert microgpt.disagreement(VALUE, IDS, SMALL) > 1e-6


def test_value_s_loss_is_that_of_floats_and_its_slope_that_of_nudges():
    parameters = microgpt.random_parameters(SMALL)
    loss = loss_of_name(IDS, SMALL, FLOATS)
    value, gradients = slopes_of_value(IDS, SMALL)
    assert value == pytest.approx(loss(parameters), rel=1e-12)
    for place in (0, 130, 250, 400, len(parameters) - 1):
        up, down = list(parameters), list(parameters)
        up[place] += 1e-5
        down[place] -= 1e-5
        assert (loss(up) - loss(down)) / 2e-5 == pytest.approx(gradients[place], rel=1e-5, abs=1e-8)


def test_untrained_it_knows_nothing():
    value, gradients = slopes_of_value(ids_of("oliver", 16), Sizes())
    assert value == pytest.approx(math.log(27), rel=0.1)
    assert sum(gradient != 0 for gradient in gradients) > 3_000


@pytest.mark.parametrize("sizes", [SMALL, Sizes()], ids=["small", "4,192 numbers"])
def test_value_and_grad_of_a_list_of_numbers(sizes):
    ids = ids_of("anna", sizes.context)
    value, gradients = ad.value_and_grad(loss_of_name(ids, sizes, AUTODIFF))(constants(sizes))
    expected, expected_gradients = slopes_of_value(ids, sizes)
    assert value.item() == pytest.approx(expected, rel=1e-12)
    assert [g.item() for g in gradients] == pytest.approx(expected_gradients, rel=1e-9, abs=1e-12)
    assert not value.requires_grad
    assert len(gradients) == sizes.count()


def test_names_of_equal_length_are_one_function_of_numbers():
    """The rows of a name's letters, and which letter comes next, may be arguments too."""
    parameters = constants(SMALL)
    function = ad.value_and_grad(loss_of_length(SMALL, AUTODIFF), argnums=(0, 1))
    for name in ("anna", "otto"):
        ids = ids_of(name, SMALL.context)
        rows = [matrices(parameters, SMALL)["letters"][i] for i in ids[:-1]]
        targets = [[float(sign == i) for sign in range(SMALL.signs)] for i in ids[1:]]
        value, (gradients, by_rows) = function(parameters, rows, targets)
        expected, expected_gradients = slopes_of_value(ids, SMALL)
        assert value.item() == pytest.approx(expected, rel=1e-12)
        found = [g.item() for g in gradients]
        for i, by_row in zip(ids, by_rows, strict=False):  # the letters' own slopes arrive at their rows
            for column, slope in enumerate(by_row):
                found[i * SMALL.width + column] += slope.item()
        assert found == pytest.approx(expected_gradients, rel=1e-9, abs=1e-12)


def test_compiled_it_computes_the_same_and_has_one_program_for_each_length():
    parameters = microgpt.random_parameters(SMALL)
    compiled, by_value = microgpt.slopes_compiled(SMALL), microgpt.slopes_by(VALUE, SMALL)
    for name in ("anna", "otto", "eve", "bob", "nina"):
        ids = ids_of(name, SMALL.context)
        loss, (gradients,) = compiled(ids, [np.array(parameters)])
        expected, expected_gradients = by_value(ids, parameters)
        assert loss == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(gradients, expected_gradients, rtol=1e-9, atol=1e-12)
    found = [cell.cell_contents for cell in compiled.__closure__]
    (program,) = [value for value in found if isinstance(value, Compiled)]
    assert len(program._programs) == 2
    assert "@" in str(program.program)


def test_it_asks_no_number_for_its_value(monkeypatch):
    parameters = [ad.Tensor(value) for value in microgpt.random_parameters(SMALL)]

    def refuse(*_):
        raise AssertionError("a number was asked for its value")

    for name in ("__float__", "__int__", "__bool__", "item", "numpy", "__lt__", "__gt__", "__le__", "__ge__"):
        monkeypatch.setattr(ad.Tensor, name, refuse)
    monkeypatch.setattr(ad.Tensor, "data", property(refuse))
    loss_of_name(IDS, SMALL, AUTODIFF)(parameters).backward()


def test_no_letter_is_seen_before_it_is_written():
    net = matrices(microgpt.random_parameters(SMALL), SMALL)

    def logits(ids):
        return microgpt.predictions(net, [net["letters"][i] for i in ids], SMALL.heads, FLOATS)

    assert logits([1, 2, 3, 4])[:2] == logits([1, 2, 9, 9])[:2]
    assert logits([1, 2, 3, 4])[2:] != logits([1, 2, 9, 9])[2:]


@pytest.mark.parametrize("engine", [AUTODIFF, VALUE, None], ids=["autodiff", "Value", "compiled"])
@pytest.mark.thorough
def test_it_learns_and_writes(engine, capsys):
    parameters = microgpt.random_parameters(SMALL, 0)
    slopes = microgpt.slopes_by(engine, SMALL) if engine else microgpt.slopes_compiled(SMALL)
    given = parameters if engine else [np.array(parameters)]
    losses = microgpt.train(NAMES, 60, 0, slopes, given, SMALL)
    parameters = np.hstack(given).tolist()
    assert sum(losses[-12:]) / 12 < 0.75 * losses[0]
    assert "step    60: mean loss" in capsys.readouterr().out
    names = {microgpt.made_up(parameters, seed, SMALL) for seed in range(10)}
    assert len(names) > 3
    assert set("".join(names)) <= set(microgpt.LETTERS)
    assert max(map(len, names)) <= SMALL.context


def test_adam_moves_as_the_package_s_does():
    w, gradients = [1.0, -2.0], ([0.5, -3.0], [0.1, 4.0], [-2.0, 0.0])
    tensor = ad.Tensor(w)
    optimizer = ad.optim.Adam([tensor], lr=0.01, betas=(0.85, 0.99), eps=1e-8)
    scheduler = ad.optim.LinearLR(optimizer, 1.0, 0.0, total_iters=3)
    by_hand = microgpt.Adam(2, steps=3)
    for gradient in gradients:
        by_hand.update(w, gradient)
        tensor.grad = ad.Tensor(gradient)
        optimizer.step()
        scheduler.step()
    assert w == pytest.approx(tensor.data, rel=1e-12)


def test_value_adds_up_paths():
    x = Value(3.0)
    y = x * x + 2 * x
    (y / 5 + -x).backward()
    assert x.grad == pytest.approx((2 * 3 + 2) / 5 - 1)


@pytest.mark.parametrize("options", [
    pytest.param(["--rounds", "3"], marks=pytest.mark.thorough), ["--train", "--steps", "20"],
    ["--train", "--steps", "20", "--engine", "compiled"],
], ids=["times", "train", "train compiled"])
def test_command(options):
    command = [sys.executable, "-m", "benchmarks.microgpt", "--quick", *options]
    env = os.environ | ONE_THREAD
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    if "--train" in options:
        assert "the mean loss of the last tenth is" in done.stdout
    else:
        assert "GPT of numbers, 7 letters, a step alone: Value's time by ours | at least 1.8" in done.stdout
        assert "compiled: Value's time in training by ours | at least 200" in done.stdout
