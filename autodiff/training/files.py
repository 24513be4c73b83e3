"""Files that are whole or not there: written beside their place first, and checked when read.

Arrays are kept as NumPy's ``.npz``, which ``np.load`` reads too. Nothing is ever pickled or unpickled, so
that to load a file cannot run a program; and no array is read before its header has been compared with what
is wanted, so that a small file cannot fill the memory.
"""

from __future__ import annotations

import io
import math
import os
import re
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

StrPath = str | os.PathLike[str]

try:
    locking: Any = import_module("fcntl")
except ImportError:  # Windows, where an open file can be neither removed nor renamed
    locking = None

HEADER_LIMIT = 10_000  # bytes, beyond which NumPy reads no header either

# -- writing ---------------------------------------------------------------------------------------------


@contextmanager
def replacing(path: StrPath) -> Iterator[BinaryIO]:
    """A stream for a file's new content, which takes the file's place when it is whole and on the disk.

    After an error, or a crash, the file is as it was. A new file has the permissions that any new file gets,
    a replaced one keeps its own. A symbolic link stays one, and the file it points to is replaced. A process
    that is killed leaves its unfinished ``.part`` file behind; the next save to the same file removes it.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    PermissionError
        If the file is write-protected.
    OSError
        If there is something else in its place, such as a folder or a device.

    Example
    -------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/note") as stream:
    ...         _ = stream.write(b"whole")
    ...     Path(folder, "note").read_bytes()
    b'whole'
    """
    path = Path(os.path.realpath(path))
    check_replaceable(path)
    part, stream = opened_beside(path)
    try:
        with stream:
            if path.exists():
                adopt_permissions(part, path.stat())
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if locking is None:
                stream.close()
            part.replace(path)  # still locked, so that nobody takes it for left over
    finally:
        part.unlink(missing_ok=True)
    remove_left_over(path)


def check_replaceable(path: Path) -> None:
    """Raise unless a file can be written or replaced at this path."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.exists():
        if not path.is_file():
            raise OSError(f"{path} cannot be written: it is a {'folder' if path.is_dir() else 'device'}")
        if not os.access(path, os.W_OK):
            raise PermissionError(f"{path} cannot be replaced: it is write-protected")


def opened_beside(path: Path) -> tuple[Path, BinaryIO]:
    """A new file beside another, open and locked as long as it is open."""
    mode = 0o600 if path.exists() else 0o666  # the old file may be one that nobody else is to read
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        part = path.with_name(f"{path.name}.{os.urandom(8).hex()}.part")
        stream = os.fdopen(os.open(part, flags, mode), "wb")
        if locking is None:
            return part, stream
        with suppress(OSError):  # some file systems have no locks
            locking.flock(stream, locking.LOCK_EX)
        if part.exists():
            return part, stream
        stream.close()  # another process took it for left over in the moment before it was locked


def adopt_permissions(part: Path, old: os.stat_result) -> None:
    """Give a new file the group and permissions of the one that it is to replace, and its owner if this is
    allowed."""
    if hasattr(os, "chown"):
        for owner, group in ((-1, old.st_gid), (old.st_uid, -1)):
            with suppress(OSError):
                os.chown(part, owner, group)
    part.chmod(stat.S_IMODE(old.st_mode))


def remove_left_over(path: Path) -> None:
    """Remove the unfinished files of processes that were killed while they wrote this file.

    One that is still being written is locked by its writer (on Windows it is open), and is left alone.
    """
    pattern = re.compile(re.escape(path.name) + r"\.[0-9a-f]{16}\.part")
    with suppress(OSError):  # a folder may be written to and yet not be listed
        for part in path.parent.iterdir():
            if pattern.fullmatch(part.name):
                with suppress(OSError), part.open("r+b") as stream:
                    if locking is not None:
                        locking.flock(stream, locking.LOCK_EX | locking.LOCK_NB)
                        part.unlink()
                if locking is None:
                    with suppress(OSError):
                        part.unlink()


def write_npz(path: StrPath, arrays: Mapping[str, np.ndarray]) -> None:
    """Save arrays by name. The same arrays give the same bytes.

    Not ``np.savez``: that takes names as keywords, and an array cannot be called "file".
    """
    with replacing(path) as stream, zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")  # of the year 1980, whenever it is saved
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


# -- reading ---------------------------------------------------------------------------------------------


class Entry:
    """An array in a file that is open: its shape and dtype as the header has them, and its content once it is
    asked for, by ``np.asarray``.

    Raises ValueError if the file is damaged or what it says of the array cannot be.
    """

    def __init__(self, path: StrPath, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        self.path, self.archive, self.info = path, archive, info
        self.is_compressed = info.compress_type != zipfile.ZIP_STORED
        with archive.open(info) as member:
            self.shape, self.dtype, start = header(member.read(HEADER_LIMIT))
        size = start + self.dtype.itemsize * math.prod(self.shape)
        if size != info.file_size:
            raise ValueError(f"{info.filename} has {info.file_size} bytes, and by its header {size}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        with intact(self.path), self.archive.open(self.info) as member:
            array = np.lib.format.read_array(member, allow_pickle=False)
            member.read()  # to the end, where the checksum is compared
        return array if dtype is None else array.astype(dtype, copy=False)


@contextmanager
def open_npz(path: StrPath) -> Iterator[dict[str, Entry]]:
    """The arrays of a file by name, of which only the headers are read at first.

    Raises ValueError if it is no ``.npz``, is damaged or cut off, or has pickled objects in it.
    """
    with Path(path).open("rb") as stream:
        with intact(path):
            archive = zipfile.ZipFile(stream)
            entries = {}
            for info in archive.infolist():
                name = info.filename.removesuffix(".npy")
                if name == info.filename:
                    raise ValueError(f"{name} is no array")
                if name in entries:
                    raise ValueError(f"there are several arrays of the name {name}")
                entries[name] = Entry(path, archive, info)
        with archive:
            yield entries


def read_npz(path: StrPath) -> dict[str, np.ndarray]:
    """The arrays of a file by name, a file that :func:`write_npz` wrote: it takes no more memory than disk.

    Raises ValueError if it is none, is damaged or cut off, or has pickled objects in it.
    """
    with open_npz(path) as entries:
        size = sum(entry.info.file_size for entry in entries.values())
        if any(entry.is_compressed for entry in entries.values()) or size > Path(path).stat().st_size:
            raise ValueError(
                f"{path} is compressed, so that it could grow when it is read; this package saves it as it is"
            )
        return {name: np.asarray(entry) for name, entry in entries.items()}


@contextmanager
def intact(path: StrPath) -> Iterator[None]:
    """Turn every error that a damaged file leads to into a ValueError that names the file."""
    try:
        yield
    except Exception as error:  # of a dozen classes, from zipfile, zlib, tokenize and NumPy
        raise ValueError(f"{path} is no .npz file, or a damaged one: {error}") from error


def header(beginning: bytes) -> tuple[tuple[int, ...], np.dtype, int]:
    """The shape and dtype of an array in NumPy's format, and where its numbers begin."""
    stream = io.BytesIO(beginning)
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"the format of its arrays has the version {version}, in which no numbers are kept")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream, HEADER_LIMIT)
    if dtype.hasobject:
        raise ValueError("it has Python objects in it, which are not read: allow_pickle=False")
    if any(length < 0 for length in shape):
        raise ValueError(f"an array has the shape {shape}")
    return shape, dtype, stream.tell()
