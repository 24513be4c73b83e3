"""Functions of NumPy and PyTorch that are composed of other operations here: take, index_select, masked_fill,
narrow, expand, t, astype, to.

The graph records the operations that they are composed of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.silence import silently
from ..engine.tensor import constant_tensor, describe, raw
from ..engine.values import as_array
from .indexing import getitem
from .piecewise import where
from .shaping import broadcast_to, cast, reshape, shape_of, transpose


@in_either_words
def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """Elements at ``indices`` along ``axis``, or of the flattened array if ``axis`` is None.

    Raises TypeError if the indices are not integers, IndexError if one is out of range.

    >>> import autodiff as ad
    >>> ad.take(ad.Tensor([[1, 2], [3, 4]]), [0, 3, 3])
    [1 4 4]
    """
    x, indices = as_recorded(x), as_array(raw(indices))
    if indices.dtype.kind not in "iu":
        raise TypeError(f"the indices of take are integers, not {indices.dtype}")
    if axis is None:
        return getitem(reshape(x, shape=(-1,)), index=indices)
    before = (slice(None),) * normalize_axis_index(axis, len(shape_of(x)))
    return getitem(x, index=(*before, indices))


@in_either_words
def index_select(x: Any, axis: int, indices: Any) -> Any:
    """Slices of ``x`` at ``indices`` along ``axis``, with PyTorch's order of arguments.

    Raises ValueError if the indices have more than one axis, TypeError if they are not integers.

    >>> import autodiff as ad
    >>> ad.index_select(ad.Tensor([[1, 2], [3, 4]]), 1, [1, 1, 0])
    [[2 2 1]
     [4 4 3]]
    """
    indices = as_array(raw(indices))
    if indices.ndim > 1:
        raise ValueError(f"the indices of index_select are one vector, not an array of shape {indices.shape}")
    return take(x, np.atleast_1d(indices), axis)


@in_either_words
def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """``value`` where the mask is True, ``x`` elsewhere.

    Raises TypeError if the mask is not boolean.

    >>> import autodiff as ad
    >>> x = ad.Tensor([-1, 2, -3])
    >>> ad.masked_fill(x, x < 0, 0)
    [0 2 0]
    """
    mask = as_array(raw(mask))
    if mask.dtype != bool:
        raise TypeError(f"masked_fill takes a boolean mask, such as x > 0, not {mask.dtype}")
    return where(mask, value, x)


@in_either_words
def narrow(x: Any, axis: int, start: int, length: int) -> Any:
    """The ``length`` elements from ``start`` on along ``axis``.

    Raises ValueError if the axis has fewer.

    >>> import autodiff as ad
    >>> ad.narrow(ad.Tensor([1, 2, 3, 4]), 0, 1, 2)
    [2 3]
    """
    x = as_recorded(x)
    axis = normalize_axis_index(axis, len(shape_of(x)))
    size = shape_of(x)[axis]
    first = start + size if start < 0 else start
    if not 0 <= first <= first + length <= size:
        raise ValueError(
            f"narrow cannot take {length} elements from {start} on along axis {axis} of size {size}"
        )
    return getitem(x, index=(*(slice(None),) * axis, slice(first, first + length)))


def expand(x: Any, *shape: Any) -> Any:
    """Broadcast to a shape, in which -1 keeps the size of an axis.

    Raises ValueError if x does not have an axis that is to be kept, or cannot be broadcast.

    >>> import autodiff as ad
    >>> ad.Tensor([[1], [2]]).expand(-1, 3)
    [[1 1 1]
     [2 2 2]]
    """
    shape = tuple(shape[0]) if len(shape) == 1 and np.ndim(shape[0]) else shape
    padded = (None,) * (len(shape) - len(shape_of(x))) + shape_of(x)
    if any(size == -1 and kept is None for size, kept in zip(shape, padded)):
        raise ValueError(f"expand{shape} has -1 for an axis that {describe(x)} does not have; give its size")
    return broadcast_to(x, shape=tuple(kept if size == -1 else size for size, kept in zip(shape, padded)))


def t(x: Any) -> Any:
    """Transpose of a matrix; vectors and numbers are returned as they are.

    Raises ValueError if there are more than two axes.

    >>> import autodiff as ad
    >>> ad.Tensor([[1, 2], [3, 4]]).t()
    [[1 3]
     [2 4]]
    """
    if len(shape_of(x)) > 2:
        raise ValueError(
            f"t() is for matrices, and cannot take {describe(x)}; use swapaxes(0, 1) to swap two axes, or .T "
            "to reverse the order of all axes"
        )
    return transpose(x)


def astype(x: Any, dtype: Any) -> Any:
    """Convert to another dtype. Conversion to floats is recorded; integers and booleans are a constant.

    Raises TypeError if the dtype is not one of real numbers.

    >>> import autodiff as ad
    >>> x = ad.Tensor([1.5, -2.5])
    >>> x.astype("float32").requires_grad, x.astype(int)
    (True, [ 1 -2])
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return cast(x, dtype=dtype)
    if dtype.kind not in "iub":
        raise TypeError(f"a Tensor holds real numbers, and cannot be converted to {dtype}")
    data = as_array(raw(x))
    return constant_tensor(silently(data.astype, dtype))


def to(x: Any, target: Any) -> Any:
    """Move to the CPU, where every Tensor is already, or convert to another dtype.

    Raises ValueError for another device.

    >>> import autodiff as ad
    >>> ad.Tensor([1, 2]).to("cpu").to("float32").dtype
    dtype('float32')
    """
    device = target.split(":")[0] if isinstance(target, str) else ""
    if device in ("cuda", "mps", "xpu", "gpu"):
        raise ValueError(f"there is no device {target!r}: this package computes on the CPU")
    return x if device == "cpu" else astype(x, target)
