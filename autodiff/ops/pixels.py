"""Products of pixels and kernels: what a convolution computes with NumPy, in pieces that suit the cache and
OpenBLAS. Pictures are arrays (H, W, N, C) here, kernels matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from .windows import Frame, Windows, as_pixels, contiguous

FEW = 8
"""With fewer channels than this, all that a window meets is copied together, as more channels: a product with
so few would take longer than the copy."""

UNPACKED = 1_000_000
"""OpenBLAS multiplies without copying its operands first while rows * inner * columns stays below this, and
is then up to twice as fast."""


def has_few_channels(channels: int, windows: Windows, groups: int) -> bool:
    """Whether all that a window meets is copied together."""
    return groups == 1 and channels < FEW and windows.kernel != (1, 1)


def blocks(windows: Windows, n: int, matrices: Any) -> Iterator[slice]:
    """The rows of output that are computed at a time: few, so that sums stay in the cache, yet more where
    products take longer than sums, or where an output is a single product."""
    elements, groups, channels, kernels = matrices.shape
    times = 8 if is_large(channels * kernels) else 4 if elements == 1 else 2 if groups == 1 else 1
    return windows.blocks(n * groups * max(channels, kernels), times)


def framed(x: Any, frame: Frame, few: bool) -> Any:
    """Pictures as (H, W, N, C) with their frame. Where channels are few, each is in one piece of memory."""
    pixels = as_pixels(x, frame)
    return np.moveaxis(contiguous(np.moveaxis(pixels, -1, 0)), 0, -1) if few else pixels


def matrices_of(weight: Any, groups: int, few: bool = False) -> Any:
    """A kernel (K, C, height, width) as a matrix (C, K) for each element and each group. Where channels are
    few, all elements are one matrix."""
    each = np.reshape(weight, (groups, len(weight) // groups, *weight.shape[1:]))
    each = np.transpose(each, (3, 4, 0, 2, 1))
    return np.reshape(contiguous(each), joined(each.shape, few))


def joined(shape: tuple[int, ...], few: bool) -> tuple[int, ...]:
    """The shape (elements, groups, C, K) of a kernel's matrices."""
    height, width, groups, channels, kernels = shape
    if few:
        return 1, 1, height * width * channels, kernels
    return height * width, groups, channels, kernels


def all_met(windows: Windows, x: Any, rows: slice, few: bool) -> list[Any]:
    """The pixels that each element of the kernel meets. Where channels are few, all of them are copied
    together, as more channels."""
    met = [windows.met(x, element, rows) for element in windows.elements]
    if not few:
        return met
    *places, channels = met[0].shape
    together = np.empty((len(met), channels, *places), x.dtype, like=x)
    for copy, pixels in zip(together, met):
        copy[...] = np.moveaxis(pixels, -1, 0)
    return [np.moveaxis(np.reshape(together, (len(met) * channels, *places)), 0, -1)]


def multiply(x: Any, matrices: Any, out: Any) -> Any:
    """Pixels (rows, columns, N, C) times a matrix for each group, (groups, C / groups, K / groups)."""
    groups, channels, kernels = matrices.shape
    if groups == 1:
        pieces = in_pieces(x, kernels)
        np.matmul(pieces, matrices[0], out=np.reshape(out, (*pieces.shape[:3], kernels)))
    elif channels == kernels == 1:
        rows = np.copy(np.broadcast_to(np.reshape(matrices, -1), x.shape[2:]))  # of N * C numbers, not C
        np.multiply(x, rows, out=out)
    else:
        for group, matrix in enumerate(matrices):
            part, whole = (slice(group * n, (group + 1) * n) for n in (channels, kernels))
            np.matmul(x[..., part], matrix, out=out[..., whole])
    return out


def product_of_all(x: Any, y: Any, groups: int) -> Any:
    """The products of pixels (rows, columns, N, C) and (rows, columns, N, K), summed over everything but
    channels: a matrix for each group, (groups, C / groups, K / groups)."""
    if groups == 1:
        pieces = in_pieces(x, y.shape[3])
        other = np.reshape(y, (*pieces.shape[:3], y.shape[3]))
        return np.sum(np.swapaxes(pieces, 2, 3) @ other, axis=(0, 1))
    if groups == x.shape[3] == y.shape[3]:
        flat = (*x.shape[:2], x.shape[2] * groups)
        summed = np.einsum("rqm,rqm->m", np.reshape(x, flat), np.reshape(y, flat))
        return np.sum(np.reshape(summed, x.shape[2:]), axis=0)[:, None, None]
    c, k = x.shape[3] // groups, y.shape[3] // groups
    pairs = [(x[..., g * c : (g + 1) * c], y[..., g * k : (g + 1) * k]) for g in range(groups)]
    return np.stack([product_of_all(part, other, 1) for part, other in pairs])


def in_pieces(x: Any, kernels: int) -> Any:
    """Pixels (rows, columns, N, C) as matrices of more rows, (rows, parts, columns / parts * N, C). They are
    a single matrix if OpenBLAS would pack the other operand for each of them."""
    rows, columns, n, channels = x.shape
    if is_large(channels * kernels):
        return np.reshape(x, (1, 1, rows * columns * n, channels))
    together = columns_together(columns, n, channels * kernels)
    return np.reshape(x, (rows, columns // together, together * n, channels))


def is_large(products: int) -> bool:
    """Whether a matrix is multiplied with packing even where the other has few rows."""
    return 32 * products > UNPACKED


@lru_cache
def columns_together(columns: int, n: int, products: int) -> int:
    """How many columns of pixels make matrices as tall as OpenBLAS takes them without packing: a divisor of
    the number of columns."""
    most = UNPACKED // max(1, products)
    fit = (d for d in range(columns, 0, -1) if columns % d == 0 and 32 <= d * n <= most)
    return next(fit, columns)
