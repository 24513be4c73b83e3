"""One frame of a film in DOT. All frames have the same nodes and edges, with room for the widest text that
they will ever show, so the layout is the same in all frames and nothing moves.

The DOT nodes have the same names as in a drawing: n7, o7 and c7_1, where c7_1 may also be an operand outside
the window. In addition there is k7_1 for the chip, the text on the edge from an operand to its operation.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from html import escape

from ..graph.as_text import Value
from ..graph.records import Node
from ..picture.labels import FONT, room, typeset
from ..picture.writer import BARE, CIRCLE, WORD
from ..theme import Theme
from .cells import LEVELS, NO_NUMBER, short
from .story import Cell, Step, Story

PIXEL = 8  # points of a heat map's cell
BEAD = 4  # points of the dot that marks the place of a text to come, and joins the two halves of the edge
LINE = 76  # characters of a caption's line
# The heights of texts are fixed too, with some room to spare: a bold line is higher than a plain one.


def source(story: Story, step: Step, theme: Theme, direction: str, *, caption: str | None = None) -> str:
    """The DOT text of one frame; with a caption it is a picture for slides, on a background of its own."""
    return Frame(story, step, theme).source(direction, caption)


class Frame:
    """Writes one frame: the state of the graph after one step."""

    def __init__(self, story: Story, step: Step, theme: Theme) -> None:
        self.story, self.step, self.theme = story, step, theme
        self.is_backward = story.direction == "backward"
        self.shown = {node.index for node in story.nodes}
        self.steps = {one.active: number for number, one in enumerate(story.steps)}
        self.lit = f'color="{theme.way_back}" penwidth=1.8'

    def source(self, direction: str, caption: str | None) -> str:
        """The whole DOT text."""
        theme = self.theme
        ground, pad = ("transparent", 0.05) if caption is None else (theme.made, 0.2)
        box = 'shape=box style="filled,rounded" margin=0 width=0 height=0'
        lines = [
            "digraph film {",
            f'graph [bgcolor="{ground}" pad={pad} rankdir={direction} nodesep=0.2 ranksep=0.16]',
            f'node [fontname="{FONT}" fontsize=11 fontcolor="{theme.ink}" {box}]',
            f'edge [color="{theme.line}" arrowsize=0.6 penwidth=1.1]',
            f'graph [outputorder=edgesfirst fontname="{FONT}"]',
        ]
        if caption is not None:
            lines.append(f"graph [labelloc=b labeljust=l label={caption}]")
        lines += [self.tensor(node) for node in self.story.nodes]
        for node in self.story.nodes:
            if node.index in self.story.operations:
                lines += self.operation(node)
        return "\n".join([*lines, "}\n"])

    def tensor(self, node: Node) -> str:
        """The box of a Tensor, with a line around it where something happens in this step."""
        theme, i = self.theme, node.index
        fill, line = (theme.made, theme.made_line) if node.operation else (theme.leaf, theme.leaf_line)
        width = 1.0
        if node.is_quiet:
            fill, line = theme.quiet, theme.quiet_line
        if i in self.step.receivers:
            line, width = theme.way_back, 2.2
        elif i == self.step.active:
            line, width = theme.operation_line, 2.2
        rows = f'<tr><td colspan="2"><b>{escape(node.name)}</b></td></tr><hr/>'
        if self.is_backward:
            data = self.story.data[i].text
            rows += self.row("data", _text(data, theme.ink, room(data, 11), is_bold=False))
        if not self.is_backward or not node.is_quiet:
            rows += self.row("grad" if self.is_backward else "data", self.changing(i))
        table = f'<<table border="0" cellspacing="0" cellpadding="4" color="{line}">{rows}</table>>'
        return f'n{i} [fillcolor="{fill}" color="{line}" penwidth={width} label={table}]'

    def row(self, label: str, cell: str) -> str:
        """A row of a box."""
        return (
            f'<tr><td align="left"><font color="{self.theme.soft}" point-size="9">{label}</font></td>'
            f'<td align="right">{cell}</td></tr>'
        )

    def changing(self, i: int) -> str:
        """The part of a node that changes from frame to frame, in the room that its widest state needs."""
        theme, cell = self.theme, self.step.cells[i]
        ink = theme.gradient if self.is_backward else theme.ink
        width = max(room(step.cells[i].text, 11) for step in self.story.steps)
        is_new = i in self.step.receivers
        text = _text(cell.text, ink if cell.is_known else theme.soft, width, is_bold=is_new)
        if not cell.shades:
            return text
        below = f"<tr><td>{text}</td></tr>" if width else ""
        picture = f'<tr><td align="right">{_heat_map(cell, theme)}</td></tr>'
        return f'<table border="0" cellspacing="0" cellpadding="1">{picture}{below}</table>'

    def operation(self, node: Node) -> Iterator[str]:
        """The circle of an operation, and its arrows: from each operand, and to what it made."""
        i = node.index
        is_active = self.step.active == i
        yield self.circle(node, is_active)
        for place, operand in enumerate(node.operands):
            if not isinstance(operand, int) or operand not in self.shown:
                yield from self.outside(i, place, operand)
            elif (i, place) not in self.story.chips:  # nothing travels here: a constant that is a Tensor
                yield f"n{operand} -> o{i}"
            else:
                yield from self.edge(i, place, operand, is_active)
        # On the walk back the arrows of the operation at work point the way that its gradient goes.
        turned = f" [{self.lit}{' dir=back' if self.is_backward else ''}]" if is_active else ""
        yield f"o{i} -> n{i}{turned}"

    def circle(self, node: Node, is_active: bool) -> str:
        """The operation itself: a sign in a circle, a word in a box."""
        theme = self.theme
        sign = typeset(node.sign, node.operation)
        fill, line, ink, width = theme.made, theme.made_line, theme.ink, 1.0
        if is_active:
            fill, line, ink, width = theme.operation, theme.operation_line, theme.operation_ink, 2.2
        return (
            f'o{node.index} [label=<{escape(sign)}> ordering=in fillcolor="{fill}" color="{line}" '
            f'fontcolor="{ink}" penwidth={width} {CIRCLE if len(sign) == 1 else WORD}]'
        )

    def outside(self, i: int, place: int, operand: int | Value) -> Iterator[str]:
        """An operand that has no box: a constant, or a node outside the window."""
        text = self.short_name(operand) if isinstance(operand, int) else operand.line
        yield f'c{i}_{place} [label=<{escape(text)}> {BARE} fontsize=10 fontcolor="{self.theme.line}"]'
        yield f"c{i}_{place} -> o{i} [arrowsize=0.5 penwidth=0.8]"

    def edge(self, i: int, place: int, operand: int, is_active: bool) -> Iterator[str]:
        """The edge from an operand to its operation, in two halves with the chip between them."""
        is_past = not is_active and self.steps[i] < self.steps[self.step.active]
        yield self.chip(f"k{i}_{place}", self.story.chips[i, place], is_active, is_past)
        lit = self.lit if is_active else ""
        tail, head = ("dir=back", "dir=none") if is_active and self.is_backward else ("dir=none", "")
        # Both halves run to the middle of the text, under it: without the text they are one line.
        yield f"n{operand} -> k{i}_{place} [headclip=false {tail} {lit}]"
        yield f"k{i}_{place} -> o{i} [tailclip=false {head} {lit}]"

    def chip(self, name: str, text: str, is_active: bool, is_past: bool) -> str:
        """The text on an edge; before its step, a dot in its place."""
        theme = self.theme
        size = f'width="{room(text, 10) + 4:.0f}" height="16"'
        if is_active or is_past:
            ink = theme.gradient if is_active else theme.soft
            ground, line = (theme.made, theme.way_back) if is_active else (theme.quiet, theme.quiet)
            look = f'style="filled,rounded" fillcolor="{ground}" color="{line}" penwidth=1.2'
            inside = f'<td {size}><font color="{ink}" point-size="10">{escape(text)}</font></td>'
        else:
            look = 'style="" color="transparent" penwidth=1.2'
            square = f'fixedsize="true" width="{BEAD}" height="{BEAD}"'
            bead = f'<tr><td bgcolor="{theme.line}" {square}></td></tr>'
            table = f'<table border="0" cellborder="0" cellspacing="0" {square}>{bead}</table>'
            inside = f"<td {size}>{table}</td>"
        table = f'<table border="0" cellspacing="0" cellpadding="1"><tr>{inside}</tr></table>'
        return f"{name} [{look} label=<{table}>]"

    def short_name(self, index: int) -> str:
        """The text for an operand outside the window: its name, or the value of a number without a name."""
        node = self.story.graph.nodes[index]
        if node.is_named or node.data.is_array or node.operation is not None:
            return f"... {node.name}"
        return short(node.data.line)


def captions(story: Story, theme: Theme) -> list[str]:
    """The captions of all steps as labels of one and the same size."""
    wrapped = [list(_caption_lines(story, number)) for number in range(len(story.steps))]
    width = max(room(line, 11) for lines in wrapped for line, _ in lines)
    height = max(map(len, wrapped))
    labels = []
    for lines in wrapped:
        rows = [
            f'<tr><td align="left" height="16"><font color="{theme.gradient if is_symbol else theme.ink}">'
            f'{escape(line) or " "}<br align="left"/></font></td></tr>'
            for line, is_symbol in [*lines, *[("", False)] * (height - len(lines))]
        ]
        inside = "".join(rows).replace("<td", f'<td width="{width:.0f}"', 1)
        table = f'<table border="0" cellspacing="0" cellpadding="2">{inside}</table>'
        labels.append(f'<<font point-size="11">{table}</font>>')
    return labels


def _caption_lines(story: Story, number: int) -> Iterator[tuple[str, bool]]:
    """The lines of a caption, and of each whether it is in symbols."""
    step = story.steps[number]
    yield f"Step {number + 1} of {len(story.steps)}: {step.title}", False
    yield from ((line, False) for line in textwrap.wrap(step.words, LINE))
    for symbols in step.symbols:
        yield from ((line, True) for line in textwrap.wrap(symbols, LINE, subsequent_indent="    "))


def _text(text: str, ink: str, width: float, *, is_bold: bool) -> str:
    words = f"<b>{escape(text)}</b>" if is_bold and text else escape(text) or " "
    inside = f'<font color="{ink}">{words}<br align="right"/></font>'
    cell = f'<td align="right" width="{width:.0f}" height="15">{inside}</td>'
    return f'<table border="0" cellspacing="0" cellpadding="0"><tr>{cell}</tr></table>'


def _heat_map(cell: Cell, theme: Theme) -> str:
    def ground(level: int) -> str:
        return f' bgcolor="{shade(level, theme)}"' if cell.is_known else ""

    size = f'fixedsize="true" width="{PIXEL}" height="{PIXEL}"'
    rows = "".join(
        "<tr>" + "".join(f"<td {size}{ground(level)}></td>" for level in row) + "</tr>" for row in cell.shades
    )
    # The whole table has a fixed size too, or Graphviz would stretch it to fill the node.
    width, height = PIXEL * len(cell.shades[0]) + 2, PIXEL * len(cell.shades) + 2
    return (
        f'<table border="1" color="{theme.made_line}" cellborder="0" cellspacing="0" cellpadding="0" '
        f'fixedsize="true" width="{width}" height="{height}">{rows}</table>'
    )


def shade(level: int, theme: Theme) -> str:
    """The colour of a cell in a heat map: towards that of gradients above zero, that of leaves below.

    >>> from autodiff.draw.theme import Theme
    >>> theme = Theme(made="#ffffff", gradient="#ff0000")
    >>> shade(0, theme), shade(4, theme)
    ('#ffffff', '#ff0000')
    """
    if level == NO_NUMBER:
        return theme.ink
    far = theme.gradient if level > 0 else theme.leaf_line
    part = abs(level) / LEVELS
    mixed = [
        round(int(theme.made[i : i + 2], 16) * (1 - part) + int(far[i : i + 2], 16) * part) for i in (1, 3, 5)
    ]
    return "#" + "".join(f"{channel:02x}" for channel in mixed)
