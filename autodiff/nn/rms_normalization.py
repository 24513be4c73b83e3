"""RMSNorm: normalization by the root mean square alone. ``rms_norm`` is the same as a function."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import NOT_NEGATIVE, checked_integer, checked_number
from ..engine.operands import as_recorded
from ..engine.operation import operation
from ..engine.tensor import raw
from ..ops.elementary import sqrt
from ..ops.reductions import mean
from .checks import check_last_axes, checked_dtype
from .module import Module
from .normalization import scale_and_shift
from .parameter import Parameter


@operation(precision="floats")
def rms_normalize(x: Any, *, axis: tuple[int, ...], eps: float) -> Any:
    """``x`` divided by its root mean square along ``axis``; ``eps`` is added under the root.

    >>> from autodiff import Tensor
    >>> from autodiff.nn.rms_normalization import rms_normalize
    >>> rms_normalize(Tensor([[3.0, -3.0]]), axis=(1,), eps=0.0)
    [[ 1 -1]]
    """
    return x / np.sqrt(np.mean(x * x, axis=axis, keepdims=True) + eps)


def rms_normalize_rule(grad: Any, z: Any, x: Any, axis: tuple[int, ...], eps: float) -> Any:
    """The component of the gradient along x is removed, since scaling x does not change z. The rest is
    divided by the root mean square."""
    left = grad - z * mean(grad * z, axis=axis, keepdims=True)
    return left / sqrt(mean(x * x, axis=axis, keepdims=True) + eps)


rms_normalize.backward(rms_normalize_rule)


def rms_norm(
    input: Any, normalized_shape: int | tuple[int, ...], weight: Any = None, eps: float | None = None
) -> Any:
    """Divide each example by its root mean square over its last axes, see :class:`~autodiff.nn.RMSNorm`.

    Parameters
    ----------
    input
        Of shape ``(..., *normalized_shape)``.
    normalized_shape
        The sizes of the last axes, or one size for the last.
    weight
        Of shape ``normalized_shape``, or None.
    eps
        Added to the mean square; None uses the machine epsilon of the input's dtype.

    Raises
    ------
    ValueError
        If the last axes of the input have other sizes.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.rms_norm([[3.0, -3.0]], 2, eps=0.0)
    array([[ 1., -1.]])
    """
    x = as_recorded(input)
    sizes = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    check_last_axes(x, sizes, "rms_norm")
    if eps is None:
        eps = float(np.finfo(np.result_type(raw(x).dtype, np.float16)).eps)
    return scale_and_shift(rms_normalize(x, axis=tuple(range(-len(sizes), 0)), eps=eps), weight, None, sizes)


class RMSNorm(Module):
    """Divides each example by its root mean square over its last axes, followed by a learned scale
    (Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019).

    It is a :class:`LayerNorm` that does not subtract the mean and has no bias.

    Parameters
    ----------
    normalized_shape
        The sizes of the last axes, or one size for the last.
    eps
        Added to the mean square; None uses the machine epsilon of the input's dtype.
    elementwise_affine
        False leaves out the scale.
    dtype
        The float dtype of the scale, float32 by default.

    Attributes
    ----------
    weight
        A Parameter of shape ``normalized_shape``, initially ones, or None.

    Raises
    ------
    TypeError, ValueError
        If ``eps`` is neither None nor a number of at least 0.
    ValueError
        At the call, if the last axes of the input have other sizes.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.RMSNorm(2, eps=0.0)(Tensor([[3.0, -3.0], [1.0, 7.0]]))
    [[  1  -1]
     [0.2 1.4]]
    """

    normalized_shape: tuple[int, ...]
    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float | None = None,
        elementwise_affine: bool = True,
        *,
        dtype: Any = None,
    ) -> None:
        sizes = normalized_shape if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
        self.normalized_shape = tuple(checked_integer("normalized_shape", size, self) for size in sizes)
        if not sizes:
            raise ValueError(
                f"normalized_shape of RMSNorm must contain at least one size, not {normalized_shape}"
            )
        self.eps: float | None = None if eps is None else checked_number("eps", eps, NOT_NEGATIVE, self)
        dtype = checked_dtype(dtype, self)
        self.weight = Parameter(np.ones(self.normalized_shape), dtype=dtype) if elementwise_affine else None

    def forward(self, x: Any) -> Any:
        """``x`` of shape ``(..., *normalized_shape)`` keeps its shape."""
        x = as_recorded(x)
        check_last_axes(x, self.normalized_shape, self._title())
        return rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The sizes, and the settings that differ from their defaults."""
        sizes = self.normalized_shape
        options = "" if self.eps is None else f", eps={self.eps:g}"
        options += ", elementwise_affine=False" * (self.weight is None)
        return f"{sizes[0] if len(sizes) == 1 else sizes}{options}"
