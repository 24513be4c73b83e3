"""The writer of programs over arrays.

Small values are written as by hand: ``product = x * w``, a new array each time, since NumPy makes a small
array as fast as it writes into an existing one. For large values the memory counts: they are computed into
buffers, arrays that are made once per program and in which values take turns. What the program returns lies
in memory that belongs to the caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..language import OPERATORS, index_text
from ..memory_order import stand_in
from ..nodes import ELEMENTWISE, VIEWS, ProgramNode, Shape
from ..plain import full
from .blocks import Block
from .calls import can_write
from .lifetimes import is_new
from .memory import Buffer, new_text, text_of
from .names import word_for, word_for_number
from .planning import Planned, is_large, places_in, shown
from .running import in_c_order

WIDE, WIDEST = 1 << 8, 1 << 16  # the least and the most elements of a number that became an array
TAKES_NUMBERS = frozenset(OPERATORS) | {"maximum", "minimum", "power"} - {"matmul"}


class ArrayWriter(Planned):
    """Writes the source of a program over arrays: ``build``, which makes its buffers and returns it, or the
    program itself if it has none.

    Parameters
    ----------
    inputs, results
        As :class:`autodiff.compiling.program.Program` has them; the last results are the new values of the
        inputs in ``updated``.
    passes
        The names of the passes to make, out of ``WRITING_PASSES``.
    """

    def name_of(self, node: ProgramNode) -> str:
        """The name of a value: its own, or one for the operation that computes it."""
        return self.new_name(node.name) if node.name else self.numbered(word_for(node))

    # -- the source ----------------------------------------------------------------------------------------

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
        returned = ", ".join(texts) + "," * (len(texts) == 1)
        head = f"def program({', '.join(self.names[node] for node in self.inputs)}):"
        lines = [head, *(f"    {line}" for line in self.lines), f"    return ({returned})"]
        if self.setup:
            build = ["def build():", *(f"    {line}" for line in self.setup), ""]
            lines = [*build, *(f"    {line}" for line in lines), "    return program"]
        return "\n".join([*self.preamble, ""][not self.preamble :] + lines) + "\n"

    def release(self, place: int) -> None:
        """Free the buffers whose values are not read after this step."""
        for owner in [o for o in self.buffers.taken if not self.lifetimes.is_read_after(o, place)]:
            self.buffers.give_back(owner)

    def write_at(self, node: ProgramNode, place: int) -> None:
        """Write the line of a node."""
        if self.reads[node] is not node.args:
            a, b = map(self.flat, self.reads[node])
            self.assign(node, f"{a}.dot({b})")
            return
        args = self.texts(node, self.text)
        if node.op in VIEWS:
            self.write_view(node, args)
        elif node.op == "ascontiguousarray" and self.is_static_in_order(node.args[0]):
            self.names[node], self.static[node] = args[0], self.static[node.args[0]]
        elif self.is_total_by_dot(node) and not is_large(node.args[0]):
            self.assign(node, f"{self.flat(node.args[0])}.dot({self.ones(node.args[0].size, node.dtype)})")
        else:
            self.write_call(node, args, place)

    def write_call(self, node: ProgramNode, args: list[str], place: int) -> None:
        """Write a call, with its result in an existing array or in a new one."""
        if self.is_sum_by_ones(node):
            self.assign(node, self.sum_by_ones(node, args[0]))
            return
        if any(self.placed.get(part, (None,))[0] is node for part in node.args):
            self.join(node, args)
            return
        out = self.target(node, place)
        if out is not None:
            self.lines += self.statements(node, args, out)
        elif node.op in ("put", "put_add"):
            self.names[node] = self.name_of(node)
            base = f"np.array({args[0]})" if node.args[0].op != "full" else full(self, node.args[0], ())
            self.lines.append(f"{self.names[node]} = {base}")
            self.lines += self.put_statements(node, [self.names[node], *args[1:]], self.names[node])
        else:
            self.assign(node, self.expression(node, args))

    def assign(self, node: ProgramNode, text: str) -> None:
        """Write ``name = text``."""
        if is_new(node):
            self.fresh.add(node)
        self.names[node] = self.name_of(node)
        self.lines.append(f"{self.names[node]} = {text}")

    # -- arguments -----------------------------------------------------------------------------------------

    def texts(self, node: ProgramNode, text: Callable[[ProgramNode], str]) -> list[str]:
        """The texts of the arguments of a node. ``text`` gives the text of one."""
        if node.op in ("put", "put_add") and node.args[0].op == "full":
            return ["", *map(text, node.args[1:])]
        dtypes = {arg.dtype for arg in node.args if not arg.number}
        if not ("typed" in self.passes and node.op in TAKES_NUMBERS and node.shape and len(dtypes) == 1):
            return [*map(text, node.args)]
        (dtype,) = dtypes
        width = self.width(node)
        return [
            self.number(arg.value, dtype, width)
            if arg.op == "const" and arg.number and dtype.kind == "f"
            else text(arg)
            for arg in node.args
        ]

    def text(self, node: ProgramNode) -> str:
        """A value as text."""
        if node not in self.names:
            self.write_leaf(node)
        return self.names[node]

    def write_leaf(self, node: ProgramNode) -> None:
        """Name a constant. A number is written where it is used; other constants are kept by name."""
        if node.op == "const" and node.number:
            self.names[node] = self.literal(node.value).text
            return
        wish = word_for(node)
        if node.op == "const" and not node.shape and node.dtype.kind in "fiub":
            self.names[node] = self.number(np.asarray(node.value).item(), node.dtype)
        elif node.op == "full":
            self.names[node] = self.new_name(wish)
            self.preamble.append(f"{self.names[node]} = {full(self, node, ())}")
            self.static[node] = stand_in(node.shape, node.dtype)
        else:
            self.names[node] = self.keep(node.value, wish)
            self.static[node] = np.asarray(node.value)

    def width(self, node: ProgramNode) -> Shape:
        """The shape of the array that a number becomes in a call: without axes, but in the maximum and
        minimum of large arrays as wide as the axes that come last in memory. NumPy compares arrays in half
        the time that it takes to compare an array with a number."""
        if "wide" not in self.passes or node.op not in ("maximum", "minimum") or not is_large(node):
            return ()
        order = self.axes(node) or range(len(node.shape))
        sizes = [1] * len(node.shape)
        for axis in reversed(order[1:]):
            if math.prod(sizes) < WIDE:
                sizes[axis] = node.shape[axis]
        return tuple(sizes) if WIDE <= math.prod(sizes) < WIDEST else ()

    def number(self, value: Any, dtype: np.dtype[Any], shape: Shape = ()) -> str:
        """The name of a number as an array, which NumPy need not convert."""
        value = float(value) if dtype.kind == "f" else value
        text = self.literal(value).text
        if shape:
            return self.constant(f"np.full({shape}, {text}, {str(dtype)!r})", f"{word_for_number(value)}s")
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

    # -- views ---------------------------------------------------------------------------------------------

    def write_view(self, node: ProgramNode, args: list[str]) -> None:
        """Write a view: it is made once if it shows an array that is made once, else at each call."""
        like = self.view_of_static(node)
        text = self.expression(node, args)
        if like is None:
            self.assign(node, text)
            return
        self.static[node] = like
        self.names[node] = self.name_of(node)
        self.setup.append(f"{self.names[node]} = {text}")

    def is_static_in_order(self, node: ProgramNode) -> bool:
        """Whether a value lies in an array that is made once, in C order and without gaps."""
        return node in self.static and self.static[node].flags.c_contiguous

    def view_of_static(self, node: ProgramNode) -> np.ndarray | None:
        """A stand-in for a view that can be made once, since its array is made once; None for other views."""
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

    def expression(self, node: ProgramNode, args: Sequence[str]) -> str:
        """The call of a node as text."""
        if node.op == "reshape" and is_large(node) and self.layouts.is_copied(node):
            args = [f"{self.keep(in_c_order, 'in_c_order')}({args[0]})"]
        return super().expression(node, args)

    # -- memory --------------------------------------------------------------------------------------------

    def target(self, node: ProgramNode, place: int) -> str | None:
        """The array that a value is computed into; None if NumPy makes a new one."""
        can = bool(node.shape) and node in self.plannable and can_write(node)
        for old, new in self.updates:
            if can and new is node and self.may_overwrite(old, node, place):
                self.overwritten[old] = node
                self.names[node] = self.names[old]
                return self.names[node]
        if node in self.placed:
            return self.in_place(node)
        if not self.is_planned(node):
            return None
        if node in self.destiny or self.is_given_away(node):
            end = self.destiny.get(node, node)
            self.names[node] = self.names.get(end) or self.result(end)
            return self.names[node]
        return self.over_argument(node, place) or self.in_result(node, place) or self.buffer(node)

    def result(self, node: ProgramNode, wish: str = "") -> str:
        """An array for a result, which belongs to the caller."""
        name = self.names[node] = self.numbered(wish) if wish else self.name_of(node)
        axes = self.axes(node)
        if "recycle" in self.passes:
            new = self.new_name(f"new_{name}")
            order = f", {axes}" * bool(axes)
            self.setup.append(f"{new} = recycled({node.shape}, {str(node.dtype)!r}{order})")
            self.lines.append(f"{name} = {new}()")
        else:
            self.lines.append(f"{name} = {new_text(node.shape, node.dtype, axes)}")
        return name

    def over_argument(self, node: ProgramNode, place: int) -> str | None:
        """The array of an argument that nothing reads any more, for the result of an elementwise call; None
        if there is none."""
        if "inplace" not in self.passes or node.op not in ELEMENTWISE:
            return None
        for arg in self.reads[node][2:] if node.op == "where" else self.reads[node]:
            owner = shown(arg)
            is_free = owner in self.buffers.taken and not self.lifetimes.is_read_after(owner, place)
            fits = (arg.shape, arg.dtype) == (node.shape, node.dtype) and arg in self.static
            if self.may_be_reused(arg, node, place):
                self.names[node] = self.names[arg]
                self.fresh.add(node)
                return self.names[node]
            if is_free and fits and self.lies_alike(arg, node) and owner.size <= 2 * node.size:
                if node.op == "where" and owner in self.lifetimes.of(node.args[0]):
                    continue
                self.buffers.hand_over(owner, node)
                self.static[node] = self.static[arg]
                self.names[node] = self.names[arg]
                return self.names[node]
        return None

    def may_be_reused(self, arg: ProgramNode, node: ProgramNode, place: int) -> bool:
        """Whether an argument is a new array, made at this call of the program, that nothing reads any more
        and that lies in memory as the result should."""
        if arg not in self.fresh or arg in self.handed or self.lifetimes.is_read_after(arg, place):
            return False
        if node.op == "where" and arg in self.lifetimes.of(node.args[0]):
            return False
        fits = (arg.shape, arg.dtype) == (node.shape, node.dtype) and self.layouts.is_known(arg)
        return fits and self.axes(arg) == self.axes(node)

    def lies_alike(self, arg: ProgramNode, node: ProgramNode) -> bool:
        """Whether a value lies in memory as a new array for another one would."""
        return self.static[arg].strides == self.layouts.new_like(node).strides

    def in_result(self, node: ProgramNode, place: int) -> str | None:
        """The memory of a result that is computed later; None if there is none."""
        result = self.idle_result(node, place)
        if result is None:
            return None
        self.lent[result] = self.lifetimes.last[node]
        array = self.names.get(result) or self.result(result)
        name = self.names[node] = self.name_of(node)
        buffer = Buffer(array, str(result.dtype), result.size, result.shape, ())
        self.lines.append(f"{name} = {text_of(buffer, node.shape)}")
        return name

    def whole_target(self, node: ProgramNode) -> str:
        """The array for a value that is computed part by part: rows of a block, or the parts of a join."""
        if node in self.placed:
            return self.in_place(node)
        return self.result(node) if self.is_given_away(node) else self.buffer(node)

    def in_place(self, node: ProgramNode) -> str:
        """The part of a longer array that a value belongs to."""
        longer, index = self.placed[node]
        if longer not in self.names:
            self.whole_target(longer)
        self.names[node] = self.name_of(node)
        self.setup.append(f"{self.names[node]} = {self.names[longer]}[{index_text(index)}]")
        self.static[node] = self.static[longer][index]
        return self.names[node]

    def join(self, node: ProgramNode, args: list[str]) -> None:
        """Write the parts of a longer array that are not computed in their places."""
        if node not in self.names:
            self.whole_target(node)
        for part, text, index in zip(node.args, args, places_in(node)):
            if self.placed.get(part, (None,))[0] is not node:
                self.lines.append(f"{self.names[node]}[{index_text(index)}] = {text}")

    def buffer(self, node: ProgramNode) -> str:
        """The name of a buffer for a value."""
        name = self.names[node] = self.name_of(node)
        axes = self.axes(node)
        buffer, is_new = self.buffers.take(node, name, axes)
        made = new_text(node.shape, node.dtype, axes) if is_new else text_of(buffer, node.shape, axes)
        self.setup.append(f"{name} = {made}")
        self.static[node] = self.layouts.new_like(node)
        return name

    # -- the end -------------------------------------------------------------------------------------------

    def copies(self) -> list[str]:
        """The texts of the results. Writes the lines that copy results without an array of their own."""
        texts = [self.text(node) for node in self.returned]
        for place in self.copied:
            node = self.returned[place]
            copy = f"{texts[place]}.copy()"
            if "buffers" in self.passes and is_large(node):
                before, self.names[node] = self.names[node], ""
                texts[place] = self.result(node, "copy")
                self.names[node] = before
                self.lines.append(f"np.copyto({texts[place]}, {before})")
            elif self.updates:  # a copy made now, before the inputs are overwritten
                texts[place] = self.numbered("copy")
                self.lines.append(f"{texts[place]} = {copy}")
            else:
                texts[place] = copy
        return texts

    def new_values(self) -> list[str]:
        """The texts of the new values of the inputs. Writes the lines that copy them into the inputs."""
        texts, writes = [], []
        inputs = {old for old, _ in self.updates}
        for old, new in self.updates:
            text = self.text(new)
            if not new.number and (not old.shape or inputs & self.lifetimes.of(new)):
                name = self.numbered("kept")
                self.lines.append(f"{name} = {text}.copy()")
                text = name
            if old.shape and self.overwritten.get(old) is not new:
                writes.append(f"np.copyto({self.names[old]}, {text})")
            texts.append(self.names[old] if old.shape else text)
        self.lines += writes
        return texts
