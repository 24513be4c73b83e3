"""Random calls on operands of every dtype: a few hundred, and more under ``--thorough``; the module's own
command runs any number."""

from __future__ import annotations

import pytest

from autodiff.engine import dtypes, operation
from autodiff.engine.dtypes import Change
from tests.fuzz.dtypes import fuzz


def test_random_calls_on_every_dtype(pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    counts = fuzz(3_000 if is_thorough else 400, 1, seconds=60 if is_thorough else 25)
    assert len(counts) > 50


def only_floats(precision, values):
    """Changes float16 alone, as if integers were no matter."""
    change = dtypes.change_between(precision, values)
    return change if change is None or change.back is not None else None


def only_integers(precision, values):
    """Changes integers alone, as if sums of float16 were no matter."""
    change = dtypes.change_between(precision, values)
    return change if change is None or change.back is None else None


@pytest.mark.parametrize("wrong", [only_floats, only_integers])
def test_a_missing_change_is_found(wrong, monkeypatch):
    monkeypatch.setattr(operation, "change_of", wrong)
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): "):
        fuzz(2_000, 0)


def test_a_result_that_is_not_rounded_is_found(monkeypatch):
    monkeypatch.setattr(Change, "rounded", lambda change, result: result)
    with pytest.raises(AssertionError, match="float"):
        fuzz(2_000, 0)


def test_a_rule_in_float16_is_found(monkeypatch):
    monkeypatch.setattr(operation, "WIDE", {})
    with pytest.raises(AssertionError, match=r"(gradient|derivative) is\n"):
        fuzz(2_000, 0)
