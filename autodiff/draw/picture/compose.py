"""From the records of a graph to a scene and its state: boxes and edges, and what they show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import replace

from ..graph.as_text import NOTHING, Value, shortened
from ..graph.records import BEFORE, Piece, ShownGraph, ShownNode
from ..look import Look
from ..words.equations import slope_text
from ..words.folded import NEXT, age, box_name, caption, piece_facts, piece_title
from . import values
from .faces import Face, Mark, Row
from .scene import Edge, Frame, Scene, State
from .signs import LONGEST, title, typeset
from .streams import APART, streaming

ARROWS = {
    "both": "solid arrows: the calculation; dashed arrows: the way of the gradient",
    "backward": "dashed arrows: the way of the gradient",
}
MAP_WORDS = "a map, without values: the printed table has them, and limit=60 draws the last 60 with theirs"
COARSE = "a cell of a larger array shows the element of its part that is farthest from 0"
FAR = 4  # ranks; a leaf that is used farther away has a small tag there, in place of a long edge
MAP = 100  # a picture of more nodes and pieces is a map: titles alone, without values
DENSE = -10.0  # pixels between the ranks of a map beyond the usual
LANDMARK = 12  # letters of a title on a map
RESULT = "result"  # in the key of an edge from an operation to what it made
BACK = "back"  # in the key of a dashed edge beside another one
LATER = "later"  # in the key of an edge along which later rounds of a part get what they take
LATER_ROUND = "of a later round"
WAY_BACK = Mark(("way_back",), way="backward", is_dashed=True)


class Composer:
    """Composes the scene of one graph and the state that `draw` shows. The keys are as `dot` says.

    An edge's key is the index of the node it leads to and the place of the operand; in the spread-out style
    the edge from an operation to its result has RESULT in place of the second.
    """

    def __init__(self, graph: ShownGraph, look: Look) -> None:
        self.graph, self.look = graph, look
        self.items = graph.items()
        self.is_map = len(self.items) > MAP
        self.is_spread = look.style == "spread" and not self.is_map
        self.made = {node.index for node in graph.nodes if node.operation}
        self.parameters = {
            node.index
            for node in graph.nodes
            if not node.operation and not node.is_quiet and node.data.is_array
        }
        self.quiet = {node.index for node in graph.nodes if node.is_quiet}
        self.box_of = {item.index: item.box for item in self.items}
        self.oddness = {node.index: node.data.oddness for node in graph.nodes}
        self.uses = Counter(o for item in self.items for o in item.operands if isinstance(o, int))
        self.tagged = self.far_uses() if look.direction == "LR" else set()
        self.scales = {
            "data": values.largest(node.data for node in graph.nodes),
            "grad": values.largest(node.grad for node in graph.nodes),
        }

    def scene(self) -> Scene:
        """The boxes, edges and frames."""
        boxes = {f"n{index}": -1 for index in self.graph.outside}
        edges: list[Edge] = []
        for item in self.items:
            if isinstance(item, Piece):
                boxes[f"n{item.index}"] = item.box
                edges += self.piece_edges(item)
                continue
            for key in self.own_boxes(item):
                boxes[key] = item.box
            edges += self.node_edges(item)
        edges += [] if self.look.flow else self.later_edges()
        frames = tuple(Frame(box_name(box), box.parent, box.times > 1) for box in self.graph.boxes)
        apart = APART if self.look.flow else DENSE if self.is_map else 0.0
        return Scene(boxes, tuple(edges), frames, self.look.direction, apart)

    def own_boxes(self, node: ShownNode) -> list[str]:
        """The keys of a node's box, of its operation's, and of constants with boxes of their own."""
        boxes = []
        for place, operand in enumerate(node.operands):
            is_constant = isinstance(operand, Value) and self.has_constant_box
            if is_constant or (node.index, place) in self.tagged:
                boxes.append(f"c{node.index}_{place}")
        if node.operation is not None and self.is_spread:
            boxes.append(f"o{node.index}")
        return [*boxes, f"n{node.index}"]

    def far_uses(self) -> set[tuple[int, int]]:
        """The uses of leaves many ranks away, as pairs of a node and the place of its operand."""
        rank: dict[int, int] = {}
        for item in self.items:
            operands = [o for o in item.operands if isinstance(o, int)]
            known = [rank[o] for o in map(self.graph.shown_as, operands) if o in rank]
            rank[item.index] = max(known, default=-1) + 1
        leaves = {node.index for node in self.graph.nodes if node.operation is None}
        uses = [
            (operand, rank[node.index], place, node.index)
            for node in self.graph.nodes
            for place, operand in enumerate(node.operands)
            if isinstance(operand, int) and operand in leaves
        ]
        first: dict[int, int] = {}
        for leaf, at, _, _ in uses:
            first[leaf] = min(first.get(leaf, at), at)  # a leaf is placed right before its first user
        return {(i, place) for leaf, at, place, i in uses if at - first[leaf] >= FAR}

    def is_side_operand(self, node: ShownNode, place: int, operand: int) -> bool:
        """Whether a leaf comes in from the side, so that the main line goes straight on: an array of
        parameters that is used once, or a tag."""
        others = [o for o in node.operands if isinstance(o, int) and o != operand]
        outside = {o for o in others if self.box_of.get(o, node.box) != node.box}
        has_main_line = any(o in self.made or o in self.quiet or o in outside for o in others)
        is_weight = operand in self.parameters and self.uses[operand] == 1
        return has_main_line and (is_weight or (node.index, place) in self.tagged)

    def tag_face(self, leaf: int) -> Face:
        """A leaf at a place where it is used, far away from its box: its name, or the number that it
        holds."""
        node = next(node for node in self.graph.nodes if node.index == leaf)
        return Face(shortened(self.leaf_words(node), LONGEST), kind=self.kind(node), shape="word")

    def leaf_words(self, node: ShownNode) -> str:
        """A leaf in a few words: its name, or the number or shape of what it holds."""
        return node.name if node.is_named else values.row("", node.data, 0.0).text or node.data.shape

    @property
    def has_constant_box(self) -> bool:
        """Whether constants stand beside the operation, and not inside it."""
        return self.look.constants == "shown" or (self.is_spread and self.look.constants == "quiet")

    def node_edges(self, node: ShownNode) -> Iterator[Edge]:
        """The edges into a node's operation, and in the spread-out style from there to the node."""
        if node.operation is None:
            return
        i = node.index
        head = f"o{i}" if self.is_spread else f"n{i}"
        has_both = self.look.arrows == "both" and not node.is_quiet
        for place, operand in enumerate(node.operands):
            if isinstance(operand, int):
                tail = f"n{self.graph.shown_as(operand)}"
                tail = f"c{i}_{place}" if (i, place) in self.tagged else tail
                is_made = operand in self.made and len(node.operands) > 1
                is_beside = not self.is_spread and self.is_side_operand(node, place, operand)
                yield Edge((i, place), tail, head, 2 if is_made else 1, is_beside=is_beside)
                if has_both and operand not in self.quiet:
                    yield Edge((i, place, BACK), tail, head, 0, is_loose=True)
            elif self.has_constant_box:
                yield Edge((i, place), f"c{i}_{place}", head)
        if self.is_spread:
            yield Edge((i, RESULT), head, f"n{i}", 3)
            if has_both:
                yield Edge((i, RESULT, BACK), head, f"n{i}", 0, is_loose=True)

    def piece_edges(self, piece: Piece) -> Iterator[Edge]:
        """The edges into a piece, one from each of its operands that is shown."""
        for place, operand in enumerate(dict.fromkeys(map(self.graph.shown_as, piece.operands))):
            if operand != piece.index:  # one of several equal parts may take what another has made
                yield Edge((piece.index, place), f"n{operand}", f"n{piece.index}")
                if self.look.arrows == "both":
                    yield Edge((piece.index, place, BACK), f"n{operand}", f"n{piece.index}", 0, is_loose=True)

    def later_edges(self) -> Iterator[Edge]:
        """The edges to what repeats from its own last round, and from what only later rounds take."""
        for place, one in enumerate(self.graph.returns):
            tail, head = f"n{one.operand}", f"o{one.node}" if self.is_spread else f"n{one.node}"
            yield Edge((one.node, LATER, place), tail, head, 0, is_loose=one.is_loop)
        for piece in self.graph.pieces:
            if piece.is_chain:
                yield Edge((piece.index, LATER), f"n{piece.index}", f"n{piece.index}", 0, is_loose=True)

    def later_marks(self) -> Iterator[tuple[Hashable, Mark]]:
        """The marks of these edges; a loop says what it is."""
        loop = Mark(("fold_line",), label=Row(text=NEXT, ink="soft"))
        for place, one in enumerate(self.graph.returns):
            yield (one.node, LATER, place), loop if one.is_loop else Mark()
        for piece in self.graph.pieces:
            if piece.is_chain:
                yield (piece.index, LATER), loop

    def state(self) -> State:
        """What the picture of `draw` shows."""
        faces = {
            f"n{index}": Face(f"\N{HORIZONTAL ELLIPSIS} {self.graph.name(index)}", shape="bare", ink="page")
            for index in self.graph.outside
        }
        marks: dict[Hashable, Mark] = {}
        for item in self.items:
            if isinstance(item, Piece):
                faces[f"n{item.index}"] = self.piece_face(item)
                marks |= self.piece_marks(item)
            else:
                faces |= self.faces(item)
                marks |= self.marks(item)
        marks |= self.later_marks()
        notes = [
            caption(self.graph),
            MAP_WORDS if self.is_map else "",
            age(self.graph),
            ARROWS.get(self.look.arrows, ""),
            COARSE if self.has_coarse_cells() else "",
        ]
        legend: tuple[tuple[str, str], ...] = ()
        if any(item.is_backward for item in self.items):
            legend = (("made", "recorded by the calculation"), ("backward", "recorded by the backward pass"))
        shaded = {
            row.label
            for face in faces.values()
            for row in face.rows
            if row.cells and not row.has_numbers and self.scales.get(row.label)
        }
        return State(
            faces,
            marks,
            self.look.title,
            tuple((note, "page") for note in notes if note),
            legend,
            tuple((part, scale) for part, scale in self.scales.items() if part in shaded),
        )

    def has_coarse_cells(self) -> bool:
        """Whether a cell without a number stands for several elements of an array."""
        parts = {"data", "grad"}.intersection(self.look.show)
        return not self.is_map and any(
            getattr(node, part).is_coarse for node in self.graph.nodes for part in parts
        )

    def faces(self, node: ShownNode) -> dict[str, Face]:
        """The faces of a node's box, of its operation, and of constants beside it, by their keys."""
        faces = {}
        for place, operand in enumerate(node.operands):
            if isinstance(operand, Value) and self.has_constant_box:
                faces[f"c{node.index}_{place}"] = self.constant_face(operand)
            elif isinstance(operand, int) and (node.index, place) in self.tagged:
                faces[f"c{node.index}_{place}"] = self.tag_face(operand)
        if node.operation is not None and self.is_spread:
            faces[f"o{node.index}"] = self.operation_face(node)
        return faces | {f"n{node.index}": self.face(node)}

    def face(self, node: ShownNode) -> Face:
        """The box of a Tensor: its name and operation, and as much of what it holds as is wanted."""
        is_given = node.is_quiet and node.operation is None
        name = title(node, self.graph, has_constants=self.look.constants != "hidden")
        if self.is_spread:
            name = node.name if node.is_named else ""
        if self.is_map:
            name = self.landmark(node)
        outline, weight = ("lit", 2.6) if node.index in self.graph.highlighted else ("", 1.0)
        kind = self.kind(node)
        if self.is_born_odd(node):
            kind = "wrong"
        return Face(
            name,
            () if self.is_map else self.rows(node),
            kind=kind,
            shape="circle" if self.is_map and len(name) == 1 else "word" if self.is_map else "box",
            outline=outline,
            weight=weight,
            ink="soft" if is_given else "ink",
        )

    def landmark(self, node: ShownNode) -> str:
        """What a map shows of a node: the name of a variable, else of what is made the operation alone."""
        if node.operation is None or (node.is_named and node.name.isidentifier()):
            return shortened(self.leaf_words(node), LANDMARK)
        return shortened(node.part or typeset(node.sign, node.operation), LANDMARK)

    def kind(self, node: ShownNode) -> str:
        """The kind of a node's box, by which it is coloured."""
        if node.is_backward:
            return "backward"
        if node.operation is not None:
            return "made"
        return "quiet" if node.is_quiet else "leaf"

    def is_born_odd(self, node: ShownNode) -> bool:
        """Whether nan or infinity first appeared in this node: no operand has anything as bad."""
        if node.operation is None:
            return False
        before = [
            operand.oddness if isinstance(operand, Value) else self.oddness.get(operand, 0)
            for operand in node.operands
        ]
        return node.data.oddness > max(before, default=0)

    def rows(self, node: ShownNode) -> tuple[Row, ...]:
        """The rows of a Tensor's box, in the order of the options; without a gradient it has no row for
        it."""
        show, rows = self.look.show, []
        is_given = node.is_quiet and node.operation is None
        ink = "soft" if is_given or node.age == BEFORE else "ink"
        for part in show:
            if part == "data":
                rows.append(self.value_row(part, node.data, ink))
            elif part == "grad" and node.grad.line != NOTHING.line:
                rows.append(self.value_row(part, node.grad, "gradient"))
            elif part == "shape":
                rows.append(Row(part, node.data.shape, ink))
            elif part == "dtype":
                rows.append(Row(part, node.data.dtype, ink))
            elif "data" not in show and node.data.statistics:
                rows.append(Row(notes=(node.data.statistics,)))
        return (*rows, Row(notes=(node.age,))) if node.age else tuple(rows)

    def value_row(self, part: str, value: Value, ink: str) -> Row:
        """The row of a value, with statistics below if they are wanted or the numbers are not shown."""
        made = values.row(part, value, self.scales[part], ink)
        is_shown = value.is_whole and value.numbers
        if not value.statistics or (is_shown and "statistics" not in self.look.show):
            return made
        note = value.statistics if "statistics" in self.look.show else value.statistics.split(", mean")[0]
        return Row(made.label, made.text, made.ink, made.cells, (note,) if value.is_array else ())

    def operation_face(self, node: ShownNode) -> Face:
        """The circle of an operation, or its word in a small box."""
        sign = typeset(node.sign, node.operation)
        shape = "circle" if len(sign) == 1 else "word"
        return Face(sign, kind="operation", shape=shape, ink="operation_ink")

    def constant_face(self, value: Value) -> Face:
        """A constant: text on the page, or a box of its own."""
        made = values.row("", value, self.scales["data"], "soft")
        if self.look.constants == "shown":
            return Face(rows=(Row("constant", made.text, made.ink, made.cells),), kind="quiet")
        return Face(made.text or value.line, shape="bare", ink="page")

    def piece_face(self, piece: Piece) -> Face:
        """Many nodes as one: how many there are, and what is in them."""
        is_lit = piece.index in self.graph.highlighted
        notes = piece_facts(piece)
        if len(piece.shapes) == 1 and piece.shapes != ("()",):
            notes.append(f"gives {piece.shapes[0]}")
        return Face(
            piece_title(piece, self.graph),
            (Row(notes=tuple(notes)),),
            kind="backward" if piece.is_backward else "fold",
            shape="double",
            outline="lit" if is_lit else "",
            weight=2.6 if is_lit else 1.0,
        )

    def marks(self, node: ShownNode) -> dict[Hashable, Mark]:
        """The marks of the edges to a node, by their keys."""
        i = node.index
        marks: dict[Hashable, Mark] = {}
        for place, operand in enumerate(node.operands):
            if not isinstance(operand, int):
                if self.has_constant_box:
                    way = "" if self.look.arrows == "backward" else "forward"
                    marks[i, place] = Mark(weight=0.9, way=way)
                continue
            slope = slope_text(node, place, self.graph, self.look, is_brief=True)
            is_lit = (self.graph.shown_as(operand), i) in self.graph.highlighted_edges
            label = Row(text=slope, ink="gradient") if slope else self.round_label(node, place, operand)
            marks[i, place] = self.mark(is_lit, operand in self.quiet, label)
            marks[i, place, BACK] = WAY_BACK
        if self.is_spread:
            is_lit = any(made == i for _, made in self.graph.highlighted_edges)
            marks[i, RESULT] = self.mark(is_lit, node.is_quiet)
            marks[i, RESULT, BACK] = WAY_BACK
        return marks

    def round_label(self, node: ShownNode, place: int, operand: int) -> Row | None:
        """What an edge says that begins in a loop whose first round is shown, and takes a later one's
        result."""
        shown = self.graph.shown_as(operand)
        is_first = operand == shown or node.operands.index(operand) < place
        loops = {one.operand for one in self.graph.returns if one.is_loop}
        return None if is_first or shown not in loops else Row(text=LATER_ROUND, ink="soft")

    def piece_marks(self, piece: Piece) -> Iterator[tuple[Hashable, Mark]]:
        """The marks of the edges into a piece."""
        for place, operand in enumerate(dict.fromkeys(map(self.graph.shown_as, piece.operands))):
            is_lit = (operand, piece.index) in self.graph.highlighted_edges
            yield (piece.index, place), self.mark(is_lit, False)
            yield (piece.index, place, BACK), WAY_BACK

    def mark(self, is_lit: bool, is_quiet: bool, label: Row | None = None) -> Mark:
        """The look of an edge: plain or highlighted, forward or as the way of the gradient."""
        if is_lit:
            return Mark(("lit",), 2.6, label=label)
        if self.look.arrows == "backward":
            return Mark(way="") if is_quiet else replace(WAY_BACK, label=label)
        return Mark(label=label)


def composed(graph: ShownGraph, look: Look) -> tuple[Scene, State]:
    """The scene of a graph, and what `draw` shows of it."""
    composer = Composer(graph, look)
    scene, state = composer.scene(), composer.state()
    return scene, streaming(graph, scene, state) if look.flow else state
