"""docs/writing_lessons.md: its cells run in the order in which they stand, its names and links exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autodiff_course import machine
from autodiff_course.machine import live, plan

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "writing_lessons.md").read_text(encoding="utf-8")
CELLS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("name", ["05 order", "03 mul"])
def test_the_page_shows_stubs_as_they_stand_in_a_lesson(name):
    piece = plan.find(name)
    assert plan.cell_of(piece, piece.stub) + "\n" in CELLS


def test_the_first_cells_do_what_the_page_says(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("AUTODIFF_MINE", str(tmp_path))
    before = vars(live.MACHINE).copy()
    live.MACHINE.__init__()
    names = {}
    for cell in CELLS[:2]:
        exec(cell, names)
    assert capsys.readouterr().out.strip() in PAGE.replace("\n", " ")
    assert names["Tensor"] is machine.Tensor
    vars(live.MACHINE).update(before)


def test_given_texts_and_files_are_there():
    assert {part.name for part in plan.parts()} >= set(re.findall(r'machine\.give\("([^"]+)"\)', PAGE))
    for path in re.findall(r"`((?:autodiff|autodiff_course|tests)/[\w/]+(?:\.py)?/?)`", PAGE):
        assert (ROOT / path).exists(), path
    made = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()  # the pages that the site makes
    for link in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / link).exists() or f"/docs/{link}" in made
    for name in re.findall(r"`machine\.(\w+)", PAGE):
        assert hasattr(machine, name), name
