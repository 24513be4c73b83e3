"""Lesson 37: many workers train one network. It adds nothing to the machine."""

from ..plan import Given

TITLE = "Many workers"

PARTS: tuple[Given, ...] = ()
