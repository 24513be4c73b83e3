"""The graph in DOT, Graphviz's language: boxes for Tensors, circles for operations, an arrow per operand.

This text says what is drawn; Graphviz decides where. Node n7 is the eighth in the graph's order, o7 the
operation that made it, and c7_1 its second operand if that is a constant.
"""

from __future__ import annotations

from ..graph.as_text import Value
from ..graph.records import Graph, Node, Piece
from ..look import Look
from ..words.equations import equation, expression
from ..words.folded import box_name, caption, piece_facts, piece_name
from .labels import FONT, escape, plate, room
from .paint import NO_PAINT, Paint
from .writer import SLOPE, Writer

GRAPH = "nodesep=0.2 ranksep=0.3 pad=0.05"
# Graphviz may take minutes to refine the layout of a large graph, such as a long loop with a shared weight.
# In a drawing of more nodes than these it stops after a number of rounds.
LARGE = 60
REFINED = "nslimit=4 "
BOX = 'shape=box style="filled,rounded" margin=0 width=0 height=0'
ARROW = "arrowsize=0.6 penwidth=1.1"
ARROWS = {
    "both": "solid arrows: the calculation; dashed arrows: the way of the gradient",
    "backward": "dashed arrows: the way of the gradient",
}


def source(graph: Graph, direction: str, look: Look, paint: Paint = NO_PAINT) -> str:
    """The DOT text of a graph; it is the same for the same graph in every run."""
    theme = look.theme
    font = f'fontname="{FONT}"'
    refined = REFINED if len(graph.nodes) > LARGE else ""
    around = f" {refined}rankdir={direction}{_graph_label(graph, look, paint)}"
    lines = [
        "digraph autodiff {",
        f'\tgraph [bgcolor=transparent fontcolor="{theme.line}" {font} fontsize=10 {GRAPH}{around}]',
        f'\tnode [fontcolor="{theme.ink}" {font} fontsize=11 {BOX}]',
        f'\tedge [color="{theme.line}" fontcolor="{theme.gradient}" {font} fontsize={SLOPE} {ARROW}]',
    ]
    writer = Writer(graph, look, paint)
    lines += map(writer.loose_end, graph.outside)
    for item in graph.items():
        if isinstance(item, Piece):
            lines += writer.piece(item)
        else:
            lines.append(writer.tensor(item))
            if item.operation is not None:
                lines += writer.operation(item)
    lines += _clusters(graph, look)
    lines.append("}\n")
    return "\n".join(lines)


def titles(graph: Graph) -> dict[str, str]:
    """For each DOT node the text that appears when the pointer rests on it."""
    found = {f"n{node.index}": equation(node, graph) for node in graph.nodes}
    found |= {f"o{n.index}": f"{n.operation}: {expression(n, graph)}" for n in graph.nodes if n.operation}
    found |= {f"n{p.index}": f"{piece_name(p)}: {', '.join(piece_facts(p))}" for p in graph.pieces}
    return found | {f"cluster_{i}": box_name(box) for i, box in enumerate(graph.boxes)}


def _clusters(graph: Graph, look: Look) -> list[str]:
    """The open boxes, each with the names of what lies in it."""
    if not graph.boxes:
        return []
    inside = _names_in_boxes(graph, look)
    children: dict[int, list[int]] = {}
    for i, box in enumerate(graph.boxes):
        children.setdefault(box.parent, []).append(i)
    theme = look.theme

    def cluster(i: int, indent: str) -> list[str]:
        box = graph.boxes[i]
        style = "rounded,dashed" if box.times > 1 else "rounded"
        title = plate(box_name(box), 10, theme)
        label = f'label=<{title}> fontcolor="{theme.soft}" labeljust=l labelloc=t'
        return [
            f"{indent}subgraph cluster_{i} {{",
            f'{indent}\tgraph [{label} color="{theme.fold_line}" style="{style}" margin=8]',
            f"{indent}\t{' '.join(inside[i])}",
            *(line for child in children.get(i, []) for line in cluster(child, indent + "\t")),
            f"{indent}}}",
        ]

    return [line for i in children[-1] for line in cluster(i, "\t")]


def _names_in_boxes(graph: Graph, look: Look) -> list[list[str]]:
    """For each box the DOT nodes that lie in it and in no box inside it."""
    inside: list[list[str]] = [[] for _ in graph.boxes]
    for item in graph.items():
        if item.box < 0:
            continue
        inside[item.box].append(f"n{item.index}")
        if isinstance(item, Node) and item.operation:
            inside[item.box].append(f"o{item.index}")
            if look.constants != "hidden":
                places = [place for place, operand in enumerate(item.operands) if isinstance(operand, Value)]
                inside[item.box] += [f"c{item.index}_{place}" for place in places]
    return inside


def _graph_label(graph: Graph, look: Look, paint: Paint) -> str:
    """The text around the picture: the title above it; the caption and what the colours mean below."""
    if paint.legend:
        return f" label=<{paint.legend}> labelloc=b"
    rows = [f'<b><font point-size="13">{escape(look.title)}</font></b>'] if look.title else []
    rows += [escape(note) for note in (caption(graph), ARROWS.get(look.arrows)) if note]
    place = "t" if look.title else "b"
    is_two_coloured = any(item.is_backward for item in graph.items())
    if not rows and not is_two_coloured:
        return ""
    if len(rows) == 1 and not is_two_coloured and not look.title:
        return f" label=<{rows[0]}> labelloc={place}"
    if is_two_coloured:
        theme = look.theme
        legend = _patch(theme.made, theme.made_line, "recorded by the calculation")
        legend += _patch(theme.backward, theme.backward_line, "recorded by the backward pass")
        rows.append(f'<table border="0" cellborder="0" cellspacing="4"><tr>{legend}</tr></table>')
    body = "".join(f"<tr><td>{row}</td></tr>" for row in rows)
    return f' label=<<table border="0" cellborder="0" cellspacing="1">{body}</table>> labelloc={place}'


def _patch(fill: str, line: str, means: str) -> str:
    """One entry of the legend: a small box in its colour, and what the colour means."""
    patch = f'<td bgcolor="{fill}" border="1" color="{line}" width="14"></td>'
    return f'{patch}<td align="left" width="{room(means, 10):.0f}">{means}</td>'
