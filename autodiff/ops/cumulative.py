"""Cumulative operations: cumsum, cumprod, linear_recurrence; and prod, whose rule needs cumprod.

No rule divides by an element, so zeros among the factors are no special case.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .indexing import getitem, pad
from .reductions import spread
from .shaping import broadcast_to, flip, inverse, reshape, shape_of, transpose


@operation(kind="linear", precision="double")
def cumsum(x: Any, *, axis: int | None = None) -> Any:
    """Cumulative sum along ``axis``, or over the flattened array if ``axis`` is None.

    >>> import autodiff as ad
    >>> ad.cumsum(ad.Tensor([1, 2, 3]))
    [1 3 6]
    """
    return np.cumsum(x, axis=axis)


def cumsum_rule(grad: Any, z: Any, x: Any, axis: int | None = None) -> Any:
    """x[i] is in z[i] and all later sums, so it gets grad[i] + grad[i+1] + ..., a reversed cumulative sum."""
    reversed_sum = flip(cumsum(flip(grad, axis=axis), axis=axis), axis=axis)
    return reshape(reversed_sum, shape=shape_of(x))


cumsum.backward(cumsum_rule)


@operation(precision="double")
def cumprod(x: Any, *, axis: int | None = None) -> Any:
    """Cumulative product along ``axis``, or over the flattened array if ``axis`` is None.

    >>> import autodiff as ad
    >>> ad.cumprod(ad.Tensor([1, 2, 3, 4]))
    [ 1  2  6 24]
    """
    return np.cumprod(x, axis=axis)


def cumprod_rule(grad: Any, z: Any, x: Any, axis: int | None = None) -> Any:
    """The rule of the recurrence z[i] = x[i] z[i-1], which starts from 1."""
    factors = reshape(x, shape=shape_of(z))
    contribution = accumulated_grad(factors, grad, axis or 0) * delayed(z, axis or 0, 1)
    return reshape(contribution, shape=shape_of(x))


cumprod.backward(cumprod_rule)


@operation(precision="double")
def linear_recurrence(x: Any, y: Any, *, axis: int = -1) -> Any:
    """First-order linear recurrence, z[i] = x[i] z[i-1] + y[i], which starts from 0.

    >>> import autodiff as ad
    >>> ad.linear_recurrence(ad.Tensor([0.5, 0.5, 0.5]), [8, 0, 1])
    [8 4 3]
    """
    z = np.zeros_like(x, shape=np.broadcast_shapes(np.shape(x), np.shape(y)), dtype=np.result_type(x, y))
    x, y = (np.moveaxis(np.broadcast_to(a, z.shape), axis, 0) for a in (x, y))
    steps = np.moveaxis(z, axis, 0)  # a view of z
    steps[:1] = y[:1]
    for i in range(1, len(steps)):
        steps[i] = x[i] * steps[i - 1] + y[i]
    return z


linear_recurrence.backward(
    lambda grad, z, x, y, axis=-1: accumulated_grad(x, grad, axis) * delayed(z, axis, 0),
    lambda grad, z, x, y, axis=-1: accumulated_grad(x, grad, axis),
)


def accumulated_grad(x: Any, grad: Any, axis: int) -> Any:
    """The gradient of z[i], including its paths through all later elements: g[i] = grad[i] + x[i+1] g[i+1], a
    recurrence from the end."""
    x = broadcast_to(x, shape=grad.shape)
    factors = delayed(flip(x, axis=axis), axis, 0)
    return flip(linear_recurrence(factors, flip(grad, axis=axis), axis=axis), axis=axis)


def delayed(x: Any, axis: int, first: float) -> Any:
    """Shift the elements by one place along ``axis``: insert ``first`` at the front and drop the last."""
    widths = np.zeros((x.ndim, 2), dtype=int)
    widths[axis, 0] = 1
    all_but_the_last = [slice(None)] * x.ndim
    all_but_the_last[axis] = slice(None, -1)
    return getitem(pad(x, pad_width=widths.tolist(), constant_values=first), index=tuple(all_but_the_last))


@operation(precision="double")
def prod(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Product of all elements, or along ``axis`` (an int or a tuple). The product of no elements is 1.

    >>> import autodiff as ad
    >>> x = ad.Tensor([0, 3, 4])
    >>> y = ad.prod(x)
    >>> y.backward()
    >>> y, x.grad
    (0, [12  0  0])
    """
    return np.prod(x, axis=axis, keepdims=keepdims)


def prod_rule(grad: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The product of the other factors: of those before x[i], times those after it."""
    factors, order = reduced_axes_last(x, axis)
    before = cumprod(delayed(factors, -1, 1), axis=-1)
    after = flip(cumprod(delayed(flip(factors, axis=-1), -1, 1), axis=-1), axis=-1)
    sizes = tuple(shape_of(x)[a] for a in order)
    others = transpose(reshape(before * after, shape=sizes), axes=inverse(order))
    return spread(grad, x, axis) * others


prod.backward(prod_rule)


def reduced_axes_last(x: Any, axis: Any) -> tuple[Any, tuple[int, ...]]:
    """Merge the axes of a reduction into one last axis; also return the order of axes before the merge."""
    shape = shape_of(x)
    n = len(shape)
    axes = range(n) if axis is None or not n else np.mod(np.ravel(axis), n).astype(int).tolist()
    order = (*(a for a in range(n) if a not in axes), *axes)
    kept = tuple(shape[a] for a in order[: n - len(axes)])
    merged = reshape(transpose(x, axes=order), shape=(*kept, math.prod(shape[a] for a in axes)))
    return merged, order
