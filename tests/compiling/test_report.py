"""What a compiled function reports: what was traced, and what each pass made of it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff.compiling import compile_function
from autodiff.compiling.compiled import PASSES
from autodiff.compiling.graph import ProgramGraph


def counts(fast):
    """The number of operations after each pass that a report names, in the order of the passes."""
    lines = re.findall(r"^(\w+) +([\d,]+) operations", fast.report(), flags=re.MULTILINE)
    changed = {name: int(count.replace(",", "")) for name, count in lines}
    same = re.search(r"^no change +(.*)$", fast.report(), flags=re.MULTILINE)
    names = {*changed, *(same[1].split(", ") if same else [])}
    found: dict[str, int] = {}
    for name in ("traced", "fold", "algebra", "cse", "used", *PASSES):
        if name in names and name not in found:
            found[name] = changed[name] if name in changed else [*found.values()][-1]
    assert {*found} == names
    return found


def test_what_was_traced_and_what_is_left():
    def f(x):
        unused = np.sin(x)  # noqa: F841
        two = np.exp(np.float64(0.0)) + 1 * x  # 1 * x is x
        again = np.cos(x) + np.cos(x)
        return two + again - -x

    fast = ad.compile(f)
    fast(np.ones(3))
    found = counts(fast)
    # sin, 1 * x, + exp(0), cos, cos, +, two + again, -x, - -x
    assert found["traced"] == 9
    assert found["fold"] == 9
    assert found["algebra"] == 8  # without 1 * x; - -x is + x, and -x is not used
    assert found["cse"] == 7
    assert found["used"] == 5
    assert [*found][:5] == ["traced", "fold", "algebra", "cse", "used"]


def test_constants_are_counted():
    fast = ad.compile(lambda x: x * (np.ones(()) * 2 + ad.exp(ad.zeros(()))))
    fast(np.ones(3))
    found = counts(fast)
    assert found["traced"] > found["fold"]


@pytest.mark.parametrize("passes", [(), ("cse",), ("fold", "algebra"), PASSES])
def test_only_passes_that_were_chosen_are_listed(passes):
    fast = compile_function(lambda x: x * x + 1, passes=passes)
    fast(np.ones(3))
    found = [*counts(fast)]
    assert found[0] == "traced"
    assert "used" in found
    assert {"fold", "algebra", "cse"} & {*found} == {"fold", "algebra", "cse"} & {*passes}


def test_every_line_says_how_many_operations_are_left():
    fast = ad.compile(ad.grad(lambda x: (x**3 * ad.sin(x)).sum()))
    fast(np.ones(3))
    before = None
    for line in fast.report().splitlines():
        match = re.match(r"\w+ +([\d,]+) operations(?:,  ([\d,]+) (fewer|more))?$", line)
        if match is None:
            continue
        count = int(match[1])
        if before is not None:
            change = int(match[2] or 0) * (1 if match[3] == "more" else -1)
            assert count == before + change
        before = count


def test_a_call_is_counted_once_however_it_is_simplified():
    graph = ProgramGraph()
    x, y = graph.input("x", (3,)), graph.input("y", (3,))
    steps = [
        lambda: graph.elementwise("multiply", x, graph.elementwise("negative", y)),  # -(x * y)
        lambda: graph.elementwise("power", x, graph.const(2)),
        lambda: graph.transpose(graph.transpose(graph.reshape(x, (1, 3)))),
        lambda: graph.reshape(graph.reshape(y, (1, 3)), (3, 1)),
        lambda: graph.reshape(graph.reduce("add", graph.reshape(x, (1, 3)), 0, True), (3,)),
    ]
    asked = [2, 1, 3, 2, 3]
    for step, count in zip(steps, asked, strict=True):
        before = graph.calls
        step()
        assert graph.calls - before == count
