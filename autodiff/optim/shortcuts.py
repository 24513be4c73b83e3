"""What the optimizers do for speed alone. Without this file they do the same, to the last bit, and slower."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Memory = dict[str, Any]
Apply = Callable[[np.ndarray, np.ndarray, Memory, dict[str, Any]], None]

PIECE = 2**18  # bytes


def in_pieces(
    apply: Apply, rule: Any, data: np.ndarray, grad: np.ndarray, state: Memory, group: dict[str, Any]
) -> bool:
    """Take the step of a large array piece by piece; return whether that was done.

    A step of Adam for a network of 784-400-100-10 in float32 takes 0.7 ms with it and 1.3 to 3 ms without:
    the arrays that a formula makes on the way stay in the processor's cache, and the operating system is not
    asked for memory. The package's rules allow it, since they treat each element on its own; a custom rule
    is always given the whole array.
    """
    remembered = [value for value in state.values() if isinstance(value, np.ndarray)]
    if (
        data.nbytes <= PIECE
        or rule.__module__.rpartition(".")[0] != __package__
        or not all(array.shape == data.shape and array.flags.c_contiguous for array in (data, *remembered))
    ):
        return False
    before = dict(state)
    length = PIECE // data.itemsize
    for start in range(0, data.size, length):
        place = slice(start, start + length)
        piece = {key: part(value, place) for key, value in before.items()}
        apply(part(data, place), part(grad, place), piece, group)
        for key, value in piece.items():
            if not isinstance(value, np.ndarray):
                state[key] = value
                continue
            if not isinstance(state.get(key), np.ndarray):
                state[key] = np.empty_like(data)
            part(state[key], place)[:] = value
    return True


def part(value: Any, place: slice) -> Any:
    """The elements of an array at a place, in one row; anything else as it is."""
    return value.reshape(-1)[place] if isinstance(value, np.ndarray) else value
