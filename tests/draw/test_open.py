"""Modules are closed in a large picture, and `open=` opens them."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn
from autodiff.draw import draw
from tests.draw.test_fold import network, whole


def encoder(count=1):
    """What a Transformer of some layers makes of five random vectors."""
    rng = np.random.default_rng(0)
    one = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, generator=rng)
    net = one if count == 1 else nn.TransformerEncoder(one, count)
    return net(ad.Tensor(rng.normal(size=(2, 5, 16)), name="x"))


def convolutional(blocks=4):
    """A network for pictures of more than 40 nodes."""
    rng = np.random.default_rng(0)
    layers = []
    for k in range(blocks):
        layers.append(nn.Conv2d(1 if k == 0 else 4, 4, 3, padding=1, generator=rng))
        layers += [nn.BatchNorm2d(4), nn.ReLU()]
    net = nn.Sequential(*layers, nn.Flatten(), nn.Linear(4 * 8 * 8, 10, generator=rng))
    return net(ad.Tensor(rng.normal(size=(2, 1, 8, 8)), name="x"))


def closed(drawing):
    return [piece.name for piece in drawing._graph.pieces]


def test_the_modules_of_a_layer_are_closed_and_the_layer_is_open():
    drawing = whole(draw(encoder()))
    assert closed(drawing) == [
        "self_attn: MultiheadAttention",
        "norm1: LayerNorm",
        "linear1: Linear",
        "linear2: Linear",
        "norm2: LayerNorm",
    ]
    assert [box.name for box in drawing._graph.boxes if box.parent < 0] == ["TransformerEncoderLayer"]
    assert str(drawing).endswith('folded into 10; open="self_attn" opens one, open=True all')


def test_the_layers_of_a_deep_network_are_closed():
    assert closed(draw(encoder(3))) == [f"layers.{k}: TransformerEncoderLayer" for k in range(3)]


@pytest.mark.parametrize("made", [encoder, lambda: encoder(3), convolutional], ids=["1", "3", "pictures"])
@pytest.mark.parametrize("has_engine", [True, False])
def test_a_network_fits_a_page(made, has_engine, monkeypatch):
    from autodiff.draw.picture import layout

    if not has_engine:
        monkeypatch.setattr(layout, "_by_graphviz", lambda *_: None)
    sheet = draw(made())._sheet
    assert sheet.width <= 920
    assert sheet.height <= 900


def test_a_small_network_for_pictures_is_open_and_about_a_page():
    """A weight stands beside its operation, also in the first layer: what comes from outside is the line."""
    rng = np.random.default_rng(0)
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, generator=rng), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1, generator=rng), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(784, 10, generator=rng),
    )  # fmt: skip
    drawing = draw(net(ad.Tensor(rng.normal(size=(4, 1, 28, 28)), name="x")))
    assert not drawing._graph.pieces
    assert drawing._sheet.width <= 900
    assert drawing._sheet.height <= 900
    scene, _ = drawing._composed
    assert sum(edge.is_beside for edge in scene.edges) == 6


def test_a_graph_of_forty_nodes_is_shown_whole():
    x = ad.Tensor(1.0)
    with ad.scope("all"):
        for k in range(39):
            x = x + 1 if k % 3 else x.tanh()
    assert not draw(x)._graph.pieces
    assert draw(x * 2)._graph.pieces


@pytest.mark.parametrize(
    ("names", "opened"),
    [
        ("norm1", ["norm1: LayerNorm"]),
        ("norm1: LayerNorm", ["norm1: LayerNorm"]),
        (["norm1", "linear2"], ["norm1: LayerNorm", "linear2: Linear"]),
        ({"linear2"}, ["linear2: Linear"]),
        ("LayerNorm", ["norm1: LayerNorm", "norm2: LayerNorm"]),
        ("out_proj", ["self_attn: MultiheadAttention", "out_proj: Linear"]),
        ("self_attn.out_proj", ["self_attn: MultiheadAttention", "out_proj: Linear"]),
    ],
)
def test_a_module_is_opened_by_name_path_class_or_title(names, opened):
    plain = draw(encoder())
    drawing = whole(draw(encoder(), open=names))
    boxes = {box.name for box in drawing._graph.boxes}
    assert set(opened) <= boxes
    assert set(closed(plain)) - set(closed(drawing)) <= {*opened, "norm2: LayerNorm"}
    assert len(drawing._graph.nodes) > len(plain._graph.nodes)


def test_a_closed_module_says_which_shape_it_gives():
    drawing = draw(encoder())
    assert drawing.svg.count(">gives (2, 5, 16)<") == 4, "all but the layer in the middle"
    assert ">gives (2, 5, 32)<" in drawing.svg
    assert draw(network(hidden=16)).svg.count(">gives (") == 0, "a number has no shape to speak of"


def test_what_is_in_an_opened_module_is_closed_again():
    assert "out_proj: Linear" in closed(draw(encoder(), open="self_attn"))


def test_true_opens_all_and_false_none():
    assert not draw(encoder(), open=True)._graph.pieces
    for none in (False, (), []):
        assert draw(encoder(), open=none)._graph.boxes[0].name == "TransformerEncoderLayer"
    x = ad.Tensor(2.0)
    assert str(draw(x * x, open=True)) == str(draw(x * x)), "there is nothing to open"


def test_scopes_are_opened_as_modules_are():
    e = network(hidden=16)
    assert "layer 2" in closed(draw(e, open="neuron 3"))
    boxes = {box.name: box.times for box in draw(e, open="neuron 3")._graph.boxes}
    assert boxes["neuron 3"] == 1
    assert draw(e, open="layer 1.neuron 3").dot == draw(e, open="neuron 3").dot


def test_one_layer_of_many_equal_ones_is_opened_alone():
    h = ad.Tensor(np.ones(2), name="x")
    for k in range(12):
        with ad.scope(f"layer {k}"):
            h = (h * 2 + 1).tanh()
    drawing = whole(draw(h.sum(), open="layer 5"))
    assert next(box.name for box in drawing._graph.boxes if box.times == 1) == "layer 5"


def test_the_message_for_an_unknown_name_lists_those_there_are():
    with pytest.raises(ValueError, match=r"cannot open 'norm3': no module .* There are norm"):
        draw(encoder(), open="norm3")
    with pytest.raises(ValueError, match=r"TransformerEncoderLayer, self_attn, .*linear2"):
        draw(encoder(), open=["norm1", "q"])
    with pytest.raises(ValueError, match="nothing in this graph was recorded in a module or scope"):
        draw(ad.Tensor(1.0) * 2, open="norm1")


@pytest.mark.parametrize("wrong", [1, 2.5, [1], nn.Linear(2, 3), ad.Tensor(1.0), {"a": 1}])
def test_what_is_no_name_is_refused(wrong):
    with pytest.raises(TypeError, match="open takes the name of a module or scope"):
        draw(encoder(), open=wrong)


@pytest.mark.parametrize("others", [{"limit": 10}, {"fold": False}, {"fold": True}])
def test_what_says_otherwise_what_is_shown_is_refused_beside_open(others):
    with pytest.raises(ValueError, match="leave out limit and fold"):
        draw(encoder(), open="norm1", **others)


def test_what_is_closed_in_a_part_that_is_shown_once_is_counted_once():
    rng = np.random.default_rng(0)
    h = ad.Tensor(np.ones((2, 8)), name="x")
    for k in range(12):
        with ad.scope(f"block {k}"):
            h = h + nn.Linear(8, 8, generator=rng)(h).tanh()
    (linear,) = [one for one in draw(h.sum(), depth=1, fold=True)._graph.pieces if one.name]
    assert (linear.each, linear.times, linear.elements) == (3, 1, 72)


def test_two_cells_that_are_called_again_and_again_are_told_apart_by_their_weights():
    rng = np.random.default_rng(0)
    cells = [nn.GRUCell(4, 4, generator=rng) for _ in range(2)]
    states = [ad.Tensor(np.zeros((2, 4))) for _ in cells]
    for _ in range(8):
        x = ad.Tensor(np.ones((2, 4)))
        for k, cell in enumerate(cells):
            x = states[k] = cell(x, states[k])
    pieces = [piece for piece in draw(x.sum(), depth=0)._graph.pieces if piece.is_named]
    assert [(piece.times, piece.is_chain) for piece in pieces] == [(8, True), (8, True)]


def test_a_highlight_is_seen_on_the_closed_module():
    y = encoder()
    drawing = draw(y, highlight="norm1: LayerNorm")
    assert "highlighted: norm1: LayerNorm" in str(drawing)
