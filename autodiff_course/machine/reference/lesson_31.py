"""Lesson 31: a picture as a function of the place. It adds nothing to the machine."""

from ..plan import Given

TITLE = "A painter"

PARTS: tuple[Given, ...] = ()
