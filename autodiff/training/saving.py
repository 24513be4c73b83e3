"""Saving weights: a module's arrays in a file. A whole run is saved by ``runs.py``.

Nothing is pickled. A file takes its place when it is whole; one that is damaged or does not fit is refused,
and the module stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..nn import Module
from ..nn.saving import Mismatch
from .files import StrPath, open_npz, replacing, write_npz

# The dtypes that a .safetensors file and NumPy both have.
DTYPES = {
    "BOOL": "?", "U8": "u1", "U16": "u2", "U32": "u4", "U64": "u8", "I8": "i1", "I16": "i2", "I32": "i4",
    "I64": "i8", "F16": "f2", "F32": "f4", "F64": "f8", "C64": "c8",
}  # fmt: skip


def save_weights(module: Module, path: StrPath) -> None:
    """Save a module's parameters and buffers by name.

    Parameters
    ----------
    module
        A layer or a whole net.
    path
        The file. ``.npz`` is NumPy's own format; ``.safetensors`` is what other frameworks read too, and
        needs the package safetensors. An older file is replaced, in one step.

    Raises
    ------
    ValueError
        If the name ends in neither.
    ImportError
        If safetensors is wanted and not installed; the message says how to.

    Example
    -------
    >>> import tempfile
    >>> from autodiff import nn, training
    >>> first, second = nn.Linear(3, 2), nn.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     training.save_weights(first, f"{folder}/net.npz")
    ...     training.load_weights(second, f"{folder}/net.npz")
    Mismatch(missing_keys=[], unexpected_keys=[])
    >>> bool((first.weight == second.weight).all())
    True
    """
    arrays = module.state_dict()
    if is_safetensors(path):
        arrays = {name: np.array(array, order="C") for name, array in arrays.items()}  # it takes no other
        content = safetensors().numpy.save(arrays)
        with replacing(path) as stream:
            stream.write(content)
    else:
        write_npz(path, arrays)


def load_weights(module: Module, path: StrPath, strict: bool = True) -> Mismatch:
    """Give a module the weights of a file, as ``Module.load_state_dict`` does.

    Parameters
    ----------
    module
        A module with the same names and shapes as the one that was saved. A layer that is not built yet
        takes any number of inputs, but not from a compressed file, which could fill the memory.
    path
        The file, ``.npz`` or ``.safetensors``.
    strict
        False leaves alone what was not saved, and ignores what is saved and not here.

    Returns
    -------
    Mismatch
        The names that were left out.

    Raises
    ------
    ValueError
        If the file is damaged or no such file, or does not fit. The module is left as it was, and what does
        not fit by the header of the file is not read.
    FileNotFoundError
        If there is none.
    ImportError
        If safetensors is needed and not installed.
    """
    opened: Callable[[StrPath], AbstractContextManager[Mapping[str, Any]]]
    opened = open_safetensors if is_safetensors(path) else open_npz
    with opened(path) as entries:
        return module.load_state_dict(entries, strict)


def is_safetensors(path: StrPath) -> bool:
    """Which of the two formats a path names. Raises ValueError if it is neither."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".npz", ".safetensors"):
        raise ValueError(f"weights are kept in .npz or .safetensors, and {path} ends in neither")
    return suffix == ".safetensors"


def safetensors() -> Any:
    """The package, with its part for NumPy's arrays."""
    try:
        import_module("safetensors.numpy")
        return import_module("safetensors")
    except ImportError as error:
        raise ImportError(
            "a .safetensors file needs the package safetensors, which is not installed: "
            'pip install "autodiff[safetensors]"; .npz needs nothing more'
        ) from error


class Slice:
    """An array in a ``.safetensors`` file that is open: its shape and dtype as the header has them, and its
    content once it is asked for, by ``np.asarray``."""

    def __init__(self, path: StrPath, file: Any, name: str) -> None:
        self.path, self.file, self.name = path, file, name
        about = file.get_slice(name)
        self.shape = tuple(about.get_shape())
        kind = about.get_dtype()
        if kind not in DTYPES:
            raise ValueError(f"{path} has numbers of the dtype {kind!r}, which NumPy does not know")
        self.dtype = np.dtype(DTYPES[kind])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array: np.ndarray = self.file.get_tensor(self.name)
        return array if dtype is None else array.astype(dtype, copy=False)


@contextmanager
def open_safetensors(path: StrPath) -> Iterator[dict[str, Slice]]:
    """The arrays of a file by name, of which only the header is read at first."""
    package = safetensors()
    with Path(path).open("rb"):  # an absent file is told as one
        try:
            file = package.safe_open(path, framework="np")
        except (package.SafetensorError, OSError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is no .safetensors file, or a damaged one: {error}") from error
    with file:
        yield {name: Slice(path, file, name) for name in file.keys()}  # noqa: SIM118
