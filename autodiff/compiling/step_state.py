"""The options and the state of an optimizer as arguments of the program of a training step."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..engine.tensor import Tensor, constant_tensor
from ..optim.optimizer import Optimizer, as_python
from .guards import PLAIN, is_same

CHANGING = "lr"
"""The option that changes between steps, so that it is an argument of the program."""

EMPTY = np.empty(0)
"""The value between two steps of a Tensor that holds an array of the state during a step."""


class StepState:
    """What the program of a step takes from an optimizer: each array of its state in a Tensor, which the
    program refers to, and the numbers that change between steps as arguments.

    It is valid until an option or the entries of the state change; ``fits`` tells. Counts of steps that are
    equal are one argument, so that the program computes what depends on them once.

    Parameters
    ----------
    optimizer
        The optimizer, which has made its state.
    held
        The Tensors for arrays of the state so far, by parameter and key; new ones are added.

    Attributes
    ----------
    structure
        What the program depends on besides its arguments, as text.
    number
        A number for the structure, which is an argument of the step.
    """

    number = 0

    def __init__(self, optimizer: Optimizer, held: dict[tuple[Tensor, str], Tensor]) -> None:
        self.optimizer, self.state = optimizer, optimizer.state
        self.groups = list(optimizer.param_groups)
        for group in self.groups:
            group.update({key: as_python(value) for key, value in group.items()})
        self.options = [*map(options_of, self.groups)]
        self.states = [*self.state.values()]
        self.sizes = [*map(len, self.states)]
        self.arrays: list[tuple[dict[str, Any], str, Tensor]] = []
        self.slots: list[tuple[dict[str, Any], str]] = []  # of the numbers
        for parameter in optimizer._parameters:
            state = self.state.get(parameter, {})
            for key, value in state.items():
                if isinstance(value, np.ndarray):
                    known = held.setdefault((parameter, key), held_as(parameter, key))
                    self.arrays.append((state, key, known))
                elif type(value) in (int, float):
                    self.slots.append((state, key))
        counts: dict[Any, int] = {}
        values = [state[key] for state, key in self.slots]
        unequal = (value if type(value) is int else (place,) for place, value in enumerate(values))
        self.arguments = [counts.setdefault(key, len(counts)) for key in unequal]
        self.first = [self.arguments.index(place) for place in range(len(counts))]
        self.same = [self.first[place] for place in self.arguments]
        self.structure = repr((self.options, [[*state] for state in self.states], self.arguments))

    def fits(self) -> bool:
        """Whether the options and the entries of the state are as they were."""
        optimizer = self.optimizer
        return (
            optimizer.state is self.state
            and len(optimizer.param_groups) == len(self.groups)
            and [*map(id, self.state.values())] == [*map(id, self.states)]
            and [*map(len, self.states)] == self.sizes
            and all(map(same_options, map(options_of, optimizer.param_groups), self.options))
            and all(type(state[key]) is np.ndarray for state, key, _ in self.arrays)
        )

    def numbers(self) -> list[float] | None:
        """The numbers of the state as arguments; None if counts that were equal are so no longer."""
        values = [state[key] for state, key in self.slots]
        if [values[place] for place in self.same] != values:
            return None
        return [float(values[place]) for place in self.first]

    def rates(self) -> list[float]:
        """The options that change, one for each group that has one."""
        return [float(group[CHANGING]) for group in self.groups if CHANGING in group]

    def take(self) -> None:
        """Move each array of the state into its Tensor. The state holds the Tensor until the end of the step,
        since an array is overwritten only if nothing else refers to it."""
        for state, key, held in self.arrays:
            held._value, state[key] = state[key], held

    def put_back(self) -> None:
        """Move the arrays from their Tensors back into the state."""
        for state, key, held in self.arrays:
            state[key], held._value = held._value, EMPTY

    def put_back_numbers(self, new: list[Any]) -> None:
        """Write the numbers after a step into the state."""
        for (state, key), value in zip(self.slots, new, strict=True):
            state[key] = type(state[key])(value)

    def word_for(self, parameter: Tensor, key: str) -> str:
        """The name in a program of a number of a parameter's state; without the parameter if all parameters
        share one."""
        return f"{key}_number" if len(self.first) == 1 else f"{name_of(parameter)}_{key}"


def options_of(group: dict[str, Any]) -> tuple[tuple[Any, ...], list[int]]:
    """The names and values of a group's options that the program depends on, and the identities of its
    parameters."""
    options = {**group, CHANGING: None, "params": None}
    values = [value if type(value) in PLAIN else repr(value) for value in options.values()]
    return (*options, *values), [*map(id, group["params"])]


def same_options(now: Any, before: Any) -> bool:
    """Whether the options of a group are as they were."""
    (options, parameters), (old_options, old_parameters) = now, before
    if parameters != old_parameters or len(options) != len(old_options):
        return False
    return all(map(operator.is_, options, old_options)) or is_same(options, old_options)


def held_as(parameter: Tensor, key: str) -> Tensor:
    """A Tensor for an array of a parameter's state, with a name for both."""
    held = constant_tensor(EMPTY)
    held.name = f"{name_of(parameter)}.{key}"
    return held


def name_of(parameter: Tensor) -> str:
    """The name of a parameter in a program."""
    return parameter.name or "parameter"
