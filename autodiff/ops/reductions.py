"""Operations that make fewer numbers out of many: sum and mean."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..operation import operation
from .shaping import broadcast_to, reshape, shape_of


@operation
def sum(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Sum of all elements, or along ``axis`` (an int or a tuple; negative counts from the end).

    >>> import autodiff as ad
    >>> ad.sum(ad.Tensor([[1, 2], [3, 4]]), axis=0)
    [4 6]
    """
    return np.sum(x, axis=axis, keepdims=keepdims)


sum.backward(lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis))


@operation
def mean(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Mean of all elements, or along ``axis``. The mean of nothing is nan.

    >>> import autodiff as ad
    >>> ad.mean(ad.Tensor([[1, 2], [3, 4]]), axis=-1)
    [1.5 3.5]
    """
    total = np.sum(x, axis=axis, keepdims=keepdims)
    return total / count(x, total)


mean.backward(lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis) / count(x, z))


def count(x: Any, z: Any) -> int:
    """How many elements of ``x`` went into each element of ``z``."""
    return math.prod(shape_of(x)) // max(math.prod(shape_of(z)), 1)


def spread(grad: Any, x: Any, axis: Any) -> Any:
    """A reduction's gradient laid out again over the elements of ``x`` that it came from."""
    shape = shape_of(x)
    if axis is not None and shape:
        gone = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
        grad = reshape(grad, shape=tuple(1 if a in gone else size for a, size in enumerate(shape)))
    return broadcast_to(grad, shape=shape)
