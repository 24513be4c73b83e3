"""Automatic differentiation, one number at a time, with every gradient in sight.

>>> import autodiff as ad
>>> a = ad.Tensor(2)
>>> e = (a + 2) * (3 * a + 4)
>>> e.backward()
>>> e, a.grad
(40, 22)
"""

from typing import TYPE_CHECKING, Any

from . import ops
from .calculus import grad
from .draw import draw
from .operation import Operation, operation
from .ops.arithmetic import add, div, maximum, minimum, mul, neg, pow, sub
from .ops.elementary import abs, cos, exp, log, relu, sigmoid, sign, sin, sqrt, tanh
from .ops.linalg import matmul
from .ops.reductions import mean, sum
from .ops.shaping import broadcast_to, reshape, transpose
from .state import enable_grad, no_grad, scope
from .tensor import Tensor
from .testing import GradcheckError, gradcheck

if TYPE_CHECKING:
    from .draw import compare, explain, film

__version__ = "0.1.0"

__all__ = [
    "GradcheckError", "Operation", "Tensor", "abs", "add", "broadcast_to", "compare", "cos", "div", "draw",
    "enable_grad", "exp", "explain", "film", "grad", "gradcheck", "log", "matmul", "maximum", "mean",
    "minimum", "mul", "neg", "no_grad", "operation", "ops", "pow", "relu", "reshape", "scope", "sigmoid",
    "sign", "sin", "sqrt", "sub", "sum", "tanh", "transpose",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The other cameras, imported when first used."""
    if name in ("compare", "explain", "film"):
        from .draw import compare, explain, film

        return {"compare": compare, "explain": explain, "film": film}[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
