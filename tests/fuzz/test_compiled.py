"""Random programs compiled and not: a few hundred, and more under ``--thorough``; the module's own command
runs any number."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autodiff.compiling import algebra
from autodiff.compiling.graph import ProgramGraph
from tests.fuzz.compiled import EXACT_PASSES, PASSES, WAYS, fuzz

ROOT = Path(__file__).resolve().parents[2]


def test_with_all_passes(pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    counts = fuzz(10_000 if is_thorough else 300, 1, seconds=30 if is_thorough else 15)
    assert counts.keys() == WAYS.keys()


def test_bit_for_bit_with_the_passes_that_keep_every_bit(pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    fuzz(10_000 if is_thorough else 300, 2, EXACT_PASSES, exact=True, seconds=30 if is_thorough else 15)


@pytest.mark.parametrize("name", ["none", *PASSES])
@pytest.mark.thorough
def test_each_pass_alone(name, pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    chosen = [each for each in PASSES if each == name]
    fuzz(2_000 if is_thorough else 40, 3, chosen, exact=name in EXACT_PASSES, seconds=3)


@pytest.mark.parametrize("name", PASSES)
def test_all_passes_but_one(name, pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    fuzz(2_000 if is_thorough else 20, 4, [each for each in PASSES if each != name], seconds=3)


def zero_times_anything(simplified):
    def wrong(graph, name, args, shape, dtype, number):
        if name == "multiply" and algebra.is_constant(args[1], 0) and args[0].number is number:
            return args[1]
        return simplified(graph, name, args, shape, dtype, number)

    return wrong


def anything_plus_zero(simplified):
    def wrong(graph, name, args, shape, dtype, number):
        x = args[0]
        if name == "add" and algebra.is_constant(args[1], 0) and (x.number, x.shape) == (number, shape):
            return x
        return simplified(graph, name, args, shape, dtype, number)

    return wrong


@pytest.mark.parametrize("fault", [zero_times_anything, anything_plus_zero])
def test_a_wrong_simplification_is_found(fault, monkeypatch):
    monkeypatch.setattr(algebra, "simplified", fault(algebra.simplified))
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): the"):
        fuzz(4_000, 0, EXACT_PASSES, exact=True)


@pytest.mark.parametrize(("name", "wrong"), [
    ("transpose", lambda right: lambda graph, x, axes=None: right(graph, x, axes and sorted(axes))),
    ("reduce", lambda right: lambda graph, name, x, axis=None, keepdims=False: right(
        graph, name, x, axis if len(x.shape) < 2 or not isinstance(axis, int) else 0, keepdims)),
    ("matmul", lambda right: lambda graph, x, y: graph.elementwise("negative", right(graph, x, y))),
])  # fmt: skip
def test_a_wrong_node_is_found(name, wrong, monkeypatch):
    monkeypatch.setattr(ProgramGraph, name, wrong(getattr(ProgramGraph, name)))
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): the"):
        fuzz(4_000, 0)


@pytest.mark.parametrize("arguments", [
    ["--trials", "5", "--seed", "5"], ["--only", "5", "7"], ["--trials", "3", "--exact"],
    ["--trials", "3", "--passes", "fold", "cse"],
], ids=str)  # fmt: skip
def test_the_command(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.compiled", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("trials in" if "--trials" in arguments else " of ") in done.stdout


def test_a_trial_can_be_run_again_by_its_numbers():
    from tests.fuzz.compiled import Trial

    one, other = Trial((3, 14)), Trial((3, 14))
    assert str(one) == str(other)
    for array, same in zip(one.arguments, other.arguments, strict=True):
        np.testing.assert_array_equal(array, same)
