"""Which gradient is wrong first: the gradients in a graph compared with those that the package finds for it.

In a walk back a wrong gradient makes all gradients behind it wrong too. So the first that differs shows where
to look. `compare` shows it in a picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from ..graph.as_text import attribute, number, value_of
from ..graph.caller import Scope, caller_scope
from ..graph.names import Names, find_names
from ..graph.slopes import walk_back
from ..graph.walk import Walk, check_node, creators_of, plain, walk
from ..words.counts import ordinal, sum_text
from .pairs import ATOL, RTOL, Pairs, is_same, pair

SELECTED = 8  # the most contributions of which every selection is tried


@dataclass(frozen=True)
class Difference:
    """The first thing in which a graph differs from what the package finds.

    `kind` is "gradient"; if two graphs are compared it may also be "operation", "operands" or "data". `name`
    is the name of the node, `expected` and `found` are numbers, arrays or words, and `message` is a sentence
    for the reader. `place` is the index of the node in the graph's order, creators first.
    """

    kind: str
    name: str
    expected: Any
    found: Any
    message: str
    place: int

    def __str__(self) -> str:
        return self.message


def first_difference(
    e: object, mine: object = None, *, names: Mapping[str, object] | None = None
) -> Difference | None:
    """The first gradient in a graph that is not what the package finds; None if all agree.

    This is what `compare` shows, for use in a program; see there for `e`, `mine` and the errors. `names` are
    the names of nodes, `{"a": a, "e": e}`; by default they are read from the caller's variables.

    Examples
    --------
    >>> import autodiff as ad
    >>> from autodiff.draw.comparing.difference import first_difference
    >>> b, c = ad.Tensor(5), ad.Tensor(7)
    >>> y = b * c
    >>> y.backward()
    >>> first_difference(y) is None
    True
    >>> b.grad = 5
    >>> wrong = first_difference(y, names={"b": b, "y": y})
    >>> wrong.name, wrong.expected, wrong.found
    ('b', 7.0, 5.0)
    >>> print(wrong)
    the gradient of b is 5 and should be 7: 7 arrives from y
    """
    scope = caller_scope() if names is None else Scope(dict(names), {})
    return compared(e, mine, scope).difference


@dataclass
class Compared:
    """A graph, what its gradients should be, and where it differs.

    `expected` is in the order of the walk back. `arrived` has for each node its contributions, each with the
    node that it comes from, in words.
    """

    walk: Walk
    names: Names
    expected: dict[int, Any] = field(default_factory=dict)
    arrived: dict[int, list[tuple[str, Any]]] = field(default_factory=dict)
    wrong: list[int] = field(default_factory=list)
    difference: Difference | None = None

    @property
    def end(self) -> str:
        """The name of the graph's last node."""
        return self.names[self.walk.end]

    def held(self, i: int) -> Any:
        """The gradient that a node holds, as a number or an array."""
        return plain(attribute(self.walk.order[i], "grad"))


def compared(e: object, mine: object, scope: Scope) -> Compared:
    """Compare the gradients of `mine`, or of `e` if that is None, with those that the package finds.

    Raises TypeError and ValueError as `compare` says.
    """
    _check_result(e, scope)
    reference = judged = walk(e)
    pairs = Pairs({i: i for i in range(len(reference.order))})
    if mine is not None:
        _check_result(mine, scope)
        judged = walk(mine)
        pairs = pair(reference, judged)
    found = Compared(judged, _names(judged, reference, pairs, scope))
    if pairs.unlike is None:
        _check_gradients(found)
        _walk_back(found, reference, pairs.mates)
        found.wrong = [i for i, right in found.expected.items() if not is_same(found.held(i), right)]
    found.difference = _difference(found, pairs)
    return found


def _check_result(end: object, scope: Scope) -> None:
    """Raise TypeError unless this is a node, and ValueError if it is a leaf."""
    check_node(end, "compare", "the end of a calculation after a walk back")
    if not creators_of(end):
        name = find_names([end], scope).get(id(end), "this")
        raise ValueError(
            f"{name} ({text_of(attribute(end, 'data'))}) is a leaf: nothing is recorded behind it. Give "
            "compare the result of a calculation after a walk back from it"
        )


def _check_gradients(found: Compared) -> None:
    """Raise ValueError if no node holds a gradient."""
    if all(attribute(node, "grad") is None for node in found.walk.order):
        raise ValueError(
            f"the graph of {found.end} holds no gradients yet: walk back from {found.end} with your backward "
            "first"
        )


def _names(judged: Walk, reference: Walk, pairs: Pairs, scope: Scope) -> Names:
    """The names of a reader's nodes; a node without one has that of the package's node it stands for."""
    given = find_names(judged.order, scope)
    if judged is reference:
        return Names(judged, given)
    nameless = {i: reference.order[j] for i, j in pairs.mates.items() if id(judged.order[i]) not in given}
    borrowed = find_names(list(nameless.values()), scope)
    taken = set(given.values())
    for i, mate in nameless.items():
        name = borrowed.get(id(mate))
        if name is not None and name not in taken:
            given[id(judged.order[i])] = name
    return Names(judged, given)


def _walk_back(found: Compared, reference: Walk, mates: Mapping[int, int]) -> None:
    """Walk back through the package's graph, and note what should arrive at each of the reader's nodes."""
    judged_index = {j: i for i, j in mates.items()}
    for visit in walk_back(reference, _seed(found, reference), own=False):
        if visit.node in judged_index:
            found.expected[judged_index[visit.node]] = visit.grad
        for arrival in visit.contributions:
            i = judged_index.get(arrival.operand)
            if i is None:
                continue
            # A node that uses a paired one is paired too.
            user = found.names[judged_index[visit.node]]
            twin = reference.twin(visit.node, arrival.place)
            if twin is not None:
                user += f" (as its {ordinal(twin)} {found.names[i]})"
            found.arrived.setdefault(i, []).append((user, arrival.value))


def _seed(found: Compared, reference: Walk) -> Any:
    """The gradient at the end, with which the walk back begins: 1, or for an array what the reader used."""
    shape = np.shape(reference.data(reference.end))
    if not shape:
        return 1.0
    begun = found.held(found.walk.end)
    return np.ones(shape) if begun is None else begun


def _difference(found: Compared, pairs: Pairs) -> Difference | None:
    """The first difference in what was recorded, or else in the gradients."""
    if pairs.unlike is not None:
        i, kind, expected, held = pairs.unlike
        name = found.names[i]
        message = f"the {kind} of {name} should be {text_of(expected)}, and yours is {text_of(held)}"
        if kind == "operands":
            made = "made from " if "operands" in expected else ""
            message = f"{name} should be {made}{expected}, and yours is {made}{held}"
        return Difference(kind, name, expected, held, message, i)
    if not found.wrong:
        return None
    i = found.wrong[0]
    return Difference("gradient", found.names[i], found.expected[i], found.held(i), _message(found, i), i)


def _message(found: Compared, i: int) -> str:
    """The first difference between gradients as a sentence."""
    name, right, held = found.names[i], found.expected[i], found.held(i)
    if held is not None and np.shape(held) != np.shape(right):
        return f"the gradient of {name} has shape {np.shape(held)} and should have shape {np.shape(right)}"
    if held is not None and np.ndim(right):
        wrong = ~np.isclose(held, right, rtol=RTOL, atol=ATOL, equal_nan=True)
        at = tuple(int(k) for k in np.argwhere(wrong)[0])
        where = f"{name}.grad[{', '.join(map(str, at))}]"
        return f"{where} is {number(held[at])} and should be {number(np.asarray(right)[at])}"
    message = f"the gradient of {name} is {text_of(held)} and should be {text_of(right)}"
    if held is None:
        message = f"{name} has no gradient and should have {text_of(right)}"
    return message + _reason(held, right, found.arrived.get(i, []))


def _reason(held: Any, right: Any, arrived: Sequence[tuple[str, Any]]) -> str:
    """The contributions that make up the right gradient, and those of them that make up the wrong one."""
    if not arrived:
        clear = "" if held is None else "; clear the gradients of an earlier walk first"
        return f": a walk back starts with 1 at its end{clear}"
    if any(np.ndim(contribution) for _, contribution in arrived):
        return ""
    parts = [f"{number(contribution)} from {user}" for user, contribution in arrived]
    reason = f": {', '.join(parts).replace(' from ', ' arrives from ', 1)}"
    if len(arrived) > 1:
        reason += f", and {sum_text([contribution for _, contribution in arrived])} = {text_of(right)}"
    return reason + _selection(held, arrived)


def _selection(held: Any, arrived: Sequence[tuple[str, float]]) -> str:
    """The contributions that add up to a wrong gradient, if these are some of them but not all."""
    if not held or not 1 < len(arrived) <= SELECTED:
        return ""
    for count in range(1, len(arrived)):
        fitting = [
            some for some in combinations(arrived, count) if is_same(held, sum(value for _, value in some))
        ]
        if len(fitting) == 1 and count == 1:
            return f"; only what comes from {fitting[0][0][0]} is there"
        if fitting:
            return f"; only {sum_text([value for _, value in fitting[0]])} is there"
    return ""


def text_of(thing: Any) -> str:
    """A number or an array as a line of text; a word as it is."""
    return thing if isinstance(thing, str) else value_of(thing).line
