"""Families: values that take turns in loops. What a loop computes in each turn gets one name: ``h[t]``, or
``h`` alone if no more than the latest one is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from .lines import FEWEST, Line, Loop, Progression, progressions

INDEXED, LATEST = "indexed", "latest"


class Family:
    """Values that stand for each other in different turns of a loop.

    Attributes
    ----------
    members
        The places of the lines that compute them, in order.
    kind
        ``"indexed"`` if each turn keeps its value, under an index, and ``"latest"`` if one name is enough.
    first, step
        The index of the first member, and the change from member to member.
    name
        The name of all of them.
    """

    def __init__(self, members: Iterable[int]) -> None:
        self.members = sorted(members)
        self.rank = {place: rank for rank, place in enumerate(self.members)}
        self.kind = INDEXED
        self.first, self.step, self.has_index = 0, 1, False
        self.name = ""

    def index(self, place: int) -> int:
        """The index of a member."""
        return self.first + self.step * self.rank[place]

    def indices(self) -> range:
        """The indices of all members."""
        return range(self.first, self.first + self.step * len(self.members), self.step)

    def set_index(self, place: int, index: int, step: int) -> None:
        """Give a member an index, and with it all others; no index is negative."""
        self.step, self.has_index = step, True
        self.first = index - step * self.rank[place]
        self.first -= min(0, self.first, self.first + step * (len(self.members) - 1))


def families_of(lines: Sequence[Line], loops: Sequence[Loop]) -> tuple[list[Loop], dict[int, Family]]:
    """The families of the loops, by the places of their members, and the loops that can be written with
    them."""
    while True:
        groups: dict[int, set[int]] = {}
        moving = [(loop, p) for loop in loops for p in progressions(lines, loop) if p.is_value and p.moves]
        for _, progression in moving:
            join(groups, progression.numbers)
        families = made(groups)
        uneven = {loop: p for loop, p in moving if not is_even(p.numbers, families[p.first])}
        if not uneven:
            break
        made_shorter = (shortened(loop, uneven[loop], families) if loop in uneven else loop for loop in loops)
        loops = [loop for loop in made_shorter if loop]
    for group in {id(group): group for group in groups.values()}.values():
        add_beginning(lines, group, groups)
    for line in lines:
        add_neighbours(line, groups, [p for _, p in moving])
    return list(loops), made(groups)


def join(groups: dict[int, set[int]], places: Iterable[int]) -> None:
    """Make the values at some places members of one group, with all members of their groups."""
    joined = set(places)
    for other in {id(groups[place]): groups[place] for place in joined if place in groups}.values():
        joined |= other
    groups |= dict.fromkeys(joined, joined)


def made(groups: dict[int, set[int]]) -> dict[int, Family]:
    """A family for each group, by the places of its members."""
    found = {key: Family(group) for key, group in {id(group): group for group in groups.values()}.items()}
    return {place: found[id(group)] for place, group in groups.items()}


def is_even(places: Iterable[int], family: Family) -> bool:
    """Whether the indices of members of a family change by the same step."""
    ranks = [family.rank[place] for place in places]
    return len({after - before for before, after in pairwise(ranks)}) == 1


def shortened(loop: Loop, uneven: Progression, families: dict[int, Family]) -> Loop | None:
    """A loop without its last turn, or without its first one; None if too little remains."""
    if loop.turns <= FEWEST:
        return None
    if is_even(uneven.numbers[:-1], families[uneven.first]):
        return Loop(loop.start, loop.length, loop.turns - 1)
    return Loop(loop.start + loop.length, loop.length, loop.turns - 1)


def add_beginning(lines: Sequence[Line], group: set[int], groups: dict[int, set[int]]) -> None:
    """Add the value that the first member of a family is computed from, in the same way as each further
    member is computed from the one before."""
    first, second = sorted(group)[:2]
    if lines[first].kind == lines[second].kind:
        for before, after in zip(lines[first].parts, lines[second].parts):
            is_before = before.is_value and before.number < first and before.number not in groups
            if after == (True, first) and is_before:
                group.add(before.number)
                groups[before.number] = group
                return


def add_neighbours(line: Line, groups: dict[int, set[int]], moving: Sequence[Progression]) -> None:
    """Add the values that stand in one list with the members of a family, if all loops can still be
    written."""
    for run in runs_of_values(line):
        known = {id(groups[place]): groups[place] for place in run if place in groups}
        if len(known) != 1 or len(set(run)) != len(run):
            continue
        ((group,), joined) = (known.values(), {**groups})
        join(joined, [*group, *run])
        family = Family(joined[run[0]])
        affected = [p for p in moving if p.first in group]
        if is_even(run, family) and all(is_even(p.numbers, family) for p in affected):
            groups |= joined


def runs_of_values(line: Line) -> Iterator[list[int]]:
    """The values that follow each other in a list."""
    run: list[int] = []
    for part, text in zip(line.parts, line.texts[1:]):
        if part.is_value:
            run.append(part.number)
        if not part.is_value or text != ", ":
            if len(run) >= FEWEST and text.startswith("]"):
                yield run
            run = []


def sort_families(lines: Sequence[Line], loops: Sequence[Loop], families: dict[int, Family]) -> None:
    """Find the families of which no more than the latest value is read."""
    reads: dict[Family, list[tuple[int, int]]] = {family: [] for family in families.values()}
    for place, line in enumerate(lines):
        for part in line.parts:
            if part.is_value and part.number in families:
                reads[families[part.number]].append((place, part.number))
    for family, found in reads.items():
        loop = next((loop for loop in loops if loop.start <= family.members[-1] < loop.end), None)
        if loop is not None and all(is_of_latest(family, loop, *read) for read in found):
            family.kind = LATEST


def is_of_latest(family: Family, loop: Loop, place: int, member: int) -> bool:
    """Whether a line reads the member of a family that was computed last. All members are computed in one
    loop, except that the first may come before it."""
    inside = [m for m in family.members if loop.start <= m < loop.end]
    is_first_before = len(inside) == len(family.members) - 1
    if len(inside) != loop.turns or not (is_first_before or len(inside) == len(family.members)):
        return False
    before = [m for m in family.members if m <= place]
    if loop.start <= place < loop.end:
        latest = before[-1] if before else None
        if place in family.rank:  # the line that computes the next one reads the one before
            return member == place or (len(before) > 1 and member == before[-2])
        return member == latest
    return member == (family.members[0] if place < loop.start else family.members[-1])


def set_indices(
    lines: Sequence[Line], loops: Sequence[Loop], families: dict[int, Family]
) -> dict[Loop, range]:
    """Give the members of families their indices. Returns the values of the variable of each loop."""
    variables: dict[Loop, range] = {}
    for loop in loops:
        moving = [p for p in progressions(lines, loop) if p.moves]
        values = variables[loop] = variable_of(loop, moving, families)
        for p in sorted([p for p in moving if p.is_value], key=lambda p: p.first != p.line):
            family = families[p.first]
            if family.kind == INDEXED and not family.has_index:
                change = family.rank[p.numbers[1]] - family.rank[p.first]
                step = values.step // change if values.step % change == 0 else 1
                family.set_index(p.first, values[0], step)
    return variables


def variable_of(loop: Loop, moving: Sequence[Progression], families: dict[int, Family]) -> range:
    """The values of the variable of a loop: those of most indices in it."""
    votes: Counter[tuple[int, int]] = Counter()
    for p in moving:
        if not p.is_value:
            votes[p.first, p.numbers[1] - p.first] += abs(p.numbers[1] - p.first) == 1
        elif families[p.first].kind == INDEXED and families[p.first].has_index:
            votes[index_of(p, families)] += 2
    defined = [families[p.first].rank[p.first] for p in moving if p.is_value and p.first == p.line]
    (first, step), count = votes.most_common(1)[0] if votes else ((0, 1), 0)
    first, step = (first, step) if count else (max(defined, default=0), 1)
    return range(first, first + step * loop.turns, step)


def index_of(progression: Progression, families: dict[int, Family]) -> tuple[int, int]:
    """The index of a value in the first turn of a loop, and its change from turn to turn."""
    family = families[progression.first]
    first, second = (family.index(place) for place in progression.numbers[:2])
    return first, second - first
