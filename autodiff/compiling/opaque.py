"""Calls that a program makes as they stand, such as ``np.linalg.inv``, because what they do inside is not
compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.tracing import TraceError, UnknownShapeError
from .graph import Graph
from .symbol import Symbol

UNKNOWN = (
    "which are not known while the function is compiled. Use ad.where(mask, x, 0), which keeps the shape, or "
    "call it outside"
)
UNKNOWN_SHAPES = frozenset((
    np.argwhere, np.bincount, np.compress, np.delete, np.extract, np.flatnonzero, np.histogram_bin_edges,
    np.intersect1d, np.nonzero, np.repeat, np.setdiff1d, np.setxor1d, np.trim_zeros, np.union1d, np.unique,
    np.unique_all, np.unique_counts, np.unique_inverse, np.unique_values,
))  # fmt: skip
"""The functions of NumPy whose result has a shape that depends on values."""


def opaque(graph: Graph, function: Callable[..., Any], args: Any, options: dict[str, Any]) -> Any:
    """The call of a function on symbols and other arguments, as one node of the program.

    What its result looks like is found by a call on sample arrays. Raises TraceError if the function does not
    take them.
    """
    name = getattr(function, "__name__", str(function))
    if function in UNKNOWN_SHAPES:
        raise UnknownShapeError(f"the shape of the result of {name} depends on values, {UNKNOWN}")
    symbols: list[Symbol] = []
    pattern = _with_places((args, options), symbols)
    run = functools.partial(call_with, function, pattern)
    functools.update_wrapper(run, function, assigned=("__name__",), updated=())
    try:
        with np.errstate(all="ignore"):
            like, other = (run(*[sample(symbol, seed) for symbol in symbols]) for seed in (0, 1))
    except Exception as error:
        raise TraceError(f"{name} is not compiled: {error}") from error
    if shapes(like) != shapes(other):
        raise UnknownShapeError(f"the shape of the result of {name} depends on values, {UNKNOWN}")
    nodes = [symbol.node for symbol in symbols]
    key = (function, repr(pattern)) if "array" not in repr(pattern) else id(run)
    if isinstance(like, (tuple, list)):
        calls = [functools.partial(part_of, run, place) for place in range(len(like))]
        parts = [
            None if part is None else Symbol(graph, graph.call(call, nodes, (key, place), part))
            for place, (call, part) in enumerate(zip(calls, like))
        ]
        kind: Any = type(like)
        return kind(*parts) if hasattr(like, "_fields") else kind(parts)
    if not hasattr(like, "dtype") and type(like) is not float:
        raise TraceError(f"{name} returns a {type(like).__name__}, which is not compiled")
    return Symbol(graph, graph.call(run, nodes, key, like))


def call_with(function: Callable[..., Any], pattern: Any, *arrays: Any) -> Any:
    """Call a function with arrays in the places that a pattern leaves for them."""
    args, options = _filled(pattern, arrays)
    return function(*args, **options)


def part_of(run: Callable[..., Any], place: int, *arrays: Any) -> Any:
    """One of several results of a call."""
    return run(*arrays)[place]


class Place:
    """Stands in a pattern for the argument with this number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"<argument {self.number}>"


def _with_places(value: Any, symbols: list[Symbol]) -> Any:
    """A structure with a place for each symbol, which are collected."""
    if isinstance(value, Symbol):
        symbols.append(value)
        return Place(len(symbols) - 1)
    if type(value) in (list, tuple):
        return type(value)(_with_places(part, symbols) for part in value)
    if type(value) is dict:
        return {key: _with_places(part, symbols) for key, part in value.items()}
    return value


def _filled(value: Any, arrays: Any) -> Any:
    if isinstance(value, Place):
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
    """An array that most functions take in place of a symbol: numbers between .25 and .75, and more on the
    diagonal, so that matrices can be inverted; integers 0; booleans False, or with another seed True."""
    if symbol.node.number:
        return symbol.node.number(0.5)
    if symbol.dtype.kind != "f":
        return np.full(symbol.shape, symbol.dtype.kind == "b" and seed, symbol.dtype)
    values = 0.25 + 0.5 * np.random.default_rng(seed).random(symbol.shape)
    if symbol.ndim >= 2:
        rows, columns = symbol.shape[-2:]
        values = values + max(rows, columns) * np.eye(rows, columns)
    return values.astype(symbol.dtype)
