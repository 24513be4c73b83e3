"""Derivatives as functions of functions: ``grad(f)`` is a function too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .backward import gradients, zeros
from .state import enable_grad
from .tensor import Tensor, constant_tensor


def grad(f: Callable[..., Any], argnum: int = 0) -> Callable[..., Tensor]:
    """The gradient of ``f``, which returns one number, by its argument number ``argnum``.

    Nothing is stored on ``.grad``. The result is recorded, so ``grad(grad(f))`` is the second derivative.

    Raises TypeError, when called, if ``f`` does not return a Tensor.

    Example
    -------
    >>> import autodiff as ad
    >>> slope = ad.grad(lambda x: x ** 3)
    >>> slope(2.0), ad.grad(slope)(2.0), ad.grad(ad.grad(slope))(2.0)
    (12, 12, 6)
    """

    def gradient(*inputs: Any) -> Tensor:
        arguments = list(inputs)
        x = arguments[argnum]
        if not (isinstance(x, Tensor) and x.requires_grad):
            x = arguments[argnum] = Tensor(x)
        with enable_grad():
            out = f(*arguments)
        if not isinstance(out, Tensor):
            raise TypeError(f"grad needs a function that returns a Tensor, not {type(out).__name__}")
        if not out.requires_grad:  # the same whatever x is
            return constant_tensor(zeros(x))
        return gradients(out, [x], create_graph=True)[0]

    return gradient
