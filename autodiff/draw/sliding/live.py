"""A slider of ipywidgets with a picture below it, for notebooks whose kernel runs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from html import escape
from typing import Any, TypeAlias

Live: TypeAlias = Any
"""An ``ipywidgets.VBox`` of a ``FloatSlider`` and an ``HTML``; ipywidgets tells type checkers nothing."""

STEPS = 200  # places at which the slider can stop


def live(name: str, ends: tuple[float, float], picture: Callable[[float], str]) -> Live:
    """A slider from one end to the other, and below it the picture (HTML) for its current value.

    Raises ImportError if ipywidgets is not installed.
    """
    try:
        ipywidgets: Any = importlib.import_module("ipywidgets")
    except ImportError:
        raise ImportError(
            "a live slider needs ipywidgets, which is not installed: pip install ipywidgets"
        ) from None
    low, high = ends
    knob = ipywidgets.FloatSlider(
        value=(low + high) / 2, min=low, max=high, step=(high - low) / STEPS, description=name
    )
    shown = ipywidgets.HTML()

    def move(_: Any = None) -> None:
        try:
            shown.value = picture(knob.value)
        except (TypeError, ValueError) as error:  # in a callback of ipywidgets nobody would see it
            shown.value = f"<pre>{escape(str(error), quote=False)}</pre>"

    knob.observe(move, "value")
    move()
    return ipywidgets.VBox([knob, shown])
