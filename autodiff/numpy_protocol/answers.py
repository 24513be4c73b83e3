"""Our answers to NumPy's functions that compute, where their arguments are not those of our operations. Those
that only lay elements out stand in ``shapes.py``.

Each takes the arguments of NumPy's that can be recorded, under NumPy's names; ``functions.py`` refuses
the others.
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

OTHER: dict[Function, Function] = {
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
"""The functions that follow, and those whose arguments have NumPy's names already."""


def instead_of(function: Function) -> Callable[[Function], Function]:
    """Enter the decorated function as the answer to calls of NumPy's."""

    def enter(ours: Function) -> Function:
        OTHER[function] = ours
        return ours

    return enter


# -- reductions with a dtype, a first value, or a choice of elements -----------------------------------------


@instead_of(np.sum)
def sum(  # noqa: A001
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
    where: Any = True,
) -> Any:  # fmt: skip
    """Elements that are left out count as 0."""
    z = catalogue.sum(in_dtype(chosen(a, where, 0.0), dtype), axis=axis, keepdims=keepdims)
    return z if initial is None else z + initial


@instead_of(np.prod)
def prod(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
    where: Any = True,
) -> Any:  # fmt: skip
    """Elements that are left out count as 1."""
    z = catalogue.prod(in_dtype(chosen(a, where, 1.0), dtype), axis=axis, keepdims=keepdims)
    return z if initial is None else z * initial


@instead_of(np.mean)
def mean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, *, where: Any = True) -> Any:
    """Of the elements that are chosen."""
    a = in_dtype(a, dtype)
    if where is True:
        return catalogue.mean(a, axis=axis, keepdims=keepdims)
    count = np.sum(np.broadcast_to(raw(where), np.shape(raw(a))), axis, a.dtype, keepdims=keepdims)
    return catalogue.sum(chosen(a, where, 0.0), axis=axis, keepdims=keepdims) / count


@instead_of(np.amax)
@instead_of(np.max)
def max(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:  # noqa: A001
    """The first value counts as an element."""
    return extreme(catalogue.max, catalogue.maximum, a, axis, keepdims, initial, where)


@instead_of(np.amin)
@instead_of(np.min)
def min(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:  # noqa: A001
    """As with max."""
    return extreme(catalogue.min, catalogue.minimum, a, axis, keepdims, initial, where)


def extreme(along: Any, either: Any, a: Any, axis: Any, keepdims: bool, initial: Any, where: Any) -> Any:
    """The largest or smallest, of the elements chosen and the first value."""
    if initial is None and where is not True:
        raise ValueError(f"{along} of chosen elements needs initial=, what it is if there are none")
    z = along(chosen(a, where, initial), axis=axis, keepdims=keepdims)
    return z if initial is None else either(z, initial)


def chosen(a: Any, where: Any, instead: Any) -> Any:
    """The elements where a condition holds, and ``instead`` of the others."""
    if where is True:
        return a
    return catalogue.where(np.broadcast_to(raw(where), np.shape(raw(a))), a, instead)


def in_dtype(a: Any, dtype: Any) -> Any:
    """In another floating-point dtype, before anything is added up. Raises TypeError for any other dtype."""
    if dtype is None or np.dtype(dtype) == a.dtype:
        return a
    if np.dtype(dtype).kind != "f":
        raise TypeError(f"dtype={np.dtype(dtype)} would lose the gradient of {describe(a)}; use t.data")
    return catalogue.cast(a, dtype=dtype)


@instead_of(np.ptp)
def ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """From the smallest to the largest."""
    largest, smallest = (f(a, axis=axis, keepdims=keepdims) for f in (catalogue.max, catalogue.min))
    return largest - smallest


@instead_of(np.nansum)
def nansum(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """A nan counts as 0."""
    return catalogue.sum(unless_nan(a, 0.0), axis=axis, keepdims=keepdims)


@instead_of(np.nanprod)
def nanprod(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """A nan counts as 1."""
    return catalogue.prod(unless_nan(a, 1.0), axis=axis, keepdims=keepdims)


@instead_of(np.nanmean)
def nanmean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Of the numbers; of none it is nan."""
    return mean(a, axis, keepdims=keepdims, where=~np.isnan(raw(a)))


@instead_of(np.nanmax)
def nanmax(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Of the numbers; of none it is nan."""
    none = np.all(np.isnan(raw(a)), axis=axis, keepdims=keepdims)
    return catalogue.where(none, np.nan, catalogue.max(unless_nan(a, -np.inf), axis=axis, keepdims=keepdims))


@instead_of(np.nanmin)
def nanmin(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Of the numbers; of none it is nan."""
    return -nanmax(-a, axis, keepdims)


def unless_nan(a: Any, instead: float) -> Any:
    """The elements that are numbers, and ``instead`` of the others."""
    return catalogue.where(np.isnan(raw(a)), instead, a)


@instead_of(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """Each element times its weight, over the sum of the weights."""
    a = as_recorded(a)
    w = np.ones(a.shape, a.dtype) if weights is None else as_recorded(weights)
    if w.shape != a.shape:
        axes = normalize_axis_tuple(range(a.ndim) if axis is None else axis, a.ndim)
        if axis is None or w.shape != tuple(a.shape[i] for i in axes):
            raise ValueError(f"weights of shape {w.shape} fit neither {describe(a)} nor its axis {axis}")
        inner = catalogue.transpose(w, axes=np.argsort(axes).tolist())
        w = catalogue.reshape(inner, shape=tuple(n if i in axes else 1 for i, n in enumerate(a.shape)))
        w = catalogue.broadcast_to(w, shape=a.shape)
    total = catalogue.sum(w, axis=axis, keepdims=keepdims)
    if np.any(raw(total) == 0):
        raise ZeroDivisionError("the weights add up to 0")
    mean_value = catalogue.sum(a * w, axis=axis, keepdims=keepdims) / total
    return (mean_value, total) if returned else mean_value


@instead_of(np.percentile)
def percentile(a: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """A quantile in hundredths."""
    return catalogue.quantile(a, np.divide(raw(q), 100), axis=axis, keepdims=keepdims)


@instead_of(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The mean of neighbours times their distance, added up."""
    y = catalogue.moveaxis(as_recorded(y), source=axis, destination=-1)
    if x is not None:
        x = as_recorded(x)
        x = x if x.ndim == 1 else catalogue.moveaxis(x, source=axis, destination=-1)
        dx = x[..., 1:] - x[..., :-1]
    return catalogue.sum(dx * (y[..., 1:] + y[..., :-1]) / 2, axis=-1)


# -- matrices ------------------------------------------------------------------------------------------------


@instead_of(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """Of every order."""
    return catalogue.norm(x, ord, axis=axis, keepdims=keepdims)


@instead_of(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """NumPy's default is full matrices, which have a gradient where they are square."""
    return catalogue.svd(a, full_matrices=full_matrices) if compute_uv else catalogue.svdvals(a)


@instead_of(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, *, rtol: Any = None) -> Any:
    """Two names for the bound below which a singular value counts as 0."""
    return catalogue.pinv(a, rcond=rcond if rtol is None else rtol)


@instead_of(np.cross)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """Each with an axis of its own, unless one is given for all."""
    if axis is not None:
        return catalogue.cross(a, b, axis)
    a, b = (catalogue.moveaxis(as_recorded(x), source=i, destination=-1) for x, i in ((a, axisa), (b, axisb)))
    return catalogue.moveaxis(catalogue.cross(a, b), source=-1, destination=axisc)


# -- the rest ------------------------------------------------------------------------------------------------


@instead_of(np.fix)
def fix(x: Any) -> Any:
    """An older name."""
    return catalogue.trunc(x)


@instead_of(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Each element less the one before, n times."""
    a = as_recorded(a)
    if n < 0:
        raise ValueError(f"diff is taken n times, and n is {n}")
    axis = normalize_axis_index(axis, a.ndim)
    ends = [None if end is None else one_layer(as_recorded(end), a, axis) for end in (prepend, append)]
    parts = [part for part in (ends[0], a, ends[1]) if part is not None]
    a = catalogue.concatenate(*parts, axis=axis) if len(parts) > 1 else a
    place = (slice(None),) * axis
    for _ in range(n):
        a = a[(*place, slice(1, None))] - a[(*place, slice(None, -1))]
    return a


def one_layer(end: Any, a: Any, axis: int) -> Any:
    """A number is a whole layer of itself."""
    if np.ndim(raw(end)):
        return end
    return catalogue.broadcast_to(end, shape=(*a.shape[:axis], 1, *a.shape[axis + 1 :]))


@instead_of(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError(f"select needs a choice for each condition: {len(choicelist)} for {len(condlist)}")
    z = as_recorded(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        z = catalogue.where(raw(condition), choice, z)
    return z


@instead_of(np.where)
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Without a choice to make: the places where the condition holds."""
    if x is None and y is None:
        return np.nonzero(raw(condition))
    return catalogue.where(condition, x, y)


@instead_of(np.clip)
def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    """None stands for no bound."""
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    return catalogue.clip(a, -np.inf if low is None else low, np.inf if high is None else high)


@instead_of(np.sort)
def sort(a: Any, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """Ours is stable, which will do for every kind."""
    return catalogue.sort(a, axis=axis)


@instead_of(np.argsort)
def argsort(a: Any, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """As with sort."""
    return catalogue.argsort(a, axis=axis)


@instead_of(np.einsum)
def einsum(*operands: Any, optimize: Any = False) -> Any:
    """The order of the products is found here, whatever ``optimize`` says."""
    return catalogue.einsum(*operands)


@instead_of(np.zeros_like)
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """A constant, as all that NumPy makes."""
    return creation.zeros_like(a, dtype=dtype, requires_grad=False)


@instead_of(np.ones_like)
def ones_like(a: Any, dtype: Any = None) -> Any:
    """A constant."""
    return creation.ones_like(a, dtype=dtype, requires_grad=False)


@instead_of(np.empty_like)
def empty_like(prototype: Any, dtype: Any = None) -> Any:
    """A constant."""
    return creation.empty_like(prototype, dtype=dtype, requires_grad=False)


@instead_of(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A constant."""
    return creation.full_like(a, fill_value, dtype=dtype, requires_grad=False)
