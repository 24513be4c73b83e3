"""Operations on Python numbers in programs that keep every bit.

The engine computes them by ``Operation.scalar``, mostly a function of ``math``, and by NumPy where an
operation has none. Python's functions and NumPy's differ in the last digit, and so may two forms of one
formula.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..engine.catalogue import catalogue
from ..engine.operands import NUMBERS, run_with_numpy
from .graph import ProgramGraph
from .number_calls import PYTHON
from .opaque import opaque
from .symbol import Symbol, node_of

NAMES = {function: name for name, function in PYTHON.items()} | {
    operator.add: "add", operator.sub: "subtract", operator.mul: "multiply", operator.neg: "negative",
    operator.floordiv: "floor_divide", operator.mod: "remainder",
}  # fmt: skip
"""NumPy's names of Python's functions."""

ALIKE = frozenset((
    "alias", "clone", "cast", "where", "square", "reciprocal", "relu", "sigmoid", "sign", "wins", "maximum",
    "minimum", "fmax", "fmin", "clip", "floor", "ceil", "trunc", "below_one", "prelu", "hardtanh",
))  # fmt: skip
"""Operations whose forward, traced, computes what their function of numbers computes, in every bit."""

TRACED_KINDS = frozenset(("linear", "view", "multilinear"))
"""Operations of these kinds compute sums and products, which are alike in Python and NumPy."""


def computed_exactly(
    graph: ProgramGraph, operation: Any, values: Sequence[Any], options: dict[str, Any]
) -> Any:
    """The result of an operation on Python numbers, computed in the program as the engine computes it: a call
    of the same function of ``math``, or one call of the operation."""
    name = None if options else NAMES.get(operation.scalar)
    if name is not None:
        return Symbol(graph, graph.elementwise(name, *[node_of(graph, value) for value in values]))
    is_own = catalogue.__dict__.get(operation.name) is operation
    if operation.kind in TRACED_KINDS or (is_own and operation.name in ALIKE):
        return operation.forward(*values, **options)
    return opaque(graph, operation.compute_numbers, values, options)


def is_number(value: Any) -> bool:
    """Whether this is a Python number, with a value or without."""
    return value.node.number is not None if type(value) is Symbol else type(value) in NUMBERS


def on_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Python numbers that computes with NumPy and returns a Python number."""
    return functools.wraps(function)(lambda *values, **options: run_with_numpy(function, *values, **options))
