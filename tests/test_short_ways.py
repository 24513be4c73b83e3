"""How far data goes: the calls of the package's functions, and the files that they are in. What makes a way
longer is a detour, or has a reason; then the limit is raised by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import autodiff as ad

ROOT = Path(ad.__file__).parent
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")  # no calls any more from Python 3.12 on
ENGINES = ("draw/picture/wasm", "draw/picture/layered", "draw/picture/layout")  # whichever is installed


def way(function):
    """The files of the package that a call goes through, once for each call of a function in them."""
    files = []

    def watch(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT)) and code.co_name not in COMPREHENSIONS:
            files.append(Path(code.co_filename).relative_to(ROOT).as_posix())

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        function()
    finally:
        sys.setprofile(before)
    return files


def test_a_product():
    x, y = ad.Tensor(5), ad.Tensor(7)
    x * y
    assert way(lambda: x * y) == ["engine/operators.py", "engine/shortcuts.py"]


def test_the_picture_of_three_nodes():
    x, y = ad.Tensor(5), ad.Tensor(7)
    z = x * y
    assert ad.draw(z).svg is not None
    drawing = ad.draw(z)
    calls = [file for file in way(lambda: drawing.svg) if not file.startswith(ENGINES)]
    assert len(calls) < 400
    assert len(set(calls)) <= 20


def test_compiling_a_sum_of_squares():
    """The engine, a trace, its program and the writer of it: what prints it, packs it or rewrites loops has
    nothing to do here."""
    x = ad.Tensor([1.0, 2.0])
    ad.compile(lambda x: (x * x).sum())(x)
    fast = ad.compile(lambda x: (x * x).sum())
    calls = way(lambda: fast(x))
    assert len(calls) < 500
    assert len(set(calls)) <= 48
    compiling = {file for file in calls if file.startswith("compiling/")}
    assert len(compiling) <= 31
    assert not any(file.startswith(("compiling/printing", "compiling/passes/s")) for file in compiling)
