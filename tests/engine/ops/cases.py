"""One case per operation of the catalogue: what NumPy says it is, and operands and options to try it on.

The property tests and the comparison with torch read this table. A new operation needs a line here.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autodiff.engine.catalogue import catalogue
from autodiff.testing import LAYOUTS, laid
from tests.engine.ops import draws, windowed
from tests.engine.ops import references as ref

SIDE = 3  # sizes 0 to 3: empty, stretched, and two that cannot be mistaken for each other

# Values lie on a grid that floats of every size hold exactly. No grid has a kink on it, and no two grids
# share a value: a tie or a corner has no slope to compare with, and has tests of its own.
ANY = tuple(k / 8 + 1 / 16 for k in range(-8, 8))
OTHER = tuple(k / 8 + 1 / 32 for k in range(-8, 8))
POSITIVE = tuple(k / 8 + 1 / 16 for k in range(4, 12))
THIRD = tuple(k / 8 + 3 / 32 for k in range(-8, 8))
ABOVE_ONE = tuple(1 + value for value in POSITIVE)
CONDITION = (0.0, 1.0)
NONZERO = POSITIVE + tuple(-value for value in POSITIVE)
DIVISOR = tuple(sign * (k / 8 + 3 / 128) for k in range(4, 12) for sign in (1, -1))  # no jump of x % y
DISTINCT = tuple(k / 8 + 1 / 16 for k in range(-16, 16))  # enough for each element to have its own
MORE = tuple(k / 8 + 1 / 16 for k in range(-32, 32))  # for a pool's output, which padding may enlarge

WIDE = tuple(4 * value for value in ANY)  # beyond the corners at -3 and 3
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848, 1.0507009873554804934

Operands = tuple[list[tuple[int, ...]], dict[str, Any]]  # a shape per operand, and the options


@dataclass(frozen=True)
class Case:
    """``numpy(*arrays, **options)`` is what the operation must give on values from ``grids``."""

    numpy: Callable[..., Any]
    grids: tuple[tuple[float, ...], ...] = (ANY,)
    operands: Callable[[st.DrawFn, Case], Operands] | None = None
    torch: str | Callable[..., Any] | None = None  # a function's name there, or how to call it
    real: bool = field(default=False, kw_only=True)  # not analytic, or takes no complex numbers
    constant: bool = field(default=False, kw_only=True)  # its rules are None
    distinct: bool = field(default=False, kw_only=True)  # no two elements are equal: a tie is a kink
    prepare: Callable[[Any], Any] | None = field(default=None, kw_only=True)  # what the first operand must be
    atol: float = field(default=0.0, kw_only=True)  # by how many steps of its dtype the result may be off


def broadcastable(draw: st.DrawFn, case: Case) -> Operands:
    """Shapes that NumPy broadcasts together: one per operand, no options."""
    count = len(case.grids)
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=count, min_side=0, max_side=SIDE, max_dims=3))
    return list(shapes.input_shapes), {}


def one_shape(draw: st.DrawFn) -> tuple[int, ...]:
    return draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=SIDE))


def reduced(draw: st.DrawFn, case: Case) -> Operands:
    """A shape, and None, an axis or several of them, counted from either end."""
    shape = one_shape(draw)
    n = len(shape)
    axis = draw(st.none() | hnp.valid_tuple_axes(n) | (st.integers(-n, n - 1) if n else st.none()))
    return [shape], {"axis": axis, "keepdims": draw(st.booleans())}


def reshaped(draw: st.DrawFn, case: Case) -> Operands:
    """A shape, and another for the same elements, perhaps with a size left to NumPy."""
    shape = one_shape(draw)
    sizes = draw(st.permutations((*shape, 1)))
    target = draw(st.sampled_from([tuple(sizes), (int(np.prod(shape, dtype=int)),)]))
    if 0 not in target and draw(st.booleans()):
        target = (-1, *target[1:])
    return [shape], {"shape": target}


def transposed(draw: st.DrawFn, case: Case) -> Operands:
    """A shape, and None or an order of its axes, some counted from the end."""
    shape = one_shape(draw)
    axes = draw(st.none() | st.permutations(range(len(shape))).map(tuple))
    if axes is not None:
        axes = tuple(axis - len(shape) * draw(st.booleans()) for axis in axes)
    return [shape], {"axes": axes}


def stretched(draw: st.DrawFn, case: Case) -> Operands:
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=1, min_side=0, max_side=SIDE, max_dims=2))
    size = draw(st.integers(1, SIDE))
    return list(shapes.input_shapes), {"shape": (size, *shapes.result_shape)}


def converted(draw: st.DrawFn, case: Case) -> Operands:
    return [one_shape(draw)], {"dtype": draw(st.sampled_from([np.float64, np.longdouble]))}


def multiplied(draw: st.DrawFn, case: Case) -> Operands:
    """Shapes of a matrix product: vectors, matrices, stacks of them."""
    shapes = draw(
        hnp.mutually_broadcastable_shapes(
            signature=np.matmul.signature, min_side=0, max_side=SIDE, max_dims=1
        )
    )
    return list(shapes.input_shapes), {}


def leaked(draw: st.DrawFn, case: Case) -> Operands:
    return [one_shape(draw)], {"slope": draw(st.sampled_from([0.0, 0.01, 0.2, 3.0]))}


def bottomed(draw: st.DrawFn, case: Case) -> Operands:
    return [one_shape(draw)], {"alpha": draw(st.sampled_from([0.5, 1.0, 2.0]))}


def approximated(draw: st.DrawFn, case: Case) -> Operands:
    return [one_shape(draw)], {"approximate": draw(st.sampled_from(["none", "tanh"]))}


def bounded(draw: st.DrawFn, case: Case) -> Operands:
    low = draw(st.sampled_from([-1.0, -0.5, 0.0]))
    return [one_shape(draw)], {"low": low, "high": draw(st.sampled_from([0.5, 1.0, 6.0]))}


def at_a_level(draw: st.DrawFn, case: Case) -> Operands:
    options = {"level": draw(st.sampled_from([-0.5, 0.0, 0.5])), "value": draw(st.sampled_from([-2.0, 0.0]))}
    return [one_shape(draw)], options


def rounded(draw: st.DrawFn, case: Case) -> Operands:
    return [one_shape(draw)], {"decimals": draw(st.integers(-1, 2))}


def normalized(draw: st.DrawFn, case: Case) -> Operands:
    """A shape, and one of its axes, counted from either end."""
    shape = one_shape(draw)
    n = len(shape)
    return [shape], {"axis": draw(st.integers(-n, n - 1)) if n else -1}


def wins(x: Any, y: Any) -> Any:
    return np.where(x > y, 1.0, np.where(x == y, 0.5, 0.0)).astype(np.result_type(x, y))


def mean(x: Any, **options: Any) -> Any:
    """NumPy's mean, which warns when there is nothing to take the mean of; the package does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.mean(x, **options)


def in_float64(function: Callable[..., Any]) -> Callable[..., Any]:
    """A formula evaluated in float64, or complex128, with the result in the dtype that came in."""

    def reference(*operands: Any, **options: Any) -> Any:
        with np.errstate(divide="ignore"):  # the log of nothing
            exact = (np.asarray(x, dtype=np.result_type(x, np.float64)) for x in operands)
            result = function(*exact, **options)
        return np.asarray(result).astype(np.result_type(*operands))

    return reference


erf = np.vectorize(math.erf, otypes=[float])
erfc = np.vectorize(math.erfc, otypes=[float])


def gelu(x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        return x / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x * (1 + erf(x / math.sqrt(2))) / 2


def softmax(x: Any, axis: Any) -> Any:
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)


def functional(name: str) -> Callable[..., Any]:
    """A function of torch.nn.functional, looked up when it is called: torch may not be there."""

    def call(*tensors: Any, **options: Any) -> Any:
        import torch

        return getattr(torch.nn.functional, name)(*tensors, **options)

    return call


def torch_prelu(x: Any, weight: Any) -> Any:
    """Torch's own takes a weight per channel alone."""
    return x.clamp(min=0) + weight * x.clamp(max=0)


def torch_where(condition: Any, x: Any, y: Any) -> Any:
    import torch

    return torch.where(condition != 0, x, y)


def torch_clip(x: Any, low: Any, high: Any) -> Any:
    """Not torch's own clamp, whose gradient for a bound without axes fails where x is empty."""
    return x.maximum(low).minimum(high)


def torch_reduce(tensor: Any, name: str, axis: Any, keepdims: bool) -> Any:
    """To torch an empty tuple of axes means all of them; to NumPy it means none."""
    axes = tuple(range(tensor.ndim)) if axis is None else axis
    return tensor * 1 if axes == () else getattr(tensor, name)(dim=axes, keepdim=keepdims)


def torch_permute(tensor: Any, axes: Any) -> Any:
    return tensor.permute(tuple(reversed(range(tensor.ndim))) if axes is None else axes)


CASES: dict[str, Case] = {
    "add": Case(np.add, (ANY, OTHER), torch="add"),
    "sub": Case(np.subtract, (ANY, OTHER), torch="sub"),
    "mul": Case(np.multiply, (ANY, OTHER), torch="mul"),
    "div": Case(np.divide, (ANY, NONZERO), torch="div"),
    "neg": Case(np.negative, torch="neg"),
    "pow": Case(np.power, (POSITIVE, ANY), torch="pow"),
    "wins": Case(wins, (ANY, OTHER), constant=True),
    "maximum": Case(np.maximum, (ANY, OTHER), torch="maximum"),
    "minimum": Case(np.minimum, (ANY, OTHER), torch="minimum"),
    "exp": Case(np.exp, torch="exp"),
    "log": Case(np.log, (POSITIVE,), torch="log"),
    "sqrt": Case(np.sqrt, (POSITIVE,), torch="sqrt"),
    "sin": Case(np.sin, torch="sin"),
    "cos": Case(np.cos, torch="cos"),
    "tanh": Case(np.tanh, torch="tanh"),
    "sech2": Case(lambda x: 1 / np.cosh(x) ** 2, real=True),
    "sigmoid": Case(lambda x: 1 / (1 + np.exp(-x)), torch="sigmoid", real=True),
    "relu": Case(lambda x: np.maximum(x, 0), torch="relu"),
    "sign": Case(np.sign, constant=True),
    "abs": Case(np.abs, torch="abs", real=True),
    "sum": Case(np.sum, operands=reduced, torch=lambda x, **o: torch_reduce(x, "sum", **o)),
    "mean": Case(mean, operands=reduced, torch=lambda x, **o: torch_reduce(x, "mean", **o)),
    "reshape": Case(
        lambda x, shape: np.reshape(x, shape), operands=reshaped, torch=lambda x, shape: x.reshape(shape)
    ),
    "transpose": Case(np.transpose, operands=transposed, torch=torch_permute),
    "broadcast_to": Case(np.broadcast_to, operands=stretched, torch=lambda x, shape: x.broadcast_to(shape)),
    "cast": Case(lambda x, dtype: np.asarray(x).astype(dtype), operands=converted, real=True),
    "matmul": Case(np.matmul, (ANY, OTHER), operands=multiplied, torch="matmul"),
    # powers
    "square": Case(np.square, torch="square"),
    "cbrt": Case(np.cbrt, (NONZERO,), real=True),
    "reciprocal": Case(np.reciprocal, (NONZERO,), torch="reciprocal"),
    "exp2": Case(np.exp2, torch="exp2"),
    "expm1": Case(np.expm1, torch="expm1"),
    "log2": Case(np.log2, (POSITIVE,), torch="log2"),
    "log10": Case(np.log10, (POSITIVE,), torch="log10"),
    "log1p": Case(np.log1p, torch="log1p"),
    "logaddexp": Case(np.logaddexp, (ANY, OTHER), torch="logaddexp", real=True),
    # trigonometry
    "tan": Case(np.tan, torch="tan"),
    "arcsin": Case(np.arcsin, torch="arcsin"),
    "below_one": Case(lambda x: 1 - x * x),
    "arccos": Case(np.arccos, torch="arccos"),
    "arctan": Case(np.arctan, torch="arctan"),
    "arctan2": Case(np.arctan2, (ANY, OTHER), torch="arctan2", real=True),
    "hypot": Case(np.hypot, (ANY, OTHER), torch="hypot", real=True),
    "cosine": Case(lambda x, y: x / np.hypot(x, y), (ANY, OTHER), real=True),
    "sinh": Case(np.sinh, torch="sinh"),
    "cosh": Case(np.cosh, torch="cosh"),
    "arcsinh": Case(np.arcsinh, torch="arcsinh"),
    "arccosh": Case(np.arccosh, (ABOVE_ONE,), torch="arccosh"),
    "arctanh": Case(np.arctanh, torch="arctanh"),
    # piecewise
    "where": Case(np.where, (CONDITION, ANY, OTHER), torch=torch_where),
    "clip": Case(
        # Of numbers alone the larger is a float64, which would decide the dtype of the rest.
        lambda x, low, high: np.minimum(np.maximum(x, low, dtype=np.result_type(x, low, high)), high),
        (ANY, OTHER, THIRD),
        torch=torch_clip,
    ),
    "fmax": Case(np.fmax, (ANY, OTHER), torch="fmax"),
    "fmin": Case(np.fmin, (ANY, OTHER), torch="fmin"),
    "floor": Case(np.floor, constant=True),
    "ceil": Case(np.ceil, constant=True),
    "round": Case(np.round, operands=rounded, constant=True),
    # activations
    "softplus": Case(in_float64(lambda x: np.log1p(np.exp(x))), torch=functional("softplus")),
    "logsigmoid": Case(in_float64(lambda x: -np.log1p(np.exp(-x))), torch=functional("logsigmoid")),
    "silu": Case(in_float64(lambda x: x / (1 + np.exp(-x))), torch=functional("silu")),
    "leaky_relu": Case(
        in_float64(lambda x, slope: np.where(x > 0, x, slope * x)), operands=leaked,
        torch=lambda x, slope: functional("leaky_relu")(x, slope),
    ),
    "elu": Case(
        in_float64(lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x))), operands=bottomed,
        torch=functional("elu"),
    ),
    "erf": Case(in_float64(erf), torch="erf", real=True),
    "erfc": Case(in_float64(erfc), torch="erfc", real=True),
    "gelu": Case(in_float64(gelu), operands=approximated, torch=functional("gelu"), real=True),
    # rectifiers
    "selu": Case(
        in_float64(lambda x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(x))),
        torch=functional("selu"),
    ),
    "celu": Case(
        in_float64(lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x / alpha))), operands=bottomed,
        torch=functional("celu"),
    ),
    "mish": Case(in_float64(lambda x: x * np.tanh(np.log1p(np.exp(x)))), torch=functional("mish")),
    "softsign": Case(lambda x: x / (1 + np.abs(x)), torch=functional("softsign"), real=True),
    "prelu": Case(lambda x, weight: np.where(x > 0, x, weight * x), (ANY, OTHER), torch=torch_prelu),
    "hardtanh": Case(
        lambda x, low, high: np.minimum(np.maximum(x, low), high), operands=bounded,
        torch=lambda x, low, high: functional("hardtanh")(x, low, high),
    ),
    "hardsigmoid": Case(
        in_float64(lambda x: np.minimum(np.maximum(x + 3, 0), 6) / 6), (WIDE,),
        torch=lambda x: functional("relu6")(x + 3) / 6,  # its own has a sixth in single precision
    ),
    "hardswish": Case(
        in_float64(lambda x: x * np.minimum(np.maximum(x + 3, 0), 6) / 6), (WIDE,),
        torch=functional("hardswish"),
    ),
    "threshold": Case(
        in_float64(lambda x, level, value: np.where(x > level, x, value)), operands=at_a_level,
        torch=lambda x, level, value: functional("threshold")(x, level, value),
    ),
    "softmax": Case(in_float64(softmax), operands=normalized, torch=lambda x, axis: x.softmax(axis)),
    "log_softmax": Case(
        in_float64(lambda x, axis: np.log(softmax(x, axis))), operands=normalized,
        torch=lambda x, axis: x.log_softmax(axis),
    ),
    "logsumexp": Case(
        in_float64(lambda x, **options: np.log(np.sum(np.exp(x), **options))), (POSITIVE,), operands=reduced,
        torch=lambda x, **o: torch_reduce(x, "logsumexp", **o),
    ),
    "prod": Case(np.prod, operands=draws.along_axes, torch=ref.torch_prod),
    "var": Case(ref.in_silence(np.var), operands=draws.with_ddof, torch=ref.torch_var, real=True),
    "std": Case(ref.in_silence(np.std), (DISTINCT,), operands=draws.with_ddof, distinct=True, real=True),
    "norm": Case(ref.norm, operands=draws.along_axes, torch=ref.torch_norm),
    # The score of an element near the mean is a difference of larger numbers.
    "score": Case(ref.score, (DISTINCT,), operands=draws.scored, distinct=True, real=True, atol=4),
    "unit": Case(ref.unit, (NONZERO,), operands=draws.directed, real=True),
    "max": Case(np.max, (DISTINCT,), operands=draws.of_something, distinct=True, torch=ref.torch_max),
    "min": Case(np.min, (DISTINCT,), operands=draws.of_something, distinct=True, torch=ref.torch_min),
    "median": Case(
        ref.in_silence(ref.median), (DISTINCT,), draws.along_axes, ref.torch_median, distinct=True
    ),
    "middle": Case(ref.middle, (DISTINCT,), draws.flipped, constant=True, distinct=True),
    "ties": Case(ref.ties, (ANY, ANY), operands=draws.ties, constant=True),
    "argmax": Case(np.argmax, operands=draws.one_of_something, constant=True),
    "argmin": Case(np.argmin, operands=draws.one_of_something, constant=True),
    "argsort": Case(ref.argsort, operands=draws.along_one, constant=True),
    "sort": Case(np.sort, (DISTINCT,), operands=draws.along_one, distinct=True, torch=ref.torch_sort),
    "cumsum": Case(np.cumsum, operands=draws.along_one, torch=ref.torch_cumulative("cumsum")),
    "cumprod": Case(np.cumprod, operands=draws.along_one, torch=ref.torch_cumulative("cumprod")),
    "linear_recurrence": Case(ref.recurrence, (ANY, OTHER), operands=draws.two_along_one),
    "ravel": Case(np.ravel, operands=draws.plain, torch="ravel"),
    "flatten": Case(ref.flatten, operands=draws.flattened, torch="flatten"),
    "squeeze": Case(np.squeeze, operands=draws.squeezed, torch=ref.torch_squeeze),
    "expand_dims": Case(np.expand_dims, operands=draws.expanded),
    "swapaxes": Case(np.swapaxes, operands=draws.swapped, torch=lambda x, **o: x.swapaxes(*o.values())),
    "moveaxis": Case(np.moveaxis, operands=draws.moved, torch=lambda x, **o: x.moveaxis(*o.values())),
    "flip": Case(np.flip, operands=draws.flipped, torch=lambda x, axis: x.flip(ref.torch_axes(x, axis))),
    "roll": Case(np.roll, operands=draws.rolled),
    "getitem": Case(lambda x, index: x[index], operands=draws.picked),
    "scatter": Case(ref.scatter, operands=draws.put),
    "take_along_axis": Case(np.take_along_axis, operands=draws.taken, torch=ref.torch_take),
    "repeat": Case(np.repeat, operands=draws.repeated, torch=ref.torch_repeat),
    "tile": Case(np.tile, operands=draws.tiled),
    "gather": Case(ref.gather, operands=draws.gathered, torch=ref.torch_gather),
    "scatter_add": Case(ref.scatter_add, (ANY, OTHER), draws.scattered, ref.torch_scatter_add),
    "concatenate": Case(ref.concatenate, (ANY, OTHER, THIRD), draws.joined, ref.torch_concatenate),
    "stack": Case(ref.stack, (ANY, OTHER, THIRD), draws.stacked, ref.torch_stack),
    "einsum": Case(ref.einsum, (ANY, OTHER, THIRD), draws.contracted, ref.torch_einsum),
    "alias": Case(np.positive, operands=draws.plain),
    "clone": Case(np.copy, operands=draws.plain, torch="clone"),
    "pad": Case(np.pad, operands=draws.padded),
    "diagonal": Case(np.diagonal, operands=draws.on_diagonals, torch=lambda x, **o: x.diagonal(*o.values())),
    "tril": Case(np.tril, operands=draws.triangles, torch=lambda x, k: x.tril(k)),
    "triu": Case(np.triu, operands=draws.triangles, torch=lambda x, k: x.triu(k)),
    "dot": Case(ref.dot, (ANY, OTHER), operands=draws.dotted),
    "inner": Case(ref.inner, (ANY, OTHER), operands=draws.rows_by_rows, torch="inner"),
    "linear": Case(
        lambda x, weight, bias: x @ weight.T + bias, (ANY, OTHER, THIRD), draws.layered,
        torch=functional("linear"),
    ),
    "outer": Case(np.outer, (ANY, OTHER), operands=draws.two, torch=ref.torch_outer),
    "trace": Case(np.trace, operands=draws.on_diagonals, torch=ref.torch_trace),
    "det": Case(np.linalg.det, operands=draws.square, prepare=ref.well_conditioned, torch="det"),
    "cofactors": Case(ref.cofactors, operands=draws.square, prepare=ref.well_conditioned, atol=1000),
    "inv": Case(np.linalg.inv, operands=draws.square, prepare=ref.well_conditioned, torch="inverse"),
    "solve": Case(
        np.linalg.solve, (ANY, OTHER), draws.solved, ref.torch_solve, prepare=ref.well_conditioned
    ),
    "logdet": Case(
        ref.logdet, operands=draws.square, torch=ref.torch_logdet, prepare=ref.well_conditioned, real=True
    ),
    "detsign": Case(lambda x: np.linalg.slogdet(x)[0], operands=draws.square, constant=True),
    "cholesky": Case(
        np.linalg.cholesky, operands=draws.square, torch=ref.torch_cholesky, prepare=ref.positive_definite,
        real=True,
    ),
}  # fmt: skip

CASES |= {
    # quotients and remainders, angles, decompositions, norms
    "logaddexp2": Case(np.logaddexp2, (ANY, OTHER), torch="logaddexp2", real=True),
    "trunc": Case(np.trunc, constant=True),
    "floor_divide": Case(np.floor_divide, (ANY, NONZERO), constant=True),
    "remainder": Case(np.remainder, (ANY, DIVISOR), torch="remainder", real=True),
    "fmod": Case(np.fmod, (ANY, DIVISOR), torch="fmod", real=True),
    "nan_to_num": Case(np.nan_to_num, operands=draws.replaced, torch="nan_to_num", real=True),
    "deg2rad": Case(lambda x: x * (math.pi / 180), torch="deg2rad", atol=1),
    "rad2deg": Case(lambda x: x * (180 / math.pi), torch="rad2deg", atol=100),
    "sinc": Case(np.sinc, torch="sinc", real=True, atol=1),
    "sinc_slope": Case(ref.sinc_slope, operands=draws.of_order, atol=1000),
    # PyTorch's LAPACK may choose other signs for the vectors: see test_decompositions.py
    "eigvalsh": Case(
        np.linalg.eigvalsh, (DISTINCT,), draws.triangle, ref.torch_eigvalsh, prepare=ref.far_apart, real=True,
        atol=10,
    ),
    "eigenvectors": Case(
        lambda x, UPLO: np.linalg.eigh(x, UPLO)[1], (DISTINCT,), draws.triangle, prepare=ref.far_apart,
        real=True, atol=10,
    ),
    "svdvals": Case(
        np.linalg.svdvals, (DISTINCT,), draws.matrices, ref.torch_svdvals, prepare=ref.far_apart, real=True,
        atol=10,
    ),
    "singular_vectors": Case(
        ref.singular_vectors, (DISTINCT,), draws.matrices, prepare=ref.far_apart, real=True, atol=10
    ),
    "pinv": Case(
        np.linalg.pinv, (DISTINCT,), draws.matrices, ref.torch_pinv, prepare=ref.far_apart, real=True, atol=10
    ),
    "power_norm": Case(
        in_float64(ref.power_norm), (NONZERO,), draws.with_order, ref.torch_power_norm, real=True
    ),
}  # fmt: skip

CASES |= {
    # pictures
    "convolution": Case(windowed.convolution, (ANY, OTHER, THIRD), windowed.convolved),
    "transposed_convolution": Case(
        windowed.transposed_convolution, (ANY, OTHER, THIRD), windowed.convolved_back
    ),
    "kernel_gradient": Case(windowed.kernel_gradient, (ANY, OTHER), windowed.kernels),
    "max_pool2d": Case(windowed.max_pool2d, (DISTINCT,), windowed.pooled, distinct=True),
    "to_largest": Case(windowed.to_largest, (MORE, DISTINCT), windowed.pooled_back, distinct=True),
    "at_largest": Case(windowed.at_largest, (DISTINCT, DISTINCT), windowed.pooled_again, distinct=True),
    "avg_pool2d": Case(windowed.avg_pool2d, operands=windowed.averaged),
    "spread_mean": Case(windowed.spread_mean, operands=windowed.averaged_back),
    "unfold": Case(windowed.unfold, operands=windowed.unfolded),
    "fold": Case(windowed.fold, operands=windowed.folded),
}


# Recurrent layers have six operands or more. The second bias is off the other grids, so that no sum is 0, a
# corner of relu.
BIAS = tuple(value + 1 / 8192 for value in ANY)
SIX = (ANY, OTHER, OTHER, OTHER, THIRD, BIAS)

CASES |= {
    "rnn": Case(ref.cells(ref.rnn_step, 1), SIX, draws.recurrent_by_name, atol=4),
    "lstm": Case(ref.cells(ref.lstm_step, 4), (ANY, *SIX), draws.recurrent(4, states=2), atol=4),
    "gru": Case(ref.cells(ref.gru_step, 3), SIX, draws.recurrent(3), atol=4),
}


def examples(count: int) -> settings:
    """As many as this of a hundred of the usual examples, and ten times as many under ``--thorough``."""
    return settings(max_examples=max(count * settings.default.max_examples // 100, 1))


layouts = st.sampled_from(sorted(LAYOUTS))


def laid_out(data: Any, operands: list[Any]) -> list[Any]:
    """Operands, plain or Tensors, each in a memory layout drawn by chance; numbers stay numbers."""
    return [x if isinstance(x, float) else laid(x, layout=data.draw(layouts)) for x in operands]


def call(data: Any, name: str, leaves: list[Any], options: dict[str, Any]) -> Any:
    """The operation's result on operands that lie in memory by chance; so does the gradient that arrives."""
    out = catalogue.find(name)(*laid_out(data, leaves), **options)
    return laid(out, layout=data.draw(layouts)) if out.requires_grad else out


@st.composite
def calls(
    draw: st.DrawFn, name: str, dtypes: tuple[Any, ...] = (np.float64,)
) -> tuple[list[Any], dict[str, Any]]:
    """Operands and options for a call: arrays of one of ``dtypes``; without axes a number or a 0-d array."""
    case = CASES[name]
    shapes, options = (case.operands or broadcastable)(draw, case)
    operands: list[Any] = []
    grids = itertools.cycle(case.grids) if catalogue.find(name).is_variadic else case.grids
    for shape, grid in zip(shapes, grids, strict=grids is case.grids):
        dtype = draw(st.sampled_from(dtypes))
        if case.distinct:
            array = np.array(draw(st.permutations(grid))[: math.prod(shape)], dtype=dtype).reshape(shape)
        else:
            array = draw(hnp.arrays(dtype, shape, elements=st.sampled_from(grid)))
        if shape and not case.distinct and draw(st.booleans()):  # alike along an axis, for strides of 0
            axis = draw(st.integers(0, len(shape) - 1))
            array = np.array(np.broadcast_to(array.take(range(min(shape[axis], 1)), axis), shape))
        if case.prepare and not operands:
            array = case.prepare(array)
        operands.append(float(array) if shape == () and draw(st.booleans()) else array)
    return operands, options
