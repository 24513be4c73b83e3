"""Splitting a tree of dictionaries, lists, tuples, numbers, strings and arrays, such as a ``state_dict``,
into a JSON value and named arrays, and rebuilding it with the same values and types."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def pack(value: Any, place: str, arrays: dict[str, np.ndarray]) -> Any:
    """The tree as a JSON value. Its arrays are added to ``arrays``, under names that begin with ``place``.

    Raises TypeError if the tree holds a value of another type.

    >>> arrays = {}
    >>> pack({0: {"step": 1, "mean": np.zeros(2)}}, "state", arrays)
    {'dict': [[0, {'dict': [['step', 1], ['mean', {'array': 'state/0/mean'}]]}]]}
    >>> arrays
    {'state/0/mean': array([0., 0.])}
    """
    if isinstance(value, (np.ndarray, np.generic)):
        name = place
        while name in arrays:
            name += "_"
        arrays[name] = np.asarray(value)
        return {"array" if isinstance(value, np.ndarray) else "scalar": name}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        parts = [pack(part, f"{place}/{number}", arrays) for number, part in enumerate(value)]
        return parts if isinstance(value, list) else {"tuple": parts}
    if isinstance(value, dict):
        return {"dict": [[key, pack(part, f"{place}/{key}", arrays)] for key, part in value.items()]}
    raise TypeError(
        f"{place} is {value!r:.60}, which cannot be saved: only arrays, numbers, strings, None, and lists, "
        "tuples and dicts of these can"
    )


def unpack(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The tree that :func:`pack` has packed. Its arrays are removed from ``arrays``, so that none can be used
    twice.

    Raises KeyError if an array is missing, ValueError for a value that ``pack`` does not write.

    >>> unpack({"tuple": [1, {"float": "inf"}, {"array": "a"}]}, {"a": np.zeros(2)})
    (1, inf, array([0., 0.]))
    """
    if isinstance(value, list):
        return [unpack(part, arrays) for part in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays.pop(content)
    if kind == "scalar" and arrays[content].ndim == 0:
        return arrays.pop(content)[()]
    if kind == "float" and content in ("nan", "inf", "-inf"):
        return float(content)
    if kind == "tuple" and isinstance(content, list):
        return tuple(unpack(part, arrays) for part in content)
    if kind == "dict" and isinstance(content, list):
        pairs = [(key, unpack(part, arrays)) for key, part in content]
        if len(dict(pairs)) != len(pairs):
            raise ValueError(f"a dictionary has a key twice: {content!r:.60}")
        return dict(pairs)
    raise ValueError(f"unknown kind {kind!r:.60} of value: {content!r:.60}")
