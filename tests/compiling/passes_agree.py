"""Compare the program of a function with and without passes over its graph."""

from __future__ import annotations

import numpy as np

import autodiff as ad
from autodiff.compiling import compile_function
from autodiff.compiling.passes import GRAPH_PASSES

MADE = ("fold", "algebra", "cse")


def program_of(fast):
    """The program that a compiled function ran last."""
    (entries,) = fast._programs.values()
    return entries[0].program


def leaves_of(tree):
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves_of(part)]
    return [tree.data if isinstance(tree, ad.Tensor) else tree]


def run(f, args, passes):
    """What the program of a function returns, and its source."""
    fast = compile_function(f, passes=(*MADE, *passes))
    found = leaves_of(fast(*args))
    return found, program_of(fast).source


def agree(f, args, passes, tolerance=1e-12):
    """Assert that the function, its program and its program with passes agree; return the two sources."""
    plain, before = run(f, args, ())
    found, after = run(f, args, passes)
    again, _ = run(f, args, passes)
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
    return before, after


ALL = tuple(GRAPH_PASSES)
