"""`compare`: a reader's gradients beside the package's, with the first that differs in red."""

from __future__ import annotations

from textwrap import wrap

import numpy as np

from ..graph.caller import caller_scope
from ..graph.reading import read_part
from ..look import checked_look
from ..painted import Painted
from ..picture.labels import stacked
from ..picture.paint import Paint
from ..theme import LIGHT
from ..words.columns import columns
from ..words.equations import equation
from .difference import Compared, Difference, compared, text_of

PICTURE = 60  # nodes that can be read at the width of a page
CHAIN = 8  # nodes shown of a larger graph, from the first difference towards the end
ROWS = 30  # rows of the table
AROUND = 8  # rows shown of a longer table on both sides of the first difference
WIDTH = 76  # characters of a line below the picture
SMALL, USUAL = 10, 11  # points of the letters below the picture, and in a node

CELLS = {"gradient": "grad", "data": "data"}  # by kind, where the node that differs shows both texts

WRONG = {"color": "#d92d2d", "fillcolor": "#fdd9d9", "penwidth": "2.5"}
WRONG_TOO = {"color": "#d92d2d", "penwidth": "1.4"}


class Comparison(Painted):
    """The gradients of a graph beside those that the package finds, with the first that differs in red.

    `difference` describes the first that differs; it is None if all agree.
    """

    difference: Difference | None


def compare(e: object, mine: object = None, *, direction: str = "auto") -> Comparison:
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
    look = checked_look(direction)
    found = compared(e, mine, caller_scope())
    held = _held_in_cell(found.difference)
    shown = Comparison(
        read_part(
            found.walk,
            found.names,
            _kept(found),
            instead={cell: text for cell, (text, _) in held.items()},
        ),
        look,
        _paint(found, {cell: label for cell, (_, label) in held.items()}),
        _text(found),
        f"Compared graph of {found.end}: {_head(found)}.",
    )
    shown.difference = found.difference
    return shown


def _held_in_cell(difference: Difference | None) -> dict[tuple[int, str], tuple[str, str]]:
    """The cell of the node that differs, and what it shows there: both values, as text and as a label."""
    if difference is None or difference.kind not in CELLS:
        return {}
    found, expected = text_of(difference.found), text_of(difference.expected)
    text = f"{found}, not {expected}"
    is_array = np.ndim(difference.found) or np.ndim(difference.expected)
    lines = [f"{found},", f"not {expected}"] if is_array else [text]
    return {(difference.place, CELLS[difference.kind]): (text, stacked(lines, USUAL, "right"))}


def _paint(found: Compared, cells: dict[tuple[int, str], str]) -> Paint:
    """What is wrong in red, and the result of the comparison below the picture."""
    nodes = dict.fromkeys(found.wrong, WRONG_TOO)
    ink = LIGHT.soft
    if found.difference is not None:
        nodes[found.difference.place] = WRONG
        ink = WRONG["color"]
    below = stacked(wrap(_head(found), WIDTH), SMALL, "center")
    return Paint(nodes=nodes, cells=cells, legend=f'<font color="{ink}">{below}</font>')


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
