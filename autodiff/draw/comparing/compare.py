"""`compare`: a reader's gradients beside the package's, with the first that differs in red."""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap
from typing import Any

import numpy as np

from ..graph.as_text import brief, value_of
from ..graph.caller import caller_scope
from ..graph.reading import read_part
from ..look import checked_look
from ..painted import Painted
from ..picture import values
from ..picture.compose import composed
from ..picture.faces import NOT_FINITE, Cell, Face, Row
from ..picture.scene import State
from ..theme import Theme
from ..words.columns import columns
from ..words.equations import equation
from .difference import Compared, Difference, compared, text_of
from .pairs import is_same

PICTURE = 60  # nodes that can be read at the width of a page
CHAIN = 8  # nodes shown of a larger graph, from the first difference towards the end
ROWS = 30  # rows of the table
AROUND = 8  # rows shown of a longer table on both sides of the first difference
WIDTH = 76  # characters of a line below the picture

ROW_OF = {"gradient": "grad", "data": "data"}  # by kind, the row of the node that differs with both values
NONE_HELD = "none"  # in place of a missing gradient


class Comparison(Painted):
    """The gradients of a graph beside those that the package finds, with the first that differs in red.

    `difference` describes the first that differs; it is None if all agree.
    """

    difference: Difference | None


def compare(
    e: object,
    mine: object = None,
    *,
    direction: str = "LR",
    style: str = "compact",
    theme: str | Theme = "auto",
) -> Comparison:
    """Show the first node, walking back, whose gradient is not what the package finds.

    With one graph, of any class with `data`, `grad`, `creators` and `creation_op`, the gradients in it are
    compared with those that the package's rules give for the same graph. With two, `mine` is compared with
    `e`, which was made by the same operations: first what was recorded, then the gradients. Call your own
    `backward` on your graph first; `e` needs no gradients.

    Parameters
    ----------
    e : Tensor
        The end of the graph.
    mine : Tensor of any class, or None
        The end of your graph, if it is not `e` itself.
    direction, style, theme
        The layout, the form and the colours of the picture, as in `draw`.

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
        an option is unknown.
    RuntimeError
        If a Tensor was changed after another had been computed from it.

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
    look = checked_look(direction, style=style, theme=theme)
    found = compared(e, mine, caller_scope())
    graph = read_part(found.walk, found.names, _kept(found), named=_named(found))
    scene, state = composed(graph, look)
    description = f"Compared graph of {found.end}: {_head(found)}."
    shown = Comparison(graph, look, (scene, _shown(state, found)), _text(found), description)
    shown.difference = found.difference
    return shown


def _named(found: Compared) -> set[int]:
    """The nodes whose names stand in the picture: those that the caller has named, and those of the
    message."""
    order = range(len(found.walk.order))
    named = {i for i in order if found.names.is_given(i)}.union(found.wrong)
    if found.difference is not None:
        place = found.difference.place
        named |= {place, *(i for i in order if place in found.walk.operands(i))}
    return named


def _shown(state: State, found: Compared) -> State:
    """The state with what is wrong in red, and the result of the comparison below it."""
    faces = dict(state.faces)
    for i in found.wrong:
        if f"n{i}" in faces:
            faces[f"n{i}"] = replace(faces[f"n{i}"], outline="wrong_line", weight=1.6)
    ink = "page"
    if found.difference is not None:
        ink = "wrong_line"
        key = f"n{found.difference.place}"
        faces[key] = _wrong_face(faces[key], found.difference)
    caption = tuple((line, ink) for line in wrap(_head(found), WIDTH))
    return replace(state, faces=faces, caption=(*state.caption, *caption))


def _wrong_face(face: Face, difference: Difference) -> Face:
    """The box of the node that differs, in red, with what it holds and what it should hold."""
    face = replace(face, kind="wrong", outline="wrong_line", weight=2.6)
    part = ROW_OF.get(difference.kind)
    if part is None:
        return face
    both = _rows_of(part, difference.found, difference.expected)
    others = [row for row in face.rows if row.label != part]
    at = len(others) if part == "grad" else 0
    return replace(face, rows=(*others[:at], *both, *others[at:]))


def _rows_of(part: str, found: Any, expected: Any) -> list[Row]:
    """What a node holds and what it should hold: numbers as `12, not 22`, and arrays below each other."""
    if not np.ndim(found) and not np.ndim(expected):
        words = [NONE_HELD if one is None else brief(one) for one in (found, expected)]
        if words[0] == words[1]:  # three digits show no difference, so as many as in the table are needed
            words = [text_of(found), text_of(expected)]
        return [Row(part, ", not ".join(words))]
    held, right = value_of(found), value_of(expected)
    scale = values.largest([held, right])
    rows = [values.row(part, held, scale), values.row("not", right, scale)]
    if found is None:
        rows[0] = Row(part, NONE_HELD)
    elif rows[0].has_numbers and np.shape(found) == np.shape(expected):
        same = [[is_same(x, y) for x, y in zip(*lines)] for lines in zip(held.numbers, right.numbers)]
        rows = [replace(row, cells=_marked(row.cells, same)) for row in rows]
    return rows


def _marked(cells: tuple[tuple[Cell, ...], ...], same: list[list[bool]]) -> tuple[tuple[Cell, ...], ...]:
    """The cells without shades, those that are not the same in red."""
    return tuple(
        tuple(cell._replace(shade=0 if is_right else NOT_FINITE) for cell, is_right in zip(*lines))
        for lines in zip(cells, same)
    )


def _head(found: Compared) -> str:
    if found.difference is not None:
        return found.difference.message
    return f"all {len(found.expected):,} gradients are as the package finds them"


def _text(found: Compared) -> str:
    """The result of the comparison, and a table of the gradients in the order of the walk back."""
    if not found.expected:
        return _head(found)
    rows = list(found.expected)
    start, end = 0, len(rows)
    if len(rows) > ROWS:
        first = rows.index(found.wrong[0]) if found.wrong else 0
        start, end = max(0, first - AROUND), min(len(rows), first + AROUND + 1)
    lines = _table(found, rows[start:end])
    if start:
        lines.insert(1, f"... {start:,} before these are right")
    if end < len(rows):
        lines.append(f"... and {len(rows) - end:,} more behind these")
    return "\n".join([_head(found), "", *lines])


def _table(found: Compared, rows: list[int]) -> list[str]:
    """The lines of a table with the expected and the found gradients of some nodes."""
    graph = read_part(found.walk, found.names, rows)
    equations = {node.index: equation(node, graph) for node in graph.nodes}
    marks = dict.fromkeys(found.wrong, "<- differs too")
    if found.wrong:
        marks[found.wrong[0]] = "<- the first that differs"
    table = [("node", "expected", "found", "")] + [
        (equations[i], text_of(found.expected[i]), text_of(found.held(i)), marks.get(i, "")) for i in rows
    ]
    has_arrays = any(np.ndim(found.expected[i]) for i in rows)
    return columns(table, right=() if has_arrays else (1, 2))


def _kept(found: Compared) -> set[int]:
    """The nodes of the picture: of a large graph only the first that differs, and a path towards the end."""
    count = len(found.walk.order)
    if count <= PICTURE:
        return set(range(count))
    if found.difference is None:
        return set(range(count - CHAIN, count))
    last = found.difference.place
    kept = {last}
    for i in range(last + 1, count):
        if len(kept) < CHAIN and last in found.walk.operands(i):
            kept.add(i)
            last = i
    return kept
