"""Two graphs side by side: which node of one stands for which of the other, and where they first differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..graph.as_text import attribute
from ..graph.signs import known
from ..graph.walk import Walk, plain

RTOL, ATOL = 1e-5, 1e-8


class Unlike(NamedTuple):
    """A node of the reader's graph that was recorded differently: in which respect, what was expected, and
    what was found."""

    node: int
    kind: str  # "operation", "operands" or "data"
    expected: Any
    found: Any


@dataclass
class Pairs:
    """The nodes of the package's graph that those of the reader's stand for, by index, and the first thing
    that was recorded differently, if there is one."""

    mates: dict[int, int] = field(default_factory=dict)
    unlike: Unlike | None = None


def pair(reference: Walk, judged: Walk) -> Pairs:
    """Pair the nodes of two graphs from their ends back, until something is unlike."""
    pairs = Pairs()
    mates = pairs.mates
    paired: set[int] = set()  # the nodes of the package's graph that are paired already
    todo = [(reference.end, judged.end)]
    while todo and pairs.unlike is None:
        j, i = todo.pop()
        if mates.get(i) == j:
            continue
        if i in mates or j in paired:
            right, held = ("one node", "two") if j in paired else ("two nodes", "one and the same")
            pairs.unlike = Unlike(i, "operands", right, held)
            return pairs
        mates[i] = j
        paired.add(j)
        pairs.unlike = _unlike_operation(reference, j, judged, i)
        judged_at = dict(judged.places(i))
        both = [(k, judged_at[place]) for place, k in reference.places(j) if place in judged_at]
        todo += reversed(both)
    pairs.unlike = pairs.unlike or _unlike_data(reference, judged, mates)
    return pairs


def _unlike_operation(reference: Walk, j: int, judged: Walk, i: int) -> Unlike | None:
    """The operations of two paired nodes, or the numbers of their operands, if these differ."""
    expected, found = _operation(reference, j), _operation(judged, i)
    if expected != found:
        return Unlike(i, "operation", expected, found)
    counts = len(reference.creators[j]), len(judged.creators[i])
    return Unlike(i, "operands", f"{counts[0]} operands", f"{counts[1]}") if counts[0] != counts[1] else None


def _operation(walk: Walk, i: int) -> str:
    operation = walk.operation(i)
    return str(known(operation) or operation) if walk.creators[i] else "a leaf"


def _unlike_data(reference: Walk, judged: Walk, mates: dict[int, int]) -> Unlike | None:
    """The first data that differ, creators first: there the calculation went wrong."""
    for i, j in sorted(mates.items()):
        expected, found = reference.data(j), plain(attribute(judged.order[i], "data"))
        if not is_same(found, expected):
            return Unlike(i, "data", expected, found)
    return None


def is_same(held: Any, right: Any) -> bool:
    """Whether two numbers or arrays are equal up to rounding; a missing gradient counts as zeros."""
    if held is None:
        return not np.any(right)
    if np.shape(held) != np.shape(right):
        return False
    try:
        return bool(np.allclose(held, right, rtol=RTOL, atol=ATOL, equal_nan=True))
    except TypeError:  # a word where a number should be
        return False
