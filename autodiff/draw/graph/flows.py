"""How much gradient flows back along each edge of a graph, for pictures of streams.

One walk back finds the contributions. It begins with ones at the end, and no `.grad` is read or changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .as_text import Pending, brief
from .fold import View
from .records import Flow, Flows
from .slopes import walk_back
from .walk import Walk


def flow_of(value: Any) -> Flow:
    """The flow of one contribution.

    >>> flow_of(-4.0), flow_of(np.array([3.0, -1.0, 0.0, 0.0])).above
    (Flow(size=4.0, above=0.0, text='-4'), 0.75)
    """
    array = np.asarray(value, dtype=float)
    with np.errstate(all="ignore"):
        # The elements are divided by the largest, so that their squares neither overflow nor vanish.
        most = float(np.abs(array).max(initial=0.0))
        scaled = array / most if most and np.isfinite(most) else array
        size = most * float(np.sqrt(np.mean(scaled * scaled))) if array.size and np.isfinite(most) else most
        above, below = float(scaled.clip(min=0).sum()), float(-scaled.clip(max=0).sum())
    part = above / (above + below) if above + below else None
    return Flow(size, part, brief(float(array)) if array.ndim == 0 else f"rms {brief(size)}")


def flows_of(walk: Walk, view: View) -> Flows:
    """The flows along all edges that a view shows.

    What flows from a piece, which stands for many nodes, to one operand is added up. Raises ValueError at a
    node whose operation is not in the catalogue, or for a graph without data.
    """
    _check_data(walk)
    kept = set(view.kept)
    edges: dict[tuple[int, int], Flow] = {}
    arriving: dict[int, Flow] = {}
    totals: dict[tuple[int, int], Any] = {}
    for visit in walk_back(walk, np.ones(np.shape(walk.data(walk.end)))):
        i = visit.node
        if i in kept:
            arriving[i] = flow_of(visit.grad)
            edges |= {(i, one.place): flow_of(one.value) for one in visit.contributions}
        elif view.item[i] in view.groups:
            for one in visit.contributions:
                key = view.item[i], one.operand
                totals[key] = totals[key] + one.value if key in totals else one.value
    pieces: dict[tuple[int, int], Flow] = {}
    for (item, operand), total in totals.items():
        flow, shown = flow_of(total), (item, view.item[operand])
        if shown not in pieces or pieces[shown].size < flow.size:
            pieces[shown] = flow
    return Flows(edges, pieces, arriving)


def _check_data(walk: Walk) -> None:
    """Raise ValueError if a node has not been computed yet."""
    if any(isinstance(node.data, Pending) for node in walk.order):
        raise ValueError(
            "flow=True shows how much gradient flows, and this graph has no data yet: run it first, or draw "
            "it without flow"
        )
