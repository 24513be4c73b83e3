"""The lines of a source, split at what may change from turn to turn of a loop: at the names of values and at
whole numbers; and the runs of alike lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

LONGEST = 60  # lines in one turn of a loop
FEWEST = 3  # turns
WORD = r"[^\W\d][\w·]*"
TOKEN = re.compile(rf"'[^']*'|\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+|{WORD}|\d+")
ASSIGNED = re.compile(rf"\s+({WORD}) = ")


class LinePart(NamedTuple):
    """What may change in a line: the value that an earlier line computes, or a whole number."""

    is_value: bool
    number: int  # the place of the line that computes the value, or the number itself


class Line(NamedTuple):
    """A line as the texts between its parts, and the parts."""

    texts: tuple[str, ...]
    parts: tuple[LinePart, ...]

    @property
    def kind(self) -> tuple[object, ...]:
        """What two lines share that differ only in their parts."""
        return self.texts, tuple(part.is_value for part in self.parts)


class Loop(NamedTuple):
    """A run of alike lines: where it begins, how many lines a turn has, and how many turns there are."""

    start: int
    length: int
    turns: int

    @property
    def end(self) -> int:
        """The place after its last line."""
        return self.start + self.length * self.turns


class Progression(NamedTuple):
    """A part of the lines of a loop: its numbers, one for each turn."""

    line: int  # the place of the line in the first turn
    is_value: bool
    numbers: tuple[int, ...]

    @property
    def first(self) -> int:
        """The number in the first turn."""
        return self.numbers[0]

    @property
    def moves(self) -> bool:
        """Whether the number changes from turn to turn."""
        return len({*self.numbers}) > 1


def places_of_names(texts: Sequence[str]) -> dict[str, int]:
    """For each name that is assigned once, inside of a function, the place of that line."""
    found = [(match[1], place) for place, text in enumerate(texts) if (match := ASSIGNED.match(text))]
    counts = Counter(name for name, _ in found)
    heads = {word for text in texts if text.lstrip().startswith("def ") for word in TOKEN.findall(text)}
    return {name: place for name, place in found if counts[name] == 1 and name not in heads}


def parsed(text: str, places: dict[str, int]) -> Line:
    """A line, split at its parts."""
    texts, parts, end = [], [], 0
    for token in TOKEN.finditer(text):
        word = token[0]
        if text.endswith(".", 0, token.start()):
            continue
        if word in places:
            part = LinePart(True, places[word])
        elif word.isdigit():
            part = LinePart(False, int(word))
        else:
            continue
        texts.append(text[end : token.start()])
        parts.append(part)
        end = token.end()
    return Line((*texts, text[end:]), tuple(parts))


def found_loops(lines: Sequence[Line]) -> list[Loop]:
    """The runs of alike lines that save the most, from the first line to the last."""
    loops: list[Loop] = []
    place = 0
    while place < len(lines):
        candidates = (Loop(place, n, turns(lines, place, n)) for n in range(1, LONGEST + 1))
        best = max(candidates, key=lambda loop: (loop.turns - 1) * loop.length, default=None)
        if best is None or best.turns < FEWEST or not lines[place].parts:
            place += 1
            continue
        loops.append(best)
        place = best.end
    return loops


def turns(lines: Sequence[Line], start: int, length: int) -> int:
    """How often the lines from a place repeat, with parts that change by the same step each time."""
    if start + FEWEST * length > len(lines) or lines[start].kind != lines[start + length].kind:
        return 1
    count = 1
    while start + (count + 1) * length <= len(lines) and all(
        is_next(lines, start + place, length, count) for place in range(length)
    ):
        count += 1
    if count >= FEWEST and start + (count + 1) * length <= len(lines):
        places = range(start, start + length)
        count += all(is_next(lines, place, length, count, is_last=True) for place in places)
    return count


def is_next(lines: Sequence[Line], first: int, length: int, count: int, is_last: bool = False) -> bool:
    """Whether a line is the one of a turn before, a step further. In the first and in the last turn, a value
    that changes may come from anywhere: what a loop begins with may be computed elsewhere."""
    start, line = lines[first], lines[first + count * length]
    if line.kind != start.kind:
        return False
    if count == 1:
        return True
    second, third = lines[first + length], lines[first + 2 * length]
    for a, b, c, part in zip(start.parts, second.parts, third.parts, line.parts):
        step = c.number - b.number
        if part.number - b.number != (count - 1) * step and not (is_last and step and a.is_value):
            return False
        if b.number - a.number != step and not (step and a.is_value):
            return False
    return True


def progressions(lines: Sequence[Line], loop: Loop) -> Iterator[Progression]:
    """The parts of the lines of a loop, line by line."""
    for place in range(loop.start, loop.start + loop.length):
        alike = [lines[place + turn * loop.length].parts for turn in range(loop.turns)]
        for parts in zip(*alike):
            yield Progression(place, parts[0].is_value, tuple(part.number for part in parts))


def indent_of(line: str) -> str:
    """The spaces before a line."""
    return " " * (len(line) - len(line.lstrip()))
