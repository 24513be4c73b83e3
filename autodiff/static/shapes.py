"""The shape of a result before anything is computed, as far as it follows from the shapes of the operands.

A shape is a tuple in which None stands for a size that is not known yet; None in place of the tuple means
that nothing is known. There are rules for elementwise operations, matrix products, reductions, and operations
that only rearrange elements. The results of other operations have no known shape before they run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..engine.operation import Operation

Shape = tuple[int | None, ...] | None

LIKE_OPERAND = frozenset((
    "softmax", "log_softmax", "sort", "argsort", "cumsum", "cumprod", "roll", "tril", "triu", "inv",
))  # fmt: skip
"""Operations whose result has the shape of their operand, unless ``axis=None`` flattens it."""

TRIED_SIZES = (5040, 10080, 1, 0)
"""Sizes that are tried for an unknown size: two with many divisors, and two special ones. A size of a result
that is the same for all of them does not depend on the unknown size."""


def shape_of(operation: Any, operands: Sequence[Any], options: dict[str, Any]) -> Shape:
    """The shape of a result, as far as it is known. Raises ValueError for known shapes that do not fit.

    >>> import autodiff as ad
    >>> x, w = np.zeros((5, 3)), np.zeros((3, 2))
    >>> shape_of(ad.matmul, [x, w], {}), shape_of(ad.sum, [x], {"axis": 1}), shape_of(ad.sort, [x], {})
    ((5, 2), (5,), (5, 3))
    """
    shapes = [shape(x) for x in operands]
    if isinstance(operation, np.ufunc):
        return broadcast(operation.__name__, shapes)
    if not isinstance(operation, Operation):
        return None
    if {"axis", "keepdims"} <= operation.option_names:
        return reduced(operation, shapes[0], options)
    if any(known is None for known in shapes):
        return None
    if operation.kind == "elementwise":
        return broadcast(operation.name, shapes)
    if operation == "matmul":
        return multiplied(*shapes)
    if operation in LIKE_OPERAND:
        is_flat = options.get("axis", operation.defaults.get("axis", 0)) is None and operation != "roll"
        return None if is_flat else shapes[0]
    if operation.kind == "view" or operation == "getitem":
        return rearranged(operation, shapes[0] or (), options)
    return None


def shape(value: Any) -> Shape:
    """The shape of a node, of an array or of a number."""
    return getattr(value, "shape", ())


def shape_text(known: Shape) -> str:
    """A shape as text, with ``?`` for a size that is not known.

    >>> shape_text((None, 3)), shape_text(()), shape_text(None)
    ('(?, 3)', '()', '?')
    """
    return "?" if known is None else str(known).replace("None", "?")


def fits(actual: Sequence[int | None], expected: Shape) -> bool:
    """Whether an actual shape agrees with what is known.

    >>> fits((5, 3), (None, 3)), fits((3,), (None, 3)), fits((3,), None)
    (True, False, True)
    """
    if expected is None:
        return True
    return len(actual) == len(expected) and all(b in (None, a) for a, b in zip(actual, expected))


def broadcast(what: str, shapes: Sequence[Shape]) -> Shape:
    """The shape after NumPy's broadcasting. Raises ValueError if the shapes do not fit.

    >>> broadcast("add", [(None, 3), (3,)]), broadcast("add", [(None, 1), (4, None)])
    ((None, 3), (4, None))
    """
    known = [one for one in shapes if one is not None]
    if len(known) < len(shapes):
        return None
    rank = max(map(len, known), default=0)
    columns = zip(*((1,) * (rank - len(one)) + one for one in known))
    return tuple(common_size(what, sizes, known) for sizes in columns)


def common_size(what: str, sizes: Iterable[int | None], shapes: Sequence[Shape]) -> int | None:
    """The size of one axis after broadcasting. Raises ValueError if the sizes do not fit."""
    others = set(sizes) - {1}
    numbers = others - {None}
    if len(numbers) > 1:
        text = " and ".join(map(shape_text, shapes))
        raise ValueError(
            f"{what} cannot take operands of shapes {text}: along each axis sizes must be equal, or one of "
            "them must be 1"
        )
    return numbers.pop() if numbers else None if others else 1


def multiplied(left: Shape, right: Shape) -> Shape:
    """The shape of a matrix product. Raises ValueError if the shapes do not fit.

    >>> multiplied((None, 3), (3, 2)), multiplied((3,), (3,)), multiplied((7, 2, 3), (3,))
    ((None, 2), (), (7, 2))
    """
    if not left or not right:
        raise ValueError("matmul needs operands with at least one axis; use * for a product with a number")
    a = left if len(left) > 1 else (1, *left)
    b = right if len(right) > 1 else (*right, 1)
    if None not in (a[-1], b[-2]) and a[-1] != b[-2]:
        raise ValueError(
            f"matmul cannot take operands of shapes {shape_text(left)} and {shape_text(right)}: {a[-1]} "
            f"columns on the left, {b[-2]} rows on the right"
        )
    rows = a[-2:-1] if len(left) > 1 else ()
    columns = b[-1:] if len(right) > 1 else ()
    return (*(broadcast("matmul", [a[:-2], b[:-2]]) or ()), *rows, *columns)


def reduced(operation: Operation, known: Shape, options: dict[str, Any]) -> Shape:
    """The shape after a reduction along ``axis``. Raises ValueError for an axis that does not exist.

    >>> import autodiff as ad
    >>> reduced(ad.max, (None, 3), {"axis": -1, "keepdims": True}), reduced(ad.sum, None, {})
    ((None, 1), ())
    """
    axis = options.get("axis", operation.defaults["axis"])
    keepdims = options.get("keepdims", operation.defaults["keepdims"])
    if axis is None and not keepdims:
        return ()
    if known is None:
        return None
    rank = len(known)
    axes = range(rank) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if not all(-rank <= one < rank for one in axes):
        raise ValueError(f"{operation} has axis={axis}, and its operand has the shape {shape_text(known)}")
    gone = {one % rank for one in axes}
    return tuple(1 if i in gone else size for i, size in enumerate(known) if keepdims or i not in gone)


def rearranged(operation: Operation, known: tuple[int | None, ...], options: dict[str, Any]) -> Shape:
    """The shape after an operation that only rearranges or selects elements. It is found by applying the
    operation to arrays that take no memory, with several sizes in place of the unknown ones.

    >>> import autodiff as ad
    >>> rearranged(ad.reshape, (None, 4, 7), {"shape": (-1, 28)})
    (None, 28)
    """
    if None not in known:
        return shape_with(operation, known, 0, options)
    found: list[tuple[int, ...]] = []
    for size in TRIED_SIZES:
        try:
            found.append(shape_with(operation, known, size, options))
        except (TypeError, ValueError, IndexError):
            if size != 0 or known.count(None) > 1:  # x[0] has a shape, though an empty x has no x[0]
                return None
    if len(set(map(len, found))) > 1:
        return None
    return tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*found))


def shape_with(
    operation: Operation, known: tuple[int | None, ...], size: int, options: dict[str, Any]
) -> tuple[int, ...]:
    """The shape of the result if each unknown size is ``size``."""
    sizes = tuple(size if one is None else one for one in known)
    return np.shape(operation.compute(np.broadcast_to(np.False_, sizes), **options))
