"""A picture on its page, which may be white or dark: its texts can be read, and no arrow runs over them."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import THEMES, compare, draw, explain, film
from autodiff.draw.picture.metrics import text_width
from autodiff.draw.picture.page import Sheet
from autodiff.draw.picture.shapes import EDGES, HEADS, Rect, Text
from autodiff.draw.theme import SHADES
from tests.draw.readers import chain

READABLE = 4.5  # the contrast of texts (WCAG 2, level AA)
LINE = 3  # the contrast of lines
WHITE, BLACK = "#ffffff", "#111111"
# What contrast text on the page itself has at least. A light picture may come to lie on a dark page.
PAGES = {
    "auto": {WHITE: READABLE},
    "light": {WHITE: READABLE, BLACK: LINE},
    "colour-blind": {WHITE: READABLE, BLACK: LINE},
    "dark": {BLACK: READABLE},
    "print": {WHITE: READABLE},
}
SHAPES = ("_sheet", "_sheets", "_slides")


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", THEMES)
def test_the_inks_of_a_theme_can_be_read(name):
    theme = THEMES[name]
    for ground in (
        theme.leaf,
        theme.made,
        theme.backward,
        theme.fold,
        theme.quiet,
        theme.operation,
        theme.wrong,
    ):
        assert contrast(theme.ink, ground) > 7
        assert contrast(theme.soft, ground) > READABLE
    for ground in (theme.leaf, theme.made, theme.backward, theme.operation, theme.badge):
        assert contrast(theme.gradient, ground) > READABLE
    assert contrast(theme.operation_ink, theme.operation) > READABLE
    for level in range(-SHADES, SHADES + 1):
        assert contrast(theme.ink, theme.colour(f"tint{level}")) > READABLE
    for page, least in PAGES[name].items():
        for ink in (theme.page, theme.line):
            assert contrast(ink, page) >= least
        assert contrast(theme.way_back, page) >= LINE
        assert contrast(theme.fold_line, page) >= LINE


def test_the_dark_side_of_the_automatic_theme_is_dark():
    assert THEMES["auto"].dark == THEMES["dark"]


def sheets_of(picture):
    """The painted pages of a drawing or a film."""
    found = [getattr(picture, name) for name in SHAPES if hasattr(picture, name)]
    for one in found:
        yield from [one] if isinstance(one, Sheet) else one


def texts(sheet):
    """The texts of a page, each with the role of what is behind it: None where that is the page."""
    rects = sorted((s for s in sheet.shapes if isinstance(s, Rect) and s.fill), key=lambda s: s.layer)
    for text in sheet.shapes:
        if isinstance(text, Text):
            x = text.x + {"start": 1, "middle": 0, "end": -1}[text.anchor]
            behind = [r.fill for r in rects if r.x <= x <= r.x + r.width and r.y <= text.y <= r.y + r.height]
            yield text, behind[-1] if behind else None


def graph_22():
    a = ad.Tensor(2, name="a")
    b = a * ad.Tensor(3)
    c = a + 2
    d = b + 4
    e = c * d
    e.name = "e"
    e.backward()
    return e, a, b


def pictures(theme):
    """Pictures with every kind of text between them: on edges, in boxes, around the picture."""
    e, a, _ = graph_22()
    yield draw(e, slopes=True, title="The 22", arrows="both", theme=theme)
    yield draw(e, slopes="symbol", arrows="backward", highlight=("a", "e"), style="spread", theme=theme)
    yield draw(chain(400), limit=3, theme=theme)
    x = ad.Tensor(3.0)
    y = x * x * x
    y.backward(create_graph=True)
    yield draw(x.grad, theme=theme)
    with ad.scope("outer"), ad.scope("inner"):
        z = x * 2 + 1
    yield draw(z, theme=theme)
    yield draw(z.exp(), depth=0, theme=theme)
    with np.errstate(all="ignore"):
        yield draw((x * 0).log(), theme=theme)
    yield film(e, theme=theme)
    yield film(e, style="spread", direction="forward", theme=theme)
    yield film(e, moves={a: 1.0}, theme=theme)
    w = ad.Tensor(np.linspace(-1, 1, 6).reshape(2, 3), name="w")
    large = ad.Tensor(np.linspace(-1, 1, 60).reshape(6, 10), name="large")
    loss = ((np.ones((4, 2), dtype=float) @ w).sum() + large.tanh().sum()) * 2
    yield film(loss, theme=theme)
    yield film(loss, direction="forward", theme=theme)


def others():
    """The pictures of the other functions, which have the automatic theme."""
    e, a, b = graph_22()
    yield explain(e, a)
    yield compare(e)
    b.grad = 5
    yield compare(e)


@pytest.mark.parametrize("name", THEMES)
def test_every_text_can_be_read(name):
    seen = set()
    for picture in [*pictures(name), *(others() if name == "auto" else ())]:
        for sheet in sheets_of(picture):
            for text, ground in texts(sheet):
                seen.add(ground)
                for theme in filter(None, (THEMES[name], THEMES[name].dark)):
                    if ground is not None:
                        behind = {theme.colour(ground): READABLE}
                    else:
                        behind = {BLACK: READABLE} if theme is THEMES[name].dark else PAGES[name]
                    for colour, least in behind.items():
                        found = contrast(theme.colour(text.ink), colour)
                        assert found >= least, f"{text.text!r} in {text.ink} on {ground}: {found:.2f}"
    kinds = {None, "leaf", "made", "quiet", "operation", "backward", "fold", "badge", "paper", "wrong"}
    assert kinds <= seen
    assert {"tint-8", "tint8"} & seen


def test_no_arrow_runs_over_the_title_of_a_frame():
    h = ad.Tensor(2.0).exp()
    with ad.scope("a frame"):
        y = h.tanh()
    sheet = draw(y, direction="TB")._sheet
    (title,) = [text for text, ground in texts(sheet) if text.text == "a frame"]
    plate = [s for s in sheet.shapes if isinstance(s, Rect) and s.fill == "paper"]
    assert [s.x <= title.x and s.layer > HEADS for s in plate] == [True]
    frame = next(s for s in sheet.shapes if isinstance(s, Rect) and s.line == "fold_line")
    assert frame.fill == "", "it hides nothing"
    assert frame.layer < EDGES


@pytest.mark.parametrize("is_bold", [False, True])
def test_a_text_is_as_wide_as_the_font_says(is_bold):
    """Narrow letters are wider in bold by a quarter: a title of them touched the edges of its box."""
    font_manager = pytest.importorskip("matplotlib.font_manager")
    name = f"LiberationSans-{'Bold' if is_bold else 'Regular'}.ttf"
    paths = [path for path in font_manager.findSystemFonts() if path.endswith(name)]
    if not paths:
        pytest.skip("there is no Liberation Sans, which has Helvetica's widths")
    from matplotlib.ft2font import FT2Font

    font = FT2Font(paths[0])
    font.set_size(1000, 72)
    for text in ("self_attn.in_proj_weight", "fill(little, title)", "c = a + 2", "MWQ 0123456789"):
        exact = sum(font.load_char(ord(c)).linearHoriAdvance / 65536 for c in text)
        assert text_width(text, 1000, bold=is_bold) == pytest.approx(exact, rel=0.01)
