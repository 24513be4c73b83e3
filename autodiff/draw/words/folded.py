"""What is folded, in words: the name and contents of a piece, the label of a box, and the remarks below a
table."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.records import CHANGED, Box, Piece, ShownGraph

NEXT = "to the next round"
REST = "the rest of it"
KINDS = 4  # operations, shapes and nodes named one by one


def piece_line(piece: Piece, graph: ShownGraph) -> str:
    """What is folded, in one line: `layer 1: 41 nodes, 17 parameters, from x1, x2`."""
    facts = piece_facts(piece)
    if piece.is_named and piece.operands:
        facts.append(f"from {_names(piece.operands, graph)}")
    if piece.is_chain:
        facts.append("each from the one before")
    if piece.gives:
        facts.append(f"gives {_names(piece.gives, graph)}")
    return f"... {piece_name(piece)}: {', '.join(facts)}"


def piece_name(piece: Piece) -> str:
    """What a piece is called: by its box, or as the rounds of a loop."""
    if not piece.is_named:
        return f"the same {piece.times:,} times more"
    return f"{piece.name} ×{piece.times:,}" if piece.times > 1 else piece.name


def piece_title(piece: Piece, graph: ShownGraph) -> str:
    """The title of a piece in a picture: its name, unless that is the title of the box around it."""
    name = piece_name(piece)
    if not piece.is_named:
        return f"\N{HORIZONTAL ELLIPSIS} {name}"
    is_repeated = piece.box >= 0 and graph.boxes[piece.box].name == name
    return REST if is_repeated else name


def piece_facts(piece: Piece) -> list[str]:
    """How many nodes and parameters a piece has, in which shapes, and in a loop by which operations."""
    each = " each" if piece.times > 1 else ""
    facts = [f"{piece.each:,} node{'' if piece.each == 1 else 's'}{each}"]
    if not piece.is_named:
        counts = [f"{name} {n // piece.times:,}" for name, n in piece.operations[:KINDS]]
        counts = [count.removesuffix(" 1") for count in counts]
        facts[0] += f" ({', '.join(counts)}{', ...' if len(piece.operations) > KINDS else ''})"
    if piece.elements:
        facts.append(f"{piece.elements:,} parameter{'' if piece.elements == 1 else 's'}")
        shapes = [shape for shape in dict.fromkeys(piece.parameters) if shape != "()"]
        if shapes:
            facts[-1] += f" {' '.join(shapes[:KINDS])}{' ...' if len(shapes) > KINDS else ''}"
    return facts


def box_name(box: Box) -> str:
    """The label of an open box: its name, and if it is the first of several equal boxes, their number."""
    return f"{box.name} ×{box.times:,}, the first is shown" if box.times > 1 else box.name


def remarks(graph: ShownGraph) -> list[str]:
    """Lines below the table: which nodes a recorded backward pass made, what is highlighted, what is folded
    and how to unfold it."""
    lines = []
    backward = [item.index for item in graph.items() if item.is_backward]
    if backward:
        lines.append(f"recorded by the backward pass: {_names(backward, graph)}")
    if words := age(graph):
        lines.append(words)
    if graph.highlighted:
        lines.append(f"highlighted: {_highlighted(graph)}")
    boxes = [f"{box.name} ×{box.times:,}" for box in graph.boxes if box.times > 1]
    if boxes:
        lines.append(f"shown once: {', '.join(boxes)}")
    loops = [one for one in graph.returns if one.is_loop]
    if loops:
        ways = [f"{_names([one.operand], graph)} to {graph.name(one.node)}" for one in loops]
        lines.append(f"{NEXT}: {', '.join(ways)}")
    if graph.pieces:
        lines.append(caption(graph))
    return lines


def age(graph: ShownGraph) -> str:
    """What a drawing says if data were changed after something had been computed from them."""
    if not any(node.age for node in graph.nodes):
        return ""
    changed = [node.index for node in graph.nodes if node.age == CHANGED]
    words = _names(changed, graph) or "what is folded"
    return f"changed since the calculation: {words}; what it computed is from before"


def caption(graph: ShownGraph) -> str:
    """What a drawing says if it is cut or folded; an empty text for a whole one."""
    if graph.pieces:
        more = f"; {graph.more}" if graph.more else ""
        return f"{graph.total:,} nodes, folded into {len(graph.nodes) + len(graph.pieces):,}{more}"
    if graph.cut:
        return f"the last {len(graph.nodes):,} of {graph.total:,} nodes; limit= sets how many"
    return ""


def _highlighted(graph: ShownGraph) -> str:
    pieces = {piece.index: piece_name(piece) for piece in graph.pieces}
    return ", ".join(pieces.get(i) or graph.name(i) for i in sorted(graph.highlighted))


def _names(indices: Sequence[int], graph: ShownGraph) -> str:
    """The first few of some nodes and pieces by name."""
    pieces = {piece.index: piece_name(piece) for piece in graph.pieces}
    names = [graph.name(i) if i not in pieces or i in graph.inside else pieces[i] for i in indices[:KINDS]]
    return ", ".join([*names, *(["..."] if len(indices) > KINDS else [])])
