"""What an optimizer may be given: the range of each option, which Tensors it can change, whose state it can
load. And the ranges of a schedule's settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from ..engine.tensor import Tensor, describe

Limit = tuple[str, Callable[[float], bool]]

POSITIVE: Limit = ("above 0", lambda value: 0 < value < math.inf)
NOT_NEGATIVE: Limit = ("at least 0", lambda value: 0 <= value < math.inf)
BELOW_1: Limit = ("at least 0 and below 1", lambda value: 0 <= value < 1)
UP_TO_1: Limit = ("between 0 and 1", lambda value: 0 <= value <= 1)
LIMITS = {
    "lr": POSITIVE,
    "betas": BELOW_1,
    "alpha": UP_TO_1,
    "rho": UP_TO_1,
    "eps": NOT_NEGATIVE,
    "weight_decay": NOT_NEGATIVE,
    "momentum": NOT_NEGATIVE,
    "dampening": UP_TO_1,
    "momentum_decay": NOT_NEGATIVE,
    "lr_decay": NOT_NEGATIVE,
    "initial_accumulator_value": NOT_NEGATIVE,
    "tolerance_grad": NOT_NEGATIVE,
    "tolerance_change": NOT_NEGATIVE,
}


def checked(options: dict[str, Any], owner: str) -> dict[str, Any]:
    """Options with every number as a Python float, which leaves an array its dtype; what is out of range is
    refused."""
    result = dict(options)
    for name in options.keys() & LIMITS.keys():
        value = options[name]
        if name == "betas":
            if not (isinstance(value, (tuple, list)) and len(value) == 2):
                raise TypeError(f"betas of {owner} is a pair of numbers, not {value!r:.60}")
            result[name] = tuple(within(LIMITS[name], name, beta, owner) for beta in value)
        else:
            result[name] = within(LIMITS[name], name, value, owner)
    return result


def within(limit: Limit, name: str, value: Any, owner: str) -> float:
    """A number as a float, if it is one and within its limit."""
    wanted, is_right = limit
    if not isinstance(value, Real):
        raise TypeError(f"{name} of {owner} is a number, not {value!r:.60}")
    if not is_right(float(value)):
        raise ValueError(f"{name} of {owner} must be {wanted}, not {value}")
    return float(value)


def whole(name: str, value: int, least: int = 1) -> int:
    """A schedule's setting that is a whole number, of at least 1 or another least."""
    if not value >= least or value % 1 != 0:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value}")
    return int(value)


def fraction(name: str, value: float) -> float:
    """A schedule's setting between 0 and 1."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, not {value}")
    return value


def positive(name: str, value: float) -> float:
    """A schedule's setting above 0."""
    if not 0 < value < math.inf:
        raise ValueError(f"{name} must be above 0, not {value}")
    return value


def not_negative(name: str, value: float) -> float:
    """A schedule's setting of at least 0."""
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} must be at least 0, not {value}")
    return value


def expect_owner(state_dict: Any, kind: str, owner: str) -> None:
    """Raise unless a state was saved by the class of this name."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"a state_dict is a dictionary, not {state_dict!r:.60}")
    saved_by = state_dict.get(kind, "something else")
    if saved_by != owner:
        raise ValueError(f"this state was saved by {saved_by}, and this is {owner}")


def listed(params: Any, owner: str) -> list[Any]:
    """An iterable as a list, unless it has no order or is no list of parameters at all."""
    if isinstance(params, (dict, set, frozenset, np.ndarray, Tensor)) or not isinstance(params, Iterable):
        raise TypeError(
            f"{owner} takes a list of Tensors, of pairs (name, Tensor), or of groups, not one "
            f"{type(params).__name__}"
        )
    return list(params)


def refuse(parameters: list[Any], others: list[Tensor], owner: str) -> None:
    """Raise for what cannot be optimized beside the ``others``."""
    if not parameters:
        raise ValueError(f"{owner} was given no parameters (a generator can be read only once)")
    known = set(others)
    for parameter in parameters:
        if not isinstance(parameter, Tensor):
            raise TypeError(f"{owner} changes Tensors, not {describe(parameter)}")
        if parameter.creation_op is not None:
            raise ValueError(
                f"{owner} cannot change {describe(parameter)}: its value comes from its creators. Give the "
                "leaves it was made from"
            )
        if not parameter.requires_grad:
            raise ValueError(
                f"{owner} cannot change {describe(parameter)}: it is a constant and gets no gradient. Set "
                "its requires_grad to True, or leave it out"
            )
        if parameter in known:
            raise ValueError(f"{owner} was given {describe(parameter)} twice")
        known.add(parameter)
