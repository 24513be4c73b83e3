"""The pages of docs/guide and docs/teacher.md: their examples run, page by page, as one session each."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(DOCS.glob("guide/*.md"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_examples_of_a_page_give_what_it_shows(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some of them write files
    blocks = re.findall(
        r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    examples = "\n".join(block for block in blocks if ">>>" in block)
    if path.stem not in ("index", "parallel"):
        assert examples, "a page without an example"
    test = doctest.DocTestParser().get_doctest(examples, {"__name__": "page"}, path.name, str(path), 0)
    told = []
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=told.append)
    assert not failed, "".join(told)
