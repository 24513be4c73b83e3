"""The source that is shown computes what the source that runs computes."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff.compiling import compile_function
from autodiff.compiling.reading import rolled

RNG = np.random.default_rng(0)


def run(source, constants, arguments):
    names = {"np": np, **constants}
    exec(source, names)
    program = names["build"]() if "build" in names else names["program"]
    return program(*arguments)


def loop(turns):
    sequence = RNG.normal(size=(turns, 4, 5))

    def rnn(w, u, b):
        h = np.zeros((4, 5))
        for x in sequence:
            h = ad.tanh(x @ w + h @ u + b)
        return (h * h).sum()

    return rnn


@pytest.mark.parametrize("turns", [1, 2, 3, 4, 12])
@pytest.mark.parametrize("passes", [("fold", "algebra", "cse"), None])
def test_a_program_of_a_loop_is_shown_as_a_loop_that_computes_the_same(turns, passes):
    options = {} if passes is None else {"passes": passes}
    fast = compile_function(ad.value_and_grad(loop(turns), argnums=(0, 1, 2)), **options)
    arguments = [RNG.normal(size=(5, 5)), RNG.normal(size=(5, 5)), RNG.normal(size=5)]
    fast(*arguments)
    program = fast._entry().program
    source = rolled(program.source)
    names = {"recycled": lambda *a: np.empty(a[-2], a[-1]), **program.constants}
    for mine, other in zip(run(source, names, arguments), program.run(*arguments), strict=True):
        np.testing.assert_array_equal(mine, other)
    if turns == 12:
        assert source.count("for t in range") >= (1 if passes else 2)
        assert source.count("\n") < 0.8 * program.source.count("\n")


@pytest.mark.parametrize("source", [
    "def program(x1, x2, x3):\n    return x1 + x2 + x3\n",
    "def program(x):\n    y1 = x + 1\n    y2 = x + 2\n    return y1 * y2\n",
    "def program(x):\n    y1 = x + 1.5\n    y2 = x + 2.5\n    y3 = x + 4.5\n    return y1 * y2 * y3\n",
    "def program(x):\n    a1 = x\n    a2 = a1 * 2\n    a3 = a2 * 2\n    a4 = a3 * 2\n    return a4\n",
    "def program(x):\n    a10 = x\n    a8 = a10 * 2\n    a6 = a8 * 2\n    a4 = a6 * 2\n    return a4\n",
    "def program(x):\n    b1 = x\n    b2 = b1 + 4\n    b3 = b2 + 2\n    b4 = b3 + 0\n    return b4\n",
    "def program(x):\n    c1 = x\n    c3 = c1 * 5\n    c5 = c3 * 8\n    c7 = c5 * 11\n    return c7 + c3\n",
])  # fmt: skip
def test_small_sources_compute_the_same(source):
    arguments = (2.0,) if "x1" not in source else (1.0, 2.0, 3.0)
    assert run(rolled(source), {}, arguments) == run(source, {}, arguments)
