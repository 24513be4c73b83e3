"""A function that draws random numbers which a trace cannot see is refused by vmap and by compile."""

from __future__ import annotations

import random

import numpy as np
import pytest

import autodiff as ad
from autodiff.compiling import TraceError

GENERATOR = np.random.default_rng(0)
LEGACY = np.random  # the functions of old
STATE = np.random.RandomState(0)
X = np.arange(3.0)


def of_a_closure():
    rng = np.random.default_rng(0)
    return lambda v: v + rng.normal()


DRAWING = {
    "np.random": (lambda v: v + LEGACY.rand(), "np.random"),
    "normal": (lambda v: v * LEGACY.normal(size=()), "np.random"),
    "shuffle": (lambda v: v * LEGACY.permutation(3)[0], "np.random"),
    "random": (lambda v: v + random.random(), "random, a generator of Python's"),
    "a Generator": (lambda v: v + GENERATOR.random(), "the generator GENERATOR"),
    "a RandomState": (lambda v: v + STATE.rand(), "the generator STATE"),
    "a closure": (of_a_closure(), "the generator rng"),
}


@pytest.fixture
def _numpy_s_generator_is_put_back():
    before = np.random.get_state()  # noqa: NPY002
    yield
    np.random.set_state(before)  # noqa: NPY002


@pytest.mark.usefixtures("_numpy_s_generator_is_put_back")
@pytest.mark.parametrize(("function", "named"), DRAWING.values(), ids=DRAWING)
@pytest.mark.parametrize("derived", [lambda f: f, ad.grad], ids=["value", "grad"])
def test_numbers_that_a_trace_does_not_see_are_refused(function, named, derived):
    for _ in range(2):  # of two normal numbers, the second is kept from the first call
        with pytest.raises(TraceError, match=f"draws random numbers from {named}.*ad.vmap calls it once"):
            ad.vmap(derived(function))(X)
        with pytest.raises(TraceError, match=f"draws random numbers from {named}.*ad.compile calls it once"):
            ad.compile(derived(function))(1.0)


def test_the_package_s_own_draws_go_on():
    ad.seed(0)
    drawn = ad.vmap(lambda v: v + ad.seeding.generator().random())(X) - X
    assert len({*drawn.tolist()}) == 3
    rng = np.random.default_rng(0)
    drawn = ad.vmap(lambda v: v + ad.seeding.generator(rng).random())(X) - X
    assert len({*drawn.tolist()}) == 3
    fast = ad.compile(lambda v: v + ad.seeding.generator().random())
    assert fast(1.0) != fast(1.0)


def test_a_function_that_only_refers_to_a_generator_is_not_refused():
    def mean(v, rng=GENERATOR):
        return v * 2 if rng is GENERATOR and random is not STATE else v

    np.testing.assert_array_equal(ad.vmap(mean)(X), X * 2)
    assert ad.compile(mean)(1.0) == 2
