"""Packing: a graph of numbers as a program of arrays.

The same network on many points, number by number, computes the same thing for each point and for each
neuron. What is computed alike becomes one array (``alike.py``), laid out so that the arrays fit each other
(``layout.py``), and read by slices and reshapes (``access.py``). A chain of additions is one sum, and a sum
of products over a grid is a matrix product (``packed.py``). ``text.py`` writes it down.

The packed graph is a graph like any other, so the passes and writers for arrays apply to it. What changes is
its interface: the numbers among its inputs are one array, and those among its results are another.
"""

from .packed import Packed, pack
from .text import PackedWriter

__all__ = ["Packed", "PackedWriter", "pack"]
