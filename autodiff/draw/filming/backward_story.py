"""The walk back as a film: what arrives where, by which local slope, and how it adds up.

The walk is computed here, with the engine's own rules (`slopes`); nobody's `.grad` is read or changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..explaining.paths import ordinal
from ..graph import as_text, slopes
from ..graph.records import creators_of
from ..graph.signs import known
from ..words.table import equation
from .cells import heat_map, largest, shades, short, signed
from .story import UNKNOWN, Cell, Script, Step, Story
from .window import is_constant


class Backward(Script):
    """The walk back: the seed, then one operation after the other, each when its result is complete."""

    def story(self) -> Story:
        """All steps, in the order of the engine's walk."""
        if np.size(self.data[-1]) != 1:
            raise ValueError(
                f"the walk back starts from a single number, and {self.end} has the shape {self.shape(-1)}: "
                "film a sum or mean of it, or direction='forward'"
            )
        last, top = len(self.order) - 1, self.chosen[-1]
        chosen, shown = set(self.chosen), set(self.shown)
        uses = Counter(j for i in range(last + 1) for _, j in self.operands(i))
        arrived: list[Any] = [None] * (last + 1)
        arrived[last] = np.ones_like(self.data[last]) if isinstance(self.data[last], np.ndarray) else 1.0
        takes: list[_Take] = []
        for i in range(last, self.chosen[0] - 1, -1):
            if not creators_of(self.order[i]) or is_constant(self.order[i]) or arrived[i] is None:
                continue
            if i == top:
                takes.append(_Take(None, *self.start(top, arrived[top]), [top], {}, self.now(arrived)))
            take = _Take(i, equation(self.nodes[i], self.graph), self.opening(i, arrived[i], uses[i]))
            for place, j, contribution in self.pass_on(i, arrived[i]):
                before = arrived[j]
                arrived[j] = contribution if before is None else before + contribution
                if i in chosen and j in shown:
                    numbers = self.is_number(i) and self.is_number(j)
                    receive = self.receive_number if numbers else self.receive_array
                    receive(take, place, arrived[i], contribution, before, arrived[j])
                    take.receivers.append(j)
            if i in chosen:
                if not take.receivers:
                    take.words.append("Nothing that it was made from wants a gradient.")
                take.arrived = self.now(arrived)
                takes.append(take)
        # The shades of a node are of one scale in all frames, so that a growing sum is seen to grow.
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

    def now(self, arrived: Sequence[Any]) -> dict[int, Any]:
        """The gradients of the shown nodes at this moment."""
        return {i: arrived[i] for i in self.shown}

    def pass_on(self, i: int, grad: Any) -> list[tuple[int, int, Any]]:
        """Place and index of each operand that wants a gradient, and what it receives."""
        try:
            received = slopes.contributions(self.order[i], grad)
        except ValueError as error:
            raise ValueError(f"cannot film {self.nodes[i].name}: {error}") from error
        return [
            (place, j, received[place])
            for place, j in self.operands(i)
            if received[place] is not None and not is_constant(self.order[j])
        ]

    def start(self, top: int, grad: Any) -> tuple[str, list[str], list[str]]:
        """Title, words and symbols of the first step."""
        name = self.nodes[top].name
        is_number = self.is_number(top)
        held = short(grad) if is_number else _told(grad)
        if top == len(self.order) - 1:
            words = [
                f"The walk back begins at the end: {name} has gradient 1, its slope with regard to itself."
            ]
            held = "1"
        else:
            has = f"has the shape {held}" if as_text.read(grad).is_shape else f"is {held}"
            words = [f"The walk back from {self.end} has come to {name}: its gradient {has}."]
        words += ["On each edge: gradient \N{MULTIPLICATION SIGN} local slope = contribution."] * any(
            self.is_number(i) and self.is_number(j) for i in self.chosen for _, j in self.operands(i)
        )
        words += ["The squares are an array's gradient: the stronger the colour, the larger."] * any(
            not self.is_number(i) for i in self.shown
        )
        return "start", words, [f"{_slope(self.end, name)} = {held}"]

    def opening(self, i: int, grad: Any, uses: int) -> list[str]:
        """The first words of a step: that this node may pass on."""
        name = self.nodes[i].name
        held = short(grad) if self.is_number(i) else f"it has the shape {self.shape(i)}"
        if uses > 1:
            all_uses = "Both" if uses == 2 else f"All {uses}"
            return [f"{all_uses} uses of {name} have passed on, so its gradient is complete: {held}."]
        return [f"The gradient of {name} is complete: {held}."]

    def receive_number(self, take: _Take, place: int, grad: Any, share: Any, before: Any, after: Any) -> None:
        """Tell what a number receives of a number: gradient times local slope."""
        i = take.node
        j = dict(self.operands(i))[place]
        node, name = self.nodes[i].name, self.nodes[j].name
        slope = slopes.contributions(self.order[i])[place]
        product = f"{short(grad)} \N{MULTIPLICATION SIGN} {signed(slope)} = {short(share)}"
        self.chips[i, place] = product
        local = self.use(i, place, j)
        use = name if local == name else f"{name} as the {ordinal(place)} operand"
        take.words.append(f"The local slope for {use} is {short(slope)}, so {name} receives {product}.")
        line = (
            f"{_slope(self.end, name)} += {_slope(self.end, node)} * {_slope(node, local)} "
            f"= {short(grad)} * {signed(slope)} = {short(share)}"
        )
        if before is not None:
            total = f"{short(before)} + {signed(share)} = {short(after)}"
            take.sums[j] = total
            take.words.append(f"Paths meet in {name}: {total}.")
            line += f"; {total}"
        take.symbols.append(line)

    def receive_array(self, take: _Take, place: int, grad: Any, share: Any, before: Any, after: Any) -> None:
        """Tell what arrives where arrays are: of which shape, and by which formula."""
        i = take.node
        j = dict(self.operands(i))[place]
        name, shape = self.nodes[j].name, self.shape(j)
        self.chips[i, place] = short(share) if self.is_number(j) else shape
        formula, note = self.formula(i, place, j)
        got = short(share) if self.is_number(j) else f"a gradient of its own shape {shape}"
        take.words.append(f"{name} receives {got}{note}.")
        line = f"{_slope(self.end, name)} += {formula}{_told(share)}"
        if before is not None:
            take.sums[j] = "a sum"
            if self.is_number(j):
                take.sums[j] = f"{short(before)} + {signed(share)} = {short(after)}"
            take.words.append(f"Paths meet in {name}: this is added to what had arrived.")
            line += f"; the sum is {_told(after)}"
        take.symbols.append(line)

    def use(self, i: int, place: int, j: int) -> str:
        """What a local slope is for: an operand's name, with its place if it is there twice."""
        name = self.nodes[j].name
        return f"({ordinal(place)} {name})" if [x for _, x in self.operands(i)].count(j) > 1 else name

    def formula(self, i: int, place: int, j: int) -> tuple[str, str]:
        """The rule in symbols, where it can be said in a line, and what to say of the shapes."""
        node = self.nodes[i]
        operation = known(self.order[i].creation_op)
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
    """A step of the walk back while it is told."""

    active: int | None
    title: str
    words: list[str]
    symbols: list[str] = field(default_factory=list)
    receivers: list[int] = field(default_factory=list)
    sums: dict[int, str] = field(default_factory=dict)
    arrived: dict[int, Any] = field(default_factory=dict)

    @property
    def node(self) -> int:
        """The result of the operation at work."""
        assert self.active is not None
        return self.active


def _slope(y: str, x: str) -> str:
    return f"d{y}/d{x}"


def _told(array: Any) -> str:
    """A small array by its numbers, a large one by its shape."""
    value = as_text.read(array)
    return f"{np.shape(array)}" if value.is_shape else value.line
