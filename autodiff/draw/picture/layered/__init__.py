"""A layout of our own, in layers, for a machine on which there is no other engine.

Boxes get ranks (`ranks`), ranks an order (`order`), both get places (`places`), and edges their ways between
them (`routes`). The direction from rank to rank is called along, and is that of x here; the other one is
across. The method is that of Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical system
structures, 1981, in the form that Graphviz's `dot` gave it: Gansner, Koutsofios, North, Vo: A technique for
drawing directed graphs, 1993.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..dot import SHAPES, Rooms
from ..plan import PicturePlan, Place, sampled
from ..scene import Scene, State
from .order import ordered
from .places import Across, Along
from .ranks import ranked
from .routes import Routes

MOST = 1200  # boxes and bends of edges: a picture with more takes seconds, and nobody could follow it


def laid_out(scene: Scene, states: Sequence[State], rooms: Rooms) -> PicturePlan | None:
    """The plan of a scene, or None if it is too large."""
    if scene.direction == "TB":
        plan = _from_left(scene, states, rooms.turned())
        return plan and plan.turned()
    return _from_left(scene, states, rooms)


def _from_left(scene: Scene, states: Sequence[State], rooms: Rooms) -> PicturePlan | None:
    """The plan with the edges from left to right."""
    if not scene.boxes:
        return PicturePlan(0.0, 0.0, {}, {}, {}, {})
    if len(scene.boxes) > MOST:
        return None
    shapes = {key: face.shape for key, face in states[-1].faces.items()}
    found = ranked(scene, rooms, {key for key, shape in shapes.items() if shape in SHAPES})
    if len(found.spots) > MOST:
        return None
    order = ordered(found)
    along, across = Along(found, scene, rooms), Across(found, order, scene, rooms)
    boxes = {
        v: Place(along.middle(spot.rank), float(across.place[v]), *rooms.boxes[spot.key])
        for v, spot in enumerate(found.spots)
        if spot.key
    }
    round_boxes = {key for key, shape in shapes.items() if shape == "circle"}
    routes = Routes(found, order, along, across.place, boxes, rooms, round_boxes)
    by_key = {found.spots[v].key: place for v, place in boxes.items()}
    frames = {}
    for frame, (start, end) in along.frames(boxes).items():
        top, bottom = (across.place[side] for side in across.sides(frame))
        frames[frame] = [Place((start + end) / 2, (top + bottom) / 2, end - start, float(bottom - top))]
    return _from_corner(PicturePlan(0.0, 0.0, by_key, routes.edges, routes.labels, frames))


def _from_corner(plan: PicturePlan) -> PicturePlan:
    """The plan moved so that it begins in the corner, and its size."""
    places = [*plan.boxes.values(), *plan.labels.values(), *(place for [place] in plan.frames.values())]
    xs = [place.x + sign * place.width / 2 for place in places for sign in (-1, 1)]
    ys = [place.y + sign * place.height / 2 for place in places for sign in (-1, 1)]
    for points in plan.edges.values():
        for x, y in sampled(points):
            xs.append(x)
            ys.append(y)
    return plan.moved(-min(xs), -min(ys), max(xs) - min(xs), max(ys) - min(ys))
