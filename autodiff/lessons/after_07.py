"""What you have after lesson 06: the whole engine for numbers on one page."""

import math

from .after_02 import slope as slope
from .after_05 import order as order


class Tensor:
    def __init__(self, data, creators=None, creation_op=None):
        self.data = data
        self.creators = creators
        self.creation_op = creation_op
        self.grad = None

    def __add__(self, other):
        other = as_tensor(other)
        return Tensor(self.data + other.data, (self, other), "add")

    def __mul__(self, other):
        other = as_tensor(other)
        return Tensor(self.data * other.data, (self, other), "mul")

    def __neg__(self):
        return Tensor(-self.data, (self,), "neg")

    def __pow__(self, other):
        other = as_tensor(other)
        return Tensor(self.data**other.data, (self, other), "pow")

    def exp(self):
        return Tensor(math.exp(self.data), (self,), "exp")

    def tanh(self):
        return Tensor(math.tanh(self.data), (self,), "tanh")

    def __sub__(self, other):
        return self + -as_tensor(other)

    def __truediv__(self, other):
        return self * as_tensor(other) ** -1

    def __radd__(self, other):
        return as_tensor(other) + self

    def __rmul__(self, other):
        return as_tensor(other) * self

    def __rsub__(self, other):
        return as_tensor(other) - self

    def __rtruediv__(self, other):
        return as_tensor(other) / self

    def __rpow__(self, other):
        return as_tensor(other) ** self

    def __repr__(self):
        return f"{self.data:.6g}"


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


RULES = {
    "add": (lambda grad, z, x, y: grad, lambda grad, z, x, y: grad),
    "mul": (lambda grad, z, x, y: grad * y, lambda grad, z, x, y: grad * x),
    "neg": (lambda grad, z, x: -grad,),
    "pow": (
        lambda grad, z, x, y: grad * y * x ** (y - 1),
        lambda grad, z, x, y: grad * z * math.log(x) if x > 0 else math.nan,
    ),
    "exp": (lambda grad, z, x: grad * z,),
    "tanh": (lambda grad, z, x: grad * (1 - z * z),),
}


def backward(end, grad=1):
    arrived = {end: grad}
    for node in reversed(order(end)):
        grad = arrived[node]
        if node.creators is not None:
            values = [creator.data for creator in node.creators]
            for creator, rule in zip(node.creators, RULES[node.creation_op]):
                contribution = rule(grad, node.data, *values)
                arrived[creator] = arrived.get(creator, 0) + contribution
        node.grad = grad if node.grad is None else node.grad + grad
