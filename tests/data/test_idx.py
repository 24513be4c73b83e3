"""The idx reader: what it reads, and files that are cut off, foreign, or claim to be larger than they are."""

from __future__ import annotations

import gzip
import re
import tracemalloc

import numpy as np
import pytest

from autodiff.data import read_idx
from tests.data.samples import idx


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    "array",
    [
        np.arange(24, dtype=np.uint8).reshape(2, 3, 4),
        np.array([-128, 127], np.int8),
        np.array([[-32768, 32767]], np.int16),
        np.array([2**31 - 1, -5], np.int32),
        np.array([1.5, -2.25], np.float32),
        np.array([[np.pi], [np.inf]]),
        np.array(7, np.uint8),
        np.zeros((0, 3), np.uint8),
    ],
    ids=lambda array: f"{array.dtype}-{array.shape}",
)
def test_reads_what_was_written(array, pack, path):
    path.write_bytes(pack(idx(array)))
    read = read_idx(path)
    np.testing.assert_array_equal(read, array, strict=True)
    assert read.dtype.isnative
    assert read.flags.writeable


def test_a_path_may_be_a_string(path):
    path.write_bytes(idx(np.arange(3, dtype=np.uint8)))
    assert read_idx(str(path)).tolist() == [0, 1, 2]


WHOLE = idx(np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
PACKED = gzip.compress(idx(np.random.default_rng(0).integers(0, 256, (50, 20), np.uint8)))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_a_file_that_is_cut_off_anywhere_is_refused(length, pack, path):
    path.write_bytes(pack(WHOLE[:length]))
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} is (cut off|no idx file)"):
        read_idx(path)


@pytest.mark.parametrize("length", [2, 10, 100, len(PACKED) - 9, len(PACKED) - 1])
def test_a_compressed_file_that_is_cut_off_is_refused(length, path):
    path.write_bytes(PACKED[:length])
    with pytest.raises(ValueError, match=r"is damaged.*delete it"):
        read_idx(path)


def test_a_compressed_file_with_a_wrong_byte_is_refused(path):
    path.write_bytes(PACKED[:500] + bytes([PACKED[500] ^ 1]) + PACKED[501:])
    with pytest.raises(ValueError, match="is damaged"):
        read_idx(path)


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\3\4a zip", b"<html></html>", b"\0\0\x07\1\0\0\0\1a", b"\x93NUMPY\1\0", b"\0\0"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_foreign_file_is_refused(content, pack, path):
    path.write_bytes(pack(content))
    with pytest.raises(ValueError, match="is no idx file: it begins with"):
        read_idx(path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_that_goes_on_is_refused(pack, path):
    path.write_bytes(pack(WHOLE + b"\0"))
    with pytest.raises(ValueError, match="is longer than an array of shape"):
        read_idx(path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("axes", [1, 3, 255])
def test_a_file_that_claims_to_be_huge_takes_no_memory(axes, pack, path):
    path.write_bytes(pack(bytes([0, 0, 14, axes]) + b"\xff\xff\xff\xff" * axes + b"a few numbers"))
    tracemalloc.start()
    with pytest.raises(ValueError, match="is cut off"):
        read_idx(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize("lengths", [[1] * 255, [0, *[2**32 - 1] * 3]])
def test_an_array_that_cannot_be_is_refused(lengths, path):
    axes = b"".join(length.to_bytes(4) for length in lengths)
    path.write_bytes(bytes([0, 0, 8, len(lengths)]) + axes + b"a")
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} is no idx file"):
        read_idx(path)


def test_a_file_that_is_not_there_is_an_error_of_its_own(path):
    with pytest.raises(FileNotFoundError):
        read_idx(path)
