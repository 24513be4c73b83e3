"""The idx format of MNIST: arrays in a file, compressed by gzip or not.

Two zero bytes, a byte for the dtype, one for the number of axes, four per axis for its length, the numbers;
all of it big-endian.
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
MOST_BY_GZIP = 1032  # how many times smaller gzip makes a file at most


def read_idx(path: str | os.PathLike[str]) -> np.ndarray:
    """Read an idx file, compressed or not: its content tells which.

    Raises
    ------
    ValueError
        If it is no idx file, or shorter or longer than it says of itself, or its compression is damaged. No
        more memory is taken than a file of its size can fill.

    Example
    -------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels-idx1-ubyte")
    ...     _ = path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 5, 0, 4]))
    ...     read_idx(path)
    array([5, 0, 4], dtype=uint8)
    """
    path = Path(path)
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        most = path.stat().st_size * (MOST_BY_GZIP if compressed else 1)
        try:
            with gzip.GzipFile(fileobj=file) if compressed else file as content:
                return parse(content, path, most)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path} is damaged ({error}); delete it and get it again") from error


def parse(content: io.BufferedIOBase, path: Path, most: int) -> np.ndarray:
    """The array in an open file, whose content is no longer than ``most`` bytes."""
    start = content.read(4)
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in DTYPES:
        raise ValueError(f"{path} is no idx file: it begins with {start!r}")
    lengths = content.read(4 * start[3])
    shape = tuple(int.from_bytes(lengths[place : place + 4]) for place in range(0, len(lengths), 4))
    dtype = np.dtype(DTYPES[start[2]])
    size = math.prod(shape) * dtype.itemsize
    if len(lengths) < 4 * start[3] or size > most:
        raise ValueError(f"{path} is cut off: it is too short for the shape {shape} that it says it has")
    try:
        array = np.empty(shape, dtype)
    except ValueError as error:
        raise ValueError(f"{path} is no idx file: it says it is an array that NumPy cannot hold") from error
    space, filled = array.reshape(-1).view(np.uint8).data, 0
    while filled < size and (count := content.readinto(space[filled:])):
        filled += count
    if filled < size:
        raise ValueError(f"{path} is cut off: {filled} of {size} bytes of an array of shape {shape}")
    if content.read(1):
        raise ValueError(f"{path} is longer than an array of shape {shape}: it is damaged, or no idx file")
    return array.astype(dtype.newbyteorder("="), copy=False)
