"""Batching rules for opaque calls: functions of NumPy and forwards that a graph calls unchanged.

A function that takes stacks of matrices or of pictures, or works along an axis, is called once for the whole
batch, with arguments that ``WHOLE`` gives. So is a universal function that works on each element. Any other
function is called for each example in turn, which is always right, and as slow as a loop.
"""

from __future__ import annotations

import functools
import string
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy  # noqa: ICN001

from ..engine.catalogue import catalogue
from .batching import Batch, aligned, batching_rule, spread
from .nodes import ProgramNode
from .opaque import ArgumentPlace, call_with, opaque
from .symbol import Symbol

np: Any = numpy  # whose functions take symbols too, which their annotations do not say


class Call(NamedTuple):
    """A call for one example, and the values of its arguments for the batch."""

    function: Callable[..., Any]
    args: Sequence[Any]  # with an ``ArgumentPlace`` for each argument that the graph computes
    options: dict[str, Any]
    shapes: Sequence[tuple[int, ...]]  # of these arguments, for one example
    batches: Sequence[Batch]
    front: tuple[int, ...]


Arguments = tuple[Sequence[Any], dict[str, Any]]
WHOLE: dict[Callable[..., Any], Callable[[Call], Arguments | None]] = {}
"""For each function that can compute a whole batch at once: a function that returns the arguments of this
call, or None if the examples have to be computed one by one."""


@batching_rule("call")
def call(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Call the function once for the whole batch if possible, otherwise once for each example."""
    data = [arg.data for arg in args]
    if not front:
        return run(node.value, data, {})
    is_several = node.dtype.kind == "O"
    if node.value.func is call_with and (whole := whole_of(node.value.args[0])):
        function, (positional, options) = node.value.args
        shapes = [arg.shape for arg in node.args]
        arguments = whole(Call(function, positional, options, shapes, args, front))
        if arguments is not None:
            found = run(function, *arguments)
            return found if is_several else np.reshape(found, (*front, *node.shape))
    is_batched = tuple(bool(arg.front) for arg in args)
    each = functools.partial(over_examples, node.value, is_batched, front, node.shape, node.dtype)
    if is_several:
        each = functools.partial(several_over_examples, node.value, is_batched, front)
    functools.update_wrapper(each, node.value, assigned=("__name__",), updated=())
    return run(each, data, {})


def whole_of(function: Callable[..., Any]) -> Callable[[Call], Arguments | None] | None:
    """How a function is called for a whole batch, or None if it is called for each example."""
    if isinstance(function, np.ufunc) and function.signature is None:
        return by_elements
    return WHOLE.get(function)


def by_elements(call: Call) -> Arguments | None:
    """An elementwise function, with the axes of each example aligned. ``where=`` and the like are left to a
    call for each example."""
    if call.options:
        return None
    count = max(map(len, (*call.shapes, *map(np.shape, call.args))))
    return filled(call, iter([aligned(batch, count) for batch in call.batches])), {}


def run(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> Any:
    """Call a function on arrays; on symbols the call becomes a node of their graph."""
    for arg in args:
        if isinstance(arg, Symbol):
            return opaque(arg.graph.innermost(), function, tuple(args), options)
    return function(*args, **options)


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


def several_over_examples(
    function: Callable[..., Any], is_batched: Sequence[bool], front: tuple[int, ...], *arrays: Any
) -> Any:
    """The several results of a function for each example, each of them in one array."""
    examples = [
        function(*(a[number] if is_b else a for a, is_b in zip(arrays, is_batched)))
        for number in range(front[0])
    ]
    return tuple(None if parts[0] is None else np.stack(parts) for parts in zip(*examples))


# -- calls for a whole batch --------------------------------------------------------------------------------


def whole(*functions: Callable[..., Any]) -> Callable[..., Any]:
    """Register how functions are called for a whole batch."""

    def register(arguments: Callable[[Call], Arguments | None]) -> Callable[[Call], Arguments | None]:
        for function in functions:
            WHOLE[function] = arguments
        return arguments

    return register


def filled(call: Call, data: Iterator[Any]) -> Sequence[Any]:
    """The positional arguments, with data in place of those that the graph computes."""
    return [next(data) if isinstance(arg, ArgumentPlace) else arg for arg in call.args]


@whole(
    np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.svd, np.linalg.eigh, np.linalg.eigvalsh,
    np.linalg.cholesky, np.linalg.pinv, np.sinc, np.round, np.nan_to_num, catalogue.erf.forward,
    catalogue.erfc.forward,
)  # fmt: skip
def stacked(call: Call) -> Arguments | None:
    """A function that takes a stack of matrices, or works on each element, is called on the batch itself."""
    if len(call.batches) != 1 or not isinstance(call.args[0], ArgumentPlace):
        return None
    return filled(call, iter([call.batches[0].data])), call.options


@whole(np.linalg.solve)
def solved(call: Call) -> Arguments | None:
    """Systems of equations: a vector becomes a matrix with one column, since NumPy reads a stack of vectors
    as a matrix."""
    if len(call.batches) != 2:
        return None
    matrix, right = call.batches
    if len(call.shapes[1]) == 1:
        right = Batch(np.reshape(right.data, (*np.shape(right.data), 1)), right.front)
    count = max(*map(len, call.shapes), 2)
    return [aligned(matrix, count), aligned(right, count)], call.options


ALONG_AXIS = (
    catalogue.softmax, catalogue.log_softmax, catalogue.logsumexp, catalogue.norm, catalogue.std,
    catalogue.middle,
)  # fmt: skip
DEFAULT_AXIS = {np.sort: -1, np.argsort: -1} | {op.forward: op.defaults["axis"] for op in ALONG_AXIS}


@whole(np.sort, np.argsort, np.argmax, np.argmin, np.cumsum, np.cumprod, np.median)
@whole(*(operation.forward for operation in ALONG_AXIS))
def along_axis(call: Call) -> Arguments | None:
    """A function along an axis is called with the axis counted from the end."""
    if len(call.batches) != 1 or len(call.args) > 2 or not isinstance(call.args[0], ArgumentPlace):
        return None
    options = {**call.options}
    axis = call.args[1] if len(call.args) == 2 else options.pop("axis", DEFAULT_AXIS.get(call.function))
    data, count = call.batches[0].data, len(call.shapes[0])
    if not np.size(data):  # some of the functions do not take empty arrays
        return None
    if axis is None or not count:
        data, axis = np.reshape(data, (*call.front, call_size(call))), -1
    elif isinstance(axis, tuple):
        axis = tuple(a % count - count for a in axis)
    else:
        axis = axis % count - count
    return [data], {**options, "axis": axis}


def call_size(call: Call) -> int:
    """The number of elements of the first argument, for one example."""
    return int(np.prod(call.shapes[0], dtype=int))


@whole(np.take_along_axis)
def taken_along_axis(call: Call) -> Arguments | None:
    """``np.take_along_axis``, with values and indices broadcast to the same front."""
    axis = call.args[2] if len(call.args) > 2 else call.options.get("axis", -1)
    if len(call.batches) != 2 or axis is None:
        return None
    parts = [spread(batch, call.front, shape) for batch, shape in zip(call.batches, call.shapes)]
    return [*parts, axis % len(call.shapes[0]) - len(call.shapes[0])], {}


@whole(np.einsum)
def summed_products(call: Call) -> Arguments | None:
    """``np.einsum``, with one more letter for the axis of the examples."""
    subscripts, *operands = call.args
    if not isinstance(subscripts, str) or "->" not in subscripts or "." in subscripts:
        return None
    letter = next(letter for letter in string.ascii_letters if letter not in subscripts)
    left, right = subscripts.replace(" ", "").split("->")
    remaining = iter(call.batches)
    batches = [next(remaining) if isinstance(x, ArgumentPlace) else Batch(x, ()) for x in operands]
    terms = (letter * len(batch.front) + term for batch, term in zip(batches, left.split(",")))
    return [f"{','.join(terms)}->{letter}{right}", *(batch.data for batch in batches)], call.options


def pictures(count: int, axes: int, *operations: Any) -> None:
    """Register operations on batches of pictures. Their first ``count`` operands are pictures with ``axes``
    axes each; the pictures of all examples become one batch. The other operands must be the same for all
    examples, otherwise the examples are computed one by one."""

    @whole(*(operation.forward for operation in operations))
    def of_all(call: Call) -> Arguments | None:
        places = [place for place, arg in enumerate(call.args) if isinstance(arg, ArgumentPlace)]
        if places[:count] != list(range(count)) or any(batch.front for batch in call.batches[count:]):
            return None
        spreads = [spread(b, call.front, s) for b, s in zip(call.batches[:count], call.shapes)]
        if any(np.size(data) == 0 for data in spreads):
            return None
        rows = [np.reshape(data, (-1, *np.shape(data)[-axes:])) for data in spreads]
        return filled(call, iter([*rows, *(batch.data for batch in call.batches[count:])])), call.options


pictures(1, 3, catalogue.convolution, catalogue.transposed_convolution)
pictures(1, 3, catalogue.max_pool2d, catalogue.avg_pool2d, catalogue.spread_mean, catalogue.unfold)
pictures(1, 2, catalogue.fold)
pictures(2, 3, catalogue.to_largest, catalogue.at_largest)
