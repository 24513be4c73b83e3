"""One frame of a film in DOT. Every frame has the same nodes and edges, with room for the widest text that
they will hold, so the layout is the same in all of them and nothing moves.

The names of DOT nodes are those of a drawing, n7, o7 and c7_1; besides there is k7_1 for the text on the edge
from an operand to its operation, and x7_1 for an operand outside the window.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from html import escape

from ..graph.records import Node
from ..graph.signs import typeset
from ..picture.labels import FONT, room
from ..theme import Theme
from .cells import LEVELS, NO_NUMBER, short
from .story import Cell, Step, Story

PIXEL = 8  # points of a heat map's cell
BEAD = 4  # points of what marks the place of a text to come, and joins the edge's two halves
LINE = 76  # characters of a caption's line
# Heights of texts are given too, with some to spare: a bold line is higher than a plain one.


def source(story: Story, step: Step, theme: Theme, direction: str, *, caption: str | None = None) -> str:
    """The DOT text of one frame; with a caption it is a picture for slides, on the theme's ground."""
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
    lines += [_tensor(story, step, node, theme) for node in story.nodes]
    for node in story.nodes:
        if node.index in story.operations:
            lines += _operation(story, step, node, theme)
    return "\n".join([*lines, "}\n"])


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
    step = story.steps[number]
    yield f"Step {number + 1} of {len(story.steps)}: {step.title}", False
    yield from ((line, False) for line in textwrap.wrap(step.words, LINE))
    for symbols in step.symbols:
        yield from ((line, True) for line in textwrap.wrap(symbols, LINE, subsequent_indent="    "))


def _tensor(story: Story, step: Step, node: Node, theme: Theme) -> str:
    fill, line = (theme.made, theme.made_line) if node.operation else (theme.leaf, theme.leaf_line)
    width = 1.0
    if node.is_quiet:
        fill, line = theme.quiet, theme.quiet_line
    if node.index in step.receivers:
        line, width = theme.way_back, 2.2
    elif node.index == step.active:
        line, width = theme.operation_line, 2.2
    label = "data" if story.direction == "forward" else "grad"
    rows = f'<tr><td colspan="2"><b>{escape(node.name)}</b></td></tr><hr/>'
    if story.direction == "backward":
        data = story.data[node.index]
        rows += _row("data", _text(data.text, theme.ink, room(data.text, 11), False), theme)
    if story.direction == "forward" or not node.is_quiet:
        ink = theme.gradient if story.direction == "backward" else theme.ink
        rows += _row(label, _changing(story, step, node, theme, ink), theme)
    table = f'<<table border="0" cellspacing="0" cellpadding="4" color="{line}">{rows}</table>>'
    return f'n{node.index} [fillcolor="{fill}" color="{line}" penwidth={width} label={table}]'


def _row(label: str, cell: str, theme: Theme) -> str:
    return (
        f'<tr><td align="left"><font color="{theme.soft}" point-size="9">{label}</font></td>'
        f'<td align="right">{cell}</td></tr>'
    )


def _changing(story: Story, step: Step, node: Node, theme: Theme, ink: str) -> str:
    """The part of a node that changes from frame to frame, in the room that its widest state needs."""
    cell = step.cells[node.index]
    width = max(room(other.cells[node.index].text, 11) for other in story.steps)
    text = _text(cell.text, ink if cell.is_known else theme.soft, width, node.index in step.receivers)
    if not cell.shades:
        return text
    below = f"<tr><td>{text}</td></tr>" if width else ""
    picture = f'<tr><td align="right">{_heat_map(cell, theme)}</td></tr>'
    return f'<table border="0" cellspacing="0" cellpadding="1">{picture}{below}</table>'


def _text(text: str, ink: str, width: float, is_bold: bool) -> str:
    words = f"<b>{escape(text)}</b>" if is_bold and text else escape(text) or " "
    inside = f'<font color="{ink}">{words}<br align="right"/></font>'
    cell = f'<td align="right" width="{width:.0f}" height="15">{inside}</td>'
    return f'<table border="0" cellspacing="0" cellpadding="0"><tr>{cell}</tr></table>'


def _heat_map(cell: Cell, theme: Theme) -> str:
    def look(level: int) -> str:
        return f' bgcolor="{shade(level, theme)}"' if cell.is_known else ""

    size = f'fixedsize="true" width="{PIXEL}" height="{PIXEL}"'
    rows = "".join(
        "<tr>" + "".join(f"<td {size}{look(level)}></td>" for level in row) + "</tr>" for row in cell.shades
    )
    # Of fixed size as a whole too: else Graphviz draws the columns apart to fill the node.
    width, height = PIXEL * len(cell.shades[0]) + 2, PIXEL * len(cell.shades) + 2
    return (
        f'<table border="1" color="{theme.made_line}" cellborder="0" cellspacing="0" cellpadding="0" '
        f'fixedsize="true" width="{width}" height="{height}">{rows}</table>'
    )


def shade(level: int, theme: Theme) -> str:
    """The colour of a heat map's cell: towards the gradients' colour above zero, the leaves' below.

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


def _operation(story: Story, step: Step, node: Node, theme: Theme) -> Iterator[str]:
    i = node.index
    is_active = step.active == i
    is_backward = story.direction == "backward"
    sign = typeset(node.sign, node.operation)
    fill, line, ink, width = theme.made, theme.made_line, theme.ink, 1.0
    if is_active:
        fill, line, ink, width = theme.operation, theme.operation_line, theme.operation_ink, 2.2
    if len(sign) == 1:
        size = "shape=circle style=filled fixedsize=true width=0.29 fontsize=14"
    else:
        size = 'height=0.28 width=0.3 margin="0.08,0.03"'
    yield (
        f'o{i} [label=<{escape(sign)}> ordering=in fillcolor="{fill}" color="{line}" fontcolor="{ink}" '
        f"penwidth={width} {size}]"
    )
    lit = f'color="{theme.way_back}" penwidth=1.8'
    # On the walk back the arrows of the operation at work point the way that its gradient goes.
    turned = f" [{lit} dir=back]" if is_active and is_backward else f" [{lit}]" if is_active else ""
    shown = {other.index for other in story.nodes}
    place_of_active = _place(story, step.active)
    for place, operand in enumerate(node.operands):
        if not isinstance(operand, int) or operand not in shown:
            text = short_name(story, operand) if isinstance(operand, int) else operand.line
            bare = f'shape=none style="" margin="0.05,0.02" fontsize=10 fontcolor="{theme.line}"'
            yield f"c{i}_{place} [label=<{escape(text)}> {bare}]"
            yield f"c{i}_{place} -> o{i} [arrowsize=0.5 penwidth=0.8]"
            continue
        chip = story.chips.get((i, place))
        if chip is None:  # nothing travels here: a constant that is a Tensor
            yield f"n{operand} -> o{i}"
            continue
        is_past = not is_active and _place(story, i) < place_of_active
        yield _chip(f"k{i}_{place}", chip, is_active, is_past, theme)
        end = f"{lit}" if is_active else ""
        tail, head = ("dir=back", "dir=none") if is_active and is_backward else ("dir=none", "")
        # Both edges run to the middle of the text, under it: without the text they are one line.
        yield f"n{operand} -> k{i}_{place} [headclip=false {tail} {end}]"
        yield f"k{i}_{place} -> o{i} [tailclip=false {head} {end}]"
    yield f"o{i} -> n{i}{turned or ''}"


def _chip(name: str, text: str, is_active: bool, is_past: bool, theme: Theme) -> str:
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
        inside = f'<td {size}><table border="0" cellborder="0" cellspacing="0" {square}>{bead}</table></td>'
    table = f'<table border="0" cellspacing="0" cellpadding="1"><tr>{inside}</tr></table>'
    return f"{name} [{look} label=<{table}>]"


def _place(story: Story, active: int | None) -> int:
    """The number of the step in which an operation is at work."""
    return next(n for n, step in enumerate(story.steps) if step.active == active)


def short_name(story: Story, index: int) -> str:
    """What stands for an operand outside the window: its name, or a number's value where it has none."""
    node = next(node for node in story.graph.nodes if node.index == index)
    if node.is_named or node.data.is_array:
        return f"... {node.name}"
    return short(node.data.line) if node.operation is None else f"... {node.name}"
