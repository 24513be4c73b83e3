"""Saving a module's weights to a file, and loading them. ``runs.py`` saves a whole run.

Nothing is pickled, and files are written atomically. A file that is damaged or does not match the module
raises an error, and leaves the module unchanged.
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
from .files import StrPath, atomic_write, open_npz, write_npz

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
        The file. ``.npz`` is NumPy's format; ``.safetensors`` is a format that other frameworks read too, and
        needs the package safetensors. An existing file is replaced atomically.

    Raises
    ------
    ValueError
        If the file has another suffix.
    ImportError
        If the format is ``.safetensors`` and safetensors is not installed.

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
        arrays = {name: np.array(array, order="C") for name, array in arrays.items()}  # it needs C order
        content = safetensors().numpy.save(arrays)
        with atomic_write(path) as stream:
            stream.write(content)
    else:
        write_npz(path, arrays)


def load_weights(module: Module, path: StrPath, strict: bool = True) -> Mismatch:
    """Load the weights of a file into a module, as ``Module.load_state_dict`` does.

    Parameters
    ----------
    module
        A module with the same names and shapes as the saved one. A layer that is not built yet accepts any
        number of inputs, but not from a compressed file, which could fill the memory.
    path
        The file, ``.npz`` or ``.safetensors``.
    strict
        With False, names that are only in the module or only in the file are ignored.

    Returns
    -------
    Mismatch
        The names that were ignored.

    Raises
    ------
    ValueError
        If the file is damaged, has another format, or does not match the module. The module is left as it
        was, and arrays whose headers do not match are not read.
    FileNotFoundError
        If the file does not exist.
    ImportError
        If the format is ``.safetensors`` and safetensors is not installed.
    """
    opened: Callable[[StrPath], AbstractContextManager[Mapping[str, Any]]]
    opened = open_safetensors if is_safetensors(path) else open_npz
    with opened(path) as entries:
        return module.load_state_dict(entries, strict)


def is_safetensors(path: StrPath) -> bool:
    """Whether a path ends in ``.safetensors``, not in ``.npz``. Raises ValueError if it ends in neither."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".npz", ".safetensors"):
        raise ValueError(f"weights are saved as .npz or .safetensors, but {path} ends in neither")
    return suffix == ".safetensors"


def safetensors() -> Any:
    """Import the package safetensors with its module for NumPy arrays."""
    try:
        import_module("safetensors.numpy")
        return import_module("safetensors")
    except ImportError as error:
        raise ImportError(
            "a .safetensors file needs the package safetensors, which is not installed: "
            'pip install "autodiff[safetensors]", or save as .npz'
        ) from error


class SafetensorsEntry:
    """An array in an open ``.safetensors`` file. Its shape and dtype come from the header; ``np.asarray``
    reads its content."""

    def __init__(self, path: StrPath, file: Any, name: str) -> None:
        self.path, self.file, self.name = path, file, name
        header = file.get_slice(name)
        self.shape = tuple(header.get_shape())
        dtype = header.get_dtype()
        if dtype not in DTYPES:
            raise ValueError(f"{path} has an array of dtype {dtype!r}, which NumPy does not have")
        self.dtype = np.dtype(DTYPES[dtype])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array: np.ndarray = self.file.get_tensor(self.name)
        return array if dtype is None else array.astype(dtype, copy=False)


@contextmanager
def open_safetensors(path: StrPath) -> Iterator[dict[str, SafetensorsEntry]]:
    """Open a file and read its header; yields the arrays by name."""
    package = safetensors()
    with Path(path).open("rb"):  # raises FileNotFoundError for a missing file
        try:
            file = package.safe_open(path, framework="np")
        except (package.SafetensorError, OSError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is no .safetensors file, or a damaged one: {error}") from error
    with file:
        yield {name: SafetensorsEntry(path, file, name) for name in file.keys()}  # noqa: SIM118
