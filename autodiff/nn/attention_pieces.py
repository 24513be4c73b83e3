"""Attention as one operation, computed for a few examples at a time.

The result is that of ``attention_weights(...) @ value``. The weights, by far the largest arrays of attention,
are never stored as a whole: the forward pass computes them in pieces that fit into the processor's cache, and
the backward pass computes them again. So the memory needed is that of queries, keys and values (Dao et al.,
"FlashAttention", 2022).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..engine.operation import operation
from ..engine.tensor import Tensor, raw
from ..ops.shaping import shape_of, swapaxes
from .attention_weights import attention_weights, exponentials, row_dots

PIECE = 2**19
"""The number of bytes of weights in a piece: half of a processor's second-level cache."""


@operation(precision="single")
def attention(query: Any, key: Any, value: Any, mask: Any, *, scale: float) -> Any:
    """``softmax(query @ key.T * scale + mask) @ value``, for arrays of one dtype and the same leading axes,
    and a constant mask.

    >>> from autodiff import Tensor
    >>> from autodiff.nn.attention_pieces import attention
    >>> attention(Tensor([[0.0, 1000.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]]), [[1.0], [3.0]], 0.0, scale=1.0)
    [[3]]
    """
    z = empty_in_layout_of(query, (*query.shape[:-1], value.shape[-1]))
    for piece, part, (buffer,) in pieces(query, key, mask, 1):
        parts, sums = exponentials(query[piece], key[piece], part, scale, buffer)
        means = np.matmul(parts, value[piece], out=z[piece])
        means /= sums
    return z


def attention_rule(
    grad: Any, z: Any, query: Any, key: Any, value: Any, mask: Any, wanted: Sequence[bool], scale: float
) -> list[Any]:
    """The rules of the product with the values, the softmax and the logits. The softmax's rule needs the dot
    product of each row of weights with its gradient, which equals that of each row of z with its gradient."""
    if not any(isinstance(x, Tensor) for x in (grad, query, key, value)):
        return attention_rule_in_pieces(grad, z, query, key, value, mask, scale)
    weights = attention_weights(query, key, mask, scale=scale)
    slope = weights * (grad @ swap(value) - row_dots(grad, z))
    return [slope @ key * scale, swap(slope) @ query * scale, swap(weights) @ grad, None]


def attention_rule_in_pieces(
    grad: np.ndarray,
    z: np.ndarray,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: Any,
    scale: float,
) -> list[Any]:
    """``attention_rule`` on arrays, with two buffers of the size of a piece."""
    found = [empty_in_layout_of(x, x.shape) for x in (query, key, value)]
    for piece, part, (first, second) in pieces(query, key, mask, 2):
        q, k, v = query[piece], key[piece], value[piece]
        parts, sums = exponentials(q, k, part, scale, first)
        g = grad[piece] / sums
        slope = np.matmul(g, np.swapaxes(v, -1, -2), out=second)
        slope -= row_dots.forward(g, z[piece])
        slope *= parts
        products = (slope, k), (np.swapaxes(slope, -1, -2), q), (np.swapaxes(parts, -1, -2), g)
        for total, (left, right) in zip(found, products, strict=True):
            np.matmul(left, right, out=total[piece])
    found[0] *= scale
    found[1] *= scale
    return [*found, None]


attention.backward(joint=attention_rule)


def swap(x: Any) -> Any:
    """The transpose of each matrix."""
    return swapaxes(x, axis1=-1, axis2=-2)


def empty_in_layout_of(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A new array with the memory layout of ``x``. If heads are adjacent there, merging them again
    needs no copy."""
    return np.empty_like(x, shape=shape, subok=False)


def pieces(
    query: np.ndarray, key: np.ndarray, mask: Any, count: int
) -> Iterator[tuple[Any, Any, list[np.ndarray]]]:
    """For each piece of the weights, its slice of the first axis, its part of the mask, and ``count``
    buffers, which all pieces share."""
    lead, rest = query.shape[:-2], (query.shape[-2], key.shape[-2])
    is_shared = np.ndim(mask) < len(query.shape) or len(mask) == 1  # one mask for all examples
    if not lead:
        yield ..., mask, [np.empty(rest, query.dtype) for _ in range(count)]
        return
    size = math.prod((*lead[1:], *rest)) * query.itemsize
    step = min(max(PIECE // max(size, 1), 1), lead[0])
    buffers = [np.empty((step, *lead[1:], *rest), query.dtype) for _ in range(count)]
    for start in range(0, lead[0], step or 1):
        piece = slice(start, start + step)
        part = mask if is_shared else mask[piece]
        yield piece, part, [buffer[: lead[0] - start] for buffer in buffers]


def can_run_in_pieces(query: Any, key: Any, value: Any, mask: Any) -> bool:
    """Whether ``attention`` supports these operands."""
    dtypes = {raw(x).dtype for x in (query, key, value)}
    leads = {shape_of(x)[:-2] for x in (query, key, value)}
    return len(dtypes) == len(leads) == 1 and dtypes.pop().kind == "f" and not isinstance(mask, Tensor)
