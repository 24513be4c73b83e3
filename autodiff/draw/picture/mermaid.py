"""The graph in Mermaid, which JupyterLab draws by itself if we have no layout of it."""

from __future__ import annotations

from collections.abc import Iterator

from ..graph.as_text import NOTHING
from ..graph.records import Piece, ShownGraph, ShownNode
from ..look import Look
from ..words.equations import slope_text
from ..words.folded import NEXT, box_name, caption, piece_facts, piece_title
from .render import is_installed
from .signs import title, typeset

HINT = "pip install autodiff[draw] for finer pictures"


def source(graph: ShownGraph, look: Look) -> str:
    """The Mermaid text of a graph. Where Graphviz is missing, its title says how to get it."""
    hint = "" if is_installed() else HINT
    head = "; ".join(filter(None, [_title(look.title), caption(graph), hint]))
    front = ["---", f"title: {head.replace(': ', ' ')}", "---"] if head else []
    lines = [*front, f"flowchart {look.direction}"]
    lines += [f'  n{index}("... {_safe(graph.name(index))}")' for index in graph.outside]
    for item in graph.items():
        lines += _piece(item, graph) if isinstance(item, Piece) else _node(item, graph, look)
    lines += _loops(graph)
    lines += _boxes(graph, look)
    for names, style in _styles(graph, look):
        lines.append(f"  style {','.join(names)} {style}")
    return "\n".join(lines)


def _loops(graph: ShownGraph) -> Iterator[str]:
    """The arrows from what repeats to its own next round."""
    ends = [(one.operand, one.node) for one in graph.returns if one.is_loop]
    ends += [(piece.index, piece.index) for piece in graph.pieces if piece.is_chain]
    for tail, head in ends:
        yield f"  n{tail} -.->|{NEXT}| n{head}"


def _node(node: ShownNode, graph: ShownGraph, look: Look) -> Iterator[str]:
    """A Tensor, the operation that made it, and the arrows between it and its operands.

    In the compact style the operation stands in the box, with the constants."""
    yield f'  n{node.index}["{_label(node, graph, look)}"]'
    if not node.operation:
        return
    is_spread = look.style == "spread"
    head = f"o{node.index}" if is_spread else f"n{node.index}"
    if is_spread:
        yield f'  {head}(("{_safe(typeset(node.sign, node.operation))}"))'
    for place, operand in enumerate(node.operands):
        if isinstance(operand, int):
            words = _on_arrow(node, place, graph, look)
            label = f'|"{_safe(words)}"|' if words else ""
            yield f"  n{graph.shown_as(operand)} -->{label} {head}"
        elif look.constants == "shown" or (is_spread and look.constants == "quiet"):
            yield f'  c{node.index}_{place}("{_safe(operand.line)}") --> {head}'
    if is_spread:
        yield f"  o{node.index} --> n{node.index}"


def _on_arrow(node: ShownNode, place: int, graph: ShownGraph, look: Look) -> str:
    """The local slope at an operand, or what flows back to it."""
    flow = graph.flows.edges.get((node.index, place))
    return flow.text if flow else slope_text(node, place, graph, look) if look.slopes else ""


def _piece(piece: Piece, graph: ShownGraph) -> Iterator[str]:
    """Many nodes as one, and the arrows to it."""
    lines = map(_safe, [piece_title(piece, graph), *piece_facts(piece)])
    yield f'  n{piece.index}[["{"<br/>".join(lines)}"]]'
    for operand in dict.fromkeys(map(graph.shown_as, piece.operands)):
        if operand != piece.index:
            yield f"  n{operand} --> n{piece.index}"


def _boxes(graph: ShownGraph, look: Look) -> list[str]:
    """The open boxes; each inner box stands inside the text of the box around it."""

    def box(i: int, indent: str) -> list[str]:
        lines = [f'{indent}subgraph b{i}["{_safe(box_name(graph.boxes[i]))}"]']
        for item in graph.items():
            if item.box == i:
                lines.append(f"{indent}  n{item.index}")
                if isinstance(item, ShownNode) and item.operation and look.style == "spread":
                    lines.append(f"{indent}  o{item.index}")
        for child, inner in enumerate(graph.boxes):
            if inner.parent == i:
                lines += box(child, indent + "  ")
        return [*lines, f"{indent}end"]

    return [line for i, outer in enumerate(graph.boxes) if outer.parent < 0 for line in box(i, "  ")]


def _styles(graph: ShownGraph, look: Look) -> list[tuple[list[str], str]]:
    theme = look.theme
    backward = [f"n{item.index}" for item in graph.items() if item.is_backward]
    lit = [f"n{index}" for index in sorted(graph.highlighted)]
    styles = [
        (backward, f"fill:{theme.backward},stroke:{theme.backward_line},color:{theme.ink}"),
        (lit, f"stroke:{theme.lit},stroke-width:3px"),
    ]
    return [(names, style) for names, style in styles if names]


def _title(title: str) -> str:
    """A title in characters that are safe in a line of YAML."""
    return "".join(c if c.isalnum() or c in " .,-+=()" else " " for c in title).strip()


def _label(node: ShownNode, graph: ShownGraph, look: Look) -> str:
    name = node.name if node.is_named else ""
    if look.style == "compact":
        name = title(node, graph, has_constants=look.constants != "hidden")
    lines = [name] if name else []
    for part in look.show:
        value = node.grad if part == "grad" else node.data
        if part == "grad" and value.line == NOTHING.line:
            continue
        if part in ("data", "grad"):
            lines.append(f"{part} {value.line}")
        else:
            lines.append(f"{part} {getattr(value, part)}")
    return "<br/>".join(map(_safe, lines))


def _safe(text: str) -> str:
    """Text in which entity codes replace what would end a label, begin a tag, or be read as Markdown."""
    return "".join(f"#{ord(c)};" if c in '"#&<>`*_;[](){}|' else c for c in text)
