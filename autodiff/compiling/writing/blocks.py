"""Blocks: elementwise calls on large arrays, computed for some rows at a time, so that intermediate values
stay in the processor's cache.

``in_blocks`` finds what can be computed together; ``Block`` writes the loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..nodes import ELEMENTWISE, Node, Shape
from .calls import can_write

BLOCK = 1 << 15  # the elements of a block: at least this many, and at most twice as many
LARGE = 1 << 19  # the elements of an array from which on blocks pay: smaller ones stay in the cache


def fits(node: Node) -> bool:
    """Whether a node is an elementwise call whose result is large and has rows that fit into a block."""
    if node.op not in ELEMENTWISE or not can_write(node) or node.size < LARGE:
        return False
    return node.shape[0] > 1 and node.size // node.shape[0] <= BLOCK


def rows_in_block(shape: Shape) -> int:
    """The number of rows of a block: one that divides the rows evenly if there is one."""
    row = math.prod(shape[1:])
    most, least = shape[0] * row // BLOCK, -(-shape[0] * row // (2 * BLOCK))
    even = [count for count in range(most, least - 1, -1) if count and shape[0] % count == 0]
    return shape[0] // even[0] if even else -(-shape[0] // max(most, 1))


class Grouping:
    """Sorts the nodes of a program, one after another, into blocks and single steps."""

    def __init__(self, reads: dict[Node, Sequence[Node]], can_end: Callable[[Node], bool]) -> None:
        self.reads, self.can_end = reads, can_end
        self.steps: list[list[Node]] = []
        self.group: list[Node] = []
        self.after: list[Node] = []  # the nodes to be computed after the block
        self.waits: set[Node] = set()  # the nodes whose values are not complete before the block has ended

    def add(self, node: Node, may_join: bool) -> None:
        """Put the next node into the block, after it, or, if it reads nothing of it, before it."""
        args = self.reads[node]
        waits = any(arg in self.waits for arg in args)
        if may_join and fits(node):
            if waits or (self.group and node.shape != self.group[0].shape):
                self.close()
            self.group.append(node)
        elif self.group and not waits and self.ends(node):
            self.group.append(node)
            self.waits.add(node)
        elif waits or any(arg in self.group for arg in args):
            self.after.append(node)
            self.waits.add(node)
        else:
            self.steps.append([node])

    def ends(self, node: Node) -> bool:
        """Whether a node is a sum over values of the block."""
        args = self.reads[node]
        shape = self.group[0].shape
        same = all(arg.shape == shape for arg in args)
        return same and any(arg in self.group for arg in args) and self.can_end(node)

    def close(self) -> None:
        """End the block. A block of less than three nodes does not pay and becomes single steps."""
        self.steps += [self.group] if len(self.group) > 2 else [[node] for node in self.group]
        self.steps += [[node] for node in self.after]
        self.group, self.after = [], []
        self.waits.clear()


def in_blocks(
    order: Sequence[Node],
    reads: dict[Node, Sequence[Node]],
    plannable: set[Node],
    can_end: Callable[[Node], bool],
) -> list[list[Node]]:
    """The steps of a program: nodes one by one, and those of a block together.

    ``plannable`` holds the nodes that may be computed into existing arrays; ``can_end`` tells whether a sum
    may be taken block by block.
    """
    grouping = Grouping(reads, can_end)
    for node in order:
        grouping.add(node, node in plannable)
    grouping.close()
    return grouping.steps


class Block:
    """Writes the loop of a block into the program of an ``ArrayWriter``."""

    def __init__(self, writer: Any, group: Sequence[Node], place: int) -> None:
        self.writer, self.group, self.place = writer, group, place
        self.shape = group[0].shape
        self.rows = rows_in_block(self.shape)
        self.is_even = self.shape[0] % self.rows == 0
        self.texts: dict[Node, str] = {}  # the rows of each value as text
        self.cuts: list[str] = []  # the lines that take the rows of arrays
        self.body: list[str] = []
        self.sums: list[str] = []
        self.scratch: dict[Node, tuple[object, str]] = {}
        self.last = {arg: index for index, node in enumerate(group) for arg in writer.reads[node]}

    def write(self) -> None:
        """Write the block into the program."""
        for index, node in enumerate(self.group):
            if node.op.startswith("reduce_"):
                self.write_sum(node)
            else:
                self.write_member(node, index)
            for arg in [arg for arg in self.scratch if self.last.get(arg, -1) <= index]:
                self.let_go(arg)
        count = self.shape[0]
        lines = [f"for i in range(0, {count}, {self.rows}):", f"    rows = slice(i, i + {self.rows})"]
        if not self.is_even:
            lines.append(f"    count = min({self.rows}, {count} - i)")
        inner = [f"    {line}" for line in (*self.cuts, *self.body)]
        self.writer.lines += [*(f"{name} = 0" for name in self.sums), *lines, *inner]

    def write_member(self, node: Node, index: int) -> None:
        """Write an elementwise call on the rows."""
        args = self.writer.texts(node, self.text)
        if node.op != "where":
            for arg in [arg for arg in self.scratch if self.last.get(arg, -1) <= index]:
                self.let_go(arg)
        self.body += self.writer.statements(node, args, self.target(node, index))

    def write_sum(self, node: Node) -> None:
        """Write a sum, to which each block adds its part."""
        writer = self.writer
        args = [self.text(arg) for arg in writer.reads[node]]
        name = writer.names[node] = writer.name_of(node)
        flat = [arg if len(self.shape) == 1 else f"{arg}.ravel()" for arg in args]
        if len(args) == 2:
            part = f"{flat[0]}.dot({flat[1]})"
        elif node.shape:
            ones = writer.ones(self.rows, node.dtype)
            part = f"{ones if self.is_even else f'{ones}[:count]'}.dot({args[0]})"
        else:
            part = f"np.add.reduce({args[0]}, axis=None)"
        self.sums.append(name)
        self.body.append(f"{name} = {name} + {part}")

    # -- where the rows lie ---------------------------------------------------------------------------------

    def text(self, node: Node) -> str:
        """The rows of a value as text; all of a value that is broadcast along the rows."""
        if node not in self.texts:
            whole = self.writer.text(node)
            is_cut = len(node.shape) == len(self.shape) and node.shape[0] == self.shape[0]
            self.texts[node] = self.cut(whole, "rows") if is_cut else whole
        return self.texts[node]

    def cut(self, name: str, rows: str) -> str:
        """The name of the rows of an array."""
        line = f"{name}_{rows} = {name}[{':' * (rows == 'count')}{rows}]"
        if line not in self.cuts:
            self.cuts.append(line)
        return f"{name}_{rows}"

    def target(self, node: Node, index: int) -> str:
        """The array for the rows of a value: rows of its own array if it is read outside, else scratch."""
        writer = self.writer
        if not self.is_read_outside(node):
            return self.take_scratch(node)
        for old, new in writer.updates:
            if new is node and self.may_overwrite(old, index) and writer.may_overwrite(old, node, self.place):
                writer.overwritten[old] = node
                writer.names[node] = writer.names[old]
                break
        else:
            writer.whole_target(node)
        self.texts[node] = self.cut(writer.names[node], "rows")
        return self.texts[node]

    def is_read_outside(self, node: Node) -> bool:
        """Whether a value is a result, or a node outside the block reads it."""
        inside = set(self.group)
        return node in self.writer.results or any(user not in inside for user in self.writer.users[node])

    def may_overwrite(self, old: Node, index: int) -> bool:
        """Whether neither a later line of the loop nor a later block reads the memory of an input."""
        for later, node in enumerate(self.group):
            for arg in self.writer.reads[node]:
                if old in self.writer.lifetimes.of(arg) and (arg is not old or later > index):
                    return False
        return True

    def take_scratch(self, node: Node) -> str:
        """Scratch memory for the rows of a value that nothing outside the block reads."""
        writer = self.writer
        shape = (self.rows, *self.shape[1:])
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

    def let_go(self, node: Node) -> None:
        """Free the scratch memory of a value that no later line reads."""
        kind, name = self.scratch.pop(node)
        self.writer.scratch[kind].append(name)
