"""The writer of programs over arrays: source as one would write it by hand, and the memory that it uses.

``planning.py`` works out what is known before a line is written: which values share memory and until when it
is read (``lifetimes.py``), which values are computed block by block (``blocks.py``), and in what order the
elements of an array lie (``layout.py``). ``arrays.py`` then writes the lines, ``calls.py`` the text of a
call, and ``names.py`` has the names of values. Values take turns in buffers (``memory.py``). ``running.py``
runs the program.
"""

from .arrays import ArrayWriter
from .planning import INEXACT_PASSES, WRITING_PASSES

__all__ = ["INEXACT_PASSES", "WRITING_PASSES", "ArrayWriter"]
