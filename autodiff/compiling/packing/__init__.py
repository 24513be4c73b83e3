"""Packing: a graph of numbers as a program of arrays.

A network that computes with single numbers repeats the same operations for each point and each neuron.
Numbers that are computed alike become one array (``alike.py``). The arrays are laid out so that they fit each
other (``layout.py``), and read by slices and reshapes (``access.py``). A chain of additions becomes one sum,
and a sum of products over a grid a matrix product (``packed.py``).

The packed graph is a graph like any other, so the passes and writers for arrays apply to it. What changes is
its interface: the numbers among its inputs are one array, and those among its results are another.
"""

from .packed import Packed, pack
from .text import word_for_packed

__all__ = ["Packed", "pack", "word_for_packed"]
