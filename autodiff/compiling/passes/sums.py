"""Sums over steps as one call: ``x[0].T @ g[0] + x[1].T @ g[1] + ...`` is one product of two matrices that
hold all steps, one below the other."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..algebra import is_constant
from ..graph import ProgramGraph
from ..nodes import ProgramNode, reachable, users_of
from .rows import LEAST, flat_rows, row_of, stacked

LARGEST_TOTALLED = 1 << 14
"""The number of elements of an array up to which it is copied into a stack, so that one call totals all."""


class Term(NamedTuple):
    """A term of a sum, and the operands of the product or total that it shows."""

    node: ProgramNode
    operands: tuple[ProgramNode, ...]


Kinds = dict[Any, list[Term]]
"""The terms of a sum by the calls that make them. The key None holds those that are neither products nor
totals."""


def sums(graph: ProgramGraph, results: Sequence[ProgramNode]) -> list[ProgramNode]:
    """Replace each sum of at least ``LEAST`` alike products, or alike totals, by one call. A sum whose terms
    have several dtypes stays as it is, since one call would add up in another precision."""
    groups = {root: by_kind(terms, uses) for root, terms, uses in trees_of_sums(results)}
    groups = {root: kinds for root, kinds in groups.items() if any(map(is_worth_it, kinds.items()))}
    orders = orders_of_rows(groups)
    replace: dict[ProgramNode, Callable[[dict[ProgramNode, ProgramNode]], ProgramNode]] = {}
    for root, kinds in groups.items():
        replace[root] = functools.partial(total_of, graph, kinds, orders)
    return graph.rewrite(results, replace) if replace else list(results)


def trees_of_sums(
    results: Sequence[ProgramNode],
) -> list[tuple[ProgramNode, list[ProgramNode], dict[ProgramNode, list[ProgramNode]]]]:
    """Each sum that is not part of a larger one, with its terms and with the users of all nodes."""
    nodes = reachable(results)
    users, ends = users_of(nodes), set(results)
    inside: set[ProgramNode] = set()
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
        if len(terms) >= LEAST and {term.dtype for term in terms} == {root.dtype}:
            trees.append((root, terms[::-1], users))
    return trees


def by_kind(terms: Sequence[ProgramNode], users: dict[ProgramNode, list[ProgramNode]]) -> Kinds:
    """The terms of a sum, by kind."""
    kinds: Kinds = defaultdict(list)
    for term in terms:
        path, node = [], term
        while node.op in ("transpose", "reshape") and len(users[node]) == 1:
            path.append((node.op, node.options, node.shape))
            node = node.args[0]
        shapes = tuple((arg.shape, arg.dtype) for arg in node.args)
        alone = len(users[node]) == 1
        if node.op == "matmul" and alone and all(len(arg.shape) == 2 for arg in node.args):
            turned = tuple(arg.op == "transpose" for arg in node.args)
            kinds["matmul", tuple(path), turned, shapes].append(Term(term, node.args))
        elif is_product_with_ones(node) and alone:
            key = "total", tuple(path), ((0,), False), shapes[1:], node.shape
            kinds[key].append(Term(term, node.args[1:]))
        elif node.op == "reduce_add" and alone and node.dtype == node.args[0].dtype:
            kinds["total", tuple(path), node.options, shapes, node.shape].append(Term(term, node.args))
        else:
            kinds[None].append(Term(term, ()))
    return kinds


def is_product_with_ones(node: ProgramNode) -> bool:
    """Whether a node is ``ones @ x``, the total of the rows of a matrix."""
    if node.op != "matmul" or [len(arg.shape) for arg in node.args] != [1, 2]:
        return False
    ones, x = node.args
    return ones.op == "full" and is_constant(ones, 1) and ones.dtype == x.dtype


def is_worth_it(kind: tuple[Any, list[Term]]) -> bool:
    """Whether there are enough terms of this kind."""
    key, terms = kind
    if key is None or len(terms) < LEAST:
        return False
    return bool(key[0] == "matmul" or terms[0].operands[0].size <= LARGEST_TOTALLED)


def orders_of_rows(groups: dict[ProgramNode, Kinds]) -> dict[frozenset[ProgramNode], tuple[ProgramNode, ...]]:
    """One order for each set of nodes that is stacked: that of the first factors in the products."""
    orders: dict[frozenset[ProgramNode], tuple[ProgramNode, ...]] = {}
    for kinds in groups.values():
        for key, terms in kinds.items():
            if is_worth_it((key, terms)) and key[0] == "matmul":
                terms.sort(key=lambda term: place_of(untransposed(term.operands[0])))
                for side in (0, 1):
                    nodes = tuple(untransposed(term.operands[side]) for term in terms)
                    orders.setdefault(frozenset(nodes), nodes)
    return orders


def place_of(node: ProgramNode) -> tuple[int, int]:
    """The sort key of a node: the array that it is a row of, and its place there."""
    row = row_of(node)
    return (row[0].index, row[2]) if row else (node.index, 0)


def untransposed(node: ProgramNode) -> ProgramNode:
    """The node that a transposition shows; any other node itself."""
    return node.args[0] if node.op == "transpose" else node


def total_of(
    graph: ProgramGraph,
    kinds: Kinds,
    orders: dict[frozenset[ProgramNode], tuple[ProgramNode, ...]],
    new: dict[ProgramNode, ProgramNode],
) -> ProgramNode:
    """The sum of all terms, from the new nodes."""
    totals: list[ProgramNode] = []
    for key, terms in kinds.items():
        if not is_worth_it((key, terms)):
            totals += [new[term.node] for term in terms]
        elif key[0] == "matmul":
            left = side_by_side(graph, [new[term.operands[0]] for term in terms])
            right = one_below_other(graph, [new[term.operands[1]] for term in terms])
            totals.append(along(graph, graph.matmul(left, right), key[1]))
        else:
            nodes = [term.operands[0] for term in terms]
            ordered = orders.get(frozenset(nodes), nodes) if len(set(nodes)) == len(nodes) else nodes
            whole = stacked(graph, [new[node] for node in ordered])
            axes = (0, *(axis + 1 for axis in key[2][0]))
            total = graph.reshape(graph.reduce("add", whole, axes), key[4])
            totals.append(along(graph, total, key[1]))
    return functools.reduce(functools.partial(graph.elementwise, "add"), totals)


def along(graph: ProgramGraph, x: ProgramNode, path: Sequence[Any]) -> ProgramNode:
    """The view of x along a path of transpositions and reshapes, the outermost first."""
    for op, options, shape in reversed(path):
        x = graph.transpose(x, options[0]) if op == "transpose" else graph.reshape(x, shape)
    return x


def one_below_other(graph: ProgramGraph, parts: Sequence[ProgramNode]) -> ProgramNode:
    """Matrices with as many columns as one matrix."""
    if all(part.op == "transpose" for part in parts):
        return graph.transpose(graph.join("concatenate", [part.args[0] for part in parts], 1))
    return flat_rows(graph, stacked(graph, parts))


def side_by_side(graph: ProgramGraph, parts: Sequence[ProgramNode]) -> ProgramNode:
    """Matrices with as many rows as one matrix."""
    if all(part.op == "transpose" for part in parts):
        return graph.transpose(flat_rows(graph, stacked(graph, [part.args[0] for part in parts])))
    return graph.join("concatenate", parts, 1)
