"""Products of pixels and kernels: the computation of a convolution with NumPy, in pieces that suit the cache
and OpenBLAS. Here pictures are arrays (H, W, N, C), and kernels are matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from .windows import Padding, Windows, as_pixels, contiguous

FEW_CHANNELS = 8
"""With fewer channels than this, the pixels of each window are copied and stacked as channels, because a
product with so few channels would take longer than the copy."""

PACKING_LIMIT = 1_000_000
"""OpenBLAS multiplies matrices without packing (copying) them first while rows * inner * columns is below
this, and is then up to twice as fast."""


def stacks_elements(channels: int, windows: Windows, groups: int) -> bool:
    """Whether the pixels of each window are stacked as channels."""
    return groups == 1 and channels < FEW_CHANNELS and windows.kernel != (1, 1)


def row_blocks(windows: Windows, n: int, matrices: Any) -> Iterator[slice]:
    """The rows of the output that are computed together: few enough that sums stay in the cache, but more
    where products take longer than sums, or where each output is a single product."""
    elements, groups, channels, kernels = matrices.shape
    times = 8 if is_packed(channels * kernels) else 4 if elements == 1 else 2 if groups == 1 else 1
    return windows.row_blocks(n * groups * max(channels, kernels), times)


def padded_pixels(x: Any, padding: Padding, is_stacked: bool) -> Any:
    """Pictures as (H, W, N, C) with their padding. If they will be stacked, each channel is contiguous."""
    pixels = as_pixels(x, padding)
    return np.moveaxis(contiguous(np.moveaxis(pixels, -1, 0)), 0, -1) if is_stacked else pixels


def kernel_matrices(weight: Any, groups: int, is_stacked: bool = False) -> Any:
    """A kernel (K, C, height, width) as a matrix (C, K) for each element and each group. If channels are
    stacked, all elements form one matrix."""
    each = np.reshape(weight, (groups, len(weight) // groups, *weight.shape[1:]))
    each = np.transpose(each, (3, 4, 0, 2, 1))
    return np.reshape(contiguous(each), matrices_shape(each.shape, is_stacked))


def matrices_shape(shape: tuple[int, ...], is_stacked: bool) -> tuple[int, ...]:
    """The shape (elements, groups, C, K) of a kernel's matrices."""
    height, width, groups, channels, kernels = shape
    if is_stacked:
        return 1, 1, height * width * channels, kernels
    return height * width, groups, channels, kernels


def pixels_per_element(windows: Windows, x: Any, rows: slice, is_stacked: bool) -> list[Any]:
    """For each element of the kernel, the pixels that it is multiplied by. If channels are stacked, the list
    has one array, with the pixels of all elements as its channels."""
    views = [windows.pixels_at(x, element, rows) for element in windows.elements]
    if not is_stacked:
        return views
    *axes, channels = views[0].shape
    stacked = np.empty((len(views), channels, *axes), x.dtype, like=x)
    for copy, pixels in zip(stacked, views):
        copy[...] = np.moveaxis(pixels, -1, 0)
    return [np.moveaxis(np.reshape(stacked, (len(views) * channels, *axes)), 0, -1)]


def multiply(x: Any, matrices: Any, out: Any) -> Any:
    """Pixels (rows, columns, N, C) times a matrix for each group, (groups, C / groups, K / groups)."""
    groups, channels, kernels = matrices.shape
    if groups == 1:
        pieces = as_matrices(x, kernels)
        np.matmul(pieces, matrices[0], out=np.reshape(out, (*pieces.shape[:3], kernels)))
    elif channels == kernels == 1:
        # A row of N * C numbers is faster to multiply than N rows of C.
        rows = np.copy(np.broadcast_to(np.reshape(matrices, -1), x.shape[2:]))
        np.multiply(x, rows, out=out)
    else:
        for group, matrix in enumerate(matrices):
            part, whole = (slice(group * n, (group + 1) * n) for n in (channels, kernels))
            np.matmul(x[..., part], matrix, out=out[..., whole])
    return out


def summed_products(x: Any, y: Any, groups: int) -> Any:
    """The products of pixels (rows, columns, N, C) and (rows, columns, N, K), summed over all axes except the
    channels: a matrix for each group, (groups, C / groups, K / groups)."""
    if groups == 1:
        pieces = as_matrices(x, y.shape[3])
        other = np.reshape(y, (*pieces.shape[:3], y.shape[3]))
        return np.sum(np.swapaxes(pieces, 2, 3) @ other, axis=(0, 1))
    if groups == x.shape[3] == y.shape[3]:
        flat = (*x.shape[:2], x.shape[2] * groups)
        summed = np.einsum("rqm,rqm->m", np.reshape(x, flat), np.reshape(y, flat))
        return np.sum(np.reshape(summed, x.shape[2:]), axis=0)[:, None, None]
    c, k = x.shape[3] // groups, y.shape[3] // groups
    pairs = [(x[..., g * c : (g + 1) * c], y[..., g * k : (g + 1) * k]) for g in range(groups)]
    return np.stack([summed_products(part, other, 1) for part, other in pairs])


def as_matrices(x: Any, kernels: int) -> Any:
    """Pixels (rows, columns, N, C) as taller matrices, (rows, parts, columns / parts * N, C). The result is a
    single matrix if OpenBLAS would pack the other operand anew for each matrix."""
    rows, columns, n, channels = x.shape
    if is_packed(channels * kernels):
        return np.reshape(x, (1, 1, rows * columns * n, channels))
    together = columns_together(columns, n, channels * kernels)
    return np.reshape(x, (rows, columns // together, together * n, channels))


def is_packed(products: int) -> bool:
    """Whether OpenBLAS packs a matrix of this size even if the other operand has few rows."""
    return 32 * products > PACKING_LIMIT


@lru_cache
def columns_together(columns: int, n: int, products: int) -> int:
    """The number of columns of pixels in one matrix: the largest divisor of ``columns`` for which OpenBLAS
    does not pack, or ``columns`` if there is none with at least 32 rows."""
    most = PACKING_LIMIT // max(1, products)
    fit = (d for d in range(columns, 0, -1) if columns % d == 0 and 32 <= d * n <= most)
    return next(fit, columns)
