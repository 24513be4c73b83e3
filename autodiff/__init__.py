"""Automatic differentiation, one number at a time, with every gradient in sight.

>>> import autodiff as ad
>>> a = ad.Tensor(2)
>>> e = (a + 2) * (3 * a + 4)
>>> e.backward()
>>> e, a.grad
(40, 22)
"""

import importlib
from typing import TYPE_CHECKING, Any

from . import numpy_functions, ops, seeding
from .anomaly import detect_anomaly
from .calculus import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from .checkpointing import checkpoint
from .draw import draw
from .function import Function
from .operation import Operation, operation
from .ops.activations import (
    elu,
    erf,
    gelu,
    leaky_relu,
    log_softmax,
    logsigmoid,
    logsumexp,
    silu,
    softmax,
    softplus,
)
from .ops.arithmetic import add, div, maximum, minimum, mul, neg, pow, sub
from .ops.cumulative import cumprod, cumsum, linear_recurrence, prod
from .ops.elementary import abs, cos, exp, log, relu, sigmoid, sign, sin, sqrt, tanh
from .ops.indexing import diagonal, getitem, pad, repeat, scatter, take_along_axis, tile, tril, triu
from .ops.joining import chunk, concatenate, einsum, split, stack, unbind
from .ops.linalg import dot, inner, matmul, outer, trace
from .ops.matrices import cholesky, det, inv, logdet, solve
from .ops.ordering import argmax, argmin, argsort, max, min, sort
from .ops.piecewise import ceil, clip, floor, fmax, fmin, round, where
from .ops.powers import cbrt, exp2, expm1, log1p, log2, log10, logaddexp, reciprocal, square
from .ops.reductions import mean, norm, std, sum, var
from .ops.shaping import (
    broadcast_to,
    expand_dims,
    flatten,
    flip,
    moveaxis,
    ravel,
    reshape,
    roll,
    squeeze,
    swapaxes,
    transpose,
)
from .ops.trigonometry import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cosh,
    hypot,
    sinh,
    tan,
)
from .seeding import seed
from .state import enable_grad, no_grad, scope
from .tensor import Tensor
from .testing import GradcheckError, gradcheck, gradgradcheck

if TYPE_CHECKING:
    from . import data, nn, optim
    from .draw import compare, explain, film

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022  sorted, but packed
    "Function", "GradcheckError", "Operation", "Tensor", "abs", "add", "arccos", "arccosh", "arcsin",
    "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort", "broadcast_to", "cbrt",
    "ceil", "checkpoint", "cholesky", "chunk", "clip", "compare", "concatenate", "cos", "cosh", "cumprod",
    "cumsum", "data", "det", "detect_anomaly", "diagonal", "div", "dot", "draw", "einsum", "elu",
    "enable_grad", "erf", "exp", "exp2", "expand_dims", "explain", "expm1", "film", "flatten", "flip",
    "floor", "fmax", "fmin", "gelu", "getitem", "grad", "gradcheck", "gradgradcheck", "hessian", "hvp",
    "hypot", "inner", "inv", "jacobian", "jvp", "leaky_relu", "linear_recurrence", "log", "log10", "log1p",
    "log2", "log_softmax", "logaddexp", "logdet", "logsigmoid", "logsumexp", "matmul", "max", "maximum",
    "mean", "min", "minimum", "moveaxis", "mul", "neg", "nn", "no_grad", "norm", "numpy_functions",
    "operation", "ops", "optim", "outer", "pad", "pow", "prod", "ravel", "reciprocal", "relu", "repeat",
    "reshape", "roll", "round", "scatter", "scope", "seed", "seeding", "sigmoid", "sign", "silu", "sin",
    "sinh", "softmax", "softplus", "solve", "sort", "split", "sqrt", "square", "squeeze", "stack", "std",
    "sub", "sum", "swapaxes", "take_along_axis", "tan", "tanh", "tile", "trace", "transpose", "tril",
    "triu", "unbind", "value_and_grad", "var", "vjp", "where",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The other cameras, and the rooms of the framework, imported when first used."""
    if name in ("data", "nn", "optim", "training"):
        return importlib.import_module(f".{name}", __name__)
    if name in ("compare", "explain", "film"):
        from .draw import compare, explain, film

        return {"compare": compare, "explain": explain, "film": film}[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
