"""The plots of lesson 26: gradients on their way back through many steps, and losses beside what was written.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .colours import BLUE, CURVES, INK, LEAF, LEAF_LINE, MADE, MADE_LINE, SOFT
from .style import few, figure, show


def folded(steps: int = 4) -> None:
    """Draw a recurrent network folded, with an arrow from the cell to itself, and unfolded into steps.

    Example
    -------
    >>> from autodiff_course.plots.lesson_26 import folded
    >>> folded(3)
    """
    _, (left, right) = figure(2, width=8.4, height=2.3)
    for ax, count in ((left, 1), (right, steps)):
        for t in range(count):
            number = f" {t + 1}" if count > 1 else ""
            put_box(ax, 2 * t, 1, "cell", MADE, MADE_LINE)
            put_box(ax, 2 * t, 0, f"input{number}", LEAF, LEAF_LINE)
            put_box(ax, 2 * t, 2, f"state{number}", MADE, MADE_LINE)
            put_line(ax, (2 * t, 0.25), (2 * t, 0.75))
            put_line(ax, (2 * t, 1.25), (2 * t, 1.75))
            if t:
                put_line(ax, (2 * t - 1.35, 2), (2 * t - 0.65, 1))
        ax.set(xlim=(-1.6, 2 * count - 0.4), ylim=(-0.4, 2.5), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
    put_line(left, (0.65, 2), (0.65, 1), bend=-0.9)
    left.set_title("folded", color=INK, fontsize=10)
    left.set_xlim(-2.6, 3.2)
    right.set_title("unfolded", color=INK, fontsize=10)
    show(
        f"A recurrent network twice. Folded: an input, a cell and its state, with an arrow from the state "
        f"back to the cell. Unfolded: {steps} inputs, cells and states side by side, and each state leads to "
        f"the next cell."
    )


def put_box(ax: Any, x: float, y: float, words: str, ground: str, line: str) -> None:
    """Draw a box with a word in it."""
    from matplotlib.patches import FancyBboxPatch

    style: Any = {"boxstyle": "round,pad=0,rounding_size=0.1", "facecolor": ground, "edgecolor": line}
    ax.add_patch(FancyBboxPatch((x - 0.62, y - 0.24), 1.24, 0.48, **style))
    ax.text(x, y, words, color=INK, fontsize=9, ha="center", va="center")


def put_line(ax: Any, start: tuple[float, float], end: tuple[float, float], bend: float = 0) -> None:
    """Draw an arrow."""
    style = {
        "arrowstyle": "->",
        "color": SOFT,
        "connectionstyle": f"arc3,rad={bend}",
        "shrinkA": 0,
        "shrinkB": 0,
    }
    ax.annotate("", end, start, arrowprops=style)


def roads(sizes: Mapping[str, Sequence[float]]) -> None:
    """Plot the sizes of gradients that arrive at the states of a sequence, from the first step to the last,
    on a log scale. The walk back goes from right to left.

    Example
    -------
    >>> from autodiff_course.plots.lesson_26 import roads
    >>> roads({"halved": [0.25, 0.5, 1], "doubled": [4, 2, 1]})
    """
    _, (ax,) = figure(width=7.2, height=3.4)
    for (name, curve), colour in zip(sizes.items(), CURVES):
        ax.plot(range(1, len(curve) + 1), curve, color=colour, linewidth=1.8)
        ax.annotate(
            name,
            (1, curve[0]),
            xytext=(-6, 0),
            textcoords="offset points",
            color=colour,
            ha="right",
            va="center",
            fontsize=9,
        )
    last = max(len(curve) for curve in sizes.values())
    ax.set(yscale="log", xlabel="step", ylabel="size of the gradient", xlim=(1, last))
    ax.yaxis.tick_right()
    ax.yaxis.set_label_position("right")
    ax.spines["left"].set_visible(False)
    ax.spines["right"].set(visible=True, color=SOFT)
    ax.annotate(
        "", (0.28, 0.06), (0.62, 0.06), "axes fraction", arrowprops={"arrowstyle": "->", "color": INK}
    )
    ax.text(0.45, 0.08, "the walk back", transform=ax.transAxes, color=INK, ha="center", fontsize=9)
    words = (f"{name}: from {few(curve[-1])} to {few(curve[0])}" for name, curve in sizes.items())
    show(
        f"The sizes of the gradients on the walk back from step {last} to step 1, on a log scale. "
        f"{'; '.join(words)}."
    )


def progress(losses: Sequence[float], written: Sequence[Sequence[str]]) -> None:
    """Plot the loss after each epoch, and beside it names that were written then. Epoch 0 is before any.

    Example
    -------
    >>> from autodiff_course.plots.lesson_26 import progress
    >>> progress([3.3, 2.5], [["xq", "jzzw"], ["ana", "leo"]])
    """
    rows = len(losses)
    _, (left, right) = figure(2, width=9.4, height=0.42 * rows + 0.9)
    left.plot(losses, range(rows), "o-", color=BLUE, linewidth=1.8)
    for row, loss in enumerate(losses):
        style = {"color": INK, "fontsize": 9, "va": "center", "textcoords": "offset points"}
        left.annotate(f"{loss:.2f}", (loss, row), xytext=(7, -8), **style)  # clear of the line
    span = max(losses) - min(losses)
    left.set(xlabel="loss", ylabel="epoch", yticks=range(rows), xlim=(min(losses) - 0.08 * span, None))
    left.set(ylim=(rows - 0.5, -0.5))
    left.margins(x=0.15)
    right.set(xlim=(0, 1), ylim=(rows - 0.5, -0.5))
    right.axis("off")
    for row, names in enumerate(written):
        right.text(0, row, "   ".join(names), color=INK, fontsize=10, va="center")
    words = (f"epoch {row}: {few(loss)}, {' '.join(written[row])}" for row, loss in enumerate(losses))
    show(f"The loss after each epoch, and names that were written then. {'; '.join(words)}.")
