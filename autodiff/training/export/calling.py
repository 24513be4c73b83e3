"""The call of a network on arrays without values: how it differs from that of a compiled function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...compiling.nodes import ProgramNode
from ...compiling.opaque import ArgumentPlace
from ...compiling.symbol import Symbol, node_of
from ...compiling.trace import ProgramTrace
from ...engine.tensor import Tensor

PACKAGE = f"{__name__.partition('.')[0]}."
IsOneStep = Callable[[str, "np.dtype[Any]", Mapping[str, Any]], bool]


class Called(NamedTuple):
    """An operation that is one step, with an `ArgumentPlace` for each array without values among its
    options."""

    name: str
    options: Mapping[str, Any]


class ExportTrace(ProgramTrace):
    """Traces a network whose weights are constants. Some operations become one node each."""

    def __init__(self, is_one_step: IsOneStep) -> None:
        super().__init__(("fold", "algebra", "cse"))
        self.looks = 0
        self.is_one_step = is_one_step
        self.values: dict[Tensor, Any] = {}  # of the Tensors that the network refers to, before the call

    def stand_in(self, value: Any) -> Any:
        """The value: a Tensor that the network refers to is a constant of the file, and can be read. One that
        the network makes itself has a stand-in, into which it may write arrays without values."""
        if not isinstance(value, Tensor) or self.is_own(value._value):
            return value
        if value in self.constants:
            return self.constants[value]
        self.values.setdefault(value, value._value)
        return value

    def put_back(self) -> list[Tensor]:
        """Restore the values of the Tensors into which the network has written arrays without values; returns
        these Tensors."""
        changed = [tensor for tensor in self.values if type(tensor._value) is Symbol]
        for tensor in changed:
            tensor._value = self.values[tensor]
        return changed

    def with_gradient(self, value: Any) -> Any:
        """The stand-in."""
        return self.stand_in(value)

    def finished(self, data: Any, values: Any, forward: Any = None, options: Any = None) -> Any:
        """The result of a forward: one node for an operation that is one step, else what was traced."""
        data = super().finished(data, values)
        if not (self.is_own(data) and forward.__module__.startswith(PACKAGE)):
            return data
        given = {**defaults_of(forward), **options}
        if not self.is_one_step(forward.__name__, data.dtype, given):
            return data
        nodes = [node_of(self.graph, value) for value in values]
        called = Called(forward.__name__, with_places(given, nodes, self.graph))
        self.graph.kept.append(called)
        like = {"shape": data.shape, "dtype": data.dtype, "number": data.node.number}
        return Symbol(self.graph, self.graph.make("call", tuple(nodes), value=called, key=id(called), **like))


@lru_cache
def defaults_of(forward: Callable[..., Any]) -> dict[str, Any]:
    """The options of an operation with their defaults."""
    parameters = inspect.signature(forward).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is not p.empty}


def with_places(value: Any, nodes: list[ProgramNode], graph: Any) -> Any:
    """Options with an `ArgumentPlace` for each array without values, whose node is added to a list."""
    value = value._value if isinstance(value, Tensor) else value
    if isinstance(value, Symbol):
        nodes.append(node_of(graph, value))
        return ArgumentPlace(len(nodes) - 1)
    if type(value) in (list, tuple):
        return type(value)(with_places(part, nodes, graph) for part in value)
    if type(value) is dict:
        return {key: with_places(part, nodes, graph) for key, part in value.items()}
    return value
