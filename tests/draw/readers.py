"""A reader's own class, as lesson 01 has it: the least that draw works on. And what a drawing shows."""

from __future__ import annotations

from autodiff.draw.picture.scene import PLAIN


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


def face(drawing, key):
    """What a box of a drawing shows."""
    return drawing._composed[1].faces[key]


def rows(drawing, key):
    """The rows of a box: its labels with what stands there, cells line by line."""
    found = {}
    for row in face(drawing, key).rows:
        cells = [[cell.text for cell in line] for line in row.cells if row.has_numbers]
        found[row.label] = cells or row.text
    return found


def mark(drawing, *key):
    """How an edge of a drawing looks."""
    return drawing._composed[1].marks.get(key, PLAIN)


def edges(drawing):
    """The edges of a drawing, as pairs of boxes."""
    return [(edge.tail, edge.head) for edge in drawing._composed[0].edges]


def below(drawing):
    """The texts below a drawing."""
    state = drawing._composed[1]
    return [text for text, _ in state.caption] + [" ".join(filter(None, cells)) for cells, _ in state.table]
