"""A file that is replaced: its permissions, links to it, and what a killed process leaves behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from autodiff import nn, training
from autodiff.training import files
from autodiff.training.files import atomic_write, read_npz, write_npz

posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions, links and signals are POSIX's")
ROOT = Path(__file__).resolve().parents[2]


def write(path, content=b"new"):
    with atomic_write(path) as stream:
        stream.write(content)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def left_over(path):
    """A file as a killed process leaves it."""
    part = path.with_name(f"{path.name}.{'0a' * 8}.part")
    part.write_bytes(b"half")
    return part


# -- permissions ------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path, umask):
    before = os.umask(umask)
    try:
        write(tmp_path / "a")
    finally:
        os.umask(before)
    assert mode(tmp_path / "a") == 0o666 & ~umask


@posix
@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o664, 0o666, 0o755, 0o2644])
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_replaced_file_keeps_its_permissions(tmp_path, permissions, umask):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(permissions)
    before = os.umask(umask)
    try:
        write(path)
    finally:
        os.umask(before)
    assert mode(path) == permissions
    assert path.read_bytes() == b"new"


@posix
def test_what_replaces_a_private_file_is_never_open_to_others(tmp_path, monkeypatch):
    path, seen = tmp_path / "a", []
    path.write_bytes(b"old")
    path.chmod(0o600)
    monkeypatch.setattr(files, "copy_permissions", lambda part, old: seen.append(mode(part)))
    before = os.umask(0)
    try:
        write(path)
    finally:
        os.umask(before)
    assert seen == [0o600]


@posix
def test_weights_runs_and_tables_keep_their_permissions(tmp_path):
    from tests.training.fits import batch, line

    model = line()
    paths = [tmp_path / name for name in ("net.npz", "run.npz", "log.csv")]
    for _ in range(2):
        training.save_weights(model.net, paths[0])
        training.save_run(model, paths[1])
        model.fit([batch(1.0, 1.0)], 1, callbacks=[training.CSVLogger(paths[2])])
        for path in paths:
            path.chmod(0o640)
    training.save_weights(model.net, paths[0])
    assert [mode(path) for path in paths] == [0o640] * 3


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everything")
def test_a_write_protected_file_is_not_replaced(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o444)
    with pytest.raises(PermissionError, match="a cannot be replaced: it is write-protected"):
        write(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_folder_or_a_device_is_not_replaced(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match="a cannot be written: it is a folder"):
        write(tmp_path / "a")
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]
    if sys.platform != "win32":
        with pytest.raises(OSError, match="null cannot be written: it is a device"):
            write("/dev/null")


# -- links ------------------------------------------------------------------------------------------------


@posix
def test_what_a_link_points_to_is_replaced_and_keeps_its_permissions(tmp_path):
    (tmp_path / "folder").mkdir()
    real, link = tmp_path / "folder" / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o600)
    link.symlink_to(Path("folder") / "real")
    part = left_over(real)
    write(link)
    assert link.is_symlink()
    assert (real.read_bytes(), mode(real)) == (b"new", 0o600)
    assert not part.exists()
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "folder", real, link]


@posix
def test_what_a_link_points_to_may_not_be_there_yet(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@posix
def test_another_name_of_the_file_keeps_the_old_content(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    os.link(tmp_path / "a", tmp_path / "b")
    write(tmp_path / "a")
    assert (tmp_path / "b").read_bytes() == b"old"


# -- what was left over -----------------------------------------------------------------------------------


def test_the_next_save_removes_what_was_left_over_of_this_file_alone(tmp_path):
    path = tmp_path / "a.npz"
    part = left_over(path)
    others = [
        left_over(tmp_path / "b.npz"), tmp_path / "a.npz.part", tmp_path / "a.npz.12.part",
        tmp_path / f"a.npz.{'0A' * 8}.part", tmp_path / f"a.npz.{'0a' * 8}.part.txt",
        tmp_path / f"xa.npz.{'0a' * 8}.part", tmp_path / f"aXnpz.{'0a' * 8}.part",
    ]  # fmt: skip
    for other in others:
        other.write_bytes(b"mine")
    with pytest.raises(ZeroDivisionError), atomic_write(path):
        raise ZeroDivisionError
    assert part.exists()
    write(path)
    assert sorted(tmp_path.iterdir()) == sorted([path, *others])


def test_a_save_that_is_under_way_is_left_alone(tmp_path):
    path = tmp_path / "a"
    with atomic_write(path) as slow:
        slow.write(b"slow")
        write(path, b"fast")
        assert path.read_bytes() == b"fast"
        assert len(list(tmp_path.iterdir())) == 2
    assert path.read_bytes() == b"slow"
    assert list(tmp_path.iterdir()) == [path]


SAVE = """
import sys, numpy as np
from autodiff.training.files import atomic_write, write_npz
path, number, action = sys.argv[1], float(sys.argv[2]), sys.argv[3]
if action == "hang":
    with atomic_write(path) as stream:
        stream.write(b"half")
        stream.flush()
        print("ready", flush=True)
        sys.stdin.read()
while True:
    write_npz(path, {"x": np.full(200_000, number)})
    print("saved", flush=True)
"""


def process(path, number=0, action="save"):
    started = subprocess.Popen(
        [sys.executable, "-c", SAVE, str(path), str(number), action], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    started.stdout.readline()
    return started


def kill(started):
    started.kill()
    started.wait()
    started.stdout.close()
    started.stdin.close()


def test_a_save_in_another_process_is_left_alone_until_that_is_killed(tmp_path):
    path = tmp_path / "a"
    other = process(path, action="hang")
    try:
        write(path)
        assert len(list(tmp_path.iterdir())) == 2
    finally:
        kill(other)
    assert len(list(tmp_path.iterdir())) == 2
    write(path)
    assert list(tmp_path.iterdir()) == [path]


@posix
@pytest.mark.thorough
def test_killed_at_any_moment_a_process_leaves_a_whole_file(tmp_path, pytestconfig):
    path, rng = tmp_path / "a.npz", np.random.default_rng(0)
    for number in range(60 if pytestconfig.getoption("--thorough") else 6):
        saving = process(path, number)
        time.sleep(rng.uniform(0, 0.02))
        kill(saving)
        assert set(read_npz(path)["x"]) <= {float(number), float(max(number - 1, 0))}
    write_npz(path, {"x": np.zeros(1)})
    assert list(tmp_path.iterdir()) == [path]


def test_many_save_to_one_file_at_once(tmp_path):
    path, errors = tmp_path / "a.npz", []

    def save(number):
        try:
            for _ in range(30):
                write_npz(path, {"x": np.full(1000, number)})
        except BaseException as error:
            errors.append(error)
            raise

    other = process(path, 9)
    try:
        threads = [threading.Thread(target=save, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        x = read_npz(path)["x"]
        assert (x == x[0]).all()
    finally:
        kill(other)
    write_npz(path, {"x": np.zeros(1)})
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_ctrl_c_while_saving_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def interrupted():
        with atomic_write(path) as stream:
            stream.write(b"half")
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_where_files_cannot_be_locked_nothing_is_removed(tmp_path, monkeypatch):
    class Locking:
        LOCK_EX = LOCK_NB = 0

        def flock(self, stream, how):
            raise OSError("there are no locks")

    monkeypatch.setattr(files, "fcntl", Locking())
    part = left_over(tmp_path / "a")
    write(tmp_path / "a")
    assert part.exists()


def test_where_an_open_file_cannot_be_renamed_it_is_closed_first(tmp_path, monkeypatch):
    """As on Windows."""
    monkeypatch.setattr(files, "fcntl", None)
    part = left_over(tmp_path / "a")
    replace = Path.replace
    closed = []

    def watched(self, target):
        closed.append(stream.closed)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    with atomic_write(tmp_path / "a") as stream:
        stream.write(b"new")
    assert closed == [True]
    assert (tmp_path / "a").read_bytes() == b"new"
    assert not part.exists()


def test_saved_weights_are_found_whole_after_all_of_this(tmp_path):
    net, twin = nn.Linear(2, 2), nn.Linear(2, 2)
    left_over(tmp_path / "net.npz")
    training.save_weights(net, tmp_path / "net.npz")
    training.load_weights(twin, tmp_path / "net.npz")
    assert (net.weight == twin.weight).all()
    assert [path.name for path in tmp_path.iterdir()] == ["net.npz"]
