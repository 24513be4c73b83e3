"""The state of an optimizer before its first step, found by asking the rule."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from ..engine.dtypes import FLOAT32
from ..engine.tensor import Tensor

State = dict[str, Any]
Rule = Callable[[np.ndarray, Any, State, dict[str, Any]], None]


class Asked(dict[str, Any]):
    """A state without entries that notes what a rule takes an entry for while it is not there."""

    def __init__(self) -> None:
        super().__init__(step=1)
        self.starts: State = {}

    def get(self, key: str, default: Any = None) -> Any:
        """The entry, or the default, which is noted."""
        if key not in self and default is not None:
            self.starts.setdefault(key, deepcopy(default))  # the rule may write into an array
        return super().get(key, default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """As in a dictionary; the default is noted."""
        return super().setdefault(key, self.get(key, default))


def beginning(rule: Rule, parameter: Tensor, group: dict[str, Any]) -> State:
    """The state of a parameter before its first step, for a rule that reads ``state.get(name, start)``.

    The rule is called once, with a state without entries and any gradient: what it asks for says where an
    entry starts, and what it leaves there says which shape and dtype the entry has. An entry that is of
    another type later is left to the first step.
    """
    is_number, asked = type(parameter._value) is float, Asked()
    data = np.array(parameter._value, np.result_type(parameter.dtype, FLOAT32))  # as a step widens float16
    rule(data, np.float64(1) if is_number else np.ones_like(data), asked, group)
    state: State = {"step": 0}
    for key, start in asked.starts.items():
        value = asked.get(key)
        if isinstance(value, (np.ndarray, np.generic)) and np.ndim(start) == 0:
            filled = np.full_like(value, start)
            state[key] = filled.item() if is_number else filled
        elif type(value) is type(start):
            state[key] = start
    return state
