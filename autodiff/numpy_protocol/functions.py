"""NumPy's functions called with a Tensor: ``np.sum(t, axis=0)`` is ``ad.sum(t, axis=0)``.

NumPy passes such a call on: for an elementwise function (a ufunc) by the protocol ``__array_ufunc__`` (NEP
13), for any other by ``__array_function__`` (NEP 18). A function or an option that is not listed here raises
TypeError, since NumPy would compute without a gradient. If all Tensors are constants, there is no gradient to
lose, and NumPy computes with their data.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..engine.catalogue import Catalogue
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, describe, raw
from ..ops import catalogue
from ..ops.shaping import shape_of
from . import shapes  # noqa: F401  adds to IMPLEMENTATIONS
from .implementations import IMPLEMENTATIONS
from .instead import instead

Function = Callable[..., Any]

PLAIN: frozenset[Function] = frozenset((
    np.all, np.allclose, np.any, np.argpartition, np.argwhere, np.array_equal, np.count_nonzero,
    np.iscomplexobj, np.isclose, np.isrealobj, np.linalg.matrix_rank, np.ndim, np.nonzero,
    np.result_type, np.searchsorted, np.shape, np.size,
))  # fmt: skip
"""Functions that return no Tensor: they are computed on the data."""

CONVERSIONS: frozenset[Function] = frozenset((np.atleast_1d, np.atleast_2d, np.atleast_3d, np.copy))
"""Functions that return an array for a constant, like ``np.asarray``; SciPy calls them to get one."""

SAME_ARGUMENTS: dict[Function, Function] = {
    function: catalogue.find(function.__name__)
    for function in (
        np.argmax, np.argmin, np.broadcast_to, np.cumprod, np.cumsum, np.diagonal, np.dot, np.expand_dims,
        np.flip, np.inner, np.linalg.cholesky, np.linalg.det, np.linalg.inv, np.linalg.solve, np.median,
        np.moveaxis, np.nan_to_num, np.outer, np.ravel, np.repeat, np.roll, np.round, np.sinc, np.squeeze,
        np.std, np.swapaxes, np.take_along_axis, np.tile, np.trace, np.transpose, np.tril, np.triu, np.var,
    )
} | {np.around: catalogue.round}  # fmt: skip
"""Functions whose operands come first and whose options have the same names in NumPy and here."""

UFUNCS: dict[np.ufunc, str] = {
    np.add: "add", np.subtract: "sub", np.multiply: "mul", np.divide: "div", np.power: "pow",
    np.negative: "neg", np.absolute: "abs", np.fabs: "abs", np.matmul: "matmul", np.rint: "round",
    np.positive: "alias", np.conjugate: "alias", np.degrees: "rad2deg", np.radians: "deg2rad",
} | {
    getattr(np, name): name
    for name in (
        "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "ceil", "cos",
        "cosh", "deg2rad", "divmod", "exp", "exp2", "expm1", "floor", "floor_divide", "fmax", "fmin", "fmod",
        "hypot", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "maximum", "minimum", "rad2deg",
        "reciprocal", "remainder", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
    )
}  # fmt: skip
"""The name in the catalogue of each of NumPy's elementwise functions."""

PLAIN_UFUNCS: frozenset[np.ufunc] = frozenset((
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.isnan, np.isinf, np.isfinite, np.signbit,
    np.logical_and, np.logical_not, np.logical_or, np.logical_xor,
))  # fmt: skip
"""Elementwise functions that return booleans and no Tensor: they are computed on the data."""

METHODS: dict[tuple[np.ufunc, str], Function] = {
    (np.add, "reduce"): np.sum,
    (np.multiply, "reduce"): np.prod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
}
"""The methods of NumPy's elementwise functions that are also functions."""

ADVICE = {
    "at": "Build the result with ad.scatter_add",
    "reduceat": "Add up slices, t[start:end]",
    "out": "Use the result that it returns",
}
"""What to write instead of a method or an option that is not recorded."""


def numpy_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Compute a call of one of NumPy's elementwise functions that has a Tensor among its arguments.

    Raises TypeError for a function, a method or an option that is not recorded.
    """
    name = UFUNCS.get(ufunc)
    if name is not None and method == "__call__" and not options:
        operation = getattr(catalogue, name)
        return operation.binary(*inputs) if ufunc.nin == 2 and ufunc.nout == 1 else operation(*inputs)
    given = {key: value for key, value in options.items() if not is_default(key, value)}
    if any(isinstance(array, Tensor) for array in given.get("out", ())):
        raise TypeError(
            f"np.{ufunc.__name__} cannot write into a Tensor (out=), since nothing would be recorded. Use "
            "the result that it returns"
        )
    tensors = list(tensors_in((inputs, given)))
    if ufunc in PLAIN_UFUNCS or not any(tensor.requires_grad for tensor in tensors):
        return getattr(ufunc, method)(*without_tensors(inputs), **without_tensors(given))
    if name is not None and not given.keys() - {"axis", "keepdims", "dtype", "initial", "where"}:
        if (ufunc, method) in METHODS:
            return numpy_function(METHODS[ufunc, method], inputs, {"axis": 0, **given})
        if not given and method in ("__call__", "outer") and ufunc.signature is None:
            return getattr(catalogue, name)(*(outer_operands(*inputs) if method == "outer" else inputs))
    raise TypeError(refusal(ufunc, method, inputs, given, tensors[0]))


def is_default(option: str, value: Any) -> bool:
    """Whether an option has its default value."""
    if option == "out":
        return all(array is None for array in value)
    return (value is None and option != "axis") or (option == "where" and value is True)


def outer_operands(x: Any, y: Any) -> tuple[Any, Any]:
    """Add axes to x for those of y, so that each element of x is combined with each element of y."""
    x = as_recorded(x)
    return catalogue.reshape(x, shape=shape_of(x) + (1,) * np.ndim(raw(y))), y


def refusal(ufunc: np.ufunc, method: str, inputs: Any, given: dict[str, Any], tensor: Tensor) -> str:
    """The message: which function, method or option is not recorded for which Tensor, and what to do."""
    is_numpy_s = getattr(np, ufunc.__name__, None) is ufunc  # others are of scipy.special
    name = "np." * is_numpy_s + ufunc.__name__ + f".{method}" * (method != "__call__")
    changed = given.get("out", (None,))[0]
    if changed is not None and changed is inputs[0]:
        sign = getattr(getattr(catalogue, UFUNCS.get(ufunc, ""), None), "sign", None)
        return (
            f"a NumPy array cannot be changed in place by {describe(tensor)}, which would lose its gradient; "
            f"write a = {f'a {sign} t' if sign else f'{name}(a, t)'}"
        )
    is_option = ufunc in UFUNCS and given and (method in ("__call__", "outer") or (ufunc, method) in METHODS)
    reason = f"{name} is not recorded for {describe(tensor)}"
    if is_option:
        reason = f"{name} with {', '.join(f'{key}=' for key in given)} is not recorded for {describe(tensor)}"
    elif ufunc not in UFUNCS:
        reason += instead(ufunc.__name__)
    advice = [ADVICE[word] for word in (method, *given) if word in ADVICE]
    return f"{reason}. {advice[0] if advice else 'Use t.data for the plain array, or t.detach()'}"


Catalogue.numpy_ufunc = staticmethod(numpy_ufunc)


def numpy_function(function: Function, args: Any, kwargs: Any) -> Any:
    """Compute a call of one of NumPy's other functions that has a Tensor among its arguments.

    Raises TypeError for a function or an argument that is not recorded.
    """
    ours = SAME_ARGUMENTS.get(function) or IMPLEMENTATIONS.get(function)
    if ours is not None and function not in CONVERSIONS:
        return call_ours(function, ours, args, kwargs)
    tensors = list(tensors_in((args, kwargs)))
    if function in PLAIN or not any(tensor.requires_grad for tensor in tensors):
        return function(*without_tensors(args), **without_tensors(kwargs))
    if ours is not None:
        return call_ours(function, ours, args, kwargs)
    raise TypeError(
        f"{name_of(function)} is not recorded for {describe(tensors[0])}"
        + instead(function.__name__)
        + ". Use t.data for the plain array, or t.detach()"
    )


Catalogue.numpy_function = staticmethod(numpy_function)


def call_ours(function: Function, ours: Function, args: Any, kwargs: Any) -> Any:
    """Call our function with the arguments of NumPy's: operands by position, options by keyword.

    Raises TypeError for an argument that ours does not have, unless it has NumPy's default value.
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
            f"{describe(next(tensors_in((args, kwargs))))}; leave it out, or use t.data for the plain array"
        )
    return ours(*operands, **options)


@functools.cache
def signatures(function: Function, ours: Function) -> tuple[inspect.Signature, int, frozenset[str]]:
    """The signature of NumPy's function, the number of operands that ours takes by position, and the names of
    all of our parameters."""
    signature = inspect.signature(ours)
    parameters = signature.parameters.values()
    count = sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
    names = frozenset(signature.parameters)
    try:
        return inspect.signature(function), count, names
    except ValueError:  # before NumPy 2.4, some functions written in C have no signature
        rest = inspect.Parameter("rest", inspect.Parameter.VAR_KEYWORD)
        return signature.replace(parameters=[*parameters, rest]), count, names


def name_of(function: Function) -> str:
    """The name as users write it: np.sum, np.linalg.norm."""
    return f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The Tensors among the arguments of a call."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(part)


def without_tensors(value: Any) -> Any:
    """Arguments with read-only data in place of Tensors, since a write into the data would not be counted."""
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
