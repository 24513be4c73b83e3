"""Engines that compute with single numbers, behind one small interface: autodiff's Tensor, micrograd's Value,
plain floats, and a ``Value`` in the style of microgpt (2026), as lean as an engine in Python can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import autodiff as ad

from .measure import installed


class Engine(NamedTuple):
    """What a network needs from an engine besides the operators of its numbers."""

    number: Callable[[float], Any]
    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]
    relu: Callable[[Any], Any]
    gradient: Callable[[Any], float]
    forget: Callable[[Any], None]


class Value:
    """A number that keeps its operands and its derivative with respect to each of them, computed on the way
    forward. It has no checks, does not detect changes, and has no second derivatives. A constant becomes a
    Value, as in the original."""

    __slots__ = ("data", "grad", "operands", "slopes")

    def __init__(self, data: float, operands: tuple[Any, ...] = (), slopes: tuple[float, ...] = ()) -> None:
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.slopes = slopes

    def __add__(self, other: Any) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other: Any) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, power: float) -> Value:
        return Value(self.data**power, (self,), (power * self.data ** (power - 1),))

    def __radd__(self, other: Any) -> Value: return self + other
    def __rmul__(self, other: Any) -> Value: return self * other
    def __truediv__(self, other: Any) -> Value: return self * other**-1
    def __neg__(self) -> Value: return self * -1

    def exp(self) -> Value:
        power = math.exp(self.data)
        return Value(power, (self,), (power,))

    def log(self) -> Value: return Value(math.log(self.data), (self,), (1 / self.data,))
    def relu(self) -> Value: return Value(max(0.0, self.data), (self,), (float(self.data > 0),))

    def backward(self) -> None:
        nodes: list[Value] = []
        seen = set()

        def visit(node: Value) -> None:  # recursion is as fast as a stack, and goes deep enough here
            if node not in seen:
                seen.add(node)
                for operand in node.operands:
                    visit(operand)
                nodes.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(nodes):
            for operand, slope in zip(node.operands, node.slopes):
                operand.grad += slope * node.grad


def forget(value: Any) -> None:
    value.grad = 0.0


AUTODIFF = Engine(
    ad.Tensor, ad.Tensor.exp, ad.Tensor.log, ad.Tensor.relu,
    lambda p: 0.0 if p.grad is None else p.grad.item(), ad.Tensor.zero_grad,
)  # fmt: skip
VALUE = Engine(Value, Value.exp, Value.log, Value.relu, lambda p: p.grad, forget)
FLOATS = Engine(float, math.exp, math.log, lambda x: max(0.0, x), lambda p: 0.0, lambda p: None)


def of_micrograd() -> Engine:
    """The Value of micrograd, with ``exp`` and ``log``, which it lacks."""
    from micrograd.engine import Value as Theirs

    def function(forward: Callable[[float], float], slope: Callable[[float, float], float]) -> Any:
        def call(x: Any) -> Any:
            out = Theirs(forward(x.data), (x,))

            def _backward() -> None:
                x.grad += slope(x.data, out.data) * out.grad

            out._backward = _backward
            return out

        return call

    exp = function(math.exp, lambda x, z: z)
    log = function(math.log, lambda x, z: 1 / x)
    return Engine(Theirs, exp, log, Theirs.relu, lambda p: p.grad, forget)


def engines() -> dict[str, Engine]:
    found = {"autodiff": AUTODIFF, "Value": VALUE}
    if installed("micrograd"):
        found["micrograd"] = of_micrograd()
    return found
