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

from . import numpy_protocol, ops, seeding
from .anomaly import detect_anomaly
from .calculus.checkpoint import checkpoint
from .calculus.derivatives import grad, gradients, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from .creation import (
    arange,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    one_hot,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    zeros,
    zeros_like,
)
from .draw import draw
from .engine.keywords import instead
from .engine.operation import Operation, operation
from .engine.recording import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .engine.scopes import scope
from .engine.tensor import Tensor
from .function import Function
from .given import as_tensor, from_numpy, tensor
from .ops.activations import (
    elu,
    erf,
    erfc,
    gelu,
    leaky_relu,
    log_softmax,
    logsigmoid,
    logsumexp,
    silu,
    softmax,
    softplus,
    swish,
)
from .ops.angles import deg2rad, rad2deg, sinc
from .ops.arithmetic import (
    add,
    div,
    divide,
    maximum,
    minimum,
    mul,
    multiply,
    neg,
    negative,
    pow,
    power,
    sub,
    subtract,
)
from .ops.assembling import cross, diag, kron, meshgrid, tensordot
from .ops.convolution_functions import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from .ops.cumulative import cumprod, cumsum, linear_recurrence, prod
from .ops.decompositions import eigh, eigvalsh, pinv, svd
from .ops.elementary import abs, cos, exp, log, relu, sigmoid, sign, sin, sqrt, tanh
from .ops.exactness import exact
from .ops.indexing import (
    diagonal,
    gather,
    getitem,
    masked_select,
    pad,
    repeat,
    scatter,
    scatter_add,
    take_along_axis,
    tile,
    tril,
    triu,
)
from .ops.joining import cat, chunk, concatenate, einsum, split, stack, unbind
from .ops.linalg import bmm, cosine_similarity, dot, inner, linear, matmul, mm, outer, trace
from .ops.matrices import cholesky, det, inv, logdet, slogdet, solve
from .ops.ordering import argmax, argmin, argsort, max, median, min, sort
from .ops.patches import fold, unfold
from .ops.piecewise import ceil, clamp, clip, floor, fmax, fmin, round, where
from .ops.pooling import avg_pool2d, max_pool2d
from .ops.pooling_functions import adaptive_avg_pool1d, adaptive_avg_pool2d, avg_pool1d, max_pool1d
from .ops.powers import cbrt, exp2, expm1, log1p, log2, log10, logaddexp, logaddexp2, reciprocal, square
from .ops.predicates import all, allclose, any, equal, isfinite, isinf, isnan
from .ops.ranking import topk
from .ops.rectifiers import (
    celu,
    hardsigmoid,
    hardswish,
    hardtanh,
    mish,
    prelu,
    selu,
    softsign,
    threshold,
)
from .ops.recurrence import gru, lstm, rnn
from .ops.reductions import mean, norm, std, sum, var
from .ops.rounding import divmod, floor_divide, fmod, mod, nan_to_num, remainder, trunc
from .ops.shaping import (
    broadcast_to,
    clone,
    expand_dims,
    flatten,
    flip,
    moveaxis,
    permute,
    ravel,
    reshape,
    roll,
    squeeze,
    swapaxes,
    transpose,
    unsqueeze,
    view,
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
from .ops.variants import index_select, masked_fill, narrow, take
from .seeding import manual_seed, seed
from .testing import GradcheckError, gradcheck, gradgradcheck

if TYPE_CHECKING:
    from . import data, living, nn, optim, static, training
    from .compiling import compile_function as compile
    from .compiling.vmap import vmap
    from .draw import compare, explain, film, slide
    from .living import live
    from .training.objects import load, save

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022  sorted, but packed
    "Function", "GradcheckError", "Operation", "Tensor", "abs", "adaptive_avg_pool1d",
    "adaptive_avg_pool2d", "add", "all", "allclose", "any", "arange", "arccos", "arccosh", "arcsin",
    "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort", "as_tensor", "avg_pool1d",
    "avg_pool2d", "bmm", "broadcast_to", "cat", "cbrt", "ceil", "celu", "checkpoint", "cholesky",
    "chunk", "clamp", "clip", "clone", "compare", "compile", "concatenate", "conv1d", "conv2d",
    "conv_transpose1d", "conv_transpose2d", "cos", "cosh", "cosine_similarity", "cross", "cumprod",
    "cumsum", "data", "deg2rad", "det", "detect_anomaly", "diag", "diagonal", "div", "divide",
    "divmod", "dot", "draw", "eigh", "eigvalsh", "einsum", "elu", "empty", "empty_like", "enable_grad",
    "equal", "erf", "erfc", "exact", "exp", "exp2", "expand_dims", "explain", "expm1", "eye", "film",
    "flatten", "flip", "floor", "floor_divide", "fmax", "fmin", "fmod", "fold", "from_numpy", "full",
    "full_like", "gather", "gelu", "getitem", "grad", "gradcheck", "gradgradcheck", "gradients", "gru",
    "hardsigmoid", "hardswish", "hardtanh", "hessian", "hvp", "hypot", "index_select", "inner", "inv",
    "is_grad_enabled", "isfinite", "isinf", "isnan", "jacobian", "jvp", "kron", "leaky_relu", "linear",
    "linear_recurrence", "linspace", "live", "living", "load", "log", "log10", "log1p", "log2", "log_softmax",
    "logaddexp", "logaddexp2", "logdet", "logsigmoid", "logsumexp", "lstm", "manual_seed",
    "masked_fill", "masked_select", "matmul", "max", "max_pool1d", "max_pool2d", "maximum", "mean",
    "median", "meshgrid", "min", "minimum", "mish", "mm", "mod", "moveaxis", "mul", "multiply",
    "nan_to_num", "narrow", "neg", "negative", "nn", "no_grad", "norm", "numpy_protocol", "one_hot",
    "ones", "ones_like", "operation", "ops", "optim", "outer", "pad", "permute", "pinv", "pow",
    "power", "prelu", "prod", "rad2deg", "rand", "rand_like", "randint", "randn", "randn_like",
    "randperm", "ravel", "reciprocal", "relu", "remainder", "repeat", "reshape", "rnn", "roll",
    "round", "save", "scatter", "scatter_add", "scope", "seed", "seeding", "selu", "set_grad_enabled",
    "sigmoid", "sign", "silu", "sin", "sinc", "sinh", "slide", "slogdet", "softmax", "softplus", "softsign",
    "solve", "sort", "split", "sqrt", "square", "squeeze", "stack", "static", "std", "sub", "subtract",
    "sum", "svd", "swapaxes", "swish", "take", "take_along_axis", "tan", "tanh", "tensor", "tensordot",
    "threshold", "tile", "topk", "trace", "training", "transpose", "tril", "triu", "trunc", "unbind",
    "unfold", "unsqueeze", "value_and_grad", "var", "view", "vjp", "vmap", "where", "zeros",
    "zeros_like",
]  # fmt: skip


ROOMS = ("data", "living", "nn", "optim", "static", "training")
LATE = {
    "compare": ("draw", "compare"),
    "compile": ("compiling", "compile_function"),
    "explain": ("draw", "explain"),
    "film": ("draw", "film"),
    "live": ("living", "live"),
    "load": ("training.objects", "load"),
    "save": ("training.objects", "save"),
    "slide": ("draw", "slide"),
    "vmap": ("compiling.vmap", "vmap"),
}
"""Where a name that is imported on first use comes from, and what it is called there."""


def __getattr__(name: str) -> Any:
    """Import the subpackages, the compiler and other rarely used names on first use."""
    if name in ROOMS:
        return importlib.import_module(f".{name}", __name__)
    if name in LATE:
        module, own_name = LATE[name]
        return getattr(importlib.import_module(f".{module}", __name__), own_name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{instead(name)}")
