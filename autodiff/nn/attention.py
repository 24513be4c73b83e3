"""MultiheadAttention: attention with learned projections, in several heads."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import seeding
from ..checks import UP_TO_1, checked_integer, checked_number
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from ..ops.reductions import mean
from ..ops.shaping import reshape, shape_of, transpose
from . import init
from .attention_functions import (
    additive_mask,
    causal_mask,
    checked_mask,
    logit_scale,
    sum_of_masks,
    weighted_means,
)
from .attention_weights import attention_weights
from .checks import check_last_axes, checked_dtype
from .dropout_layers import dropout
from .linear_layers import Linear, linear
from .module import Module
from .parameter import Parameter


class MultiheadAttention(Module):
    """Multi-head attention: each position of a sequence becomes a weighted mean over the positions of another
    sequence, or of the same one. Each of the ``num_heads`` heads has its own weights and its own part of the
    width (Vaswani et al., "Attention Is All You Need", 2017).

    Masks are in PyTorch's form for this layer. A boolean mask is True where a query may **not** attend to a
    key, the opposite of ``nn.functional.scaled_dot_product_attention``. A float mask is added to the logits.

    Parameters
    ----------
    embed_dim, num_heads
        The width E of queries and outputs, and the number of heads, which divides it.
    dropout
        The probability of dropping an attention weight, in training.
    bias
        False leaves out the biases of the projections.
    add_bias_kv, add_zero_attn
        Must be False. They are here for code that was written for PyTorch.
    kdim, vdim
        The widths of keys and values; None for ``embed_dim``.
    batch_first
        True takes (N, L, E) instead of (L, N, E).
    dtype
        The float dtype of the parameters, float32 by default.
    generator
        A ``numpy.random.Generator`` or a seed, for initial values and dropout; None uses the package's
        generator.

    Attributes
    ----------
    in_proj_weight, in_proj_bias
        Parameters of shape (3 E, E) and (3 E,): the projections of queries, keys and values, one below the
        other.
    q_proj_weight, k_proj_weight, v_proj_weight
        The projections, instead of ``in_proj_weight``, if ``kdim`` or ``vdim`` differs from ``embed_dim``.
    out_proj
        The Linear layer that mixes the heads.

    Raises
    ------
    TypeError, ValueError
        If a number is not a whole number of at least 1, or ``num_heads`` does not divide ``embed_dim``; at
        the call, if the shapes of queries, keys, values and masks do not fit.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.MultiheadAttention(4, 2, batch_first=True)
    >>> x = Tensor([[[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]])
    >>> output, weights = layer(x, x, x, is_causal=True)
    >>> output.shape, weights.shape, weights[0, 0]
    ((1, 3, 4), (1, 3, 3), [1 0 0])
    """

    in_proj_weight: Parameter | None
    out_proj: Linear
    in_proj_bias: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.embed_dim: int = checked_integer("embed_dim", embed_dim, self)
        self.num_heads: int = checked_integer("num_heads", num_heads, self)
        if self.embed_dim % self.num_heads:
            raise ValueError(
                f"num_heads of MultiheadAttention must divide embed_dim, but {num_heads} does not divide "
                f"{embed_dim}"
            )
        if add_bias_kv or add_zero_attn:
            raise ValueError(
                "add_bias_kv and add_zero_attn are not supported by MultiheadAttention; leave them out"
            )
        self.kdim: int = self.embed_dim if kdim is None else checked_integer("kdim", kdim, self)
        self.vdim: int = self.embed_dim if vdim is None else checked_integer("vdim", vdim, self)
        self.dropout: float = checked_number("dropout", dropout, UP_TO_1, "MultiheadAttention")
        self.batch_first = batch_first
        self._generator = None if generator is None else seeding.generator(generator)
        self._make_parameters(bias, checked_dtype(dtype, self))
        self.reset_parameters()

    def _make_parameters(self, bias: bool, dtype: np.dtype) -> None:
        width, widths = self.embed_dim, (self.embed_dim, self.kdim, self.vdim)
        has_same_widths = set(widths) == {width}
        self.in_proj_weight = (
            Parameter(np.zeros((3 * width, width)), dtype=dtype) if has_same_widths else None
        )
        for name, columns in zip("qkv", widths, strict=True):
            part = None if has_same_widths else Parameter(np.zeros((width, columns)), dtype=dtype)
            setattr(self, f"{name}_proj_weight", part)
        self.in_proj_bias = Parameter(np.zeros(3 * width), dtype=dtype) if bias else None
        self.out_proj = Linear(width, width, bias, dtype=dtype, generator=self._generator)

    def reset_parameters(self) -> None:
        """Draw new projections as in Glorot and Bengio (2010), and set the biases to 0."""
        for name, parameter in self.named_parameters(recurse=False):
            if name.endswith("weight"):
                init.xavier_uniform_(parameter, generator=self._generator)
        self.out_proj.reset_parameters()
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """The outputs, and the attention weights or None.

        ``query`` has the shape (L, N, E), ``key`` and ``value`` the shapes (S, N, kdim) and (S, N, vdim), or
        all without N for one example; with ``batch_first``, N is the first axis. ``key_padding_mask``, (N,
        S), is True at keys that are padding. ``attn_mask`` has the shape (L, S) or (N * num_heads, L, S).
        ``is_causal`` masks the keys after each query's own position, without ``attn_mask``.

        The output has the shape of ``query``. The weights have the shape (N, L, S), the mean over the heads,
        or (N, num_heads, L, S) if ``average_attn_weights`` is False. With ``need_weights=False`` they are not
        returned, which is faster.
        """
        query, key, value = as_recorded(query), as_recorded(key), as_recorded(value)
        self._check_inputs(query, key, value)
        is_batched = len(shape_of(query)) == 3
        matrices, biases = self._projections()
        q, k, v = (
            self._split_heads(linear(x, weight, bias))
            for x, weight, bias in zip((query, key, value), matrices, biases, strict=True)
        )
        mask = self._mask(attn_mask, key_padding_mask, (*shape_of(q)[:3], shape_of(k)[2]), is_causal)
        rate = self.dropout if self.training else 0.0
        if not need_weights:
            means = weighted_means(q, k, v, mask, None, rate, self._generator)
            return self.out_proj(self._merged_heads(means, is_batched)), None
        weights = attention_weights(q, k, checked_mask(mask, q, k), scale=logit_scale(q, None))
        weights = dropout(weights, rate, generator=self._generator)
        output = self.out_proj(self._merged_heads(weights @ v, is_batched))
        weights = mean(weights, axis=1) if average_attn_weights else weights
        return output, weights if is_batched else weights[0]

    def _projections(self) -> tuple[list[Any], list[Any]]:
        """The weight and the bias for queries, for keys and for values."""
        width = self.embed_dim
        parts = [slice(start, start + width) for start in (0, width, 2 * width)]
        if self.in_proj_weight is None:
            weights = [getattr(self, f"{name}_proj_weight") for name in "qkv"]
        else:
            weights = [self.in_proj_weight[part] for part in parts]
        bias = self.in_proj_bias
        return weights, [None if bias is None else bias[part] for part in parts]

    def _split_heads(self, x: Any) -> Any:
        """A sequence as (N, num_heads, L, width of a head)."""
        heads = self.num_heads, self.embed_dim // self.num_heads
        shape = shape_of(x)
        if len(shape) == 2:
            return transpose(reshape(x, shape=(1, shape[0], *heads)), axes=(0, 2, 1, 3))
        split = reshape(x, shape=(*shape[:2], *heads))
        return transpose(split, axes=(0, 2, 1, 3) if self.batch_first else (1, 2, 0, 3))

    def _merged_heads(self, x: Any, is_batched: bool) -> Any:
        """The heads merged into one axis, in the layout of the query."""
        batch, _, length, _ = shape_of(x)
        if not is_batched:
            return reshape(transpose(x, axes=(0, 2, 1, 3)), shape=(length, self.embed_dim))
        if self.batch_first:
            return reshape(transpose(x, axes=(0, 2, 1, 3)), shape=(batch, length, self.embed_dim))
        return reshape(transpose(x, axes=(2, 0, 1, 3)), shape=(length, batch, self.embed_dim))

    def _mask(self, attn_mask: Any, padding: Any, shape: tuple[int, ...], is_causal: bool) -> Any:
        """The sum of all masks, floats that broadcast to (N, num_heads, L, S); None without a mask."""
        batch, heads, queries, keys = shape
        mask = causal_mask(queries, keys) if is_causal else None
        if attn_mask is not None:
            given = additive_mask(attn_mask, visible=False)
            if shape_of(given) == (batch * heads, queries, keys):
                given = reshape(given, shape=shape)
            elif shape_of(given) != (queries, keys):
                expected = f"{(queries, keys)} or {(batch * heads, queries, keys)}"
                raise ValueError(f"attn_mask must be of shape {expected}, not {describe(attn_mask)}")
            mask = sum_of_masks(mask, given)
        if padding is not None:
            given = additive_mask(padding, visible=False)
            if shape_of(given) not in ((batch, keys), (keys,) if batch == 1 else ()):
                raise ValueError(
                    f"key_padding_mask must be of shape {(batch, keys)}, not {describe(padding)}"
                )
            mask = sum_of_masks(mask, reshape(given, shape=(batch, 1, 1, keys)))
        return mask

    def _check_inputs(self, query: Any, key: Any, value: Any) -> None:
        for x, width in ((query, self.embed_dim), (key, self.kdim), (value, self.vdim)):
            check_last_axes(x, (width,), self._title())
        first, keys, values = shape_of(query), shape_of(key), shape_of(value)
        batch = 0 if self.batch_first else 1
        fits = len(first) in (2, 3) and len(first) == len(keys) and keys[:-1] == values[:-1]
        if not fits or (len(first) == 3 and first[batch] != keys[batch]):
            layout = "(N, L, E)" if self.batch_first else "(L, N, E)"
            raise ValueError(
                f"{self._title()} takes queries of shape {layout} or (L, E), and as many keys as values, "
                f"of the same batch; not {describe(query)}, {describe(key)} and {describe(value)}"
            )

    def extra_repr(self) -> str:
        """The width and the heads, and the settings that differ from their defaults."""
        defaults = {
            "dropout": (self.dropout, 0.0),
            "kdim": (self.kdim, self.embed_dim),
            "vdim": (self.vdim, self.embed_dim),
            "batch_first": (self.batch_first, False),
            "bias": (self.in_proj_bias is not None, True),
        }
        options = "".join(
            f", {name}={value}" for name, (value, default) in defaults.items() if value != default
        )
        return f"{self.embed_dim}, {self.num_heads}{options}"
