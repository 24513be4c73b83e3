"""What a student has handed in, as texts: nothing of it is run here, no link is followed, and nothing that is
too large or no file is read."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

MOST = {"engine.py": 2**21, "earlier.py": 2**21, "notebook": 2**26}
"""How many bytes a file may have."""
WHOLE = 2**27
"""How many bytes all files of a student may have."""
ENTRIES, DEPTH = 50_000, 30
"""How many entries a folder may have with all that is in it, and how deep they may lie."""
NOTEBOOK = re.compile(r"[0-9][0-9]_.*\.ipynb")


@dataclass
class HandedIn:
    """The texts of a student's files, and what could not be read and why."""

    files: dict[str, str] = field(default_factory=dict)
    notebooks: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read(student: Path) -> HandedIn:
    """Read a student's engine.py and earlier.py, wherever they are, and all notebooks of lessons, in the
    order of their paths."""
    found, left = HandedIn(), WHOLE
    for path in paths(student, found.notes):
        is_notebook = bool(NOTEBOOK.fullmatch(path.name))
        where = str(path.relative_to(student))
        if path.name in found.files:
            continue
        try:
            text = text_of(path, min(left, MOST["notebook" if is_notebook else path.name]))
        except (OSError, ValueError) as error:
            reason = (error.strerror or "cannot be read") if isinstance(error, OSError) else str(error)
            found.notes.append(f"{where} was not read ({reason})")
            continue
        left -= len(text)
        if is_notebook:
            found.notebooks[where] = text
        else:
            found.files[path.name] = text
    return found


def paths(student: Path, notes: list[str]) -> list[Path]:
    """The files that count, in the order of their paths. Folders are entered and links to them are not."""
    found: list[Path] = []
    folders, entries = [(student, 0)], 0
    while folders:
        folder, depth = folders.pop()
        with contextlib.suppress(OSError), os.scandir(folder) as inside:
            for entry in inside:
                entries += 1
                if entries > ENTRIES:
                    notes.append(f"only the first {ENTRIES:,} entries of the folder were looked at")
                    return sorted(found)
                if entry.name in MOST or NOTEBOOK.fullmatch(entry.name):
                    found.append(Path(entry.path))
                elif entry.is_dir(follow_symlinks=False) and entry.name != ".ipynb_checkpoints":
                    folders += [(Path(entry.path), depth + 1)] * (depth < DEPTH)
    return sorted(found)


def text_of(path: Path, most: int) -> str:
    """The text of a regular file of at most so many bytes. Raises OSError or ValueError."""
    if path.is_symlink():
        raise ValueError("it is a link")
    if not path.is_file():  # a fifo would be waited for
        raise ValueError("it is no file")
    flags = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")  # as far as the system has them: it may change meanwhile
    with os.fdopen(os.open(path, sum(getattr(os, flag, 0) for flag in flags)), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no file")
        if status.st_size > most:
            raise ValueError("it is too large")
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError("it is too large")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
