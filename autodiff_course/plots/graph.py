"""Discs and arrows: the nodes and edges of a small graph, for the plots of lessons 04 and 17."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .colours import INK, LEAF, LEAF_LINE, MADE, MADE_LINE

Place = tuple[float, float]


def put_nodes(
    ax: Any, nodes: Mapping[str, Any], places: Mapping[str, Place], notes: Mapping[str, str]
) -> None:
    """Draw each node as a disc with its name, and a note on the side that has no arrows."""
    middle = np.mean([y for _, y in places.values()])
    for name, place in places.items():
        ground, edge = (LEAF, LEAF_LINE) if not nodes[name].creators else (MADE, MADE_LINE)
        ax.plot(*place, "o", markersize=27, color=ground, markeredgecolor=edge, zorder=3)
        ax.text(*place, name, ha="center", va="center", color=INK, fontsize=12, weight="bold", zorder=4)
        side = 18 if place[1] > middle else -18
        words = {"textcoords": "offset points", "ha": "center", "va": "bottom" if side > 0 else "top"}
        ax.annotate(notes.get(name, ""), place, (0, side), **words, fontsize=9, color=INK, zorder=4)
    ax.margins(0.14, 0.42)
    ax.axis("off")


def put_arrow(ax: Any, start: Place, end: Place, colour: str, bend: float = 0, style: str = "-") -> None:
    """Draw an arrow between two discs."""
    arrow = {"arrowstyle": "-|>,head_width=0.25", "color": colour, "linewidth": 1.6, "linestyle": style}
    arrow |= {"connectionstyle": f"arc3,rad={bend}", "shrinkA": 14, "shrinkB": 15}
    ax.annotate("", end, start, arrowprops=arrow, zorder=2)
