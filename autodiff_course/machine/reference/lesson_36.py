"""Lesson 36: a network teaches another one. It adds nothing to the machine."""

from ..plan import Given

TITLE = "Teacher and student"

PARTS: tuple[Given, ...] = ()
