"""Slides of a lesson: each heading begins one, answers stay off, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from autodiff_course import slides
from autodiff_course.__main__ import main

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LESSON = NOTEBOOKS / "03_walking_back.ipynb"


def test_each_heading_begins_a_slide_and_no_slide_is_overfull():
    shown = slides.with_slides(nbformat.read(LESSON, as_version=4))
    kinds = [cell.metadata["slideshow"]["slide_type"] for cell in shown.cells]
    heads = [cell.cell_type == "markdown" and cell.source.startswith("#") for cell in shown.cells]
    assert [kind == "slide" for kind in kinds] == heads
    lines = 0
    for cell, kind in zip(shown.cells, kinds, strict=True):
        lines = lines + slides.height(cell) if kind == "fragment" else slides.height(cell)
        assert lines <= slides.LINES or kind != "fragment"


def test_folded_answers_are_left_out_and_the_notebook_is_not_changed():
    notebook = nbformat.read(LESSON, as_version=4)
    before = nbformat.writes(notebook)
    shown = slides.with_slides(notebook)
    assert nbformat.writes(notebook) == before
    pairs = list(zip(notebook.cells, shown.cells, strict=True))
    folded = [(old, new) for old, new in pairs if old.metadata.get("jupyter", {}).get("outputs_hidden")]
    assert folded
    assert all(old.outputs and not new.outputs for old, new in folded)
    assert all(old.source == new.source for old, new in pairs)


def test_the_command_writes_a_page_with_the_films_in_it(tmp_path, capsys):
    main(["slides", str(LESSON), "--folder", str(tmp_path)])
    target = tmp_path / "03_walking_back.slides.html"
    assert capsys.readouterr().out == f"{target}\n"
    page = target.read_text(encoding="utf-8")
    assert page.count("<section>") > 10
    assert 'type="radio"' in page


def test_a_notebook_that_is_not_there_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["slides", str(tmp_path / "99.ipynb")])
    assert "99.ipynb" in capsys.readouterr().err
