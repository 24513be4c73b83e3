"""What a picture consists of, before it has places: boxes, edges and frames, and the states it is shown
in."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from .faces import Face, Mark


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow from one box to another, by their keys. `key` tells it apart from all others.

    The heavier an edge is, the straighter and shorter it becomes; a `loose` edge does not affect where its
    ends lie, and a `beside` edge puts its tail into the rank of its head.
    """

    key: Hashable
    tail: str
    head: str
    weight: int = 1
    is_loose: bool = False
    is_beside: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame with a title around some boxes, and the index of the frame around it (-1: none)."""

    title: str
    parent: int = -1
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """Boxes by key with the index of the frame each lies in (-1: none), in the order of the graph; edges, and
    frames. `direction` is LR or TB, and `apart` are pixels between ranks beyond the usual."""

    boxes: Mapping[str, int]
    edges: tuple[Edge, ...]
    frames: tuple[Frame, ...] = ()
    direction: str = "LR"
    apart: float = 0.0


@dataclass(frozen=True, slots=True)
class State:
    """What a scene shows at one moment: a face for each box, and a mark for each edge that is not plain.

    `title` stands above the picture, and `caption` below it, line by line with the role of its colour. The
    `table` has rows below that: the texts of the columns, and the role of their colour. `legend` are patches
    of colour with what they mean; `scales` say what the deepest shade of a cell without a number stands for,
    by what the cells show.
    """

    faces: Mapping[str, Face]
    marks: Mapping[Hashable, Mark] = field(default_factory=dict)
    title: str = ""
    caption: tuple[tuple[str, str], ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    scales: tuple[tuple[str, float], ...] = ()
    table: tuple[tuple[tuple[str, ...], str], ...] = ()


PLAIN = Mark()
