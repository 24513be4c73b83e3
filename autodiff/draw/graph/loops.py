"""Where a recorded graph went round in a loop: the same operations again, wired in the same way.

A recorded graph is the trace of a program, and a loop leaves a stretch in it that repeats with some period.
Here such stretches are found in a list of labels with operands given by place; nothing here knows Tensors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

PERIODS = 24  # tried in one stretch, those that promise most
WIRES = 3  # operands compared of each node
SPANS = (1, 4, 16)  # labels in a row that are looked for again
PRIME = 1_000_003
SHORT = 24  # a stretch of no more nodes than these is read as it is

Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def rounds(
    labels: Sequence[int], operands: Sequence[Sequence[int]], least: int
) -> list[tuple[int, int, int]]:
    """The loops in a graph: where each begins, how many nodes a round has, how often it goes round.

    Between loops, and in the first round of each, smaller loops are looked for. No two overlap, except that
    one may lie in the first round of another. The last node stays out of all.

    >>> rounds([0, 1, 1, 1, 1, 1, 1, 2], [[], [0], [1], [2], [3], [4], [5], [6]], least=4)
    [(1, 1, 6)]
    """
    total = len(labels)
    label = np.asarray(labels, dtype=np.int64)
    back, live = _wires(operands)
    found: list[tuple[int, int, int]] = []
    stretches = [(0, total - 1)]
    while stretches:
        low, high = stretches.pop()
        best = _best(label, back, live, low, high, least) if high - low > least else None
        if best is None:
            continue
        start, length, count = best
        found.append(best)
        stretches.append((low, start))
        if length > SHORT:
            stretches.append((start, start + length))
        stretches.append((start + length * count, high))
    return sorted(found)


def _wires(operands: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """How far back each node's operands lie, 0 for none; and how many values are still needed after each
    node: a round is best cut where there are fewest."""
    total = len(operands)
    back = np.zeros((WIRES, total), dtype=np.int64)
    last_use = np.arange(total)
    for i, places in enumerate(operands):
        for k, j in enumerate(places):
            if k < WIRES:
                back[k, i] = i - j if j < i else total  # what is folded may stand behind its users
            last_use[j] = max(i, j)
    made = np.array([bool(places) for places in operands])
    crossing = np.zeros(total + 1, dtype=np.int64)
    np.add.at(crossing, np.arange(total)[made] + 1, 1)
    np.add.at(crossing, np.minimum(last_use[made] + 1, total), -1)
    return back, np.cumsum(crossing)[:total]


def _best(
    label: Ints, back: Ints, live: Ints, low: int, high: int, least: int
) -> tuple[int, int, int] | None:
    """The loop between two places that saves most nodes."""
    best, saved = None, 0
    for period in _periods(label[low:high], least):
        a, b = slice(low, high - period), slice(low + period, high)
        equal = label[a] == label[b]
        for wire in back:
            # Equally far back; or before this round, where what is shared by all rounds lies further back
            # each time.
            outside = (wire[a] >= period) & (wire[b] >= period)
            equal &= (wire[a] == wire[b]) | outside
        edges = np.flatnonzero(np.diff(np.concatenate(([0], equal.view(np.int8), [0]))))
        begins, ends = edges[::2] + low, edges[1::2] + low
        enough = ends - begins >= max(period * (least - 1), saved - period + 1)
        for begin, end in zip(begins[enough], ends[enough]):
            cuts = live[begin : begin + min(period, end - begin - period * (least - 1) + 1)]
            start = int(begin + np.argmin(cuts))
            count = (int(end) + period - start) // period
            if (count - 1) * period > saved:
                best, saved = (start, period, count), (count - 1) * period
    return best


def _periods(label: Ints, least: int) -> list[int]:
    """Periods worth trying: how far it is from a label to its next, by how many nodes that would explain."""
    gaps = []
    for span in SPANS:  # the longer the run of labels that is looked for again, the rarer it is
        words = label.copy()
        for k in range(1, min(span, len(label))):
            words[k:] = words[k:] * PRIME + label[:-k]
        order = np.argsort(words, kind="stable")
        gap = np.diff(order)[words[order][1:] == words[order][:-1]]
        gaps.append(gap[gap <= len(label) // least])
    period, often = np.unique(np.concatenate(gaps), return_counts=True)
    promise = period * often
    chosen = np.argsort(-promise, kind="stable")[:PERIODS]
    return sorted(int(period[i]) for i in chosen)
