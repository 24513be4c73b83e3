"""All steps of a film in one SVG: what is the same in several steps is in it once.

Each group of shapes is visible in some of the steps. In a `strip` the steps stand below each other, so that a
page can show one of them at a time; an `animated` SVG shows one after the other by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from ..picture import svg
from ..picture.page import Sheet
from ..picture.shapes import (
    BOXES,
    DETAILS,
    EDGES,
    FRAMES,
    HEADS,
    PANELS,
    PLATES,
    STREAMS,
    TEXTS,
    Rect,
    Shape,
)
from ..theme import Theme

BANDS = {FRAMES: 0, STREAMS: 0, EDGES: 1, HEADS: 1, BOXES: 2, PANELS: 3, DETAILS: 3, PLATES: 4, TEXTS: 5}
"""The layers, some of them merged: there a shape of one step may cover a shape of another."""


class TimedShapes(NamedTuple):
    """Shapes of one layer, and the steps in which they are visible, counted from 0."""

    steps: tuple[int, ...]
    shapes: tuple[Shape, ...]


class Reel:
    """The shapes of all sheets of a film, which are of one size, from the bottom to the top."""

    def __init__(self, sheets: Sequence[Sheet]) -> None:
        self.width, self.height = round(sheets[0].width), round(sheets[0].height)
        self.count = len(sheets)
        self.groups = list(_groups(sheets))

    def strip(self, theme: Theme, mark: str) -> str:
        """The steps below each other, as a file of its own."""
        looks = svg.Looks()
        drawn = [svg.drawn(group.shapes, looks) for group in self.groups]
        names = [f"{looks.root}_{k}" for k in range(len(self.groups))]
        defined = "".join(f'<g id="{name}">{body}</g>' for name, body in zip(names, drawn))
        steps = "".join(
            f'<g transform="translate(0 {k * self.height})">{self.used(k, names)}</g>'
            for k in range(self.count)
        )
        return self.written(
            f"<style>{svg.style(looks, theme)}</style><defs>{defined}</defs>{steps}",
            looks.root,
            self.height * self.count,
            mark,
        )

    def used(self, k: int, names: Sequence[str]) -> str:
        """The groups that are visible in step k, by their names."""
        visible = [name for name, group in zip(names, self.groups) if k in group.steps]
        return "".join(f'<use href="#{name}"/>' for name in visible)

    def animated(
        self,
        theme: Theme,
        times: Sequence[float],
        mark: str,
        description: str = "",
        *,
        is_alone: bool = False,
    ) -> str:
        """One step after the other, each for its time in seconds; for readers who want no motion the last
        alone. A picture that is always a file of its own is shorter."""
        looks = svg.Looks() if is_alone else svg.Looks(self.groups, theme)
        drawn = [svg.drawn(group.shapes, looks) for group in self.groups]
        kinds = {group.steps: "" for group in self.groups if len(group.steps) < self.count}
        kinds = {steps: f"{looks.root}_{k}" for k, steps in enumerate(kinds)}
        body = "".join(
            f'<g class="{kinds[group.steps]}">{made}</g>' if group.steps in kinds else made
            for group, made in zip(self.groups, drawn)
        )
        rules = f"[class^={looks.root}_]{{animation:{sum(times):g}s step-end infinite}}"
        rules += "".join(self.rule(name, steps, times) for steps, name in kinds.items())
        at_end = ",".join(f".{name}" for steps, name in kinds.items() if self.count - 1 not in steps)
        still = f"{at_end}{{visibility:hidden}}" if at_end else ""
        moving = f"@media not (prefers-reduced-motion:reduce){{{rules}}}"
        style = f"<style>{svg.style(looks, theme)}{still}{moving}</style>"
        return self.written(style + body, looks.root, self.height, mark, description)

    def rule(self, name: str, steps: tuple[int, ...], times: Sequence[float]) -> str:
        """The animation of a group: at which times it appears and disappears."""
        changes = [k for k in range(self.count) if k == 0 or (k in steps) != (k - 1 in steps)]
        frames = [
            f"{100 * sum(times[:k]) / sum(times):.4g}%{{visibility:{'visible' if k in steps else 'hidden'}}}"
            for k in changes
        ]
        return f"@keyframes {name}{{{''.join(frames)}}}.{name}{{animation-name:{name}}}"

    def written(self, inside: str, root: str, height: int, mark: str, description: str = "") -> str:
        """The SVG text around these elements, of the class `root` if there is one."""
        label = f' role="img" aria-label="{escape(description)}"' if description else ""
        label += f' class="{root}"' if root else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" '
            f'viewBox="0 0 {self.width} {height}"{label}>'
            f"<desc>{escape(mark)}</desc>{inside}</svg>"
        )


def evenly(count: int, seconds: float) -> list[float]:
    """The times of as many steps: all the same, but for the last, which is shown twice as long."""
    return [seconds] * (count - 1) + [2 * seconds]


def _groups(sheets: Sequence[Sheet]) -> list[TimedShapes]:
    """The shapes of all sheets by layer and by the steps that they are in, those of most steps first."""
    found: dict[Shape, list[int]] = {}
    for k, sheet in enumerate(sheets):
        for shape in dict.fromkeys(sheet.shapes):
            found.setdefault(shape, []).append(k)
    for shape in _covered(found, len(sheets)):
        found[shape] = list(range(len(sheets)))
    groups: dict[tuple[int, tuple[int, ...]], list[Shape]] = {}
    for shape, steps in found.items():
        groups.setdefault((BANDS[shape.layer], tuple(steps)), []).append(shape)
    ordered = sorted(groups.items(), key=lambda item: (item[0][0], -len(item[0][1]), item[0][1]))
    return [TimedShapes(steps, tuple(shapes)) for (_, steps), shapes in ordered]


def _covered(found: Mapping[Shape, Sequence[int]], count: int) -> Iterator[Shape]:
    """Boxes that may stay in all steps: where one is missing, another box lies on its place and covers it."""
    places: dict[tuple[object, ...], list[Rect]] = {}
    for shape in found:
        if isinstance(shape, Rect) and shape.layer == BOXES and shape.fill:
            places.setdefault((shape.x, shape.y, shape.width, shape.height, shape.radius), []).append(shape)
    for boxes in places.values():
        if len({k for box in boxes for k in found[box]}) == count:
            yield max(boxes, key=lambda box: len(found[box]))
