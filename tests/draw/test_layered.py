"""Our own layout: nothing lies on anything else, edges end at their boxes, and every camera works with it."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import hypot

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from site_pages.pictures.hard import PARTS

import autodiff as ad
from autodiff.draw.picture import dot, layered
from autodiff.draw.picture.faces import Face, Mark, Row
from autodiff.draw.picture.layered.lines import bounds_of, meets
from autodiff.draw.picture.layered.simplex import Distance, shortest
from autodiff.draw.picture.metrics import text_width
from autodiff.draw.picture.plan import Place, sampled
from autodiff.draw.picture.scene import Edge, Frame, Scene, State

EXAMPLES = [example for part in PARTS for example in part.examples]


def state_of(scene, labels=(), shapes=None):
    faces = {key: Face(key, (Row("data", "1"),), shape=(shapes or {}).get(key, "box")) for key in scene.boxes}
    return State(faces, {key: Mark(label=Row(text=text)) for key, text in dict(labels).items()})


def scene_of(edges, direction="LR", **options):
    """A scene of edges such as "ab": a box for each letter."""
    keys = sorted(set("".join(edges)))
    made = tuple(Edge(k, edge[0], edge[1], **options) for k, edge in enumerate(edges))
    return Scene(dict.fromkeys(keys, -1), made, (), direction)


def plan_of(scene, state=None):
    states = [state or state_of(scene)]
    return layered.laid_out(scene, states, dot.Rooms(scene, states))


def end_of_22():
    a = ad.Tensor(2.0)
    return (a + 2) * (3 * a + 4)


# -- what holds for every plan ----------------------------------------------------------------------------


def overlap(one, other, least=0.01):
    return (
        abs(one.x - other.x) < (one.width + other.width) / 2 - least
        and abs(one.y - other.y) < (one.height + other.height) / 2 - least
    )


def holds(outer, inner):
    return (
        abs(outer.x - inner.x) <= (outer.width - inner.width) / 2 + 0.01
        and abs(outer.y - inner.y) <= (outer.height - inner.height) / 2 + 0.01
    )


def is_on_outline(point, box, is_round):
    dx, dy = abs(point[0] - box.x), abs(point[1] - box.y)
    if is_round:
        return hypot(dx, dy) == pytest.approx(box.width / 2)
    beyond = max(dx - box.width / 2, dy - box.height / 2)
    return beyond == pytest.approx(0, abs=0.01)


def around(scene, frame):
    while frame >= 0:
        yield frame
        frame = scene.frames[frame].parent


def check(scene, state, plan, rooms=None):
    """That everything is there, and nothing on anything else. The rooms may have space for loops."""
    rooms = rooms or dot.Rooms(scene, [state])
    assert {key: place[2:] for key, place in plan.boxes.items()} == rooms.boxes
    assert set(plan.edges) == {edge.key for edge in scene.edges}
    assert {key: place[2:] for key, place in plan.labels.items()} == rooms.labels
    places = [*plan.boxes.values(), *plan.labels.values()]
    assert not any(overlap(one, other) for one, other in combinations(places, 2))
    for edge in scene.edges:
        check_edge(scene, state, plan, edge)
    check_frames(scene, plan)
    for place in [*places, *(place for [place] in plan.frames.values())]:
        assert place.width / 2 - 0.01 <= place.x <= plan.width - place.width / 2 + 0.01
        assert place.height / 2 - 0.01 <= place.y <= plan.height - place.height / 2 + 0.01


def check_edge(scene, state, plan, edge):
    points = plan.edges[edge.key]
    for end, key in ((points[0], edge.tail), (points[-1], edge.head)):
        assert is_on_outline(end, plan.boxes[key], state.faces[key].shape == "circle"), edge
    assert len(points) % 3 == 1
    line = list(pairwise(sampled(points, 16)))
    for key, box in plan.boxes.items():
        if key not in (edge.tail, edge.head):
            assert not any(meets(*ends, bounds_of(box, -0.5)) for ends in line), (edge, key)
    if edge.key in plan.labels:
        assert any(meets(*ends, bounds_of(plan.labels[edge.key], -2)) for ends in line)


def check_frames(scene, plan):
    assert set(plan.frames) == {frame for key in scene.boxes for frame in around(scene, scene.boxes[key])}
    for i, [frame] in plan.frames.items():
        left, top = frame.x - frame.width / 2, frame.y - frame.height / 2
        width = text_width(scene.frames[i].title, 12) + 8
        title = Place(left + 8 + width / 2, top + 11, width, 16)
        assert holds(frame, title)
        for key, box in plan.boxes.items():
            is_in = i in around(scene, scene.boxes[key])
            assert not overlap(title, box), (i, key)
            assert holds(frame, box) if is_in else not overlap(frame, box), (i, key)
        for j, [other] in plan.frames.items():
            if j in list(around(scene, i))[1:]:
                assert holds(other, frame)
            elif i not in around(scene, j):
                assert not overlap(frame, other), (i, j)


def runs_on(scene, plan, edge):
    """How far an edge comes along the ranks."""
    start, end = (plan.boxes[key] for key in (edge.tail, edge.head))
    return end.x - start.x if scene.direction == "LR" else end.y - start.y


# -- graphs of every kind ---------------------------------------------------------------------------------


@st.composite
def drawn(draw):
    """A scene without circles, with everything in it that a scene may have, and its state."""
    count = draw(st.integers(1, 12))
    parents = draw(st.lists(st.integers(-1, 1), max_size=4))
    frames = tuple(Frame(f"frame {i}", min(parent, i - 1)) for i, parent in enumerate(parents))
    boxes = {f"n{i}": draw(st.integers(-1, len(frames) - 1)) for i in range(count)}
    edges = []
    for k in range(draw(st.integers(0, 16)) if count > 1 else 0):
        tail, head = sorted(draw(st.lists(st.integers(0, count - 1), min_size=2, max_size=2, unique=True)))
        is_loose = any(edge.tail == f"n{tail}" and edge.head == f"n{head}" for edge in edges) and k % 2 == 0
        is_beside = draw(st.booleans()) and not is_loose
        edges.append(Edge(k, f"n{tail}", f"n{head}", draw(st.integers(0, 3)), is_loose, is_beside))
    scene = Scene(boxes, tuple(edges), frames, draw(st.sampled_from(["LR", "TB"])))
    labels = draw(st.dictionaries(st.integers(0, 15), st.sampled_from(["3", "∂e/∂c = 10"]), max_size=5))
    shapes = {key: draw(st.sampled_from(["box", "box", "circle", "word", "double", "bare"])) for key in boxes}
    return scene, state_of(scene, {k: text for k, text in labels.items() if k < len(edges)}, shapes)


@settings(max_examples=300)
@given(drawn())
def test_nothing_lies_on_anything_else(graph):
    scene, state = graph
    plan = plan_of(scene, state)
    check(scene, state, plan)
    beside = {(edge.tail, edge.head) for edge in scene.edges if edge.is_beside}
    for edge in scene.edges:
        assert (edge.tail, edge.head) in beside or runs_on(scene, plan, edge) > 0
    assert plan_of(scene, state) == plan


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize(
    "edges",
    [
        ["ab", "bc", "ca"],
        ["ab", "ba"],
        ["aa"],
        ["aa", "aa", "ab"],
        ["ab", "ab", "ab"],
        ["ab", "cd", "ef", "cf"],
    ],
    ids=["a circle", "there and back", "a loop", "two loops", "three edges", "parts"],
)
def test_graphs_that_are_no_trees(edges, direction):
    scene = scene_of(edges, direction)
    for labels in ({}, {0: "5"}, dict.fromkeys(range(len(edges)), "22")):
        state = state_of(scene, labels)
        check(scene, state, plan_of(scene, state))


def test_an_empty_graph_and_one_box():
    assert plan_of(Scene({}, ())).width == 0
    plan = plan_of(Scene({"a": -1}, ()))
    assert (plan.width, plan.height) == plan.boxes["a"][2:]


def test_edges_of_several_between_two_boxes_do_not_cross():
    scene = scene_of(["ab", "ab"])
    plan = plan_of(scene)
    first, second = (plan.edges[k] for k in (0, 1))
    assert first[0][1] < second[0][1]
    assert first[-1][1] < second[-1][1]


def test_the_left_operand_comes_in_above():
    scene = Scene(dict.fromkeys("xyo", -1), (Edge(0, "y", "o"), Edge(1, "x", "o")))
    plan = plan_of(scene, state_of(scene, shapes={"o": "circle"}))
    assert plan.boxes["y"].y < plan.boxes["x"].y


def test_boxes_beside_another_stand_in_its_rank_and_their_labels_between():
    scene = Scene(
        dict.fromkeys("xwbyz", -1),
        (
            Edge(0, "x", "y"),
            Edge(1, "w", "y", is_beside=True),
            Edge(2, "b", "y", is_beside=True),
            Edge(3, "y", "z"),
        ),
    )
    state = state_of(scene, {1: "0.5"})
    plan = plan_of(scene, state)
    check(scene, state, plan)
    assert plan.boxes["w"].x == plan.boxes["b"].x == plan.boxes["y"].x
    assert plan.boxes["b"].y < plan.boxes["y"].y < plan.labels[1].y < plan.boxes["w"].y


def test_a_chain_is_straight_and_what_could_be_anywhere_is_in_the_middle():
    plan = plan_of(scene_of(["ab", "bc", "cd", "de", "ae"]))
    assert len({plan.boxes[key].y for key in "bcd"}) == 1
    over, under = plan.boxes["b"].y, plan.edges[4][len(plan.edges[4]) // 2][1]
    for key in "ae":
        assert min(over, under) + 9 < plan.boxes[key].y < max(over, under) - 9 + 1


def cross(a, b, c, d):
    def side(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def test_what_is_too_large_is_left_to_others():
    edges = tuple(Edge(k, f"n{k}", f"n{k + 1}") for k in range(layered.MOST))
    scene = Scene({f"n{k}": -1 for k in range(layered.MOST + 1)}, edges)
    assert plan_of(scene) is None
    crowded = Scene(
        {f"n{k}": -1 for k in range(80)},
        tuple(Edge((i, j), f"n{i}", f"n{j}") for j in range(80) for i in range(j)),
    )
    assert plan_of(crowded) is None, "the bends of its edges are too many"


# -- the network simplex ----------------------------------------------------------------------------------


@given(st.data())
def test_no_places_cost_less(data):
    optimize = pytest.importorskip("scipy.optimize")
    count = data.draw(st.integers(2, 9))
    ends = st.lists(st.integers(0, count - 1), min_size=2, max_size=2, unique=True).map(sorted)
    one = st.builds(lambda e, w, least: Distance(*e, w, least), ends, st.integers(0, 4), st.integers(0, 5))
    distances = data.draw(st.lists(one, min_size=1, max_size=20))
    place = shortest(count, distances)
    assert all(place[d.head] - place[d.tail] >= d.least for d in distances)
    rows = [[(v == d.tail) - (v == d.head) for v in range(count)] for d in distances]
    price = [sum(d.weight * ((v == d.head) - (v == d.tail)) for d in distances) for v in range(count)]
    best = optimize.linprog(price, A_ub=rows, b_ub=[-d.least for d in distances], bounds=[(0, None)] * count)
    assert sum(p * at for p, at in zip(price, place)) == pytest.approx(best.fun)


# -- with every camera ------------------------------------------------------------------------------------


@pytest.fixture
def plans(no_graphviz, monkeypatch):
    """What is laid out by us, as scenes, states, rooms and plans."""
    made = []
    laid_out = layered.laid_out

    def kept(scene, states, rooms):
        made.append((scene, states, rooms, laid_out(scene, states, rooms)))
        return made[-1][-1]

    monkeypatch.setattr(layered, "laid_out", kept)
    return made


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_the_gallery(example, plans):
    bundle, _ = example.make()._repr_mimebundle_()
    assert any(mark in bundle["text/html"] for mark in ("<svg", "<img"))
    for scene, states, rooms, plan in plans:
        if len(states) == 1:
            check(scene, states[0], plan, rooms)
    assert plans


def test_a_plane_graph_is_drawn_without_a_crossing(plans):
    """Two values that each round of a loop takes go around it on both sides."""
    next(example for example in EXAMPLES if "forty rounds" in example.title).make().svg  # noqa: B018
    [(_, _, _, plan)] = plans
    lines = [list(pairwise(sampled(points))) for points in plan.edges.values()]
    assert not any(cross(*one, *other) for a, b in combinations(lines, 2) for one in a for other in b)


def test_films_and_sliders(plans, tmp_path):
    told = ad.film(end_of_22())
    assert len(told.frames) == len(told)
    told.save(tmp_path / "e.html")
    assert (tmp_path / "e.html").read_text(encoding="utf-8").count("<img") > 0
    slide = ad.slide(lambda a: (a + 2) * (3 * a + 4), a=(0, 2), steps=3)
    assert len(slide.frames) == 3
    assert all(frame.startswith("<svg") for frame in [*told.frames, *slide.frames])
    assert len(plans) == 2


def test_files(no_graphviz, tmp_path):
    e = end_of_22()
    for name in ("e.svg", "e.png", "e.pdf"):
        if not name.endswith("svg"):
            pytest.importorskip("matplotlib")
        ad.draw(e).save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
