"""Elementwise functions of NumPy that ONNX does not have, composed of those that it has."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from .writer import Name, Writer

Composed = Callable[..., Name]
COMPOSED: dict[str, Composed] = {}
"""By its name in NumPy, a function of the writer, the dtype and the names of the operands."""


def composed(*names: str) -> Callable[[Composed], Composed]:
    """Register a function as the way to compose some elementwise functions."""

    def put(function: Composed) -> Composed:
        COMPOSED.update(dict.fromkeys(names, function))
        return function

    return put


def like(w: Writer, dtype: Any, value: Any) -> Name:
    """A constant of a dtype."""
    return w.constant(np.asarray(value), dtype)


@composed("square")
def _square(w: Writer, dtype: Any, x: Name) -> Name:
    return str(w.add("Mul", x, x))


@composed("reciprocal")
def _reciprocal(w: Writer, dtype: Any, x: Name) -> Name:
    return str(w.add("Div", like(w, dtype, 1), x))


@composed("not_equal")
def _not_equal(w: Writer, dtype: Any, x: Name, y: Name) -> Name:
    return str(w.add("Not", w.add("Equal", x, y)))


@composed("isfinite")
def _isfinite(w: Writer, dtype: Any, x: Name) -> Name:
    return str(w.add("Not", w.add("Or", w.add("IsNaN", x), w.add("IsInf", x))))


@composed("signbit")
def _signbit(w: Writer, dtype: Any, x: Name) -> Name:
    zero = like(w, dtype, 0)
    is_minus_zero = w.add("And", w.add("Equal", x, zero), w.add("Less", _reciprocal(w, dtype, x), zero))
    return str(w.add("Or", w.add("Less", x, zero), is_minus_zero))


@composed("copysign")
def _copysign(w: Writer, dtype: Any, x: Name, y: Name) -> Name:
    size = w.add("Abs", x)
    return str(w.add("Where", _signbit(w, dtype, y), w.add("Neg", size), size))


@composed("trunc")
def _trunc(w: Writer, dtype: Any, x: Name) -> Name:
    if dtype.kind != "f":
        return x
    is_below = w.add("Less", x, like(w, dtype, 0))
    return str(w.add("Where", is_below, w.add("Ceil", x), w.add("Floor", x)))


@composed("exp2")
def _exp2(w: Writer, dtype: Any, x: Name) -> Name:
    return str(w.add("Pow", like(w, dtype, 2), x))


for base in (2, 10):
    COMPOSED[f"log{base}"] = lambda w, dtype, x, base=base: str(
        w.add("Div", w.add("Log", x), like(w, dtype, log(base)))
    )
for title, factor in (("deg2rad", np.pi / 180), ("radians", np.pi / 180), ("rad2deg", 180 / np.pi)):
    COMPOSED[title] = lambda w, dtype, x, factor=factor: str(w.add("Mul", x, like(w, dtype, factor)))


@composed("log1p")
def _log1p(w: Writer, dtype: Any, x: Name) -> Name:
    """X log(u) / (u - 1) with u = 1 + x, where the rounding of u cancels (W. Kahan)."""
    one = like(w, dtype, 1)
    u = w.add("Add", x, one)
    plain = w.add("Log", u)
    exact = w.add("Div", w.add("Mul", x, plain), w.add("Sub", u, one))
    is_far = w.add("Greater", w.add("Abs", x), one)
    found = w.add("Where", is_far, plain, exact)
    return str(w.add("Where", w.add("Equal", u, one), x, found))


@composed("expm1")
def _expm1(w: Writer, dtype: Any, x: Name) -> Name:
    """(u - 1) x / log(u) with u = exp(x), where the rounding of u cancels (W. Kahan)."""
    one = like(w, dtype, 1)
    u = w.add("Exp", x)
    plain = w.add("Sub", u, one)
    exact = w.add("Div", w.add("Mul", plain, x), w.add("Log", u))
    is_far = w.add("Greater", w.add("Abs", x), one)
    found = w.add("Where", is_far, plain, exact)
    return str(w.add("Where", w.add("Equal", u, one), x, found))


@composed("tan")
def _tan(w: Writer, dtype: Any, x: Name) -> Name:
    return str(w.add("Div", w.add("Sin", x), w.add("Cos", x)))


@composed("cosh")
def _cosh(w: Writer, dtype: Any, x: Name) -> Name:
    half = like(w, dtype, 0.5)
    parts = (w.add("Mul", half, w.add("Exp", z)) for z in (x, w.add("Neg", x)))
    return str(w.add("Add", *parts))


@composed("sinh")
def _sinh(w: Writer, dtype: Any, x: Name) -> Name:
    """Half of m + m / (m + 1) with m = expm1(abs(x)), which is exact near 0."""
    m = _expm1(w, dtype, w.add("Abs", x))
    quotient = w.add("Div", m, w.add("Add", m, like(w, dtype, 1)))
    inner = w.add("Where", w.add("IsInf", m), m, w.add("Add", m, quotient))
    return str(w.add("Mul", w.add("Mul", like(w, dtype, 0.5), inner), w.add("Sign", x)))


for title, kind in (("fmax", "Max"), ("fmin", "Min")):
    COMPOSED[title] = lambda w, dtype, x, y, kind=kind: not_nan(w, dtype, kind, x, y)


def not_nan(w: Writer, dtype: Any, kind: str, x: Name, y: Name) -> Name:
    """The larger or smaller operand; the other one where one is nan."""
    found = w.add(kind, x, y)
    if dtype.kind != "f":
        return str(found)
    return str(w.add("Where", w.add("IsNaN", x), y, w.add("Where", w.add("IsNaN", y), x, found)))


@composed("hypot")
def _hypot(w: Writer, dtype: Any, x: Name, y: Name) -> Name:
    x, y = w.add("Abs", x), w.add("Abs", y)
    large, small = w.add("Max", x, y), w.add("Min", x, y)
    share = w.add("Div", small, large)
    whole = w.add("Sqrt", w.add("Add", like(w, dtype, 1), w.add("Mul", share, share)))
    is_plain = w.add("Equal", small, like(w, dtype, 0))
    found = w.add("Where", is_plain, large, w.add("Mul", large, whole))
    is_far = w.add("Or", w.add("IsInf", x), w.add("IsInf", y))  # even where the other one is nan
    return str(w.add("Where", is_far, like(w, dtype, np.inf), found))


@composed("logaddexp")
def _logaddexp(w: Writer, dtype: Any, x: Name, y: Name) -> Name:
    large = w.add("Max", x, y)
    less = w.add("Neg", w.add("Abs", w.add("Sub", x, y)))
    whole = w.add("Add", large, _log1p(w, dtype, w.add("Exp", less)))
    return str(w.add("Where", w.add("IsInf", large), large, whole))


COMPOSED["logaddexp2"] = lambda w, dtype, x, y: str(
    w.add(
        "Div",
        _logaddexp(w, dtype, *(w.add("Mul", z, like(w, dtype, log(2))) for z in (x, y))),
        like(w, dtype, log(2)),
    )
)


@composed("fmod")
def _fmod(w: Writer, dtype: Any, x: Name, y: Name) -> Name:
    return str(w.add("Mod", x, y, fmod=1))


@composed("remainder")
def _remainder(w: Writer, dtype: Any, x: Name, y: Name) -> Name:
    if dtype.kind != "f":
        return str(w.add("Mod", x, y))
    zero = like(w, dtype, 0)
    rest = w.add("Mod", x, y, fmod=1)
    differs = w.add("Xor", w.add("Less", rest, zero), w.add("Less", y, zero))
    is_wrong = w.add("And", differs, w.add("Not", w.add("Equal", rest, zero)))
    return str(w.add("Where", is_wrong, w.add("Add", rest, y), rest))


@composed("floor_divide")
def _floor_divide(w: Writer, dtype: Any, x: Name, y: Name) -> Name:
    quotient = w.add("Div", w.add("Sub", x, _remainder(w, dtype, x, y)), y)
    return str(w.add("Round", quotient) if dtype.kind == "f" else quotient)


@composed("cbrt")
def _cbrt(w: Writer, dtype: Any, x: Name) -> Name:
    return str(w.add("Mul", w.add("Sign", x), w.add("Pow", w.add("Abs", x), like(w, dtype, 1 / 3))))
