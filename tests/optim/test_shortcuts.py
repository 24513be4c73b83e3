"""Optimizers with and without shortcuts.py: the same numbers, bit by bit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autodiff import Tensor, optim
from autodiff.optim import optimizer as base
from tests.optim.cases import CASES, RULES, label, step

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = """
import sys
sys.modules["autodiff.optim.shortcuts"] = None  # its import fails, as if the file did not exist
import pytest
import autodiff.optim.optimizer
assert autodiff.optim.optimizer.shortcuts is None
sys.exit(pytest.main(sys.argv[1:]))
"""
PIECE = 2**18  # bytes; larger arrays are updated in pieces
COUNT = PIECE // 8


@pytest.mark.thorough
def test_without_shortcuts_everything_works():
    """The file only gains speed."""
    files = [f"tests/optim/test_{name}.py" for name in ("rules", "optimizer", "saving", "against_torch")]
    command = [sys.executable, "-c", WITHOUT, "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def trained(name, value, grads, options):
    """A parameter after some steps, its state, and the number of calls of the rule."""
    calls = []

    def update(self, data, *others):
        calls.append(data.shape)
        return rule(self, data, *others)

    kind = getattr(optim, name)
    rule, update.__module__ = kind.update, kind.update.__module__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "update", update)
        optimizer = kind([w := Tensor(value)], **options)
        for grad in grads:
            step(optimizer, grad)
    return w.data, optimizer.state[w], calls


@pytest.mark.parametrize("shared", [{}, {"weight_decay": 0.1, "maximize": True}], ids=["", "decay, maximize"])
@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_pieces_of_a_large_array_give_the_same_bits(name, options, shared, monkeypatch):
    random = np.random.default_rng(0)
    value, grads = random.normal(size=(3, COUNT - 7)), random.normal(size=(7, 3, COUNT - 7))
    found, memory, calls = trained(name, value, grads, options | shared)
    monkeypatch.setattr(base, "shortcuts", None)
    whole, remembered, once = trained(name, value, grads, options | shared)
    np.testing.assert_array_equal(found, whole)
    np.testing.assert_equal(memory, remembered)
    assert [type(part) for part in memory.values()] == [type(part) for part in remembered.values()]
    assert (len(calls), once) == (7 * 3, [value.shape] * 7)


LAYOUTS = {
    "float32": (lambda a: a.astype(np.float32), 1),
    "just small enough": (lambda a: a.reshape(-1)[:COUNT].copy(), 1),
    "one element more": (lambda a: a.reshape(-1)[: COUNT + 1].copy(), 2),
    "Fortran order": (np.asfortranarray, 1),
    "transposed": (lambda a: a.T, 1),
    "four axes": (lambda a: a.reshape(2, 1, 100, -1), 2),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_gives_the_same_bits(layout, name, monkeypatch):
    random = np.random.default_rng(0)
    change, pieces = LAYOUTS[layout]
    value = change(random.normal(size=(200, COUNT // 150)))
    grads = [np.asfortranarray(value), np.broadcast_to(0.5, value.shape), value[..., ::-1], value]
    found, memory, calls = trained(name, value, grads, {})
    monkeypatch.setattr(base, "shortcuts", None)
    whole, remembered, _ = trained(name, value, grads, {})
    np.testing.assert_array_equal(found, whole)
    np.testing.assert_equal(memory, remembered)
    assert (found.dtype, len(calls)) == (value.dtype, 4 * pieces)
    assert all(part.dtype == value.dtype for part in memory.values() if isinstance(part, np.ndarray))


def test_a_state_may_be_of_another_layout_and_options_may_come_later(monkeypatch):
    def run():
        w = Tensor(np.linspace(-1, 1, 2 * COUNT).reshape(2, -1))
        optimizer = optim.RMSprop([w])
        step(optimizer, w.data)
        optimizer.param_groups[0].update(momentum=0.5, centered=True)
        step(optimizer, w.data)
        saved = optimizer.state_dict()
        saved["state"][0]["grad_avg"] = np.asfortranarray(saved["state"][0]["grad_avg"])
        optimizer.load_state_dict(saved)
        step(optimizer, w.data)
        return w.data, optimizer.state[w]

    found = run()
    monkeypatch.setattr(base, "shortcuts", None)
    np.testing.assert_equal(found, run())


@pytest.mark.parametrize("kind", [optim.Optimizer, optim.Adam])
def test_a_custom_rule_sees_the_whole_array(kind):
    class Normed(kind):
        def update(self, data, grad, state, group):
            data -= group["lr"] * grad / np.sqrt((grad * grad).sum())

    w = Tensor(np.zeros(4 * COUNT))
    optimizer = Normed([w], **({"defaults": {"lr": 1.0}} if kind is optim.Optimizer else {"lr": 1.0}))
    step(optimizer, np.ones(4 * COUNT))
    assert np.linalg.norm(w.data) == pytest.approx(1)
