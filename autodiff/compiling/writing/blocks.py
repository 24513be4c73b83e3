"""Blocks: elementwise calls on large arrays, and products in batches, computed for some rows at a time, so
that intermediate values stay in the processor's cache and take little memory.

``in_blocks`` finds what can be computed together; ``Block`` writes the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..nodes import ELEMENTWISE, ProgramNode
from .calls import can_write

BLOCK = 1 << 15  # the elements of a row up to which it may be part of a block
CACHE = 1_000_000  # the bytes of all arrays of a block together
FAR = 1 << 22  # the bytes of all arrays, whole, from which on blocks pay: smaller ones stay in the cache
IN_PLACE = ELEMENTWISE - {"where"}  # the calls that may write over an argument
LARGE = 1 << 17  # the elements of an array from which on it may be part of a block


def fits(node: ProgramNode) -> bool:
    """Whether a node is an elementwise call, a copy or a batch of products whose result is large and has rows
    that fit into a block."""
    is_batch = node.op == "matmul" and len(node.shape) > 2
    if not (is_batch or node.op in ELEMENTWISE or node.op == "copy") or not can_write(node):
        return False
    return node.size >= LARGE and node.shape[0] > 1 and node.size // node.shape[0] <= BLOCK


def rows_in_block(count: int, row: int) -> int:
    """The number of rows of a block, if a row of all its arrays takes so many bytes. It divides the rows
    evenly if there is such a number."""
    most = min(max(CACHE // row, 1), count)
    even = (rows for rows in range(most, most // 2, -1) if count % rows == 0)
    return next(even, most)


class Grouping:
    """Sorts the nodes of a program, one after another, into blocks and single steps.

    ``planned`` has the order of the nodes, and what reads each of them.
    """

    def __init__(self, planned: Any) -> None:
        self.planned = planned
        self.reads = planned.reads
        self.steps: list[list[ProgramNode]] = []
        self.start()

    def start(self) -> None:
        """Begin with an empty block."""
        self.group: list[ProgramNode] = []
        self.after: list[ProgramNode] = []  # the nodes to be computed after the block
        self.waits: set[ProgramNode] = (
            set()
        )  # the nodes whose values are not complete before the block has ended
        self.touched: set[ProgramNode] = set()  # what the block reads and computes
        self.unread: dict[ProgramNode, int] = {}  # for each value of the block how many nodes to come read it

    def add(self, node: ProgramNode) -> None:
        """Put the next node into the block, after it, or, if it reads nothing of it, before it."""
        args = self.reads[node]
        if not (any(self.unread.values()) or self.may_join(node)):
            self.close()
        waits = any(arg in self.waits for arg in args)
        if self.may_join(node):
            if self.group and (waits or not self.belongs(node)):
                self.close()
            self.join(node)
        elif self.group and not waits and self.ends(node):
            self.join(node)
            self.waits.add(node)
        elif waits or any(arg in self.group for arg in args):
            self.after.append(node)
            self.waits.add(node)
        else:
            self.steps.append([node])
        for arg in args:
            if arg in self.unread:
                self.unread[arg] -= 1

    def join(self, node: ProgramNode) -> None:
        """Put a node into the block."""
        self.group.append(node)
        self.touched.update((node, *self.reads[node]))
        self.unread[node] = len(self.planned.users[node])

    def may_join(self, node: ProgramNode) -> bool:
        """Whether a node can be computed block by block. For products this pays only if nothing else reads
        them, and for copies if they are results."""
        is_in_rows = node in self.planned.plannable and node in self.planned.layouts.in_c
        if not (is_in_rows and fits(node)):
            return False
        if node.op == "copy":
            return node in self.planned.results
        return node.op != "matmul" or self.is_read_inside(node)

    def belongs(self, node: ProgramNode) -> bool:
        """Whether a node has as many rows as the block, and something to do with it: it reads an array that
        the block reads, too, or another node to come reads a value of the block."""
        if not have_rows_alike(node, self.group[0]):
            return False
        shared = (arg for arg in self.reads[node] if arg in self.touched)
        return any(self.unread.values()) or any(have_rows_alike(arg, node) for arg in shared if arg.shape)

    def is_read_inside(self, node: ProgramNode) -> bool:
        """Whether a block may hold everything that reads a value, so that the value need not be kept."""
        users = self.planned.users[node]
        if node in self.planned.results or not users:
            return False
        return all(
            self.planned.ends_a_block(user)
            or (user.op in ELEMENTWISE and fits(user) and have_rows_alike(node, user))
            for user in users
        )

    def ends(self, node: ProgramNode) -> bool:
        """Whether a node is a sum over values of the block."""
        args = self.reads[node]
        first = args[0].shape
        is_alike = all(arg.shape == first for arg in args) and have_rows_alike(args[0], self.group[0])
        return is_alike and any(arg in self.group for arg in args) and self.planned.ends_a_block(node)

    def close(self) -> None:
        """End the block. If it does not pay, its nodes become single steps."""
        self.steps += [self.group] if self.pays() else [[node] for node in self.group]
        self.steps += [[node] for node in self.after]
        self.start()

    def pays(self) -> bool:
        """Whether a block of these nodes pays: its arrays do not stay in the cache by themselves, and there
        are several calls, or a value with its total, which need not be kept then."""
        if any(node.op == "matmul" for node in self.group):
            return len(self.group) > 1
        alike = [x for x in self.touched if x.shape and have_rows_alike(x, self.group[0])]
        is_far = sum(x.size * x.dtype.itemsize for x in alike) >= FAR
        return is_far and (len(self.group) > 2 or (len(self.group) == 2 and self.group[1] in self.waits))


def have_rows_alike(x: ProgramNode, y: ProgramNode) -> bool:
    """Whether two values have as many rows, and as many axes."""
    return len(x.shape) == len(y.shape) and x.shape[0] == y.shape[0]


def in_blocks(planned: Any) -> list[list[ProgramNode]]:
    """The steps of a program: nodes one by one, and those of a block together."""
    grouping = Grouping(planned)
    for node in planned.order:
        grouping.add(node)
    grouping.close()
    return grouping.steps


class Block:
    """Writes the loop of a block into the program of an ``ArrayWriter``."""

    def __init__(self, writer: Any, group: Sequence[ProgramNode], place: int) -> None:
        self.writer, self.group, self.place = writer, group, place
        self.count, self.axes = group[0].shape[0], len(group[0].shape)
        self.last = {arg: index for index, node in enumerate(group) for arg in writer.reads[node]}
        self.rows = rows_in_block(self.count, self.bytes_of_row())
        self.is_even = self.count % self.rows == 0
        self.texts: dict[ProgramNode, str] = {}  # the rows of each value as text
        self.cuts: list[str] = []  # the lines that take the rows of arrays
        self.body: list[str] = []
        self.sums: list[str] = []
        self.scratch: dict[ProgramNode, tuple[object, str]] = {}
        self.lent: dict[
            ProgramNode, ProgramNode | None
        ] = {}  # values whose memory lies idle until then, and who uses it
        for node in group:
            if node.op in IN_PLACE and self.is_read_outside(node) and self.is_new(node):
                self.lent[node] = None

    def bytes_of_row(self) -> int:
        """The bytes of a row of the arrays that are in use at one time, each taken as the largest."""
        read = {arg for node in self.group for arg in self.writer.reads[node] if self.has_rows(arg)}
        alive: set[ProgramNode] = set()
        most = 0
        for index, node in enumerate(self.group):
            alive = {x for x in alive if self.last.get(x, -1) > index or self.is_read_outside(x)}
            if self.has_rows(node) and self.is_new(node) and node.op != "copy":  # which is not read again
                alive.add(node)
            most = max(most, len(alive))
        largest = max(x.size * x.dtype.itemsize for x in read.union(self.group) if self.has_rows(x))
        return largest // self.count * (len(read.difference(self.group)) + most)

    def write(self) -> None:
        """Write the block into the program."""
        for index, node in enumerate(self.group):
            if node.op.startswith("reduce_"):
                self.write_sum(node)
            else:
                self.write_member(node, index)
            for arg in [arg for arg in self.scratch if self.last.get(arg, -1) <= index]:
                self.let_go(arg)
        lines = [f"for i in range(0, {self.count}, {self.rows}):", f"    rows = slice(i, i + {self.rows})"]
        if not self.is_even:
            lines.append(f"    count = min({self.rows}, {self.count} - i)")
        inner = [f"    {line}" for line in (*self.cuts, *self.body)]
        self.writer.lines += [*(f"{name} = 0" for name in self.sums), *lines, *inner]

    def write_member(self, node: ProgramNode, index: int) -> None:
        """Write a call on the rows."""
        args = self.writer.texts(node, self.text)
        if node.op in IN_PLACE:
            for arg in [arg for arg in self.scratch if self.last.get(arg, -1) <= index]:
                self.let_go(arg)
        self.body += self.writer.statements(node, args, self.target(node, index))

    def write_sum(self, node: ProgramNode) -> None:
        """Write a sum, to which each block adds its part."""
        writer = self.writer
        args = [self.text(arg) for arg in writer.reads[node]]
        name = writer.names[node] = writer.name_of(node)
        flat = [arg if self.axes == 1 else f"{arg}.ravel()" for arg in args]
        row = writer.reads[node][0].size // self.count
        if len(args) == 2:
            part = f"{flat[0]}.dot({flat[1]})"
        elif node.shape:
            part = f"{self.ones(1, node)}.dot({args[0]})"
        else:
            part = f"{flat[0]}.dot({self.ones(row, node)})"
        self.sums.append(name)
        self.body.append(f"{name} = {name} + {part}")

    def ones(self, row: int, node: ProgramNode) -> str:
        """As many ones as there are in the rows, with ``row`` elements in each."""
        ones = self.writer.ones(self.rows * row, node.dtype)
        return ones if self.is_even else f"{ones}[:{row} * count]" if row > 1 else f"{ones}[:count]"

    # -- where the rows lie ---------------------------------------------------------------------------------

    def has_rows(self, node: ProgramNode) -> bool:
        """Whether a value is cut into rows, and not broadcast along them."""
        return len(node.shape) == self.axes and node.shape[0] == self.count

    def text(self, node: ProgramNode) -> str:
        """The rows of a value as text; all of a value that is broadcast along the rows."""
        if node not in self.texts:
            whole = self.writer.text(node)
            self.texts[node] = self.cut(whole, "rows") if self.has_rows(node) else whole
        return self.texts[node]

    def cut(self, name: str, rows: str) -> str:
        """The name of the rows of an array."""
        line = f"{name}_{rows} = {name}[{':' * (rows == 'count')}{rows}]"
        if line not in self.cuts:
            self.cuts.append(line)
        return f"{name}_{rows}"

    def target(self, node: ProgramNode, index: int) -> str:
        """The array for the rows of a value: rows of its own array if it is read outside, else scratch."""
        writer = self.writer
        if not self.is_read_outside(node):
            return self.take_scratch(node)
        for old, new in writer.updates:
            if new is node and self.may_overwrite(old, index) and writer.may_overwrite(old, node, self.place):
                writer.overwritten[old] = node
                writer.names[node] = writer.names[old]
        return self.own_rows(node)

    def own_rows(self, node: ProgramNode) -> str:
        """The rows of the array of a value that is read outside."""
        if node not in self.texts:
            if node not in self.writer.names:
                self.writer.whole_target(node)
            self.texts[node] = self.cut(self.writer.names[node], "rows")
        return self.texts[node]

    def is_new(self, node: ProgramNode) -> bool:
        """Whether a value is computed into an array that holds nothing else before."""
        is_update = any(new is node for _, new in self.writer.updates)
        return not is_update and node not in self.writer.placed

    def is_read_outside(self, node: ProgramNode) -> bool:
        """Whether a value is a result, or a node outside the block reads it."""
        inside = set(self.group)
        return node in self.writer.results or any(user not in inside for user in self.writer.users[node])

    def may_overwrite(self, old: ProgramNode, index: int) -> bool:
        """Whether neither a later line of the loop nor a later block reads the memory of an input."""
        for later, node in enumerate(self.group):
            for arg in self.writer.reads[node]:
                if old in self.writer.lifetimes.of(arg) and (arg is not old or later > index):
                    return False
        return True

    def take_scratch(self, node: ProgramNode) -> str:
        """Scratch memory for the rows of a value that nothing outside the block reads."""
        writer = self.writer
        lender = self.lender(node)
        if lender is not None:
            self.lent[lender] = node
            self.texts[node] = self.own_rows(lender)
            self.scratch[node] = lender, self.texts[node]
            return self.texts[node]
        shape = (self.rows, *node.shape[1:])
        kind = shape, str(node.dtype)
        free = writer.scratch.setdefault(kind, [])
        if free:
            name = free.pop()
        else:
            name = writer.name_of(node)
            writer.setup.append(f"{name} = np.empty({shape}, {str(node.dtype)!r})")
        self.scratch[node] = kind, name
        self.texts[node] = name if self.is_even else self.cut(name, "count")
        return self.texts[node]

    def let_go(self, node: ProgramNode) -> None:
        """Free the scratch memory of a value that no later line reads."""
        kind, name = self.scratch.pop(node)
        if isinstance(kind, ProgramNode):
            self.lent[kind] = None
        else:
            self.writer.scratch[kind].append(name)

    def lender(self, node: ProgramNode) -> ProgramNode | None:
        """A value whose memory lies idle for as long as this one is read; None if there is none."""
        last = self.last.get(node, -1)
        for place, other in enumerate(self.group):
            is_idle = place >= last and self.lent.get(other, other) is None
            if is_idle and (other.shape, other.dtype) == (node.shape, node.dtype):
                return other
        return None
