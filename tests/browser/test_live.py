"""A live graph in a browser: moved by mouse, keyboard and finger, pointed at, and read aloud."""

from __future__ import annotations

import pytest

import autodiff as ad
from autodiff.living.page import page as whole_page
from tests.browser import chromium
from tests.living.functions import OF_ARRAYS, OF_NUMBERS, course, layer, network

PROGRAM = chromium.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")
LEAF = "document.querySelector('.al-leaf')"
WATCH = """
window.faults = [];
addEventListener("error", (event) => faults.push(event.message));
addEventListener("securitypolicyviolation", (event) => faults.push(event.blockedURI));
"""
FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"


def pole(a):
    return 1 / a


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium.started(PROGRAM, tmp_path_factory.mktemp("chromium")) as page:
        page.call("Page.enable")
        page.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        yield page


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    functions = {course: {"a": 2.0}, network: OF_NUMBERS[network], pole: {"a": 0.1}, **OF_ARRAYS}
    for f, inputs in functions.items():
        ad.live(f, **inputs).save(folder / f"{f.__name__}.html")
    return folder


@pytest.fixture
def page(browser, folder):
    """Opens the page of a function; when the test is done, nothing has gone wrong in it."""

    def opened(f):
        browser.open(folder / f"{f.__name__}.html")
        browser.wait_for("!document.querySelector('[data-script]').hidden")
        return browser

    browser.emulate()
    yield opened
    assert browser.evaluate("faults") == []


def seen(page):
    """The numbers of the first input, of the gradient and of the end, and what the boxes show."""
    page.evaluate(FRAME)
    texts = page.evaluate(
        "['.al-value', '.al-grad', '.al-end'].map((q) => document.querySelector(q).textContent)"
    )
    boxes = page.evaluate(
        "[...document.querySelectorAll('[data-n]')].map((box) =>"
        " [...box.querySelectorAll('[data-p]')].map((text) => text.textContent))"
    )
    return texts, boxes


def at(a):
    """The same for the function `course`."""
    b, c = a + 2, 3 * a + 4
    values = [a, b, 3 * a, c, b * c], [c + 3 * b, c, b, b, 1.0]
    shown = [[f"{x:.5g}" for x in pair] for pair in zip(*values)]
    return [shown[0][0], shown[0][1], f"e = {shown[4][0]}"], shown


def test_it_opens_with_its_numbers(page):
    assert seen(page(course)) == at(2.0)


def test_an_arrow_key_moves_a_number_and_shift_moves_it_less(page):
    opened = page(course)
    opened.evaluate(f"{LEAF}.focus()")
    opened.press("ArrowRight")
    assert seen(opened) == at(2.1)
    opened.press("ArrowLeft")
    opened.press("ArrowLeft")
    assert seen(opened) == at(1.9)
    opened.press("ArrowRight", chromium.SHIFT)
    assert seen(opened) == at(1.91)
    opened.press("Home")
    assert seen(opened) == at(2.0)


def test_a_number_is_dragged_and_shift_is_finer(page):
    opened = page(course)
    opened.drag(LEAF, 50)
    assert seen(opened) == at(3.0)
    opened.drag(LEAF, -100)
    assert seen(opened) == at(1.0)
    opened.drag(LEAF, 100, chromium.SHIFT)
    assert seen(opened) == at(1.1)


def test_a_number_of_the_table_is_dragged(page):
    opened = page(course)
    opened.drag("document.querySelector('.al-value')", 30)
    assert seen(opened) == at(2.6)


@pytest.mark.parametrize("way", ["click", "key"])
def test_a_number_is_typed(page, way):
    opened = page(course)
    if way == "click":
        opened.click(LEAF)
        opened.write("-1.25")
    else:
        opened.evaluate(f"{LEAF}.focus()")
        opened.write("-1.25")
    assert seen(opened) == at(-1.25)
    opened.press("Enter")
    assert seen(opened) == at(-1.25)
    assert opened.evaluate(f"document.activeElement === {LEAF}")


def test_what_is_no_number_is_marked_and_changes_nothing(page):
    opened = page(course)
    opened.click(LEAF)
    opened.write("2x")
    opened.press("Enter")
    assert opened.evaluate("document.querySelector('.al-field').getAttribute('aria-invalid')") == "true"
    assert seen(opened) == at(2.0)
    opened.press("Escape")
    assert not opened.evaluate("document.querySelector('.al-field')")
    assert seen(opened) == at(2.0)


def test_escape_takes_back_what_was_typed(page):
    opened = page(course)
    opened.click(LEAF)
    opened.write("7")
    assert seen(opened) == at(7.0)
    opened.press("Escape")
    assert seen(opened) == at(2.0)


def test_reset_brings_the_first_numbers_back(page):
    opened = page(course)
    opened.drag(LEAF, 50)
    opened.click("document.querySelector('.al-reset')")
    assert seen(opened) == at(2.0)


def test_a_finger_moves_a_number(page):
    opened = page(course)
    opened.call("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        opened.emulate(width=390)
        opened.swipe(LEAF, 50)
        assert seen(opened) != at(2.0)
        [value, _, end], _ = seen(opened)
        assert 2.5 < float(value) <= 3.0
        assert seen(opened) == at(float(value))
        assert end
    finally:
        opened.call("Emulation.setTouchEmulationEnabled", enabled=False)


def test_streams_follow(page):
    opened = page(course)
    widths = (
        "[...document.querySelectorAll('[data-e] path:first-child')]"
        ".map(({style}) => [style.strokeWidth, style.stroke])"
    )
    before = opened.evaluate(widths)
    assert {colour for _, colour in before} == {"var(--plus)"}
    opened.evaluate(f"{LEAF}.focus()")
    opened.write("-3")
    opened.evaluate(FRAME)
    after = opened.evaluate(widths)
    assert {colour for _, colour in after} == {"var(--minus)"}
    assert [width for width, _ in after] != [width for width, _ in before]


def test_edges_show_slopes_if_wanted(page):
    opened = page(course)
    labels = "[...document.querySelectorAll('[data-l] text')].map((e) => e.textContent)"
    assert sorted(opened.evaluate(labels)) == ["10", "10", "12", "4", "4"]
    choose = "(e => { e.value = 'slopes'; e.dispatchEvent(new Event('input')) })"
    opened.evaluate(f"{choose}(document.querySelector('.al-edges'))")
    opened.evaluate(FRAME)
    assert sorted(opened.evaluate(labels)) == ["1", "1", "10", "3", "4"]


def test_a_box_that_is_pointed_at_lights_its_lines_and_tells_its_rule(page):
    opened = page(course)
    opened.point("document.querySelector('[data-n=\"1\"]')")
    lit = "[...document.querySelectorAll('.al-lit')].map((e) => e.textContent.trim())"
    found = opened.evaluate(lit)
    assert "b = a + 2" in found
    assert any(line.startswith("b = a + 2") and "const b = a + 2;" in line for line in found)
    assert any("d_b is c" in line for line in found)
    rule = opened.evaluate("[...document.querySelectorAll('.al-rule > *')].map((e) => e.textContent)")
    assert rule == ["b = a + 2 = 4", "d_b = d_e \N{MIDDLE DOT} c", "= 1 \N{MIDDLE DOT} 10 = 10"]
    neighbours = "(q) => [...document.querySelectorAll(q)].map((e) => e.dataset.n)"
    assert opened.evaluate(f"({neighbours})('.al-creator')") == ["0"]
    assert opened.evaluate(f"({neighbours})('.al-user')") == ["4"]


def test_a_line_that_is_pointed_at_lights_its_box(page):
    opened = page(course)
    opened.point("document.querySelectorAll('.al-source span')[3]")
    assert opened.evaluate("document.querySelector('[data-n].al-lit').dataset.n") == "4"


def test_the_picture_is_one_tab_stop_and_arrows_walk_in_it(page):
    opened = page(network)
    opened.evaluate("document.querySelector('.al-edges').focus()")
    opened.press("Tab")
    assert opened.evaluate("document.activeElement.dataset.n") == "0"
    opened.press("ArrowDown")
    assert opened.evaluate("document.activeElement.dataset.n") == "1"
    opened.press("ArrowUp")
    opened.press("ArrowUp")
    assert opened.evaluate("document.activeElement.dataset.n") == "34"
    assert opened.evaluate("document.activeElement.getAttribute('aria-label')").startswith("loss = ")
    opened.press("Tab")
    assert opened.evaluate("document.activeElement.className") == "al-value"
    opened.press("Tab")
    assert not opened.evaluate("document.activeElement.closest('.al-inputs, svg')")


def test_what_has_changed_is_read_aloud(page):
    opened = page(course)
    opened.evaluate(f"{LEAF}.focus()")
    assert opened.evaluate(f"{LEAF}.getAttribute('role')") == "slider"
    opened.press("ArrowRight")
    opened.wait_for("document.querySelector('.al-said').textContent.includes('2.1')")
    said = opened.evaluate("document.querySelector('.al-said').textContent")
    assert said == "e = 42.23. a = 2.1, gradient 22.6"
    assert opened.evaluate(f"{LEAF}.getAttribute('aria-valuetext')") == "a = 2.1, gradient 22.6"


def test_the_cells_of_an_array_move(page):
    opened = page(layer)
    cell = "document.querySelectorAll('[data-n=\"1\"] path[data-p=data]')[1]"
    before = seen(opened)[1]
    opened.drag(cell, 50)
    after = seen(opened)[1]
    assert before[1] != after[1]
    changed = [k for k, (one, other) in enumerate(zip(before[1], after[1])) if one != other]
    assert opened.evaluate("document.querySelectorAll('.al-value')[1].textContent") == "-1"
    assert changed
    assert before[-1] != after[-1]


def test_infinity_is_seen_and_left_again(page):
    opened = page(pole)
    opened.evaluate(f"{LEAF}.focus()")
    opened.press("ArrowLeft")
    [value, grad, end], _ = seen(opened)
    assert (value, grad, end) == ("0", "-inf", "pole = inf")
    assert opened.evaluate("document.querySelectorAll('.al-odd').length") == 1
    opened.press("ArrowRight")
    [value, grad, end], _ = seen(opened)
    assert (value, grad, end) == ("0.1", "-100", "pole = 10")
    assert opened.evaluate("document.querySelectorAll('.al-odd').length") == 0


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("f", [course, network, layer], ids=lambda f: f.__name__)
def test_the_page_is_no_wider_than_the_screen(page, f, width):
    opened = page(f)
    opened.emulate(width=width)
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_script_that_was_not_in_the_page_does_not_run(browser, tmp_path):
    text = whole_page("t", "<p id=p>no</p>", scripts=["document.querySelector('#p').textContent = 'yes';"])
    planted = "<script>window.planted = true</script><img src='https://example.org/x.png'>"
    (tmp_path / "planted.html").write_text(text.replace("<p id=p>", f"{planted}<p id=p>"), "utf-8")
    browser.open(tmp_path / "planted.html")
    browser.wait_for("document.querySelector('#p').textContent === 'yes'")
    assert browser.evaluate("window.planted") is None
    assert browser.evaluate("faults") == ["inline", "https://example.org/x.png"]
