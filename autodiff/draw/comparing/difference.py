"""Which gradient is wrong first: the gradients in a graph against what the package finds for it.

Walking back, a wrong gradient makes all behind it wrong. So the first that differs is where to look: until
there all was right. Here the two are compared; `compare` shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from ..explaining.paths import added, ordinal, passed_on, wanted
from ..graph.as_text import attribute, number
from ..graph.as_text import read as value
from ..graph.names import Scope, caller_scope, find_names
from ..graph.records import creators_of, is_node, walk
from ..graph.signs import known
from ..graph.slopes import plain
from ..painted import all_names

SELECTED = 8  # contributions of which every selection is tried
RTOL, ATOL = 1e-5, 1e-8


@dataclass(frozen=True)
class Difference:
    """The first thing in which a graph is not as the package has it.

    `kind` is "gradient"; where two graphs are compared it may be "operation", "operands" or "data". `name`
    is the node's, `expected` and `found` are numbers, arrays or words, and `message` tells it to a reader.
    `place` is the node's index in the graph's order, creators first.
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
    """The first thing in which a graph's gradients are not those that the package finds; None if all agree.

    What `compare` shows, for a program: see there for `e`, `mine` and the errors. `names` says what to call
    the nodes where that is not to be read from the caller's variables: `{"a": a, "e": e}`.

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

    `expected` is in the order of the walk back. `arrived` has for each node what comes to it: from which
    node, in words, and the contribution.
    """

    order: Sequence[Any]
    names: Mapping[int, str]
    expected: dict[int, Any] = field(default_factory=dict)
    arrived: Mapping[int, list[tuple[str, Any]]] = field(default_factory=dict)
    wrong: list[int] = field(default_factory=list)
    difference: Difference | None = None

    @cached_property
    def index(self) -> dict[int, int]:
        """The place of each node in the order, by id."""
        return {id(node): i for i, node in enumerate(self.order)}

    def found(self, i: int) -> Any:
        """The gradient that a node holds, as a number or an array."""
        return plain(attribute(self.order[i], "grad"))


def compared(e: object, mine: object, scope: Scope) -> Compared:
    """Hold the gradients of `mine`, or of `e` where that is None, against those that the package finds.

    Raises TypeError and ValueError as `compare` says.
    """
    judged = e if mine is None else mine
    for end in (e, judged):
        wanted(end, "compare", "the end of a calculation after a walk back")
        if not creators_of(end):
            name = find_names([end], scope).get(id(end), "this")
            raise ValueError(
                f"{name} ({line(attribute(end, 'data'))}) is a leaf: nothing is recorded behind it. Give "
                "compare the result of a calculation after a walk back from it"
            )
    order = walk(judged)
    if mine is None:
        pairs: dict[int, Any] = dict(enumerate(order))
        found = Compared(order, all_names(order, scope)[0])
    else:
        pairs, unlike = _paired(e, judged, order)
        found = Compared(order, _names_of_both(order, pairs, scope))
        if unlike is not None:
            place, kind, expected, held = unlike
            name = found.names[place]
            message = f"the {kind} of {name} should be {line(expected)}, and yours is {line(held)}"
            if kind == "operands":
                made = "made from " if "operands" in expected else ""
                message = f"{name} should be {made}{expected}, and yours is {made}{held}"
            found.difference = Difference(kind, name, expected, held, message, place)
            return found
    if all(attribute(node, "grad") is None for node in order):
        name = found.names[len(order) - 1]
        raise ValueError(
            f"the graph of {name} holds no gradients yet: walk back from {name} with your backward first"
        )
    _expect(found, walk(e), pairs)
    found.wrong = [i for i, right in found.expected.items() if not _same(found.found(i), right)]
    if found.wrong:
        place = found.wrong[0]
        right, held = found.expected[place], found.found(place)
        found.difference = Difference(
            "gradient", found.names[place], right, held, _message(found, place), place
        )
    return found


def _expect(found: Compared, reference: Sequence[Any], pairs: Mapping[int, Any]) -> None:
    """Walk back through the package's graph, and note for each paired node what should arrive there."""
    place = {id(node): i for i, node in pairs.items()}
    end = reference[-1]
    seed: Any = 1.0
    if np.ndim(plain(end.data)):  # the walk back from an array begins with what the reader began with
        seed = found.found(len(found.order) - 1)
        seed = np.ones(np.shape(plain(end.data))) if seed is None else seed
    arrived: dict[int, Any] = {id(end): seed}
    told: dict[int, list[tuple[str, Any]]] = {}
    for node in reversed(reference):
        grad = arrived.get(id(node))
        if grad is None or attribute(node, "requires_grad") is False:
            continue
        if id(node) in place:
            found.expected[place[id(node)]] = grad
        creators = creators_of(node)
        if not creators:
            continue
        for k, (c, share) in enumerate(zip(creators, passed_on(node, grad))):
            if share is None or not is_node(c):
                continue
            with np.errstate(all="ignore"):
                arrived[id(c)] = arrived[id(c)] + share if id(c) in arrived else share
            if id(c) in place:  # and so is the node that uses it
                name = found.names[place[id(c)]]
                nth = ordinal(sum(other is c for other in creators[:k]))
                has_twin = sum(other is c for other in creators) > 1
                user = found.names[place[id(node)]] + (f" (as its {nth} {name})" if has_twin else "")
                told.setdefault(place[id(c)], []).append((user, share))
    found.arrived = told


def _message(found: Compared, i: int) -> str:
    """The first difference as a sentence."""
    name, right, held = found.names[i], found.expected[i], found.found(i)
    shares = found.arrived.get(i, [])
    if held is None:
        said = f"{name} has no gradient and should have {line(right)}"
    elif np.shape(held) != np.shape(right):
        return f"the gradient of {name} has shape {np.shape(held)} and should have shape {np.shape(right)}"
    elif np.ndim(right):
        wrong = ~np.isclose(held, right, rtol=RTOL, atol=ATOL, equal_nan=True)
        at = tuple(int(k) for k in np.argwhere(wrong)[0])
        where = f"{name}.grad[{', '.join(map(str, at))}]"
        return f"{where} is {number(held[at])} and should be {number(np.asarray(right)[at])}"
    else:
        said = f"the gradient of {name} is {line(held)} and should be {line(right)}"
    if not shares:
        clear = "" if held is None else "; clear the gradients of an earlier walk first"
        return f"{said}: a walk back starts with 1 at its end{clear}"
    if any(np.ndim(share) for _, share in shares):
        return said
    parts = [f"{number(share)} from {user}" for user, share in shares]
    said = f"{said}: {', '.join(parts).replace(' from ', ' arrives from ', 1)}"
    if len(shares) > 1:
        said += f", and {added([share for _, share in shares])} = {line(right)}"
    return said + _selection(held, shares)


def _selection(held: Any, shares: Sequence[tuple[str, float]]) -> str:
    """Which contributions a wrong gradient is made of, where it is some of them and not all."""
    if not held or not 1 < len(shares) <= SELECTED:
        return ""
    for count in range(1, len(shares)):
        fitting = [
            some for some in combinations(shares, count) if _same(held, sum(share for _, share in some))
        ]
        if len(fitting) == 1 and count == 1:
            return f"; only what comes from {fitting[0][0][0]} is there"
        if fitting:
            return f"; only {added([share for _, share in fitting[0]])} is there"
    return ""


def _paired(
    e: object, mine: object, order: Sequence[object]
) -> tuple[dict[int, Any], tuple[int, str, Any, Any] | None]:
    """The nodes of `e` that those of `mine` stand for, by place in `order`, and the first thing recorded
    otherwise, if there is one: its place, what it is, and how it is there and here."""
    index = {id(node): i for i, node in enumerate(order)}
    pairs: dict[int, Any] = {}
    mates: set[int] = set()  # the nodes of `e` that are paired, by id
    unlike: tuple[int, str, Any, Any] | None = None
    todo: list[tuple[Any, Any]] = [(e, mine)]
    while todo and unlike is None:
        theirs, own = todo.pop()
        i = index[id(own)]
        if pairs.get(i) is theirs:
            continue
        if i in pairs or id(theirs) in mates:
            right, held = ("one node", "two") if id(theirs) in mates else ("two nodes", "one and the same")
            unlike = (i, "operands", right, held)
            break
        pairs[i] = theirs
        mates.add(id(theirs))
        theirs_from, own_from = creators_of(theirs), creators_of(own)
        if _operation(theirs) != _operation(own):
            unlike = (i, "operation", _operation(theirs), _operation(own))
        elif len(theirs_from) != len(own_from):
            unlike = (i, "operands", f"{len(theirs_from)} operands", f"{len(own_from)}")
        else:
            both = reversed(list(zip(theirs_from, own_from)))
            todo += [(c, d) for c, d in both if is_node(c) and is_node(d)]
    if unlike is None:
        for i in sorted(pairs):  # creators first: where a calculation went wrong, not where that shows
            expected, found = plain(pairs[i].data), plain(attribute(order[i], "data"))
            if not _same(found, expected):
                return pairs, (i, "data", expected, found)
    return pairs, unlike


def _names_of_both(order: Sequence[Any], pairs: Mapping[int, Any], scope: Scope) -> dict[int, str]:
    """The names of a reader's nodes; where a node has none, that of the package's node it stands for."""
    names, own = all_names(order, scope)
    given = find_names([node for i, node in pairs.items() if i not in own], scope)
    taken = {names[i] for i in own}
    for i, node in pairs.items():
        name = given.get(id(node))
        if name is not None and i not in own and name not in taken:
            names[i] = name
    return names


def _operation(node: object) -> str:
    if not creators_of(node):
        return "a leaf"
    operation = attribute(node, "creation_op")
    return str(known(operation) or operation)


def _same(held: Any, right: Any) -> bool:
    if held is None:
        return not np.any(right)
    if np.shape(held) != np.shape(right):
        return False
    try:
        return bool(np.allclose(held, right, rtol=RTOL, atol=ATOL, equal_nan=True))
    except TypeError:  # a word where a number should be
        return False


def line(thing: Any) -> str:
    """A word as it is, a number or an array as text."""
    return thing if isinstance(thing, str) else value(thing).line
