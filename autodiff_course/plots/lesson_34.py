"""The pictures of lesson 34: the film of poles, how the trainings go, and what the network would do where.

``film`` returns a picture, which a notebook shows as the value of a cell; the others show a figure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from autodiff.draw.picture.metrics import FONT
from autodiff.draw.picture.render import fingerprint

from .colours import AMBER, CURVES, INK, MINUS, PLUS, SOFT, WHITE, on_dark
from .style import Plot, few, figure, listed, show

SECONDS = 0.02  # from one state to the next
EACH = 5  # states from one keyframe to the next
WIDTH, LANE, METRE, MIDDLE, GROUND = 620, 142, 88, 310, 122  # a pole that lies beyond the track is inside
TRACK = 2.4
REST = 0.4  # seconds in which a pole that has lost its balance falls down


def film(runs: Mapping[str, Any]) -> Plot:
    """A film of carts and poles at their true speed, one below the other, over and over again.

    ``runs`` are the states by the name of the one who pushes: a row (x, v, angle, spin) for each fiftieth of
    a second. A pole that leans by more than 12 degrees at the end falls down. It moves by CSS alone, without
    a script. Readers who want no motion see how each run ends.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_34 import film
    >>> film({"leaning": np.linspace((0, 0, 0, 0), (0, 0, 0.3, 0), 50)})
    A film of a pole on a cart. leaning: falls after 1.0 seconds.
    """
    lanes = {name: np.asarray(states, dtype=float) for name, states in runs.items()}
    whole = max(SECONDS * len(states) + REST for states in lanes.values()) + 1.0
    ends = [f"{name}: {how_it_ends(states)}." for name, states in lanes.items()]
    count = "a pole on a cart" if len(lanes) == 1 else f"{len(lanes)} poles on carts, one below the other"
    words = f"A film of {count}. {' '.join(ends)}"
    mark = fingerprint(words)
    drawn = [lane(f"{mark}{k}", k, name, states, whole) for k, (name, states) in enumerate(lanes.items())]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="f{mark}" width="{WIDTH}" height="{LANE * len(lanes)}" '
        f'viewBox="0 0 {WIDTH} {LANE * len(lanes)}" role="img" aria-label="{escape(words)}">'
        f"<desc>autodiff-plot:{mark}</desc><style>{style(mark, whole)}"
        f"@media not (prefers-reduced-motion:reduce){{{''.join(rules for rules, _ in drawn)}}}</style>"
        f"{''.join(body for _, body in drawn)}</svg>"
    )
    return Plot(svg, words)


def how_it_ends(states: np.ndarray) -> str:
    """The end of a run in words."""
    seconds = f"{SECONDS * len(states):.1f} seconds"
    if abs(states[-1, 2]) > np.radians(12):
        return f"falls after {seconds}"
    return f"leaves the track after {seconds}" if abs(states[-1, 0]) > TRACK else f"is up after {seconds}"


def style(mark: str, whole: float) -> str:
    """The colours of a film on light and dark pages."""
    looks = {
        "t": ("fill", INK),
        "g": ("stroke", SOFT),
        "c": ("fill", MINUS),
        "p": ("stroke", AMBER),
        "n": ("fill", INK),
        "b": ("fill", SOFT),
    }
    scope = f"#f{mark}"
    light = "".join(f"{scope} .{name}{{{part}:{colour}}}" for name, (part, colour) in looks.items())
    dark = "".join(f"{scope} .{name}{{{part}:{on_dark(colour)}}}" for name, (part, colour) in looks.items())
    return f"{scope} text{{font:14px {FONT}}}{light}@media (prefers-color-scheme:dark){{{dark}}}"


def lane(uid: str, k: int, name: str, states: np.ndarray, whole: float) -> tuple[str, str]:
    """The rules of the motion and the shapes of one run."""
    seconds, xs, angles = moments(states)
    percent = 100 * seconds / whole
    carts = [f"translate({METRE * x:.1f}px)" for x in xs]
    poles = [f"rotate({np.degrees(angle):.1f}deg)" for angle in angles]
    rules = ""
    for kind, places in (("c", carts), ("p", poles)):
        frames = "".join(
            f"{part:.4g}%{{transform:{place}}}" for part, place in zip(percent, places, strict=True)
        )
        rules += f"@keyframes {kind}{uid}{{{frames}to{{transform:{places[-1]}}}}}"
        rules += f"#{kind}{uid}{{animation:{kind}{uid} {whole:g}s linear infinite}}"
    left, right = MIDDLE - TRACK * METRE, MIDDLE + TRACK * METRE
    body = (
        f'<g transform="translate(0 {k * LANE})"><text class="t" x="{left:.0f}" y="16">{escape(name)}</text>'
        f'<path class="g" fill="none" stroke-width="1.5" '
        f'd="M{left:.0f} {GROUND + 8}V{GROUND}H{right:.0f}v8"/>'
        f'<g transform="translate({MIDDLE} {GROUND})">'
        f'<g id="c{uid}" transform="translate({METRE * xs[-1]:.1f})">'
        f'<rect class="c" x="-26" y="-22" width="52" height="17" rx="3"/>'
        f'<circle class="b" cx="-15" cy="-4.5" r="4.5"/><circle class="b" cx="15" cy="-4.5" r="4.5"/>'
        f'<g transform="translate(0 -18)">'
        f'<path id="p{uid}" class="p" stroke-width="7" stroke-linecap="round" d="M0 0V-84" '
        f'transform="rotate({np.degrees(angles[-1]):.1f})"/></g>'
        f'<circle class="n" cy="-18" r="3"/></g></g></g>'
    )
    return rules, body


def moments(states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The times of the keyframes, and the place and the angle at each. At the end a pole may fall down."""
    kept = np.unique([*range(0, len(states), EACH), len(states) - 1])
    seconds, xs, angles = SECONDS * kept, states[kept, 0], states[kept, 2]
    if not how_it_ends(states).startswith("is up"):
        lying = np.sign(angles[-1]) * np.radians(90)
        seconds, xs, angles = (
            np.append(seconds, seconds[-1] + REST),
            np.append(xs, xs[-1]),
            np.append(angles, lying),
        )
    return seconds, xs, angles


def curves(trainings: Mapping[str, Sequence[Any]], each: int, good: float) -> None:
    """Plot how long poles stay up, tested after each so many steps of several trainings of each name.

    Example
    -------
    >>> from autodiff_course.plots.lesson_34 import curves
    >>> curves({"one way": [[9, 100, 490]], "another": [[9, 60, 70, 480], [20, 90, 500]]}, each=500, good=475)
    """
    _, (ax,) = figure(width=6.4, height=3.0)
    for (name, several), colour in zip(trainings.items(), CURVES):
        for k, heights in enumerate(several):
            places = each * np.arange(1, len(heights) + 1)
            ax.plot(places, heights, color=colour, linewidth=1.2, alpha=0.8, label=None if k else name)
            ax.plot(places[-1], heights[-1], "o", color=colour, markersize=5, markeredgecolor=WHITE, zorder=3)
    ax.axhline(good, color=SOFT, linewidth=1, linestyle="--", zorder=0)
    ax.set(xlabel="steps of training", ylabel="steps that poles stay up", ylim=(0, 520), xlim=(0, None))
    ax.legend(edgecolor="none", facecolor=WHITE, framealpha=0.85, fontsize=9, loc="lower right")
    ends = "; ".join(
        f"{name} after {listed(f'{each * len(heights):,}' for heights in several)} steps"
        for name, several in trainings.items()
    )
    show(f"How long poles stay up in the course of trainings, each of which ends above {few(good)}: {ends}.")


def plan(worth: Callable[[np.ndarray], Any], spin: float = 2.0) -> None:
    """Plot which push a network prefers, and how much, for each angle and spin of a pole in the middle.

    ``worth`` gives for states (n, 4) what both pushes are worth, (n, 2).

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_34 import plan
    >>> plan(lambda states: np.stack([0 * states[:, 2], states[:, 2] + states[:, 3]], axis=1))
    """
    degrees, spins = np.meshgrid(np.linspace(-12, 12, 81), np.linspace(-spin, spin, 61))
    states = np.zeros((degrees.size, 4))
    states[:, 2], states[:, 3] = np.radians(degrees.ravel()), spins.ravel()
    both = np.asarray(worth(states), dtype=float)
    more = (both[:, 1] - both[:, 0]).reshape(degrees.shape)
    _, (ax,) = figure(width=5.2, height=3.4)
    from matplotlib.colors import LinearSegmentedColormap

    high = float(np.abs(more).max()) or 1.0
    signs = LinearSegmentedColormap.from_list("signs", [MINUS, WHITE, PLUS])
    ax.contourf(degrees, spins, more, levels=np.linspace(-high, high, 12), cmap=signs)
    if more.min() < 0 < more.max():
        ax.contour(degrees, spins, more, levels=[0.0], colors=INK, linewidths=1.4)
    ax.set(xlabel="angle in degrees, positive to the right", ylabel="spin in radians a second")
    ax.text(0.97, 0.93, "push right", color=INK, ha="right", va="top", transform=ax.transAxes)
    ax.text(0.03, 0.07, "push left", color=INK, ha="left", va="bottom", transform=ax.transAxes)
    share = 100 * float((more > 0).mean())
    show(
        "For each angle and spin of a pole in the middle, which push is worth more, and how much. To the "
        f"right in about {few(5 * round(share / 5))} percent of the picture."
    )
