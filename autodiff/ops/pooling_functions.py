"""Adaptive pooling, and pooling of rows, composed of other operations."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.dtypes import computed_in
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from .pooling import avg_pool2d, max_pool2d
from .shaping import expand_dims, shape_of, squeeze
from .windows import checked_sizes


@computed_in("floats")
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Average pooling to an output of a given size. Output i of n is the mean of the rows (and columns) from
    i / n of the height, rounded down, to (i + 1) / n, rounded up.

    Parameters
    ----------
    input
        Pictures of shape (N, C, H, W) or (C, H, W).
    output_size
        A number, or a pair of them for height and width; None keeps that of the picture.

    Raises
    ------
    TypeError, ValueError
        If a size is neither a whole number nor None, or the input does not have three or four axes.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.adaptive_avg_pool2d(ad.Tensor([[[1, 2, 3, 4], [5, 6, 7, 8]]]), 1)
    [[[4.5]]]
    """
    x = as_recorded(input)
    check_pictures(x, "adaptive_avg_pool2d")
    wanted = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * 2
    if len(wanted) != 2:
        raise ValueError(
            f"output_size of adaptive_avg_pool2d must be a number or a pair of them, not {output_size!r:.60}"
        )
    height, width = (
        averaging_matrix(
            size, size if out is None else checked_sizes(out, "output_size", count=1)[0], x.dtype
        )
        for size, out in zip(shape_of(x)[-2:], wanted)
    )
    return height @ (x @ width.T)


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Adaptive average pooling of rows, of shape (N, C, L) or (C, L); see :func:`adaptive_avg_pool2d`.

    >>> import autodiff as ad
    >>> ad.adaptive_avg_pool1d(ad.Tensor([[1, 2, 3, 4]]), 2)
    [[1.5 3.5]]
    """
    x = as_recorded(input)
    check_pictures(x, "adaptive_avg_pool1d", axes=1)
    (size,) = output_size if isinstance(output_size, (tuple, list)) else (output_size,)
    return squeeze(adaptive_avg_pool2d(expand_dims(x, axis=-2), (1, size)), axis=-2)


def averaging_matrix(size: int, out: int, dtype: Any) -> Any:
    """A matrix (out, size): its product with a vector gives the means of ``out`` windows."""
    place = np.arange(out)
    start, stop = place * size // out, -(-(place + 1) * size // out)
    inside = (np.arange(size) >= start[:, None]) & (np.arange(size) < stop[:, None])
    kind = dtype if np.dtype(dtype).kind == "f" else float
    return (inside / (stop - start)[:, None]).astype(kind)


# -- along one axis ---------------------------------------------------------------------------------------


def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """The largest element of each window of rows, of shape (N, C, L) or (C, L); see :func:`max_pool2d`.

    >>> import autodiff as ad
    >>> ad.max_pool1d(ad.Tensor([[1, 4, 2, 3]]), 2)
    [[4 3]]
    """
    options = {"kernel_size": kernel_size, "stride": kernel_size if stride is None else stride}
    options |= {"dilation": dilation}
    return on_rows(max_pool2d, input, "max_pool1d", padding, options, ceil_mode=ceil_mode)


def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window of rows, of shape (N, C, L) or (C, L); see :func:`avg_pool2d`.

    >>> import autodiff as ad
    >>> ad.avg_pool1d(ad.Tensor([[1, 4, 2, 3]]), 2)
    [[2.5 2.5]]
    """
    options = {"kernel_size": kernel_size, "stride": kernel_size if stride is None else stride}
    more = {"ceil_mode": ceil_mode, "count_include_pad": count_include_pad}
    return on_rows(avg_pool2d, input, "avg_pool1d", padding, options, **more)


def on_rows(pool: Any, x: Any, owner: str, padding: Any, options: dict[str, Any], **more: Any) -> Any:
    """Apply a pooling operation to rows, as pictures of height 1."""
    x = as_recorded(x)
    check_pictures(x, owner, axes=1)
    options = {name: (1, *checked_sizes(value, name, count=1)) for name, value in options.items()}
    pads = (0, *checked_sizes(padding, "padding", count=1, least=0))
    return squeeze(pool(expand_dims(x, axis=-2), padding=pads, **options, **more), axis=-2)


def check_pictures(x: Any, owner: str, axes: int = 2) -> None:
    """Raise ValueError unless x is a batch of pictures (of rows, if ``axes`` is 1) or a single one."""
    if len(shape_of(x)) not in (axes + 1, axes + 2):
        sizes = "H, W" if axes == 2 else "L"
        raise ValueError(f"{owner} takes the shape (N, C, {sizes}) or (C, {sizes}), not {describe(x)}")
