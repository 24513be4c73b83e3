"""Pooling: of each window of a picture the largest element, or the mean. With PyTorch's arguments.

A frame around the picture holds -inf for the largest, and 0 for the mean. What is made of these operations,
pools of rows and adaptive ones, stands in ``pooling_functions.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .shaping import shape_of
from .windows import Windows, as_pictures, as_pixels, check_fits, checked_sizes

# -- the largest ------------------------------------------------------------------------------------------


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

    Where several are the largest they share the gradient, as in ``ad.max``. (In PyTorch the first has it.)

    Parameters
    ----------
    x
        Pictures of shape (N, C, H, W) or (C, H, W).
    kernel_size, stride, padding, dilation
        Numbers, or pairs of them for height and width. The stride is the kernel's size unless told; the
        padding, with -inf, is at most half of the kernel.
    ceil_mode
        True keeps a last window that reaches over the end.

    Raises
    ------
    TypeError, ValueError
        If a setting is no whole number or a pair of them, or does not fit the pictures.

    Example
    -------
    >>> import autodiff as ad
    >>> x = ad.Tensor([[[1, 2, 5, 3], [4, 4, 5, 0]]])
    >>> ad.max_pool2d(x, 2).sum().backward()
    >>> x.grad
    [[[  0   0 0.5   0]
      [0.5 0.5 0.5   0]]]
    """
    windows = pooled(x, kernel_size, stride, padding, dilation, ceil_mode)
    return like(as_pictures(largest(windows, framed_by_least(x, windows))), x)


@operation
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
    """A number for each window of :func:`max_pool2d`, given to the element of x that is the largest there;
    several share it.

    >>> import autodiff as ad
    >>> to_largest([[[8.0]]], [[[3.0, 1.0], [2.0, 3.0]]], kernel_size=2)
    array([[[4., 0.],
            [0., 4.]]])
    """
    windows = pooled(x, kernel_size, stride, padding, dilation, ceil_mode)
    pixels, share = framed_by_least(x, windows), as_pixels(batch(y))
    z = (np.empty if windows.are_tiles else np.zeros)(pixels.shape, np.result_type(y, x), like=x)
    for rows in windows.blocks(math.prod(pixels.shape[2:])):
        won = winners(windows, pixels, rows)
        each = share[rows] / count_of(won)
        for element, mask in zip(windows.elements, won):
            met = windows.met(z, element, rows)
            if windows.are_tiles:
                np.multiply(each, mask, out=met)
            else:
                met += each * mask
    return like(as_pictures(z, windows.frame), x)


@operation
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
    """What y holds where x is the largest of each window of :func:`max_pool2d`; of several places the mean.

    >>> import autodiff as ad
    >>> at_largest([[[1.0, 2.0], [4.0, 8.0]]], [[[3.0, 1.0], [2.0, 3.0]]], kernel_size=2)
    array([[[4.5]]])
    """
    windows = pooled(x, kernel_size, stride, padding, dilation, ceil_mode)
    pixels, values = framed_by_least(x, windows), as_pixels(batch(y), windows.frame)
    shape = (*windows.out, *pixels.shape[2:])
    z = np.zeros(shape, np.result_type(y, x), like=x)
    for rows in windows.blocks(math.prod(pixels.shape[2:])):
        won = winners(windows, pixels, rows)
        for element, mask in zip(windows.elements, won):
            z[rows] += windows.met(values, element, rows) * mask
        z[rows] /= count_of(won)
    return like(as_pictures(z), x)


max_pool2d.backward(lambda grad, z, x, **how: to_largest(grad, x, **how))
to_largest.backward(lambda grad, z, y, x, **how: at_largest(grad, x, **how), None)
at_largest.backward(lambda grad, z, y, x, **how: to_largest(grad, x, **how), None)


def largest(windows: Windows, pixels: Any, rows: slice | None = None) -> Any:
    """The largest element of each window, in all rows of the output or in some."""
    first, *others = (windows.met(pixels, element, rows) for element in windows.elements)
    z = np.copy(first)
    for met in others:
        np.maximum(z, met, out=z)
    return z


def winners(windows: Windows, pixels: Any, rows: slice) -> list[Any]:
    """For each element of the kernel, where it meets the largest element of its window."""
    most = largest(windows, pixels, rows)
    return [windows.met(pixels, element, rows) == most for element in windows.elements]


def count_of(masks: list[Any]) -> Any:
    """How many of the masks are true, place by place."""
    small = np.uint8 if len(masks) < 256 else np.uint32
    return sum(mask.astype(small) for mask in masks)


def framed_by_least(x: Any, windows: Windows) -> Any:
    """The pictures as (H, W, N, C), in a frame that never wins."""
    kind = x.dtype.kind
    least = -np.inf if kind == "f" else False if kind == "b" else np.iinfo(x.dtype).min
    return as_pixels(batch(x), windows.frame, least)


# -- the mean ---------------------------------------------------------------------------------------------


@operation(kind="linear")
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
        As for :func:`max_pool2d`; the padding holds zeros.
    count_include_pad
        False divides by the number of elements that belong to the picture, without the padding.
    divisor_override
        What the sum of every window is divided by instead.

    Raises
    ------
    TypeError, ValueError
        If a setting is no whole number or a pair of them, or does not fit the pictures.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.avg_pool2d(ad.Tensor([[[1, 2, 5, 3], [4, 4, 5, 0]]]), 2)
    [[[2.75 3.25]]]
    """
    windows = pooled(x, kernel_size, stride, padding, 1, ceil_mode)
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(float)
    pixels = as_pixels(batch(x), windows.frame)
    z = np.zeros((*windows.out, *pixels.shape[2:]), dtype, like=x)
    for element in windows.elements:
        z += windows.met(pixels, element)
    z /= divisors(windows, padding, count_include_pad, divisor_override).astype(dtype)
    return like(as_pictures(z), x)


@operation(kind="linear")
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
    """A number for each window of :func:`avg_pool2d` on pictures of this size, shared among its elements: the
    adjoint.

    >>> import autodiff as ad
    >>> spread_mean([[[4.0, 8.0]]], size=(2, 4), kernel_size=2)
    array([[[1., 1., 2., 2.],
            [1., 1., 2., 2.]]])
    """
    windows = windows_of(size, kernel_size, stride, padding, 1, ceil_mode)
    share = as_pixels(batch(y))
    share = share / divisors(windows, padding, count_include_pad, divisor_override).astype(y.dtype)
    z = np.zeros((*windows.framed, *share.shape[2:]), share.dtype, like=y)
    for element in windows.elements:
        met = windows.met(z, element)
        met += share
    return like(as_pictures(z, windows.frame), y)


avg_pool2d.backward(lambda grad, z, x, **how: spread_mean(grad, size=shape_of(x)[-2:], **how))
spread_mean.backward(lambda grad, z, y, size, **how: avg_pool2d(grad, **how))


def divisors(windows: Windows, padding: Any, count_include_pad: bool, override: int | None) -> Any:
    """By what the sum of each window is divided, as an array that broadcasts against (H, W, N, C)."""
    if override is not None:
        (number,) = checked_sizes(override, "divisor_override", count=1)
        return np.full((1, 1, 1, 1), number)
    counts = []
    ends = zip(
        windows.size, checked_sizes(padding, "padding", least=0), windows.kernel, windows.stride, windows.out
    )
    for size, frame, kernel, stride, out in ends:
        outside = frame if count_include_pad else 0
        start = np.arange(out) * stride - frame
        counts.append(np.minimum(start + kernel, size + outside) - np.maximum(start, -outside))
    return np.multiply.outer(*counts)[:, :, None, None]


# -- what is given ----------------------------------------------------------------------------------------


def pooled(x: Any, *settings: Any) -> Windows:
    """The windows on pictures. Raises ValueError if x is none."""
    if np.ndim(x) not in (3, 4):
        raise ValueError(f"pictures have the shape (N, C, H, W) or (C, H, W), not {np.shape(x)}")
    return windows_of(x.shape[-2:], *settings)


def windows_of(
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
        raise ValueError(f"padding {ends} is more than half of the kernel, which spans {reach}")
    frame = []
    for n, p, s, r in zip(size, ends, steps, reach):
        room = n + 2 * p - r
        over = -room % s if ceil_mode else 0  # pixels that a last window reaches over the end
        begins_inside = room + over < n + p
        frame.append((p, p + over if begins_inside else p))
    windows = Windows(kernel, steps, apart, tuple(frame), tuple(size))
    check_fits(windows)
    return windows


def batch(x: Any) -> Any:
    """Pictures as a batch, if it is a single one."""
    return x if x.ndim == 4 else x[None]


def like(z: Any, x: Any) -> Any:
    """A batch of pictures, or a single one if x is one."""
    return z if x.ndim == 4 else z[0]
