"""What the notebooks need and a user of the package does not: the reader's engine as it stands after each
lesson (``after_01`` and so on), exercise checks with hints, plots, and a way to show source code.

A lesson's exercises are in ``exercises/``, one module per lesson.
"""

from .checking import check, hint
from .source import source

__all__ = ["check", "hint", "source"]
