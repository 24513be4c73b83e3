"""What a slide consists of: a function's graph at several values of one input, with values and gradients.

The function is run once for each value, and once for each point of its curve. No `grad` is read or changed.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ...engine.recording import enable_grad, no_grad
from ...engine.tensor import Tensor
from ..graph.as_text import Value, brief, value_of, word
from ..graph.caller import Scope
from ..graph.flows import flow_of
from ..graph.reading import read
from ..graph.records import Flow, ShownGraph
from ..graph.slopes import walk_back
from ..graph.walk import walk

_BY_PLACE = inspect.Parameter.POSITIONAL_ONLY
POINTS = 121  # at which the curve is computed


@dataclass(frozen=True, slots=True)
class Moment:
    """The graph at one value of the input that moves, the result there and its slope.

    `passed` has what each operation passes on, by the index of its result and the operand's place.
    """

    x: float
    y: float
    slope: float
    graph: ShownGraph
    passed: Mapping[tuple[int, int], Flow]


@dataclass(frozen=True, slots=True)
class Path:
    """A function of several inputs, one of which moves between two values: its curve and some moments."""

    moving: str
    end: str
    fixed: tuple[tuple[str, Value], ...]
    moments: tuple[Moment, ...]
    curve: tuple[tuple[float, float], ...]


def path(
    f: Callable[..., Any], inputs: Mapping[str, Any], moving: str, xs: Sequence[float], scope: Scope
) -> Path:
    """The path of `f` through the values `xs` of the input `moving`; the other inputs stay as they are.

    Raises TypeError if `f` does not return a Tensor, and ValueError if that is not a single number, is not
    computed from the input that moves, or is computed by different operations at different values.
    """
    moments: list[Moment] = []
    for x in xs:
        moments.append(moment_at(f, inputs, moving, x, scope))
        check_same(moments[0], moments[-1], moving)
    fixed = tuple((name, value_of(value)) for name, value in inputs.items() if name != moving)
    end = moments[0].graph.nodes[-1].name
    return Path(moving, end, fixed, tuple(moments), _curve(f, inputs, moving, xs))


def moment_at(
    f: Callable[..., Any], inputs: Mapping[str, Any], moving: str, x: float, scope: Scope
) -> Moment:
    """The graph of `f` at one value, with the gradients that a walk back would bring."""
    given = _given(inputs, moving, x)
    with enable_grad():
        end, own = called(f, given)
    _check_result(end, given[moving], moving, x)
    names = {**own, **given}
    found = Scope(
        local={**names, name_of(f, names): end},
        common={**scope.common, **scope.local},
        common_code=scope.common_code,
        cells=scope.cells,
    )
    walked = walk(end)
    graph = read(end, found, limit=len(walked.order), fold=False, slopes=True)
    slope = 0.0
    passed: dict[tuple[int, int], Flow] = {}
    for node in graph.nodes:
        node.grad = value_of(None)
    for visit in walk_back(walked, np.ones_like(end.data) if isinstance(end.data, np.ndarray) else 1.0):
        graph.nodes[visit.node].grad = value_of(visit.grad)
        passed |= {(visit.node, one.place): flow_of(one.value) for one in visit.contributions}
        if walked.order[visit.node] is given[moving]:
            slope = float(visit.grad)
    return Moment(x, float(np.reshape(end.data, ())), slope, graph, passed)


def _given(inputs: Mapping[str, Any], moving: str, x: float) -> dict[str, Any]:
    """The inputs as Tensors, with their names; a Tensor stays as it is."""
    values = {**inputs, moving: x}
    return {
        name: value if isinstance(value, Tensor) else Tensor(value, name=name)
        for name, value in values.items()
    }


def called(f: Callable[..., Any], given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """What `f` returns, and the names that its variables had when it returned."""
    code = _code(f)
    own: dict[str, Any] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is code:
            own.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        end = applied(f, given)
    finally:
        sys.setprofile(before)
    return end, {n: value for n, value in own.items() if not n.startswith("_") and n != "self"}


def applied(f: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """What `f` returns for these inputs, which are given by name where that is allowed."""
    try:
        parameters = inspect.signature(f).parameters
    except ValueError:
        return f(**given)
    by_place = [name for name in given if name in parameters and parameters[name].kind == _BY_PLACE]
    named = {name: value for name, value in given.items() if name not in by_place}
    return f(*(given[name] for name in by_place), **named)


def _code(f: Callable[..., Any]) -> CodeType | None:
    """The code of a function, a method or an object that can be called; None if it is not in Python."""
    inner: Any = inspect.unwrap(f)
    found = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", None)
    return found if isinstance(found, CodeType) else None


def name_of(f: Callable[..., Any], taken: Mapping[str, Any]) -> str:
    """The name for the result, if the function gave it none: the function's own."""
    name = str(getattr(f, "__name__", "f"))
    name = name if name.isidentifier() else "f"
    while name in taken:
        name += "_"
    return name


def _check_result(end: object, moved: Tensor, moving: str, x: float) -> None:
    """Raise TypeError or ValueError if a result has no graph that leads to the input that moves."""
    if not isinstance(end, Tensor):
        raise TypeError(
            f"slide needs a function that returns a Tensor, and at {moving} = {brief(x)} it returned "
            f"{word(end)}: compute it from {moving} by operations that record, without .data or float()"
        )
    if np.size(end.data) != 1:
        raise ValueError(
            f"slide shows the slope of a single number, and the function returned the shape "
            f"{np.shape(end.data)}: return a sum or mean of it"
        )
    if end is moved or not any(node is moved for node in walk(end).order):
        raise ValueError(
            f"the function's result is not computed from {moving}, so there is nothing that moves: use "
            f"{moving} in the calculation, or let another input move"
        )


def check_same(first: Moment, other: Moment, moving: str) -> None:
    """Raise ValueError if the graphs at two values are not made of the same operations."""
    if _structure(first.graph) == _structure(other.graph):
        return
    counts = [sum(node.operation is not None for node in moment.graph.nodes) for moment in (first, other)]
    raise ValueError(
        f"the graph changes on the way: at {moving} = {brief(first.x)} it has {counts[0]} operations, and at "
        f"{moving} = {brief(other.x)} {counts[1]} or others. slide shows one graph: choose a range on one "
        "side of the change, or replace an if by ad.where, ad.maximum or ad.relu"
    )


def _structure(graph: ShownGraph) -> list[tuple[Any, ...]]:
    """What two graphs have in common if they can be shown by one picture."""
    return [
        (
            node.operation,
            node.data.shape,
            tuple(operand.shape if isinstance(operand, Value) else operand for operand in node.operands),
        )
        for node in graph.nodes
    ]


def _curve(
    f: Callable[..., Any], inputs: Mapping[str, Any], moving: str, xs: Sequence[float]
) -> tuple[tuple[float, float], ...]:
    """Points of the function's graph, at the given values and at many between them."""
    places = sorted({*xs, *np.linspace(xs[0], xs[-1], POINTS).tolist()})
    with no_grad():
        ys = [applied(f, _given(inputs, moving, x)) for x in places]
    return tuple((x, float(np.reshape(getattr(y, "data", y), ()))) for x, y in zip(places, ys))
