"""Pools: a rectifier in front of a pool of the largest pixels is computed behind it, for one pixel of each
window instead of all.

The largest of ``max(x, 0)`` is ``max(largest of x, 0)``. In the gradient the mask ``relu(x) > 0`` moves too:
it is the same for all pixels of a window that get a part of the gradient. Every bit is kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...ops import pooling
from ...ops.windows import as_pictures, as_pixels
from ..graph import Graph
from ..nodes import Node, reachable, users_of
from ..opaque import ArgumentPlace, call_with
from ..symbol import Symbol

TO_LARGEST = pooling.to_largest.forward


class Pool(NamedTuple):
    """A pool of a rectified value, with its gradient."""

    x: Node
    pooled: Node  # the largest of max(x, 0) in each window
    spread: Node  # the call that passes the gradient on to the largest pixels
    products: list[Node]  # that gradient times the mask of the rectifier
    options: dict[str, Any]


def pools(graph: Graph, inputs: Sequence[Node], results: Sequence[Node]) -> list[Node]:
    """Compute rectifiers behind pools, where nothing else reads them."""
    nodes = reachable(results)
    users = users_of(nodes)
    kept = set(results)
    replace: dict[Node, Callable[[dict[Node, Node]], Node]] = {}
    for node in nodes:
        pool = pool_of(graph, node, users)
        if pool is not None and not kept & hidden(pool, users):
            replace |= replacements(graph, pool)
    return graph.rewrite(results, replace) if replace else list(results)


def pool_of(graph: Graph, node: Node, users: dict[Node, list[Node]]) -> Pool | None:
    """The pool whose gradient a node spreads; None unless what is pooled is a rectified value that nothing
    else reads."""
    run = node.value
    if node.op != "call" or not isinstance(run, functools.partial) or run.func is not call_with:
        return None
    function, (args, options) = run.args
    if function is not TO_LARGEST or not all(isinstance(arg, ArgumentPlace) for arg in args):
        return None
    rectified = node.args[args[1].number]
    if rectified.op != "maximum" or not is_zero(rectified.args[1]):
        return None
    if not pooling.windows_on(Symbol(graph, rectified), *pooling_settings(**options)).are_tiles:
        return None  # where windows overlap, a pixel may be the largest of one and masked by another
    pooled = largest(graph, rectified, options)
    masks = [user for user in users[rectified] if user.op == "greater" and is_zero(user.args[1])]
    products = users[node]
    if pooled not in users or len(masks) != 1 or {*users[masks[0]]} != {*products}:
        return None
    if not all(product.op == "multiply" and {*product.args} == {node, masks[0]} for product in products):
        return None
    if not is_read_by(rectified, {pooled, node, *masks}, users):
        return None
    return Pool(rectified.args[0], pooled, node, products, options)


def is_read_by(node: Node, ends: set[Node], users: dict[Node, list[Node]]) -> bool:
    """Whether all that is computed from a value leads to one of these nodes."""
    seen, todo = set(ends), [node]
    last = max(end.index for end in ends)
    while todo:
        for user in users[todo.pop()]:
            if user.index > last:
                return False
            if user not in seen:
                seen.add(user)
                todo.append(user)
    return True


def hidden(pool: Pool, users: dict[Node, list[Node]]) -> set[Node]:
    """The values of a pool that are not computed any more."""
    found, todo = {pool.spread}, [pool.spread.args[1]]
    while todo:
        node = todo.pop()
        if node not in found and node is not pool.pooled and node not in pool.products:
            found.add(node)
            todo += users[node]
    return found


def replacements(graph: Graph, pool: Pool) -> dict[Node, Callable[[dict[Node, Node]], Node]]:
    """What replaces the pooled value and its gradient."""
    zero = graph.const(0)

    def pooled(new: dict[Node, Node]) -> Node:
        return graph.elementwise("maximum", largest(graph, new[pool.x], pool.options), zero)

    def product(new: dict[Node, Node]) -> Node:
        grad = by_pixel(graph, new[pool.spread.args[0]])
        mask = graph.elementwise("greater", new[pool.pooled], zero)
        grad = graph.elementwise("multiply", grad, mask)
        return graph.again(pool.spread, (grad, new[pool.x]))

    return {pool.pooled: pooled, **dict.fromkeys(pool.products, product)}


def largest(graph: Graph, x: Node, options: dict[str, Any]) -> Node:
    """The largest pixel of each window."""
    found: Symbol = pooling.max_pool2d.forward(Symbol(graph, x), **options)
    return found.node


def by_pixel(graph: Graph, pictures: Node) -> Node:
    """Pictures in the memory order of the mask, (H, W, N, C)."""
    batch: Any = Symbol(graph, pictures)
    pixels = as_pictures(as_pixels(pooling.as_batch(batch)))
    found: Symbol = pooling.shaped_like(pixels, batch)
    return found.node


def pooling_settings(
    kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> tuple[Any, ...]:
    """The settings of a pool in their order."""
    return kernel_size, stride, padding, dilation, ceil_mode


def is_zero(node: Node) -> bool:
    """Whether a node is the number 0."""
    return node.op == "const" and bool(node.number) and node.value == 0
