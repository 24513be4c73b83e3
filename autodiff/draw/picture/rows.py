"""A long picture in several rows, as a text has lines: so a chain of thirty operations fits a page.

The picture is cut between two ranks, where few edges cross, and an edge goes on from the end of its row, back
through the space between the rows, to the start of the next.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from typing import TypeAlias

from .dot import FRAME_MARGIN
from .plan import PicturePlan, Place
from .shapes import Point

PAGE = 900.0  # pixels; a wider picture is shrunk by most pages
LEAST = 0.55  # of a page: a row is not shorter, unless it is the last
MOST = 6  # edges from one row to the next; with more, hardly anybody could follow them
LONG, CROWD = 2.5, 40  # pages: a picture that is longer is no better, and may have so many
CROSSING = 60.0  # one crossing edge less is worth this many pixels of a row
TORN = 250.0  # and a frame that stays whole this many
TURN = 16.0  # how far an edge swings out at the end of a row
LANE, SPACE = 9.0, 22.0  # the distance of edges between two rows, and the space around them
SHORT = 80.0  # pixels of an edge at the end of a row within which there is nothing that it has to go around
STEPS = 40  # halvings that find where a curve crosses a cut

FRAME_TITLE = 18.0  # pixels above what is in a frame, for its title

FrameParts: TypeAlias = Mapping[int, Mapping[int, Place]]  # of each frame by the index of a strip
Pieces: TypeAlias = list[tuple[int, list[Point]]]  # of an edge: the index of a strip, and the points in it


@dataclass
class Strip:
    """What lies between two cuts: its range of x, the range of y that is used, then the shift to its row."""

    left: float
    right: float
    top: float = inf
    bottom: float = -inf
    dx: float = 0.0
    dy: float = 0.0
    leaving: list[tuple[float, Hashable]] = field(default_factory=list)

    def take(self, top: float, bottom: float) -> None:
        """Include a range of y."""
        self.top, self.bottom = min(self.top, top), max(self.bottom, bottom)


def in_rows(plan: PicturePlan, page: float = PAGE) -> PicturePlan:
    """The same plan, in several rows if it is wider than a page and can be cut."""
    if plan.width <= page:
        return plan
    cuts = _cuts(plan, page - 2 * TURN, MOST)
    if not cuts and plan.width > LONG * page:
        cuts = _cuts(plan, page - 2 * TURN, CROWD)
    if not cuts:
        return plan
    bounds = [0.0, *cuts, plan.width]
    strips = [Strip(left, right) for left, right in pairwise(bounds)]
    pieces = {key: _straightened(list(_pieces(points, strips))) for key, points in plan.edges.items()}
    frames = _frame_parts(plan, strips)
    _fill(strips, plan, pieces, frames)
    _place(strips)
    return _rebuilt(plan, strips, pieces, frames)


def _cuts(plan: PicturePlan, page: float, most: int) -> list[float]:
    """Where to cut: in gaps between boxes, where few edges cross; no cut at all if one would be too
    crowded."""
    gaps = list(_gaps(plan))
    cuts: list[float] = []
    start = 0.0
    while plan.width - start > page:
        best, least = None, inf
        for x in gaps:
            if not start + LEAST * page <= x <= start + page:
                continue
            crossing = sum(_crosses(points, x) for points in plan.edges.values())
            torn = sum(abs(place.x - x) < place.width / 2 for [place] in plan.frames.values())
            cost = CROSSING * crossing + TORN * torn + start + page - x
            if crossing <= most and cost < least:
                best, least = x, cost
        if best is None:
            return []
        cuts.append(best)
        start = best
    return cuts


def _gaps(plan: PicturePlan) -> Iterator[float]:
    """The middles of all stretches of x in which there is no box and no label of an edge."""
    places = [*plan.boxes.values(), *plan.labels.values()]
    places.sort(key=lambda place: place.x - place.width / 2)
    reached = 0.0
    for place in places:
        left = place.x - place.width / 2
        if left > reached + 4:
            yield (left + reached) / 2
        reached = max(reached, place.x + place.width / 2)


def _crosses(points: Sequence[Point], x: float) -> bool:
    return (points[0][0] - x) * (points[-1][0] - x) < 0


def _strip_of(x: float, strips: Sequence[Strip]) -> int:
    """The index of the strip in which x lies."""
    return next((k for k, strip in enumerate(strips) if x < strip.right), len(strips) - 1)


def _pieces(points: Sequence[Point], strips: Sequence[Strip]) -> Iterator[tuple[int, list[Point]]]:
    """An edge cut at the bounds of the strips: for each piece the index of its strip, and its points."""
    curves = [list(points[k : k + 4]) for k in range(0, len(points) - 1, 3)]
    for strip in strips[:-1]:
        curves = [part for curve in curves for part in _cut(curve, strip.right)]
    current, made = -1, [curves[0][0]]
    for curve in curves:
        k = _strip_of((curve[0][0] + curve[-1][0]) / 2, strips)
        if k != current and len(made) > 1:
            yield current, made
            made = [curve[0]]
        current = k
        made += curve[1:]
    yield current, made


def _straightened(parts: Pieces) -> Pieces:
    """An edge whose first and last pieces, if they are short, run level to the end of the row."""
    if len(parts) < 2:
        return parts
    (first, start), (last, end) = parts[0], parts[-1]
    (x0, y0), (x1, _) = start[0], start[-1]
    if abs(x1 - x0) <= SHORT:
        parts[0] = first, [(x0, y0), (x0, y0), (x1, y0), (x1, y0)]
    (x0, _), (x1, y1) = end[0], end[-1]
    if abs(x1 - x0) <= SHORT:
        parts[-1] = last, [(x0, y1), (x0, y1), (x1, y1), (x1, y1)]
    return parts


def _cut(curve: list[Point], x: float) -> list[list[Point]]:
    """A Bezier curve as two, if its ends lie on both sides of x: by de Casteljau's halving."""
    start, end = curve[0][0] - x, curve[-1][0] - x
    if start * end >= -1e-9:
        return [curve]
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        at = _split(curve, middle)[0][-1][0] - x
        low, high = (middle, high) if at * start > 0 else (low, middle)
    return list(_split(curve, (low + high) / 2))


def _split(curve: list[Point], t: float) -> tuple[list[Point], list[Point]]:
    """A Bezier curve as the two curves before and after the parameter t."""
    rows = [curve]
    while len(rows[-1]) > 1:
        last = rows[-1]
        rows.append([((1 - t) * a + t * c, (1 - t) * b + t * d) for (a, b), (c, d) in pairwise(last)])
    return [row[0] for row in rows], [row[-1] for row in rows[::-1]]


def _fill(
    strips: Sequence[Strip], plan: PicturePlan, pieces: Mapping[Hashable, Pieces], frames: FrameParts
) -> None:
    """Give each strip the height that its boxes, labels, frames and edges need."""
    for place in [*plan.boxes.values(), *plan.labels.values()]:
        strips[_strip_of(place.x, strips)].take(place.y - place.height / 2, place.y + place.height / 2)
    for parts in frames.values():
        for k, place in parts.items():
            strips[k].take(place.y - place.height / 2, place.y + place.height / 2)
    for key, run in pieces.items():
        for k, points in run:
            ys = [y for _, y in points]
            strips[k].take(min(ys), max(ys))
        for (k, points), (after, _) in pairwise(run):
            strips[min(k, after)].leaving.append((points[-1][1], key))


def _place(strips: Sequence[Strip]) -> None:
    """Put the strips below each other, with room for the edges between them."""
    y = 0.0
    for k, strip in enumerate(strips):
        strip.dx = (TURN if k else 0.0) - strip.left
        strip.dy = y - strip.top
        strip.leaving.sort(key=lambda leaving: -leaving[0])
        y += strip.bottom - strip.top + SPACE * 2 + LANE * max(0, len(strip.leaving) - 1)


def _rebuilt(
    plan: PicturePlan, strips: list[Strip], pieces: Mapping[Hashable, Pieces], frames: FrameParts
) -> PicturePlan:
    """The plan with everything moved to its row."""

    def moved(place: Place) -> Place:
        strip = strips[_strip_of(place.x, strips)]
        return place.moved(strip.dx, strip.dy)

    edges = {key: _joined(key, parts, strips) for key, parts in pieces.items()}
    last = strips[-1]
    return PicturePlan(
        max(strip.right + strip.dx for strip in strips) + (TURN if any(s.leaving for s in strips) else 0.0),
        last.bottom + last.dy,
        {key: moved(place) for key, place in plan.boxes.items()},
        edges,
        {key: moved(place) for key, place in plan.labels.items()},
        {
            i: [place.moved(strips[k].dx, strips[k].dy) for k, place in parts.items()]
            for i, parts in frames.items()
        },
    )


def _frame_parts(plan: PicturePlan, strips: Sequence[Strip]) -> FrameParts:
    """The parts of each frame, by the strips that it reaches into: as high as what is in it there."""
    found: dict[int, dict[int, Place]] = {}
    # What lies in a frame is smaller, so it comes first.
    for i in sorted(plan.frames, key=lambda i: plan.frames[i][0].width * plan.frames[i][0].height):
        [frame] = plan.frames[i]
        found[i] = {}
        for k, strip in enumerate(strips):
            left = max(frame.x - frame.width / 2, strip.left)
            right = min(frame.x + frame.width / 2, strip.right)
            inside = [place for place in plan.boxes.values() if _strip_of(place.x, strips) == k]
            inside += [parts[k] for parts in found.values() if k in parts]
            inside = [place for place in inside if _holds(frame, place)]
            if not inside or right - left <= 2 * FRAME_MARGIN:  # the margin alone holds no box
                continue
            top = min(place.y - place.height / 2 for place in inside) - FRAME_MARGIN - FRAME_TITLE
            bottom = max(place.y + place.height / 2 for place in inside) + FRAME_MARGIN
            top, bottom = max(top, frame.y - frame.height / 2), min(bottom, frame.y + frame.height / 2)
            found[i][k] = Place((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)
    return {i: found[i] for i in plan.frames}


def _holds(frame: Place, place: Place) -> bool:
    """Whether the middle of something lies in a frame."""
    return abs(place.x - frame.x) < frame.width / 2 and abs(place.y - frame.y) < frame.height / 2


def _joined(key: Hashable, parts: Pieces, strips: Sequence[Strip]) -> list[Point]:
    """The pieces of an edge, each in its row, with the ways from one row to the next between them."""
    made: list[Point] = []
    before = -1
    for k, points in parts:
        strip = strips[k]
        here = [(x + strip.dx, y + strip.dy) for x, y in points]
        if made:
            made += _between_rows(made[-1], here[0], _lane(key, strips[min(k, before)]), k > before)
            made += here[1:]
        else:
            made = here
        before = k
    return made


def _lane(key: Hashable, strip: Strip) -> float:
    """The y at which an edge runs below its row."""
    place = [leaving for _, leaving in strip.leaving].index(key)
    return strip.bottom + strip.dy + SPACE + LANE * place


def _between_rows(start: Point, end: Point, lane: float, is_down: bool) -> list[Point]:
    """The curves from the end of a row through a lane to the start of the next row, or the other way
    round."""
    out = TURN if is_down else -TURN
    (x0, y0), (x1, y1) = start, end
    return [
        (x0 + out, y0), (x0 + out, lane), (x0, lane),
        (x0, lane), (x1, lane), (x1, lane),
        (x1 - out, lane), (x1 - out, y1), (x1, y1),
    ]  # fmt: skip
