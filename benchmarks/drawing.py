"""Drawing: the DOT text beside DeZero's and torchviz's, the first picture of a kernel, a folded graph, sizes.

``python -m benchmarks drawing`` prints these rows alone.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .measure import Row, clock, fresh_python, installed, interleaved, ratios

OPERATIONS = 1_000
LARGE = 100_000
NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
PICTURE = '<div style="overflow-x:auto"><img alt='
FIRST_PICTURE = f"""
from time import {clock.__name__} as clock; start = clock()
import autodiff as ad
a = ad.Tensor(2); e = (a + 2) * (3 * a + 4); e.backward()
bundle, _ = ad.draw(e)._repr_mimebundle_()
assert "text/html" in bundle
print(clock() - start)
"""


def calculation(x: Any, operations: int = OPERATIONS) -> Any:
    """The same chain of products and sums in every package."""
    h = x
    for _ in range(operations // 2):
        h = h * 0.999 + x
    return h


def dot_beside(peer: str, dot_of_peer: Callable[[], str], rounds: int, goal: str) -> Row:
    """How many times as long the peer takes for the DOT text of the whole graph as we do."""
    import autodiff as ad

    end = calculation(ad.Tensor(1.0, name="x"))

    def ours() -> str:
        return ad.draw(end, limit=2 * OPERATIONS).dot

    # The same graph on both sides: an arrow from each operand that is recorded, one to each result.
    assert ours().count("n0 -> o") == 1 + OPERATIONS // 2
    assert dot_of_peer().count("->") >= 1.5 * OPERATIONS
    times = interleaved({peer: dot_of_peer, "ours": ours}, rounds)
    return Row(
        f"DOT text of {OPERATIONS:,} operations: {peer} / ours", goal, ratios(times[peer], times["ours"])
    )


def beside_dezero(rounds: int) -> Row:
    goal = "at least 1"
    if not installed("dezero"):
        return Row(
            f"DOT text of {OPERATIONS:,} operations: DeZero / ours", goal, [], note="dezero is not installed"
        )
    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its source is older than this Python,
        vars(np)["int"] = int  # and than this NumPy
        import dezero
        from dezero.utils import get_dot_graph
    end = calculation(dezero.Variable(np.array(1.0), name="x"))
    return dot_beside("DeZero", lambda: get_dot_graph(end), rounds, goal)


def beside_torchviz(rounds: int) -> Row:
    goal = "at least 1"
    if not (installed("torchviz") and installed("torch")):
        note = "torchviz or torch is not installed"
        return Row(f"DOT text of {OPERATIONS:,} operations: torchviz / ours", goal, [], note=note)
    import torch
    from torchviz import make_dot

    end = calculation(torch.tensor(1.0, requires_grad=True))
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20 * OPERATIONS)  # it goes down the graph by recursion
    try:
        return dot_beside("torchviz", lambda: str(make_dot(end).source), rounds, goal)
    finally:
        sys.setrecursionlimit(before)


def first_picture(rounds: int) -> Row:
    """From a fresh Python to the first picture in a notebook's form, the import and the layout included. The
    first round is not counted: there the layout engine is compiled, once on a machine."""
    what = "first picture of a kernel, with the import"
    _, *seconds = [1000 * float(fresh_python(FIRST_PICTURE)) for _ in range(1 + rounds)]
    return Row(what, "at most 400", seconds, "ms")


def folded(rounds: int) -> list[Row]:
    """A graph far too large to be shown: a chain, and a network over many points."""
    import autodiff as ad

    rows = []
    for what, end in (
        ("a chain", calculation(ad.Tensor(1.0), LARGE)),
        ("a network over many points", network(LARGE)),
    ):
        seconds = []
        for _ in range(rounds):
            start = clock()
            drawing = ad.draw(end)
            shown = len(str(drawing).splitlines())
            drawing._repr_mimebundle_()
            seconds.append(clock() - start)
        assert shown < 80
        rows.append(Row(f"{LARGE:,} nodes folded: {what}", "at most 2", seconds, "s"))
    return rows


def network(nodes: int) -> Any:
    """A network of numbers, 2-4-1, over as many points as make that many nodes."""
    import autodiff as ad

    W = [(ad.Tensor(0.1 * i), ad.Tensor(0.2 * i), ad.Tensor(0.5)) for i in range(4)]
    total = ad.Tensor(0.0)
    for point in range(nodes // 30):
        out: Any = 1.0
        with ad.scope("network"):
            for w, v, u in W:
                out = out + u * (w * (0.001 * point) + v * 0.5).tanh()
        total = total + (out - 1) ** 2
    return total


def stored_sizes() -> Row:
    """The pictures stored in the lessons, each as its notebook holds it."""
    pages = [
        "".join(output.get("data", {}).get("text/html", ""))
        for path in sorted(NOTEBOOKS.glob("*.ipynb"))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        for output in cell.get("outputs", [])
    ]
    drawn = [page for page in pages if page.startswith(PICTURE) and is_drawing(page)]
    return Row("a picture of the lessons, as stored", "at most 40", [len(p) / 1024 for p in drawn], "KiB",
               note=f"{len(drawn)} pictures" if drawn else "no lessons are here")  # fmt: skip


def is_drawing(page: str) -> bool:
    code = re.search(r"base64,([^\"]*)\"", page)
    return bool(code) and b"<desc>autodiff:" in base64.b64decode(code[1])


def measure(quick: bool = False) -> list[Row]:
    rounds = 5 if quick else 21
    return [
        beside_dezero(rounds),
        beside_torchviz(3 if quick else 9),
        first_picture(2 if quick else 7),
        *folded(1 if quick else 5),
        stored_sizes(),
    ]
