"""Sums over steps as one call: ``x[0].T @ g[0] + x[1].T @ g[1] + ...`` is one product of two matrices that
hold all steps, one below the other."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from ..graph import Graph
from ..nodes import Node, reachable, users_of
from .rows import LEAST, flat_rows, row_of, stacked

LARGEST_TOTALLED = 1 << 14
"""The number of elements of an array up to which it is copied into a stack, so that one call totals all."""


def sums(graph: Graph, results: Sequence[Node]) -> list[Node]:
    """Replace each sum of at least ``LEAST`` alike products, or alike totals, by one call."""
    groups = {root: by_kind(terms, uses) for root, terms, uses in trees_of_sums(results)}
    groups = {root: kinds for root, kinds in groups.items() if any(map(is_worth_it, kinds.items()))}
    orders = orders_of_rows(groups)
    replace: dict[Node, Callable[[dict[Node, Node]], Node]] = {}
    for root, kinds in groups.items():
        replace[root] = functools.partial(total_of, graph, kinds, orders)
    return graph.rewrite(results, replace) if replace else list(results)


def trees_of_sums(results: Sequence[Node]) -> list[tuple[Node, list[Node], dict[Node, list[Node]]]]:
    """Each sum that is not part of a larger one, with its terms and with the users of all nodes."""
    nodes = reachable(results)
    users, ends = users_of(nodes), set(results)
    inside: set[Node] = set()
    trees = []
    for root in reversed(nodes):
        if root.op != "add" or root in inside or root.dtype.kind != "f" or root.number:
            continue
        terms, todo = [], list(root.args)
        while todo:
            node = todo.pop()
            is_inner = node.op == "add" and len(users[node]) == 1 and node not in ends
            if is_inner and node.shape == root.shape and node.dtype == root.dtype:
                inside.add(node)
                todo.extend(node.args)
            else:
                terms.append(node)
        if len(terms) >= LEAST:
            trees.append((root, terms[::-1], users))
    return trees


def by_kind(terms: Sequence[Node], users: dict[Node, list[Node]]) -> dict[Any, list[tuple[Node, ...]]]:
    """The operands of the terms of a sum, by the calls that make a term of them. The key None holds the terms
    that are neither products nor totals."""
    kinds: dict[Any, list[tuple[Node, ...]]] = defaultdict(list)
    for term in terms:
        path, node = [], term
        while node.op in ("transpose", "reshape") and len(users[node]) == 1:
            path.append((node.op, node.options, node.shape))
            node = node.args[0]
        shapes = tuple((arg.shape, arg.dtype) for arg in node.args)
        alone = len(users[node]) == 1
        if node.op == "matmul" and alone and all(len(arg.shape) == 2 for arg in node.args):
            left, right = node.args
            turned = left.op == "transpose", right.op == "transpose"
            kinds["matmul", tuple(path), turned, shapes].append((left, right))
        elif node.op == "reduce_add" and alone and node.dtype == node.args[0].dtype:
            kinds["total", tuple(path), node.options, shapes, node.shape].append(node.args)
        else:
            kinds[None].append((term,))
    return kinds


def is_worth_it(kind: tuple[Any, list[tuple[Node, ...]]]) -> bool:
    """Whether there are enough terms of this kind."""
    key, operands = kind
    if key is None or len(operands) < LEAST:
        return False
    return bool(key[0] == "matmul" or operands[0][0].size <= LARGEST_TOTALLED)


def orders_of_rows(groups: dict[Node, dict[Any, Any]]) -> dict[frozenset[Node], tuple[Node, ...]]:
    """One order for each set of nodes that is stacked: that of the first factors in the products."""
    orders: dict[frozenset[Node], tuple[Node, ...]] = {}
    for kinds in groups.values():
        for key, operands in kinds.items():
            if is_worth_it((key, operands)) and key[0] == "matmul":
                operands.sort(key=lambda pair: place_of(untransposed(pair[0])))
                for side in (0, 1):
                    nodes = tuple(untransposed(pair[side]) for pair in operands)
                    orders.setdefault(frozenset(nodes), nodes)
    return orders


def place_of(node: Node) -> tuple[int, int]:
    """The sort key of a node: the array that it is a row of, and its place there."""
    row = row_of(node)
    return (row[0].index, row[2]) if row else (node.index, 0)


def untransposed(node: Node) -> Node:
    """The node that a transposition shows; any other node itself."""
    return node.args[0] if node.op == "transpose" else node


def total_of(
    graph: Graph, kinds: dict[Any, list[tuple[Node, ...]]], orders: dict[Any, Any], new: dict[Node, Node]
) -> Node:
    """The sum of all terms, from the new nodes of their operands."""
    totals: list[Node] = []
    for key, operands in kinds.items():
        if not is_worth_it((key, operands)):
            totals += [again_of(graph, key, [new[arg] for arg in args]) for args in operands]
        elif key[0] == "matmul":
            left = side_by_side(graph, [new[left] for left, _ in operands])
            right = one_below_other(graph, [new[right] for _, right in operands])
            totals.append(along(graph, graph.matmul(left, right), key[1]))
        else:
            nodes = [arg for (arg,) in operands]
            ordered = orders.get(frozenset(nodes), nodes) if len(set(nodes)) == len(nodes) else nodes
            whole = stacked(graph, [new[node] for node in ordered])
            axes = (0, *(axis + 1 for axis in key[2][0]))
            total = graph.reshape(graph.reduce("add", whole, axes), key[4])
            totals.append(along(graph, total, key[1]))
    total, *others = totals
    for other in others:
        total = graph.elementwise("add", total, other)
    return total


def again_of(graph: Graph, key: Any, args: list[Node]) -> Node:
    """One term as it was."""
    if key is None:
        return args[0]
    if key[0] == "matmul":
        return along(graph, graph.matmul(*args), key[1])
    return along(graph, graph.reduce("add", args[0], key[2][0], key[2][1]), key[1])


def along(graph: Graph, x: Node, path: Sequence[Any]) -> Node:
    """The view of x along a path of transpositions and reshapes, the outermost first."""
    for op, options, shape in reversed(path):
        x = graph.transpose(x, options[0]) if op == "transpose" else graph.reshape(x, shape)
    return x


def one_below_other(graph: Graph, parts: Sequence[Node]) -> Node:
    """Matrices with as many columns as one matrix."""
    if all(part.op == "transpose" for part in parts):
        return graph.transpose(graph.join("concatenate", [part.args[0] for part in parts], 1))
    return flat_rows(graph, stacked(graph, parts))


def side_by_side(graph: Graph, parts: Sequence[Node]) -> Node:
    """Matrices with as many rows as one matrix."""
    if all(part.op == "transpose" for part in parts):
        return graph.transpose(flat_rows(graph, stacked(graph, [part.args[0] for part in parts])))
    return graph.join("concatenate", parts, 1)
