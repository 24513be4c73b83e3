"""Larger arrays assembled from smaller ones: stacked, diag, kron, meshgrid; and products over chosen axes or
of many matrices: tensordot, cross, multi_dot, matrix_power.

Each is put together from operations, and is none itself.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from .indexing import diagonal, scatter
from .joining import einsum, stack
from .matrices import inv
from .piecewise import where
from .shaping import broadcast_to, moveaxis, reshape, roll, shape_of


def stacked(values: Any) -> Any:
    """A list of Tensors and numbers, or of lists of them, as one array: recorded, as ``stack`` records it.

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
    """A vector as the ``k``-th diagonal of a square matrix of zeros; of a matrix its ``k``-th diagonal.

    Raises ValueError if x has neither one axis nor two.

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
        raise ValueError(f"diag takes a vector or a matrix, not an array of {len(shape)} axes; see diagonal")
    places = np.arange(shape[0])
    side = shape[0] + abs(k)
    return scatter(x, index=(places + max(-k, 0), places + max(k, 0)), shape=(side, side))


def kron(x: Any, y: Any) -> Any:
    """Kronecker product: a copy of y for each element of x, multiplied by it.

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
    """Coordinates of a grid: for each vector an array that varies along one axis, as the vector does.

    With ``indexing="xy"`` the first vector lies along the second axis, as in a plot; with "ij" along the
    first. ``sparse`` leaves the other axes at size 1. The results are views that cannot be written into.

    Raises ValueError for another indexing, or for anything but vectors and numbers.

    >>> import autodiff as ad
    >>> ad.meshgrid(ad.Tensor([1, 2]), [10, 20, 30])[0]
    [[1 2]
     [1 2]
     [1 2]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    vectors = [as_recorded(x) for x in xi]
    if any(len(shape_of(x)) > 1 for x in vectors):
        raise ValueError("meshgrid takes vectors, of one axis each")
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    sizes = [math.prod(shape_of(x)) for x in vectors]
    whole = tuple(sizes[order.index(axis)] for axis in range(len(sizes)))
    grids = []
    for x, size, axis in zip(vectors, sizes, order):
        laid = reshape(x, shape=tuple(size if a == axis else 1 for a in range(len(sizes))))
        grids.append(laid if sparse else broadcast_to(laid, shape=whole))
    return tuple(grids)


def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    """Products summed over chosen axes: the last ``axes`` of x with the first of y, or those of x in
    ``axes[0]`` with those of y in ``axes[1]``.

    Raises ValueError if the axes are not of equal sizes.

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
    letters = [chr(code) for code in range(ord("A"), ord("z") + 1) if chr(code).isalpha()]
    first = letters[:n]
    second = letters[n : n + m]
    for a, b in zip(left, right):
        second[b] = first[a]
    kept = [c for c in first if c not in second] + [c for c in second if c not in first]
    return einsum(f"{''.join(first)},{''.join(second)}->{''.join(kept)}", x, y)


@in_either_words
def cross(x: Any, y: Any, axis: int = -1) -> Any:
    """Cross product of vectors of three numbers, which lie along ``axis``; the other axes are broadcast.

    Raises ValueError if the size of that axis is not 3.

    >>> import autodiff as ad
    >>> ad.cross(ad.Tensor([1, 0, 0]), [0, 1, 0])
    [0 0 1]
    """
    x, y = (vectors_of_three(part, axis) for part in (x, y))
    z = turned(x, -1) * turned(y, -2) - turned(x, -2) * turned(y, -1)
    return moveaxis(z, source=-1, destination=axis) if axis != -1 else z


def vectors_of_three(x: Any, axis: int) -> Any:
    """With the axis of the vectors last."""
    x = as_recorded(x)
    shape = shape_of(x)
    if not shape or shape[normalize_axis_index(axis, len(shape))] != 3:
        raise ValueError(f"cross takes vectors of 3 numbers along axis {axis}, not an array of shape {shape}")
    return moveaxis(x, source=axis, destination=-1) if axis != -1 else x


def turned(x: Any, shift: int) -> Any:
    """The three numbers, each one or two places on."""
    return roll(x, shift=shift, axis=-1)


def multi_dot(arrays: Any) -> Any:
    """The product of several matrices, in the order that takes the fewest multiplications. The first and the
    last may be vectors.

    Raises ValueError if there are fewer than two.

    >>> import autodiff as ad
    >>> ad.ops.assembling.multi_dot([[1, 2], ad.Tensor([[1, 0], [0, 1]]), [3, 4]])
    11
    """
    parts = [as_recorded(part) for part in arrays]
    ends = [len(shape_of(part)) for part in (parts[:1] + parts[-1:])]
    if len(parts) < 2 or any(len(shape_of(part)) != 2 for part in parts[1:-1]) or not {*ends} <= {1, 2}:
        raise ValueError("multi_dot takes two matrices or more; the first and the last may be vectors")
    if any(shape_of(a)[-1] != shape_of(b)[0] for a, b in itertools.pairwise(parts)):
        raise ValueError(f"shapes {', '.join(str(shape_of(part)) for part in parts)} make no product")
    letters = [chr(ord("a") + i) + chr(ord("a") + i + 1) for i in range(len(parts))]
    letters[0] = letters[0][-ends[0] :]
    letters[-1] = letters[-1][: ends[1]]
    result = letters[0][: ends[0] - 1] + letters[-1][1:]
    return einsum(f"{','.join(letters)}->{result}", *parts)


def matrix_power(x: Any, n: int) -> Any:
    """A square matrix multiplied by itself n times, by repeated squaring; for a negative n its inverse.

    Raises ValueError if x is not square, TypeError if n is not a whole number.

    >>> import autodiff as ad
    >>> ad.ops.assembling.matrix_power(ad.Tensor([[1, 1], [0, 1]]), 5)
    [[1 5]
     [0 1]]
    """
    x, n = as_recorded(x), operator.index(n)
    shape = shape_of(x)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(f"matrix_power takes square matrices, not an array of shape {shape}")
    if n < 0:
        x, n = inv(x), -n
    power = None
    while n:
        if n % 2:
            power = x if power is None else power @ x
        n //= 2
        x = x @ x if n else x
    return where(np.zeros(shape, dtype=bool), x, np.eye(shape[-1], dtype=x.dtype)) if power is None else power
