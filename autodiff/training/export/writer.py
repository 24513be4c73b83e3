"""The nodes of an ONNX graph while they are being collected."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .traces import Batch, Constant, Input, NetworkTrace, Operand, Result, Step

OPSET = 20  # the first that has Gelu; onnxruntime has run it since 1.17
Name = str


class Writer:
    """Writes one graph: `add` adds a node and gives the name of its result."""

    def __init__(self, trace: NetworkTrace, names: list[str]) -> None:
        self.onnx: Any = importlib.import_module("onnx")
        self.trace = trace
        self.inputs = names
        self.nodes: list[Any] = []
        self.initializers: dict[Name, Any] = {}
        self.constants: dict[tuple[Any, ...], Name] = {}
        self.results: list[Name] = []
        self.batch: Name | None = None
        self.kept: dict[str, dict[int, Name]] = {}

    def add(self, kind: str, *operands: Name, outputs: int = 1, **attributes: Any) -> Any:
        """Add a node; the name of its result, or a list of names if it has several."""
        names = [
            f"{kind.lower()}_{len(self.nodes)}" + (f"_{k}" if outputs > 1 else "") for k in range(outputs)
        ]
        given = {name: value for name, value in attributes.items() if value is not None}
        self.nodes.append(self.onnx.helper.make_node(kind, list(operands), names, **given))
        return names if outputs > 1 else names[0]

    def constant(self, value: Any, dtype: Any = None) -> Name:
        """The name of a constant array; equal ones are stored once."""
        array = np.ascontiguousarray(value, dtype=dtype).reshape(np.shape(value))
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.constants:
            name = self.constants[key] = f"constant_{len(self.constants)}"
            self.initializers[name] = self.onnx.numpy_helper.from_array(array, name)
        return self.constants[key]

    def like(self, step: Step, value: Any) -> Name:
        """A constant of the dtype of a step's result."""
        return self.constant(np.asarray(value), step.dtype)

    def name(self, operand: Operand, dtype: Any = None) -> Name:
        """The name of an operand; a constant has the dtype that is given."""
        if isinstance(operand, Input):
            return self.inputs[operand.place]
        if isinstance(operand, Result):
            return self.results[operand.step]
        return self._constant(operand, dtype)

    def operand(self, operand: Operand, step: Step) -> Name:
        """The name of an operand of a step, in the dtype of its result: ONNX does not promote."""
        _, dtype = self.trace.kind(operand)
        return self.cast(operand, step.dtype if step.dtype.kind == "f" else dtype)

    def cast(self, operand: Operand, dtype: Any) -> Name:
        """The name of an operand in a dtype."""
        if isinstance(operand, Constant):
            return self.name(operand, dtype)
        return self.as_dtype(self.name(operand), self.trace.kind(operand)[1], dtype)

    def as_dtype(self, name: Name, dtype: Any, wanted: Any) -> Name:
        """A result in another dtype."""
        if dtype == wanted:
            return name
        return str(self.add("Cast", name, to=self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(wanted))))

    def _constant(self, constant: Constant, dtype: Any) -> Name:
        first, second, shape = constant
        dtype = first.dtype if dtype is None else dtype
        if first.shape == second.shape and np.array_equal(first, second, equal_nan=first.dtype.kind == "f"):
            return self.constant(first, dtype)
        found = self._that_follows(first, second, shape)
        if found is not None:
            return self.as_dtype(found, np.int64, dtype)
        rows = [x[tuple(slice(1 if isinstance(n, Batch) else None) for n in shape)] for x in (first, second)]
        if np.array_equal(rows[0], rows[1]) and all(
            np.all(x == row) for x, row in zip((first, second), rows)
        ):
            return str(self.add("Expand", self.constant(rows[0], dtype), self.shape(shape)))
        raise ValueError(
            f"a constant of shape {first.shape} in the network depends on the size of the batch, or is "
            "another one in each call, and ONNX keeps constants as they are; export with batch_axis=None, "
            "for this size alone"
        )

    def _that_follows(self, first: Any, second: Any, shape: tuple[Any, ...]) -> Name | None:
        """A constant that is a multiple of the size of the batch, or counts up to one; None for others."""
        n, m = self.trace.sizes
        if first.dtype.kind not in "iu" or n == m:
            return None
        if first.ndim == 0 and first % n == 0 and first // n * m == second:
            return str(self.add("Squeeze", self.shape((Batch(int(first) // n),))))
        is_count = [np.array_equal(x.ravel(), np.arange(x.size)) for x in (first, second)]
        if all(is_count) and first.size % n == 0 and first.size // n * m == second.size:
            end = self.add("Squeeze", self.shape((Batch(first.size // n),)))
            zero, one = self.constant(np.int64(0)), self.constant(np.int64(1))
            return str(self.add("Reshape", self.add("Range", zero, end, one), self.shape(shape)))
        return None

    def shape(self, sizes: tuple[Any, ...]) -> Name:
        """The name of a shape, as a constant or put together when the graph runs."""
        if not any(isinstance(size, Batch) for size in sizes):
            return self.constant(np.array(sizes, dtype=np.int64))
        parts = []
        for size in sizes:
            if isinstance(size, Batch):
                times = self.constant(np.array([size.times], dtype=np.int64))
                parts.append(
                    self.add("Mul", self.batch_size(), times) if size.times != 1 else self.batch_size()
                )
            else:
                parts.append(self.constant(np.array([size], dtype=np.int64)))
        return parts[0] if len(parts) == 1 else str(self.add("Concat", *parts, axis=0))

    def shape_of(self, operand: Operand) -> tuple[Any, ...]:
        """The shape of an operand, with what follows the batch marked."""
        return self.trace.kind(operand)[0]

    def batch_size(self) -> Name:
        """The name of the size of the batch, read from the first input."""
        if self.batch is None:
            place, axis = next(
                (place, axis)
                for place, (shape, _) in enumerate(self.trace.inputs)
                for axis, size in enumerate(shape)
                if isinstance(size, Batch)
            )
            self.batch = self.add("Shape", self.inputs[place], start=axis, end=axis + 1)
        return self.batch
