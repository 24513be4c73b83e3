"""The downloader against servers on loopback that are slow, break off, lie, or are not there."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from autodiff.data import DownloadError, cache_folder, download
from autodiff.data.download import File, fetch, find_file
from tests.data.servers import (
    CONTENT,
    Server,
    another_page,
    breaks_off,
    falls_silent,
    good,
    ignores_range,
    slow,
    status,
    without_length,
    wrong_bytes,
    wrong_part,
)

ROOT = Path(__file__).resolve().parents[2]
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MD5 = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()


@pytest.fixture(autouse=True)
def no_proxy_and_no_patience(monkeypatch):
    """The servers are on this machine, whatever its settings for the world outside are."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("AUTODIFF_DATA", raising=False)
    monkeypatch.setattr(download, "RETRY_PAUSE", 0)
    monkeypatch.setattr(download, "TIMEOUT", 5)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "file"


def part(path):
    return path.with_name("file.part")


def file_at(*servers):
    return File("place/file", len(CONTENT), SHA256, tuple(server.url for server in servers))


def nobody():
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return SimpleNamespace(url=f"http://127.0.0.1:{taken.getsockname()[1]}/file")


# -- what arrives ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "ranges"),
    [
        ([good], [None]),
        ([slow], [None]),
        ([without_length], [None]),
        ([breaks_off, good], [None, "bytes=100000-"]),
        ([breaks_off], [None, "bytes=100000-", "bytes=200000-"]),
        ([breaks_off, ignores_range], [None, "bytes=100000-"]),
        ([breaks_off, without_length], [None, "bytes=100000-"]),
        ([breaks_off, wrong_bytes, good], [None, "bytes=100000-", None]),
        ([breaks_off, wrong_part, good], [None, "bytes=100000-", None]),
        ([breaks_off, status(416), good], [None, "bytes=100000-", None]),
        ([status(503), good], [None, None]),
        ([status(429), good], [None, None]),
    ],
    ids=lambda value: "-".join(getattr(answer, "__name__", str(answer)) for answer in value),
)
def test_one_server_is_enough(answers, ranges, path):
    with Server(*answers) as server:
        assert fetch(file_at(server), path) == path
    assert path.read_bytes() == CONTENT
    assert server.ranges == ranges
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("answer", [wrong_bytes, another_page, status(404), status(403)])
def test_a_server_without_the_file_is_asked_once_and_then_the_next(answer, path):
    with Server(answer) as first, Server(good) as second:
        fetch(file_at(first, second), path)
    assert path.read_bytes() == CONTENT
    assert (first.ranges, second.ranges) == ([None], [None])


def test_one_that_falls_silent_is_given_up_and_the_next_goes_on_from_there(path, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", 0.2)
    monkeypatch.setattr(download, "ATTEMPTS", 1)
    with Server(falls_silent) as first, Server(good) as second:
        begin = time.monotonic()
        fetch(file_at(first, second), path)
        assert time.monotonic() - begin < 10
    assert path.read_bytes() == CONTENT
    assert second.ranges == ["bytes=100000-"]


def test_nobody_there_means_the_next_without_waiting(path, monkeypatch):
    monkeypatch.setattr(download, "RETRY_PAUSE", 60)
    monkeypatch.setattr(download, "time", SimpleNamespace(sleep=lambda seconds: waited.append(seconds)))
    waited = []
    with Server(good) as server:
        fetch(file_at(nobody(), server), path)
    assert path.read_bytes() == CONTENT
    assert not any(waited)


def test_an_md5_is_checked_too(path):
    with Server(good) as server:
        fetch(replace(file_at(server), checksum=MD5), path)
        with pytest.raises(DownloadError, match="the checksum differs"):
            fetch(replace(file_at(server), checksum=MD5[::-1]), path.with_name("other"))
    assert list(path.parent.iterdir()) == [path]


# -- what is left ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "kept", "says"),
    [
        (breaks_off, 100_000, "the connection closed 156000 bytes before the end"),
        (wrong_bytes, None, "it sends another file: the checksum differs"),
        (another_page, None, "it sends another file: 26 bytes, not 256000"),
        (status(404), None, "404 Not Found"),
        (status(500), None, "500 Internal Server Error"),
    ],
)
def test_a_failure_leaves_no_file_but_what_is_good_of_it(answer, kept, says, path, monkeypatch):
    monkeypatch.setattr(download, "ATTEMPTS", 1)
    with Server(answer) as server, pytest.raises(DownloadError, match=says):
        fetch(file_at(server), path)
    assert not path.exists()
    left = {} if kept is None else {part(path): CONTENT[:kept]}
    assert {found: found.read_bytes() for found in path.parent.iterdir()} == left


@pytest.mark.parametrize(
    ("had", "ranges"),
    [
        (CONTENT[:1234], ["bytes=1234-"]),
        (CONTENT, []),
        (CONTENT + b"more", [None]),
        (b"x" * 1234, ["bytes=1234-", None]),
        (b"x" * len(CONTENT), [None]),
    ],
    ids=["half", "all", "too much", "foreign", "all of it foreign"],
)
def test_what_an_earlier_attempt_left_is_used_if_it_is_good(had, ranges, path):
    path.parent.mkdir()
    part(path).write_bytes(had)
    with Server(good) as server:
        fetch(file_at(server), path)
    assert path.read_bytes() == CONTENT
    assert server.ranges == ranges
    assert list(path.parent.iterdir()) == [path]


def test_a_login_page_does_not_cost_what_had_arrived(path):
    path.parent.mkdir()
    part(path).write_bytes(CONTENT[:1234])
    with Server(another_page) as server, pytest.raises(DownloadError):
        fetch(file_at(server), path)
    assert part(path).read_bytes() == CONTENT[:1234]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with Server(good) as server, pytest.raises(DownloadError, match=r"could not be downloaded:\n.*cache"):
        fetch(file_at(server), tmp_path / "cache" / "file")


# -- several at once ------------------------------------------------------------------------------------

PROGRAM = """
import sys
from pathlib import Path
from autodiff.data.download import File, fetch
url, size, checksum, path = sys.argv[1:]
fetch(File("place/file", int(size), checksum, (url,)), Path(path))
"""


def in_a_process(server, path):
    command = [sys.executable, "-c", PROGRAM, server.url, str(len(CONTENT)), SHA256, str(path)]
    return subprocess.Popen(command, cwd=ROOT)


def wait_for(truth):
    for _ in range(1000):
        if truth():
            return
        time.sleep(0.01)
    raise AssertionError("it never came true")


def test_two_processes_at_once_do_no_harm(path):
    both = threading.Barrier(2, timeout=30)  # neither gets a byte before the other has asked

    def answer(handler, start):
        both.wait()
        slow(handler, start)

    with Server(answer) as server:
        processes = [in_a_process(server, path) for _ in range(2)]
        assert [process.wait(30) for process in processes] == [0, 0]
    assert server.ranges == [None, None]
    assert path.read_bytes() == CONTENT
    assert list(path.parent.iterdir()) == [path]


def test_a_process_that_is_killed_leaves_what_the_next_goes_on_from(path):
    with Server(falls_silent, good) as server:
        process = in_a_process(server, path)
        wait_for(lambda: part(path).is_file() and part(path).stat().st_size == 100_000)
        process.kill()
        process.wait(30)
        fetch(file_at(server), path)
    assert path.read_bytes() == CONTENT
    assert server.ranges[1] == "bytes=100000-"


def test_a_file_that_another_process_has_put_there_meanwhile_is_taken(path):
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    fetch(file_at(nobody()), path)
    assert list(path.parent.iterdir()) == [path]


def test_while_another_writes_its_part_one_has_a_part_of_one_s_own(path):
    path.parent.mkdir()
    with download.part_file(path) as (first, first_part), download.part_file(path) as (second, second_part):
        assert first_part == part(path) != second_part
        first.write(b"abc")
        second.write(b"defg")
    assert {found.name: found.read_bytes() for found in path.parent.iterdir()} == {"file.part": b"abc"}


def test_where_the_system_cannot_lock_it_works_too(path, monkeypatch):
    monkeypatch.setattr(download, "try_lock", lambda stream, part: False)
    with Server(breaks_off, good) as server:
        fetch(file_at(server), path)
    assert path.read_bytes() == CONTENT
    assert part(path).read_bytes() == b""  # who knows whose it is
    assert len(list(path.parent.iterdir())) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there an open file cannot be renamed")
def test_a_part_that_was_renamed_while_it_was_opened_is_not_taken(path):
    path.parent.mkdir()
    with part(path).open("a+b") as stream:
        part(path).rename(path)
        assert not download.try_lock(stream, part(path))
        part(path).write_bytes(b"somebody else's")
        assert not download.try_lock(stream, part(path))


def test_a_rename_that_is_refused_for_a_moment_is_tried_again(path, monkeypatch):
    refusals = [PermissionError("in use")] * 2
    real = Path.replace

    def sometimes(self, target):
        if refusals:
            raise refusals.pop()
        return real(self, target)

    monkeypatch.setattr(Path, "replace", sometimes)
    with Server(good) as server:
        fetch(file_at(server), path)
    assert path.read_bytes() == CONTENT
    assert not refusals


# -- where files lie ------------------------------------------------------------------------------------


@pytest.fixture
def homes(tmp_path, monkeypatch):
    """A folder of one's own, a cache, and a folder for root."""
    monkeypatch.setattr(download, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv("AUTODIFF_DATA", str(tmp_path / "own"))
    return SimpleNamespace(own=tmp_path / "own", cache=tmp_path / "cache", root=tmp_path / "root")


def lay(folder, place, content=b"here"):
    (folder / place).parent.mkdir(parents=True)
    (folder / place).write_bytes(content)
    return folder / place


PACKED = File("mnist/file.gz", len(CONTENT), SHA256, ("http://127.0.0.1:1/never",))


def test_one_s_own_folder_comes_before_the_cache_and_root_before_both(homes):
    cached = lay(homes.cache, "mnist/file.gz")
    assert find_file(PACKED) == cached
    own = lay(homes.own, "mnist/file.gz")
    assert find_file(PACKED) == own
    at_root = lay(homes.root, "mnist/file")  # unpacked will do
    assert find_file(PACKED, root=homes.root) == at_root


def test_with_root_nothing_else_is_looked_at(homes):
    lay(homes.own, "mnist/file.gz")
    with pytest.raises(FileNotFoundError, match="is not in"):
        find_file(PACKED, root=homes.root, download=False)
    assert not homes.root.exists()


@pytest.mark.parametrize("given", [True, False])
def test_downloads_go_to_root_or_to_the_cache(given, homes):
    with Server(good) as server:
        found = find_file(replace(PACKED, urls=(server.url,)), root=homes.root if given else None)
    assert found == (homes.root if given else homes.cache) / "mnist" / "file.gz"
    assert found.read_bytes() == CONTENT
    assert not homes.own.exists()


@pytest.mark.parametrize("may_download", [True, False])
def test_offline_one_is_told_where_to_put_which_file(may_download, homes):
    url = nobody().url
    with pytest.raises(DownloadError) as caught:
        find_file(replace(PACKED, urls=(url,)), download=may_download)
    said = str(caught.value)
    target = homes.cache / "mnist" / "file.gz"
    for part in ("mnist/file.gz", url, str(target), "AUTODIFF_DATA", "root"):
        assert part in said
    assert isinstance(caught.value, FileNotFoundError)
    assert ("download=False" in said) is not may_download
    assert f"AUTODIFF_DATA (now {homes.own})" in said  # a folder that is not there, perhaps misspelt


def test_offline_and_with_no_folder_of_one_s_own_one_is_told_that_too(homes, monkeypatch):
    monkeypatch.delenv("AUTODIFF_DATA")
    with pytest.raises(DownloadError, match=r"AUTODIFF_DATA \(not set\)"):
        find_file(PACKED, download=False)


def test_the_cache_is_where_platformdirs_has_it(monkeypatch):
    platformdirs = pytest.importorskip("platformdirs")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert str(cache_folder()) == platformdirs.user_cache_dir("autodiff", appauthor=False)


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, "home/.cache/autodiff"),
        ("linux", {"XDG_CACHE_HOME": "elsewhere"}, "elsewhere/autodiff"),
        ("linux", {"XDG_CACHE_HOME": ""}, "home/.cache/autodiff"),
        ("darwin", {}, "home/Library/Caches/autodiff"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/autodiff/Cache"),
        ("win32", {"LOCALAPPDATA": ""}, "home/AppData/Local/autodiff/Cache"),
    ],
)
def test_the_cache_is_where_each_system_has_it(platform, variables, expected, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    monkeypatch.setattr(download, "sys", SimpleNamespace(platform=platform))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(expected)


# -- what is shown --------------------------------------------------------------------------------------


class Bar:
    """What tqdm shows, written down."""

    def __init__(self, **options):
        self.initial, self.total, self.seen = options["initial"], options["total"], 0
        bars.append(self)

    def update(self, count):
        self.seen += count

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.closed = True


bars: list[Bar] = []


@pytest.fixture
def tqdm(monkeypatch):
    bars.clear()
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=Bar))


def test_on_a_terminal_tqdm_shows_how_far_it_is(path, tqdm, monkeypatch):
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    with Server(breaks_off, good) as server:
        fetch(file_at(server), path)
    assert [(bar.initial, bar.seen, bar.total) for bar in bars] == [
        (0, 100_000, 256_000),
        (100_000, 156_000, 256_000),
    ]
    assert all(bar.closed for bar in bars)


def test_elsewhere_and_without_tqdm_nothing_is_shown(path, tqdm, capfd, monkeypatch):
    with Server(good) as server:
        fetch(file_at(server), path)
        monkeypatch.setitem(sys.modules, "tqdm", None)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        fetch(file_at(server), path.with_name("again"))
    assert not bars
    assert capfd.readouterr() == ("", "")


def test_the_addresses_and_checksums_are_well_formed():
    from autodiff.data import MNIST, FashionMNIST, text

    files = [text.NAMES, text.SHAKESPEARE]
    for dataset in (MNIST, FashionMNIST):
        files += dataset.train_files + dataset.test_files
    for file in files:
        assert len(bytes.fromhex(file.checksum)) == 32
        assert len(file.urls) > 1
        assert all(url.startswith(("https://", "http://fashion-mnist.s3")) for url in file.urls)
    assert (
        len({file.checksum for file in files})
        == len({file.relative_path for file in files})
        == len(files)
        == 10
    )
