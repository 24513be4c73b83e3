"""Grading a folder of students: what is right, what is wrong and why, and work that never ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autodiff_course.grading import Grade, grade
from autodiff_course.grading.table import table
from autodiff_course.machine.plan import after_lesson, assembled, cell_of, find

pytestmark = pytest.mark.thorough  # one student's notebook runs until it is stopped

ROOT = Path(__file__).resolve().parents[2]
FIRST = "from autodiff_course import check, machine, yours\n\nmachine.start(2)"
SLOPE = find("02 slope")


def notebook(path, *sources):
    """Write a notebook with these cells."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)


@pytest.fixture(scope="module")
def grades(tmp_path_factory):
    """Four students: one has a file, one a notebook, one a notebook that never ends, and one nothing."""
    folder = tmp_path_factory.mktemp("class")
    own = {name: find(name).code for name in ("01 Tensor", "02 slope")}
    own["03 mul"] = find("03 mul").code.replace("grad * y", "y").replace("grad * x", "x")
    (folder / "ada" / "mine").mkdir(parents=True)
    (folder / "ada" / "mine" / "engine.py").write_text(assembled(after_lesson(3), own), encoding="utf-8")
    wrong = SLOPE.code.replace("(2 * h)", "h")
    notebook(
        folder / "ben" / "02_slopes.ipynb",
        FIRST,
        cell_of(SLOPE, wrong),
        "raise ValueError('a cell that fails')",
        'check("01 predict", 4)',
        cell_of(SLOPE, SLOPE.code),
        '%precision 3\ncheck("01 predict", 3)',
        'check("01 nodes", lambda t: {t})',
        'check("01 leaves", None)',
    )
    notebook(folder / "cem" / "01_a.ipynb", FIRST, 'check("01 predict", 3)')
    notebook(folder / "cem" / "02_b.ipynb", "while True:\n    pass")
    (folder / "dora").mkdir()
    (folder / "readme.txt").write_text("not a student", encoding="utf-8")
    return {one.student: one for one in grade(folder, seconds=20)}


def test_every_folder_is_a_student(grades):
    assert list(grades) == ["ada", "ben", "cem", "dora"]
    assert grades["dora"] == Grade("dora")


def test_pieces_of_a_file_are_judged_by_their_probes(grades):
    assert grades["ada"].pieces == {"01 Tensor": "right", "02 slope": "right", "03 mul": "wrong"}
    assert "the gradient that arrives is lost" in grades["ada"].messages["03 mul"].lower()


def test_a_notebook_is_run_cell_by_cell(grades):
    ben = grades["ben"]
    assert ben.pieces == {"02 slope": "right"}, "wrong at first, and mended below"
    assert ben.exercises == {"01 predict": "right", "01 nodes": "wrong", "01 leaves": "not done yet"}
    assert list(ben.messages) == ["01 nodes"]
    assert ben.note == ""


def test_what_never_ends_is_stopped_and_costs_nobody_else_anything(grades):
    assert grades["cem"].note == "stopped after 20 seconds"
    assert grades["cem"].exercises == {"01 predict": "right"}


def test_the_table_says_who_was_told_what(grades):
    lines = table(list(grades.values())).splitlines()
    assert lines[2] == "| ada | 2 | 0 | 03 mul |  |  |"
    assert lines[3] == "| ben | 1 | 1 | 01 nodes |  |  |"
    assert lines[4] == "| cem | 0 | 1 |  |  | stopped after 20 seconds |"
    assert lines[7].startswith("- **ada**, 03 mul: ")


def test_students_files_are_not_changed(tmp_path):
    notebook(tmp_path / "ben" / "02_slopes.ipynb", FIRST, cell_of(SLOPE, SLOPE.code))
    grade(tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["ben", "02_slopes.ipynb"]


def test_a_folder_without_students_is_refused(tmp_path):
    command = [sys.executable, "-m", "autodiff_course", "grade", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "a folder for each student" in done.stderr
    with pytest.raises(ValueError, match="a folder for each student"):
        grade(tmp_path / "nowhere")
