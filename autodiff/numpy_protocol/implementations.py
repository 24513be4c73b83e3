"""Implementations of NumPy's functions for Tensors, where NumPy's arguments differ from those of our
operations. Functions that change only shapes are in ``shapes.py``.

Each implementation takes those of NumPy's arguments that can be recorded, under NumPy's names. A call with
any other argument is refused in ``functions.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from .. import creation
from ..engine.operands import as_recorded
from ..engine.tensor import describe, raw
from ..ops import catalogue, matrices

Function = Callable[..., Any]

IMPLEMENTATIONS: dict[Function, Function] = {
    np.diag: catalogue.diag,
    np.kron: catalogue.kron,
    np.linalg.cross: catalogue.cross,
    np.linalg.eigh: catalogue.eigh,
    np.linalg.eigvalsh: catalogue.eigvalsh,
    np.linalg.matmul: catalogue.matmul,
    np.linalg.matrix_power: catalogue.matrix_power,
    np.linalg.multi_dot: catalogue.multi_dot,
    np.linalg.outer: catalogue.outer,
    np.linalg.slogdet: matrices.slogdet,
    np.linalg.svdvals: catalogue.svdvals,
    np.linalg.tensordot: catalogue.tensordot,
    np.meshgrid: catalogue.meshgrid,
    np.quantile: catalogue.quantile,
    np.partition: catalogue.partition,
    np.tensordot: catalogue.tensordot,
}
"""The implementation of each function: those below, and functions that have NumPy's arguments already."""


def implements(function: Function) -> Callable[[Function], Function]:
    """Make the decorated function the implementation of a function of NumPy."""

    def enter(ours: Function) -> Function:
        IMPLEMENTATIONS[function] = ours
        return ours

    return enter


# -- reductions with dtype, initial or where -----------------------------------------------------------------


@implements(np.sum)
def sum(  # noqa: A001
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
    where: Any = True,
) -> Any:  # fmt: skip
    """Elements where the condition is False count as 0."""
    z = catalogue.sum(cast_to(masked(a, where, 0.0), dtype), axis=axis, keepdims=keepdims)
    return z if initial is None else z + initial


@implements(np.prod)
def prod(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
    where: Any = True,
) -> Any:  # fmt: skip
    """Elements where the condition is False count as 1."""
    z = catalogue.prod(cast_to(masked(a, where, 1.0), dtype), axis=axis, keepdims=keepdims)
    return z if initial is None else z * initial


@implements(np.mean)
def mean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, *, where: Any = True) -> Any:
    """The sum over the elements where the condition is True, divided by their number."""
    a = cast_to(a, dtype)
    if where is True:
        return catalogue.mean(a, axis=axis, keepdims=keepdims)
    count = np.sum(np.broadcast_to(raw(where), np.shape(raw(a))), axis, a.dtype, keepdims=keepdims)
    return catalogue.sum(masked(a, where, 0.0), axis=axis, keepdims=keepdims) / count


@implements(np.amax)
@implements(np.max)
def max(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:  # noqa: A001
    """The value ``initial`` counts as an element."""
    return extremum(catalogue.max, catalogue.maximum, a, axis, keepdims, initial, where)


@implements(np.amin)
@implements(np.min)
def min(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:  # noqa: A001
    """The value ``initial`` counts as an element."""
    return extremum(catalogue.min, catalogue.minimum, a, axis, keepdims, initial, where)


def extremum(reduce: Any, combine: Any, a: Any, axis: Any, keepdims: bool, initial: Any, where: Any) -> Any:
    """Compute max or min by a reduction, and combine the result with ``initial``."""
    if initial is None and where is not True:
        raise ValueError(f"np.{reduce} with where= needs initial=, the result for no elements")
    z = reduce(masked(a, where, initial), axis=axis, keepdims=keepdims)
    return z if initial is None else combine(z, initial)


def masked(a: Any, where: Any, fill: Any) -> Any:
    """The elements where the condition is True, and ``fill`` elsewhere."""
    if where is True:
        return a
    return catalogue.where(np.broadcast_to(raw(where), np.shape(raw(a))), a, fill)


def cast_to(a: Any, dtype: Any) -> Any:
    """Convert to another floating-point dtype. Raises TypeError for any other dtype."""
    if dtype is None or np.dtype(dtype) == a.dtype:
        return a
    if np.dtype(dtype).kind != "f":
        raise TypeError(
            f"dtype={np.dtype(dtype)} would lose the gradient of {describe(a)}; use t.data for plain arrays"
        )
    return catalogue.cast(a, dtype=dtype)


@implements(np.ptp)
def ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element minus the smallest."""
    largest, smallest = (f(a, axis=axis, keepdims=keepdims) for f in (catalogue.max, catalogue.min))
    return largest - smallest


@implements(np.nansum)
def nansum(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Sum, in which nan counts as 0."""
    return catalogue.sum(without_nan(a, 0.0), axis=axis, keepdims=keepdims)


@implements(np.nanprod)
def nanprod(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Product, in which nan counts as 1."""
    return catalogue.prod(without_nan(a, 1.0), axis=axis, keepdims=keepdims)


@implements(np.nanmean)
def nanmean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Mean of the elements that are not nan; nan if there are none."""
    return mean(a, axis, keepdims=keepdims, where=~np.isnan(raw(a)))


@implements(np.nanmax)
def nanmax(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Largest of the elements that are not nan; nan if there are none."""
    all_nan = np.all(np.isnan(raw(a)), axis=axis, keepdims=keepdims)
    largest = catalogue.max(without_nan(a, -np.inf), axis=axis, keepdims=keepdims)
    return catalogue.where(all_nan, np.nan, largest)


@implements(np.nanmin)
def nanmin(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Smallest of the elements that are not nan; nan if there are none."""
    return -nanmax(-a, axis, keepdims)


def without_nan(a: Any, fill: float) -> Any:
    """The array with ``fill`` in place of nan."""
    return catalogue.where(np.isnan(raw(a)), fill, a)


@implements(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """The sum of elements times weights, divided by the sum of the weights."""
    a = as_recorded(a)
    weights = np.ones(a.shape, a.dtype) if weights is None else as_recorded(weights)
    if weights.shape != a.shape:
        weights = weights_along(weights, a, axis)
    total = catalogue.sum(weights, axis=axis, keepdims=keepdims)
    if np.any(raw(total) == 0):
        raise ZeroDivisionError("the weights of np.average add up to 0")
    mean_value = catalogue.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (mean_value, total) if returned else mean_value


def weights_along(weights: Any, a: Any, axis: Any) -> Any:
    """Weights for the axes in ``axis``, broadcast to the shape of ``a``. Raises ValueError for others."""
    axes = normalize_axis_tuple(range(a.ndim) if axis is None else axis, a.ndim)
    if axis is None or weights.shape != tuple(a.shape[i] for i in axes):
        raise ValueError(f"weights of shape {weights.shape} fit neither {describe(a)} nor its axis {axis}")
    in_order = catalogue.transpose(weights, axes=np.argsort(axes).tolist())
    shape = tuple(n if i in axes else 1 for i, n in enumerate(a.shape))
    return catalogue.broadcast_to(catalogue.reshape(in_order, shape=shape), shape=a.shape)


@implements(np.percentile)
def percentile(a: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The quantile at ``q / 100``."""
    return catalogue.quantile(a, np.divide(raw(q), 100), axis=axis, keepdims=keepdims)


@implements(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The sum of the means of neighbours, times their distances."""
    y = catalogue.moveaxis(as_recorded(y), source=axis, destination=-1)
    if x is not None:
        x = as_recorded(x)
        x = x if x.ndim == 1 else catalogue.moveaxis(x, source=axis, destination=-1)
        dx = x[..., 1:] - x[..., :-1]
    return catalogue.sum(dx * (y[..., 1:] + y[..., :-1]) / 2, axis=-1)


# -- matrices ------------------------------------------------------------------------------------------------


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """Norms of every order."""
    return catalogue.norm(x, ord, axis=axis, keepdims=keepdims)


@implements(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """NumPy's default is full matrices, which have a gradient only if they are square."""
    return catalogue.svd(a, full_matrices=full_matrices) if compute_uv else catalogue.svdvals(a)


@implements(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, *, rtol: Any = None) -> Any:
    """NumPy has two names for the bound below which a singular value counts as 0."""
    return catalogue.pinv(a, rcond=rcond if rtol is None else rtol)


@implements(np.cross)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """Each array has its own axis of vectors, unless ``axis`` gives one for all."""
    if axis is not None:
        return catalogue.cross(a, b, axis)
    a, b = (catalogue.moveaxis(as_recorded(x), source=i, destination=-1) for x, i in ((a, axisa), (b, axisb)))
    return catalogue.moveaxis(catalogue.cross(a, b), source=-1, destination=axisc)


# -- other functions -----------------------------------------------------------------------------------------


@implements(np.fix)
def fix(x: Any) -> Any:
    """An older name of trunc."""
    return catalogue.trunc(x)


@implements(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The difference of neighbours, taken n times."""
    a = as_recorded(a)
    if n < 0:
        raise ValueError(f"np.diff needs an order n of at least 0, not {n}")
    axis = normalize_axis_index(axis, a.ndim)
    ends = [None if end is None else as_slice_of(a, as_recorded(end), axis) for end in (prepend, append)]
    parts = [part for part in (ends[0], a, ends[1]) if part is not None]
    a = catalogue.concatenate(*parts, axis=axis) if len(parts) > 1 else a
    before = (slice(None),) * axis
    for _ in range(n):
        a = a[(*before, slice(1, None))] - a[(*before, slice(None, -1))]
    return a


def as_slice_of(a: Any, end: Any, axis: int) -> Any:
    """A number as a slice of size 1 along ``axis`` of ``a``; an array as it is."""
    if np.ndim(raw(end)):
        return end
    return catalogue.broadcast_to(end, shape=(*a.shape[:axis], 1, *a.shape[axis + 1 :]))


@implements(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Elements of the first choice whose condition is True."""
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"np.select needs one choice per condition, not {len(choicelist)} for {len(condlist)} conditions"
        )
    z = as_recorded(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        z = catalogue.where(raw(condition), choice, z)
    return z


@implements(np.where)
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Without x and y, the indices where the condition is True."""
    if x is None and y is None:
        return np.nonzero(raw(condition))
    return catalogue.where(condition, x, y)


@implements(np.clip)
def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    """None means no bound."""
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    return catalogue.clip(a, -np.inf if low is None else low, np.inf if high is None else high)


@implements(np.sort)
def sort(a: Any, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """Our sort is stable, so it serves for every kind."""
    return catalogue.sort(a, axis=axis)


@implements(np.argsort)
def argsort(a: Any, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """Our sort is stable, so it serves for every kind."""
    return catalogue.argsort(a, axis=axis)


@implements(np.einsum)
def einsum(*operands: Any, optimize: Any = False) -> Any:
    """``optimize`` has no effect: our einsum always optimizes the order of products."""
    return catalogue.einsum(*operands)


@implements(np.zeros_like)
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """A constant, like every array that NumPy creates."""
    return creation.zeros_like(a, dtype=dtype, requires_grad=False)


@implements(np.ones_like)
def ones_like(a: Any, dtype: Any = None) -> Any:
    """A constant."""
    return creation.ones_like(a, dtype=dtype, requires_grad=False)


@implements(np.empty_like)
def empty_like(prototype: Any, dtype: Any = None) -> Any:
    """A constant."""
    return creation.empty_like(prototype, dtype=dtype, requires_grad=False)


@implements(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A constant."""
    return creation.full_like(a, fill_value, dtype=dtype, requires_grad=False)
