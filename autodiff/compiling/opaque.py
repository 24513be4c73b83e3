"""Opaque calls: calls such as ``np.linalg.inv`` that a program runs unchanged, because what happens inside
them is not traced."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.tracing import TraceError, UnknownShapeError
from .graph import ProgramGraph
from .known_results import KNOWN
from .symbol import Symbol

UNKNOWN = (
    "depends on values, which are not known while the function is compiled. Use ad.where(mask, x, 0), which "
    "keeps the shape, or call it outside of the compiled function"
)
PLAIN = (int, float, complex, str, bytes, np.generic, np.dtype, type, type(None), type(np._NoValue))
"""The types of arguments whose text tells two values apart."""

UNKNOWN_SHAPES = frozenset((
    np.argwhere, np.bincount, np.compress, np.delete, np.extract, np.flatnonzero, np.histogram_bin_edges,
    np.intersect1d, np.nonzero, np.repeat, np.setdiff1d, np.setxor1d, np.trim_zeros, np.union1d, np.unique,
    np.unique_all, np.unique_counts, np.unique_inverse, np.unique_values,
))  # fmt: skip
"""NumPy's functions whose result has a shape that depends on values."""


def opaque(graph: ProgramGraph, function: Callable[..., Any], args: Any, options: dict[str, Any]) -> Any:
    """The result of a function of symbols and other arguments, as one node of the program. Several results
    are several symbols: the program calls the function once, and takes the parts of what it returns.

    The shape and dtype of the result are found by calling the function on sample arrays, unless
    ``known_results.py`` tells them. Raises TraceError if that call fails or returns something else than
    arrays and floats, and UnknownShapeError if the shape of the result depends on values.
    """
    name = getattr(function, "__name__", str(function))
    if function in UNKNOWN_SHAPES:
        raise UnknownShapeError(f"the shape of the result of {name} {UNKNOWN}")
    symbols: list[Symbol] = []
    pattern = _with_places((args, options), symbols)
    run = functools.partial(call_with, function, pattern)
    functools.update_wrapper(run, function, assigned=("__name__",), updated=())
    nodes = [symbol.node for symbol in symbols]
    key = (function, repr(pattern)) if is_plain(pattern) else id(run)
    if function in KNOWN:
        like, how = KNOWN[function](*args, **options)
        return Symbol(graph, graph.call(run, nodes, key, like, *how))
    like = result_for_samples(run, name, symbols)
    if isinstance(like, (tuple, list)):
        whole = graph.call(run, nodes, key, like)
        parts = [
            None if part is None else Symbol(graph, graph.part(whole, place, part))
            for place, part in enumerate(like)
        ]
        kind: Any = type(like)
        return kind(*parts) if hasattr(like, "_fields") else kind(parts)
    if not hasattr(like, "dtype") and type(like) is not float:
        raise TraceError(f"{name} returns a {type(like).__name__}, which is not compiled")
    return Symbol(graph, graph.call(run, nodes, key, like))


def result_for_samples(run: Callable[..., Any], name: str, symbols: list[Symbol]) -> Any:
    """What a function returns for sample arrays. Raises TraceError if the call fails, and UnknownShapeError
    if the shape of the result depends on values."""
    try:
        with np.errstate(all="ignore"):
            like, other = (run(*[sample(symbol, seed) for symbol in symbols]) for seed in (0, 1))
    except Exception as error:
        raise TraceError(f"{name} is not compiled: {error}") from error
    if shapes(like) != shapes(other):
        raise UnknownShapeError(f"the shape of the result of {name} {UNKNOWN}")
    return like


def call_with(function: Callable[..., Any], pattern: Any, *arrays: Any) -> Any:
    """Call a function with arrays in place of the ``ArgumentPlace`` objects of a pattern."""
    args, options = _filled(pattern, arrays)
    return function(*args, **options)


class ArgumentPlace:
    """Marks the place of an array in a pattern: of the array with this number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"<argument {self.number}>"


def is_plain(pattern: Any) -> bool:
    """Whether the text of a pattern says everything about it. The text of a long array does not."""
    if type(pattern) in (list, tuple):
        return all(map(is_plain, pattern))
    if type(pattern) is dict:
        return all(map(is_plain, pattern.values()))
    return isinstance(pattern, (ArgumentPlace, *PLAIN))


def _with_places(value: Any, symbols: list[Symbol]) -> Any:
    """A structure with an ``ArgumentPlace`` for each symbol; the symbols are added to a list."""
    if isinstance(value, Symbol):
        symbols.append(value)
        return ArgumentPlace(len(symbols) - 1)
    if type(value) in (list, tuple):
        return type(value)(_with_places(part, symbols) for part in value)
    if type(value) is dict:
        return {key: _with_places(part, symbols) for key, part in value.items()}
    return value


def _filled(value: Any, arrays: Any) -> Any:
    if isinstance(value, ArgumentPlace):
        return arrays[value.number]
    if type(value) in (list, tuple):
        return type(value)(_filled(part, arrays) for part in value)
    if type(value) is dict:
        return {key: _filled(part, arrays) for key, part in value.items()}
    return value


def shapes(result: Any) -> Any:
    """The shape of a result, or of each of several."""
    return [*map(np.shape, result)] if isinstance(result, (tuple, list)) else np.shape(result)


def sample(symbol: Symbol, seed: int) -> Any:
    """A value of a symbol's shape and dtype that most functions accept.

    Floats lie between 0.25 and 0.75, with larger values on the diagonal, so that matrices can be inverted.
    Integers are 0. Booleans are False for the seed 0 and True for the seed 1.
    """
    if symbol.node.number:
        return symbol.node.number(0.5)
    if symbol.dtype.kind != "f":
        return np.full(symbol.shape, symbol.dtype.kind == "b" and seed, symbol.dtype)
    values = 0.25 + 0.5 * np.random.default_rng(seed).random(symbol.shape)
    if symbol.ndim >= 2:
        rows, columns = symbol.shape[-2:]
        values = values + max(rows, columns) * np.eye(rows, columns)
    return values.astype(symbol.dtype)
