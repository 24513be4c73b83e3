"""The picture of a live graph: that of `draw` with streams, in which a script finds every number.

The box of a node, a closed box, an edge and its label are groups with an index: ``data-n``, ``data-b``,
``data-e`` and ``data-l``. The text of a number and the cells of an array have ``data-p="data"`` or "grad".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from ..draw.graph.records import ShownGraph
from ..draw.look import Look
from ..draw.picture import svg
from ..draw.picture.compose import Composer
from ..draw.picture.faces import Cell, Face, Mark, Row
from ..draw.picture.layout import laid_out
from ..draw.picture.page import MARGIN
from ..draw.picture.paint import Part, parts
from ..draw.picture.plan import PicturePlan
from ..draw.picture.scene import Scene, State
from ..draw.picture.shapes import PANELS, Point, Rect, Shape, Text
from ..draw.picture.streams import flowing, streaming
from ..draw.theme import SHADES, Theme
from .everything import Edge
from .page import ROLES

WIDE, CELL = "-0.88888", "-0.888"  # as long as a number, and one in an array, may become
STREAM = Mark(("plus",), 13.0, way="backward", label=Row(text="-8.88e-8", ink="ink"))  # the room for a stream
PAGE = 1150.0
DEEPEST = 45  # per cent: the strongest tint of a cell
NAMES: dict[str, Any] = {role: f"var(--{role.replace('_', '-')})" for role in ROLES}
VARIABLES = Theme(**NAMES)
"""A theme whose colours are the variables of the page, which has them for light and for dark."""


@dataclass(frozen=True)
class Pictures:
    """A graph at several levels as SVG, with one style sheet, and what a script needs to draw streams anew:
    for each edge its level, its key there, and its points."""

    svgs: Sequence[str]
    style: str
    edges: Sequence[tuple[int, Edge, Sequence[Point]]]


def pictures(graphs: Sequence[ShownGraph], shown: int, description: str, within: str) -> Pictures:
    """The pictures of a graph at several levels, with room for any numbers. All but one of them are hidden.

    `within` is the selector of the element in which their styles apply. Raises RuntimeError if the graph is
    too large to be laid out without Graphviz.
    """
    looks = svg.Looks()
    edges: list[tuple[int, Edge, Sequence[Point]]] = []
    svgs = []
    for level, graph in enumerate(graphs):
        composer = Composer(graph, Look(flow=True))
        scene, state = composer.scene(), composer.state()
        state = streaming(graph, scene, replace(state, faces=_each(state, _with_columns)))
        plan = _plan(scene, state)
        keys: list[Any] = [edge.key for edge in scene.edges if edge.key in plan.edges]
        groups: dict[Hashable, str] = {f"n{node.index}": f'n="{node.index}"' for node in graph.nodes}
        groups |= {f"n{piece.index}": f'b="{piece.index}"' for piece in graph.pieces}
        groups |= {key: f'="{len(edges) + place}"' for place, key in enumerate(keys)}
        edges += [(level, key, plan.edges[key]) for key in keys]
        body = "".join(_group(part, groups, looks) for part in _from_below(parts(scene, plan, state)))
        width, height = round(plan.width + 2 * MARGIN), round(plan.height + 2 * MARGIN)
        svgs.append(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-MARGIN:g} {-MARGIN:g} {width} {height}" '
            f'width="{width}" height="{height}" role="group" aria-label="{escape(description)}"'
            f"{' hidden' * (level != shown)}>{body}</svg>"
        )
    return Pictures(svgs, svg.style(looks, VARIABLES, within), edges)


def _plan(scene: Scene, state: State) -> PicturePlan:
    """The places of all: each box as wide as its numbers may become, and room for wide streams."""
    wide = replace(
        state,
        faces=_each(state, _widened),
        marks={edge.key: STREAM for edge in scene.edges},
    )
    plan = laid_out(scene, [state, wide], PAGE)
    if plan is None:
        raise RuntimeError("so large a graph cannot be laid out without Graphviz")
    return flowing(plan, scene, wide)


def _each(state: State, change: Callable[[Row], Row]) -> dict[str, Face]:
    return {key: replace(face, rows=tuple(map(change, face.rows))) for key, face in state.faces.items()}


def _with_columns(row: Row) -> Row:
    """A row whose cells keep their greatest width. The map of a large array has no notes, which would not
    change."""
    if row.cells and not row.has_numbers:
        return replace(row, notes=())
    return replace(row, widths=tuple(_widened(row).columns)) if row.cells else row


def _widened(row: Row) -> Row:
    """A row with numbers as long as they may become."""
    if row.cells and not row.has_numbers:
        return row
    if row.cells:
        return replace(row, cells=tuple(tuple(Cell(CELL, cell.shade) for cell in line) for line in row.cells))
    return replace(row, text=WIDE) if row.label in ("data", "grad") else row


def _from_below(all_parts: Iterable[Part]) -> list[Part]:
    """The parts in the order in which they are painted: labels lie on boxes' edges and on streams."""
    return sorted(all_parts, key=lambda part: ("frame", "edge", "box", "label").index(part.kind))


def _group(part: Part, groups: dict[Hashable, str], looks: svg.Looks) -> str:
    """A part as a group with its index; a frame and the box of a constant have none."""
    shapes = sorted(part.shapes, key=lambda shape: shape.layer)
    maps = [shape for shape in shapes if shape.layer == PANELS]
    inside = "".join(_element(shape, looks) for shape in shapes if not _is_square(shape))
    inside += "".join(_map(panel, filter(_is_square, shapes)) for panel in maps)
    index = groups.get(part.key) if part.kind != "frame" else None
    if index is None:
        return inside
    return f"<g data-{part.kind[0] if part.kind != 'box' else ''}{index}>{inside}</g>"


def _element(shape: Shape, looks: svg.Looks) -> str:
    """A shape. The colour of a cell is its own, since a script changes it."""
    if isinstance(shape, Rect) and shape.shows:
        tint = _tint(int(shape.fill.removeprefix("tint")))
        shape = shape._replace(fill="cell")
        return svg.element(shape, looks, f' data-p="{shape.shows}" style="fill:{tint}"')
    shows = f' data-p="{shape.shows}"' if isinstance(shape, Text) and shape.shows else ""
    return svg.element(shape, looks, shows)


def _is_square(shape: Shape) -> bool:
    """Whether a shape is a cell of a large array, or several in a row."""
    return isinstance(shape, Rect) and shape.fill.startswith("shade")


def _map(panel: Shape, squares: Iterable[Shape]) -> str:
    """The squares of a large array that lie in its panel, those of one colour as one path: a group in whose
    place a script draws its own."""
    assert isinstance(panel, Rect)
    paths: dict[int, str] = {}
    for square in squares:
        if isinstance(square, Rect) and 0 <= square.y - panel.y < panel.height:
            shade = int(square.fill.removeprefix("shade"))
            way = f"M{square.x:g} {square.y:g}h{square.width:g}v{square.height:g}h{-square.width:g}z"
            paths[shade] = paths.get(shade, "") + way
    inside = "".join(f'<path style="fill:{_tint(k, 100)}" d="{way}"/>' for k, way in sorted(paths.items()))
    return f'<g data-m="{panel.x:g} {panel.y:g}">{inside}</g>'


def _tint(shade: int, deepest: int = DEEPEST) -> str:
    """The colour of a cell of this shade, on whatever page."""
    if abs(shade) > SHADES:
        return "var(--wrong)"
    sign, part = "plus" if shade > 0 else "minus", abs(shade) / SHADES
    return f"color-mix(in srgb,var(--{sign}) {part * deepest:.0f}%,var(--cell))"
