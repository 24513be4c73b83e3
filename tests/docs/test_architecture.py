"""ARCHITECTURE.md: its example runs, its links lead somewhere, and its floors are those of the package."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
LINKS = sorted(set(re.findall(r"\]\(([^)]+)\)", PAGE)))
NAMES = {  # each name in the page, and the file that it says the name is in
    "unbroadcast": "engine/contributions.py", "fitted": "engine/contributions.py",
    "order": "engine/backward.py", "visit": "engine/backward.py", "hand_on": "engine/backward.py",
    "receive": "engine/backward.py", "compute": "engine/operation.py", "record": "engine/operation.py",
    "_box": "draw/picture/paint.py", "__mul__": "engine/operators.py",
    "update": "optim/optimizer.py", "execute": "static/running.py",
}  # fmt: skip


def test_the_example_runs():
    example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    found = doctest.DocTestParser().get_doctest(example, {}, "ARCHITECTURE.md", None, 0)
    runner = doctest.DocTestRunner()
    assert len(found.examples) >= 5
    assert runner.run(found).failed == 0


@pytest.mark.parametrize("link", LINKS)
def test_each_link_leads_to_a_file(link):
    assert (ROOT / link).exists()


@pytest.mark.parametrize(("name", "file"), NAMES.items(), ids=NAMES)
def test_each_function_is_where_the_page_says(name, file):
    assert f"`{name}`" in PAGE or f".{name}`" in PAGE
    source = (ROOT / "autodiff" / file).read_text(encoding="utf-8")
    assert re.search(rf"^ *def {name}\(", source, re.MULTILINE)


def test_the_floors_are_drawn_from_the_top():
    drawn = re.search(r"```\n(autodiff/.*?)```", PAGE, re.DOTALL)[1]
    listed = set(re.findall(r"[a-z_]+(?:/|\.py)", drawn))
    houses = [ROOT / "autodiff", ROOT / "autodiff_course"]
    rooms = {f"{path.parent.name}/" for house in houses for path in house.glob("*/__init__.py")}
    files = {path.name for path in houses[0].glob("*.py")} - {"__init__.py"}
    assert listed == rooms | files | {"autodiff/", "autodiff_course/"}


def test_the_lines_are_short():
    assert max(map(len, PAGE.splitlines())) <= 115
