"""Writing files atomically, and reading and writing arrays as ``.npz`` files.

``np.load`` reads these files too. Nothing is pickled or unpickled, so that loading a file cannot run code. An
array is read only after its header has been compared with the expected size, so that a small file cannot fill
the memory.
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
    fcntl: Any = import_module("fcntl")
except ImportError:  # Windows, where an open file can be neither removed nor renamed
    fcntl = None

HEADER_LIMIT = 10_000  # bytes; NumPy does not read longer headers either

# -- writing ---------------------------------------------------------------------------------------------


@contextmanager
def atomic_write(path: StrPath) -> Iterator[BinaryIO]:
    """Open a stream for the new content of a file, which replaces the file when the block ends.

    After an error or a crash, the file is unchanged. A new file gets the default permissions, a replaced file
    keeps its own. If the path is a symbolic link, the file it points to is replaced. A killed process leaves
    a ``.part`` file behind, which the next save to the same file removes.

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.
    PermissionError
        If the file is write-protected.
    OSError
        If the path is a folder or a device.

    Example
    -------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(f"{folder}/note") as stream:
    ...         _ = stream.write(b"whole")
    ...     Path(folder, "note").read_bytes()
    b'whole'
    """
    path = Path(os.path.realpath(path))
    check_replaceable(path)
    part, stream = open_part_file(path)
    try:
        with stream:
            if path.exists():
                copy_permissions(part, path.stat())
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if fcntl is None:
                stream.close()
            part.replace(path)  # still locked, so that no other process removes it as stale
    finally:
        part.unlink(missing_ok=True)
    remove_stale_parts(path)


def check_replaceable(path: Path) -> None:
    """Raise OSError unless a file can be written or replaced at this path."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.exists():
        if not path.is_file():
            raise OSError(f"{path} cannot be written: it is a {'folder' if path.is_dir() else 'device'}")
        if not os.access(path, os.W_OK):
            raise PermissionError(f"{path} cannot be replaced: it is write-protected")


def open_part_file(path: Path) -> tuple[Path, BinaryIO]:
    """Create a file with a random name beside another; it stays locked while it is open."""
    mode = 0o600 if path.exists() else 0o666  # an existing file may be private
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        part = path.with_name(f"{path.name}.{os.urandom(8).hex()}.part")
        stream = os.fdopen(os.open(part, flags, mode), "wb")
        if fcntl is None:
            return part, stream
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(stream, fcntl.LOCK_EX)
        if part.exists():
            return part, stream
        stream.close()  # another process removed it as stale before it was locked


def copy_permissions(part: Path, old: os.stat_result) -> None:
    """Give a new file the permissions of the file it replaces, and its group and owner if this is allowed."""
    if hasattr(os, "chown"):
        for owner, group in ((-1, old.st_gid), (old.st_uid, -1)):
            with suppress(OSError):
                os.chown(part, owner, group)
    part.chmod(stat.S_IMODE(old.st_mode))


def remove_stale_parts(path: Path) -> None:
    """Remove the ``.part`` files of processes that were killed while writing this file.

    A file that is still being written is locked by its writer (on Windows it is open), and stays.
    """
    pattern = re.compile(re.escape(path.name) + r"\.[0-9a-f]{16}\.part")
    with suppress(OSError):  # a folder may be writable but not readable
        for part in path.parent.iterdir():
            if pattern.fullmatch(part.name):
                with suppress(OSError), part.open("r+b") as stream:
                    if fcntl is not None:
                        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        part.unlink()
                if fcntl is None:
                    with suppress(OSError):
                        part.unlink()


def write_npz(path: StrPath, arrays: Mapping[str, np.ndarray]) -> None:
    """Save arrays by name. The same arrays give the same bytes.

    ``np.savez`` takes the names as keywords, so that no array could be called "file".
    """
    with atomic_write(path) as stream, zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")  # its date is always 1980, so that the bytes are equal
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


# -- reading ---------------------------------------------------------------------------------------------


class NpzEntry:
    """An array in an open ``.npz`` file. Its shape and dtype come from the header; ``np.asarray`` reads its
    content.

    Raises ValueError if the file is damaged or the header does not match the file.
    """

    def __init__(self, path: StrPath, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        self.path, self.archive, self.info = path, archive, info
        self.is_compressed = info.compress_type != zipfile.ZIP_STORED
        with archive.open(info) as member:
            self.shape, self.dtype, start = parse_header(member.read(HEADER_LIMIT))
        size = start + self.dtype.itemsize * math.prod(self.shape)
        if size != info.file_size:
            raise ValueError(f"{info.filename} has {info.file_size} bytes, but its header says {size}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        with damage_as_value_error(self.path), self.archive.open(self.info) as member:
            array = np.lib.format.read_array(member, allow_pickle=False)
            member.read()  # to the end, where the checksum is compared
        return array if dtype is None else array.astype(dtype, copy=False)


@contextmanager
def open_npz(path: StrPath) -> Iterator[dict[str, NpzEntry]]:
    """Open a file and read the headers of its arrays; yields the arrays by name.

    Raises ValueError if the file is not an ``.npz``, is damaged or cut off, or holds pickled objects.
    """
    with Path(path).open("rb") as stream:
        with damage_as_value_error(path):
            archive = zipfile.ZipFile(stream)
            entries = {}
            for info in archive.infolist():
                name = info.filename.removesuffix(".npy")
                if name == info.filename:
                    raise ValueError(f"{name} is no array")
                if name in entries:
                    raise ValueError(f"there are several arrays named {name}")
                entries[name] = NpzEntry(path, archive, info)
        with archive:
            yield entries


def read_npz(path: StrPath) -> dict[str, np.ndarray]:
    """Read the arrays of a file that :func:`write_npz` wrote, by name. They need no more memory than disk.

    Raises ValueError if the file is not an ``.npz``, is compressed, damaged or cut off, or has pickled
    objects.
    """
    with open_npz(path) as entries:
        size = sum(entry.info.file_size for entry in entries.values())
        if any(entry.is_compressed for entry in entries.values()) or size > Path(path).stat().st_size:
            raise ValueError(
                f"{path} is compressed and could fill the memory when read; files that autodiff saves are not"
            )
        return {name: np.asarray(entry) for name, entry in entries.items()}


@contextmanager
def damage_as_value_error(path: StrPath) -> Iterator[None]:
    """Turn any error in the block into a ValueError that names the file as damaged."""
    try:
        yield
    except Exception as error:  # zipfile, zlib, tokenize and NumPy raise a dozen classes
        raise ValueError(f"{path} is no .npz file, or a damaged one: {error}") from error


def parse_header(beginning: bytes) -> tuple[tuple[int, ...], np.dtype, int]:
    """The shape and dtype of an array in NumPy's format, and the offset of its data."""
    stream = io.BytesIO(beginning)
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"its arrays have format version {version}, which is not used for numbers")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream, HEADER_LIMIT)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are not read: allow_pickle=False")
    if any(length < 0 for length in shape):
        raise ValueError(f"an array has the impossible shape {shape}")
    return shape, dtype, stream.tell()
