"""A graph in words: the table that is its `text/plain`, and the sentence for those who see no picture.

The table is the same in every run and on every machine: no addresses, no layout.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.as_text import Value
from ..graph.records import Box, Graph, Node, Piece
from ..look import Look

HEADER = ("node", "data", "grad")
GAP = "  "
TOLD = 12  # nodes named one by one in the sentence
KINDS = 4  # operations, shapes and nodes named one by one in what is folded
PLAIN = Look()


def expression(node: Node, graph: Graph) -> str:
    """How a node was made, as Python would write it: `a * v1`, `-a`, `exp(a)`."""
    operands = [_operand(operand, graph) for operand in node.operands]
    sign = None if (node.sign or "").isalpha() else node.sign  # a letter is for pictures alone
    if sign and len(operands) == 2:
        left, right = operands
        return (
            f"({left}) {sign} {right}" if sign == "**" and left.startswith("-") else f"{left} {sign} {right}"
        )
    if sign and len(operands) == 1:
        return f"{sign}{operands[0]}"
    return f"{node.operation}({', '.join(operands)})"


def equation(node: Node, graph: Graph) -> str:
    """A node's name and how it was made: `b = a * v1`; for a leaf its name alone."""
    return f"{node.name} = {expression(node, graph)}" if node.operation else node.name


def table(graph: Graph, look: Look = PLAIN) -> str:
    """One row per node, creators before what they make, and a first row that says what the columns hold.

    What stands for many nodes has a line of its own, and what was asked for beyond the usual stands below.
    """
    columns = [*look.show, *(["local slopes"] if look.slopes else [])]
    header = ("node", *columns)
    items = graph.items()
    lines: list[tuple[str, ...] | str] = []
    for item in items:
        if isinstance(item, Piece):
            lines.append(piece_line(item, graph))
        else:
            cells = [cell(item, column, graph, look) for column in columns]
            lines.append((equation(item, graph), *cells))
    rows = [line for line in lines if isinstance(line, tuple)]
    # Numbers line up at their last digit; where arrays stand among them, the left edge reads better.
    ragged = [_is_ragged(column, graph) for column in columns]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(row: tuple[str, ...]) -> str:
        cells = [
            f"{cell:<{width}}" if is_ragged else f"{cell:>{width}}"
            for cell, width, is_ragged in zip(row[1:], widths[1:], ragged)
        ]
        return GAP.join([f"{row[0]:<{widths[0]}}", *cells]).rstrip()

    more = [f"... and {graph.cut:,} more before these"] if graph.cut else []
    body = [line(row) if isinstance(row, tuple) else row for row in lines]
    return "\n".join([line(header), *more, *body, *remarks(graph)])


def cell(node: Node, column: str, graph: Graph, look: Look) -> str:
    """What the table says of a node in one column."""
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
    told = [slope_text(node, place, graph, look) or "-" for place in range(len(node.slopes))]
    return ", ".join(told)


def slope_text(node: Node, place: int, graph: Graph, look: Look) -> str:
    """The local slope at one operand: `10`, or with its symbol `de/dc = 10`; nothing for a constant."""
    slope = node.slopes[place] if node.slopes else None
    if slope is None:
        return ""
    operand = node.operands[place]
    if look.slopes != "symbol" or not isinstance(operand, int):
        return slope.line
    return f"d{node.name}/d{graph.name(operand)} = {slope.line}"


def piece_line(piece: Piece, graph: Graph) -> str:
    """What is folded, on one line: `layer 1: 41 nodes, 17 parameters, from x1, x2`."""
    facts = piece_facts(piece)
    if piece.is_named and piece.operands:
        facts.append(f"from {_several(piece.operands, graph)}")
    if piece.gives:
        facts.append(f"gives {_several(piece.gives, graph)}")
    return f"... {piece_name(piece)}: {', '.join(facts)}"


def piece_name(piece: Piece) -> str:
    """What a piece is called: its box, or the rounds of a loop."""
    if not piece.is_named:
        return f"the same {piece.times:,} times more"
    return f"{piece.name} ×{piece.times:,}" if piece.times > 1 else piece.name


def piece_title(piece: Piece, graph: Graph) -> str:
    """What a picture calls a piece: by its name, unless that is the title of the box around it."""
    name = piece_name(piece)
    if not piece.is_named:
        return f"\N{HORIZONTAL ELLIPSIS} {name}"
    is_told = piece.box >= 0 and graph.boxes[piece.box].name == name
    return "\N{HORIZONTAL ELLIPSIS}" if is_told else name


def piece_facts(piece: Piece) -> list[str]:
    """How many nodes a piece has, which operations, how many parameters in which shapes."""
    each = " each" if piece.times > 1 else ""
    facts = [f"{piece.each:,} node{'' if piece.each == 1 else 's'}{each}"]
    if not piece.is_named:
        told = [f"{name} {n // piece.times:,}" for name, n in piece.operations[:KINDS]]
        told = [part.removesuffix(" 1") for part in told]
        facts[0] += f" ({', '.join(told)}{', ...' if len(piece.operations) > KINDS else ''})"
    if piece.elements:
        facts.append(f"{piece.elements:,} parameter{'' if piece.elements == 1 else 's'}")
        shapes = [shape for shape in dict.fromkeys(piece.parameters) if shape != "()"]
        if shapes:
            facts[-1] += f" {' '.join(shapes[:KINDS])}{' ...' if len(shapes) > KINDS else ''}"
    return facts


def box_name(box: Box) -> str:
    """The label of an open box: its name, and how many there are of which it is the first."""
    return f"{box.name} ×{box.times:,}, the first is shown" if box.times > 1 else box.name


def remarks(graph: Graph) -> list[str]:
    """Lines below the table: which nodes a recorded walk back made, what is highlighted, how it is folded."""
    lines = []
    backward = [item.index for item in graph.items() if item.is_backward]
    if backward:
        lines.append(f"recorded by the backward pass: {_several(backward, graph)}")
    if graph.lit:
        lines.append(f"highlighted: {_lit(graph)}")
    boxes = [f"{box.name} ×{box.times:,}" for box in graph.boxes if box.times > 1]
    if boxes:
        lines.append(f"shown once: {', '.join(boxes)}")
    if graph.pieces:
        lines.append(caption(graph))
    return lines


def caption(graph: Graph) -> str:
    """What a cut or folded drawing says about itself; nothing for a whole one."""
    if graph.pieces:
        more = f"; {graph.more}" if graph.more else ""
        return f"{graph.total:,} nodes, folded into {len(graph.nodes) + len(graph.pieces):,}{more}"
    if graph.cut:
        return f"the last {len(graph.nodes):,} of {graph.total:,} nodes; limit= sets how many"
    return ""


def sentence(graph: Graph, look: Look = PLAIN) -> str:
    """What the picture shows, for those who do not see it."""
    end = graph.nodes[-1]
    count = "1 node" if graph.total == 1 else f"{graph.total:,} nodes"
    items = graph.items()[-TOLD:]
    told = [
        f"{piece_name(item)} ({', '.join(piece_facts(item))})"
        if isinstance(item, Piece)
        else f"{equation(item, graph)} = {item.data.line}"
        for item in items
    ]
    whole = len(items) == len(graph.nodes) + len(graph.pieces) and not graph.cut
    skipped = "" if whole else f" The last {len(items)}:"
    title = f"{look.title}. " if look.title else ""
    notes = "".join(f" {line[0].upper()}{line[1:]}." for line in remarks(graph))
    return f"{title}Recorded graph of {end.name}, {count}.{skipped} {'; '.join(told)}.{notes}"


def _is_ragged(column: str, graph: Graph) -> bool:
    if column == "data":
        return any(node.data.is_array for node in graph.nodes)
    if column == "grad":
        return any(node.grad.is_array for node in graph.nodes)
    return True


def _lit(graph: Graph) -> str:
    pieces = {piece.index: piece_name(piece) for piece in graph.pieces}
    return ", ".join(pieces.get(i) or graph.name(i) for i in sorted(graph.lit))


def _several(indices: Sequence[int], graph: Graph) -> str:
    pieces = {piece.index: piece_name(piece) for piece in graph.pieces}
    told = [graph.name(i) if i not in pieces or i in graph.inside else pieces[i] for i in indices[:KINDS]]
    return ", ".join([*told, *(["..."] if len(indices) > KINDS else [])])


def _operand(operand: int | Value, graph: Graph) -> str:
    if isinstance(operand, int):
        return graph.name(operand)
    return f"<{operand.line}>" if operand.is_shape else operand.line
