"""TransformerEncoderLayer and TransformerEncoder: blocks of attention and a feedforward network. The decoder
is in ``transformer_decoder.py``, positional encodings in ``positions.py``."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import seeding
from ..checks import checked_integer
from ..ops.activations import gelu
from ..ops.elementary import relu
from .attention import MultiheadAttention
from .containers import ModuleList
from .dropout_layers import Dropout
from .linear_layers import Linear
from .module import Module
from .normalization import LayerNorm


class Block(Module):
    """The base of the encoder's and the decoder's layers: self-attention, and the feedforward network that is
    applied at each position."""

    linear1: Linear
    dropout: Dropout
    linear2: Linear
    activation: Callable[..., Any]
    norm_first: bool
    self_attn: MultiheadAttention
    dropout1: Dropout

    def _make_network(
        self, width: int, hidden: int, dropout: float, activation: Any, bias: bool, dtype: Any, generator: Any
    ) -> None:
        self.linear1 = Linear(width, hidden, bias, dtype=dtype, generator=generator)
        self.dropout = Dropout(dropout, generator=generator)
        self.linear2 = Linear(hidden, width, bias, dtype=dtype, generator=generator)
        self.activation = checked_activation(activation, self)

    def _network(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _self_attention(self, x: Any, masks: dict[str, Any]) -> Any:
        return self.dropout1(self.self_attn(x, x, x, need_weights=False, **masks)[0])

    def extra_repr(self) -> str:
        """``norm_first``, if it is True."""
        return "norm_first=True" * self.norm_first


def checked_activation(activation: str | Callable[..., Any], owner: Module) -> Callable[..., Any]:
    """An activation function, by its name or as given. Raises ValueError for anything else."""
    named = {"relu": relu, "gelu": gelu}
    if isinstance(activation, str) and activation in named:
        return named[activation]
    if isinstance(activation, type) or not callable(activation):
        raise ValueError(
            f"activation of {type(owner).__name__} must be 'relu', 'gelu' or a function of one Tensor, not "
            f"{activation!r:.60}"
        )
    return activation


class TransformerEncoderLayer(Block):
    """One block of a transformer: self-attention, then a feedforward network of two linear layers at each
    position, each with a residual connection and a LayerNorm (Vaswani et al., "Attention Is All You Need",
    2017).

    With a causal mask it is a block of a language model such as GPT.

    Parameters
    ----------
    d_model, nhead
        The width E, and the number of heads, which divides it.
    dim_feedforward
        The width of the network's hidden layer.
    dropout
        The probability of dropout, also of attention weights.
    activation
        "relu", "gelu", or a function.
    layer_norm_eps
        Added to the variances.
    batch_first
        True takes (N, L, E) instead of (L, N, E).
    norm_first
        True normalizes the inputs of attention and feedforward network, which makes training easier; False
        normalizes after each residual connection, as in the paper.
    bias
        False leaves out all biases.
    dtype
        The float dtype of the parameters, float32 by default.
    generator
        A ``numpy.random.Generator`` or a seed, for initial values and dropout; None uses the package's
        generator.

    Raises
    ------
    TypeError, ValueError
        If a number is not a whole number of at least 1, ``nhead`` does not divide ``d_model``, or the
        activation is unknown; at the call, if the shapes of input and masks do not fit.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, batch_first=True, norm_first=True)
    >>> layer(Tensor([[[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]]]), is_causal=True).shape
    (1, 2, 4)
    """

    self_attn: MultiheadAttention
    norm1: LayerNorm
    norm2: LayerNorm
    dropout1: Dropout
    dropout2: Dropout

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
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype, generator=source
        )
        self._make_network(d_model, dim_feedforward, dropout, activation, bias, dtype, source)
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout1 = Dropout(dropout, generator=source)
        self.dropout2 = Dropout(dropout, generator=source)

    def forward(
        self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False
    ) -> Any:
        """``src`` of shape (L, N, E), (N, L, E) with ``batch_first``, or (L, E) keeps its shape.

        The masks are those of :class:`MultiheadAttention`; ``is_causal`` masks the positions after each
        position, without ``src_mask``.
        """
        masks = {"attn_mask": src_mask, "key_padding_mask": src_key_padding_mask, "is_causal": is_causal}
        if self.norm_first:
            src = src + self._self_attention(self.norm1(src), masks)
            return src + self.dropout2(self._network(self.norm2(src)))
        src = self.norm1(src + self._self_attention(src, masks))
        return self.norm2(src + self.dropout2(self._network(src)))


class TransformerEncoder(Module):
    """Several copies of a block, one after the other.

    As in PyTorch, the copies start with the same weights.

    Parameters
    ----------
    encoder_layer
        The block to copy: a :class:`TransformerEncoderLayer`, or a module with the same arguments.
    num_layers
        The number of copies.
    norm
        A module applied to the output, such as a LayerNorm if the blocks are ``norm_first``; or None.
    enable_nested_tensor, mask_check
        They have no effect, and are here for code that was written for PyTorch.

    Raises
    ------
    TypeError, ValueError
        If ``num_layers`` is not a whole number of at least 1, or the block is not a Module.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> block = nn.TransformerEncoderLayer(4, 2, dim_feedforward=8)
    >>> nn.TransformerEncoder(block, 3)(Tensor([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]])).shape
    (2, 4)
    """

    layers: ModuleList

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        self.layers = copies(encoder_layer, num_layers, self)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Any:
        """``src`` and the masks as for :class:`TransformerEncoderLayer`."""
        for layer in self.layers:
            src = layer(
                src, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal)
            )
        return src if self.norm is None else self.norm(src)


def copies(layer: Module, count: int, owner: Module) -> ModuleList:
    """Copies of a module, whose dropout layers share its generators. Raises TypeError or ValueError for a
    wrong module or count."""
    if not isinstance(layer, Module):
        raise TypeError(f"{type(owner).__name__} copies a Module, not {layer!r:.60}")
    count = checked_integer("num_layers", count, owner)
    sources = [vars(module).get("_generator") for module in layer.modules()]
    return ModuleList(copy.deepcopy(layer, {id(source): source for source in sources}) for _ in range(count))
