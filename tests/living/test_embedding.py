"""The output of a cell: the still and the page, and what a sanitizer leaves of them."""

from __future__ import annotations

import re

import pytest

from autodiff.living import live
from autodiff.living.embedding import output
from tests.living.functions import course


def test_a_cell_has_the_table_the_page_and_the_still():
    page = live(course, a=2.0)
    data, metadata = page._repr_mimebundle_()
    assert data["text/plain"] == page.text
    assert data["image/svg+xml"] == page.still
    assert metadata["autodiff"] in page.still
    parts = r"<div id=\"live-[\w-]+\" data-live><div>(.*?)</div><!--(.*)--><script>.*</script></div>"
    found = re.fullmatch(parts, data["text/html"], re.DOTALL)
    assert "<img alt=" in found[1]
    assert found[2] == page.html


def test_two_outputs_on_one_page_have_ids_of_their_own():
    page = live(course, a=2.25)
    texts = [page._repr_mimebundle_()[0]["text/html"] for _ in range(2)]
    ids = [re.search(r'id="(.*?)"', text)[1] for text in texts]
    assert ids[0] != ids[1]
    assert all(f'getElementById("{uid}")' in text for uid, text in zip(ids, texts))


def test_a_page_that_ends_a_comment_stays_in_it():
    text = output("a --> b <!-- c -->", "<img alt=''>", "u")
    assert text.count("-->") == 1
    assert "a --&gt; b <!-- c --&gt;-->" in text


def test_what_a_sanitizer_prints_is_short():
    bleach = pytest.importorskip("bleach")
    page = live(course, a=2.0)
    html = page._repr_mimebundle_()[0]["text/html"]
    assert len(html) > 35_000
    printed = bleach.clean(html, strip_comments=True)  # as nbconvert --sanitize-html does
    assert "al-said" not in printed
    assert len(re.sub(r"base64,[\w+/=]*", "", printed)) < 2_500
