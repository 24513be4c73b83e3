"""Answers as plain data, which one process hands to another: numbers, texts, collections of them, arrays,
and Tensors by what they hold."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from autodiff import Tensor

from .. import machine

KINDS = "biufc"
"""The kinds of arrays that are plain data."""
MOST = 200_000
"""How many characters an answer may have as plain data."""


class NotData(Exception):
    """Raised for an answer that is no plain data, such as a function."""


def packed(value: Any, depth: int = 0) -> list[Any]:
    """A value as lists and texts that JSON can hold. Raises NotData."""
    kind = type(value)
    if value is None:
        return ["none"]
    if kind in (bool, str):
        return [kind.__name__, value]
    if kind is int and abs(value) < 2**256:
        return ["int", hex(value)]
    if kind is float:
        return ["float", value.hex()]
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in KINDS and value.nbytes < MOST:
        text = base64.b64encode(np.asarray(value, order="C").tobytes()).decode()
        return ["array" if kind is np.ndarray else "scalar", value.dtype.str, list(value.shape), text]
    if kind in (list, tuple, set, frozenset) and depth < 20 and len(value) < MOST:
        return [kind.__name__, *(packed(part, depth + 1) for part in value)]
    if kind is dict and depth < 20 and len(value) < MOST:
        pairs = [[packed(key, depth + 1), packed(part, depth + 1)] for key, part in value.items()]
        return ["dict", *pairs]
    if isinstance(value, Tensor) or (hasattr(value, "creators") and hasattr(value, "data")):
        return ["tensor" if isinstance(value, Tensor) else "machine", packed(value.data, depth + 1)]
    raise NotData


def unpacked(parts: Any, lesson: int) -> Any:
    """The value again. A Tensor of the reader's machine becomes one of the reference's, as it is after a
    lesson. Raises NotData for what ``packed`` has not written."""
    try:
        kind, *rest = parts
        if kind in ("list", "tuple", "set", "frozenset"):
            makers = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
            return makers[kind](unpacked(part, lesson) for part in rest)
        if kind == "dict":
            return {unpacked(key, lesson): unpacked(part, lesson) for key, part in rest}
        if kind in ("tensor", "machine"):
            data = unpacked(rest[0], lesson)
            return Tensor(data) if kind == "tensor" else machine.after(lesson).Tensor(data)
        if kind in ("array", "scalar"):
            return unpacked_array(kind, *rest)
        if kind in ("bool", "str") and type(rest[0]).__name__ == kind:
            return rest[0]
        if kind == "int":
            return int(rest[0], 16)
        return {"none": None}[kind] if kind != "float" else float.fromhex(rest[0])
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise NotData from error


def unpacked_array(kind: str, dtype: str, shape: list[int], text: str) -> Any:
    """An array, or a number of NumPy's, from its bytes."""
    found = np.dtype(dtype)
    if found.kind not in KINDS:
        raise NotData
    array = np.frombuffer(base64.b64decode(text), found).reshape(shape).copy()
    return array[()] if kind == "scalar" else array
