"""Pyright over both packages: a type checker knows the type of everything public, and need not guess it."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.test_public_names import LISTED

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("autodiff", "autodiff_course")

Symbols = dict[str, dict[str, Any]]


def symbols_of(package: str) -> Symbols:
    """What pyright says of each symbol of a package, by its full name."""
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    options = ("--verifytypes", package, "--ignoreexternal", "--outputjson", "--pythonpath", sys.executable)
    command = (sys.executable, "-m", "pyright", *options)
    checkout = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=checkout, capture_output=True, text=True, check=False, timeout=550
    )
    if not done.stdout.lstrip().startswith("{"):  # it has to fetch its program once, and needs Node.js
        pytest.skip(f"pyright cannot start: {(done.stdout + done.stderr).strip()[-200:]}")
    found = json.loads(done.stdout)["typeCompleteness"]
    assert Path(found["packageRootDirectory"]) == ROOT / package
    return {symbol["name"]: symbol for symbol in found["symbols"]}


def named(name: str) -> Any:
    """What a public name stands for."""
    room, _, last = name.rpartition(".")
    return getattr(importlib.import_module(room), last)


def symbols_of_a_name(name: str, symbols: Symbols) -> list[str]:
    """The symbols that a public name stands for: itself, where it is defined, and the members of a class."""
    room, _, last = name.rpartition(".")
    thing = named(name)
    home = f"{getattr(thing, '__module__', room)}.{getattr(thing, '__qualname__', last)}"
    found = [place for place in dict.fromkeys((name, home)) if place in symbols]
    if isinstance(thing, type):
        found += [symbol for symbol in symbols if symbol.startswith(f"{home}.")]
    by_rule = f"{room}.__getattr__"  # names that are made by a loop have one type together
    return found or ([by_rule] if by_rule in symbols else [])


@pytest.mark.thorough
def test_every_public_type_is_known():
    symbols = {name: symbol for package in PACKAGES for name, symbol in symbols_of(package).items()}
    names = [name for name in LISTED if not isinstance(named(name), ModuleType)]
    found = {name: symbols_of_a_name(name, symbols) for name in names}
    assert [name for name, its in found.items() if not its] == []
    wrong = [
        " ".join([name, *(fault["message"] for fault in symbols[name]["diagnostics"])])
        for name in dict.fromkeys(symbol for its in found.values() for symbol in its)
        if symbols[name]["isTypeAmbiguous"] or not symbols[name]["isTypeKnown"]
    ]
    assert not wrong, "\n".join(wrong)
