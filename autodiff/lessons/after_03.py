"""What you have after lesson 03: one row of rules per operation, and a walk back along the creators.

It is right as long as no two paths meet; lesson 04 repairs the rest.
"""

from .after_02 import Tensor as Tensor
from .after_02 import slope as slope

RULES = {
    "add": (lambda grad, z, x, y: grad, lambda grad, z, x, y: grad),
    "mul": (lambda grad, z, x, y: grad * y, lambda grad, z, x, y: grad * x),
}


def backward(node, grad=1):
    node.grad = grad
    if node.creators is not None:
        values = [creator.data for creator in node.creators]
        for creator, rule in zip(node.creators, RULES[node.creation_op]):
            backward(creator, rule(grad, node.data, *values))
