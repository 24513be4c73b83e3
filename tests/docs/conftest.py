"""The site, built once for all tests that look at it, and what its pages hold."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NEEDED = (
    "sphinx",
    "myst_nb",
    "pydata_sphinx_theme",
    "sphinx_design",
    "sphinx_copybutton",
    "cairosvg",
    "latex2mathml",
    "jupyterlite_core",
)


class Links(HTMLParser):
    """The links and anchors of a page, its headings, and its pictures without words."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.without_words, self.headings = [], set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "img" and not found.get("alt") and found.get("role") != "presentation":
            self.without_words.append(found.get("src", "")[:60])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        self.links += [found[key] for key in ("href", "src", "srcset") if found.get(key)]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    for name in NEEDED:
        pytest.importorskip(name)
    folder = tmp_path_factory.mktemp("site")
    line = [sys.executable, str(DOCS / "build.py"), str(folder)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="session")
def pages(site):
    found = [
        path for path in site.rglob("*.html") if not {"lab", "_static"} & set(path.relative_to(site).parts)
    ]
    return {path: Links(path.read_text(encoding="utf-8")) for path in found}
