"""Programs in JavaScript: a small NumPy in that language (the ``.js`` files), and ``runtime``, which takes
from it what one program calls."""

from .shaking import runtime

__all__ = ["runtime"]
