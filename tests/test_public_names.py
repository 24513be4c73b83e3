"""The names that programs of others rely on are listed in public_names.txt, and each of them is where it was.

A new public name goes on the list; a name that leaves it breaks somebody's program.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

LISTED = (Path(__file__).parent / "public_names.txt").read_text(encoding="utf-8").split()
ROOMS = (
    "autodiff", "autodiff.data", "autodiff.draw", "autodiff.living", "autodiff_course", "autodiff.nn",
    "autodiff.nn.functional", "autodiff.nn.init", "autodiff.nn.utils", "autodiff.optim",
    "autodiff.optim.lr_scheduler", "autodiff.static", "autodiff.training", "autodiff.training.export",
    "autodiff.training.parallel",
)  # fmt: skip


def public(room: str) -> set[str]:
    """The names that a room offers, with the room's own before them."""
    module = importlib.import_module(room)
    return {f"{room}.{name}" for name in module.__all__}


@pytest.mark.parametrize("room", ROOMS)
def test_each_public_name_is_listed_and_nothing_else(room):
    listed = {name for name in LISTED if name.rpartition(".")[0] == room}
    assert public(room) == listed


@pytest.mark.parametrize("room", ROOMS)
def test_each_listed_name_is_there(room):
    module = importlib.import_module(room)
    for name in LISTED:
        if name.rpartition(".")[0] == room:
            assert hasattr(module, name.rpartition(".")[2]), name
