"""The walk forward: how the end of a recorded graph moves when its beginnings move.

A *tangent* is to forward mode what a gradient is to backward: it says how a Tensor moves. It needs no second
set of rules, but asks each operation for its ``kind``. An elementwise operation passes a tangent on by the
same factor by which it passes a gradient back, so its rule serves both. A linear operation moves as it
computes, and a multilinear one by the product rule. For the rest the rule is transposed once more: what is
linear in the gradient is differentiated by the gradient.
(Radul et al., "You Only Linearize Once", 2023, take the same step the other way.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.backward import gradients, order
from ..engine.contributions import fitted, zeros
from ..engine.operands import run_with_fallback
from ..engine.recording import enable_grad, grad_mode
from ..engine.scopes import scope
from ..engine.silence import silently
from ..engine.tensor import Tensor, constant_tensor, raw
from ..ops import catalogue


def tangent(end: Tensor, moves: Mapping[Tensor, Any], *, create_graph: bool = False) -> Tensor:
    """How ``end`` moves when each Tensor in ``moves`` moves as it is given there: of its shape and dtype.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.calculus.forward import tangent
    >>> x, y = Tensor(5), Tensor(7)
    >>> tangent(x * y, {x: 1.0}), tangent(x * y, {x: 1.0, y: 10.0})
    (7, 57)
    """
    moved = dict(moves)
    nodes = order(end) if end.requires_grad else []
    with grad_mode(create_graph), scope("", is_backward=True):
        silently(push_all, nodes, moved, create_graph)
    move = moved.get(end)
    if isinstance(move, Tensor):
        return move
    return constant_tensor(zeros(end) if move is None else move)


def push_all(nodes: Sequence[Tensor], moved: dict[Tensor, Any], create_graph: bool) -> None:
    """Visit the nodes, creators before what they make, and add to ``moved`` how each moves."""
    for node in nodes:
        if node.creation_op is not None and node not in moved:
            move = push(node, moved, create_graph)
            if move is not None:
                moved[node] = fitted(move, node, node)


def push(node: Tensor, moved: Mapping[Tensor, Any], create_graph: bool) -> Any:
    """One step of the walk: how a node moves with its operands; None if none of those moves it."""
    operation: Any = node.creation_op
    creators: Any = node.creators
    moves = [moved.get(c) if isinstance(c, Tensor) else None for c in creators]
    if all(move is None for move in moves):
        return None
    values = creators if create_graph else [c._value if isinstance(c, Tensor) else c for c in creators]
    if operation.is_linear:
        still = [zeros_like(c) if move is None else move for c, move in zip(creators, moves)]
        return operation(*still, **node.options)
    if operation.kind == "multilinear":
        return total(
            operation(*values[:i], move, *values[i + 1 :], **node.options)
            for i, move in enumerate(moves)
            if move is not None
        )
    if operation.kind == "elementwise" and not operation.is_variadic:
        z = node if create_graph else node._value
        return total(
            run_with_fallback(rule, stretched(move, node), z, *values, **node.options)
            for rule, move in zip(operation.rules, moves)
            if move is not None and rule is not None
        )
    return transposed(node, moves, create_graph)


def transposed(node: Tensor, moves: Sequence[Any], create_graph: bool) -> Any:
    """The rules turned round. A rule gives ``u A`` for a gradient ``u``; wanted is ``A t`` for a tangent
    ``t``, and that is the gradient of ``(u A) t`` by ``u``."""
    operation: Any = node.creation_op
    wanted = [move is not None for move in moves]
    u = Tensor(zeros(node))
    z, *values = (node, *node.creators) if create_graph else map(raw, (node, *node.creators))  # type: ignore[misc]
    with enable_grad():
        contributions = operation.contributions(u, z, values, wanted, node.options)
    stop = {tensor for tensor in (z, *values) if isinstance(tensor, Tensor)}
    result = total(
        gradients(contribution, [u], move, create_graph=create_graph, stop=stop)[0]
        for contribution, move in zip(contributions, moves)
        if move is not None and isinstance(contribution, Tensor) and contribution.requires_grad
    )
    return result if create_graph else raw(result)


def leaf_of(value: Any) -> Tensor:
    """A leaf with the same data, not copied."""
    twin = constant_tensor(raw(value))
    twin._requires_grad = True
    return twin


def link(twins: Sequence[Tensor], values: Sequence[Any]) -> None:
    """Record each such leaf as what it stood for: what was computed from it can be differentiated on."""
    for twin, value in zip(twins, values):
        if isinstance(value, Tensor) and value._requires_grad:
            twin._x, twin.creation_op = value, catalogue.alias


def zeros_like(operand: Any) -> Any:
    """How an operand moves that stands still."""
    return zeros(operand) if isinstance(operand, Tensor) else np.zeros_like(operand)


def stretched(move: Any, node: Tensor) -> Any:
    """A tangent as broadcasting stretches its operand."""
    if np.shape(move) == node.shape:
        return move
    return catalogue.broadcast_to(move, shape=node.shape)


def total(moves: Any) -> Any:
    """The sum of what several operands contribute; None of nothing."""
    result = None
    for move in moves:
        result = move if result is None else result + move
    return result
