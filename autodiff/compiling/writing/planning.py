"""What is worked out before a line is written: the order of the steps, what each reads and how long, and
which value lies in whose memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np

from ..nodes import ELEMENTWISE, LEAVES, Node, reachable
from .blocks import in_blocks
from .calls import CallWriter, can_write, is_product
from .layout import in_c_order
from .lifetimes import Lifetimes, may_be_kept, may_share, whole
from .memory import Buffers

WRITING_PASSES = (
    "buffers", "places", "inplace", "reuse", "recycle", "views", "typed", "dot", "ones", "totals", "blocks",
)  # fmt: skip
"""``buffers``: large values in memory that is made once; ``places``: parts of an array where they belong in
it; ``inplace``: over a value that is not read again; ``reuse``: a buffer for one value after the other;
``recycle``: results in arrays that the caller has dropped; ``views``: views of buffers made once;
``typed``: Python's numbers as arrays without axes; ``dot``: products of matrices by ``dot``; ``ones``: sums
over the first axes as products with ones; ``totals``: totals as dot products; ``blocks``: large elementwise
work by blocks of rows."""
INEXACT_PASSES = frozenset(("ones", "totals"))
"""Those that add up in another order than NumPy, so that the last bits may differ."""
LARGE = 1 << 15  # bytes: from here on new memory costs more than what is computed in it
SMALL, MANY = 1 << 10, 1 << 18  # bytes: where smaller values are that many, memory counts for them too


def nbytes(node: Node) -> int:
    """The bytes of a value."""
    return node.size * node.dtype.itemsize


def is_large(node: Node) -> bool:
    """Whether memory counts for a value."""
    return nbytes(node) >= LARGE


class Planned(CallWriter):
    """A program with what is known of it before it is written.

    Attributes
    ----------
    steps
        The nodes in the order in which they are written, those of a block together.
    reads
        For each node, the nodes that its lines read.
    claimed
        The arrays that are returned as they are computed, each with its result; ``copied``: the places of the
        other results.
    handed
        The values that are given to functions that may hold on to them.
    destiny
        For a value that is computed in memory which later holds a result, or the new value of an input: that
        result, or the input.
    """

    def __init__(
        self,
        inputs: Sequence[Node],
        results: Sequence[Node],
        updated: Sequence[Node] = (),
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
        self.static: dict[Node, np.ndarray] = {}  # values whose array is made once, each with its like
        self.overwritten: dict[Node, Node] = {}  # inputs that hold their new value before the end
        self.made: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.taken |= {"build", "recycled", "rows", "count", "i"}

    @property
    def counts_on_order(self) -> bool:
        """Whether every bit is to be kept, and the program writes into arrays that are there: then what it
        computes is right where all inputs lie in C order."""
        return self.is_exact and bool(self.setup or self.overwritten)

    # -- what is worked out beforehand ---------------------------------------------------------------------

    def prepare(self) -> None:
        """Find the order of the program, what each line reads, and how long."""
        nodes = reachable(self.results)
        uses = Counter([*self.results, *(arg for node in nodes for arg in node.args)])
        self.reads: dict[Node, Sequence[Node]] = {node: node.args for node in nodes}
        absorbed = set()
        for node in nodes:
            inner = node.args[0] if node.op.startswith("reduce_") else None
            if inner is not None and self.is_total_by_dot(node) and is_product(inner) and uses[inner] == 1:
                self.reads[node] = inner.args
                absorbed.add(inner)
        self.order = [node for node in nodes if node.op not in LEAVES and node not in absorbed]
        self.plannable = set(self.order)
        if self.is_exact:
            self.plannable &= in_c_order(nodes)
        self.steps = [[node] for node in self.order]
        if {"blocks", "buffers"} <= self.passes:
            self.steps = in_blocks(self.order, self.reads, self.plannable, self.ends_a_block)
        self.users: dict[Node, list[Node]] = {node: [] for node in nodes}
        for node in self.order:
            for arg in self.reads[node]:
                self.users[arg].append(node)
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

    def find_places(self) -> None:
        """Find the values that are computed in their place in a longer array, which holds several."""
        self.placed: dict[Node, tuple[Node, str]] = {}
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

    def keep_while_read(self, part: Node) -> None:
        """Let an array, and those that it is a part of, last as long as a part of it is read."""
        last = self.lifetimes.last
        while part in self.placed:
            longer, _ = self.placed[part]
            last[longer] = max(last[part], last[longer])
            part = longer

    def may_be_placed(self, part: Node, whole: Node) -> bool:
        """Whether a value can be computed into a part of another array."""
        if part not in self.plannable or not can_write(part) or not part.shape or self.is_given_away(whole):
            return False
        if part.op == "matmul" and (whole.op == "concatenate" or len(part.shape) != 2):
            return False
        return part.dtype == whole.dtype and not self.is_sum_by_ones(part) and whole.args.count(part) == 1

    def find_destinies(self) -> None:
        """Find the values that are computed in the memory of a result, or of an input that gets a new value:
        those over which it is written, step by step."""
        self.destiny: dict[Node, Node] = {}
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

    def extend_destiny(self, node: Node, end: Node, place: int, alone: dict[Node, int]) -> None:
        """Let an argument of an elementwise call be computed in the memory where its result will lie."""
        longer = {array for array, _ in self.placed.values()}
        for arg in self.reads[node]:
            fits = (arg.shape, arg.dtype) == (node.shape, node.dtype) and arg in alone
            is_free = self.lifetimes.last.get(arg) == place and arg not in self.destiny
            is_free = is_free and self.is_planned(arg) and not self.is_given_away(arg)
            is_free = is_free and arg not in self.placed and arg not in longer
            if fits and is_free and (end.op != "input" or self.may_overwrite(end, arg, alone[arg])):
                self.destiny[arg] = end
                break

    def is_planned(self, node: Node) -> bool:
        """Whether a value is computed into memory that the program provides."""
        limit = LARGE if self.is_given_away(node) else self.limit
        is_wanted = "buffers" in self.passes and nbytes(node) >= limit and node in self.plannable
        return is_wanted and bool(node.shape) and can_write(node)

    def ends_a_block(self, node: Node) -> bool:
        """Whether a sum may be taken block by block."""
        if self.is_total_by_dot(node):
            return True
        return self.is_sum_by_ones(node) and not node.options[1] and len(node.args[0].shape) == 2

    def claim_results(self) -> None:
        """Find the results that are returned as they are computed. What is no array of its own is copied."""
        self.claimed: dict[Node, Node] = {}  # the array of a value, by its result
        self.copied: list[int] = []
        given = {whole(new) for _, new in self.updates}
        for place, node in enumerate(self.returned):
            owner = whole(node)
            is_own = owner.op not in LEAVES and not may_share(owner) and owner not in self.claimed
            if node.number or (is_own and owner not in given):
                self.claimed[owner] = node
            else:
                self.copied.append(place)

    def is_in_order(self, node: Node) -> bool:
        """Whether a value is computed into memory in C order: an input may lie in any, and a part of an array
        may have gaps."""
        is_whole = node not in self.static or bool(self.static[node].flags.c_contiguous)
        return is_whole and node not in self.overwritten.values()

    def is_given_away(self, node: Node) -> bool:
        """Whether somebody may hold on to a value: the caller, or a function that is called with it."""
        return node in self.claimed or node in self.handed

    def may_overwrite(self, old: Node, node: Node, place: int) -> bool:
        """Whether a new value can be written into the memory of an input at this step: nothing reads that
        later, and no call follows that could fail and leave the program half done."""
        if "inplace" not in self.passes:
            return False
        last = self.lifetimes.last.get(old, -1)
        is_over = last < place or (last == place and node.op in ELEMENTWISE and node.op != "where")
        return is_over and place > self.last_call and (node.shape, node.dtype) == (old.shape, old.dtype)


def places_in(whole: Node) -> list[str]:
    """The index of each part of a stack or of a concatenation."""
    axis = whole.options[0]
    before = ":, " * axis
    if whole.op == "stack":
        return [f"{before}{place}" for place in range(len(whole.args))]
    ends = [0]
    for part in whole.args:
        ends.append(ends[-1] + part.shape[axis])
    return [f"{before}{start}:{end}" for start, end in pairwise(ends)]
