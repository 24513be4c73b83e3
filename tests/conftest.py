"""Settings of the unit tests: Hypothesis's profile, and a watch over NumPy's global state."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

import hypothesis
import numpy as np
import pytest

import autodiff as ad
from autodiff.draw.picture import layered, wasm

# So many examples by default: with those of 1,500 property tests, `pytest tests` stays under five minutes.
EXAMPLES = 25
hypothesis.settings.register_profile("default", deadline=None, print_blob=True, max_examples=EXAMPLES)
# On a build machine the examples are the same in every run, so that a failure is never a matter of luck.
hypothesis.settings.register_profile("ci", hypothesis.settings.get_profile("default"), derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--thorough"):
        usual = hypothesis.settings.default
        hypothesis.settings.register_profile("thorough", usual, max_examples=4 * usual.max_examples)
        hypothesis.settings.load_profile("thorough")


@pytest.fixture(autouse=True)
def the_package_s_generator_begins_anew() -> None:
    """What a test draws without a seed of its own is the same in every run, and in every order of tests."""
    ad.seed(0)


@pytest.fixture(autouse=True)
def global_state_is_left_alone() -> Iterator[None]:
    """NumPy's error handling, print options and global seed are the caller's: no test leaves them changed."""
    errors, printing, seed = np.geterr(), np.get_printoptions(), np.random.get_state()[1]  # noqa: NPY002
    yield
    assert np.geterr() == errors, "NumPy's floating-point error handling was left changed"
    assert np.get_printoptions() == printing, "NumPy's print options were left changed"
    seed_after = np.random.get_state()[1]  # noqa: NPY002
    assert np.array_equal(seed_after, seed), "NumPy's global seed was used; pass a numpy.random.Generator"


@pytest.fixture
def no_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the program nor the package of Graphviz is there: pictures have our own layout."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "wasmtime", None)  # importing it is now an ImportError
    monkeypatch.setattr(wasm, "memory_of_engine", None)


@pytest.fixture
def no_layout(no_graphviz: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is our own layout: every graph is too large for it."""
    monkeypatch.setattr(layered, "MOST", 0)
