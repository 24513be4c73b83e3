"""A film in a browser: what a reader sees at each step, by keyboard and by click, and without styles."""

from __future__ import annotations

import re

import pytest

import autodiff as ad
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
# What of a film that is to be seen: titles, captions, pictures that really were drawn, buttons.
LOOK = """(film => {
    const isSeen = e => e.checkVisibility({visibilityProperty: true});
    const seen = all => [...film.querySelectorAll(all)].filter(isSeen);
    return {
        titles: seen('div > b').map(e => e.innerText),
        captions: seen('div > p').map(e => e.innerText),
        pictures: seen('img').filter(e => e.naturalWidth > 100 && e.getBoundingClientRect().height > 50)
            .map(e => e.alt),
        places: seen('img').map(e => [e.getBoundingClientRect().x, e.getBoundingClientRect().y + scrollY]),
        dots: seen('input').map(e => e.checked),
        buttons: seen('label').map(e => getComputedStyle(e, '::after').content.replaceAll('"', '')),
        words: film.innerText
    }
})"""


def film_22():
    a = ad.Tensor(2)
    b = a * 3
    c = a + 2
    d = b + 4
    e = c * d
    return ad.film(e)


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
    assert len(seen["captions"]) == len(seen["pictures"]) == 1
    assert f"at step {step}, " in seen["pictures"][0]
    return seen


def label(word, film="document.querySelector('[data-film]')"):
    return f"[...{film}.querySelectorAll('label')].find(e => e.title == '{word}' && e.checkVisibility())"


def test_a_saved_film_opens_at_its_first_step(page, saved):
    page.open(saved)
    seen = is_at(page, 1)
    assert seen["buttons"] == ["first", "previous", "next", "last"]
    assert seen["pictures"] == ["Graph of e at step 1, gradients: a -; c -; b -; d -; e 1."]


def test_the_arrow_keys_step_it(page, saved):
    page.open(saved)
    page.press("Tab")
    captions = []
    for step in (2, 3, 4, 5):
        page.press("ArrowRight")
        captions += is_at(page, step)["captions"]
    assert "so a receives 4 × 3 = 12." in captions[2]
    assert "de/da += de/db * db/da = 4 * 3 = 12" in captions[2]
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


def test_no_picture_moves(page, saved):
    page.open(saved)
    places = [look(page)["places"]]
    for _ in range(4):
        page.click(label("next"))
        places.append(look(page)["places"])
    assert places == [places[0]] * 5


def test_a_strip_remains_where_styles_are_stripped(page, saved, tmp_path):
    style = r"<style>.*?</style>"
    for pattern in (style, rf'{style}|<input[^>]*>|</?label[^>]*>| (id|for)="[^"]*"'):
        stripped = tmp_path / "stripped.html"
        stripped.write_text(re.sub(pattern, "", saved.read_text("utf-8"), flags=re.DOTALL), "utf-8")
        page.open(stripped)
        seen = look(page)
        assert seen["titles"] == TITLES
        assert len(seen["captions"]) == len(seen["pictures"]) == 5
        assert seen["dots"] == []
        assert "12 + 10 = 22" in seen["captions"][-1]
        assert not re.search("first|previous|next|last", seen["words"])


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
