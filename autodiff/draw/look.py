"""What a drawing looks like: the options of `draw` that change no node, and their checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .graph.as_text import word
from .theme import LIGHT, THEMES, Theme

DIRECTIONS = ("auto", "LR", "TB")
SHOW = ("data", "grad", "shape", "dtype", "statistics")
SLOPES = (False, True, "symbol")
CONSTANTS = ("quiet", "shown", "hidden")
ARROWS = ("forward", "backward", "both")


@dataclass(frozen=True, slots=True)
class Look:
    """The options of one drawing, checked."""

    direction: str = "auto"
    show: tuple[str, ...] = ("data", "grad")
    slopes: bool | str = False
    constants: str = "quiet"
    arrows: str = "forward"
    theme: Theme = LIGHT
    title: str = ""


def read(
    direction: object = "auto",
    show: object = ("data", "grad"),
    slopes: object = False,
    constants: object = "quiet",
    arrows: object = "forward",
    theme: object = "light",
    title: object = None,
) -> Look:
    """The options as a `Look`. Raises ValueError, with the valid ones, for an option that is none of these.

    >>> read(constants="loud")
    Traceback (most recent call last):
    ValueError: unknown constants 'loud': the valid ones are quiet, shown, hidden
    """
    return Look(
        direction=one_of("direction", direction, DIRECTIONS),
        show=_several("show", show),
        slopes=one_of("slopes", slopes, SLOPES),
        constants=one_of("constants", constants, CONSTANTS),
        arrows=one_of("arrows", arrows, ARROWS),
        theme=theme if isinstance(theme, Theme) else THEMES[one_of("theme", theme, tuple(THEMES))],
        title="" if title is None else str(title),
    )


def one_of(option: str, given: object, valid: Iterable[Any]) -> Any:
    """What was given for an option, if it is valid; a ValueError that lists what is, otherwise."""
    # The type is compared too, since 1 == True and a Tensor's == is no truth value.
    for choice in valid:
        if type(given) is type(choice) and given == choice:
            return choice
    shown = repr(given) if given is None or isinstance(given, (str, bool, int, float)) else word(given)
    raise ValueError(f"unknown {option} {shown}: the valid ones are {', '.join(map(str, valid))}")


def _several(option: str, given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, (tuple, list, set, frozenset)) or not given:
        raise ValueError(f"{option} takes one or several of {', '.join(SHOW)}, not {word(given)}")
    asked = [one_of(option, part, SHOW) for part in given]
    return tuple(part for part in SHOW if part in asked)
