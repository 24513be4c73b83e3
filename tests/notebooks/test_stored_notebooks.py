"""The notebooks as they are stored: what can be proved of them without a kernel. nbval runs their cells."""

from __future__ import annotations

import re

import nbformat
import pytest

from notebooks.execute import NOTEBOOKS, faults, is_drawing, notebooks

GLOSSARY = NOTEBOOKS / "glossary.ipynb"
LESSONS = [path for path in notebooks() if path.parent == NOTEBOOKS and path != GLOSSARY]
SOLUTIONS = [path for path in notebooks() if path.parent != NOTEBOOKS]

needs_lessons = pytest.mark.skipif(not LESSONS, reason="there are no lessons yet")


def name(path):
    return path.relative_to(NOTEBOOKS).with_suffix("").as_posix()


def read(path):
    return nbformat.read(path, as_version=4)


@pytest.mark.parametrize("path", notebooks(), ids=name)
def test_notebook_is_kept_well(path):
    found = faults(read(path))
    assert not found, "\n  - ".join([f"run `python notebooks/execute.py {name(path)}`:", *found])


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lesson_shows_a_drawn_graph(path):
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", [])]
    assert any(is_drawing(output) for output in outputs)


def prose(path):
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("path", notebooks(), ids=name)
def test_links_to_other_files_lead_somewhere(path):
    text = re.sub(r"`[^`\n]+`", "", prose(path))  # in code, `table[op](x)` is no link
    targets = re.findall(r"\]\((?!https?://|#|attachment:|mailto:)([^)#\s]+)", text)
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_links_into_the_glossary_lead_to_an_entry():
    entries = set(re.findall(r"^### (.+)$", prose(GLOSSARY), flags=re.MULTILINE))
    found = (re.findall(r"\(glossary\.ipynb#([^)]+)\)", prose(path)) for path in LESSONS)
    anchors = [anchor for lesson in found for anchor in lesson]
    assert len(anchors) > 40
    assert set(anchors) <= {entry.replace(" ", "-") for entry in entries}


def test_the_glossary_links_each_word_to_the_lesson_where_it_comes_first():
    text = prose(GLOSSARY)
    entries = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert [entry for entry in entries if not re.search(r"\]\(\d\d_\w+\.ipynb\)", entry)] == []


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_lesson_is_short_enough_for_one_sitting(path):
    assert len(read(path).cells) <= 60
    assert len(re.sub(r"```.*?```", "", prose(path), flags=re.DOTALL).split()) <= 1800


@needs_lessons
def test_lessons_are_numbered_from_01_without_a_gap():
    assert all(re.fullmatch(r"\d\d_[a-z0-9_]+", path.stem) for path in LESSONS)
    assert [path.stem[:2] for path in LESSONS] == [f"{i:02}" for i in range(1, len(LESSONS) + 1)]


@needs_lessons
def test_there_are_at_least_twenty_four_lessons():
    assert len(LESSONS) >= 24


@needs_lessons
def test_every_lesson_has_its_solutions():
    assert [path.name for path in SOLUTIONS] == [path.name for path in LESSONS]


def sections(path):
    """Pairs of a solution's heading and the text between it and the next heading or the next cell of code."""
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            parts = re.split(r"^#+ (.+)$", cell.source, flags=re.MULTILINE)[1:]
            yield from zip(parts[::2], map(str.strip, parts[1::2]))


@pytest.mark.parametrize("path", SOLUTIONS, ids=name)
def test_solutions_begin_with_the_lesson_s_title_and_a_link_to_it(path):
    title = read(NOTEBOOKS / path.name).cells[0].source.splitlines()[0]
    number = path.stem[:2]
    assert read(path).cells[0].source == (
        f"{title}: solutions\n\n"
        f"The solutions of the exercises of [lesson {number}](../{path.name}). "
        "Read them after you have tried; yours may look different and be just as good."
    )


@pytest.mark.parametrize("path", SOLUTIONS, ids=name)
def test_solutions_name_the_exercises_as_the_lesson_does(path):
    exercises = re.findall(r"^\*\*(\d\. .+?)\*\*", prose(NOTEBOOKS / path.name), flags=re.MULTILINE)
    headings = [heading for heading, _ in sections(path) if heading[0].isdigit()][1:]  # without the title
    assert [heading[0] for heading in headings] == [str(i) for i in range(1, len(headings) + 1)]
    assert len(exercises) - 1 <= len(headings) <= len(exercises)  # an open question need not have an answer
    for heading, exercise in zip(headings, exercises):
        is_open = re.match(r"\d\. (An open|Open|No check)", exercise)
        assert (heading[3:] == "The open question") if is_open else exercise.startswith(heading)


@pytest.mark.parametrize("path", SOLUTIONS, ids=name)
def test_each_heading_of_the_solutions_is_followed_by_a_sentence(path):
    assert [heading for heading, text in sections(path) if not re.search(r"\w[^.:?]*[.:?]", text)] == []
