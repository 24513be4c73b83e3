"""The generator draws what ``np.random.default_rng`` draws from the same seed, in every bit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.compiling.javascript.node import Error, check

SEEDS = (0, 1, 12345, 2**31, 2**32 - 1, 2**32, 2**52 + 1, 2**64 - 1, 2**127 + 12345, 3**150)
COUNT = 1000


@pytest.mark.parametrize("seed", SEEDS)
def test_seeds(nd, seed):
    on = {"big": str(seed)}
    rng = np.random.default_rng(seed)
    check(nd.call("random", [4], on=on), rng.random(4))
    check(nd.call("standard_normal", [3], on=on), rng.standard_normal(3))


def test_draws_one_after_the_other(nd):
    """Of 64 bits, 32 may wait for the next draw that needs as many."""
    on, rng = 77, np.random.default_rng(77)
    for size in (1, 3, COUNT):
        check(nd.call("random", [size], dtype="float32", on=on), rng.random(size, dtype=np.float32))
        check(nd.call("random", [size], on=on), rng.random(size))
        check(nd.call("integers", 0, 10, [size], on=on), rng.integers(0, 10, size))
        check(nd.call("integers", -(2**40), 2**52, [size], on=on), rng.integers(-(2**40), 2**52, size))
        check(nd.call("integers", 0, 2**32, [size], on=on), rng.integers(0, 2**32, size))
        check(nd.call("integers", 0, 7, [size], dtype="int32", endpoint=True, on=on),
              rng.integers(0, 7, size, dtype=np.int32, endpoint=True))  # fmt: skip
        check(nd.call("standard_normal", [size, 2], on=on), rng.standard_normal((size, 2)))
        expected = rng.standard_normal(size, dtype=np.float32)
        check(nd.call("standard_normal", [size], dtype="float32", on=on), expected)
        check(nd.call("normal", 1.5, 0.25, [size], on=on), rng.normal(1.5, 0.25, size))
        check(nd.call("uniform", -2, 3, [size], on=on), rng.uniform(-2, 3, size))
        check(nd.call("permutation", size, on=on), rng.permutation(size))
    x, rows = np.arange(20.0), np.arange(24).reshape(8, 3)
    check(nd.call("permutation", x, on=on), rng.permutation(x))
    check(nd.call("permutation", rows, on=on), rng.permutation(rows))
    check(nd.call("shuffle", rows.copy(), on=on), shuffled(rng, rows))
    assert nd.call("integers", 2**63, on=on) == rng.integers(2**63)
    assert nd.call("random", on=on) == rng.random()


def shuffled(rng, x):
    y = x.copy()
    rng.shuffle(y)
    return y


def test_the_tails_of_normal_numbers(nd):
    """One in 3700 lies beyond the last strip: there JavaScript's logarithm decides the last bit."""
    rng = np.random.default_rng(5)
    check(nd.call("standard_normal", [200_000], on=5), rng.standard_normal(200_000))


def test_a_generator_goes_on_where_python_s_is(nd):
    rng = np.random.default_rng(3)
    rng.random(5, dtype=np.float32)
    found = rng.bit_generator.state
    state = {key: str(number) for key, number in found["state"].items()}
    state |= {"has_uint32": found["has_uint32"], "uinteger": found["uinteger"]}
    check(nd.call("random", [4], dtype="float32", on=state), rng.random(4, dtype=np.float32))


def test_what_is_not_drawn_is_refused(nd):
    with pytest.raises(Error, match="int8 are not drawn"):
        nd.call("integers", 0, 3, [2], dtype="int8", on=1)
    with pytest.raises(Error, match="low >= high"):
        nd.call("integers", 3, 3, on=1)
