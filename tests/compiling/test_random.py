"""Random numbers are drawn anew at each call of a compiled function, as the function itself draws them."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.nn import functional
from tests.fuzz.compiled import check_alike

given = np.random.default_rng(0)
FUNCTIONS = {
    "rand": lambda x: ad.rand(3) * x,
    "randn": lambda x: ad.randn(2, 3, dtype=np.float32) + x,
    "randint": lambda x: ad.randint(0, 10, (4,)) * x,
    "randperm": lambda x: ad.randperm(5) * x,
    "rand_like": lambda x: ad.rand_like(x) * x,
    "several": lambda x: ad.rand(2).sum() * ad.randn(3).sum() - ad.rand(2).sum() * x,
    "unused": lambda x: (ad.rand(2), x * ad.rand(1))[1],
    "dropout": lambda x: functional.dropout(x, 0.4, training=True),
    "generator": lambda x: ad.rand(3, generator=given) * x,
    "number": lambda x: x * ad.seeding.generator().random(),
    "seed": lambda x: ad.rand(3, generator=7) * x,
    "default_rng": lambda x: np.random.default_rng(3).random(2) * x,
}


def drawn(function, x):
    """The results of three calls from a fixed seed, and the next draws after them."""
    ad.seed(1)
    given.bit_generator.state = np.random.default_rng(5).bit_generator.state
    return [function(x) for _ in range(3)], ad.rand(3), given.random()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("x", [Tensor([2.0]), Tensor(3.0)], ids=["array", "number"])
def test_draws_are_those_of_the_function(name, x):
    f = FUNCTIONS[name]
    expected = drawn(f, x)
    fast = ad.compile(f)
    drawn(fast, x)
    found = drawn(fast, x)
    check_alike(list(found), list(expected), exact=True)


def test_the_trace_itself_draws_nothing():
    fast = ad.compile(lambda x: x * ad.rand(3))
    ad.seed(3)
    first = fast(1.0)
    ad.seed(3)
    np.testing.assert_array_equal(first.data, ad.rand(3).data)


def test_a_walk_back_uses_the_draws_of_its_call():
    x = Tensor(np.ones(50))
    fast = ad.compile(nn.Dropout(0.5))
    one, other = fast(x), fast(x)
    one.sum().backward()
    np.testing.assert_array_equal(x.grad.data, one.data)
    x.zero_grad()
    other.sum().backward()
    np.testing.assert_array_equal(x.grad.data, other.data)
    assert not np.array_equal(one.data, other.data)


def test_gradients_inside_use_the_same_draws():
    f = ad.value_and_grad(lambda x: (functional.dropout(x, 0.5, training=True) * x).sum())
    x = Tensor(np.arange(1.0, 9.0))
    expected, found = drawn(f, x), drawn(ad.compile(f), x)
    check_alike(found[0], expected[0])


def test_an_unknown_method_of_a_generator_is_refused():
    with pytest.raises(ad.compiling.TraceError, match="shuffle"):
        ad.compile(lambda x: ad.seeding.generator().shuffle(np.arange(3)))(1.0)
