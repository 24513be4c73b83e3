"""The plots of lesson 17: tangents beside gradients, an arm with its Jacobian, and the errors of four ways.

Each function draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .colours import AMBER, INK, METHODS, SOFT, WHITE, colours_of
from .graph import Place, put_arrow, put_nodes
from .lesson_16 import COLOURS, in_words, put_table
from .style import few, figure, listed, numbers, power_of_ten, show

# The places of the nodes of e = (a + 2)(3a + 4), without its constants.
COURSE: dict[str, Place] = {"a": (0, 0.5), "c": (1.5, 1), "b": (0.85, 0), "d": (2.15, 0), "e": (3, 0.5)}


def two_ways(
    nodes: Mapping[str, Any],
    places: Mapping[str, Place],
    rules: Mapping[str, Any],
    tangents: Mapping[str, float],
) -> None:
    """Plot the named nodes of a graph twice: with their tangents and arrows forward, and with their gradients
    and arrows back. The label of an arrow is what comes in, times the local slope.

    ``rules`` are RULES. The nodes must have their gradients from a walk back.

    Example
    -------
    >>> from autodiff_course.plots.lesson_17 import two_ways
    >>> from autodiff_course import machine
    >>> engine = machine.after(7)
    >>> x, y = engine.Tensor(5), engine.Tensor(7)
    >>> z = x * y
    >>> engine.backward(z)
    >>> places = {"x": (0, 1), "y": (0, 0), "z": (1, 0.5)}
    >>> two_ways({"x": x, "y": y, "z": z}, places, engine.RULES, {"x": 1, "y": 0, "z": 7})
    """
    _, axes = figure(2, width=11, height=3.3)
    names = {id(node): name for name, node in nodes.items()}
    gradients = {name: node.grad for name, node in nodes.items()}
    words = []
    for ax, carried, colour in zip(axes, (tangents, gradients), (METHODS["forward"], METHODS["back"])):
        is_forward = carried is tangents
        for name, node in nodes.items():
            values = [getattr(creator, "data", creator) for creator in node.creators or ()]
            for creator, rule in zip(node.creators or (), rules.get(node.creation_op, ())):
                if id(creator) in names:
                    below = names[id(creator)]
                    start, end = (below, name) if is_forward else (name, below)
                    put_arrow(ax, places[start], places[end], colour)
                    local = rule(1, node.data, *values)
                    put_product(ax, places[start], places[end], carried[start], local, colour)
        word = "tangent" if is_forward else "gradient"
        put_nodes(ax, nodes, places, {name: f"{word} {carried[name]:g}" for name in nodes})
        title = "forward: the tangents" if is_forward else "back: the gradients"
        ax.set_title(title, color=INK, fontsize=11)
        words.append(f"{title}: {listed(f'{name} {few(carried[name])}' for name in nodes)}")
    show(f"The same graph twice. {'. '.join(words)}.")


def put_product(ax: Any, start: Place, end: Place, comes_in: float, local: float, colour: str) -> None:
    """Label an arrow with what comes in, times the local slope."""
    middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    ground = {"facecolor": WHITE, "edgecolor": "none", "pad": 1.5}
    words = f"{comes_in:g} × {local:g} = {comes_in * local:g}"
    ax.text(*middle, words, ha="center", va="center", color=colour, fontsize=9, bbox=ground, zorder=3)


def arm_and_table(
    angles: Sequence[float],
    table: Any,
    joint: int | None = None,
) -> None:
    """Plot an arm of bars of length 1, and beside it the jacobian of the hand's place by the joints.

    Parameters
    ----------
    angles
        The angle of each joint, measured from the bar before it.
    table
        The jacobian, of shape (2, joints). Each column is also drawn at the hand, as an arrow of half length.
    joint
        The joint whose column is highlighted, counted from 0, and whose arrow alone is drawn.

    Example
    -------
    >>> from autodiff_course.plots.lesson_17 import arm_and_table
    >>> arm_and_table([0.5, 1.0], [[-1.5, -1.0], [0.9, 0.1]])
    """
    _, (left, right) = figure(2, width=9, height=3.3)
    slopes = np.asarray(getattr(table, "data", table), dtype=float)
    turned = np.cumsum(np.asarray(getattr(angles, "data", angles)))
    joints = np.concatenate([[[0.0, 0.0]], np.cumsum(np.stack([np.cos(turned), np.sin(turned)]), axis=1).T])
    left.plot(*joints.T, "-", color=INK, linewidth=5, solid_capstyle="round", alpha=0.75)
    left.plot(*joints[:-1].T, "o", color=WHITE, markeredgecolor=INK, markersize=13, zorder=3)
    for number, place in enumerate(joints[:-1], start=1):
        left.text(*place, number, ha="center", va="center", fontsize=9, color=INK, zorder=4)
    left.plot(*joints[-1], "o", color=AMBER, markersize=11, zorder=5)
    for number, (move, colour) in enumerate(zip(slopes.T, COLOURS)):
        if joint in (None, number):
            tip = joints[-1] + move / 2
            arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.8, "shrinkA": 4, "shrinkB": 0}
            left.annotate("", tip, joints[-1], arrowprops=arrow, zorder=4)
            end = tip + 0.12 * move / np.hypot(*move)
            side = "right" if move[0] < 0 else "left"
            left.text(*end, f"joint {number + 1}", color=colour, fontsize=9, ha=side, va="center")
    left.set(xlim=(-1.2, 2.8), ylim=(-0.3, 3.1), aspect="equal", xlabel="x", ylabel="y")
    names = [f"joint {number + 1}" for number in range(slopes.shape[1])]
    lit = [(i, j) for i, j in np.ndindex(slopes.shape) if j == joint]
    sides = ["x of the hand", "y of the hand"]
    put_table(right, slopes, sides, names, lit)
    turns = numbers(np.asarray(getattr(angles, "data", angles)))
    place = f"({few(joints[-1][0])}, {few(joints[-1][1])})"
    arrows = "arrows at the hand for what each joint does"
    if joint is not None:
        left.set_title(f"if joint {joint + 1} turns (arrow of half length)", color=INK, fontsize=10)
        arrows = f"an arrow at the hand for joint {joint + 1}, half as long as the hand moves"
    show(
        f"An arm whose joints are turned by {turns}, with its hand at {place}, and {arrows}. "
        f"Beside it the table of these slopes. {in_words(slopes, sides, names)}."
    )


def errors(steps: Sequence[float], ways: Mapping[str, Sequence[float]], floor: float = 1e-17) -> None:
    """Plot the error of each method against the step, on log axes. An error of 0 is drawn at the floor.

    Lines may cover each other, so the second is the widest and lowest, the third the narrowest. A method with
    the same error for all steps is a plain line.

    Example
    -------
    >>> from autodiff_course.plots.lesson_17 import errors
    >>> errors([0.1, 0.01], {"one-sided": [0.1, 0.01], "complex": [0.01, 0]})
    """
    _, (ax,) = figure(width=7, height=4)
    flat = 7.0  # the width of the next plain line
    for (name, off), colour, wide in zip(ways.items(), colours_of(list(ways)), (4, 7.5, 2.2, 2, 2)):
        shown = np.maximum(np.asarray(off, dtype=float), floor)
        if np.ptp(shown):
            line = {"markersize": wide, "linewidth": wide / 2, "zorder": 2 + 1 / wide}
            ax.plot(steps, shown, "-o", color=colour, label=name, **line)
        else:
            ax.plot(steps, shown, color=colour, linewidth=flat, alpha=0.5, label=name, zorder=1)
            flat /= 3.5
    ax.set(xscale="log", yscale="log", xlabel="step", ylabel="off by", ylim=(floor / 3, 100))
    ax.invert_xaxis()
    ax.axhline(floor, color=SOFT, linewidth=0.8, dashes=(2, 3), zorder=0)
    ax.text(steps[0], floor * 3, " no error to be seen", color=SOFT, fontsize=8, va="bottom")
    ax.legend(frameon=False, fontsize=9, loc="center right")
    least = "; ".join(f"{name}: {_least(off)}" for name, off in ways.items())
    show(f"Errors against steps from {steps[0]:.0e} to {steps[-1]:.0e}, on log axes. {least}.")


def _least(off: Sequence[float]) -> str:
    """The least error of a method in words, in powers of ten."""
    least = min(off)
    if not least > 0:
        return "no error to be seen"
    return f"at best about {power_of_ten(10.0 ** round(np.log10(least)))}"
