"""What goes back in a picture: a part that is shown once takes in later rounds what earlier ones made."""

from __future__ import annotations

from collections import Counter

from .fold import View, operands_of
from .records import Return
from .walk import Walk


def returns_of(view: View, walk: Walk) -> tuple[Return, ...]:
    """What the parts that are shown once take in their later rounds, and not in the first.

    A loop is always among them. What comes from elsewhere is only if nothing else shown is made from it.
    """
    if not any(box.times > 1 for box in view.boxes):
        return ()
    operands = _shown_operands(view, walk)
    used = {j for taken in operands.values() for j in taken}
    kept = set(view.kept)
    later: Counter[tuple[int, int]] = Counter()
    for i, item in enumerate(view.item):
        if item != i and item in kept:
            later.update((j, item) for j in {view.item[j] for j in walk.operands(i)} - operands[item])
    found = []
    for (j, item), times in later.items():
        is_loop = _is_behind(item, j, operands)
        if is_loop or j not in used:
            found.append(Return(j, item, times, is_loop))
    return tuple(found)


def _shown_operands(view: View, walk: Walk) -> dict[int, set[int]]:
    """What is shown for the operands of each node and group that is shown."""
    found = {i: {view.item[j] for j in walk.operands(i)} for i in view.kept}
    for index, group in view.groups.items():
        found[index] = {view.item[j] for j in operands_of(group, walk)} - {index}
    return found


def _is_behind(item: int, end: int, operands: dict[int, set[int]]) -> bool:
    """Whether something shown is what another is made from, directly or not, or is that itself."""
    seen, stack = {end}, [end]
    while stack:
        i = stack.pop()
        if i == item:
            return True
        new = operands.get(i, set()) - seen
        seen |= new
        stack += new
    return False
