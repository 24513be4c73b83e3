"""Batched evaluation: the graph of a function of one example is computed for a batch of examples at once.

A node of the graph has the shape of one example. Its value for a batch is either one value for all examples,
if it does not depend on them, or the values of all examples, stacked along an axis in front. Every op
therefore needs a *batching rule*, which computes the op with an axis in front. The rules are in ``RULES``.
They call NumPy's functions, so they take arrays and, inside of another compiled or vmapped function, symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy  # noqa: ICN001

from ..engine.tracing import TraceError
from .algebra import as_python_counts
from .graph import ProgramGraph
from .nodes import ELEMENTWISE, ProgramNode, reachable
from .symbol import Symbol, node_of

np: Any = numpy  # whose functions take symbols too, which their annotations do not say


class Batch(NamedTuple):
    """The value of a node for a batch. The shape of ``data`` is ``front``, which is ``(size,)`` or ``()``,
    followed by the shape of the node."""

    data: Any
    front: tuple[int, ...]


Rule = Callable[[ProgramNode, tuple[int, ...], Sequence[Batch]], Any]
RULES: dict[str, Rule] = {}


def evaluate(
    results: Sequence[ProgramNode], given: dict[ProgramNode, Batch], size: int
) -> dict[ProgramNode, Batch]:
    """The values of the results for a batch of this size, from the values of the inputs. Raises TraceError
    for an op without a rule."""
    values = dict(given)
    nodes = [node for node in reachable(results) if node not in given]
    last_use = {arg: node for node in nodes for arg in node.args}
    kept = {*results, *given}
    for node in nodes:
        args = [values[arg] for arg in node.args]
        front = (size,) if any(arg.front for arg in args) else ()
        values[node] = Batch(in_dtype(node, rule_for(node)(node, front, args), front), front)
        for arg in node.args:
            if last_use[arg] is node and arg not in kept:
                values.pop(arg, None)  # so that its memory can be freed
    return values


def rule_for(node: ProgramNode) -> Rule:
    """The batching rule of a node. Raises TraceError if there is none."""
    op = "reduce" if node.op.startswith("reduce_") else node.op
    rule = elementwise if op in ELEMENTWISE else RULES.get(op)
    if rule is None:
        raise TraceError(
            f"ad.vmap has no batching rule for {node.op}; call the function in a loop over the examples"
        )
    return rule


def in_dtype(node: ProgramNode, data: Any, front: tuple[int, ...]) -> Any:
    """A computed value in the dtype of its node; a Python number if the node is one and has no front."""
    if node.number and not front and not isinstance(data, Symbol):
        return node.number(data)
    if node.dtype.kind == "O":  # several results
        return data
    if front and data.dtype != node.dtype:
        return data.astype(node.dtype)
    return data


def batching_rule(*ops: str) -> Callable[[Rule], Rule]:
    """Register the batching rule of some ops."""

    def register(rule: Rule) -> Rule:
        for op in ops:
            RULES[op] = rule
        return rule

    return register


# -- helpers ------------------------------------------------------------------------------------------------


def spread(batch: Batch, front: tuple[int, ...], shape: Sequence[int]) -> Any:
    """The data of a batch, broadcast to ``front`` and this shape of an example."""
    own = np.shape(batch.data)[len(batch.front) :]
    ones = (1,) * (len(front) - len(batch.front)) + (1,) * (len(shape) - len(own))
    data = np.reshape(batch.data, (*batch.front, *ones, *own))
    return np.broadcast_to(data, (*front, *shape))


def aligned(batch: Batch, count: int) -> Any:
    """The data of a batch with axes of size 1 behind the front, so that an example has ``count`` axes."""
    own = np.shape(batch.data)[len(batch.front) :]
    if not batch.front or len(own) >= count:
        return batch.data
    return np.reshape(batch.data, (*batch.front, *(1,) * (count - len(own)), *own))


def writable(data: Any, others: Sequence[Any]) -> Any:
    """A copy to write into: a symbol if the data or one of the others is a symbol, otherwise an array."""
    for other in (data, *others):
        if isinstance(other, Symbol):
            graph: ProgramGraph = other.graph.innermost()
            return Symbol(graph, node_of(graph, data))
    return np.array(data)


def in_front(front: tuple[int, ...], index: Any) -> tuple[Any, ...]:
    """A basic index for the axes behind the front."""
    index = index if isinstance(index, tuple) else (index,)
    return (slice(None),) * len(front) + index


# -- rules --------------------------------------------------------------------------------------------------


def elementwise(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """The same function, with the axes of each example aligned as NumPy aligns them without a batch, and
    booleans counted as Python counts them where an example is a Python number."""
    data: Sequence[Any] = [aligned(arg, len(node.shape)) for arg in args]
    if node.number:
        data = as_python_counts(node.op, data, node.number)
    elif any(arg.number for arg in node.args):
        data = as_weak(node.args, data)
    return getattr(np, node.op)(*data)


def as_weak(nodes: Sequence[ProgramNode], data: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a call on Python numbers and arrays, whose dtype the numbers take (NEP 50): a number
    that differs between the examples is an array, which has a dtype of its own."""
    kinds = [node.number(0) if node.number else node.dtype for node in nodes]
    dtype = np.result_type(*kinds)
    return [
        x.astype(dtype) if node.number and np.ndim(x) and x.dtype != dtype else x
        for node, x in zip(nodes, data)
    ]


@batching_rule("const", "array")
def constant(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """The same for all examples."""
    return node.value


@batching_rule("full")
def full(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Broadcast the number to the shape."""
    return spread(args[0], front, node.shape)


@batching_rule("reduce")
def reduce(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Reduce along the same axes, which the front moves back by one."""
    axes, keepdims = node.options
    data, shape = args[0].data, node.args[0].shape
    if not shape:  # NumPy accepts the axis 0 of a 0-d array too
        data = np.reshape(data, (*front, 1))
    axes = tuple(axis + len(front) for axis in axes)
    ufunc = getattr(np, node.op.partition("_")[2])
    found = ufunc.reduce(data, axis=axes if len(axes) > 1 else axes[0], keepdims=keepdims)
    return found if shape else np.reshape(found, front)


@batching_rule("astype")
def astype(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Convert the data. For a Python number the one element is taken out of its axes."""
    data = np.reshape(args[0].data, (*front, *node.shape))
    return data.astype(node.dtype) if hasattr(data, "astype") else np.asarray(data, node.dtype)


@batching_rule("ascontiguousarray")
def ascontiguousarray(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """The same of the data: the front comes first in memory."""
    return np.ascontiguousarray(args[0].data, like=args[0].data)


@batching_rule("reshape")
def reshape(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Reshape the axes behind the front."""
    return np.reshape(args[0].data, (*front, *node.shape))


@batching_rule("transpose")
def transpose(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Transpose the axes behind the front."""
    behind = (axis + len(front) for axis in node.options[0])
    return np.transpose(args[0].data, (*range(len(front)), *behind))


@batching_rule("broadcast_to")
def broadcast_to(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Broadcast the axes behind the front."""
    return spread(args[0], front, node.shape)


@batching_rule("getitem")
def getitem(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Index the axes behind the front."""
    return args[0].data[in_front(front, node.value)]


@batching_rule("part")
def part(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """The same of several results."""
    if front and not front[0]:  # without examples nothing was called
        return np.empty((*front, *node.shape), node.dtype)
    found = args[0].data[node.value]
    return np.reshape(found, (*front, *node.shape)) if front else found


@batching_rule("stack", "concatenate")
def join(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Join the parts; a part that is the same for all examples is repeated for each."""
    parts = [spread(arg, front, part.shape) for arg, part in zip(args, node.args)]
    return getattr(np, node.op)(parts, axis=node.options[0] + len(front))


@batching_rule("matmul")
def matmul(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """One product for the whole batch where the right matrix is the same for all examples; a product for each
    example otherwise. A vector is a matrix with one row, or one column."""
    x, y = args
    x_shape, y_shape = (arg.shape for arg in node.args)
    if not y.front and len(y_shape) <= 2:  # the examples' rows are rows of one matrix
        rows = np.reshape(x.data, (-1, x_shape[-1])) if x_shape[-1] and x.front else x.data
        return np.reshape(rows @ y.data, (*front, *node.shape))
    if not x.front and len(x_shape) <= 2 and len(y_shape) == 1:  # x @ y is y @ x.T for a vector y
        return y.data @ np.transpose(x.data)
    count = max(len(x_shape), len(y_shape), 2)
    if len(x_shape) == 1:
        x = Batch(np.reshape(x.data, (*x.front, 1, *x_shape)), x.front)
    if len(y_shape) == 1:
        y = Batch(np.reshape(y.data, (*y.front, *y_shape, 1)), y.front)
    return np.reshape(np.matmul(aligned(x, count), aligned(y, count)), (*front, *node.shape))
