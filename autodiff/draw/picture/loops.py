"""Loops: an edge from a box to itself, with its label.

The layout leaves room for them, and they are put there afterwards: an arc on the box from its right to its
left, or at its right side from its bottom to its top if the picture runs downwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

from .dot import Rooms
from .plan import PicturePlan, Place
from .scene import Scene
from .shapes import Point

ARC = 14.0  # pixels from a box to the label of its loop
OFFSETS = 14.0, 26.0, -26.0, -14.0  # from the middle to where a loop begins, to its handles and its end


class Loops:
    """The loops of a scene, and the scene and rooms with which everything else is laid out."""

    def __init__(self, scene: Scene, rooms: Rooms) -> None:
        self.of = {edge.tail: edge.key for edge in scene.edges if edge.tail == edge.head}
        self.is_down = scene.direction == "TB"
        self.own, self.labels = rooms.boxes, rooms.labels
        self.scene = replace(scene, edges=tuple(edge for edge in scene.edges if edge.tail != edge.head))
        self.rooms = copy(rooms)
        self.rooms.boxes = rooms.boxes | {key: self._room(key) for key in self.of}
        self.rooms.labels = {key: room for key, room in rooms.labels.items() if key not in self.of.values()}

    def _room(self, key: str) -> tuple[float, float]:
        """The size of a box together with its loop."""
        (width, height), label = self.own[key], self._label(key)
        if self.is_down:
            return width + ARC + label[0], max(height, label[1])
        return max(width, label[0]), height + ARC + label[1]

    def _label(self, key: str) -> tuple[float, float]:
        return self.labels.get(self.of[key], (0.0, 0.0))

    def drawn(self, plan: PicturePlan) -> PicturePlan:
        """The plan with the loops, each in the room that was left for it."""
        boxes, edges, labels = dict(plan.boxes), dict(plan.edges), dict(plan.labels)
        for key, name in self.of.items():
            (width, height), (wide, high) = self.own[key], self._label(key)
            room = plan.boxes[key]
            right, top = room.x + room.width / 2, room.y - room.height / 2
            if self.is_down:
                box = Place(right - ARC - wide - width / 2, room.y, width, height)
                side, far = right - ARC - wide, right - wide
                label = Place(far + wide / 2, room.y, wide, high)
            else:
                box = Place(room.x, top + high + ARC + height / 2, width, height)
                side, far = top + high + ARC, top + high
                label = Place(room.x, top + high / 2, wide, high)
            boxes[key], edges[name], labels[name] = box, self._arc(box, side, far), label
        for edge in self.scene.edges:
            points = edges[edge.key]
            if edge.head in self.of:
                points = _ending_at(boxes[edge.head], points)
            if edge.tail in self.of:
                points = _ending_at(boxes[edge.tail], points[::-1])[::-1]
            edges[edge.key] = points
        return replace(plan, boxes=boxes, edges=edges, labels=labels)

    def _arc(self, box: Place, side: float, far: float) -> list[tuple[float, float]]:
        """A curve out of a side of a box and back into it, which reaches as far as its label."""
        middle = box.y if self.is_down else box.x
        reach = side + (far - side) * 4 / 3  # a Bezier curve stays three quarters of the way to its handles
        points = [(middle + offset, at) for offset, at in zip(OFFSETS, (side, reach, reach, side))]
        return [(y, x) for x, y in points] if self.is_down else points


def _ending_at(box: Place, points: Sequence[Point]) -> Sequence[Point]:
    """An edge that goes on to its box where it ended at the room of the box."""
    x, y = points[-1]
    half_width, half_height = box.width / 2, box.height / 2
    dx = min(max(x, box.x - half_width), box.x + half_width) - x
    dy = min(max(y, box.y - half_height), box.y + half_height) - y
    return [*points[:-2], *((x + dx, y + dy) for x, y in points[-2:])]
