"""Random programs, compiled against uncompiled: values, gradients, tangents and second derivatives, on
numbers and on arrays in random memory layouts.

    python -m tests.fuzz.compiled --trials 10000 --seed 0 --passes fold algebra

Without ``--passes`` all passes run; ``--exact`` runs the passes that keep every bit, and compares every bit.
A failure prints the seed and the number of its trial; ``--only SEED TRIAL`` runs that trial again.
"""

from __future__ import annotations

import collections
import functools
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import Tensor
from autodiff.calculus.trees import leaves
from autodiff.compiling.compiled import EXACT_PASSES, PASSES
from autodiff.engine.operands import run_with_numpy
from autodiff.engine.recording import enable_grad
from autodiff.testing import LAYOUTS, laid, weights
from tests.fuzz.chance import Chance, parser, quiet, run_trials
from tests.fuzz.products import a_call

UNARY = (
    "neg", "exp", "log", "tanh", "sin", "sqrt", "relu", "abs", "sigmoid", "square", "reciprocal", "softplus",
)  # fmt: skip
BINARY = ("add", "sub", "mul", "div", "maximum", "hypot", "arctan2", "logaddexp")
EVERYDAY = (-2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 3.0)
EXTREME = (*EVERYDAY, 1e-300, 1e300, -1e300, math.inf, -math.inf, math.nan)
Function = Callable[..., Any]


class Trial:
    """A random function with its arguments, and the derivative of it that is compared."""

    def __init__(self, seed: Any) -> None:
        chance = self.chance = Chance(seed)
        self.way: str = chance.choice(tuple(WAYS))
        self.f, self.arguments, self.name = (operation if chance.often(0.5) else chain)(chance)

    def __str__(self) -> str:
        shown = [f"{np.asarray(x).dtype}{np.shape(x)}" for x in self.arguments]
        return f"{self.way} of {self.name} at {shown}"

    def run(self, passes: Sequence[str], exact: bool) -> None:
        """Raise AssertionError if the results of the compiled function differ."""
        before = [np.array(x) for x in self.arguments]
        expected = self.results(lambda f: f, exact)
        found = self.results(functools.partial(called_twice, passes=passes), exact)
        for argument, value in zip(self.arguments, before, strict=True):
            np.testing.assert_array_equal(argument, value, "an argument was changed")
        if self.way == "the tangents outside" and not exact:
            found, expected = only_finite(found, expected)
        is_rough = any(np.asarray(x).dtype == np.float32 for x in self.arguments)
        # The slope of a power decides by the number that is its exponent, and a program cannot.
        is_open = self.name.startswith("pow ") and not np.ndim(self.arguments[-1])
        check_alike(found, expected, exact and not is_open, is_rough)

    def results(self, treat: Callable[[Function], Function], exact: bool) -> Any:
        """The results of the function or its derivative, of which ``treat`` compiles one or nothing."""
        if not exact and not any(np.ndim(x) for x in self.arguments):
            with numbers_as_numpy():  # elsewhere Python's arithmetic and NumPy's differ in the last digit
                return WAYS[self.way](self.f, self.arguments, treat)
        return WAYS[self.way](self.f, self.arguments, treat)


def called_twice(f: Function, passes: Sequence[str]) -> Function:
    """The compiled function, called twice. The second call takes a shorter way and uses the program's buffers
    again, and must return the same."""
    fast = ad.compile(f, passes=passes)

    def second(*arguments: Any) -> Any:
        first, found = fast(*arguments), fast(*arguments)
        check_alike(found, first, exact=True)
        return found

    return second


class numbers_as_numpy:
    """Inside this block NumPy computes Python numbers: ``math.tanh`` and ``np.tanh`` differ in the last
    digit."""

    def __enter__(self) -> None:
        self.before = [(getattr(ad, name), getattr(ad, name).scalar) for name in (*UNARY, *BINARY)]
        for each, _ in self.before:
            each.scalar = functools.partial(run_with_numpy, each.forward)

    def __exit__(self, *exception: object) -> None:
        for each, scalar in self.before:
            each.scalar = scalar


# -- functions ----------------------------------------------------------------------------------------------


def operation(chance: Chance) -> tuple[Function, list[Any], str]:
    """One operation of the catalogue, on arrays in some layouts."""
    call = a_call(chance)
    dtypes = [chance.choice((np.float64, np.float64, np.float32)) for _ in call.arrays]
    layouts = [chance.layout() for _ in call.arrays]
    arrays = [LAYOUTS[how](np.asarray(a, d)) for a, d, how in zip(call.arrays, dtypes, layouts)]
    if chance.often(0.5) or np.float32 in dtypes:  # float32 arrays without axes promote in two ways
        arrays = [x.item() if x.ndim == 0 else x for x in arrays]
    if not chance.often(0.3):
        return call.ours, arrays, f"{call.name} {call.options}"
    inner, last = chance.layout(), chance.layout()

    def within(*x: Any) -> Any:
        return laid(call.ours(*(laid(part, layout=inner) for part in x)), layout=last)

    return within, arrays, f"{call.name} {call.options} laid out"


def chain(chance: Chance) -> tuple[Function, list[Any], str]:
    """A program of a few elementwise operations on each other's results, and on nan and inf too."""
    steps: list[tuple[str, list[int]]] = []
    count = chance.integer(1, 3)
    for made in range(count, count + chance.integer(1, 9)):
        name = chance.choice((*UNARY, *BINARY))
        steps.append((name, [chance.integer(0, made - 1) for _ in range(1 + (name in BINARY))]))
    constant = chance.choice((None, 0, 1, 2, 1.0, -1.0, 0.0, -0.0))

    def program(*inputs: Any) -> Any:
        values = list(inputs)
        for name, places in steps:
            values.append(getattr(ad, name)(*(values[place] for place in places)))
        end = values[-1]
        return end if constant is None else end * constant + constant - ad.div(constant, values[0])

    shapes = [()] * count if chance.often(0.5) else chance.broadcastable(count)
    grid = np.array(EXTREME if chance.often(0.5) else EVERYDAY)
    values = [grid[chance.integers(0, len(grid) - 1, shape)] for shape in shapes]
    as_numbers = chance.often(0.9)
    arguments = [x.item() if x.ndim == 0 and as_numbers else np.asarray(x) for x in values]
    return program, arguments, f"{steps} {constant}"


# -- what is compiled ---------------------------------------------------------------------------------------


def plain_results(f: Function, arguments: list[Any], treat: Function) -> Any:
    treated = treat(f)
    tensors = [Tensor(x) for x in arguments]
    return [treated(*arguments), treated(*tensors), treated(*tensors)]


def weighted(f: Function) -> Function:
    """The sum of a result times fixed weights."""

    def total(*x: Any) -> Any:
        out = f(*x)
        return (out * weights(out.shape).astype(out.dtype)).sum() if np.shape(out) else out * 1.5

    return total


def gradients_inside(f: Function, arguments: list[Any], treat: Function) -> Any:
    treated = treat(ad.value_and_grad(weighted(f), range(len(arguments))))
    return [treated(*map(Tensor, arguments)), treated(*arguments)]


def gradients_outside(f: Function, arguments: list[Any], treat: Function) -> Any:
    treated = treat(f)
    found = []
    for _ in range(2):
        tensors = [Tensor(x) for x in arguments]
        out = treated(*tensors)
        if isinstance(out, Tensor) and out.requires_grad:
            out.backward(weights(out.shape).astype(out.dtype) if out.ndim else None)
        found += [out, *(t.grad for t in tensors)]
    return found


def some_moves(arguments: list[Any]) -> list[Any]:
    """A tangent for each argument."""
    moves = [np.asarray(weights(np.shape(x))).astype(np.asarray(x).dtype) for x in arguments]
    return [m.item() if isinstance(x, float) else m for m, x in zip(moves, arguments)]


def tangents_inside(f: Function, arguments: list[Any], treat: Function) -> Any:
    moves = tuple(some_moves(arguments))
    return treat(lambda *x: ad.jvp(f, x, moves))(*arguments)


def tangents_outside(f: Function, arguments: list[Any], treat: Function) -> Any:
    return ad.jvp(treat(f), tuple(arguments), tuple(some_moves(arguments)))


def second(f: Function, arguments: list[Any], treat: Function) -> Any:
    places = range(len(arguments))

    @enable_grad()
    def slopes(*x: Any) -> Any:
        found = leaves(ad.grad(weighted(f), places)(*x))
        return sum((weighted(Tensor.clone)(g) for g in found), Tensor(0.0))

    return [treat(ad.grad(slopes, places))(*arguments)]


WAYS: dict[str, Callable[..., Any]] = {
    "the value": plain_results,
    "the gradients inside": gradients_inside,
    "the gradients outside": gradients_outside,
    "the tangents inside": tangents_inside,
    "the tangents outside": tangents_outside,
    "the second derivative": second,
}


# -- comparing ----------------------------------------------------------------------------------------------


def check_alike(found: Any, expected: Any, exact: bool = False, rough: bool = False) -> None:
    """Raise AssertionError if two results differ in structure, types or values. A number and an array without
    axes count as one type, since operations and compiled functions return either."""
    kinds = [float if is_number(x) else type(x) for x in (found, expected)]
    assert kinds[0] is kinds[1], f"{type(found)}, uncompiled {type(expected)}"
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            check_alike(one, other, exact, rough)
        return
    if isinstance(expected, Tensor):
        assert found.requires_grad == expected.requires_grad, f"requires_grad is {found.requires_grad}"
        check_alike(found.data, expected.data, exact, rough)
    elif expected is not None:
        check_values(np.asarray(found), np.asarray(expected), exact, rough)


def is_number(value: Any) -> bool:
    """Whether this is a number, or an array without axes."""
    return isinstance(value, (float, np.generic)) or (isinstance(value, np.ndarray) and not value.ndim)


def check_values(found: Any, expected: Any, exact: bool, rough: bool) -> None:
    """Raise AssertionError if two arrays differ: by one bit if exact, else by more than rounding."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), f"{found.shape} {found.dtype}"
    if exact or expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        if expected.dtype.kind == "f":
            known = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))
        return
    finite = np.abs(expected[np.isfinite(expected)])
    scale = max(1.0, float(finite.max(initial=0.0)))
    rtol = 1e-4 if rough else 1e-10
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * min(scale, 1e100))


def only_finite(found: Any, expected: Any) -> tuple[Any, Any]:
    """Two results with 0 at each place where one of them is infinite or nan: 0 * inf depends on the order of
    factors, which is another one in forward mode through a compiled function."""
    pairs = [[np.asarray(x.data, float) for x in pair] for pair in zip(found, expected)]
    both = [np.isfinite(x) & np.isfinite(y) for x, y in pairs]
    return tuple([np.where(b, pair[i], 0) for b, pair in zip(both, pairs)] for i in (0, 1))


# -- running ------------------------------------------------------------------------------------------------


def fuzz(
    trials: int, seed: int, passes: Sequence[str] = PASSES, *, exact: bool = False, seconds: float = np.inf
) -> collections.Counter[str]:
    """Run trials for at most ``seconds``, and count them by the derivative that was compared. A failure
    raises AssertionError with the numbers that run its trial again."""

    def run(trial: Trial) -> str:
        with quiet():
            trial.run(passes, exact)
        return trial.way

    return run_trials(Trial, run, trials, seed, seconds)


def main() -> None:
    known = parser(__doc__, 2_000)
    known.add_argument("--passes", nargs="*", default=None)
    known.add_argument("--exact", action="store_true")
    options = known.parse_args()
    passes = options.passes
    if passes is None:
        passes = EXACT_PASSES if options.exact else PASSES
    if options.only:
        print(trial := Trial(tuple(options.only)))  # noqa: T201
        trial.run(passes, options.exact)
        return
    start = time.monotonic()
    counts = fuzz(options.trials, options.seed, passes, exact=options.exact)
    print(f"{counts.total()} trials in {time.monotonic() - start:.0f} s: {dict(counts)}")  # noqa: T201


if __name__ == "__main__":
    main()
