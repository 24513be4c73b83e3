"""Shapes and axes: reshape, ravel, flatten, squeeze, expand_dims, transpose, swapaxes, moveaxis, flip, roll,
broadcast_to; and the copies cast, alias, clone.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.operation import operation
from ..engine.silence import silently


@operation(kind="view")
def reshape(x: Any, *, shape: Any) -> Any:
    """The same elements, in row-major order, in another shape; one size may be -1.

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
    """All elements as a vector; a number becomes a vector of size 1.

    >>> import autodiff as ad
    >>> ad.ravel(ad.Tensor([[1, 2], [3, 4]]))
    [1 2 3 4]
    """
    return np.reshape(x, -1)


ravel.backward(lambda grad, z, x: reshape(grad, shape=shape_of(x)))


@operation(kind="view")
def flatten(x: Any, *, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Merge the axes from ``start_dim`` to ``end_dim``, inclusive, into one.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.flatten(ad.Tensor(np.zeros((2, 3, 4))), start_dim=1).shape
    (2, 12)
    """
    shape = np.shape(x) or (1,)
    first = normalize_axis_index(start_dim, len(shape))
    last = normalize_axis_index(end_dim, len(shape))
    if first > last:
        raise ValueError(f"flatten needs start_dim <= end_dim, not {start_dim} and {end_dim}")
    return np.reshape(x, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


flatten.backward(lambda grad, z, x, start_dim=0, end_dim=-1: reshape(grad, shape=shape_of(x)))


@operation(kind="view")
def squeeze(x: Any, *, axis: Any = None) -> Any:
    """Remove the axes of size 1, or only those in ``axis`` (an int or a tuple).

    >>> import autodiff as ad
    >>> ad.squeeze(ad.Tensor([[[1], [2]]])).shape
    (2,)
    """
    return np.squeeze(x, axis=axis)


squeeze.backward(lambda grad, z, x, axis=None: reshape(grad, shape=shape_of(x)))


@operation(kind="view")
def expand_dims(x: Any, *, axis: Any) -> Any:
    """Insert axes of size 1, so that they are at ``axis`` (an int or a tuple) in the result.

    >>> import autodiff as ad
    >>> ad.expand_dims(ad.Tensor([1, 2]), axis=-1).shape
    (2, 1)
    """
    return np.expand_dims(x, axis)


expand_dims.backward(lambda grad, z, x, axis: reshape(grad, shape=shape_of(x)))
unsqueeze = expand_dims


@operation(kind="view", sign="T")
def transpose(x: Any, *, axes: Any = None) -> Any:
    """Permute the axes: reverse them, or put them in the order ``axes``.

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
    """The inverse of a permutation of axes; negative axes count from the end. A vector's only axis may be an
    int, as in NumPy."""
    return tuple(int(axis) for axis in np.argsort(np.mod(axes, np.size(axes)), axis=None))


@operation(kind="view")
def swapaxes(x: Any, *, axis1: int, axis2: int) -> Any:
    """Swap two axes. The operation is its own inverse.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.swapaxes(ad.Tensor(np.zeros((2, 3, 4))), axis1=0, axis2=-1).shape
    (4, 3, 2)
    """
    return np.swapaxes(x, axis1, axis2)


swapaxes.backward(lambda grad, z, x, axis1, axis2: swapaxes(grad, axis1=axis1, axis2=axis2))


@operation(kind="view")
def moveaxis(x: Any, *, source: Any, destination: Any) -> Any:
    """Move axes from ``source`` to ``destination`` (ints or tuples); the others keep their order.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.moveaxis(ad.Tensor(np.zeros((2, 3, 4))), source=0, destination=-1).shape
    (3, 4, 2)
    """
    return np.moveaxis(x, source, destination)


moveaxis.backward(
    lambda grad, z, x, source, destination: moveaxis(grad, source=destination, destination=source)
)


@operation(kind="view")
def flip(x: Any, *, axis: Any = None) -> Any:
    """Reverse the order of the elements along every axis, or along ``axis`` (an int or a tuple).

    >>> import autodiff as ad
    >>> ad.flip(ad.Tensor([1, 2, 3]))
    [3 2 1]
    """
    return np.flip(x, axis)


flip.backward(lambda grad, z, x, axis=None: flip(grad, axis=axis))


@operation(kind="linear")
def roll(x: Any, *, shift: Any, axis: Any = None) -> Any:
    """Shift elements by ``shift`` places along ``axis``; those beyond the end return at the front. Without an
    axis, the array is flattened for the shift.

    >>> import autodiff as ad
    >>> ad.roll(ad.Tensor([1, 2, 3, 4]), shift=1)
    [4 1 2 3]
    """
    return np.roll(x, shift, axis)


roll.backward(lambda grad, z, x, shift, axis=None: roll(grad, shift=np.negative(shift).tolist(), axis=axis))


@operation(kind="view")
def broadcast_to(x: Any, *, shape: Any) -> Any:
    """Broadcast to ``shape`` by NumPy's rules. The engine sums the gradient back to the shape of x.

    >>> import autodiff as ad
    >>> ad.broadcast_to(ad.Tensor([1, 2]), shape=(2, 2))
    [[1 2]
     [1 2]]
    """
    return np.broadcast_to(x, shape)


broadcast_to.backward(lambda grad, z, x, shape: grad)


@operation(
    scalar=lambda x, dtype: x if np.dtype(dtype) == np.float64 else silently(np.array, x, dtype),
    kind="elementwise",
)
def cast(x: Any, *, dtype: Any) -> Any:
    """Convert to another floating-point dtype.

    >>> import autodiff as ad
    >>> ad.ops.shaping.cast(ad.Tensor([1, 2]), dtype="float32").dtype
    dtype('float32')
    """
    return x.astype(dtype)


cast.backward(lambda grad, z, x, dtype: grad)


@operation(scalar=lambda x: x, kind="view")
def alias(x: Any) -> Any:
    """The identity. It links the argument that a derivative computes with to the Tensor that was given;
    pictures show that Tensor instead.

    >>> import autodiff as ad
    >>> ad.ops.shaping.alias(ad.Tensor([1, 2]))
    [1 2]
    """
    return x


alias.backward(lambda grad, z, x: grad)


@operation(scalar=lambda x: x, kind="elementwise")
def clone(x: Any) -> Any:
    """A copy in new memory. The gradient passes through it.

    >>> import autodiff as ad
    >>> ad.clone(ad.Tensor([1, 2]))
    [1 2]
    """
    return np.copy(x)


clone.backward(lambda grad, z, x: grad)


def stretched(x: Any, shape: tuple[int, ...]) -> Any:
    """Broadcast x to ``shape``, unless it has that shape already."""
    return x if shape_of(x) == shape else broadcast_to(x, shape=shape)


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an array or a Tensor; () for a number."""
    return getattr(x, "shape", ())
