"""Gradients as streams: how wide each edge is, what colour it has, and the way that it takes.

The width grows with the root of a contribution's size, so that a hundredth of the largest is still a tenth as
wide and can be seen. Orange is above zero, blue is below, and the stream of an array with elements of both
signs has both colours.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import dist, sqrt

from ..graph.records import Flow, ShownGraph
from .faces import Mark, Row
from .layout import laid_out
from .paint import head_length
from .plan import PicturePlan, Place, sampled
from .scene import PLAIN, Edge, Scene, State
from .shapes import Point

WIDEST, LEAST = 17.0, 1.6  # pixels
ONE_SIGN = 0.02  # a colour that takes no more than this fraction of a stream is not drawn
STILL = Mark(("quiet_line",), 1.2, way="")  # an edge along which no gradient comes
SIGNS = (("plus", "above zero"), ("minus", "below zero"), ("zero", "zero"))
BEND = 0.55  # how far the handles of a stream reach, as a part of its width
APART = 26.0  # pixels between boxes of two ranks beyond the usual
PAGE = 1200.0  # pixels; streams can be followed in a wide picture, and not around many corners
BESIDE = 1.5  # pixels between streams at a box
STRAIGHT = 4.0  # pixels behind its head that a stream goes straight on
SAMPLES = 24  # points of a stream that are looked at for boxes in its way
CLEAR = 3.0  # pixels around a stream and a label that have to be free
ALONG = (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68)  # where a label may stand on its stream


def streaming(graph: ShownGraph, scene: Scene, state: State) -> State:
    """The state with each edge as wide as the gradient that flows along it."""
    flows = {edge.key: flow for edge in scene.edges if (flow := _flow(graph, edge)) is not None}
    largest = max((flow.size for flow in flows.values() if not flow.is_odd), default=0.0)
    marks = {edge.key: _mark(flows.get(edge.key), largest) for edge in scene.edges}
    inks = {ink for mark in marks.values() if mark is not STILL for ink in mark.inks}
    end = graph.nodes[-1].name
    words = f"the gradient on its way back from {end}; a stream is as wide as the root of its size"
    caption = [(words, "page")]
    if any(flow.text.startswith("rms") for flow in flows.values()):
        caption.append(("the size of an array is the root mean square (rms) of its elements", "page"))
    legend = tuple((ink, words) for ink, words in SIGNS if ink in inks)
    return replace(state, marks=marks, caption=(*state.caption, *caption), legend=(*state.legend, *legend))


def _flow(graph: ShownGraph, edge: Edge) -> Flow | None:
    """What flows along an edge; None if no gradient comes this way."""
    if not isinstance(edge.key, tuple):
        return None
    index, place = edge.key[:2]
    if not isinstance(place, int):
        return graph.flows.arriving.get(index)
    if (index, place) in graph.flows.edges:
        return graph.flows.edges[index, place]
    if edge.head == f"n{index}" and edge.tail.startswith("n"):
        return graph.flows.pieces.get((index, int(edge.tail[1:])))
    return None


def _mark(flow: Flow | None, largest: float) -> Mark:
    """The look of a stream."""
    if flow is None:
        return STILL
    label = Row(text=flow.text, ink="ink")
    if flow.is_odd:
        return Mark(("wrong_line",), WIDEST / 2, way="backward", label=label, plate_line="wrong_line")
    width = round(LEAST + (WIDEST - LEAST) * sqrt(flow.size / largest), 1) if largest else LEAST
    if flow.above is None:
        return Mark(("zero",), LEAST, way="backward", label=label, plate_line="zero")
    parts = {"plus": flow.above, "minus": 1 - flow.above}
    parts = {ink: part for ink, part in parts.items() if part > ONE_SIGN}
    main = max(parts, key=lambda ink: parts[ink])
    weights = tuple(width * part / sum(parts.values()) for part in parts.values())
    return Mark(tuple(parts), width, weights, way="backward", label=label, plate_line=main)


def laid_out_with_streams(scene: Scene, state: State) -> PicturePlan | None:
    """The plan of a scene with streams in it; None if it is too large for us without Graphviz."""
    plan = laid_out(scene, [state], PAGE)
    if plan is None or scene.direction == "LR":
        return plan and flowing(plan, scene, state)
    return flowing(plan.turned(), scene, state).turned()


def flowing(plan: PicturePlan, scene: Scene, state: State) -> PicturePlan:
    """The plan with edges that leave and enter the boxes side by side, and with their labels on them."""
    ports = _ports(plan, scene, state)
    edges: dict[Hashable, Sequence[Point]] = {}
    for edge in scene.edges:
        if edge.is_beside:
            edges[edge.key] = plan.edges[edge.key]
            continue
        width = state.marks.get(edge.key, PLAIN).width
        start, end = ports[edge.key, edge.tail], ports[edge.key, edge.head]
        others = [place for key, place in plan.boxes.items() if key not in (edge.tail, edge.head)]
        edges[edge.key] = _way(start, end, plan.edges[edge.key], others, width)
    labels = _labels(plan, scene, state, edges)
    return _with_margins(replace(plan, edges=edges, labels=labels), state)


def _with_margins(plan: PicturePlan, state: State) -> PicturePlan:
    """The plan with room for the whole width of the streams at its sides."""
    xs, ys = [0.0, plan.width], [0.0, plan.height]
    for key, points in plan.edges.items():
        half = state.marks.get(key, PLAIN).width / 2
        for x, y in sampled(points, SAMPLES):
            xs += [x - half, x + half]
            ys += [y - half, y + half]
    return plan.moved(-min(xs), -min(ys), max(xs) - min(xs), max(ys) - min(ys))


def _ports(plan: PicturePlan, scene: Scene, state: State) -> dict[tuple[Hashable, str], Point]:
    """Where each edge leaves the right side of one box, and enters the left side of another."""
    sides: dict[tuple[str, int], list[tuple[float, Hashable]]] = {}
    for edge in scene.edges:
        if edge.is_beside:
            continue
        points = plan.edges[edge.key]
        middle = points[len(points) // 2][1]
        for key, side, near in ((edge.tail, 1, points[1]), (edge.head, -1, points[-2])):
            box = plan.boxes[key]
            steep = (near[1] - box.y) / max(abs(near[0] - box.x), 1.0)
            sides.setdefault((key, side), []).append((round(steep, 2) + middle / 1e4, edge.key))
    ports: dict[tuple[Hashable, str], Point] = {}
    for (key, side), ends in sides.items():
        box = plan.boxes[key]
        is_round = state.faces[key].shape == "circle"
        widths = {which: state.marks.get(which, PLAIN).width + BESIDE for _, which in ends}
        room = box.height * (0.6 if is_round else 0.9)
        crowded = min(1.0, room / sum(widths.values()))
        y = box.y - sum(widths.values()) / 2 * crowded
        for _, which in sorted(ends, key=lambda end: end[0]):
            at = y + widths[which] / 2 * crowded
            half = sqrt(max(0.0, (box.width / 2) ** 2 - (at - box.y) ** 2)) if is_round else box.width / 2
            ports[which, key] = (box.x + side * half, at)
            y += widths[which] * crowded
    return ports


def _way(
    start: Point, end: Point, points: Sequence[Point], others: Sequence[Place], width: float
) -> list[Point]:
    """A stream from one port to another: one curve if no box is in its way, else the layout's with new ends.

    It is straight at its start, where its head is.
    """
    run = min(STRAIGHT + head_length(width), abs(end[0] - start[0]) / 3)
    turn = start[0] + run, start[1]
    straight = [start, turn, turn]
    bend = (end[0] - turn[0]) * BEND
    curve = [turn, (turn[0] + bend, turn[1]), (end[0] - bend, end[1]), end]
    if bend > 0 and not _is_blocked(curve, others, width / 2 + CLEAR):
        return [*straight, *curve]
    first, last = _step(turn, points[3]), _step(end, points[-4])
    return [*straight, turn, first, *(points[2:-2] if len(points) > 4 else ()), last, end]


def _step(port: Point, towards: Point) -> Point:
    """The first step out of a port: straight away from the box."""
    return port[0] + (towards[0] - port[0]) * BEND, port[1]


def _is_blocked(curve: Sequence[Point], boxes: Sequence[Place], room: float) -> bool:
    """Whether a box is nearer to a curve than this room."""
    return any(
        abs(x - box.x) < box.width / 2 + room and abs(y - box.y) < box.height / 2 + room
        for x, y in sampled(curve, SAMPLES)
        for box in boxes
    )


def _labels(
    plan: PicturePlan, scene: Scene, state: State, edges: Mapping[Hashable, Sequence[Point]]
) -> dict[Hashable, Place]:
    """The labels on their streams, where there is room: no box and no other label is there, nor the head."""
    taken = list(plan.boxes.values())
    placed: dict[Hashable, Place] = {}
    for edge in scene.edges:
        if edge.key not in plan.labels:
            continue
        head = head_length(state.marks.get(edge.key, PLAIN).width)
        for place in _choices(plan.labels[edge.key], edges[edge.key], head):
            if not any(_overlap(place, other) for other in taken):
                placed[edge.key] = place
                taken.append(place)
                break
    return placed


def _choices(label: Place, points: Sequence[Point], head: float) -> Iterator[Place]:
    """Where a label may stand on its stream: near the middle between the head and the other end.

    There is none if the label would cover nearly all of it.
    """
    path = list(sampled(points, SAMPLES))
    walked = [0.0]
    for one, other in pairwise(path):
        walked.append(walked[-1] + dist(one, other))
    for part in ALONG:
        at = head + (walked[-1] - head) * part
        k = min(bisect_left(walked, at), len(path) - 1)
        (x, y), (x0, y0) = path[k], path[k - 1]
        is_level = abs(x - x0) > abs(y - y0)
        needed = label.width + CLEAR if is_level else label.height + 3 * CLEAR
        if walked[-1] - head > needed:
            yield label._replace(x=x, y=y)


def _overlap(one: Place, other: Place) -> bool:
    return (
        abs(one.x - other.x) < (one.width + other.width) / 2
        and abs(one.y - other.y) < (one.height + other.height) / 2
    )
