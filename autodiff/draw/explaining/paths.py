"""The paths from the end of a graph back to one node: how many there are, which, and the slopes along them.

Counting comes first and costs one look at each arrow. Listing is for graphs with few paths: every node at
which two paths meet may double their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

import numpy as np

from ...engine.backward import gradients
from ...engine.recording import enable_grad
from ...engine.tensor import Tensor
from ..graph.as_text import attribute, number, word
from ..graph.records import NEEDED, creators_of, is_node, walk
from ..graph.slopes import contributions, plain

# A graph of a hundred thousand nodes may have 2 to the power of a hundred thousand paths. As Decimal that
# takes no more room than any number, and up to 60 digits it is exact.
COUNTING = Context(prec=60, Emax=10**17, Emin=-(10**17), traps=[])
WRITTEN_OUT = 10**15  # a count from here on is told by its size
SUMMED = 8  # terms of which a sum is written out
ORDINALS = ("1st", "2nd", "3rd")


@dataclass(frozen=True, slots=True)
class Arrow:
    """One step back: from a node to one of its operands. `twin` counts the places before this one at which
    the node holds the same operand: 0 and 1 for the two arrows of `x * x`."""

    node: int
    place: int
    operand: int
    twin: int = 0
    has_twin: bool = False


@dataclass(frozen=True, slots=True)
class Paths:
    """What lies between the end of a graph and one node behind it.

    `order` is the whole graph, creators first. `between` are the indices of the nodes on a path, from the
    target to the end, and `arrows` leads from each of them to the operands by which the target is reached.
    `counts` says how many paths lead from a node back to the target, and `steps` how many arrows these paths
    have in all.
    """

    order: Sequence[object]
    target: int
    between: tuple[int, ...]
    arrows: dict[int, tuple[Arrow, ...]]
    counts: dict[int, Decimal]
    steps: dict[int, Decimal]

    @property
    def end(self) -> int:
        """The index of the graph's end."""
        return len(self.order) - 1

    @property
    def count(self) -> Decimal:
        """How many paths there are."""
        return self.counts[self.end]

    @property
    def arrow_count(self) -> int:
        """How many arrows the paths use, each counted once: the work of one walk back."""
        return sum(map(len, self.arrows.values()))

    @property
    def are_numbers(self) -> bool:
        """Whether every node on a path holds a single number."""
        return all(np.ndim(plain(self.order[i].data)) == 0 for i in self.between)  # type: ignore[attr-defined]


def wanted(thing: object, who: str, what: str) -> None:
    """Raise TypeError, in the voice of the function `who`, unless `thing` is a node of a graph."""
    if is_node(thing):
        return
    if isinstance(thing, type):
        raise TypeError(f"{who} wants {what}, and {thing.__name__} is a class: give it a Tensor")
    missing = ", ".join(name for name in NEEDED if not hasattr(thing, name))
    raise TypeError(
        f"{who} wants {what}: a Tensor, or an object with {', '.join(NEEDED)}; {word(thing)} is of type "
        f"{type(thing).__name__} and has no {missing}"
    )


def find(end: object, target: object) -> Paths | None:
    """What lies between `end` and `target`; None if no path leads from the one back to the other.

    >>> import autodiff as ad
    >>> x = ad.Tensor(2)
    >>> h = x * x
    >>> between = find(h + h * h, x)
    >>> between.count, between.arrow_count, len(between.between)
    (Decimal('6'), 6, 4)
    """
    order = walk(end)
    index = {id(node): i for i, node in enumerate(order)}
    start = index.get(id(target))
    if start is None:
        return None
    counts, steps = {start: Decimal(1)}, {start: Decimal(0)}
    arrows: dict[int, tuple[Arrow, ...]] = {start: ()}
    for i, node in enumerate(order[start + 1 :], start + 1):
        places = [(place, index[id(c)]) for place, c in enumerate(creators_of(node)) if id(c) in index]
        ways = [(place, j) for place, j in places if j in counts and _takes_a_gradient(order[j])]
        if ways:
            operands = [j for _, j in ways]
            arrows[i] = tuple(
                Arrow(i, place, j, operands[:k].count(j), operands.count(j) > 1)
                for k, (place, j) in enumerate(ways)
            )
            counts[i] = steps[i] = Decimal(0)
            for j in operands:
                counts[i] = COUNTING.add(counts[i], counts[j])
                steps[i] = COUNTING.add(steps[i], COUNTING.add(steps[j], counts[j]))
    last = len(order) - 1
    if last not in counts:
        return None
    # A node may lead back to the target without lying on the way from the end: behind a constant, say.
    reached = {last}
    for i in sorted(arrows, reverse=True):
        if i in reached:
            reached.update(arrow.operand for arrow in arrows[i])
    between = tuple(sorted(reached))
    return Paths(order, start, between, {i: arrows[i] for i in between}, counts, steps)


def listed(paths: Paths) -> list[tuple[Arrow, ...]]:
    """Every path as its arrows from the end to the target, in the order in which contributions arrive there.

    There are `paths.count` of them: look at that first.
    """
    # A path is a chain of pairs (its last arrow, the path before it), so that what is common is kept once.
    ways: dict[int, list[Any]] = {i: [] for i in paths.between}
    ways[paths.end].append(None)
    for i in reversed(paths.between):
        before: dict[int, list[Arrow]] = {}
        for arrow in paths.arrows[i]:
            before.setdefault(arrow.operand, []).append(arrow)
        for operand, twins in before.items():
            ways[operand] += [(arrow, way) for way in ways[i] for arrow in twins]
    found = []
    for way in ways[paths.target]:
        path: list[Arrow] = []
        while way is not None:
            arrow, way = way
            path.append(arrow)
        found.append(tuple(reversed(path)))
    return found


def local_slopes(paths: Paths) -> dict[Arrow, float]:
    """The local slope on each arrow of the paths, where all nodes are numbers."""
    slopes: dict[Arrow, float] = {}
    for i, arrows in paths.arrows.items():
        if arrows:
            passed = passed_on(paths.order[i])
            slopes.update((arrow, float(passed[arrow.place])) for arrow in arrows)
    return slopes


def gradient(paths: Paths) -> float:
    """The gradient of the target by one walk back from the end, where all nodes are numbers."""
    end: Any = paths.order[paths.end]
    if isinstance(end, Tensor):
        target: Any = paths.order[paths.target]
        return float(gradients(end, [target])[0].data)
    arrived = dict.fromkeys(paths.between, 0.0)
    arrived[paths.end] = 1.0
    slopes = local_slopes(paths)
    for i in reversed(paths.between):
        for arrow in paths.arrows[i]:
            arrived[arrow.operand] += arrived[i] * slopes[arrow]
    return arrived[paths.target]


def passed_on(node: object, grad: Any = 1.0) -> list[Any]:
    """What each operand of a node receives; also inside `no_grad`, and with the node in the error's text."""
    try:
        with enable_grad():
            return contributions(node, grad)
    except ValueError as error:
        data = number(plain(node.data)) if np.ndim(plain(node.data)) == 0 else "an array"  # type: ignore[attr-defined]
        raise ValueError(
            f"no slopes are known for the operation {word(attribute(node, 'creation_op'))} of the node that "
            f"holds {data}: {error}"
        ) from error


def told(count: Decimal) -> str:
    """A count in words: exact as long as that can be read, with the power of two where it is one.

    >>> told(Decimal(6)), told(Decimal(2**20)), told(Decimal(2**100)), told(Decimal(3**50))
    ('6', '1,048,576 (2^20)', '2^100', 'about 7 * 10^23')
    """
    power = _power_of_two(count)
    if count < WRITTEN_OUT:
        return f"{int(count):,}" + (f" (2^{power})" if power is not None and power >= 4 else "")
    if power is not None:
        return f"2^{power}"
    rounded = COUNTING.create_decimal(f"{count:.0e}")
    digit = rounded.as_tuple().digits[0]
    return f"about {'' if digit == 1 else f'{digit} * '}10^{rounded.adjusted()}"


def added(terms: Sequence[float]) -> str:
    """A sum as one writes it by hand: `12 + 10`, `5 - 3`.

    >>> added([12.0, 10.0]), added([5.0, -3.0]), added([1.0] * 20)
    ('12 + 10', '5 - 3', 'the sum of 20')
    """
    if len(terms) > SUMMED:
        return f"the sum of {len(terms)}"
    first, *rest = map(number, terms)
    return first + "".join(f" - {term[1:]}" if term.startswith("-") else f" + {term}" for term in rest)


def ordinal(i: int) -> str:
    """Which of the places at which an operation holds the same operand.

    >>> ordinal(0), ordinal(4)
    ('1st', '5th')
    """
    return ORDINALS[i] if i < len(ORDINALS) else f"{i + 1}th"


def _power_of_two(count: Decimal) -> int | None:
    if count.adjusted() >= COUNTING.prec - 1:
        return None
    whole = int(count)
    return whole.bit_length() - 1 if whole > 0 and whole & (whole - 1) == 0 else None


def _takes_a_gradient(node: object) -> bool:
    return attribute(node, "requires_grad") is not False
