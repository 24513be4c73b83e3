"""The reader's gradients beside the package's, with the first that differs in red."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from html import escape
from textwrap import wrap
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..graph.as_text import attribute, word
from ..graph.as_text import read as value
from ..graph.names import caller_scope
from ..graph.records import creators_of
from ..graph.signs import sign_of
from ..painted import Look, Painted, columns, copied
from ..picture.dot import room
from ..theme import LIGHT
from ..words.table import equation
from .difference import Compared, Difference, compared, line

PICTURE = 60  # nodes that can be read at a page's width; of a larger graph
CHAIN = 8  # so many from the first difference towards the end
ROWS = 30  # of the table; of a longer one as many
AROUND = 8  # on both sides of the first difference
WIDTH = 76  # characters of a line below the picture
SMALL, USUAL = 10, 11  # points of the letters below the picture, and in a node

WRONG = {"color": "#d92d2d", "fillcolor": "#fdd9d9", "penwidth": "2.5"}
WRONG_TOO = {"color": "#d92d2d", "penwidth": "1.4"}


class Comparison(Painted):
    """A graph's gradients beside those that the package finds, with the first that differs in red.

    `difference` is that first one, None where all agree.
    """

    difference: Difference | None

    @cached_property
    def dot(self) -> str:
        """The DOT source."""
        source = super().dot
        if self.difference is None:
            return source
        held, lines = _held(self.difference)
        # What the node shows is cut off at a word's length; here it stands in full, with room around it.
        return source.replace(
            f">{escape(value(held).line)}</font>", f">{_roomy(lines, USUAL, 'right')}</font>", 1
        )


def compare(e: object, mine: object = None, *, direction: str = "auto") -> Comparison:
    """Show the first node, walking back, whose gradient is not what the package finds.

    With one graph, of any class with `data`, `grad`, `creators` and `creation_op`, the gradients in it are
    held against those that the package's rules give for that very graph. With two, `mine` is held against
    `e`, which was made by the same operations: first what was recorded, then its gradients. Walk back from
    your graph with your own `backward` before; `e` needs no gradients.

    Parameters
    ----------
    e : Tensor
        The end of the graph.
    mine : Tensor of any class, or None
        The end of your graph, where it is another than `e`.
    direction : {"auto", "LR", "TB"}
        The picture from left to right, or from top to bottom; by itself from left to right, if that fits a
        page.

    Returns
    -------
    Comparison
        It shows itself in a notebook, prints as a table, and saves to svg, png, pdf and dot.

    Raises
    ------
    TypeError
        If one of the two is not a node of a graph.
    ValueError
        If it is a leaf, if it holds no gradients, if an operation in it is not known to the package, or if
        the direction is unknown.

    Examples
    --------
    >>> import autodiff as ad
    >>> a = ad.Tensor(2)
    >>> y = a * a
    >>> y.backward()
    >>> ad.compare(y)
    all 2 gradients are as the package finds them
    <BLANKLINE>
    node       expected  found
    y = a * a         1      1
    a                 4      4
    """
    from .. import draw

    found = compared(e, mine, caller_scope())
    difference = found.difference
    kept = _kept(found)
    changes = {}
    if difference is not None:
        held, _ = _held(difference)
        if difference.kind in ("gradient", "data"):
            changes = {"grad" if difference.kind == "gradient" else "data": {difference.place: held}}
    end, places = copied(found.order, kept, found.names, **changes)
    looks: dict[str, Look] = {f"n{places[i]}": WRONG_TOO for i in found.wrong if i in places}
    if difference is not None:
        looks[f"n{places[difference.place]}"] = WRONG
    below = _roomy(wrap(_head(found), WIDTH), SMALL, "center")
    ink = LIGHT.soft if difference is None else WRONG["color"]
    shown = Comparison(
        draw(end, direction=direction),
        _text(found),
        f"Compared graph of {found.names[len(found.order) - 1]}: {_head(found)}.",
        looks,
        f'<font color="{ink}">{below}</font>',
    )
    shown.difference = difference
    return shown


def _held(difference: Difference) -> tuple[str, list[str]]:
    """What the node that differs shows: as one text, and as lines, of which an array takes two."""
    found, expected = line(difference.found), line(difference.expected)
    held = f"{found}, not {expected}"
    is_array = np.ndim(difference.found) or np.ndim(difference.expected)
    return held, [f"{found},", f"not {expected}"] if is_array else [held]


def _roomy(lines: Sequence[str], size: float, align: str) -> str:
    """Lines as a table that has room for them in any font: Graphviz measures a narrow one."""
    width = max(room(text, size) for text in lines)
    rows = "".join(f'<tr><td align="{align}" width="{width:.0f}">{escape(text)}</td></tr>' for text in lines)
    return f'<table border="0" cellborder="0" cellspacing="0" cellpadding="1">{rows}</table>'


def _head(found: Compared) -> str:
    if found.difference is not None:
        return found.difference.message
    return f"all {len(found.expected):,} gradients are as the package finds them"


def _text(found: Compared) -> str:
    """What there is to say, and a table of the gradients in the order of the walk back."""
    if not found.expected:
        return _head(found)
    rows = list(found.expected)
    start, end = 0, len(rows)
    if len(rows) > ROWS:
        first = rows.index(found.wrong[0]) if found.wrong else 0
        start, end = max(0, first - AROUND), min(len(rows), first + AROUND + 1)
    marks = dict.fromkeys(found.wrong, "<- differs too")
    if found.wrong:
        marks[found.wrong[0]] = "<- the first that differs"
    table = [("node", "expected", "found", "")] + [
        (_equation(found, i), line(found.expected[i]), line(found.found(i)), marks.get(i, ""))
        for i in rows[start:end]
    ]
    has_arrays = any(np.ndim(found.expected[i]) for i in rows[start:end])
    lines = columns(table, right=() if has_arrays else (1, 2))
    if start:
        lines.insert(1, f"... {start:,} before these are right")
    if end < len(rows):
        lines.append(f"... and {len(rows) - end:,} more behind these")
    return "\n".join([_head(found), "", *lines])


def _equation(found: Compared, i: int) -> str:
    """A node's name and how it was made, as draw writes it."""
    node = found.order[i]
    creators = creators_of(node)
    operation = attribute(node, "creation_op")
    record: Any = SimpleNamespace(
        name=found.names[i],
        operation=word(operation) if creators else None,
        sign=sign_of(operation),
        operands=[found.index[id(c)] if id(c) in found.index else value(c) for c in creators],
    )
    graph: Any = SimpleNamespace(name=found.names.__getitem__)
    return equation(record, graph)


def _kept(found: Compared) -> set[int]:
    """The nodes of the picture: of a large graph the first that differs, and a way from it to the end."""
    count = len(found.order)
    if count <= PICTURE:
        return set(range(count))
    if found.difference is None:
        return set(range(count - CHAIN, count))
    kept = {found.difference.place}
    last: Any = found.order[found.difference.place]
    for i in range(found.difference.place + 1, count):
        if len(kept) < CHAIN and any(c is last for c in creators_of(found.order[i])):
            kept.add(i)
            last = found.order[i]
    return kept
