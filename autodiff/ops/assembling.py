"""Functions composed of operations: stacked, diag, kron and meshgrid, which assemble arrays; and the products
tensordot, cross, multi_dot and matrix_power.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..engine.dtypes import computed_in
from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from .indexing import diagonal, scatter
from .joining import LETTERS, einsum, stack
from .matrices import inv
from .piecewise import where
from .shaping import broadcast_to, moveaxis, reshape, roll, shape_of


def stacked(values: Any) -> Any:
    """One array from a list of Tensors and numbers, or from nested lists. It is recorded as calls of
    ``stack``.

    >>> import autodiff as ad
    >>> x = ad.Tensor(3)
    >>> ad.ops.assembling.stacked([[x, 2], [1, x * x]])
    [[3 2]
     [1 9]]
    """
    if not isinstance(values, (list, tuple)):
        return values
    return stack(*map(stacked, values)) if values else np.array(values)


def diag(x: Any, k: int = 0) -> Any:
    """Square matrix with the vector x on its ``k``-th diagonal; or, if x is a matrix, its ``k``-th diagonal.

    Raises ValueError unless x has one or two axes.

    >>> import autodiff as ad
    >>> ad.diag(ad.Tensor([1, 2]))
    [[1 0]
     [0 2]]
    >>> ad.diag(ad.Tensor([[1, 2], [3, 4]]), k=1)
    [2]
    """
    x = as_recorded(x)
    shape = shape_of(x)
    if len(shape) == 2:
        return diagonal(x, offset=k)
    if len(shape) != 1:
        raise ValueError(
            f"diag takes a vector or a matrix, not an array with {len(shape)} axes; use diagonal for stacks"
        )
    i = np.arange(shape[0])
    side = shape[0] + abs(k)
    return scatter(x, index=(i + max(-k, 0), i + max(k, 0)), shape=(side, side))


def kron(x: Any, y: Any) -> Any:
    """Kronecker product: a block ``x[i] * y`` for each element of x.

    >>> import autodiff as ad
    >>> ad.kron(ad.Tensor([1, 10]), [1, 2, 3])
    [ 1  2  3 10 20 30]
    """
    x, y = as_recorded(x), as_recorded(y)
    n = max(len(shape_of(x)), len(shape_of(y)))
    outer, inner = ((1,) * (n - len(shape_of(part))) + shape_of(part) for part in (x, y))
    large = reshape(x, shape=tuple(size for pair in zip(outer, (1,) * n) for size in pair))
    small = reshape(y, shape=tuple(size for pair in zip((1,) * n, inner) for size in pair))
    return reshape(large * small, shape=tuple(map(operator.mul, outer, inner)))


def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False) -> tuple[Any, ...]:
    """Coordinates of a grid: for each vector, an array that varies like the vector along one axis.

    With ``indexing="xy"`` the first vector is along the second axis, as in a plot; with "ij" along the first.
    ``sparse`` keeps the other axes at size 1. The results are read-only views.

    Raises ValueError for another indexing, or if an argument has more than one axis.

    >>> import autodiff as ad
    >>> ad.meshgrid(ad.Tensor([1, 2]), [10, 20, 30])[0]
    [[1 2]
     [1 2]
     [1 2]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing of meshgrid must be 'xy' or 'ij', not {indexing!r}")
    vectors = [as_recorded(x) for x in xi]
    if wrong := [x for x in vectors if len(shape_of(x)) > 1]:
        raise ValueError(f"meshgrid takes vectors, with one axis each, not {describe(wrong[0])}")
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    sizes = [math.prod(shape_of(x)) for x in vectors]
    shape = tuple(sizes[order.index(axis)] for axis in range(len(sizes)))
    grids = []
    for x, size, axis in zip(vectors, sizes, order):
        grid = reshape(x, shape=tuple(size if a == axis else 1 for a in range(len(sizes))))
        grids.append(grid if sparse else broadcast_to(grid, shape=shape))
    return tuple(grids)


def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    """Sum of products over the last ``axes`` axes of x and the first of y; or over those of x in ``axes[0]``
    and those of y in ``axes[1]``.

    Raises ValueError if the axes do not have equal sizes.

    >>> import autodiff as ad
    >>> ad.tensordot(ad.Tensor([[1, 2], [3, 4]]), [[1, 0], [0, 1]])
    5
    """
    x, y = as_recorded(x), as_recorded(y)
    n, m = len(shape_of(x)), len(shape_of(y))
    if not isinstance(axes, (list, tuple)):
        count = operator.index(axes)
        axes = (range(n - count, n), range(count))
    left, right = (normalize_axis_tuple(a, count) for a, count in zip(axes, (n, m), strict=True))
    pairs = list(zip((shape_of(x)[a] for a in left), (shape_of(y)[b] for b in right)))
    if len(left) != len(right) or any(a != b for a, b in pairs):
        raise ValueError(
            f"tensordot needs axes of equal sizes; axes {left} of shape {shape_of(x)} do not match axes "
            f"{right} of shape {shape_of(y)}"
        )
    x_term, y_term = list(LETTERS[:n]), list(LETTERS[n : n + m])
    for a, b in zip(left, right):
        y_term[b] = x_term[a]
    free = [c for c in x_term if c not in y_term] + [c for c in y_term if c not in x_term]
    return einsum(f"{''.join(x_term)},{''.join(y_term)}->{''.join(free)}", x, y)


@in_either_words
@computed_in("signed", 2)
def cross(x: Any, y: Any, axis: int = -1) -> Any:
    """Cross product of vectors of size 3 along ``axis``; the other axes broadcast.

    Raises ValueError if the size of ``axis`` is not 3.

    >>> import autodiff as ad
    >>> ad.cross(ad.Tensor([1, 0, 0]), [0, 1, 0])
    [0 0 1]
    """
    x, y = (vectors_last(part, axis) for part in (x, y))
    z = cycled(x, 1) * cycled(y, 2) - cycled(x, 2) * cycled(y, 1)
    return moveaxis(z, source=-1, destination=axis) if axis != -1 else z


def vectors_last(x: Any, axis: int) -> Any:
    """Move the axis of the vectors last. Raises ValueError if its size is not 3."""
    x = as_recorded(x)
    shape = shape_of(x)
    if not shape or shape[normalize_axis_index(axis, len(shape))] != 3:
        raise ValueError(f"cross takes vectors of 3 numbers along axis {axis}, not an array of shape {shape}")
    return moveaxis(x, source=axis, destination=-1) if axis != -1 else x


def cycled(x: Any, places: int) -> Any:
    """Element ``i + places``, modulo 3, at each i."""
    return roll(x, shift=-places, axis=-1)


def multi_dot(arrays: Any) -> Any:
    """Product of several matrices, computed in the order that takes the fewest multiplications. The first and
    the last may be vectors.

    Raises ValueError for fewer than two arrays, or if their shapes do not match.

    >>> import autodiff as ad
    >>> ad.ops.assembling.multi_dot([[1, 2], ad.Tensor([[1, 0], [0, 1]]), [3, 4]])
    11
    """
    parts = [as_recorded(part) for part in arrays]
    shapes = [shape_of(part) for part in parts]
    ends = [len(shape) for shape in shapes[:1] + shapes[-1:]]
    if len(parts) < 2 or any(len(shape) != 2 for shape in shapes[1:-1]) or not {*ends} <= {1, 2}:
        raise ValueError("multi_dot takes two or more matrices; the first and the last may be vectors")
    if any(left[-1] != right[0] for left, right in itertools.pairwise(shapes)):
        raise ValueError(f"multi_dot cannot multiply the shapes {', '.join(map(str, shapes))}")
    terms = [chr(ord("a") + i) + chr(ord("a") + i + 1) for i in range(len(parts))]  # ab, bc, cd
    terms[0] = terms[0][-ends[0] :]
    terms[-1] = terms[-1][: ends[1]]
    result = terms[0][: ends[0] - 1] + terms[-1][1:]
    return einsum(f"{','.join(terms)}->{result}", *parts)


def matrix_power(x: Any, n: int) -> Any:
    """The n-th power of a square matrix, by repeated squaring; a negative n takes powers of the inverse.

    Raises ValueError if x is not square, TypeError if n is not an integer.

    >>> import autodiff as ad
    >>> ad.ops.assembling.matrix_power(ad.Tensor([[1, 1], [0, 1]]), 5)
    [[1 5]
     [0 1]]
    """
    x, n = as_recorded(x), operator.index(n)
    shape = shape_of(x)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(f"matrix_power takes square matrices, not shape {shape}")
    if n < 0:
        x, n = inv(x), -n
    power = None
    while n:
        if n % 2:
            power = x if power is None else power @ x
        n //= 2
        x = x @ x if n else x
    return where(np.zeros(shape, dtype=bool), x, np.eye(shape[-1], dtype=x.dtype)) if power is None else power
