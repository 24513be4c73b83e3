"""Methods that give a Tensor in another form: in another dtype, as a copy; and PyTorch's names for what is
an attribute here.

They have a file of their own because ``float``, ``int`` and ``bool`` are methods in this class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .catalogue import catalogue


class Conversions:
    """What ``t.float()``, ``t.clone()``, ``t.any()`` and their like do."""

    __slots__ = ()

    _value: Any
    creation_op: Any
    requires_grad: Any
    shape: Any
    ndim: Any
    size: Any

    def clone(self) -> Any: return catalogue.clone.unary(self)
    def copy(self) -> Any: return catalogue.clone.unary(self)
    def contiguous(self) -> Any: return self
    def cpu(self) -> Any: return self
    def to(self, target: Any) -> Any: return catalogue.to(self, target)

    def astype(self, dtype: Any) -> Any: return catalogue.astype(self, dtype)
    def half(self) -> Any: return catalogue.astype(self, np.float16)
    def float(self) -> Any: return catalogue.astype(self, np.float32)
    def double(self) -> Any: return catalogue.astype(self, np.float64)
    def int(self) -> Any: return catalogue.astype(self, np.int32)
    def long(self) -> Any: return catalogue.astype(self, np.int64)
    def bool(self) -> Any: return catalogue.astype(self, np.bool_)

    def any(self, axis: Any = None, keepdims: Any = False, **words: Any) -> Any:
        return catalogue.any(self, axis=axis, keepdims=keepdims, **words)

    def all(self, axis: Any = None, keepdims: Any = False, **words: Any) -> Any:
        return catalogue.all(self, axis=axis, keepdims=keepdims, **words)

    def dim(self) -> Any: return self.ndim
    def numel(self) -> Any: return self.size
    def nelement(self) -> Any: return self.size

    @property
    def is_leaf(self) -> Any:
        """Whether no recorded operation made it."""
        return self.creation_op is None

    def requires_grad_(self, requires_grad: Any = True) -> Any:
        """Set whether backward computes a gradient for this leaf; returns the Tensor."""
        self.requires_grad = requires_grad
        return self
