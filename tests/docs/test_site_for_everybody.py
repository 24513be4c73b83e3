"""The built pages in a browser: on a phone, in the dark, by ear and by keyboard, and where there is no page.

`npm install axe-core` in some folder brings the rules of WCAG; AUTODIFF_AXE names its file axe.min.js.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.browser import chromium
from tests.docs.serving import ALONE, served

PROGRAM = chromium.find()
AXE = Path(os.environ.get("AUTODIFF_AXE", "nowhere"))
LOOK = Path(__file__).with_name("look.js")
SCREENS = ((1400, "light"), (390, "dark"))
STILL = """document.head.insertAdjacentHTML("beforeend",
    "<style>*, ::before, ::after { transition: none !important; animation: none !important }</style>")"""
RULES = """axe.run({resultTypes: ["violations"]}).then(({violations}) => violations.flatMap(({id, nodes}) =>
    nodes.map(node => `${id}: ${node.html.slice(0, 90)} ${node.failureSummary.slice(0, 160)}`)))"""

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(PROGRAM is None, reason="no Chromium is here"),
    # JAX's, if it was imported
    pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called:RuntimeWarning"),
]


@pytest.fixture(scope="module")
def root(site):
    with served(site) as address:
        yield address


@pytest.fixture
def page(tmp_path):
    with chromium.started(PROGRAM, tmp_path, ALONE) as page:
        yield page


def test_pages_are_readable_on_a_phone_in_the_dark_by_ear_and_by_keyboard(site, pages, root, page):
    look = LOOK.read_text(encoding="utf-8")
    assert not list(faults(page, root, names(site, pages), look))


@pytest.mark.skipif(not AXE.is_file(), reason="AUTODIFF_AXE names no file axe.min.js (npm install axe-core)")
def test_no_page_breaks_a_rule_of_axe(site, pages, root, page):
    axe = AXE.read_text(encoding="utf-8")
    places = [*names(site, pages), "search.html?q=tensor", "nowhere/at/all"]
    assert not list(faults(page, root, places, f"{axe}; {RULES}"))


def faults(page, root, places, script):
    """What a script finds wrong on the pages at these places, on each of the screens."""
    for place in places:
        for width, scheme in SCREENS:
            page.emulate(width=width, prefers_color_scheme=scheme)
            page.open(root + place)
            page.wait_for("document.readyState == 'complete'")
            if "?" in place:
                page.wait_for("document.querySelector('.highlighted')")
            page.evaluate(STILL)
            yield from (f"{place}, {width}, {scheme}: {fault}" for fault in page.evaluate(script))


def names(site, pages):
    """The pages' addresses below the site's."""
    return sorted(path.relative_to(site).as_posix() for path in pages)


@pytest.mark.parametrize("place", ["nowhere", "course/nothing.html", "a/b/c/d/"])
def test_a_wrong_address_shows_a_page_that_leads_on(root, page, place):
    page.open(root + place)
    assert page.evaluate("getComputedStyle(document.querySelector('.bd-header')).position") == "sticky"
    links = page.evaluate("[...document.querySelectorAll('.bd-article a[href]')].map(a => a.href)")
    here = {root + place + "#there-is-no-page-at-this-address"}
    expected = ("index.html", "course/index.html", "guide/index.html", "reference/index.html", "gallery.html")
    assert {*links} - here == {root + name for name in expected}
    page.click("document.querySelector('.bd-article a[href$=\"gallery.html\"]')")
    page.wait_for("document.title.startsWith('Gallery')")


def test_each_page_tells_those_who_share_it_what_it_is(site, pages):
    said = {}
    for path in pages:
        text = path.read_text(encoding="utf-8")
        tags = dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="(.*?)"', text))
        assert 30 <= len(tags["description"]) <= 202, path.name
        assert tags["og:description"] == tags["description"]
        assert tags["og:title"]
        assert (path.parent / tags["og:image"]).resolve() == site / "_static" / "card.png"
        said[path] = tags["description"]
    assert len(set(said.values())) > 0.9 * len(said)
    card = (site / "_static" / "card.png").read_bytes()
    assert [int.from_bytes(card[at : at + 4]) for at in (16, 20)] == [1200, 630]
    assert '<link rel="icon" href="_static/favicon.svg"' in (site / "index.html").read_text(encoding="utf-8")


BUTTON = "document.querySelector('.plays button')"
AT = "[...document.querySelectorAll('.plays input')].findIndex(step => step.checked)"
HURRY = """
    const [set, clear] = [setTimeout, clearTimeout];
    window.setTimeout = (call, wait) => wait <= 1000 ? set(call, wait)
        : window.go = () => { window.waited = wait; call() };
    window.clearTimeout = timer => { timer === window.go ? window.go = null : clear(timer) };
"""


@pytest.mark.parametrize("width", [1400, 390])
def test_the_first_film_plays_until_a_reader_pauses_it(root, page, width):
    page.emulate(width=width)
    page.call("Page.enable")
    page.call("Page.addScriptToEvaluateOnNewDocument", source=HURRY)
    page.open(root + "index.html")
    page.wait_for(BUTTON)
    page.evaluate(f"{BUTTON}.scrollIntoView()")
    page.wait_for(f"{BUTTON}.innerText == 'pause'")
    state = f"[{AT}, {BUTTON}.innerText, document.querySelector('.plays .w').ariaLive, Boolean(window.go)]"
    assert page.evaluate(state) == [0, "pause", "off", True]
    page.evaluate("go()")
    assert page.evaluate(state) == [1, "pause", "off", True]
    words = page.evaluate("document.querySelector('.plays .w p').firstChild.textContent.split(' ').length")
    assert 2 <= words / page.evaluate("waited") * 1000 <= 4  # words in a second
    page.click(BUTTON)
    assert page.evaluate(state) == [1, "play", "polite", False]
    page.click(BUTTON)
    for at in (2, 3):
        page.evaluate("go()")
        assert page.evaluate(state) == [at, "pause", "off", True]
    page.evaluate("go()")
    assert page.evaluate(state) == [4, "play", "polite", False]
    page.click(BUTTON)
    assert page.evaluate(state) == [0, "pause", "off", True]
    page.click("document.querySelectorAll('.plays input')[2]")
    assert page.evaluate(state) == [2, "play", "polite", False]


def test_the_first_film_waits_for_readers_who_want_no_motion(root, page):
    page.emulate(prefers_reduced_motion="reduce")
    page.open(root + "index.html")
    page.wait_for(BUTTON)
    page.evaluate(f"{BUTTON}.scrollIntoView()")
    assert page.evaluate("new Promise(done => setTimeout(done, 200))") is None
    assert page.evaluate(f"[{AT}, {BUTTON}.innerText]") == [0, "play"]
