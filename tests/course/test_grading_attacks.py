"""Hand-ins that mean harm, in one class with two honest students: whatever they do, the class is graded, the
honest marks stay as they are, nobody gets marks without having solved something, and nothing stays behind.

The payloads are harmless and bounded: what they start ends by itself within a minute or two.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autodiff_course.checking import RIGHT
from autodiff_course.grading import grade, room
from autodiff_course.grading.table import table
from autodiff_course.machine.plan import TOP, find

pytestmark = pytest.mark.thorough  # each hand-in has a process or two, and some are stopped by the clock

SECONDS = 30
START = "from autodiff_course import check, machine, yours\n\nmachine.start(2)"
SOLVED = 'check("01 predict", 3)'
SLOPE = find("02 slope").code
HONEST = {"01 predict"}
SECRET = "hunter2"

# -- what the notebooks do -----------------------------------------------------------------------------------

REPORT = r"""
import json, os
lines = [{"exercise": f"{n:02} predict", "status": "right"} for n in range(1, 39)]
lines += [{"exercise": "01 ways", "status": "right", "answer": ["list", ["int", "0x1"]]}]
lines += [{"piece": "02 slope", "status": "right"}, {"piece": "05 order", "status": "right", "message": ""}]
lines += [{"student": "zoe", "note": "62 of 62 | 153 of 153", "done": "done"}]
for descriptor in range(3, 100):
    try:
        os.write(descriptor, b"\n" + b"\n".join(json.dumps(line).encode() for line in lines) + b"\n")
        os.write(descriptor, b"{\n[[[\n" + b"[" * 100000 + b"\n9" * 5000 + b"\nNaN\n\xff\n")
    except OSError:
        pass
open("report.json", "w").write(json.dumps(lines))
"""
JUDGES = """
import gc, builtins, json
import numpy as np
from autodiff_course import checking
from autodiff_course.machine import judging, live, trying
from autodiff_course.checking import Verdict
checking.find_exercise("01 ways")
for name, exercise in checking.EXERCISES.items():
    object.__setattr__(exercise, "judge", lambda *a: "so")
judging.first_spoiled = live.judge = judging.judge = lambda *a, **k: Verdict("right", "")
trying.same = judging.same = lambda *a: True
np.isclose = np.allclose = lambda *a, **k: True
check("01 ways", lambda start, t: 0)
check("01 nodes", lambda t: [])
def slope(f, x, h=0.001):
    return 7
slope = yours("02 slope", slope)
for found in gc.get_objects():
    if type(found) is dict and "status" in found:
        found["status"] = "right"
dumps = json.dumps
json.dumps = lambda said, *a, **k: dumps({**said, "status": "right"}) if type(said) is dict else dumps(said)
builtins.open = print
check("01 leaves", lambda t: 3)
"""
LIARS = """
class Liar(int):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    __hash__ = int.__hash__
check("01 ways", lambda start, t: Liar(1))
"""
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        stop = time.time() + 60
        while time.time() < stop:
            for place in (CLASS + "/zoe/left.txt", os.getcwd() + "/left.txt"):
                try:
                    open(place, "a").write("x")
                except OSError:
                    pass
            time.sleep(0.01)
    os._exit(0)
"""
CLEANUP = """
import subprocess, sys
program = '''
import os, time
stop = time.time() + 30
while time.time() < stop:
    try:
        os.makedirs("deep/er", exist_ok=True)
        open(f"deep/er/{time.time()}", "w").close()
    except OSError:
        pass
'''
subprocess.Popen([sys.executable, "-c", program])
"""
BOMBS = """
import os, time
kept = []
try:
    for _ in range(80):
        kept.append(bytearray(2**27))
except MemoryError:
    pass
del kept
try:
    for number in range(12):
        with open(f"disk{number}", "wb") as file:
            file.write(bytes(2**25))
except OSError:
    pass
try:
    with open("large", "wb") as file:
        file.truncate(2**40)
except OSError:
    pass
for _ in range(100):
    try:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    except OSError:
        break
"""
ENDINGS = """
import atexit, signal, threading, time
atexit.register(time.sleep, 60)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU, signal.SIGALRM):
    signal.signal(number, signal.SIG_IGN)
class Stays:
    def __del__(self):
        time.sleep(60)
stays = Stays()
threading.Thread(target=time.sleep, args=(60,)).start()
"""
FLOOD = """
import os
for _ in range(100):
    for descriptor in range(3, 30):
        try:
            os.write(descriptor, b"x" * 2**20)
        except OSError:
            pass
"""
SHADOWS = """
import os, pathlib
for place in {os.getcwd(), os.environ["HOME"], os.environ["AUTODIFF_MINE"]}:
    for name in ("sitecustomize.py", "usercustomize.py", "json.py", "numpy.py", "conftest.py", "x.pth"):
        pathlib.Path(place, name).write_text("import os; os._exit(3)\\n")
os.environ["PYTHONSTARTUP"] = os.environ["PYTHONPATH"] = os.getcwd()
"""
OUTSIDE = """
import os, pathlib, site, signal
import autodiff
places = [*site.getsitepackages(), CLASS, CLASS + "/zoe", os.path.dirname(autodiff.__file__), TEACHER]
for place in places:
    try:
        pathlib.Path(place, "autodiff_grading_left.txt").write_text("here")
        check("01 nodes", "written")
    except OSError:
        pass
for path in [*pathlib.Path(CLASS).rglob("*.py"), *pathlib.Path(CLASS).rglob("*.ipynb")]:
    check("01 leaves", f"seen: {path}")
    path.unlink()
try:
    os.kill(PARENT, signal.SIGCONT)
    check("01 ways", "reached")
except OSError:
    pass
"""
SOURCES = """
import pathlib, os
mine = pathlib.Path(os.environ["AUTODIFF_MINE"])
for name in ("engine.py", "earlier.py"):
    order = "# 05 order: yours\\n\\nimport os; os._exit(0)\\n\\n\\n"
    (mine / name).write_text(order + "# 04 backward: yours\\n\\nx = 1")
"""
QUIET = [
    *("answer = input('name? ')", 'check("02 predict", None)', "import sys\nsys.stdin.read()"),
    "import os\ncheck('01 nodes', str(dict(os.environ)))",
    "def f(): return f()\nf()",
    "x = []\nfor _ in range(10**5): x = [x]\ncheck('01 predict', x)",
    *(f"check('01 predict', {number})" for number in ("10**100000", "float('nan')", "1e999")),
    *(LIARS, SHADOWS, SOURCES),
]
"""What ends by itself, in one notebook."""
IN_NOTEBOOKS = {
    "quiet": QUIET,
    "report": [REPORT],
    "judges": [JUDGES],
    "daemon": [DAEMON, CLEANUP],
    "bombs": [BOMBS],
    "endings": [ENDINGS],
    "no-output": ["import os\nfor d in range(100):\n    try: os.close(d)\n    except OSError: pass"],
    "exit": ["import os\nos._exit(0)"],
    "prints": ["import os\nprint('x' * 10**7)\nwhile True:\n    os.write(1, b'x' * 10**6)"],
    "floods": [FLOOD],
    "hangs": ["10**10**10"],
    "outside": [OUTSIDE],
}
BEHIND_WALLS = [name for name in IN_NOTEBOOKS if name != "prints"]
WITHOUT_WALLS = ("quiet", "report", "judges", "daemon", "endings", "exit", "prints")
"""What is graded in which room. Without walls it is what stays in the room even so, or is found again."""

# -- what the machine's file does ----------------------------------------------------------------------------

JUDGES_AT_THE_TOP = """
from autodiff_course.machine import judging, live
from autodiff_course.checking import Verdict
live.judge = judging.judge = lambda *a, **k: Verdict("right", "")
judging.first_spoiled = live.first_spoiled = lambda *a, **k: None
"""
WRONG = "# 02 slope: yours\n\ndef slope(f, x, h=0.001):\n    return 7\n"
IN_FILES = {
    "top": TOP + JUDGES_AT_THE_TOP + "\n\n" + WRONG,
    "piece-exits": "# 02 slope: yours\n\ndef slope(f, x, h=__import__('os')._exit(0)):\n    return 7\n",
    "piece-hangs": "# 02 slope: yours\n\ndef slope(f, x, h=10 ** 10 ** 10):\n    return 7\n",
    "nested": "# 02 slope: yours\n\nslope = " + "(" * 5000 + "1" + ")" * 5000,
    "minus": "# 02 slope: yours\n\nslope = " + "-" * 100_000 + "1",
    "nul": "# 02 slope: yours\n\nslope = '\0'",
    "raises-exit": "# 02 slope: yours\n\ndef slope(f, x, h=0.001):\n    raise SystemExit(0)\n",
}


def fifo(path):
    os.mkfifo(path) if hasattr(os, "mkfifo") else path.mkdir()


def as_large(path):
    path.touch()
    os.truncate(path, 2**30)


IN_PLACE_OF_FILES = {
    "a-fifo": fifo,
    "a-folder": Path.mkdir,
    "no-text": lambda path: path.write_bytes(b"\xff" * 100),
    "a-gigabyte": as_large,
    "a-link": lambda path: path.symlink_to(path.parents[1] / "ada" / "mine" / "engine.py"),
}
NAMES = [
    "eve | 62 | 153 |  |  |",
    "eve\n| mallory | 62 | 153 |  |  |",
    "\x1b[2Jeve",
    "<b>eve",
    "Jos\xe9",
    "Jose\u0301",
]


def notebook(path, *sources):
    """Write a notebook with these cells."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)


def honest(folder):
    """A student with one right piece and one right exercise."""
    (folder / "mine").mkdir(parents=True)
    (folder / "mine" / "engine.py").write_text(f"{TOP}\n\n# 02 slope: yours\n\n{SLOPE}\n", encoding="utf-8")
    notebook(folder / "01_a.ipynb", START, SOLVED)


def handed_in(folder, attacks):
    """The whole class: two honest students, and all others between them."""
    honest(folder / "ada")
    honest(folder / "zoe")
    known = {"CLASS": str(folder), "TEACHER": str(Path.home()), "PARENT": os.getpid()}
    for name in attacks:
        if sys.platform == "win32" and any("fork" in source for source in IN_NOTEBOOKS[name]):
            continue
        first = "".join(f"{word} = {value!r}\n" for word, value in known.items())
        notebook(folder / f"m-{name}" / "01_a.ipynb", START, SOLVED, first, *IN_NOTEBOOKS[name])
    for name, text in IN_FILES.items():
        (folder / f"m-{name}").mkdir()
        (folder / f"m-{name}" / "engine.py").write_text(text, encoding="utf-8")
    for name, make in IN_PLACE_OF_FILES.items():
        (folder / f"m-{name}").mkdir()
        try:
            make(folder / f"m-{name}" / "engine.py")
        except OSError:  # Windows, for links
            (folder / f"m-{name}" / "engine.py").mkdir()
    notebook(folder / "m-a-fifo" / "01_a.ipynb", START, SOLVED)
    for name in NAMES if os.name == "posix" else []:
        (folder / name).mkdir()


ROOMS = ["strongest", "no_walls"]


@pytest.fixture(scope="module", params=ROOMS)
def graded(request, tmp_path_factory):
    """The class's grades by name, with the folder, in a room."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "no_walls":
            patch.setattr(room, "strongest", lambda: room.no_walls)
        elif not room.has_walls():
            pytest.skip("this system allows no walls: neither unshare nor bwrap works here")
        patch.setenv("SECRET_TOKEN", SECRET)
        folder = tmp_path_factory.mktemp("class")
        rooms = folder.with_name(f"{folder.name}-rooms")
        rooms.mkdir()
        patch.setattr(tempfile, "tempdir", str(rooms))
        patch.setenv("AUTODIFF_DATA", str(folder / "data"))  # the processes of this class are found by it
        handed_in(folder, WITHOUT_WALLS if request.param == "no_walls" else BEHIND_WALLS)
        before = contents(folder)
        grades = {one.student: one for one in grade(folder, SECONDS)}
        yield grades, folder, before


def contents(folder):
    """What the files of the class hold, those of a gigabyte and others that are no files left out."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size < 2**20]
    return {path.relative_to(folder): path.read_bytes() for path in files}


def right(row):
    """What is right in a row."""
    return {name for name, status in row.items() if status == RIGHT}


def test_everybody_is_graded_and_honest_marks_stay(graded):
    grades, folder, _ = graded
    assert [*grades] == sorted(path.name for path in folder.iterdir())
    for name in ("ada", "zoe"):
        assert (right(grades[name].pieces), right(grades[name].exercises)) == ({"02 slope"}, HONEST)
        assert (grades[name].note, grades[name].messages, grades[name].unconfirmed) == ("", {}, {})


@pytest.mark.parametrize("name", [*IN_NOTEBOOKS, *IN_FILES, *IN_PLACE_OF_FILES])
def test_nobody_gets_marks_for_anything_else_than_a_solution(graded, name):
    found = of(graded, name)
    assert right(found.exercises) <= HONEST
    assert right(found.pieces) == set()


def of(graded, name):
    """The grade of one who means harm."""
    if f"m-{name}" not in graded[0]:
        pytest.skip("without walls, or on Windows, this is not tried")
    return graded[0][f"m-{name}"]


def test_what_cannot_be_confirmed_is_named(graded):
    assert {"01 ways", "01 nodes"} <= of(graded, "judges").unconfirmed.keys()
    assert {"01 ways", "02 slope", "05 order"} <= of(graded, "report").unconfirmed.keys()
    assert of(graded, "quiet").exercises["01 ways"] == "not confirmed"
    why = "at the beginning of the file it uses autodiff_course.machine.judging"
    assert of(graded, "top").unconfirmed["02 slope"] == why
    assert "it uses the name __import__" in of(graded, "piece-exits").unconfirmed["02 slope"]


@pytest.mark.parametrize("name", ["quiet", "endings", "judges", "a-fifo"])
def test_what_was_solved_before_the_attack_counts_and_the_run_ends_by_itself(graded, name):
    found = of(graded, name)
    assert right(found.exercises) == HONEST
    assert not re.search("stopped|ended", found.note)


@pytest.mark.parametrize("name", ["hangs", "prints"])
def test_what_does_not_end_is_stopped_and_loses_nothing_else(graded, name):
    found = of(graded, name)
    assert found.note == f"stopped after {SECONDS} seconds"
    assert right(found.exercises) == HONEST


def test_a_flood_is_stopped(graded):
    assert of(graded, "floods").note == "stopped, since it wrote too much"


@pytest.mark.parametrize("name", [*IN_PLACE_OF_FILES])
def test_what_is_no_file_is_told(graded, name):
    assert of(graded, name).note.startswith("engine.py was not read (")


def test_no_secret_of_the_environment_is_seen(graded):
    assert "01 nodes" in of(graded, "quiet").exercises
    assert SECRET not in table([*graded[0].values()])


def test_nothing_outside_can_be_reached_behind_walls(graded):
    found = of(graded, "outside")
    assert found.messages == {}, "nothing was written, seen or reached"
    assert found.exercises == {"01 predict": "right"}


def test_a_row_for_each_student_and_no_other(graded):
    rows = table([*graded[0].values()]).split("\n\n")[0].split("\n")
    assert len(rows) == 2 + len(graded[0])
    assert {row.replace("\\|", "").count("|") for row in rows} == {7}
    assert not any("\x1b" in row or "<b>" in row.replace("\\<", "") for row in rows)
    assert len({row.split(" | ")[0] for row in rows}) == len(rows)


def test_nothing_is_left_and_no_hand_in_is_changed(graded):
    grades, folder, before = graded
    after = contents(folder)
    assert {path: after.get(path) for path in before} == before
    assert after == before or "m-outside" not in grades, "without walls a process can write everywhere"
    assert [*folder.with_name(f"{folder.name}-rooms").iterdir()] == []
    assert room.strays(str(folder)) == [], "a process is left; where the system is not Linux it is not found"
