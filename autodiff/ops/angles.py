"""Conversion of angles, deg2rad and rad2deg; and sinc, sin(pi x) / (pi x), with all its derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation


@operation(scalar=math.radians, kind="elementwise", precision="floats")
def deg2rad(x: Any) -> Any:
    """Degrees to radians, x * pi / 180.

    >>> import autodiff as ad
    >>> ad.deg2rad(ad.Tensor(180))
    3.14159
    """
    return x * (math.pi / 180)


deg2rad.backward(lambda grad, z, x: deg2rad(grad))


@operation(scalar=math.degrees, kind="elementwise", precision="floats")
def rad2deg(x: Any) -> Any:
    """Radians to degrees, x * 180 / pi.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.rad2deg(ad.Tensor(np.pi))
    180
    """
    return x * (180 / math.pi)


rad2deg.backward(lambda grad, z, x: rad2deg(grad))


@operation(kind="elementwise", precision="floats")
def sinc(x: Any) -> Any:
    """Normalized sinc, sin(pi x) / (pi x), and 1 at 0.

    >>> import autodiff as ad
    >>> x = ad.Tensor([0, 0.5, 1])
    >>> ad.sinc(x).backward(1)
    >>> ad.sinc(x), x.grad
    ([      1 0.63662      -0], [       0 -1.27324       -1])
    """
    return np.where(x == 0, 1.0, sine_of_halves(x, 0) / (math.pi * x))


sinc.backward(lambda grad, z, x: grad * sinc_slope(x, order=1))


@operation(kind="elementwise", precision="floats")
def sinc_slope(x: Any, *, order: int) -> Any:
    """Derivative of sinc of the given order. Near 0 the power series is summed, since the formula with sine
    and cosine loses all its digits there.

    >>> import autodiff as ad
    >>> ad.ops.angles.sinc_slope([0.0, 1e-9], order=2)
    array([-3.28986813, -3.28986813])
    """
    is_near = np.abs(x) < (order + 1) / 4
    by_series = sinc_series(np.where(is_near, x, 0), order)
    return np.where(is_near, by_series, sinc_recurrence(np.where(is_near, 1, x), order))


sinc_slope.backward(lambda grad, z, x, order: grad * sinc_slope(x, order=order + 1))


def sinc_series(x: Any, order: int) -> Any:
    """The derivative of sum (-1)**k (pi x)**2k / (2k + 1)!, term by term."""
    z = x * 0
    for k in range(-(-order // 2), order + 20):
        factor = (-1) ** k * math.pi ** (2 * k) * math.perm(2 * k, order) / math.factorial(2 * k + 1)
        z = z + factor * x ** (2 * k - order)
    return z


def sinc_recurrence(x: Any, order: int) -> Any:
    """The identity x sinc(x) = sin(pi x) / pi, differentiated n times, with s[n] for the n-th derivative of
    sinc: x s[n] + n s[n - 1] = pi**(n - 1) sin(pi x + n pi / 2)."""
    z = sinc.forward(x)
    for n in range(1, order + 1):
        z = (math.pi ** (n - 1) * sine_of_halves(x, n) - n * z) / x
    return z


def sine_of_halves(x: Any, n: int) -> Any:
    """sin(pi x + n pi / 2). Half turns are subtracted before x is multiplied by pi, so a large x loses no
    digits."""
    half_turns = np.rint(x)
    sign = 1 - 2 * np.abs(np.fmod(half_turns, 2))
    angle = math.pi * (x - half_turns)
    return sign * (np.sin(angle), np.cos(angle), -np.sin(angle), -np.cos(angle))[n % 4]
