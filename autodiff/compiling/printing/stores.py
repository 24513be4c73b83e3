"""What holds the values that a loop computes: a dict, or an array, if the program stacks them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .lines import indent_of
from .texts import replaced

ALIAS = re.compile(r"\s+([^\W\d][\w·]*) = ([^\W\d][\w·]*)(?:  #.*)?$")


class Store:
    """The entries of one name, ``h[0]``, ``h[1]``, ...

    Parameters
    ----------
    name
        The name.
    indices
        The indices of the entries.
    kinds
        The shapes and dtypes of the entries, None where they are not known.
    """

    def __init__(self, name: str, indices: range, kinds: set[Any]) -> None:
        self.name, self.indices = name, indices
        self.kind = kinds.pop() if len(kinds) == 1 else None
        entry = rf"(?<![\w.·]){name}\[(\d+)\]"
        self.entry = re.compile(entry)
        self.entries = re.compile(rf"{entry}(?:, {name}\[\d+\]){{2,}}")
        self.is_array = False

    def choose(self, lines: Sequence[str]) -> None:
        """Find whether the entries are stacked, so that an array holds them."""
        if self.kind is not None and not min(self.indices):
            wholes = (match for line in lines for match in self.entries.finditer(line) if is_stack(match))
            self.is_array = any(self.run(match) is not None for match in wholes)

    def run(self, match: re.Match[str]) -> range | None:
        """The indices of neighbours in a list, if they are evenly spaced."""
        numbers = [int(number) for number in self.entry.findall(match[0])]
        step = numbers[1] - numbers[0]
        if not step or numbers != list(range(numbers[0], numbers[-1] + (1 if step > 0 else -1), step)):
            return None
        return range(numbers[0], numbers[-1] + step, step)

    def shortened(self, line: str, variable: str) -> str:
        """A line with an expression in place of entries that follow each other."""

        def short(match: re.Match[str]) -> str:
            numbers = self.run(match)
            if numbers is None:
                return match[0]
            if self.is_array:
                return f"*{self.slice(numbers)}"
            return f"*[{self.name}[{variable}] for {variable} in {range_text(numbers)}]"

        line = self.entries.sub(short, line)
        line = re.sub(rf"np\.stack\(\[\*({self.name}(?:\[[\d:-]*\])?)\]\)", r"\1", line)
        return re.sub(r"\[\*(\[[^][]*\[\w+\] for [^][]*\])\]", r"\1", line)

    def slice(self, numbers: range) -> str:
        """The part of an array with these indices."""
        if len(numbers) == len(self.indices) and abs(numbers.step) == 1:
            return self.name if numbers.step == 1 else f"{self.name}[::-1]"
        start = str(numbers.start) if numbers.start or numbers.step != 1 else ""
        stop = str(numbers.stop) if 0 <= numbers.stop <= max(self.indices) else ""
        return f"{self.name}[{start}:{stop}{f':{numbers.step}' * (numbers.step != 1)}]"

    @property
    def made(self) -> str:
        """The text of the empty store."""
        if not self.is_array:
            return "{}"
        shape, dtype = self.kind or ((), "")
        return f"np.empty({(max(self.indices) + 1, *shape)}{'' if dtype == 'float64' else f', {dtype!r}'})"


def range_text(values: range) -> str:
    """The values of a variable as they are written after ``in``."""
    if values.step == -1:
        return f"reversed({range_text(values[::-1])})"
    start = f"{values.start}, " if values.start or values.step != 1 else ""
    return f"range({start}{values.stop}{f', {values.step}' * (values.step != 1)})"


def is_stack(match: re.Match[str]) -> bool:
    """Whether the entries are all that is stacked."""
    return match.string[: match.start()].endswith("np.stack([") and match.string[match.end() :][:2] == "])"


def with_stores(lines: list[str], stores: Sequence[Store], variable: str) -> list[str]:
    """The lines, with each store made before its first entry, and before a loop around it."""
    for store in stores:
        store.choose(lines)
        lines = [store.shortened(line, variable) for line in lines]
    lines = without_aliases(lines, {store.name for store in stores})
    for store in stores:
        entry = re.compile(rf"(?<![\w.·]){store.name}\[")
        place = next(i for i, line in enumerate(lines) if entry.search(line))
        around = place
        while indent_of(lines[around]) >= indent_of(lines[place]) and lines[around].strip():
            around -= 1
        if lines[around].lstrip().startswith(f"for {variable} in "):
            place = around
        lines.insert(place, f"{indent_of(lines[place])}{store.name} = {store.made}")
    return lines


def without_aliases(lines: list[str], names: set[str]) -> list[str]:
    """The lines without those that give a store a second name."""
    for line in list(lines):
        match = ALIAS.match(line)
        if match and match[2] in names:
            lines.remove(line)
            lines = [replaced(other, match[1], match[2]) for other in lines]
    return lines
