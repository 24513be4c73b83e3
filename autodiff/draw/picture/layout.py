"""The direction of a picture if none was given: from left to right, unless that is too wide for a page.

The width is estimated from the text, without a layout engine, so that the same graph has the same direction
everywhere, in Mermaid too.
"""

from __future__ import annotations

from ..graph.as_text import Value
from ..graph.records import Graph, Node, Piece
from ..look import Look
from ..words.equations import slope_text
from ..words.folded import piece_facts, piece_name

# Sizes in Graphviz's points, as `dot.py` sets them: a character in a box (between those of Helvetica and of
# DejaVu Sans, its usual substitute), a character beside an arrow, the margins of a box, the circle of an
# operation, and the gaps between ranks and within a rank.
CHARACTER, LABEL, MARGIN, CIRCLE, RANK_GAP, GAP = 6.5, 5.2, 22.0, 21.0, 21.6, 14.4
PAGE = 680.0  # the width that a notebook shows without shrinking it much
MOST = 300  # nodes; a larger picture cannot be read in any direction
CLEARLY = 0.75  # the other direction must be narrower than this fraction


def direction(graph: Graph, look: Look) -> str:
    """LR or TB: the direction that was given, else the one that is easier to read at the width of a page."""
    if look.direction != "auto":
        return look.direction
    if len(graph.nodes) > MOST:
        return "LR"
    across, down = widths(graph, look)
    return "TB" if across > PAGE and down < CLEARLY * across else "LR"


def widths(graph: Graph, look: Look) -> tuple[float, float]:
    """The estimated widths of a picture from left to right, and of one from top to bottom."""
    items = graph.items()
    operands = {
        item.index: [graph.shown_as(o) for o in item.operands if isinstance(o, int)] for item in items
    }
    level: dict[int, int] = {}
    first_use: dict[int, int] = {}
    for item in items:
        behind = [level[o] + 1 for o in operands[item.index] if o in level]
        made = isinstance(item, Piece) or item.operation is not None
        here = level[item.index] = max([1 if made else 0, *behind])
        for o in operands[item.index]:
            first_use[o] = min(first_use.get(o, here), here)
    ranks: dict[int, list[float]] = {}
    labels: dict[int, float] = {}
    for item in items:
        made = isinstance(item, Piece) or item.operation is not None
        # A leaf is placed right before its first user.
        rank = level[item.index] if made else first_use.get(item.index, 1) - 1
        ranks.setdefault(rank, []).append(_width(item, look))
        if isinstance(item, Node) and item.slopes:
            lengths = [len(slope_text(item, k, graph, look)) for k in range(len(item.operands))]
            labels[rank] = max(labels.get(rank, 0.0), LABEL * max(lengths) + GAP)
    gaps = 2 * RANK_GAP + CIRCLE
    across = sum(max(boxes) for boxes in ranks.values()) + gaps * (len(ranks) - 1) + sum(labels.values())
    down = max(sum(boxes) + GAP * (len(boxes) - 1) for boxes in ranks.values())
    return across, down


def _width(item: Node | Piece, look: Look) -> float:
    if isinstance(item, Piece):
        return MARGIN + CHARACTER * max(map(len, [piece_name(item), *piece_facts(item)]))
    texts = [2 + _length(v) for part, v in (("data", item.data), ("grad", item.grad)) if part in look.show]
    head = len(item.name) if item.is_named else 0
    return MARGIN + CHARACTER * max([head, *texts])


def _length(value: Value) -> int:
    if value.table:
        return sum(max(map(len, column)) + 1 for column in zip(*value.table))
    return max(len(value.line), len(value.statistics) - 8 if value.is_shape else 0)
