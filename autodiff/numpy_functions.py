"""What NumPy's own functions do with a Tensor: ``np.sum(t, axis=0)`` is ``ad.sum(t, axis=0)``.

NumPy hands such a call over (its ``__array_function__`` protocol, NEP 18). A function that is not listed here
is refused, since NumPy would compute without a gradient; with constants alone there is none to lose, and it
is computed on their data.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import creation
from .ops import catalogue, matrices
from .tensor import Tensor, describe, raw

Function = Callable[..., Any]

PLAIN: frozenset[Function] = frozenset((
    np.all, np.allclose, np.any, np.argwhere, np.array_equal, np.count_nonzero, np.iscomplexobj, np.isclose,
    np.isrealobj, np.ndim, np.nonzero, np.result_type, np.searchsorted, np.shape, np.size,
))  # fmt: skip
"""These look at the data and give no Tensor."""

SAME: dict[Function, Function] = {
    function: catalogue.find(function.__name__)
    for function in (
        np.argmax, np.argmin, np.broadcast_to, np.cumprod, np.cumsum, np.diagonal, np.dot, np.expand_dims,
        np.flip, np.inner, np.linalg.cholesky, np.linalg.det, np.linalg.inv, np.linalg.solve, np.max,
        np.mean, np.median, np.min, np.moveaxis, np.outer, np.prod, np.ravel, np.repeat, np.roll, np.round,
        np.squeeze, np.std, np.sum, np.swapaxes, np.take_along_axis, np.tile, np.trace, np.transpose,
        np.tril, np.triu, np.var,
    )
} | {
    np.amax: catalogue.max,
    np.amin: catalogue.min,
    np.around: catalogue.round,
    np.linalg.slogdet: matrices.slogdet,
}  # fmt: skip
"""Their operands come first, and their options have the same names in NumPy and here."""

OTHER: dict[Function, Function] = {}
"""The functions that follow: each has those of NumPy's arguments that can be recorded."""


def instead_of(function: Function) -> Callable[[Function], Function]:
    """Enter the decorated function as the answer to calls of NumPy's."""

    def enter(ours: Function) -> Function:
        OTHER[function] = ours
        return ours

    return enter


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


@instead_of(np.reshape)
def reshape(a: Any, shape: Any = None, newshape: Any = None) -> Any:
    """NumPy 2.0 says newshape."""
    return catalogue.reshape(a, shape=newshape if shape is None else shape)


@instead_of(np.concatenate)
def concatenate(arrays: Any, axis: int | None = 0) -> Any:
    """Our operation takes its parts one by one."""
    return catalogue.concatenate(*arrays, axis=axis)


@instead_of(np.stack)
def stack(arrays: Any, axis: int = 0) -> Any:
    """As with concatenate."""
    return catalogue.stack(*arrays, axis=axis)


@instead_of(np.vstack)
def vstack(tup: Any) -> Any:
    """One below the other; a vector is a row."""
    return catalogue.concatenate(*(with_axes(part, 2) for part in tup))


@instead_of(np.hstack)
def hstack(tup: Any) -> Any:
    """One beside the other, which for vectors is their only axis."""
    parts = [with_axes(part, 1) for part in tup]
    return catalogue.concatenate(*parts, axis=0 if np.ndim(parts[0]) == 1 else 1)


@instead_of(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """The same under other names."""
    return catalogue.split(ary, indices_or_sections, axis)


@instead_of(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Of parts that cannot be equal, the first are longer by one."""
    cuts = indices_or_sections
    if np.ndim(cuts) == 0:
        parts = np.array_split(np.arange(np.shape(ary)[axis]), cuts)
        cuts = np.cumsum([len(part) for part in parts[:-1]], dtype=int).tolist()
    return catalogue.split(ary, cuts, axis)


@instead_of(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: float = 0) -> Any:
    """NumPy's takes whatever its mode needs."""
    return catalogue.pad(array, pad_width=pad_width, mode=mode, constant_values=constant_values)


@instead_of(np.einsum)
def einsum(*operands: Any, optimize: Any = False) -> Any:
    """The order of the products is found here, whatever ``optimize`` says."""
    return catalogue.einsum(*operands)


@instead_of(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """The square root of a sum of squares; to NumPy, 2 means that for a vector, and 'fro' for a matrix."""
    axes = np.ndim(x) if axis is None else np.size(axis)
    if ord is not None and (ord, axes) not in ((2, 1), ("fro", 2)):
        raise TypeError(
            f"np.linalg.norm over {axes} axes with ord={ord!r} is not recorded for {describe(x)}; there are "
            "ord=None, 2 for one axis and 'fro' for two"
        )
    return catalogue.norm(x, axis=axis, keepdims=keepdims)


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


def with_axes(part: Any, count: int) -> Any:
    """With axes of size 1 in front, if there are fewer than ``count``."""
    missing = count - np.ndim(part)
    return part if missing <= 0 else catalogue.reshape(part, shape=(1,) * missing + np.shape(part))


def numpy_function(function: Function, args: Any, kwargs: Any) -> Any:
    """Answer a call of one of NumPy's functions in which a Tensor stands.

    Raises TypeError for a function or an argument that we do not differentiate.
    """
    ours = SAME.get(function) or OTHER.get(function)
    if ours is not None:
        return answer(function, ours, args, kwargs)
    tensors = list(tensors_in((args, kwargs)))
    if function in PLAIN or not any(tensor.requires_grad for tensor in tensors):
        return function(*without_tensors(args), **without_tensors(kwargs))
    known = {f.__name__: name_of(f) for f in (*SAME, *OTHER)}
    import difflib  # a thousandth of a second that only this message needs

    near = [known[name] for name in difflib.get_close_matches(function.__name__, known, 3, 0.6)]
    raise TypeError(
        f"{name_of(function)} is not recorded for {describe(tensors[0])}"
        + (f"; there is {', '.join(near)}" if near else "")
        + ". Use t.data for the plain array, or t.detach()"
    )


catalogue.numpy_function = numpy_function


def answer(function: Function, ours: Function, args: Any, kwargs: Any) -> Any:
    """Call ours with the arguments of NumPy's function: operands by their place, options by their name.

    Raises TypeError for an argument that ours does not have, unless it is NumPy's default.
    """
    theirs, count, names = signatures(function, ours)
    operands: list[Any] = []
    options: dict[str, Any] = {}
    for name, value in theirs.bind(*args, **kwargs).arguments.items():
        parameter = theirs.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            operands += value
        elif parameter.kind is parameter.VAR_KEYWORD:
            options |= value
        elif len(operands) < count:
            operands.append(value)
        elif not (value is parameter.default or (isinstance(value, str) and value == parameter.default)):
            options[name] = value
    unknown = [f"{name}=" for name in options if name not in names]
    if unknown:
        raise TypeError(
            f"{name_of(function)} with {', '.join(unknown)} is not recorded for "
            f"{describe(next(tensors_in((args, kwargs))))}; leave that out, or use t.data for the plain array"
        )
    return ours(*operands, **options)


@functools.cache
def signatures(function: Function, ours: Function) -> tuple[inspect.Signature, int, frozenset[str]]:
    """NumPy's signature, how many operands ours takes by place, and the names of all that it takes."""
    own = inspect.signature(ours)
    count = sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in own.parameters.values())
    try:
        return inspect.signature(function), count, frozenset(own.parameters)
    except ValueError:  # before NumPy 2.4 some, being written in C, have none
        rest = inspect.Parameter("rest", inspect.Parameter.VAR_KEYWORD)
        return own.replace(parameters=[*own.parameters.values(), rest]), count, frozenset(own.parameters)


def name_of(function: Function) -> str:
    """How one writes it: np.sum, np.linalg.norm."""
    return f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The Tensors among the arguments of a call."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(part)


def without_tensors(value: Any) -> Any:
    """Arguments with each Tensor's data in its place, which cannot be written into: that would not be
    counted as a change."""
    if isinstance(value, Tensor):
        data = value.data
        if isinstance(data, np.ndarray):
            data = data.view()
            data.flags.writeable = False
        return data
    if isinstance(value, dict):
        return {name: without_tensors(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [without_tensors(part) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    return value
