"""The plot of lesson 03: gradients on their way back through a graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .colours import RED, WHITE
from .graph import Place, put_arrow, put_nodes
from .style import figure, listed, show

# The places of the nodes of e = (x + 2)(3y + 4), without its constants.
TWO_WAYS: dict[str, Place] = {
    "x": (0, 1), "c": (1.5, 1), "e": (3, 0.5),
    "y": (0, 0), "b": (1, 0), "d": (2, 0),
}  # fmt: skip


def walk_back(nodes: Mapping[str, Any], places: Mapping[str, Place], rules: Mapping[str, Any]) -> None:
    """Plot the named nodes of a graph with their gradients, and each arrow back with its contribution.

    ``rules`` are RULES; a local slope is the contribution of a rule to the gradient 1. Two arrows between the
    same nodes cover each other; `lost_paths` draws a graph in which paths meet.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> from autodiff.lessons.after_03 import RULES, Tensor, backward
    >>> x, y = Tensor(5), Tensor(7)
    >>> z = x * y
    >>> backward(z)
    >>> plots.walk_back({"x": x, "y": y, "z": z}, {"x": (0, 1), "y": (0, 0), "z": (1, 0.5)}, RULES)
    """
    _, (ax,) = figure(width=8.4, height=3.2)
    names = {id(node): name for name, node in nodes.items()}
    passed = []
    for name, node in nodes.items():
        values = [creator.data for creator in node.creators or ()]
        for creator, rule in zip(node.creators or (), rules.get(node.creation_op, ())):
            if id(creator) not in names:
                continue
            start, end = places[name], places[names[id(creator)]]
            put_arrow(ax, start, end, RED)
            local, carried = rule(1, node.data, *values), rule(node.grad, node.data, *values)
            middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            words = f"{node.grad:g} × {local:g} = {carried:g}"
            passed.append(f"{name} to {names[id(creator)]}: {words}")
            ground = {"facecolor": WHITE, "edgecolor": "none", "pad": 2}
            ax.text(*middle, words, ha="center", va="center", color=RED, fontsize=10, bbox=ground, zorder=3)
    put_nodes(ax, nodes, places, {name: f"gradient {node.grad:g}" for name, node in nodes.items()})
    held = listed(f"{name} {node.grad:g}" for name, node in nodes.items())
    show(
        f"A graph with arrows back from each result to its operands. {'; '.join(passed)}. Gradients: {held}."
    )
