"""Pooling: the largest element or the mean of each window of a picture, with PyTorch's arguments.

Padding is with -inf for the largest element, and with 0 for the mean. Pooling of rows and adaptive pooling
are in ``pooling_functions.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .shaping import shape_of
from .windows import Windows, as_pictures, as_pixels, check_fits, checked_sizes

# -- max pooling ------------------------------------------------------------------------------------------


@operation
def max_pool2d(
    x: Any,
    *,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """The largest element of each window.

    If several elements are equally large, they share the gradient, as in ``ad.max``. (In PyTorch the first
    one gets it.)

    Parameters
    ----------
    x
        Pictures of shape (N, C, H, W) or (C, H, W).
    kernel_size, stride, padding, dilation
        Numbers, or pairs of them for height and width. The default stride is the kernel's size. The
        padding, with -inf, is at most half of the kernel.
    ceil_mode
        True keeps a last window that extends beyond the end.

    Raises
    ------
    TypeError, ValueError
        If a setting is not a whole number or a pair of them, or does not fit the pictures.

    Example
    -------
    >>> import autodiff as ad
    >>> x = ad.Tensor([[[1, 2, 5, 3], [4, 4, 5, 0]]])
    >>> ad.max_pool2d(x, 2).sum().backward()
    >>> x.grad
    [[[  0   0 0.5   0]
      [0.5 0.5 0.5   0]]]
    """
    windows = windows_on(x, kernel_size, stride, padding, dilation, ceil_mode)
    return shaped_like(as_pictures(largest(windows, padded_with_least(x, windows))), x)


@operation(precision="single")
def to_largest(
    y: Any,
    x: Any,
    *,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """For each window of :func:`max_pool2d`, y at the largest element of x in the window; equally large
    elements share it. Where windows overlap, the values are summed.

    >>> import autodiff as ad
    >>> to_largest([[[8.0]]], [[[3.0, 1.0], [2.0, 3.0]]], kernel_size=2)
    array([[[4., 0.],
            [0., 4.]]])
    """
    windows = windows_on(x, kernel_size, stride, padding, dilation, ceil_mode)
    pixels, share = padded_with_least(x, windows), as_pixels(as_batch(y))
    z = (np.empty if windows.are_tiles else np.zeros)(pixels.shape, np.result_type(y, x), like=x)
    for rows in windows.row_blocks(math.prod(pixels.shape[2:])):
        masks = largest_masks(windows, pixels, rows)
        each = share[rows] / count_true(masks)
        for element, mask in zip(windows.elements, masks):
            part = windows.pixels_at(z, element, rows)
            if windows.are_tiles:
                np.multiply(each, mask, out=part)
            else:
                part += each * mask
    return shaped_like(as_pictures(z, windows.padding), x)


@operation(precision="single")
def at_largest(
    y: Any,
    x: Any,
    *,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """For each window of :func:`max_pool2d`, y where x is largest: the mean if x is equally large at several
    elements.

    >>> import autodiff as ad
    >>> at_largest([[[1.0, 2.0], [4.0, 8.0]]], [[[3.0, 1.0], [2.0, 3.0]]], kernel_size=2)
    array([[[4.5]]])
    """
    windows = windows_on(x, kernel_size, stride, padding, dilation, ceil_mode)
    pixels, values = padded_with_least(x, windows), as_pixels(as_batch(y), windows.padding)
    shape = (*windows.out, *pixels.shape[2:])
    z = np.zeros(shape, np.result_type(y, x), like=x)
    for rows in windows.row_blocks(math.prod(pixels.shape[2:])):
        masks = largest_masks(windows, pixels, rows)
        for element, mask in zip(windows.elements, masks):
            z[rows] += windows.pixels_at(values, element, rows) * mask
        z[rows] /= count_true(masks)
    return shaped_like(as_pictures(z), x)


max_pool2d.backward(lambda grad, z, x, **options: to_largest(grad, x, **options))
to_largest.backward(lambda grad, z, y, x, **options: at_largest(grad, x, **options), None)
at_largest.backward(lambda grad, z, y, x, **options: to_largest(grad, x, **options), None)


def largest(windows: Windows, pixels: Any, rows: slice | None = None) -> Any:
    """The largest element of each window, in all rows of the output or in the given rows."""
    first, *others = (windows.pixels_at(pixels, element, rows) for element in windows.elements)
    z = np.copy(first)
    for part in others:
        np.maximum(z, part, out=z)
    return z


def largest_masks(windows: Windows, pixels: Any, rows: slice) -> list[Any]:
    """For each element of the kernel, a mask that is True where the largest element of the window is
    there."""
    most = largest(windows, pixels, rows)
    return [windows.pixels_at(pixels, element, rows) == most for element in windows.elements]


def count_true(masks: list[Any]) -> Any:
    """The number of masks that are True, elementwise."""
    small = np.uint8 if len(masks) < 256 else np.uint32
    return sum(mask.astype(small) for mask in masks)


def padded_with_least(x: Any, windows: Windows) -> Any:
    """The pictures as (H, W, N, C), padded with the least value of their dtype."""
    kind = x.dtype.kind
    least = -np.inf if kind == "f" else False if kind == "b" else np.iinfo(x.dtype).min
    return as_pixels(as_batch(x), windows.padding, least)


# -- average pooling --------------------------------------------------------------------------------------


@operation(kind="linear", precision="floats")
def avg_pool2d(
    x: Any,
    *,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """The mean of each window.

    Parameters
    ----------
    x, kernel_size, stride, padding, ceil_mode
        As for :func:`max_pool2d`; the padding is with zeros.
    count_include_pad
        False divides by the number of elements inside the picture, without the padding.
    divisor_override
        The number that the sum of every window is divided by instead.

    Raises
    ------
    TypeError, ValueError
        If a setting is not a whole number or a pair of them, or does not fit the pictures.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.avg_pool2d(ad.Tensor([[[1, 2, 5, 3], [4, 4, 5, 0]]]), 2)
    [[[2.75 3.25]]]
    """
    windows = windows_on(x, kernel_size, stride, padding, 1, ceil_mode)
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(float)
    pixels = as_pixels(as_batch(x), windows.padding)
    z = np.zeros((*windows.out, *pixels.shape[2:]), dtype, like=x)
    for element in windows.elements:
        z += windows.pixels_at(pixels, element)
    z /= divisors(windows, padding, count_include_pad, divisor_override).astype(dtype)
    return shaped_like(as_pictures(z), x)


@operation(kind="linear", precision="floats")
def spread_mean(
    y: Any,
    *,
    size: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """For each window of :func:`avg_pool2d` on pictures of this size, the element of y divided among the
    pixels of the window: the adjoint of avg_pool2d.

    >>> import autodiff as ad
    >>> spread_mean([[[4.0, 8.0]]], size=(2, 4), kernel_size=2)
    array([[[1., 1., 2., 2.],
            [1., 1., 2., 2.]]])
    """
    windows = checked_windows(size, kernel_size, stride, padding, 1, ceil_mode)
    share = as_pixels(as_batch(y))
    share = share / divisors(windows, padding, count_include_pad, divisor_override).astype(y.dtype)
    z = np.zeros((*windows.padded_size, *share.shape[2:]), share.dtype, like=y)
    for element in windows.elements:
        part = windows.pixels_at(z, element)
        part += share
    return shaped_like(as_pictures(z, windows.padding), y)


avg_pool2d.backward(lambda grad, z, x, **options: spread_mean(grad, size=shape_of(x)[-2:], **options))
spread_mean.backward(lambda grad, z, y, size, **options: avg_pool2d(grad, **options))


def divisors(windows: Windows, padding: Any, count_include_pad: bool, override: int | None) -> Any:
    """The divisor of the sum of each window, as an array that broadcasts against (H, W, N, C)."""
    if override is not None:
        (number,) = checked_sizes(override, "divisor_override", count=1)
        return np.full((1, 1, 1, 1), number)
    counts = []
    sizes = zip(
        windows.size, checked_sizes(padding, "padding", least=0), windows.kernel, windows.stride, windows.out
    )
    for size, pad, kernel, stride, out in sizes:
        outside = pad if count_include_pad else 0
        start = np.arange(out) * stride - pad
        counts.append(np.minimum(start + kernel, size + outside) - np.maximum(start, -outside))
    return np.multiply.outer(*counts)[:, :, None, None]


# -- the arguments ----------------------------------------------------------------------------------------


def windows_on(x: Any, *settings: Any) -> Windows:
    """The windows on pictures. Raises TypeError or ValueError unless x and the settings fit."""
    if np.ndim(x) not in (3, 4):
        raise ValueError(f"pictures must have the shape (N, C, H, W) or (C, H, W), not {np.shape(x)}")
    return checked_windows(x.shape[-2:], *settings)


def checked_windows(
    size: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Windows:
    """The windows on pictures of a size. Raises TypeError or ValueError for settings that do not fit."""
    kernel = checked_sizes(kernel_size, "kernel_size")
    steps = kernel if stride is None else checked_sizes(stride, "stride")
    apart, ends = checked_sizes(dilation, "dilation"), checked_sizes(padding, "padding", least=0)
    reach = tuple((k - 1) * d + 1 for k, d in zip(kernel, apart))
    if any(2 * p > r for p, r in zip(ends, reach)):
        raise ValueError(f"padding {ends} must be at most half of the kernel, which spans {reach}")
    pads = []
    for n, p, s, r in zip(size, ends, steps, reach):
        room = n + 2 * p - r
        over = -room % s if ceil_mode else 0  # pixels by which a last window extends beyond the end
        begins_inside = room + over < n + p
        pads.append((p, p + over if begins_inside else p))
    windows = Windows(kernel, steps, apart, tuple(pads), tuple(size))
    check_fits(windows)
    return windows


def as_batch(x: Any) -> Any:
    """A batch of pictures; a single picture becomes a batch of one."""
    return x if x.ndim == 4 else x[None]


def shaped_like(z: Any, x: Any) -> Any:
    """A batch of pictures, or a single picture if x is one."""
    return z if x.ndim == 4 else z[0]
