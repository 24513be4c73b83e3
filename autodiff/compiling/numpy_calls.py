"""What NumPy's functions do with symbols: each makes the nodes of its call.

``TRACED`` lists the functions that are traced into nodes. Any other function becomes one call in the program,
which runs it unchanged, provided that the shape of its result does not depend on values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy  # noqa: ICN001
from numpy.lib.array_utils import normalize_axis_tuple

from ..engine.tracing import TraceError
from .algebra import COMPARISONS
from .graph import FLOAT, ProgramGraph
from .nodes import VIEWS, ProgramNode
from .opaque import opaque
from .symbol import Symbol, node_of, split_index

np: Any = numpy  # whose functions take symbols too, which their annotations do not say

TRACED: dict[Callable[..., Any], Callable[..., Any]] = {}


def call_ufunc(graph: ProgramGraph, ufunc: Any, method: str, inputs: Any, options: dict[str, Any]) -> Any:
    """Trace a call of a universal function, or of one of its methods such as ``reduce`` and ``at``."""
    name, dtype = ufunc.__name__, options.pop("dtype", None)
    if method == "at":
        return add_at(graph, ufunc, *inputs)
    if method == "reduce":
        node = node_of(graph, inputs[0])
        node = graph.astype(node, dtype) if dtype is not None else node
        options = {k: v for k, v in options.items() if v is not np._NoValue and v is not None} | {
            "axis": options.get("axis", 0)
        }
        if "initial" in options and (ufunc not in (np.maximum, np.minimum) or not node.size):
            return opaque(graph, ufunc.reduce, (Symbol(graph, node),), options)
        axis, keepdims = options.pop("axis"), options.pop("keepdims", False)
        initial = options.pop("initial", None)
        check_no_more(ufunc, options)
        found = Symbol(graph, graph.reduce(name, node, axis, keepdims))
        return found if initial is None else ufunc(found, initial)
    if method != "__call__":
        return opaque(graph, getattr(ufunc, method), inputs, options)
    nodes = [node_of(graph, value) for value in inputs]
    if dtype is not None:
        nodes = as_dtype(graph, ufunc, nodes, np.dtype(dtype))
    if ufunc is np.matmul:
        return Symbol(graph, graph.matmul(*nodes))
    is_other = getattr(np, name, None) is not ufunc  # scipy.special's, or np.frompyfunc's
    if ufunc.signature is not None or ufunc.nout != 1 or options or is_other:
        return opaque(graph, ufunc, inputs, options)
    return Symbol(graph, graph.elementwise(name, *nodes, is_numpy=True))


def as_dtype(graph: ProgramGraph, ufunc: Any, nodes: list[ProgramNode], dtype: Any) -> list[ProgramNode]:
    """The arguments of a universal function that computes in a dtype: arrays in it, and Python numbers
    beside them as they are, since they take it."""
    if not all(node.number for node in nodes):
        return [node if node.number else graph.astype(node, dtype) for node in nodes]
    if ufunc.__name__ in COMPARISONS:
        return nodes
    return [graph.as_number(n, float) if dtype == FLOAT else graph.astype(n, dtype) for n in nodes]


def add_at(graph: ProgramGraph, ufunc: Any, target: Any, index: Any, value: Any = None) -> None:
    """Trace ``np.add.at(target, index, value)``. Raises TraceError for another function than ``np.add``, and
    if ``target`` is not a symbol."""
    if ufunc is not np.add:
        raise TraceError(f"np.{ufunc.__name__}.at is not compiled; only np.add.at is")
    if not isinstance(target, Symbol):
        raise TraceError(
            "np.add.at into an array that is not part of the program is not compiled; make one by "
            "np.zeros_like(x)"
        )
    target._check_not_shared()
    graph = target.graph
    index, computed = split_index(graph, index)
    target.node = graph.put(target.node, node_of(graph, value), index, computed, add=True)


def call_function(
    graph: ProgramGraph, function: Callable[..., Any], args: Any, options: dict[str, Any]
) -> Any:
    """Trace a call of a function of NumPy that is not a universal function."""
    traced = TRACED.get(function)
    if traced is None:
        return opaque(graph, function, args, options)
    return traced(graph, *args, **options)


def check_no_more(function: Any, options: dict[str, Any]) -> None:
    """Raise TraceError for an option that is not compiled, unless it is not set."""
    given = [name for name, value in options.items() if value is not None and value is not np._NoValue]
    if given:
        name = getattr(function, "__name__", function)
        raise TraceError(f"np.{name} with {', '.join(given)} is not compiled")


def traced(*functions: Callable[..., Any]) -> Callable[..., Any]:
    """Register how functions of NumPy are traced."""

    def register(tracer: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            TRACED[function] = tracer
        return tracer

    return register


def shape_of_size(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple, from a tuple or from one size."""
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)


# -- shapes -----------------------------------------------------------------------------------------------


@traced(np.shape)
def _shape(graph: ProgramGraph, a: Any) -> Any:
    return a.shape


@traced(np.ndim)
def _ndim(graph: ProgramGraph, a: Any) -> Any:
    return a.ndim


@traced(np.size)
def _size(graph: ProgramGraph, a: Any, axis: int | None = None) -> Any:
    return a.size if axis is None else a.shape[axis]


@traced(np.reshape)
def _reshape(graph: ProgramGraph, a: Any, shape: Any, order: str = "C", **options: Any) -> Any:
    if order != "C":
        raise TraceError(f"np.reshape with order={order!r} is not compiled")
    return a._view(graph.reshape(a.node, shape))


@traced(np.ravel)
def _ravel(graph: ProgramGraph, a: Any, order: str = "C") -> Any:
    return _reshape(graph, a, -1, order)


@traced(np.transpose)
def _transpose(graph: ProgramGraph, a: Any, axes: Any = None) -> Any:
    return a._view(graph.transpose(a.node, axes))


def by_axes(function: Callable[..., Any]) -> None:
    """Register a function that only moves, adds or drops axes. Where each axis goes is found by applying the
    function to an array whose axes all have different sizes."""

    @traced(function)
    def moved(graph: ProgramGraph, a: Any, *args: Any, **options: Any) -> Any:
        node = node_of(graph, a)
        sizes = [size if size == 1 else place + 2 for place, size in enumerate(node.shape)]
        shape = function(np.empty(sizes), *args, **options).shape
        kept = [size - 2 for size in shape if size != 1]
        if kept != sorted(kept):
            if 1 in node.shape:  # axes of size 1 cannot be told apart by their size
                shape = function(np.empty(range(2, len(sizes) + 2)), *args, **options).shape
                kept = [size - 2 for size in shape]
            return a._view(graph.transpose(node, kept))
        return a._view(graph.reshape(node, [1 if n == 1 else node.shape[n - 2] for n in shape]))


for each in (np.moveaxis, np.swapaxes, np.expand_dims, np.squeeze, np.atleast_1d, np.atleast_2d):
    by_axes(each)


@traced(np.ascontiguousarray)
def _ascontiguousarray(graph: ProgramGraph, a: Any) -> Any:
    """The memory order decides in which order NumPy adds up, and how fast a program is."""
    node = a.node
    return a._view(graph.make("ascontiguousarray", (node,), shape=node.shape, dtype=node.dtype))


@traced(np.broadcast_to)
def _broadcast_to(graph: ProgramGraph, array: Any, shape: Any, **options: Any) -> Any:
    return array._view(graph.broadcast_to(array.node, shape_of_size(shape)))


def rearranging(function: Callable[..., Any]) -> None:
    """Register a function that rearranges elements in a way that does not depend on their values."""

    @traced(function)
    def taken(graph: ProgramGraph, a: Any, *args: Any, **options: Any) -> Any:
        if not isinstance(a, Symbol) or any(isinstance(x, Symbol) for x in (*args, *options.values())):
            return opaque(graph, function, (a, *args), options)
        node = node_of(graph, a)
        places = function(np.arange(node.size).reshape(node.shape), *args, **options)
        if not np.ndim(places):  # an element of the flat array would be a NumPy scalar, and this is an array
            return a.copy()
        flat = graph.reshape(node, (node.size,))
        return Symbol(graph, graph.getitem(flat, places))


for each in (np.diagonal, np.repeat, np.tile, np.roll):
    rearranging(each)


@traced(np.flip)
def _flip(graph: ProgramGraph, m: Any, axis: Any = None) -> Any:
    count = m.ndim
    flipped = normalize_axis_tuple(range(count) if axis is None else axis, count)
    backward = slice(None, None, -1)
    return m[tuple(backward if a in flipped else slice(None) for a in range(count))]


def triangular(function: Callable[..., Any]) -> None:
    """Register ``np.tril`` or ``np.triu``."""

    @traced(function)
    def cut(graph: ProgramGraph, m: Any, k: int = 0) -> Any:
        keep = function(np.ones(m.shape[-2:], bool), k)
        return np.where(keep, m, np.zeros((), m.dtype))


for each in (np.tril, np.triu):
    triangular(each)


@traced(np.trace)
def _trace(
    graph: ProgramGraph, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, **options: Any
) -> Any:
    dtype = options.pop("dtype", None)
    check_no_more(np.trace, options)
    return np.add.reduce(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


# -- new arrays -------------------------------------------------------------------------------------------


@traced(np.asarray)
def _asarray(graph: ProgramGraph, a: Any, dtype: Any = None, **options: Any) -> Any:
    """With ``like=`` a symbol."""
    check_no_more(np.asarray, options)
    node = node_of(graph, a)
    return Symbol(graph, node if dtype is None else graph.astype(node, dtype))


@traced(np.arange)
def _arange(graph: ProgramGraph, *args: Any, **options: Any) -> Any:
    """With ``like=`` a symbol, a constant."""
    if any(isinstance(value, Symbol) for value in (*args, *options.values())):
        return opaque(graph, np.arange, args, options)
    return np.arange(*args, **options)


def filled(function: Callable[..., Any], fixed: float | None) -> None:
    """Register ``np.zeros_like`` or one of its kind. ``fixed`` is its value; None means that the caller gives
    one, as for ``np.full_like``."""

    @traced(function)
    def like(graph: ProgramGraph, a: Any, *args: Any, **options: Any) -> Any:
        given = dict(zip(("fill_value", "dtype") if fixed is None else ("dtype",), args)) | options
        fill, dtype, shape = given.get("fill_value", fixed), given.get("dtype"), given.get("shape")
        if isinstance(a, Symbol) and a.node.number and dtype is None and shape is None:
            return Symbol(graph, graph.as_number(node_of(graph, fill), a.node.number))
        shape = a.shape if shape is None else shape_of_size(shape)
        if not isinstance(fill, Symbol):
            return Symbol(graph, graph.full(shape, np.asarray(fill, dtype or a.dtype)[()]))
        cast = graph.astype(fill.node, dtype or a.dtype)
        return Symbol(graph, graph.broadcast_to(cast, shape))


for each, number in ((np.zeros_like, 0), (np.ones_like, 1), (np.empty_like, 0), (np.full_like, None)):
    filled(each, number)


def constant(function: Callable[..., Any], fixed: float | None) -> None:
    """Register ``np.zeros`` or one of its kind, for calls with ``like=``. ``fixed`` is its value; None means
    that the caller gives one, as for ``np.full``."""

    @traced(function)
    def made(graph: ProgramGraph, shape: Any, *args: Any, **options: Any) -> Any:
        given = dict(zip(("fill_value", "dtype") if fixed is None else ("dtype",), args)) | options
        fill = given.get("fill_value", fixed)
        dtype = given.get("dtype") or (np.asarray(fill).dtype if fixed is None else float)
        return Symbol(graph, graph.full(shape_of_size(shape), np.asarray(fill, dtype)[()]))


for each, number in ((np.zeros, 0), (np.ones, 1), (np.empty, 0), (np.full, None)):
    constant(each, number)


@traced(np.copy)
def _copy(graph: ProgramGraph, a: Any, order: str = "K", **options: Any) -> Any:
    if order == "C":
        return Symbol(graph, np.ascontiguousarray(a).node)
    if graph.is_exact and a.shape and a.dtype.kind == "f" and a.node.op in {"input", *VIEWS}:
        return np.positive(a)  # a copy without gaps, in whose order NumPy computes
    return Symbol(graph, a.node)


@traced(np.copyto)
def _copyto(graph: ProgramGraph, dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if not isinstance(dst, Symbol):
        raise TraceError(
            "np.copyto into an array that is not part of the program is not compiled; make one by "
            "np.zeros_like(x)"
        )
    dst._become(np.where(where, src, dst) if where is not True else Symbol(graph, node_of(graph, src)))


@traced(np.concatenate)
def _concatenate(graph: ProgramGraph, arrays: Any, axis: Any = 0, **options: Any) -> Any:
    check_no_more(np.concatenate, {k: v for k, v in options.items() if k != "casting"})
    nodes = [node_of(graph, array) for array in arrays]
    if any(node.number for node in nodes):  # Python's numbers take the dtype of the arrays
        dtype = np.result_type(*map(sample_of, arrays))
        nodes = [graph.astype(node, dtype) for node in nodes]
    if axis is None:
        nodes, axis = [graph.reshape(node, (-1,)) for node in nodes], 0
    return Symbol(graph, graph.join("concatenate", nodes, axis))


@traced(np.stack)
def _stack(graph: ProgramGraph, arrays: Any, axis: int = 0, **options: Any) -> Any:
    check_no_more(np.stack, {k: v for k, v in options.items() if k != "casting"})
    return Symbol(graph, graph.join("stack", [node_of(graph, array) for array in arrays], axis))


def splitting(function: Callable[..., Any]) -> None:
    """Register ``np.split`` or ``np.array_split``."""

    @traced(function)
    def pieces(graph: ProgramGraph, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        places = function(np.arange(ary.shape[axis]), indices_or_sections)
        before = (slice(None),) * (axis % ary.ndim)
        return [ary[(*before, slice(int(p[0]), int(p[-1]) + 1) if len(p) else slice(0, 0))] for p in places]


for each in (np.split, np.array_split):
    splitting(each)


@traced(np.pad)
def _pad(graph: ProgramGraph, array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> Any:
    value = options.pop("constant_values", 0)
    if mode != "constant" or options or np.ndim(value):
        return opaque(graph, np.pad, (array, pad_width), {"mode": mode, **options, "constant_values": value})
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2))
    shape = tuple(int(size + sum(width)) for size, width in zip(array.shape, widths))
    whole = np.full_like(array, value, shape=shape)
    whole[tuple(slice(int(a), int(a) + size) for (a, b), size in zip(widths, array.shape))] = array
    return whole


# -- sums and choices ---------------------------------------------------------------------------------------


def reducing(function: Callable[..., Any], ufunc: Any) -> None:
    """Register ``np.sum`` or one of its kind."""

    @traced(function)
    def reduced(graph: ProgramGraph, a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
        keepdims = options.pop("keepdims", False)
        initial = options.pop("initial", np._NoValue)
        check_no_more(function, options)
        keepdims = keepdims is not np._NoValue and bool(keepdims)
        return ufunc.reduce(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial)


for each, ufunc in (
    (np.sum, np.add), (np.prod, np.multiply), (np.max, np.maximum), (np.min, np.minimum),
    (np.all, np.logical_and), (np.any, np.logical_or),
):  # fmt: skip
    reducing(each, ufunc)


@traced(np.mean)
def _mean(graph: ProgramGraph, a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
    keepdims = options.pop("keepdims", False)
    check_no_more(np.mean, options)
    if dtype is None and a.dtype == np.float16:  # which NumPy adds up in single precision
        return np.mean(a, axis, np.float32, keepdims=keepdims).astype(a.dtype)
    total = np.sum(a, axis=axis, dtype=dtype, keepdims=keepdims)
    return total / (a.size // max(total.size, 1))


@traced(np.var)
def _var(graph: ProgramGraph, a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
    ddof, keepdims = options.pop("ddof", 0), options.pop("keepdims", False)
    check_no_more(np.var, options)
    if dtype is not None or a.dtype.kind != "f" or a.dtype.itemsize < 4:
        return opaque(graph, np.var, (a,), {"axis": axis, "dtype": dtype, "ddof": ddof, "keepdims": keepdims})
    apart = a - np.mean(a, axis=axis, keepdims=True)
    total = np.sum(apart * apart, axis=axis, keepdims=keepdims is not np._NoValue and keepdims)
    return total / max(a.size // max(total.size, 1) - ddof, 0)


@traced(np.std)
def _std(graph: ProgramGraph, a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
    return np.sqrt(np.var(a, axis, dtype, **options))


@traced(np.where)
def _where(graph: ProgramGraph, condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None:
        return opaque(graph, np.nonzero, (condition,), {})
    nodes = [node_of(graph, value) for value in (condition, x, y)]
    return Symbol(graph, graph.elementwise("where", *nodes, is_numpy=True))


@traced(np.clip)
def _clip(graph: ProgramGraph, a: Any, a_min: Any = None, a_max: Any = None, **options: Any) -> Any:
    low, high = options.pop("min", a_min), options.pop("max", a_max)
    check_no_more(np.clip, options)
    a = a if low is None else np.maximum(a, low)
    return a if high is None else np.minimum(a, high)


@traced(np.dot)
def _dot(graph: ProgramGraph, a: Any, b: Any) -> Any:
    count, other = np.ndim(a), np.ndim(b)
    if not (count and other):
        return np.multiply(a, b)
    x, y = node_of(graph, a), node_of(graph, b)
    are_alike = count == other == 2 and 1 not in (*x.shape, *y.shape) and x.dtype == y.dtype
    if max(count, other) > 2 or (graph.is_exact and not are_alike):  # np.matmul adds up in another order
        return opaque(graph, np.dot, (a, b), {})
    return np.matmul(a, b)


@traced(np.outer)
def _outer(graph: ProgramGraph, a: Any, b: Any) -> Any:
    return np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))


@traced(np.result_type)
def _result_type(graph: ProgramGraph, *kinds: Any) -> Any:
    return np.result_type(*(sample_of(kind) for kind in kinds))


def sample_of(kind: Any) -> Any:
    """An operand for ``np.result_type``: in place of a symbol, a value of the same dtype."""
    if not isinstance(kind, Symbol):
        return kind
    return kind.node.number(0) if kind.node.number else np.zeros((1,) * kind.ndim, kind.dtype)


Symbol.call_ufunc = staticmethod(call_ufunc)
Symbol.call_function = staticmethod(call_function)
