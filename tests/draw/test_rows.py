"""Long pictures in rows: boxes keep their order, nothing overlaps, and edges go on where they were cut."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import dist

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import draw
from autodiff.draw.picture.layout import laid_out
from autodiff.draw.picture.plan import PicturePlan, Place
from autodiff.draw.picture.rows import PAGE, in_rows
from tests.draw.readers import chain

WIDE = 10**9


def ladder(length):
    """A long graph in which several edges run beside each other."""
    x, y = ad.Tensor(1.5, name="x"), ad.Tensor(0.5, name="y")
    for _ in range(length):
        x, y = x * y, y + x
    return x + y


def layers(count):
    """A network with a box around each layer."""
    rng = np.random.default_rng(0)
    h = ad.Tensor(rng.normal(size=(3, 3)))
    for k in range(count):
        with ad.scope(f"layer {k}"):
            h = (h @ ad.Tensor(rng.normal(size=(3, 3)), name=f"W{k}") + ad.Tensor(np.ones(3))).tanh()
    return h.sum()


def random_graph(seed):
    rng = np.random.default_rng(seed)
    nodes = [ad.Tensor(float(k), name=f"x{k}") for k in range(3)]
    for _ in range(40):
        i, j = rng.integers(max(0, len(nodes) - 4), len(nodes), 2)
        nodes.append(nodes[i] * nodes[j] if rng.random() < 0.5 else nodes[i].tanh())
    return nodes[-1]


GRAPHS = {"chain": lambda: chain(30), "ladder": lambda: ladder(12), "layers": lambda: layers(5)}
GRAPHS |= {f"random {seed}": lambda seed=seed: random_graph(seed) for seed in range(6)}


def plans(graph, **options):
    """The plan of a graph in one long row, and the same in rows."""
    scene, state = draw(GRAPHS[graph](), fold=False, **options)._composed
    long = laid_out(scene, [state], WIDE)
    return scene, long, in_rows(long)


def sides(place):
    return (
        place.x - place.width / 2, place.x + place.width / 2,
        place.y - place.height / 2, place.y + place.height / 2,
    )  # fmt: skip


@pytest.mark.parametrize("style", ["compact", "spread"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_rows_keep_everything_in_place(graph, style):
    scene, long, rows = plans(graph, style=style)
    assert long.width > PAGE
    assert rows.boxes.keys() == long.boxes.keys()
    assert rows.edges.keys() == long.edges.keys() == {edge.key for edge in scene.edges}
    assert rows.labels.keys() == long.labels.keys()
    if rows == long:
        return  # too dense to be cut
    assert rows.width <= PAGE + 60
    for key, place in rows.boxes.items():
        assert place[2:] == long.boxes[key][2:], "no box has another size"
        left, right, top, bottom = sides(place)
        assert left >= -0.1
        assert right <= rows.width + 0.1
        assert top >= -0.1
        assert bottom <= rows.height + 0.1
    for one, other in combinations(rows.boxes.values(), 2):
        x0, x1, y0, y1 = sides(one)
        u0, u1, v0, v1 = sides(other)
        assert x1 <= u0 + 0.1 or u1 <= x0 + 0.1 or y1 <= v0 + 0.1 or v1 <= y0 + 0.1
    # What was left of something stays left of it, or is in an earlier row.
    for (a, one), (b, other) in combinations(long.boxes.items(), 2):
        if one.x > other.x:
            (a, one), (b, other) = (b, other), (a, one)
        moved_one, moved_other = rows.boxes[a], rows.boxes[b]
        same_row = abs((moved_other.x - moved_one.x) - (other.x - one.x)) < 1e-6
        assert same_row or moved_one.y < moved_other.y or one.x == other.x


@pytest.mark.parametrize("graph", GRAPHS)
def test_edges_begin_and_end_at_their_boxes(graph):
    scene, long, rows = plans(graph)
    for plan in (long, rows):
        for edge in scene.edges:
            points = plan.edges[edge.key]
            assert len(points) % 3 == 1, "a point, then three for each curve"
            for key, (x, y) in ((edge.tail, points[0]), (edge.head, points[-1])):
                left, right, top, bottom = sides(plan.boxes[key])
                assert left - 3 <= x <= right + 3, (edge, key)
                assert top - 3 <= y <= bottom + 3


def straight(points, steps=30):
    """Points along an edge."""
    for k in range(0, len(points) - 1, 3):
        a, b, c, d = (np.array(point) for point in points[k : k + 4])
        for t in np.linspace(0, 1, steps):
            yield (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t * t * (1 - t) * c + t**3 * d


@pytest.mark.parametrize("graph", GRAPHS)
def test_edges_are_one_line_from_end_to_end(graph):
    _, _, rows = plans(graph)
    for points in rows.edges.values():
        path = list(straight(points))
        longest = max(dist(one, other) for one, other in pairwise(path))
        assert longest < max(60.0, 0.1 * rows.width), "an edge has a gap"


@pytest.mark.parametrize("graph", GRAPHS)
def test_edges_run_around_boxes_also_between_rows(graph):
    scene, _, rows = plans(graph)
    for edge in scene.edges:
        for x, y in straight(rows.edges[edge.key]):
            for key, box in rows.boxes.items():
                if key not in (edge.tail, edge.head):
                    assert abs(x - box.x) > box.width / 2 - 2 or abs(y - box.y) > box.height / 2 - 2, key


def test_a_picture_that_fits_is_left_alone():
    scene, state = draw(chain(3), fold=False)._composed
    plan = laid_out(scene, [state])
    assert in_rows(plan) is plan


def test_a_picture_from_top_to_bottom_has_no_rows():
    scene, state = draw(chain(30), fold=False, direction="TB")._composed
    assert laid_out(scene, [state], 10.0) == laid_out(scene, [state], WIDE)


def dense(crossing):
    """A plan of two far groups of boxes with many edges between them."""
    boxes = {f"n{k}": Place(60.0 + 90 * (k % 20), 40.0 * (k // 20) + 20, 60, 30) for k in range(40)}
    edges = {}
    for k in range(crossing):
        start, end = boxes["n0"], boxes["n19"]
        y = 100.0 + 5 * k
        edges[k] = [(start.x + 30, start.y), (start.x + 200, y), (end.x - 200, y), (end.x - 30, end.y)]
    return PicturePlan(1900, 300, boxes, edges, {}, {})


def test_a_dense_picture_is_not_cut():
    assert in_rows(dense(3)).width <= PAGE
    plan = dense(12)
    assert in_rows(plan) is plan, "nobody could follow twelve edges around a corner"


def test_a_frame_goes_on_in_the_next_row():
    scene, state = draw(layers(5), fold=False)._composed
    rows = laid_out(scene, [state])
    assert len(scene.frames) == 5
    for index, places in rows.frames.items():
        inside = [rows.boxes[key] for key, frame in scene.boxes.items() if frame == index]
        for place in inside:
            assert any(
                part.x - part.width / 2 - 1 <= place.x <= part.x + part.width / 2 + 1
                and part.y - part.height / 2 <= place.y <= part.y + part.height / 2
                for part in places
            )


def test_a_frame_is_as_high_in_each_row_as_what_is_in_it_there():
    tall, low = Place(100, 200, 80, 380), Place(1100, 200, 80, 40)
    frame = Place(600, 200, 1160, 410)
    between = {"e": [(140.0, 200.0), (140.0, 200.0), (1060.0, 200.0), (1060.0, 200.0)]}
    plan = in_rows(PicturePlan(1200, 410, {"a": tall, "b": low}, between, {}, {0: [frame]}))
    first, second = plan.frames[0]
    assert first.height == pytest.approx(380 + 10 + 15), "no higher than the whole frame at its top"
    assert second.height == pytest.approx(40 + 10 + 18 + 10)
    assert plan.height < 600
