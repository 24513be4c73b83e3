"""Checks of the arguments of optimizers and schedules: options, parameters, saved states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..checks import BELOW_1, NOT_NEGATIVE, POSITIVE, UP_TO_1, checked_number, setting
from ..engine.tensor import Tensor, describe

RANGES = {
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


def checked_options(options: dict[str, Any], owner: str) -> dict[str, Any]:
    """The options with every number as a Python float, which keeps float32 arrays in float32.

    Raises TypeError or ValueError for a value that is not a number or out of range.
    """
    result = dict(options)
    for name in options.keys() & RANGES.keys():
        value = options[name]
        if name == "betas":
            if not (isinstance(value, (tuple, list)) and len(value) == 2):
                raise TypeError(f"betas of {owner} must be a pair of numbers, not {value!r:.60}")
            result[name] = tuple(checked_number(name, beta, RANGES[name], owner) for beta in value)
        else:
            result[name] = checked_number(name, value, RANGES[name], owner)
    return result


def checked_steps(name: str, value: Any, owner: object, minimum: int = 1) -> int:
    """A number of steps as an int. A float such as 10.0 is accepted too: it may be the result of a division.

    Raises ValueError for a number that is not whole, or below ``minimum``.
    """
    if not value >= minimum or value % 1 != 0:
        raise ValueError(f"{setting(name, owner)} must be a whole number of at least {minimum}, not {value}")
    return int(value)


def check_saved_by(state_dict: Any, key: str, owner: str) -> None:
    """Raise TypeError unless a state is a dictionary, and ValueError unless its entry ``key``, the class that
    saved it, is ``owner``."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"a state_dict is a dictionary, not {state_dict!r:.60}")
    saved_by = state_dict.get(key, "something else")
    if saved_by != owner:
        raise ValueError(f"this state was saved by {saved_by}, not by {owner}")


def parameter_list(params: Any, owner: str) -> list[Any]:
    """The entries of ``params`` as a list. Raises TypeError for a collection without an order, and for what
    is not a collection of parameters."""
    if isinstance(params, (dict, set, frozenset, np.ndarray, Tensor)) or not isinstance(params, Iterable):
        raise TypeError(
            f"{owner} takes a list of Tensors, of pairs (name, Tensor), or of groups, not one "
            f"{type(params).__name__}"
        )
    return list(params)


def check_parameters(parameters: list[Any], others: list[Tensor], owner: str) -> None:
    """Raise TypeError or ValueError unless all are Tensors that an optimizer can update and that are not
    among the ``others``."""
    if not parameters:
        raise ValueError(f"{owner} got no parameters (a generator can be read only once)")
    known = set(others)
    for parameter in parameters:
        if not isinstance(parameter, Tensor):
            raise TypeError(f"{owner} changes Tensors, not {describe(parameter)}")
        if parameter.creation_op is not None:
            raise ValueError(
                f"{owner} cannot change {describe(parameter)}: its value comes from its creators. Pass the "
                "leaves it was made from"
            )
        if not parameter.requires_grad:
            raise ValueError(
                f"{owner} cannot change {describe(parameter)}: it is a constant and gets no gradient. Set "
                "its requires_grad to True, or leave it out"
            )
        if parameter in known:
            raise ValueError(f"{owner} got {describe(parameter)} twice")
        known.add(parameter)
