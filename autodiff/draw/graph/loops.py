"""Where the calculation ran in a loop: the same operations repeat, connected in the same way.

A recorded graph is the trace of a program, and a loop in the program leaves a stretch that repeats with some
period. This module finds such stretches in a list of labels, with operands given by index.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

PERIODS = 24  # tried in one stretch: the most promising ones
WIRES = 3  # operands of each node that are compared
SPANS = (1, 4, 16)  # how many labels in a row are looked for again
PRIME = 1_000_003
SHORT = 24  # a round of up to this many nodes is easy to read as it is

Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def rounds(
    labels: Sequence[int], operands: Sequence[Sequence[int]], least: int
) -> list[tuple[int, int, int]]:
    """The loops in a graph: where each begins, how many nodes a round has, and how many rounds there are.

    The search goes on between the loops found, and inside the first round of each. Loops do not overlap,
    except that one may lie in the first round of another. The last node belongs to no loop.

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
    """How far back the operands of each node lie (0 for none), and how many values are still needed after
    each node: a round is best cut where these are fewest."""
    total = len(operands)
    back = np.zeros((WIRES, total), dtype=np.int64)
    last_use = np.arange(total)
    for i, places in enumerate(operands):
        for k, j in enumerate(places):
            if k < WIRES:
                back[k, i] = i - j if j < i else total  # what is folded may come after its users
            last_use[j] = max(i, j)
    made = np.array([bool(places) for places in operands])
    crossing = np.zeros(total + 1, dtype=np.int64)
    np.add.at(crossing, np.arange(total)[made] + 1, 1)
    np.add.at(crossing, np.minimum(last_use[made] + 1, total), -1)
    return back, np.cumsum(crossing)[:total]


def _best(
    label: Ints, back: Ints, live: Ints, low: int, high: int, least: int
) -> tuple[int, int, int] | None:
    """The loop between two indices that saves the most nodes."""
    best, saved = None, 0
    for period in _periods(label[low:high], least):
        a, b = slice(low, high - period), slice(low + period, high)
        equal = label[a] == label[b]
        for wire in back:
            # Two nodes are alike if their operands lie equally far back, or both lie before their round:
            # what all rounds share lies further back each time.
            outside = (wire[a] >= period) & (wire[b] >= period)
            equal &= (wire[a] == wire[b]) | outside
        edges = np.flatnonzero(np.diff(np.concatenate(([0], equal.view(np.int8), [0]))))
        begins, ends = edges[::2] + low, edges[1::2] + low
        enough = ends - begins >= max(period * (least - 1), saved - period + 1)
        for begin, end in zip(begins[enough], ends[enough]):
            cuts = live[begin : begin + min(period, end - begin - period * (least - 1) + 1)]
            # If the loop goes on to the last node, the best of equally good cuts leaves it a whole round.
            reaches_end = end + period == len(label) - 1
            whole = (len(label) - begin - np.arange(len(cuts))) % period == 0
            start = int(begin + np.argmin(2 * cuts - (whole & reaches_end)))
            count = (int(end) + period - start) // period
            if (count - 1) * period > saved:
                best, saved = (start, period, count), (count - 1) * period
    return best


def _periods(label: Ints, least: int) -> list[int]:
    """Periods worth trying: distances from a label to its next occurrence, those that explain most nodes."""
    gaps = []
    for span in SPANS:  # the longer the run of labels, the rarer it is
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
