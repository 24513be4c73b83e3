"""All numbers of a graph from one program: the value and the gradient of every node, and for every edge the
local slope and what flows back along it.

The function that computes them calls the reader's own, walks back through its graph with the engine's rules,
and is compiled like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compiling.compiled import PASSES, Compiled
from ..draw.graph.slopes import contributions
from ..draw.graph.walk import Walk, walk
from ..draw.sliding.moments import applied
from ..engine import tracing
from ..engine.backward import gradients
from ..engine.tensor import Tensor, raw

Edge = tuple[int, int]  # a node, and the place of one of its operands
ONE_BY_ONE = tuple(name for name in PASSES if name != "pack")  # numbers that are not packed into arrays


@dataclass
class Places:
    """Where the numbers of a graph are: each is the place of a result of the program, or, below zero, of an
    argument that it returns unchanged: -1 for the first."""

    values: list[int] = field(default_factory=list)
    grads: list[int] = field(default_factory=list)
    slopes: dict[Edge, int] = field(default_factory=dict)
    flows: dict[Edge, int] = field(default_factory=dict)


def everything(
    f: Callable[..., Any],
    walked: Walk,
    names: Sequence[str],
    named: Container[int],
    inputs: Mapping[str, Any],
) -> tuple[Compiled, Places]:
    """The compiled function of the inputs that returns all numbers of the graph of `f`, after its first call,
    and where they are.

    `walked` is that graph with the inputs as they are now. `names` are those of its nodes, which the program
    has too, and `named` the indices of nodes that the reader has named.

    Raises TraceError if `f` needs the value of an input, for instance in an ``if``.
    """
    edges = [
        (i, place)
        for i in range(len(walked.order))
        for place, j in walked.places(i)
        if not walked.is_constant(j)
    ]
    with_slope = [edge for edge in edges if _is_of_numbers(walked, edge[0])]

    def every(*leaves: Any) -> tuple[list[Any], ...]:
        end = applied(f, dict(zip(inputs, leaves)))
        again = walk(end)
        _check_same(walked, again)
        for i, node in enumerate(again.order):
            if any(node is leaf for leaf in leaves):
                tracing.name(node, names[i])
            _name(node, names[i])
        with tracing.unnamed_gradients():
            grads = gradients(end, again.order)
            passed = {i: contributions(again.order[i]) for i, _ in with_slope}
            slopes = {(i, place): _or_zero(passed[i][place]) for i, place in with_slope}
            passed = {i: contributions(again.order[i], grads[i]) for i, _ in edges}
            flows = {(i, place): _or_zero(passed[i][place]) for i, place in edges}
        # Of several equal gradients the first gives its name: one that the reader named, near the end.
        for i in sorted(range(len(names)), key=lambda i: (i not in named, -i)):
            _name(grads[i], f"d_{names[i]}")
        for i, place in edges:
            j = walked.index[id(walked.creators[i][place])]
            _name(slopes.get((i, place)), f"d{names[i]}_d{names[j]}")
            _name(flows[i, place], f"d_{names[j]}_from_{names[i]}")
        return again.order, grads, [*slopes.values()], [*flows.values()]

    fast = Compiled(every, ONE_BY_ONE)
    fast(*inputs.values())
    places = iter(_places(fast))
    count = len(walked.order)
    values, grads = [[next(places) for _ in range(count)] for _ in range(2)]
    return fast, Places(values, grads, dict(zip(with_slope, places)), dict(zip(edges, places)))


def _name(value: Any, wish: str) -> None:
    """Name a value in the program if it was computed; an argument keeps its name."""
    if getattr(getattr(raw(value), "node", None), "args", ()):
        tracing.name(value, wish)


def _or_zero(given: Any) -> Any:
    """What an operand receives; a constant receives nothing."""
    return 0.0 if given is None else given


def _places(fast: Compiled) -> list[int]:
    """Where each result of a compiled function is, see `Places`."""
    places, count = [], 0
    for how in fast._entry().returns:
        places.append(count if how.operand is None else -1 - how.operand)
        count += how.operand is None
    return places


def _is_of_numbers(walked: Walk, i: int) -> bool:
    """Whether a node and all of its operands are single numbers, so that its edges have slopes."""
    return not any(np.shape(plain(thing)) for thing in (walked.order[i], *walked.creators[i]))


def plain(thing: Any) -> Any:
    """The number or array of a Tensor; anything else as it is."""
    return raw(thing) if isinstance(thing, Tensor) else thing


def _check_same(walked: Walk, again: Walk) -> None:
    """Raise ValueError if the graph that is compiled is not the one that was drawn."""
    drawn, compiled = [[str(one.operation(i)) for i in range(len(one.order))] for one in (walked, again)]
    if drawn != compiled:
        raise ValueError(
            f"the function does not always compute the same: {len(drawn)} nodes at the call for the picture, "
            f"and {len(compiled)} or others at the next. It must depend on its inputs alone"
        )
