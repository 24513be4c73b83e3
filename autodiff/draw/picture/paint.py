"""Colours and labels of single nodes and arrows, laid over the look of a drawing while it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Attributes = Mapping[str, str]  # of Graphviz


@dataclass(frozen=True, slots=True)
class Paint:
    """What a picture shows beyond the graph itself.

    `nodes` and `results` are by the index of a node: its box, and the arrow from its operation to it.
    `operands` are the arrows into its operation, by node and place. `cells` holds labels to stand in the
    place of a node's data or gradient, by node and "data" or "grad". `legend` is a label below the picture.
    """

    nodes: Mapping[int, Attributes] = field(default_factory=dict)
    operands: Mapping[tuple[int, int], Attributes] = field(default_factory=dict)
    results: Mapping[int, Attributes] = field(default_factory=dict)
    cells: Mapping[tuple[int, str], str] = field(default_factory=dict)
    legend: str = ""


NO_PAINT = Paint()


def written(attributes: Attributes) -> str:
    """Attributes as DOT has them; of one that is given twice, Graphviz takes the last.

    >>> written({"color": "red", "label": "<b>"})
    'color="red" label=<b>'
    """
    return " ".join(
        f"{name}={value}" if value.startswith("<") else f'{name}="{value}"'
        for name, value in attributes.items()
    )
