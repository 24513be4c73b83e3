"""Calls with several operands that fit together: joined arrays, products, matrices. See ``operations.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.engine.catalogue import catalogue
from tests.fuzz.chance import Chance
from tests.fuzz.operations import (
    Call,
    along_one_axis,
    binary,
    made,
    movement,
    reduction,
    ternary,
    torch_function,
    unary,
)


def joined(chance: Chance) -> Call:
    shape = chance.shape(least=1, most=3)
    count = chance.integer(1, 3)
    if chance.often(0.4):
        axis = chance.integer(-len(shape) - 1, len(shape))
        arrays = [chance.array(shape) for _ in range(count)]
        return made(
            chance,
            "stack",
            arrays,
            lambda *x: torch_function("stack")(x, axis),
            lambda *x: np.stack(x, axis),
            options={"axis": axis},
        )
    axis = chance.axis(shape)
    shapes = [list(shape) for _ in range(count)]
    for part in shapes:
        part[axis] = chance.size()
    arrays = [chance.array(tuple(part)) for part in shapes]
    return made(
        chance,
        "concatenate",
        arrays,
        lambda *x: torch_function("cat")(x, axis),
        lambda *x: np.concatenate(x, axis),
        options={"axis": axis},
    )


def added(chance: Chance) -> Call:
    """scatter_add, and gather with it: indices for one axis, with repeats."""
    shape = chance.shape(least=1, most=3, side=1)
    axis = chance.axis(shape)
    where = [chance.integer(0, n) for n in shape]
    where[axis] = chance.integer(0, 4)
    indices = chance.integers(0, shape[axis] - 1, where)
    options = {"axis": axis, "indices": indices}
    grid: list[Any] = list(np.ix_(*map(np.arange, indices.shape)))
    grid[axis] = indices

    def scatter(x: Any, source: Any) -> Any:
        z = np.array(x, dtype=np.result_type(x, source))
        np.add.at(z, tuple(grid), source)
        return z

    if chance.often(0.5):
        arrays = [chance.array(shape)]
        return made(
            chance,
            "gather",
            arrays,
            lambda x: x.gather(axis, x.new_tensor(indices).long()),
            lambda x: x[tuple(grid)],
            options=options,
        )
    arrays = [chance.array(shape), chance.array(indices.shape)]
    return made(
        chance,
        "scatter_add",
        arrays,
        lambda x, y: x.scatter_add(axis, x.new_tensor(indices).long(), y),
        scatter,
        options=options,
    )


def multiplied(chance: Chance) -> Call:
    name = chance.choice(("matmul", "matmul", "matmul", "inner", "outer", "dot", "linear", "einsum"))
    n, m, k = chance.size(), chance.size(), chance.size()
    if name == "outer":
        arrays = [chance.array((n,)), chance.array((m,))]
        return made(chance, name, arrays, torch_function("outer"), np.outer)
    if name == "linear":
        arrays = [chance.array((*chance.shape(most=2), n)), chance.array((m, n)), chance.array((m,))]
        return made(chance, name, arrays, torch_function("linear"), lambda x, w, b: x @ w.T + b)
    if name == "inner":
        arrays = [chance.array((*chance.shape(most=2), n)), chance.array((*chance.shape(most=2), n))]
        return made(chance, name, arrays, torch_function("inner"), np.inner)
    if name == "dot":
        right = chance.choice(((n,), (n, m), (k, n, m)))
        arrays = [chance.array((*chance.shape(most=2), n)), chance.array(right)]
        axes = ([-1], [-1 if len(right) == 1 else -2])
        return made(chance, name, arrays, lambda x, y: torch_function("tensordot")(x, y, axes), np.dot)
    if name == "einsum":
        return contracted(chance)
    one, other = chance.broadcastable(2)
    left = chance.choice(((n,), (m, n), (*one[:2], m, n)))
    right = chance.choice(((n,), (n, k), (*other[:2], n, k)))
    try:
        np.broadcast_shapes(left[:-2], right[:-2])
    except ValueError:
        left = left[-2:]
    arrays = [chance.array(left), chance.array(right)]
    return made(chance, "matmul", arrays, torch_function("matmul"), np.matmul)


def contracted(chance: Chance) -> Call:
    """Factors with letters from a few, in any order, some twice; the result's letters in any order."""
    sizes = {letter: chance.size() for letter in "ijk"}
    terms = [
        "".join(chance.choice("ijk") for _ in range(chance.integer(0, 3)))
        for _ in range(chance.integer(1, 3))
    ]
    known = sorted(set("".join(terms)))
    result = "".join(chance.rng.permutation(known)[: chance.integer(0, len(known))]) if known else ""
    subscripts = f"{','.join(terms)}->{result}"
    arrays = [chance.array(tuple(sizes[letter] for letter in term)) for term in terms]
    return made(
        chance,
        "einsum",
        arrays,
        lambda *x: torch_function("einsum")(subscripts, *x),
        lambda *x: np.einsum(subscripts, *x),
        options={"subscripts": subscripts},
    )


def matrices(chance: Chance) -> Call:
    """Square matrices that can be inverted without losing digits."""
    name = chance.choice(("det", "inv", "solve", "cholesky", "logdet"))
    n = chance.integer(1, 3)
    stack = chance.shape(most=1)
    array = chance.array((*stack, n, n), ties=False) + 4 * np.eye(n)
    if name == "cholesky":  # whatever stands above the diagonal is not read
        lower = np.tril(array)
        array = np.tril(lower @ np.swapaxes(lower, -1, -2)) + np.triu(array, 1)
        return made(
            chance,
            name,
            [array],
            lambda x: torch_function("cholesky")(x.tril() + x.tril(-1).mT),
            np.linalg.cholesky,
            analytic=False,
        )
    if name == "solve":
        right = chance.choice(((n,), (*stack, n, chance.integer(1, 2))))
        arrays = [array, chance.array(right)]

        def torch_solve(x: Any, y: Any) -> Any:
            return (x.inverse() @ y[:, None])[..., 0] if y.ndim == 1 else x.inverse() @ y

        return made(chance, name, arrays, torch_solve, np.linalg.solve)
    if name == "logdet":
        return made(
            chance, name, [array], lambda x: x.slogdet()[1], lambda x: np.linalg.slogdet(x)[1], analytic=False
        )
    return made(chance, name, [array], torch_function(name), getattr(np.linalg, name))


def composed(chance: Chance) -> Call:
    """A movement and something smooth after it: gradients arrive in layouts that operations make."""
    first = movement(chance)
    name, power = chance.choice(("exp", "tanh", "sin", "square")), chance.integer(1, 2)
    last = catalogue.find(name)
    torch = torch_function(name)
    moved, numpy = first.torch, getattr(np, name)
    assert moved is not None
    return Call(
        f"{name} of {first.name}",
        first.arrays,
        lambda *x: last(first.ours(*x)) ** power,
        lambda *x: torch(moved(*x)) ** power,
        lambda *x: numpy(first.numpy(*x)) ** power,
        first.options,
    )


FAMILIES = (
    unary, binary, binary, ternary, reduction, reduction, along_one_axis, movement, movement, movement,
    composed, composed, joined, added, multiplied, multiplied, matrices,
)  # fmt: skip


def a_call(chance: Chance) -> Call:
    return chance.choice(FAMILIES)(chance)
