"""Sequences of unequal length in one batch, padded or packed. As in PyTorch, these names are in
``nn.utils.rnn``.

A packed batch holds the first elements of all sequences, then the second elements of those that have one, and
so on. The sequences are sorted by length, longest first, so the sequences that have an element at some step
are always the first ones.
"""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.operands import as_recorded
from ..engine.tensor import describe, raw
from ..ops.indexing import pad, scatter
from ..ops.joining import stack
from ..ops.shaping import reshape, shape_of, swapaxes

__all__ = [
    "PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
    "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class PackedSequence(NamedTuple):
    """A batch of sequences of unequal length without padding, for recurrent layers.

    :func:`pack_padded_sequence` and :func:`pack_sequence` make it.

    Example
    -------
    >>> from autodiff import nn
    >>> nn.utils.rnn.pack_sequence([[1, 2, 3], [4, 5]]).data
    array([1, 4, 2, 5, 3])
    """

    data: Any
    """The elements of all sequences, step by step, of shape (sum of lengths, ...)."""
    batch_sizes: np.ndarray
    """How many sequences have an element at each step, in descending order."""
    sorted_indices: np.ndarray | None = None
    """The permutation that sorted the sequences. None if they were sorted before."""
    unsorted_indices: np.ndarray | None = None
    """The inverse of that permutation, or None."""


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch.

    Parameters
    ----------
    input
        Padded sequences, shape (steps, batch, ...), or (batch, steps, ...) with ``batch_first``.
    lengths
        The length of each sequence, at least 1.
    batch_first
        Whether the batch is the first axis instead of the second.
    enforce_sorted
        True requires sequences sorted by length, longest first. False sorts them.

    Raises
    ------
    ValueError
        Unless there is one length per sequence, a whole number from 1 to the number of steps, and the lengths
        are in descending order.

    Example
    -------
    >>> from autodiff import nn
    >>> packed = nn.utils.rnn.pack_padded_sequence([[1, 2, 3], [4, 5, 0]], [3, 2], batch_first=True)
    >>> packed.data, packed.batch_sizes
    (array([1, 4, 2, 5, 3]), array([2, 2, 1]))
    """
    x = as_recorded(input)
    if len(shape_of(x)) < 2:
        raise ValueError(f"pack_padded_sequence takes an axis of steps and one of batch, not {describe(x)}")
    x = swapaxes(x, axis1=0, axis2=1) if batch_first else x
    sizes = checked_lengths(lengths, *shape_of(x)[:2])
    order = None
    if not enforce_sorted:
        order = np.argsort(-sizes, kind="stable")
        x, sizes = x[:, order], sizes[order]
    elif (np.diff(sizes) > 0).any():
        raise ValueError(
            f"the lengths must be in descending order, not {sizes.tolist()}; give enforce_sorted=False to "
            "have the sequences sorted"
        )
    mask = step_mask(sizes)
    return PackedSequence(x[: len(mask)][mask], mask.sum(axis=1), order, inverted(order))


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Any, np.ndarray]:
    """Pad a packed batch, with the sequences in their original order.

    Parameters
    ----------
    sequence
        From :func:`pack_padded_sequence` or a recurrent layer.
    batch_first
        Whether the result has the shape (batch, steps, ...) instead of (steps, batch, ...).
    padding_value
        The value after the end of a sequence.
    total_length
        The number of steps of the result; None for that of the longest sequence.

    Returns
    -------
    The padded sequences and their lengths.

    Raises
    ------
    TypeError, ValueError
        If ``sequence`` is not a PackedSequence, or ``total_length`` is too small.

    Example
    -------
    >>> from autodiff import nn
    >>> packed = nn.utils.rnn.pack_sequence([[1, 2, 3], [4, 5]])
    >>> nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1)
    (array([[ 1,  2,  3],
           [ 4,  5, -1]]), array([3, 2]))
    """
    check_packed(sequence, "pad_packed_sequence")
    data, sizes = sequence.data, np.asarray(sequence.batch_sizes)
    steps = len(sizes) if total_length is None else total_length
    if steps < len(sizes):
        raise ValueError(f"total_length is {steps}, but the longest sequence has {len(sizes)} elements")
    mask = np.arange(sizes[0]) < np.pad(sizes, (0, steps - len(sizes)))[:, None]
    rest = shape_of(data)[1:]
    x = scatter(data, index=mask, shape=(*mask.shape, *rest))
    if padding_value:
        filling = np.where(mask, 0, padding_value).astype(x.dtype)
        x = x + filling.reshape(*mask.shape, *(1 for _ in rest))
    lengths, back = mask.sum(axis=0), unsorting(sequence)
    if back is not None:
        x, lengths = x[:, back], lengths[back]
    return (swapaxes(x, axis1=0, axis2=1) if batch_first else x), lengths


def pad_sequence(
    sequences: Sequence[Any],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Any:
    """Stack sequences of unequal length, with padding.

    Parameters
    ----------
    sequences
        Of shapes (length, ...) that differ only in the length.
    batch_first
        Whether the result has the shape (batch, steps, ...) instead of (steps, batch, ...).
    padding_value
        The value where a sequence has no element.
    padding_side
        "right" pads after the end of a sequence, "left" before its start.

    Raises
    ------
    ValueError
        If there are no sequences, they differ in more than the length, or ``padding_side`` is unknown.

    Example
    -------
    >>> from autodiff import nn
    >>> nn.utils.rnn.pad_sequence([[1, 2, 3], [4, 5]], batch_first=True)
    array([[1, 2, 3],
           [4, 5, 0]])
    """
    parts, lengths = checked_sequences(sequences, "pad_sequence")
    if padding_side not in ("left", "right"):
        raise ValueError(f"padding_side of pad_sequence must be 'left' or 'right', not {padding_side!r}")
    padded = []
    for part, length in zip(parts, lengths):
        gap = max(lengths) - length
        widths = [(gap, 0) if padding_side == "left" else (0, gap)] + [(0, 0)] * (len(shape_of(part)) - 1)
        padded.append(pad(part, pad_width=widths, constant_values=padding_value) if gap else part)
    return stack(padded, axis=0 if batch_first else 1)


def pack_sequence(sequences: Sequence[Any], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of shapes (length, ...), sorted longest first, or in any order with
    ``enforce_sorted=False``. Raises ValueError like :func:`pad_sequence` and :func:`pack_padded_sequence`.

    >>> from autodiff import nn
    >>> packed = nn.utils.rnn.pack_sequence([[4, 5], [1, 2, 3]], enforce_sorted=False)
    >>> packed.data, packed.sorted_indices
    (array([1, 4, 2, 5, 3]), array([1, 0]))
    """
    parts, lengths = checked_sequences(sequences, "pack_sequence")
    return pack_padded_sequence(pad_sequence(parts), lengths, enforce_sorted=enforce_sorted)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences of a padded batch, the inverse of :func:`pad_sequence`.

    Raises ValueError unless there is one length per sequence, a whole number.

    >>> from autodiff import nn
    >>> nn.utils.rnn.unpad_sequence([[1, 2, 3], [4, 5, 0]], [3, 2], batch_first=True)
    [array([1, 2, 3]), array([4, 5])]
    """
    x = np.asarray(padded_sequences) if isinstance(padded_sequences, (list, tuple)) else padded_sequences
    x = x if batch_first else swapaxes(x, axis1=0, axis2=1)
    sizes = checked_lengths(lengths, *shape_of(x)[1::-1])
    return [x[place, :size] for place, size in enumerate(sizes.tolist())]


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """The sequences of a packed batch, the inverse of :func:`pack_sequence`. Raises TypeError for anything
    but a PackedSequence.

    >>> from autodiff import nn
    >>> nn.utils.rnn.unpack_sequence(nn.utils.rnn.pack_sequence([[1, 2, 3], [4, 5]]))
    [array([1, 2, 3]), array([4, 5])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


def step_mask(lengths: np.ndarray) -> np.ndarray:
    """A mask of shape (steps, batch): True where a sequence has an element at a step."""
    return np.asarray(np.arange(lengths.max())[:, None] < lengths)


def blocks_of(data: Any, batch_sizes: np.ndarray) -> list[Any]:
    """The rows of a packed batch, split into blocks with a constant number of sequences, each of shape
    (steps, batch, inputs)."""
    starts = np.flatnonzero(np.diff(batch_sizes, prepend=0))
    counts = np.diff([*starts, len(batch_sizes)])
    blocks, row = [], 0
    for batch, count in zip(batch_sizes[starts].tolist(), counts.tolist()):
        rows = data[row : row + batch * count]
        blocks.append(reshape(rows, shape=(count, batch, shape_of(data)[-1])))
        row += batch * count
    return blocks


def unsorting(sequence: PackedSequence) -> np.ndarray | None:
    """The permutation back to the original order; None if the sequences were not permuted."""
    back = sequence.unsorted_indices
    return inverted(sequence.sorted_indices) if back is None else np.asarray(raw(back))


def inverted(order: Any) -> np.ndarray | None:
    """The inverse of a permutation."""
    return None if order is None else np.argsort(raw(order))


def check_packed(sequence: Any, owner: str) -> None:
    """Raise TypeError for anything but a PackedSequence."""
    if not isinstance(sequence, PackedSequence):
        raise TypeError(f"{owner} takes a PackedSequence (pack_sequence makes one), not {describe(sequence)}")


def checked_sequences(sequences: Any, owner: str) -> tuple[list[Any], list[int]]:
    """The sequences as Tensors and arrays, and their lengths. Raises ValueError if shapes do not fit."""
    parts = [as_recorded(part) for part in sequences]
    shapes = [shape_of(part) for part in parts]
    if not parts:
        raise ValueError(f"{owner} needs at least one sequence")
    if any(not shape for shape in shapes) or len({shape[1:] for shape in shapes}) > 1:
        raise ValueError(
            f"{owner} takes sequences that differ only in the first axis, not of shapes {shapes}"
        )
    return parts, [shape[0] for shape in shapes]


def checked_lengths(lengths: Any, steps: int, batch: int) -> np.ndarray:
    """The lengths as integers. Raises ValueError unless each is a whole number from 1 to ``steps``."""
    sizes = np.asarray(raw(lengths))
    whole = sizes.dtype.kind in "iuf" and bool((sizes == sizes.astype(int)).all())
    if not whole or sizes.shape != (batch,):
        raise ValueError(f"lengths of {batch} sequences must be {batch} whole numbers, not {lengths!r:.60}")
    sizes = sizes.astype(int)
    if not batch or sizes.min() < 1 or sizes.max() > steps:
        raise ValueError(f"lengths must be between 1 and the number of steps, {steps}, not {sizes.tolist()}")
    return sizes
