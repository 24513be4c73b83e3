"""The engine without its shortcuts, and walks back in several threads."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = """
import sys
sys.modules["autodiff.engine.shortcuts"] = None  # to import it fails, as if the file were not there
import pytest
import autodiff.engine.backward
assert autodiff.engine.backward.shortcuts is None
sys.exit(pytest.main(sys.argv[1:]))
"""
SOME = ("backward", "tensor", "calculus", "hooks", "function", "any_order_of_calls", "checkpointing")


def test_without_shortcuts_everything_works(request):
    """Only speed stands in that file."""
    thorough = request.config.getoption("--thorough")
    files = ["tests/engine"] if thorough else [f"tests/engine/test_{name}.py" for name in SOME]
    options = ["-q", "-p", "no:cacheprovider", "--deselect=tests/engine/test_shortcuts.py"]
    options.append("--ignore=tests/engine/ops")  # rules of single operations, which know nothing of it
    command = [sys.executable, "-c", WITHOUT, *options, *files]
    usual = os.environ | {"PYTEST_ADDOPTS": ""}  # as many examples as without --thorough
    done = subprocess.run(command, cwd=ROOT, env=usual, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.fixture
def _threads_switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_threads_switch_often")
@pytest.mark.parametrize("value", [2.0, np.array([1.0, 2.0, 3.0])], ids=["number", "array"])
def test_threads_may_walk_back_through_a_shared_leaf(value):
    """Each walk keeps what arrives to itself: no .grad changes, not even for a moment."""
    x = Tensor(value)
    shared = (x * x).tanh()

    def slopes(k):
        seen, found = [], []
        for _ in range(100):
            y = (shared * k + x * x * k).sum()
            found.append(ad.gradients(y, [x, shared]))
            seen.append((x.grad, shared.grad))
        assert seen == [(None, None)] * 100
        return found

    with ThreadPoolExecutor(8) as pool:
        for k, found in enumerate(pool.map(slopes, range(8))):
            expected = k * (2 * x.data * (1 - np.tanh(x.data**2) ** 2) + 2 * x.data)
            for by_x, by_shared in found:
                np.testing.assert_allclose(by_x.data, expected, rtol=1e-12)
                np.testing.assert_array_equal(by_shared.data, np.full(x.shape, k))


def test_an_earlier_gradient_is_not_touched_by_gradients():
    x = Tensor(2.0)
    h = x * x
    (h * h).backward()
    watched = []

    def hook(grad):
        watched.append((x.grad, h.grad))

    h.register_hook(hook)
    ad.gradients(h * 3, [x])
    assert watched == [(32, 8)]
    assert (x.grad, h.grad) == (32, 8)
