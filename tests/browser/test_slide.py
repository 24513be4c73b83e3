"""A slide in a browser: moved by keyboard and by click, on a narrow page, in print and without styles."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

import autodiff as ad
from autodiff.draw.filming.page import NOT_RUN
from tests.browser import chromium

PROGRAM = chromium.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")
SLIDE = "document.querySelector('[data-slide]')"
LOOK = """(slide => {
    const isSeen = e => e.checkVisibility({visibilityProperty: true});
    const seen = all => [...slide.querySelectorAll(all)].filter(isSeen);
    const box = e => { const r = e.getBoundingClientRect(); return [r.x, r.y + scrollY, r.width, r.height] };
    return {
        words: seen('p').map(e => e.innerText),
        labels: seen('.w .f').map(e => e.ariaLabel),
        shown: seen('.f').filter(e => box(e)[2] > 100).map(e => getComputedStyle(e).backgroundPosition),
        places: seen('.s').map(box),
        dots: seen('input').map(e => e.checked),
        rail: seen('input').map(box),
        images: seen('img').filter(e => e.naturalWidth > 100).map(e => e.alt),
        tables: seen('pre').length,
        overflow: document.documentElement.scrollWidth - innerWidth,
        picture: seen('.s > .f').map(e => box(e)[2]),
    }
})"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with chromium.started(PROGRAM, tmp_path_factory.mktemp("chromium")) as page:
        yield page


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    def f(a):
        c = a + 2
        d = 3 * a + 4
        return c * d

    path = tmp_path_factory.mktemp("slide") / "f.html"
    ad.slide(f, a=(-4, 4), steps=9).save(path)
    return path


def look(page):
    return page.evaluate(f"{LOOK}({SLIDE})")


def is_at(page, a):
    seen = look(page)
    assert seen["words"] == [f"a = {a}: f = {(a + 2) * (3 * a + 4)}, ∂f/∂a = {6 * a + 10}"]
    assert len(seen["labels"]) == 1
    assert f"at a = {a}: " in seen["labels"][0]
    assert seen["shown"] == [f"0px {12.5 * (a + 4):g}%"]
    assert seen["images"] == []
    assert seen["tables"] == 0
    assert seen["dots"] == [k == a + 4 for k in range(9)]
    return seen


def test_it_opens_in_the_middle(page, saved):
    page.open(saved)
    is_at(page, 0)


def test_the_arrow_keys_move_it(page, saved):
    page.open(saved)
    page.press("Tab")
    for a in (1, 2):
        page.press("ArrowRight")
        is_at(page, a)
    page.press("ArrowLeft")
    is_at(page, 1)


def test_a_click_on_the_rail_moves_it_and_the_keys_go_on(page, saved):
    page.open(saved)
    page.click(f"{SLIDE}.querySelectorAll('input')[8]")
    is_at(page, 4)
    page.click(f"{SLIDE}.querySelectorAll('input')[1]")
    is_at(page, -3)
    page.press("ArrowRight")
    is_at(page, -2)


def test_nothing_on_the_page_moves(page, saved):
    page.open(saved)
    places = []
    for k in range(9):
        page.click(f"{SLIDE}.querySelectorAll('input')[{k}]")
        places.append(look(page)["places"])
    assert places == [places[0]] * 9


def test_the_rail_is_one_row(page, saved):
    page.open(saved)
    rail = look(page)["rail"]
    assert len({y for _, y, _, _ in rail}) == 1
    for (x, _, width, height), (following, *_) in pairwise(rail):
        assert x + width == pytest.approx(following, abs=0.6)
        assert height >= 24


def test_on_a_narrow_page_the_picture_stays_readable(page, saved):
    page.call("Emulation.setDeviceMetricsOverride", width=300, height=800, deviceScaleFactor=1, mobile=False)
    natural = int(re.search(r"aspect-ratio:(\d+)/", saved.read_text("utf-8"))[1])
    try:
        page.open(saved)
        seen = is_at(page, 0)
        assert seen["overflow"] <= 0
        assert all(width <= 36 for _, _, width, _ in seen["rail"])
        assert seen["picture"][0] >= 0.69 * natural  # it scrolls in its own frame
        assert len({y for _, y, _, _ in seen["rail"]}) == 1
    finally:
        page.call("Emulation.clearDeviceMetricsOverride")


def test_in_print_all_steps_are_there_and_no_rail(page, saved):
    page.call("Emulation.setEmulatedMedia", media="print")
    try:
        page.open(saved)
        seen = look(page)
        assert len(seen["words"]) == len(set(seen["shown"])) == 9
        assert seen["dots"] == []
    finally:
        page.call("Emulation.setEmulatedMedia", media="")


def test_the_animated_picture_and_the_table_remain_where_styles_are_stripped(page, saved, tmp_path):
    style = r"<style>.*?</style>"
    for pattern in (style, rf"{style}|<input[^>]*>"):
        stripped = tmp_path / "stripped.html"
        stripped.write_text(re.sub(pattern, "", saved.read_text("utf-8"), flags=re.DOTALL), "utf-8")
        page.open(stripped)
        seen = look(page)
        assert len(seen["images"]) == 1
        assert seen["tables"] == 1
        assert seen["dots"] == []
        assert seen["words"] == [NOT_RUN]
