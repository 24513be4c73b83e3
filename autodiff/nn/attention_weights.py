"""The weights of attention: how much each query attends to each key, as one operation with its rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.operation import operation
from ..ops.activations import largest
from ..ops.shaping import swapaxes


@operation(kind="multilinear", precision="single")
def row_dots(x: Any, y: Any) -> Any:
    """The dot product of each row of x with the same row of y, as a column.

    >>> from autodiff import Tensor
    >>> from autodiff.nn.attention_weights import row_dots
    >>> row_dots(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 10.0], [1.0, 10.0]]))
    [[21]
     [43]]
    """
    return np.einsum("...j,...j->...", x, y)[..., None]


row_dots.backward(lambda grad, z, x, y: grad * y, lambda grad, z, x, y: grad * x)


@operation(precision="floats")
def attention_weights(query: Any, key: Any, mask: Any, *, scale: float) -> Any:
    """How much each query attends to each key: ``softmax(query @ key.T * scale + mask)`` over the keys, a row
    for each query. A row whose keys are all masked is zero.

    One operation instead of five, computed in place, since these arrays are the largest of a transformer. The
    row maximum is subtracted from the logits only if exp would otherwise overflow or underflow.

    >>> from autodiff import Tensor
    >>> from autodiff.nn.attention_weights import attention_weights
    >>> attention_weights(Tensor([[0.0, 1000.0]]), [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], 0.0, scale=1.0)
    [[  0 0.5 0.5]]
    """
    parts, sums = exponentials(query, key, mask, scale)
    parts /= sums
    return parts


def attention_weights_rule(
    grad: Any, z: Any, query: Any, key: Any, mask: Any, wanted: Sequence[bool], scale: float
) -> list[Any]:
    """The rule of the softmax, then those of the product and the sum."""
    slope = z * (grad - row_dots(grad, z))
    return [
        slope @ key * scale if wanted[0] else None,
        swapaxes(slope, axis1=-1, axis2=-2) @ query * scale if wanted[1] else None,
        slope,
    ]


attention_weights.backward(joint=attention_weights_rule)


def exponentials(
    query: np.ndarray, key: np.ndarray, mask: Any, scale: float, out: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The exponentials of the logits, and the divisors that make each row sum to 1: 1 for a row whose keys
    are all masked. ``out`` is the array to write the exponentials to."""
    parts = logits(query, key, mask, scale, out)
    np.exp(parts, out=parts)
    sums = row_sums(parts)
    if not is_moderate(sums):
        parts = logits(query, key, mask, scale, out)
        parts -= largest(parts, -1)
        np.exp(parts, out=parts)
        sums = row_sums(parts)
        sums += sums == 0
    return parts, sums


def logits(
    query: np.ndarray, key: np.ndarray, mask: Any, scale: float, out: np.ndarray | None = None
) -> np.ndarray:
    """The logits, ``query @ key.T * scale + mask``, in ``out`` or a new array."""
    z = np.matmul(query * scale, np.swapaxes(key, -1, -2), out=out)
    if np.ndim(mask) == 0 and mask == 0:
        return z
    if np.result_type(z, mask) != z.dtype:
        return z + mask
    z += mask
    return z


def row_sums(z: np.ndarray) -> np.ndarray:
    """The sums along the last axis, which is kept. For short rows, einsum takes a quarter of the time of
    sum."""
    return np.einsum("...j->...", z)[..., None]


def is_moderate(sums: np.ndarray) -> bool:
    """Whether sums of exponentials are far enough from overflow and underflow to be precise."""
    limits = np.finfo(sums.dtype)
    return bool(limits.tiny**0.5 < sums.min(initial=1) and sums.max(initial=1) < limits.max**0.5)
