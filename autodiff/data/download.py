"""Finding the files of data sets, and downloading them.

A file is looked for in the user's own data folder and in the cache; if it is in neither, it is downloaded to
the cache. A download is written to a ``.part`` file, which is renamed when it is complete and its checksum is
right. An interrupted download is resumed from there.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

ATTEMPTS = 3  # for each address
RETRY_PAUSE = 1.0  # seconds between attempts
TIMEOUT = 20.0  # seconds without a byte after which an attempt is abandoned
CHUNK = 1 << 16  # bytes read at a time
RANGE_NOT_SATISFIABLE = 416
RETRY_STATUSES = (408, RANGE_NOT_SATISFIABLE, 429)  # 408: request timeout, 429: too many requests


class DownloadError(FileNotFoundError):
    """A file is missing and could not be downloaded; the message says where to put it."""


class WrongFileError(Exception):
    """A server sends another file than expected, so that a retry would not help."""


@dataclass(frozen=True)
class File:
    """A file of a data set: its path relative to a data folder, its size and checksum, and its addresses.

    The checksum is a SHA-256 in hexadecimal digits, or an MD5 if no SHA-256 is known.
    """

    relative_path: str
    size: int
    checksum: str
    urls: tuple[str, ...]


def find_file(file: File, root: str | os.PathLike[str] | None = None, download: bool = True) -> Path:
    """The path of a file, which is downloaded first if necessary.

    The file is looked for in ``root`` if given, else in the folder that the environment variable
    AUTODIFF_DATA names, then in the cache. An unpacked copy (without ``.gz``) is accepted too. Downloads go
    to ``root`` or the cache. Raises DownloadError, which is a FileNotFoundError.
    """
    folders = search_folders(root)
    for folder in folders:
        for relative_path in (file.relative_path, file.relative_path.removesuffix(".gz")):
            if (folder / relative_path).is_file():
                return folder / relative_path
    target = folders[-1] / file.relative_path
    if not download:
        searched = " or ".join(map(str, folders))
        raise DownloadError(
            f"{file.relative_path} is not in {searched}, and download=False. "
            f"{manual_instructions(file, target)}"
        )
    return fetch(file, target)


def search_folders(root: str | os.PathLike[str] | None) -> list[Path]:
    """The folders to search for a file, in order. The last one is that of downloads."""
    if root is not None:
        return [Path(root).expanduser()]
    data_folder = os.environ.get("AUTODIFF_DATA")
    return [Path(data_folder).expanduser(), cache_folder()] if data_folder else [cache_folder()]


def manual_instructions(file: File, target: Path) -> str:
    """Where to get a file by hand, and where to put it."""
    data_folder = os.environ.get("AUTODIFF_DATA")
    return (
        f"Download it from {file.urls[0]} and put it at {target}, or at {file.relative_path} in a folder "
        f"that the environment variable AUTODIFF_DATA ({f'now {data_folder}' if data_folder else 'not set'}) "
        "or the argument root names"
    )


def cache_folder() -> Path:
    r"""The folder of downloads: ``~/.cache/autodiff`` on Linux (XDG_CACHE_HOME replaces ``~/.cache``),
    ``~/Library/Caches/autodiff`` on macOS, ``%LOCALAPPDATA%\autodiff\Cache`` on Windows.

    Example
    -------
    >>> from autodiff import data
    >>> "autodiff" in data.cache_folder().parts
    True
    """
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(local) / "autodiff" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "autodiff"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autodiff"


def fetch(file: File, path: Path) -> Path:
    """Download a file to a path, from the first of its addresses that works.

    Several processes may download the same file at once. If every address fails, DownloadError is raised with
    the reason for each.
    """
    reasons = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part_file(path) as (stream, part):
            if path.is_file():  # another process was faster
                return path
            for url in file.urls:
                reason = download_from(url, file, stream)
                if reason is None:
                    return move_into_place(stream, part, path)
                reasons.append(f"{url}: {reason}")
    except OSError as error:  # raised by the folder; download_from catches the errors of servers
        reasons.append(f"{path.parent}: {error}")
    listed = "".join(f"\n  {reason}" for reason in reasons)
    raise DownloadError(
        f"{file.relative_path} could not be downloaded:{listed}\n{manual_instructions(file, path)}"
    )


# -- from a server -------------------------------------------------------------------------------------


def download_from(url: str, file: File, stream: io.FileIO) -> str | None:
    """Download the rest of a file from one address, with retries. Returns None on success, else the reason
    for the failure."""
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError

    reason = ""
    for number in range(ATTEMPTS):
        time.sleep(RETRY_PAUSE if number else 0)
        try:
            receive(url, file, stream)
            return None
        except HTTPError as error:
            error.close()
            reason = f"{error.code} {error.reason}"
            if error.code == RANGE_NOT_SATISFIABLE:
                stream.truncate(0)
            elif error.code < 500 and error.code not in RETRY_STATUSES:
                return reason
        except WrongFileError as error:
            return str(error)
        except URLError as error:  # no server answers, so that a retry would not help
            return str(error.reason)
        except (OSError, HTTPException) as error:
            reason = str(error) or type(error).__name__
    return reason


def receive(url: str, file: File, stream: io.FileIO) -> None:
    """Download the rest of a file into a stream, and check the checksum of the complete file."""
    from urllib.request import Request, urlopen

    offset = stream.seek(0, os.SEEK_END)
    if offset < file.size:
        headers = {"User-Agent": "autodiff", "Accept-Encoding": "identity"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        with urlopen(Request(url, headers=headers), timeout=TIMEOUT) as response:
            append_response(response, file, stream, offset)
    if checksum(stream, file) != file.checksum:
        stream.truncate(0)
        if offset:  # the part from an earlier attempt may be the wrong one
            raise OSError("the checksum differs, and the part from an earlier attempt was discarded")
        raise WrongFileError("it sends another file: the checksum differs")


def append_response(response: Any, file: File, stream: io.FileIO, offset: int) -> None:
    """Append a server's response to a stream, or start over if the server sends the file from its start."""
    start = 0
    if response.status == 206:
        start = offset
        if not response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
            stream.truncate(0)
            raise OSError("it sends another part of the file than requested")
    remaining = file.size - start
    if response.length not in (None, remaining):
        raise WrongFileError(f"it sends another file: {response.length} bytes, not {remaining}")
    stream.truncate(start)
    with progress_bar(file, start) as advance:
        while remaining and (chunk := response.read1(min(CHUNK, remaining))):
            stream.write(chunk)
            remaining -= len(chunk)
            advance(len(chunk))
    if remaining:
        raise OSError(f"the connection closed {remaining} bytes before the end")


def checksum(stream: io.FileIO, file: File) -> str:
    """The checksum of a stream's content, by the algorithm of the file's own checksum."""
    import hashlib

    algorithm = {32: "md5", 64: "sha256"}[len(file.checksum)]
    stream.seek(0)
    return hashlib.file_digest(stream, lambda: hashlib.new(algorithm, usedforsecurity=False)).hexdigest()


@contextmanager
def progress_bar(file: File, start: int) -> Iterator[Callable[[int], object]]:
    """Yield a function that advances a tqdm bar by a number of bytes. No bar is shown if tqdm is not
    installed or stderr is not a terminal."""
    bar = None
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(ImportError):
            tqdm = import_module("tqdm").tqdm
            bar = tqdm(total=file.size, initial=start, desc=file.relative_path, unit="B", unit_scale=True)
    if bar is None:
        yield lambda count: None
    else:
        with bar:
            yield bar.update


# -- on the disk ---------------------------------------------------------------------------------------


@contextmanager
def part_file(path: Path) -> Iterator[tuple[io.FileIO, Path]]:
    """Open the partial download of a file; yields the stream and its path.

    Nothing is buffered, so that a killed process loses nothing that it wrote. One process at a time locks
    ``path.part``, which is kept for the next attempt; the others meanwhile use files with random names, which
    are deleted at the end.
    """
    part = path.with_name(f"{path.name}.part")
    stream = part.open("a+b", buffering=0)
    shared = try_lock(stream, part)
    if not shared:
        stream.close()
        part = path.with_name(f"{path.name}.{os.urandom(8).hex()}.part")
        stream = part.open("a+b", buffering=0)
    try:
        yield stream, part
    finally:
        if sys.platform == "win32":
            stream.close()  # Windows can neither rename nor delete an open file
        if path.is_file() or not shared or part.stat().st_size == 0:
            with suppress(PermissionError):
                part.unlink(missing_ok=True)
        stream.close()  # releases the lock


def try_lock(stream: io.FileIO, part: Path) -> bool:
    """Try to lock an open file without waiting. Returns False if another process has the lock, if the file
    system has no locks, or if the file was renamed or deleted meanwhile."""
    try:
        if sys.platform == "win32":
            import msvcrt

            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(stream.fileno()), part.stat())
    except OSError:
        return False


def move_into_place(stream: io.FileIO, part: Path, path: Path) -> Path:
    """Rename a complete download atomically, so that no incomplete file is left even if the power fails."""
    os.fsync(stream.fileno())
    if sys.platform == "win32":
        stream.close()
    for _ in range(20):
        try:
            return part.replace(path)
        except PermissionError:  # on Windows, if another process has the file open or has just placed it
            if path.is_file():
                return path
            time.sleep(0.1)
    return part.replace(path)
