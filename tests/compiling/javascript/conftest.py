"""One process of node for each module of tests here; without node they are skipped."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.compiling.javascript.node import Node


@pytest.fixture(scope="module")
def nd() -> Any:
    """The runtime in a process of node, one for each module of tests."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    with Node() as node:
        yield node
