"""Programs as a reader would write them: an expression in place of each value that is used once, a loop for
each run of alike lines, and nothing about memory."""

from .printer import Printer
from .rolling import rolled

__all__ = ["Printer", "rolled"]
