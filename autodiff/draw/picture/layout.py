"""Where everything in a picture is: the layout of Graphviz, or our own where there is none, as a
`PicturePlan`.

A plan has one place for each box, edge and frame, whatever state the picture shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from typing import Any

from ..theme import LIGHT
from . import dot, layered, render
from .loops import Loops
from .plan import PicturePlan, Place
from .rows import PAGE, in_rows
from .scene import Scene, State
from .shapes import Point


def laid_out(scene: Scene, states: Sequence[State], page: float = PAGE) -> PicturePlan | None:
    """The plan of a scene that has room for all of these states; None if it is too large to be laid out
    without Graphviz, and that is not installed.

    From left to right, a plan that is wider than the page continues in more rows.
    """
    rooms = dot.Rooms(scene, states)
    if all(edge.tail != edge.head for edge in scene.edges):
        return _without_loops(scene, states, rooms, page)
    loops = Loops(scene, rooms)
    plan = _without_loops(loops.scene, states, loops.rooms, page)
    return plan and loops.drawn(plan)


def _without_loops(
    scene: Scene, states: Sequence[State], rooms: dot.Rooms, page: float
) -> PicturePlan | None:
    """The plan of a scene in which no edge leads back to its own box."""
    plan = _by_graphviz(scene, states, rooms) or layered.laid_out(scene, states, rooms)
    return in_rows(plan, page) if plan and scene.direction == "LR" else plan


def _by_graphviz(scene: Scene, states: Sequence[State], rooms: dot.Rooms) -> PicturePlan | None:
    """The plan as Graphviz makes it, or None if none of its engines is there."""
    answer = render.render(dot.source(scene, states, LIGHT, rooms), "json0")
    if answer is None:
        return None
    graph = json.loads(answer)
    right, top = map(float, graph["bb"].split(",")[2:])
    objects = graph.get("objects", [])
    names = {thing["_gvid"]: thing["name"] for thing in objects}
    boxes, frames = {}, {}
    for thing in objects:
        if thing["name"].startswith("cluster_"):
            x0, y0, x1, y1 = map(float, thing["bb"].split(","))
            place = Place((x0 + x1) / 2, top - (y0 + y1) / 2, x1 - x0, y1 - y0)
            frames[int(thing["name"].removeprefix("cluster_"))] = [place]
        elif "pos" in thing:
            x, y = map(float, thing["pos"].split(","))
            boxes[thing["name"]] = Place(x, top - y, *rooms.boxes[thing["name"]])
    edges: dict[Hashable, list[Point]] = {}
    labels: dict[Hashable, Place] = {}
    waiting = _by_ends(scene)
    for thing in graph.get("edges", []):
        key = waiting[names[thing["tail"]], names[thing["head"]]].pop(0)
        edges[key] = _curve(thing["pos"], top)
        if key in rooms.labels:
            x, y = map(float, thing["lp"].split(","))
            labels[key] = Place(x, top - y, *rooms.labels[key])
    return PicturePlan(right, top, boxes, edges, labels, frames)


def _by_ends(scene: Scene) -> dict[tuple[str, str], list[Hashable]]:
    """The keys of the edges between every two boxes, in order: Graphviz keeps the order of such edges."""
    found: dict[tuple[str, str], list[Hashable]] = {}
    for edge in scene.edges:
        found.setdefault((edge.tail, edge.head), []).append(edge.key)
    return found


def _curve(text: str, top: float) -> list[Point]:
    """The points of an edge as Graphviz writes them; there are no arrowheads among them."""
    numbers: list[Any] = [float(x) for x in re.findall(r"-?[\d.]+(?:e[-+]?\d+)?", text)]
    return [(x, top - y) for x, y in zip(numbers[::2], numbers[1::2])]
