"""A few thousand random calls, and more under ``--thorough``; the modules' own commands run any number."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autodiff.engine.catalogue import catalogue
from autodiff.ops import depthwise
from tests.fuzz.against_steps import StepTrial
from tests.fuzz.against_torch import Trial, fuzz
from tests.fuzz.pictures import PictureTrial

ROOT = Path(__file__).resolve().parents[2]
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None,
    reason="a second opinion, for those who have PyTorch installed",
)
KINDS = [pytest.param(StepTrial, id="steps"), pytest.param(Trial, id="torch", marks=needs_torch)]


@pytest.mark.parametrize("kind", KINDS)
def test_random_calls_in_random_memory_layouts(kind, pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    counts = fuzz(100_000 if is_thorough else 1_000, 1, kind, seconds=25)
    assert len(counts) >= 50


@needs_torch
def test_random_convolutions_and_pools(pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    counts = fuzz(20_000 if is_thorough else 300, 2, PictureTrial, seconds=60 if is_thorough else 25)
    assert len(counts) == 12


@needs_torch
@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("convolution", lambda forward: lambda x, w, bias, **how: forward(x, w[..., ::-1], bias, **how)),
        ("kernel_gradient", lambda forward: lambda *x, **how: forward(*x, **how) * 1.001),
        ("to_largest", lambda forward: lambda *x, **how: forward(*x, **how | {"dilation": 1})),
        ("spread_mean", lambda forward: lambda *x, **how: forward(*x, **how | {"count_include_pad": True})),
    ],
)
def test_a_fault_of_pictures_is_found(name, fault, monkeypatch):
    operation = catalogue.find(name)
    monkeypatch.setattr(operation, "forward", fault(operation.forward))
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): "):
        fuzz(2_000, 0, PictureTrial)


@needs_torch
@pytest.mark.parametrize("name", ["convolution", "transposed_convolution", "kernel_gradient"])
def test_a_fault_of_depthwise_convolution_is_found(name, monkeypatch):
    fast = getattr(depthwise, name)
    monkeypatch.setattr(depthwise, name, lambda *x: fast(*x) * 1.001)
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): .*'groups': 50"):
        fuzz(2_000, 0, PictureTrial)


def scatter_into_a_copy(x, *, index, shape):
    """What once stood in the package: the reshape of an array in Fortran order is a copy."""
    z = np.zeros_like(x, shape=shape)
    places = np.arange(z.size).reshape(shape)[index]
    np.add.at(np.reshape(z, -1), np.ravel(places), np.ravel(np.broadcast_to(x, np.shape(places))))
    return z


def scatter_once(x, *, index, shape):
    """A place that comes twice counts once."""
    z = np.zeros_like(x, shape=shape)
    z[index] = x
    return z


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", [scatter_into_a_copy, scatter_once])
def test_a_fault_is_found_and_shown_with_its_seed_and_its_call(kind, fault, monkeypatch):
    monkeypatch.setattr(catalogue.find("scatter"), "forward", fault)
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): .*float(.|\n)*the gradient arrives"):
        fuzz(20_000, 0, kind)


@pytest.mark.parametrize("name", ["sin", "logsumexp", "cumprod", "matmul", "cholesky"])
def test_a_wrong_rule_is_found(name, monkeypatch):
    operation = catalogue.find(name)
    rule = operation.rules[0]
    monkeypatch.setattr(operation, "rules", (lambda *x, **o: rule(*x, **o) * 1.001, *operation.rules[1:]))
    with pytest.raises(AssertionError, match=rf"trial \(0, \d+\): .*{name}"):
        fuzz(5_000, 0, StepTrial)


def test_a_trial_can_be_run_again_by_its_numbers():
    one, other = StepTrial((3, 14)), StepTrial((3, 14))
    assert str(one) == str(other)
    for array, same in zip(one.arrays, other.arrays, strict=True):
        np.testing.assert_array_equal(array, same)


@pytest.mark.parametrize("arguments", [["--trials", "20", "--seed", "5"], ["--only", "5", "7"]], ids=str)
def test_the_command(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.against_steps", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("20 trials from seed 5" if "--trials" in arguments else "the gradient arrives") in done.stdout
