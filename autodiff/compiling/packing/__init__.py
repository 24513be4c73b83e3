"""Packing: a graph of numbers as a program of arrays.

The same network on many points, number by number, computes the same thing for each point and for each neuron.
What is computed alike becomes one array (``alike.py``), laid out so that the arrays fit each other
(``layout.py``), and read by slices and reshapes (``access.py``). A chain of additions is one sum, and a sum of
products over a grid is a matrix product.
"""

from .packed import Packed, packed
from .text import PackedWriter

__all__ = ["Packed", "PackedWriter", "packed"]
