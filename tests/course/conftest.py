"""What the tests of several lessons need."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def drawing_kept():
    """NumPy's global seed as it was: JAX draws from it."""
    state = np.random.get_state()  # noqa: NPY002
    yield
    np.random.set_state(state)  # noqa: NPY002
