"""The story of the walk back: what arrives where, by which local slope, and how it adds up.

The gradients come from `walk_back`, which uses the engine's own rules; no `.grad` is read or changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..graph.as_text import value_of
from ..graph.signs import known
from ..graph.slopes import Contribution, Visit, contributions, walk_back
from ..words.counts import ordinal
from ..words.equations import equation
from .cells import heat_map, largest, shades, short, signed
from .story import UNKNOWN, Cell, Script, Step, Story


class Backward(Script):
    """The walk back: the seed, then one operation after the other, each when its result is complete."""

    def story(self) -> Story:
        """All steps, in the order of the engine's walk."""
        if np.size(self.data[-1]) != 1:
            raise ValueError(
                f"the walk back starts from a single number, and {self.end} has the shape {self.shape(-1)}: "
                "film a sum or mean of it, or direction='forward'"
            )
        takes = self.takes()
        # A node has one scale of shades in all frames, so that a growing sum can be seen to grow.
        scale = {i: largest([take.arrived[i] for take in takes]) for i in self.shown}
        steps = [
            Step(
                take.active,
                take.title,
                " ".join(take.words),
                tuple(take.symbols),
                frozenset(take.receivers),
                {i: self.cell(i, take.arrived[i], take.sums.get(i, ""), scale[i]) for i in self.shown},
            )
            for take in takes
        ]
        data = {i: Cell(self.nodes[i].data.line if self.is_number(i) else self.shape(i)) for i in self.shown}
        return self.finished("backward", steps, data)

    def takes(self) -> list[_Take]:
        """What happens in each step: at the start of the window, then at one operation after the other."""
        chosen, top = set(self.chosen), self.chosen[-1]
        uses = Counter(j for i in range(len(self.walk.order)) for j in self.walk.operands(i))
        seed = np.ones_like(self.data[-1]) if isinstance(self.data[-1], np.ndarray) else 1.0
        arrived = {self.walk.end: seed}
        takes: list[_Take] = []
        for visit in walk_back(self.walk, seed, until=self.chosen[0]):
            if visit.node == top:
                takes.append(_Take(None, *self.start(top, visit.grad), [top], {}, self.at_nodes(arrived)))
            arrived |= {c.operand: c.after for c in visit.contributions}
            if visit.node in chosen:
                takes.append(self.take(visit, uses[visit.node]))
                takes[-1].arrived = self.at_nodes(arrived)
        return takes

    def at_nodes(self, arrived: Mapping[int, Any]) -> dict[int, Any]:
        """The gradients of the nodes shown at this moment."""
        return {i: arrived.get(i) for i in self.shown}

    def take(self, visit: Visit, uses: int) -> _Take:
        """The step in which an operation passes on what has arrived at its result."""
        i = visit.node
        take = _Take(i, equation(self.nodes[i], self.graph), self.opening(i, visit.grad, uses))
        for contribution in visit.contributions:
            j = contribution.operand
            if j in self.shown:
                are_numbers = self.is_number(i) and self.is_number(j)
                receive = self.receive_number if are_numbers else self.receive_array
                receive(take, visit, contribution)
                take.receivers.append(j)
        if not take.receivers:
            take.words.append("Nothing that it was made from wants a gradient.")
        return take

    def start(self, top: int, grad: Any) -> tuple[str, list[str], list[str]]:
        """The title, words and symbols of the first step."""
        name = self.nodes[top].name
        is_number = self.is_number(top)
        held = short(grad) if is_number else _array_text(grad)
        if top == self.walk.end:
            words = [
                f"The walk back begins at the end: {name} has gradient 1, its slope with regard to itself."
            ]
            held = "1"
        else:
            has = f"has the shape {held}" if value_of(grad).is_shape else f"is {held}"
            words = [f"The walk back from {self.end} has come to {name}: its gradient {has}."]
        words += ["On each edge: gradient \N{MULTIPLICATION SIGN} local slope = contribution."] * any(
            self.is_number(i) and self.is_number(j) for i in self.chosen for j in self.walk.operands(i)
        )
        words += ["The squares are an array's gradient: the stronger the colour, the larger."] * any(
            not self.is_number(i) for i in self.shown
        )
        return "start", words, [f"{_slope(self.end, name)} = {held}"]

    def opening(self, i: int, grad: Any, uses: int) -> list[str]:
        """The first words of a step: the gradient of this node is complete."""
        name = self.nodes[i].name
        held = short(grad) if self.is_number(i) else f"it has the shape {self.shape(i)}"
        if uses > 1:
            all_uses = "Both" if uses == 2 else f"All {uses}"
            return [f"{all_uses} uses of {name} have passed on, so its gradient is complete: {held}."]
        return [f"The gradient of {name} is complete: {held}."]

    def receive_number(self, take: _Take, visit: Visit, contribution: Contribution) -> None:
        """Describe what one number passes on to another: gradient times local slope."""
        i, j, place = visit.node, contribution.operand, contribution.place
        node, name = self.nodes[i].name, self.nodes[j].name
        grad, value = short(visit.grad), short(contribution.value)
        slope = contributions(self.walk.order[i])[place]
        product = f"{grad} \N{MULTIPLICATION SIGN} {signed(slope)} = {value}"
        self.chips[i, place] = product
        local = self.use(i, place, j)
        use = name if local == name else f"{name} as the {ordinal(place)} operand"
        take.words.append(f"The local slope for {use} is {short(slope)}, so {name} receives {product}.")
        line = (
            f"{_slope(self.end, name)} += {_slope(self.end, node)} * {_slope(node, local)} "
            f"= {grad} * {signed(slope)} = {value}"
        )
        if contribution.before is not None:
            take.sums[j] = _sum_text(contribution)
            take.words.append(f"Paths meet in {name}: {take.sums[j]}.")
            line += f"; {take.sums[j]}"
        take.symbols.append(line)

    def receive_array(self, take: _Take, visit: Visit, contribution: Contribution) -> None:
        """Describe what arrives if one of the two is an array: of which shape, and by which formula."""
        i, j, place = visit.node, contribution.operand, contribution.place
        name, shape = self.nodes[j].name, self.shape(j)
        is_number = self.is_number(j)
        self.chips[i, place] = short(contribution.value) if is_number else shape
        formula, note = self.formula(i, place, j)
        received = short(contribution.value) if is_number else f"a gradient of its own shape {shape}"
        take.words.append(f"{name} receives {received}{note}.")
        line = f"{_slope(self.end, name)} += {formula}{_array_text(contribution.value)}"
        if contribution.before is not None:
            take.sums[j] = _sum_text(contribution) if is_number else "a sum"
            take.words.append(f"Paths meet in {name}: this is added to what had arrived.")
            line += f"; the sum is {_array_text(contribution.after)}"
        take.symbols.append(line)

    def use(self, i: int, place: int, j: int) -> str:
        """The name of an operand in a local slope, with its place if the operand is used twice."""
        name = self.nodes[j].name
        return name if self.walk.twin(i, place) is None else f"({ordinal(place)} {name})"

    def formula(self, i: int, place: int, j: int) -> tuple[str, str]:
        """The rule in symbols if it fits in a line, and a note on the shapes; empty texts otherwise."""
        node = self.nodes[i]
        operation = known(self.walk.operation(i))
        above = _slope(self.end, node.name)
        up = self.shape(i)
        names = [self.graph.name(x) if isinstance(x, int) else "constant" for x in node.operands]
        shapes = [np.shape(x) for x in self.given(i)]
        if operation == "matmul" and [len(s) for s in shapes] == [2, 2]:
            if place == 0:
                return f"{above} @ {names[1]}.T = ", f", by shapes {up} @ {shapes[1][::-1]}"
            return f"{names[0]}.T @ {above} = ", f", by shapes {shapes[0][::-1]} @ {up}"
        if operation is not None and operation.kind == "elementwise":
            local = _slope(node.name, self.use(i, place, j))
            if shapes[place] == np.shape(self.data[i]):
                return f"{above} * {local} = ", ""
            summed = f", summed over the axes along which it was stretched to {up}"
            return f"sum({above} * {local}) = ", summed
        return "", ""

    def cell(self, i: int, grad: Any, total: str, scale: float) -> Cell:
        """What a node shows of its gradient."""
        if self.is_number(i):
            return Cell(UNKNOWN, is_known=False) if grad is None else Cell(total or short(grad))
        if grad is None:
            return Cell("", shades(heat_map(np.zeros(np.shape(self.data[i])), 0.0)), is_known=False)
        return Cell(total, shades(heat_map(grad, scale)))


@dataclass
class _Take:
    """A step of the walk back while its texts are being collected."""

    active: int | None
    title: str
    words: list[str]
    symbols: list[str] = field(default_factory=list)
    receivers: list[int] = field(default_factory=list)
    sums: dict[int, str] = field(default_factory=dict)
    arrived: dict[int, Any] = field(default_factory=dict)


def _slope(y: str, x: str) -> str:
    return f"d{y}/d{x}"


def _array_text(array: Any) -> str:
    """The numbers of a small array, or the shape of a large one."""
    value = value_of(array)
    return f"{np.shape(array)}" if value.is_shape else value.line


def _sum_text(contribution: Contribution) -> str:
    """What had arrived at a number, what is added to it, and the sum."""
    before, after = short(contribution.before), short(contribution.after)
    return f"{before} + {signed(contribution.value)} = {after}"
