"""A reader's own class, as lesson 01 has it: the least that draw works on."""

from __future__ import annotations


class Tensor:
    def __init__(self, data, creators=None, creation_op=None):
        self.data = data
        self.creators = creators
        self.creation_op = creation_op
        self.grad = None

    def __add__(self, other):
        return Tensor(self.data + other.data, (self, other), "add")

    def __mul__(self, other):
        return Tensor(self.data * other.data, (self, other), "mul")

    def __eq__(self, other):  # nobody may find a node by comparing it
        raise AssertionError("two Tensors were compared")

    def __bool__(self):
        raise AssertionError("a Tensor was asked for its truth value")

    __hash__ = None  # nor by hashing it


def made(operation, data, *creators, **attributes):
    """A node with given data, made by an operation from nodes and constants."""
    node = Tensor(data, creators or None, operation)
    for name, value in attributes.items():
        setattr(node, name, value)
    return node


def chain(length):
    """A chain of additions: `length` results and the leaf they started from."""
    node = Tensor(0)
    for _ in range(length):
        node = made("add", node.data + 1, node, 1)
    return node
