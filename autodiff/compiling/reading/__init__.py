"""Programs as a reader would write them: an expression in place of each value that is used once, a loop for
each run of alike lines, and nothing about memory."""

from .reader import Reader
from .rolling import rolled

__all__ = ["Reader", "rolled"]
