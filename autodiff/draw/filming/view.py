"""What a phone shows of a step: its screen is narrower than a picture whose words can be read.

The picture keeps its size there, and moves so that the boxes at which something happens are in view.
"""

from __future__ import annotations

from ..picture.faces import SMALL
from ..picture.plan import PicturePlan
from .story import Step, Story

PHONE = 600  # pixels: a narrower page is that of a phone
MARGINS = 40  # pixels: of such a page, beside the picture
LEGIBLE = 12.0  # pixels: of the smallest letters there
ZOOM = LEGIBLE / SMALL
ROOM = 270 / ZOOM  # what the narrowest of them, of 320 pixels, shows of a picture at once
ASIDE = 6.0  # that is to be seen beside a box


def views(story: Story, plan: PicturePlan, width: float) -> list[float]:
    """For each step, which part of the picture is seen where not all of it is: 0 its left end, 100 its right.

    `width` is that of the whole picture, in whose middle the plan is.
    """
    return [_place(plan, step, width) for step in story.steps]


def _place(plan: PicturePlan, step: Step, width: float) -> float:
    """The same for one step: all at which something happens if there is room, else where it arrives, else one
    of these. At a start without any, the left end."""
    receivers = sorted(step.receivers)
    active = [] if step.active is None else [step.active]
    watched = [nodes for nodes in ([*active, *receivers], receivers, [*receivers, *active][:1]) if nodes]
    spans = [_span(plan, nodes) for nodes in watched] or [(0.0, 0.0)]
    left, right = next((each for each in spans if each[1] - each[0] <= ROOM), spans[-1])
    aside = (width - plan.width) / 2
    left, right = max(0.0, left + aside - ASIDE), min(width, right + aside + ASIDE)
    hidden = width - (right - left)
    return 100 * left / hidden if hidden > 0 else 0.0


def _span(plan: PicturePlan, nodes: list[int]) -> tuple[float, float]:
    """From where to where the boxes of some nodes reach, from left to right."""
    places = [plan.boxes[f"n{node}"] for node in nodes]
    lefts, rights = zip(*((place.x - place.width / 2, place.x + place.width / 2) for place in places))
    return min(lefts), max(rights)
