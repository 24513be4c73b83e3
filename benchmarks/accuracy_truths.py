"""What operations, activations, reductions and losses really are, with mpmath's functions: the oracle of the
table of accuracy. It shares no code with the package.

Derivatives are central differences, taken with so many digits that thirty of each are right; those of
functions
that mpmath computes slowly are written out. A point where a function is not real, or jumps, has no truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import mpmath
from mpmath import mp, mpf

Function = Callable[..., Any]
Truth = tuple[int, Any, float]  # the order of a derivative, what it is, and its condition

STEP = 30
"""A difference is taken over 10**-30 of each number."""
KEPT = 35
"""So many digits of a difference are to be right: five more than those by which conditions are measured."""
DIGITS = 120
"""With so many it is tried first."""
LOWEST = 320
"""No float has its first digit farther behind the point."""

# -- functions -----------------------------------------------------------------------------------------------


def exp(x: Any) -> Any:
    """The exponential, and 0 where it is far below all floats, which saves most of the time."""
    return mp.exp(x) if x > -50_000 else mpf(0)


def sigmoid(x: Any) -> Any:
    e = exp(-abs(x))
    return 1 / (1 + e) if x > 0 else e / (1 + e)


def softplus(x: Any) -> Any:
    return mp.log1p(exp(-abs(x))) + (x if x > 0 else 0)


def relu(x: Any) -> Any:
    return x if x > 0 else mpf(0)


def elu(x: Any, alpha: Any = 1) -> Any:
    return x if x > 0 else alpha * mp.expm1(x)


def selu(x: Any) -> Any:
    return mpf("1.0507009873554804934193349852946") * elu(x, mpf("1.6732632423543772848170429916717"))


def gelu_tanh(x: Any) -> Any:
    return x * sigmoid(2 * mp.sqrt(2 / mp.pi) * (x + mpf(0.044715) * x**3))


def limited(x: Any, low: Any, high: Any) -> Any:
    return min(max(x, mpf(low)), mpf(high))


def softmax(*x: Any) -> Any:
    """The first element."""
    return 1 / (1 + mp.fsum(exp(other - x[0]) for other in x[1:]))


def log_softmax(*x: Any) -> Any:
    """The first element."""
    return -mp.log1p(mp.fsum(exp(other - x[0]) for other in x[1:]))


def logsumexp(*x: Any) -> Any:
    top = max(x)
    return top + mp.log(mp.fsum(exp(other - top) for other in x))


def variance(*x: Any) -> Any:
    mean = mp.fsum(x) / len(x)
    return mp.fsum((other - mean) ** 2 for other in x) / len(x)


def norm(*x: Any) -> Any:
    return mp.sqrt(mp.fsum(other * other for other in x))


def median(*x: Any) -> Any:
    ordered = sorted(x)
    return (ordered[(len(x) - 1) // 2] + ordered[len(x) // 2]) / 2


def cosine_similarity(*x: Any) -> Any:
    """Of the first half and the second, with PyTorch's bound of the norms."""
    half = len(x) // 2
    norms = [max(norm(*part), mpf(1e-8)) for part in (x[:half], x[half:])]
    return mp.fsum(a * b for a, b in zip(x[:half], x[half:])) / norms[0] / norms[1]


def huber(x: Any, delta: Any = 1) -> Any:
    return x * x / 2 if abs(x) <= delta else delta * (abs(x) - mpf(delta) / 2)


def binary_cross_entropy(x: Any, target: Any) -> Any:
    """Near 0 and 1 slopes are limited, as PyTorch's are, and there is no other truth."""
    if not 1e-11 < x < 1 - 1e-11:
        raise ValueError("no probability")
    return -(target * max(mp.log(x), -100) + (1 - target) * max(mp.log1p(-x), -100))


def with_logits(x: Any, target: Any) -> Any:
    return softplus(-x) * target + softplus(x) * (1 - target)


def power(x: Any, y: Any) -> Any:
    if x < 0 and y != mp.floor(y):
        raise ValueError("no real number")
    # Far beyond all floats it is not computed, which takes most of the time. No truth is told there.
    return mp.power(x, y) if abs(y * mp.ln(abs(x))) < 50_000 else mpf(0)


def recurrence(*x: Any) -> Any:
    """Compute z = x z + y, with the first half as x and the second as y."""
    z = mpf(0)
    for factor, term in zip(x[: len(x) // 2], x[len(x) // 2 :]):
        z = factor * z + term
    return z


def sinc(x: Any) -> Any:
    return mp.sin(mp.pi * x) / (mp.pi * x)


def bell(x: Any) -> Any:
    """2 / sqrt(pi) exp(-x**2), the slope of erf."""
    return 2 / mp.sqrt(mp.pi) * exp(-x * x)


def density(x: Any) -> Any:
    """That of the normal distribution."""
    return exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def erfc(x: Any) -> Any:
    """That of mpmath overflows far out, where it is 0 or 2 beside all floats."""
    return mp.erfc(x) if abs(x) < 50_000 else mpf(2 * (x < 0))


def probability(x: Any) -> Any:
    """That a normal variable is below x."""
    return erfc(-x / mp.sqrt(2)) / 2


# A function, or a function of one number with its first three derivatives. Where a name is not here, it is
# mpmath's function of that name.
TRUTHS: dict[str, Function | tuple[Function, ...]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y, "neg": lambda x: -x, "pow": power, "abs": abs, "maximum": max, "minimum": min,
    "fmax": max, "fmin": min, "log": mp.ln, "sigmoid": sigmoid, "relu": relu, "cast": mpf, "clone": mpf,
    "nan_to_num": mpf, "square": lambda x: x * x, "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "reciprocal": lambda x: 1 / x, "exp2": lambda x: mp.power(2, x), "log2": lambda x: mp.log(x) / mp.log(2),
    "logaddexp": logsumexp, "logaddexp2": lambda x, y: logsumexp(x * mp.ln2, y * mp.ln2) / mp.ln2,
    "arcsin": mp.asin, "arccos": mp.acos, "arctan": mp.atan, "arctan2": mp.atan2, "arcsinh": mp.asinh,
    "arccosh": mp.acosh, "arctanh": mp.atanh, "where": lambda x, y: x if x > y else y * 2,
    "clip": lambda x: limited(x, -1, 2), "softplus": softplus, "logsigmoid": lambda x: -softplus(-x),
    "silu": lambda x: x * sigmoid(x), "leaky_relu": lambda x: max(x, mpf(0.01) * x), "elu": elu,
    "selu": selu, "celu": lambda x: 2 * elu(x / 2), "softsign": lambda x: x / (1 + abs(x)),
    "mish": lambda x: x * mp.tanh(softplus(x)), "prelu": lambda x, weight: x if x > 0 else weight * x,
    "hardtanh": lambda x: limited(x, -1, 1), "relu6": lambda x: limited(x, 0, 6),
    "hardsigmoid": lambda x: limited(x + 3, 0, 6) / 6, "hardswish": lambda x: x * limited(x + 3, 0, 6) / 6,
    "threshold": lambda x: x if x > 0.5 else mpf(20), "deg2rad": mp.radians, "rad2deg": mp.degrees,
    "sinc": sinc,
    "erf": (mp.erf, bell, lambda x: -2 * x * bell(x), lambda x: (4 * x * x - 2) * bell(x)),
    "erfc": (
        erfc, lambda x: -bell(x), lambda x: 2 * x * bell(x), lambda x: (2 - 4 * x * x) * bell(x),
    ),
    "gelu": (
        lambda x: x * probability(x), lambda x: probability(x) + x * density(x),
        lambda x: (2 - x * x) * density(x), lambda x: (x**3 - 4 * x) * density(x),
    ),
    "gelu_tanh": gelu_tanh,
    # reductions, and what takes one axis to another: the first element, or the last of what is cumulative
    "sum": lambda *x: mp.fsum(x), "mean": lambda *x: mp.fsum(x) / len(x), "var": variance,
    "std": lambda *x: mp.sqrt(variance(*x)), "norm": norm, "prod": lambda *x: mp.fprod(x), "max": max,
    "min": min, "median": median, "cumsum": lambda *x: mp.fsum(x), "cumprod": lambda *x: mp.fprod(x),
    "linear_recurrence": recurrence, "sort": min, "logsumexp": logsumexp, "softmax": softmax,
    "log_softmax": log_softmax, "power_norm": lambda *x: mp.cbrt(mp.fsum(abs(other) ** 3 for other in x)),
    "softmin": lambda *x: softmax(*(-other for other in x)), "glu": lambda x, y: x * sigmoid(y),
    "cosine_similarity": cosine_similarity,
    "normalize": lambda *x: x[0] / max(norm(*x), mpf(1e-12)),
    # losses of one output with the target 0.25, or of four logits with the class 0
    "mse_loss": lambda x: (x - mpf(0.25)) ** 2, "l1_loss": lambda x: abs(x - mpf(0.25)), "huber": huber,
    "huber_loss": lambda x: huber(x - mpf(0.25)), "smooth_l1_loss": lambda x: huber(x - mpf(0.25)),
    "kl_div": lambda x: (mp.log(mpf(0.25)) - x) / 4,
    "cross_entropy": lambda *x: -log_softmax(*x), "nll_loss": lambda *x: -x[0],
    "binary_cross_entropy": lambda x: binary_cross_entropy(x, mpf(0.25)),
    "binary_cross_entropy_with_logits": lambda x: with_logits(x, mpf(0.25)),
    "bounded_log": lambda x: mp.log(x) if x > 1e-11 else None,  # the slope is limited
}  # fmt: skip

QUOTIENTS: dict[str, Function] = {
    "remainder": lambda x, y: mp.floor(x / y),
    "fmod": lambda x, y: mp.sign(x / y) * mp.floor(abs(x / y)),
}
"""Of remainders, the quotient, which is a constant near each point."""


def truth_of(name: str) -> Function | tuple[Function, ...] | None:
    """The function or the functions that are compared with, or None where there are none."""
    return TRUTHS.get(name) or QUOTIENTS.get(name) or getattr(mp, name, None)


# -- derivatives ---------------------------------------------------------------------------------------------


def truths(name: str, point: Sequence[float]) -> list[Truth] | None:
    """The value and the derivatives with respect to the first two numbers: of first order one each, of second
    order the pure ones and the mixed one. A truth that is no normal number may be given as 0. None outside
    the domain.
    """
    function = truth_of(name)
    with mp.workdps(DIGITS):
        numbers = [mpf(x) for x in point]
    try:
        if isinstance(function, tuple):
            return [*written_out(function, numbers[0])]
        assert function is not None
        if name in QUOTIENTS:
            with mp.workdps(2 * LOWEST + DIGITS):
                quotient = function(*numbers)
            function = lambda x, y: x - y * quotient  # noqa: E731
        digits = digits_for(function, numbers)
        base = quantities(function, numbers, digits)
        conditions = [0.0] * len(base)
        for place, x in enumerate(numbers):
            moved = [*numbers]
            with mp.workdps(DIGITS):
                moved[place] = x * (1 + mpf(10) ** -25)
            beside = quantities(function, moved, digits)
            for i, ((_, q), (_, other)) in enumerate(zip(base, beside, strict=True)):
                conditions[i] += abs(float((other - q) / q * mpf(10) ** 25)) if q else 0.0
    except (ValueError, ZeroDivisionError, TypeError):
        return None
    return [(order, q, condition) for (order, q), condition in zip(base, conditions)]


def written_out(functions: tuple[Function, ...], x: Any) -> Iterator[Truth]:
    """Value and two derivatives of a function of one number, each with its condition by the next."""
    with mp.workdps(DIGITS):
        found = [function(x) for function in functions]
    for order, (q, slope) in enumerate(pairwise(found)):
        yield order, q, abs(float(x * slope / q)) if q else 0.0


def digits_for(function: Function, x: Sequence[Any]) -> int:
    """With how many digits the differences are to be taken: with a few, or with so many that a derivative
    would
    show if it were no smaller than the smallest float."""
    largest = max(STEP + max(0, -int(mp.log10(abs(each)))) for each in x[:2])
    more = max(0, *(int(mp.log10(abs(each))) for each in x))
    few = DIGITS + more
    with mp.workdps(few):
        found = differences(function, x)
        noise = mpf(10) ** (KEPT - DIGITS) * max(abs(size) for *_, size in found)
        if all(abs(d) > noise for _, d, *_ in found):
            return few
    return KEPT + 2 * largest + LOWEST + more


def quantities(function: Function, x: Sequence[Any], digits: int) -> list[tuple[int, Any]]:
    """The orders and the values, by differences with so many digits."""
    with mp.workdps(digits):
        found = differences(function, x)
        if any(isinstance(d, mpmath.mpc) for _, d, *_ in found):
            raise ValueError("not real")
        return [
            (order, d / step if abs(d) > size * mpf(10) ** (KEPT - digits) else mpf(0))
            for order, d, step, size in found
        ]


def differences(f: Function, x: Sequence[Any]) -> list[tuple[int, Any, Any, Any]]:
    """For each derivative its order, a difference, what that is to be divided by, and the largest value."""
    h = [min(abs(each), mpf(1)) * mpf(10) ** -STEP for each in x[:2]]

    def at(*steps: int) -> Any:
        return f(*(each + s * d for each, s, d in zip(x, steps, h)), *x[len(h) :])

    if len(h) == 1:
        low, middle, high = at(-1), at(0), at(1)
        size = max(map(abs, (low, middle, high)))
        return [(0, middle, mpf(1), size), (1, high - low, 2 * h[0], size),
                (2, high - 2 * middle + low, h[0] ** 2, size)]  # fmt: skip
    middle = at(0, 0)
    lows, highs = (at(-1, 0), at(0, -1)), (at(1, 0), at(0, 1))
    both = at(1, 1) + at(-1, -1)
    size = max(map(abs, (middle, *lows, *highs)))
    bends = [high - 2 * middle + low for low, high in zip(lows, highs)]
    return [
        (0, middle, mpf(1), size),
        *((1, high - low, 2 * step, size) for low, high, step in zip(lows, highs, h)),
        *((2, bend, step**2, size) for bend, step in zip(bends, h)),
        (2, both - 2 * middle - bends[0] - bends[1], 2 * h[0] * h[1], size),
    ]


def error(found: float, truth: Any, condition: float, spacing: float) -> float:
    """How many spacings of the dtype ``found`` is off, by 1 + condition; inf where it is 0, inf or nan."""
    if not math.isfinite(found) or found == 0:
        return math.inf
    return float(abs(mpf(found) - truth) / spacing) / (1 + condition)
