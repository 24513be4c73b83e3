"""The two ways in which a notebook keeps a picture: in HTML, and as an SVG for pages that show no HTML.

JupyterLab takes the first kind that it can show of text/html, text/markdown, text/latex, image/svg+xml,
image/png, text/plain; in a notebook that is not trusted it leaves out image/svg+xml alone. nbconvert takes
HTML first too. What GitHub takes cannot be tested here.
"""

from __future__ import annotations

import base64

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import autodiff as ad
from autodiff_course.plots.style import Plot

nbconvert = pytest.importorskip("nbconvert")
from traitlets.config import Config  # noqa: E402

ORDER = ["text/html", "image/svg+xml", "image/png", "text/plain"]


def course(a):
    c = a + 2
    d = 3 * a + 4
    return c * d


def shown():
    a = ad.Tensor(2)
    e = course(a)
    e.backward()
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><desc>autodiff-plot:1</desc></svg>'
    return {
        "drawing": ad.draw(e),
        "film": ad.film(e),
        "slide": ad.slide(course, a=(0, 4), steps=3),
        "explanation": ad.explain(e, a),
        "plot": Plot(svg, "An empty plot."),
    }


def page(thing, order):
    data, metadata = thing._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "image/svg+xml"}
    output = new_output("execute_result", data, metadata=metadata, execution_count=1)
    settings = Config({"NbConvertBase": {"display_data_priority": order}})
    exporter = nbconvert.HTMLExporter(config=settings)
    converted, _ = exporter.from_notebook_node(new_notebook(cells=[new_code_cell("it", outputs=[output])]))
    return data, converted


HTML = ("data-film=", "data-slide=", "overflow-x:auto")
"""What the HTML of a picture has, and a still picture has not."""


def coded(data):
    """The still picture as nbconvert puts it on a page."""
    return base64.b64encode(data["image/svg+xml"].encode()).decode()


@pytest.mark.parametrize("name", shown())
def test_a_page_shows_the_html_and_no_second_picture(name):
    data, converted = page(shown()[name], ORDER)
    assert any(part in converted for part in HTML)
    assert converted.count(coded(data)) == data["text/html"].count(coded(data))


@pytest.mark.parametrize("name", shown())
def test_a_page_without_html_shows_the_still_picture(name):
    data, converted = page(shown()[name], ORDER[1:])
    assert converted.count(coded(data)) == 1
    assert not any(part in converted for part in HTML)


@pytest.mark.parametrize("name", shown())
def test_the_still_picture_is_small(name):
    data, _ = shown()[name]._repr_mimebundle_()
    assert len(data["image/svg+xml"]) < 8_000
