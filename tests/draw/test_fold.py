"""Folding: boxes by scope, loops, and what a large graph shows of itself."""

# ruff: noqa: RUF059 - a name that nothing else uses is there to be found by draw

from __future__ import annotations

import re
from contextlib import nullcontext

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import draw
from autodiff.draw.graph.loops import rounds
from tests.draw.readers import Tensor, chain, made

CHAIN = """\
node                data  grad
v0                     0     -
v1 = v0 + 1            1     -
... the same 99,998 times more: 1 node each (add), each from the one before, gives v99999
v100000 = v99999 + 1  100000     -
100,001 nodes, folded into 4; limit=120 shows the last 120 one by one"""

FOLDED = """\
node data grad
x 2 -
... layer 1: 7 nodes, 3 parameters, from x, gives v7
... layer 2: 4 nodes, 2 parameters, from v7, gives v11
y = tanh(v11) 0.955539 -
13 nodes, folded into 4; depth=1 opens more"""


def whole(drawing):
    """Every arrow of the picture begins and ends at something that is drawn; every node is somewhere."""
    dot = drawing.dot
    drawn = set(re.findall(r"^\t([noc]\d+(?:_\d+)?) \[label", dot, re.MULTILINE))
    ends = {end for arrow in re.findall(r"^\t(\w+) -> (\w+)", dot, re.MULTILINE) for end in arrow}
    assert ends <= drawn
    listed = {
        name
        for row in re.findall(r"^\t+((?:[noc]\d+(?:_\d+)? ?)+)$", dot, re.MULTILINE)
        for name in row.split()
    }
    assert listed <= drawn
    mermaid = drawing.mermaid
    drawn = set(re.findall(r"^  ([noc]\w+?)[\[(]", mermaid, re.MULTILINE))
    links = re.findall(r"^  (\w+)(?:\(.*\))? -->(?:\|.*\|)? (\w+)$", mermaid, re.MULTILINE)
    assert links
    assert {end for link in links for end in link} <= drawn
    assert drawing._repr_mimebundle_()[0].keys() == {"text/plain", "text/html", "image/svg+xml"}
    graph = drawing._graph
    if not any(box.times > 1 for box in graph.boxes):
        assert len(graph.nodes) + sum(piece.count for piece in graph.pieces) == graph.total
    return drawing


def rows(drawing):
    return [re.sub(r" +", " ", row) for row in str(drawing).splitlines()]


def network(points=1, hidden=4, boxed=True, outside=False):
    """A small network of numbers, its loss over some points; its layers and neurons are boxes."""
    rng = np.random.default_rng(0)
    W = [[ad.Tensor(float(w)) for w in row] for row in rng.normal(size=(hidden, 2))]
    V = [ad.Tensor(float(w)) for w in rng.normal(size=hidden)]
    bias = ad.Tensor(0.5, name="bias")
    total = ad.Tensor(0.0)

    def scope(name):
        return ad.scope(name) if boxed else nullcontext()

    for x in rng.normal(size=(points, 2)).tolist():
        with scope("layer 1"):
            h = []
            for i, (w0, w1) in enumerate(W):
                with scope(f"neuron {i + 1}"):
                    h.append((w0 * x[0] + w1 * x[1]).tanh())
        with scope("layer 2"):
            out = bias
            for v, neuron in zip(V, h):
                out = out + v * neuron
        total = total + (out - 1) ** 2
    return total / points


# -- loops in a list of labels ----------------------------------------------------------------------------


def trace(body, times, before=0):
    """Labels and operands of a loop: each round is a list of labels, each node made from the last two."""
    labels = [90 + i for i in range(before)] + list(body) * times + [99]
    return labels, [[i - 1, i - 2] if i > 1 else [] for i in range(len(labels))]


def test_a_loop_is_found_with_its_period():
    assert rounds(*trace([1], 50, before=2), least=4) == [(2, 1, 50)]
    (start, length, count), *others = rounds(*trace([1, 2, 3], 50, before=2), least=4)
    assert (length, count) == (3, 50)
    assert others == []


def test_too_few_rounds_are_no_loop():
    assert rounds(*trace([1, 2, 3], 3, before=2), least=4) == []
    assert rounds(list(range(50)), [[i - 1] if i else [] for i in range(50)], least=4) == []
    assert rounds([0], [[]], least=4) == []


def test_the_same_operations_wired_otherwise_are_no_loop():
    labels, operands = trace([1, 2], 30, before=2)
    for i in range(2, len(operands)):
        operands[i] = [i - 1, i - 1 - (i * 7) % min(i, 5)]  # a crosswise wire that never repeats
    assert all(length > 4 for _, length, _ in rounds(labels, operands, least=4))


def test_what_all_rounds_share_may_lie_before_the_loop():
    labels = [0] + [1, 2] * 40 + [9]
    operands = [[]] + [[i - 1, 0] if i % 2 else [i - 1] for i in range(1, 82)]
    ((_, length, count),) = rounds(labels, operands, least=4)
    assert length == 2
    assert count >= 39


def test_a_loop_in_a_loop():
    body = [1] * 30 + [2]
    labels = [0] + body * 20 + [9]
    operands = [[]] + [[i - 1] for i in range(1, len(labels))]
    found = rounds(labels, operands, least=4)
    outer = max(found, key=lambda run: run[1])
    assert outer[1:] == (31, 20)
    assert any(length == 1 and count > 20 for _, length, count in found), "the first round is folded too"


# -- graphs without boxes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Tensor, ad.Tensor])
@pytest.mark.thorough
def test_a_long_chain(kind):
    end = kind(0)
    for _ in range(100_000):
        end = made("add", end.data + 1, end, 1) if kind is Tensor else end + 1
    drawing = whole(draw(end))
    assert [row.split() for row in str(drawing).splitlines()] == [
        row.replace("v100000", "end").split() for row in CHAIN.splitlines()
    ]
    piece = next(row for row in drawing.dot.splitlines() if row.startswith("\tn99999 ["))
    assert "peripheries=2" in piece
    assert "the same 99,998 times more" in piece
    assert "\tn99999 -> n100000" in drawing.dot
    assert "100,001 nodes, folded into 4; limit=120" in drawing.dot
    assert "n99999[[" in drawing.mermaid


def test_a_loop_over_points_folds_round_by_round():
    drawing = whole(draw(network(100, boxed=False)))
    graph = drawing._graph
    assert graph.total > 2_000
    assert len(graph.nodes) + len(graph.pieces) < 60
    assert max(piece.times for piece in graph.pieces) >= 97
    largest = max(graph.pieces, key=lambda piece: piece.count)
    assert largest.each == 4 * 6 + 3, "a point has 4 neurons of 6 operations each, and 3 for its loss"


def test_unrolled_steps_fold():
    h = ad.Tensor(np.zeros(3))
    W = ad.Tensor(np.eye(3))
    for _ in range(200):
        h = (h @ W + ad.Tensor(np.ones(3))).tanh()
    drawing = whole(draw(h.sum()))
    (piece,) = drawing._graph.pieces
    assert piece.each == 4
    assert piece.elements == 3 * piece.times
    assert "parameters (3,)" in str(drawing)


def test_without_repetition_the_last_nodes_must_do():
    rng = np.random.default_rng(3)
    nodes = [Tensor(float(i)) for i in range(5)]
    for i in range(600):
        one, other = rng.integers(0, len(nodes), 2)
        nodes.append(made(f"op{rng.integers(0, 40)}", float(i), nodes[one], nodes[other], nodes[-1]))
    drawing = whole_window = draw(nodes[-1])
    assert len(whole_window._graph.nodes) == 60
    assert "more before these" in str(drawing)


def test_fold_true_folds_small_graphs_and_fold_false_none():
    small = chain(39)
    assert len(str(draw(small)).splitlines()) == 1 + 40
    assert "the same 37 times more" in str(draw(small, fold=True))
    assert "the same 38 times more" in str(draw(chain(40))), "a loop of some size folds by itself"
    assert len(str(draw(chain(40), fold=False)).splitlines()) == 1 + 41
    assert "more before these" in str(draw(chain(400), fold=False))
    assert str(draw(chain(3), fold=True)) == str(draw(chain(3))), "nothing to fold is no trouble"


def test_operands_in_a_piece_keep_their_true_names():
    x = ad.Tensor(1.0)
    for _ in range(400):
        x = (x + 1) * x
    graph = draw(x)._graph
    assert graph.pieces
    names = re.findall(r"v\d+", str(draw(x)).splitlines()[-2])
    assert len(set(names)) == len(names)
    wide = draw(network(hidden=24), open=True)
    gives = re.search(r"22 times more: .*, gives (v\d+)\n", str(wide))
    assert gives, "the layer's sum is a loop, of whole rounds"
    assert f"= {gives[1]} - 1  " in str(wide)


# -- boxes ------------------------------------------------------------------------------------------------


def two_layers():
    x = ad.Tensor(2.0)
    W = [ad.Tensor(0.5), ad.Tensor(-0.5), ad.Tensor(1.5)]
    with ad.scope("layer 1"):
        h = x * W[0] + W[1] * x + ad.Tensor(1.0)
    with ad.scope("layer 2"):
        o = h * W[2] + ad.Tensor(0.3919)
    return x, W, o.tanh()


def test_a_box_is_drawn_around_what_was_recorded_in_it():
    x, W, y = two_layers()
    drawing = whole(draw(y))
    dot = drawing.dot
    first = dot[dot.index("subgraph cluster_0") : dot.index("subgraph cluster_1")]
    label = next(row for row in first.splitlines() if "label=" in row)
    assert 'label="layer 1"' in label
    assert "labeljust=l labelloc=t" in label, "also where a caption stands below"
    inside = first.splitlines()[2].split()
    named = {node.name: node.index for node in drawing._graph.nodes}
    assert f"n{named['W[0]']}" in inside, "a leaf of which the caller has no variable goes to its user"
    assert f"n{named['x']}" not in inside, "and one with a name of its own stays outside"
    assert f"n{named['y']}" not in dot[dot.index("subgraph") :].split()
    assert 'subgraph b0["layer 1"]' in drawing.mermaid
    assert "layer" not in str(drawing), "the table of a small graph is what it was"


def test_depth_0_folds_each_box_to_one_node():
    x, W, y = two_layers()
    drawing = whole(draw(y, depth=0))
    assert rows(drawing) == FOLDED.splitlines()
    assert "subgraph" not in drawing.dot
    assert "depth=1 opens more" in drawing.dot
    opened = draw(y, depth=1)
    assert opened.dot == draw(y).dot
    assert draw(y, depth=9).dot == opened.dot


def test_the_last_node_stays_in_its_box_where_that_is_folded():
    x = ad.Tensor(3.0)
    with ad.scope("part 1"):
        h = x * x
    with ad.scope("part 2"), ad.scope("inner"):
        end = (h + x).exp()
    drawing = whole(draw(end, depth=0))
    assert rows(drawing)[2:] == [
        "... part 1: 1 node, from x, gives h",
        "... part 2: 1 node, from h, x, gives v2",
        "end = exp(v2) 162755 -",
        "4 nodes, folded into 4; depth=1 opens more",
    ]
    graph = drawing._graph
    assert [box.name for box in graph.boxes] == ["part 2"]
    assert [(piece.name, piece.box) for piece in graph.pieces] == [("part 1", -1), ("part 2", 0)]
    inside = drawing.dot[drawing.dot.index("subgraph") :].splitlines()[2].split()
    assert sorted(inside) == ["n2", "n3"]
    for source in (drawing.dot, drawing.mermaid):
        assert source.count("part 2") == 1, "what is folded in a box does not bear its title again"
    nested = whole(draw(end, depth=1))._graph
    assert [box.name for box in nested.boxes] == ["part 1", "part 2", "inner"]
    assert nested.boxes[nested.nodes[-1].box].name == "inner"
    with ad.scope("part 3"):
        alone = end * 2
    graph = whole(draw(alone, depth=0))._graph
    assert graph.boxes[graph.nodes[-1].box].name == "part 3"


def test_boxes_in_boxes():
    e = network(hidden=3)
    assert whole(draw(e)).dot.count("subgraph") == 2 + 3
    one = whole(draw(e, depth=1, fold=False))
    assert one.dot.count("subgraph") == 2
    assert [piece.name for piece in one._graph.pieces] == ["neuron 1", "neuron 2", "neuron 3"]
    nested = draw(e).dot
    assert re.search(r"^\t\tsubgraph cluster_\d \{$", nested, re.MULTILINE), "neurons lie in their layer"


def test_equal_boxes_are_shown_once():
    e = network(hidden=16)
    drawing = whole(draw(e, open=True))
    assert "neuron 1 … neuron 16 ×16, the first is shown" in drawing.dot
    assert "shown once: neuron 1 … neuron 16 ×16" in str(drawing)
    folded = draw(e, depth=1, fold=True)
    (neurons,) = (piece for piece in folded._graph.pieces if piece.is_named)
    assert (neurons.times, neurons.each, neurons.elements) == (16, 6, 32)
    assert "... neuron 1 … neuron 16 ×16: 6 nodes each, 32 parameters" in str(folded)
    assert "neuron 16 ×16" in folded.dot


def test_a_network_called_for_every_point_is_shown_once():
    e = network(points=50)
    drawing = whole(draw(e))
    assert "layer 1 ×50" in str(drawing)
    assert "layer 2 ×50" in str(drawing)
    assert len(drawing._graph.nodes) + len(drawing._graph.pieces) <= 60
    closed = whole(draw(e, depth=0, fold=True))
    names = {piece.name: piece.times for piece in closed._graph.pieces if piece.is_named}
    assert names == {"layer 1": 50, "layer 2": 50}


def test_boxes_that_differ_are_not_taken_for_equal():
    x, y = ad.Tensor(1.0), ad.Tensor(2.0)
    parts = []
    for i in range(6):
        with ad.scope(f"part {i}"):
            parts.append((x * y).tanh() if i % 2 else x * y + y)
    with ad.scope("other"):
        end = parts[0] + parts[1] * parts[2] - parts[3] * parts[4] + parts[5]
    drawing = whole(draw(end, fold=True, depth=0))
    times = [piece.times for piece in drawing._graph.pieces]
    assert sorted(times) == [1, 3, 3]
    assert "part 0 … part 4 ×3" in str(drawing)


def test_boxes_wired_otherwise_are_not_taken_for_equal():
    x = ad.Tensor(3.0)
    with ad.scope("part 1"):
        h = x * x
        one = h * h + x
    with ad.scope("part 2"):
        h = x * x
        two = h * x + h
    with ad.scope("part 3"):
        h = x * x
        three = h * x + h
    pieces = draw(one + two + three, fold=True, depth=0)._graph.pieces
    assert [(piece.name, piece.times) for piece in pieces] == [("part 1", 1), ("part 2 … part 3", 2)]


def test_the_box_of_the_last_node_is_shown_for_itself():
    x = ad.Tensor(3.0)
    with ad.scope("part 1"):
        h = x * x
    with ad.scope("part 2"):
        y = x * x
    with ad.scope("part 3"):
        z = h * y
    with ad.scope("part 4"):
        end = x * z
    drawing = whole(draw(end, fold=True))
    assert drawing._graph.nodes[-1].name == "end"
    assert drawing._graph.boxes[drawing._graph.nodes[-1].box].name == "part 4"


def test_leaves_of_equal_boxes_are_shown_once_too():
    graph = draw(network(hidden=16), open=True)._graph
    neuron = next(i for i, box in enumerate(graph.boxes) if box.times == 16)
    inside = [node for node in graph.nodes if node.box == neuron]
    assert [node.operation for node in inside] == [None, "mul", None, "mul", "add", "tanh"]


def test_layers_one_behind_the_other_fold_from_four_on():
    def deep(n):
        h = ad.Tensor(np.ones(2))
        for i in range(n):
            with ad.scope(f"layer {i}"):
                h = (h * 2 + 1).tanh()
        return h.sum()

    assert len(draw(deep(3), fold=True, depth=0)._graph.pieces) == 3
    (piece,) = whole(draw(deep(12), fold=True, depth=0))._graph.pieces
    assert piece.times == 12


def test_a_large_boxed_graph_opens_as_far_as_leaves_few_things_to_look_at():
    e = network(points=3, hidden=30)
    assert draw(e)._graph.total > 300
    assert len(draw(e)._graph.nodes) + len(draw(e)._graph.pieces) <= 16
    assert len(draw(e, open=True)._graph.nodes) + len(draw(e, open=True)._graph.pieces) <= 60
    assert "subgraph" in draw(e, open=True).dot


def test_the_node_drawn_is_always_shown():
    with ad.scope("all"):
        x = ad.Tensor(1.0)
        y = x * 2 + 1
    drawing = whole(draw(y, depth=0))
    assert drawing._graph.nodes[-1].name == "y"
    assert str(drawing).splitlines()[-2].startswith("y = ")


def test_a_highlight_reaches_into_what_is_folded():
    x, W, y = two_layers()
    drawing = draw(y, depth=0, highlight=(x, y))
    assert "highlighted: x, layer 1, layer 2, y" in str(drawing)
    assert drawing.dot.count("penwidth=2.6") == 4 + 3


def test_leaves_shared_by_two_boxes_lie_around_both():
    W = [ad.Tensor(2.0)]
    with ad.scope("outer"):
        with ad.scope("one"):
            a = W[0] * 3
        with ad.scope("two"):
            b = W[0] + 1
    drawing = whole(draw(a * b))
    graph = drawing._graph
    leaf = graph.nodes[0]
    assert leaf.name == "W[0]"
    assert graph.boxes[leaf.box].name == "outer"


# -- what a recorded backward pass made -------------------------------------------------------------------


def test_the_second_order_graph_has_two_colours_and_a_legend():
    x = ad.Tensor(3.0)
    y = x * x * x
    y.backward(create_graph=True)
    drawing = draw(x.grad)
    graph = drawing._graph
    made_back = {node.index for node in graph.nodes if node.is_backward}
    assert made_back
    assert len(made_back) < len(graph.nodes) - 1
    for node in graph.nodes:
        row = next(row for row in drawing.dot.splitlines() if row.startswith(f"\tn{node.index} ["))
        assert ("#f3e3fb" in row) == node.is_backward
    assert "recorded by the backward pass" in drawing.dot.splitlines()[1]
    assert "recorded by the backward pass: " in str(drawing)
    assert "backward" not in draw(y).dot
    assert "backward" not in str(draw(y))
    assert "recorded by" in draw(ad.grad(lambda t: t * t * t)(ad.Tensor(2.0))).dot


def test_the_backward_pass_is_no_box():
    x = ad.Tensor(3.0)
    with ad.scope("cube"):
        y = x * x * x
    y.backward(create_graph=True)
    drawing = whole(draw(x.grad))
    assert [box.name for box in drawing._graph.boxes] == ["cube"]


# -- the same in every run, and nothing left behind -------------------------------------------------------


def test_folding_is_the_same_every_time():
    first, second = (draw(network(20, 6)) for _ in range(2))
    assert str(first) == str(second)
    assert first.dot == second.dot
    assert first.mermaid == second.mermaid


def test_a_node_that_is_folded_has_no_name_of_another():
    x = ad.Tensor(1.0, name="x")
    y = x
    for _ in range(80):
        y = y * 1.5
    graph = draw(y)._graph
    shown = {node.index for node in graph.nodes}
    hidden = {*range(max(shown))} - shown - {*graph.outside}
    assert hidden
    for index in hidden:
        assert not graph.has_name(index)
        if index not in graph.inside:
            with pytest.raises(KeyError):
                graph.name(index)
