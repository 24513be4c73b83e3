"""Compare the program of a function with and without passes over its graph."""

from __future__ import annotations

from collections import Counter

import numpy as np

import autodiff as ad
from autodiff.compiling import compile_function
from autodiff.compiling.nodes import reachable
from autodiff.compiling.passes import GRAPH_PASSES
from autodiff.compiling.trace import ProgramTrace, node_of_result

MADE = ("fold", "algebra", "cse")


def leaves_of(tree):
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves_of(part)]
    return [tree.data if isinstance(tree, ad.Tensor) else tree]


def run(f, args, passes):
    """What the program of a function returns."""
    return leaves_of(compile_function(f, passes=(*MADE, *passes))(*args))


def calls_of(f, args, passes):
    """How many calls of each kind the program of a function has."""
    trace = ProgramTrace(MADE)
    arguments = [trace.input(arg, f"x{place}") for place, arg in enumerate(args)]
    _, out = trace.call(f, arguments, {})
    results = [node_of_result(trace.graph, value) for value in out]
    for name in passes:
        results = GRAPH_PASSES[name].rewritten(trace.graph, trace.inputs, results)
    return Counter(node.op for node in reachable(results))


def agree(f, args, passes, tolerance=1e-12):
    """Raise AssertionError unless a function, its program and its program with passes agree."""
    plain = run(f, args, ())
    found = run(f, args, passes)
    again = run(f, args, passes)
    eager = leaves_of(f(*args))
    for mine, other, same, by_rules in zip(found, plain, again, eager, strict=True):
        assert np.shape(mine) == np.shape(other)
        assert np.asarray(mine).dtype == np.asarray(other).dtype
        if tolerance:
            scale = np.max(np.abs(other), initial=1e-300, where=np.isfinite(other))
            np.testing.assert_allclose(mine, other, rtol=0, atol=tolerance * scale)
            np.testing.assert_allclose(mine, by_rules, rtol=0, atol=4 * tolerance * scale)
        else:
            assert np.asarray(mine).tobytes() == np.asarray(other).tobytes()
        np.testing.assert_array_equal(mine, same)


ALL = tuple(GRAPH_PASSES)
