"""Convolution, its transpose, and the gradient of its kernel: three operations, each linear in both of its
arrays, whose rules are each other. conv1d, conv2d and their transposes, which give them PyTorch's arguments,
stand in ``convolution_functions.py``; how a kernel lies on a picture stands in ``windows.py``.

As everywhere in deep learning the kernel is not turned round: what is called convolution here is
cross-correlation in mathematics.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..engine.operation import operation
from .reductions import sum as total
from .shaping import shape_of
from .windows import Frame, Pair, Windows, as_pictures, as_pixels

try:
    from . import winograd
except ImportError:  # that file stands there for speed alone
    winograd = None  # type: ignore[assignment]

FEW = 8
"""With fewer channels than this, all that a window meets is copied together: else the products are thin."""

UNPACKED = 1_000_000
"""OpenBLAS multiplies without copying its operands first while rows * inner * columns stays below this, and
is then up to twice as fast."""

NO_FRAME: Frame = ((0, 0), (0, 0))


# -- the operations ---------------------------------------------------------------------------------------


@operation
def convolution(
    x: Any,
    weight: Any,
    bias: Any,
    *,
    stride: Pair = (1, 1),
    frame: Frame = NO_FRAME,
    dilation: Pair = (1, 1),
    groups: int = 1,
    exact: bool = False,
) -> Any:
    """Each output is the sum of what a window of the pictures holds, weighted by the kernel, plus a bias: one
    matrix product for each element of the kernel.

    x is (N, C, H, W), weight (K, C / groups, height, width), bias (K,) or one number for all. See
    :func:`conv2d`.

    >>> import autodiff as ad
    >>> convolution(ad.Tensor([[[[1, 2, 3], [4, 5, 6]]]]), [[[[1, 10]]]], 0)
    [[[[21 32]
       [54 65]]]]
    """
    windows = Windows(weight.shape[2:], stride, dilation, frame, x.shape[2:])
    if is_fast(windows, len(x), *weight.shape[1::-1], groups, exact, x, weight):
        return fast_convolution(windows, x, weight, bias)
    few = is_thin(weight.shape[1], windows.kernel, groups)
    pixels, matrices = framed(x, frame, few), matrices_of(weight, groups, few)
    y = np.empty((*windows.out, len(x), len(weight)), np.result_type(x, weight, bias))
    for rows in windows.blocks(len(x) * max(len(weight), matrices.shape[2]), times=4 if few else 1):
        first, *others = zip(all_met(windows, pixels, rows, few), matrices)
        multiply(*first, out=y[rows])
        spare = np.empty_like(y[rows])
        for met, matrix in others:
            y[rows] += multiply(met, matrix, out=spare)
        if np.any(bias):
            y[rows] += bias
    return as_pictures(y)


@operation
def transposed_convolution(
    x: Any,
    weight: Any,
    bias: Any,
    *,
    size: Pair,
    stride: Pair = (1, 1),
    frame: Frame = NO_FRAME,
    dilation: Pair = (1, 1),
    groups: int = 1,
    exact: bool = False,
) -> Any:
    """Each element of x adds the kernel, times itself, to pictures of this size: the adjoint of
    :func:`convolution` on such pictures. See :func:`conv_transpose2d`.

    >>> import autodiff as ad
    >>> transposed_convolution(ad.Tensor([[[[1, 2]]]]), [[[[1, 10]]]], 0, size=(1, 3))
    [[[[ 1 12 20]]]]
    """
    windows = Windows(weight.shape[2:], stride, dilation, frame, size)
    if is_fast(windows, len(x), *weight.shape[1::-1], groups, exact, x, weight):
        return fast_transposed_convolution(windows, x, weight, bias)
    pixels, matrices = as_pixels(x), matrices_of(weight, groups).swapaxes(2, 3)
    channels = groups * weight.shape[1]
    y = np.zeros((*windows.framed, len(x), channels), np.result_type(x, weight, bias))
    if np.any(bias):
        y += bias
    for rows in windows.blocks(len(x) * channels):
        spare = np.empty((*pixels[rows].shape[:3], channels), y.dtype)
        for element, matrix in zip(windows.elements, matrices):
            met = windows.met(y, element, rows)
            met += multiply(pixels[rows], matrix, out=spare)
    return as_pictures(y, frame)


@operation(kind="multilinear")
def kernel_gradient(
    x: Any,
    y: Any,
    *,
    size: Pair,
    stride: Pair = (1, 1),
    frame: Frame = NO_FRAME,
    dilation: Pair = (1, 1),
    groups: int = 1,
    exact: bool = False,
) -> Any:
    """What each weight of a kernel of this size met in the pictures x, summed over all windows with the
    weights y: for y the gradient of a convolution's output, the gradient of its kernel.

    >>> import autodiff as ad
    >>> kernel_gradient(ad.Tensor([[[[1, 2, 3]]]]), [[[[1, 10]]]], size=(1, 2))
    [[[[21 32]]]]
    """
    windows = Windows(size, stride, dilation, frame, x.shape[2:])
    if is_fast(windows, len(x), x.shape[1], y.shape[1], groups, exact, x, y):
        return fast_kernel_gradient(windows, x, y)
    few = is_thin(x.shape[1], size, groups)
    pixels, grads = framed(x, frame, few), as_pixels(y)
    shape = (*size, groups, x.shape[1] // groups, y.shape[1] // groups)
    matrices = np.zeros(joined(shape, few), np.result_type(x, y))
    for rows in windows.blocks(len(x) * max(y.shape[1], matrices.shape[2]), times=4 if few else 1):
        for met, matrix in zip(all_met(windows, pixels, rows, few), matrices):
            matrix += product_of_all(met, grads[rows], groups)
    weight = np.transpose(matrices.reshape(shape), (2, 4, 3, 0, 1))
    return weight.reshape(y.shape[1], x.shape[1] // groups, *size)


convolution.backward(
    lambda grad, z, x, weight, bias, **how: transposed_convolution(
        grad, weight, 0, size=shape_of(x)[2:], **how
    ),
    lambda grad, z, x, weight, bias, **how: kernel_gradient(x, grad, size=shape_of(weight)[2:], **how),
    lambda grad, z, x, weight, bias, **how: total(grad, axis=(0, 2, 3)),
)
transposed_convolution.backward(
    lambda grad, z, x, weight, bias, size, **how: convolution(grad, weight, 0, **how),
    lambda grad, z, x, weight, bias, size, **how: kernel_gradient(grad, x, size=shape_of(weight)[2:], **how),
    lambda grad, z, x, weight, bias, size, **how: total(grad, axis=(0, 2, 3)),
)
kernel_gradient.backward(
    lambda grad, z, x, y, size, **how: transposed_convolution(y, grad, 0, size=shape_of(x)[2:], **how),
    lambda grad, z, x, y, size, **how: convolution(x, grad, 0, **how),
)


# -- on arrays --------------------------------------------------------------------------------------------


def is_thin(channels: int, kernel: Pair, groups: int) -> bool:
    """Whether what a window meets is copied together, so that the products are not thin."""
    return groups == 1 and channels < FEW and tuple(kernel) != (1, 1)


def framed(x: Any, frame: Frame, few: bool) -> Any:
    """Pictures as (H, W, N, C) with their frame; of few channels each lies by itself in memory."""
    pixels = as_pixels(x, frame)
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(pixels, -1, 0)), 0, -1) if few else pixels


def matrices_of(weight: Any, groups: int, few: bool = False) -> Any:
    """A kernel (K, C, height, width) as a matrix (C, K) for each element and each group; the matrices of all
    elements are one for few channels."""
    each = np.reshape(weight, (groups, -1, *weight.shape[1:]) if groups > 1 else (1, *weight.shape))
    each = np.transpose(each, (3, 4, 0, 2, 1))
    return np.ascontiguousarray(each).reshape(joined(each.shape, few))


def joined(shape: tuple[int, ...], few: bool) -> tuple[int, ...]:
    """The shape (elements, groups, C, K) of a kernel's matrices."""
    height, width, groups, channels, kernels = shape
    if few:
        return 1, 1, height * width * channels, kernels
    return height * width, groups, channels, kernels


def all_met(windows: Windows, x: Any, rows: slice, few: bool) -> list[Any]:
    """For each element of the kernel the pixels it meets; of few channels, copied together as more of
    them."""
    met = [windows.met(x, element, rows) for element in windows.elements]
    if not few:
        return met
    *places, channels = met[0].shape
    together = np.empty((len(met), channels, *places), x.dtype)
    for copy, pixels in zip(together, met):
        copy[...] = np.moveaxis(pixels, -1, 0)
    return [np.moveaxis(together.reshape(len(met) * channels, *places), 0, -1)]


def multiply(x: Any, matrices: Any, out: Any) -> Any:
    """Pixels (rows, columns, N, C) times a matrix for each group, (groups, C / groups, K / groups)."""
    groups, channels, kernels = matrices.shape
    if groups == 1:
        pieces = in_pieces(x, kernels)
        np.matmul(pieces, matrices[0], out=out.reshape(*pieces.shape[:3], kernels))
    elif channels == kernels == 1:
        np.multiply(x, matrices.reshape(-1), out=out)
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
        return (pieces.swapaxes(2, 3) @ y.reshape(*pieces.shape[:3], y.shape[3])).sum((0, 1))
    if groups == x.shape[3] == y.shape[3]:
        return np.einsum("rqnc,rqnc->c", x, y)[:, None, None]
    pairs = zip(np.split(x, groups, axis=-1), np.split(y, groups, axis=-1))
    return np.stack([product_of_all(part, other, 1) for part, other in pairs])


def in_pieces(x: Any, kernels: int) -> Any:
    """Pixels (rows, columns, N, C) as matrices of more rows, (rows, parts, columns / parts * N, C)."""
    rows, columns, n, channels = x.shape
    together = columns_together(columns, n, channels * kernels)
    return x.reshape(rows, columns // together, together * n, channels)


@lru_cache
def columns_together(columns: int, n: int, products: int) -> int:
    """How many columns of pixels make matrices as tall as OpenBLAS takes them without packing: a divisor of
    the number of columns."""
    most = UNPACKED // max(1, products)
    fit = (d for d in range(columns, 0, -1) if columns % d == 0 and 32 <= d * n <= most)
    return next(fit, columns)


# -- by a shortcut ----------------------------------------------------------------------------------------


def is_fast(
    windows: Windows, n: int, channels: int, kernels: int, groups: int, exact: bool, *arrays: Any
) -> bool:
    """Whether Winograd's shortcut is taken."""
    return (
        not exact and winograd is not None and winograd.suits(windows, n, channels, kernels, groups, *arrays)
    )


def fast_convolution(windows: Windows, x: Any, weight: Any, bias: Any) -> Any:
    """:func:`convolution` by the shortcut."""
    height, width = windows.out
    pixels = as_pixels(x, winograd.whole_tiles(windows)[0])
    return as_pictures(winograd.convolution(pixels, weight, bias)[:height, :width])


def fast_transposed_convolution(windows: Windows, x: Any, weight: Any, bias: Any) -> Any:
    """:func:`transposed_convolution` by the shortcut."""
    frame, size = winograd.whole_tiles(windows)
    y = as_pictures(
        winograd.transposed_convolution(winograd.in_whole_tiles(as_pixels(x), size), weight), frame
    )
    return y + np.reshape(bias, (-1, 1, 1)) if np.any(bias) else y


def fast_kernel_gradient(windows: Windows, x: Any, y: Any) -> Any:
    """:func:`kernel_gradient` by the shortcut."""
    frame, size = winograd.whole_tiles(windows)
    return winograd.kernel_gradient(as_pixels(x, frame), winograd.in_whole_tiles(as_pixels(y), size))
