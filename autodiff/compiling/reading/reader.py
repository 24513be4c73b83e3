"""The writer of a program for readers: a line for each value that is used more than once, or has a name, and
expressions for the others.

It leaves out where values lie in memory. ``writing`` writes the program that runs, from the same nodes.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..nodes import ELEMENTWISE, VIEWS, Node, reachable
from ..numbers import ATOM, Text
from ..plain import free_name, index_text
from ..writing.names import word_for
from .expressions import (
    as_text,
    expression,
    index_of,
    is_doubled,
    literal,
    short_array,
    short_literal,
)
from .functions import call_text
from .rolling import MARK

LONGEST = 70
"""An expression that is used once has no line of its own unless it has more characters than this."""
WIDTH = 100
LONG_SUM = 4  # additions
ALIKE = 3  # values
NUMBER = re.compile(rf"{MARK}\d+")
STATEMENTS = frozenset(("put", "put_add", "assemble"))


class Entry:
    """A line: the name that it assigns, and the text; or a statement, without a name."""

    def __init__(self, name: str, text: str, comment: str = "") -> None:
        self.name, self.text, self.comment = name, text, comment

    def __str__(self) -> str:
        line = f"{self.name} = {self.text}" if self.name else self.text
        return f"{line}  # {self.comment}" if self.comment else line


class Reader:
    """Writes a program for readers.

    Parameters
    ----------
    inputs, results, updated
        As :class:`autodiff.compiling.program.Program` has them.
    word
        Gives the word for a value without a name.

    Attributes
    ----------
    constants
        The objects that the source refers to by name.
    imports
        The lines that import the functions that the program calls, besides NumPy's.
    kinds
        The shape and the dtype of each array that has a name.
    """

    def __init__(
        self,
        inputs: Sequence[Node],
        results: Sequence[Node],
        updated: Sequence[Node] = (),
        word: Callable[[Node], str] = word_for,
    ) -> None:
        count = len(results) - len(updated)
        self.inputs, self.returned, self.word = inputs, list(results[:count]), word
        self.updates = list(zip(updated, results[count:], strict=True))
        self.entries: list[Entry] = []
        self.constants: dict[str, Any] = {}
        self.kept: dict[Any, str] = {}
        self.imports: set[str] = set()
        self.kinds: dict[str, tuple[tuple[int, ...], str]] = {}
        self.texts: dict[Node, Text] = {}
        self.copies: dict[Node, str] = {}  # of what is overwritten before the end
        self.counts: Counter[str] = Counter()
        self.taken = {"np", "program"}
        self.nodes = reachable(results)
        self.uses = Counter(arg for node in self.nodes for arg in read_by(node)) + Counter(results)
        for node in reversed(self.nodes):
            if node.op in VIEWS and self.is_light(node):  # the array that it shows is used as often
                self.uses[node.args[0]] += self.uses[node] - 1
        self.has_line = {node for node in results if node.args} | set(self.long_sums())
        self.has_line |= set(self.like_others())
        self.folded = {node.args[0] for node in self.nodes if self.is_clip(node)}
        self.folded |= {new.args[1] for _, new in self.updates if new.op == "subtract"}

    @functools.cached_property
    def text(self) -> str:
        """The program as a function of its inputs that returns the tuple of its results."""
        for node in self.inputs:
            self.texts[node] = Text(free_name(node.name or "x", self.taken), ATOM)
        for node in self.nodes:
            if node not in self.texts:
                self.write(node)
        new = self.update()
        texts = [self.final(node) for node in self.returned] + new
        lines = [*self.head(), *(f"    {entry}" for entry in self.entries), *self.end(texts)]
        imports = [f"{line}\n" for line in sorted(self.imports)]
        return "".join(imports) + "\n".join(lines) + "\n"

    def like_others(self) -> Iterator[Node]:
        """The values that are computed like at least three others that are used more than once: in the last
        turn of a loop, a value may be used once less."""
        kinds: dict[Any, list[Node]] = {}
        for node in self.nodes:
            if node.op in ELEMENTWISE and not node.number:
                args = tuple((arg.op, arg.shape, arg.value if arg.op == "const" else 0) for arg in node.args)
                kinds.setdefault((node.op, node.shape, str(args)), []).append(node)
        for nodes in kinds.values():
            if sum(self.uses[node] > 1 for node in nodes) >= ALIKE:
                yield from nodes

    def long_sums(self) -> Iterator[Node]:
        """The partial sums of sums of many terms, each of which has a line of its own: together these lines
        become a loop."""
        count: dict[Node, int] = {}
        for node in self.nodes:
            if node.op == "add":
                before = node.args[0]
                count[node] = 1 + (count.get(before, 0) if self.uses[before] == 1 else 0)
        for node in reversed(self.nodes):
            if count.get(node, 0) >= LONG_SUM:
                if self.uses[node.args[0]] == 1 and node.args[0] in count:
                    count[node.args[0]] = LONG_SUM
                yield node

    # -- values ---------------------------------------------------------------------------------------------

    def write(self, node: Node) -> None:
        """Write the line of a node, or keep its expression for the line that uses it."""
        if node.op == "const" and not node.shape:
            self.texts[node] = self.number(node)
        elif node.op in ("const", "array"):
            self.texts[node] = Text(self.array(node.value), ATOM)
        elif node.op in STATEMENTS:
            self.texts[node] = self.statements(node)
        else:
            text = self.call(node)
            self.texts[node] = self.line(node, text) if self.needs_line(node, text) else text

    def number(self, node: Node) -> Text:
        """A constant: a number, or a NumPy scalar."""
        value = np.asarray(node.value).item()
        text = literal(value, node.dtype)
        return as_text(text if node.number else f"np.{node.dtype.name}({text})")

    def call(self, node: Node) -> Text:
        """The expression of a node."""
        args = [self.operand(node, arg) for arg in node.args]
        if node.op == "call":
            return Text(call_text(node.value, [arg.text for arg in args], self.imports, self.keep), ATOM)
        if self.is_clip(node):
            inner = node.args[0]
            low, high = self.operand(inner, inner.args[1]), args[1]
            return Text(f"np.clip({self.operand(inner, inner.args[0]).text}, {low.text}, {high.text})", ATOM)
        return expression(node, args, self.array)

    def is_clip(self, node: Node) -> bool:
        """Whether a node is the minimum of a maximum, both with a number."""
        if node.op != "minimum" or node.number or node.args[0].op != "maximum":
            return False
        inner = node.args[0]
        are_numbers = is_number(node.args[1]) and is_number(inner.args[1])
        return are_numbers and self.uses[inner] == 1 and inner not in self.has_line

    def operand(self, node: Node, arg: Node) -> Text:
        """The text of an argument. A constant beside an array of its dtype is written as a number."""
        if node.op not in ELEMENTWISE or not is_number(arg) or arg.dtype.kind not in "fiub":
            return self.texts[arg]
        others = [x for x in node.args[node.op == "where" :] if not is_number(x)]
        if not arg.number and not any(x.dtype == arg.dtype and not x.number for x in others):
            return self.texts[arg]
        value = np.asarray(arg.args[0].value if arg.op == "full" else arg.value).item()
        is_beside_floats = any(x.dtype.kind == "f" for x in others)
        return as_text(short_literal(value, arg.dtype) if is_beside_floats else literal(value, arg.dtype))

    def needs_line(self, node: Node, text: Text) -> bool:
        """Whether a value has a line of its own."""
        if node in self.has_line or node.name is not None:
            return True
        if self.uses[node] > 1:
            return not self.is_light(node)
        return length(text.text) > LONGEST and not self.is_light(node) and node not in self.folded

    def is_light(self, node: Node) -> bool:
        """Whether a view is as short as its name would be."""
        if node.name is not None:
            return False
        if node.op == "full":
            return True
        if node.op == "getitem":
            return isinstance(node.value, int)
        return node.op == "transpose" and len(node.shape) == 2

    def line(self, node: Node, text: Text) -> Text:
        """Write a line, with the shape of the array behind it."""
        name = self.new_name(node)
        self.entries.append(Entry(name, text.text, shape_text(node)))
        return Text(name, ATOM)

    def new_name(self, node: Node) -> str:
        """A name for the value of a node: its own, or a word for the operation with a number."""
        if node.name:
            name = free_name(node.name, self.taken)
        else:
            word = self.word(node)
            self.counts[word] += 1
            name = f"{word}{MARK}{self.counts[word]}"
        if not node.number:
            self.kinds[name] = node.shape, str(node.dtype)
        return name

    def array(self, value: np.ndarray[Any, Any]) -> str:
        """The text of an array that the function refers to: its name, or how it is made if that is short."""
        text = short_array(value)
        return self.keep(value) if text is None else text

    def keep(self, value: Any, wish: str = "") -> str:
        """The name of an object that the program refers to; one name for equal arrays."""
        is_array = isinstance(value, np.ndarray)
        key = (value.shape, value.dtype.str, value.tobytes()) if is_array else id(value)
        if key not in self.kept:
            if is_array:
                wish = "places" if value.dtype.kind in "iu" else "mask" if value.dtype.kind == "b" else "data"
            self.kept[key] = free_name(wish or "argument", self.taken)
            self.constants[self.kept[key]] = value
        return self.kept[key]

    def statements(self, node: Node) -> Text:
        """An array that is made in several steps: a copy or zeros, and what is written into it."""
        args = [self.texts[arg] for arg in node.args]
        if node.op == "assemble":
            name = self.line(node, Text(f"np.zeros({node.shape}, {str(node.dtype)!r})", ATOM))
            for place, part in zip(node.value, args):
                index = index_text(place)
                self.entries.append(Entry("", f"{name.text}[{index}] += {part.text}"))
            return name
        base, x, *computed = args
        is_new = node.args[0].op == "full"
        name = self.line(node, base if is_new else Text(f"np.array({base.text})", ATOM))
        index = index_of(node, computed, self.array)
        if node.op == "put":
            self.entries.append(Entry("", f"{name.text}[{index}] = {x.text}"))
        else:
            where = f"({index})" if isinstance(node.value, tuple) else f"np.s_[{index}]"
            self.entries.append(Entry("", f"np.add.at({name.text}, {where}, {x.text})"))
        return name

    # -- new values of inputs -------------------------------------------------------------------------------

    def update(self) -> list[str]:
        """Write the new values of inputs into their arrays. Returns the texts of those that are numbers."""
        numbers = [self.final(new) for old, new in self.updates if not old.shape]
        arrays = [(old, new) for old, new in self.updates if old.shape]
        changed = {old for old, _ in arrays}
        for node in dict.fromkeys([*self.returned, *(new for _, new in arrays)]):
            if may_show(node, changed):
                name = f"kept{MARK}{len(self.entries)}"
                self.entries.append(Entry(name, f"{self.texts[node].text}.copy()", shape_text(node)))
                self.copies[node] = name
        for old, new in arrays:
            self.write_into(old, new)
        return numbers

    def write_into(self, old: Node, new: Node) -> None:
        """Write the new value of an array into it: in the line that computes it, if no later line reads the
        old value, otherwise at the end."""
        name, text = self.texts[old].text, self.final(new)
        place = next((i for i, entry in enumerate(self.entries) if entry.name == text), None)
        is_only = [x for _, x in self.updates].count(new) == 1 and new not in self.returned
        if place is None or not is_only or self.is_read_after(old, place) or new.op in STATEMENTS | VIEWS:
            self.entries.append(Entry("", f"{name}[...] = {text}"))
            return
        entry = self.entries[place]
        signs = {"add": "+", "subtract": "-", "multiply": "*"}
        if new.op in signs and new.args[0] is old and new.dtype == old.dtype:
            entry.text = f"{name} {signs[new.op]}= {self.operand(new, new.args[1]).text}"
        else:
            entry.text = f"{name}[...] = {entry.text}"
        entry.name = ""
        self.rename(text, name)

    def final(self, node: Node) -> str:
        """The text of a value at the end of the program."""
        return self.copies.get(node) or self.texts[node].text

    def is_read_after(self, old: Node, place: int) -> bool:
        """Whether a line after this one reads the memory of an input."""
        names = [self.texts[node].text for node in self.nodes if may_show(node, {old})]
        later = [entry.text for entry in self.entries[place + 1 :]]
        later += [self.final(node) for node in self.returned]
        return any(has_word(text, name) for text in later for name in names)

    def rename(self, name: str, new: str) -> None:
        """Give a value another name."""
        for entry in self.entries:
            entry.text = replaced(entry.text, name, new)
        for node, text in self.texts.items():
            self.texts[node] = Text(replaced(text.text, name, new), text.binds)

    # -- the first and the last line -------------------------------------------------------------------------

    def head(self) -> list[str]:
        """The head of the function, with the shapes of the arguments."""
        shapes = {self.texts[node].text: argument_text(node) for node in self.inputs}
        line = f"def program({', '.join(shapes)}):"
        if len(line) > WIDTH:
            arguments = [f"    {name},{'  # ' * bool(text)}{text}" for name, text in shapes.items()]
            return ["def program(", *arguments, "):"]
        return [line, *comment(f"{name}: {text}" for name, text in shapes.items() if text)]

    def end(self, texts: Sequence[str]) -> list[str]:
        """The line that returns the results."""
        line = f"    return ({', '.join(texts)}{',' * (len(texts) == 1)})"
        if len(line) <= WIDTH:
            return [line]
        inner = textwrap.wrap(", ".join(texts), WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
        return ["    return (", *inner, "    )"]


def read_by(node: Node) -> Sequence[Node]:
    """The arguments of a node as often as they are written: ``x * x`` is written ``x**2``."""
    return node.args[:1] if is_doubled(node) else node.args


def is_number(node: Node) -> bool:
    """Whether a node is a constant without axes."""
    return node.op in ("const", "full") and not node.shape


def comment(parts: Iterable[str]) -> list[str]:
    """Some parts, separated by commas, as lines of comments."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) < WIDTH:
            lines[-1] += f", {part}"
        else:
            lines.append(f"    # {part}")
    return lines


def may_show(node: Node, arrays: set[Node]) -> bool:
    """Whether a value may lie in the memory of some arrays: a view of one, or what a function that is called
    with one returns."""
    if node.op in VIEWS or node.op == "call":
        return any(may_show(arg, arrays) for arg in node.args)
    return node in arrays


def shape_text(node: Node) -> str:
    """The shape of an array as in ``100 x 16``; nothing for a number."""
    return " x ".join(map(str, node.shape))


def argument_text(node: Node) -> str:
    """The shape of an argument, and its dtype unless it is float64."""
    return f"{shape_text(node)}{f' {node.dtype}' * (node.dtype != float)}" if node.shape else ""


def length(text: str) -> int:
    """The length of an expression, whatever the numbers in its names: alike expressions are equally long."""
    return len(NUMBER.sub("", text))


def has_word(text: str, word: str) -> bool:
    """Whether a name occurs in a text."""
    return re.search(rf"(?<![\w.·]){word}(?![\w·])", text) is not None


def replaced(text: str, word: str, new: str) -> str:
    """A text with one name in place of another."""
    return re.sub(rf"(?<![\w.·]){word}(?![\w·])", new, text)
