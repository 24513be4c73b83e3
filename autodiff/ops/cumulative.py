"""Operations in which each element goes on from the one before: cumsum, cumprod, linear_recurrence; and prod,
which is where a cumprod ends.

No rule divides by an element, so that zeros among the factors do no harm.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .indexing import getitem, pad
from .reductions import spread
from .shaping import broadcast_to, flip, inverse, reshape, shape_of, transpose


@operation(kind="linear")
def cumsum(x: Any, *, axis: int | None = None) -> Any:
    """Sum so far, along ``axis`` or over all elements in one row.

    >>> import autodiff as ad
    >>> ad.ops.cumulative.cumsum(ad.Tensor([1, 2, 3]))
    [1 3 6]
    """
    return np.cumsum(x, axis=axis)


def by_summand(grad: Any, z: Any, x: Any, axis: int | None = None) -> Any:
    """An element is in its own sum and in all later ones: the sum of the gradients from there on."""
    later = flip(cumsum(flip(grad, axis=axis), axis=axis), axis=axis)
    return reshape(later, shape=shape_of(x))


cumsum.backward(by_summand)


@operation
def cumprod(x: Any, *, axis: int | None = None) -> Any:
    """Product so far, along ``axis`` or over all elements in one row.

    >>> import autodiff as ad
    >>> ad.ops.cumulative.cumprod(ad.Tensor([1, 2, 3, 4]))
    [ 1  2  6 24]
    """
    return np.cumprod(x, axis=axis)


def by_cumulative_factor(grad: Any, z: Any, x: Any, axis: int | None = None) -> Any:
    """z[i] = x[i] z[i-1]: a recurrence that starts from 1."""
    row = reshape(x, shape=shape_of(z))
    share = back_along(row, grad, axis or 0) * delayed(z, axis or 0, 1)
    return reshape(share, shape=shape_of(x))


cumprod.backward(by_cumulative_factor)


@operation
def linear_recurrence(x: Any, y: Any, *, axis: int = -1) -> Any:
    """z[i] = x[i] z[i-1] + y[i], starting from 0: a multiple of the element before, and something new.

    >>> import autodiff as ad
    >>> ad.ops.cumulative.linear_recurrence(ad.Tensor([0.5, 0.5, 0.5]), [8, 0, 1])
    [8 4 3]
    """
    z = np.zeros_like(x, shape=np.broadcast_shapes(np.shape(x), np.shape(y)), dtype=np.result_type(x, y))
    factors, parts = (np.moveaxis(np.broadcast_to(a, z.shape), axis, 0) for a in (x, y))
    row = np.moveaxis(z, axis, 0)  # a view: what is written here stands in z
    row[:1] = parts[:1]
    for i in range(1, len(row)):
        row[i] = factors[i] * row[i - 1] + parts[i]
    return z


linear_recurrence.backward(
    lambda grad, z, x, y, axis=-1: back_along(x, grad, axis) * delayed(z, axis, 0),
    lambda grad, z, x, y, axis=-1: back_along(x, grad, axis),
)


def back_along(x: Any, grad: Any, axis: int) -> Any:
    """What a change of z[i] is worth in the end: g[i] = grad[i] + x[i+1] g[i+1], a recurrence from behind."""
    x = broadcast_to(x, shape=grad.shape)  # a factor for every place, else there is no later one
    factors = delayed(flip(x, axis=axis), axis, 0)
    return flip(linear_recurrence(factors, flip(grad, axis=axis), axis=axis), axis=axis)


def delayed(x: Any, axis: int, first: float) -> Any:
    """Each element one place later: ``first`` comes in, the last goes out."""
    widths = np.zeros((x.ndim, 2), dtype=int)
    widths[axis, 0] = 1
    all_but_the_last = [slice(None)] * x.ndim
    all_but_the_last[axis] = slice(None, -1)
    return getitem(pad(x, pad_width=widths.tolist(), constant_values=first), index=tuple(all_but_the_last))


@operation
def prod(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Product of all elements, or along ``axis`` (an int or a tuple). The product of nothing is 1.

    >>> import autodiff as ad
    >>> x = ad.Tensor([0, 3, 4])
    >>> y = ad.ops.cumulative.prod(x)
    >>> y.backward()
    >>> y, x.grad
    (0, [12  0  0])
    """
    return np.prod(x, axis=axis, keepdims=keepdims)


def by_factor(grad: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The slope by a factor is the product of the others: of those before it times those after it."""
    factors, order = in_one_row(x, axis)
    before = cumprod(delayed(factors, -1, 1), axis=-1)
    after = flip(cumprod(delayed(flip(factors, axis=-1), -1, 1), axis=-1), axis=-1)
    sizes = tuple(shape_of(x)[a] for a in order)
    others = transpose(reshape(before * after, shape=sizes), axes=inverse(order))
    return spread(grad, x, axis) * others


prod.backward(by_factor)


def in_one_row(x: Any, axis: Any) -> tuple[Any, tuple[int, ...]]:
    """The axes of a reduction brought together as a last one, and the order of axes that brought them."""
    shape = shape_of(x)
    n = len(shape)
    axes = range(n) if axis is None or not n else np.mod(np.ravel(axis), n).astype(int).tolist()
    order = (*(a for a in range(n) if a not in axes), *axes)
    kept = tuple(shape[a] for a in order[: n - len(axes)])
    row = reshape(transpose(x, axes=order), shape=(*kept, math.prod(shape[a] for a in axes)))
    return row, order
