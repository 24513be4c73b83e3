"""Source as somebody would have written it by hand: the writer of programs over arrays, and its memory.

``arrays.py`` writes the lines. What it goes by is worked out beforehand, each in a module of its own: which
values share memory and until when it is read (``lifetimes.py``), which buffer a value takes (``memory.py``),
which values are computed block by block (``blocks.py``), in what order the elements of an array lie
(``layout.py``). ``running.py`` runs what was written.
"""

from .arrays import INEXACT_PASSES, WRITING_PASSES, ArrayWriter

__all__ = ["INEXACT_PASSES", "WRITING_PASSES", "ArrayWriter"]
