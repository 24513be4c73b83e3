"""A live graph in a browser: moved by mouse, keyboard and finger, pointed at, and read aloud."""

from __future__ import annotations

import re

import pytest

import autodiff as ad
from autodiff.draw.graph.caller import Scope
from autodiff.draw.graph.reading import read
from autodiff.draw.picture.streams import LEAST, WIDEST
from autodiff.living.page import page as whole_page
from tests.browser import chromium
from tests.living.functions import OF_ARRAYS, OF_NUMBERS, course, layer, net, network

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


def bottomless(a):
    return -a * a * a * a


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
    functions[bottomless] = {"a": 1.0}
    for f, inputs in functions.items():
        ad.live(f, **inputs).save(folder / f"{f.__name__}.html")
    return folder


@pytest.fixture
def page(browser, folder):
    """Opens the page of a function; when the test is done, nothing has gone wrong in it."""

    def opened(f):
        browser.open(folder / f"{f.__name__}.html")
        browser.wait_for("!document.querySelector('[data-script][hidden]')")
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


def choose(page, selector, value):
    """Choose an option, and wait until the page has followed."""
    page.evaluate(
        f"(e => {{ e.value = '{value}'; e.dispatchEvent(new Event('input')) }})"
        f"(document.querySelector('{selector}'))"
    )
    page.evaluate(FRAME)


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


def test_streams_are_as_wide_as_in_pictures(page):
    opened = page(layer)
    given = {"x": ad.Tensor([1.0, -2.0, 0.5], name="x")}
    flows = [*read(layer(**given), Scope(given, {}), flow=True).flows.edges.values()]
    largest = max(flow.size for flow in flows)
    expected = [LEAST + (WIDEST - LEAST) * (flow.size / largest) ** 0.5 for flow in flows]
    found = opened.evaluate(
        "[...document.querySelectorAll('[data-e]')].map((g) => [...g.children].slice(0, 2)"
        ".map((e) => (e.getAttribute('d') ? Number(e.style.strokeWidth) : 0)).reduce((a, b) => a + b))"
    )
    assert sorted(found) == pytest.approx(sorted(expected), abs=0.11)


def test_edges_show_slopes_if_wanted(page):
    opened = page(course)
    labels = "[...document.querySelectorAll('[data-l] text')].map((e) => e.textContent)"
    assert sorted(opened.evaluate(labels)) == ["10", "10", "12", "4", "4"]
    choose(opened, ".al-edges", "slopes")
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
    opened.evaluate("document.querySelector('.al-link').focus()")
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


def test_the_map_of_a_large_array_follows(page):
    opened = page(net)
    tints = "[...document.querySelectorAll('[data-m] path')].map((e) => e.style.fill)"
    before = opened.evaluate(tints)
    assert len(before) == 2 * (10 + 4 * 8)  # the first weight, of 8 rows and 2 columns, in 5 rows
    opened.evaluate("document.querySelector('.al-value').focus()")
    opened.write("-2")
    opened.press("Enter")
    opened.evaluate(FRAME)
    after = opened.evaluate(tints)
    assert before[:10] != after[:10] or before[10:] != after[10:]
    assert len(after) == len(before)


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


# -- curve, nudge, downhill, link ---------------------------------------------------------------------------


def points(path):
    """The points of the path of straight lines, in pixels of the plot."""
    return [tuple(map(float, pair.split())) for pair in path.strip("M").replace("M", "L").split("L")]


def curve(page):
    page.evaluate(FRAME)
    paths = [".al-line", ".al-tangent", ".al-secant"]
    found = page.evaluate(
        f"{paths}.map((q) => document.querySelector('.al-curve ' + q).getAttribute('d'))"
    )
    texts = page.evaluate("[...document.querySelectorAll('.al-curve > text')].map((e) => e.textContent)")
    return [points(path) if path else [] for path in found], texts


def test_the_curve_has_its_tangent(page):
    opened = page(course)
    (line, tangent, secant), texts = curve(opened)
    assert texts == ["a = 2, e = 40", "slope 22", "a = -2", "6", "187", "-10.9"]
    assert not secant
    [(x0, y0), (x1, y1)] = tangent
    per_pixel = (187 + 10.9) / 120  # of the result, and of a below
    assert (y0 - y1) * per_pixel / ((x1 - x0) * 8 / 300) == pytest.approx(22, rel=0.01)
    at_two = min(line, key=lambda point: abs(point[0] - 150))
    assert at_two[1] == pytest.approx((187 - 40) / per_pixel, abs=1.5)


def test_the_curve_follows_the_number_that_is_held(page):
    opened = page(network)
    opened.drag("document.querySelectorAll('.al-value')[3]", 20)
    assert curve(opened)[1][0].startswith("u2 = 0.9, loss = ")


def test_a_drag_on_the_curve_moves_the_number(page):
    opened = page(course)
    opened.drag("document.querySelector('.al-curve circle')", 37.5)
    assert seen(opened) == at(3.0)


def test_a_pole_breaks_the_curve(page):
    opened = page(pole)
    path = "document.querySelector('.al-line').getAttribute('d')"
    assert opened.evaluate(path).count("M") == 2


def test_a_nudge_is_compared_with_the_gradient(page):
    opened = page(course)
    assert opened.evaluate("document.querySelector('td.al-nudged').checkVisibility()") is False
    opened.click("document.querySelector('.al-nudge')")
    (_, _, secant), _ = curve(opened)
    assert secant
    nudged = "document.querySelector('td.al-nudged').textContent"
    assert opened.evaluate(nudged) == "22.3"
    for h, found in (("1", "25"), ("0.001", "22.003"), ("1e-12", "21.998")):
        choose(opened, ".al-h", h)
        assert float(opened.evaluate(nudged)) == pytest.approx(float(found), rel=1e-3)


def test_the_page_walks_down_its_own_gradient(page):
    opened = page(network)
    before = float(seen(opened)[0][2].split()[-1])
    opened.click("document.querySelector('.al-walks input')")  # x stays
    opened.click("document.querySelector('.al-downhill')")
    opened.wait_for("Number(document.querySelector('.al-end').textContent.split(' ').at(-1)) < 0.5")
    opened.click("document.querySelector('.al-downhill')")
    [value, _, end], _ = seen(opened)
    assert float(end.split()[-1]) < 0.5 < before
    assert value == "0.8"
    assert seen(opened)[0][2] == end
    opened.click("document.querySelector('.al-reset')")
    assert float(seen(opened)[0][2].split()[-1]) == before


def test_a_walk_that_runs_away_stops_and_says_so(page):
    opened = page(bottomless)
    opened.click("document.querySelector('.al-downhill')")
    opened.wait_for("document.querySelector('.al-downhill').textContent.includes('no bottom')", 20)
    opened.click("document.querySelector('.al-reset')")
    assert opened.evaluate("document.querySelector('.al-downhill').textContent") == "walk downhill"


def test_without_motion_it_takes_one_step_at_a_time(page):
    browser = page(course)
    browser.emulate(prefers_reduced_motion="reduce")
    opened = page(course)
    assert opened.evaluate("document.querySelector('.al-downhill').textContent") == "step downhill"
    opened.click("document.querySelector('.al-downhill')")
    assert seen(opened) == at(2 - 0.05 * 22)
    assert seen(opened) == at(2 - 0.05 * 22)


def test_a_link_holds_the_numbers(page, browser, folder):
    opened = page(course)
    opened.evaluate(f"{LEAF}.focus()")
    opened.write("-1.25")
    opened.press("Enter")
    opened.click("document.querySelector('.al-link')")
    assert opened.evaluate("location.hash") == "#a=-1.25"
    there = (folder / "course.html").as_uri() + "#a=-1.25"
    opened.call("Page.navigate", url="about:blank")
    opened.call("Page.navigate", url=there)
    opened.wait_for(f"location.href === '{there}'")
    opened.wait_for("document.querySelector('.al-value')?.textContent === '-1.25'")
    assert seen(opened) == at(-1.25)
    opened.evaluate("location.hash = 'a=3&b=7&a=x'")
    opened.wait_for("document.querySelector('.al-value').textContent === '3'")
    opened.evaluate("location.hash = '%'")
    assert seen(opened) == at(3.0)


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


# -- the walk back ------------------------------------------------------------------------------------------


def grads(page):
    """What the boxes of `course` show as gradients."""
    return [box[1] for box in seen(page)[1]]


def test_the_scrubber_walks_back(page):
    opened = page(course)
    assert opened.evaluate("document.querySelector('.al-walk').max") == "4"
    labels = "[...document.querySelectorAll('[data-l] text')].map((e) => e.textContent).filter(Boolean)"
    for step, shown, streams in (
        (0, ["", "", "", "", "1"], []),
        (1, ["", "10", "", "4", "1"], ["10", "4"]),
        (2, ["", "10", "4", "4", "1"], ["10", "4", "4"]),
        (3, ["12", "10", "4", "4", "1"], ["10", "12", "4", "4"]),
        (4, ["22", "10", "4", "4", "1"], ["10", "10", "12", "4", "4"]),
    ):
        choose(opened, ".al-walk", str(step))
        assert grads(opened) == shown
        assert sorted(opened.evaluate(labels)) == sorted(streams)
    choose(opened, ".al-walk", "1")
    assert opened.evaluate("document.querySelector('.al-step').textContent") == "step 1 of 4: e passes on"
    assert opened.evaluate("document.querySelector('.al-grad').textContent") == "\N{HORIZONTAL ELLIPSIS}"
    assert opened.evaluate("document.querySelector('[data-n].al-lit').dataset.n") == "4"


def test_numbers_move_in_the_middle_of_the_walk(page):
    opened = page(course)
    choose(opened, ".al-walk", "3")
    opened.evaluate("document.querySelector('.al-value').focus()")
    opened.press("ArrowRight")
    assert grads(opened) == ["12.3", "10.3", "4.1", "4.1", "1"]
    opened.click("document.querySelector('.al-reset')")
    assert seen(opened) == at(2.0)


# -- modules ------------------------------------------------------------------------------------------------


def picture(page):
    """Which picture is seen, and the titles and the labels in it."""
    page.evaluate(FRAME)
    return page.evaluate(
        "(() => { const all = [...document.querySelectorAll('.al-picture > svg')];"
        " const k = all.findIndex((svg) => svg.checkVisibility());"
        " const texts = (q) => [...all[k].querySelectorAll(q)].map((e) => e.textContent);"
        " return [k, texts('[data-b] text:first-of-type'), texts('[data-l] text')]; })()"
    )


def test_modules_are_closed_and_opened(page):
    opened = page(net)
    assert picture(opened)[:2] == [2, []]
    choose(opened, ".al-levels", "0")
    k, boxes, labels = picture(opened)
    assert (k, boxes) == (0, ["Sequential"])
    grads = "[...document.querySelectorAll('.al-grad')].slice(0, 2).map((e) => e.textContent)"
    gradient = opened.evaluate(grads)
    rms = (sum(float(x) ** 2 for x in gradient) / 2) ** 0.5
    assert float(labels[0].removeprefix("rms ")) == pytest.approx(rms, rel=0.01)
    opened.click("document.querySelector('.al-picture > svg [data-b]')")
    k, boxes, _ = picture(opened)
    assert (k, boxes) == (1, ["0: Linear", "1: Tanh", "2: Linear"])
    opened.evaluate("document.activeElement.closest('[data-b]').focus()")
    opened.press("Enter")
    assert picture(opened)[:2] == [2, []]


def test_a_number_moves_in_every_picture(page):
    opened = page(net)
    choose(opened, ".al-levels", "0")
    opened.drag("document.querySelector('.al-picture > svg [data-n=\"0\"] path[data-p=data]')", 50)
    assert opened.evaluate("document.querySelector('.al-value').textContent") == "1.5"
    opened.evaluate(FRAME)
    texts = opened.evaluate("[...document.querySelectorAll('[data-n=\"0\"]')].map((e) => e.textContent)")
    assert len(texts) == 3
    assert len(set(texts)) == 1


# -- guessing -----------------------------------------------------------------------------------------------


def test_a_gradient_is_hidden_until_it_is_guessed(page):
    opened = page(course)
    opened.click("document.querySelector('.al-guess')")
    _, boxes = seen(opened)
    assert [box[1] for box in boxes] == ["?", "?", "?", "?", "1"]
    text = "document.querySelector('.al').innerText"
    everywhere = opened.evaluate(f"{text} + document.querySelector('.al-curve').textContent")
    assert "22" not in everywhere
    assert "0 of 4 found" in everywhere
    labels = "[...document.querySelectorAll('[data-l] text')].map((e) => e.textContent)"
    assert opened.evaluate(labels) == ["?"] * 5
    opened.click("document.querySelector('[data-n=\"1\"] text[data-p=grad]')")
    opened.write("9")
    opened.press("Enter")
    assert "9 is not it" in opened.evaluate("document.querySelector('.al-rule').textContent")
    opened.press("Escape")
    assert seen(opened)[1][1][1] == "?"
    opened.click("document.querySelector('[data-n=\"1\"] text[data-p=grad]')")
    opened.write("10")
    opened.press("Enter")
    assert [box[1] for box in seen(opened)[1]] == ["?", "10", "?", "?", "1"]
    assert "1 of 4 found" in opened.evaluate(text)
    assert opened.evaluate(labels).count("?") == 4
    opened.click("document.querySelector('.al-guess')")
    assert seen(opened) == at(2.0)


def test_a_gradient_is_guessed_by_keyboard(page):
    opened = page(course)
    opened.click("document.querySelector('.al-guess')")
    opened.evaluate(f"{LEAF}.focus()")
    opened.write("g22")
    opened.press("Enter")
    assert seen(opened)[1][0] == ["2", "22"]


# -- in a notebook ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ground", "scheme"), [("#fff", "light"), ("#111111", "dark")])
def test_an_output_shows_the_page_in_a_frame_as_high_as_it_is(browser, tmp_path, ground, scheme):
    html = ad.live(course, a=2.0)._repr_mimebundle_()[0]["text/html"]
    (tmp_path / "cell.html").write_text(f"<!doctype html><body style='background:{ground}'>{html}", "utf-8")
    browser.open(tmp_path / "cell.html")
    browser.wait_for("document.querySelector('iframe')")
    browser.wait_for("document.querySelector('iframe').style.height !== '640px'")
    told = "(({title, style, sandbox}) => [title, style.colorScheme, sandbox.value])"
    frame = browser.evaluate(f"{told}(document.querySelector('iframe'))")
    assert frame[0].startswith("Recorded graph of e, 5 nodes")
    assert frame[1:] == [scheme, "allow-scripts"]
    assert 300 < browser.evaluate("document.querySelector('iframe').offsetHeight") < 2000
    assert not browser.evaluate("document.querySelector('img').checkVisibility()")


def test_where_scripts_are_stripped_the_still_remains(browser, tmp_path):
    html = ad.live(course, a=2.0)._repr_mimebundle_()[0]["text/html"]
    html = re.sub(r"<script>.*?</script></div>$|<!--.*-->", "", html, flags=re.DOTALL)
    (tmp_path / "stripped.html").write_text(f"<!doctype html>{html}", "utf-8")
    browser.open(tmp_path / "stripped.html")
    assert browser.evaluate("document.querySelector('img').naturalWidth") > 300
    assert browser.evaluate("document.body.innerText.trim()") == ""
