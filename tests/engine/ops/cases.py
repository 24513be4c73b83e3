"""One case per operation of the catalogue: what NumPy says it is, and operands and options to try it on.

The property tests and the comparison with torch read this table. A new operation needs a line here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SIDE = 3  # sizes 0 to 3: empty, stretched, and two that cannot be mistaken for each other

# Values lie on a grid that floats of every size hold exactly. No grid has a kink on it, and no two grids
# share a value: a tie or a corner has no slope to compare with, and has tests of its own.
ANY = tuple(k / 8 + 1 / 16 for k in range(-8, 8))
OTHER = tuple(k / 8 + 1 / 32 for k in range(-8, 8))
POSITIVE = tuple(k / 8 + 1 / 16 for k in range(4, 12))
NONZERO = POSITIVE + tuple(-value for value in POSITIVE)

Operands = tuple[list[tuple[int, ...]], dict[str, Any]]  # a shape per operand, and the options


@dataclass(frozen=True)
class Case:
    """``numpy(*arrays, **options)`` is what the operation must give on values from ``grids``."""

    numpy: Callable[..., Any]
    grids: tuple[tuple[float, ...], ...] = (ANY,)
    operands: Callable[[st.DrawFn, Case], Operands] | None = None
    torch: str | Callable[..., Any] | None = None  # a function's name there, or how to call it
    constant: bool = field(default=False, kw_only=True)  # its rules are None


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


def wins(x: Any, y: Any) -> Any:
    return np.where(x > y, 1.0, np.where(x == y, 0.5, 0.0)).astype(np.result_type(x, y))


def mean(x: Any, **options: Any) -> Any:
    """NumPy's mean, which warns when there is nothing to take the mean of; the package does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.mean(x, **options)


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
    "sigmoid": Case(lambda x: 1 / (1 + np.exp(-x)), torch="sigmoid"),
    "relu": Case(lambda x: np.maximum(x, 0), torch="relu"),
    "sign": Case(np.sign, constant=True),
    "abs": Case(np.abs, torch="abs"),
    "sum": Case(np.sum, operands=reduced, torch=lambda x, **o: torch_reduce(x, "sum", **o)),
    "mean": Case(mean, operands=reduced, torch=lambda x, **o: torch_reduce(x, "mean", **o)),
    "reshape": Case(np.reshape, operands=reshaped, torch=lambda x, shape: x.reshape(shape)),
    "transpose": Case(np.transpose, operands=transposed, torch=torch_permute),
    "broadcast_to": Case(np.broadcast_to, operands=stretched, torch=lambda x, shape: x.broadcast_to(shape)),
    "cast": Case(lambda x, dtype: np.asarray(x).astype(dtype), operands=converted),
    "matmul": Case(np.matmul, (ANY, OTHER), operands=multiplied, torch="matmul"),
}  # fmt: skip


@st.composite
def calls(
    draw: st.DrawFn, name: str, dtypes: tuple[Any, ...] = (np.float64,)
) -> tuple[list[Any], dict[str, Any]]:
    """Operands and options for a call: arrays of one of ``dtypes``; without axes a number or a 0-d array."""
    case = CASES[name]
    shapes, options = (case.operands or broadcastable)(draw, case)
    operands: list[Any] = []
    for shape, grid in zip(shapes, case.grids, strict=True):
        array = draw(hnp.arrays(draw(st.sampled_from(dtypes)), shape, elements=st.sampled_from(grid)))
        operands.append(float(array) if shape == () and draw(st.booleans()) else array)
    return operands, options
