"""Source with runs of alike lines rolled into loops, for reading.

A program of a loop over a sequence repeats the same lines for each step, with other numbers at the ends of
the names. ``rolled`` writes them once, in a loop: the names ``tanh1``, ``tanh2``, ... become the entries of a
dict, ``tanh[t]``. What it returns is Python too, and computes the same.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

LONGEST = 60  # lines in one turn of a loop
FEWEST = 3  # turns
TOKEN = re.compile(r"'[^']*'|\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+|[A-Za-z_]\w*|\d+")
NUMBERED = re.compile(r"([A-Za-z_]\w*?)(\d+)")
VARIABLE = "t"
ENTRIES = re.compile(r"([A-Za-z_]\w*)\[(\d+)\](?:, \1\[\d+\]){3,}")  # neighbours in a list
TYPES = frozenset(("float", "int", "uint"))  # float32 is no variable


class Part(NamedTuple):
    """A number in a line: one that ends a name, or one by itself."""

    name: str  # empty for one by itself
    number: int


class Line(NamedTuple):
    """A line as the texts between its numbers, and the numbers."""

    texts: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def kind(self) -> tuple[object, ...]:
        """What two lines share that differ in numbers alone."""
        return self.texts, tuple(part.name for part in self.parts)


class Loop(NamedTuple):
    """A run of alike lines: where it begins, how many lines a turn has, and how many turns there are."""

    start: int
    length: int
    turns: int


def rolled(source: str) -> str:
    """The source with each run of alike lines as a loop.

    Example
    -------
    >>> print(rolled('''def program(x):
    ...     step1 = x * 2
    ...     step2 = step1 * 2
    ...     step3 = step2 * 2
    ...     step4 = step3 * 2
    ...     return step4
    ... '''))
    def program(x):
        step = {}
        step[1] = x * 2
        for t in range(2, 5):
            step[t] = step[t - 1] * 2
        return step[4]
    <BLANKLINE>
    """
    fixed = fixed_names(source)
    lines = [parsed(text, fixed) for text in source.split("\n")]
    loops = found_loops(lines)
    families = {
        part.name
        for loop in loops
        for place in range(loop.length)
        for part, step in zip(lines[loop.start + place].parts, steps(lines, loop, place))
        if part.name and step
    }
    out: list[str] = []
    begins = {loop.start: loop for loop in loops}
    place = 0
    while place < len(lines):
        loop = begins.get(place)
        if loop is None:
            out.append(written(lines[place], families))
            place += 1
        else:
            out.extend(written_loop(lines, loop, families))
            place += loop.length * loop.turns
    return "\n".join(ENTRIES.sub(in_a_list, line) for line in with_dicts(out, families))


def fixed_names(source: str) -> set[str]:
    """The names that cannot become entries of a dict: those of functions and of their arguments, those that
    the source does not assign, and those that are used without a number too."""
    heads = re.findall(r"^\s*def .*$", source, flags=re.MULTILINE)
    words = [match[0] for match in TOKEN.finditer(source) if source[match.start() - 1] != "."]
    bare = {word for word in words if not NUMBERED.fullmatch(word)}
    arguments = [NUMBERED.fullmatch(word) for head in heads for word in TOKEN.findall(head)]
    numbered = {match[1] for match in arguments if match}
    called = {match[1] for match in re.finditer(r"([A-Za-z_]\w*?)\d+\(", source)}
    assigned = set(re.findall(r"^\s*([A-Za-z_]\w*) = ", source, flags=re.MULTILINE))
    given = {match[1] for word in words if word not in assigned and (match := NUMBERED.fullmatch(word))}
    return bare | numbered | called | given | TYPES


def parsed(text: str, fixed: set[str]) -> Line:
    """A line, split at its numbers."""
    texts, parts, end = [], [], 0
    for token in TOKEN.finditer(text):
        word = token[0]
        match = NUMBERED.fullmatch(word)
        if match and match[1] not in fixed and (match[2] == "0" or match[2][0] != "0"):
            part = Part(match[1], int(match[2]))
        elif word.isdigit() and not text[: token.start()].endswith("."):
            part = Part("", int(word))
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
        place += best.length * best.turns
    return loops


def turns(lines: Sequence[Line], start: int, length: int) -> int:
    """How often the lines from a place repeat, with numbers that change by the same step each time."""
    if start + 2 * length > len(lines) or lines[start].kind != lines[start + length].kind:
        return 1
    count = 1
    while start + (count + 1) * length <= len(lines) and all(
        is_next(lines, start + place, length, count) for place in range(length)
    ):
        count += 1
    return count


def is_next(lines: Sequence[Line], first: int, length: int, count: int) -> bool:
    """Whether a line is the one of a turn before, a step further."""
    start, second, line = lines[first], lines[first + length], lines[first + count * length]
    if line.kind != start.kind:
        return False
    return all(
        c.number - a.number == count * (b.number - a.number)
        for a, b, c in zip(start.parts, second.parts, line.parts)
    )


def steps(lines: Sequence[Line], loop: Loop, place: int) -> list[int]:
    """By how much each number of a line changes from turn to turn."""
    first, second = lines[loop.start + place], lines[loop.start + place + loop.length]
    return [b.number - a.number for a, b in zip(first.parts, second.parts)]


def written_loop(lines: Sequence[Line], loop: Loop, families: set[str]) -> list[str]:
    """A run of lines as a loop, whose variable takes the values of the most frequent numbers."""
    counts = collections.Counter(
        (part.number, step)
        for place in range(loop.length)
        for part, step in zip(lines[loop.start + place].parts, steps(lines, loop, place))
        if step
    )
    (first, step), _ = counts.most_common(1)[0] if counts else ((0, 1), 0)
    indent = indent_of(written(lines[loop.start], ()))
    stop = first + step * loop.turns
    out = [f"{indent}for {VARIABLE} in range({first}, {stop}{f', {step}' * (step != 1)}):"]
    for place in range(loop.length):
        line = lines[loop.start + place]
        numbers = [
            in_terms_of_t(part.number, change, first, step)
            for part, change in zip(line.parts, steps(lines, loop, place))
        ]
        out.append("    " + written(line, families, numbers))
    return out


def in_terms_of_t(number: int, change: int, first: int, step: int) -> str:
    """A number that begins at one value and changes by a step a turn, as an expression of the variable."""
    if not change:
        return str(number)
    if change % step:
        return f"{number} + {change} * ({VARIABLE} - {first}) // {step}"
    factor = change // step
    rest = number - factor * first
    text = VARIABLE if abs(factor) == 1 else f"{abs(factor)} * {VARIABLE}"
    if factor < 0:
        return f"{rest} - {text}"
    return text if not rest else f"{text} {'+' if rest > 0 else '-'} {abs(rest)}"


def written(line: Line, families: Iterable[str], numbers: Sequence[str] | None = None) -> str:
    """A line as text, with the names of a family as entries of its dict."""
    out = [line.texts[0]]
    for place, (part, text) in enumerate(zip(line.parts, line.texts[1:])):
        number = str(part.number) if numbers is None else numbers[place]
        is_bracketed = part.name or (out[-1].endswith("[") and text.startswith("]"))
        if not (is_bracketed or number.isalnum()):
            number = f"({number})"
        out.append(f"{part.name}[{number}]" if part.name in families else f"{part.name}{number}")
        out.append(text)
    return "".join(out)


def in_a_list(match: re.Match[str]) -> str:
    """Entries of one dict that follow each other in a list, in one expression, if their numbers are evenly
    spaced."""
    numbers = [int(number) for number in re.findall(r"\[(\d+)\]", match[0])]
    step = numbers[1] - numbers[0]
    if not step or numbers != list(range(numbers[0], numbers[-1] + (1 if step > 0 else -1), step)):
        return match[0]
    stop = numbers[-1] + step
    turns = f"range({numbers[0]}, {stop}{f', {step}' * (step != 1)})"
    return f"*[{match[1]}[{VARIABLE}] for {VARIABLE} in {turns}]"


def with_dicts(lines: list[str], families: Iterable[str]) -> list[str]:
    """The lines, with an empty dict made for each family before its first entry, and before a loop around
    it."""
    for family in sorted(families):
        entry = re.compile(rf"(?<!\w){family}\[")
        place = next(i for i, line in enumerate(lines) if entry.search(line))
        around = place
        while indent_of(lines[around]) >= indent_of(lines[place]) and lines[around].strip():
            around -= 1
        if lines[around].lstrip().startswith(f"for {VARIABLE} in "):
            place = around
        lines.insert(place, f"{indent_of(lines[place])}{family} = {{}}")
    return lines


def indent_of(line: str) -> str:
    """The spaces before a line."""
    return " " * (len(line) - len(line.lstrip()))
