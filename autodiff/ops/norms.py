"""Norms of every order that NumPy's ``linalg.norm`` knows, of vectors and of matrices.

The Euclidean norm, which is what ``norm`` means without an order, stands in ``reductions.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.operation import operation
from . import ordering, reductions
from .decompositions import svdvals
from .elementary import abs as absolute
from .elementary import sign
from .reductions import spread
from .shaping import moveaxis, reshape, shape_of

Axes = tuple[int, ...]


@in_either_words
def norm_of_order(x: Any, ord: Any, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """The norm of NumPy's order ``ord``: of a vector where ``axis`` is one axis, of a matrix where it is two.
    Without an axis x is one vector or one matrix.

    Of a vector: inf (the largest absolute value), -inf (the smallest), 0 (how many are not 0, a constant),
    and every other number p, ``sum(abs(x)**p) ** (1/p)``. Of a matrix: "fro", the Euclidean norm; "nuc", the
    sum of the singular values; 2 and -2, the largest and the smallest of them; 1 and -1, the largest and the
    smallest sum of absolute values in a column; inf and -inf, those in a row.

    Raises ValueError for another order, or if there are neither one nor two axes.

    >>> import autodiff as ad
    >>> ad.norm(ad.Tensor([3, -4]), 1), ad.norm(ad.Tensor([[3, -4], [0, 2]]), np.inf)
    (7, 7)
    """
    x = as_recorded(x)
    shape = shape_of(x)
    axes = normalize_axis_tuple(range(len(shape)) if axis is None else axis, len(shape))
    if len(axes) not in (1, 2):
        raise ValueError(f"a norm of order {ord!r} goes over one axis or two, not over {len(axes)}")
    z = (vector_norm if len(axes) == 1 else matrix_norm)(x, ord, axes)
    kept = tuple(1 if a in axes else n for a, n in enumerate(shape) if keepdims or a not in axes)
    return z if shape_of(z) == kept else reshape(z, shape=kept)


def vector_norm(x: Any, order: Any, axes: Axes) -> Any:
    """Along one axis."""
    if isinstance(order, str):
        raise ValueError(f"a vector has no norm of order {order!r}: a number, inf or -inf is needed")
    if order == 2:
        return reductions.norm(x, axis=axes)
    if order in (np.inf, -np.inf):
        return extreme(order)(absolute(x), axis=axes)
    if order == 0:
        return reductions.sum(absolute(sign(x)), axis=axes)
    if order == 1:
        return reductions.sum(absolute(x), axis=axes)
    return power_norm(x, order=order, axis=axes)


def matrix_norm(x: Any, order: Any, axes: Axes) -> Any:
    """Over two axes, the rows and the columns."""
    if order == "fro":
        return reductions.norm(x, axis=axes)
    if order in ("nuc", 2, -2):
        values = svdvals(moveaxis(x, source=axes, destination=(-2, -1)))
        return (reductions.sum if order == "nuc" else extreme(order))(values, axis=-1)
    if order in (1, -1, np.inf, -np.inf):
        along, across = axes if np.abs(order) == 1 else axes[::-1]
        return extreme(order)(reductions.sum(absolute(x), axis=along, keepdims=True), axis=across)
    raise ValueError(f"a matrix has norms 'fro', 'nuc', 1, -1, 2, -2, inf and -inf, not {order!r}")


def extreme(order: float) -> Any:
    """The largest for a positive order, the smallest for a negative one."""
    return ordering.max if order > 0 else ordering.min


@operation
def power_norm(x: Any, *, order: float, axis: Any = None, keepdims: bool = False) -> Any:
    """``sum(abs(x)**order) ** (1/order)``. Its slope by an element that is 0 is taken as 0.

    >>> import autodiff as ad
    >>> ad.ops.norms.power_norm(ad.Tensor([1, 2, 2]), order=3)
    2.57128
    """
    return np.sum(np.abs(x) ** order, axis=axis, keepdims=keepdims) ** (1 / order)


def by_power_norm(grad: Any, z: Any, x: Any, order: float, axis: Any = None, keepdims: bool = False) -> Any:
    """sign(x) (|x| / z)**(order - 1), with 1 for every 0 that would be divided by or raised to a power."""
    ratio = (absolute(x) + (x == 0)) / spread(z + (z == 0), x, axis)
    return spread(grad * (z != 0), x, axis) * sign(x) * ratio ** (order - 1)


power_norm.backward(by_power_norm)
