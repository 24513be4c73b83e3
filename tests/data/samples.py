"""Files and datasets that the tests make."""

from __future__ import annotations

import gzip

import numpy as np

CODES = {"uint8": 8, "int8": 9, "int16": 11, "int32": 12, "float32": 13, "float64": 14}


def idx(array):
    """An array as the bytes of an idx file."""
    lengths = b"".join(length.to_bytes(4) for length in array.shape)
    big_endian = array.astype(array.dtype.newbyteorder(">"))
    return bytes([0, 0, CODES[array.dtype.name], array.ndim]) + lengths + big_endian.tobytes()


def write_mnist(folder, train=50, test=20, seed=0):
    """Four files as MNIST has them, with random pictures in them. Returns the arrays by file name."""
    rng = np.random.default_rng(seed)
    arrays = {}
    folder.mkdir(parents=True)
    for part, count in (("train", train), ("t10k", test)):
        arrays[f"{part}-images-idx3-ubyte"] = rng.integers(0, 256, (count, 28, 28), np.uint8)
        arrays[f"{part}-labels-idx1-ubyte"] = rng.integers(0, 10, count, np.uint8)
    for name, array in arrays.items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(idx(array)))
    return arrays
