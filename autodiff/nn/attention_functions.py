"""Attention as a function: ``scaled_dot_product_attention``, and the masks it takes.

Its operations are in ``attention_weights.py`` and, computed in pieces for speed, in ``attention_pieces.py``.
The layer with learned projections is in ``attention.py``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ..checks import UP_TO_1, checked_number
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, describe, raw
from ..engine.values import as_array
from ..ops.indexing import repeat
from ..ops.shaping import shape_of
from .attention_pieces import attention, can_run_in_pieces
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
        L queries, of shape (..., L, E).
    key, value
        S keys, and a value for each, of shape (..., S, E) and (..., S, V). The leading axes, batch and heads,
        broadcast.
    attn_mask
        Broadcasts to (..., L, S). A boolean mask is True where a query may attend to a key; a float mask is
        added to the logits.
    dropout_p
        The probability of dropping a weight. It applies in every call: pass 0 in evaluation.
    is_causal
        True also masks all keys after key i for query i.
    scale
        The factor of the logits; None for 1/sqrt(E).
    enable_gqa
        True allows fewer heads of keys and values than of queries: a group of query heads shares each of
        them.
    generator
        A ``numpy.random.Generator`` or a seed for the dropout; None uses the package's generator.

    Returns
    -------
    Tensor or array
        Of shape (..., L, V). The output is zero for a query whose keys are all masked.

    Raises
    ------
    ValueError
        If the shapes do not fit, or ``dropout_p`` is not between 0 and 1.
    TypeError
        If the mask is neither boolean nor float.

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
        key, value = repeated_heads(query, key), repeated_heads(query, value)
    check_attention(query, key, value)
    mask = None if attn_mask is None else additive_mask(attn_mask)
    if is_causal:
        mask = sum_of_masks(mask, causal_mask(shape_of(query)[-2], shape_of(key)[-2]))
    return weighted_means(query, key, value, mask, scale, dropout_p, generator)


def weighted_means(
    query: Any, key: Any, value: Any, mask: Any, scale: float | None, dropout_p: float, source: Any
) -> Any:
    """The weighted means of the values, with a float mask or None; all arguments are already checked."""
    options = {"scale": logit_scale(query, scale)}
    mask = checked_mask(mask, query, key)
    if not dropout_p and can_run_in_pieces(query, key, value, mask):
        return attention(query, key, value, mask, **options)
    weights = attention_weights(query, key, mask, **options)
    return dropout(weights, dropout_p, generator=source) @ value


def logit_scale(query: Any, scale: float | None) -> float:
    """The factor of the logits: ``scale``, or 1/sqrt(E) if it is None."""
    return 1 / math.sqrt(max(shape_of(query)[-1], 1)) if scale is None else float(scale)


@lru_cache(maxsize=4)
def causal_mask(queries: int, keys: int) -> np.ndarray:
    """The float mask with which query i attends to the keys 0 to i only. It is read-only, as it is cached for
    the next call.

    >>> from autodiff.nn.attention_functions import causal_mask
    >>> causal_mask(2, 3)
    array([[  0., -inf, -inf],
           [  0.,   0., -inf]], dtype=float32)
    """
    mask = additive_mask(np.tri(queries, keys, dtype=bool))
    mask.flags.writeable = False
    return mask


def additive_mask(mask: Any, *, visible: bool = True) -> Any:
    """A mask to add to the logits. A boolean mask becomes 0 where it equals ``visible``, and -inf elsewhere;
    a float mask is returned unchanged. Raises TypeError for other masks."""
    mask = as_recorded(mask)
    values = mask if isinstance(mask, Tensor) else as_array(mask)
    if values.dtype.kind == "f":
        return values
    if values.dtype.kind != "b":
        raise TypeError(f"an attention mask must be boolean or float, not {describe(mask)}")
    return np.where(as_array(raw(values)) == visible, np.float32(0), np.float32(-np.inf))


def sum_of_masks(first: Any, second: Any) -> Any:
    """The sum of two float masks. None stands for no mask."""
    if first is None or second is None:
        return second if first is None else first
    return first + second


def checked_mask(mask: Any, query: Any, key: Any) -> Any:
    """A float mask, checked: 0 for None. A constant mask is cast to the dtype of the logits."""
    if mask is None:
        return 0.0
    check_mask(mask, logits_shape(query, key))
    if isinstance(mask, Tensor) and mask.requires_grad:
        return mask
    dtype = np.result_type(raw(query).dtype, raw(key).dtype, np.float16)
    return as_array(raw(mask)).astype(dtype, copy=False)


def logits_shape(query: Any, key: Any) -> tuple[int, ...]:
    """The shape of the logits: the leading axes, queries, keys."""
    one, other = shape_of(query), shape_of(key)
    return (*np.broadcast_shapes(one[:-2], other[:-2]), one[-2], other[-2])


def repeated_heads(query: Any, key: Any) -> Any:
    """Keys or values, with each head repeated, so that they have as many heads as ``query``. Raises
    ValueError if their number of heads does not divide it."""
    if len(shape_of(query)) < 3 or len(shape_of(key)) < 3:
        raise ValueError(f"enable_gqa needs an axis of heads, not {describe(query)} and {describe(key)}")
    wanted, heads = shape_of(query)[-3], shape_of(key)[-3]
    if not heads or wanted % heads:
        raise ValueError(
            f"{wanted} heads of queries must be a multiple of the {heads} heads of keys or values"
        )
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
        raise ValueError(f"query and key of attention must have the same last axis: {what}")
    if shapes[1][-2] != shapes[2][-2]:
        raise ValueError(f"attention needs a value for each key: {what}")
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
            f"an attention mask must broadcast to {logits}, queries by keys, not {describe(mask)}"
        )
