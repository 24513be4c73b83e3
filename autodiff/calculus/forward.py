"""Forward mode on a recorded graph: tangents are pushed from the inputs to the output.

A *tangent* is the rate at which a Tensor changes. Forward mode needs no second set of rules, because the
``kind`` of an operation says how its tangent follows. An elementwise operation multiplies tangents and
gradients by the same factor, so its rule serves for both. A linear operation is applied to the tangents
themselves, and a multilinear one follows the product rule. For any other operation the rule is transposed: it
is linear in the gradient, so it is differentiated with respect to the gradient. A compiled function, which is
one operation, has a program for its tangent. (Radul et al., "You Only
Linearize Once", 2023, do the reverse: they obtain reverse mode by transposing forward mode.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.backward import gradients, order
from ..engine.contributions import fitted, zeros
from ..engine.recording import enable_grad
from ..engine.scopes import backward_scope
from ..engine.silence import silently
from ..engine.tensor import Tensor, constant_tensor, raw
from ..ops import catalogue


def pushforward(
    end: Tensor,
    tangents: Mapping[Tensor, Any],
    *,
    create_graph: bool = False,
    nodes: Sequence[Tensor] | None = None,
) -> Tensor:
    """The tangent of ``end``, in its shape and dtype, from the tangents of Tensors that it was computed from.
    The walk visits only ``nodes``, in their order, if they are given.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.calculus.forward import pushforward
    >>> x, y = Tensor(5), Tensor(7)
    >>> pushforward(x * y, {x: 1.0}), pushforward(x * y, {x: 1.0, y: 10.0})
    (7, 57)
    """
    tangents = dict(tangents)
    if nodes is None:
        nodes = order(end) if end.requires_grad else []
    with backward_scope(recording=create_graph):
        silently(push_all, nodes, tangents, create_graph)
    tangent = tangents.get(end)
    if isinstance(tangent, Tensor):
        return tangent
    return constant_tensor(zeros(end) if tangent is None else tangent)


def push_all(nodes: Sequence[Tensor], tangents: dict[Tensor, Any], create_graph: bool) -> None:
    """Visit the nodes in topological order, and add the tangent of each to ``tangents``."""
    for node in nodes:
        if node.creation_op is not None and node not in tangents:
            tangent = push(node, tangents, create_graph)
            if tangent is not None:
                tangents[node] = fitted(tangent, node, node)


def push(node: Tensor, arrived: Mapping[Tensor, Any], create_graph: bool) -> Any:
    """One step of the walk: the tangent of a node from those of its creators, or None if they have none."""
    operation: Any = node.creation_op
    creators: Any = node.creators
    tangents = [arrived.get(c) if isinstance(c, Tensor) else None for c in creators]
    if all(tangent is None for tangent in tangents):
        return None
    values = creators if create_graph else [c._value if isinstance(c, Tensor) else c for c in creators]
    if operation.pushed is not None:
        return operation.pushed(tangents, values, **node.options)
    if operation.is_linear:
        filled = [zero_tangent(c) if tangent is None else tangent for c, tangent in zip(creators, tangents)]
        return operation(*filled, **node.options)
    if operation.kind == "multilinear":
        return sum_of(
            operation(*values[:i], tangent, *values[i + 1 :], **node.options)
            for i, tangent in enumerate(tangents)
            if tangent is not None
        )
    if operation.kind == "elementwise" and not operation.is_variadic:
        z = node if create_graph else node._value
        return sum_of(
            operation.contributions(
                broadcast_to_node(tangent, node), z, values, only(place, values), node.options
            )[place]
            for place, (rule, tangent) in enumerate(zip(operation.rules, tangents))
            if tangent is not None and rule is not None
        )
    return push_by_transposition(node, tangents, create_graph)


def push_by_transposition(node: Tensor, tangents: Sequence[Any], create_graph: bool) -> Any:
    """One step for an operation of no special kind. Its rule maps a gradient u to the contribution u J, with
    the Jacobian J. The tangent is J t for a tangent t, which is the gradient of (u J) t with respect to u."""
    operation: Any = node.creation_op
    wanted = [tangent is not None for tangent in tangents]
    u = Tensor(zeros(node))
    z, *values = (node, *node.creators) if create_graph else map(raw, (node, *node.creators))  # type: ignore[misc]
    with enable_grad():
        contributions = operation.contributions(u, z, values, wanted, node.options)
    stop = {tensor for tensor in (z, *values) if isinstance(tensor, Tensor)}
    result = sum_of(
        gradients(contribution, [u], tangent, create_graph=create_graph, stop=stop)[0]
        for contribution, tangent in zip(contributions, tangents)
        if tangent is not None and isinstance(contribution, Tensor) and contribution.requires_grad
    )
    return result if create_graph else raw(result)


def leaf_of(value: Any) -> Tensor:
    """A leaf on the same data, which is not copied."""
    leaf = constant_tensor(raw(value))
    leaf._requires_grad = True
    return leaf


def link(leaves: Sequence[Tensor], originals: Sequence[Any]) -> None:
    """Record each leaf as an alias of the Tensor that it was made from. Results computed from the leaf can
    then be differentiated with respect to that Tensor."""
    for leaf, original in zip(leaves, originals):
        if isinstance(original, Tensor) and original._requires_grad:
            leaf._x, leaf.creation_op = original, catalogue.alias


def zero_tangent(operand: Any) -> Any:
    """The tangent of an operand that does not change."""
    return zeros(operand) if isinstance(operand, Tensor) else np.zeros_like(operand)


def only(place: int, values: Sequence[Any]) -> list[bool]:
    """Which contributions are wanted if only that of one operand is."""
    return [other == place for other in range(len(values))]


def broadcast_to_node(tangent: Any, node: Tensor) -> Any:
    """A tangent in the shape of ``node``."""
    if np.shape(tangent) == node.shape:
        return tangent
    return catalogue.broadcast_to(tangent, shape=node.shape)


def sum_of(tangents: Any) -> Any:
    """The sum of tangents, or None if there are none."""
    result = None
    for tangent in tangents:
        result = tangent if result is None else result + tangent
    return result
