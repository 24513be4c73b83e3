"""Tensors of given data in PyTorch's words: tensor, as_tensor, from_numpy. All are constants by default, and
integers and booleans keep their dtype.

``Tensor(...)`` is the other way in: it makes floats, and asks for a gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .creation import leaf
from .engine.silence import silently
from .engine.tensor import Tensor, constant_tensor, raw
from .engine.values import as_data


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """A copy of a number, a list, an array or a Tensor: a constant, unless ``requires_grad=True``.

    Parameters
    ----------
    data
        Real numbers. Floats, integers and booleans keep their dtype; a single float is a number, as in
        ``Tensor(2.0)``.
    dtype
        Another dtype.
    requires_grad
        Whether backward computes a gradient for it.
    name
        What pictures and error messages call it.

    Raises TypeError if they are no real numbers, or if integers are to have a gradient.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.tensor([1, 2]).dtype, ad.tensor([1, 2], dtype="float32").dtype
    (dtype('int64'), dtype('float32'))
    >>> w = ad.tensor([1.0, 2.0], requires_grad=True)
    """
    is_whole = isinstance(data, (bool, int))
    array = as_data(np.array(data) if is_whole else raw(data), requires_grad=False)
    if dtype is not None:
        array = silently(np.asarray(array).astype, dtype)
    return leaf(np.asarray(array), dtype, requires_grad, name)


def as_tensor(data: Any, *, dtype: Any = None) -> Tensor:
    """The same Tensor, if it is one; a constant on the memory of an array; else a constant.

    An array is not copied, so leave it alone until backward. A Tensor in another dtype is recorded.

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
    """A constant on the memory of an array, which is not copied: leave it alone until backward.

    Raises TypeError for anything but an array of real numbers.

    >>> import autodiff as ad
    >>> ad.from_numpy(np.array([1, 2])).dtype
    dtype('int64')
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy takes an array, not {array!r:.60}; tensor takes a list too")
    as_data(array[:0] if array.ndim else array, requires_grad=False)  # refuses what is no real number
    return constant_tensor(array)
