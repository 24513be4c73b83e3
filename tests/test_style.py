"""Ruff over the whole repository, notebooks included, and mypy over the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
RUFF = ("ruff", "check", "--no-cache", "--output-format=concise")


def run(*command: str) -> tuple[int, str]:
    """Run a module of this Python; returns its status and what it said."""
    command = (sys.executable, "-m", *command)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_ruff_finds_nothing():
    status, said = run(*RUFF, ".")
    assert status == 0, said


@pytest.mark.thorough
@pytest.mark.skipif(Version(np.__version__) < Version("2.4"), reason="older NumPys' hints say other things")
def test_mypy_finds_nothing():
    status, said = run("mypy")
    errors = [line for line in said.splitlines() if ": note:" not in line]  # the notes list NumPy's overloads
    assert status == 0, "\n".join(errors)


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ('"""A module."""\n\nimport os\n', "F401"),
        ('"""A module."""\n\nimport numpy as np\n\nx = np.random.rand(3)\n', "NPY002"),
        ('"""A module."""\n\n\ndef double(x):\n    return 2 * x\n', "D103"),
    ],
)
def test_ruff_s_settings_are_in_force(tmp_path, code, fault):
    (tmp_path / "planted.py").write_text(code, encoding="utf-8")
    settings = str(ROOT / "pyproject.toml")
    status, said = run(*RUFF, "--config", settings, str(tmp_path))
    assert status != 0
    assert fault in said


def test_mypy_s_settings_are_in_force(tmp_path):
    (tmp_path / "planted.py").write_text("def double(x):\n    return 2 * x\n", encoding="utf-8")
    settings = str(ROOT / "pyproject.toml")
    options = ("--config-file", settings, "--cache-dir", str(tmp_path / "cache"))
    status, said = run("mypy", *options, str(tmp_path / "planted.py"))
    assert status == 1
    assert "no-untyped-def" in said
