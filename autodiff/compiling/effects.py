"""What a call of a compiled function does besides computing: what becomes of its results, and of the Tensors
that it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine import edits
from ..engine.keeping import keep, let_go
from ..engine.tensor import Tensor, describe, raw, wants_grad
from ..engine.tracing import TraceError
from .nodes import Node
from .structure import kinds_of
from .symbol import Symbol
from .trace import Trace, node_of_result


def kind_of_gradient(tensor: Tensor) -> Any:
    """What a program depends on of the gradient that a Tensor has before the call."""
    return None if tensor._grad is None else kinds_of([raw(tensor._grad)])


class Return(NamedTuple):
    """What becomes of a result.

    Attributes
    ----------
    operand
        The place of the operand that is returned itself, or None.
    node
        The node of the value, unless an operand is returned.
    number, is_scalar
        ``float``, ``int`` or ``bool`` for a Python number; whether it is an array without axes.
    is_tensor, requires_grad
        Whether it is a Tensor, and whether that requires a gradient.
    behind
        The places of the operands that a gradient would arrive at.
    """

    operand: int | None
    node: Node | None
    number: type | None
    is_scalar: bool
    is_tensor: bool
    requires_grad: bool
    behind: frozenset[int]


def return_of(trace: Trace, value: Any, twins: Sequence[Any]) -> Return:
    """What becomes of a result of the traced function; ``twins`` are what stands for the operands."""
    for place, twin in enumerate(twins):
        if value is twin and isinstance(twin, Tensor):
            return Return(place, None, None, False, True, twin._requires_grad, frozenset())
    node = node_of_result(trace.graph, value)
    requires_grad = wants_grad(value)
    reached = tensors_behind(value) if requires_grad else set()
    places = [place for place, twin in enumerate(twins) if isinstance(twin, Tensor) and twin in reached]
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
    """What a call does to a Tensor: to its value, to its gradient, or to neither, if the program depends on
    the gradient that it has before.

    Attributes
    ----------
    place
        Of the operand.
    value
        The node of its new value, or None.
    kind_of_gradient, before
        What is known of its gradient before the call, and the node of that.
    sets_gradient, gradient
        Whether there is another gradient afterwards, and its node, or None if there is none.
    """

    place: int
    value: Node | None
    kind_of_gradient: Any
    before: Node | None
    sets_gradient: bool
    gradient: Node | None

    def set_value(self, tensor: Tensor, values: Iterator[Any]) -> None:
        """Give the Tensor its new value, the next one."""
        if self.value is not None:
            tensor._value = like(tensor, next(values))
            tensor._edit = edits.new()

    def set_gradient(self, tensor: Tensor, values: Iterator[Any]) -> None:
        """Give the Tensor its new gradient, the next value, or none."""
        if self.gradient is not None:
            tensor._grad = like(tensor, next(values))
            let_go(tensor)
        elif self.sets_gradient:
            keep(tensor)
            tensor._grad = None


def like(tensor: Tensor, value: Any) -> Any:
    """A value as a Tensor holds it: a number, or an array."""
    return float(value) if type(tensor._value) is float else value if np.ndim(value) else np.asarray(value)


def effects_of(trace: Trace, twins: Sequence[Any]) -> list[Effect]:
    """What the traced function does to each operand that it changes or whose gradient it reads."""
    effects = []
    for place, twin in enumerate(twins):
        if not isinstance(twin, Tensor) or any(twin is other for other in twins[:place]):
            continue
        before = trace.gradients.get(twin)
        sets_gradient = twin._grad is not before
        is_changed = type(twin._value) is not Symbol or twin._value.node is not trace.first[twin]
        if not (is_changed or sets_gradient or twin in trace.touched):
            continue
        effects.append(Effect(
            place,
            node_of_result(trace.graph, twin) if is_changed else None,
            trace.gradient_kinds.get(twin),
            None if before is None else trace.gradient_nodes[twin],
            sets_gradient,
            gradient_of(trace, twin) if sets_gradient else None,
        ))  # fmt: skip
    return effects


def gradient_of(trace: Trace, twin: Tensor) -> Node | None:
    """The node of the gradient that the traced function leaves at a Tensor. Raises TraceError if it is
    recorded."""
    if twin._grad is None:
        return None
    original = trace.originals[twin]
    if original.creation_op is not None:
        raise TraceError(
            f"backward in a compiled function ends at {describe(original)}, which was computed outside: no "
            "gradient would arrive at the Tensors behind it. Compute it inside, or return the loss and walk "
            "back from there"
        )
    if wants_grad(twin._grad):
        raise TraceError(
            f"the function leaves a recorded gradient in .grad of {describe(twin)}, and a compiled function "
            "cannot hand out what it has recorded inside. Use ad.grad, or return the gradient"
        )
    return node_of_result(trace.graph, twin._grad)
