"""What explain, compare and streams write can be read in every theme, as the rest of pictures can."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import THEMES, compare, draw, explain
from autodiff.draw.theme import DARK, Theme
from tests.draw.lessons import Tensor as Reader
from tests.draw.lessons import overwriting
from tests.draw.test_page import BLACK, READABLE, WHITE, contrast, texts


def pictures(theme):
    """Paths in all their colours, streams of both signs with numbers on them, and what is wrong."""
    x = ad.Tensor(2.0)
    h = x * x
    yield explain(h + h * h, x, theme=theme)
    w = ad.Tensor(np.array([[8.0, -8.0, 0.0], [0.1, -0.1, 4.0]]))
    loss = ((w * w).sum() - x * 0 * x).relu()
    yield draw(loss, theme=theme, flow=True)
    yield explain(loss, w, theme=theme)
    r = Reader(2)
    k = r * r
    end = k + k * k
    overwriting(end)
    yield compare(end, theme=theme)
    loss.backward()
    w.grad = np.array([[16.0, -16.0, 9.0], [0.2, -0.2, 8.0]])
    yield compare(loss, theme=theme)
    yield compare(loss, theme=theme, style="spread")


@pytest.mark.parametrize("name", THEMES)
def test_every_text_can_be_read(name):
    inks, grounds = set(), set()
    for picture in pictures(THEMES[name]):
        for text, ground in texts(picture._sheet):
            inks.add(text.ink)
            grounds.add(ground)
            for theme in filter(None, (THEMES[name], THEMES[name].dark)):
                page = BLACK if theme == DARK else WHITE
                found = contrast(theme.colour(text.ink), theme.colour(ground) if ground else page)
                assert found >= READABLE, f"{text.text!r} in {text.ink} on {ground}: {found:.2f}"
    assert {f"path{i}" for i in range(6)} | {"wrong_line", "page"} <= inks
    assert {None, "paper", "wrong", "tint9", "tint8"} <= grounds


@pytest.mark.parametrize("name", THEMES)
def test_paths_and_streams_are_seen(name):
    for theme in filter(None, (THEMES[name], THEMES[name].dark)):
        page = BLACK if theme == DARK else WHITE
        for role in ("path0", "path5", "plus", "minus", "wrong_line"):
            assert contrast(theme.colour(role), page) >= 3


def test_a_text_that_cannot_be_read_is_found():
    pale = Theme(soft="#b0b8c4")
    sheet = draw(ad.Tensor(2.0), theme=pale)._sheet
    found = [contrast(pale.colour(text.ink), pale.colour(ground)) for text, ground in texts(sheet)]
    assert min(found) < READABLE < max(found)
