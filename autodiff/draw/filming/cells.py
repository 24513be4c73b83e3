"""What a film writes in a node: numbers in few digits, and arrays as heat maps of a few shades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph import as_text

SHORT = 6  # a number with more characters than these is rounded to four digits
MAP_ROWS, MAP_COLUMNS = 8, 12  # a larger array is shown as this many blocks, each by its largest element
LEVELS = 4  # shades of one sign
NO_NUMBER = LEVELS + 1  # the shade of nan and inf


def short(x: Any) -> str:
    """A number in few characters: in full if that is short, otherwise in four digits.

    >>> short(40.0), short(65535.0), short(0.7864477), short(-1234567.0)
    ('40', '65535', '0.7864', '-1.235e+06')
    """
    x = x.item() if isinstance(x, (np.ndarray, np.generic)) and np.size(x) == 1 else x
    full = as_text.number(x)
    if len(full) <= SHORT or not isinstance(x, (int, float)) or isinstance(x, bool):
        return full
    return f"{x:.4g}"


def signed(x: Any) -> str:
    """A short number inside a sum or product, with brackets around a negative one.

    >>> signed(3.0), signed(-3.0)
    ('3', '(-3)')
    """
    text = short(x)
    return f"({text})" if text.startswith("-") else text


def heat_map(array: Any, scale: float) -> np.ndarray[Any, Any]:
    """An array as a small table of shades, from -LEVELS to LEVELS; nan and inf have a shade of their own.

    An array of more than two axes becomes a table whose columns are its last axis. For a large array each
    shade stands for a block, and shows the block's largest element.

    >>> import numpy as np
    >>> heat_map(np.array([1.0, -0.5, 0.0]), 1.0).tolist()
    [[4, -2, 0]]
    """
    table = np.asarray(array, dtype=float)
    table = table.reshape(1, -1) if table.ndim < 2 else table.reshape(-1, table.shape[-1] or 1)
    if not table.size:
        return np.zeros((1, 1), dtype=int)
    rows = np.array_split(np.arange(table.shape[0]), min(table.shape[0], MAP_ROWS))
    columns = np.array_split(np.arange(table.shape[1]), min(table.shape[1], MAP_COLUMNS))
    shades = np.zeros((len(rows), len(columns)), dtype=int)
    for r, in_rows in enumerate(rows):
        strip = table[in_rows[0] : in_rows[-1] + 1]
        for c, in_columns in enumerate(columns):
            block = strip[:, in_columns[0] : in_columns[-1] + 1]
            shades[r, c] = _shade(block.flat[np.argmax(np.abs(block))], scale)
    return shades


def _shade(x: float, scale: float) -> int:
    if not np.isfinite(x):
        return NO_NUMBER
    # Rounded away from zero, so that whatever is not zero is visible.
    return int(np.sign(x) * np.ceil(min(abs(x) / scale, 1.0) * LEVELS)) if scale else 0


def shades(table: np.ndarray[Any, Any]) -> tuple[tuple[int, ...], ...]:
    """The rows of a heat map as tuples."""
    return tuple(tuple(int(x) for x in row) for row in table)


def largest(arrays: Sequence[Any]) -> float:
    """The largest absolute value in several arrays, of which some may be None; 0 if there is none."""
    sizes = [np.abs(np.asarray(a, dtype=float)) for a in arrays if a is not None]
    finite = [s[np.isfinite(s)] for s in sizes]
    return max((float(f.max()) for f in finite if f.size), default=0.0)
