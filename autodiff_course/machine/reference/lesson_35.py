"""Lesson 35: words get places. It adds nothing to the machine."""

from ..plan import Given

TITLE = "Words as places"

PARTS: tuple[Given, ...] = ()
