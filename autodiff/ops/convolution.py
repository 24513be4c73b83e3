"""Convolution, its transpose, and the gradient of its kernel: three operations, each linear in both of its
arrays. The rules of each use the other two.

``convolution_functions.py`` has conv1d, conv2d and their transposes, with PyTorch's arguments. ``windows.py``
computes which pixels each window covers, and ``pixels.py`` multiplies pixels by kernels.

As usual in deep learning, the kernel is not flipped: mathematicians call this operation cross-correlation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.operation import operation
from .pixels import (
    kernel_matrices,
    matrices_shape,
    multiply,
    padded_pixels,
    pixels_per_element,
    row_blocks,
    stacks_elements,
    summed_products,
)
from .reductions import sum as total
from .shaping import shape_of
from .windows import Padding, Pair, Windows, as_pictures, as_pixels

try:
    from . import winograd
except ImportError:  # winograd.py can be deleted: it only makes convolution faster
    winograd = None  # type: ignore[assignment]
try:
    from . import depthwise
except ImportError:  # depthwise.py can be deleted, too
    depthwise = None  # type: ignore[assignment]

NO_PADDING: Padding = ((0, 0), (0, 0))


# -- the operations ---------------------------------------------------------------------------------------


@operation(precision="single")
def convolution(
    x: Any,
    weight: Any,
    bias: Any,
    *,
    stride: Pair = (1, 1),
    padding: Padding = NO_PADDING,
    dilation: Pair = (1, 1),
    groups: int = 1,
    exact: bool = False,
) -> Any:
    """Each output is the sum of the pixels in a window, weighted by the kernel, plus a bias: one matrix
    product for each element of the kernel.

    x is (N, C, H, W), weight (K, C / groups, height, width), bias (K,) or one number for all. ``padding`` is
    the number of zeros before and after, for each axis. See :func:`conv2d`.

    >>> import autodiff as ad
    >>> convolution(ad.Tensor([[[[1, 2, 3], [4, 5, 6]]]]), [[[[1, 10]]]], 0)
    [[[[21 32]
       [54 65]]]]
    """
    windows = Windows(weight.shape[2:], stride, dilation, padding, x.shape[2:])
    if uses_winograd(windows, len(x), *weight.shape[1::-1], groups, exact, x, weight):
        y = winograd_convolution(windows, x, weight, bias)
        if winograd.is_finite(y):
            return y
    if uses_depthwise(windows, *weight.shape[1::-1], groups, x, weight, bias):
        return depthwise.convolution(windows, x, weight, bias)
    is_stacked = stacks_elements(weight.shape[1], windows, groups)
    pixels, matrices = padded_pixels(x, padding, is_stacked), kernel_matrices(weight, groups, is_stacked)
    shape, dtype = (*windows.out, len(x), len(weight)), np.result_type(x, weight, bias)
    y = np.empty(shape, dtype, like=x)
    for rows in row_blocks(windows, len(x), matrices):
        first, *others = zip(pixels_per_element(windows, pixels, rows, is_stacked), matrices)
        multiply(*first, out=y[rows])
        spare = np.empty_like(y[rows])
        for part, matrix in others:
            y[rows] += multiply(part, matrix, out=spare)
        if has_bias(bias):
            y[rows] += bias
    return as_pictures(y)


@operation(precision="single")
def transposed_convolution(
    x: Any,
    weight: Any,
    bias: Any,
    *,
    size: Pair,
    stride: Pair = (1, 1),
    padding: Padding = NO_PADDING,
    dilation: Pair = (1, 1),
    groups: int = 1,
    exact: bool = False,
) -> Any:
    """Each element of x adds a multiple of the kernel to pictures of this height and width: the adjoint of
    :func:`convolution` on such pictures. See :func:`conv_transpose2d`.

    >>> import autodiff as ad
    >>> transposed_convolution(ad.Tensor([[[[1, 2]]]]), [[[[1, 10]]]], 0, size=(1, 3))
    [[[[ 1 12 20]]]]
    """
    windows = Windows(weight.shape[2:], stride, dilation, padding, size)
    if uses_winograd(windows, len(x), *weight.shape[1::-1], groups, exact, x, weight):
        y = winograd_transposed_convolution(windows, x, weight, bias)
        if winograd.is_finite(y):
            return y
    if uses_depthwise(windows, *weight.shape[1::-1], groups, x, weight, bias):
        return depthwise.transposed_convolution(windows, x, weight, bias)
    pixels, matrices = as_pixels(x), np.swapaxes(kernel_matrices(weight, groups), 2, 3)
    channels = groups * weight.shape[1]
    shape, dtype = (*windows.padded_size, len(x), channels), np.result_type(x, weight, bias)
    y = np.zeros(shape, dtype, like=x)
    if has_bias(bias):
        y += bias
    for rows in row_blocks(windows, len(x), matrices):
        spare = np.empty_like(y, shape=(*pixels[rows].shape[:3], channels))
        for element, matrix in zip(windows.elements, matrices):
            part = windows.pixels_at(y, element, rows)
            part += multiply(pixels[rows], matrix, out=spare)
    return as_pictures(y, padding)


@operation(kind="multilinear", precision="single")
def kernel_gradient(
    x: Any,
    y: Any,
    *,
    size: Pair,
    stride: Pair = (1, 1),
    padding: Padding = NO_PADDING,
    dilation: Pair = (1, 1),
    groups: int = 1,
    exact: bool = False,
) -> Any:
    """For each element of a kernel of shape ``size``, the sum over all windows of the pixel there times the
    window's element of y. If y is the gradient of a convolution's output, this is the gradient of its kernel.

    >>> import autodiff as ad
    >>> kernel_gradient(ad.Tensor([[[[1, 2, 3]]]]), [[[[1, 10]]]], size=(1, 2))
    [[[[21 32]]]]
    """
    windows = Windows(size, stride, dilation, padding, x.shape[2:])
    if uses_winograd(windows, len(x), x.shape[1], y.shape[1], groups, exact, x, y):
        weight = winograd_kernel_gradient(windows, x, y)
        if winograd.is_finite(weight):
            return weight
    if uses_depthwise(windows, x.shape[1] // groups, y.shape[1], groups, x, y):
        return depthwise.kernel_gradient(windows, x, y)
    is_stacked = stacks_elements(x.shape[1], windows, groups)
    pixels, grads = padded_pixels(x, padding, is_stacked), as_pixels(y)
    shape = (*size, groups, x.shape[1] // groups, y.shape[1] // groups)
    matrices = np.zeros(matrices_shape(shape, is_stacked), np.result_type(x, y), like=x)
    for rows in row_blocks(windows, len(x), matrices):
        for part, matrix in zip(pixels_per_element(windows, pixels, rows, is_stacked), matrices):
            matrix += summed_products(part, grads[rows], groups)
    weight = np.transpose(np.reshape(matrices, shape), (2, 4, 3, 0, 1))
    return np.reshape(weight, (y.shape[1], x.shape[1] // groups, *size))


convolution.backward(
    lambda grad, z, x, weight, bias, **options: transposed_convolution(
        grad, weight, 0, size=shape_of(x)[2:], **options
    ),
    lambda grad, z, x, weight, bias, **options: kernel_gradient(
        x, grad, size=shape_of(weight)[2:], **options
    ),
    lambda grad, z, x, weight, bias, **options: total(grad, axis=(0, 2, 3)),
)
transposed_convolution.backward(
    lambda grad, z, x, weight, bias, size, **options: convolution(grad, weight, 0, **options),
    lambda grad, z, x, weight, bias, size, **options: kernel_gradient(
        grad, x, size=shape_of(weight)[2:], **options
    ),
    lambda grad, z, x, weight, bias, size, **options: total(grad, axis=(0, 2, 3)),
)
kernel_gradient.backward(
    lambda grad, z, x, y, size, **options: transposed_convolution(
        y, grad, 0, size=shape_of(x)[2:], **options
    ),
    lambda grad, z, x, y, size, **options: convolution(x, grad, 0, **options),
)


def has_bias(bias: Any) -> bool:
    """Whether there is a bias. The Python number 0 means that there is none."""
    return not (isinstance(bias, int) and bias == 0)


# -- faster forms -----------------------------------------------------------------------------------------


def uses_depthwise(windows: Windows, channels: int, kernels: int, groups: int, *arrays: Any) -> bool:
    """Whether ``depthwise.py`` computes this convolution."""
    return depthwise is not None and depthwise.is_applicable(windows, channels, kernels, groups, *arrays)


# -- with Winograd's algorithm ----------------------------------------------------------------------------


def uses_winograd(
    windows: Windows, n: int, channels: int, kernels: int, groups: int, exact: bool, *arrays: Any
) -> bool:
    """Whether Winograd's algorithm computes this convolution."""
    return (
        not exact
        and winograd is not None
        and winograd.is_applicable(windows, n, channels, kernels, groups, *arrays)
    )


def winograd_convolution(windows: Windows, x: Any, weight: Any, bias: Any) -> Any:
    """:func:`convolution` with Winograd's algorithm."""
    height, width = windows.out
    pixels = as_pixels(x, winograd.padding_to_tiles(windows)[0])
    return as_pictures(winograd.convolution(pixels, weight, bias)[:height, :width])


def winograd_transposed_convolution(windows: Windows, x: Any, weight: Any, bias: Any) -> Any:
    """:func:`transposed_convolution` with Winograd's algorithm."""
    padding, size = winograd.padding_to_tiles(windows)
    y = as_pictures(winograd.transposed_convolution(winograd.padded_to(as_pixels(x), size), weight), padding)
    return y + np.reshape(bias, (-1, 1, 1)) if has_bias(bias) else y


def winograd_kernel_gradient(windows: Windows, x: Any, y: Any) -> Any:
    """:func:`kernel_gradient` with Winograd's algorithm."""
    padding, size = winograd.padding_to_tiles(windows)
    return winograd.kernel_gradient(as_pixels(x, padding), winograd.padded_to(as_pixels(y), size))
