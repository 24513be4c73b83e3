"""``ad.save`` and ``ad.load`` for Tensors, arrays, numbers and strings, in lists, tuples and dictionaries.

A network is saved by its ``state_dict()``. The file is a ``.npz`` with the arrays and an entry "header", a
JSON text that describes the structure. Nothing is pickled, so that loading a file cannot run code.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..engine.tensor import Tensor
from .files import StrPath, read_npz, write_npz
from .packing import pack, unpack

FORMAT, VERSION = "autodiff object", 1
KEYS = (str, int, float, bool, type(None))


def save(value: Any, path: StrPath) -> None:
    """Save a value to a file, from which ``load`` returns an equal value.

    Parameters
    ----------
    value
        Tensors, arrays, numbers, strings, booleans and None, in lists, tuples and dictionaries to any depth.
        A Tensor is saved with its data and ``requires_grad``, but without its graph.
    path
        The file, with any suffix. An existing file is replaced atomically.

    Raises
    ------
    TypeError
        If ``value`` contains anything else. The message says where.
    FileNotFoundError
        If the folder does not exist.

    Example
    -------
    >>> import tempfile
    >>> import autodiff as ad
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ad.save({"w": ad.Tensor([1.0, 2.0]), "steps": 3}, f"{folder}/state.npz")
    ...     ad.load(f"{folder}/state.npz")
    {'w': [1 2], 'steps': 3}
    """
    if callable(getattr(value, "state_dict", None)):
        raise TypeError(
            f"{type(value).__name__} is saved by its state_dict(): ad.save(net.state_dict(), path); "
            "net.load_state_dict(ad.load(path)) restores it"
        )
    arrays: dict[str, np.ndarray] = {}
    content = pack(encode(value, "value"), "value", arrays)
    header = {"format": FORMAT, "version": VERSION, "value": content}
    write_npz(path, {"header": np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays})


def load(path: StrPath) -> Any:
    """Load a value that ``save`` has saved. For another ``.npz``, such as a file of ``save_weights``, the
    result is a dictionary of its arrays.

    Raises ValueError if the file is damaged or of another format, FileNotFoundError if it does not exist.
    """
    arrays = read_npz(path)
    if "header" not in arrays:
        return arrays
    try:
        header = json.loads(arrays["header"].tobytes())
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r:.60}")
        if header["version"] > VERSION:
            raise ValueError(f"its version is {header['version']}, but this autodiff reads up to {VERSION}")
        return decode(unpack(header["value"], arrays))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{path} was not saved by ad.save: {reason}") from error


def encode(value: Any, place: str) -> Any:
    """Replace each Tensor by a tuple that starts with "tensor", and each tuple by one that starts with
    "tuple". Raises TypeError for a value that cannot be saved."""
    if isinstance(value, Tensor):
        return ("tensor", value.requires_grad, value.data)
    if isinstance(value, tuple):
        return ("tuple", *(encode(part, f"{place}[{number}]") for number, part in enumerate(value)))
    if isinstance(value, list):
        return [encode(part, f"{place}[{number}]") for number, part in enumerate(value)]
    if isinstance(value, dict):
        wrong = [key for key in value if type(key) not in KEYS]
        if wrong:
            raise TypeError(f"{place} has the key {wrong[0]!r:.60}, but keys must be strings or numbers")
        return {key: encode(part, f"{place}[{key!r}]") for key, part in value.items()}
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.hasobject:
        raise TypeError(
            f"{place} is an array of objects, which cannot be saved: make it a list, or an array of numbers"
        )
    return value


def decode(value: Any) -> Any:
    """The value that ``encode`` has encoded."""
    if isinstance(value, tuple):
        kind, *parts = value
        if kind == "tuple":
            return tuple(map(decode, parts))
        if kind != "tensor":
            raise ValueError(f"there is no kind {kind!r:.60}")
        requires_grad, data = parts
        return Tensor(data, requires_grad=bool(requires_grad))
    if isinstance(value, list):
        return [decode(part) for part in value]
    if isinstance(value, dict):
        return {key: decode(part) for key, part in value.items()}
    return value
