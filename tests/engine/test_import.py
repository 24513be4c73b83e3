"""What importing the package brings along, asked of a fresh Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def modules_after(statements):
    program = f"{statements}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.fixture(scope="module")
def imported():
    return modules_after("import autodiff")


@pytest.mark.parametrize(
    "heavy", ["graphviz", "wasmtime", "IPython", "matplotlib", "sklearn", "torch", "hypothesis"]
)
def test_import_leaves_heavy_packages_alone(imported, heavy):
    assert "numpy" in imported
    assert heavy not in imported


def test_training_a_neuron_needs_no_heavy_package_either():
    modules = modules_after(
        "import autodiff as ad\nw = ad.Tensor(2.0)\n((w.tanh() - 1) ** 2).backward()\nw -= w.grad"
    )
    assert not {"graphviz", "IPython", "matplotlib"} & set(modules)
