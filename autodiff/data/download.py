"""Where the files of data sets lie, and how they get there.

A file is looked for in a folder of one's own, then in the cache, then downloaded to the cache. It gets its
name there only when it is whole and its checksum is right; until then, what has arrived is kept beside it
under another name, and the next attempt goes on from there.
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
PAUSE = 1.0  # seconds between attempts
TIMEOUT = 20.0  # seconds without a byte after which an attempt is given up
CHUNK = 1 << 16
RANGE_NOT_SATISFIABLE = 416
ASK_AGAIN = (408, RANGE_NOT_SATISFIABLE, 429)  # too slow, nothing from there on, too often


class DownloadError(FileNotFoundError):
    """A file is not here and could not be downloaded; the message says where to put it."""


class Refused(Exception):
    """It is no use to ask this address again."""


@dataclass(frozen=True)
class File:
    """A file of a data set: its place in a folder of data sets, how it is recognized, and where it is had.

    The checksum is a sha256 in hexadecimal digits, or an md5 where no better one is known.
    """

    place: str
    size: int
    checksum: str
    urls: tuple[str, ...]


def find(file: File, root: str | os.PathLike[str] | None = None, download: bool = True) -> Path:
    """Where a file lies, downloaded first if need be.

    It is looked for in ``root`` if that is given; else in the folder that the environment variable
    AUTODIFF_DATA names, then in the cache. A copy without ``.gz`` is taken too. Downloads go to ``root`` or
    the cache. Raises DownloadError, which is a FileNotFoundError.
    """
    named = os.environ.get("AUTODIFF_DATA")
    own = [Path(named).expanduser()] if named else []
    folders = [*own, cache_folder()] if root is None else [Path(root).expanduser()]
    for folder in folders:
        for place in (file.place, file.place.removesuffix(".gz")):
            if (folder / place).is_file():
                return folder / place
    target = folders[-1] / file.place
    if not download:
        looked = " or ".join(map(str, folders))
        raise DownloadError(f"{file.place} is not in {looked}, and download=False. {advice(file, target)}")
    return fetch(file, target)


def advice(file: File, target: Path) -> str:
    """How a file gets to its place by hand."""
    named = os.environ.get("AUTODIFF_DATA")
    return (
        f"Get it from {file.urls[0]} and put it at {target}, or at {file.place} in a folder of your own that "
        f"the environment variable AUTODIFF_DATA ({f'now {named}' if named else 'not set'}) or the argument "
        "root names"
    )


def cache_folder() -> Path:
    r"""Where downloads are kept: what each system has for files that can be had again, and "autodiff" in it.

    ~/.cache (or XDG_CACHE_HOME) on Linux, ~/Library/Caches on macOS, %LOCALAPPDATA%\autodiff\Cache on
    Windows.

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
    """Download a file to a path, from the first of its addresses that gives it whole.

    Several processes may do so at once. Raises DownloadError if no address does, with what each said.
    """
    reasons = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(path) as (stream, part):
            if path.is_file():  # another process was faster
                return path
            for url in file.urls:
                reason = ask(url, file, stream)
                if reason is None:
                    return put(stream, part, path)
                reasons.append(f"{url}: {reason}")
    except OSError as error:  # of the folder, not of a server
        reasons.append(f"{path.parent}: {error}")
    said = "".join(f"\n  {reason}" for reason in reasons)
    raise DownloadError(f"{file.place} could not be downloaded:{said}\n{advice(file, path)}")


# -- from a server -------------------------------------------------------------------------------------


def ask(url: str, file: File, stream: io.FileIO) -> str | None:
    """Get the rest of a file from one address, in a few attempts. Returns None, or why that failed."""
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError

    reason = ""
    for number in range(ATTEMPTS):
        time.sleep(PAUSE if number else 0)
        try:
            receive(url, file, stream)
            return None
        except HTTPError as error:
            error.close()
            reason = f"{error.code} {error.reason}"
            if error.code == RANGE_NOT_SATISFIABLE:
                stream.truncate(0)
            elif error.code < 500 and error.code not in ASK_AGAIN:
                return reason
        except Refused as error:
            return str(error)
        except URLError as error:  # nobody there: it is no use to wait
            return str(error.reason)
        except (OSError, HTTPException) as error:
            reason = str(error) or type(error).__name__
    return reason


def receive(url: str, file: File, stream: io.FileIO) -> None:
    """Get the rest of a file, after what the stream holds already, and check the whole."""
    from urllib.request import Request, urlopen

    had = stream.seek(0, os.SEEK_END)
    if had < file.size:
        headers = {"User-Agent": "autodiff", "Accept-Encoding": "identity"}
        if had:
            headers["Range"] = f"bytes={had}-"
        with urlopen(Request(url, headers=headers), timeout=TIMEOUT) as response:
            copy(response, file, stream, had)
    if checksum(stream, file) != file.checksum:
        stream.truncate(0)
        if had:  # that part may have been to blame
            raise OSError("what had arrived earlier does not fit, and was dropped")
        raise Refused("it sends another file: the checksum differs")


def copy(response: Any, file: File, stream: io.FileIO, had: int) -> None:
    """Append what a server sends to a stream, or begin again if it sends the file from its start."""
    start = 0
    if response.status == 206:
        start = had
        if not response.headers.get("Content-Range", "").startswith(f"bytes {had}-"):
            stream.truncate(0)
            raise OSError("it sends another part than it was asked for")
    left = file.size - start
    if response.length not in (None, left):
        raise Refused(f"it sends another file: {response.length} bytes, not {left}")
    stream.truncate(start)
    with progress(file, start) as advance:
        while left and (chunk := response.read1(min(CHUNK, left))):
            stream.write(chunk)
            left -= len(chunk)
            advance(len(chunk))
    if left:
        raise OSError(f"it broke off {left} bytes before the end")


def checksum(stream: io.FileIO, file: File) -> str:
    """The checksum of all that a stream holds, of the kind that the file's own is."""
    import hashlib

    algorithm = {32: "md5", 64: "sha256"}[len(file.checksum)]
    stream.seek(0)
    return hashlib.file_digest(stream, lambda: hashlib.new(algorithm, usedforsecurity=False)).hexdigest()


@contextmanager
def progress(file: File, start: int) -> Iterator[Callable[[int], object]]:
    """A bar of tqdm, if that is installed and stderr is a terminal; else nothing is shown."""
    bar = None
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(ImportError):
            tqdm = import_module("tqdm").tqdm
            bar = tqdm(total=file.size, initial=start, desc=file.place, unit="B", unit_scale=True)
    if bar is None:
        yield lambda count: None
    else:
        with bar:
            yield bar.update


# -- on the disk ---------------------------------------------------------------------------------------


@contextmanager
def unfinished(path: Path) -> Iterator[tuple[io.FileIO, Path]]:
    """What has arrived of a file so far, open for more, and its own path beside the file's.

    Nothing is buffered: what was written is there even if the process is killed.
    One process at a time has ``path.part``, which is kept for the next attempt. Others, as long as it does,
    have a file of their own, which goes with them.
    """
    part = path.with_name(f"{path.name}.part")
    stream = part.open("a+b", buffering=0)
    shared = locked(stream, part)
    if not shared:
        stream.close()
        part = path.with_name(f"{path.name}.{os.urandom(8).hex()}.part")
        stream = part.open("a+b", buffering=0)
    try:
        yield stream, part
    finally:
        if sys.platform == "win32":
            stream.close()  # there an open file can be neither renamed nor deleted
        if path.is_file() or not shared or part.stat().st_size == 0:
            with suppress(PermissionError):
                part.unlink(missing_ok=True)
        stream.close()  # and with it the lock


def locked(stream: io.FileIO, part: Path) -> bool:
    """Lock an open file if nobody else has. False too where the system cannot lock, or if the file was
    renamed or deleted in the meantime."""
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


def put(stream: io.FileIO, part: Path, path: Path) -> Path:
    """Give a whole file its name, in one step that leaves no half of it even if the power fails."""
    os.fsync(stream.fileno())
    if sys.platform == "win32":
        stream.close()
    for _ in range(20):
        try:
            return part.replace(path)
        except PermissionError:  # on Windows: another process has just opened it, or put its own there
            if path.is_file():
                return path
            time.sleep(0.1)
    return part.replace(path)
