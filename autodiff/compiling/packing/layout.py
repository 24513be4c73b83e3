"""The layout of each class: the order of its numbers in an array, and the shape of the array.

Sums of products whose factors form a grid, the rows of one matrix by the rows of another, are laid out in
that grid, and computed by a matrix product. Numbers that are computed element by element have the layout of
their operand. So the arrays of one part of a network fit those of the next without moving an element.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .alike import CONST, NUMBERS, Alike

Places = np.ndarray
SPARE = 16
"""A matrix product may compute this many times as many numbers as are needed."""


class Rows(NamedTuple):
    """Numbers of a class, as the rows of a matrix: their places in the array of the class."""

    source: int
    places: Places


class PackedPart(NamedTuple):
    """What one class of terms adds to the values of a class.

    ``places`` holds the places of the terms. It has one row for each value; rows of different lengths follow
    each other and begin at ``starts``. If the part is a matrix product of ``left`` and ``right``, ``places``
    holds the places of the values in that product.
    """

    source: int
    is_subtracted: bool
    places: Places
    starts: Places | None = None
    times: int = 1  # how often each term counts
    left: Rows | None = None
    right: Rows | None = None

    @property
    def is_single(self) -> bool:
        """Whether each value has one term of this class."""
        return self.left is None and self.starts is None and self.places.ndim == 1

    def ordered(self, order: Places) -> PackedPart:
        """The part, for the values in another order."""
        if self.starts is None:
            return self._replace(places=self.places[order])
        ends = np.append(self.starts[1:], len(self.places))
        rows = [self.places[self.starts[m] : ends[m]] for m in order]
        starts = np.cumsum([0, *map(len, rows)])[:-1]
        return self._replace(places=np.concatenate(rows), starts=starts)

    @property
    def sources(self) -> list[int]:
        """The classes that it is computed from."""
        if self.left is not None and self.right is not None:
            return [self.left.source, self.right.source]
        return [self.source]


class Layout:
    """The layout of all classes.

    Attributes
    ----------
    shape
        For each class, the shape of its array.
    term, value
        For each node, its place in the array of its class, as a term and as a value.
    operands
        For each class of terms, its operands as ``Rows``; for each class of sums, its parts.
    """

    def __init__(self, alike: Alike, numbers: Sequence[int]) -> None:
        self.alike = alike
        count = len(alike.nodes) + 1  # and one for the inputs that nothing uses
        self.term = np.zeros(count, int)
        self.value = np.zeros(count, int)
        self.shape: dict[int, tuple[int, ...]] = {}
        self.operands: dict[int, Any] = {}
        self.lists: dict[int, list[int]] = {}  # for each class with one axis, all classes of the same layout
        self.first = np.zeros((2, count), int)  # the two operands of each product
        self.place_leaves(numbers)
        for c, found in enumerate(alike.classes):
            if found.op == "sum" and found.members:
                self.place_sums(c)
            elif found.op not in ("leaf", "const", "array", "sum"):
                self.place_terms(c)

    def place_leaves(self, numbers: Sequence[int]) -> None:
        """Enter the places of constants, inputs and elements of arrays."""
        alike = self.alike
        for i, place in alike.place.items():
            self.value[i] = self.term[i] = place
        for members in (alike.classes[CONST].members, numbers):
            for place, i in enumerate(members):
                self.value[i] = self.term[i] = place
        for c, found in enumerate(alike.classes):
            if found.op in ("leaf", "array") and found.source is not None:
                self.shape[c] = found.source.shape
        self.shape[NUMBERS] = (len(numbers),)
        self.shape[CONST] = (len(alike.classes[CONST].members),)

    # -- shapes ---------------------------------------------------------------------------------------------

    def join(self, c: int, operand: Rows | None) -> None:
        """Enter that a class with one axis has the layout of its operand, so that both can become matrices
        together; without an operand, that it has a layout of its own."""
        if len(self.shape[c]) != 1 or c in self.lists:
            return
        if operand is None:
            self.lists[c] = [c]
            return
        has_its_size = operand.source in self.lists and self.shape[operand.source] == self.shape[c]
        if has_its_size and np.array_equal(operand.places, np.arange(len(operand.places))):
            self.lists[c] = self.lists[operand.source]
            self.lists[c].append(c)

    def fold(self, c: int, rows: Places) -> None:
        """Give a class with one axis the shape of a matrix with these rows, if it consists of them."""
        length = rows.shape[1]
        if c not in self.lists or self.shape[c] != (rows.size,) or min(rows.shape) < 2:
            return
        if np.array_equal(rows[np.argsort(rows[:, 0])].ravel(), np.arange(rows.size)):
            for other in self.lists[c]:
                self.shape[other] = (rows.size // length, length)
                del self.lists[other]

    # -- terms -----------------------------------------------------------------------------------------------

    def place_terms(self, c: int) -> None:
        """Lay out numbers that are computed by one operation, element by element."""
        alike, members = self.alike, self.alike.classes[c].members
        args = np.array([alike.operands[i] for i in members]).reshape(len(members), -1).T
        if len(args) == 2:
            self.first[:, members] = args
        operands = [Rows(alike.value[arg[0]], self.value[arg]) for arg in args]
        order, shape = self.order_of_terms(operands, len(members))
        nodes = np.array(members)[order]
        self.term[nodes] = np.arange(len(members))
        for i in nodes:
            if alike.value[i] == c:
                self.value[i] = self.term[i]
        self.shape[c] = shape
        self.operands[c] = [Rows(o.source, o.places[order]) for o in operands]
        for operand in self.operands[c]:
            self.join(c, operand)
        self.join(c, None)

    def order_of_terms(self, operands: list[Rows], count: int) -> tuple[Places, tuple[int, ...]]:
        """The order of terms, and the shape of their array: that of an operand in which each has a place of
        its own, or the grid of two operands."""
        if count == 1:
            return np.arange(1), ()
        variable = [o for o in operands if o.source != CONST]
        interior = sorted(variable, key=lambda o: -self.alike.rank(o.source))
        for operand in interior:
            order = np.argsort(operand.places, kind="stable")
            places = operand.places[order]
            if (np.diff(places) > 0).all():
                return order, self.shape_of_places(places, self.shape[operand.source])
        if len(operands) == 2:
            rows, columns = operands[0].places, operands[1].places
            order = np.lexsort((columns, rows))
            shape = len(np.unique(rows)), len(np.unique(columns))
            if math.prod(shape) == count:
                return order, shape
        if all(self.alike.classes[o.source].op == "leaf" for o in variable):
            return np.arange(count), (count,)
        return np.lexsort([o.places for o in reversed(variable)]), (count,)

    @staticmethod
    def shape_of_places(places: Places, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of some elements of an array: a matrix if they form a grid of rows and columns, else one
        axis."""
        if len(shape) == 2:
            rows, columns = len(np.unique(places // shape[1])), len(np.unique(places % shape[1]))
            if rows * columns == len(places) and rows > 1 and columns > 1:
                return rows, columns
        return (len(places),)

    # -- sums ------------------------------------------------------------------------------------------------

    def place_sums(self, c: int) -> None:
        """Lay out numbers that are computed by additions."""
        members = self.alike.classes[c].members
        parts = self.parts(members)
        order, shape = self.order_of_sums(parts, len(members))
        self.shape[c] = shape
        self.operands[c] = [part.ordered(order) for part in parts]
        for part in self.operands[c]:
            if part.is_single:
                self.join(c, Rows(part.source, part.places))
        self.join(c, None)
        nodes = np.array(members)[order]
        self.value[nodes] = np.arange(len(members))
        for i in nodes:
            if self.alike.is_linear[i]:
                self.term[i] = self.value[i]

    def parts(self, members: list[int]) -> list[PackedPart]:
        """The parts of some values: their terms by class, beginning with those that were computed last."""
        alike = self.alike
        owners: dict[tuple[int, bool], list[int]] = {}
        terms: dict[tuple[int, bool], list[int]] = {}
        for owner, i in enumerate(members):
            for term, minus in alike.terms(i):
                key = alike.term[term], minus
                if key not in owners:
                    owners[key], terms[key] = [], []
                owners[key].append(owner)
                terms[key].append(term)
        keys = sorted(owners, key=lambda key: (key[1], -alike.rank(key[0])))
        return [self.part(key, np.array(owners[key]), np.array(terms[key]), len(members)) for key in keys]

    def part(self, key: tuple[int, bool], owners: Places, terms: Places, count: int) -> PackedPart:
        """One part of some values, in the form that is computed fastest."""
        source, minus = key
        counts = np.bincount(owners, minlength=count)
        found = self.alike.classes[source]
        is_product = found.op == "multiply"
        factors = [self.value[self.first[k, terms]] for k in (0, 1)] if is_product else []
        order = np.lexsort((*reversed(factors), owners) if is_product else (self.term[terms], owners))
        places = self.term[terms[order]]
        if (counts == 1).all():
            return PackedPart(source, minus, places)
        if (counts != counts[0]).any():
            starts = np.cumsum([0, *counts])[:-1]
            return PackedPart(source, minus, places, starts)
        places = places.reshape(count, -1)
        self.fold(source, places)
        if (places == places[:, :1]).all():
            return PackedPart(source, minus, places[:, 0], times=places.shape[1])
        if is_product:
            sources = [self.alike.value[self.first[k, terms[0]]] for k in (0, 1)]
            rows = [Rows(s, f[order].reshape(count, -1)) for s, f in zip(sources, factors)]
            product = self.product(key, *rows)
            if product is not None:
                return product
        return PackedPart(source, minus, places)

    def product(self, key: tuple[int, bool], left: Rows, right: Rows) -> PackedPart | None:
        """Sums of products as a matrix product, if few enough different rows take part; else None."""
        count, length = left.places.shape
        if left.source == CONST == right.source:
            return None
        rows, row = different(left.places)
        columns, column = different(right.places)
        self.fold(left.source, rows)
        self.fold(right.source, columns)
        is_reused = count > max(len(rows), len(columns)) and key[0] not in self.alike.operand_classes
        if len(rows) * len(columns) > (SPARE if is_reused else 1) * count:
            return None
        if count > 1 and len(rows) * len(columns) * length > (1 << 24):
            return None
        left, right = Rows(left.source, rows), Rows(right.source, columns)
        return PackedPart(*key, row * len(columns) + column, left=left, right=right)

    def order_of_sums(self, parts: list[PackedPart], count: int) -> tuple[Places, tuple[int, ...]]:
        """The order of sums, and the shape of their array: the grid of a matrix product, or the layout of
        single terms, or the order of their first terms."""
        if count == 1:
            return np.arange(1), ()
        for part in parts:
            if part.left is not None and part.right is not None:
                shape = len(part.left.places), len(part.right.places)
                if math.prod(shape) == count and len(np.unique(part.places)) == count:
                    return np.argsort(part.places), shape if min(shape) > 1 else (count,)
        for part in parts:
            if part.is_single and part.source != CONST and len(np.unique(part.places)) == count:
                order = np.argsort(part.places)
                return order, self.shape_of_places(part.places[order], self.shape[part.source])
        for part in parts:
            if part.left is not None and len(np.unique(part.places)) == count:
                return np.argsort(part.places), (count,)
        if all(self.alike.classes[part.source].op in ("leaf", "const") for part in parts):
            return np.arange(count), (count,)
        first = [part.places if part.starts is None else part.places[part.starts] for part in parts]
        keys = [places if places.ndim == 1 else places[:, 0] for places in first]
        return np.lexsort(keys[::-1]), (count,)


def different(rows: Places) -> tuple[Places, Places]:
    """The different rows of a matrix in lexicographic order, and for each row, which of them it is."""
    found, which = np.unique(rows, axis=0, return_inverse=True)
    return found, which.reshape(-1)
