"""A large graph in which nothing repeats is drawn as a map, and a sentence says what a shaded cell shows."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import draw
from autodiff.draw.picture.compose import COARSE, MAP, MAP_WORDS
from autodiff.draw.picture.rows import in_rows


def tangled(count):
    """The end of a graph of some nodes, each made from two of the twelve before it."""
    rng = np.random.default_rng(3)
    nodes = [ad.Tensor(1.0 + k, name=f"x{k}") for k in range(5)]
    operations = [ad.add, ad.mul, ad.sub, lambda a, b: (a * 0.01).tanh()]
    while len(nodes) < count:
        i, j = rng.integers(max(0, len(nodes) - 12), len(nodes), 2)
        nodes.append(operations[rng.integers(0, 4)](nodes[i], nodes[j]))
    return sum(nodes[-8:], ad.Tensor(0.0))


@pytest.mark.parametrize("has_engine", [True, False])
def test_a_map_of_a_large_graph_can_be_read_on_a_page(has_engine, monkeypatch):
    from autodiff.draw.picture import layout

    if not has_engine:
        monkeypatch.setattr(layout, "_by_graphviz", lambda *_: None)
    drawing = draw(tangled(260))
    assert drawing._graph.total > 200
    assert len(drawing._graph.nodes) == drawing._graph.total
    sheet = drawing._sheet
    assert sheet.width <= 950
    assert sheet.height <= 3000
    assert MAP_WORDS in drawing.svg
    texts = [shape for shape in sheet.shapes if getattr(shape, "text", None)]
    assert min(shape.size for shape in texts) >= 12
    assert {"x0", "tanh", "×"} <= {shape.text for shape in texts}
    assert "data" not in {shape.text for shape in texts}


def test_what_a_map_leaves_out_is_in_the_table_and_a_part_has_it_all():
    end = tangled(260)
    assert str(draw(end)).splitlines()[0].split() == ["node", "data", "grad"]
    part = draw(end, limit=60)
    assert MAP_WORDS not in part.svg
    assert ">data<" in part.svg


@pytest.mark.parametrize("style", ["compact", "spread"])
@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_a_map_shows_what_is_wrong_and_what_is_highlighted(style, direction):
    x = ad.Tensor(2.0, name="x")
    y = x
    for k in range(MAP // 2):
        y = y * x - x if k % 3 else y.log() + y  # log of a number below zero
    with np.errstate(all="ignore"):
        drawing = draw(y, fold=False, style=style, direction=direction, highlight=x)
    _, state = drawing._composed
    assert {face.shape for face in state.faces.values()} <= {"word", "circle"}
    assert any(face.outline == "lit" for face in state.faces.values())
    assert "wrong" in {face.kind for face in state.faces.values()} or not np.isnan(y.data)


def test_a_graph_that_a_page_can_hold_is_no_map():
    x = ad.Tensor(1.0)
    for _ in range(MAP - 1):
        x = x.tanh()
    assert MAP_WORDS not in draw(x, fold=False).svg
    assert MAP_WORDS in draw(x.tanh(), fold=False).svg


def test_a_picture_that_is_long_is_cut_even_where_many_edges_cross():
    plan = draw(tangled(260))
    from autodiff.draw.picture.layout import laid_out

    scene, state = plan._composed
    wide = laid_out(scene, [state], page=1e9)
    assert wide.width > 2500
    assert in_rows(wide).width < 950


@pytest.mark.parametrize(
    ("shape", "is_coarse"),
    [((), False), ((3, 4), False), ((5, 12), False), ((5, 13), True), ((6, 12), True), ((2, 3, 40), True)],
)
def test_a_sentence_says_what_a_cell_of_a_larger_array_shows(shape, is_coarse):
    x = ad.Tensor(np.ones(shape))
    assert (COARSE in draw(x * 2).svg) == is_coarse
    assert COARSE not in draw(x * 2, show="shape").svg
    assert COARSE not in str(draw(x * 2))


def test_the_sentence_is_there_for_a_coarse_gradient_alone():
    x = ad.Tensor(np.ones(100))
    (x * 2).sum().backward()
    assert COARSE in draw(x, show="grad").svg
