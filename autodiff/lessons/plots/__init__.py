"""The plots of the lessons: curves, steps, boundaries. Each draws one figure, shows it, and returns nothing.

The colours are those of the drawn graphs. matplotlib is imported when a plot is drawn, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...engine.recording import no_grad

INK, SOFT, BLUE, AMBER, RED = "#1f2937", "#7b8794", "#4a7bcc", "#d6a33a", "#b4410e"

Curve = Callable[[float], float]


def figure(columns: int = 1, width: float = 6.0, height: float = 3.4, rows: int = 1) -> tuple[Any, list[Any]]:
    """An empty figure and its axes, in the lessons' style; sizes in inches."""
    import matplotlib.pyplot as plt

    picture, axes = plt.subplots(
        rows, columns, figsize=(width, height), dpi=100, squeeze=False, layout="tight"
    )
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(SOFT)
        ax.tick_params(colors=SOFT, labelsize=9)
    return picture, list(axes.flat)


def show() -> None:
    """Show the figure here and forget it, so that a cell ends without a value."""
    import matplotlib.pyplot as plt

    plt.show(block=False)  # outside a notebook, wait for nobody to close a window
    plt.close()


def draw_curve(ax: Any, f: Curve, low: float, high: float, **style: Any) -> None:
    """Draw f from low to high; f is called with one float at a time."""
    xs = np.linspace(low, high, 200)
    ax.plot(xs, [f(float(x)) for x in xs], **{"color": INK, "linewidth": 2, **style})
    ax.set_xlim(low, high)


# -- 02: slopes ---------------------------------------------------------------------------------------------


def secants(f: Curve, x: float, nudges: Sequence[float]) -> None:
    """Plot f around x, and for each nudge the straight line through the points at x and x + nudge.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> plots.secants(lambda a: (a + 2) * (3 * a + 4), 2, (2, 1, 0.1))
    """
    _, (ax,) = figure()
    widest = max(nudges)
    low, high = x - 0.5 * widest, x + 1.1 * widest
    draw_curve(ax, f, low, high)
    for nudge, colour in zip(nudges, (SOFT, AMBER, RED, BLUE)):
        slope = (f(x + nudge) - f(x)) / nudge
        ends = np.array([low, high])
        label = f"nudge {nudge:g}: slope {slope:.3g}"
        ax.plot(ends, f(x) + slope * (ends - x), color=colour, linewidth=1.4, label=label)
        ax.plot(x + nudge, f(x + nudge), "o", color=colour, markersize=6)
    ax.plot(x, f(x), "o", color=INK, markersize=7, zorder=3)
    ax.set(xlabel="a", ylabel="e")
    ax.legend(frameon=False, fontsize=9)
    show()


def downhill(f: Curve, x: float, rate: float, steps: int) -> None:
    """Plot f and the points of a walk down from x: each step is the slope, found by nudging, times rate.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> plots.downhill(lambda x: x * x, 3, 0.2, 4)
    """
    points = [x]
    for _ in range(steps - 1):
        x = points[-1]
        points.append(x - rate * (f(x + 0.001) - f(x - 0.001)) / 0.002)
    _, (ax,) = figure()
    reach = max(points) - min(points)
    draw_curve(ax, f, min(points) - 0.3 * reach, max(points) + 0.1 * reach)
    values = [f(point) for point in points]
    for i in range(len(points) - 1):
        bend = "arc3,rad=0.3" if points[i + 1] < points[i] else "arc3,rad=-0.3"
        arrow = {"arrowstyle": "->", "color": RED, "connectionstyle": bend, "shrinkA": 5, "shrinkB": 5}
        ax.annotate("", (points[i + 1], values[i + 1]), (points[i], values[i]), arrowprops=arrow)
    ax.plot(points, values, "o", color=RED, markersize=6, zorder=3)
    ax.set(xlabel="a", ylabel="e")
    show()


def closer(f: Curve, x: float, reaches: Sequence[float] = (4, 0.4, 0.04)) -> None:
    """Plot f around x once for each reach, with the straight line that has its slope at x.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> plots.closer(lambda a: (a + 2) * (3 * a + 4), 2)
    """
    _, axes = figure(len(reaches), width=9, height=3)
    slope = (f(x + 0.001) - f(x - 0.001)) / 0.002
    for ax, reach in zip(axes, reaches):
        ends = np.array([x - reach, x + reach])
        draw_curve(ax, f, x - reach, x + reach)
        ax.plot(ends, f(x) + slope * (ends - x), color=RED, linewidth=1.6, dashes=(4, 3))
        ax.plot(x, f(x), "o", color=INK, markersize=6)
        ax.set_xticks([x - reach, x, x + reach])
        ax.locator_params(axis="y", nbins=4)
        ax.set_xlabel("a")
    axes[0].set_ylabel("e")
    axes[-1].text(0.08, 0.88, f"slope {slope:.3g}", color=RED, fontsize=10, transform=axes[-1].transAxes)
    show()


# -- 03 and 04: gradients on their way back -----------------------------------------------------------------

Place = tuple[float, float]


def put_nodes(
    ax: Any, nodes: Mapping[str, Any], places: Mapping[str, Place], notes: Mapping[str, str]
) -> None:
    """Write each node's name into a disc at its place, and a note on the side where no arrows are."""
    middle = np.mean([y for _, y in places.values()])
    for name, place in places.items():
        ground = "#dbeafe" if nodes[name].creators is None else "#f8fafc"
        ax.plot(*place, "o", markersize=27, color=ground, markeredgecolor="#94a3b8", zorder=3)
        ax.text(*place, name, ha="center", va="center", color=INK, fontsize=12, weight="bold", zorder=4)
        side = 18 if place[1] > middle else -18
        words = {"textcoords": "offset points", "ha": "center", "va": "bottom" if side > 0 else "top"}
        ax.annotate(notes.get(name, ""), place, (0, side), **words, fontsize=9, color=INK, zorder=4)
    ax.margins(0.14, 0.42)
    ax.axis("off")


def put_arrow(ax: Any, start: Place, end: Place, colour: str, bend: float = 0, style: str = "-") -> None:
    """An arrow between two discs."""
    arrow = {"arrowstyle": "-|>,head_width=0.25", "color": colour, "linewidth": 1.6, "linestyle": style}
    arrow |= {"connectionstyle": f"arc3,rad={bend}", "shrinkA": 14, "shrinkB": 15}
    ax.annotate("", end, start, arrowprops=arrow, zorder=2)


# Where the nodes of lesson 03's calculation are drawn: e = (x + 2)(3y + 4), and its numbers left out.
TWO_WAYS: dict[str, Place] = {
    "x": (0, 1), "c": (1.5, 1), "e": (3, 0.5),
    "y": (0, 0), "b": (1, 0), "d": (2, 0),
}  # fmt: skip


def walk_back(nodes: Mapping[str, Any], places: Mapping[str, Place], rules: Mapping[str, Any]) -> None:
    """Plot the named nodes of a graph with their gradients, and on each arrow back the product it carries.

    ``rules`` are RULES: a local slope is what a rule makes of the gradient 1. Of two arrows between the same
    two nodes one is seen; a graph with meetings needs `lost_paths`.

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
            ground = {"facecolor": "white", "edgecolor": "none", "pad": 2}
            ax.text(*middle, words, ha="center", va="center", color=RED, fontsize=10, bbox=ground, zorder=3)
    put_nodes(ax, nodes, places, {name: f"gradient {node.grad:g}" for name, node in nodes.items()})
    show()


def all_paths(node: Any, names: Mapping[int, str]) -> list[tuple[str, ...]]:
    """Every path from a node back to a leaf, as names. A path that is there twice is listed twice."""
    if node.creators is None:
        return [(names[id(node)],)]
    return [(names[id(node)], *rest) for creator in node.creators for rest in all_paths(creator, names)]


def lost_paths(
    nodes: Mapping[str, Any],
    places: Mapping[str, Place],
    orders: Mapping[str, Sequence[Any]],
    columns: int = 2,
) -> None:
    """Plot a walk back once for each order in which the nodes pass on, each once, with the paths it loses.

    An arrow is red where a contribution comes too late: the node that it comes to has passed on already. The
    paths are those from the last of ``nodes`` to a leaf.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> from autodiff.lessons.after_03 import Tensor
    >>> a = Tensor(2)
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
    for ax, (title, order) in zip(axes, orders.items()):
        turn = {names[id(node)]: place for place, node in enumerate(order, start=1)}
        late = {
            (names[id(node)], names[id(creator)])
            for node in order
            for creator in node.creators or ()
            if creator.creators is not None and turn[names[id(creator)]] < turn[names[id(node)]]
        }
        for node in order:
            drawn: dict[str, int] = {}
            for creator in node.creators or ():
                edge = names[id(node)], names[id(creator)]
                colour, style = (RED, "--") if edge in late else (SOFT, "-")
                twice = sum(other is creator for other in node.creators) > 1
                bend = (0.18, -0.18)[drawn.get(edge[1], 0)] if twice else 0
                drawn[edge[1]] = drawn.get(edge[1], 0) + 1
                put_arrow(ax, places[edge[0]], places[edge[1]], colour, bend, style)
        put_nodes(ax, nodes, places, {name: f"turn {place}" for name, place in turn.items()})
        lost = [path for path in paths if late & set(pairwise(path))]
        ax.set_title(f"{title}: {len(paths) - len(lost)} of {len(paths)} paths", color=INK, fontsize=11)
        words = ", ".join(
            " ".join(path) + (f" ({lost.count(path)} times)" if lost.count(path) > 1 else "")
            for path in dict.fromkeys(lost)
        )
        ax.text(
            0.5, -0.02, f"lost: {words}" if lost else "no path is lost", color=RED if lost else SOFT,
            fontsize=9, ha="center", va="top", transform=ax.transAxes,
        )  # fmt: skip
    show()


# -- 05: more operations ------------------------------------------------------------------------------------


def curves_and_slopes(
    value_and_slope: Callable[[Any, float], tuple[float, float]],
    curves: Sequence[tuple[str, Any, float, float]],
) -> None:
    """Plot curves side by side, and below each its slope, as ``value_and_slope(f, x)`` finds it.

    A curve is its label, its function, and the x where it begins and ends.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> plots.curves_and_slopes(lambda f, x: (f(x), 2 * x), [("x ** 2", lambda x: x * x, -2, 2)])
    """
    _, axes = figure(len(curves), width=10, height=4.4, rows=2)
    above, below = axes[: len(curves)], axes[len(curves) :]
    for top, bottom, (label, f, low, high) in zip(above, below, curves):
        xs = [float(x) for x in np.linspace(low, high, 121)]
        values, slopes = zip(*[value_and_slope(f, x) for x in xs])
        top.plot(xs, values, color=INK, linewidth=2)
        top.set_title(label, color=INK, fontsize=11)
        bottom.plot(xs, slopes, color=RED, linewidth=2)
        for ax in (top, bottom):
            ax.axhline(0, color=SOFT, linewidth=0.8, zorder=0)
            ax.set_xlim(low, high)
    above[0].set_ylabel("the curve", color=INK)
    below[0].set_ylabel("its slope", color=RED)
    show()


# -- 06: a neuron learns ------------------------------------------------------------------------------------

Points = Sequence[Sequence[float]]
TINTS = ("#f6e7c8", "#d5e2f7")  # the side of the boundary below 0, and the side above


Predict = Callable[[tuple[float, float]], Any]


class Photograph:
    """What a network said, at one moment of its training, all over the plane."""

    def __init__(self, predict: Predict, points: Points, steps: int = 50) -> None:
        reach = np.ptp(points, axis=0) * 0.12
        low, high = np.min(points, axis=0) - reach, np.max(points, axis=0) + reach
        self.xs, self.ys = (np.linspace(low[i], high[i], steps) for i in (0, 1))
        with no_grad():
            outputs = [[predict((x, y)) for x in self.xs.tolist()] for y in self.ys.tolist()]
        self.outputs = np.array([[getattr(out, "data", out) for out in row] for row in outputs])

    def __repr__(self) -> str:
        return "a photograph of the boundary"


def photograph(predict: Predict, points: Points) -> Photograph:
    """Keep what ``predict((x, y))`` says now, a number or a Tensor, on a grid that covers the points.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> plots.photograph(lambda point: point[0] - point[1], [(0, 0), (1, 1)])
    a photograph of the boundary
    """
    return Photograph(predict, points)


def scatter(ax: Any, points: Points, targets: Sequence[float], size: float = 16) -> None:
    """Mark each point: a blue disc where its target is above 0, an amber square elsewhere."""
    array = np.asarray(points)
    above = np.asarray(targets) > 0
    for chosen, colour, marker in ((above, BLUE, "o"), (~above, AMBER, "s")):
        style = {"color": colour, "marker": marker, "edgecolors": "white", "linewidths": 0.4, "zorder": 3}
        ax.scatter(*array[chosen].T, s=size, **style)


def show_points(points: Points, targets: Sequence[float]) -> None:
    """Plot points of two kinds in the plane.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> plots.show_points([(0, 1), (1, 0)], [1, -1])
    """
    _, (ax,) = figure(width=5)
    scatter(ax, points, targets, size=26)
    ax.set_aspect("equal")
    show()


def boundaries(
    photographs: Mapping[str, Photograph],
    points: Points,
    targets: Sequence[float],
    names: tuple[str, str] | None = None,
) -> None:
    """Plot photographs side by side under their titles: on which side of 0 the plane is, and the points.

    ``names`` are the words at the two axes.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> points = [(0, 1), (1, 0)]
    >>> photo = plots.photograph(lambda point: point[1] - point[0], points)
    >>> plots.boundaries({"0 steps": photo}, points, [1, -1])
    """
    count = len(photographs)
    _, axes = figure(count, width=4.6 if count == 1 else 2.8 * count, height=3.4 if count == 1 else 2.5)
    for ax, (title, photo) in zip(axes, photographs.items()):
        ax.contourf(photo.xs, photo.ys, photo.outputs, levels=[-np.inf, 0, np.inf], colors=TINTS)
        if photo.outputs.min() < 0 < photo.outputs.max():
            ax.contour(photo.xs, photo.ys, photo.outputs, levels=[0], colors=INK, linewidths=1.6)
        scatter(ax, points, targets, size=26 if count == 1 else 9)
        ax.set_title(title, color=INK, fontsize=10)
        if names is None:
            ax.set(xticks=[], yticks=[])
        else:
            ax.set_xlabel(names[0])
            ax.set_ylabel(names[1])
    show()


def loss_curves(curves: Mapping[str, Sequence[float]]) -> None:
    """Plot the losses of several trainings, step by step, each under its name.

    Example
    -------
    >>> from autodiff.lessons import plots
    >>> plots.loss_curves({"right": [1, 0.5, 0.2], "wrong": [1, 0.7, 0.8]})
    """
    _, (ax,) = figure()
    for (label, losses), colour in zip(curves.items(), (BLUE, RED, AMBER, SOFT)):
        ax.plot(range(len(losses)), losses, color=colour, linewidth=1.6, label=label)
    ax.set(xlabel="step", ylabel="loss")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize=9)
    show()
