"""Graphviz's labels, which are a kind of HTML: text with enough room for it, and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape as escaped

from ..graph.as_text import Value
from ..theme import Theme

FONT = "Helvetica,Arial,sans-serif"
# Widths in ems of the widest font that may be used instead of Helvetica: DejaVu Sans in bold.
EMS = {
    **dict.fromkeys(" .,:;'|!ijl", 0.4),
    **dict.fromkeys("()[]-/frt", 0.5),
    **dict.fromkeys("+=<>\N{MULTIPLICATION SIGN}\N{MINUS SIGN}", 0.84),
    **dict.fromkeys("mwMW@%", 1.11),
}
OTHER = 0.72
REGULAR = 0.88  # a text that is not bold takes this fraction
TYPESET = {
    "-": "\N{MINUS SIGN}",
    "*": "\N{MULTIPLICATION SIGN}",
    "/": "\N{DIVISION SIGN}",
    "**": "^",
}
"""How pictures write Python's operators; the others as they are."""
SPECIAL = re.compile(r"[&<>\"']")


def escape(text: str) -> str:
    """Text with the characters escaped that are special in a label."""
    return escaped(text) if SPECIAL.search(text) else text


def room(text: str, size: float) -> float:
    """The width in points that a text needs at most."""
    return size * sum(EMS.get(letter, OTHER) for letter in text)


def plate(text: str, size: float, theme: Theme) -> str:
    """Text on a background of its own, with some space around it: legible on any page and over an arrow."""
    look = f'bgcolor="{theme.made}" style="rounded" width="{REGULAR * room(text, size) + 4:.0f}"'
    cell = f"<td {look}>{escape(text)}</td>"
    return f'<table border="0" cellspacing="2" cellpadding="1"><tr>{cell}</tr></table>'


def typeset(sign: str | None, word: str | None) -> str:
    """What a picture shows for an operation: its sign, or its name if it has none.

    >>> from autodiff.draw.picture.labels import typeset
    >>> typeset("**", "pow"), typeset(None, "exp")
    ('^', 'exp')
    """
    return TYPESET.get(sign, sign) if sign else word or ""


def stacked(lines: Sequence[str], size: float, align: str) -> str:
    """Lines below each other, with room for them in any font: Graphviz assumes a narrow one."""
    width = max(room(line, size) for line in lines)
    rows = "".join(f'<tr><td align="{align}" width="{width:.0f}">{escape(line)}</td></tr>' for line in lines)
    return f'<table border="0" cellborder="0" cellspacing="0" cellpadding="1">{rows}</table>'


def value_label(value: Value, ink: str) -> str:
    """A value in a box: a line, or for a small array a table."""
    if not value.table:
        space = "&#160;" if value.is_shape else ""
        return f'<font color="{ink}">{escape(value.line)}{space}</font>'
    rows = "".join(
        "<tr>"
        + "".join(f'<td align="right"><font color="{ink}">{escape(x)}</font></td>' for x in row)
        + "</tr>"
        for row in value.table
    )
    return f'<table border="0" cellborder="0" cellspacing="3" cellpadding="1">{rows}</table>'
