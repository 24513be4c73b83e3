"""Folding: which nodes of a large graph are shown singly, and which stand together as one.

Two things fold. Boxes, which the caller named with `scope`, each shown open or as one node; equal boxes side
by side (sixteen neurons) are shown once, with "x16". And where the calculation went round in a loop, the
first round is shown and the others stand as one node. Everything here works on the places of nodes in a
`Walk`; the Tensors are asked only for their operation, shape and group.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import as_text
from .loops import rounds
from .records import WHOLE, WHOLE_BOXED, WINDOW, Box, Graph, Piece, Walk, is_backward

LEAST = 4  # rounds of a loop, or equal boxes one behind the other: fewer are read more easily one by one
LARGEST = 400_000  # nodes: in a larger graph it takes too long to look for what repeats


@dataclass(slots=True)
class View:
    """What is shown: nodes kept singly, pieces by index, and for each node the index of what shows it."""

    kept: list[int]
    item: list[int]
    pieces: dict[int, Piece]
    boxes: tuple[Box, ...]
    box: dict[int, int]
    more: str
    told: list[int] = field(default_factory=list)  # hidden nodes that what is shown is made from

    @property
    def size(self) -> int:
        """How many nodes and pieces are shown."""
        return len(self.kept) + len(self.pieces)


@dataclass(slots=True, eq=False)
class Part:
    """A box while it is looked at: its own nodes and the parts in it. `copies` are those just like it."""

    name: str
    parent: Part | None
    level: int = 0
    nodes: list[int] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    copies: list[Part] = field(default_factory=list)

    def everything(self) -> list[int]:
        """Its nodes and those of the parts in it, in the graph's order."""
        found, stack = list(self.nodes), list(self.parts)
        while stack:
            part = stack.pop()
            found += part.nodes
            stack += part.parts
        return sorted(found)


def fold(
    found: Walk,
    find_names: Callable[[Sequence[object]], Mapping[int, str]],
    *,
    limit: int | None,
    wanted: bool | None,
    depth: int | None,
) -> View | None:
    """How a graph folds; None where it is shown node by node.

    With `wanted` None it folds when it is larger than a page can hold, unless a limit says how many nodes to
    show; True folds what is equal in any graph, False nothing but the boxes that lie deeper than `depth`.
    """
    view = _view(found, find_names, limit, wanted, depth)
    if view is not None:
        used = {j for i in view.kept for j in found.operands(i)}
        for piece in view.pieces.values():
            used.update(piece.operands)
        gives: dict[int, list[int]] = {index: [] for index in view.pieces}
        for j in sorted(used):
            if view.item[j] in gives:
                gives[view.item[j]].append(j)
        for index, made in gives.items():
            view.pieces[index] = replace(view.pieces[index], gives=tuple(made))
        view.told = sorted(j for j in used if view.item[j] != j or j in view.pieces)
    return view


def _view(
    found: Walk,
    find_names: Callable[[Sequence[object]], Mapping[int, str]],
    limit: int | None,
    wanted: bool | None,
    depth: int | None,
) -> View | None:
    total = len(found.order)
    if wanted is None and limit is not None and depth is None:
        wanted = False
    most = WHOLE if limit is None else limit
    if wanted is None and depth is None and total > LARGEST:
        return None
    boxed = _are_boxed(found.order)
    if not boxed and (wanted is False or (wanted is None and total <= most)):
        return None
    cap = WHOLE_BOXED if boxed and limit is None else most
    folder = Folder(found, find_names if boxed else None)
    is_large = wanted is None and total > cap
    if not wanted and not is_large:
        view = folder.view(folder.deepest if depth is None else depth)
        return view if view.size <= most else None
    folder.merge()
    for level in range(folder.deepest, -1, -1) if depth is None else (depth,):
        view = folder.view(level)
        if wanted or view.size > WINDOW:
            view = folder.roll(view)
        if view.size <= WINDOW:
            return view
    # Too little repeats here. If it is not far too much for a page, it is shown; else the last nodes must do.
    return view if wanted or view.size <= (cap if depth is None else most) else None


def apply(view: View, graph: Graph, name: Callable[[int], str]) -> Graph:
    """The graph with the view's pieces and boxes."""
    nodes = tuple(replace(node, box=view.box.get(node.index, -1)) for node in graph.nodes)
    pieces = tuple(
        replace(piece, box=view.box.get(index, -1)) for index, piece in sorted(view.pieces.items())
    )
    inside = {i: (view.item[i], name(i)) for i in view.told}
    return replace(graph, nodes=nodes, pieces=pieces, boxes=view.boxes, inside=inside, more=view.more)


class Folder:
    """The parts of one graph, merged where they are equal, and the views that can be had of it."""

    def __init__(self, found: Walk, find_names: Callable[[Sequence[object]], Mapping[int, str]] | None):
        self.found = found
        self.total = len(found.order)
        self.operands = [found.operands(i) for i in range(self.total)]
        self.same = list(range(self.total))  # the node each one is shown as where parts are equal
        self.labels = _labels(found)
        self.parts: list[Part] = []
        self.part: list[Part | None] = [None] * self.total
        self.deepest = 0
        self.loose: list[int] = []
        self.last: set[int] = set()  # parts with the last node in them, which is always shown
        if find_names is not None:
            self._find_parts(find_names)

    def _find_parts(self, find_names: Callable[[Sequence[object]], Mapping[int, str]]) -> None:
        known: dict[int, Part | None] = {}

        def part_of(group: Any) -> Part | None:
            if group is None:
                return None
            if id(group) not in known:
                around = part_of(group.parent)
                if not group.name:
                    known[id(group)] = around
                else:
                    part = Part(group.name, around, around.level + 1 if around else 1)
                    self.deepest = max(self.deepest, part.level)
                    (around.parts if around else self.parts).append(part)
                    known[id(group)] = part
            return known[id(group)]

        for i, node in enumerate(self.found.order):
            part = part_of(getattr(node, "_group", None))
            if part is not None:
                self.part[i] = part
                part.nodes.append(i)
        names = find_names(self.found.order)
        # A leaf with a variable of its own stays outside; W[2] and net.b go to where they are used.
        self.loose = [
            i
            for i, node in enumerate(self.found.order)
            if not self.found.creators[i] and self.part[i] is None and not _is_plain(names.get(id(node), "."))
        ]
        for part in _path(self.part[-1]):
            self.last.add(id(part))

    def merge(self) -> None:
        """Let each part stand for those that are just like it and lie in the same part."""
        self.parts = self._merged(self.parts)

    def shown_as(self, i: int) -> int:
        """The node that stands for this one: itself, or the one like it in the first of equal parts."""
        while self.same[i] != i:
            i = self.same[i]
        return i

    def settle(self) -> None:
        """Put each loose leaf into the innermost part in which all its users are."""
        loose, self.loose = self.loose, []
        users: dict[int, list[tuple[int, int]]] = {j: [] for j in loose}
        for i, operands in enumerate(self.operands):
            for place, j in enumerate(operands):
                if j in users:
                    users[j].append((self.shown_as(i), place))
        for j, uses in users.items():
            paths = [_path(self.part[i]) for i, _ in uses]
            for level in zip(*paths):
                if any(part is not level[0] for part in level):
                    break
                self.part[j] = level[0]
            like = {self.operands[i][place] for i, place in uses}
            if len(like) == 1:  # the leaf of an equal part is shown as the leaf of the first one
                self.same[j] = like.pop()

    def _merged(self, parts: list[Part]) -> list[Part]:
        kinds: dict[Any, list[Part]] = {}
        for part in parts:
            kind = id(part) if id(part) in self.last else self._signature(part)
            kinds.setdefault(kind, []).append(part)
        left = set(map(id, parts))
        for equal in kinds.values():
            if len(equal) < (LEAST if self._are_in_line(equal) else 2):
                continue
            first, *others = equal
            nodes = first.everything()
            for other in others:
                left.discard(id(other))
                for i, j in zip(nodes, other.everything()):
                    self.same[j] = i
            first.copies = others
        stay = [part for part in parts if id(part) in left]
        for part in stay:
            part.parts = self._merged(part.parts)
        return stay

    def _signature(self, part: Part) -> Any:
        """Equal for parts that do the same: operations, shapes, wires inside, and names but for numbers."""
        nodes = part.everything()
        at = {i: k for k, i in enumerate(nodes)}
        inner = tuple(_stem(p.name) for i in nodes for p in _path(self.part[i])[part.level :])
        wires = tuple((self.labels[i], *(at.get(j, -1) for j in self.operands[i])) for i in nodes)
        return _stem(part.name), inner, wires

    def _are_in_line(self, parts: list[Part]) -> bool:
        """Whether one of these takes what another has made, as the layers of a network do."""
        inside = {i: k for k, part in enumerate(parts) for i in part.everything()}
        return any(
            inside[j] != k
            for i, k in inside.items()
            for j in self.operands[i]
            if j in inside and self.operands[j]
        )

    def view(self, depth: int) -> View:
        """What is shown when parts are open down to a depth: 0 folds all of them."""
        self.settle()
        boxes: list[Box] = []
        box_of: dict[int, int] = {}  # of an open part
        members: dict[int, list[int]] = {}
        folded: dict[int, Part] = {}
        kept, box = [], {}
        item = [-1] * self.total

        def box_index(part: Part | None) -> int:
            if part is None:
                return -1
            if id(part) not in box_of:
                parent = box_index(part.parent)
                boxes.append(Box(_name(part), 1 + len(part.copies), parent))
                box_of[id(part)] = len(boxes) - 1
            return box_of[id(part)]

        for i in range(self.total):
            shown = self.shown_as(i)
            path = _path(self.part[shown])
            if len(path) > depth and i != self.total - 1:
                members.setdefault(id(path[depth]), []).append(i)
                folded[id(path[depth])] = path[depth]
            elif shown == i:
                kept.append(i)
                item[i] = i
                around = path[: depth + 1]  # the last node is shown in its box also where that is folded
                box[i] = box_index(around[-1] if around else None)
            else:
                item[i] = shown
        pieces = {}
        for key, inside in members.items():
            part = folded[key]
            index = max(i for i in inside if self.shown_as(i) == i)
            times = 1 + len(part.copies)
            pieces[index] = self._piece(index, _name(part), inside, times)
            box[index] = box_index(part if key in self.last else part.parent)
            for i in inside:
                item[i] = index
        more = f"depth={depth + 1} opens more" if pieces else ""
        return View(kept, item, pieces, tuple(boxes), box, more)

    def roll(self, view: View) -> View:
        """The view with loops rolled up: of each its first round, and one piece for the others."""
        items = sorted({*view.kept, *view.pieces})
        at = {index: k for k, index in enumerate(items)}
        operands: list[list[int]] = []
        for index in items:
            piece = view.pieces.get(index)
            mapped = (view.item[j] for j in (piece.operands if piece else self.operands[index]))
            operands.append(
                [at[j] for j in dict.fromkeys(mapped) if j != index] if piece else [at[j] for j in mapped]
            )
        labels = [
            ("piece", _stem(view.pieces[i].name), view.box.get(i, -1))
            if i in view.pieces
            else (self.labels[i], view.box.get(i, -1))
            for i in items
        ]
        number: dict[Any, int] = {}
        ids = [number.setdefault(label, len(number)) for label in labels]
        runs = rounds(ids, operands, least=LEAST)
        if not runs:
            return view
        swallowed: dict[int, int] = {}
        pieces = dict(view.pieces)
        inside: dict[int, list[int]] = {}
        box = dict(view.box)
        times = {}
        for start, length, count in runs:
            chosen = items[start + length : start + length * count]
            index = chosen[-1]
            times[index] = count - 1
            for i in chosen:
                swallowed[i] = index
                pieces.pop(i, None)
        item = [swallowed.get(shown, shown) for shown in view.item]
        for i, shown in enumerate(item):
            if shown in times:
                inside.setdefault(shown, []).append(i)
        for index, nodes in inside.items():
            pieces[index] = replace(self._piece(index, "", nodes, times[index]), is_named=False)
        kept = [i for i in view.kept if i not in swallowed]
        return View(
            kept, item, pieces, view.boxes, box, f"limit={2 * WINDOW} shows the last {2 * WINDOW} one by one"
        )

    def _piece(self, index: int, name: str, inside: list[int], times: int) -> Piece:
        order, here = self.found.order, set(inside)
        leaves = [i for i in inside if not self.found.creators[i]]
        wanted = [i for i in leaves if getattr(order[i], "requires_grad", True) is not False]
        shapes = Counter(_shape(order[i]) for i in wanted)
        kinds = Counter(self.labels[i][0] for i in inside if self.found.creators[i])
        return Piece(
            index=index,
            name=name,
            count=len(inside),
            times=times,
            each=len(inside) // times,
            operations=tuple(kinds.most_common()),
            parameters=tuple(str(shape) for shape, n in shapes.items() for _ in range(n)),
            elements=sum(_size(shape) * n for shape, n in shapes.items()),
            operands=tuple(dict.fromkeys(j for i in inside for j in self.operands[i] if j not in here)),
            is_backward=all(is_backward(order[i]) for i in inside),
        )


def _are_boxed(nodes: Sequence[Any]) -> bool:
    """Whether some node was recorded in a named part of the graph."""
    for node in nodes:
        group = getattr(node, "_group", None)
        while group is not None:
            if group.name:
                return True
            group = group.parent
    return False


def _labels(found: Walk) -> list[tuple[str, tuple[int, ...], int]]:
    """Of each node what makes it like another: its operation, its shape, its number of operands."""
    words: dict[int, tuple[object, str]] = {}
    labels = []
    for node, creators in zip(found.order, found.creators):
        operation = as_text.attribute(node, "creation_op") if creators else None
        if id(operation) not in words:
            words[id(operation)] = (operation, as_text.word(operation))
        labels.append((words[id(operation)][1] if creators else "", _shape(node), len(creators)))
    return labels


def _shape(node: Any) -> tuple[int, ...]:
    data = as_text.attribute(node, "data")
    return () if type(data) is float else getattr(data, "shape", ())


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size


def _path(part: Part | None) -> list[Part]:
    path = []
    while part is not None:
        path.append(part)
        part = part.parent
    return path[::-1]


def _stem(name: str) -> str:
    """A name without its numbers: that of `neuron 3` is that of `neuron 4`."""
    return re.sub(r"\d+", "#", name)


def _name(part: Part) -> str:
    last = part.copies[-1].name if part.copies else part.name
    return part.name if last == part.name else f"{part.name} \N{HORIZONTAL ELLIPSIS} {last}"


def _is_plain(name: str) -> bool:
    return "." not in name and "[" not in name
