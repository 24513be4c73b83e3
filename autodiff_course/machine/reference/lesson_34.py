"""Lesson 34 adds nothing to the machine: projects run on the package."""

TITLE = "A pole in balance"
PARTS = ()
