"""The style of all plots: empty figures, curves, and how a figure is shown.

matplotlib is imported when a plot is drawn, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autodiff.draw.graph.as_text import brief
from autodiff.draw.picture.render import fingerprint, image

from .as_svg import as_svg, settings
from .colours import INK, SOFT

Curve = Callable[[float], float]
TINY = 1e-12
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Plot:
    """A plot as a notebook shows it: a picture, and in words what can be seen on it."""

    def __init__(self, svg: str, words: str) -> None:
        self.svg = svg
        self.words = words

    def __repr__(self) -> str:
        return self.words

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        bundle = {
            "text/plain": self.words,
            "text/html": image(self.svg, self.words),
            "image/svg+xml": self.svg,
        }
        return bundle, {"autodiff-plot": fingerprint(self.words)}


def figure(columns: int = 1, width: float = 6.0, height: float = 3.4, rows: int = 1) -> tuple[Any, list[Any]]:
    """An empty figure and its axes in the lessons' style. Sizes are in inches."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    told = {**settings(), **dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor"), INK)}
    with mpl.rc_context(told):
        picture, axes = plt.subplots(
            rows, columns, figsize=(width, height), dpi=100, squeeze=False, layout="tight"
        )
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(SOFT)
        ax.tick_params(colors=SOFT, labelsize=9)
        ax.xaxis.label.set_color(INK)
        ax.yaxis.label.set_color(INK)
        ax.title.set_color(INK)
    return picture, list(axes.flat)


def show(words: str) -> None:
    """Show the current figure and close it.

    `words` say what can be seen on it, for readers who cannot see it. In a notebook it becomes an SVG for
    light and dark pages; elsewhere matplotlib opens a window.
    """
    import matplotlib.pyplot as plt

    picture = plt.gcf()
    finish(picture)
    if is_notebook():
        from IPython.display import display

        mark = f"autodiff-plot:{fingerprint(words)}"
        display(Plot(as_svg(picture, words, mark), words))  # type: ignore[no-untyped-call, unused-ignore]
    else:
        plt.show(block=False)  # does not wait for a window to be closed
    plt.close(picture)


def is_notebook() -> bool:
    """Whether this runs in the kernel of a notebook."""
    import sys

    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def finish(picture: Any) -> None:
    """Give the texts that matplotlib leaves black, such as those of legends, the colour of the others."""
    from matplotlib.colors import to_hex
    from matplotlib.text import Text

    for text in picture.findobj(Text):
        if to_hex(text.get_color()) == "#000000":
            text.set_color(INK)
    for ax in picture.axes:
        number_log_axes(ax)


def number_log_axes(ax: Any) -> None:
    """Number the axes that have a log scale as powers of ten, in plain text."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for axis in (ax.xaxis, ax.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_formatter(FuncFormatter(lambda x, _: power_of_ten(x)))
            axis.set_minor_formatter(NullFormatter())
            axis.set_tick_params(which="minor", color=SOFT)


def power_of_ten(x: float) -> str:
    """A number on a log axis.

    >>> power_of_ten(0.001), power_of_ten(10.0), power_of_ten(200.0)
    ('10⁻³', '10', '200')
    """
    exponent = round(np.log10(x)) if x > 0 else 0
    if x <= 0 or abs(x / 10.0**exponent - 1) > 1e-9 or exponent in (0, 1):
        return brief(x)
    return "10" + str(exponent).translate(RAISED)


def draw_curve(ax: Any, f: Curve, low: float, high: float, **style: Any) -> None:
    """Draw f from low to high. f is called with one float at a time."""
    xs = np.linspace(low, high, 200)
    ax.plot(xs, [f(float(x)) for x in xs], **{"color": INK, "linewidth": 2, **style})
    ax.set_xlim(low, high)


def listed(names: Iterable[object]) -> str:
    """Names as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *others, last = [str(name) for name in names] or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last


def numbers(values: Iterable[Any]) -> str:
    """Numbers as a list in a sentence, each in two digits: in words a plot need not be more exact."""
    return listed(few(value) for value in values)


def few(x: Any) -> str:
    """A number in two significant digits, a whole one of up to four in full, and one close to 0 as 0: what a
    machine rounds differently must not change the words.

    >>> few(0.12345), few(1000), few(-2.0), few(3e-15)
    ('0.12', '1000', '-2', '0')
    """
    x = float(x)
    x = 0.0 if abs(x) < TINY else x
    is_whole = np.isfinite(x) and x == round(x) and abs(x) < 10**4
    return brief(x) if is_whole else f"{x:.2g}"
