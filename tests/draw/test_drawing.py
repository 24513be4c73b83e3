"""A drawing in a notebook and in files, the engines behind it, and every error of draw."""

from __future__ import annotations

import base64
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import autodiff as ad
from autodiff.draw import Drawing, draw, fingerprint
from autodiff.draw.picture import render
from tests.draw.readers import Tensor, chain, made

ROOT = Path(__file__).resolve().parents[2]


def draw_22(**options):
    a = Tensor(2)
    b = a * Tensor(3)
    c = a + Tensor(2)
    d = b + Tensor(4)
    e = c * d
    return draw(e, **options)


def stored_svg(html):
    return base64.b64decode(re.search(r'base64,([^"]*)"', html)[1]).decode()


# -- in a notebook ----------------------------------------------------------------------------------------


def test_the_bundle_of_a_notebook():
    drawing = draw_22()
    bundle, metadata = drawing._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {"text/plain", "text/html", "image/svg+xml"}
    assert bundle["text/plain"] == repr(drawing) == str(drawing) == drawing.text
    assert metadata == {"autodiff": fingerprint(drawing.text)}
    image = re.search("<img [^>]*>", bundle["text/html"])[0]
    assert image.startswith('<img alt="Recorded graph of e, 8 nodes. a = 2; ')
    assert "max-width:100%" in image
    assert "min-width" in image, "on a phone it is scrolled, and not shrunk until nobody can read it"


def test_the_description_tells_gradients_once_there_are_any():
    x = ad.Tensor(3)
    y = x * x
    assert draw(y).description == "Recorded graph of y, 2 nodes. x = 3; y = x * x = 9."
    y.backward()
    assert draw(y).description == "Recorded graph of y, 2 nodes. x = 3, grad 6; y = x * x = 9, grad 1."
    assert 'alt="Recorded graph of y, 2 nodes. x = 3, grad 6; ' in draw(y)._repr_mimebundle_()[0]["text/html"]


def test_the_picture_carries_the_mark_of_its_text():
    first = draw_22()
    found = re.findall(r"<desc>autodiff:(\w+)</desc>", stored_svg(first._repr_mimebundle_()[0]["text/html"]))
    assert found == [fingerprint(first.text)]
    other = draw(Tensor(1) + Tensor(2))
    assert fingerprint(other.text) != fingerprint(first.text)


def test_ipython_shows_it():
    from IPython.core.formatters import DisplayFormatter

    data, metadata = DisplayFormatter().format(draw_22())
    assert set(data) == {"text/plain", "text/html", "image/svg+xml"}
    assert set(metadata) == {"autodiff"}
    assert data["text/plain"].startswith("node ")


def test_the_svg_is_well_formed_and_sized_for_a_page():
    svg = ET.fromstring(draw_22().svg)
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert svg.get("width").isdigit()
    assert 300 < int(svg.get("width")) < 900
    assert svg.get("aria-label").endswith("e = c * d = 40.")
    assert svg.get("role") == "img"
    assert svg.get("viewBox") == f"0 0 {svg.get('width')} {svg.get('height')}"


def test_it_has_no_ground_of_its_own():
    svg = draw_22().svg
    width, height = re.search(r'width="(\d+)" height="(\d+)"', svg).groups()
    assert f'width="{width}"' not in svg.split(">", 1)[1], "no rectangle is as large as the page"
    for rect in re.findall(r"<rect[^>]*>", svg):
        assert float(re.search(r'height="([\d.]+)"', rect)[1]) < 0.6 * float(height)


def test_the_description_of_a_large_graph_is_short():
    html = draw(chain(1000), fold=False)._repr_mimebundle_()[0]["text/html"]
    description = re.search(r'alt="([^"]*)"', html)[1]
    assert description.startswith(
        "Recorded graph of v1000, 1,001 nodes. The last 12: v989 = v988 + 1 = 989; "
    )
    assert len(description) < 400


def test_the_stored_picture_is_small():
    assert len(draw_22()._repr_mimebundle_()[0]["text/html"]) < 20_000


# -- the engines ------------------------------------------------------------------------------------------


def test_without_a_layout_jupyterlab_draws_mermaid(no_layout):
    drawing = draw_22()
    bundle, _ = drawing._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/vnd.mermaid"}
    assert drawing.svg is None
    assert (
        bundle["text/vnd.mermaid"].splitlines()[1] == "title: pip install autodiff[draw] for finer pictures"
    )


def test_the_text_is_the_same_without_a_layout(no_layout):
    from tests.draw.test_text import BEFORE

    assert repr(draw_22()) == BEFORE


def test_a_failing_engine_gives_way_to_the_next(monkeypatch):
    asked = []

    def fails(dot, file_format, engine):
        asked.append("dot")
        raise OSError("no such program")

    def draws(dot, file_format, engine):
        asked.append("wasm")
        return b'{"bb": "0,0,50,30", "objects": [{"_gvid": 0, "name": "n0", "pos": "25,15"}]}'

    monkeypatch.setattr(render, "with_dot_program", fails)
    monkeypatch.setattr(render, "with_wasm", draws)
    assert 'width="60" height="40"' in draw(Tensor(1)).svg
    assert asked == ["dot", "wasm"]


def test_the_dot_program_is_asked_first(monkeypatch):
    import graphviz

    monkeypatch.setattr(render.shutil, "which", lambda name: f"/usr/bin/{name}")
    said = {}

    def pipe(engine, form, data, neato_no_op, quiet):
        said.update(engine=engine, form=form, data=data, stays=neato_no_op)
        return b"drawn"

    monkeypatch.setattr(graphviz, "pipe", pipe)
    drawing = draw_22()
    assert render.render(drawing.dot, "png") == b"drawn"
    assert said == {"engine": "dot", "form": "png", "data": drawing.dot.encode(), "stays": None}
    render.render(drawing.dot, "png", engine="neato")
    assert said["stays"] == 2, "every box stays where it is"


@pytest.mark.parametrize("broken", ["svg", "mermaid", "description"])
def test_a_repr_never_raises(monkeypatch, request, broken):
    def fail(self):
        raise RuntimeError("broken")

    drawing = draw_22()
    monkeypatch.setattr(Drawing, broken, property(fail))
    if broken == "mermaid":
        request.getfixturevalue("no_layout")
    bundle, _ = drawing._repr_mimebundle_()
    assert bundle == {"text/plain": drawing.text}


def test_nothing_heavy_is_imported_before_it_is_needed():
    program = (
        "import sys; import autodiff, autodiff.draw\n"
        "heavy = {'graphviz', 'wasmtime', 'IPython', 'matplotlib'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "from autodiff.draw import draw\n"
        "print(draw(autodiff.Tensor(1) + 2))\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# -- files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "begins"),
    [("e.svg", b"<svg "), ("e.PNG", b"\x89PNG"), ("e.pdf", b"%PDF"), ("e.dot", b"digraph autodiff {")],
)
@pytest.mark.parametrize("options", [{}, {"style": "spread"}, {"flow": True}, {"theme": "dark"}])
def test_save(tmp_path, name, begins, options):
    drawing = draw_22(**options)
    drawing.save(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
    drawing.save(str(tmp_path / f"again-{name}"))
    assert (tmp_path / f"again-{name}").exists()


def test_a_png_has_four_pixels_for_each_of_the_svg(tmp_path):
    drawing = draw_22()
    drawing.save(tmp_path / "e.png")
    width, height = struct.unpack(">II", (tmp_path / "e.png").read_bytes()[16:24])
    assert (width, height) == pytest.approx((2 * drawing._sheet.width, 2 * drawing._sheet.height), abs=2)


def test_a_pdf_is_as_large_as_the_svg_and_has_its_texts(tmp_path):
    drawing = draw(Tensor(1) + Tensor(2), title="a title")
    drawing.save(tmp_path / "e.pdf")
    box = re.search(rb"/MediaBox \[ ?([\d. ]+)\]", (tmp_path / "e.pdf").read_bytes())
    width, height = [float(x) for x in box[1].split()][2:]
    assert (width, height) == pytest.approx((drawing._sheet.width, drawing._sheet.height), abs=2)


def test_a_saved_svg_is_the_picture_of_the_notebook(tmp_path):
    drawing = draw_22()
    drawing.save(tmp_path / "e.svg")
    html = drawing._repr_mimebundle_()[0]["text/html"]
    assert (tmp_path / "e.svg").read_text(encoding="utf-8") == stored_svg(html) == drawing.svg


@pytest.mark.parametrize("name", ["e.jpeg", "e", "svg", ".svg"])
def test_save_in_an_unknown_format(tmp_path, name):
    with pytest.raises(ValueError, match=rf"'{re.escape(name)}'.*\.svg, \.png, \.pdf, \.dot"):
        draw_22().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_save_where_there_is_no_directory(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot save 'e.svg': there is no directory '.*nowhere'"):
        draw_22().save(tmp_path / "nowhere" / "e.svg")


def test_save_without_a_layout(tmp_path, no_layout):
    drawing = draw_22()
    for name in ("e.svg", "e.png"):
        with pytest.raises(RuntimeError, match=f"'{name}'.*pip install .autodiff.draw.*save as .dot"):
            drawing.save(tmp_path / name)
    drawing.save(tmp_path / "e.dot")
    assert [path.name for path in tmp_path.iterdir()] == ["e.dot"]


# -- errors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thing", [3, "x", None, [Tensor(1)], object()])
def test_what_cannot_be_drawn(thing):
    with pytest.raises(
        TypeError,
        match=r"draw needs the end of a calculation: a Tensor, or an object with data, grad",
    ):
        draw(thing)


def test_the_message_says_what_is_missing():
    class Half:
        data = grad = 1

        def __str__(self):
            return "half"

    with pytest.raises(TypeError, match=r"half is of type Half and has no creators, creation_op"):
        draw(Half())
    for kind in (Tensor, ad.Tensor):
        with pytest.raises(TypeError, match=r"Tensor is a class"):
            draw(kind)


@pytest.mark.parametrize("direction", ["RL", "lr", None, 3])
def test_an_unknown_direction(direction):
    says = f"unknown direction {direction!r}: the valid ones are LR, TB"
    with pytest.raises(ValueError, match=says):
        draw_22(direction=direction)


def test_limits_that_are_none():
    for limit in (0, -3):
        with pytest.raises(ValueError, match=f"1 or more, not {limit}"):
            draw_22(limit=limit)
    for limit in (2.5, "all", True):
        with pytest.raises(TypeError, match=f"an int or None, not {limit}"):
            draw_22(limit=limit)


def test_creators_that_are_no_sequence():
    x = Tensor(1.0)
    y = Tensor(2.0)
    y.creators, y.creation_op = x, "neg"
    z = made("exp", 3.0, y)
    with pytest.raises(TypeError, match=r"creators of a node with data 2 are of type Tensor.*\(x,\)"):
        draw(z)


def test_a_large_picture_is_saved_too(tmp_path):
    # Graphviz reads no quoted text of more than 16,384 characters, and this picture has a longer one.
    draw(chain(250), fold=False).save(tmp_path / "chain.png")
    assert (tmp_path / "chain.png").read_bytes().startswith(b"\x89PNG")
