"""Batching rules of calls: functions of NumPy, and forwards, that a graph calls as they stand.

A function that takes stacks of matrices, or works along an axis, is called once for the whole batch. Any
other is called for one example after the other, which is always right and takes the time of a loop.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy  # noqa: ICN001

from .batching import Batch, batching_rule
from .nodes import Node
from .opaque import opaque
from .symbol import Symbol

np: Any = numpy  # whose functions take symbols too, which their annotations do not say


@batching_rule("call")
def call(node: Node, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Call the function for each example, or once if no argument depends on them."""
    run = node.value
    if front:
        is_batched = tuple(bool(arg.front) for arg in args)
        run = functools.partial(over_examples, run, is_batched, front, node.shape, node.dtype)
        functools.update_wrapper(run, node.value, assigned=("__name__",), updated=())
    arrays = [arg.data for arg in args]
    for array in arrays:
        if isinstance(array, Symbol):
            return opaque(array.graph.innermost(), run, arrays, {})
    return run(*arrays)


def over_examples(
    function: Callable[..., Any],
    is_batched: Sequence[bool],
    front: tuple[int, ...],
    shape: tuple[int, ...],
    dtype: Any,
    *arrays: Any,
) -> Any:
    """The results of a function for each example, in one array."""
    whole = np.empty((*front, *shape), dtype)
    for number in range(len(whole)):
        whole[number] = function(*(a[number] if is_b else a for a, is_b in zip(arrays, is_batched)))
    return whole
