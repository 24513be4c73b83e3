"""What is worked out before a line is written: the order of the steps, what each step reads, until when each
value is read, and in whose memory each value lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..memory_order import Axes
from ..nodes import ELEMENTWISE, LEAVES, VIEWS, ProgramNode, reachable
from .blocks import in_blocks
from .calls import CallWriter, can_write, is_product
from .layout import Layouts
from .lifetimes import Lifetimes, may_be_kept, may_share, whole
from .memory import Buffers

WRITING_PASSES = (
    "buffers", "places", "inplace", "reuse", "recycle", "views", "typed", "wide", "dot", "ones", "totals",
    "blocks",
)  # fmt: skip
"""``buffers``: large values in memory that is made once; ``places``: the parts of a longer array computed in
their places in it; ``inplace``: a result written over a value that is not read again; ``reuse``: one buffer
for several values in turn; ``recycle``: results in arrays that the caller has dropped; ``views``: views of
buffers made once; ``typed``: Python numbers as arrays without axes; ``wide``: numbers in maximum and minimum
as wide arrays; ``dot``: products of matrices by ``dot``; ``ones``: sums over the first axes as products with
ones; ``totals``: totals as dot products; ``blocks``: large elementwise work by blocks of rows."""
INEXACT_PASSES = frozenset(("ones", "totals"))
"""The passes that add up in another order than NumPy, so that the last bits may differ."""
LARGE = 1 << 15  # bytes of a value: from here on new memory costs more than what is computed in it
SMALL = 1 << 10  # bytes of a value: smaller ones always get new memory
MANY = 1 << 18  # bytes: the total of the values between SMALL and LARGE from which on they get buffers too


def nbytes(node: ProgramNode) -> int:
    """The bytes of a value."""
    return node.size * node.dtype.itemsize


def is_large(node: ProgramNode) -> bool:
    """Whether memory counts for a value."""
    return nbytes(node) >= LARGE


class Planned(CallWriter):
    """A program with all that is worked out before it is written.

    Attributes
    ----------
    steps
        The nodes in the order in which they are written, those of a block together.
    reads
        For each node, the nodes that its lines read.
    claimed
        The arrays that are returned as they are computed, each with its result.
    copied
        The places of the other results, which are copied.
    handed
        The values that are passed to functions that may keep a reference to them.
    placed
        For a value that is computed in its place in a longer array: that array, and the index.
    destiny
        For a value that is computed in the memory of a later result, or of an input that gets a new value:
        that result, or that input.
    """

    def __init__(
        self,
        inputs: Sequence[ProgramNode],
        results: Sequence[ProgramNode],
        updated: Sequence[ProgramNode] = (),
        passes: Collection[str] = WRITING_PASSES,
    ) -> None:
        super().__init__(inputs, results)
        self.passes = frozenset(passes)
        self.is_exact = not INEXACT_PASSES & self.passes
        count = len(results) - len(updated)
        self.returned = list(results[:count])
        self.updates = list(zip(updated, results[count:], strict=True))
        self.preamble: list[str] = []  # constants, which all calls share
        self.setup: list[str] = []  # what belongs to one call at a time
        self.buffers = Buffers("reuse" in self.passes)
        self.scratch: dict[object, list[str]] = {}  # free memory for blocks
        self.static: dict[
            ProgramNode, np.ndarray
        ] = {}  # values whose array is made once, each with a stand-in
        self.fresh: set[ProgramNode] = (
            set()
        )  # values in new memory, made at each call, that no result lies in
        self.overwritten: dict[
            ProgramNode, ProgramNode
        ] = {}  # inputs that hold their new value before the end
        self.lent: dict[ProgramNode, int] = {}  # results whose memory holds another value, until this place
        self.made: dict[str, str] = {}
        self.taken |= {"build", "recycled", "rows", "count", "i"}

    @property
    def counts_on_order(self) -> bool:
        """Whether the program keeps every bit only if all inputs lie in memory as they did when it was
        traced. It does if it writes into existing arrays and no pass is inexact."""
        return self.is_exact and bool(self.setup or self.overwritten)

    @property
    def orders_of_inputs(self) -> list[Axes]:
        """The order of the axes of each input."""
        return [*map(self.axes, self.inputs)]

    def axes(self, node: ProgramNode) -> Axes:
        """The order of the axes of a new array for a value."""
        return self.layouts.axes(node)

    # -- what is worked out beforehand ---------------------------------------------------------------------

    def prepare(self) -> None:
        """Find the order of the program, what each line reads, and until when each value is read."""
        nodes = reachable(self.results)
        self.layouts = Layouts(nodes, self.is_exact)
        absorbed = self.find_reads(nodes)
        self.order = self.late_last([n for n in nodes if n.op not in LEAVES and n not in absorbed])
        self.plannable = {node for node in self.order if self.layouts.is_known(node)}
        self.users: dict[ProgramNode, list[ProgramNode]] = {node: [] for node in nodes}
        for node in self.order:
            for arg in self.reads[node]:
                self.users[arg].append(node)
        self.steps = [[node] for node in self.order]
        if {"blocks", "buffers"} <= self.passes and any(map(is_large, self.order)):
            self.steps = in_blocks(self)
        self.lifetimes = Lifetimes(self.steps, self.reads, self.results)
        calls = [place for place, step in enumerate(self.steps) for node in step if node.op == "call"]
        self.last_call = max(calls, default=-1)
        kept = [arg for node in self.order for arg in may_be_kept(node)]
        self.handed = {owner for arg in kept for owner in self.lifetimes.of(arg)}
        self.claim_results()
        small = sum(nbytes(node) for node in self.order if SMALL <= nbytes(node) < LARGE)
        self.limit = SMALL if small >= MANY else LARGE
        self.find_places()
        self.find_destinies()
        self.find_starts()

    def late_last(self, nodes: Sequence[ProgramNode]) -> list[ProgramNode]:
        """The nodes in the order in which they are written. Results that are computed from inputs alone come
        last; other values use their memory before. If inputs are overwritten, the order stays as it is."""
        read = {arg for node in nodes for arg in self.reads[node]}
        late = {
            node
            for node in nodes
            if node.op not in VIEWS and node in self.returned and node not in read
            if not self.updates and all(shown(arg).op in LEAVES for arg in node.args)
        }
        return [node for node in nodes if node not in late] + [node for node in nodes if node in late]

    def find_reads(self, nodes: Sequence[ProgramNode]) -> set[ProgramNode]:
        """Find what the line of each node reads. Returns the products that have no line, since their total is
        one dot product."""
        uses = Counter([*self.results, *(arg for node in nodes for arg in node.args)])
        self.reads: dict[ProgramNode, Sequence[ProgramNode]] = {node: node.args for node in nodes}
        absorbed = set()
        for node in nodes:
            inner = node.args[0] if node.op.startswith("reduce_") else None
            if inner is not None and self.is_total_by_dot(node) and self.is_dot_product(inner, uses):
                self.reads[node] = inner.args
                absorbed.add(inner)
        return absorbed

    def is_dot_product(self, node: ProgramNode, uses: Counter[ProgramNode]) -> bool:
        """Whether the total of a value, which nothing else reads, is a dot product of two arrays that lie in
        the same memory order."""
        return is_product(node) and uses[node] == 1 and len({*map(self.axes, node.args)}) == 1

    def find_places(self) -> None:
        """Find the values that are computed in their place in a longer array."""
        self.placed: dict[ProgramNode, tuple[ProgramNode, Any]] = {}
        if "places" not in self.passes:
            return
        new = {value for _, value in self.updates}
        for longer in reversed(self.order):
            if longer.op not in ("stack", "concatenate") or not self.is_planned(longer) or longer in new:
                continue
            for part, index in zip(longer.args, places_in(longer)):
                is_free = part not in self.placed and part not in new and not self.is_given_away(part)
                if is_free and self.may_be_placed(part, longer):
                    self.placed[part] = longer, index
                    self.keep_while_read(part)

    def keep_while_read(self, part: ProgramNode) -> None:
        """Keep the longer array that a value is a part of, and those that it is a part of in turn, for as
        long as the value is read."""
        last = self.lifetimes.last
        while part in self.placed:
            longer, _ = self.placed[part]
            last[longer] = max(last[part], last[longer])
            part = longer

    def may_be_placed(self, part: ProgramNode, longer: ProgramNode) -> bool:
        """Whether a value can be computed in its place in a longer array."""
        if part not in self.plannable or not can_write(part) or not part.shape or self.is_given_away(longer):
            return False
        if self.axes(part) or self.axes(longer):
            return False
        if part.op == "matmul" and (longer.op == "concatenate" or len(part.shape) != 2):
            return False
        return part.dtype == longer.dtype and not self.is_sum_by_ones(part) and longer.args.count(part) == 1

    def find_destinies(self) -> None:
        """Find the values that are computed in the memory of a result, or of an input that gets a new value,
        and overwritten there step by step."""
        self.destiny: dict[ProgramNode, ProgramNode] = {}
        if not {"buffers", "inplace"} <= self.passes:
            return
        inputs = {new: old for old, new in self.updates}
        alone = {step[0]: place for place, step in enumerate(self.steps) if len(step) == 1}
        for node, place in reversed(alone.items()):
            is_given = self.is_given_away(node) and self.is_planned(node)
            end = node if is_given else self.destiny.get(node)
            if end is None and node in inputs and self.may_overwrite(inputs[node], node, place):
                end = inputs[node]
            if end is not None and node.op in ELEMENTWISE and node.op != "where":
                self.extend_destiny(node, end, place, alone)

    def extend_destiny(
        self, node: ProgramNode, end: ProgramNode, place: int, alone: dict[ProgramNode, int]
    ) -> None:
        """Let an argument of an elementwise call be computed in the memory of the call's result."""
        longer = {array for array, _ in self.placed.values()}  # arrays that hold others
        for arg in self.reads[node]:
            fits = (arg.shape, arg.dtype) == (node.shape, node.dtype) and arg in alone
            fits = fits and self.axes(arg) == self.axes(end)
            is_free = self.lifetimes.last.get(arg) == place and arg not in self.destiny
            is_free = is_free and self.is_planned(arg) and not self.is_given_away(arg)
            is_free = is_free and arg not in self.placed and arg not in longer
            if fits and is_free and (end.op != "input" or self.may_overwrite(end, arg, alone[arg])):
                self.destiny[arg] = end
                break

    def find_starts(self) -> None:
        """Find the results whose memory is idle up to some place, and that place."""
        self.starts: dict[ProgramNode, int] = {}
        if not {"buffers", "reuse"} <= self.passes:
            return
        filled = {longer for longer, _ in self.placed.values()}  # part by part
        for place, step in enumerate(self.steps):
            for node in step:
                end = self.destiny.get(node, node)
                if end in self.claimed and end not in self.placed and self.is_planned(end):
                    self.starts.setdefault(end, place)
        self.starts = {node: place for node, place in self.starts.items() if node not in filled}

    def idle_result(self, node: ProgramNode, place: int) -> ProgramNode | None:
        """The smallest result that has memory for a value for as long as the value is read. None if there is
        none, or if the value is overwritten by one that is computed from it."""
        last = self.lifetimes.last[node]
        if self.axes(node):
            return None
        if any(user.op in ELEMENTWISE and user.shape == node.shape for user in self.users[node]):
            return None
        fitting = [
            result
            for result, start in self.starts.items()
            if last < start and self.lent.get(result, -1) < place
            if result.dtype == node.dtype and result.size >= node.size and not self.axes(result)
        ]
        return min(fitting, key=lambda result: result.size, default=None)

    def is_planned(self, node: ProgramNode) -> bool:
        """Whether a value is computed into memory that the program provides."""
        limit = LARGE if self.is_given_away(node) else self.limit
        is_wanted = "buffers" in self.passes and nbytes(node) >= limit and node in self.plannable
        return is_wanted and bool(node.shape) and can_write(node)

    def ends_a_block(self, node: ProgramNode) -> bool:
        """Whether a sum may be taken block by block."""
        if self.is_total_by_dot(node):
            return True
        return self.is_sum_by_ones(node) and not node.options[1] and len(node.args[0].shape) == 2

    def claim_results(self) -> None:
        """Find the results that are returned as they are computed. A result that shares memory with another
        value, or with an input, is copied."""
        self.claimed: dict[ProgramNode, ProgramNode] = {}  # the array of a value, by its result
        self.copied: list[int] = []
        given = {whole(new) for _, new in self.updates}
        for place, node in enumerate(self.returned):
            owner = whole(node)
            is_own = owner.op not in LEAVES and not may_share(owner) and owner not in self.claimed
            if node.number or (is_own and owner not in given):
                self.claimed[owner] = node
            else:
                self.copied.append(place)

    def is_in_order(self, node: ProgramNode) -> bool:
        """Whether a value is computed into memory in C order: an input may lie in any order, and a part of an
        array may have gaps."""
        is_whole = node not in self.static or bool(self.static[node].flags.c_contiguous)
        return is_whole and node not in self.overwritten.values()

    def is_given_away(self, node: ProgramNode) -> bool:
        """Whether the caller, or a function that is called with a value, may keep a reference to it."""
        return node in self.claimed or node in self.handed

    def may_overwrite(self, old: ProgramNode, node: ProgramNode, place: int) -> bool:
        """Whether a new value can be written into the memory of an input at this step: nothing reads that
        later, and no call follows that could fail and leave the program half done."""
        if "inplace" not in self.passes:
            return False
        last = self.lifetimes.last.get(old, -1)
        is_over = last < place or (last == place and node.op in ELEMENTWISE and node.op != "where")
        return is_over and place > self.last_call and (node.shape, node.dtype) == (old.shape, old.dtype)


def shown(node: ProgramNode) -> ProgramNode:
    """The array that a view shows; any other node itself."""
    while node.op in VIEWS:
        node = node.args[0]
    return node


def places_in(longer: ProgramNode) -> list[Any]:
    """The index of each part of a stack or of a concatenation."""
    axis = longer.options[0]
    places: Iterable[Any] = range(len(longer.args))
    if longer.op == "concatenate":
        ends = accumulate((part.shape[axis] for part in longer.args), initial=0)
        places = (slice(start, end) for start, end in pairwise(ends))
    return [(*(slice(None),) * axis, place) if axis else place for place in places]
