"""Shared by convolution, pooling and fold: the windows of a kernel, and the memory layout of pictures.

Pictures have the shape (N, C, H, W). In memory they are stored as (H, W, N, C), so each pixel is a matrix
with a row per picture and a column per channel, and the pixels at one element of the kernel, over all
windows, are a slice. NumPy's elementwise functions keep this layout, so a whole network stays in it. Arrays
in any other layout are copied once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

Pair = tuple[int, ...]  # for height and width
Padding = tuple[Pair, ...]  # before and after, for each axis

IN_CACHE = 100_000
"""The number of values computed together, so that sums over the elements of a kernel stay in the cache."""


@dataclass(frozen=True)
class Windows:
    """The windows of a kernel on pictures: the window of output (r, q) begins at pixel (r, q) * stride of the
    padded picture, and its element (i, j) is at an offset of (i, j) * dilation."""

    kernel: Pair
    stride: Pair
    dilation: Pair
    padding: Padding  # pixels added above and below, left and right
    size: Pair  # height and width of the pictures, without the padding

    @cached_property
    def out(self) -> Pair:
        """Height and width of the output: the number of windows that fit into the padded picture."""
        axes = zip(self.padded_size, self.reach, self.stride)
        return tuple((size - reach) // step + 1 for size, reach, step in axes)

    @property
    def reach(self) -> Pair:
        """The number of pixels that the kernel spans."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation))

    @property
    def padded_size(self) -> Pair:
        """Height and width of the padded picture."""
        (top, bottom), (left, right) = self.padding
        return self.size[0] + top + bottom, self.size[1] + left + right

    @cached_property
    def are_tiles(self) -> bool:
        """Whether each pixel of the padded picture is in exactly one window."""
        covered = tuple(n * k for n, k in zip(self.out, self.kernel))
        return self.kernel == self.stride == self.reach and self.padded_size == covered

    @property
    def elements(self) -> Iterator[tuple[int, ...]]:
        """The indices (i, j) of the elements of the kernel."""
        return np.ndindex(self.kernel)

    def pixels_at(self, x: Any, element: tuple[int, ...], rows: slice | None = None) -> Any:
        """The pixels of the padded pictures ``x``, (H, W, ...), at one element of the kernel: one for each
        window, or for each window in some rows of the output. A view."""
        (i, j), (down, right) = element, self.stride
        rows = rows or slice(0, self.out[0])
        top, left = i * self.dilation[0] + rows.start * down, j * self.dilation[1]
        bottom = top + (rows.stop - rows.start - 1) * down + 1
        return x[top:bottom:down, left : left + (self.out[1] - 1) * right + 1 : right]

    def row_blocks(self, numbers: int, times: int = 1) -> Iterator[slice]:
        """The rows of the output in blocks that fit into the cache, or into ``times`` as much memory.
        ``numbers`` is the number of values computed for one pixel of the output."""
        height, width = self.out
        count = max(1, times * IN_CACHE // max(1, width * numbers))
        return (slice(row, min(row + count, height)) for row in range(0, height, count))


def as_pixels(x: Any, padding: Padding = ((0, 0), (0, 0)), fill: Any = 0) -> Any:
    """Pictures (N, C, H, W) as an array (H, W, N, C), padded with ``fill``. Copies only if necessary."""
    pixels = np.transpose(x, (2, 3, 0, 1))
    if not any(map(sum, padding)):
        return contiguous(pixels)
    (top, bottom), (left, right) = padding
    height, width, *rest = pixels.shape
    padded = np.full_like(x, fill, shape=(top + height + bottom, left + width + right, *rest), order="C")
    padded[top : top + height, left : left + width] = pixels
    return padded


def contiguous(x: Any) -> Any:
    """The array, contiguous in memory in C order. Arrays of libraries that do not take NumPy's calls are
    returned unchanged."""
    return np.ascontiguousarray(x, like=x) if hasattr(x, "__array_function__") else x


def as_pictures(pixels: Any, padding: Padding = ((0, 0), (0, 0))) -> Any:
    """An array (H, W, N, C) as pictures (N, C, H, W), without their padding. A view."""
    (top, bottom), (left, right) = padding
    height, width = pixels.shape[:2]
    return np.transpose(pixels[top : height - bottom, left : width - right], (2, 3, 0, 1))


# -- checks of arguments ------------------------------------------------------------------------------------


def checked_sizes(value: Any, name: str, count: int = 2, least: int = 1) -> tuple[int, ...]:
    """A whole number, or one for each axis, as a tuple. Raises TypeError or ValueError for anything else."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
    numbers = "a whole number" if count == 1 else "a whole number or a pair of them"
    if any(not isinstance(v, (int, np.integer)) or isinstance(v, (bool, np.bool_)) for v in values):
        raise TypeError(f"{name} must be {numbers}, not {value!r:.60}")
    if len(values) != count or min(values) < least:
        raise ValueError(f"{name} must be {numbers}, each at least {least}, not {value!r:.60}")
    return tuple(map(int, values))


def check_fits(windows: Windows, what: str = "the kernel") -> None:
    """Raise ValueError if no window fits into the padded picture, or row: a picture of height 1."""
    if min(windows.out) < 1:
        reach, size = windows.reach, windows.padded_size
        spans, place = f"{reach}", f"a picture of {size}"
        if reach[0] == size[0] == 1:
            spans, place = f"{reach[1]}", f"a row of {size[1]}"
        with_padding = " with its padding" if any(map(sum, windows.padding)) else ""
        raise ValueError(f"{what} spans {spans}, which does not fit into {place}{with_padding}")
