"""A drawing in other colours, with a text of its own: what `explain` and `compare` return.

Colours and labels are laid over a DOT source that is already there, so that these pictures look like those of
`draw` in all else.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from html import escape
from types import SimpleNamespace
from typing import Any

from .drawing import Drawing
from .graph.as_text import attribute
from .graph.names import Scope, find_names
from .graph.reading import stand_in_for
from .graph.records import creators_of, walk
from .picture.render import fingerprint, image

FIXED = "font-family:monospace"  # the columns of a table need it, and not every page gives it to <pre>

ARROW = re.compile(r"^(\s*)(\w+) -> (\w+)(?: \[(.*)\])?$")
Look = Mapping[str, str]


class Painted(Drawing):
    """A drawing that tells something else than its graph's table, and shows it in colours.

    `looks` maps DOT nodes (`n3`) and arrows (`n3 -> o5`, or `n3 -> o5 #2` for the second of two) to
    attributes; `legend` is HTML-like text below the picture. With `says_more` the text stands below the
    picture in a notebook, too: where the picture alone does not say it all.
    """

    def __init__(
        self,
        drawing: Drawing,
        text: str,
        description: str,
        looks: Mapping[str, Look],
        legend: str = "",
        says_more: bool = False,
    ) -> None:
        super().__init__(drawing._graph, drawing._look)
        self.text = text
        self.description = description
        self._looks = looks
        self._legend = legend
        self._says_more = says_more

    @cached_property
    def dot(self) -> str:
        """The DOT source."""
        return paint(Drawing(self._graph, self._look).dot, self._looks, self._legend)

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The text, and beside it the picture. Without a layout engine the text says it all. Never raises."""
        bundle = {"text/plain": self.text}
        metadata = {"autodiff": fingerprint(self.text)}
        with suppress(Exception):  # whatever goes wrong in a picture, the cell shows its text
            if self.svg:
                bundle["text/html"] = image(self.svg, self.description)
                if self._says_more:
                    bundle["text/html"] += f'<pre style="{FIXED}">{escape(self.text)}</pre>'
        return bundle, metadata


def paint(source: str, looks: Mapping[str, Look], legend: str = "") -> str:
    r"""A DOT source with the looks of some nodes and arrows changed, and a legend below.

    >>> print(paint("digraph {\n  n0 -> o1\n  n0 -> o1\n}", {"n0 -> o1 #2": {"color": "red"}}))
    digraph {
      n0 -> o1
      n0 -> o1 [color="red"]
    }
    """
    seen: dict[str, int] = {}
    lines = []
    for line in source.splitlines():
        found = ARROW.match(line)
        if found:
            indent, tail, head, given = found.groups()
            arrow = f"{tail} -> {head}"
            seen[arrow] = seen.get(arrow, 0) + 1
            look = looks.get(arrow if seen[arrow] == 1 else f"{arrow} #{seen[arrow]}")
            if look:
                # Of an attribute given twice Graphviz takes the last.
                line = f"{indent}{arrow} [{' '.join(filter(None, [given, _attributes(look)]))}]"
        lines.append(line)
    last = max(i for i, line in enumerate(lines) if line.strip() == "}")
    nodes = [f"\t{name} [{_attributes(look)}]" for name, look in looks.items() if " -> " not in name]
    below = [f"\tgraph [label=<{legend}> labelloc=b]"] if legend else []
    ending = "\n" if source.endswith("\n") else ""
    return "\n".join([*lines[:last], *nodes, *below, *lines[last:]]) + ending


def copied(
    order: Sequence[object], kept: Container[int], names: Mapping[int, str], **changes: Mapping[int, Any]
) -> tuple[SimpleNamespace, dict[int, int]]:
    """The end of a graph as plain objects to draw, and the place of each of its nodes in the drawing: 7 for
    the one that is `n7` in DOT.

    Only the nodes `kept` are there, by their index in `order`; an operand that is not kept becomes a leaf.
    They bear these names, and `changes` maps an attribute to other values for some of them.
    """
    index = {id(node): i for i, node in enumerate(order)}
    copies: dict[int, SimpleNamespace] = {}

    def copy(i: int, creators: tuple[object, ...]) -> SimpleNamespace:
        own = {name: attribute(order[i], name) for name in ("data", "grad", "requires_grad")}
        own |= {name: values[i] for name, values in changes.items() if i in values}
        operation = str(attribute(order[i], "creation_op")) if creators else None
        copies[i] = SimpleNamespace(
            **own, creators=creators or None, creation_op=operation, name=names.get(i)
        )
        return copies[i]

    for i, node in enumerate(order):
        if i in kept:
            operands = [(c, index.get(id(c))) for c in creators_of(node)]
            copy(i, tuple(c if j is None else copies.get(j) or copy(j, ()) for c, j in operands))
    end = copies[max(copies)]
    at = {id(node): place for place, node in enumerate(walk(end))}
    return end, {i: at[id(made)] for i, made in copies.items() if id(made) in at}


def all_names(order: Sequence[object], scope: Scope) -> tuple[dict[int, str], set[int]]:
    """The name of every node of a graph by its place in it: the caller's, or the stand-in that draw uses. And
    the places of those to which the caller gave one."""
    given = find_names(order, scope)
    prefix = stand_in_for(given)
    names = {i: given.get(id(node)) or f"{prefix}{i}" for i, node in enumerate(order)}
    return names, {i for i, node in enumerate(order) if id(node) in given}


def columns(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Rows as lines with columns under each other, those in `right` aligned at their right edge.

    >>> columns([("path", "product"), ("e <- a", "12")], right=[1])
    ['path    product', 'e <- a       12']
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    flush = set(right)
    return [
        "  ".join(
            f"{cell:>{width}}" if i in flush else f"{cell:<{width}}"
            for i, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]


def _attributes(look: Look) -> str:
    return " ".join(
        f"{name}={value}" if value.startswith("<") else f'{name}="{value}"' for name, value in look.items()
    )
