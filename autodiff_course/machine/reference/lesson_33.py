"""Lesson 33: a forger and a judge learn from each other. It adds nothing to the machine."""

from ..plan import Given

TITLE = "Forger and judge"

PARTS: tuple[Given, ...] = ()
