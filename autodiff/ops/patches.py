"""``unfold`` copies the windows of a picture into columns, and ``fold`` adds them up again: each is the
adjoint of the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .shaping import shape_of
from .windows import Windows, as_pictures, as_pixels, check_fits, checked_sizes


@operation(kind="linear", precision="double")
def unfold(x: Any, *, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The windows of pictures as columns: (N, C, H, W) becomes (N, C * height * width, windows).

    Parameters
    ----------
    x
        Pictures of shape (N, C, H, W) or (C, H, W).
    kernel_size, dilation, padding, stride
        Numbers, or pairs of them for height and width. The padding is with zeros.

    Raises
    ------
    TypeError, ValueError
        If a setting is not a whole number or a pair of them, or no window fits into the pictures.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.unfold(ad.Tensor([[[1, 2, 3], [4, 5, 6]]]), kernel_size=2)
    [[1 2]
     [2 3]
     [4 5]
     [5 6]]
    """
    if np.ndim(x) not in (3, 4):
        raise ValueError(f"pictures must have the shape (N, C, H, W) or (C, H, W), not {np.shape(x)}")
    windows = checked_windows(x.shape[-2:], kernel_size, dilation, padding, stride)
    pixels = as_pixels(x if x.ndim == 4 else x[None], windows.padding)
    n, channels = pixels.shape[2:]
    columns = np.empty((n, channels, *windows.kernel, *windows.out), x.dtype, like=x)
    for i, j in windows.elements:
        columns[:, :, i, j] = as_pictures(windows.pixels_at(pixels, (i, j)))
    shape = (*x.shape[:-3], channels * math.prod(windows.kernel), math.prod(windows.out))
    return np.reshape(columns, shape)


@operation(kind="linear", precision="double")
def fold(
    x: Any, *, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Pictures from columns like those of :func:`unfold`, which are added up where windows overlap:
    (N, C * height * width, windows) becomes ``(N, C, *output_size)``.

    Parameters
    ----------
    x
        Of shape (N, C * height * width, windows), or without N.
    output_size
        Height and width of the pictures, a number or a pair.
    kernel_size, dilation, padding, stride
        As for :func:`unfold`.

    Raises
    ------
    TypeError, ValueError
        If a setting is not a whole number or a pair of them, or x does not have the shape that they need.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.fold(ad.Tensor([[1, 1], [1, 1], [1, 1], [1, 1]]), output_size=(2, 3), kernel_size=2)
    [[[1 2 1]
      [1 2 1]]]
    """
    windows = checked_windows(
        checked_sizes(output_size, "output_size"), kernel_size, dilation, padding, stride
    )
    area, count = math.prod(windows.kernel), math.prod(windows.out)
    if np.ndim(x) not in (2, 3) or x.shape[-2] % area or x.shape[-1] != count:
        raise ValueError(
            f"for an output_size of {windows.size} the columns must have the shape (N, C * {area}, {count}) "
            f"or (C * {area}, {count}), not {np.shape(x)}"
        )
    columns = np.reshape(x, (*(x.shape[:-2] or (1,)), x.shape[-2] // area, *windows.kernel, *windows.out))
    n, channels = columns.shape[:2]
    pixels = np.zeros((*windows.padded_size, n, channels), x.dtype, like=x)
    for i, j in windows.elements:
        part = windows.pixels_at(pixels, (i, j))
        part += as_pixels(columns[:, :, i, j])
    z = as_pictures(pixels, windows.padding)
    return z if x.ndim == 3 else z[0]


unfold.backward(lambda grad, z, x, **options: fold(grad, output_size=shape_of(x)[-2:], **options))
fold.backward(lambda grad, z, x, output_size, **options: unfold(grad, **options))


def checked_windows(size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Windows:
    """The windows on pictures of a size. Raises TypeError or ValueError for settings that do not fit."""
    high, wide = checked_sizes(padding, "padding", least=0)
    windows = Windows(
        checked_sizes(kernel_size, "kernel_size"),
        checked_sizes(stride, "stride"),
        checked_sizes(dilation, "dilation"),
        ((high, high), (wide, wide)),
        tuple(size),
    )
    check_fits(windows)
    return windows
