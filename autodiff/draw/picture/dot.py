"""The graph in DOT, Graphviz's language: boxes for Tensors, circles for operations, an arrow per operand.

Only what is drawn is decided here; where it stands is Graphviz's work. Node n7 is the eighth in the graph's
order, o7 the operation that made it, c7_1 its second operand where that is a constant.
"""

from __future__ import annotations

from ..graph.as_text import NOTHING, Value
from ..graph.records import Graph, Node, Piece
from ..look import Look
from ..words.equations import equation, expression, slope_text
from ..words.folded import box_name, caption, piece_facts, piece_name, piece_title
from .labels import FONT, escape, plate, room, typeset, value_label
from .paint import NO_PAINT, Paint, written

GRAPH = "nodesep=0.2 ranksep=0.3 pad=0.05"
BOX = 'shape=box style="filled,rounded" margin=0 width=0 height=0'
ARROW = "arrowsize=0.6 penwidth=1.1"
# The look of text that stands on the page itself.
BARE = 'shape=none style="" margin="0.05,0.02"'
CIRCLE = "shape=circle style=filled fixedsize=true width=0.29 fontsize=14"
WORD = 'height=0.28 width=0.3 margin="0.08,0.03"'
SLOPE = 9  # points of a local slope
ARROWS = {
    "both": "solid arrows: the calculation; dashed arrows: the way of the gradient",
    "backward": "dashed arrows: the way of the gradient",
}


def source(graph: Graph, direction: str, look: Look, paint: Paint = NO_PAINT) -> str:
    """The DOT text of a graph; the same for the same graph, in every run."""
    theme = look.theme
    font = f'fontname="{FONT}"'
    around = f" rankdir={direction}{_surroundings(graph, look, paint)}"
    lines = [
        "digraph autodiff {",
        f'\tgraph [bgcolor=transparent fontcolor="{theme.line}" {font} fontsize=10 {GRAPH}{around}]',
        f'\tnode [fontcolor="{theme.ink}" {font} fontsize=11 {BOX}]',
        f'\tedge [color="{theme.line}" fontcolor="{theme.gradient}" {font} fontsize={SLOPE} {ARROW}]',
    ]
    for index in graph.outside:
        label = f"<... {escape(graph.name(index))}>"
        lines.append(f'\tn{index} [label={label} fontcolor="{theme.line}" fontsize=10 {BARE}]')
    writer = Writer(graph, look, paint)
    for item in graph.items():
        if isinstance(item, Piece):
            writer.piece(lines, item)
        else:
            lines.append(writer.tensor(item))
            if item.operation is not None:
                writer.operation(lines, item)
    lines += _clusters(graph, look)
    lines.append("}\n")
    return "\n".join(lines)


def titles(graph: Graph) -> dict[str, str]:
    """What to say about each DOT node when the pointer rests on it."""
    said = {f"n{node.index}": equation(node, graph) for node in graph.nodes}
    said |= {f"o{n.index}": f"{n.operation}: {expression(n, graph)}" for n in graph.nodes if n.operation}
    said |= {f"n{p.index}": f"{piece_name(p)}: {', '.join(piece_facts(p))}" for p in graph.pieces}
    return said | {f"cluster_{i}": box_name(box) for i, box in enumerate(graph.boxes)}


class Writer:
    """Writes the nodes of one drawing. What is the same for all of them is worked out once."""

    def __init__(self, graph: Graph, look: Look, paint: Paint) -> None:
        self.graph, self.look, self.theme, self.paint = graph, look, look.theme, paint
        theme = self.theme
        self.lit = f'color="{theme.lit}" penwidth=2.6'
        self.row = (
            f'<tr><td align="left"><font color="{theme.soft}" point-size="9">%s</font></td>'
            '<td align="right">%s</td></tr>'
        )
        self.wide_row = '<tr><td colspan="2" align="right">%s</td></tr>'
        plain = self.row % ("%s", '<font color="%%s">%%s</font>')
        self.two_rows = plain % "data" + plain % "grad"
        self.is_usual = look.show == ("data", "grad") and not paint.cells
        self.circles: dict[str, str] = {}
        self.quiet = {node.index for node in graph.nodes if node.is_quiet}  # no gradient comes to these
        # The look of an arrow along which a gradient walks; a highlighted one keeps its own colour.
        self.back = f'style=dashed color="{theme.way_back}"'
        self.made = {node.index for node in graph.nodes if node.operation}
        self.lit_results = {made for _, made in graph.lit_edges}
        self.is_plain = not (graph.lit_edges or look.slopes or look.arrows == "backward" or paint.operands)

    def tensor(self, node: Node) -> str:
        """The box of a Tensor: its name, and of what it holds as much as is asked for."""
        theme = self.theme
        ink, gradient = theme.ink, theme.gradient
        if node.is_quiet and not node.operation:
            fill, line = theme.quiet, theme.quiet_line
            ink = gradient = theme.soft
        elif node.is_backward:
            fill, line = theme.backward, theme.backward_line
        elif node.operation:
            fill, line = theme.made, theme.made_line
        else:
            fill, line = theme.leaf, theme.leaf_line
        if node.grad.line == NOTHING.line:
            gradient = theme.soft
        head = f'<tr><td colspan="2"><b>{escape(node.name)}</b></td></tr><hr/>' if node.is_named else ""
        data, grad = node.data, node.grad
        if self.is_usual and not data.is_array and not grad.is_array:  # the most usual of all, in one go
            rows = self.two_rows % (ink, escape(data.line), gradient, escape(grad.line))
        else:
            rows = self.rows(node, ink, gradient)
        table = f'<<table border="0" cellspacing="0" cellpadding="4" color="{line}">{head}{rows}</table>>'
        options = [f'label={table} color="{line}" fillcolor="{fill}"']
        if node.index in self.graph.lit:
            options.append(self.lit)
        if node.index in self.paint.nodes:
            options.append(written(self.paint.nodes[node.index]))
        return f"\tn{node.index} [{' '.join(options)}]"

    def rows(self, node: Node, ink: str, gradient: str) -> str:
        """The rows of a Tensor's box, in the order in which the options list them."""
        rows = []
        for part in self.look.show:
            if part in ("data", "grad"):
                value, colour = (node.data, ink) if part == "data" else (node.grad, gradient)
                rows.append(self.row % (part, self.value(node, part, value, colour)))
                if (
                    not value.table
                    and value.is_shape
                    and value.statistics
                    and "statistics" not in self.look.show
                ):
                    rows.append(self.wide_row % self.small(value.statistics))
            elif part == "statistics":
                for word, value in (("data", node.data), ("grad", node.grad)):
                    if value.statistics and (word in self.look.show or word == "data"):
                        rows.append(self.row % (word, self.small(value.statistics)))
            else:
                text = node.data.shape if part == "shape" else node.data.dtype
                rows.append(self.row % (part, f'<font color="{ink}">{escape(text)}</font>'))
        return "".join(rows)

    def value(self, node: Node, part: str, value: Value, ink: str) -> str:
        """A node's data or gradient."""
        cell = self.paint.cells.get((node.index, part))
        return f'<font color="{ink}">{cell}</font>' if cell else value_label(value, ink)

    def small(self, text: str) -> str:
        """Quiet text in a box."""
        # The space at the end is room for fonts that are wider than the one Graphviz measures with.
        return f'<font color="{self.theme.soft}" point-size="9">{escape(text)}&#160;</font>'

    def operation(self, lines: list[str], node: Node) -> None:
        """The circle of an operation, and its arrows: from each operand, and to what it made."""
        i, graph, look = node.index, self.graph, self.look
        shown = typeset(node.sign, node.operation)
        circle = self.circles.get(shown)
        if circle is None:
            circle = self.circles[shown] = self.circle(shown)
        lines.append(f"\to{i} {circle}")
        both = look.arrows == "both" and not node.is_quiet
        for place, operand in enumerate(node.operands):
            if isinstance(operand, int):
                at = graph.at(operand) if graph.inside else operand
                lines.append(f"\tn{at} -> o{i}{self.edge(node, place, operand)}")
                if both and operand not in self.quiet:
                    lines.append(f"\to{i} -> n{at} [{self.back} constraint=false]")
            elif look.constants != "hidden":
                self.constant(lines, node, place, operand)
        options = ["weight=3"]
        if look.arrows == "backward":
            options.append("arrowhead=none" if node.is_quiet else f"dir=back {self.back}")
        if i in self.lit_results:
            options.append(self.lit)
        if i in self.paint.results:
            options.append(written(self.paint.results[i]))
        lines.append(f"\to{i} -> n{i} [{' '.join(options)}]")
        if both:
            lines.append(f"\tn{i} -> o{i} [{self.back} constraint=false]")

    def circle(self, shown: str) -> str:
        """The look of an operation: a sign in a circle, a word in a box."""
        theme = self.theme
        ink = "" if theme.operation_ink == theme.ink else f' fontcolor="{theme.operation_ink}"'
        # Left operand above right: 3 - x is not x - 3.
        return (
            f'[label=<{escape(shown)}> ordering=in fillcolor="{theme.operation}" '
            f'color="{theme.operation_line}"{ink} {CIRCLE if len(shown) == 1 else WORD}]'
        )

    def edge(self, node: Node, place: int, operand: int) -> str:
        """The options of the arrow from an operand that is a node."""
        # What was itself made goes straight on, and leaves come in from the side.
        weight = "weight=2" if operand in self.made and len(node.operands) > 1 else ""
        if self.is_plain:
            return f" [{weight}]" if weight else ""
        options = [weight] if weight else []
        slope = slope_text(node, place, self.graph, self.look) if node.slopes else ""
        if slope:
            options.append(f"label=<{plate(slope, SLOPE, self.theme)}>")
        if self.look.arrows == "backward":
            options.append("arrowhead=none" if operand in self.quiet else f"dir=back {self.back}")
        if (self.graph.at(operand), node.index) in self.graph.lit_edges:
            options.append(self.lit)
        if (node.index, place) in self.paint.operands:
            options.append(written(self.paint.operands[node.index, place]))
        return f" [{' '.join(options)}]" if options else ""

    def constant(self, lines: list[str], node: Node, place: int, value: Value) -> None:
        """A constant operand: text on the page, or a box of its own."""
        theme, name = self.theme, f"c{node.index}_{place}"
        if self.look.constants == "shown":
            row = self.row % ("constant", value_label(value, theme.soft))
            table = f'<<table border="0" cellspacing="0" cellpadding="4">{row}</table>>'
            lines.append(f'\t{name} [label={table} color="{theme.quiet_line}" fillcolor="{theme.quiet}"]')
        else:
            lines.append(f"\t{name} [label=<{value_label(value, theme.line)}> fontsize=10 {BARE}]")
        arrow = " arrowhead=none" if self.look.arrows == "backward" else ""
        lines.append(f"\t{name} -> o{node.index} [arrowsize=0.5 penwidth=0.8{arrow}]")

    def piece(self, lines: list[str], piece: Piece) -> None:
        """Many nodes as one: a double frame, with how many there are and what is in them."""
        theme, i = self.theme, piece.index
        fill, line = (
            (theme.backward, theme.backward_line) if piece.is_backward else (theme.fold, theme.fold_line)
        )
        facts = "".join(f'<tr><td align="left">{self.small(fact)}</td></tr>' for fact in piece_facts(piece))
        table = (
            f'<<table border="0" cellspacing="0" cellpadding="4" color="{line}">'
            f"<tr><td><b>{escape(piece_title(piece, self.graph))}</b></td></tr><hr/>{facts}</table>>"
        )
        outline = self.lit if i in self.graph.lit else f'color="{line}"'
        lines.append(f'\tn{i} [label={table} fillcolor="{fill}" {outline} peripheries=2]')
        for operand in dict.fromkeys(map(self.graph.at, piece.operands)):
            if operand == i:  # the equal ones one behind the other
                continue
            options = [f"dir=back {self.back}"] if self.look.arrows == "backward" else []
            if (operand, i) in self.graph.lit_edges:
                options.append(self.lit)
            lines.append(f"\tn{operand} -> n{i}{' [' + ' '.join(options) + ']' if options else ''}")
            if self.look.arrows == "both":
                lines.append(f"\tn{i} -> n{operand} [{self.back} constraint=false]")


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


def _surroundings(graph: Graph, look: Look, paint: Paint) -> str:
    """What stands around the picture: the title above; the caption and what the colours mean below."""
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
