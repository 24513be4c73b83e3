"""What the tests of the reader's machine share: an empty folder for the file, and cells of a notebook."""

from __future__ import annotations

import itertools
import linecache

import pytest

from autodiff_course.machine import live

NUMBERS = itertools.count(1)


class Notebook:
    """A kernel in small: cells that are run one after the other in one namespace, with their source known."""

    def __init__(self):
        self.names = {}
        self.restart()

    def restart(self):
        """A fresh kernel: nothing is left but the files."""
        self.names = {"__name__": "__main__"}
        live.MACHINE.__init__()
        self.run("import math\nimport numpy as np\nfrom autodiff_course import machine, yours")

    def run(self, code):
        filename = f"<cell {next(NUMBERS)}>"
        linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
        exec(compile(code, filename, "exec"), self.names)

    def answer(self, piece, code):
        """A cell that hands a piece over, as a lesson has it."""
        if piece.kind == "rows":
            _, rows = code.split(" |= ", 1)
            self.run(f"answer = {rows}\n\nresult = yours({piece.name!r}, answer)")
        else:
            self.run(f"{code}\n\n\nresult = yours({piece.name!r}, {piece.makes})")
        return self.names["result"]


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The folder of the reader's file, which is not there yet."""
    monkeypatch.setenv("AUTODIFF_MINE", str(tmp_path / "mine"))
    return tmp_path / "mine"


@pytest.fixture
def notebook(mine):
    before = vars(live.MACHINE).copy()
    yield Notebook()
    vars(live.MACHINE).update(before)
