"""Random functions of numbers and their comparisons: over a batch, compiled, and both.

    python -m tests.fuzz.counted --trials 20000 --seed 0

In a loop over the numbers Python computes, where True counts as 1, and NumPy, whose booleans are a type of
their own. The oracle is that loop, without compiling and without ``ad.vmap``. ``--only SEED TRIAL`` runs one
trial again.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.tracing import TraceError
from tests.fuzz.chance import Chance, parser, run_trials

LEAVES = ("{x}", "{x}", "{x}", "({x} > 0)", "({x} >= 0.5)", "({x} * {y} < 1)", "({x} == {y})")
CONSTANTS = ("2", "3", "0.5", "-1", "True", "np.float32(2)", "np.int64(2)", "np.array(3)", "np.array(0.5)",
             "np.bool_(True)", "np.float64(0.5)", "np.array([0.5, -1.0])", "ad.as_tensor(1.25)")  # fmt: skip
BINARY = (
    "({} + {})", "({} - {})", "({} * {})", "({} & {})", "({} | {})", "({} ^ {})", "({} << {})", "({} >> {})",
    "({} < {})", "({} <= {})", "({} == {})", "({} != {})", "ad.maximum({}, {})", "ad.minimum({}, {})",
    "np.maximum({}, {})", "np.add({}, {})", "np.multiply({}, {})", "np.logical_or({}, {})",
    "np.greater({}, {})", "np.power({}, {})", "np.floor_divide({}, {})", "ad.where({} > 0, {}, 0.5)",
    "np.where({} > 0, {}, False)", "({} / ({} * 0.5 + 2))",
)  # fmt: skip
# What Python makes of // and of ** of two integers, an int, a float or an error, depends on their values: the
# second is a constant here.
UNARY = (
    "abs({})", "(-{})", "(+{})", "np.abs({})", "np.sign({})", "np.negative({})", "np.logical_not({})",
    "ad.abs({})", "ad.square({})", "ad.relu({} * 1.0)", "ad.sum({})", "ad.tanh({})", "np.sum({})",
    "np.any({})", "np.all({})", "np.max({})", "({} // 2)", "({} % 3)", "({}**2)", "(2 ** {} * 1.0)",
    "sum(divmod({}, 2))", "({} / 2)", "ad.clip({}, -0.5, 0.5)", "(1.5 * {})",
)  # fmt: skip
REFUSED = (TypeError, ValueError, ZeroDivisionError, OverflowError, IndexError)


def a_source(chance: Chance, depth: int) -> str:
    """An expression of x and y."""
    if depth == 0 or chance.often(0.1):
        x, y = chance.choice("xy"), chance.choice("xy")
        return chance.choice(CONSTANTS) if chance.often(0.15) else chance.choice(LEAVES).format(x=x, y=y)
    if chance.often(0.35):
        return chance.choice(UNARY).format(a_source(chance, depth - 1))
    return chance.choice(BINARY).format(a_source(chance, depth - 1), a_source(chance, depth - 1))


def values_of(result: Any) -> np.ndarray:
    return np.asarray(result.data if isinstance(result, Tensor) else result)


def in_a_loop(f: Callable[..., Any], columns: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results for each example, which is one number."""
    is_double = columns[0].dtype == float
    examples = zip(*(column.tolist() if is_double else column for column in columns))
    return [values_of(f(*map(Tensor, example))) for example in examples]


def nested(f: Callable[..., Any], columns: Sequence[np.ndarray]) -> np.ndarray:
    return values_of(ad.vmap(ad.vmap(f))(*(Tensor(column[None]) for column in columns)))[0]


WAYS = {
    "vmap": lambda f, columns: ad.vmap(f)(*map(Tensor, columns)),
    "compiled vmap": lambda f, columns: ad.compile(ad.vmap(f))(*map(Tensor, columns)),
    "vmap of compiled": lambda f, columns: ad.vmap(ad.compile(f))(*map(Tensor, columns)),
    "exact": lambda f, columns: ad.compile(ad.vmap(f), exact=True)(*map(Tensor, columns)),
    "nested": nested,
    "compiled": lambda f, columns: np.stack(in_a_loop(ad.compile(f), columns)),
}


def slope_of_batch(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same slope by differentiating the sum of the batch."""
    return lambda xs, ys: ad.grad(lambda xs: ad.sum(ad.vmap(f)(xs, ys)))(xs)


class Trial:
    """One function, on a batch of pairs of numbers."""

    def __init__(self, seed: Any) -> None:
        self.chance = chance = Chance(seed)
        self.source = a_source(chance, chance.integer(1, 4))
        dtype = np.float32 if chance.often(0.2) else np.float64
        self.columns = [chance.choice((chance.array((3,)), np.array([0.5, 0.0, -1.0]))).astype(dtype)] * 2
        self.columns[1] = chance.choice((self.columns[0], chance.array((3,)).astype(dtype)))
        self.way = chance.choice(sorted(WAYS))
        self.order = chance.integer(0, 2)

    def __str__(self) -> str:
        return f"{self.way}, order {self.order}, {self.columns}: lambda x, y: {self.source}"

    def run(self) -> str:
        """Compare; return what came of it. Raises AssertionError."""
        value = eval(f"lambda x, y: {self.source}", {"np": np, "ad": ad})

        def weighted(x: Any, y: Any) -> Any:
            return ad.sum(value(x, y) * 1.0 * x)

        f = (value, ad.grad(weighted), ad.grad(lambda x, y: ad.grad(weighted)(x, y) * x))[self.order]
        with np.errstate(all="ignore"):
            try:
                expected = in_a_loop(f, self.columns)
            except REFUSED:
                return "refused in a loop"
            if len({(x.dtype, x.shape) for x in expected}) > 1:
                return "of several dtypes in a loop"
            try:
                found = values_of(WAYS[self.way](f, self.columns))
                self.check(found, np.stack(expected))
                if self.order == 1 and self.way == "vmap":
                    self.check(values_of(slope_of_batch(weighted)(*self.columns)), np.stack(expected))
            except TraceError:
                return "not traced"
        return self.way

    def check(self, found: np.ndarray, expected: np.ndarray) -> None:
        """Raise AssertionError if values or dtypes differ. NumPy's function of Python floats gives a scalar
        in double precision, which a trace takes for a Python float: beside a scalar in single precision, its
        result is in single precision."""
        is_single = "float32" in f"{expected.dtype} {self.source} {self.columns}"
        rtol = 1e-5 if is_single else 1e-9
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol / 10)
        is_alike = found.dtype == expected.dtype or ("np.float32" in self.source and found.dtype.kind == "f")
        assert is_alike, f"{found.dtype} in place of {expected.dtype}"


def fuzz(trials: int, seed: int, seconds: float = np.inf) -> collections.Counter[str]:
    """Run trials, no longer than so many seconds, and count what came of them."""
    return run_trials(Trial, Trial.run, trials, seed, seconds)


if __name__ == "__main__":
    options = parser(__doc__, 10_000).parse_args()
    if options.only:
        print(Trial(tuple(options.only)).run())  # noqa: T201
    else:
        print(fuzz(options.trials, options.seed))  # noqa: T201
