"""The nodes and arrows of a drawing in DOT: the look of each, by its kind, the options and the paint."""

from __future__ import annotations

from collections.abc import Iterator

from ..graph.as_text import NOTHING, Value
from ..graph.records import Graph, Node, Piece
from ..look import Look
from ..words.equations import slope_text
from ..words.folded import piece_facts, piece_title
from .labels import escape, plate, typeset, value_label
from .paint import Paint, written

BARE = 'shape=none style="" margin="0.05,0.02"'  # text on the page itself
CIRCLE = "shape=circle style=filled fixedsize=true width=0.29 fontsize=14"
WORD = 'height=0.28 width=0.3 margin="0.08,0.03"'
SLOPE = 9  # points of a local slope
TABLE = '<table border="0" cellspacing="0" cellpadding="4"'


class Writer:
    """Writes the nodes of one drawing. What is the same for all of them is prepared once."""

    def __init__(self, graph: Graph, look: Look, paint: Paint) -> None:
        self.graph, self.look, self.theme, self.paint = graph, look, look.theme, paint
        theme = self.theme
        self.row = (
            f'<tr><td align="left"><font color="{theme.soft}" point-size="9">%s</font></td>'
            '<td align="right">%s</td></tr>'
        )
        number_row = self.row % ("%s", '<font color="%%s">%%s</font>')
        self.two_rows = number_row % "data" + number_row % "grad"
        self.is_usual = look.show == ("data", "grad") and not paint.cells
        self.circles: dict[str, str] = {}
        self.quiet = {node.index for node in graph.nodes if node.is_quiet}  # no gradient comes to these
        self.made = {node.index for node in graph.nodes if node.operation}
        # An arrow along which a gradient moves, and whatever is highlighted: this keeps its own colour.
        self.back = f'style=dashed color="{theme.way_back}"'
        self.highlight = f'color="{theme.lit}" penwidth=2.6'
        self.highlighted_results = {made for _, made in graph.highlighted_edges}
        is_painted = bool(graph.highlighted_edges or paint.operands or paint.results)
        self.has_plain_edges = not (is_painted or look.slopes or look.arrows == "backward")

    def tensor(self, node: Node) -> str:
        """The box of a Tensor: its name, and as much of what it holds as is wanted."""
        i, data, grad = node.index, node.data, node.grad
        fill, line = self.colours(node)
        ink, gradient = self.theme.ink, self.theme.gradient
        if node.is_quiet and not node.operation:
            ink = gradient = self.theme.soft
        if grad.line == NOTHING.line:
            gradient = self.theme.soft
        head = f'<tr><td colspan="2"><b>{escape(node.name)}</b></td></tr><hr/>' if node.is_named else ""
        if self.is_usual and not data.is_array and not grad.is_array:  # most nodes: written in one step
            rows = self.two_rows % (ink, escape(data.line), gradient, escape(grad.line))
        else:
            rows = "".join(self.rows(node, ink, gradient))
        options = f'label=<{TABLE} color="{line}">{head}{rows}</table>> color="{line}" fillcolor="{fill}"'
        if i in self.graph.highlighted:
            options += f" {self.highlight}"
        if i in self.paint.nodes:
            options += f" {written(self.paint.nodes[i])}"
        return f"\tn{i} [{options}]"

    def colours(self, node: Node) -> tuple[str, str]:
        """The background and the outline of a box."""
        theme = self.theme
        if node.is_quiet and not node.operation:
            return theme.quiet, theme.quiet_line
        if node.is_backward:
            return theme.backward, theme.backward_line
        if node.operation:
            return theme.made, theme.made_line
        return theme.leaf, theme.leaf_line

    def rows(self, node: Node, ink: str, gradient: str) -> Iterator[str]:
        """The rows of a Tensor's box, in the order of the options."""
        show = self.look.show
        for part in show:
            if part in ("data", "grad"):
                value, colour = (node.data, ink) if part == "data" else (node.grad, gradient)
                yield self.row % (part, self.value(node, part, value, colour))
                if value.is_shape and not value.table and value.statistics and "statistics" not in show:
                    yield f'<tr><td colspan="2" align="right">{self.small(value.statistics)}</td></tr>'
            elif part == "statistics":
                for word, value in (("data", node.data), ("grad", node.grad)):
                    if value.statistics and (word in show or word == "data"):
                        yield self.row % (word, self.small(value.statistics))
            else:
                text = node.data.shape if part == "shape" else node.data.dtype
                yield self.row % (part, f'<font color="{ink}">{escape(text)}</font>')

    def value(self, node: Node, part: str, value: Value, ink: str) -> str:
        """A node's data or gradient, or what is painted in its place."""
        cell = self.paint.cells.get((node.index, part))
        return f'<font color="{ink}">{cell}</font>' if cell else value_label(value, ink)

    def small(self, text: str) -> str:
        """Small grey text in a box."""
        # The space at the end leaves room for fonts that are wider than the one Graphviz measures with.
        return f'<font color="{self.theme.soft}" point-size="9">{escape(text)}&#160;</font>'

    def operation(self, node: Node) -> Iterator[str]:
        """The circle of an operation, and its arrows: from each operand, and to what it made."""
        i, graph, look = node.index, self.graph, self.look
        yield f"\to{i} {self.circle(typeset(node.sign, node.operation))}"
        has_both = look.arrows == "both" and not node.is_quiet
        inside = graph.inside
        for place, operand in enumerate(node.operands):
            if isinstance(operand, int):
                shown = graph.shown_as(operand) if inside else operand
                yield f"\tn{shown} -> o{i}{self.edge(node, place, operand)}"
                if has_both and operand not in self.quiet:
                    yield f"\to{i} -> n{shown} [{self.back} constraint=false]"
            elif look.constants != "hidden":
                yield from self.constant(node, place, operand)
        yield f"\to{i} -> n{i} [{self.result(node)}]"
        if has_both:
            yield f"\tn{i} -> o{i} [{self.back} constraint=false]"

    def circle(self, shown: str) -> str:
        """The look of an operation: a sign in a circle, or a word in a box."""
        if shown not in self.circles:
            theme = self.theme
            ink = "" if theme.operation_ink == theme.ink else f' fontcolor="{theme.operation_ink}"'
            # With ordering=in the left operand stands above the right one: 3 - x is not x - 3.
            self.circles[shown] = (
                f'[label=<{escape(shown)}> ordering=in fillcolor="{theme.operation}" '
                f'color="{theme.operation_line}"{ink} {CIRCLE if len(shown) == 1 else WORD}]'
            )
        return self.circles[shown]

    def edge(self, node: Node, place: int, operand: int) -> str:
        """The options of the arrow from an operand that is a node."""
        # The arrow from a computed operand is kept straight, and leaves come in from the side.
        weight = "weight=2" if operand in self.made and len(node.operands) > 1 else ""
        if self.has_plain_edges:
            return f" [{weight}]" if weight else ""
        options = [weight] if weight else []
        slope = slope_text(node, place, self.graph, self.look) if node.slopes else ""
        if slope:
            options.append(f"label=<{plate(slope, SLOPE, self.theme)}>")
        if self.look.arrows == "backward":
            options.append("arrowhead=none" if operand in self.quiet else f"dir=back {self.back}")
        if (self.graph.shown_as(operand), node.index) in self.graph.highlighted_edges:
            options.append(self.highlight)
        if (node.index, place) in self.paint.operands:
            options.append(written(self.paint.operands[node.index, place]))
        return f" [{' '.join(options)}]" if options else ""

    def result(self, node: Node) -> str:
        """The options of the arrow from an operation to what it made."""
        options = "weight=3"
        if self.has_plain_edges:
            return options
        if self.look.arrows == "backward":
            options += " arrowhead=none" if node.is_quiet else f" dir=back {self.back}"
        if node.index in self.highlighted_results:
            options += f" {self.highlight}"
        if node.index in self.paint.results:
            options += f" {written(self.paint.results[node.index])}"
        return options

    def constant(self, node: Node, place: int, value: Value) -> Iterator[str]:
        """A constant operand: text on the page, or a box of its own."""
        theme, name = self.theme, f"c{node.index}_{place}"
        if self.look.constants == "shown":
            row = self.row % ("constant", value_label(value, theme.soft))
            colours = f'color="{theme.quiet_line}" fillcolor="{theme.quiet}"'
            yield f"\t{name} [label=<{TABLE}>{row}</table>> {colours}]"
        else:
            yield f"\t{name} [label=<{value_label(value, theme.line)}> fontsize=10 {BARE}]"
        arrow = " arrowhead=none" if self.look.arrows == "backward" else ""
        yield f"\t{name} -> o{node.index} [arrowsize=0.5 penwidth=0.8{arrow}]"

    def piece(self, piece: Piece) -> Iterator[str]:
        """Many nodes as one: a box with a double outline, with how many there are and what is in them."""
        theme, i = self.theme, piece.index
        fill, line = theme.fold, theme.fold_line
        if piece.is_backward:
            fill, line = theme.backward, theme.backward_line
        title = f"<tr><td><b>{escape(piece_title(piece, self.graph))}</b></td></tr><hr/>"
        facts = "".join(f'<tr><td align="left">{self.small(fact)}</td></tr>' for fact in piece_facts(piece))
        outline = self.highlight if i in self.graph.highlighted else f'color="{line}"'
        label = f'{TABLE} color="{line}">{title}{facts}</table>'
        yield f'\tn{i} [label=<{label}> fillcolor="{fill}" {outline} peripheries=2]'
        for operand in dict.fromkeys(map(self.graph.shown_as, piece.operands)):
            if operand == i:  # equal parts of which one takes what another has made
                continue
            options = [f"dir=back {self.back}"] if self.look.arrows == "backward" else []
            if (operand, i) in self.graph.highlighted_edges:
                options.append(self.highlight)
            yield f"\tn{operand} -> n{i}{' [' + ' '.join(options) + ']' if options else ''}"
            if self.look.arrows == "both":
                yield f"\tn{i} -> n{operand} [{self.back} constraint=false]"

    def loose_end(self, index: int) -> str:
        """The name of an operand that is cut off, as text on the page."""
        label = f"<... {escape(self.graph.name(index))}>"
        return f'\tn{index} [label={label} fontcolor="{self.theme.line}" fontsize=10 {BARE}]'
