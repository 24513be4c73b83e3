"""What the course's notebooks need: the reader's engine as it is after each lesson (``after_01`` and so on),
checks of exercises with hints, plots, the results of long runs, and a function that shows source code.

The exercises are in ``exercises/`` and the plots in ``plots/``, one module per lesson; runs are in ``runs/``.
"""

from .checking import check, hint
from .source import source

__all__ = ["check", "hint", "source"]
