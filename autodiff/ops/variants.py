"""What NumPy or PyTorch has a name for and is made of other operations here: take, index_select, masked_fill,
narrow, expand, t, astype, to.

None is an operation of its own: what is recorded are the operations they are made of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.silence import silently
from ..engine.tensor import constant_tensor, describe, raw
from ..engine.values import is_foreign
from .indexing import getitem
from .piecewise import where
from .shaping import broadcast_to, cast, reshape, shape_of, transpose


@in_either_words
def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """The elements at some places along ``axis``; without one, among all elements in one row.

    Raises TypeError if the indices are not integers, IndexError if there is no such place.

    >>> import autodiff as ad
    >>> ad.take(ad.Tensor([[1, 2], [3, 4]]), [0, 3, 3])
    [1 4 4]
    """
    x, indices = as_recorded(x), np.asarray(raw(indices))
    if indices.dtype.kind not in "iu":
        raise TypeError(f"take needs integers as indices, not {indices.dtype}")
    if axis is None:
        return getitem(reshape(x, shape=(-1,)), index=indices)
    place = (slice(None),) * normalize_axis_index(axis, len(shape_of(x)))
    return getitem(x, index=(*place, indices))


@in_either_words
def index_select(x: Any, axis: int, indices: Any) -> Any:
    """The layers of ``x`` at some places along ``axis``, in the order of PyTorch's arguments.

    Raises ValueError if the indices are not one row, TypeError if they are not integers.

    >>> import autodiff as ad
    >>> ad.index_select(ad.Tensor([[1, 2], [3, 4]]), 1, [1, 1, 0])
    [[2 2 1]
     [4 4 3]]
    """
    indices = np.asarray(raw(indices))
    if indices.ndim > 1:
        raise ValueError(f"index_select needs one row of indices, not an array of shape {indices.shape}")
    return take(x, np.atleast_1d(indices), axis)


@in_either_words
def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """``x``, with ``value`` where the mask holds; the gradient goes to what stands in the result.

    Raises TypeError if the mask is not boolean.

    >>> import autodiff as ad
    >>> x = ad.Tensor([-1, 2, -3])
    >>> ad.masked_fill(x, x < 0, 0)
    [0 2 0]
    """
    mask = np.asarray(raw(mask))
    if mask.dtype != bool:
        raise TypeError(f"masked_fill takes a mask of True and False, such as x > 0, not {mask.dtype}")
    return where(mask, value, x)


@in_either_words
def narrow(x: Any, axis: int, start: int, length: int) -> Any:
    """The stretch of ``length`` places from ``start`` along ``axis``.

    Raises ValueError if it reaches beyond the axis.

    >>> import autodiff as ad
    >>> ad.narrow(ad.Tensor([1, 2, 3, 4]), 0, 1, 2)
    [2 3]
    """
    x = as_recorded(x)
    axis = normalize_axis_index(axis, len(shape_of(x)))
    size = shape_of(x)[axis]
    first = start + size if start < 0 else start
    if not 0 <= first <= first + length <= size:
        raise ValueError(f"there are no {length} places from {start} on along axis {axis} of size {size}")
    return getitem(x, index=(*(slice(None),) * axis, slice(first, first + length)))


def expand(x: Any, *shape: Any) -> Any:
    """Stretched to a shape by NumPy's rules, where -1 keeps an axis as it is.

    Raises ValueError if there is no axis to keep, or one cannot be stretched.

    >>> import autodiff as ad
    >>> ad.Tensor([[1], [2]]).expand(-1, 3)
    [[1 1 1]
     [2 2 2]]
    """
    shape = tuple(shape[0]) if len(shape) == 1 and np.ndim(shape[0]) else shape
    own = shape_of(x)
    padded = (None,) * (len(shape) - len(own)) + own
    if any(size == -1 and kept is None for size, kept in zip(shape, padded)):
        raise ValueError(f"expand{shape} keeps an axis that {describe(x)} does not have")
    return broadcast_to(x, shape=tuple(kept if size == -1 else size for size, kept in zip(shape, padded)))


def t(x: Any) -> Any:
    """The transpose of a matrix; a vector or a number is its own.

    Raises ValueError for more axes.

    >>> import autodiff as ad
    >>> ad.Tensor([[1, 2], [3, 4]]).t()
    [[1 3]
     [2 4]]
    """
    if len(shape_of(x)) > 2:
        raise ValueError(
            f"t() is for matrices, and cannot take {describe(x)}: swapaxes(0, 1) swaps two axes, .T reverses "
            "the order of all"
        )
    return transpose(x)


def astype(x: Any, dtype: Any) -> Any:
    """The numbers in another dtype. To floats it is recorded; integers and booleans are a constant.

    Raises TypeError if they are not real numbers.

    >>> import autodiff as ad
    >>> x = ad.Tensor([1.5, -2.5])
    >>> x.astype("float32").requires_grad, x.astype(int)
    (True, [ 1 -2])
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return cast(x, dtype=dtype)
    if dtype.kind not in "iub":
        raise TypeError(f"a Tensor holds real numbers, and cannot become {dtype}")
    data = raw(x) if is_foreign(raw(x)) else np.asarray(raw(x))
    return constant_tensor(silently(data.astype, dtype))


def to(x: Any, target: Any) -> Any:
    """On the CPU, where every Tensor is; or in another dtype.

    Raises ValueError for another device.

    >>> import autodiff as ad
    >>> ad.Tensor([1, 2]).to("cpu").to("float32").dtype
    dtype('float32')
    """
    device = target.split(":")[0] if isinstance(target, str) else ""
    if device in ("cuda", "mps", "xpu", "gpu"):
        raise ValueError(f"there is no device {target!r}: this package computes on the CPU")
    return x if device == "cpu" else astype(x, target)
