"""The source that is shown computes what the source that runs computes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff.compiling import compile_function
from autodiff.compiling.printing import rolled

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


def random_source(rng):
    """A source of loops whose values come from turns before, from other loops and from before the loops."""
    lines, values = [], ["x"]

    def add(text):
        lines.append(f"v{len(lines)}·{len(lines)} = {text}")
        values.append(lines[-1].split(" = ")[0])
        return values[-1]

    for _ in range(rng.integers(1, 4)):
        for _ in range(rng.integers(0, 3)):
            add(f"{rng.choice(values)} * 0.5 + {rng.integers(5)}")
        turns, length = int(rng.integers(2, 9)), int(rng.integers(1, 4))
        kinds = rng.integers(0, 5, length)
        before, seen, step = [rng.choice(values) for _ in kinds], [*values], int(rng.integers(1, 3))
        for turn in range(turns):
            for place, kind in enumerate(kinds):
                other = seen[-1 - (step * turn) % len(seen)] if kind == 2 else seen[(step * turn) % len(seen)]
                inner = values[-1] if kind == 3 else before[place]
                number = turn * step if kind == 4 else 2
                before[place] = add(f"{before[place]} / 2 + {other} / 4 - {inner} / {number + 1}")
    kept = [str(value) for value in rng.choice(values, 6)]
    run = values[-int(rng.integers(3, 9)) :: int(rng.choice([1, 1, 2]))]
    returned = f"np.stack([{', '.join(run)}]), np.stack([{', '.join(run[::-1])}]), {', '.join(kept)}"
    text = "def program(x):\n    " + "\n    ".join([*lines, f"return ({returned})"]) + "\n"
    # Words that a family shares: the place in the loop is not told.
    return re.sub(r"v\d+·", "v·", text)


@pytest.mark.parametrize("seed", range(300))
def test_random_sources_compute_the_same(seed):
    rng = np.random.default_rng(seed)
    source = random_source(rng)
    names = re.findall(r"^ +(v·\d+) = ", source, flags=re.MULTILINE)
    kinds = dict.fromkeys(names, ((3,), "float64")) if seed % 2 else {}
    x = rng.normal(size=3)
    expected = run(source, {}, [x])
    for mine, other in zip(run(rolled(source, kinds), {}, [x]), expected, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_random_sources_have_loops():
    sources = [rolled(random_source(np.random.default_rng(seed))) for seed in range(300)]
    assert sum("for t in" in source for source in sources) > 200
    assert sum("reversed(" in source for source in sources) > 5


def test_of_a_running_sum_only_the_latest_value_is_kept():
    lines = [f"    total·{i + 1} = total·{i} + x * {i}" for i in range(1, 6)]
    source = "\n".join(["def program(x):", "    total·1 = x", *lines, "    return (total·6,)", ""])
    assert rolled(source) == """\
def program(x):
    total = x
    for t in range(1, 6):
        total = total + x * t
    return (total,)
"""


def test_stacked_values_lie_in_an_array():
    lines = [f"    h·{i + 1} = np.tanh(h·{i} + {i})" for i in range(1, 6)]
    names = ", ".join(f"h·{i}" for i in range(1, 7))
    source = "\n".join(["def program(x):", "    h·1 = x", *lines, f"    return (np.stack([{names}]),)", ""])
    kinds = {f"h·{i}": ((3,), "float32") for i in range(1, 7)}
    assert rolled(source, kinds) == """\
def program(x):
    h = np.empty((6, 3), 'float32')
    h[0] = x
    for t in range(1, 6):
        h[t] = np.tanh(h[t - 1] + t)
    return (h,)
"""
    assert "np.stack([h[t] for t in range(6)])" in rolled(source)
    part = source.replace(", h·6]", "]")
    assert "return (h[:5],)" in rolled(part, kinds)
    assert "return (h[::-1],)" in rolled(source.replace(names, ", ".join(names.split(", ")[::-1])), kinds)
