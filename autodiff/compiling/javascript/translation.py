"""A program in JavaScript, line for line beside the Python that a reader sees.

The writers are those of the Python, with another language. Which values have a line is decided by the Python,
so that each line has its counterpart.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..language import Text, Writer
from ..nodes import VIEWS, ProgramNode, reachable
from ..numbers import NumberWriter, is_of_numbers
from ..printing.printer import Entry, Printer
from ..printing.rolling import unrolled_names
from ..printing.texts import MARK
from ..program import DROPPED, Program
from .language import JAVASCRIPT, NAMES, array_text, index_parts, refused
from .shaking import runtime

WIDTH = 110
SHARED = VIEWS | {"input", "array", "call", "part", "pick", "ascontiguousarray"}
"""The operations whose result may lie in the memory of another value."""

CALLED = re.compile(r"\bnd\.(\w+)")
MARKED = re.compile(rf"[^\W\d]\w*{MARK}\d+")


class Line(NamedTuple):
    """A line of a program in both languages. ``name`` is the value that it computes, empty for a line that
    changes an array, and ``comment`` the shape of that value."""

    name: str
    python: str
    javascript: str
    comment: str


class Translation(NamedTuple):
    """A program in JavaScript.

    Attributes
    ----------
    arguments
        The names of its arguments.
    lines
        The lines of its body.
    results
        The texts of what it returns.
    constants
        The texts of the arrays that it refers to, by name.
    of_numbers
        Whether all its values are numbers.
    """

    arguments: list[str]
    lines: list[Line]
    results: list[str]
    constants: dict[str, str]
    of_numbers: bool

    @property
    def functions(self) -> set[str]:
        """The names of the functions of the runtime that it calls."""
        texts = [*(line.javascript for line in self.lines), *self.results, *self.constants.values()]
        return {name for text in texts for name in CALLED.findall(text)}

    def text(self, name: str) -> str:
        """The text of a JavaScript function of this name, which returns a list of the results."""
        lines = [f"{line.javascript}{f'  // {line.comment}' * bool(line.comment)}" for line in self.lines]
        body = [*lines, *returned(self.results)]
        head = [f"function {name}({', '.join(self.arguments)}) {{"]
        if len(head[0]) > WIDTH:
            arguments = textwrap.wrap(", ".join(self.arguments), WIDTH - 2)
            head = [f"function {name}(", *(f"  {each}" for each in arguments), ") {"]
        text = "\n".join([*head, *(f"  {line}" for line in body), "}\n"])
        if not self.constants:
            return text
        made = [f"  const {each} = {value};" for each, value in self.constants.items()]
        inner = textwrap.indent(text.rstrip("\n"), "  ")
        return "\n".join([f"const {name} = (() => {{", *made, f"  return {inner.lstrip()};", "})();\n"])


def returned(results: list[str]) -> list[str]:
    """The lines that return results."""
    line = f"return [{', '.join(results)}];"
    if len(line) <= WIDTH:
        return [line]
    inner = textwrap.wrap(", ".join(results), WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return ["return [", *(f"  {each}" for each in inner), "];"]


def module(programs: Mapping[str, Translation], calls: Iterable[str] = (), *, minify: bool = False) -> str:
    """Programs as functions, each under its name, below the part of the runtime that they call, ``nd``.

    ``calls`` names further functions of the runtime, for scripts that call the programs. Programs of numbers
    alone, of which no other kind is there, get functions of numbers.
    """
    names = {*calls}.union(*(each.functions for each in programs.values()))
    of_numbers = all(each.of_numbers for each in programs.values())
    needed = [runtime(names, minify=minify, of_numbers=of_numbers)] if names else []
    return "\n".join([*needed, *(each.text(name) for name, each in programs.items())])


def exported(program: Translation, *, minify: bool = False) -> str:
    """A program as a module that exports it, and ``nd`` with the functions that make arrays of its arguments
    and lists of its results."""
    calls = () if program.of_numbers else ("array", "tolist")
    names = "program" if program.of_numbers else "nd, program"
    return f"{module({'program': program}, calls, minify=minify)}\nexport {{{names}}};\n"


def translated(fast: Any) -> Translation:
    """The latest program of a compiled function in JavaScript.

    Raises
    ------
    NotImplementedError
        For an operation or a dtype that the JavaScript runtime does not have, and for a program whose
        numbers were packed into arrays, if it is a large one.
    RuntimeError
        Before the first call.
    """
    return translation_of(fast._entry().program)


def translation_of(program: Program) -> Translation:
    """A program in JavaScript."""
    for node in reachable(program.results):
        if node.op == DROPPED:
            raise NotImplementedError(
                "the program is too large: ad.compile has packed its numbers into arrays. Compute with "
                "arrays, or leave out the pass 'pack'"
            )
        if reason := refused(node):
            raise NotImplementedError(f"{reason}; {node.name or node.op} is {node.dtype}")
    if program.results and is_of_numbers(program.results):
        return of_numbers(program)
    return of_arrays(program)


# -- programs of numbers ------------------------------------------------------------------------------------


class JavaScript(Writer):
    """What both writers share: names that JavaScript allows, and indices. ``python`` has written the same."""

    python: Any

    def python_lines(self) -> Iterator[tuple[str, str]]:
        """The name and the text of each line in Python."""
        raise NotImplementedError

    def new_name(self, wish: str) -> str:
        """A name that JavaScript allows, too."""
        return super().new_name(f"{wish}_" if wish in NAMES else wish)

    def called(self, node: ProgramNode, args: Sequence[Text]) -> Text:
        """The call of a node. Raises NotImplementedError, with the line, for one without a counterpart."""
        try:
            return super().called(node, args)
        except NotImplementedError as error:
            text = self.python.texts[node].text
            lines = [f"{name} = {line}" for name, line in self.python_lines() if name == text]
            raise NotImplementedError(f"{error}: {plain_names([*lines, text][0])}") from None

    def index(self, node: ProgramNode, computed: Any, index: Any = None) -> str:
        """An index as the arguments of a call."""
        remaining = iter(computed)
        return index_parts(
            node.value if index is None else index,
            lambda part: self.array(part) if isinstance(part, (np.ndarray, list)) else next(remaining),
        )

    def array(self, value: Any) -> str:
        """The name of an array that the program refers to."""
        return self.keep(np.asarray(value), "places")


class Numbers(JavaScript, NumberWriter):
    """Writes a program of numbers."""

    def __init__(self, program: Program, python: NumberWriter) -> None:
        self.python = python
        super().__init__(program.inputs, program.results, program.words, JAVASCRIPT)

    def python_lines(self) -> Iterator[tuple[str, str]]:
        """The name and the text of each line in Python."""
        yield from self.python.lines

    def needs_line(self, node: ProgramNode, text: Text) -> bool:
        """Whether a value is a variable in Python."""
        return self.python.has_line[node]


def of_numbers(program: Program) -> Translation:
    """A program of numbers, in which each value is one."""
    python = NumberWriter(program.inputs, program.results, program.words)
    script = Numbers(program, python)
    lines = [
        Line(name, f"{old} = {text}", f"const {name} = {script_text};", "")
        for (old, text), (name, script_text) in zip(python.lines, script.lines, strict=True)
    ]
    return Translation(script.arguments, lines, script.returned, {}, True)


# -- programs of arrays -------------------------------------------------------------------------------------


class Arrays(JavaScript, Printer):
    """Writes a program of arrays."""

    def __init__(self, program: Program, python: Printer) -> None:
        self.python = python
        super().__init__(
            program.inputs, program.results, program.updated, python.word, python.words, JAVASCRIPT
        )

    def python_lines(self) -> Iterator[tuple[str, str]]:
        """The name and the text of each line in Python."""
        yield from ((entry.name, entry.text) for entry in self.python.entries)

    def needs_line(self, node: ProgramNode, text: Text) -> bool:
        """Whether a value has a line in Python, as soon as it is computed."""
        return node in self.python.variables and node not in self.delayed

    @functools.cached_property
    def delayed(self) -> set[ProgramNode]:
        """The values that get a line when the expression that contains them has become too long."""
        return {node for nodes in self.python.divided.values() for node in nodes}

    def short_call(self, node: ProgramNode) -> Text:
        """The expression of a node, divided where the Python is."""
        for arg in self.python.divided.get(node, ()):
            self.texts[arg] = self.line(arg, self.texts[arg])
        return self.call(node)

    def beside_floats(self, value: Any, dtype: Any) -> Text:
        """A number, of which 2.0 is a 2 anyway."""
        return self.language.literal(value, dtype)

    def final(self, node: ProgramNode) -> str:
        """The text of a result, which shares no memory with another value."""
        text = super().final(node)
        is_own = node.number or node.op not in SHARED or text.startswith("nd.copy(") or node in self.copies
        is_new = any(new is node for _, new in self.updates)
        return text if is_own or is_new else f"nd.copy({text})"


def plain_names(text: str) -> str:
    """A text with the numbers of names that the program would give."""
    return text.replace(MARK, "_")


def of_arrays(program: Program) -> Translation:
    """A program of arrays and numbers."""
    python = Printer(program.inputs, program.results, program.updated, words=program.words)
    final = unrolled_names(python.text, python.kinds, python.from_variables)
    script = Arrays(program, python)
    results = script.results
    lines = [line_of(*pair) for pair in zip(python.entries, script.entries, strict=True)]

    def named(text: str) -> str:
        return MARKED.sub(lambda match: final.get(match[0], plain_names(match[0])), text)

    arguments = [script.texts[node].text for node in program.inputs]
    return Translation(
        arguments,
        [Line(*map(named, line)) for line in lines],
        [*map(named, results)],
        {name: array_text(array) for name, array in script.constants.items()},
        False,
    )


def line_of(python: Entry, script: Entry) -> Line:
    """A line from its forms in both languages."""
    plain = Entry(python.name, python.text)
    text = f"const {script.name} = {script.text};" if script.name else f"{script.text};"
    return Line(script.name, str(plain), text, python.comment)
