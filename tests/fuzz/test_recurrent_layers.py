"""A few hundred recurrent layers beside PyTorch's, and more under ``--thorough``."""

from __future__ import annotations

import pytest

from autodiff.ops import recurrence
from tests.fuzz.recurrent_layers import fuzz

pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")


def test_random_layers_are_pytorch_s(pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    assert fuzz(5_000 if is_thorough else 300, 0, seconds=45 if is_thorough else 30) > 100


def test_a_wrong_state_is_found_and_shown_with_its_seed(monkeypatch):
    """As if each step began from the state that it ends with."""
    monkeypatch.setattr(recurrence, "before", lambda h, states, t: states[t])
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): .*(LSTM|GRU).* state, laid out"):
        fuzz(300, 0)
