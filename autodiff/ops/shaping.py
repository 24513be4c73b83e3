"""Operations that lay elements out anew and change none: reshape, transpose, broadcast_to, cast."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..operation import operation


@operation
def reshape(x: Any, *, shape: Any) -> Any:
    """The same elements, row by row, in another shape; one size may be -1.

    >>> import autodiff as ad
    >>> ad.reshape(ad.Tensor([1, 2, 3, 4]), shape=(2, 2))
    [[1 2]
     [3 4]]
    """
    return np.reshape(x, shape)


reshape.backward(lambda grad, z, x, shape: reshape(grad, shape=shape_of(x)))


@operation
def transpose(x: Any, *, axes: Any = None) -> Any:
    """Axes in reverse order, or in the order given.

    >>> import autodiff as ad
    >>> ad.transpose(ad.Tensor([[1, 2], [3, 4]]))
    [[1 3]
     [2 4]]
    """
    return np.transpose(x, axes)


transpose.backward(
    lambda grad, z, x, axes=None: transpose(grad, axes=None if axes is None else inverse(axes))
)


def inverse(axes: Any) -> tuple[int, ...]:
    """The order of axes that undoes another; negative axes count from the end."""
    return tuple(int(axis) for axis in np.argsort(np.mod(axes, len(axes))))


@operation
def broadcast_to(x: Any, *, shape: Any) -> Any:
    """Stretched to ``shape`` by NumPy's rules. The engine sums the gradient back.

    >>> import autodiff as ad
    >>> ad.broadcast_to(ad.Tensor([1, 2]), shape=(2, 2))
    [[1 2]
     [1 2]]
    """
    return np.broadcast_to(x, shape)


broadcast_to.backward(lambda grad, z, x, shape: grad)


@operation(number=lambda x, dtype: x if np.dtype(dtype) == np.float64 else np.array(x, dtype))
def cast(x: Any, *, dtype: Any) -> Any:
    """The same numbers in another floating-point type.

    >>> import autodiff as ad
    >>> ad.ops.shaping.cast(ad.Tensor([1, 2]), dtype="float32").dtype
    dtype('float32')
    """
    return np.asarray(x).astype(dtype)


cast.backward(lambda grad, z, x, dtype: grad)


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an array or a Tensor; () for a number."""
    return getattr(x, "shape", ())
