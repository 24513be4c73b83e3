"""A network as plain records: its steps, what they are computed from, and which sizes follow the batch.

The network is called with arrays that have a shape and a dtype and no values, as `compile` calls a function.
Reading a value out, by ``float(x.sum())`` or ``if x > 0``, therefore raises, and cannot make a constant by
mistake. A single call does not show whether the 32 in ``reshape(32, -1)`` is the size of the batch. So there
are two calls, for batches of two sizes: what is 32 in one and 33 in the other is the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from ...calculus.trees import leaves
from ...compiling.inference import with_parts
from ...compiling.memory_order import stand_in
from ...compiling.nodes import ProgramNode, reachable
from ...compiling.opaque import ArgumentPlace
from ...compiling.symbol import Symbol
from ...compiling.trace import node_of_result
from ...engine.tensor import Tensor, constant_tensor, describe
from ...engine.tracing import TraceError
from .calling import Called, ExportTrace, IsOneStep

CONSTANTS = frozenset(("const", "array", "full"))


class Batch(NamedTuple):
    """A size that is this many times the size of the batch."""

    times: int


@dataclass
class Step:
    """One operation of the network: its operands, its options, and the shape and dtype of its result.

    The name is that of an operation of the package, or begins with "np." for a call of NumPy, or with "call."
    for a function that could not be traced. An operand is an input, the result of another step, or a
    constant, and has a kind: its dtype, or the type of a Python number. A size that follows the batch is a
    `Batch` in `options` and `shape`.
    """

    name: str
    operands: list[Operand]
    options: Mapping[str, Any]
    shape: tuple[Any, ...]
    dtype: np.dtype[Any]
    kinds: list[Any]


class Constant(NamedTuple):
    """A constant operand, as it is in both calls, and its shape."""

    first: np.ndarray[Any, Any]
    second: np.ndarray[Any, Any]
    shape: tuple[Any, ...]


class Input(NamedTuple):
    """An input of the network, by its place."""

    place: int


class Result(NamedTuple):
    """The result of a step, by its index."""

    step: int


Operand = Input | Result | Constant
OPERANDS = (Input, Result, Constant)


@dataclass
class NetworkTrace:
    """The steps of a network, its inputs' shapes, and which operands are its outputs."""

    steps: list[Step] = field(default_factory=list)
    inputs: list[tuple[tuple[Any, ...], np.dtype[Any]]] = field(default_factory=list)
    outputs: list[Operand] = field(default_factory=list)
    sizes: tuple[int, int] = (1, 1)

    def kind(self, operand: Operand) -> tuple[tuple[Any, ...], np.dtype[Any]]:
        """The shape and dtype of an operand."""
        if isinstance(operand, Constant):
            return operand.shape, operand.first.dtype
        if isinstance(operand, Input):
            return self.inputs[operand.place]
        step = self.steps[operand.step]
        return step.shape, step.dtype


def traced(net: Any, examples: Sequence[Any], batch_axis: int | None, is_one_step: IsOneStep) -> NetworkTrace:
    """The records of a network. An operation of the package is one step if ``is_one_step`` says so of its
    name, dtype and options; otherwise each call of NumPy in it is one.

    Raises ValueError for a network that needs a value, draws random numbers, or depends on the size of the
    batch in any way other than by sizes that are multiples of it.
    """
    arrays = [np.asarray(getattr(x, "data", x)) for x in examples]
    if batch_axis is not None and not all(-array.ndim <= batch_axis < array.ndim for array in arrays):
        shape = min((array.shape for array in arrays), key=len)
        raise ValueError(
            f"batch_axis is {batch_axis}, and an example has the shape {shape}: export it with "
            "batch_axis=None"
        )
    # Integers are used as indices, so they are given to the network as they were given here.
    is_tensor = [isinstance(x, Tensor) or array.dtype.kind == "f" for x, array in zip(examples, arrays)]
    shapes = [array.shape for array in arrays]
    sizes = two_sizes(shapes, batch_axis)

    def call(size: int) -> Call:
        given = [
            stand_in(shape if batch_axis is None else resized(shape, batch_axis, size), array.dtype)
            for shape, array in zip(shapes, arrays)
        ]
        wrapped = [constant_tensor(x) if wanted else x for x, wanted in zip(given, is_tensor)]
        return Call(net, wrapped, is_one_step)

    one, other = map(call, sizes)
    if one.description() != other.description():
        raise ValueError(
            "the network takes other operations for a batch of another size, so no single ONNX graph says "
            "what it does; export it with batch_axis=None, for this size alone"
        )
    found = Pair(one, other, sizes).trace()
    if batch_axis is not None:
        check_batch_of_one(call, found)
    return found


def check_batch_of_one(call: Callable[[int], Call], found: NetworkTrace) -> None:
    """Raise ValueError if a batch of one gives other shapes, as where ``squeeze`` drops its axis."""
    try:
        single = call(1)
    except (ValueError, TypeError, IndexError):  # the network takes no batch of one
        return
    for operand, node in zip(found.outputs, single.results):
        shape = tuple(n.times if isinstance(n, Batch) else n for n in found.kind(operand)[0])
        if shape != node.shape:
            raise ValueError(
                f"for a batch of one the network gives the shape {node.shape}, where larger ones make "
                f"{shape} of it: name the axis of a squeeze, or export it with batch_axis=None, for this "
                "size alone"
            )


def two_sizes(shapes: Sequence[tuple[int, ...]], axis: int | None) -> tuple[int, int]:
    """Two sizes of a batch that can be told from each other, from 1 and from the other sizes. The second is
    far from the first, so that half of it, say, is another size too."""
    if axis is None:
        return 1, 1
    others = {size for shape in shapes for place, size in enumerate(shape) if place != axis % len(shape)}
    first = next(n for n in count(max(shapes[0][axis], 2)) if n not in others)
    return first, next(n for n in count(3 * first + 1) if n not in others)


def resized(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    """A shape with another size of one axis."""
    axis %= len(shape)
    return (*shape[:axis], size, *shape[axis + 1 :])


class Call:
    """One call of the network: its inputs, its nodes in order, and its results."""

    def __init__(self, net: Any, inputs: Sequence[Any], is_one_step: IsOneStep) -> None:
        trace = ExportTrace(is_one_step)
        given = [trace.input(x, f"x{place}") for place, x in enumerate(inputs)]
        try:
            _, results = trace.call(lambda *x: [*map(as_result, leaves(net(*x)))], tuple(given), {})
        except TraceError as error:
            check_unchanged(trace)
            raise ValueError(
                "the network cannot be written as ONNX. It is called on arrays that have no values yet, as "
                f"ad.compile calls a function: {error}"
            ) from error
        finally:
            check_unchanged(trace)
        if trace.draws:
            raise ValueError(
                f"the network draws random numbers ({trace.draws[0].method}), which a file would draw once "
                "for all: export it without, or draw them outside and give them as an input"
            )
        self.inputs = trace.inputs
        self.results = [node_of_result(trace.graph, result) for result in results]
        self.nodes = [node for node in reachable([*self.inputs, *self.results]) if node.op not in CONSTANTS]
        self.places = {node: place for place, node in enumerate(self.nodes)}
        self.graph = trace.graph  # which keeps what nodes refer to

    def description(self) -> list[Any]:
        """What has to be the same for batches of two sizes. Constants are left out, since a constant that two
        steps share may become two for another size."""
        return [(name_of(node), [self.places.get(arg) for arg in node.args]) for node in self.nodes]


def as_result(leaf: Any) -> Any:
    """An output of the network: a Tensor, an array, or a number as one. Raises ValueError for anything
    else."""
    if isinstance(leaf, (Tensor, Symbol)):
        return leaf
    array = np.asarray(leaf) if isinstance(leaf, (bool, int, float, list, np.ndarray, np.generic)) else None
    if array is None or array.dtype.kind not in "fiub":
        raise ValueError(
            f"a network that is exported returns Tensors, arrays and numbers, not {type(leaf).__name__}"
        )
    return array


def check_unchanged(trace: ExportTrace) -> None:
    """Raise ValueError if the network has written arrays without values into Tensors, and undo that."""
    changed = trace.put_back()
    if changed:
        raise ValueError(
            f"the network changes {describe(changed[0])} when it is called, which a file cannot do: export "
            "it in eval mode, as net.eval() sets it, or return what it computes"
        )


def name_of(node: ProgramNode) -> str:
    """The name of the step that computes a node."""
    if node.op != "call":
        return f"np.{node.op}"
    if isinstance(node.value, Called):
        return node.value.name
    function = node.value.args[0] if isinstance(node.value, partial) else node.value
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", str(function))
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{name}"
    is_of_numpy = isinstance(function, np.ufunc) or str(getattr(function, "__module__", "")).startswith(
        "numpy"
    )
    return f"np.{name}" if is_of_numpy else f"call.{name}"


class Pair:
    """Two calls of one network, read side by side."""

    def __init__(self, one: Call, other: Call, sizes: tuple[int, int]) -> None:
        self.one, self.other, self.sizes = one, other, sizes
        self.operands: list[Operand] = []  # of each node that is not a constant

    def trace(self) -> NetworkTrace:
        """The steps with what follows the batch marked."""
        found = NetworkTrace(sizes=self.sizes)
        for x, y in zip(self.one.nodes, self.other.nodes):
            if x.op == "input":
                self.operands.append(Input(self.one.inputs.index(x)))
            else:
                self.operands.append(Result(len(found.steps)))
                found.steps.append(self.step(x, y))
        found.inputs = [
            (self.size(x.shape, y.shape), x.dtype) for x, y in zip(self.one.inputs, self.other.inputs)
        ]
        found.outputs = [*map(self.operand, self.one.results, self.other.results)]
        return found

    def step(self, x: ProgramNode, y: ProgramNode) -> Step:
        """The step that computes a node."""
        operands = [*map(self.operand, x.args, y.args)]
        kinds = [arg.number or arg.dtype for arg in x.args]
        options: dict[str, Any] = {}
        if x.op != "call":
            options = {"options": self.option(x.options, y.options)}
            if x.op in ("getitem", "pick", "put", "put_add", "assemble", "part"):
                remaining = iter(operands[2:] if x.op.startswith("put") else operands[1:])
                index = with_parts(x.value, lambda part: next(remaining))
                options["index"] = self.option(index, with_parts(y.value, lambda part: part))
        elif isinstance(x.value, Called):
            options = {
                key: self.option(filled(value, operands), y.value.options[key])
                for key, value in x.value.options.items()
            }
        elif isinstance(x.value, partial):
            (args, words), (others, other_words) = x.value.args[1], y.value.args[1]
            options = {
                str(k): self.option(filled(a, operands), b) for k, (a, b) in enumerate(zip(args, others))
            }
            options |= {key: self.option(filled(a, operands), other_words[key]) for key, a in words.items()}
        return Step(name_of(x), operands, options, self.size(x.shape, y.shape), x.dtype, kinds)

    def operand(self, x: ProgramNode, y: ProgramNode) -> Operand:
        """A node as an operand."""
        if x.op in CONSTANTS:
            return self.constant(array_of(x), array_of(y))
        return self.operands[self.one.places[x]]

    def constant(self, first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> Constant:
        """A constant, as it is in both calls."""
        return Constant(first, second, self.size(first.shape, second.shape))

    def option(self, x: Any, y: Any) -> Any:
        """An option: numbers that follow the batch become a `Batch`. Raises ValueError for one that depends
        on the size of the batch in another way."""
        if isinstance(x, OPERANDS):
            return x
        if type(x) in (tuple, list) and len(x) == len(y):
            return type(x)(self.option(a, b) for a, b in zip(x, y))
        if isinstance(x, np.ndarray):
            return self.constant(x, y)
        if isinstance(x, slice):
            parts = [self.option(getattr(x, n), getattr(y, n)) for n in ("start", "stop", "step")]
            return slice(*parts)
        if x is y or repr(x) == repr(y):
            return x
        if type(x) is type(y) is int:
            return self.times(x, y)
        raise ValueError(
            f"the option {x!r:.60} of an operation is {y!r:.60} for a batch of another size; export it with "
            "batch_axis=None, for this size alone"
        )

    def size(self, x: Sequence[int], y: Sequence[int]) -> tuple[Any, ...]:
        """A shape whose sizes that follow the batch are marked. Raises ValueError if one depends on it in
        another way."""
        return tuple(a if a == b else self.times(a, b) for a, b in zip(x, y))

    def times(self, a: int, b: int) -> Batch:
        """A size as a multiple of the batch."""
        n, m = self.sizes
        if a % n or (a // n) * m != b:
            raise ValueError(
                f"a size in the network is {a} for a batch of {n} and {b} for a batch of {m}, no "
                "multiple of it; export it with batch_axis=None, for this size alone"
            )
        return Batch(a // n)


def array_of(node: ProgramNode) -> np.ndarray[Any, Any]:
    """The value of a constant."""
    if node.op == "full":
        return np.broadcast_to(node.args[0].value, node.shape)
    return np.asarray(node.value)


def filled(value: Any, operands: Sequence[Operand]) -> Any:
    """Options with the operands in their places."""
    if isinstance(value, ArgumentPlace):
        return operands[value.number]
    if type(value) in (list, tuple):
        return type(value)(filled(part, operands) for part in value)
    return value
