"""A faster step for large arrays. Without this file, the optimizers compute the same bits, more slowly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

State = dict[str, Any]
Apply = Callable[[np.ndarray, np.ndarray, State, dict[str, Any]], None]

PIECE_BYTES = 2**18


def step_in_pieces(
    apply: Apply, rule: Any, data: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]
) -> bool:
    """Apply the update of a large array piece by piece; return whether that was done.

    The temporary arrays of a formula then stay in the processor's cache: a step of Adam for a network of
    784-400-100-10 in float32 takes 0.7 ms instead of 1.3 to 3 ms. The package's own rules allow it, because
    they are elementwise; a custom rule always gets the whole array.
    """
    arrays = [value for value in state.values() if isinstance(value, np.ndarray)]
    if (
        data.nbytes <= PIECE_BYTES
        or rule.__module__.rpartition(".")[0] != __package__
        or not all(array.shape == data.shape and array.flags.c_contiguous for array in (data, *arrays))
    ):
        return False
    old_state = dict(state)
    length = PIECE_BYTES // data.itemsize
    for start in range(0, data.size, length):
        piece = slice(start, start + length)
        piece_state = {key: flat_slice(value, piece) for key, value in old_state.items()}
        apply(flat_slice(data, piece), flat_slice(grad, piece), piece_state, group)
        for key, value in piece_state.items():
            if not isinstance(value, np.ndarray):
                state[key] = value
                continue
            if not isinstance(state.get(key), np.ndarray):
                state[key] = np.empty_like(data, dtype=value.dtype)
            flat_slice(state[key], piece)[:] = value
    return True


def flat_slice(value: Any, piece: slice) -> Any:
    """These elements of an array, flattened; any other value as it is."""
    return value.reshape(-1)[piece] if isinstance(value, np.ndarray) else value
