"""A film in a browser: what a reader sees at each step, by keyboard and by click, and without styles."""

from __future__ import annotations

import io
import re
import time

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw.filming.page import NOT_RUN
from autodiff.draw.picture.faces import SMALL, TEXT
from autodiff.draw.picture.page import MARGIN
from tests.browser import chromium

PROGRAM = chromium.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")

TITLES = [
    "Step 1 of 5: start",
    "Step 2 of 5: e = c * d",
    "Step 3 of 5: d = b + 4",
    "Step 4 of 5: b = a * 3",
    "Step 5 of 5: c = a + 2",
]
# What of a film is to be seen: titles, captions, the picture that the page shows and its words, buttons.
LOOK = """(film => {
    const isSeen = e => e.checkVisibility({visibilityProperty: true});
    const seen = all => [...film.querySelectorAll(all)].filter(isSeen);
    const box = e => e.getBoundingClientRect();
    const isLarge = e => box(e).height > 50;
    return {
        titles: seen('div > b').map(e => e.innerText),
        captions: seen('div > p').map(e => e.innerText),
        pictures: seen('.f').filter(isLarge).map(e => getComputedStyle(e).backgroundPosition),
        spoken: seen('[role=img]').map(e => e.getAttribute('aria-label')),
        loops: seen('img').filter(e => e.naturalWidth > 100 && isLarge(e)).map(e => e.alt),
        tables: seen('pre').map(e => e.innerText),
        places: seen('.f, .w, input, label').filter(e => isLarge(e) || e.matches('input, label'))
            .map(e => [box(e).x, box(e).y + scrollY, box(e).width, box(e).height]),
        dots: seen('input').map(e => e.checked),
        buttons: seen('label').map(e => getComputedStyle(e, '::after').content.replaceAll('"', '')),
        words: film.innerText
    }
})"""
FIGURE = "document.querySelector('.s .f')"


def film_22(**options):
    a = ad.Tensor(2)
    b = a * 3
    c = a + 2
    d = b + 4
    e = c * d
    return ad.film(e, **options)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with chromium.started(PROGRAM, tmp_path_factory.mktemp("chromium")) as page:
        yield page


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "e.html"
    film_22().save(path)
    return path


def look(page, film="document.querySelector('[data-film]')"):
    return page.evaluate(f"{LOOK}({film})")


def is_at(page, step, film="document.querySelector('[data-film]')"):
    seen = look(page, film)
    assert seen["titles"] == [TITLES[step - 1]]
    assert seen["dots"] == [k == step for k in range(1, 6)]
    assert [place.split()[1] for place in seen["pictures"]] == [f"{25 * (step - 1)}%"]
    assert len(seen["captions"]) == len(seen["spoken"]) == 1
    assert f"at step {step}, " in seen["spoken"][0]
    assert seen["loops"] == seen["tables"] == []
    return seen


def label(word, film="document.querySelector('[data-film]')"):
    return f"[...{film}.querySelectorAll('label')].find(e => e.title == '{word}' && e.checkVisibility())"


def test_a_saved_film_opens_at_its_first_step(page, saved):
    page.open(saved)
    seen = is_at(page, 1)
    assert seen["buttons"] == ["first", "previous", "next", "last"]
    assert seen["spoken"] == ["Graph of e at step 1, gradients: a -; c -; b -; d -; e 1."]


def test_the_arrow_keys_step_it(page, saved):
    page.open(saved)
    page.press("Tab")
    captions = []
    for step in (2, 3, 4, 5):
        page.press("ArrowRight")
        captions += is_at(page, step)["captions"]
    assert "so a receives 4 · 3 = 12." in captions[2]
    assert "∂e/∂a += ∂e/∂b · ∂b/∂a = 4 · 3 = 12" in captions[2]
    assert captions[3].startswith("The gradient of c is complete: 10. ")
    assert "12 + 10 = 22" in captions[3]
    page.press("ArrowLeft")
    is_at(page, 4)


def test_the_buttons_step_it(page, saved):
    page.open(saved)
    for word, step in [("next", 2), ("next", 3), ("last", 5), ("previous", 4), ("first", 1), ("previous", 1)]:
        page.click(label(word))
        is_at(page, step)
    page.click("document.querySelectorAll('input')[2]")
    is_at(page, 3)


def test_the_keys_go_on_where_a_click_left_off(page, saved):
    page.open(saved)
    page.click(label("last"))
    page.press("ArrowLeft")
    is_at(page, 4)


def test_nothing_moves_on_the_page(page, saved):
    page.open(saved)
    places = [look(page)["places"]]
    for _ in range(4):
        page.click(label("next"))
        places.append(look(page)["places"])
    assert places == [places[0]] * 5


def arrays():
    w, x = ad.Tensor([[1.0, -1.0], [0.5, 2.0]], name="w"), np.array([[1.0, 2.0], [3.0, -4.0], [0.0, 1.0]])
    z = ad.tanh(x @ w)
    return ad.film((z * z).sum() + (w * w).sum())


def both_ways():
    a = ad.Tensor(2, name="a")
    with ad.scope("a frame"):
        b = a * 3
    return ad.film(b * (a + 2) + b, moves={a: 1.0})


SLOW = [pytest.param(each, marks=pytest.mark.thorough) for each in (arrays, both_ways)]


@pytest.mark.parametrize("camera", [film_22, lambda: film_22(style="spread"), *SLOW])
def test_each_step_shows_its_own_picture(page, tmp_path, camera):
    film = camera()
    film.save(tmp_path / "film.html")
    page.open(tmp_path / "film.html")
    shown = []
    for _ in range(len(film)):
        shown.append(page.picture(FIGURE))
        page.click(label("next"))
    assert len(set(shown)) == len(film)
    for k, (picture, frame) in enumerate(zip(shown, film.frames)):
        page.open(within(tmp_path, f"frame{k}", frame))
        assert is_alike(picture, page.picture(IMAGE)), f"step {k + 1}"


def test_a_tall_picture_has_its_words_near_the_buttons(page, tmp_path):
    x = ad.Tensor(np.ones((3, 4)), name="x")
    for _ in range(8):
        x = ad.tanh(x)
    ad.film(x.sum()).save(tmp_path / "tall.html")
    page.open(tmp_path / "tall.html")
    words, figure, height = page.evaluate(
        "['.w', '.s'].map(all => document.querySelector(all).getBoundingClientRect().y)"
        ".concat(document.querySelector('.s').getBoundingClientRect().height)"
    )
    assert height > 480
    assert words < figure


def test_a_focus_ring_is_seen(page, saved):
    page.open(saved)
    page.press("Tab")
    style = "getComputedStyle(document.activeElement)"
    assert page.evaluate("document.activeElement.matches('[data-film] input')")
    assert page.evaluate(f"{style}.outlineStyle") != "none"
    assert page.evaluate(f"parseFloat({style}.outlineWidth)") >= 1


def test_dark_pages_have_dark_pictures(page, saved):
    pytest.importorskip("PIL.Image")
    page.open(saved)
    light = brightness(page.picture(FIGURE))
    page.emulate(prefers_color_scheme="dark")
    page.open(saved)
    dark = brightness(page.picture(FIGURE))
    page.emulate()
    assert light > 200
    assert dark < 80


def test_paper_has_all_steps(page, saved):
    page.open(saved)
    page.emulate(media="print")
    seen = look(page)
    page.emulate()
    assert seen["titles"] == TITLES
    assert seen["pictures"] == [f"0px {place}%" for place in (0, 25, 50, 75, 100)]
    assert len(seen["captions"]) == len(seen["spoken"]) == 5
    assert seen["dots"] == seen["buttons"] == []


def chain(**options):
    x = ad.Tensor(1.0)
    for _ in range(7):
        x = x * 1.5
    return ad.film(x, **options)


def far_apart(**options):
    leaves = [ad.Tensor(float(k), name=f"x{k}") for k in range(5)]
    end = leaves[0]
    for k in range(4):
        end = ad.tanh(end * leaves[k + 1])
    return ad.film(end + leaves[0], **options)


FILMS = [
    film_22,
    chain,
    far_apart,
    both_ways,
    arrays,
    lambda: film_22(direction="forward"),
    lambda: film_22(style="spread"),
    lambda: film_22(last=2),
]
SHOWN = f"""(e => {{
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    return [box.width, parseFloat(style.backgroundSize), parseFloat(style.backgroundPosition)];
}})({FIGURE})"""


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("camera", FILMS)
def test_a_phone_follows_what_happens_in_letters_that_can_be_read(page, tmp_path, camera, width):
    film = camera()
    film.save(tmp_path / "film.html")
    page.emulate(width=width)
    page.open(tmp_path / "film.html")
    _, _, plan = film._picture
    natural = round(film._sheets[0].width)
    for step in film._story.steps:
        seen, whole, percent = page.evaluate(SHOWN)
        zoom = whole / natural
        if whole == 100:  # percent: all of it is seen
            assert seen >= 12 / TEXT * natural
            break
        assert zoom * SMALL >= 11.99
        start = (whole - seen) * percent / 100
        watched = [plan.boxes[f"n{node}"] for node in sorted(step.receivers)]
        spans = [(zoom * (box.x - box.width / 2), zoom * (box.x + box.width / 2)) for box in watched]
        inside = [start <= left + zoom * MARGIN and right <= start + seen for left, right in spans]
        together = max(right for _, right in spans) - min(left for left, _ in spans) if spans else 0
        assert all(inside) if together < 270 else inside[0]
        page.click(label("next"))
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    page.emulate()
    assert overflow <= 0


def test_beside_code_a_phone_scrolls(page, tmp_path):
    def f(a):
        b = a * 3
        c = a + 2
        return c * (b + 4)

    x = ad.Tensor(2)
    ad.film(f(x), source=(f, x)).save(tmp_path / "code.html")
    page.emulate(width=390)
    page.open(tmp_path / "code.html")
    shown, column = page.evaluate(f"(e => [e.offsetWidth, e.parentElement.clientWidth])({FIGURE})")
    can_scroll = page.evaluate(f"getComputedStyle({FIGURE}.parentElement).overflowX")
    page.emulate()
    assert shown > column
    assert can_scroll == "auto"


def test_steps_are_said_as_they_come_and_the_buttons_are_a_group_with_a_name(page, saved):
    page.open(saved)
    group, live = page.evaluate(
        "(film => [[film.role, film.ariaLabel], film.querySelector('.w').ariaLive])"
        "(document.querySelector('[data-film]'))"
    )
    assert group == ["group", "The walk back from e, step by step"]
    assert live == "polite"


def without_styles(html):
    """A film in a notebook that is not trusted: the style is gone, and attributes without a value."""
    html = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    return re.sub(r" data-lm-suppress-shortcuts| checked(?=>)", "", html)


def test_the_loop_and_the_table_remain_where_styles_are_stripped(page, saved, tmp_path):
    html = without_styles(saved.read_text("utf-8"))
    for pattern in ("", r"<input[^>]*>|</?label[^>]*>", r' hidden="hidden"', r' style="display:none"'):
        stripped = tmp_path / "stripped.html"
        stripped.write_text(re.sub(pattern, "", html) if pattern else html, "utf-8")
        page.open(stripped)
        seen = look(page)
        assert seen["loops"] == ["Graph of e at step 5, gradients: a 22; c 10; b 4; d 4; e 1."]
        assert "12 + 10 = 22" in seen["tables"][0]
        assert seen["dots"] == seen["buttons"] == seen["titles"] == seen["pictures"] == []
        assert not re.search("first|previous|next|last", seen["words"])
        assert NOT_RUN in seen["words"]
    page.open(saved)
    assert NOT_RUN not in look(page)["words"]


# -- the animated file -------------------------------------------------------------------------------------

IMAGE = "document.querySelector('img')"


def within(folder, name, svg):
    """A page with one picture, as a README shows it."""
    (folder / f"{name}.svg").write_text(svg, "utf-8")
    path = folder / f"{name}.html"
    path.write_text(f'<body style="margin:0"><img src="{name}.svg">', "utf-8")
    return path


def animated(folder, seconds):
    film_22().save(folder / "walk.svg", seconds=seconds)
    return within(folder, "walk", (folder / "walk.svg").read_text("utf-8"))


def test_the_animated_file_steps_by_itself(page, tmp_path):
    page.open(animated(tmp_path, 0.3))
    until, seen = time.monotonic() + 10, set()
    while len(seen) < 5 and time.monotonic() < until:
        seen.add(page.picture(IMAGE))
        time.sleep(0.05)
    assert len(seen) == 5


def test_readers_who_want_no_motion_see_the_end(page, tmp_path):
    film_22().save(tmp_path / "e_{}.svg")
    page.open(within(tmp_path, "end", (tmp_path / "e_5.svg").read_text("utf-8")))
    end = page.picture(IMAGE)
    # A page can be told of this wish by DevTools, but a picture in it only by the system.
    with chromium.started(PROGRAM, tmp_path / "chromium", "--force-prefers-reduced-motion") as calm:
        calm.open(animated(tmp_path, 0.3))
        seen = []
        for _ in range(6):
            seen.append(calm.picture(IMAGE))
            time.sleep(0.15)
    assert set(seen) == {seen[0]}
    assert is_alike(seen[0], end)


def opened(picture):
    image = pytest.importorskip("PIL.Image")
    return image.open(io.BytesIO(picture)).convert("L")


def is_alike(one, other):
    """Whether two pictures are of one size, and of one look but for the edges of letters."""
    if one == other:
        return True
    a, b = opened(one), opened(other)
    if a.size != b.size:
        return False
    differing = sum(abs(x - y) > 60 for x, y in zip(a.tobytes(), b.tobytes()))
    return differing < 20


def brightness(picture):
    data = opened(picture).tobytes()
    return sum(data) / len(data)


@pytest.mark.thorough
def test_a_notebook_as_a_page(page, tmp_path):
    nbconvert = pytest.importorskip("nbconvert")
    from nbformat.v4 import new_code_cell, new_notebook, new_output

    film = film_22()
    outputs = []
    for count in (1, 2):
        data, metadata = film._repr_mimebundle_()
        outputs.append(new_output("execute_result", data, metadata=metadata, execution_count=count))
    nb = new_notebook(cells=[new_code_cell("ad.film(e)", outputs=[output]) for output in outputs])
    converted, _ = nbconvert.HTMLExporter().from_notebook_node(nb)
    (tmp_path / "nb.html").write_text(converted, "utf-8")
    page.open(tmp_path / "nb.html")
    first, second = (f"document.querySelectorAll('[data-film]')[{k}]" for k in (0, 1))
    is_at(page, 1, first)
    page.click(label("last", first))
    assert "12 + 10 = 22" in is_at(page, 5, first)["captions"][0]
    is_at(page, 1, second)  # the same film again, and not stepped with it
    page.click(label("next", second))
    page.press("ArrowRight")
    is_at(page, 3, second)
    is_at(page, 5, first)
