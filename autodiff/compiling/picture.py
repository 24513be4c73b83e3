"""Pictures of a program: its graph before and after the passes over it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import Any

import numpy as np

from ..draw.drawing import Drawing
from ..draw.graph.as_text import Pending, number
from ..draw.graph.caller import Scope
from ..draw.graph.reading import read
from ..draw.look import Look, checked_look
from ..draw.picture.render import fingerprint, image
from .inspecting import operations
from .language import OPERATORS, index_text
from .nodes import ProgramNode, reachable
from .program import Program

MOST = 100
"""A graph of more operations is not drawn: nobody could read the picture."""

WORDS = {op: sign for op, (sign, _) in OPERATORS.items()} | {
    "power": "**", "negative": "neg", "absolute": "abs", "maximum": "max", "minimum": "min",
    "pick": "at places", "concatenate": "join", "reduce_add": "sum", "reduce_multiply": "prod",
    "reduce_maximum": "max", "reduce_minimum": "min", "transpose": "T", "broadcast_to": "stretch",
}  # fmt: skip
"""Signs and words of operations, where they are not called as in NumPy."""


GRADIENT = re.compile(r"d\d*_")


class Shown:
    """A node as pictures read it: the operation and its operands, and a shape in place of data."""

    grad = None

    def __init__(self, op: str | None, creators: Sequence[Any], name: str | None, data: Any) -> None:
        self.creation_op = op
        self.creators = tuple(creators) or None
        self.name = name
        self.data = data


class Pictures:
    """The graph of a program before the passes over it, and after them.

    It shows itself in a notebook, and prints as two tables.

    Attributes
    ----------
    before, after
        The two drawings, as :func:`autodiff.draw` makes them; None for a graph that is too large. They are
        one where the passes leave the graph as it is; then it is shown once.
    """

    def __init__(self, program: Program, direction: str = "LR") -> None:
        stages = [program.stages[0][1], program.stages[-1][1]]
        counts = [*map(operations, stages)]
        if program.stages[0][0] != "used":  # the graph was too large to be kept
            stages[0], counts[0] = [], program.counts["used"]
        if min(counts) > MOST:
            raise ValueError(
                f"the program has {min(counts):,} operations, and a picture of more than {MOST} cannot be "
                "read. See .program, which shows loops as loops, and .report(), the size after each pass"
            )
        heads = ["before the passes over the graph", "after them"]
        if stages[0] == stages[1]:
            stages, counts, heads = stages[:1], counts[:1], ["before and after the passes over the graph"]
        self.titles = [f"{head}: {counted(count)}" for head, count in zip(heads, counts)]
        self.drawings = [
            drawing(results, checked_look(direction, show="shape", title=title), program.words)
            if count <= MOST
            else None
            for results, count, title in zip(stages, counts, self.titles)
        ]
        self.before, self.after = self.drawings[0], self.drawings[-1]

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """Both graphs as tables."""
        pairs = zip(self.titles, self.drawings)
        return "\n\n".join(
            f"{title}\n{one.text}" if one is not None else f"{title}, {TOO_MANY}" for title, one in pairs
        )

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The tables, and with them the pictures side by side. This never raises an error."""
        bundle = {"text/plain": self.text}
        with suppress(Exception):  # if a picture fails in any way, the cell still shows the tables
            cells = [self._cell(i, one) for i, one in enumerate(self.drawings)]
            if all(cells):
                bundle["text/html"] = f'<div style="{ROW}">{"".join(cells)}</div>'
        return bundle, {"autodiff": fingerprint(self.text)}

    def _cell(self, i: int, one: Drawing | None) -> str:
        """One of the pictures as HTML; nothing if it could not be laid out."""
        if one is None:
            return f'<div style="width:100%">{escape(self.titles[i])}, {TOO_MANY}</div>'
        return f"<div>{image(one.svg, one.description)}</div>" if one.svg else ""


TOO_MANY = "too many to be drawn"
ROW = "display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start"


def counted(count: int) -> str:
    """A number of operations in words."""
    return "1 operation" if count == 1 else f"{count:,} operations"


def drawing(results: Sequence[ProgramNode], look: Look, words: Mapping[ProgramNode, str]) -> Drawing:
    """The picture of the nodes behind some results. Several are drawn as one end, which holds them all.
    ``words`` are those of values without a name; a word that several values have is numbered."""
    shown: dict[ProgramNode, Any] = {}
    nodes = reachable(results)
    names = numbered(nodes, words)
    for node in nodes:
        shown[node] = adapted(node, names.get(node), [shown[arg] for arg in node.args])
    ends = [shown[node] for node in results]
    is_one = len(ends) == 1 and isinstance(ends[0], Shown)
    end = ends[0] if is_one else Shown("return", ends, "results", Pending(None))
    return Drawing(read(end, Scope({}, {})), look)


def numbered(nodes: Sequence[ProgramNode], words: Mapping[ProgramNode, str]) -> dict[ProgramNode, str]:
    """The names of nodes: their own, or their words. Words of several nodes are numbered, those of gradients,
    ``d_h``, backwards, so that ``d_h2`` belongs to ``h2``."""
    names = {node: node.name for node in nodes if node.name is not None}
    left = [node for node in nodes if node in words and node not in names]
    totals = Counter(words[node] for node in left)
    counts: Counter[str] = Counter()
    for node in left:
        word = words[node]
        place, last = counts[word], totals[GRADIENT.sub("", word)] - 1
        counts[word] += 1
        place = last - place if GRADIENT.match(word) and last >= place else place
        names[node] = word if totals[word] == 1 else f"{word}{place}"
    return names


def adapted(node: ProgramNode, name: str | None, creators: Sequence[Any]) -> Any:
    """A node as pictures read it. A constant is its value, which stands beside what uses it."""
    if node.op == "full":
        return f"all {number(np.asarray(node.args[0].value).item())} {node.shape}"
    if node.op in ("const", "array"):
        is_same = node.size > 1 and bool((node.value == node.value.flat[0]).all())
        return f"all {number(node.value.flat[0])} {node.shape}" if is_same else node.value
    return Shown(word_for(node) if creators else None, creators, name, Pending(node.shape))


def word_for(node: ProgramNode) -> str:
    """The sign or the word of an operation, with what it depends on besides: the axes of a sum, an index."""
    word = WORDS.get(node.op, node.op)
    if node.op == "call":
        return str(getattr(node.value, "__name__", "call")).strip("<>")
    if node.op == "part":
        return f"[{node.value}]"
    if node.op == "astype":
        return node.number.__name__ if node.number else str(node.dtype)
    if node.op == "getitem":
        return f"[{index_text(node.value)}]"
    if node.op.startswith("reduce_") and len(node.options[0]) < len(node.args[0].shape):
        axes = ", ".join(map(str, node.options[0]))
        return f"{word} over axis {axes}" if len(node.options[0]) == 1 else f"{word} over axes {axes}"
    return word
