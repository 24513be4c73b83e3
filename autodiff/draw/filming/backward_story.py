"""The story of the walk back: what arrives where, by which local slope, and how it adds up.

The gradients come from `walk_back`, which uses the engine's own rules; no `.grad` is read or changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..graph.as_text import Value, value_of
from ..graph.signs import known
from ..graph.slopes import Contribution, Visit, contributions, walk_back
from ..words.counts import ordinal
from ..words.equations import equation
from ..words.notation import TIMES
from .arithmetic import Write, array_text, exact, product, short, total
from .story import Passed, Script, Step, Use, slope

OUR_ROOMS = ("autodiff.ops.", "autodiff.nn.")
Line = Callable[[Write], str]
"""A line of symbols, whose number of digits is chosen later."""


class Backward(Script):
    """The walk back: the seed, then one operation after the other, each when its result is complete."""

    direction = "backward"
    rows = ("grad",)

    def steps(self) -> list[Step]:
        """All steps, in the order of the engine's walk."""
        if np.size(self.data[-1]) != 1:
            raise ValueError(
                f"the walk back starts from a single number, and {self.end} has the shape {self.shape(-1)}: "
                "film a sum or mean of it, or direction='forward'"
            )
        return [take.step() for take in self.takes()]

    def takes(self) -> list[Take]:
        """What happens in each step: at the start of the window, then at one operation after the other."""
        chosen, top = set(self.chosen), self.chosen[-1]
        uses = Counter(j for i in range(len(self.walk.order)) for j in self.walk.operands(i))
        seed = np.ones_like(self.data[-1]) if isinstance(self.data[-1], np.ndarray) else 1.0
        arrived, sums = {self.walk.end: seed}, Sums()
        takes: list[Take] = []
        for visit in walk_back(self.walk, seed, until=self.chosen[0]):
            if visit.node == top:
                takes.append(self.start(top, visit.grad))
                takes[-1].keep(arrived, sums, self.shown)
            arrived |= {c.operand: c.after for c in visit.contributions}
            sums.add(visit)
            if visit.node in chosen:
                takes.append(self.take(visit, uses[visit.node]))
                takes[-1].keep(arrived, sums, self.shown)
        return takes

    def start(self, top: int, grad: Any) -> Take:
        """The first step: the gradient from which the walk in the window begins."""
        name = self.nodes[top].name
        is_number = self.is_number(top)
        take = Take(None, "start", receivers=[top])
        if top == self.walk.end:
            take.words.append(
                f"The walk back begins at the end: {name} has gradient 1, its slope with respect to itself."
            )
            take.tell(lambda write: f"{slope(self.end, name)} = 1")
        else:
            held = short(grad) if is_number else array_text(grad, short)
            has = f"has the shape {held}" if value_of(grad).is_shape else f"is {held}"
            take.words.append(f"The walk back from {self.end} has come to {name}: its gradient {has}.")
            take.tell(lambda write: f"{slope(self.end, name)} = {_text(grad, is_number, write)}")
        if any(self.has_slope(i, j) for i in self.chosen for j in self.walk.operands(i)):
            take.words.append(f"On each edge: gradient {TIMES} local slope = contribution.")
        if not all(map(self.is_number, self.shown)):
            take.words.append("In an array the colour shows the sign of a number, and its strength the size.")
        return take

    def take(self, visit: Visit, uses: int) -> Take:
        """The step in which an operation passes on what has arrived at its result."""
        i = visit.node
        take = Take(i, equation(self.nodes[i], self.graph), words=[self.opening(i, visit.grad, uses)])
        for contribution in visit.contributions:
            if contribution.operand in self.shown:
                self.receive(take, visit, contribution)
                take.receivers.append(contribution.operand)
        if not take.receivers:
            take.words.append("Nothing that it was made from wants a gradient.")
        return take

    def opening(self, i: int, grad: Any, uses: int) -> str:
        """The first words of a step: the gradient of this node is complete."""
        name = self.nodes[i].name
        held = short(grad) if np.size(grad) == 1 else f"it has the shape {self.shape(i)}"
        if uses > 1:
            all_uses = "Both" if uses == 2 else f"All {uses}"
            return f"{all_uses} uses of {name} have passed on, so its gradient is complete: {held}."
        return f"The gradient of {name} is complete: {held}."

    def has_slope(self, i: int, j: int) -> bool:
        """Whether what a node passes to another is a product of two numbers, by an operation of the package.

        A rule of the reader's own may pass on anything; for that there is no local slope.
        """
        return self.is_number(i) and self.is_number(j) and is_ours(self.walk.operation(i))

    def receive(self, take: Take, visit: Visit, contribution: Contribution) -> None:
        """Describe what one node passes on to another, and the sum if something had arrived before."""
        i, j = visit.node, contribution.operand
        if self.has_slope(i, j):
            self.receive_product(take, visit, contribution)
        else:
            self.receive_contribution(take, i, contribution)
        if contribution.before is None:
            return
        name, terms = self.nodes[j].name, (contribution.before, contribution.value)
        if self.is_number(j):
            take.words.append(f"Paths meet in {name}: {total(terms, contribution.after, short)}.")
            take.add(lambda write: f"; {total(terms, contribution.after, write)}")
        else:
            take.words.append(f"Paths meet in {name}: this is added to what had arrived.")
            take.add(lambda write: f"; the sum is {array_text(contribution.after, write)}")

    def receive_product(self, take: Take, visit: Visit, contribution: Contribution) -> None:
        """Describe what one number passes on to another: gradient times local slope."""
        i, j, place = visit.node, contribution.operand, contribution.place
        node, name = self.nodes[i].name, self.nodes[j].name
        local = self.use(i, place, j)
        factors = (visit.grad, contributions(self.walk.order[i])[place])

        def made(write: Write) -> str:
            return product(factors, contribution.value, write)

        take.passed[i, place] = Passed(made(short), is_gradient=True)
        use = self.receiver(i, place, j)
        take.words.append(
            f"The local slope for {use} is {short(factors[1])}, so {name} receives {made(short)}."
        )
        rule = f"{slope(self.end, node)} {TIMES} {slope(node, local)}"
        take.tell(lambda write: f"{slope(self.end, name)} += {rule} = {made(write)}")

    def receive_contribution(self, take: Take, i: int, contribution: Contribution) -> None:
        """Describe what a node receives if one of the two is an array, or the rule is the reader's own."""
        j, place, value = contribution.operand, contribution.place, contribution.value
        name, is_number = self.nodes[j].name, self.is_number(j)
        take.passed[i, place] = Passed(value_of(value), is_gradient=True)
        formula, note = self.formula(i, place, j)
        received = short(value) if is_number else f"a gradient of its own shape {self.shape(j)}"
        take.words.append(f"{self.receiver(i, place, j)} receives {received}{note}.")
        take.tell(lambda write: f"{slope(self.end, name)} += {formula}{_text(value, is_number, write)}")

    def receiver(self, i: int, place: int, j: int) -> str:
        """The name of an operand in words, with its place if the operand is used twice."""
        name = self.nodes[j].name
        return name if self.walk.twin(i, place) is None else f"{name} as the {ordinal(place)} operand"

    def formula(self, i: int, place: int, j: int) -> tuple[str, str]:
        """The rule in symbols if it fits in a line, and a note on it; empty texts otherwise."""
        operation = known(self.walk.operation(i))
        if not is_ours(self.walk.operation(i)):
            rule = f"the rule of {self.nodes[i].operation}"
            return f"({rule}) ", f", which {rule} passes on"
        shapes = [np.shape(x) for x in self.given(i)]
        if operation is not None and operation.name == "matmul" and [len(s) for s in shapes] == [2, 2]:
            return self.matrix_formula(i, place, shapes)
        if operation is not None and operation.kind == "elementwise":
            name = self.nodes[i].name
            local = f"{slope(self.end, name)} {TIMES} {slope(name, self.use(i, place, j))}"
            if shapes[place] == np.shape(self.data[i]):
                return f"{local} = ", f", element by element the gradient {TIMES} the local slope"
            summed = f", summed over the axes along which it was stretched to {self.shape(i)}"
            return f"sum({local}) = ", summed
        return "", ""

    def matrix_formula(self, i: int, place: int, shapes: list[tuple[int, ...]]) -> tuple[str, str]:
        """The rule of a product of two matrices, and the shapes in it."""
        node, up = self.nodes[i], self.shape(i)
        above = slope(self.end, node.name)
        names = [self.graph.name(x) if isinstance(x, int) else "constant" for x in node.operands]
        if place == 0:
            return f"{above} @ {names[1]}.T = ", f", by shapes {up} @ {shapes[1][::-1]}"
        return f"{names[0]}.T @ {above} = ", f", by shapes {shapes[0][::-1]} @ {up}"


def is_ours(operation: object) -> bool:
    """Whether an operation is one of the package, whose rules are true derivatives."""
    meant = known(operation)
    return meant is not None and meant.__module__.startswith(OUR_ROOMS)


@dataclass
class Take:
    """A step while its texts are being collected."""

    active: int | None
    title: str
    words: list[str] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    receivers: list[int] = field(default_factory=list)
    passed: dict[Use, Passed] = field(default_factory=dict)
    known: dict[int, Value] = field(default_factory=dict)
    sums: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def tell(self, line: Line) -> None:
        """Begin a new line of symbols, in few digits for the caption and in more for the table."""
        self.symbols.append(line(short))
        self.lines.append(line(exact))

    def add(self, line: Line) -> None:
        """Continue the line of symbols."""
        self.symbols[-1] += line(short)
        self.lines[-1] += line(exact)

    def keep(self, arrived: Mapping[int, Any], sums: Sums, shown: list[int]) -> None:
        """Keep what has arrived so far at the nodes shown, and the terms of the sums."""
        self.known = {i: value_of(arrived[i]) for i in shown if i in arrived}
        self.sums = {i: tuple(sums.terms[i]) for i in shown if len(sums.terms.get(i, ())) > 1}

    def step(self) -> Step:
        """The finished step."""
        return Step(
            self.active,
            self.title,
            " ".join(self.words),
            tuple(self.symbols),
            tuple(self.lines),
            frozenset(self.receivers),
            {"grad": self.known},
            self.sums,
            self.passed,
        )


class Sums:
    """The contributions of each node so far, as texts; that of an array is its place in the sum."""

    def __init__(self) -> None:
        self.terms: dict[int, list[str]] = {}

    def add(self, visit: Visit) -> None:
        """Take in what a node has passed on."""
        for c in visit.contributions:
            self.terms.setdefault(c.operand, []).append("" if np.size(c.value) != 1 else short(c.value))


def _text(value: Any, is_number: bool, write: Write) -> str:
    return write(value) if is_number else array_text(value, write)
