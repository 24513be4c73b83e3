"""Operations that lay elements out anew and change none: reshape and its kin (ravel, flatten, squeeze,
expand_dims), transpose and its kin (swapaxes, moveaxis), flip, roll, broadcast_to, cast, clone.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.operation import operation


@operation(kind="view")
def reshape(x: Any, *, shape: Any) -> Any:
    """The same elements, row by row, in another shape; one size may be -1.

    >>> import autodiff as ad
    >>> ad.reshape(ad.Tensor([1, 2, 3, 4]), shape=(2, 2))
    [[1 2]
     [3 4]]
    """
    return np.reshape(x, shape)


reshape.backward(lambda grad, z, x, shape: reshape(grad, shape=shape_of(x)))
view = reshape


@operation(kind="view")
def ravel(x: Any) -> Any:
    """All elements in one row; a number becomes an array of one.

    >>> import autodiff as ad
    >>> ad.ops.shaping.ravel(ad.Tensor([[1, 2], [3, 4]]))
    [1 2 3 4]
    """
    return np.reshape(x, -1)


ravel.backward(lambda grad, z, x: reshape(grad, shape=shape_of(x)))


@operation(kind="view")
def flatten(x: Any, *, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The axes from ``start_dim`` to ``end_dim``, both included, made into one.

    >>> import autodiff as ad
    >>> ad.ops.shaping.flatten(ad.Tensor(np.zeros((2, 3, 4))), start_dim=1).shape
    (2, 12)
    """
    shape = np.shape(x) or (1,)
    first = normalize_axis_index(start_dim, len(shape))
    last = normalize_axis_index(end_dim, len(shape))
    if first > last:
        raise ValueError(f"start_dim {start_dim} lies behind end_dim {end_dim}")
    return np.reshape(x, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


flatten.backward(lambda grad, z, x, start_dim=0, end_dim=-1: reshape(grad, shape=shape_of(x)))


@operation(kind="view")
def squeeze(x: Any, *, axis: Any = None) -> Any:
    """Without the axes of size 1, or without those in ``axis`` (an int or a tuple).

    >>> import autodiff as ad
    >>> ad.ops.shaping.squeeze(ad.Tensor([[[1], [2]]])).shape
    (2,)
    """
    return np.squeeze(x, axis=axis)


squeeze.backward(lambda grad, z, x, axis=None: reshape(grad, shape=shape_of(x)))


@operation(kind="view")
def expand_dims(x: Any, *, axis: Any) -> Any:
    """With new axes of size 1, which stand at ``axis`` (an int or a tuple) in the result.

    >>> import autodiff as ad
    >>> ad.ops.shaping.expand_dims(ad.Tensor([1, 2]), axis=-1).shape
    (2, 1)
    """
    return np.expand_dims(x, axis)


expand_dims.backward(lambda grad, z, x, axis: reshape(grad, shape=shape_of(x)))
unsqueeze = expand_dims


@operation(kind="view", sign="T")
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
transpose.hint = "; to swap two axes, as PyTorch's transpose does, write swapaxes(x, 0, 1)"
permute = transpose


def inverse(axes: Any) -> tuple[int, ...]:
    """The order of axes that undoes another; negative axes count from the end. NumPy takes the one axis of a
    vector without a tuple, too."""
    return tuple(int(axis) for axis in np.argsort(np.mod(axes, np.size(axes)), axis=None))


@operation(kind="view")
def swapaxes(x: Any, *, axis1: int, axis2: int) -> Any:
    """Two axes changed for each other. Once more, and they are back.

    >>> import autodiff as ad
    >>> ad.ops.shaping.swapaxes(ad.Tensor(np.zeros((2, 3, 4))), axis1=0, axis2=-1).shape
    (4, 3, 2)
    """
    return np.swapaxes(x, axis1, axis2)


swapaxes.backward(lambda grad, z, x, axis1, axis2: swapaxes(grad, axis1=axis1, axis2=axis2))


@operation(kind="view")
def moveaxis(x: Any, *, source: Any, destination: Any) -> Any:
    """Axes moved from ``source`` to ``destination`` (ints or tuples); the others keep their order.

    >>> import autodiff as ad
    >>> ad.ops.shaping.moveaxis(ad.Tensor(np.zeros((2, 3, 4))), source=0, destination=-1).shape
    (3, 4, 2)
    """
    return np.moveaxis(x, source, destination)


moveaxis.backward(
    lambda grad, z, x, source, destination: moveaxis(grad, source=destination, destination=source)
)


@operation(kind="view")
def flip(x: Any, *, axis: Any = None) -> Any:
    """Backwards, along every axis or along ``axis`` (an int or a tuple).

    >>> import autodiff as ad
    >>> ad.ops.shaping.flip(ad.Tensor([1, 2, 3]))
    [3 2 1]
    """
    return np.flip(x, axis)


flip.backward(lambda grad, z, x, axis=None: flip(grad, axis=axis))


@operation(kind="linear")
def roll(x: Any, *, shift: Any, axis: Any = None) -> Any:
    """Moved on by ``shift`` places; what leaves at the end comes in at the front. Without an axis all
    elements are one row.

    >>> import autodiff as ad
    >>> ad.ops.shaping.roll(ad.Tensor([1, 2, 3, 4]), shift=1)
    [4 1 2 3]
    """
    return np.roll(x, shift, axis)


roll.backward(lambda grad, z, x, shift, axis=None: roll(grad, shift=np.negative(shift).tolist(), axis=axis))


@operation(kind="view")
def broadcast_to(x: Any, *, shape: Any) -> Any:
    """Stretched to ``shape`` by NumPy's rules. The engine sums the gradient back.

    >>> import autodiff as ad
    >>> ad.broadcast_to(ad.Tensor([1, 2]), shape=(2, 2))
    [[1 2]
     [1 2]]
    """
    return np.broadcast_to(x, shape)


broadcast_to.backward(lambda grad, z, x, shape: grad)


@operation(
    number=lambda x, dtype: x if np.dtype(dtype) == np.float64 else np.array(x, dtype), kind="elementwise"
)
def cast(x: Any, *, dtype: Any) -> Any:
    """The same numbers in another floating-point type.

    >>> import autodiff as ad
    >>> ad.ops.shaping.cast(ad.Tensor([1, 2]), dtype="float32").dtype
    dtype('float32')
    """
    return x.astype(dtype)


cast.backward(lambda grad, z, x, dtype: grad)


@operation(number=lambda x: x, kind="view")
def alias(x: Any) -> Any:
    """The same value as a node of its own: what the argument of a function is inside its derivative. Pictures
    show the Tensor itself.

    >>> import autodiff as ad
    >>> ad.ops.shaping.alias(ad.Tensor([1, 2]))
    [1 2]
    """
    return x


alias.backward(lambda grad, z, x: grad)


@operation(number=lambda x: x, kind="elementwise")
def clone(x: Any) -> Any:
    """A copy: the same values in memory of their own. The gradient passes through it.

    >>> import autodiff as ad
    >>> ad.clone(ad.Tensor([1, 2]))
    [1 2]
    """
    return np.copy(x)


clone.backward(lambda grad, z, x: grad)


def stretched(x: Any, shape: tuple[int, ...]) -> Any:
    """Broadcast to ``shape``, if it has another."""
    return x if shape_of(x) == shape else broadcast_to(x, shape=shape)


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an array or a Tensor; () for a number."""
    return getattr(x, "shape", ())
