"""Lesson 38: the network leaves the machine. It adds nothing to the machine."""

from ..plan import Given

TITLE = "Leaving home"

PARTS: tuple[Given, ...] = ()
