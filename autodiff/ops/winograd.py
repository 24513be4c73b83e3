"""Faster convolution. Without this file everything still works, only more slowly.

Winograd's minimal filtering F(4, 3), for kernels of 3x3 in float32 with a stride of 1 (Lavin and Gray, "Fast
Algorithms for Convolutional Neural Networks", 2016). A tile of 4x4 outputs is computed from 6x6 pixels with
36 products in place of 144. Linear maps transform tiles to 36 "frequencies" and back, with one matrix product
for each frequency between them. ``spread`` and ``overlap`` are the adjoints of ``gather`` and ``spectrum``:

    output      gather(spectrum(x) @ U)                  U = (G x G) weight
    pictures    overlap(spread(grad) @ U.T)
    weights     (G x G).T (spectrum(x).T @ spread(grad))

Benefit: a convolution of 32 to 64 channels takes 0.5 to 0.6 of the time.

Cost: an error of 2e-6 of the largest output, compared with 5e-7 for direct products. The error is that small
because of the interpolation points 0, ±3/4, ±3/2; with the usual points, 0, ±1, ±2, it is 8e-6. A pixel that
is inf or nan, or overflows in a transform, makes whole tiles nan: ``convolution.py`` then computes the direct
products instead. ``ad.exact()`` turns it off, and float64 never uses it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .pixels import PACKING_LIMIT
from .windows import Padding, Pair, Windows

TILE = 4
POINTS = (0, 0.75, -0.75, 1.5, -1.5)

LEAST_CHANNELS = 8
PIXELS_PER_CHANNEL = 8
"""Below this many channels, or pixels of output for each of them, the maps cost more than they save."""



def is_applicable(windows: Windows, n: int, channels: int, kernels: int, groups: int, *arrays: Any) -> bool:
    """Whether a convolution has the form that is computed here, and is large enough to be faster this way."""
    height, width = windows.out
    is_plain_3x3 = windows.kernel == (3, 3) and windows.stride == windows.dilation == (1, 1) and groups == 1
    return (
        is_plain_3x3
        and all(isinstance(array, np.ndarray) and array.dtype == np.float32 for array in arrays)
        and min(channels, kernels) >= LEAST_CHANNELS
        and n * height * width >= PIXELS_PER_CHANNEL * max(channels, kernels)
    )


def interpolation(points: tuple[float, ...]) -> tuple[Any, Any, Any]:
    """The maps of F(4, 3) along one axis, B.T (6, 6), G (6, 3) and A.T (4, 6), by the method of Toom and
    Cook: polynomials are multiplied by their values at these points and at infinity."""
    n = len(points) + 1
    B, G, A = np.zeros((n, n)), np.zeros((n, 3)), np.zeros((TILE, n))
    for row, point in enumerate(points):
        others = [other for other in points if other != point]
        B[row, : n - 1] = np.poly(others)[::-1]
        G[row] = point ** np.arange(3) / np.prod([point - other for other in others])
        A[:, row] = point ** np.arange(TILE)
    B[-1], G[-1, -1], A[-1, -1] = np.poly(points)[::-1], 1, 1
    return B, G, A


B, G, A = interpolation(POINTS)
GG = np.kron(G, G)
B, A = np.float32(B), np.float32(A)
BT, AT = np.ascontiguousarray(B.T), np.ascontiguousarray(A.T)


# -- convolution, its transpose, and the gradient of its kernel --------------------------------------------


def convolution(pixels: Any, weight: Any, bias: Any) -> Any:
    """Padded pictures (H, W, N, C), in whole tiles, convolved with a weight (K, C, 3, 3): the result has the
    shape (H - 2, W - 2, N, K)."""
    height, width, n, _ = pixels.shape
    U = spectrum_of(weight)
    y = np.empty((height - 2, width - 2, n, len(weight)), np.float32)
    for top in range(0, height - 2, TILE):
        rows = y[top : top + TILE]
        gather(products(spectrum(pixels[top : top + 6]), U), rows)
        rows += bias
    return y


def transposed_convolution(grads: Any, weight: Any) -> Any:
    """The adjoint of ``convolution``: (H - 2, W - 2, N, K), in whole tiles, becomes (H, W, N, C)."""
    height, width, n, _ = grads.shape
    UT = np.ascontiguousarray(spectrum_of(weight).swapaxes(1, 2))
    pixels = np.zeros((height + 2, width + 2, n, weight.shape[1]), np.float32)
    for top in range(0, height, TILE):
        overlap(products(spread(grads[top : top + TILE]), UT), pixels[top : top + 6])
    return pixels


def kernel_gradient(pixels: Any, grads: Any) -> Any:
    """The gradient (K, C, 3, 3) of the weight, from padded pictures and the gradient of the output."""
    channels, kernels = pixels.shape[3], grads.shape[3]
    dU = np.zeros((36, channels, kernels), np.float32)
    for top in range(0, len(grads), TILE):
        dU += spectrum(pixels[top : top + 6]).swapaxes(1, 2) @ spread(grads[top : top + TILE])
    return weight_of(dU)


def is_finite(y: Any) -> bool:
    """Whether a result is finite, judged by its sum, which takes a hundredth of the convolution's time: if
    the sum overflows, the result does not count as finite."""
    return bool(np.isfinite(np.sum(y)))


def padding_to_tiles(windows: Windows) -> tuple[Padding, Pair]:
    """The padding of the pictures and the height and width of the output, enlarged to a whole number of
    tiles."""
    more = [-size % TILE for size in windows.out]
    padding = tuple((before, after + m) for (before, after), m in zip(windows.padding, more))
    return padding, tuple(size + m for size, m in zip(windows.out, more))


def padded_to(grads: Any, size: Pair) -> Any:
    """The gradient of an output, padded with zeros to a height and width."""
    if grads.shape[:2] == size:
        return grads
    padded = np.zeros((*size, *grads.shape[2:]), np.float32)
    padded[: len(grads), : grads.shape[1]] = grads
    return padded


# -- a row of tiles ---------------------------------------------------------------------------------------


def spectrum_of(weight: Any) -> Any:
    """The kernel at each frequency, (36, C, K)."""
    kernels, channels = weight.shape[:2]
    flat = np.transpose(weight, (2, 3, 1, 0)).reshape(9, channels * kernels)
    return np.float32(GG @ flat).reshape(36, channels, kernels)


def weight_of(frequencies: Any) -> Any:
    """The adjoint of ``spectrum_of``: (36, C, K) becomes (K, C, 3, 3)."""
    _, channels, kernels = frequencies.shape
    flat = GG.T @ frequencies.reshape(36, channels * kernels)
    return np.float32(flat.reshape(3, 3, channels, kernels).transpose(3, 2, 0, 1))


def spectrum(pixels: Any) -> Any:
    """Six rows of pixels at each frequency, (36, tiles * N, C)."""
    _, width, n, channels = pixels.shape
    tiles = (width - 2) // TILE
    down = np.empty((6, width, n * channels), np.float32)
    across = np.empty((6, 6, tiles, n * channels), np.float32)
    along_rows(B, pixels.reshape(6, width, -1), down)
    np.matmul(B, overlapping(down), out=across.transpose(0, 2, 1, 3))
    return across.reshape(36, tiles * n, channels)


def overlap(frequencies: Any, pixels: Any) -> None:
    """The adjoint of ``spectrum``; it adds to six rows of pixels in place."""
    _, width, n, channels = pixels.shape
    across = frequencies.reshape(6, 6, -1, n * channels).transpose(0, 2, 1, 3)
    down = np.zeros((6, width, n * channels), np.float32)
    tiles, each = overlapping(down), np.matmul(BT, across)
    tiles[:, :, 2:] = each[:, :, 2:]  # the last two columns of a tile are the first two of the next
    tiles[:, :, :2] += each[:, :, :2]
    pixels += along_rows(BT, down, np.empty_like(down)).reshape(pixels.shape)


def gather(frequencies: Any, y: Any) -> None:
    """Four rows of output, written into y, from its frequencies (36, tiles * N, K)."""
    _, width, n, kernels = y.shape
    across = frequencies.reshape(6, 6, width // TILE, n * kernels).transpose(0, 2, 1, 3)
    along_rows(A, np.matmul(A, across).reshape(6, width, -1), y.reshape(TILE, width, -1))


def spread(grads: Any) -> Any:
    """The adjoint of ``gather``."""
    _, width, n, kernels = grads.shape
    down = np.empty((6, width, n * kernels), np.float32)
    across = np.empty((6, 6, width // TILE, n * kernels), np.float32)
    along_rows(AT, grads.reshape(TILE, width, -1), down)
    np.matmul(AT, down.reshape(6, width // TILE, TILE, -1), out=across.transpose(0, 2, 1, 3))
    return across.reshape(36, -1, kernels)


def along_rows(matrix: Any, rows: Any, out: Any) -> Any:
    """A matrix times rows of pixels, (rows, width, numbers): a small product for each column."""
    np.matmul(matrix, rows.transpose(1, 0, 2), out=out.transpose(1, 0, 2))
    return out


def overlapping(rows: Any) -> Any:
    """Rows of pixels as tiles six wide that begin four apart: (6, tiles, 6, numbers), a view."""
    row, column, number = rows.strides
    tiles = (rows.shape[1] - 2) // TILE
    return as_strided(rows, (6, tiles, 6, rows.shape[2]), (row, TILE * column, column, number))


def products(x: Any, matrices: Any) -> Any:
    """A product for each frequency, (36, rows, C) by (36, C, K), in parts small enough that OpenBLAS does not
    pack."""
    rows, each = x.shape[1], matrices.shape[1] * matrices.shape[2]
    parts = next((q for q in range(1, 33) if rows % q == 0 and rows // q * each <= PACKING_LIMIT), 1)
    return (x.reshape(36, parts, -1, x.shape[2]) @ matrices[:, None]).reshape(36, rows, -1)
