"""A whole page: its parts are in it, it allows its own scripts alone, and it has the colours of a theme."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from autodiff.draw import THEMES, Theme
from autodiff.living.page import page, palette


class Reader(HTMLParser):
    """What a browser finds in a page: the texts of its scripts and styles, its tags and its policy."""

    def __init__(self, text):
        super().__init__()
        self.texts = {"script": [], "style": [], "title": [], "h1": []}
        self.tags, self.policy, self.inside = [], "", ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in self.texts:
            self.inside = tag
            self.texts[tag].append("")
        if tag == "meta" and "content-security-policy" in dict(attrs).get("http-equiv", "").lower():
            self.policy = dict(attrs)["content"]

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside:
            self.texts[self.inside][-1] += data


def allowed(policy):
    return re.search(r"script-src ([^;]*)", policy)[1].split()


@pytest.mark.parametrize("scripts", [[], ["const a = 1;"], ["a();\n", "b('é');"]])
def test_the_policy_forbids_all_but_these_scripts(scripts):
    found = Reader(page("t", "", scripts=scripts))
    assert found.texts["script"] == scripts
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert allowed(found.policy) == ([f"'sha256-{digest}'" for digest in digests] or ["'none'"])
    assert found.policy.startswith("default-src 'none'; ")


def test_nothing_in_a_script_or_style_ends_it():
    script = "const a = '</script><b>', b = `<!-- </SCRIPT`, c = '</style>';"
    style = ".a::after{content:'</style>'}"
    found = Reader(page("t", "<p>", scripts=[script], styles=[style]))
    assert len(found.texts["script"]) == len(found.texts["style"]) == 1
    assert found.texts["script"][0].replace("\\u003c", "<") == script
    assert found.texts["style"][0].replace("\\3c ", "<").strip().endswith(style)
    assert "b" not in [tag for tag, _ in found.tags]


def test_a_title_is_text():
    found = Reader(page("a < b & 'c' </title><script>", ""))
    assert found.texts["title"] == found.texts["h1"] == ["a < b & 'c' </title><script>"]
    assert not found.texts["script"]


def test_it_loads_nothing():
    found = Reader(page("t", "<p>words</p>", scripts=["1;"], styles=["p{margin:0}"]))
    sources = [attrs[key] for _, attrs in found.tags for key in ("src", "href") if key in attrs]
    assert sources == ["data:,"]


@pytest.mark.parametrize("name", THEMES)
def test_it_has_the_colours_of_the_theme(name):
    theme = THEMES[name]
    found = palette(theme, ".x")
    light, _, dark = found.partition("@media screen and (prefers-color-scheme:dark)")
    assert f"--leaf-line:{theme.leaf_line};" in light
    assert f"--wrong-line:{theme.wrong_line}}}" in light
    assert ("--leaf-line:" in dark) == (theme.dark is not None)
    if theme.dark is not None:
        assert f"--leaf-line:{theme.dark.leaf_line};" in dark
        assert ".x{color-scheme:light dark;" in light
    else:
        assert f".x{{color-scheme:{'dark' if name == 'dark' else 'light'};" in light


def test_a_theme_of_ones_own():
    assert "--ink:#123456;" in page("t", "", theme=Theme(ink="#123456"))
