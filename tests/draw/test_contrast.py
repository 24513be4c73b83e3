"""Every text in a picture can be read: a contrast of 4.5 to its ground (WCAG 2, AA), in every theme."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import THEMES, compare, draw, explain
from autodiff.draw.picture.shapes import Rect, Text
from autodiff.draw.theme import DARK, Theme
from autodiff.lessons import after_03
from autodiff.lessons.after_04 import Tensor as Reader

PAGES = {"dark": ("#111111", "#000000", "#1c232d")}  # of the other themes: white
AA = 4.5


def luminance(colour):
    """The relative luminance of a colour, as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """The contrast of two colours, from 1 to 21."""
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_known_colours():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def ground(text, shapes):
    """The fill of the highest area under the middle of a text; None for the page itself."""
    x = text.x + {"start": 1, "middle": 0, "end": -1}[text.anchor]
    under = [
        shape
        for shape in shapes
        if isinstance(shape, Rect)
        and shape.fill
        and shape.x <= x <= shape.x + shape.width
        and shape.y <= text.y <= shape.y + shape.height
    ]
    return max(under, key=lambda shape: shape.layer).fill if under else None


def many_kinds(theme):
    """Pictures that have every kind of box, row, cell, badge and line of text between them."""
    a = ad.Tensor(2.0)
    b, c = a * 3, a + 2
    d = b + 4
    e = c * d
    yield draw(e, theme=theme, slopes="symbol", constants="shown", title="a title", highlight=("a", "e"))
    e.backward()
    yield draw(e, theme=theme, style="spread", arrows="both")
    yield draw(e, theme=theme, flow=True)
    yield explain(e, a, theme=theme)
    x = ad.Tensor(2.0)
    h = x * x
    yield explain(h + h * h, x, theme=theme)
    W = ad.Tensor(np.array([[8.0, -8.0, 0.0], [0.1, -0.1, 4.0]]))
    big = ad.Tensor(np.linspace(-1, 1, 200).reshape(20, 10))
    X = ad.Tensor(np.ones((3, 2)), requires_grad=False)
    with np.errstate(all="ignore"):
        loss = ((X @ W).log() + big.sum()).mean()
        (W * W * W).sum().backward()
        big.sum().backward()
        yield draw(loss, theme=theme, show=["data", "grad", "shape", "statistics"])
    with ad.scope("layer"):
        y = (a * b).tanh()
    y.backward(create_graph=True)
    yield draw(a.grad, theme=theme)
    z = a
    for _ in range(400):
        z = z * 2 + 1
    yield draw(z, theme=theme)
    yield draw(z, theme=theme, limit=5)
    r = Reader(2)
    k = r * r
    end = k + k * k
    after_03.backward(end)
    yield compare(end, theme=theme)
    wrong = ad.Tensor(np.array([1.0, -2.0]))
    total = (wrong * wrong).sum()
    total.backward()
    wrong.grad = np.array([2.0, 9.0])
    yield compare(total, theme=theme)


@pytest.mark.parametrize("name", THEMES)
def test_every_text_can_be_read(name):
    theme = THEMES[name]
    seen, faults = set(), set()
    for drawing in many_kinds(theme):
        for shape in drawing._sheet.shapes:
            if not isinstance(shape, Text):
                continue
            under = ground(shape, drawing._sheet.shapes)
            for side, one in (("light", theme), ("dark", theme.dark)):
                if one is None:
                    continue
                pages = PAGES["dark"] if one == DARK else ("#ffffff",)
                for back in [one.colour(under)] if under else pages:
                    seen.add((shape.ink, under))
                    found = contrast(one.colour(shape.ink), back)
                    if found < AA:
                        faults.add((side, shape.ink, under, round(found, 2)))
    assert sorted(map(str, faults)) == []
    inks, grounds = {ink for ink, _ in seen}, {under for _, under in seen}
    assert inks >= {"ink", "soft", "gradient", "page", "operation_ink", "wrong_line", "path0", "path5"}
    assert grounds >= {None, "leaf", "made", "quiet", "wrong", "backward", "fold", "operation", "paper",
                       "tint8", "tint-8", "tint9"}  # fmt: skip


@pytest.mark.parametrize("name", THEMES)
def test_a_badge_can_be_read(name):
    theme = THEMES[name]
    for one in filter(None, [theme, theme.dark]):
        assert contrast(one.gradient, one.badge) >= AA


def test_a_text_that_cannot_be_read_is_found():
    pale = Theme(soft="#b0b8c4")
    a = ad.Tensor(2.0)
    sheet = draw(a, theme=pale)._sheet
    found = [contrast(pale.colour(s.ink), pale.colour(ground(s, sheet.shapes))) for s in sheet.shapes
             if isinstance(s, Text)]  # fmt: skip
    assert min(found) < AA < max(found)
