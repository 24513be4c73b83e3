"""Which data of a graph are newer than what was computed from them: after a step of an optimizer, a weight
stands beside products of the weight that it was before."""

from __future__ import annotations

from ...engine.tensor import Tensor
from .records import BEFORE, CHANGED
from .walk import Walk


def ages(walk: Walk) -> dict[int, str]:
    """The age of each node whose data were changed after use, and of all that was computed before that.

    >>> import autodiff as ad
    >>> from autodiff.draw.graph.walk import walk
    >>> w = ad.Tensor(3.0)
    >>> y = w * 2 + 1
    >>> w.data = 4.0
    >>> ages(walk(y))
    {0: 'changed since', 1: 'from before', 2: 'from before'}
    """
    found: dict[int, str] = {}
    edits = [node._edit if isinstance(node, Tensor) else 0 for node in walk.order]
    for i, edit in enumerate(edits):
        for j in walk.operands(i):
            if edits[j] > edit:
                found[j] = CHANGED
                found[i] = BEFORE
            elif found.get(j) == BEFORE:
                found[i] = BEFORE
    return found
