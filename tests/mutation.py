"""Break one place of the source at a time, and see whether a test fails.

    python -m tests.mutation --places 300 --seed 0
    python -m tests.mutation --places 40 engine ops

Each room gets its share of the places. All is done in a copy of the repository. First the tests of a room are
run and recorded: which of them reach which place, and how long they take. Then one place after the other is
broken, and the tests that reach it run, the quickest first. If one fails, or if they take much too long, the
place is killed. One that survives is a hole in the tests, unless its change changes nothing, or speed only.
Slow tests that need --thorough are not run. Grading hides /tmp: for the course, set TMPDIR to another folder.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.mutants import Finder, Place, broken, difference

ROOT = Path(__file__).resolve().parents[1]
ENGINE = "tests/engine/test_*.py"
ROOMS = {
    "engine": ("autodiff/engine/**/*.py", ENGINE),
    "ops": ("autodiff/ops/**/*.py", "tests/engine/ops/**/test_*.py"),
    "numpy_protocol": ("autodiff/numpy_protocol/**/*.py", ENGINE),
    "helpers": ("autodiff/*.py", ENGINE),
    "calculus": ("autodiff/calculus/**/*.py", ENGINE),
    "course": ("autodiff_course/**/*.py", "tests/course/**/test_*.py"),
} | {
    room: (f"autodiff/{room}/**/*.py", f"tests/{room}/**/test_*.py")
    for room in ("draw", "nn", "optim", "data", "compiling", "static", "training", "living")
}
"""The files of each room, and those of the tests that are to notice a break in them."""
ENOUGH = 30.0
"""A place gets no more tests than took so many seconds together when they were recorded."""


def chosen(root: Path, files: str, count: int, rng: random.Random) -> list[tuple[Path, Place]]:
    """Some places of a room: of each kind as many, and none twice in the same lines."""
    kinds: dict[str, list[tuple[Path, Place]]] = collections.defaultdict(list)
    for path in sorted(root.glob(files)):
        for place in Finder(path.read_bytes()).found:
            kinds[place.kind].append((path, place))
    found: dict[Any, tuple[Path, Place]] = {}
    while len(found) < count and kinds:
        kind = rng.choice(sorted(kinds))
        path, place = kinds[kind].pop(rng.randrange(len(kinds[kind])))
        if not kinds[kind]:
            del kinds[kind]
        if broken(path.read_bytes(), place) is not None:
            found.setdefault((path, place.lines, kind == "default" and place.start), (path, place))
    return list(found.values())


def run(root: Path, tests: list[str], orders: dict[str, Any], seconds: float | None) -> str:
    """Run tests of the copy, as Plugin is ordered. Returns what has failed, or an empty string."""
    options = ["-q", "-n0", "-p", "tests.mutation", "-p", "no:cacheprovider", "-p", "no:randomly"]
    (root / "orders.json").write_text(json.dumps(orders), encoding="utf-8")
    done = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *tests], cwd=root, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(root), "CI": "1"}, start_new_session=True,
    )  # fmt: skip
    try:
        out = done.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)
        return "a time limit"
    failed = re.findall(r"^(?:FAILED|ERROR) (.*?)(?: - |$)", out, re.MULTILINE)
    return "" if done.returncode in (0, 5) else (failed or ["a crash"])[0]


class Plugin:
    """Inside pytest: runs the tests that are ordered, or records which of some lines each test reaches."""

    def __init__(self, tests: Sequence[str] = (), lines: Any = (), out: str = "") -> None:
        self.tests = {test: number for number, test in enumerate(tests)}
        self.lines = {file: frozenset(numbers) for file, numbers in dict(lines).items()}
        self.out, self.met, self.codes = out, set[tuple[str, int]](), dict[int, Any]()
        self.seconds: dict[str, float] = collections.defaultdict(float)
        self.reached: dict[str, Any] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.tests:
            items[:] = [item for item in items if item.nodeid in self.tests]
            items.sort(key=lambda item: self.tests[item.nodeid])

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """Trace the functions with lines that are asked for."""
        code, lines = frame.f_code, self.lines.get(frame.f_code.co_filename)
        if lines is None:
            return None
        if id(code) not in self.codes:  # it is kept, so that no other code gets its id
            self.codes[id(code)] = code, not lines.isdisjoint(line for *_, line in code.co_lines())
        if frame.f_lineno in lines:
            self.met.add((code.co_filename, frame.f_lineno))
        return self.trace if self.codes[id(code)][1] else None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.met.clear()
        if self.lines:
            threading.settrace(self.trace)
            sys.settrace(self.trace)
        try:
            self.reached[item.nodeid] = []
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            if item.nodeid in self.reached:
                self.reached[item.nodeid] = sorted(self.met)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if not report.passed:
            self.reached.pop(report.nodeid, None)

    def pytest_sessionfinish(self) -> None:
        if self.out:
            found = sorted((self.seconds[test], test, met) for test, met in self.reached.items())
            Path(self.out).write_text(json.dumps(found), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Plugin(**json.loads(Path("orders.json").read_text(encoding="utf-8"))))


def copied(folder: str) -> Path:
    """A copy of the repository, of what is in it and of what is new."""
    root = Path(folder).resolve() / "repository"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(listed, cwd=ROOT, text=True).split("\0"):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    return root


def recorded(root: Path, tests: str, places: list[tuple[Path, Place]]) -> list[tuple[float, str, set[Any]]]:
    """The tests that pass, the quickest first: how long each takes, its name, and the lines it reaches."""
    lines: dict[str, set[int]] = collections.defaultdict(set)
    for path, place in places:
        lines[str(path)] |= {*place.lines}
    files, out = [str(path.relative_to(root)) for path in sorted(root.glob(tests))], root / "reached.json"
    orders = {"lines": {name: sorted(numbers) for name, numbers in lines.items()}, "out": str(out)}
    run(root, files, orders, None)
    found = json.loads(out.read_text(encoding="utf-8"))
    return [(seconds, test, {tuple(line) for line in met}) for seconds, test, met in found]


def judged(root: Path, path: Path, place: Place, tests: list[tuple[float, str, set[Any]]]) -> str:
    """Break a place, run the tests that reach it, and mend it. Returns what noticed, or an empty string."""
    lines, total, names = {(str(path), line) for line in place.lines}, 0.0, []
    reaching = [test for test in tests if not lines.isdisjoint(test[2])]
    for seconds, test, _ in reaching or tests:  # what runs at the import alone is reached by no test
        if total + seconds < ENOUGH:
            names.append(test)
            total += seconds
    source = path.read_bytes()
    try:
        write(path, broken(source, place) or source)
        files = sorted({name.partition("::")[0] for name in names})
        return run(root, ["-x", *files], {"tests": names}, 30 + 10 * total) if names else ""
    finally:
        write(path, source)


def write(path: Path, text: bytes) -> None:
    """Write a file, and remove what Python has compiled of it, which it knows by size and second only."""
    path.write_bytes(text)
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()


def main() -> None:
    usage = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    usage.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(ROOMS))
    usage.add_argument("--places", type=int, default=300, help="how many, in all rooms together")
    usage.add_argument("--seed", type=int, default=0)
    asked = usage.parse_args()
    rooms, counts = asked.rooms or [*ROOMS], dict[str, list[int]]()
    if unknown := {*rooms} - {*ROOMS}:
        usage.error(f"there is no room {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        root, places, known = copied(folder), dict[str, Any](), dict[str, Any]()
        for number, room in enumerate(rooms):
            count, rng = (asked.places + number) // len(rooms), random.Random(f"{asked.seed} {room}")
            places[room] = chosen(root, ROOMS[room][0], count, rng)
        for room in rooms:
            tests, counts[room] = ROOMS[room][1], [0, 0]
            if tests not in known:
                sharing = [place for other in rooms if ROOMS[other][1] == tests for place in places[other]]
                known[tests] = recorded(root, tests, sharing)
            for path, place in places[room]:
                killer = judged(root, path, place, known[tests])
                counts[room][not killer] += 1
                end = f"killed by {killer}" if killer else "SURVIVED"
                name = path.relative_to(root).as_posix()
                print(f"{name}:{difference(path.read_bytes(), place)}\n  {end}", flush=True)  # noqa: T201
    lines = [f"{room:15}{killed:7}{survived:9}" for room, (killed, survived) in counts.items()]
    print("\n".join([f"{'room':15} killed survived", *lines]))  # noqa: T201


if __name__ == "__main__":
    main()
