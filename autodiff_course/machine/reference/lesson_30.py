"""Lesson 30: the compiler finds matrix products among numbers. It adds nothing to the machine."""

from ..plan import Given

TITLE = "The matrix comes back"

PARTS: tuple[Given, ...] = ()
