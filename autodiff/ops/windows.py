"""What convolution, pooling and fold share: the windows of a kernel, and how pictures lie in memory.

Pictures have the shape (N, C, H, W). In memory they are kept as (H, W, N, C): there each pixel is a matrix
with a row per picture and a column per channel, and what one element of a kernel meets is a slice of pixels.
NumPy's elementwise functions keep that order, so a whole network stays in it. Arrays in any other order are
copied once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

Pair = tuple[int, ...]  # one for height and one for width
Frame = tuple[Pair, ...]  # before and after, for each axis

IN_CACHE = 100_000
"""How many numbers are computed at a time, so that sums over the elements of a kernel stay in the cache."""


@dataclass(frozen=True)
class Windows:
    """Where a kernel is laid on pictures: the window of output (r, q) begins at pixel (r, q) * stride of the
    framed picture, and its element (i, j) lies (i, j) * dilation further on."""

    kernel: Pair
    stride: Pair
    dilation: Pair
    frame: Frame  # pixels added above and below, left and right
    size: Pair  # height and width of the pictures, without the frame

    @cached_property
    def out(self) -> Pair:
        """Height and width of the output: as many windows as fit into the framed picture."""
        axes = zip(self.framed, self.reach, self.stride)
        return tuple((size - reach) // step + 1 for size, reach, step in axes)

    @property
    def reach(self) -> Pair:
        """How many pixels the kernel spans."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation))

    @property
    def framed(self) -> Pair:
        """Height and width of the framed picture."""
        (top, bottom), (left, right) = self.frame
        return self.size[0] + top + bottom, self.size[1] + left + right

    @cached_property
    def are_tiles(self) -> bool:
        """Whether each pixel of the framed picture lies in just one window."""
        covered = tuple(n * k for n, k in zip(self.out, self.kernel))
        return self.kernel == self.stride == self.reach and self.framed == covered

    @property
    def elements(self) -> Iterator[tuple[int, ...]]:
        """The places (i, j) in the kernel."""
        return np.ndindex(self.kernel)

    def met(self, x: Any, element: tuple[int, ...], rows: slice | None = None) -> Any:
        """The pixels of the framed pictures ``x``, (H, W, ...), that one element of the kernel meets, in all
        windows or in those of some rows of the output. A view."""
        (i, j), (down, right) = element, self.stride
        rows = rows or slice(0, self.out[0])
        top, left = i * self.dilation[0] + rows.start * down, j * self.dilation[1]
        bottom = top + (rows.stop - rows.start - 1) * down + 1
        return x[top:bottom:down, left : left + (self.out[1] - 1) * right + 1 : right]

    def blocks(self, numbers: int, times: int = 1) -> Iterator[slice]:
        """The rows of the output, as many at a time as fit into the cache, or into ``times`` as much memory.
        ``numbers`` are computed for one place of the output."""
        height, width = self.out
        count = max(1, times * IN_CACHE // max(1, width * numbers))
        return (slice(row, min(row + count, height)) for row in range(0, height, count))


def as_pixels(x: Any, frame: Frame = ((0, 0), (0, 0)), fill: Any = 0) -> Any:
    """Pictures (N, C, H, W) as an array (H, W, N, C), framed by ``fill``. No copy if none is needed."""
    pixels = np.transpose(x, (2, 3, 0, 1))
    if not any(map(sum, frame)):
        return contiguous(pixels)
    (top, bottom), (left, right) = frame
    height, width, *rest = pixels.shape
    framed = np.full_like(x, fill, shape=(top + height + bottom, left + width + right, *rest), order="C")
    framed[top : top + height, left : left + width] = pixels
    return framed


def contiguous(x: Any) -> Any:
    """In one piece of memory, row by row; arrays of another library's are left as they are."""
    return np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x


def as_pictures(pixels: Any, frame: Frame = ((0, 0), (0, 0))) -> Any:
    """An array (H, W, N, C) as pictures (N, C, H, W), without their frame. A view."""
    (top, bottom), (left, right) = frame
    height, width = pixels.shape[:2]
    return np.transpose(pixels[top : height - bottom, left : width - right], (2, 3, 0, 1))


# -- what callers give ------------------------------------------------------------------------------------


def checked_sizes(value: Any, name: str, count: int = 2, least: int = 1) -> tuple[int, ...]:
    """A whole number, or one for each axis, as a tuple. Raises TypeError or ValueError for anything else."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
    numbers = "a whole number" if count == 1 else "a whole number or a pair of them"
    if any(not isinstance(v, (int, np.integer)) or isinstance(v, (bool, np.bool_)) for v in values):
        raise TypeError(f"{name} is {numbers}, not {value!r:.60}")
    if len(values) != count or min(values) < least:
        raise ValueError(f"{name} is {numbers}, each at least {least}, not {value!r:.60}")
    return tuple(map(int, values))


def check_fits(windows: Windows, what: str = "the kernel") -> None:
    """Raise ValueError if not a single window fits into the framed picture."""
    if min(windows.out) < 1:
        with_frame = " with its padding" if any(map(sum, windows.frame)) else ""
        raise ValueError(
            f"{what} spans {windows.reach}, which does not fit into a picture of {windows.framed}{with_frame}"
        )
