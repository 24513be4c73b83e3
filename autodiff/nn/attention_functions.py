"""Attention as a function: ``scaled_dot_product_attention``, and the masks it takes.

The operations it is made of stand in ``attention_weights.py`` and, piece by piece for speed, in
``attention_pieces.py``; the layer with projections of its own stands in ``attention.py``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ..checks import UP_TO_1, checked_number
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, describe, raw
from ..ops.indexing import repeat
from ..ops.shaping import shape_of
from .attention_pieces import attention, fits_in_pieces
from .attention_weights import attention_weights
from .dropout_layers import dropout


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    generator: np.random.Generator | int | None = None,
) -> Any:
    """Means of the values, weighted by how well each query fits each key: ``softmax(query @ key.T * scale +
    mask) @ value`` (Vaswani et al., "Attention Is All You Need", 2017).

    Parameters
    ----------
    query
        Of shape (..., L, E): L queries.
    key, value
        Of shape (..., S, E) and (..., S, V): S keys, and a value for each. The leading axes, batch and heads,
        broadcast.
    attn_mask
        Broadcasts to (..., L, S). A boolean one is True where a query may look at a key; one of floats is
        added to the logits.
    dropout_p
        The probability with which a weight is set to zero. It holds always: give 0 in evaluation.
    is_causal
        True lets query number i look at the keys 0 to i only, besides what ``attn_mask`` allows.
    scale
        The factor of the logits; 1/sqrt(E) unless told.
    enable_gqa
        True allows fewer heads of keys and values than of queries: each serves a group of heads.
    generator
        A ``numpy.random.Generator`` or a seed for the dropout; None uses the package's generator.

    Returns
    -------
    Tensor or array
        Of shape (..., L, V). A query that may look at no key gets zeros.

    Raises
    ------
    ValueError
        If the shapes do not fit, or ``dropout_p`` is no probability.
    TypeError
        If the mask is neither boolean nor made of floats.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> query, key, value = [[0.0, 1000.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]]
    >>> F.scaled_dot_product_attention(query, key, value)
    array([[3., 4.]])
    >>> F.scaled_dot_product_attention(query, key, value, is_causal=True)
    array([[1., 2.]])
    """
    query, key, value = as_recorded(query), as_recorded(key), as_recorded(value)
    checked_number("dropout_p", dropout_p, UP_TO_1, "scaled_dot_product_attention")
    if enable_gqa:
        key, value = with_heads_of(query, key), with_heads_of(query, value)
    check_attention(query, key, value)
    mask = None if attn_mask is None else additive(attn_mask)
    if is_causal:
        mask = both(mask, causal(shape_of(query)[-2], shape_of(key)[-2]))
    return attended(query, key, value, mask, scale, dropout_p, generator)


def attended(
    query: Any, key: Any, value: Any, mask: Any, scale: float | None, dropout_p: float, source: Any
) -> Any:
    """Means of the values with a mask of floats or None, after all checks."""
    options = {"scale": factor_of(query, scale)}
    mask = as_operand(mask, query, key)
    if not dropout_p and fits_in_pieces(query, key, value, mask):
        return attention(query, key, value, mask, **options)
    weights = attention_weights(query, key, mask, **options)
    return dropout(weights, dropout_p, generator=source) @ value


def factor_of(query: Any, scale: float | None) -> float:
    """The factor of the logits: 1/sqrt(E) unless there is another."""
    return 1 / math.sqrt(max(shape_of(query)[-1], 1)) if scale is None else float(scale)


@lru_cache(maxsize=4)
def causal(queries: int, keys: int) -> np.ndarray:
    """The mask to add so that query number i sees the keys 0 to i only; it is read-only, since it is kept for
    the next call.

    >>> from autodiff.nn.attention_functions import causal
    >>> causal(2, 3)
    array([[  0., -inf, -inf],
           [  0.,   0., -inf]], dtype=float32)
    """
    mask = additive(np.tri(queries, keys, dtype=bool))
    mask.flags.writeable = False
    return mask


def additive(mask: Any, *, seen: bool = True) -> Any:
    """A mask as floats to add to logits: 0 where a boolean one is ``seen`` and -inf elsewhere; floats as they
    are. Raises TypeError for anything else."""
    mask = as_recorded(mask)
    values = mask if isinstance(mask, Tensor) else np.asarray(mask)
    if values.dtype.kind == "f":
        return values
    if values.dtype.kind != "b":
        raise TypeError(f"a mask of attention is boolean or made of floats, not {describe(mask)}")
    return np.where(np.asarray(raw(values)) == seen, np.float32(0), np.float32(-np.inf))


def both(first: Any, second: Any) -> Any:
    """Two masks of floats as one; None is no mask."""
    if first is None or second is None:
        return second if first is None else first
    return first + second


def as_operand(mask: Any, query: Any, key: Any) -> Any:
    """A mask to add, checked: 0 for none, and a constant one in the dtype that the logits have without it."""
    if mask is None:
        return 0.0
    check_mask(mask, logits_shape(query, key))
    if isinstance(mask, Tensor) and mask.requires_grad:
        return mask
    dtype = np.result_type(raw(query).dtype, raw(key).dtype, np.float16)
    return np.asarray(raw(mask)).astype(dtype, copy=False)


def logits_shape(query: Any, key: Any) -> tuple[int, ...]:
    """The shape of the logits: the leading axes, queries, keys."""
    one, other = shape_of(query), shape_of(key)
    return (*np.broadcast_shapes(one[:-2], other[:-2]), one[-2], other[-2])


def with_heads_of(query: Any, key: Any) -> Any:
    """Keys or values repeated, so that there are as many heads as in ``query``."""
    if len(shape_of(query)) < 3 or len(shape_of(key)) < 3:
        raise ValueError(f"enable_gqa needs an axis of heads, and got {describe(query)} and {describe(key)}")
    wanted, heads = shape_of(query)[-3], shape_of(key)[-3]
    if not heads or wanted % heads:
        raise ValueError(f"{heads} heads of keys or values cannot serve {wanted} heads of queries evenly")
    return key if wanted == heads else repeat(key, repeats=wanted // heads, axis=-3)


def check_attention(query: Any, key: Any, value: Any) -> None:
    """Raise ValueError if queries, keys and values do not fit together."""
    shapes = shape_of(query), shape_of(key), shape_of(value)
    what = f"{describe(query)}, {describe(key)} and {describe(value)}"
    if min(map(len, shapes)) < 2:
        raise ValueError(
            f"attention takes query (..., L, E), key (..., S, E) and value (..., S, V), not {what}"
        )
    if shapes[0][-1] != shapes[1][-1]:
        raise ValueError(f"query and key of attention have the same last axis, and these do not: {what}")
    if shapes[1][-2] != shapes[2][-2]:
        raise ValueError(f"there is a value for each key in attention, and these differ in number: {what}")
    try:
        np.broadcast_shapes(*(shape[:-2] for shape in shapes))
    except ValueError:
        raise ValueError(f"the leading axes of query, key and value do not broadcast: {what}") from None


def check_mask(mask: Any, logits: tuple[int, ...]) -> None:
    """Raise ValueError if a mask does not broadcast to the shape of the logits."""
    try:
        fits = np.broadcast_shapes(shape_of(mask), logits) == logits
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"a mask of attention must broadcast to {logits}, queries by keys; this is {describe(mask)}"
        )
