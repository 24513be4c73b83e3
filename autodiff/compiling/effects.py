"""What a call of a compiled function does around its program: how it returns the results, and its effects,
the changes that it makes to Tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.keeping import keep, let_go
from ..engine.tensor import Tensor, describe, raw, wants_grad
from ..engine.tracing import TraceError
from .nodes import ProgramNode
from .structure import kinds_of
from .symbol import Symbol
from .trace import ProgramTrace, node_of_result


def kind_of_gradient(tensor: Tensor) -> Any:
    """What a program depends on in the gradient that a Tensor has before the call; None if it has none."""
    return None if tensor._grad is None else kinds_of([raw(tensor._grad)])


class Return(NamedTuple):
    """How a result is returned.

    Attributes
    ----------
    operand
        The place of the operand that is returned itself, or None.
    node
        The node of the value, unless an operand is returned.
    number, is_scalar
        ``float``, ``int`` or ``bool`` for a Python number, otherwise None; whether the value is a 0-d array.
    is_tensor, requires_grad
        Whether the result is a Tensor, and whether it requires a gradient.
    behind
        The places of the operands that a walk back from the result would reach.
    """

    operand: int | None
    node: ProgramNode | None
    number: type | None
    is_scalar: bool
    is_tensor: bool
    requires_grad: bool
    behind: frozenset[int]


def returns_of(trace: ProgramTrace, values: Sequence[Any], stand_ins: Sequence[Any]) -> list[Return]:
    """How each result of the traced function is returned; ``stand_ins`` stand in for the operands."""
    places: dict[Tensor, list[int]] = {}
    for place, stand_in in enumerate(stand_ins):
        if isinstance(stand_in, Tensor):
            places.setdefault(stand_in, []).append(place)
    return [return_of(trace, value, places) for value in values]


def return_of(trace: ProgramTrace, value: Any, places_of: dict[Tensor, list[int]]) -> Return:
    """How one result is returned; ``places_of`` holds the places of the operands by their stand-ins."""
    if isinstance(value, Tensor) and value in places_of:
        return Return(places_of[value][0], None, None, False, True, value._requires_grad, frozenset())
    node = node_of_result(trace.graph, value)
    requires_grad = wants_grad(value)
    reached = tensors_behind(value) if requires_grad else set()
    places = [place for x in reached for place in places_of.get(x, ())]
    is_scalar = not node.shape and not node.number
    is_tensor = isinstance(value, Tensor)
    return Return(None, node, node.number, is_scalar, is_tensor, requires_grad, frozenset(places))


def tensors_behind(end: Tensor) -> set[Tensor]:
    """The Tensors that a walk back from ``end`` would reach."""
    seen: set[Tensor] = set()
    stack = [end]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            creators = node.creators or ()
            wanted = node.creation_op.wanted(creators) if creators else ()
            stack += [creator for creator, want in zip(creators, wanted) if want]
    return seen


class Effect(NamedTuple):
    """What a call does to a Tensor: it changes its value, its gradient, or neither, if the program only
    depends on the gradient that the Tensor has before the call.

    Attributes
    ----------
    place
        The place of the Tensor among the operands.
    value
        The node of its new value; None if it keeps its value.
    kind_of_gradient, before
        What the program depends on in its gradient before the call, and the node of this gradient.
    sets_gradient, gradient
        Whether its gradient is another one after the call, and the node of that; None if there is none then.
    """

    place: int
    value: ProgramNode | None
    kind_of_gradient: Any
    before: ProgramNode | None
    sets_gradient: bool
    gradient: ProgramNode | None

    def set_value(self, tensor: Tensor, values: Iterator[Any], edit: int) -> None:
        """Give the Tensor the next of ``values``; ``edit`` is the number of this change."""
        value = next(values)
        if value is not tensor._value:
            tensor._value = like(tensor, value)
        tensor._edit = edit

    def set_gradient(self, tensor: Tensor, values: Iterator[Any]) -> None:
        """Give the Tensor the next of ``values`` as its gradient, or remove its gradient."""
        if self.gradient is not None:
            tensor._grad = like(tensor, next(values))
            let_go(tensor)
        else:
            keep(tensor)
            tensor._grad = None

    def has_kind_of_gradient(self, tensor: Tensor) -> bool:
        """Whether the gradient of the Tensor is of the kind that the program depends on."""
        if tensor._grad is None or self.kind_of_gradient is None:
            return tensor._grad is self.kind_of_gradient
        return bool(kind_of_gradient(tensor) == self.kind_of_gradient)


def like(tensor: Tensor, value: Any) -> Any:
    """A value as a Tensor holds it: a number, or an array."""
    return float(value) if type(tensor._value) is float else value if np.ndim(value) else np.asarray(value)


def effects_of(trace: ProgramTrace, stand_ins: Sequence[Any]) -> list[Effect]:
    """What the traced function does to each operand that it changes or whose gradient it reads."""
    effects, seen = [], set()
    for place, stand_in in enumerate(stand_ins):
        if not isinstance(stand_in, Tensor) or stand_in in seen:
            continue
        seen.add(stand_in)
        before = trace.gradients.get(stand_in)
        sets_gradient = stand_in._grad is not before
        is_changed = type(stand_in._value) is not Symbol or stand_in._value.node is not trace.first[stand_in]
        if not (is_changed or sets_gradient or stand_in in trace.touched):
            continue
        effects.append(Effect(
            place,
            node_of_result(trace.graph, stand_in) if is_changed else None,
            trace.gradient_kinds.get(stand_in),
            None if before is None else trace.gradient_nodes[stand_in],
            sets_gradient,
            gradient_of(trace, stand_in) if sets_gradient else None,
        ))  # fmt: skip
    return effects


def gradient_of(trace: ProgramTrace, stand_in: Tensor) -> ProgramNode | None:
    """The node of the gradient that the traced function leaves at a Tensor. Raises TraceError if it is
    recorded."""
    if stand_in._grad is None:
        return None
    original = trace.originals[stand_in]
    if original.creation_op is not None:
        raise TraceError(
            f"backward in a compiled function ends at {describe(original)}, which was computed outside, so "
            "no gradient would arrive at the Tensors behind it. Compute it inside, or return the loss and "
            "call backward outside"
        )
    if wants_grad(stand_in._grad):
        raise TraceError(
            f"the function leaves a recorded gradient in .grad of {describe(stand_in)}, and a compiled "
            "function cannot hand out what it records inside. Use ad.grad, or return the gradient"
        )
    return node_of_result(trace.graph, stand_in._grad)
