"""The plot of lesson 05: the paths that a walk back loses in a wrong order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from .colours import INK, RED, SOFT
from .graph import Place, put_arrow, put_nodes
from .style import figure, listed, show

Edge = tuple[str, str]
"""The names of a node and of one of its creators."""

LABORATORY: dict[str, Place] = {"a": (0, 0), "h": (1, 0), "k": (2, 1), "m": (3, 0), "y": (4, 1)}
"""Where the nodes of the lesson's graph of additions stand."""


def all_paths(node: Any, names: Mapping[int, str]) -> list[tuple[str, ...]]:
    """Every path from a node back to a leaf, as names. Two paths through the same nodes are both listed."""
    if not node.creators:
        return [(names[id(node)],)]
    return [(names[id(node)], *rest) for creator in node.creators for rest in all_paths(creator, names)]


def lost_paths(
    nodes: Mapping[str, Any],
    places: Mapping[str, Place],
    orders: Mapping[str, Sequence[Any]],
    columns: int = 2,
) -> None:
    """Plot a graph once for each order of a walk back, with the paths that the order loses.

    An edge is red if its contribution comes too late, after the turn of the node that it arrives at. The
    paths are those from the last of ``nodes`` to a leaf.

    Example
    -------
    >>> from autodiff_course import machine, plots
    >>> a = machine.after(5).Tensor(2)
    >>> h = a + a
    >>> y = a + h
    >>> places = {"a": (0, 0), "h": (1, 1), "y": (2, 0)}
    >>> plots.lost_paths({"a": a, "h": h, "y": y}, places, {"right": [y, h, a], "wrong": [h, y, a]})
    """
    names = {id(node): name for name, node in nodes.items()}
    end = list(nodes.values())[-1]
    paths = all_paths(end, names)
    rows = -(-len(orders) // columns)
    _, axes = figure(columns, width=4.8 * columns, height=2.9 * rows, rows=rows)
    for ax in axes[len(orders) :]:
        ax.axis("off")
    words = []
    for ax, (title, order) in zip(axes, orders.items()):
        turns = {names[id(node)]: turn for turn, node in enumerate(order, start=1)}
        late = late_edges(order, names, turns)
        for node in order:
            put_edges(ax, node, names, places, late)
        put_nodes(ax, nodes, places, {name: f"turn {turn}" for name, turn in turns.items()})
        lost = [path for path in paths if late & set(pairwise(path))]
        ax.set_title(f"{title}: {len(paths) - len(lost)} of {len(paths)} paths", color=INK, fontsize=11)
        put_lost(ax, lost)
        late_ones = listed(f"{start} to {end}" for start, end in sorted(late)) if late else "no edge"
        turn = " ".join(sorted(turns, key=lambda name: turns[name]))
        words.append(
            f"{title}, in the order {turn}: {len(paths) - len(lost)} of {len(paths)} paths arrive, "
            f"too late is {late_ones}"
        )
    show(f"The graph once for each order of a walk back. {'; '.join(words)}.")


def late_edges(order: Sequence[Any], names: Mapping[int, str], turns: Mapping[str, int]) -> set[Edge]:
    """The edges whose contribution comes too late, since the creator's turn is before the node's."""
    return {
        (names[id(node)], names[id(creator)])
        for node in order
        for creator in node.creators
        if creator.creators and turns[names[id(creator)]] < turns[names[id(node)]]
    }


def put_edges(
    ax: Any, node: Any, names: Mapping[int, str], places: Mapping[str, Place], late: set[Edge]
) -> None:
    """Draw an arrow from a node to each of its creators; two arrows to the same creator are bent apart."""
    drawn: dict[str, int] = {}
    for creator in node.creators:
        edge = names[id(node)], names[id(creator)]
        colour, style = (RED, "--") if edge in late else (SOFT, "-")
        is_double = sum(other is creator for other in node.creators) > 1
        bend = (0.18, -0.18)[drawn.get(edge[1], 0)] if is_double else 0
        drawn[edge[1]] = drawn.get(edge[1], 0) + 1
        put_arrow(ax, places[edge[0]], places[edge[1]], colour, bend, style)


def put_lost(ax: Any, lost: Sequence[tuple[str, ...]]) -> None:
    """Write the lost paths below a graph."""
    words = ", ".join(
        " ".join(path) + (f" ({lost.count(path)} times)" if lost.count(path) > 1 else "")
        for path in dict.fromkeys(lost)
    )
    ax.text(
        0.5, -0.02, f"lost: {words}" if lost else "no path is lost", color=RED if lost else SOFT,
        fontsize=9, ha="center", va="top", transform=ax.transAxes,
    )  # fmt: skip
