"""The numbers of a graph, sorted into classes of numbers that are computed alike.

A *term* is a number that is computed by anything but addition; its class is its operation and the classes of
its operands. A *value* is a number as an operand: a sum of terms, or one term, which is a sum too. The class
of a value is the set of its terms' classes, whatever their number. So the sum over three keys and the sum
over five are alike, and so are a sum of products and a single product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inference import is_basic
from ..nodes import ELEMENTWISE, VIEWS, ProgramNode

CONST, NUMBERS = 0, 1
"""The first two classes: constants, and inputs that are numbers. Other classes are numbered as they are
found."""

COMMUTATIVE = frozenset(("multiply", "maximum", "minimum"))
FLOAT, BOOL = np.dtype(float), np.dtype(bool)


class Class:
    """Numbers that are computed alike.

    Attributes
    ----------
    op
        Their operation; ``"sum"`` for sums, ``"const"`` for constants, ``"leaf"`` for inputs and for elements
        of an array, ``"array"`` for a node that is not a number.
    sources
        The classes of the operands, or for a sum the classes of its terms, as ``(class, is_subtracted)``.
    members
        The nodes, by their places in the list of all nodes.
    source
        The array that the numbers of a leaf are read from; the node of an array.
    """

    __slots__ = ("members", "op", "source", "sources")

    def __init__(self, op: str, sources: tuple[Any, ...] = (), source: ProgramNode | None = None) -> None:
        self.op, self.sources, self.source = op, sources, source
        self.members: list[int] = []


class Alike:
    """The numbers behind some results, sorted into classes.

    Attributes
    ----------
    nodes
        All nodes but elements, arguments before what uses them. Other attributes refer to a node by its place
        here.
    where
        The places of the nodes; that of an element is the place of its number.
    classes
        The classes, each after those that it depends on. An array node has a class of its own.
    term, value
        For each node, its class as a term of a sum and as an operand; -1 where it is none.
    operands
        For each term, its operands. For each sum, its terms, as ``(node, is_subtracted)``.
    operand_classes
        The classes of all operands and results.
    place
        For each number that is read from an array, its place in the flattened array.
    """

    def __init__(self, nodes: list[ProgramNode], results: Sequence[ProgramNode]) -> None:
        where = self.where = places_of(nodes)
        nodes = [node for node in nodes if not is_element(node)]
        self.nodes = list(nodes)
        self.args = [[where[arg] for arg in node.args] for node in nodes]
        self.results = [where[node] for node in results]
        self.classes = [Class("const"), Class("leaf")]
        self.known: dict[Any, int] = {}
        self.views: dict[int, tuple[int, np.ndarray]] = {}
        self.place: dict[int, int] = {}
        self.term = [-1] * len(nodes)
        self.value = [-1] * len(nodes)
        self.operands: list[Any] = [()] * len(nodes)
        self.negated = [-1] * len(nodes)  # of a sum that is only subtracted: the sum
        self.is_linear = [is_linear(node) for node in nodes]
        self.find_sums()
        for i, node in enumerate(nodes):
            if not self.is_inner[i]:
                self.classify(i, node)
        self.enter_terms_that_are_values()

    def find_sums(self) -> None:
        """Flatten chains of additions: a sum that is used once, in another sum, becomes a part of it."""
        count = len(self.nodes)
        uses = [0] * count
        for args in self.args:
            for arg in args:
                uses[arg] += 1
        for i in self.results:
            uses[i] += 2
        self.is_inner = [False] * count
        self.is_added = [False] * count
        root, is_minus = list(range(count)), [False] * count
        for i in range(count - 1, -1, -1):
            if self.is_linear[i]:
                if not self.is_inner[i]:
                    self.operands[i] = []
                for arg, minus in self.signed(i):
                    if self.is_linear[arg] and uses[arg] == 1:
                        self.is_inner[arg] = True
                        root[arg], is_minus[arg] = root[i], is_minus[i] ^ minus
        for i in range(count):
            if self.is_linear[i]:
                terms = self.operands[root[i]]
                for arg, minus in self.signed(i):
                    if not self.is_inner[arg]:
                        terms.append((arg, is_minus[i] ^ minus))
                        self.is_added[arg] = True

    def signed(self, i: int) -> list[tuple[int, bool]]:
        """The operands of a sum, each with whether it is subtracted."""
        op, args = self.nodes[i].op, self.args[i]
        if op == "negative":
            return [(args[0], True)]
        return [(args[0], False), (args[1], op == "subtract")]

    def classify(self, i: int, node: ProgramNode) -> None:
        """Find the class of a node as a term and as a value."""
        if self.is_linear[i]:
            self.classify_sum(i)
        elif is_term(node):
            args = self.args[i]
            classes = [self.value[arg] for arg in args]
            if node.op in COMMUTATIVE and self.rank(classes[0]) < self.rank(classes[1]):
                args = args[::-1]
                classes.reverse()
            self.operands[i] = args
            is_fixed = node.op == "power" and classes[1] == CONST
            power = float(self.nodes[args[1]].value) if is_fixed else None
            key = node.op, *classes, power  # another power is another function
            found = self.term[i] = self.class_of(key, node.op, tuple(classes))
            self.classes[found].members.append(i)
            # A term of a sum that is an operand too has its own class as an operand; any other term is a sum
            # of one term.
            key = "sum", found
            self.value[i] = found if self.is_added[i] else self.class_of(key, "sum", ((found, False),))
        else:
            self.value[i] = self.term[i] = self.leaf(i, node)

    def classify_sum(self, i: int) -> None:
        """The class of a sum is the set of its terms' classes."""
        given = self.operands[i]
        terms = [(j, minus) for j, minus in given if not is_zero(self.nodes[j])] or given[:1]
        if any(minus or self.negated[j] >= 0 for j, minus in terms):
            terms = self.with_sums_subtracted(terms)
            if len(terms) == 1 and terms[0][1]:
                self.negated[i] = terms[0][0]
        self.operands[i] = terms
        key = frozenset([(self.term[j], minus) for j, minus in terms])
        ((one, minus),) = key if len(key) == 1 else ((-1, True),)
        if minus or self.classes[one].op in ("sum", "leaf", "const", "array"):
            found = self.class_of(("sum", key), "sum", tuple(sorted(key)))
        else:
            found = self.class_of(("sum", one), "sum", ((one, False),))
        self.value[i] = self.term[i] = found
        self.classes[found].members.append(i)

    def with_sums_subtracted(self, terms: list[tuple[int, bool]]) -> list[tuple[int, bool]]:
        """The terms of a sum, in which the terms of one class that are subtracted become one sum: -a - b is
        -(a + b), and -a is -(a), where (a) is a sum of one term."""
        kept: list[tuple[int, bool]] = []
        subtracted: dict[int, list[tuple[int, bool]]] = {}
        for j, minus in terms:
            if self.negated[j] >= 0:
                kept.append((self.negated[j], not minus))
            elif minus and self.classes[self.term[j]].op not in ("leaf", "const", "array", "sum"):
                subtracted.setdefault(self.term[j], []).append((j, False))
            else:
                kept.append((j, minus))
        for parts in subtracted.values():
            for classes in (self.term, self.value, self.negated):
                classes.append(-1)
            self.is_linear.append(True)
            self.operands.append(parts)
            self.nodes.append(self.nodes[parts[0][0]])
            kept.append((len(self.nodes) - 1, True))
            self.classify_sum(len(self.nodes) - 1)
        return kept

    def rank(self, c: int) -> int:
        """The order of factors in a product, the largest first: numbers that were computed last, then
        constants, then inputs."""
        return -c if self.classes[c].op == "leaf" else c

    def class_of(self, key: Any, op: str, sources: tuple[Any, ...]) -> int:
        """The class with this key."""
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = len(self.classes)
            self.classes.append(Class(op, sources))
        return found

    def leaf(self, i: int, node: ProgramNode) -> int:
        """The class of a node that is not computed from numbers."""
        if node.op == "const" and node.shape == ():
            self.classes[CONST].members.append(i)
            return CONST
        if node.op == "input" and node.number:
            self.classes[NUMBERS].members.append(i)
            return NUMBERS
        if node.shape == () and node.op in VIEWS and node.dtype == FLOAT:
            root, places = self.view(i, node)
            if root != i:
                self.place[i] = int(places)
                found = self.class_of(("leaf", root), "leaf", ())
                self.classes[found].source = self.nodes[root]
                return found
        self.classes.append(Class("array", (), node))
        self.classes[-1].members.append(i)
        return len(self.classes) - 1

    def view(self, i: int, node: ProgramNode) -> tuple[int, np.ndarray]:
        """The array that a node is a view of, and the places of the node's elements in that array,
        flattened."""
        found = self.views.get(i)
        if found is not None:
            return found
        if node.op == "getitem" and is_basic(node.value):
            root, places = self.view(self.args[i][0], node.args[0])
            found = root, places[node.value]
        elif node.op in ("reshape", "transpose"):
            root, places = self.view(self.args[i][0], node.args[0])
            found = root, getattr(places, node.op)(node.options[0])
        else:
            found = i, np.arange(node.size).reshape(node.shape)
        self.views[i] = found
        return found

    def enter_terms_that_are_values(self) -> None:
        """Enter single terms as members of their class of sums if that class has sums. Otherwise their class
        as operands is their class as terms."""
        used = set(self.results)
        for i, args in enumerate(self.args):
            if not self.is_linear[i]:
                used.update(args)
        for i in sorted(used):
            if self.value[i] != self.term[i] and self.classes[self.value[i]].members:
                self.classes[self.value[i]].members.append(i)
        for i, value in enumerate(self.value):
            if value != self.term[i] and not self.classes[value].members:
                self.value[i] = self.term[i]
        self.operand_classes = {self.value[i] for i in used}

    def terms(self, i: int) -> list[tuple[int, bool]]:
        """The terms of a value, which is a sum or a single term."""
        return self.operands[i] if self.is_linear[i] else [(i, False)]


def places_of(nodes: Sequence[ProgramNode]) -> dict[ProgramNode, int]:
    """The places of nodes when the elements among them are left out, see ``Alike.where``."""
    where: dict[ProgramNode, int] = {}
    count = 0
    for node in nodes:
        if is_element(node):
            where[node] = where[node.args[0]]
        else:
            where[node] = count
            count += 1
    return where


def is_element(node: ProgramNode) -> bool:
    """Whether a node turns an array without axes into a Python number, or the other way round. For packing,
    an element of an array is a number like any other."""
    return node.op == "astype" and not node.args[0].shape and node.dtype == FLOAT == node.args[0].dtype


def is_linear(node: ProgramNode) -> bool:
    """Whether a number is a sum, a difference or a negation."""
    return node.op in ("add", "subtract", "negative") and node.shape == () and node.dtype == FLOAT


def is_term(node: ProgramNode) -> bool:
    """Whether a node is a number that is computed from numbers by one of NumPy's elementwise functions."""
    if node.shape != ():
        return False
    if node.op not in ELEMENTWISE:  # a comparison as a float
        return node.op == "astype" and node.number is float and node.args[0].number is bool
    return node.dtype == FLOAT or node.dtype == BOOL or node.number is int


def is_zero(node: ProgramNode) -> bool:
    """Whether a node is the constant 0, which ``sum()`` begins with."""
    return node.op == "const" and node.shape == () and node.value == 0
