"""The reader's file, ``mine/engine.py``: where it is, how it is read, and how a piece is put into it.

The file is the only memory. It is a plain module that imports and runs by itself; a comment over each part
says what it is and whose, and by these comments it is read again. What the reader changes by hand stays as it
is. Pieces that a later lesson replaced stand beside it in ``mine/earlier.py``.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..place import folder
from .plan import TOP, YOURS, active, after_lesson, assembled, parts, pieces

MARK = re.compile(r"# (\d\d [^:]+): (.+)")
SECTION = re.compile(r"# == \d\d .*=")
EARLIER = '"""What I wrote first, and what a later lesson replaced. Nothing imports this file."""\n'
SHOWN = "mine/engine.py"
"""How messages call the file, on every system."""


@dataclass
class Mine:
    """What the reader has written: the first lines of the file and the parts that are not the reference's."""

    top: str = TOP
    own: dict[str, str] = field(default_factory=dict)
    note: str = ""
    """What is the matter with the file, for the reader."""
    locked: bool = False
    """Whether the file must not be written, since it could not be read."""
    unmarked: bool = False
    """Whether the file has lost its marks: then it is put aside before a new one is written."""


# -- reading -------------------------------------------------------------------------------------------------


def load() -> Mine:
    """Read the reader's file. A file that is not there, or cannot be read, is an empty one with a note."""
    mine, engine = Mine(), folder() / "engine.py"
    try:
        if engine.exists():
            text = engine.read_text(encoding="utf-8-sig")
            mine.top, found = read(text)
            mine.top = mine.top if text.strip() else TOP
            mine.unmarked = not found and bool(text.strip())
            mine.own = own_parts(found)
        earlier = folder() / "earlier.py"
        if earlier.exists():
            mine.own = own_parts(read(earlier.read_text(encoding="utf-8-sig"))[1]) | mine.own
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        return Mine(note=f"{SHOWN} cannot be read ({why}), so the reference stands in.", locked=True)
    if mine.unmarked:
        mine.top = TOP
        mine.note = (
            f"{SHOWN} has lost the lines that say where a piece begins (like `# 05 order: yours`), so the "
            "reference stands in. Write these lines over your pieces again. Until then the file stays as it "
            "is; if you keep a new piece it is put aside as mine/engine_old.py."
        )
    return mine


def read(text: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """The first lines of a file, and for each part that it names the part's text and whose it is."""
    names = {part.name for part in parts()}
    top: list[str] = []
    found: dict[str, tuple[list[str], str]] = {}
    lines = top
    for line in text.splitlines():
        mark = MARK.fullmatch(line.strip())
        if mark and mark[1] in names:
            lines = []
            found[mark[1]] = lines, mark[2]
        elif not SECTION.match(line):
            lines.append(line)
    return "\n".join(top), {
        name: ("\n".join(lines).strip("\n"), mark) for name, (lines, mark) in found.items()
    }


def own_parts(found: dict[str, tuple[str, str]]) -> dict[str, str]:
    """The parts of a file that are the reader's: marked so, or other than the reference's."""
    reference = {part.name: part.code for part in parts()}
    return {
        name: text
        for name, (text, mark) in found.items()
        if text and (mark.startswith(YOURS) or not same_lines(text, reference[name]))
    }


def same_lines(text: str, other: str) -> bool:
    """Whether two texts have the same lines, up to blanks at their ends."""
    return [line.rstrip() for line in text.split("\n")] == [line.rstrip() for line in other.split("\n")]


# -- writing -------------------------------------------------------------------------------------------------


def keep(name: str, code: str, not_right: Collection[str] = ()) -> str:
    """Put a piece into the reader's file. What the file has otherwise stays as it is there now, since another
    notebook may have written it. Returns "" or the reason why nothing could be written."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with alone(folder() / "engine.lock"):
            mine = load()
            if mine.locked:
                return mine.note
            if mine.unmarked:
                put_aside(folder() / "engine.py")
            mine.own[name] = code
            write(mine, set(not_right) - {name})
    except OSError as error:
        return f"{folder()} cannot be written to ({error.strerror})."
    return ""


def write(mine: Mine, not_right: Collection[str]) -> None:
    """Write both files."""
    kept = [part for part in parts() if part.name in mine.own]
    stop = after_lesson(max(part.lesson for part in kept))
    there = {part.name for part in active(stop)}
    write_text(folder() / "engine.py", assembled(stop, mine.own, mine.top, not_right))
    replaced = [part.name for part in kept if part.name not in there]
    if replaced:
        sections = [f"# {name}: {YOURS}\n\n{mine.own[name]}" for name in replaced]
        write_text(folder() / "earlier.py", "\n\n\n".join([EARLIER.strip(), *sections]) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.write_text(text, encoding="utf-8", newline="\n")
    try:
        new.replace(path)
    except OSError:  # on Windows, while another program has the file open
        new.unlink(missing_ok=True)
        raise


def put_aside(path: Path) -> None:
    """Rename a file that cannot be understood, without losing an older one of that name."""
    number = 1
    while (aside := path.with_name(f"engine_old{'' if number == 1 else number}.py")).exists():
        number += 1
    path.rename(aside)


@contextlib.contextmanager
def alone(lock: Path, patience: float = 5.0) -> Iterator[None]:
    """Let one notebook at a time write. A lock that is older than the patience was left behind and is
    ignored."""
    begun = time.monotonic()
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except (FileExistsError, PermissionError) as error:
            if isinstance(error, PermissionError) and os.name != "nt":  # Windows: of a lock just removed
                raise
            if time.monotonic() - begun > patience:
                break
            time.sleep(0.02)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


# -- where nothing is kept -----------------------------------------------------------------------------------


def how_to_save() -> str:
    """What to do where nothing is kept between two visits; "" elsewhere."""
    if os.environ.get("AUTODIFF_MINE"):
        return ""
    if "BINDER_SERVICE_HOST" in os.environ or "BINDER_LAUNCH_HOST" in os.environ:
        return (
            "This is Binder, which keeps nothing between visits. Before you leave, download mine/engine.py "
            "(and mine/earlier.py) from the list of files; next time, put it there again before you begin."
        )
    if "COLAB_RELEASE_TAG" in os.environ or "google.colab" in sys.modules:
        return (
            "This is Colab, which keeps nothing between two visits. To keep your machine, run this first:\n"
            "    from google.colab import drive\n"
            "    drive.mount('/content/drive')\n"
            "    %env AUTODIFF_MINE=/content/drive/MyDrive/autodiff"
        )
    return ""


def are_yours(mine: int, total: int) -> str:
    """The sentence for a number of pieces: "7 of 9 pieces are yours."."""
    return f"{mine} of {total} pieces {'is' if mine == 1 else 'are'} yours."


def counts(own: Collection[str], stop: int) -> tuple[int, int]:
    """How many of the pieces among the first ``stop`` parts are the reader's, and how many there are."""
    asked = [part.name for part in parts()[:stop] if part.name in pieces()]
    return sum(name in own for name in asked), len(asked)
