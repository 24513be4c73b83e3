"""`slide`: the graph of a function while an input moves, its words, its pictures and what it refuses."""

from __future__ import annotations

import base64
import re
import sys
from importlib import import_module

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import Slide, fingerprint
from autodiff.draw.picture.values import shade
from autodiff.draw.sliding import curve
from autodiff.draw.sliding.slide import MOST_BYTES

slide_module = import_module("autodiff.draw.sliding.slide")


def course(a):
    b = a * 3
    c = a + 2
    d = b + 4
    return c * d


def rows(slide):
    return [line.split() for line in slide.text.splitlines()]


def texts(svg):
    return re.findall(r"<text[^>]*>(.*?)</text>", svg)


# -- what it computes ---------------------------------------------------------------------------------------


def test_the_table_has_the_values_on_the_way_and_the_slope():
    slide = ad.slide(course, a=(0, 4), steps=3)
    assert rows(slide) == [
        ["a", "c", "b", "d", "course", "∂course/∂a"],
        ["0", "2", "0", "4", "8", "10"],
        ["2", "4", "6", "10", "40", "22"],
        ["4", "6", "12", "16", "96", "34"],
    ]
    assert repr(slide) == slide.text
    assert len(slide) == 3


@pytest.mark.parametrize("steps", [2, 15, 30])
def test_the_slopes_are_those_of_grad(steps):
    slide = ad.slide(lambda x: ad.sin(x) * x, x=(-3, 3), steps=steps)
    moments = slide._path.moments
    assert [moment.x for moment in moments] == pytest.approx(np.linspace(-3, 3, steps), abs=1e-11)
    for moment in moments:
        assert moment.slope == pytest.approx(np.cos(moment.x) * moment.x + np.sin(moment.x))
        assert moment.y == pytest.approx(np.sin(moment.x) * moment.x)


def test_the_other_inputs_stay_as_they_are():
    slide = ad.slide(lambda a, w: (a * w).sum(), (-3, 3), [1.0, 2.0], steps=3)
    assert rows(slide)[-1] == ["with", "w", "=", "[1,", "2]"]
    assert [moment.slope for moment in slide._path.moments] == [3, 3, 3]


@pytest.mark.parametrize(
    "make",
    [
        lambda: ad.slide(lambda a, b: a * b, (1, 3), 2.0, steps=3),
        lambda: ad.slide(lambda a, b: a * b, a=(1, 3), b=2.0, steps=3),
        lambda: ad.slide(lambda a, b: a * b, a=(1, 3), b=ad.Tensor(2.0), steps=3),
        lambda: ad.slide(lambda a, b: a * b, a=(1, 3), b=np.float32(2), steps=3),
        lambda: ad.slide(lambda a, /, b: a * b, (1, 3), b=2, steps=3),
        lambda: ad.slide(lambda **both: both["a"] * both["b"], a=(1, 3), b=2, steps=3),
        lambda: ad.slide(lambda a, b=2: a * b, a=(1, 3), steps=3),
        lambda: ad.slide(lambda a, b: a * b, a=(np.float64(1), np.int64(3)), b=2, steps=3),
    ],
)
def test_inputs_by_place_and_by_name(make):
    slide = make()
    assert [(moment.x, moment.y, moment.slope) for moment in slide._path.moments] == [
        (1, 2, 2), (2, 4, 2), (3, 6, 2),
    ]  # fmt: skip


def test_operations_and_objects_that_can_be_called():
    class Line:
        def __init__(self):
            self.w = ad.Tensor(2.0, name="w")

        def __call__(self, x):
            h = self.w * x
            return h + 1

    line = Line()
    slide = ad.slide(line, x=(0, 1), steps=2)
    assert [node.name for node in slide._path.moments[0].graph.nodes][:3] == ["w", "x", "h"]
    assert line.w.grad is None
    assert ad.slide(ad.tanh, (-1, 1), steps=3)._path.moments[1].slope == 1


def test_no_gradient_of_others_is_touched():
    w = ad.Tensor(2.0)
    w.grad = ad.Tensor(5.0)
    ad.slide(lambda a: a * w, a=(0, 1), steps=2)
    assert w.grad.data == 5


def test_it_records_where_recording_is_off():
    with ad.no_grad():
        slide = ad.slide(lambda a: a * a, a=(0, 2), steps=3)
    assert [moment.slope for moment in slide._path.moments] == [0, 2, 4]


def test_the_profiler_of_the_caller_is_kept():
    import sys

    def watch(*_):
        pass

    sys.setprofile(watch)
    try:
        ad.slide(lambda a: a * a, a=(0, 1), steps=2)
        with pytest.raises(ZeroDivisionError):
            ad.slide(lambda a: a * (1 / 0), a=(0, 1), steps=2)
        assert sys.getprofile() is watch
    finally:
        sys.setprofile(None)


def test_poles_and_places_where_the_function_is_not_defined():
    slide = ad.slide(lambda x: ad.log(x) / x, x=(-1, 1), steps=3)
    assert rows(slide)[1][-2] == "nan"
    assert slide.frames is None or len(slide.frames) == 3


# -- the pictures -------------------------------------------------------------------------------------------


def shapes_of(svg):
    """The places of boxes, which do not change from step to step."""
    boxes = re.findall(r'<rect[^>]*width="[\d.]+" height="[\d.]+" rx="6"/>', svg)
    return sorted(re.sub(r' class="\w+"', "", box) for box in boxes)


def test_nothing_moves_from_step_to_step():
    frames = ad.slide(course, a=(-3, 3)).frames
    assert len(frames) == 15
    assert len({re.search(r'viewBox="[^"]*"', svg)[0] for svg in frames}) == 1
    assert len({tuple(shapes_of(svg)) for svg in frames}) == 1
    assert len(shapes_of(frames[0])) == 5
    assert len(set(frames)) == 15


def test_all_steps_have_one_scale_of_shades():
    """An array that grows from step to step is seen to grow."""
    weights = np.array([[1.0, -2.0, 3.0]])
    shown = ad.slide(lambda a: (weights * a * a).sum(), a=(1, 4), steps=4)
    _, states = slide_module._composed(shown._path, shown._theme)
    for state, moment in zip(states, shown._path.moments, strict=True):
        rows = [row for face in state.faces.values() for row in face.rows if row.cells]
        found = {label: [] for label in ("data", "grad")}
        for row in rows:
            found[row.label] += [cell.shade for line in row.cells for cell in line]
        a = moment.x
        assert found["data"] == [shade(x, 48) for x in (*(weights * a)[0], *(weights * a * a)[0])]
        assert found["grad"] == [shade(x, 4) for x in (a, a, a, 1, 1, 1)]


def test_a_picture_says_where_it_is_and_what_is_there():
    slide = ad.slide(course, a=(0, 4), steps=3)
    shown = texts(slide.frames[1])
    assert "a = 2, course = 40" in shown
    assert "∂course/∂a = 22" in shown
    assert {"c = a + 2", "b = a × 3", "d = b + 4", "course = c × d"} <= set(shown)
    assert {"10", "4", "1", "3"} <= set(shown)  # the local slopes


def test_each_picture_belongs_to_the_table():
    slide = ad.slide(course, a=(0, 4), steps=3)
    for svg in slide.frames:
        assert f"<desc>autodiff:{fingerprint(slide.text)}</desc>" in svg


def test_a_notebook_has_table_page_and_a_still_picture():
    slide = ad.slide(course, a=(-3, 3))
    bundle, metadata = slide._repr_mimebundle_()
    assert bundle["text/plain"] == slide.text
    assert bundle["text/html"].count('type="radio"') == 15
    assert bundle["image/svg+xml"] == slide.frames[7]
    assert metadata == {"autodiff": fingerprint(slide.text)}
    assert len(bundle["text/html"]) < MOST_BYTES / 2
    again = slide._repr_mimebundle_()[0]["text/html"]
    assert again != bundle["text/html"]  # two on one page have different ids
    assert "<script" not in again


def test_without_a_layout_engine_there_is_the_table(monkeypatch):
    monkeypatch.setattr(import_module("autodiff.draw.sliding.slide"), "laid_out", lambda *_: None)
    slide = ad.slide(course, a=(0, 1), steps=2)
    assert slide.frames is None
    bundle, _ = slide._repr_mimebundle_()
    assert "∂course/∂a" in bundle["text/html"]
    assert "image/svg+xml" not in bundle


def test_a_slide_is_saved_as_a_page(tmp_path):
    slide = ad.slide(course, a=(0, 4), steps=3)
    slide.save(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "∂course/∂a" in page
    with pytest.raises(ValueError, match=r"end the name in \.html"):
        slide.save(tmp_path / "x.gif")
    with pytest.raises(FileNotFoundError, match="no directory"):
        slide.save(tmp_path / "nowhere" / "x.html")


# -- what it refuses ----------------------------------------------------------------------------------------


def chain(a):
    for _ in range(40):
        a = a * 1.1 + 0.1
    return a


REFUSED = {
    "no function": (lambda: ad.slide(3, a=(1, 2)), TypeError, "slide needs a function"),
    "an input is missing": (lambda: ad.slide(lambda a, b: a, a=(1, 2)), TypeError, "are a, b: missing"),
    "an unknown input": (lambda: ad.slide(lambda a: a, c=(1, 2)), TypeError, "do not fit"),
    "inputs without names": (lambda: ad.slide(lambda *z: z[0], (1, 2)), TypeError, "needs a name for each"),
    "nothing moves": (lambda: ad.slide(lambda a: a * a, a=3), ValueError, "here none is one"),
    "two move": (lambda: ad.slide(lambda a, b: a * b, (0, 1), (0, 2)), ValueError, "here a and b are pairs"),
    "downward": (lambda: ad.slide(lambda a: a * a, a=(2, 1)), ValueError, r"not a=\(2, 1\)"),
    "no way to go": (lambda: ad.slide(lambda a: a * a, a=(1, 1)), ValueError, "lower to a higher"),
    "three ends": (lambda: ad.slide(lambda a: a * a, a=(1, 2, 3)), ValueError, "lower to a higher"),
    "words": (lambda: ad.slide(lambda a: a * a, a=("x", 2)), ValueError, "lower to a higher"),
    "without end": (lambda: ad.slide(lambda a: a * a, a=(0, np.inf)), ValueError, "finite"),
    "one step": (lambda: ad.slide(lambda a: a * a, a=(0, 1), steps=1), ValueError, "2 or more"),
    "half a step": (lambda: ad.slide(lambda a: a * a, a=(0, 1), steps=2.5), TypeError, "an int"),
    "steps=None": (lambda: ad.slide(lambda a: a * a, a=(0, 1), steps=None), TypeError, "an int"),
    "an unknown theme": (lambda: ad.slide(lambda a: a * a, a=(0, 1), theme="x"), ValueError, "unknown theme"),
    "a plain number": (lambda: ad.slide(lambda a: a.data, a=(0, 1)), TypeError, "returned 0.0: compute it"),
    "an array": (lambda: ad.slide(lambda a: a * np.ones(3), a=(0, 1)), ValueError, r"the shape \(3,\)"),
    "the input itself": (lambda: ad.slide(lambda a: a, a=(0, 1)), ValueError, "not computed from a"),
    "something else": (lambda: ad.slide(lambda a: ad.Tensor(1) * 2, a=(0, 1)), ValueError, "not computed"),
    "an if": (
        lambda: ad.slide(lambda a: a * 2 if a.data > 0 else a * a + 1, a=(-1, 1)),
        ValueError,
        "the graph changes on the way: at a = -1 it has 2 operations, and at a = 0.143 1 or others",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_it_refuses(case):
    call, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        call()


def test_a_slide_that_is_too_large_says_how_many_steps_fit():
    with pytest.raises(ValueError, match=r"KB, and 250 are the most .*: ask for steps=\d+ or fewer") as error:
        ad.slide(chain, a=(-1, 1))
    fit = int(re.search(r"steps=(\d+)", str(error.value))[1])
    assert len(ad.slide(chain, a=(-1, 1), steps=fit).html()) <= MOST_BYTES


# -- the curve ----------------------------------------------------------------------------------------------


def test_a_curve_is_cut_off_at_poles_and_broken_there():
    xs = np.linspace(-3, 3, 121)
    with np.errstate(divide="ignore"):
        points = [(float(x), float(1 / x)) for x in xs]
    plot = curve.Plot(points, 400)
    lines = list(plot.lines(points))
    assert len(lines) == 2
    assert all(plot.top - 0.1 <= y <= plot.bottom + 0.1 for line in lines for _, y in line)


def test_a_straight_line_needs_two_points():
    assert curve.simplified([(x, 2.0 * x) for x in range(50)]) == [(0, 0), (49, 98)]


@pytest.mark.parametrize(
    ("slope", "ink"), [(2.0, "plus"), (-0.1, "minus"), (0.0, "zero"), (float("nan"), "zero")]
)
def test_a_tangent_has_the_colour_of_its_sign(slope, ink):
    assert curve.sign_ink(slope) == ink


# -- a live slider ------------------------------------------------------------------------------------------


def test_a_live_slider_shows_what_the_slide_shows_at_that_place():
    slide = ad.slide(course, a=(-2, 4), steps=7)
    knob, picture = slide.live().children
    for k, x in enumerate((-2, -1, 0, 1, 2, 3, 4)):
        knob.value = x
        svg = base64.b64decode(re.search(r"base64,([^\"]+)", picture.value)[1]).decode()
        assert texts(svg) == texts(slide.frames[k])
    assert (knob.min, knob.max, knob.description) == (-2, 4, "a")
    knob.value = 2.25
    assert f"a = 2.25: course = {(2.25 + 2) * (3 * 2.25 + 4):.3g}, ∂course/∂a = 23.5" in picture.value


def test_a_live_slider_says_where_the_graph_is_another():
    def bent(a):
        return a * 2 if 0.9 < a.item() < 1.1 else a + 1

    knob, picture = ad.slide(bent, a=(0, 4), steps=3).live().children
    assert "data:image" in picture.value
    knob.value = 1
    assert "the graph changes on the way: at a = 0" in picture.value
    knob.value = 3
    assert "data:image" in picture.value


def test_without_ipywidgets_a_live_slider_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ImportError, match="pip install ipywidgets"):
        ad.slide(course, a=(0, 4)).live()


def test_it_is_a_public_name():
    assert ad.slide(course, a=(0, 1), steps=2).__class__ is Slide
