"""Random functions of numbers and their comparisons: a few hundred, and more under ``--thorough``; the
module's own command runs any number."""

from __future__ import annotations

import pytest

from autodiff.compiling import algebra, batching
from autodiff.compiling.symbol import Symbol
from tests.fuzz.counted import WAYS, fuzz


def test_random_functions_of_numbers(pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    counts = fuzz(3_000 if is_thorough else 300, 0, seconds=60 if is_thorough else 20)
    assert set(WAYS) < set(counts)


def as_numpy_adds(name, args, number):
    """Booleans as they are, whose sum is a logical or."""
    return args


def test_a_sum_that_is_a_logical_or_is_found(monkeypatch):
    monkeypatch.setattr(batching, "as_python_counts", as_numpy_adds)
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): "):
        fuzz(1_000, 0)


def test_a_boolean_of_numpy_that_counts_is_found(monkeypatch):
    monkeypatch.setattr(algebra, "is_numpy_apart", lambda name, args: False)
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): "):
        fuzz(1_000, 0)


def test_a_wrong_operator_is_found(monkeypatch):
    monkeypatch.setattr(Symbol, "__rsub__", Symbol.__sub__)
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): "):
        fuzz(1_000, 0)
