"""The parts of grading, each by itself: what is read of a folder, what is believed of a report, which sources
are run beside the judges, and how names and messages are shown."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from autodiff_course import grading, machine
from autodiff_course.__main__ import main
from autodiff_course.checking import RIGHT
from autodiff_course.grading import Grade, claims, handed_in, room, values
from autodiff_course.grading.needed import needed, statements
from autodiff_course.grading.table import table
from autodiff_course.grading.vetting import fault
from autodiff_course.machine.plan import find, pieces
from tests.course.answers import everything

CONFIRM = "autodiff_course.grading.confirm"

# -- reading -------------------------------------------------------------------------------------------------

POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")


def as_fifo(path):
    os.mkfifo(path)


def as_link(path):
    path.parent.parent.joinpath("other.py").write_text("secret = 1", encoding="utf-8")
    path.symlink_to(path.parent.parent / "other.py")


def as_large(path):
    with path.open("wb") as file:
        file.truncate(2**30)


KINDS = {
    "a folder": (Path.mkdir, "it is no file"),
    "a fifo": (as_fifo, "it is no file"),
    "a link": (as_link, "it is a link"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "it is a link"),
    "a file of a gigabyte": (as_large, "it is too large"),
    "no text": (lambda path: path.write_bytes(b"\xff\xfe\x00"), "it is not UTF-8 text"),
}


@pytest.mark.parametrize("name", ["engine.py", "01_a.ipynb"])
@pytest.mark.parametrize("kind", [*KINDS])
def test_what_is_no_file_of_text_is_left_out_with_a_note(tmp_path, kind, name):
    if os.name != "posix" and kind in ("a fifo", "a link", "a device"):
        pytest.skip("Windows has no such files")
    make, reason = KINDS[kind]
    (tmp_path / "eve").mkdir()
    make(tmp_path / "eve" / name)
    found = handed_in.read(tmp_path / "eve")
    assert (found.files, found.notebooks) == ({}, {})
    assert found.notes == [f"{name} was not read ({reason})"]


@POSIX
def test_links_to_folders_are_not_followed(tmp_path):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "engine.py").write_text("# hers", encoding="utf-8")
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "mine").symlink_to(tmp_path / "ada")
    (tmp_path / "eve" / "round").symlink_to(tmp_path / "eve")
    assert handed_in.read(tmp_path / "eve").files == {}


def test_a_folder_of_any_size_is_read_in_bounded_time(tmp_path, monkeypatch):
    monkeypatch.setattr(handed_in, "ENTRIES", 10)
    for number in range(20):
        (tmp_path / f"{number}.txt").touch()
    assert handed_in.read(tmp_path).notes == ["only the first 10 entries of the folder were looked at"]


def test_files_of_any_number_are_bounded_together(tmp_path, monkeypatch):
    monkeypatch.setattr(handed_in, "WHOLE", 10)
    (tmp_path / "01_a.ipynb").write_text("x" * 8, encoding="utf-8")
    (tmp_path / "02_b.ipynb").write_text("x" * 8, encoding="utf-8")
    found = handed_in.read(tmp_path)
    assert [*found.notebooks] == ["01_a.ipynb"]
    assert found.notes == ["02_b.ipynb was not read (it is too large)"]


@pytest.mark.parametrize("is_reversed", [False, True])
def test_what_is_read_comes_in_the_order_of_the_paths_whatever_the_disk_says(
    tmp_path, monkeypatch, is_reversed
):
    """Of two files of one name the first counts."""
    scandir, iterdir = os.scandir, Path.iterdir

    @contextlib.contextmanager
    def scanned(folder):
        with scandir(folder) as inside:
            yield iter(sorted(inside, key=lambda entry: entry.name, reverse=is_reversed))

    monkeypatch.setattr(os, "scandir", scanned)
    monkeypatch.setattr(Path, "iterdir", lambda path: iter(sorted(iterdir(path), reverse=is_reversed)))
    monkeypatch.setattr(grading, "graded", lambda student, files, seconds: (student.name, files))
    names = ["a/engine.py", "b/01_a.ipynb", "b/engine.py", "c/d/02_b.ipynb", "c/d/earlier.py"]
    for student in ("ada", "ben", "cem"):
        for name in names:
            path = tmp_path / student / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {student} {name}", encoding="utf-8")
    found = grading.grade(tmp_path)
    assert [student for student, _ in found] == ["ada", "ben", "cem"]
    for student, files in found:
        assert files.files == {
            "engine.py": f"# {student} a/engine.py", "earlier.py": f"# {student} c/d/earlier.py"
        }  # fmt: skip
        assert [Path(name).as_posix() for name in files.notebooks] == ["b/01_a.ipynb", "c/d/02_b.ipynb"]
    monkeypatch.setattr(handed_in, "ENTRIES", 4 + 2 + 3)
    some = handed_in.paths(tmp_path / "ada", [])
    assert some == sorted(some)


# -- what a report may say -----------------------------------------------------------------------------------

SAID = {"exercise": "01 predict", "status": "right", "answer": ["list", ["int", "0x3"]]}


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[1, 2]",
        b"null",
        b'"right"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 10_000,
        b"NaN",
        b'{"exercise": NaN, "status": Infinity}',
        b'{"exercise": ["01 predict"], "status": "right"}',
        b'{"exercise": {"a": 1}, "status": "right"}',
        b'{"exercise": "01 predict", "status": "excellent"}',
        b'{"exercise": "99 everything", "status": "right"}',
        b'{"piece": "62 of 62 |", "status": "right"}',
        b'{"piece": 3, "status": "right"}',
        b'{"kept": ["engine.py"]}',
        b'{"kept": {"engine.py": 3, "../ada/engine.py": "x"}}',
        b'{"exercise": "01 predict", "status": "wrong", "message": 7}',
    ],
    ids=lambda line: repr(line[:40]),
)
def test_a_line_that_is_no_report_is_left_out(line):
    found = claims.Claims(line + b"\n" + json.dumps(SAID).encode() + b"\n" + line)
    assert found.exercises == {"01 predict": "right"}
    assert (found.pieces, found.kept, found.messages) == ({}, {}, {})


def test_a_claim_counts_only_if_the_second_process_says_the_same():
    said = [SAID, {"piece": "02 slope", "status": "right"}, {"exercise": "01 ways", "status": "right"}]
    first = claims.Claims("\n".join(map(json.dumps, said)).encode())
    second = b'{"exercise": "01 ways", "status": "right"}\n'
    found = {name: status for _, name, status, _ in claims.verdicts(first, second)}
    assert found == {"01 predict": "not confirmed", "02 slope": "not confirmed", "01 ways": "right"}


def test_a_half_of_a_character_does_not_stop_the_second_process():
    said = json.dumps({"kept": {"engine.py": "\ud800"}}).encode()
    claims.Claims(said).kept["engine.py"].encode()


# -- answers as data -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, -3, 2**70, 0.1, float("inf"), "text", [1, (2.5, None)], {"a": [1], 2: "b"}, {1, 2}),
        *(np.arange(6.0).reshape(2, 3), np.float32(0.5), np.array(3), np.array([True])),
    ],
    ids=repr,
)
def test_an_answer_arrives_as_it_was(value):
    found = values.unpacked(json.loads(json.dumps(values.packed(value))), 1)
    assert type(found) is type(value)
    assert repr(found) == repr(value)


def test_a_tensor_arrives_by_what_it_holds():
    tensor = machine.after(9).Tensor(np.ones(2))
    assert values.unpacked(values.packed(tensor), 9).data.tolist() == [1, 1]


class LikeAll(int):
    """A number that says that it equals every other."""

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = int.__hash__


@pytest.mark.parametrize(
    "value",
    [LikeAll(1), [LikeAll(1)], len, object(), np.array([object()]), 10**100_000],
    ids=lambda x: str(type(x)),
)
def test_what_is_no_plain_data_is_not_packed(value):
    with pytest.raises(values.NotData):
        values.packed(value)


@pytest.mark.parametrize(
    "parts",
    [
        *(None, 3, [], ["int"], ["int", "x"], ["int", 3], ["object", 1], ["array", "O", [1], "AAAAAAAAAAA="]),
        *(["array", "<f8", [10**12], ""], ["array", "f8", "x", "y"], ["dict", [1]], ["bool", 1], ["list", 3]),
        *(["set", ["list"]], ["tensor", ["str", "a"]], ["float", "high"], ["str", ["a"]]),
    ],
    ids=repr,
)
def test_other_data_than_was_packed_is_refused(parts):
    with pytest.raises(values.NotData):
        values.unpacked(parts, 9)


# -- sources -------------------------------------------------------------------------------------------------

HOSTILE = [
    "import os",
    "import sys",
    "from autodiff_course import checking",
    "import autodiff_course.checking",
    "from autodiff_course.machine import judging",
    "from autodiff_course.machine import MACHINE",
    "from numpy import *",
    "from . import x",
    "import numpy.f2py",
    "np.f2py",
    "np.lib.npyio.os",
    "m = np",
    "f(np)",
    "vars(np)",
    "[np for _ in range(1)]",
    "np.isclose = lambda *a, **k: True",
    "np.random.seed = 1",
    "ad.Tensor.__add__ = 1",
    "ad.lessons.checking.check = 1",
    "machine.MACHINE",
    "machine.live",
    "x.__globals__",
    "(lambda: 0).__code__",
    "().__class__.__base__.__subclasses__()",
    "x.__class__.__mro__",
    "[].__reduce__()",
    "error.__traceback__",
    "generator.gi_frame.f_back",
    "error.tb_frame",
    "__builtins__",
    "globals()",
    "locals()",
    "vars()",
    "vars(x, y)",
    "exec",
    "run = exec",
    "map(exec, [])",
    "eval('1')",
    "compile('1', '', 'eval')",
    "open('x')",
    "input()",
    "breakpoint()",
    "__import__('os')",
    "getattr(x, '__globals__')",
    "getattr(x, name)",
    "setattr(x, '__class__', y)",
    "get = getattr",
    "map(getattr, [], [])",
    "type('Liar', (int,), {})",
    "map(type, a, b, c)",
    "class Liar(int): pass",
    "class Liar(np.ndarray): pass",
    "class Liar(np.float64): pass",
    "class Liar(float, metaclass=M): pass",
    "class Liar:\n    def __eq__(self, other): return True",
    "class Liar:\n    __ne__ = lambda self, other: False",
    "class Liar:\n    def __getattribute__(self, name): return 1",
    "class Liar:\n    def __del__(self): pass",
    "class Liar:\n    def __gt__(self, other): return False",
    "class Liar:\n    def __class__(self): return int",
    "class Liar:\n    __class__ = property(lambda self: int)",
    "class Liar:\n    def __array_ufunc__(self, *a): return True",
    "class Liar:\n    __array_ufunc__ = lambda self, *a: True",
    "class Liar:\n    (__array_ufunc__, x) = f, 2",
    "x.__class__ = Liar",
    "match x:\n    case object(__globals__=found): pass",
    "x.ctypes.data",
    "np.lib.stride_tricks.as_strided(x)",
    "x.tofile('ada')",
    "np.save('ada', x)",
    "np.load('x', allow_pickle=True)",
    "ad.save(x)",
    "global __builtins__",
    "def f(__builtins__): pass",
    "f(__builtins__=1)",
    "import numpy as __builtins__",
    "try: pass\nexcept ValueError as __builtins__: pass",
    "def __builtins__(): pass",
    "class __builtins__: pass",
]


@pytest.mark.parametrize("source", HOSTILE)
def test_a_source_that_leads_out_of_its_answer_is_not_run(source):
    modules = {"np": "numpy", "ad": "autodiff", "machine": "autodiff_course.machine"}
    assert fault(ast.parse(source), modules)


def test_every_right_answer_and_every_piece_is_plain():
    names = {"np": "numpy", "math": "math", "ad": "autodiff"}
    for name, piece in pieces().items():
        assert not fault(ast.parse(piece.code), dict(names)), name
    for name, answer in everything():
        if answer.is_right:
            assert not fault(ast.parse(machine.plan.clean(answer.code)), dict(names)), (name, answer.kind)


def test_only_what_an_answer_needs_is_run():
    cells = [
        "import numpy as np, os\nfrom autodiff_course import check, machine\nmachine.start(3)",
        "%matplotlib inline\nslow = train(100)\nprint(slow)",
        "base = [1]\nbase.append(2)",
        "this is no Python",
        "def helper(x):\n    return x + base[0]",
        "def answer(x):\n    return helper(x)",
        'check("01 ways", answer)\ncheck("01 leaves", slow)',
    ]
    notebook = json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})
    found = statements(notebook, "n")
    kept = [
        ast.unparse(one.tree).split("\n")[0]
        for one, is_kept in zip(found, needed(found, {"01 ways"}))
        if is_kept
    ]
    assert kept[0] == "from autodiff_course import machine"
    assert kept[1:] == [
        "machine.start(3)",
        "base = [1]",
        "base.append(2)",
        "def helper(x):",
        "def answer(x):",
    ]


@pytest.mark.parametrize(
    "notebook", ["{", "[]", '{"cells": 3}', '{"cells": [3]}', "[" * 100_000, '{"cells": NaN}']
)
def test_a_file_that_is_no_notebook_has_no_statements(notebook):
    assert statements(notebook, "n") == []


# -- the second process --------------------------------------------------------------------------------------


def cells(*sources):
    """A notebook with these cells."""
    return json.dumps({"cells": [{"cell_type": "code", "source": source} for source in sources]})


WAYS = "def ways(start, t):\n    return 1 if t is start else sum(ways(start, c) for c in t.creators)\n"
START = "from autodiff_course import check, machine\nimport numpy as np\nmachine.start(2)"
FORGED = [
    "def ways(start, t):\n    return 1",
    "class All(int):\n    def __ne__(self, other):\n        return False\n\nways = lambda start, t: All(1)",
    "import autodiff_course.checking as c\nc.check = lambda *a: 1\n\nways = lambda start, t: 1",
    "def ways(start, t):\n    np.isclose = None\n    return 1",
    "def ways(start, t):\n    raise SystemError",
    "def ways(start, t):\n    return ways(start, t)",
    "ways = machine.yours",
    "",
]


FAKE_TENSORS = [
    """
class Tensor:
    def __init__(self, data, creators=(), creation_op=None):
        self.data, self.creators, self.creation_op = data, (), creation_op
    def __add__(self, other):
        return Tensor(1)
    def __mul__(self, other):
        return Tensor(6, (), "mul")
""",
    """
from autodiff_course.machine import Tensor
def __init__(self, data, creators=(), creation_op=None):
    self.data, self.creators, self.creation_op = data, (), creation_op
Tensor.__init__ = __init__
""",
]
NODES = "def nodes(t):\n    return [t] if isinstance(t, Tensor) else []"
"""By the graphs of such a Tensor every node is alone, and this would be right."""


def test_the_second_process_confirms_what_is_right_and_nothing_else():
    """Each forger claims everything; the engine is wrong, or hides its judge, or is no Python at all."""
    engine = [
        f"# 02 slope: yours\n\n{find('02 slope').code}",
        "# 05 order: yours\n\ndef order(end):\n    return [end]",
        "# 03 mul: yours\n\nRULES |= {(",
        "# 06 subtract: yours\n\nsubtract = lambda x, y: [x for x in (1,) if x.__globals__]",
        "# 04 backward: yours\n\ndef backward(end):\n    pass",
    ]
    engine += [
        "# 01 apply: yours\n\ndef apply(op, *inputs):\n    return 7\n\ndef type(x):\n    return int",
        "# 06 rules: yours\n\nRULES |= {}\ndef f():\n    global Tensor\n    Tensor = 3",
    ]
    earlier = "# 03 backward: yours\n\ndef backward(end):\n    print('nothing')"
    notebooks = {
        f"{place}.ipynb": cells(START, source, 'check("01 ways", ways)')
        for place, source in enumerate(FORGED)
    }
    for fake in FAKE_TENSORS:
        notebooks[fake[:7]] = cells(START, fake, NODES, 'check("01 nodes", nodes)')
    data = {
        "files": {"engine.py": "\n\n\n".join(engine), "earlier.py": earlier},
        "notebooks": notebooks,
        "claims": {
            "01 ways": [["list", ["int", "0x3"]]],
            "01 predict": [["list", ["int", "0x4"]], ["list", ["int", "0x3"]]],
            "01 nodes": [{"a": 1}, None],
        },
    }
    done = room.run_in(room.no_walls, CONFIRM, json.dumps(data).encode(), 60, Path.cwd())
    found = {name: status for _, name, status, _ in claims.verdicts(claims.Claims(), done.output)}
    assert done.note == ""
    assert [name for name, status in found.items() if status == RIGHT] == ["02 slope", "01 predict"]
    assert found["05 order"] == found["03 mul"] == found["03 backward"] == "wrong"
    assert (
        found["06 subtract"] == found["01 ways"] == found["01 apply"] == found["06 rules"] == "not confirmed"
    )


def test_an_answer_is_confirmed_by_its_source_after_the_forgers():
    data = {"notebooks": {"1.ipynb": cells(START, WAYS, 'check("01 ways", ways)')}, "claims": {"01 ways": []}}
    done = room.run_in(room.no_walls, CONFIRM, json.dumps(data).encode(), 60, Path.cwd())
    assert b'"exercise": "01 ways", "status": "right"' in done.output


# -- the table -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "eve | 62 | 153 |  |  |",
        "eve\n| mallory | 62 | 153 |  |  |  |",
        "eve\r\x1b[2J\x1b[31m",
        "<script>alert(1)</script>",
        "[eve](http://example.org)",
        "`eve` **eve** _eve_ <!--",
        "\u202eeve\u2028eve\u200b",
        "eve\udcff",
        "x" * 10_000,
    ],
    ids=ascii,
)
def test_a_name_is_one_cell_of_one_row(name):
    text = table([Grade(name, note=name), Grade("zoe", {"02 slope": "wrong"}, {}, {"02 slope": name})])
    rows = text.split("\n")
    assert [len(cells_of(row)) for row in rows[:4]] == [6, 6, 6, 6]
    assert rows[4] == ""
    assert rows[5].startswith("- **zoe**, 02 slope: ")
    assert len(rows) == 7, "one line is said, and the text ends"
    assert all(each.isprintable() or each == "\n" for each in text)
    assert re.findall(r"(?<!\\)<|(?<!\\)\]\(", text) == []


def cells_of(row):
    """The cells of a row, as Markdown divides it."""
    return row.replace("\\\\", "").replace("\\|", "").strip("|").split("|")


def test_names_that_look_alike_are_told_apart():
    text = table([Grade("Jos\xe9"), Grade("Jose\u0301"), Grade("Zo\xeb")])
    assert [row.split(" | ")[0] for row in text.splitlines()[2:]] == [
        r"| Jos\\xe9",
        r"| Jose\\u0301",
        "| Zo\xeb",
    ]


def test_a_name_that_the_terminal_cannot_show_is_written_out(tmp_path, monkeypatch):
    (tmp_path / "Zo\xeb").mkdir()
    shown = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", shown)
    main(["grade", str(tmp_path)])
    shown.flush()
    assert b"| Zo\\xeb | 0 | 0 |" in shown.buffer.getvalue()
