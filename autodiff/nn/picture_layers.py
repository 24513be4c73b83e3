"""Layers without parameters that change the size of pictures: Upsample, PixelShuffle and PixelUnshuffle.
``interpolate``, ``pixel_shuffle`` and ``pixel_unshuffle`` are the same as functions."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import checked_integer
from ..engine.operands import as_recorded
from ..engine.tensor import describe, raw
from ..ops.indexing import repeat
from ..ops.shaping import moveaxis, reshape, shape_of, transpose
from .module import Module

SMOOTH = {
    "linear": 1,
    "bilinear": 2,
}  # the modes that interpolate between neighbours, and their number of axes


def interpolate(
    input: Any,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """Resize pictures or sequences, see :class:`~autodiff.nn.Upsample`.

    Parameters
    ----------
    input
        Of shape (N, C, L), (N, C, H, W) or with more axes.
    size, scale_factor
        The new size of the axes after the first two, or the factor between the old and the new size.
        Give exactly one of the two: a number for all axes, or one number per axis.
    mode
        "nearest" repeats values; "linear", for (N, C, L), and "bilinear", for (N, C, H, W), interpolate.
    align_corners
        For "linear" and "bilinear": True aligns the first and last values of input and output; False treats
        values as the centers of pixels.
    recompute_scale_factor
        True computes the positions from the new size instead of ``scale_factor``; they differ if the
        factor is not a whole number.

    Raises
    ------
    ValueError
        If not exactly one of ``size`` and ``scale_factor`` is given, there is not one number per axis, the
        mode is unknown or does not fit the axes, or ``align_corners`` is given in the mode "nearest".

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.interpolate([[[1.0, 3.0]]], scale_factor=2)
    array([[[1., 1., 3., 3.]]])
    >>> F.interpolate([[[1.0, 3.0]]], size=3, mode="linear", align_corners=True)
    array([[[1., 2., 3.]]])
    """
    x = as_recorded(input)
    sizes = shape_of(x)[2:]
    check_interpolation(x, mode, align_corners)
    new, factors = new_sizes(x, sizes, size, scale_factor)
    if recompute_scale_factor:
        factors = (None,) * len(sizes)
    for axis, (old, now, factor) in enumerate(zip(sizes, new, factors, strict=True), start=2):
        if mode == "nearest":
            x = nearest(x, axis, old, now, factor)
        elif old != now:
            x = multiply_along(x, interpolation_matrix(old, now, factor, bool(align_corners)), axis)
    return x


def check_interpolation(x: Any, mode: str, align_corners: bool | None) -> None:
    """Raise ValueError if an input cannot be interpolated in this mode."""
    axes = len(shape_of(x)) - 2
    if mode not in ("nearest", *SMOOTH):
        raise ValueError(f"mode of interpolate must be 'nearest', 'linear' or 'bilinear', not {mode!r}")
    if axes < 1 or (mode in SMOOTH and axes != SMOOTH[mode]):
        layouts = {"linear": "(N, C, L)", "bilinear": "(N, C, H, W)"}
        layout = layouts.get(mode, "(N, C, L) or (N, C, H, W)")
        raise ValueError(
            f"interpolate in the mode {mode!r} takes inputs of shape {layout}, not {describe(x)}"
        )
    if mode == "nearest" and align_corners is not None:
        raise ValueError("align_corners is for the modes 'linear' and 'bilinear'; leave it out for 'nearest'")
    if 0 in shape_of(x)[2:]:
        raise ValueError(f"interpolate needs at least one value along each axis, not {describe(x)}")


def new_sizes(
    x: Any, old: tuple[int, ...], size: Any, scale_factor: Any
) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """The new size of each axis, and the scale factor of each axis: None if a size was given."""
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate takes size or scale_factor; give exactly one of them")
    given, name = (size, "size") if scale_factor is None else (scale_factor, "scale_factor")
    numbers = tuple(given) if np.ndim(given) else (given,) * len(old)
    if len(numbers) != len(old):
        raise ValueError(f"{name} has {len(numbers)} numbers, but {describe(x)} needs {len(old)}")
    if scale_factor is None:
        if not all(isinstance(number, (int, np.integer)) and number > 0 for number in numbers):
            raise ValueError(
                f"size of interpolate must consist of whole numbers of at least 1, not {size!r:.60}"
            )
        return tuple(map(int, numbers)), (None,) * len(old)
    for number in numbers:
        if not isinstance(number, (int, float, np.number)) or not number > 0:
            raise ValueError(f"scale_factor of interpolate must be a number above 0, not {number!r:.60}")
    new = tuple(int(length * number) for length, number in zip(old, numbers))
    if 0 in new:
        raise ValueError(f"scale_factor {scale_factor} is too small: it leaves nothing of {describe(x)}")
    return new, tuple(float(number) for number in numbers)


def nearest(x: Any, axis: int, old: int, new: int, factor: float | None) -> Any:
    """Repeat or drop values along an axis, so that there are ``new`` of them."""
    if new % old == 0 and factor in (None, new // old):
        return x if new == old else repeat(x, repeats=new // old, axis=axis)
    step = old / new if factor is None else 1 / factor
    origins = np.minimum(np.floor(np.arange(new, dtype=np.float32) * np.float32(step)), old - 1).astype(int)
    return repeat(x, repeats=np.bincount(origins, minlength=old), axis=axis)


def interpolation_matrix(old: int, new: int, factor: float | None, align_corners: bool) -> np.ndarray:
    """A matrix (new, old) of linear interpolation: each row has the weights of the two neighbours of a new
    value."""
    positions = np.arange(new, dtype=float)
    if align_corners:
        positions = positions * ((old - 1) / (new - 1) if new > 1 else 0.0)
    else:
        step = old / new if factor is None else 1 / factor
        positions = np.maximum((positions + 0.5) * step - 0.5, 0.0)
    left = np.minimum(np.floor(positions).astype(int), old - 1)
    right = np.minimum(left + 1, old - 1)
    weights = np.zeros((new, old))
    np.add.at(weights, (np.arange(new), left), 1 - (positions - left))
    np.add.at(weights, (np.arange(new), right), positions - left)
    return weights


def multiply_along(x: Any, matrix: np.ndarray, axis: int) -> Any:
    """A matrix times every vector along an axis."""
    rows = moveaxis(x, source=axis, destination=-1)
    shape = shape_of(rows)
    matrix = matrix.astype(np.result_type(raw(x).dtype, np.float16))
    flat = reshape(rows, shape=(math.prod(shape[:-1]), shape[-1]))
    mixed = reshape(flat @ matrix.T, shape=(*shape[:-1], len(matrix)))
    return moveaxis(mixed, source=-1, destination=axis)


class Upsample(Module):
    """Makes pictures or sequences larger, or smaller, by repeating values or by interpolation.

    Parameters
    ----------
    size, scale_factor
        The new size of the axes after the first two, or the factor between the old and the new size.
        Give exactly one of the two: a number for all axes, or one number per axis.
    mode
        "nearest" repeats values; "linear", for (N, C, L), and "bilinear", for (N, C, H, W), interpolate.
    align_corners
        For "linear" and "bilinear": True aligns the first and last values of input and output; False treats
        values as the centers of pixels.
    recompute_scale_factor
        True computes the positions from the new size instead of ``scale_factor``.

    Raises
    ------
    ValueError
        At the call, as for ``nn.functional.interpolate``.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.Upsample(scale_factor=2)(Tensor([[[[1.0, 3.0]]]]))
    [[[[1 1 3 3]
       [1 1 3 3]]]]
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C, ...) is resized along the axes after the first two."""
        options = self.mode, self.align_corners, self.recompute_scale_factor
        return interpolate(x, self.size, self.scale_factor, *options)

    def extra_repr(self) -> str:
        """The size or the factor, and the mode."""
        sized = f"scale_factor={self.scale_factor}" if self.size is None else f"size={self.size}"
        return f"{sized}, mode={self.mode!r}"


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Rearrange channels as pixels, see :class:`~autodiff.nn.PixelShuffle`.

    Raises ValueError if the number of channels is not a multiple of ``upscale_factor`` squared.

    >>> from autodiff.nn import functional as F
    >>> F.pixel_shuffle([[[1.0]], [[2.0]], [[3.0]], [[4.0]]], 2)
    array([[[1., 2.],
            [3., 4.]]])
    """
    x, r = as_recorded(input), upscale_factor
    shape = shape_of(x)
    if len(shape) < 3 or r < 1 or shape[-3] % (r * r):
        raise ValueError(
            f"pixel_shuffle by {r} takes inputs of shape (..., C * {r * r}, H, W), not {describe(x)}"
        )
    *batch, channels, rows, columns = shape
    n = len(batch)
    split = reshape(x, shape=(*batch, channels // (r * r), r, r, rows, columns))
    interleaved = transpose(split, axes=(*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return reshape(interleaved, shape=(*batch, channels // (r * r), rows * r, columns * r))


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """Rearrange pixels as channels, the inverse of :func:`pixel_shuffle`.

    Raises ValueError if the numbers of rows and columns are not multiples of ``downscale_factor``.

    >>> from autodiff.nn import functional as F
    >>> F.pixel_unshuffle([[[1.0, 2.0], [3.0, 4.0]]], 2).tolist()
    [[[1.0]], [[2.0]], [[3.0]], [[4.0]]]
    """
    x, r = as_recorded(input), downscale_factor
    shape = shape_of(x)
    if len(shape) < 3 or r < 1 or shape[-2] % r or shape[-1] % r:
        raise ValueError(
            f"pixel_unshuffle by {r} takes inputs of shape (..., C, H * {r}, W * {r}), not {describe(x)}"
        )
    *batch, channels, rows, columns = shape
    n = len(batch)
    split = reshape(x, shape=(*batch, channels, rows // r, r, columns // r, r))
    grouped = transpose(split, axes=(*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return reshape(grouped, shape=(*batch, channels * r * r, rows // r, columns // r))


class PixelShuffle(Module):
    """Rearranges groups of ``upscale_factor`` squared channels as pixels: (..., C r², H, W) becomes (..., C,
    H r, W r) (Shi et al., "Real-Time Single Image and Video Super-Resolution", 2016).

    Raises TypeError or ValueError if the factor is not a whole number of at least 1; ValueError at the call,
    if the number of channels is not a multiple of its square.

    >>> from autodiff import Tensor, nn
    >>> nn.PixelShuffle(2)(Tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]))
    [[[1 2]
      [3 4]]]
    """

    def __init__(self, upscale_factor: int) -> None:
        self.upscale_factor: int = checked_integer("upscale_factor", upscale_factor, self)

    def forward(self, x: Any) -> Any:
        """``x`` of shape (..., C r², H, W)."""
        return pixel_shuffle(x, self.upscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Rearranges pixels as channels, the inverse of :class:`PixelShuffle`: (..., C, H r, W r) becomes
    (..., C r², H, W).

    Raises TypeError or ValueError if the factor is not a whole number of at least 1; ValueError at the call,
    if the numbers of rows and columns are not multiples of it.

    >>> from autodiff import Tensor, nn
    >>> nn.PixelUnshuffle(2)(Tensor([[[1.0, 2.0], [3.0, 4.0]]])).shape
    (4, 1, 1)
    """

    def __init__(self, downscale_factor: int) -> None:
        self.downscale_factor: int = checked_integer("downscale_factor", downscale_factor, self)

    def forward(self, x: Any) -> Any:
        """``x`` of shape (..., C, H r, W r)."""
        return pixel_unshuffle(x, self.downscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"downscale_factor={self.downscale_factor}"
