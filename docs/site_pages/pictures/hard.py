"""Graphs that are hard to draw: look at them after a change of the drawing."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from __future__ import annotations

import numpy as np

import autodiff as ad

from .example import Part
from .graphs import FLOW, FOUND, LOOPS, MORE, MOVING, NETWORKS, NUMBERS

HARD = Part("Graphs that are hard to draw")
GALLERY = (FLOW, MOVING, FOUND, NETWORKS, MORE, LOOPS, NUMBERS)
"""What the site shows: first what one has not seen elsewhere, and the smallest graphs last."""
PARTS = (*GALLERY, HARD)


@HARD
def chain_30():
    """A chain of thirty.

    Thirty boxes in rows.
    """
    x = ad.Tensor(1.0)
    y = x
    for _ in range(15):
        y = y * 1.1 + 0.1
    y.backward()
    return ad.draw(y)


@HARD
def last_twelve():
    """The last twelve of a chain of a hundred.

    With `limit` only the last nodes are drawn.
    """
    x = ad.Tensor(1.0)
    y = x
    for _ in range(50):
        y = y * 1.01 + 0.01
    return ad.draw(y, limit=12)


@HARD
def forty():
    """Forty nodes, ten of them leaves.

    Edges that cross many others.
    """
    rng = np.random.default_rng(2)
    pool = [ad.Tensor(float(x)) for x in rng.normal(size=10)]
    for k in range(30):
        pool.append(pool[k] + pool[rng.integers(k + 1, len(pool))])
    pool[-1].backward()
    return ad.draw(pool[-1])


@HARD
def many():
    """Two hundred operations without a pattern.

    Nothing in it can be folded, so a limit is set.
    """
    rng = np.random.default_rng(1)
    pool = [ad.Tensor(float(x)) for x in rng.normal(size=6)]
    for _ in range(200):
        i, j = rng.choice(6, size=2, replace=False) - 6
        pool.append(ad.maximum(pool[i], pool[j]) if rng.random() < 0.5 else -pool[i])
    return ad.draw(pool[-1], limit=24)


@HARD
def extremes():
    """Tiny and huge numbers.

    Numbers of very different sizes, each in few characters.
    """
    a, b = ad.Tensor(1.234567e-12), ad.Tensor(-9.87654321e17)
    c = a * b
    d = c - 123456.789
    d.backward()
    return ad.draw(d, slopes=True)


@HARD
def zeros():
    """Negative zero, whole numbers and thirds.

    -0 is written as 0, 65536 in full, and 1/3 with three digits.
    """
    a, b = ad.Tensor(-0.0), ad.Tensor(1 / 3)
    c = a * b
    d = c + 65536.0
    d.backward()
    return ad.draw(d)


@HARD
def long_names():
    """Long names.

    A name that is too long is cut.
    """
    the_weight_of_the_first_input = ad.Tensor(1.0)
    learning_rate_after_the_warm_up_steps = ad.Tensor(2.0)
    total_of_everything = the_weight_of_the_first_input * learning_rate_after_the_warm_up_steps
    return ad.draw(total_of_everything)


@HARD
def scripts():
    """Names in other scripts, and with signs in them.

    Letters of any script, and signs that mean something to a browser.
    """
    a = ad.Tensor(1.0, name="größe")
    b = ad.Tensor(2.0, name="重み")
    c = ad.Tensor(3.0, name='<b>"&\\n')
    return ad.draw(a * b + c)


@HARD
def nameless():
    """Nodes without names.

    Results that no variable holds.
    """
    return ad.draw((ad.Tensor(2.0) - ad.Tensor(5.0)) / (3.0 - ad.exp(ad.Tensor(1.0))))


@HARD
def half_named():
    """Only part of the operands named.

    A result with a name, made from some without.
    """
    a = ad.Tensor(2.0)
    y = (a + ad.Tensor(1.0)) * ad.maximum(a, 0.0)
    return ad.draw(y)
