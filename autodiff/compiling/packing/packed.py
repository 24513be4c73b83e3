"""The packed graph: one node for each class of numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine.silence import silently
from ..graph import FLOAT, ProgramGraph
from ..nodes import ELEMENTWISE, ProgramNode, reachable
from .access import access
from .alike import CONST, NUMBERS, Alike, is_element, is_term
from .layout import Layout, PackedPart, Places, Rows
from .text import SUMS_OF_RUNS

FEWEST = 64
"""The numbers for each line of a packed program from which on packing pays: fewer are computed faster one by
one."""

FEW = 4
"""The number of inputs up to which they are added up one by one, each read as a slice."""

Run = Callable[..., tuple[Any, ...]]


class Packed:
    """A graph whose numbers are elements of arrays.

    Attributes
    ----------
    operations
        The number of operations in the old graph.
    inputs, results
        Those of the new graph. All inputs that are numbers are one array, the last input; all results that
        are numbers are one array, the last result.
    """

    def __init__(
        self, graph: ProgramGraph, inputs: Sequence[ProgramNode], results: Sequence[ProgramNode], alike: Alike
    ) -> None:
        self.graph, self.alike = graph, alike
        self.operations = sum(bool(node.args) and node.op != "full" for node in alike.where)
        numbers = [i for i, node in enumerate(inputs) if node.number]
        self.from_numbers = numbers
        self.others = [i for i, node in enumerate(inputs) if not node.number]
        self.to_numbers = [i for i, node in enumerate(results) if node.number]
        where = alike.where
        unused = len(alike.nodes)
        self.layout = Layout(alike, [where.get(inputs[i], unused) for i in numbers])
        self.new: dict[int, ProgramNode] = {}
        self.inputs = [inputs[i] for i in self.others]
        if numbers:
            self.new[NUMBERS] = graph.input("numbers", (len(numbers),))
            self.inputs.append(self.new[NUMBERS])
        self.write_classes(results)
        self.results = [self.result(node) for node in results if not node.number]
        if self.to_numbers:
            self.results.append(self.joined([where[results[i]] for i in self.to_numbers]))
            if self.results[-1].args:
                self.results[-1].name = "results"

    def runner(self, run: Run) -> Run:
        """The program of the new graph as a program of the old one's inputs and results."""
        others, numbers, found = self.others, self.from_numbers, self.to_numbers
        is_all = not others and len(self.results) == 1 and bool(found)

        def program(*values: Any) -> tuple[Any, ...]:
            if is_all:
                return tuple(silently(run, np.array(values, float))[0].tolist())
            arrays = [values[i] for i in others]
            if numbers:
                arrays.append(np.array([values[i] for i in numbers], float))
            out = list(silently(run, *arrays))
            for i, number in zip(found, out.pop().tolist() if found else ()):
                out.insert(i, number)
            return tuple(out)

        return program

    # -- what is needed --------------------------------------------------------------------------------------

    def needed(self, results: Sequence[ProgramNode]) -> set[int]:
        """The classes that the results need. Products that a matrix product sums up are not among them."""
        alike = self.alike
        needed = {alike.value[i] for i in alike.results}
        for c in range(len(alike.classes) - 1, -1, -1):
            if c in needed:
                needed.update(self.sources(c))
        return needed

    def sources(self, c: int) -> list[int]:
        """The classes that a class is computed from."""
        alike, found = self.alike, self.alike.classes[c]
        if found.op == "array" or (found.op == "leaf" and c != NUMBERS):
            assert found.source is not None
            i = alike.where[found.source]
            return [alike.value[j] for j in alike.args[i]] if found.op == "array" else [alike.value[i]]
        parts = self.layout.operands.get(c, ())
        return [
            s for part in parts for s in (part.sources if isinstance(part, PackedPart) else [part.source])
        ]

    # -- writing ---------------------------------------------------------------------------------------------

    def write_classes(self, results: Sequence[ProgramNode]) -> None:
        """Make the node of each class."""
        needed = self.needed(results)
        for c, found in enumerate(self.alike.classes):
            if c not in needed or c in (CONST, NUMBERS):
                continue
            if found.op == "array":
                assert found.source is not None
                self.new[c] = self.array(found.source)
            elif found.op == "leaf":
                assert found.source is not None
                self.new[c] = self.new[self.alike.value[self.alike.where[found.source]]]
            else:
                node = self.sum(c) if found.op == "sum" else self.term(c)
                is_of_constants = node.number is not None
                self.new[c] = self.graph.astype(node, node.dtype) if is_of_constants else node

    def term(self, c: int) -> ProgramNode:
        """The array of numbers that are computed by one operation, element by element."""
        shape = self.layout.shape[c]
        args = [self.at(rows.source, rows.places.reshape(shape)) for rows in self.layout.operands[c]]
        if self.alike.classes[c].op == "astype":
            return self.graph.broadcast_to(self.graph.astype(args[0], FLOAT), shape)
        if self.alike.nodes[self.alike.classes[c].members[0]].number is int:  # sums and products of True
            args = [self.graph.astype(arg, FLOAT) if arg.dtype.kind == "b" else arg for arg in args]
        return self.graph.broadcast_to(self.graph.elementwise(self.alike.classes[c].op, *args), shape)

    def sum(self, c: int) -> ProgramNode:
        """The array of numbers that are computed by additions: the sum of their parts."""
        shape = self.layout.shape[c]
        total: ProgramNode | None = None
        for part in self.layout.operands[c]:
            value = self.part(part, shape)
            if total is None:
                total = self.graph.elementwise("negative", value) if part.is_subtracted else value
            else:
                name = "subtract" if part.is_subtracted else "add"
                total = self.graph.elementwise(name, total, value)
        assert total is not None
        return self.graph.broadcast_to(total, shape)

    def part(self, part: PackedPart, shape: tuple[int, ...]) -> ProgramNode:
        """What one class of terms adds to each value."""
        graph, source, places = self.graph, part.source, part.places
        if part.left is not None and part.right is not None:
            left, right = (self.matrix(rows) for rows in (part.left, part.right))
            product = graph.matmul(left, graph.transpose(right))
            return access(graph, product, places.reshape(shape))
        if part.starts is not None:
            terms = self.at(source, places, True)
            starts = graph.const(part.starts)
            like = np.zeros(len(part.starts))
            key = ("reduceat", part.starts.tobytes())
            return graph.reshape(graph.call(SUMS_OF_RUNS, (terms, starts), key, like), shape)
        if part.is_single:
            value = self.at(source, places.reshape(shape))
            times = graph.const(float(part.times))
            return value if part.times == 1 else graph.elementwise("multiply", times, value)
        if self.alike.classes[source].op == "leaf" and places.shape[1] <= FEW:
            columns = [self.at(source, column.reshape(shape)) for column in places.T]
            return functools.reduce(functools.partial(graph.elementwise, "add"), columns)
        terms = self.at(source, places.reshape(*shape, -1), True)
        return graph.reduce("add", terms, len(shape))

    def matrix(self, rows: Rows) -> ProgramNode:
        """The rows of a matrix; a single one as a vector."""
        places = rows.places if len(rows.places) > 1 else rows.places[0]
        return self.at(rows.source, places, True)

    def at(self, c: int, places: Places, stretched: bool = False) -> ProgramNode:
        """Numbers of a class."""
        if c == CONST:
            return self.constant(places, stretched)
        return access(self.graph, self.new[c], places, stretched)

    def constant(self, places: Places, stretched: bool) -> ProgramNode:
        """Constants: one number if they are all the same, else an array."""
        members = self.alike.classes[CONST].members
        values = np.array([float(self.alike.nodes[i].value) for i in members])[places]
        first = values.flat[0]
        if not stretched and (values == first).all() and len(set(np.signbit(values).flat)) == 1:
            return self.graph.const(float(first))
        return self.graph.const(values)

    # -- arrays and results ----------------------------------------------------------------------------------

    def array(self, node: ProgramNode) -> ProgramNode:
        """A node that is not a number, on new arguments."""
        graph, alike = self.graph, self.alike
        args = [alike.where[arg] for arg in node.args]
        if node.op in ("stack", "concatenate") and all(arg.shape == () for arg in node.args):
            return graph.astype(graph.reshape(self.joined(args), node.shape), node.dtype)
        return graph.again(node, tuple(self.argument(node, i) for i in args))

    def argument(self, node: ProgramNode, i: int) -> ProgramNode:
        """A number as an argument of an array's operation, or an array."""
        old, c = self.alike.nodes[i], self.alike.value[i]
        if old.shape != () or old.op == "const" or self.alike.classes[c].op == "array":
            return old if old.op == "const" else self.new[c]
        found = self.at(c, np.array(self.layout.value[i]))
        if old.number and node.op in ELEMENTWISE and node.dtype.kind == "f":
            return self.graph.astype(found, node.dtype)  # a Python number takes the type of the array
        return found

    def result(self, node: ProgramNode) -> ProgramNode:
        """A result that is not a Python number."""
        i = self.alike.where[node]
        if node.shape == ():
            return self.argument(node, i)
        return self.new[self.alike.value[i]]

    def joined(self, numbers: list[int]) -> ProgramNode:
        """Numbers of any classes as one array with one axis."""
        graph, alike = self.graph, self.alike
        classes = np.array([alike.value[i] for i in numbers])
        places = self.layout.value[numbers]
        if (classes == classes[0]).all():
            return self.at(int(classes[0]), places, True)
        order = np.empty(len(numbers), int)
        parts, count = [], 0
        for c in dict.fromkeys(classes.tolist()):
            here = np.flatnonzero(classes == c)
            here = here[np.argsort(places[here], kind="stable")]
            order[here] = count + np.arange(len(here))
            count += len(here)
            parts.append(graph.reshape(self.at(c, places[here], True), (-1,)))
        return access(graph, graph.join("concatenate", parts, 0), order)


def pack(graph: ProgramGraph, inputs: Sequence[ProgramNode], results: Sequence[ProgramNode]) -> Packed | None:
    """The graph with its numbers in arrays; None if too little is computed alike."""
    nodes = reachable(results)
    if 4 * len(nodes) < FEWEST:
        return None
    kept = [node for node in nodes if not is_element(node)]
    # Arrays without axes are slow, and so is reading one number from an array.
    count = sum(1 if node.number else 4 for node in kept if is_term(node) or is_read(node))
    if count < FEWEST or not all(map(can_be_packed, kept)):
        return None
    alike = Alike(nodes, results)
    lines = sum(bool(c.members) and c.op not in ("array", "leaf", "const") for c in alike.classes)
    if lines * FEWEST > count:
        return None
    return Packed(graph, inputs, results, alike)


def is_read(node: ProgramNode) -> bool:
    """Whether a node reads one number from an array."""
    return node.op == "getitem" and not node.shape and node.dtype == FLOAT


def can_be_packed(node: ProgramNode) -> bool:
    """Whether a packed graph can have a node: numbers must be floats, or computed from numbers."""
    if node.op == "input":
        return node.number in (None, float)
    if node.number is None or node.op == "const":
        return True
    return is_term(node)
