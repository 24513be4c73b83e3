"""Rows of text as lines with aligned columns, for every table in `text/plain`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

GAP = "  "


def columns(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Rows as lines with columns under each other, those in `right` aligned at their right edge.

    >>> columns([("path", "product"), ("e <- a", "12")], right=[1])
    ['path    product', 'e <- a       12']
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    flush = set(right)
    pads = [str.rjust if i in flush else str.ljust for i in range(len(widths))]
    return [
        GAP.join([pad(cell, width) for pad, cell, width in zip(pads, row, widths)]).rstrip() for row in rows
    ]
