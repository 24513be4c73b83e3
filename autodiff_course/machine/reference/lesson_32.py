"""Lesson 32: a network takes noise away. It adds nothing to the machine."""

from ..plan import Given

TITLE = "Noise taken away"

PARTS: tuple[Given, ...] = ()
