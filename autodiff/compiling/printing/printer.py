"""The writer of a program for readers: a line for each value that is used more than once, or has a name, and
expressions for the others.

It leaves out where values lie in memory. ``writing`` writes the program that runs, from the same nodes.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..language import OPERATORS, Language, Text, Writer
from ..nodes import ELEMENTWISE, VIEWS, ProgramNode, reachable
from ..writing.names import word_for
from .expressions import READING, is_doubled, short_array, short_index_of, short_literal
from .rolling import rolled
from .texts import MARK, argument_text, end, has_word, head, length, replaced, shape_text

LONGEST = 70
"""An expression that is used once has no line of its own unless it has more characters than this."""
MOST, LEAST = 100, 25
"""An expression of more characters is divided, at an argument of at least so many."""

LONG_SUM = 4  # additions
ALIKE = 3  # values
STATEMENTS = frozenset(("put", "put_add", "assemble"))
IN_PLACE = frozenset(("add", "subtract", "multiply"))  # written as x += y


class Entry:
    """A line: the name that it assigns, and the text; or a statement, without a name."""

    def __init__(self, name: str, text: str, comment: str = "") -> None:
        self.name, self.text, self.comment = name, text, comment

    def __str__(self) -> str:
        line = f"{self.name} = {self.text}" if self.name else self.text
        return f"{line}  # {self.comment}" if self.comment else line


class Printer(Writer):
    """Writes a program for readers.

    Parameters
    ----------
    inputs, results, updated
        As :class:`autodiff.compiling.program.Program` has them.
    word
        Gives a word for a value that has no name and is not in ``words``.
    words
        The words for values that come from variables.
    language
        What it is written in.

    Attributes
    ----------
    constants
        The objects that the source refers to by name.
    imports
        The lines that import the functions that the program calls, besides NumPy's.
    kinds
        The shape and the dtype of each array that has a name.
    from_variables
        The names whose words come from variables.
    variables
        The name of each value that has a line.
    divided
        For each expression that was too long, the arguments that got a line for it.
    """

    def __init__(
        self,
        inputs: Sequence[ProgramNode],
        results: Sequence[ProgramNode],
        updated: Sequence[ProgramNode] = (),
        word: Callable[[ProgramNode], str] = word_for,
        words: Mapping[ProgramNode, str] | None = None,
        language: Language = READING,
    ) -> None:
        super().__init__(("np", "program"))
        self.language = language
        count = len(results) - len(updated)
        self.inputs, self.returned, self.word = inputs, list(results[:count]), word
        self.updates = list(zip(updated, results[count:], strict=True))
        self.entries: list[Entry] = []
        self.imports: set[str] = set()
        self.kinds: dict[str, tuple[tuple[int, ...], str]] = {}
        self.texts: dict[ProgramNode, Text] = {}
        self.copies: dict[ProgramNode, str] = {}  # of what is overwritten before the end
        self.words = words or {}
        self.from_variables: set[str] = set()
        self.variables: dict[ProgramNode, str] = {}
        self.divided: dict[ProgramNode, list[ProgramNode]] = {}
        self.nodes = reachable(results)
        self.uses = Counter(arg for node in self.nodes for arg in read_by(node)) + Counter(results)
        for node in reversed(self.nodes):
            shows = node.op in VIEWS or node.op == "part"
            if shows and self.is_light(node):  # the array that it shows is used as often
                self.uses[node.args[0]] += self.uses[node] - 1
        self.has_line = {node for node in results if node.args} | set(self.long_sums())
        self.has_line |= set(self.like_others())
        self.folded = {node.args[0] for node in self.nodes if self.is_clip(node)}
        self.folded |= {new.args[1] for _, new in self.updates if new.op == "subtract"}

    @functools.cached_property
    def results(self) -> list[str]:
        """The texts of the results. The lines are written when they are first asked for."""
        for node in self.inputs:
            self.texts[node] = Text(self.new_name(node.name or "x"))
        for node in self.nodes:
            if node not in self.texts:
                self.write(node)
        new = self.update()
        return [self.final(node) for node in self.returned] + new

    @functools.cached_property
    def text(self) -> str:
        """The program as a function of its inputs that returns the tuple of its results."""
        results = self.results
        shapes = {self.texts[node].text: argument_text(node) for node in self.inputs}
        lines = [*head(shapes), *(f"    {entry}" for entry in self.entries), *end(results)]
        imports = [f"{line}\n" for line in sorted(self.imports)]
        return "".join(imports) + "\n".join(lines) + "\n"

    def like_others(self) -> Iterator[ProgramNode]:
        """The values that are computed like at least three others that are used more than once: in the last
        turn of a loop, a value may be used once less."""
        kinds: dict[Any, list[ProgramNode]] = {}
        for node in self.nodes:
            if node.op in ELEMENTWISE and not node.number:
                args = tuple((arg.op, arg.shape, arg.value if arg.op == "const" else 0) for arg in node.args)
                kinds.setdefault((node.op, node.shape, str(args)), []).append(node)
        for nodes in kinds.values():
            if sum(self.uses[node] > 1 for node in nodes) >= ALIKE:
                yield from nodes

    def long_sums(self) -> Iterator[ProgramNode]:
        """The partial sums of sums of many terms, each of which has a line of its own: together these lines
        become a loop."""
        count: dict[ProgramNode, int] = {}
        for node in self.nodes:
            if node.op == "add":
                before = node.args[0]
                count[node] = 1 + (count.get(before, 0) if self.uses[before] == 1 else 0)
        for node in reversed(self.nodes):
            if count.get(node, 0) >= LONG_SUM:
                if self.uses[node.args[0]] == 1 and node.args[0] in count:
                    count[node.args[0]] = LONG_SUM
                yield node

    @functools.cached_property
    def rolled(self) -> str:
        """The text with loops."""
        return rolled(self.text, self.kinds, self.from_variables)

    # -- values ---------------------------------------------------------------------------------------------

    def write(self, node: ProgramNode) -> None:
        """Write the line of a node, or keep its expression for the line that uses it."""
        if node.op == "const" and not node.shape:
            self.texts[node] = self.number(node)
        elif node.op in ("const", "array"):
            self.texts[node] = Text(self.array(node.value))
        elif node.op in STATEMENTS:
            self.texts[node] = self.statements(node)
        else:
            text = self.short_call(node)
            self.texts[node] = self.line(node, text) if self.needs_line(node, text) else text

    def number(self, node: ProgramNode) -> Text:
        """A constant: a number, or a NumPy scalar."""
        value = np.asarray(node.value).item()
        text = self.language.literal(value, None if node.number else node.dtype)
        return text if node.number else Text(self.language.scalar.format(text=text, dtype=node.dtype.name))

    def short_call(self, node: ProgramNode) -> Text:
        """The expression of a node. While it is too long for a line, its longest argument gets a line."""
        text = self.call(node)
        while length(text.text) > MOST:
            args = [arg for arg in node.args if length(self.texts[arg].text) > LEAST and arg.args]
            if not args:
                break
            longest = max(args, key=lambda arg: length(self.texts[arg].text))
            self.texts[longest] = self.line(longest, self.texts[longest])
            self.divided.setdefault(node, []).append(longest)
            text = self.call(node)
        return text

    def call(self, node: ProgramNode) -> Text:
        """The expression of a node."""
        args = [self.operand(node, arg) for arg in node.args]
        if self.is_clip(node):
            inner = node.args[0]
            low, high = self.operand(inner, inner.args[1]), args[1]
            x = self.operand(inner, inner.args[0])
            return Text(self.language.statements["clip"].format(x, low, high))
        return self.called(node, args)

    def is_clip(self, node: ProgramNode) -> bool:
        """Whether a node is the minimum of a maximum, both with a number."""
        if node.op != "minimum" or node.number or node.args[0].op != "maximum":
            return False
        inner = node.args[0]
        are_numbers = is_number(node.args[1]) and is_number(inner.args[1])
        return are_numbers and self.uses[inner] == 1 and inner not in self.has_line

    def operand(self, node: ProgramNode, arg: ProgramNode) -> Text:
        """The text of an argument. A constant beside an array of its dtype is written as a number."""
        if node.op not in ELEMENTWISE or not is_number(arg) or arg.dtype.kind not in "fiub":
            return self.texts[arg]
        others = [x for x in node.args[node.op == "where" :] if not is_number(x)]
        has_its_dtype = any(x.dtype == arg.dtype and not x.number for x in others)
        if not arg.number and not has_its_dtype:
            return self.texts[arg]
        value = np.asarray(arg.args[0].value if arg.op == "full" else arg.value).item()
        is_beside_floats = any(x.dtype.kind == "f" for x in others)
        dtype = arg.dtype if has_its_dtype else None
        return self.beside_floats(value, dtype) if is_beside_floats else self.language.literal(value, dtype)

    def beside_floats(self, value: Any, dtype: np.dtype[Any] | None) -> Text:
        """The text of a number beside an array of floats."""
        return short_literal(value, dtype)

    def needs_line(self, node: ProgramNode, text: Text) -> bool:
        """Whether a value has a line of its own."""
        if node in self.has_line or node.name is not None:
            return True
        if self.is_light(node):
            return False
        return self.uses[node] > 1 or (length(text.text) > LONGEST and node not in self.folded)

    def is_light(self, node: ProgramNode) -> bool:
        """Whether a value is written out wherever it is used: a view that is as short as a name, or an array
        with one value everywhere."""
        if node.name is not None:
            return False
        if node.op in ("full", "part"):
            return True
        if node.op == "getitem":
            return isinstance(node.value, int)
        return node.op == "transpose" and len(node.shape) == 2

    def line(self, node: ProgramNode, text: Text) -> Text:
        """Write a line, with the shape of the array behind it."""
        name = self.variables[node] = self.name_of(node)
        self.entries.append(Entry(name, text.text, shape_text(node)))
        return Text(name)

    def name_of(self, node: ProgramNode) -> str:
        """A name for the value of a node: its own, or a word for the operation with a number."""
        if node.name:
            name = self.new_name(node.name)
        else:
            word = self.words.get(node) or ("clipped" if self.is_clip(node) else self.word(node))
            name = self.numbered(word, MARK)
            if node in self.words:
                self.from_variables.add(name)
        if not node.number:
            self.kinds[name] = node.shape, str(node.dtype)
        return name

    def array(self, value: np.ndarray[Any, Any]) -> str:
        """The text of an array that the function refers to: its name, or how it is made if that is short."""
        text = short_array(value)
        return self.keep(value, "data") if text is None else text

    def keep(self, value: Any, wish: str, key: Hashable = None) -> str:
        """The name of an object that the program refers to; one name for equal arrays."""
        if isinstance(value, np.ndarray):
            wish = "places" if value.dtype.kind in "iu" else "mask" if value.dtype.kind == "b" else "data"
            key = value.shape, value.dtype.str, value.tobytes()
        return super().keep(value, wish, key)

    def statements(self, node: ProgramNode) -> Text:
        """An array that is made in several steps: a copy or zeros, and what is written into it."""
        args, write = [self.texts[arg] for arg in node.args], self.language.statements
        if node.op == "assemble":
            name = self.line(node, Text(write["zeros"].format(node=node, shape=list(node.shape))))
            for place, part in zip(node.value, args):
                index = self.index(node, (), place)
                self.entries.append(Entry("", write["add"].format(name=name, index=index, text=part)))
            return name
        base, x, *computed = args
        is_new = node.args[0].op == "full"
        name = self.line(node, base if is_new else Text(write["copy"].format(base)))
        index = short_index_of(self, node, computed)
        where = f"({index})" if isinstance(node.value, tuple) else f"np.s_[{index}]"
        text = write["set" if node.op == "put" else "add_at"]
        self.entries.append(Entry("", text.format(name=name, index=index, where=where, text=x)))
        return name

    # -- new values of inputs -------------------------------------------------------------------------------

    def update(self) -> list[str]:
        """Write the new values of inputs into their arrays. Returns the texts of those that are numbers."""
        numbers = [self.final(new) for old, new in self.updates if not old.shape]
        arrays = [(old, new) for old, new in self.updates if old.shape]
        changed = {old for old, _ in arrays}
        for node in dict.fromkeys([*self.returned, *(new for _, new in arrays)]):
            if self.shown.get(node, set()) & changed:
                name = f"kept{MARK}{len(self.entries)}"
                text = self.language.statements["kept"].format(self.texts[node].text)
                self.entries.append(Entry(name, text, shape_text(node)))
                self.copies[node] = name
        for old, new in arrays:
            self.write_into(old, new)
        return numbers

    @functools.cached_property
    def shown(self) -> dict[ProgramNode, set[ProgramNode]]:
        """For each value, the updated inputs in whose memory it may lie: it may be a view of one, or what a
        function that is called with one returns."""
        found = {old: {old} for old, _ in self.updates}
        for node in self.nodes:
            if node.op in VIEWS or node.op in ("call", "part", "pick", "ascontiguousarray"):
                found[node] = set().union(*(found.get(arg, set()) for arg in node.args))
        return found

    def write_into(self, old: ProgramNode, new: ProgramNode) -> None:
        """Write the new value of an array into it: in the line that computes it, if no later line reads the
        old value, otherwise at the end."""
        name, text, write = self.texts[old].text, self.final(new), self.language.statements
        place = next((i for i, entry in enumerate(self.entries) if entry.name == text), None)
        is_only = [x for _, x in self.updates].count(new) == 1 and new not in self.returned
        if place is None or not is_only or self.is_read_after(old, place) or new.op in STATEMENTS | VIEWS:
            self.entries.append(Entry("", write["fill"].format(name=name, text=text)))
            return
        entry = self.entries[place]
        if new.op in IN_PLACE and new.args[0] is old and new.dtype == old.dtype:
            operand = self.operand(new, new.args[1])
            entry.text = write["change"].format(
                name=name, sign=OPERATORS[new.op][0], text=operand, node=new
            )
        else:
            entry.text = write["fill"].format(name=name, text=entry.text)
        entry.name = entry.comment = ""
        self.rename(text, name)

    def final(self, node: ProgramNode) -> str:
        """The text of a value at the end of the program."""
        return self.copies.get(node) or self.texts[node].text

    def is_read_after(self, old: ProgramNode, place: int) -> bool:
        """Whether a line after this one reads the memory of an input."""
        shown = [self.texts[node].text for node in self.nodes if old in self.shown.get(node, ())]
        names = [text for text in shown if text.isidentifier()]
        later = [entry.text for entry in self.entries[place + 1 :]]
        return any(has_word(text, name) for text in later for name in names)

    def rename(self, name: str, new: str) -> None:
        """Give a value another name."""
        for entry in self.entries:
            entry.text = replaced(entry.text, name, new)
        for node, text in self.texts.items():
            self.texts[node] = Text(replaced(text.text, name, new), text.binds)


def read_by(node: ProgramNode) -> Sequence[ProgramNode]:
    """The arguments of a node as often as they are written: ``x * x`` is written ``x**2``."""
    return node.args[:1] if is_doubled(node) else node.args


def is_number(node: ProgramNode) -> bool:
    """Whether a node is a constant without axes."""
    return node.op in ("const", "full") and not node.shape
