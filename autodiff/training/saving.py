"""Saving weights: a module's arrays in a file. A whole run is saved by ``runs.py``.

Nothing is pickled. A file takes its place when it is whole; one that is damaged or does not fit is refused,
and the module stays as it was.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..nn import Module
from ..nn.saving import Mismatch
from .files import StrPath, read_npz, replacing, write_npz


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
        A module with the same names and shapes as the one that was saved.
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
        If the file is damaged or no such file, or does not fit. The module is left as it was.
    FileNotFoundError
        If there is none.
    ImportError
        If safetensors is needed and not installed.
    """
    if not is_safetensors(path):
        return module.load_state_dict(read_npz(path), strict)
    package, content = safetensors(), Path(path).read_bytes()
    try:
        arrays = package.numpy.load(content)
    except KeyError as error:
        raise ValueError(f"{path} has numbers of the dtype {error}, which NumPy does not know") from error
    except (package.SafetensorError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no .safetensors file, or a damaged one: {error}") from error
    return module.load_state_dict(arrays, strict)


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
