"""The plots of lesson 08: points, the boundaries that networks draw between them, and losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.engine.recording import no_grad

from .colours import AMBER, BLUE, INK, colours_of
from .style import few, figure, show

Points = Sequence[Sequence[float]]
TINTS = ("#f6e7c8", "#d5e2f7")  # for outputs below 0, and above 0


Predict = Callable[[tuple[float, float]], Any]


class Photograph:
    """The outputs of a network on a grid over the plane, at one moment of its training."""

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
    """Keep the outputs of ``predict((x, y))``, numbers or Tensors, on a grid that covers the points.

    Example
    -------
    >>> from autodiff_course import plots
    >>> plots.photograph(lambda point: point[0] - point[1], [(0, 0), (1, 1)])
    a photograph of the boundary
    """
    return Photograph(predict, points)


def scatter(ax: Any, points: Points, targets: Sequence[float], size: float = 16) -> None:
    """Draw each point as a blue disc if its target is above 0, else as an amber square."""
    array = np.asarray(points)
    above = np.asarray(targets) > 0
    for chosen, colour, marker in ((above, BLUE, "o"), (~above, AMBER, "s")):
        style = {"color": colour, "marker": marker, "linewidths": 0, "zorder": 3}
        ax.scatter(*array[chosen].T, s=size, **style)


def counted(targets: Sequence[float]) -> str:
    """How many points there are of both kinds."""
    above = int((np.asarray(targets) > 0).sum())
    return f"{above} blue discs and {len(targets) - above} amber squares"


def show_points(points: Points, targets: Sequence[float]) -> None:
    """Plot points of two classes in the plane.

    Example
    -------
    >>> from autodiff_course import plots
    >>> plots.show_points([(0, 1), (1, 0)], [1, -1])
    """
    _, (ax,) = figure(width=5)
    scatter(ax, points, targets, size=26)
    ax.set_aspect("equal")
    show(f"{counted(targets)} in the plane.")


def boundaries(
    photographs: Mapping[str, Photograph],
    points: Points,
    targets: Sequence[float],
    names: tuple[str, str] | None = None,
) -> None:
    """Plot photographs side by side under their titles, with the boundary at 0 and the points.

    ``names`` are the labels of the two axes.

    Example
    -------
    >>> from autodiff_course import plots
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
    sides = (
        f"{title}: {round(100 * float((photo.outputs > 0).mean()))} %" for title, photo in photographs.items()
    )
    axis = f" The axes are {names[0]} and {names[1]}." if names else ""
    show(
        f"{counted(targets)}, and the part of the plane that the network calls blue. "
        f"{'; '.join(sides)}.{axis}"
    )


def ends_of(curves: Mapping[str, Sequence[float]]) -> str:
    """Where curves begin and end, in words."""
    return "; ".join(
        f"{name}: {len(values)} values from {few(values[0])} to {few(values[-1])}"
        for name, values in curves.items()
    )


def loss_curves(curves: Mapping[str, Sequence[float]]) -> None:
    """Plot the losses of several trainings, step by step, each with its name.

    Example
    -------
    >>> from autodiff_course import plots
    >>> plots.loss_curves({"right": [1, 0.5, 0.2], "wrong": [1, 0.7, 0.8]})
    """
    _, (ax,) = figure()
    for (label, losses), colour in zip(curves.items(), colours_of(list(curves))):
        ax.plot(range(len(losses)), losses, color=colour, linewidth=1.6, label=label)
    ax.set(xlabel="step", ylabel="loss")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize=9)
    show(f"Losses, step by step. {ends_of(curves)}.")
