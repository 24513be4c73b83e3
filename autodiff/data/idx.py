"""The idx format of MNIST: one array per file, with or without gzip.

A file holds two zero bytes, one byte for the dtype, one for the number of axes, four bytes for the length of
each axis, and the numbers. All values are big-endian.
"""

from __future__ import annotations

import gzip
import io
import math
import os
import zlib
from pathlib import Path

import numpy as np

DTYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
MAX_GZIP_RATIO = 1032  # the largest factor by which gzip makes a file smaller


def read_idx(path: str | os.PathLike[str]) -> np.ndarray:
    """Read an idx file, with or without gzip, which is recognized by the content.

    Raises
    ------
    ValueError
        If the file is not an idx file, is shorter or longer than its header says, or is damaged. A wrong
        header cannot make it allocate more memory than a file of its size can fill.

    Example
    -------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from autodiff import data
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels-idx1-ubyte")
    ...     _ = path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 5, 0, 4]))
    ...     data.read_idx(path)
    array([5, 0, 4], dtype=uint8)
    """
    path = Path(path)
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        max_bytes = path.stat().st_size * (MAX_GZIP_RATIO if compressed else 1)
        try:
            with gzip.GzipFile(fileobj=file) if compressed else file as content:
                return parse(content, path, max_bytes)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path} is damaged ({error}); delete it and download it again") from error


def parse(content: io.BufferedIOBase, path: Path, max_bytes: int) -> np.ndarray:
    """Read the array from an open file, whose content is at most ``max_bytes`` long.

    ``max_bytes`` bounds the memory that a wrong header can allocate.
    """
    start = content.read(4)
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in DTYPES:
        raise ValueError(f"{path} is no idx file: it begins with {start!r}")
    lengths = content.read(4 * start[3])
    shape = tuple(int.from_bytes(lengths[place : place + 4]) for place in range(0, len(lengths), 4))
    dtype = np.dtype(DTYPES[start[2]])
    size = math.prod(shape) * dtype.itemsize
    if len(lengths) < 4 * start[3] or size > max_bytes:
        raise ValueError(f"{path} is cut off: it is too short for the shape {shape} in its header")
    try:
        array = np.empty(shape, dtype)
    except ValueError as error:
        raise ValueError(f"{path} is no idx file: NumPy has no arrays of shape {shape}") from error
    buffer, filled = array.reshape(-1).view(np.uint8).data, 0
    while filled < size and (count := content.readinto(buffer[filled:])):
        filled += count
    if filled < size:
        raise ValueError(f"{path} is cut off: {filled} of {size} bytes of an array of shape {shape}")
    if content.read(1):
        raise ValueError(f"{path} is longer than an array of shape {shape}: it is damaged, or no idx file")
    return array.astype(dtype.newbyteorder("="), copy=False)
