"""A network recorded twice, with batches of two sizes: what differs between the two follows the batch.

A recorded graph holds plain numbers, such as the 32 in ``reshape(32, -1)``. Whether that is the size of the
batch cannot be seen in one graph, but in two: what is 32 in one and 33 in the other is the batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...calculus.trees import leaves
from ...draw.graph.walk import Walk, walk
from ...engine.recording import enable_grad
from ...engine.tensor import Tensor


class Batch(NamedTuple):
    """A size that is this many times the size of the batch."""

    times: int


@dataclass
class Step:
    """One operation of the network: its operands in both graphs, its options, and the shape of its result.

    An operand is the index of an input or of another step's result, or a constant. A size that follows the
    batch is a `Batch` in `options` and `shape`.
    """

    name: str
    operands: list[Operand]
    options: Mapping[str, Any]
    shape: tuple[Any, ...]
    dtype: np.dtype[Any]


class Constant(NamedTuple):
    """A constant operand, as it is in both graphs, and its shape."""

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


@dataclass
class Trace:
    """The steps of a network, its inputs' shapes, and which operands are its outputs."""

    steps: list[Step] = field(default_factory=list)
    inputs: list[tuple[tuple[Any, ...], np.dtype[Any]]] = field(default_factory=list)
    outputs: list[Operand] = field(default_factory=list)

    def kind(self, operand: Operand) -> tuple[tuple[Any, ...], np.dtype[Any]]:
        """The shape and dtype of an operand."""
        if isinstance(operand, Constant):
            return operand.shape, operand.first.dtype
        if isinstance(operand, Input):
            return self.inputs[operand.place]
        step = self.steps[operand.step]
        return step.shape, step.dtype


def traced(net: Any, examples: Sequence[Any], batch_axis: int | None) -> Trace:
    """Record a network on examples, and on the same in another order: what is the same in both is a constant.
    If there is a batch axis, the second batch is larger by one."""
    first = [np.asarray(getattr(x, "data", x)) for x in examples]
    second = [np.flip(x if batch_axis is None else _longer(x, batch_axis)) for x in first]
    sizes = (1, 1) if batch_axis is None else (first[0].shape[batch_axis], second[0].shape[batch_axis])
    one, other = (Recorded(net, inputs) for inputs in (first, second))
    if one.operations != other.operations:
        raise ValueError(
            "the network takes other operations for a batch of another size, so no single ONNX graph says "
            "what it does; export it with batch_axis=None, for this size alone"
        )
    return Pair(one, other, sizes).trace()


def _longer(x: np.ndarray[Any, Any], axis: int) -> np.ndarray[Any, Any]:
    """The same batch with its first example once more at the end."""
    return np.concatenate([x, np.take(x, [0], axis=axis)], axis=axis)


class Recorded:
    """The recorded graph of one call: inputs, nodes in order, and outputs."""

    def __init__(self, net: Any, inputs: Sequence[np.ndarray[Any, Any]]) -> None:
        # Numbers that could have a gradient become Tensors that want one, so that all that depends on them is
        # recorded, in a frozen network too. Integers are used as indices.
        self.inputs = [Tensor(x, requires_grad=True) if x.dtype.kind == "f" else x for x in inputs]
        with enable_grad():
            result = net(*self.inputs)
        self.outputs = leaves(result)
        self.nodes: list[Tensor] = []
        self.creators: list[Sequence[Any]] = []
        self.index: dict[int, int] = {}
        for output in self.outputs:
            if isinstance(output, Tensor):
                self._take(walk(output))

    def _take(self, walked: Walk) -> None:
        """Add the nodes behind an output that are not there yet, operands before what is made from them."""
        for node, creators in zip(walked.order, walked.creators):
            if creators and id(node) not in self.index:
                self.index[id(node)] = len(self.nodes)
                self.nodes.append(node)
                self.creators.append(creators)

    @property
    def operations(self) -> list[str]:
        """The names of the operations, in the order of the nodes."""
        return [node.creation_op.name for node in self.nodes]


class Pair:
    """Two recorded graphs of one network, read side by side."""

    def __init__(self, one: Recorded, other: Recorded, sizes: tuple[int, int]) -> None:
        self.one, self.other, self.sizes = one, other, sizes
        self.places = {id(x): place for place, x in enumerate(one.inputs)}
        # Results without axes are Python numbers, which have no dtype of their own.
        self.dtype = next(
            (np.asarray(x.data).dtype for x in one.inputs if isinstance(x, Tensor)), np.dtype(float)
        )

    def trace(self) -> Trace:
        """The steps with what follows the batch marked."""
        found = Trace()
        for x, y in zip(self.one.inputs, self.other.inputs):
            found.inputs.append(
                (self.size(np.shape(x), np.shape(y)), np.asarray(getattr(x, "data", x)).dtype)
            )
        found.steps = [self.step(k) for k in range(len(self.one.nodes))]
        found.outputs = [self.operand(x, y) for x, y in zip(self.one.outputs, self.other.outputs)]
        return found

    def step(self, k: int) -> Step:
        """The operation that made one node, as it is in both graphs."""
        one, other = self.one.nodes[k], self.other.nodes[k]
        operation: Any = one.creation_op
        operands = [self.operand(x, y) for x, y in zip(self.one.creators[k], self.other.creators[k])]
        given = {name: self.option(value, other.options[name]) for name, value in one.options.items()}
        return Step(
            operation.name,
            operands,
            {**operation.defaults, **given},
            self.size(one.shape, other.shape),
            one.data.dtype if isinstance(one.data, (np.ndarray, np.generic)) else self.dtype,
        )

    def operand(self, x: Any, y: Any) -> Operand:
        """An operand: an input, the result of a step, or a constant."""
        if id(x) in self.places:
            return Input(self.places[id(x)])
        if id(x) in self.one.index:
            return Result(self.one.index[id(x)])
        return self.constant(*(np.asarray(z.data if isinstance(z, Tensor) else z) for z in (x, y)))

    def constant(self, first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> Constant:
        """A constant, as it is in both graphs."""
        return Constant(first, second, self.size(first.shape, second.shape))

    def option(self, x: Any, y: Any) -> Any:
        """An option: numbers that follow the batch become a `Batch`, and an input becomes an `Input`."""
        if isinstance(x, list):
            x, y = np.asarray(x), np.asarray(y)
        if isinstance(x, tuple):
            return tuple(self.option(a, b) for a, b in zip(x, y))
        if isinstance(x, np.ndarray):
            for place, inputs in enumerate(zip(self.one.inputs, self.other.inputs)):
                if all(np.array_equal(a, b) for a, b in zip((x, y), inputs)):
                    return Input(place)  # found by its values: a layer may keep a copy of what it was given
            return x if x.shape == y.shape and np.array_equal(x, y) else self.constant(x, y)
        if isinstance(x, slice):
            parts = [self.option(getattr(x, n), getattr(y, n)) for n in ("start", "stop", "step")]
            return slice(*parts)
        if isinstance(x, int) and not isinstance(x, bool) and x != y:
            return self.size((x,), (y,))[0]
        return x

    def size(self, x: Sequence[int], y: Sequence[int]) -> tuple[Any, ...]:
        """A shape whose sizes that follow the batch are marked. Raises ValueError if one follows it
        otherwise."""
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
