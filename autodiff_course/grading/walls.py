"""Walls around a process, and the limits that it sets itself before it runs what others wrote.

As a program, which ``unshare`` starts in namespaces of its own, it makes the file system read-only, puts
empty folders over those that are to be hidden, gives up all rights over this, and runs a command.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path
from typing import BinaryIO

MEMORY = 4 * 2**30
"""How many bytes of memory a process may take."""
FILE = 256 * 2**20
"""How many bytes a file may have."""
PROCESSES = 256
"""How many processes and threads there may be behind walls."""
PLACE = "/tmp"
"""The folder that can be written to behind walls."""
NOBODY = 65534
DEVICES = ("null", "zero", "full", "random", "urandom")
READ_ONLY, RECURSIVE, MOUNT_SETATTR = 1, 0x8000, 442
NO_SETUID_NO_DEVICES, BIND = 6, 4096
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38


# -- inside: the first thing that a process in the room does -------------------------------------------------


def enter() -> tuple[bytes, BinaryIO]:
    """Set limits, read what was given, and close input and output: returns the data, and a file for the
    result. What is printed from now on goes nowhere, and ``input`` fails at once."""
    limit()
    data = sys.stdin.buffer.read()
    report = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    Path(os.environ["AUTODIFF_MINE"]).mkdir()
    os.chdir(os.environ["HOME"])
    return data, report


def limit() -> None:
    """Limit what this process may take, where the system has such limits."""
    seconds, _, walled = os.environ["AUTODIFF_ROOM"].partition(" ")
    try:
        import resource
    except ImportError:  # Windows
        return
    most = {"AS": MEMORY, "FSIZE": FILE, "CORE": 0, "CPU": 2 * int(float(seconds)) + 60}
    if walled:  # elsewhere everything else that the teacher runs would be counted as well
        most["NPROC"] = PROCESSES
    for name, value in most.items():
        with contextlib.suppress(AttributeError, ValueError, OSError):
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))


# -- outside: what is done in new namespaces -----------------------------------------------------------------


def fresh(hidden: str) -> list[str]:
    """The folders that are empty behind walls."""
    return [name for name in (hidden, "/run", "/var/tmp", PLACE) if is_folder(Path(name))]


def is_folder(path: Path) -> bool:
    """Whether there is a folder, and no link to one."""
    return path.is_dir() and not path.is_symlink()


def furnish(hidden: str) -> None:
    """Make everything read-only, put empty folders over some, and leave the harmless devices only."""
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY, 0, 0, 0)
    checked(libc().syscall(MOUNT_SETATTR, -100, b"/", RECURSIVE, attributes, ctypes.sizeof(attributes)))
    for folder in fresh(hidden):
        mount("tmpfs", folder, b"mode=1777,nr_inodes=100k,size=" + (b"1g" if folder == PLACE else b"16m"))
    for name in DEVICES:
        (aside := Path(PLACE, f".{name}")).touch()
        mount(f"/dev/{name}", str(aside))
    mount("tmpfs", "/dev", b"mode=755,size=256m")
    for name in DEVICES:
        (device := Path("/dev", name)).touch()
        mount(f"{PLACE}/.{name}", str(device))
    shared = Path("/dev/shm")
    shared.mkdir()
    shared.chmod(0o1777)
    Path("/dev/fd").symlink_to("/proc/self/fd")


def mount(source: str, target: str, options: bytes | None = None) -> None:
    """Put a new folder in memory over another, or, without options, a file over another."""
    flags = NO_SETUID_NO_DEVICES if options else BIND
    checked(libc().mount(os.fsencode(source), os.fsencode(target), b"tmpfs", flags, options))


def give_up_rights(is_nobody: bool) -> None:
    """Give up every right over the namespaces for good, and if asked for become nobody."""
    for right in range(64):
        libc().prctl(PR_CAPBSET_DROP, right, 0, 0, 0)
    if is_nobody:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    checked(libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    checked(libc().prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0))


def libc() -> ctypes.CDLL:
    """The calls of the system that Python does not have."""
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> None:
    """Raise OSError if a call of the system has failed."""
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def main(who: str, hidden: str, *command: str) -> int:
    """Furnish the room and run a command in it, as "nobody" or as the "same" user. Everything in the room
    ends with this process."""
    furnish(hidden)
    child = os.fork()
    if not child:
        try:
            give_up_rights(who == "nobody")
            os.chdir(PLACE)
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
