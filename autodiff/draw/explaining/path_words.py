"""Paths in words: their nodes, their slopes in symbols and in numbers, their sum, and what to say if there
are too many."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from ..graph.as_text import attribute, number, value_of
from ..graph.names import Names
from ..graph.walk import plain
from ..words.columns import columns
from ..words.counts import SUMMED, count_text, ordinal, sum_text, whole_number
from ..words.notation import TIMES, partial, product
from .paths import Arrow, Products, milestones

LENGTH = 6  # arrows of a path that are written out
TOLERANCE = 1e-6


class PathWords:
    """The texts about paths, for the table and for the picture."""

    def __init__(self, found: Products, names: Names) -> None:
        self.found, self.names = found, names
        self.paths = paths = found.paths
        self.end = names[paths.end]
        self.target = names[paths.target]
        self.grad = attribute(paths.walk.order[paths.target], "grad")

    def head(self) -> str:
        """How many paths there are."""
        count = self.paths.count
        lead = "1 path leads" if count == 1 else f"{count_text(count)} paths lead"
        return f"{lead} from {self.end} back to {self.target}"

    def path(self, way: Sequence[Arrow]) -> str:
        """A path from the end back: `e <- d <- b <- a`."""
        return " <- ".join([self.end, *shortened([self.operand(arrow) for arrow in way])])

    def operand(self, arrow: Arrow) -> str:
        """The node that an arrow leads to, with its number if several arrows lead there from one node."""
        name = self.names[arrow.operand]
        return name if arrow.twin is None else f"{ordinal(arrow.twin)} {name}"

    def symbol(self, arrow: Arrow) -> str:
        """The local slope on an arrow: `∂e/∂d`."""
        return partial(self.names[arrow.node], self.operand(arrow))

    def symbols(self, way: Sequence[Arrow]) -> str:
        """The product along a path in symbols."""
        return f" {TIMES} ".join(shortened([self.symbol(arrow) for arrow in way]))

    def product(self, way: Sequence[Arrow]) -> str:
        """The product along a path in numbers."""
        return product(shortened([number(self.found.slopes[arrow]) for arrow in way]))

    def table(self) -> list[str]:
        """The lines of the explanation."""
        if not self.found.is_listed:
            return self.many()
        return self.shapes() if self.found.total is None else self.numbers(self.found.total)

    def sentence(self) -> str:
        """What the picture shows, for readers who cannot see it."""
        found = self.found
        paths = [
            f"{self.path(way)}: {self.product(way)} = {number(product)}"
            for way, product in zip(found.ways, found.products)
        ]
        end = [] if found.total is None else [f"together {number(found.total)}"]
        return "; ".join([self.head(), *paths[:SUMMED], *end]) + "."

    def numbers(self, total: float) -> list[str]:
        """The table of paths between numbers."""
        ways, products = self.found.ways, self.found.products
        rows = [("path", "local slopes", "in numbers", "product")]
        for way, value in zip(ways, products):
            rows.append((self.path(way), self.symbols(way), self.product(way), number(value)))
        if len(ways) > 1:
            rows.append(("together", "", sum_text(products), number(total)))
        rows.append((f"{self.target}.grad", "", "", value_of(self.grad).line))
        return [self.head(), "", *columns(rows, right=[3])]

    def shapes(self) -> list[str]:
        """The table of paths between arrays."""
        ways = self.found.ways
        rows = [("path", "shapes")]
        for way in ways:
            shapes = shortened([self.shape(arrow.operand) for arrow in way])
            rows.append((self.path(way), " <- ".join([self.shape(self.paths.end), *shapes])))
        given = "-" if self.grad is None else str(np.shape(plain(self.grad)))
        rows.append((f"{self.target}.grad", given))
        target = self.shape(self.paths.target)
        which, more = ("This", "") if len(ways) == 1 else ("Each", "; together they are the gradient")
        says = f"{which} path passes back a contribution of {self.target}'s shape {target}{more}."
        return [self.head(), "", *columns(rows), "", says]

    def shape(self, i: int) -> str:
        """The shape of what a node holds, as text: `()` for a number."""
        return str(np.shape(self.paths.walk.data(i)))

    def many(self) -> list[str]:
        """The number of paths beside the number of nodes."""
        paths, total = self.paths, self.found.total
        rows = [("from", "nodes", "paths")]
        rows += [(self.names[i], f"{nodes:,}", count_text(paths.counts[i])) for i, nodes in milestones(paths)]
        by_path, by_walk = count_text(paths.steps[paths.end]), f"{paths.arrow_count:,}"
        says = [
            f"Path by path: {by_path} local slopes to multiply.",
            f"Walking back: {by_walk}, one on each arrow.",
        ]
        if total is not None:
            says.append(f"The gradient that arrives: {whole_number(total)}.")
        return [f"{self.head()}: too many to list", "", *columns(rows, right=[1, 2]), "", *says]

    def warning(self) -> list[str]:
        """What to say if the node's gradient is not the one that its paths give."""
        held, total = plain(self.grad), self.found.total
        if total is None or not isinstance(held, (int, float)) or is_close(held, total):
            return []
        difference = f"{self.target}.grad is {number(held)}, and the paths give {number(total)}"
        alone = [way for way, product in zip(self.found.ways, self.found.products) if is_close(held, product)]
        start = plain(attribute(self.paths.walk.order[-1], "grad"))
        if isinstance(start, (int, float)) and start != 1 and is_close(held, start * total):
            times = number(start)
            why = f"{self.end}.grad is {times}, not 1, and all behind it is {times} times as much.\n"
            why += "Gradients add up over walks back: clear them before the next one."
        elif len(alone) == 1:
            why = f"{self.path(alone[0])} alone gives {number(held)}. What arrives has to be added up."
        else:
            why = (
                f"clear the gradients and walk back once from {self.end}; then compare({self.end}) says more."
            )
        return ["", f"{difference}:", why]

    def legend(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """The paths as the rows of a table below the picture, each in its colour, and their sum."""
        products = self.found.products
        rows: list[tuple[tuple[str, ...], str]] = []
        for i, (way, value) in enumerate(zip(self.found.ways, products or repeat(None))):
            cells = [self.path(way).replace("<-", "\N{LEFTWARDS ARROW}")]
            if value is not None:
                cells += [f"{words} =" if words else "" for words in (self.symbols(way), self.product(way))]
                cells.append(number(value))
            rows.append((tuple(cells), f"path{i}"))
        if len(products) > 1:
            rows.append((("together", "", f"{sum_text(products)} =", number(sum(products))), "page"))
        return tuple(rows)

    def glimpse(self, kept: set[int]) -> list[str]:
        """The lines below a picture that does not tell the paths apart."""
        lines = [self.head()]
        shown = sum(i in kept for i in self.paths.between)
        if shown < len(self.paths.between):
            lines.append(f"shown are the last {shown:,} of the {len(self.paths.between):,} nodes on them")
        return lines


def shortened(parts: list[str]) -> list[str]:
    """A long row of parts with its middle left out.

    >>> shortened(list("abcdefghij"))
    ['a', 'b', 'c', '... 5 more ...', 'i', 'j']
    """
    if len(parts) <= LENGTH:
        return parts
    return [*parts[:3], f"... {len(parts) - 5:,} more ...", *parts[-2:]]


def is_close(x: float, y: float) -> bool:
    """Whether two gradients are equal up to rounding."""
    return bool(np.isclose(x, y, rtol=TOLERANCE, atol=1e-12, equal_nan=True))
