"""The shape, dtype and memory order of what some operations return, without running them.

These operations run unchanged in programs, and take long: to run them on sample arrays would take most of the
time of compiling a convolutional network. They return pictures that lie in memory as (H, W, N, C).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops import convolution, pooling
from ..ops.windows import Windows
from .memory_order import Axes
from .symbol import Symbol

KNOWN: dict[Callable[..., Any], Callable[..., tuple[np.ndarray, Axes]]] = {}
"""For the forward of an operation, a function of its arguments that returns an array of the result's shape
and dtype, and the order of its axes in memory."""

MEMORY = {4: (2, 3, 0, 1), 3: (1, 2, 0)}  # of a batch of pictures, and of one picture


def known(operation: Any) -> Callable[..., Any]:
    """Register what an operation returns, given a function for its shape; its dtype is that of its arguments
    together."""

    def register(result: Callable[..., Any]) -> Callable[..., Any]:
        def found(*args: Any, **options: Any) -> tuple[np.ndarray, Axes]:
            shape = tuple(result(*args, **options))
            dtype = np.result_type(*map(example, args))
            axes = () if operation is convolution.kernel_gradient else MEMORY[len(shape)]
            return np.broadcast_to(np.zeros((), dtype), shape), axes

        KNOWN[operation.forward] = found
        return result

    return register


def example(x: Any) -> Any:
    """What stands for an argument where dtypes are promoted: a Python number has less say than an array."""
    if not isinstance(x, Symbol):
        return x
    return x.dtype.type(0).item() if x.node.number else x.dtype


@known(convolution.convolution)
def _convolution(x: Any, weight: Any, bias: Any, **how: Any) -> Any:
    return len(x), len(weight), *windows(weight.shape[2:], x.shape[2:], **how).out


@known(convolution.transposed_convolution)
def _transposed_convolution(x: Any, weight: Any, bias: Any, size: Any, groups: int = 1, **how: Any) -> Any:
    return len(x), groups * weight.shape[1], *size


@known(convolution.kernel_gradient)
def _kernel_gradient(x: Any, y: Any, size: Any, groups: int = 1, **how: Any) -> Any:
    return y.shape[1], x.shape[1] // groups, *size


@known(pooling.to_largest)
def _to_largest(y: Any, x: Any, **how: Any) -> Any:
    return x.shape


@known(pooling.spread_mean)
def _spread_mean(y: Any, size: Any, **how: Any) -> Any:
    return *y.shape[:-2], *size


def windows(
    kernel: Any,
    size: Any,
    stride: Any = (1, 1),
    padding: Any = convolution.NO_PADDING,
    dilation: Any = (1, 1),
    **others: Any,
) -> Windows:
    """The windows of a kernel on pictures of a size."""
    return Windows(tuple(kernel), stride, dilation, padding, tuple(size))
