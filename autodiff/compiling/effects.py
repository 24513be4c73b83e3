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
from .symbol import Symbol
from .trace import Trace, node_of_result


def kind_of(leaf: Any) -> Any:
    """What a program depends on of an argument: its type, its shape, its dtype, whether it requires a
    gradient."""
    if isinstance(leaf, Tensor):
        value = leaf._value
        if isinstance(value, float):
            return leaf._requires_grad
        return leaf._requires_grad, value.shape, value.dtype
    return float if isinstance(leaf, float) else (leaf.shape, leaf.dtype)


def value_of(operand: Any) -> Any:
    """The value of an operand as the program takes it: NumPy's numbers in double precision are Python's."""
    value = operand._value if isinstance(operand, Tensor) else operand
    return float(value) if type(value) is np.float64 else value


def kind_of_node(node: Node) -> Any:
    """``kind_of`` for the value of a node."""
    return node.number or (node.shape, node.dtype)


def kind_of_gradient(tensor: Tensor) -> Any:
    """What a program depends on of the gradient that a Tensor has before the call."""
    return None if tensor._grad is None else kind_of(raw(tensor._grad))


class Return(NamedTuple):
    """What becomes of a result.

    Attributes
    ----------
    operand
        The place of the operand that is returned itself, or None.
    node
        The node of the value, unless an operand is returned.
    number
        ``float``, ``int`` or ``bool`` for a Python number.
    is_tensor, requires_grad
        Whether it is a Tensor, and whether that requires a gradient.
    behind
        The places of the operands that a gradient would arrive at.
    """

    operand: int | None
    node: Node | None
    number: type | None
    is_tensor: bool
    requires_grad: bool
    behind: frozenset[int]


def return_of(trace: Trace, value: Any, twins: Sequence[Any]) -> Return:
    """What becomes of a result of the traced function; ``twins`` are what stands for the operands."""
    for place, twin in enumerate(twins):
        if value is twin and isinstance(twin, Tensor):
            return Return(place, None, None, True, twin._requires_grad, frozenset())
    node = node_of_result(trace.graph, value)
    requires_grad = wants_grad(value)
    reached = tensors_behind(value) if requires_grad else set()
    behind = frozenset(place for place, twin in enumerate(twins) if isinstance(twin, Tensor) and twin in reached)
    return Return(None, node, node.number, isinstance(value, Tensor), requires_grad, behind)


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

    def happen(self, tensor: Tensor, values: Iterator[Any]) -> None:
        """Change the Tensor."""
        is_number = type(tensor._value) is float
        if self.value is not None:
            value = next(values)
            tensor._value = float(value) if is_number else owned(value)
            tensor._edit = edits.new()
        if self.gradient is not None:
            value = next(values)
            tensor._grad = float(value) if is_number else owned(value)
            let_go(tensor)
        elif self.sets_gradient:
            keep(tensor)
            tensor._grad = None


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
            None if before is None else kind_of_node(trace.gradient_nodes[twin]),
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
    if wants_grad(twin._grad):
        raise TraceError(
            f"the function leaves a recorded gradient in .grad of {describe(twin)}, and a compiled function "
            "cannot hand out what it has recorded inside. Use ad.grad, or return the gradient"
        )
    return node_of_result(trace.graph, twin._grad)


def owned(value: Any) -> Any:
    """A value in memory of its own; without axes it is one of NumPy's numbers, as most of its functions
    return it."""
    return np.array(value)[()]
