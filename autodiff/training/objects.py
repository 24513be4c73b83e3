"""``ad.save`` and ``ad.load``: Tensors, arrays, numbers and strings, in lists, tuples and dictionaries.

A network is saved by its ``state_dict()``. The file is a ``.npz``: the arrays, and under the name "header" a
text in JSON that says how they belong together. Nothing is pickled, so to load a file cannot run a program.
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
    """Save a value in a file; ``load`` gives an equal one.

    Parameters
    ----------
    value
        Tensors, arrays, numbers, strings, booleans and None, in lists, tuples and dictionaries to any depth.
        Of a Tensor its data is saved and whether it requires a gradient, not how it was computed.
    path
        The file, whatever its name ends in. An older one is replaced in one step.

    Raises
    ------
    TypeError
        For anything else. The message says where in ``value`` it stands.
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
            f"{type(value).__name__} is saved by its state_dict(): ad.save(net.state_dict(), path), and "
            "net.load_state_dict(ad.load(path)) brings it back"
        )
    arrays: dict[str, np.ndarray] = {}
    content = pack(encoded(value, "value"), "value", arrays)
    header = {"format": FORMAT, "version": VERSION, "value": content}
    write_npz(path, {"header": np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays})


def load(path: StrPath) -> Any:
    """What ``save`` has saved; the arrays by name, if the file is another ``.npz``, such as
    ``save_weights`` writes.

    Raises ValueError if the file is damaged or of another kind, FileNotFoundError if there is none.
    """
    arrays = read_npz(path)
    if "header" not in arrays:
        return arrays
    try:
        header = json.loads(arrays["header"].tobytes())
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r:.60}")
        if header["version"] > VERSION:
            raise ValueError(f"its version is {header['version']}, and this package reads up to {VERSION}")
        return decoded(unpack(header["value"], arrays))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{path} was not saved by ad.save: {reason}") from error


def encoded(value: Any, place: str) -> Any:
    """The value with each Tensor as a tuple, and each tuple marked as one, so that the two differ. Raises
    TypeError for what cannot be saved."""
    if isinstance(value, Tensor):
        return ("tensor", value.requires_grad, value.data)
    if isinstance(value, tuple):
        return ("tuple", *(encoded(part, f"{place}[{number}]") for number, part in enumerate(value)))
    if isinstance(value, list):
        return [encoded(part, f"{place}[{number}]") for number, part in enumerate(value)]
    if isinstance(value, dict):
        wrong = [key for key in value if type(key) not in KEYS]
        if wrong:
            raise TypeError(f"{place} has the key {wrong[0]!r:.60}, and keys are strings or numbers")
        return {key: encoded(part, f"{place}[{key!r}]") for key, part in value.items()}
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.hasobject:
        raise TypeError(f"{place} is an array of objects, which cannot be saved without pickling it")
    return value


def decoded(value: Any) -> Any:
    """The value that ``encoded`` was given."""
    if isinstance(value, tuple):
        kind, *parts = value
        if kind == "tuple":
            return tuple(map(decoded, parts))
        if kind != "tensor":
            raise ValueError(f"there is no kind {kind!r:.60}")
        requires_grad, data = parts
        return Tensor(data, requires_grad=bool(requires_grad))
    if isinstance(value, list):
        return [decoded(part) for part in value]
    if isinstance(value, dict):
        return {key: decoded(part) for key, part in value.items()}
    return value
