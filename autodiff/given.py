"""Tensors from existing data, under PyTorch's names: tensor, as_tensor, from_numpy. They are constants by
default, and integers and booleans keep their dtype.

``Tensor(...)``, in contrast, makes floats and requires a gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .creation import new_leaf
from .engine.silence import silently
from .engine.tensor import Tensor, check_may_leave, constant_tensor, raw
from .engine.values import as_data


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """Copy a number, a list, an array or a Tensor into a new Tensor, by default a constant.

    Parameters
    ----------
    data
        Real numbers. Floats, integers and booleans keep their dtype; a single float is a number, as in
        ``Tensor(2.0)``.
    dtype
        The dtype to convert to.
    requires_grad
        Whether backward computes a gradient for the Tensor.
    name
        The name in pictures and error messages.

    Raises
    ------
    TypeError
        If the data are not real numbers, or if integers are to require a gradient.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.tensor([1, 2]).dtype, ad.tensor([1, 2], dtype="float32").dtype
    (dtype('int64'), dtype('float32'))
    >>> w = ad.tensor([1.0, 2.0], requires_grad=True)
    """
    check_may_leave(data)
    is_integer = isinstance(data, (bool, int))
    array = as_data(np.array(data) if is_integer else raw(data), requires_grad=False)
    if dtype is not None:
        array = silently(np.asarray(array).astype, dtype)
    return new_leaf(np.asarray(array), dtype, requires_grad, name)


def as_tensor(data: Any, *, dtype: Any = None) -> Tensor:
    """Convert to a Tensor: a Tensor is returned as it is, an array becomes a constant that shares its memory,
    anything else a constant.

    The array is not copied: do not change it before backward. The conversion of a Tensor to another dtype is
    recorded.

    >>> import autodiff as ad
    >>> x = ad.Tensor([1.0, 2.0])
    >>> ad.as_tensor(x) is x
    True
    """
    if isinstance(data, Tensor):
        return data if dtype is None or data.dtype == np.dtype(dtype) else data.astype(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or data.dtype == np.dtype(dtype)):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


def from_numpy(array: np.ndarray) -> Tensor:
    """A constant that shares the memory of an array. The array is not copied: do not change it before
    backward.

    Raises TypeError for anything but an array of real numbers.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.from_numpy(np.array([1, 2])).dtype
    dtype('int64')
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy takes an array, not {array!r:.60}; use ad.tensor for other data")
    as_data(array[:0] if array.ndim else array, requires_grad=False)  # raises unless the dtype is real
    return constant_tensor(array)
