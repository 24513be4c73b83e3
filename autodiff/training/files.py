"""Files that are whole or not there: written beside their place first, and checked as a whole when read.

Arrays are kept as NumPy's ``.npz``, which ``np.load`` reads too. Nothing is ever pickled or unpickled, so
that to load a file cannot run a program.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

StrPath = str | os.PathLike[str]


@contextmanager
def replacing(path: StrPath) -> Iterator[BinaryIO]:
    """A stream for a file's new content, which takes the file's place when it is whole and on the disk.

    After an error, or a crash, the file is as it was. Raises FileNotFoundError if there is no such folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/note") as stream:
    ...         _ = stream.write(b"whole")
    ...     Path(folder, "note").read_bytes()
    b'whole'
    """
    path = Path(os.path.realpath(path))  # a link stays a link
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}")
    part = path.with_name(f"{path.name}.{os.urandom(8).hex()}.part")
    try:
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_npz(path: StrPath, arrays: Mapping[str, np.ndarray]) -> None:
    """Save arrays by name. The same arrays give the same bytes.

    Not ``np.savez``: that takes names as keywords, and an array cannot be called "file".
    """
    with replacing(path) as stream, zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")  # of the year 1980, whenever it is saved
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def read_npz(path: StrPath) -> dict[str, np.ndarray]:
    """The arrays of a file by name.

    Raises ValueError if it is no ``.npz``, is damaged or cut off, or has pickled objects in it.
    """
    arrays = {}
    with Path(path).open("rb") as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                damaged = archive.testzip()  # the checksums first: what is damaged can look like anything
                if damaged is not None:
                    raise ValueError(f"the checksum of {damaged} is wrong")
                for entry in archive.namelist():
                    if not entry.endswith(".npy"):
                        raise ValueError(f"{entry} is no array")
                    with archive.open(entry) as member:
                        arrays[entry.removesuffix(".npy")] = np.lib.format.read_array(
                            member, allow_pickle=False
                        )
        except Exception as error:  # of a dozen classes, from zipfile, zlib, tokenize and NumPy
            raise ValueError(f"{path} is no .npz file, or a damaged one: {error}") from error
    return arrays
