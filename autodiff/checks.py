"""Checks of the numbers that layers, optimizers and schedules take as settings.

Each function returns its value as a plain Python number. It raises TypeError for a value of another type and
ValueError for one out of range. The message names the setting and its ``owner``: a class name, or an object
whose class name stands for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

Range = tuple[str, Callable[[float], bool]]  # in words, and as a test, which nan fails

POSITIVE: Range = ("above 0", lambda value: 0 < value < math.inf)
NOT_NEGATIVE: Range = ("at least 0", lambda value: 0 <= value < math.inf)
BELOW_1: Range = ("at least 0 and below 1", lambda value: 0 <= value < 1)
UP_TO_1: Range = ("between 0 and 1", lambda value: 0 <= value <= 1)


def checked_number(name: str, value: Any, allowed: Range, owner: object = "") -> float:
    """The number as a float, if it lies in the allowed range.

    >>> checked_number("lr", 1, POSITIVE, owner="SGD")
    1.0
    >>> checked_number("momentum", -0.5, NOT_NEGATIVE, owner="SGD")
    Traceback (most recent call last):
        ...
    ValueError: momentum of SGD must be at least 0, not -0.5
    """
    words, is_allowed = allowed
    if not isinstance(value, Real):
        raise TypeError(f"{setting(name, owner)} must be a number, not {value!r:.60}")
    if not is_allowed(float(value)):
        raise ValueError(f"{setting(name, owner)} must be {words}, not {value}")
    return float(value)


def checked_integer(name: str, value: Any, owner: object = "", *, minimum: int = 1) -> int:
    """The whole number as an int, if it is not below ``minimum``. Booleans and floats are refused.

    >>> checked_integer("in_features", 3, owner="Linear")
    3
    >>> checked_integer("in_features", 0, owner="Linear")
    Traceback (most recent call last):
        ...
    ValueError: in_features of Linear must be at least 1, not 0
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(f"{setting(name, owner)} must be a whole number, not {value!r:.60}")
    if value < minimum:
        raise ValueError(f"{setting(name, owner)} must be at least {minimum}, not {value}")
    return int(value)


def setting(name: str, owner: object) -> str:
    """A setting in an error message: ``lr of SGD``, or ``lr`` alone without an owner."""
    owner = owner if isinstance(owner, str) else type(owner).__name__
    return f"{name} of {owner}" if owner else name
