"""Source as somebody would have written it by hand: the writer of programs over arrays, and its memory.

``arrays.py`` writes the lines, and ``calls.py`` the text of a call. What they go by is worked out beforehand
(``planning.py``): which values share memory and until when it is read (``lifetimes.py``), which values are
computed block by block (``blocks.py``), in what order the elements of an array lie (``layout.py``). Values
take turns in buffers (``memory.py``), and ``running.py`` runs what was written.
"""

from .arrays import ArrayWriter
from .planning import INEXACT_PASSES, WRITING_PASSES

__all__ = ["INEXACT_PASSES", "WRITING_PASSES", "ArrayWriter"]
