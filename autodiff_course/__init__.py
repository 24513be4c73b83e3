"""What the course's notebooks need: the machine that the reader builds, checks of exercises with hints,
plots, the results of long runs, and a function that shows source code.
"""

# The reader's machine is in `machine/`: its parts, the file that the reader writes, and `yours`. The
# exercises are in `exercises/` and the plots in `plots/`, one module per lesson; runs are in `runs/`.

from . import machine
from .checking import check, hint
from .machine.live import yours
from .source import source

__all__ = ["check", "hint", "machine", "source", "yours"]
