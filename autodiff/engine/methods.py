"""Methods of Tensor that are operations: each looks its operation up in the catalogue, in one line. Some have
two names, NumPy's and PyTorch's.

The operations in ``ops/`` say what the methods compute, with examples.
"""

from __future__ import annotations

import operator
import warnings
from typing import Any

from .catalogue import catalogue
from .conversions import Conversions


class Methods(Conversions):
    """What ``t.exp()``, ``t.sum(axis=0)`` and their like do. ``words`` are PyTorch's: dim, keepdim."""

    __slots__ = ()

    def exp(self) -> Any: return catalogue.exp.unary(self)
    def exp2(self) -> Any: return catalogue.exp2.unary(self)
    def expm1(self) -> Any: return catalogue.expm1.unary(self)
    def log(self) -> Any: return catalogue.log.unary(self)
    def log2(self) -> Any: return catalogue.log2.unary(self)
    def log10(self) -> Any: return catalogue.log10.unary(self)
    def log1p(self) -> Any: return catalogue.log1p.unary(self)
    def sqrt(self) -> Any: return catalogue.sqrt.unary(self)
    def cbrt(self) -> Any: return catalogue.cbrt.unary(self)
    def square(self) -> Any: return catalogue.square.unary(self)
    def reciprocal(self) -> Any: return catalogue.reciprocal.unary(self)
    def sin(self) -> Any: return catalogue.sin.unary(self)
    def cos(self) -> Any: return catalogue.cos.unary(self)
    def tan(self) -> Any: return catalogue.tan.unary(self)
    def arcsin(self) -> Any: return catalogue.arcsin.unary(self)
    def arccos(self) -> Any: return catalogue.arccos.unary(self)
    def arctan(self) -> Any: return catalogue.arctan.unary(self)
    def sinh(self) -> Any: return catalogue.sinh.unary(self)
    def cosh(self) -> Any: return catalogue.cosh.unary(self)
    def tanh(self) -> Any: return catalogue.tanh.unary(self)
    def arcsinh(self) -> Any: return catalogue.arcsinh.unary(self)
    def arccosh(self) -> Any: return catalogue.arccosh.unary(self)
    def arctanh(self) -> Any: return catalogue.arctanh.unary(self)
    def sigmoid(self) -> Any: return catalogue.sigmoid.unary(self)
    def logsigmoid(self) -> Any: return catalogue.logsigmoid.unary(self)
    def relu(self) -> Any: return catalogue.relu.unary(self)
    def softplus(self) -> Any: return catalogue.softplus.unary(self)
    def silu(self) -> Any: return catalogue.silu.unary(self)
    def erf(self) -> Any: return catalogue.erf.unary(self)
    def erfc(self) -> Any: return catalogue.erfc.unary(self)
    def abs(self) -> Any: return catalogue.abs.unary(self)
    def sign(self) -> Any: return catalogue.sign.unary(self)
    def floor(self) -> Any: return catalogue.floor.unary(self)
    def ceil(self) -> Any: return catalogue.ceil.unary(self)

    def negative(self) -> Any: return catalogue.neg.unary(self)
    def neg(self) -> Any: return catalogue.neg.unary(self)

    def add(self, other: Any) -> Any: return catalogue.add.binary(self, other)
    def subtract(self, other: Any) -> Any: return catalogue.sub.binary(self, other)
    def sub(self, other: Any) -> Any: return catalogue.sub.binary(self, other)
    def multiply(self, other: Any) -> Any: return catalogue.mul.binary(self, other)
    def mul(self, other: Any) -> Any: return catalogue.mul.binary(self, other)
    def divide(self, other: Any) -> Any: return catalogue.div.binary(self, other)
    def div(self, other: Any) -> Any: return catalogue.div.binary(self, other)
    def pow(self, other: Any) -> Any: return catalogue.pow.binary(self, other)
    def maximum(self, other: Any) -> Any: return catalogue.maximum.binary(self, other)
    def minimum(self, other: Any) -> Any: return catalogue.minimum.binary(self, other)
    def fmax(self, other: Any) -> Any: return catalogue.fmax.binary(self, other)
    def fmin(self, other: Any) -> Any: return catalogue.fmin.binary(self, other)
    def hypot(self, other: Any) -> Any: return catalogue.hypot.binary(self, other)
    def arctan2(self, other: Any) -> Any: return catalogue.arctan2.binary(self, other)
    def logaddexp(self, other: Any) -> Any: return catalogue.logaddexp.binary(self, other)
    def matmul(self, other: Any) -> Any: return catalogue.matmul.binary(self, other)
    def mm(self, other: Any) -> Any: return catalogue.matmul.binary(self, other)
    def bmm(self, other: Any) -> Any: return catalogue.bmm(self, other)

    def clip(self, low: Any = None, high: Any = None, **words: Any) -> Any:
        """Kept between two bounds; None stands for no bound."""
        return catalogue.clip(self, low, high, **words)

    clamp = clip

    def where(self, condition: Any, other: Any) -> Any: return catalogue.where(condition, self, other)
    def round(self, decimals: int = 0) -> Any: return catalogue.round(self, decimals=decimals)
    def leaky_relu(self, slope: float = 0.01, **words: Any) -> Any:
        return catalogue.leaky_relu(self, slope=slope, **words)

    def elu(self, alpha: float = 1.0) -> Any: return catalogue.elu(self, alpha=alpha)
    def gelu(self, approximate: str = "none") -> Any: return catalogue.gelu(self, approximate=approximate)
    def softmax(self, axis: Any = -1, **words: Any) -> Any:
        return catalogue.softmax(self, axis=axis, **words)

    def log_softmax(self, axis: Any = -1, **words: Any) -> Any:
        return catalogue.log_softmax(self, axis=axis, **words)


    def sum(self, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
        """Sum over all elements, or over ``axis`` (an int, negative too, or a tuple of them)."""
        return catalogue.sum(self, axis=axis, keepdims=keepdims, **words)

    def mean(self, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
        """Mean over all elements, or over ``axis``."""
        return catalogue.mean(self, axis=axis, keepdims=keepdims, **words)

    def logsumexp(self, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
        """The logarithm of the sum of exponentials, over all elements or over ``axis``; stable."""
        return catalogue.logsumexp(self, axis=axis, keepdims=keepdims, **words)

    def prod(self, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
        return catalogue.prod(self, axis=axis, keepdims=keepdims, **words)

    def max(self, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
        return catalogue.max(self, axis=axis, keepdims=keepdims, **words)

    def min(self, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
        return catalogue.min(self, axis=axis, keepdims=keepdims, **words)

    def median(self, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
        return catalogue.median(self, axis=axis, keepdims=keepdims, **words)

    def norm(self, ord: Any = None, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:  # noqa: A002
        """The Euclidean length, or the norm of another order: ``t.norm(1)``, ``t.norm(np.inf, axis=0)``."""
        return catalogue.norm(self, ord, axis=axis, keepdims=keepdims, **words)

    def argmax(self, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
        return catalogue.argmax(self, axis=axis, keepdims=keepdims, **words)

    def argmin(self, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
        return catalogue.argmin(self, axis=axis, keepdims=keepdims, **words)

    def var(self, axis: Any = None, keepdims: bool = False, ddof: int = 0, **words: Any) -> Any:
        return catalogue.var(self, axis=axis, keepdims=keepdims, ddof=ddof, **words)

    def std(self, axis: Any = None, keepdims: bool = False, ddof: int = 0, **words: Any) -> Any:
        return catalogue.std(self, axis=axis, keepdims=keepdims, ddof=ddof, **words)

    def cumsum(self, axis: Any = None, **words: Any) -> Any:
        return catalogue.cumsum(self, axis=axis, **words)

    def cumprod(self, axis: Any = None, **words: Any) -> Any:
        return catalogue.cumprod(self, axis=axis, **words)

    def flip(self, axis: Any = None, **words: Any) -> Any:
        return catalogue.flip(self, axis=axis, **words)

    def squeeze(self, axis: Any = None, **words: Any) -> Any:
        return catalogue.squeeze(self, axis=axis, **words)

    def sort(self, axis: Any = -1, **words: Any) -> Any:
        return catalogue.sort(self, axis=axis, **words)

    def argsort(self, axis: Any = -1, **words: Any) -> Any:
        return catalogue.argsort(self, axis=axis, **words)

    def topk(self, k: int, axis: int = -1, **words: Any) -> Any:
        """The ``k`` largest along ``axis``: their values, and their indices."""
        return catalogue.topk(self, k, axis=axis, **words)

    def ravel(self) -> Any: return catalogue.ravel.unary(self)
    def diag(self, k: int = 0) -> Any: return catalogue.diag(self, k=k)
    def det(self) -> Any: return catalogue.det.unary(self)
    def inv(self) -> Any: return catalogue.inv.unary(self)
    def cholesky(self) -> Any: return catalogue.cholesky.unary(self)
    def logdet(self) -> Any: return catalogue.logdet.unary(self)
    def slogdet(self) -> Any: return catalogue.slogdet(self)
    def dot(self, other: Any) -> Any: return catalogue.dot.binary(self, other)
    def inner(self, other: Any) -> Any: return catalogue.inner.binary(self, other)
    def outer(self, other: Any) -> Any: return catalogue.outer.binary(self, other)
    def solve(self, other: Any) -> Any: return catalogue.solve.binary(self, other)

    def __getitem__(self, index: Any) -> Any: return catalogue.getitem(self, index=index)
    def expand_dims(self, *axis: Any, **words: Any) -> Any: return catalogue.expand_dims(self, *axis, **words)
    def unsqueeze(self, *axis: Any, **words: Any) -> Any: return catalogue.expand_dims(self, *axis, **words)
    def masked_select(self, mask: Any) -> Any: return catalogue.masked_select(self, mask)
    def masked_fill(self, mask: Any, value: Any) -> Any: return catalogue.masked_fill(self, mask, value)
    def tile(self, *reps: Any) -> Any: return catalogue.tile(self, reps=reps[0] if len(reps) == 1 else reps)
    def tril(self, k: int = 0, **words: Any) -> Any: return catalogue.tril(self, k=k, **words)
    def triu(self, k: int = 0, **words: Any) -> Any: return catalogue.triu(self, k=k, **words)

    def split(self, *sections: Any, **words: Any) -> Any:
        """Parts along ``axis``: ``t.split(2)`` makes two, ``t.split([1, 3], axis=1)`` cuts at two places."""
        return catalogue.split(self, *sections, **words)

    def chunk(self, chunks: int, axis: int = 0, **words: Any) -> Any:
        return catalogue.chunk(self, chunks, axis=axis, **words)

    def unbind(self, axis: int = 0, **words: Any) -> Any:
        return catalogue.unbind(self, axis=axis, **words)

    def take(self, *arguments: Any, **words: Any) -> Any:
        """Elements at indices: ``t.take(indices)`` of the flattened Tensor, or ``t.take(indices, axis)``."""
        return catalogue.take(self, *arguments, **words)

    def index_select(self, *arguments: Any, **words: Any) -> Any:
        """The slices at some indices along an axis: ``t.index_select(1, [0, 2])``, the axis first."""
        return catalogue.index_select(self, *arguments, **words)

    def narrow(self, *arguments: Any, **words: Any) -> Any:
        """A range of an axis: ``t.narrow(axis, start, length)``."""
        return catalogue.narrow(self, *arguments, **words)

    def roll(self, *shift: Any, **words: Any) -> Any:
        """Shifted cyclically by ``shift`` places: ``t.roll(1)``, ``t.roll(1, axis=0)``."""
        return catalogue.roll(self, *shift, **words)

    def repeat(self, repeats: Any, axis: Any = None, **words: Any) -> Any:
        return catalogue.repeat(self, repeats=repeats, axis=axis, **words)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Any:
        return catalogue.flatten(self, start_dim=start_dim, end_dim=end_dim)

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        return catalogue.swapaxes(self, axis1=axis1, axis2=axis2)

    def moveaxis(self, source: Any, destination: Any) -> Any:
        return catalogue.moveaxis(self, source=source, destination=destination)

    def pad(self, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
        return catalogue.pad(self, pad_width=pad_width, mode=mode, constant_values=constant_values)

    def take_along_axis(self, indices: Any, axis: Any = -1, **words: Any) -> Any:
        return catalogue.take_along_axis(self, indices=indices, axis=axis, **words)

    def gather(self, *arguments: Any, **words: Any) -> Any:
        """The elements that ``indices`` name along an axis: ``t.gather(axis, indices)``."""
        return catalogue.gather(self, *arguments, **words)

    def scatter_add(self, axis: Any = None, indices: Any = None, source: Any = None, **words: Any) -> Any:
        sources = () if source is None else (source,)
        return catalogue.scatter_add(self, *sources, axis=axis, indices=indices, **words)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1, **words: Any) -> Any:
        return catalogue.diagonal(self, offset=offset, axis1=axis1, axis2=axis2, **words)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        return catalogue.trace(self, offset=offset, axis1=axis1, axis2=axis2)

    def reshape(self, *shape: Any) -> Any:
        """The same elements in another shape: ``t.reshape(2, 3)`` or ``t.reshape((2, -1))``."""
        return catalogue.reshape(self, shape=shape[0] if len(shape) == 1 else shape)

    view = reshape

    def broadcast_to(self, *shape: Any) -> Any:
        """Stretched to a shape: ``t.broadcast_to(2, 3)`` or ``t.broadcast_to((2, 3))``."""
        return catalogue.broadcast_to(self, shape=shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Any:
        """Axes reversed, or in the given order: ``t.transpose(1, 0, 2)``.

        Two axes are swapped by ``t.swapaxes(0, 1)``, which is what PyTorch's ``t.transpose(0, 1)`` does. Here
        that order leaves a matrix as it is, and warns; ``t.transpose((0, 1))`` does not warn.
        """
        if len(axes) == 2:
            warn_of_identity(self, axes)
        return catalogue.transpose(self, axes=axes[0] if len(axes) == 1 else axes or None)

    def permute(self, *axes: Any) -> Any:
        """Axes in the given order: ``t.permute(1, 0, 2)``."""
        return catalogue.transpose(self, axes=axes[0] if len(axes) == 1 else axes or None)

    @property
    def T(self) -> Any:
        """The transpose: axes in reverse order."""
        return catalogue.transpose(self, axes=None)

    def t(self) -> Any: return catalogue.t(self)

    def expand(self, *shape: Any) -> Any:
        """Stretched to a shape, where -1 keeps an axis: ``t.expand(-1, 3)``."""
        return catalogue.expand(self, *shape)

    def expand_as(self, other: Any) -> Any: return catalogue.expand(self, *other.shape)
    def view_as(self, other: Any) -> Any: return catalogue.reshape(self, shape=other.shape)
    def reshape_as(self, other: Any) -> Any: return catalogue.reshape(self, shape=other.shape)

    # -- in place: a leaf is changed, nothing is recorded ---------------------------------------------------

    def add_(self, other: Any, *, alpha: Any = 1) -> Any:
        """``t += alpha * other``, for a leaf."""
        return catalogue.update_in_place(self, catalogue.add, operator.iadd, other, alpha)

    def sub_(self, other: Any, *, alpha: Any = 1) -> Any:
        """``t -= alpha * other``, for a leaf."""
        return catalogue.update_in_place(self, catalogue.sub, operator.isub, other, alpha)

    def mul_(self, other: Any) -> Any:
        return catalogue.update_in_place(self, catalogue.mul, operator.imul, other)

    def div_(self, other: Any) -> Any:
        return catalogue.update_in_place(self, catalogue.div, operator.itruediv, other)

    def fill_(self, value: Any) -> Any: return catalogue.fill_in_place(self, value)
    def zero_(self) -> Any: return catalogue.fill_in_place(self, 0)
    def copy_(self, source: Any) -> Any: return catalogue.copy_in_place(self, source)

    def clamp_(self, min: Any = None, max: Any = None) -> Any:  # noqa: A002  PyTorch's words
        return catalogue.clamp_in_place(self, min, max)


def warn_of_identity(tensor: Any, axes: tuple[Any, ...]) -> None:
    """Warn if two axes are given as separate arguments in their present order: whoever writes that means to
    swap them."""
    if tensor.ndim == 2 and [axis % 2 if isinstance(axis, int) else axis for axis in axes] == [0, 1]:
        warnings.warn(
            f"transpose{axes} leaves a matrix as it is: NumPy's axes are an order. To swap the two, as in "
            "PyTorch, write t.T or t.swapaxes(0, 1); if the order is meant, t.transpose((0, 1))",
            UserWarning,
            stacklevel=3,
        )
