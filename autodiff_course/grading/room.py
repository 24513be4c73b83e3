"""A room for code that is not trusted: a process of its own, which can spoil nothing outside of it.

A module of this package is run with data on its input and writes lines of JSON on its output. Everywhere
it has a session, a temporary folder and an environment of its own, limits of time and of output, and no
input; where the system has such limits (not on Windows), of memory, files and time of the processor too.
On Linux there are walls around it, where the system allows them: everything but the temporary folder is
read-only, the class's folder is out of sight, there is no network, and no process outlives it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import walls

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = 64 * 2**20
"""How many bytes a process may write as its result."""
PASSED_ON = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "AUTODIFF_DATA"),
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
)
"""The variables that a process in the room gets from the teacher's environment, and no others."""


@dataclass(frozen=True)
class Finished:
    """What a process left: its output, and what there is to say of how it ended."""

    output: bytes
    note: str = ""


def run_apart(module: str, data: bytes, seconds: float, hidden: Path) -> Finished:
    """Run ``python -m module`` in the strongest room that works here.

    Parameters
    ----------
    module
        The module, which calls ``walls.enter`` first.
    data
        What it reads from its input.
    seconds
        How long it may take.
    hidden
        A folder that it must not see, where there are walls.
    """
    return run_in(strongest(), module, data, seconds, hidden)


Room = Callable[[Path], list[str]]
"""What stands before a command in order to run it in a room, from which a folder is hidden."""


def no_walls(hidden: Path) -> list[str]:
    """A process like any other."""
    return []


def bubblewrap(hidden: Path) -> list[str]:
    """Walls by bubblewrap."""
    folders = [
        part for folder in walls.fresh(str(hidden)) for part in ("--size", str(2**30), "--tmpfs", folder)
    ]
    apart = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    return ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *folders, *apart]


def namespaces(hidden: Path) -> list[str]:
    """Walls by Linux's namespaces, which ``unshare`` makes and ``walls`` furnishes."""
    return furnished(hidden, "same", "--user", "--map-root-user")


def as_nobody(hidden: Path) -> list[str]:
    """The same for the system's root, as a user without any rights."""
    return furnished(hidden, "nobody")


def furnished(hidden: Path, who: str, *user: str) -> list[str]:
    """The command for both."""
    apart = ("--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc")
    return ["unshare", *user, *apart, sys.executable, "-I", walls.__file__, who, str(hidden)]


@functools.cache
def strongest() -> Room:
    """The strongest room in which a process can do its work here. Containers often forbid walls."""
    for room in (as_nobody, namespaces, bubblewrap) if sys.platform == "linux" else ():
        with contextlib.suppress(OSError), tempfile.TemporaryDirectory() as hidden:
            if b"done" in run_in(room, f"{__package__}.confirm", b"{}", 60, Path(hidden)).output:
                return room
    return no_walls


def has_walls() -> bool:
    """Whether there are walls around a process here."""
    return strongest() is not no_walls


def run_in(room: Room, module: str, data: bytes, seconds: float, hidden: Path) -> Finished:
    """Run a module in a room."""
    place = tempfile.mkdtemp(prefix="autodiff-room-")
    inside = place if room is no_walls else walls.PLACE
    command = [*room(hidden.resolve()), sys.executable, "-m", module]
    try:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output:
            given.write(data)
            given.seek(0)
            process = subprocess.Popen(
                command,
                cwd=place if room is no_walls else "/",
                env=environment(inside, seconds, room is not no_walls),
                stdin=given,
                stdout=output,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                note = watched(process, seconds, output.fileno())
            finally:
                end(process, place)
            output.seek(0)
            return Finished(output.read(OUTPUT), note)
    finally:
        remove(place)


def environment(place: str, seconds: float, walled: bool) -> dict[str, str]:
    """The whole environment of a process in the room."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    homes = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "IPYTHONDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME")
    return {
        **passed,
        **dict.fromkeys(homes, place),
        "AUTODIFF_MINE": f"{place}/mine",
        "AUTODIFF_ROOM": f"{seconds:g} {'walls' * walled}",
        "PYTHONPATH": str(ROOT),
        "PYTHONUSERBASE": site.getuserbase(),
        "PYTHONIOENCODING": "utf-8",
        "MPLBACKEND": "agg",
    }


def watched(process: subprocess.Popen[bytes], seconds: float, output: int) -> str:
    """Wait for a process to end, or for the time to stop it. Returns what there is to say of that."""
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(0.05)
            return f"ended by itself ({code})" if code else ""
        if os.fstat(output).st_size > OUTPUT:
            return "stopped, since it wrote too much"
    return f"stopped after {seconds:g} seconds"


def end(process: subprocess.Popen[bytes], place: str) -> None:
    """Stop a process with all that it has started, and those that have left its session as far as they are
    found (behind walls none is left anyway)."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        for _ in range(20):
            found = strays(place)
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if not found:
                break
    else:  # before it is killed itself, since then its children cannot be found
        command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)
        process.kill()
    process.wait()


def strays(place: str) -> list[int]:
    """The processes whose environment names a room's folder, where the system says so."""
    found = []
    for folder in Path("/proc").glob("[0-9]*") if sys.platform == "linux" else ():
        with contextlib.suppress(OSError):
            if os.fsencode(place) in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def remove(place: str) -> None:
    """Remove a room's folder, even if something is still written into it or cannot be entered."""
    for _ in range(3):
        shutil.rmtree(place, onerror=opened)
        if not Path(place).exists():
            return
        time.sleep(0.1)


def opened(function: Callable[[str], object], path: str, _: object) -> None:
    """Try once more to remove something, after allowing it."""
    with contextlib.suppress(OSError):
        Path(path).parent.chmod(0o700)
        if not Path(path).is_symlink():
            Path(path).chmod(0o700)
        function(path)
