"""Convolution, its transpose, and the gradient of its kernel: three operations, each linear in both of its
arrays, whose rules are each other. conv1d, conv2d and their transposes, which give them PyTorch's arguments,
stand in ``convolution_functions.py``; how a kernel lies on a picture stands in ``windows.py``, and the
products of pixels and kernels in ``pixels.py``.

As everywhere in deep learning the kernel is not turned round: what is called convolution here is
cross-correlation in mathematics.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.operation import operation
from .pixels import all_met, blocks, framed, has_few_channels, joined, matrices_of, multiply, product_of_all
from .reductions import sum as total
from .shaping import shape_of
from .windows import Frame, Pair, Windows, as_pictures, as_pixels

try:
    from . import winograd
except ImportError:  # that file stands there for speed alone
    winograd = None  # type: ignore[assignment]

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
    few = has_few_channels(weight.shape[1], windows, groups)
    pixels, matrices = framed(x, frame, few), matrices_of(weight, groups, few)
    shape, dtype = (*windows.out, len(x), len(weight)), np.result_type(x, weight, bias)
    y = np.empty(shape, dtype, like=x)
    for rows in blocks(windows, len(x), matrices):
        first, *others = zip(all_met(windows, pixels, rows, few), matrices)  # for each element of the kernel
        multiply(*first, out=y[rows])
        spare = np.empty_like(y[rows])
        for met, matrix in others:
            y[rows] += multiply(met, matrix, out=spare)
        if not is_none(bias):
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
    pixels, matrices = as_pixels(x), np.swapaxes(matrices_of(weight, groups), 2, 3)
    channels = groups * weight.shape[1]
    shape, dtype = (*windows.framed, len(x), channels), np.result_type(x, weight, bias)
    y = np.zeros(shape, dtype, like=x)
    if not is_none(bias):
        y += bias
    for rows in blocks(windows, len(x), matrices):
        spare = np.empty_like(y, shape=(*pixels[rows].shape[:3], channels))
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
    few = has_few_channels(x.shape[1], windows, groups)
    pixels, grads = framed(x, frame, few), as_pixels(y)
    shape = (*size, groups, x.shape[1] // groups, y.shape[1] // groups)
    matrices = np.zeros(joined(shape, few), np.result_type(x, y), like=x)
    for rows in blocks(windows, len(x), matrices):
        for met, matrix in zip(all_met(windows, pixels, rows, few), matrices):
            matrix += product_of_all(met, grads[rows], groups)
    weight = np.transpose(np.reshape(matrices, shape), (2, 4, 3, 0, 1))
    return np.reshape(weight, (y.shape[1], x.shape[1] // groups, *size))


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


def is_none(bias: Any) -> bool:
    """Whether there is no bias: 0 stands for that, as a Python number."""
    return isinstance(bias, int) and bias == 0


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
    return y if is_none(bias) else y + np.reshape(bias, (-1, 1, 1))


def fast_kernel_gradient(windows: Windows, x: Any, y: Any) -> Any:
    """:func:`kernel_gradient` by the shortcut."""
    frame, size = winograd.whole_tiles(windows)
    return winograd.kernel_gradient(as_pixels(x, frame), winograd.in_whole_tiles(as_pixels(y), size))
