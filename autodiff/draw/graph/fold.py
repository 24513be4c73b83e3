"""Folding: which nodes of a large graph are shown one by one, and which are shown together as one.

Two things can be folded. Boxes, which the caller named with `scope`, are each shown open or as one node, and
equal boxes side by side (sixteen neurons) are shown once, with "x16". And if the calculation ran in a loop,
its first round is shown, and all others as one node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal

from .caller import Scope
from .loops import rounds
from .opening import names_of, opened_parts
from .parts import LEAST, Parts, ShownPart, are_boxed, operation_names, path_to, shape, without_numbers
from .records import Box, Piece
from .walk import Walk, is_backward

LARGE = 40  # a graph with more nodes is folded, if boxes say how or that hides half of them
WHOLE = 300  # a graph with more nodes is shown whole only on request
WHOLE_BOXED = 100  # the same for a graph with boxes and a depth, which says how to fold it
CLOSED = 16  # boxes are opened as far as leaves no more than this to look at, or until there are two of them
EVERY = 1_000_000  # a depth at which all boxes are open
WINDOW = 60  # nodes shown of a large graph that cannot be folded: as many as can be read on a page
LARGEST = 400_000  # nodes: in a larger graph it takes too long to look for what repeats


@dataclass(slots=True)
class FoldedNodes:
    """Several nodes shown as one: a folded box, or all rounds of a loop but the first, without a name.

    `times` is the number of equal boxes or of rounds; in a chain each takes what another has made. They are
    there again in each of the equal boxes `around` them.
    """

    nodes: list[int]
    times: int
    name: str = ""
    is_chain: bool = False
    around: int = 1


@dataclass(slots=True)
class View:
    """What is shown of a graph: single nodes, and groups by the index of their last node.

    `item` has for each node the index of the node or group that is shown for it. `cut` are nodes that are not
    shown, but are operands of some that are. `box` has the open box around each node and group. `more` says
    how to see more.
    """

    kept: Sequence[int]
    item: Sequence[int]
    cut: Sequence[int] = ()
    groups: dict[int, FoldedNodes] = field(default_factory=dict)
    boxes: tuple[Box, ...] = ()
    box: Mapping[int, int] = field(default_factory=dict)
    more: str = ""

    @property
    def size(self) -> int:
        """How many nodes and groups are shown."""
        return len(self.kept) + len(self.groups)

    def used_inside(self, walk: Walk) -> list[int]:
        """The operands of what is shown that are in a group, or are shown by another node like them."""
        if not self.groups and not self.boxes:
            return []
        used = {j for i in self.kept for j in walk.operands(i)}
        for group in self.groups.values():
            used.update(operands_of(group, walk))
        return sorted(j for j in used if self.item[j] != j or j in self.groups)


def fold(
    walk: Walk,
    scope: Scope,
    *,
    limit: int | None = None,
    wanted: bool | None = None,
    depth: int | None = None,
    names: Literal[True] | tuple[str, ...] | None = None,
) -> View:
    """What is shown of a graph.

    If `wanted` is None, boxes of a large graph are closed, except for those with the `names`, and a graph
    without boxes folds when it is larger than a page can hold or most of it is a loop, unless a limit says
    how many nodes to show. True folds whatever is equal in any graph, and False only boxes deeper than
    `depth`. A graph that does not fold is shown node by node; if it is large, only its last nodes are.
    """
    total = len(walk.order)
    if names is not None and names is not True:
        return _with_open_parts(walk, scope, depth, names)
    if wanted is None and limit is not None and depth is None:
        wanted = False
    if wanted is limit is depth is None and LARGE < total <= LARGEST:
        if are_boxed(walk.order) and not names:
            return _with_open_parts(walk, scope, None, ())
        looped = _folded(walk, scope, None, True, None) if total <= WHOLE else None
        if looped is not None and 2 * looped.size <= total:
            return looped
    depth = EVERY if names and depth is None else depth
    is_too_large = wanted is None and depth is None and total > LARGEST
    view = None if is_too_large else _folded(walk, scope, limit, wanted, depth)
    if view and depth is not None and any(group.name for group in view.groups.values()):
        view.more = f"depth={depth + 1} opens more"
    return view or _last_nodes(walk, limit)


def pieces(view: View, walk: Walk, inside: Sequence[int]) -> tuple[Piece, ...]:
    """The records of a view's groups. `inside` are the nodes in them that are operands of something shown."""
    gives: dict[int, list[int]] = {index: [] for index in view.groups}
    for j in inside:
        if view.item[j] in gives:
            gives[view.item[j]].append(j)
    return tuple(
        _piece(walk, index, view.groups[index], tuple(given), view.box.get(index, -1))
        for index, given in sorted(gives.items())
    )


def _piece(walk: Walk, index: int, group: FoldedNodes, gives: tuple[int, ...], box: int) -> Piece:
    nodes = [walk.order[i] for i in group.nodes]
    leaves = [walk.order[i] for i in group.nodes if not walk.creators[i]]
    shapes = Counter(shape(leaf) for leaf in leaves if getattr(leaf, "requires_grad", True) is not False)
    operations = Counter(operation_names(walk, (i for i in group.nodes if walk.creators[i])))
    return Piece(
        index=index,
        name=group.name,
        count=len(nodes),
        times=group.times,
        each=len(nodes) // group.times // group.around,
        operations=tuple(operations.most_common()),
        parameters=tuple(str(one) for one in shapes.elements()),
        elements=sum(prod(one) * n for one, n in shapes.items()) // group.around,
        operands=operands_of(group, walk),
        gives=gives,
        is_named=bool(group.name),
        is_chain=group.is_chain,
        is_backward=all(map(is_backward, nodes)),
        box=box,
        shapes=tuple(dict.fromkeys(str(shape(walk.order[j])) for j in gives if walk.creators[j])),
    )


def operands_of(group: FoldedNodes, walk: Walk) -> tuple[int, ...]:
    """The nodes outside a group that its nodes are made from, each once."""
    here, operands = set(group.nodes), walk.operands
    return tuple(dict.fromkeys([j for i in group.nodes for j in operands(i) if j not in here]))


def _last_nodes(walk: Walk, limit: int | None) -> View:
    """The last nodes, up to the limit; without a limit the whole graph, if it can be read."""
    total = len(walk.order)
    most = limit if limit is not None else WHOLE if total <= WHOLE else WINDOW
    first = max(0, total - most)
    shown = range(first, total)
    cut = sorted({j for i in shown for j in walk.operands(i) if j < first}) if first else []
    return View(shown, range(total), cut)


def _folded(
    walk: Walk, scope: Scope, limit: int | None, wanted: bool | None, depth: int | None
) -> View | None:
    """The first view, from open boxes to closed ones, that is small enough; None if there is none."""
    total = len(walk.order)
    is_boxed = are_boxed(walk.order)
    most = WHOLE if limit is None else limit
    if not is_boxed and (wanted is False or (wanted is None and total <= most)):
        return None
    cap = WHOLE_BOXED if is_boxed and limit is None else most
    parts = Parts(walk, scope if is_boxed else None)
    if not wanted and (wanted is False or total <= cap):
        view = opened(parts, parts.deepest if depth is None else depth)
        return view if view.size <= most else None
    parts.merge()
    for level in range(parts.deepest, -1, -1) if depth is None else (depth,):
        view = opened(parts, level)
        if wanted or view.size > WINDOW:
            view = rolled(view, parts)
        if view.size <= WINDOW:
            return view
    # Too little repeats. The view is shown if it is not far too large; otherwise only the last nodes are.
    return view if wanted or view.size <= (cap if depth is None else most) else None


def _with_open_parts(walk: Walk, scope: Scope, depth: int | None, names: tuple[str, ...]) -> View:
    """The view with some parts open and the others closed, or open down to a depth. Without one the outer
    parts are opened as far as leaves few things to look at."""
    parts = Parts(walk, scope)
    chosen = opened_parts(names, parts)
    parts.merge(chosen)
    levels = range(parts.deepest + 1) if depth is None else (depth,)
    best = None
    for level in levels:
        view = opened(parts, level)
        looped = rolled(view, parts)
        view = looped if view.size > CLOSED or 2 * len(looped.kept) <= len(view.kept) else view
        if best is not None and view.size > (CLOSED if len(best[1].groups) > 1 else WINDOW):
            break
        best = level, view
    assert best is not None
    level, view = best
    if chosen:
        view = opened(parts, level, chosen)
        view = rolled(view, parts) if view.size > 2 * CLOSED else view
    return view if view.size <= WHOLE else _last_nodes(walk, None)


def opened(parts: Parts, depth: int, chosen: Container[int] = ()) -> View:
    """The view with parts open down to a depth, and those that are chosen by `id`; 0 folds all others."""
    parts.settle()
    boxes = Boxes()
    members: dict[int, list[int]] = {}
    folded: dict[int, ShownPart] = {}
    kept: list[int] = []
    box: dict[int, int] = {}
    item = [-1] * parts.total
    for i in range(parts.total):
        shown = item[i] = parts.shown_as(i)
        path = path_to(parts.part[shown])
        closed = next((part for part in path if part.level > depth and id(part) not in chosen), None)
        if closed is not None and i != parts.total - 1:
            members.setdefault(id(closed), []).append(i)
            folded[id(closed)] = closed
        elif shown == i:
            kept.append(i)  # the last node is shown in its box even if that is folded
            box[i] = boxes.index(closed or (path[-1] if path else None))
    groups = {}
    for key, nodes in members.items():
        part = folded[key]
        index = max(i for i in nodes if parts.shown_as(i) == i)
        around = prod(1 + len(outer.copies) for outer in path_to(part.parent))
        groups[index] = FoldedNodes(nodes, 1 + len(part.copies), part.title, part.is_chain, around)
        box[index] = boxes.index(part if parts.holds_the_end(part) else part.parent)
        for i in nodes:
            item[i] = index
    more = _how_to_open(folded.values())
    return View(kept, item, (), groups, tuple(boxes.found), box, more)


def _how_to_open(folded: Iterable[ShownPart]) -> str:
    """What to write to see what is in the closed parts."""
    names = list(dict.fromkeys(names_of(part)[0] for part in folded))
    return f'open="{names[0]}" opens one, open=True all' if names else ""


class Boxes:
    """The open boxes, in the order in which they are needed."""

    def __init__(self) -> None:
        self.found: list[Box] = []
        self.known: dict[int, int] = {}

    def index(self, part: ShownPart | None) -> int:
        """The index of the box for a part, made when it is first needed; -1 outside all parts."""
        if part is None:
            return -1
        if id(part) not in self.known:
            parent = self.index(part.parent)
            self.found.append(Box(part.title, 1 + len(part.copies), parent))
            self.known[id(part)] = len(self.found) - 1
        return self.known[id(part)]


def rolled(view: View, parts: Parts) -> View:
    """The view with loops rolled up: each shows its first round, and one group for the others."""
    items = sorted({*view.kept, *view.groups})
    wires = _wires(view, items, parts)
    runs = rounds(_kinds(view, items, parts), wires, least=LEAST)
    if not runs:
        return view
    item_of: dict[int, int] = {}
    groups = dict(view.groups)
    times = {}
    chains = set()
    for start, length, count in runs:
        chosen = items[start + length : start + length * count]
        times[chosen[-1]] = count - 1
        if _is_chain(start, length, wires):
            chains.add(chosen[-1])
        for i in chosen:
            item_of[i] = chosen[-1]
            groups.pop(i, None)
    item = [item_of.get(shown, shown) for shown in view.item]
    inside: dict[int, list[int]] = {}
    for i, shown in enumerate(item):
        if shown in times:
            inside.setdefault(shown, []).append(i)
    groups |= {
        index: FoldedNodes(nodes, times[index], is_chain=index in chains) for index, nodes in inside.items()
    }
    kept = [i for i in view.kept if i not in item_of]
    more = view.more or f"limit={2 * WINDOW} shows the last {2 * WINDOW} one by one"
    return View(kept, item, (), groups, view.boxes, view.box, more)


def _is_chain(start: int, length: int, wires: Sequence[Sequence[int]]) -> bool:
    """Whether what a round makes goes on from round to round. A round may begin in the middle of what is made
    for the next one: then what it makes does not reach the fourth."""
    made = {k for k in range(start, start + length) if wires[k]}
    end = start + LEAST * length
    for k in range(start + length, end):
        if not made.isdisjoint(wires[k]):
            made.add(k)
    return any(k in made for k in range(end - length, end))


def _wires(view: View, items: Sequence[int], parts: Parts) -> list[list[int]]:
    """For each item that is shown, the positions of the items that it is made from."""
    position = {index: k for k, index in enumerate(items)}
    wires = []
    for index in items:
        if index in view.groups:
            shown = dict.fromkeys(view.item[j] for j in operands_of(view.groups[index], parts.walk))
            wires.append([position[j] for j in shown if j != index])
        else:
            wires.append([position[view.item[j]] for j in parts.operands[index]])
    return wires


def _kinds(view: View, items: Sequence[int], parts: Parts) -> list[int]:
    """For each item that is shown a number, the same for items of the same kind in the same box."""
    numbers: dict[Any, int] = {}
    kinds = []
    for i in items:
        group = view.groups.get(i)
        kind = ("group", without_numbers(group.name)) if group else parts.labels[i]
        kinds.append(numbers.setdefault((kind, view.box.get(i, -1)), len(numbers)))
    return kinds
