"""Vector and matrix norms of every order that ``np.linalg.norm`` has.

The Euclidean norm, which ``norm`` computes without an order, is in ``reductions.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..engine.dtypes import computed_in
from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.operation import operation
from . import ordering, reductions
from .decompositions import svdvals
from .elementary import abs as absolute
from .elementary import sign
from .reductions import length, spread, unit
from .shaping import moveaxis, reshape, shape_of

Axes = tuple[int, ...]


@in_either_words
@computed_in("double")
def norm_of_order(x: Any, ord: Any, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """Norm of order ``ord``, as NumPy defines it: a vector norm if ``axis`` is one axis, a matrix norm if it
    is a pair. Without ``axis``, x is one vector or one matrix.

    Orders of a vector norm: inf (the largest absolute value), -inf (the smallest), 0 (the number of nonzero
    elements, a constant), and any other number p, ``sum(abs(x)**p) ** (1/p)``. Orders of a matrix norm: "fro"
    (the Euclidean norm), "nuc" (the sum of the singular values), 2 and -2 (the largest and the smallest
    singular value), 1 and -1 (the largest and the smallest sum of absolute values in a column), inf and -inf
    (the same in a row).

    Raises ValueError for any other order, or unless there are one or two axes.

    >>> import autodiff as ad
    >>> ad.norm(ad.Tensor([3, -4]), 1), ad.norm(ad.Tensor([[3, -4], [0, 2]]), np.inf)
    (7, 7)
    """
    x = as_recorded(x)
    shape = shape_of(x)
    axes = normalize_axis_tuple(range(len(shape)) if axis is None else axis, len(shape))
    if len(axes) not in (1, 2):
        raise ValueError(f"a norm of order {ord!r} needs one or two axes, not {len(axes)}")
    z = (vector_norm if len(axes) == 1 else matrix_norm)(x, ord, axes)
    kept = tuple(1 if a in axes else n for a, n in enumerate(shape) if keepdims or a not in axes)
    return z if shape_of(z) == kept else reshape(z, shape=kept)


def vector_norm(x: Any, order: Any, axes: Axes) -> Any:
    """Vector norms along one axis."""
    if isinstance(order, str):
        raise ValueError(f"the order of a vector norm must be a number, inf or -inf, not {order!r}")
    if order == 2:
        return reductions.norm(x, axis=axes)
    if order in (np.inf, -np.inf):
        return max_or_min(order)(absolute(x), axis=axes)
    if order == 0:
        return reductions.sum(absolute(sign(x)), axis=axes)
    if order == 1:
        return reductions.sum(absolute(x), axis=axes)
    return power_norm(x, order=order, axis=axes)


def matrix_norm(x: Any, order: Any, axes: Axes) -> Any:
    """Matrix norms over two axes, those of the rows and of the columns."""
    if order == "fro":
        return reductions.norm(x, axis=axes)
    if order in ("nuc", 2, -2):
        values = svdvals(moveaxis(x, source=axes, destination=(-2, -1)))
        return (reductions.sum if order == "nuc" else max_or_min(order))(values, axis=-1)
    if order in (1, -1, np.inf, -np.inf):
        summed, compared = axes if np.abs(order) == 1 else axes[::-1]
        return max_or_min(order)(reductions.sum(absolute(x), axis=summed, keepdims=True), axis=compared)
    raise ValueError(
        f"the order of a matrix norm must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {order!r}"
    )


def max_or_min(order: float) -> Any:
    """Select max for a positive order, min for a negative one."""
    return ordering.max if order > 0 else ordering.min


@operation(precision="floats")
def power_norm(x: Any, *, order: float, axis: Any = None, keepdims: bool = False) -> Any:
    """``sum(abs(x)**order) ** (1/order)``. Its slope with respect to an element that is 0 is taken as 0.

    >>> import autodiff as ad
    >>> ad.ops.norms.power_norm(ad.Tensor([1, 2, 2]), order=3)
    2.57128
    """
    z = length(x, axis, order)
    return z if keepdims else np.sum(z, axis=axis)


def power_norm_rule(grad: Any, z: Any, x: Any, order: float, axis: Any = None, keepdims: bool = False) -> Any:
    """sign(x) (|x| / z)**(order - 1). For an order below 1, a 0 in the quotient is replaced by 1, to avoid
    0**-1."""
    ratio = unit(absolute(x), axis=axis, order=order)
    return spread(grad * (z != 0), x, axis) * sign(x) * (ratio + (ratio == 0) * (order < 1)) ** (order - 1)


power_norm.backward(power_norm_rule)
