"""The story of both ways: tangents go forward from what moves, and gradients come back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..graph.as_text import Value, value_of
from ..graph.records import ShownGraph
from ..graph.signs import known
from ..graph.slopes import contributions
from ..graph.walk import Walk
from ..words.equations import equation
from ..words.notation import TIMES
from .arithmetic import Write, array_text, exact, product, products, short
from .backward_story import Backward, is_ours
from .story import Passed, Script, Step, Use, slope
from .tangents import Motion, motion
from .window import Window

MOVES = "tangent"


class Forth(Script):
    """Tangents alone: how fast each node moves, in the order of the calculation."""

    direction = "tangents"
    rows: tuple[str, ...] = (MOVES,)

    def __init__(self, walk: Walk, graph: ShownGraph, window: Window, moves: Mapping[int, Any]) -> None:
        super().__init__(walk, graph, window)
        self.moves = moves
        self.motion: Motion = motion(walk, moves)

    def steps(self) -> list[Step]:
        """The start, then one operation after the other whose operands move."""
        tangents, chosen = self.motion.tangents, set(self.chosen)
        found = {i: value_of(tangents[i]) for i in self.shown if i in tangents and i not in chosen}
        steps = [self.start(found)]
        sums: dict[int, tuple[str, ...]] = {}
        for i in self.chosen:
            if i not in tangents:
                continue
            found = {**found, i: value_of(tangents[i])}
            terms = [self.motion.parts[use] for use in self.uses(i)]
            if len(terms) > 1:
                sums = {**sums, i: tuple(short(x) if np.size(x) == 1 else "" for x in terms)}
            steps.append(self.step(i, found, sums))
        return steps

    def start(self, found: dict[int, Value]) -> Step:
        """The first step: what moves, and how fast."""
        moving = "; ".join(f"{self.nodes[i].name} moves at {self.value(i, short)}" for i in sorted(found))
        words = f"A tangent says how fast a number moves. {moving}."
        if any(map(self.is_product, self.chosen)):
            words += f" On each edge: local slope {TIMES} tangent."

        def told(write: Write) -> tuple[str, ...]:
            return tuple(f"tangent of {self.nodes[i].name} = {self.value(i, write)}" for i in sorted(found))

        return Step(None, "start", words, told(short), told(exact), frozenset(found), {MOVES: found})

    def step(self, i: int, found: dict[int, Value], sums: dict[int, tuple[str, ...]]) -> Step:
        """The step in which the result of an operation begins to move."""
        passed = {}
        for use in self.uses(i):
            part = self.motion.parts[use]
            made = product(self.factors(use), part, short) if self.is_product(i) else value_of(part)
            passed[use] = Passed(made, is_gradient=False)
        return Step(
            i,
            equation(self.nodes[i], self.graph),
            self.words(i),
            (self.line(i, short),),
            (self.line(i, exact),),
            frozenset({i}),
            {MOVES: found},
            sums,
            passed,
        )

    def is_product(self, i: int) -> bool:
        """Whether the tangent of a node is a sum of products of numbers, by an operation of the package."""
        numbers = all(self.is_number(j) for _, j in self.walk.places(i))
        return numbers and self.is_number(i) and is_ours(self.walk.operation(i))

    def uses(self, i: int) -> list[Use]:
        """The uses along which a node gets its tangent."""
        return [use for use in self.motion.parts if use[0] == i]

    def operand(self, use: Use) -> int:
        """The node that is used."""
        return dict(self.walk.places(use[0]))[use[1]]

    def factors(self, use: Use) -> tuple[Any, Any]:
        """The local slope of one use of a node, and the node's tangent."""
        return contributions(self.walk.order[use[0]])[use[1]], self.motion.tangents[self.operand(use)]

    def calculation(self, i: int, write: Write) -> str:
        """The tangent of a node from those of its operands: `10 · 1 + 4 · 3 = 22`."""
        if not self.is_product(i):
            return self.value(i, write)
        return products([self.factors(use) for use in self.uses(i)], self.motion.tangents[i], write)

    def words(self, i: int) -> str:
        """The words of one step."""
        names = list(dict.fromkeys(self.nodes[self.operand(use)].name for use in self.uses(i)))
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        made = f": {self.calculation(i, short)}" if self.is_product(i) else ""
        return f"{self.nodes[i].name} moves because {listed} move{'s' * (len(names) == 1)}{made}."

    def line(self, i: int, write: Write) -> str:
        """The symbols of one step: `tangent of b = ∂b/∂a · tangent of a = 3 · 1 = 3`."""
        return f"tangent of {self.nodes[i].name} = {self.formula(i)}{self.calculation(i, write)}"

    def formula(self, i: int) -> str:
        """The rule of an elementwise operation in symbols; empty for any other."""
        operation = known(self.walk.operation(i))
        if operation is None or operation.kind != "elementwise" or not is_ours(operation):
            return ""
        terms = []
        for use in self.uses(i):
            j = self.operand(use)
            local = slope(self.nodes[i].name, self.use(*use, j))
            terms.append(f"{local} {TIMES} tangent of {self.nodes[j].name}")
        return " + ".join(terms) + " = "

    def value(self, i: int, write: Write) -> str:
        """A tangent as text."""
        tangent = self.motion.tangents[i]
        return write(tangent) if self.is_number(i) else array_text(tangent, write)


class Both(Forth):
    """Tangents forward, then gradients back, and finally both side by side."""

    direction = "both"
    rows = (MOVES, "grad")

    def steps(self) -> list[Step]:
        """The steps forward, the steps back, and the one in which the two meet."""
        forth = super().steps()
        found = forth[-1].known
        back = Backward(self.walk, self.graph, Window(self.chosen, self.shown)).steps()
        back = [replace(step, known={**found, **step.known}) for step in back]
        back[0] = replace(back[0], title="way back")
        return [*forth, *back, *self.meeting(back[-1])]

    def meeting(self, last: Step) -> list[Step]:
        """The step in which the tangent of the end is seen to be the gradients times the moves."""
        grads, end = last.known["grad"], len(self.nodes) - 1
        moved = [i for i in self.moves if i in self.shown and i in grads]
        if end not in self.motion.tangents or end not in self.shown or len(moved) != len(self.moves):
            return []

        def told(write: Write) -> str:
            terms = [f"{self.slope_of(i)} {TIMES} move of {self.nodes[i].name}" for i in moved]
            terms = [term if self.is_number(i) else f"sum({term})" for i, term in zip(moved, terms)]
            made = write(self.motion.tangents[end])
            if all(map(self.is_number, moved)):
                pairs = [(grads[i].numbers, self.moves[i]) for i in moved]
                made = products(pairs, self.motion.tangents[end], write)
            return f"{' + '.join(terms)} = {made} = tangent of {self.end}"

        words = (
            f"Both ways give the same number. Forward, {self.end} moves at {self.value(end, short)}. "
            "Backward, that is each gradient times its move, added up. One pass forward tells what one way "
            "to move does, and one pass back tells it for all ways."
        )
        receivers = frozenset([*moved, end])
        return [
            replace(
                last,
                active=None,
                title="both meet",
                words=words,
                symbols=(told(short),),
                lines=(told(exact),),
                receivers=receivers,
                passed={},
            )
        ]

    def slope_of(self, i: int) -> str:
        """The notation of a gradient."""
        return slope(self.end, self.nodes[i].name)
