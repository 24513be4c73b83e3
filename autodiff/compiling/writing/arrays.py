"""The writer of programs over arrays.

Small values are written as by hand: ``product = x * w``, a new array each time, which NumPy makes as fast as
it writes into one that is there. For large ones the memory counts. Each has an array that is made once per
program, and values take turns in it; what the program returns lies in memory that belongs to the caller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from ..nodes import ELEMENTWISE, VIEWS, Node, reachable
from ..plain import INFIX, number_text
from .blocks import Block, in_blocks
from .calls import CallWriter, can_write, is_product
from .layout import in_c_order, stand_in
from .lifetimes import Lifetimes, may_be_kept, may_share, whole
from .memory import Buffers, text_of
from .names import word_for, word_for_number

WRITING_PASSES = (
    "buffers", "inplace", "reuse", "recycle", "views", "typed", "dot", "ones", "totals", "blocks",
)  # fmt: skip
"""``buffers``: large values in memory that is made once; ``inplace``: over a value that is not read again;
``reuse``: a buffer for one value after the other; ``recycle``: results in arrays that the caller has dropped;
``views``: views of buffers made once; ``typed``: Python's numbers as arrays without axes; ``dot``: products
of matrices by ``dot``; ``ones``: sums over the first axes as products with ones; ``totals``: totals as dot
products; ``blocks``: large elementwise work by blocks of rows."""
INEXACT_PASSES = frozenset(("ones", "totals"))
"""Those that add up in another order than NumPy, so that the last bits may differ."""
LARGE = 1 << 15  # bytes: from here on new memory costs more than what is computed in it
LEAVES = frozenset(("input", "const", "array", "full"))
TAKES_NUMBERS = frozenset(INFIX) | {"maximum", "minimum", "power"} - {"matmul"}


class ArrayWriter(CallWriter):
    """Writes the source of a program over arrays: ``build``, which makes its buffers and returns it, or the
    program itself if it has none.

    Parameters
    ----------
    inputs, results
        As :class:`autodiff.compiling.program.Program` has them; the last results are the new values of the
        inputs in ``updated``.
    passes
        The names of those that are made, of ``WRITING_PASSES``.
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

    def name_of(self, node: Node) -> str:
        """What a value is called: by its own name, or by what computes it."""
        return self.new_name(node.name) if node.name else self.new_word(word_for(node))

    def new_word(self, wish: str) -> str:
        """A name for a value that has none: a word with a number."""
        self.counts[wish] += 1
        return self.new_name(f"{wish}{self.counts[wish]}")

    # -- what is worked out beforehand ------------------------------------------------------------------------

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
        self.find_destinies()

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
        for arg in self.reads[node]:
            fits = (arg.shape, arg.dtype) == (node.shape, node.dtype) and arg in alone
            is_free = self.lifetimes.last.get(arg) == place and arg not in self.destiny
            if fits and is_free and self.is_planned(arg) and not self.is_given_away(arg):
                if end.op != "input" or self.may_overwrite(end, arg, alone[arg]):
                    self.destiny[arg] = end
                    break

    def is_planned(self, node: Node) -> bool:
        """Whether a value is computed into memory that the program provides."""
        is_large = "buffers" in self.passes and nbytes(node) >= LARGE
        return is_large and bool(node.shape) and node in self.plannable and can_write(node)

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

    # -- the source ---------------------------------------------------------------------------------------------

    def source(self) -> str:
        """The program as text."""
        for node in self.inputs:
            self.names[node] = self.new_name(node.name or "x")
        self.prepare()
        for place, step in enumerate(self.steps):
            if len(step) > 1:
                Block(self, step, place).write()
            else:
                self.write_at(step[0], place)
            self.release(place)
        texts = self.copies()
        texts += self.new_values()
        returned = "".join(f"{text}, " for text in texts).strip()
        head = f"def program({', '.join(self.names[node] for node in self.inputs)}):"
        lines = [head, *(f"    {line}" for line in self.lines), f"    return ({returned})"]
        if self.setup:
            build = ["def build():", *(f"    {line}" for line in self.setup), ""]
            lines = [*build, *(f"    {line}" for line in lines), "    return program"]
        return "\n".join([*self.preamble, ""][not self.preamble :] + lines) + "\n"

    def release(self, place: int) -> None:
        """Take back the buffers whose values are not read after this step."""
        for owner in [o for o in self.buffers.taken if not self.lifetimes.is_read_after(o, place)]:
            self.buffers.give_back(owner)

    def write_at(self, node: Node, place: int) -> None:
        """Write the line of a node."""
        if self.reads[node] is not node.args:
            a, b = map(self.flat, self.reads[node])
            self.assign(node, f"{a}.dot({b})")
            return
        args = self.texts(node, self.text)
        if node.op in VIEWS:
            self.write_view(node, args)
        elif self.is_total_by_dot(node) and node.args[0].size * node.dtype.itemsize < LARGE:
            self.assign(node, f"{self.flat(node.args[0])}.dot({self.ones(node.args[0].size, node.dtype)})")
        else:
            self.write_call(node, args, place)

    def write_call(self, node: Node, args: list[str], place: int) -> None:
        """Write a call: into an array that is there, or with a new one."""
        if self.is_sum_by_ones(node):
            self.assign(node, self.sum_by_ones(node, args[0]))
            return
        out = self.target(node, place)
        if out is not None:
            self.lines += self.statements(node, args, out)
        elif node.op in ("put", "put_add"):
            self.names[node] = self.name_of(node)
            base = f"np.array({args[0]})" if node.args[0].op != "full" else self._full(node.args[0], [])
            self.lines.append(f"{self.names[node]} = {base}")
            self.lines += self.put_statements(node, [self.names[node], *args[1:]], self.names[node])
        else:
            self.assign(node, self.expression(node, args))

    def assign(self, node: Node, text: str) -> None:
        """Write ``name = text``."""
        self.names[node] = self.name_of(node)
        self.lines.append(f"{self.names[node]} = {text}")

    # -- arguments ----------------------------------------------------------------------------------------------

    def texts(self, node: Node, text: Callable[[Node], str]) -> list[str]:
        """The arguments of a node, each as the text that a function gives for it."""
        if node.op in ("put", "put_add") and node.args[0].op == "full":
            return ["", *map(text, node.args[1:])]
        dtypes = {arg.dtype for arg in node.args if not arg.number}
        if not ("typed" in self.passes and node.op in TAKES_NUMBERS and node.shape and len(dtypes) == 1):
            return [*map(text, node.args)]
        (dtype,) = dtypes
        is_constant = [arg.op == "const" and arg.number and dtype.kind == "f" for arg in node.args]
        return [self.number(arg.value, dtype) if is_c else text(arg) for arg, is_c in zip(node.args, is_constant)]

    def text(self, node: Node) -> str:
        """A value as text."""
        if node not in self.names:
            self.write_leaf(node)
        return self.names[node]

    def write_leaf(self, node: Node) -> None:
        """Name a constant: a number stands where it is used, other constants are kept."""
        if node.op == "const" and node.number:
            self.names[node] = number_text(node.value)
            return
        wish = word_for(node)
        if node.op == "const" and not node.shape and node.dtype.kind in "fiub":
            self.names[node] = self.number(np.asarray(node.value).item(), node.dtype)
        elif node.op == "full":
            self.names[node] = self.new_name(wish)
            self.preamble.append(f"{self.names[node]} = {self._full(node, [])}")
            self.static[node] = stand_in(node.shape, node.dtype)
        else:
            self.names[node] = self.keep(node.value, wish if node.name else f"{wish}1")
            self.static[node] = np.asarray(node.value)

    def number(self, value: Any, dtype: np.dtype[Any]) -> str:
        """A number as an array without axes, which NumPy need not convert."""
        value = float(value) if dtype.kind == "f" else value
        text = number_text(value)
        text = text[1:-1] if text.startswith("(") else text
        return self.constant(f"np.array({text}, {str(dtype)!r})", word_for_number(value))

    def ones(self, count: int, dtype: Any) -> str:
        """The name of an array of ones."""
        return self.constant(f"np.ones({count}, {str(dtype)!r})", f"ones_{count}")

    def constant(self, text: str, wish: str) -> str:
        """The name of a constant that is made once."""
        if text not in self.made:
            self.made[text] = self.new_name(wish)
            self.preamble.append(f"{self.made[text]} = {text}")
        return self.made[text]

    # -- views --------------------------------------------------------------------------------------------------

    def write_view(self, node: Node, args: list[str]) -> None:
        """A view: made once if it shows an array that is made once, else at each call."""
        like = self.view_of_static(node)
        text = self.expression(node, args)
        if like is None:
            self.assign(node, text)
            return
        self.static[node] = like
        self.names[node] = self.name_of(node)
        self.setup.append(f"{self.names[node]} = {text}")

    def view_of_static(self, node: Node) -> np.ndarray | None:
        """What the view of an array looks like that is made once; None if it cannot be made once."""
        like = self.static.get(node.args[0])
        if like is None or "views" not in self.passes or not (like.shape and node.shape):
            return None
        if node.op == "reshape":  # a copy, unless the elements lie in order
            return like.reshape(node.shape) if like.flags.c_contiguous else None
        if node.op == "transpose":
            return like.transpose(node.options[0])
        if node.op == "broadcast_to":
            return np.broadcast_to(like, node.shape)
        return like[node.value]

    # -- memory -------------------------------------------------------------------------------------------------

    def target(self, node: Node, place: int) -> str | None:
        """The array that a value is computed into; None if NumPy makes a new one."""
        can = bool(node.shape) and node in self.plannable and can_write(node)
        for old, new in self.updates:
            if can and new is node and self.may_overwrite(old, node, place):
                self.overwritten[old] = node
                self.names[node] = self.names[old]
                return self.names[node]
        if not self.is_planned(node):
            return None
        if node in self.destiny or self.is_given_away(node):
            end = self.destiny.get(node, node)
            self.names[node] = self.names.get(end) or self.result(end)
            return self.names[node]
        return self.over_argument(node, place) or self.buffer(node)

    def is_in_order(self, node: Node) -> bool:
        """Whether a value is computed into memory in C order: an input may lie in any."""
        return node not in self.overwritten.values()

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

    def result(self, node: Node, wish: str = "") -> str:
        """An array for a result, which belongs to the caller."""
        name = self.names[node] = self.new_word(wish) if wish else self.name_of(node)
        shape = f"{node.shape}, {str(node.dtype)!r}"
        if "recycle" in self.passes:
            new = self.new_name(f"new_{name}")
            self.setup.append(f"{new} = recycled({shape})")
            self.lines.append(f"{name} = {new}()")
        else:
            self.lines.append(f"{name} = np.empty({shape})")
        return name

    def over_argument(self, node: Node, place: int) -> str | None:
        """The memory of an argument that nothing reads any more, for an elementwise call."""
        if "inplace" not in self.passes or node.op not in ELEMENTWISE:
            return None
        for arg in self.reads[node][2:] if node.op == "where" else self.reads[node]:
            owner = whole(arg)
            is_free = owner in self.buffers.taken and not self.lifetimes.is_read_after(owner, place)
            fits = (arg.shape, arg.dtype) == (node.shape, node.dtype) and arg in self.static
            if is_free and fits and self.static[arg].flags.c_contiguous and owner.size == node.size:
                if node.op == "where" and owner in self.lifetimes.of(node.args[0]):
                    continue
                self.buffers.hand_over(owner, node)
                self.static[node] = self.static[arg]
                self.names[node] = self.names[arg]
                return self.names[node]
        return None

    def buffer(self, node: Node) -> str:
        """An array that is made once."""
        name = self.names[node] = self.name_of(node)
        buffer, is_new = self.buffers.take(node, name)
        made = f"np.empty({node.shape}, {str(node.dtype)!r})" if is_new else text_of(buffer, node.shape)
        self.setup.append(f"{name} = {made}")
        self.static[node] = stand_in(node.shape, node.dtype)
        return name

    # -- the end ------------------------------------------------------------------------------------------------

    def copies(self) -> list[str]:
        """The results as text, after lines that copy those that are no arrays of their own."""
        texts = [self.text(node) for node in self.returned]
        for place in self.copied:
            node = self.returned[place]
            copy = f"{texts[place]}.copy()"
            if "buffers" in self.passes and nbytes(node) >= LARGE:
                before, self.names[node] = self.names[node], ""
                texts[place] = self.result(node, "copy")
                self.names[node] = before
                self.lines.append(f"np.copyto({texts[place]}, {before})")
            elif self.updates:  # before these are written
                texts[place] = self.new_word("copy")
                self.lines.append(f"{texts[place]} = {copy}")
            else:
                texts[place] = copy
        return texts

    def new_values(self) -> list[str]:
        """The new values of the inputs as text, after the lines that write them."""
        texts, writes = [], []
        inputs = {old for old, _ in self.updates}
        for old, new in self.updates:
            text = self.text(new)
            if not new.number and (not old.shape or inputs & self.lifetimes.of(new)):
                name = self.new_word("kept")
                self.lines.append(f"{name} = {text}.copy()")
                text = name
            if old.shape and self.overwritten.get(old) is not new:
                writes.append(f"np.copyto({self.names[old]}, {text})")
            texts.append(self.names[old] if old.shape else text)
        self.lines += writes
        return texts


def nbytes(node: Node) -> int:
    """The bytes of a value."""
    return node.size * node.dtype.itemsize
