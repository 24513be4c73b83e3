"""A scene in DOT, Graphviz's language. Graphviz decides only where things are; we paint them ourselves.

Node n7 is the eighth in the graph's order, o7 the operation that made it, and c7_1 its second operand if that
is a constant with a box of its own. One of Graphviz's points is one pixel.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from copy import copy
from html import escape
from math import ceil

from ..theme import Theme
from .faces import BADGE, Face, Mark, widest
from .metrics import FONT
from .scene import PLAIN, Edge, Scene, State

INCH = 72
NEAR, FAR = 14.0, 26.0  # pixels between boxes of one rank, and between ranks
# A picture with more boxes than this is refined for a few rounds only: it might take minutes.
LARGE, REFINED = 60, " nslimit=4"
FRAME_MARGIN = 10
# The left operand of an operation comes in above the right one: 3 - x is not x - 3.
SHAPES = {"circle": "shape=circle ordering=in ", "word": "ordering=in "}


class Rooms:
    """The room that each box, and the label of each edge, needs in every state of a picture."""

    def __init__(self, scene: Scene, states: Sequence[State]) -> None:
        self.boxes = {key: widest([state.faces[key].size for state in states]) for key in scene.boxes}
        self.labels: dict[Hashable, tuple[float, float]] = {}
        for edge in scene.edges:
            room = widest([state.marks.get(edge.key, PLAIN).label_room for state in states])
            if room[0]:
                self.labels[edge.key] = room
        has_badges = any(face.badge for state in states for face in state.faces.values())
        self.near = NEAR + (BADGE if has_badges else 0.0)  # pixels between boxes of one rank
        self.far = FAR + scene.apart  # and between ranks

    def turned(self) -> Rooms:
        """The same with width and height exchanged."""
        turned = copy(self)
        turned.boxes = {key: (height, width) for key, (width, height) in self.boxes.items()}
        turned.labels = {key: (height, width) for key, (width, height) in self.labels.items()}
        return turned


def source(scene: Scene, states: Sequence[State], theme: Theme, rooms: Rooms | None = None) -> str:
    """The DOT text of a scene, with its last state in the labels.

    If the rooms are given it is a text for the layout alone: all sizes are fixed, and there are no words.
    """
    has_words, rooms = rooms is None, rooms or Rooms(scene, states)
    state = states[-1]
    refined = REFINED if len(scene.boxes) > LARGE else ""
    near, far = rooms.near / INCH, rooms.far / INCH
    gaps = f"rankdir={scene.direction} nodesep={near:.3f} ranksep={far:.3f} pad=0{refined}"
    if has_words:
        around = f'{gaps} fontname="{FONT}" label="{_quoted(_around(state))}"'
        node = f'shape=box margin=0 fontname="{FONT}" fontsize=12'
        edges = f'fontname="{FONT}" fontsize=10 arrowsize=0.6'
    else:
        around, node, edges = gaps, 'shape=box fixedsize=true label=""', "arrowhead=none"
    lines = ["digraph autodiff {", f"\tgraph [{around}]", f"\tnode [{node}]", f"\tedge [{edges}]"]
    lines += [
        f"\t{key} [{_box(state.faces[key], rooms.boxes[key], theme if has_words else None)}]"
        for key in scene.boxes
    ]
    for edge in scene.edges:
        mark, room = state.marks.get(edge.key, PLAIN), rooms.labels.get(edge.key)
        look = _edge(edge, mark, room, theme if has_words else None)
        lines.append(f"\t{edge.tail} -> {edge.head}{f' [{look}]' if look else ''}")
    lines += _frames(scene)
    return "\n".join([*lines, "}\n"])


def _box(face: Face, room: tuple[float, float], theme: Theme | None) -> str:
    """The attributes of a box: its size, and with a theme its words and colours."""
    shape = SHAPES.get(face.shape, "")
    size = f"{shape}width={room[0] / INCH:.3f} height={room[1] / INCH:.3f}"
    if theme is None:
        return size
    look = f'label="{_quoted(_face_words(face))}" {size}'
    if face.shape == "bare":
        return f"{look} shape=none"
    look += f' style="filled,rounded" fillcolor="{theme.colour(face.kind)}"'
    look += f' color="{theme.colour(face.outline or f"{face.kind}_line")}"'
    look += " peripheries=2" if face.shape == "double" else ""
    return look + (f" penwidth={face.weight:g}" if face.weight != 1 else "")


def _face_words(face: Face) -> list[str]:
    """What a box says, line by line."""
    lines = [face.title] if face.title else []
    for row in face.rows:
        table = "; ".join(" ".join(cell.text for cell in line) for line in row.cells if row.has_numbers)
        lines.append(" ".join(filter(None, [row.label, row.text, table])))
        lines += row.notes
    return [*lines, face.badge] if face.badge else lines


def _edge(edge: Edge, mark: Mark, room: tuple[float, float] | None, theme: Theme | None) -> str:
    """The attributes of an edge: where it may lie, and with a theme its words and colours."""
    look = [f"weight={edge.weight}"] if edge.weight != 1 else []
    look += ["constraint=false"] if edge.is_loose else ["minlen=0"] if edge.is_beside else []
    if theme is not None:
        if mark.inks != PLAIN.inks:
            look.append(f'color="{":".join(map(theme.colour, mark.inks))}"')
        look += [f"penwidth={mark.weight:g}"] if mark.weight != PLAIN.weight else []
        if mark.label is not None:
            look.append(f'label="{_quoted(_face_words(Face(rows=(mark.label,))))}"')
        look += ["dir=back"] if mark.way == "backward" else ["arrowhead=none"] if not mark.way else []
        look += ["style=dashed"] if mark.is_dashed else []
    elif room is not None:
        look.append(_label_of_size(*room))
    return " ".join(look)


def _label_of_size(width: float, height: float) -> str:
    """A label that takes this much room. In DOT a label has only the size of its text, so this is a text in
    Courier, whose letters are all 0.6 of the font's size wide, and whose lines are 1.2 of it high."""
    height += 4  # so that lines and labels do not touch
    lines = max(1, int(height / 10))  # with letters this large, every engine measures alike
    letters = ceil(2 * lines * width / height)
    size = width / 0.6 / letters
    text = "x" * letters + "\\n" * (lines - 1)
    return f'fontname=Courier fontsize={size:.3f} label="{text}"'


def _frames(scene: Scene) -> Iterator[str]:
    """The frames, each with the keys of the boxes that lie in it and the frames inside it."""
    inside: list[list[str]] = [[] for _ in scene.frames]
    for key, frame in scene.boxes.items():
        if frame >= 0:
            inside[frame].append(key)
    children: Mapping[int, list[int]] = {i: [] for i in range(-1, len(scene.frames))}
    for i, one in enumerate(scene.frames):
        children[one.parent].append(i)

    def written(i: int, indent: str) -> Iterator[str]:
        frame = scene.frames[i]
        style = "rounded,dashed" if frame.is_dashed else "rounded"
        yield f"{indent}subgraph cluster_{i} {{"
        yield (
            f'{indent}\tgraph [label="{_quoted([frame.title])}" labeljust=l labelloc=t fontname="{FONT}" '
            f'fontsize=12 style="{style}" margin={FRAME_MARGIN}]'
        )
        yield f"{indent}\t{' '.join(inside[i])}"
        for child in children[i]:
            yield from written(child, indent + "\t")
        yield f"{indent}}}"

    for i in children[-1]:
        yield from written(i, "\t")


def _around(state: State) -> list[str]:
    """The texts around a picture."""
    means = [meaning for _, meaning in state.legend]
    rows = ["  ".join(filter(None, cells)) for cells, _ in state.table]
    return list(filter(None, [state.title, *(line for line, _ in state.caption), *rows, *means]))


def _quoted(lines: Sequence[str]) -> str:
    """Lines as a text in DOT's quotes."""
    return "\\n".join(escape(line, quote=False).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
