"""A function of several results that is not traced is called once by the program."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff.compiling import compile_function
from autodiff.compiling.compiled import EXACT_PASSES, PASSES
from tests.compiling.pasting import pasted

RNG = np.random.default_rng(0)
MATRIX = RNG.normal(size=(4, 4)) + 4 * np.eye(4)


@pytest.mark.parametrize("function", [
    np.linalg.svd, np.linalg.eigh, np.linalg.slogdet, np.linalg.qr, np.divmod, np.modf, np.frexp,
], ids=lambda function: function.__name__)  # fmt: skip
@pytest.mark.parametrize("passes", [(), EXACT_PASSES, PASSES], ids=["none", "exact", "all"])
def test_values_are_those_of_the_function(function, passes):
    def f(x):
        parts = function(x, 2.0) if function is np.divmod else function(x)
        return [part * 2 for part in parts], parts[-1]

    fast = compile_function(f, passes=passes)
    for _ in range(2):
        (first, second), (mine, other) = f(MATRIX), fast(MATRIX)
        for a, b in zip([*first, second], [*mine, other], strict=True):
            np.testing.assert_array_equal(a, b)
            assert np.asarray(a).dtype == np.asarray(b).dtype
    for a, b in zip(pasted(fast)(MATRIX), fast._entry().program.run(MATRIX), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_function_is_called_once():
    fast = ad.compile(lambda x: [part * 1.5 for part in np.linalg.svd(x)])
    fast(MATRIX)
    assert fast.program.count("svd(") == 1
    assert fast.source.count("svd(") == 1


def test_results_that_are_not_used_cost_nothing_more():
    fast = ad.compile(lambda x: np.linalg.slogdet(x)[1] * 2)
    fast(MATRIX)
    assert fast.program.count("slogdet") == 1
    assert "[0]" not in fast.program


def test_the_same_call_twice_is_one():
    fast = ad.compile(lambda x: np.linalg.eigh(x)[0].sum() + np.linalg.eigh(x)[1].sum())
    fast(MATRIX + MATRIX.T)
    assert fast.source.count("eigh(") == 1


def test_results_belong_to_the_caller():
    fast = ad.compile(lambda x: np.linalg.svd(x))
    first = fast(MATRIX)
    kept = [np.array(part) for part in first]
    second = fast(2 * MATRIX)
    for part, copy, other in zip(first, kept, second):
        np.testing.assert_array_equal(part, copy)
        assert not np.shares_memory(part, other)


@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_batch(size):
    batch = RNG.normal(size=(size, 4, 4))
    f = lambda x: tuple(np.linalg.qr(x)) + tuple(np.linalg.svd(x))
    for treat in (ad.vmap, lambda f: ad.compile(ad.vmap(f))):
        found = treat(f)(batch)
        for place, part in enumerate(found):
            for example, one in zip(batch, part):
                np.testing.assert_allclose(one, f(example)[place], atol=1e-12)


def test_pictures_show_the_parts():
    fast = ad.compile(lambda x: np.linalg.svd(x)[1])
    fast(MATRIX)
    assert "[1](v1)" in fast.draw().before.text
