"""A trace: one call of a function on arguments without values, which gives the nodes of its program."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ..engine import recording
from ..engine.tensor import Tensor, constant_tensor
from ..engine.tracing import TraceError
from . import numpy_calls  # noqa: F401  # which enters itself at Symbol
from .graph import Graph
from .nodes import Node
from .opaque import opaque
from .structure import LEAF, Static, flatten
from .symbol import Symbol, here, node_of, symbol_like


class Guard(NamedTuple):
    """Something that the traced function decided by, with the value that it had."""

    owner: Any
    attribute: str
    value: Any

    def holds(self) -> bool:
        """Whether it still has this value."""
        return bool(getattr(self.owner, self.attribute) == self.value)


class Draw(NamedTuple):
    """A random array that the program is given at each call: a method of a generator with its arguments."""

    generator: np.random.Generator | None
    method: str
    args: tuple[Any, ...]
    options: dict[str, Any]


class Trace:
    """Traces one function.

    Attributes
    ----------
    captured
        The Tensors that the function refers to, which are read at each call, with their stand-ins.
    draws
        The random arrays that it takes, in order.
    guards
        What has to be as it was for the program to be right.
    """

    def __init__(self, passes: Sequence[str], replaced: dict[Tensor, Any] | None = None) -> None:
        self.graph = Graph(passes)
        self.inputs: list[Node] = []
        self.captured: dict[Tensor, Tensor] = {}
        self.first: dict[Tensor, Node] = {}  # the node of each captured Tensor before the call
        self.replaced = replaced or {}
        self.draws: list[Draw] = []
        self.drawn: list[Node] = []
        self.given_draws: list[Any] | None = None
        self.guards: list[Guard] = []
        self.constants: dict[Tensor, Tensor] = {}  # the Tensors made during the call
        self.names: set[str] = set()

    # -- running ---------------------------------------------------------------------------------------------

    def input(self, value: Any, name: str) -> Any:
        """An argument without a value, in place of a Tensor, an array or a number."""
        symbol = symbol_like(self.graph, value._value if isinstance(value, Tensor) else value, self.own_name(name))
        self.inputs.append(symbol.node)
        if not isinstance(value, Tensor):
            return symbol
        twin = constant_tensor(symbol)
        twin._requires_grad = value._requires_grad
        if value.name:
            twin.name = value.name
        return twin

    def call(self, function: Callable[..., Any], args: Any, keywords: Any) -> tuple[Any, list[Any]]:
        """Call the function with symbols, and return the structure of its result and the leaves."""
        switches = recording.thread.switches
        before = switches.trace
        recording.open_blocks.append(self)
        switches.trace = self
        try:
            out = function(*args, **keywords)
            leaves: list[Any] = []
            structure = flatten_result(out, leaves)
        finally:
            switches.trace = before
            recording.open_blocks.pop()
        return structure, leaves

    def own_name(self, wish: str) -> str:
        """A name for a variable of the program that no other has."""
        name = re.sub(r"\W+", "_", wish).strip("_") or "x"
        if name[0].isdigit() or keyword.iskeyword(name) or name in RESERVED:
            name = f"_{name}" if name[0].isdigit() else f"{name}_"
        number, free = 1, name
        while free in self.names:
            number += 1
            free = f"{name}_{number}"
        self.names.add(free)
        return free

    # -- what the engine asks for ----------------------------------------------------------------------------

    def stand_in(self, value: Any) -> Any:
        """What stands for a Tensor that the function refers to; anything else as it is."""
        if not isinstance(value, Tensor) or self.is_own(value._value):
            return value
        for known in (self.replaced, self.constants):
            if value in known:
                return known[value]
        twin = self.captured.get(value)
        if twin is None:
            symbol = symbol_like(self.graph, value._value, self.own_name(value.name or "captured"))
            twin = constant_tensor(symbol)
            twin._requires_grad = value._requires_grad
            self.captured[value] = twin
            self.first[value] = symbol.node
        return twin

    def is_own(self, data: Any) -> bool:
        """Whether data is a symbol of this trace, and not of one around it."""
        return type(data) is Symbol and data.graph is self.graph

    def made(self, tensor: Tensor) -> None:
        """Note that the function made a Tensor: it is a constant of the program."""
        if type(tensor._value) is Symbol:
            tensor._value = here(tensor._value, self.graph)
        else:
            twin = copy(tensor)
            twin._value = Symbol(self.graph, self.graph.const(tensor._value))
            self.constants[tensor] = twin

    def generator(self, given: Any) -> Any:
        """What stands for a random number generator."""
        return Drawn(self, given)

    def call_whole(self, function: Callable[..., Any], values: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """A forward or a rule that cannot be traced, as one call of the program."""
        if any(isinstance(value, Tensor) for value in values):
            raise TraceError(
                f"the rule {getattr(function, '__name__', function)} cannot be traced, and it is to be "
                "differentiated again, so it cannot be one call of the program either"
            )
        return opaque(self.graph, function, values, options)

    def guard(self, owner: Any, attribute: str) -> None:
        """Note that the function depends on an attribute."""
        self.guards.append(Guard(owner, attribute, getattr(owner, attribute)))


class Drawn:
    """Stands for a random number generator: what is drawn from it is drawn anew at each call of the program,
    in the same order, also what is not used."""

    def __init__(self, trace: Trace, given: Any) -> None:
        self._trace = trace
        self._given = given

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if not hasattr(np.random.Generator, method) or method in ("spawn", "shuffle", "bit_generator"):
            raise TraceError(f"{method} of a random number generator is not compiled")

        def draw(*args: Any, **options: Any) -> Any:
            trace = self._trace
            if trace.given_draws is not None:
                return trace.given_draws.pop(0)
            like = getattr(np.random.default_rng(0), method)(*args, **options)
            like = float(like) if isinstance(like, float) else np.asarray(like)
            symbol = symbol_like(trace.graph, like, trace.own_name("drawn"))
            trace.draws.append(Draw(self._given, method, args, options))
            trace.drawn.append(symbol.node)
            return symbol

        return draw


def flatten_result(out: Any, leaves: list[Any]) -> Any:
    """The structure of a result. Symbols are leaves too."""
    if type(out) is Symbol:
        leaves.append(out)
        return LEAF
    if type(out) is list or (isinstance(out, tuple)):
        return (type(out), *[flatten_result(part, leaves) for part in out])
    if type(out) is dict:
        parts = [flatten_result(part, leaves) for part in out.values()]
        return (dict, tuple(map(Static, out)), *parts)
    return flatten(out, leaves)


def node_of_result(graph: Graph, value: Any) -> Node:
    """The node of one leaf of the result."""
    return node_of(graph, value._value if isinstance(value, Tensor) else value)


RESERVED = frozenset(("np", "numpy", "math", "program", "out", "exp", "log"))

