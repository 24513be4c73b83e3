"""Recurrence: a part that repeats is shown by the round that ran first, with a loop to the next round."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn
from autodiff.draw import draw
from autodiff.draw.picture import layout
from autodiff.draw.picture.compose import LATER_ROUND, NEXT


def unrolled(cell, steps):
    """The sum of the squares of what a recurrent cell holds after some steps, and its first input."""
    x = ad.Tensor(np.random.default_rng(0).normal(size=(steps, 2, 3)).swapaxes(0, 1), name="x")
    zero = ad.Tensor(np.zeros((2, 4)))
    state = (zero, zero) if isinstance(cell, nn.LSTMCell) else zero
    for t in range(steps):
        state = cell(x[:, t], state)
    h = state[0] if isinstance(state, tuple) else state
    return (h * h).sum()


def plain_loop(steps):
    """A network of one number with a state, without modules."""
    w, u, h = ad.Tensor(0.5, name="w"), ad.Tensor(0.9, name="u"), ad.Tensor(0.0, name="h0")
    for k in range(steps):
        h = (ad.Tensor(float(k), name=f"x{k}") * w + h * u).tanh()
    return h


def fixed(kind):
    return kind(3, 4, generator=np.random.default_rng(1))


@pytest.mark.parametrize("kind", [nn.RNNCell, nn.LSTMCell, nn.GRUCell])
def test_the_round_that_is_said_to_be_the_first_is_the_first(kind):
    drawing = draw(unrolled(fixed(kind), 12), open=True)
    assert f"{kind.__name__} ×12, the first is shown" in drawing.svg
    cell = next(i for i, box in enumerate(drawing._graph.boxes) if box.times == 12)
    first = next(node for node in drawing._graph.nodes if node.box == cell and node.operation == "linear")
    assert drawing._graph.name(first.operands[0]) in re.search(r"(\w+) = x\[:, 0\]", str(drawing))[0]
    alone = draw(unrolled(fixed(kind), 1), fold=False)._graph
    values = [node.data for node in alone.nodes if node.operation == "linear"]
    assert first.data in values


@pytest.mark.parametrize("kind", [nn.RNNCell, nn.LSTMCell, nn.GRUCell])
@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_a_recurrence_is_a_labelled_loop(kind, direction):
    drawing = draw(unrolled(fixed(kind), 12), direction=direction, open=True)
    loops = [one for one in drawing._graph.returns if one.is_loop]
    assert loops
    assert all(one.times == 11 for one in loops)
    assert drawing.svg.count(NEXT) == len(loops)
    assert LATER_ROUND in drawing.svg, "the end uses the last round, and the first is shown"
    assert f"\n{NEXT}: v" in str(drawing)
    assert drawing.mermaid.count(NEXT) == len(loops)


def test_the_inputs_of_the_later_rounds_lead_to_the_part_that_takes_them():
    drawing = draw(unrolled(fixed(nn.RNNCell), 12), open=True)
    (rest,) = drawing._graph.pieces
    given = {one.operand for one in drawing._graph.returns if not one.is_loop}
    assert rest.index in given
    assert "x[:, 11]" not in str(drawing)


def test_rounds_of_a_loop_without_boxes_come_in_the_order_in_which_they_ran():
    drawing = draw(plain_loop(15))
    assert "x0" in str(drawing)
    assert not re.search(r"\bx([3-9]|1[0-3])\b", str(drawing))
    (piece,) = drawing._graph.pieces
    assert piece.is_chain
    assert piece.times == 11
    assert NEXT in drawing.svg
    assert f"n{piece.index} -> n{piece.index}" in drawing.dot
    assert f"n{piece.index} -.->|{NEXT}| n{piece.index}" in drawing.mermaid
    assert ", each from the one before, gives " in str(drawing)


def test_rounds_that_take_nothing_from_each_other_are_no_loop():
    x = ad.Tensor(np.arange(60.0))
    drawing = draw(ad.stack([x[k] * 2 for k in range(30)]).sum())
    assert drawing._graph.pieces
    assert not any(piece.is_chain for piece in drawing._graph.pieces)
    assert NEXT not in drawing.svg


def test_a_closed_chain_of_modules_says_that_it_is_one():
    h = ad.Tensor(np.ones(2))
    for k in range(12):
        with ad.scope(f"layer {k}"):
            h = (h * 2 + 1).tanh()
    drawing = draw(h.sum(), fold=True, depth=0)
    (piece,) = drawing._graph.pieces
    assert piece.is_chain
    assert NEXT in drawing.svg


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("has_engine", [True, False])
def test_a_loop_stands_clear_of_its_box(direction, has_engine, monkeypatch):
    if not has_engine:
        monkeypatch.setattr(layout, "_by_graphviz", lambda *_: None)
    drawing = draw(plain_loop(30), direction=direction)
    sheet = drawing._sheet
    (label,) = [shape for shape in sheet.shapes if getattr(shape, "text", "") == NEXT]
    boxes = [shape for shape in sheet.shapes if shape.__class__.__name__ == "Rect" and shape.width > 60]
    assert 0 < label.x < sheet.width
    assert not any(
        box.x < label.x < box.x + box.width and box.y < label.y < box.y + box.height
        for box in boxes
        if box.fill not in {"", "paper"}
    )


def test_streams_have_no_loops():
    assert NEXT not in draw(plain_loop(15), flow=True).svg


def test_numbers_of_a_small_graph_are_in_the_order_of_their_operands():
    assert str(draw(plain_loop(2))).splitlines()[1].startswith("x1")
