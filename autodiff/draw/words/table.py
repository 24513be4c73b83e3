"""A graph in words: the table that is its `text/plain`, and a sentence for readers who see no picture.

The table is the same in every run and on every machine: no addresses, no layout.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.as_text import NOTHING
from ..graph.records import Piece, ShownGraph, ShownNode
from ..look import Look
from .columns import columns
from .equations import equation, slope_text
from .folded import piece_facts, piece_line, piece_name, remarks

SLOPES = "local slopes"
FLOW = "passed back"
NAMED = 12  # nodes named one by one in the sentence


def table(graph: ShownGraph, look: Look) -> str:
    """A header, and one row per node, creators before what they make.

    A piece, which stands for many nodes, has a line of its own, and remarks are below.
    """
    shown = [*look.show, *([SLOPES] if look.slopes else []), *([FLOW] if look.flow else [])]
    rows = [("node", *shown)]
    rows += [(equation(node, graph), *_cells(node, shown, graph, look)) for node in graph.nodes]
    # Numbers line up at their last digit; columns with arrays are easier to read from a common left edge.
    right = [i for i, column in enumerate(shown, start=1) if _has_numbers_only(column, graph)]
    header, *lines = columns(rows, right)
    line_of = {node.index: line for node, line in zip(graph.nodes, lines)}
    body = [
        piece_line(item, graph) if isinstance(item, Piece) else line_of[item.index] for item in graph.items()
    ]
    more = [f"... and {graph.cut:,} more before these"] if graph.cut else []
    return "\n".join([header, *more, *body, *remarks(graph)])


def _cells(node: ShownNode, columns: Sequence[str], graph: ShownGraph, look: Look) -> list[str]:
    return [cell(node, column, graph, look) for column in columns]


def cell(node: ShownNode, column: str, graph: ShownGraph, look: Look) -> str:
    """What the table shows of a node in one column."""
    if column == "data":
        return node.data.line
    if column == "grad":
        return node.grad.line
    if column == "shape":
        return node.data.shape
    if column == "dtype":
        return node.data.dtype
    if column == "statistics":
        return node.data.statistics
    if column == FLOW:
        return ", ".join(_flow_text(node, place, graph) for place in range(len(node.operands)))
    return ", ".join(slope_text(node, place, graph, look) or "-" for place in range(len(node.slopes)))


def _flow_text(node: ShownNode, place: int, graph: ShownGraph) -> str:
    """What flows from a node to its operand at a place: a number, or the size of an array."""
    flow = graph.flows.edges.get((node.index, place))
    return flow.text if flow else "-"


def sentence(graph: ShownGraph, look: Look) -> str:
    """What the picture shows, for readers who cannot see it."""
    end = graph.nodes[-1]
    count = "1 node" if graph.total == 1 else f"{graph.total:,} nodes"
    items = graph.items()[-NAMED:]
    named = [
        f"{piece_name(item)} ({', '.join(piece_facts(item))})"
        if isinstance(item, Piece)
        else _node_words(item, graph)
        for item in items
    ]
    is_whole = len(items) == len(graph.nodes) + len(graph.pieces) and not graph.cut
    skipped = "" if is_whole else f" The last {len(items)}:"
    title = f"{look.title}. " if look.title else ""
    notes = "".join(f" {line[0].upper()}{line[1:]}." for line in remarks(graph))
    return f"{title}Recorded graph of {end.name}, {count}.{skipped} {'; '.join(named)}.{notes}"


def _node_words(node: ShownNode, graph: ShownGraph) -> str:
    """A node in words: how it was made, its data, its gradient if there is one, and what it passes back."""
    words = f"{equation(node, graph)} = {node.data.line}"
    if node.grad.line != NOTHING.line:
        words += f", grad {node.grad.line}"
    flows = [
        f"{_flow_text(node, place, graph)} to {graph.name(operand)}"
        for place, operand in enumerate(node.operands)
        if isinstance(operand, int) and (node.index, place) in graph.flows.edges
    ]
    return words + (f", passes back {' and '.join(flows)}" if flows else "")


def _has_numbers_only(column: str, graph: ShownGraph) -> bool:
    if column == "data":
        return not any(node.data.is_array for node in graph.nodes)
    if column == "grad":
        return not any(node.grad.is_array for node in graph.nodes)
    return False
