"""TransformerDecoderLayer and TransformerDecoder: blocks of self-attention and of cross-attention to
another sequence; and Transformer, an encoder and a decoder together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import seeding
from ..ops.elementary import relu
from . import init
from .attention import MultiheadAttention
from .attention_functions import causal_mask
from .containers import ModuleList
from .dropout_layers import Dropout
from .module import Module
from .normalization import LayerNorm
from .transformer import Block, TransformerEncoder, TransformerEncoderLayer, copies


class TransformerDecoderLayer(Block):
    """One block of a decoder: self-attention, then cross-attention to the output of an encoder (the memory),
    then a feedforward network of two linear layers at each position (Vaswani et al., "Attention Is All You
    Need", 2017).

    Parameters and errors are those of :class:`TransformerEncoderLayer`.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.TransformerDecoderLayer(4, 2, dim_feedforward=8)
    >>> target, memory = Tensor([[1.0, 2.0, 3.0, 4.0]]), Tensor([[0.0, 1.0, 0.0, 1.0], [4.0, 3.0, 2.0, 1.0]])
    >>> layer(target, memory, tgt_is_causal=True).shape
    (1, 4)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[..., Any] = relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        source = None if generator is None else seeding.generator(generator)
        self.norm_first = norm_first
        for name in ("self_attn", "multihead_attn"):
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype, generator=source
            )
            setattr(self, name, attention)
        self._make_network(d_model, dim_feedforward, dropout, activation, bias, dtype, source)
        for number in (1, 2, 3):
            setattr(self, f"norm{number}", LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype))
        for number in (1, 2, 3):
            setattr(self, f"dropout{number}", Dropout(dropout, generator=source))

    multihead_attn: MultiheadAttention
    norm1: LayerNorm
    norm2: LayerNorm
    norm3: LayerNorm
    dropout2: Dropout
    dropout3: Dropout

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        """``tgt`` of shape (L, N, E), (N, L, E) with ``batch_first``, or (L, E) keeps its shape; ``memory``
        may have another length. The masks are those of :class:`MultiheadAttention`."""
        own = {"attn_mask": tgt_mask, "key_padding_mask": tgt_key_padding_mask, "is_causal": tgt_is_causal}
        other = {
            "attn_mask": memory_mask,
            "key_padding_mask": memory_key_padding_mask,
            "is_causal": memory_is_causal,
        }
        if self.norm_first:
            tgt = tgt + self._self_attention(self.norm1(tgt), own)
            tgt = tgt + self._cross_attention(self.norm2(tgt), memory, other)
            return tgt + self.dropout3(self._network(self.norm3(tgt)))
        tgt = self.norm1(tgt + self._self_attention(tgt, own))
        tgt = self.norm2(tgt + self._cross_attention(tgt, memory, other))
        return self.norm3(tgt + self.dropout3(self._network(tgt)))

    def _cross_attention(self, x: Any, memory: Any, masks: dict[str, Any]) -> Any:
        return self.dropout2(self.multihead_attn(x, memory, memory, need_weights=False, **masks)[0])


class TransformerDecoder(Module):
    """Several copies of a decoder block, one after the other. As in PyTorch, the copies start with the same
    weights.

    Parameters and errors are those of :class:`TransformerEncoder`.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> block = nn.TransformerDecoderLayer(4, 2, dim_feedforward=8)
    >>> x = Tensor([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]])
    >>> nn.TransformerDecoder(block, 3)(x, x).shape
    (2, 4)
    """

    layers: ModuleList

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        self.layers = copies(decoder_layer, num_layers, self)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """Inputs and masks are those of :class:`TransformerDecoderLayer`."""
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks, bool(tgt_is_causal), memory_is_causal)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder of one sequence, and a decoder of another sequence that attends to the encoder's output,
    each with a final LayerNorm (Vaswani et al., "Attention Is All You Need", 2017).

    Parameters
    ----------
    d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias
        As for :class:`TransformerEncoderLayer`.
    num_encoder_layers, num_decoder_layers
        The numbers of blocks.
    custom_encoder, custom_decoder
        Modules to use instead of the encoder or the decoder.
    dtype, generator
        As for :class:`TransformerEncoderLayer`. All weights are drawn as in Glorot and Bengio (2010).

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> net = nn.Transformer(4, 2, 1, 1, dim_feedforward=8)
    >>> net(Tensor([[1.0, 2.0, 3.0, 4.0]]), Tensor([[0.0, 1.0, 0.0, 1.0], [4.0, 3.0, 2.0, 1.0]])).shape
    (2, 4)
    """

    encoder: Module
    decoder: Module

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[..., Any] = relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        source = None if generator is None else seeding.generator(generator)
        network = d_model, nhead, dim_feedforward, dropout, activation
        settings = *network, layer_norm_eps, batch_first, norm_first
        options: dict[str, Any] = {"bias": bias, "dtype": dtype, "generator": source}

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)

        if custom_encoder is None:
            block = TransformerEncoderLayer(*settings, **options)
            custom_encoder = TransformerEncoder(block, num_encoder_layers, norm())
        if custom_decoder is None:
            other = TransformerDecoderLayer(*settings, **options)
            custom_decoder = TransformerDecoder(other, num_decoder_layers, norm())
        self.encoder, self.decoder = custom_encoder, custom_decoder
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter, generator=source)

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The decoder's output, shaped like ``tgt``. The masks are those of :class:`MultiheadAttention`."""
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        return self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, dtype: Any = None) -> np.ndarray:
        """The causal mask to add to the logits of ``sz`` positions: 0 where a position may attend, -inf
        elsewhere.

        >>> from autodiff import nn
        >>> nn.Transformer.generate_square_subsequent_mask(2)
        array([[  0., -inf],
               [  0.,   0.]], dtype=float32)
        """
        return causal_mask(sz, sz).astype(np.float32 if dtype is None else dtype)
