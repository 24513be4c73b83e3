"""The gallery: what is shown with each picture, and that those lines make it."""

from __future__ import annotations

import runpy

import pytest
from site_pages.pictures.graphs import MOVING
from site_pages.pictures.hard import GALLERY, HARD, PARTS
from site_pages.pictures.html import html_of

EXAMPLES = [example for part in PARTS for example in part.examples]


def test_the_lines_that_are_shown_run_one_example_after_the_other(tmp_path):
    shown = set()
    lines = [example.code(shown) for example in EXAMPLES]
    assert all(text.splitlines()[-1].startswith("ad.") for text in lines)
    session = tmp_path / "session.py"
    session.write_text("\n\n".join(["import numpy as np", "import autodiff as ad", *lines]), encoding="utf-8")
    assert {"the_22", "neuron"} <= set(runpy.run_path(str(session)))


def test_a_function_that_is_called_is_shown_before_its_first_call_and_no_more():
    shown = set()
    first = next(text for example in EXAMPLES if "layered(" in (text := example.code(shown)))
    assert first.index("def layered(") < first.index("ad.draw(layered(")
    assert "number" in shown
    assert not any("def layered(" in example.code(shown) for example in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_each_example_has_a_title_a_text_and_a_picture(example):
    assert example.title
    assert example.text.endswith(".")
    assert any(mark in html_of(example.make()) for mark in ("<svg", "<img"))


def test_films_and_an_explanation_are_among_them_and_no_tests_of_the_drawing():
    kinds = [type(example.make()).__name__ for example in MOVING.examples]
    assert kinds.count("Film") >= 2
    assert {"Explanation", "Comparison", "Slide"} <= set(kinds)
    assert HARD not in GALLERY
    assert set(PARTS) == {*GALLERY, HARD}
    assert GALLERY[0].examples[0].code(set()).endswith("flow=True)")
