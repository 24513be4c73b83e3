"""Operation: a name, a forward function, and per input a rule for its gradient.

Called on plain numbers and arrays an operation computes; called on Tensors it computes and records. This is
the one place where a graph is recorded. A rule is written in operations too, so the same rule computes a
gradient from plain data and records the gradient's own graph from Tensors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from . import state
from .tensor import ABSENT, Tensor, describe, raw

new = object.__new__
Function = Callable[..., Any]


class Operation:
    """A function with a rule per input; made by :func:`operation`.

    ``str(op)`` is its name, and an operation equals its name: ``e.creation_op == "mul"``.
    """

    def __init__(self, forward: Function, number: Function | None = None) -> None:
        functools.update_wrapper(self, forward)
        self.name: str = forward.__name__
        self.forward = forward
        self.number = number or functools.partial(as_numpy, forward)
        self.rules: tuple[Function | None, ...] = ()
        self.every_rule = False  # whether each input has a rule

    def backward(self, *rules: Function | None) -> Operation:
        """Give one rule per input: ``rule(grad, z, x, y)`` is that input's contribution to its gradient.

        ``grad`` is the gradient of the output ``z``; ``x`` and ``y`` are the inputs; the call's options
        arrive as keywords. None instead of a rule says that the output does not change smoothly with that
        input. Write a rule in operators and operations, for inputs of equal shape: the engine undoes
        broadcasting.

        Raises ValueError if there is not one rule per input.
        """
        parameters = inspect.signature(self.forward).parameters.values()
        inputs = [parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
        if len(rules) != len(inputs):
            raise ValueError(f"{self} needs a rule for each of {', '.join(inputs)}; {len(rules)} were given")
        self.rules = rules
        self.every_rule = all(rules)
        return self

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Compute; record, too, if an input is a Tensor."""
        if not any(isinstance(value, Tensor) for value in inputs):
            return self.compute(*inputs, **options)
        if options or len(inputs) > 2:
            data = self.compute(*map(raw, inputs), **options)
            return self.record(data, self.is_wanted(inputs), *(*inputs, ABSENT)[:2], (inputs[2:], options))
        return self.unary(*inputs) if len(inputs) == 1 else self.binary(*inputs)

    def unary(self, x: Tensor) -> Tensor:
        """The call on one Tensor, without options."""
        wanted = x._requires_grad and (self.every_rule or self.is_wanted((x,)))
        return self.record(self.compute(x._data), wanted, x)

    def binary(self, x: Any, y: Any) -> Tensor:
        """The same for two operands, at least one of them a Tensor, without options.

        A network of numbers spends half its time here, so two floats go straight to Python's arithmetic.
        """
        wanted = False
        if isinstance(x, Tensor):
            a = x._data
            wanted = x._requires_grad
        else:
            a = x
        if isinstance(y, Tensor):
            b = y._data
            wanted = wanted or y._requires_grad
        else:
            b = y
        if type(a) is float and type(b) is float:
            try:
                data = self.number(a, b)
            except (ArithmeticError, ValueError):
                data = as_numpy(self.forward, a, b)
        else:
            data = self.compute(a, b)
        if wanted and not self.every_rule:
            wanted = self.is_wanted((x, y))
        return self.record(data, wanted, x, y)

    def record(self, data: Any, wanted: bool, x: Any, y: Any = ABSENT, more: Any = None) -> Tensor:
        """Make the output's node: the one place where a graph grows."""
        node = new(Tensor)
        node._data = data
        node._grad = node.name = None
        node._edit = state.edits
        node._group = state.group
        if wanted and state.recording:
            node._x = x
            node._y = y
            node._more = more
            node.creation_op = self
            node._requires_grad = True
        else:
            node._x = node._y = ABSENT
            node._more = node.creation_op = None
            node._requires_grad = False
        return node

    def is_wanted(self, operands: tuple[Any, ...]) -> bool:
        """Whether some operand wants a gradient and has a rule to get it by. Raises TypeError without rules."""
        if not self.rules:
            raise TypeError(f"{self} has no rules: give them by {self}.backward(...) or call it on data")
        return any(isinstance(x, Tensor) and x._requires_grad and rule for x, rule in zip(operands, self.rules))

    def compute(self, *values: Any, **options: Any) -> Any:
        """The forward on plain data: numbers by Python's own arithmetic, everything else by NumPy."""
        for value in values:
            if type(value) not in NUMBERS:
                return self.compute_arrays(tuple(plain(value, self) for value in values), options)
        try:
            return self.number(*values, **options)
        except (ArithmeticError, ValueError):  # 1/0, log(-1), exp(1000): NumPy has inf and nan for these
            return as_numpy(self.forward, *values, **options)

    def compute_arrays(self, values: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The forward where at least one operand is no Python number."""
        if all(type(value) in NUMBERS for value in values):  # they came as NumPy's scalars
            return self.compute(*values, **options)
        try:
            with np.errstate(all="ignore"):
                return self.forward(*values, **options)
        except (ValueError, TypeError) as error:
            operands = " and ".join(map(describe, values))
            raise type(error)(f"{self} cannot take {operands}: {error}") from error

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<operation {self.name}>"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, str) and other == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> str:
        return self.name  # a copy or a pickle refers to the one operation of that name


def operation(forward: Function | None = None, *, number: Function | None = None) -> Any:
    """Make a function into an operation that records. Its rules follow with ``.backward``.

    Parameters
    ----------
    forward
        Takes plain numbers and arrays and returns the same; options are keyword-only.
    number
        The forward for Python floats, where there is a faster one (``math.exp`` for ``np.exp``).

    Example
    -------
    >>> import autodiff as ad
    >>> @ad.operation
    ... def cube(x):
    ...     return x * x * x
    >>> cube.backward(lambda grad, z, x: grad * 3 * x * x)
    <operation cube>
    >>> x = ad.Tensor(2)
    >>> y = cube(x)
    >>> y.backward()
    >>> y, x.grad, cube(2.0)
    (8, 12, 8.0)
    """
    if forward is None:
        return functools.partial(operation, number=number)
    return Operation(forward, number)


def as_numpy(function: Function, *values: Any, **options: Any) -> Any:
    """Run ``function`` with NumPy's arithmetic, in which 1/0 is inf; a number comes back as a float."""
    numpy_values = (np.float64(value) if type(value) in NUMBERS else value for value in values)
    with np.errstate(all="ignore"):
        result = function(*numpy_values, **options)
    return float(result) if np.ndim(result) == 0 else result


NUMBERS = frozenset((float, int, bool))


def plain(value: Any, operation: Operation) -> Any:
    """An operand as the forward takes it. Raises TypeError if it is neither number nor array."""
    if type(value) in NUMBERS:
        return value
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fiub":
        return float(value) if isinstance(value, np.float64) else value
    if isinstance(value, (list, tuple)):
        return plain(np.array(value), operation)
    raise TypeError(f"{operation} takes Tensors, real numbers and arrays of them, not {value!r:.60}")
