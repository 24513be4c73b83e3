"""The graph of the first page under a hand: mouse, keys and typing, wide and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import chromium

PROGRAM = chromium.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")
STATIC = Path(__file__).parents[2] / "docs" / "_static"
TEXT = "b = 3 * a; c = a + 2; d = b + 4; e = c * d"

# Name, value and gradient of each box.
BOXES = """Object.fromEntries([...document.querySelectorAll(".box")].map((box) =>
    [box.querySelector(".title").textContent.split(" = ")[0],
     [box.querySelector(".data").textContent, box.querySelector(".grad").textContent]]))"""
WHY = "document.querySelector('.why').textContent"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    folder = tmp_path_factory.mktemp("play")
    scripts = [(STATIC / name).read_text(encoding="utf-8") for name in ("play_engine.js", "play.js")]
    parts = [
        "<!doctype html><html lang=en data-theme=light><meta charset=utf-8>",
        f"<style>{(STATIC / 'play.css').read_text(encoding='utf-8')}</style>",
        f'<div data-play="{TEXT}"><p>This stands here without scripts.</p></div>',
        *(f"<script>{script}</script>" for script in scripts),
    ]
    (folder / "play.html").write_text("\n".join(parts), encoding="utf-8")
    with chromium.started(PROGRAM, folder / "settings") as page:
        page.path = folder / "play.html"
        yield page


@pytest.fixture
def page(browser):
    browser.call("Page.navigate", url="about:blank")
    browser.emulate()
    browser.open(browser.path)
    return browser


def type_in(page, text):
    page.evaluate(
        "(() => { const field = document.querySelector('textarea'); "
        f"field.value = {text!r}; field.dispatchEvent(new Event('input')) }})()"
    )


def test_it_begins_with_the_graph_of_22(page):
    assert page.evaluate(BOXES) == {
        "a": ["2", "22"], "b": ["6", "4"], "c": ["4", "10"], "d": ["10", "4"], "e": ["40", "1"],
    }  # fmt: skip
    assert "without scripts" not in page.evaluate("document.body.innerText")


def test_arrow_keys_move_a_number_and_everything_behind_it(page):
    page.evaluate("document.querySelector('.leaf').focus()")
    page.press("ArrowRight")
    assert page.evaluate(BOXES)["a"] == ["2.1", "22.6"]
    assert page.evaluate(WHY) == "\u2202e/\u2202a = 10.3 \u00d7 1 through c + 4.1 \u00d7 3 through b = 22.6"
    assert "a=2.1" in page.evaluate("location.hash")


def test_a_number_is_dragged(page):
    x, y = page.evaluate(
        "(() => { const r = document.querySelector('.leaf').getBoundingClientRect(); "
        "return [r.x + r.width / 2, r.y + r.height / 2] })()"
    )
    mouse = {"button": "left", "clickCount": 1}
    page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **mouse)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + 40, y=y, **mouse)
    assert page.evaluate(BOXES)["a"] == ["3", "28"]
    page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + 40, y=y, **mouse)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + 400, y=y)
    assert page.evaluate(BOXES)["a"] == ["3", "28"]


def test_what_is_typed_is_drawn_and_what_cannot_be_read_changes_nothing(page):
    type_in(page, "y = w * x")
    assert [*page.evaluate(BOXES)] == ["w", "x", "y"]
    type_in(page, "y = w * foo(x)")
    assert [*page.evaluate(BOXES)] == ["w", "x", "y"]
    assert page.evaluate("document.querySelector('.problem mark').textContent") == "foo"
    problem = page.evaluate("document.querySelector('.problem').textContent")
    assert "there is no function foo; there are" in problem
    page.click("document.querySelector('.play button')")
    assert [*page.evaluate(BOXES)] == ["a", "b", "c", "d", "e"]


def test_a_number_is_typed_into_its_box(page):
    page.evaluate("document.querySelector('.leaf').focus()")
    for key in "-1.5":
        page.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
    assert page.evaluate(BOXES)["a"] == ["\u22121.5", "1"]


@pytest.mark.parametrize("text", ["y", "y = 5", "y = x", "y = x * 1.234567 * maximum(x, 2.7182818)"])
def test_a_graph_of_any_size_is_seen(page, text):
    type_in(page, text)
    assert page.evaluate("document.querySelector('.play svg').getBoundingClientRect().width") > 100
    titles = page.evaluate("""[...document.querySelectorAll(".box")].map((box) =>
        box.querySelector("rect").getBBox().width - box.querySelector(".title").getBBox().width)""")
    assert min(titles) > 4


def test_nan_and_inf_stay_visible_and_can_be_left(page):
    type_in(page, "a = 0; y = log(a) + 1 / a")
    assert page.evaluate(BOXES)["y"] == ["nan", "1"]
    page.evaluate("document.querySelector('.leaf').focus()")
    page.press("ArrowRight")
    assert page.evaluate(BOXES)["y"] == ["7.697", "1"]


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("text", [TEXT, "h = tanh(w*x + b); y = v*h + c; loss = (y - t)**2 + 0.1*w*w"])
def test_boxes_do_not_overlap_and_the_page_is_no_wider_than_the_screen(page, width, text):
    page.emulate(width=width)
    type_in(page, text)
    found = page.evaluate("""(() => {
        const all = [...document.querySelectorAll(".box")].map((box) => box.getBoundingClientRect());
        const meet = (p, q) => p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom;
        return [all.some((p, i) => all.some((q, k) => i < k && meet(p, q))), document.body.scrollWidth];
    })()""")
    assert not found[0]
    assert found[1] <= width
