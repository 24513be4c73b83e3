"""Gradients as streams: how wide they are, their colours, their way, and what they leave alone."""

from __future__ import annotations

from itertools import combinations
from math import inf, nan, sqrt

import numpy as np
import pytest

import autodiff as ad
from autodiff import static
from autodiff.draw import draw
from autodiff.draw.graph.flows import flow_of
from autodiff.draw.graph.walk import walk
from autodiff.draw.picture.paint import painted
from autodiff.draw.picture.shapes import Curve
from autodiff.draw.picture.streams import LEAST, WIDEST, laid_out_with_streams
from tests.draw.readers import Tensor, below, made, mark
from tests.draw.test_rows import straight


def graph_22(kind=ad.Tensor):
    a = kind(2)
    b = a * kind(3)
    c = a + kind(2)
    d = b + kind(4)
    return a, b, c, d, c * d


def labels(drawing):
    """What stands on the edges, by key."""
    marks = drawing._composed[1].marks
    return {key: mark.label.text for key, mark in marks.items() if mark.label}


# -- sizes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "size", "above", "text"),
    [
        (4.0, 4.0, 1.0, "4"),
        (-4.0, 4.0, 0.0, "-4"),
        (0.0, 0.0, None, "0"),
        (-0.0, 0.0, None, "0"),
        (1e-300, 1e-300, 1.0, "1e-300"),
        (np.float32(2.5), 2.5, 1.0, "2.5"),
        (np.array([3.0, -1.0, 0.0, 0.0]), sqrt(2.5), 0.75, "rms 1.58"),
        (np.array([[1e200, -1e200]]), 1e200, 0.5, "rms 1e200"),
        (np.full((2, 3), 1e-200), 1e-200, 1.0, "rms 1e-200"),
        (np.zeros((2, 2)), 0.0, None, "rms 0"),
        (np.zeros((0, 3)), 0.0, None, "rms 0"),
        (np.ones((3, 4))[::-1, ::2], 1.0, 1.0, "rms 1"),
        (np.broadcast_to(np.float32(-2), (4,)), 2.0, 0.0, "rms 2"),
    ],
)
def test_the_size_of_a_contribution(value, size, above, text):
    flow = flow_of(value)
    assert flow.size == pytest.approx(size)
    assert flow.above == (above if above is None else pytest.approx(above))
    assert flow.text == text
    assert not flow.is_odd


@pytest.mark.parametrize("value", [nan, inf, -inf, np.array([1.0, nan]), np.array([inf, 0.0])])
def test_a_contribution_that_is_not_finite(value):
    assert flow_of(value).is_odd


# -- streams of numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ad.Tensor, Tensor])
def test_contributions_of_the_22(kind):
    a, b, c, d, e = graph_22(kind)  # noqa: RUF059 - the names are read from here
    drawing = draw(e, flow=True)
    assert labels(drawing) == {
        (7, 0): "10", (7, 1): "4", (6, 0): "4", (6, 1): "4",
        (4, 0): "12", (4, 1): "8", (2, 0): "10", (2, 1): "10",
    }  # fmt: skip
    marks = [mark(drawing, *key) for key in labels(drawing)]
    assert {one.way for one in marks} == {"backward"}
    assert {one.inks for one in marks} == {("plus",)}
    assert mark(drawing, 4, 0).width == pytest.approx(WIDEST)
    for key, text in labels(drawing).items():
        wide = LEAST + (WIDEST - LEAST) * sqrt(float(text) / 12)
        assert mark(drawing, *key).width == pytest.approx(wide, abs=0.06)


def test_no_gradient_is_read_or_changed():
    a, b, c, d, e = graph_22()
    drawing = draw(e, flow=True)
    assert [node.grad for node in (a, b, c, d, e)] == [None] * 5
    a.grad, e.grad = 1000.0, 7.0
    assert labels(draw(e, flow=True)) == labels(drawing), "the walk begins with 1, whatever the nodes hold"
    assert (float(a.grad), float(e.grad)) == (1000.0, 7.0)


def test_signs_and_zeros():
    x = ad.Tensor(3.0)
    y = (x - x * 2) * (-x).relu()
    drawing = draw(y, flow=True)
    inks = {key: mark(drawing, *key).inks for key in labels(drawing)}
    assert set(inks.values()) == {("zero",), ("minus",)}
    for key, text in labels(drawing).items():
        assert inks[key] == (("zero",) if text == "0" else ("minus",))
    assert [kind for kind, _ in drawing._composed[1].legend] == ["minus", "zero"]


def test_the_spread_style_has_the_whole_gradient_behind_each_operation():
    a, b, c, d, e = graph_22()  # noqa: RUF059
    drawing = draw(e, flow=True, style="spread")
    assert mark(drawing, 7, "result").label.text == "1"
    assert mark(drawing, 2, "result").label.text == "10"
    shared = a * b
    end = shared * c + shared
    place = walk(end).index[id(shared)]
    assert mark(draw(end, flow=True, style="spread"), place, "result").label.text == "5"


def test_nothing_flows_to_what_wants_no_gradient():
    x = ad.Tensor(2.0)
    y = x * ad.Tensor(5.0, requires_grad=False) + 3
    for style in ("compact", "spread"):
        drawing = draw(y, flow=True, style=style, constants="shown")
        assert mark(drawing, 2, 0).way == "backward"
        for key in ((2, 1), (3, 1)):
            assert (mark(drawing, *key).way, mark(drawing, *key).label) == ("", None)


def test_a_result_that_takes_no_gradient_has_no_streams():
    x = ad.Tensor(2.0, requires_grad=False)
    drawing = draw(x * x, flow=True)
    assert labels(drawing) == {}
    assert drawing.svg
    assert draw(x, flow=True).svg


def test_nan_is_marked():
    x = ad.Tensor(0.0)
    with np.errstate(all="ignore"):
        y = x.log() * x
        drawing = draw(y, flow=True)
    inks = {
        mark(drawing, *key).inks for key, text in labels(drawing).items() if "nan" in text or "inf" in text
    }
    assert inks == {("wrong_line",)}
    assert drawing.svg


# -- arrays -----------------------------------------------------------------------------------------------


def test_a_stream_of_both_signs_has_both_colours_in_their_parts():
    x = ad.Tensor(np.array([1.0, 1.0, 1.0, 1.0]))
    y = (x * np.array([3.0, -1.0, 0.0, 0.0])).sum()
    drawing = draw(y, flow=True)
    stream = mark(drawing, 1, 0)
    assert stream.inks == ("plus", "minus")
    assert stream.weights == pytest.approx((0.75 * stream.width, 0.25 * stream.width))
    assert stream.label.text == "rms 1.58"
    assert "root mean square" in " ".join(below(drawing))
    assert "root mean square" not in " ".join(below(draw(graph_22()[-1], flow=True)))


@pytest.mark.parametrize("shape", [(), (1,), (0,), (0, 3), (3, 1), (2, 3, 4)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_shapes_and_dtypes(shape, dtype):
    x = ad.Tensor(np.ones(shape, dtype))
    y = x * 2
    drawing = draw(y, flow=True)
    assert labels(drawing) == {(1, 0): "2" if shape == () else "rms 0" if 0 in shape else "rms 2"}
    assert drawing.svg


def test_a_vanishing_gradient_is_seen_to_vanish():
    h = ad.Tensor(np.full((2, 2), 0.1))
    for _ in range(5):
        h = (h * 0.1).tanh()
    drawing = draw(h.sum(), flow=True, fold=False)
    widths = [mark(drawing, i, 0).width for i in range(1, 12)]
    assert widths == sorted(widths)
    assert widths[0] < 2 < 10 < widths[-1]


# -- folded graphs ----------------------------------------------------------------------------------------


def test_what_flows_out_of_many_nodes_is_added_up():
    w = ad.Tensor(2.0, name="w")
    x = ad.Tensor(1.0, name="x")
    with ad.scope("inside"):
        h = (x * w) * w
    y = h * 3
    drawing = draw(y, flow=True, depth=0)
    scene, state = drawing._composed
    by_tail = {edge.tail: state.marks[edge.key] for edge in scene.edges}
    names = {key: face.title for key, face in state.faces.items()}
    flows = {names[tail]: one.label.text for tail, one in by_tail.items()}
    assert flows == {"x": "12", "w": "12", "inside": "3"}
    assert float(ad.grad(lambda w: (1.0 * w) * w * 3)(2.0)) == 12


def test_a_large_graph_shows_streams_of_its_last_nodes():
    x = ad.Tensor(1.0)
    y = x
    for _ in range(400):
        y = y * 0.99 + x
    drawing = draw(y, flow=True, limit=20)
    assert len(labels(drawing)) >= 20
    assert draw(y, flow=True, fold=True).svg


# -- the picture ------------------------------------------------------------------------------------------


def network():
    rng = np.random.default_rng(3)
    x = [ad.Tensor(1.0, name="x1"), ad.Tensor(-2.0, name="x2")]
    hidden = []
    for k in range(3):
        weights = [ad.Tensor(float(rng.normal()), name=f"w{k}{j}") for j in range(2)]
        hidden.append((x[0] * weights[0] + x[1] * weights[1]).tanh())
    return sum(h * ad.Tensor(float(rng.normal()), name=f"u{k}") for k, h in enumerate(hidden)) ** 2


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("style", ["compact", "spread"])
@pytest.mark.parametrize("graph", [lambda: graph_22()[-1], network])
def test_streams_leave_the_boxes_side_by_side_and_labels_stand_free(graph, style, direction):
    scene, state = draw(graph(), flow=True, style=style, direction=direction)._composed
    plan = laid_out_with_streams(scene, state)
    at = 1 if direction == "LR" else 0
    ends = {}
    for edge in scene.edges:
        points = plan.edges[edge.key]
        assert len(points) % 3 == 1
        tail, head = plan.boxes[edge.tail], plan.boxes[edge.head]
        assert abs(points[0][at] - tail[at]) <= tail[2 + at] / 2
        assert abs(points[-1][at] - head[at]) <= head[2 + at] / 2
        width = state.marks[edge.key].width
        ends.setdefault((edge.tail, "out"), []).append((points[0][at], width))
        ends.setdefault((edge.head, "in"), []).append((points[-1][at], width))
    for (box, _), there in ends.items():
        room = plan.boxes[box][2 + at]
        if sum(width for _, width in there) < 0.7 * room and state.faces[box].shape != "circle":
            for (one, wide), (other, thick) in combinations(there, 2):
                assert abs(one - other) >= (wide + thick) / 2, "two streams at a box cover each other"
    places = [*plan.labels.values(), *plan.boxes.values()]
    assert len(plan.labels) >= 0.5 * len(labels(draw(graph(), flow=True)))
    for one, other in combinations(places, 2):
        assert abs(one.x - other.x) * 2 >= one.width + other.width - 0.1 or (
            abs(one.y - other.y) * 2 >= one.height + other.height - 0.1
        )


def test_a_stream_does_not_run_through_a_box():
    scene, state = draw(graph_22()[-1], flow=True)._composed
    plan = laid_out_with_streams(scene, state)
    for edge in scene.edges:
        a, b, c, d = (np.array(point) for point in plan.edges[edge.key][-4:])
        for t in np.linspace(0, 1, 50):
            x, y = (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t * t * (1 - t) * c + t**3 * d
            for key, box in plan.boxes.items():
                if key not in (edge.tail, edge.head):
                    assert abs(x - box.x) > box.width / 2 or abs(y - box.y) > box.height / 2


def test_streams_do_not_run_over_what_stands_below_the_picture():
    a, b = ad.Tensor(-1.0, name="a"), ad.Tensor(2.0, name="b")
    z = (a * b).relu() * 3 + (a - b) * b
    for direction in ("LR", "TB"):
        scene, state = draw(z, flow=True, direction=direction)._composed
        plan = laid_out_with_streams(scene, state)
        for shape in painted(scene, plan, state):
            if isinstance(shape, Curve):
                half = shape.weight / 2
                for x, y in straight(shape.points):
                    assert half - 0.1 <= x <= plan.width - half + 0.1
                    assert half - 0.1 <= y <= plan.height - half + 0.1


def test_what_the_table_and_the_alt_text_say():
    a, b, c, d, e = graph_22()  # noqa: RUF059
    drawing = draw(e, flow=True)
    lines = str(drawing).splitlines()
    assert lines[0] == "node        data  grad  passed back"
    assert lines[-1] == "e = c * d     40     -  10, 4"
    assert drawing.description.endswith("e = c * d = 40, passes back 10 to c and 4 to d.")
    assert "the gradient on its way back from e" in below(drawing)[0]
    assert "passed back" not in str(draw(e))


def test_streams_have_the_colours_of_the_theme():
    x = ad.Tensor(2.0)
    y = x * x - 3 * x
    svg = draw(y, flow=True, theme="colour-blind").svg
    assert "stroke:#d55e00" in svg
    assert "stroke:#0072b2" in svg


# -- errors -----------------------------------------------------------------------------------------------


def test_an_operation_that_the_package_does_not_know():
    y = made("cube", 8.0, Tensor(2.0))
    with pytest.raises(ValueError, match="no slopes are known for the operation cube"):
        draw(y, flow=True)


def test_a_graph_that_has_not_been_run():
    x = static.placeholder((3,))
    y = static.reduce_sum(x * 2)
    with pytest.raises(ValueError, match=r"flow=True .* this graph has no data yet: run it first"):
        draw(y, flow=True)
    with static.Session() as session:
        session.run(y, {x: np.ones(3)})
    assert draw(y, flow=True).svg


def test_options_that_exclude_each_other():
    e = graph_22()[-1]
    for options in ({"slopes": True}, {"slopes": "symbol"}, {"arrows": "both"}, {"arrows": "backward"}):
        with pytest.raises(ValueError, match=r"flow=True shows the way .* leave out slopes and arrows"):
            draw(e, flow=True, **options)
