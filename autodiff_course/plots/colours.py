"""The colours of all plots, which are those of the drawn graphs: each has one for a dark page too.

A plot is drawn in the light colours; `on_dark` says what a dark page shows in the place of each.
"""

from __future__ import annotations

import colorsys
import re
from dataclasses import fields

from autodiff.draw.theme import DARK, LIGHT, Theme

INK, SOFT, RED = LIGHT.ink, LIGHT.soft, LIGHT.gradient
PLUS, MINUS, ZERO = LIGHT.plus, LIGHT.minus, LIGHT.zero
BLUE, AMBER, GREEN, VIOLET = "#2f6fd0", "#a06a00", "#2e7d52", "#8a4bb0"
PINK, TEAL, BROWN, OLIVE = LIGHT.lit, "#0f766e", "#8a5a44", "#66741c"
WHITE = LIGHT.paper
PAPER = "#f0f3f8"  # the background of a cell that is not highlighted
LEAF, LEAF_LINE, MADE, MADE_LINE = LIGHT.leaf, LIGHT.leaf_line, LIGHT.made, LIGHT.made_line

CURVES = (BLUE, RED, AMBER, GREEN, VIOLET, SOFT)
"""The colours of curves whose names mean nothing in particular, in order."""
OTHERS = (BROWN, OLIVE)
"""The colours of such curves beside those of methods: no method has them."""

METHODS = {
    "descent": SOFT,
    "momentum": BLUE,
    "RMSProp": AMBER,
    "Adam": RED,
    "AdamW": VIOLET,
    "Newton": GREEN,
    "forward": BLUE,
    "back": RED,
    "one-sided": AMBER,
    "two-sided": TEAL,
    "complex": PINK,
    "right": BLUE,
    "wrong": RED,
}
"""The colour of each method, in every plot of the course."""

WORDS = {
    "plain": "descent",
    "gradient descent": "descent",
    "sgd": "descent",
    "rmsprop": "RMSProp",
    "gradients forgotten": "right",
    "gradients cleared": "right",
    "gradients added up": "wrong",
    "forgotten": "right",
    "added up": "wrong",
    "softmax minus one-hot": "right",
    "softmax left out": "wrong",
    "by hand, wrong": "wrong",
    "contributions added": "right",
    "only the last one": "wrong",
}
"""Other names under which a plot shows a method."""

TINTS = {
    "#dbe8f9": "#234b80",
    "#f7e5bd": "#5e4817",
    "#d5ecdd": "#2d533a",
    "#f3e2f0": "#703866",
    "#fae2da": "#7e3720",
    "#d3ebef": "#285158",
    "#eae7d7": "#534d2d",
}
"""Grounds to be told apart, as bright on a dark page as numbers in their cells allow: blue, amber, green,
violet, red, teal and grey."""

PAIRS = TINTS | {
    AMBER: "#e3b04b",
    TEAL: "#5bc8bd",
    BROWN: "#d3a78f",
    OLIVE: "#b9c95f",
    GREEN: "#5fbf8a",
    VIOLET: "#c39be0",
    PAPER: "#2b3440",
    "#000000": DARK.ink,
}
"""What a dark page shows in the place of a light page's colour."""
for _field in fields(Theme):
    if isinstance(getattr(LIGHT, _field.name), str):
        PAIRS.setdefault(getattr(LIGHT, _field.name), getattr(DARK, _field.name))


def colour_of(name: str, place: int) -> str:
    """The colour of a curve by its name if that begins with a method's, else by its place among the curves.

    >>> colour_of("Adam, rate 0.1", 0) == colour_of("Adam", 3) == METHODS["Adam"]
    True
    >>> colour_of("some curve", 1) == CURVES[1]
    True
    """
    for method in (*METHODS, *WORDS):
        if re.match(rf"{re.escape(method)}\b", name, re.IGNORECASE):
            return METHODS[WORDS.get(method, method)]
    return CURVES[place % len(CURVES)]


def colours_of(names: list[str]) -> list[str]:
    """The colours of several curves in one plot: of methods their own, of others those that no method has.

    >>> colours_of(["Adam", "without"]) == [METHODS["Adam"], BROWN]
    True
    """
    free = OTHERS if any(map(is_method, names)) else CURVES
    others = [name for name in names if not is_method(name)]
    return [colour_of(name, 0) if is_method(name) else free[others.index(name) % len(free)] for name in names]


def is_method(name: str) -> bool:
    """Whether a curve's name begins with that of a method."""
    return any(re.match(rf"{re.escape(method)}\b", name, re.IGNORECASE) for method in (*METHODS, *WORDS))


def sign_colour(x: float) -> str:
    """The colour for the sign of a number."""
    return PLUS if x > 0 else MINUS if x < 0 else ZERO


def on_dark(colour: str) -> str:
    """What a dark page shows in the place of a colour: that of the dark theme, else one as far from black as
    the colour is from white.

    >>> on_dark(INK) == DARK.ink, on_dark("#ffffff"), on_dark("#f6e0b0")
    (True, '#1c232d', '#674e17')
    """
    if colour in PAIRS:
        return PAIRS[colour]
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    mirrored = colorsys.hls_to_rgb(hue, 0.12 + 0.74 * (1 - lightness), 0.8 * saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in mirrored)
