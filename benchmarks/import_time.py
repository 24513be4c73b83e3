"""What ``import autodiff`` costs beside ``import numpy``, each in a fresh Python that has started."""

from __future__ import annotations

from .measure import Row, clock, fresh_python, ratios

PROGRAM = f"""
from time import {clock.__name__} as clock
start = clock()
import %s
print(clock() - start)
"""


def seconds(module: str) -> float:
    """How long the import takes. Python's own start is not counted: it would hide a slow import."""
    return float(fresh_python(PROGRAM % module))


def measure(quick: bool) -> list[Row]:
    turns = [(seconds("autodiff"), seconds("numpy")) for _ in range(1 + (5 if quick else 31))]
    ours, numpys = zip(*turns[1:])  # the first turn may compile
    return [Row("`import autodiff` by `import numpy`", "at most 1.5", ratios(list(ours), list(numpys)))]
