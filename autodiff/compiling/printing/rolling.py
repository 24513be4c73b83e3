"""Source with runs of alike lines rolled into loops.

A program of a loop over a sequence repeats the same lines for each step of the sequence. ``rolled`` writes
them once, in a loop: what each turn computes is an entry of a dict, ``tanh[t]``, or of an array, if the
program stacks the entries. What it returns is Python too, and computes the same.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from .families import INDEXED, families_of, index_of, set_indices, sort_families
from .lines import TOKEN, Line, Loop, found_loops, indent_of, parsed, places_of_names, progressions
from .stores import Store, range_text, with_stores
from .texts import MARK, has_word, replaced

WIDTH = 110

ENDING = re.compile(r"(?<=.)_?\d+$")

Kinds = Mapping[str, tuple[tuple[int, ...], str]]


def rolled(source: str, kinds: Kinds | None = None, preferred: Container[str] = ()) -> str:
    """The source with each run of alike lines as a loop.

    Parameters
    ----------
    source
        The source of a function, with one statement in a line.
    kinds
        The shape and the dtype of the arrays among its values, by their names.
    preferred
        The names whose words are good names for all values that are computed like them.

    Example
    -------
    >>> print(rolled('''def program(x):
    ...     step1 = x * 2
    ...     step2 = step1 * 2
    ...     step3 = step2 * 2
    ...     step4 = step3 * 2
    ...     return step4 + step1
    ... '''))
    def program(x):
        step = {}
        step[0] = x * 2
        for t in range(1, 4):
            step[t] = step[t - 1] * 2
        return step[3] + step[0]
    <BLANKLINE>
    """
    return Rolling(source, kinds or {}, preferred).text()


def unrolled_names(source: str, kinds: Kinds, preferred: Container[str]) -> dict[str, str]:
    """The names that ``rolled`` gives to the values of a source without loops, by their names in it."""
    rolling = Rolling(source, kinds, preferred, rolls=False)
    return {name: rolling.names[place] for name, place in rolling.places.items()}


class Rolling:
    """A source, its loops and the names of its values."""

    def __init__(
        self, source: str, kinds: Kinds, preferred: Container[str], rolls: bool = True
    ) -> None:
        self.preferred = preferred
        self.texts = source.split("\n")
        self.kinds = kinds
        self.places = places_of_names(self.texts)
        self.lines = [parsed(text, self.places) for text in self.texts]
        self.loops, self.families = families_of(self.lines, found_loops(self.lines) if rolls else [])
        sort_families(self.lines, self.loops, self.families)
        self.variables = set_indices(self.lines, self.loops, self.families)
        self.words = {match[0] for match in TOKEN.finditer(source) if source[match.start() - 1] != "."}
        self.words -= self.places.keys()
        self.numbered: dict[str, list[str]] = {}
        self.names = self.names_of_values()
        self.variable = free("t", self.words)

    # -- names ----------------------------------------------------------------------------------------------

    def names_of_values(self) -> dict[int, str]:
        """The name of each value, by the place of its line; a family has one."""
        units: dict[Any, str] = {}  # each family or single value, with its word
        given: dict[int, str] = {}
        is_marked = any(MARK in name for name in self.places)
        for name, place in sorted(self.places.items(), key=lambda item: item[1]):
            family = self.families.get(place)
            if family is None and MARK not in name:
                given[place] = free(name, self.words)
            elif family is not None and (name in self.preferred or (MARK not in name and is_marked)):
                units[family] = name.partition(MARK)[0]  # the name of one member is that of all
            else:
                word = name.partition(MARK)[0] if is_marked else ENDING.sub("", name)
                units.setdefault(place if family is None else family, word)
        counts = Counter(units.values())
        numbers: Counter[str] = Counter()
        found: dict[Any, str] = {}
        for unit, word in units.items():
            is_alone = counts[word] == 1 or not is_marked
            if is_alone and word not in self.words and not hasattr(builtins, word):
                found[unit] = free(word, self.words)
                continue
            numbers[word] += 1
            while f"{word}{numbers[word]}" in self.words:
                numbers[word] += 1
            found[unit] = free(f"{word}{numbers[word]}", self.words)
            if not hasattr(builtins, word):
                self.numbered.setdefault(word, []).append(found[unit])
        given |= {place: found[place] for place in found if isinstance(place, int)}
        return given | {place: found[family] for place, family in self.families.items()}

    def value(self, place: int) -> str:
        """The text of a value outside of the loop that computes it."""
        family = self.families.get(place)
        if family is None or family.kind != INDEXED:
            return self.names[place]
        return f"{self.names[place]}[{family.index(place)}]"

    # -- lines ----------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The source with its loops."""
        out: list[str] = []
        begins = {loop.start: loop for loop in self.loops}
        place = 0
        while place < len(self.lines):
            loop = begins.get(place)
            if loop is None:
                out.append(joined(self.lines[place], map(self.part, self.lines[place].parts)))
                place += 1
            else:
                out += self.loop(loop)
                place = loop.end
        lines = self.without_gaps(with_stores(out, self.stores(), self.variable))
        return "\n".join(map(wrapped, lines))

    def without_gaps(self, lines: list[str]) -> list[str]:
        """The lines, with the numbers of names that are left numbered anew."""
        text = "\n".join(lines)
        for word, names in self.numbered.items():
            left = [name for name in names if has_word(text, name)]
            for old, new in zip(left, names if len(left) > 1 else [free(word, self.words)]):
                text = replaced(text, old, new)
        return text.split("\n")

    def part(self, part: Any) -> str:
        """The text of a part of a line outside of loops."""
        return self.value(part.number) if part.is_value else str(part.number)

    def loop(self, loop: Loop) -> Iterator[str]:
        """The lines of a loop."""
        variable = self.variables[loop]
        yield f"{indent_of(self.texts[loop.start])}for {self.variable} in {range_text(variable)}:"
        remaining = progressions(self.lines, loop)
        for place in range(loop.start, loop.start + loop.length):
            line = self.lines[place]
            parts = [self.moving(next(remaining), variable) for _ in line.parts]
            yield f"    {joined(line, parts)}"

    def moving(self, progression: Any, variable: range) -> str:
        """The text of a part of a line in a loop."""
        if not progression.moves:
            return self.value(progression.first) if progression.is_value else str(progression.first)
        if not progression.is_value:
            step = progression.numbers[1] - progression.first
            return in_terms_of(self.variable, progression.first, step, variable)
        name = self.names[progression.first]
        if self.families[progression.first].kind != INDEXED:
            return name
        return f"{name}[{in_terms_of(self.variable, *index_of(progression, self.families), variable)}]"

    def stores(self) -> list[Store]:
        """What holds the entries of each indexed family."""
        found = {family: self.names[place] for place, family in self.families.items()}
        by_place = {place: self.kinds.get(name) for name, place in self.places.items()}
        return [
            Store(name, family.indices(), {by_place[place] for place in family.members})
            for family, name in found.items()
            if family.kind == INDEXED
        ]


def joined(line: Line, parts: Iterable[str]) -> str:
    """A line with these texts of its parts. A sum is put in parentheses, unless brackets are around it."""
    out = [line.texts[0]]
    for part, text in zip(parts, line.texts[1:]):
        is_closed = part.isalnum() or part.endswith("]") or (out[-1][-1:] in "[:" and text[:1] in ("]", ":"))
        out += [part if is_closed or part.isidentifier() else f"({part})", text]
    return "".join(out)


def wrapped(line: str) -> str:
    """A line; a long one that joins arrays in a list is divided into a line for each of them."""
    start = line.find("([") + 2
    if len(line) <= WIDTH or start < 2:
        return line if len(line) <= WIDTH else line.partition("  # ")[0]  # a long line without its comment
    depth, cuts = 0, [start]
    for place in range(start, len(line)):
        depth += (line[place] in "([") - (line[place] in ")]")
        if depth < 0 or (depth == 0 and line[place] == ","):
            cuts.append(place + 1)
        if depth < 0:
            break
    if depth >= 0 or len(cuts) < 3:
        return line.partition("  # ")[0]
    indent = indent_of(line)
    parts = [f"{indent}    {line[a : b - 1].strip()}," for a, b in pairwise(cuts)]
    return "\n".join([line[:start], *parts, indent + line[cuts[-1] - 1 :]])


def in_terms_of(variable: str, first: int, step: int, values: range) -> str:
    """A number that begins at ``first`` and changes by ``step`` from turn to turn, as an expression of the
    variable of a loop."""
    if step % values.step:
        return f"{first} + {step} * ({variable} - {values.start}) // {values.step}"
    factor = step // values.step
    rest = first - factor * values.start
    text = variable if abs(factor) == 1 else f"{abs(factor)} * {variable}"
    if factor < 0:
        return f"{rest} - {text}"
    return text if not rest else f"{text} {'+' if rest > 0 else '-'} {abs(rest)}"


def free(wish: str, taken: set[str]) -> str:
    """A name that is not taken; it is taken from now on."""
    name, number = wish, 1
    while name in taken or keyword.iskeyword(name):
        number += 1
        name = f"{wish}_{number}"
    taken.add(name)
    return name
