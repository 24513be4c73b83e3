"""The look of a drawing: the options of `draw` that change no node, and the checks of options."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .graph.as_text import word
from .theme import AUTO, THEMES, Theme

DIRECTIONS = ("LR", "TB")
STYLES = ("compact", "spread")
SHOW = ("data", "grad", "shape", "dtype", "statistics")
SLOPES = (False, True, "symbol")
CONSTANTS = ("quiet", "shown", "hidden")
ARROWS = ("forward", "backward", "both")


@dataclass(frozen=True, slots=True)
class Look:
    """The options of one drawing, checked."""

    direction: str = "LR"
    style: str = "compact"
    show: tuple[str, ...] = ("data", "grad")
    slopes: bool | str = False
    constants: str = "quiet"
    arrows: str = "forward"
    theme: Theme = AUTO
    title: str = ""
    flow: bool = False


def checked_look(
    direction: object = "LR",
    show: object = ("data", "grad"),
    slopes: object = False,
    constants: object = "quiet",
    arrows: object = "forward",
    theme: object = "auto",
    title: object = None,
    style: object = "compact",
    flow: object = False,
) -> Look:
    """The options as a `Look`. Raises ValueError, with the valid choices, for an invalid option, and for
    options that exclude each other.

    >>> checked_look(constants="loud")
    Traceback (most recent call last):
    ValueError: unknown constants 'loud': the valid ones are quiet, shown, hidden
    """
    if checked_choice("flow", flow, (False, True)) and (slopes is not False or arrows != "forward"):
        raise ValueError(
            "flow=True shows the way of the gradient and what flows on each edge: leave out slopes and arrows"
        )
    return Look(
        direction=checked_choice("direction", direction, DIRECTIONS),
        style=checked_choice("style", style, STYLES),
        show=_checked_show(show),
        slopes=checked_choice("slopes", slopes, SLOPES),
        constants=checked_choice("constants", constants, CONSTANTS),
        arrows=checked_choice("arrows", arrows, ARROWS),
        theme=checked_theme(theme),
        title="" if title is None else str(title),
        flow=bool(flow),
    )


def checked_choice(option: str, given: object, valid: Iterable[Any]) -> Any:
    """The choice that was given for an option. Raises ValueError if it is not one of the valid ones."""
    # The type is compared too: 1 == True, and == between Tensors gives no truth value.
    for choice in valid:
        if type(given) is type(choice) and given == choice:
            return choice
    shown = repr(given) if given is None or isinstance(given, (str, bool, int, float)) else word(given)
    raise ValueError(f"unknown {option} {shown}: the valid ones are {', '.join(map(str, valid))}")


def checked_theme(given: object) -> Theme:
    """A theme, given by itself or by its name. Raises ValueError if there is no theme of this name."""
    return given if isinstance(given, Theme) else THEMES[checked_choice("theme", given, tuple(THEMES))]


def check_count(option: str, given: object, least: int, what: str, *, can_be_none: bool = True) -> None:
    """Raise TypeError if an option that counts something is not an int, ValueError if it is too small."""
    if given is None and can_be_none:
        return
    if not isinstance(given, int) or isinstance(given, bool):
        kind = "an int or None" if can_be_none else "an int"
        raise TypeError(f"{option} is {what}, {kind}, not {word(given)}")
    if given < least:
        raise ValueError(f"{option} is {what}, {least} or more, not {given}")


def _checked_show(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, (tuple, list, set, frozenset)) or not given:
        raise ValueError(f"show takes one or several of {', '.join(SHOW)}, not {word(given)}")
    chosen = [checked_choice("show", part, SHOW) for part in given]
    return tuple(part for part in SHOW if part in chosen)
