"""The table of a network's layers with their output shapes and numbers of parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np

from .. import seeding
from ..engine.recording import no_grad
from ..engine.tensor import Tensor
from ..nn import Module


class Layer(NamedTuple):
    """A row of a summary. ``output_shape`` is None if the layer was not called, ``parameters`` is None if it
    is not built yet."""

    name: str
    kind: str
    output_shape: Any
    parameters: int | None


class Summary:
    """A table of layers, whose repr is its text.

    Attributes
    ----------
    layers : list of Layer
        The rows: ``name`` (the path in the net), ``kind``, ``output_shape``, ``parameters``.
    parameters, frozen, nbytes : int
        The total number of parameters, of those that do not require a gradient, and of their bytes.
    """

    def __init__(self, net: Module, shapes: dict[str, Any]) -> None:
        self.layers: list[Layer] = list(layer_rows(net, shapes))
        values = [(np.asarray(parameter.data), parameter.requires_grad) for parameter in net.parameters()]
        self.parameters: int = sum(value.size for value, _ in values)
        self.frozen: int = sum(value.size for value, requires_grad in values if not requires_grad)
        self.nbytes: int = sum(value.nbytes for value, _ in values)
        self._has_shapes = bool(shapes)

    def __repr__(self) -> str:
        table = [("layer", "output shape", "parameters"), *map(format_row, self.layers)]
        if not self._has_shapes:
            table = [(layer, "", count) for layer, _, count in table]
        widths = [max(map(len, column)) for column in zip(*table)]
        gap = "  " if self._has_shapes else ""
        lines = [f"{a:<{widths[0]}}{gap}{b:<{widths[1]}}  {c:>{widths[2]}}" for a, b, c in table]
        frozen = f", {self.frozen:,} of them frozen" if self.frozen else ""
        unbuilt = sum(layer.parameters is None for layer in self.layers)
        missing = f"; {unbuilt} of the layers not built yet" if unbuilt else ""
        totals = f"{self.parameters:,} parameters{frozen}, {self.nbytes:,} bytes{missing}"
        return "\n".join([*lines, "-" * len(lines[0]), totals])


def summary_of(net: Module, x: Any = None) -> Summary:
    """The summary of a net, for :meth:`Model.summary`."""
    if x is None:
        return Summary(net, {})
    is_shape = isinstance(x, tuple) and all(isinstance(length, (int, np.integer)) for length in x)
    twin = deepcopy(net).eval()  # the call may build layers or change buffers
    shapes: dict[str, Any] = {}
    for name, module in twin.named_modules():
        module.register_forward_hook(
            lambda module, args, output, name=name: record_shape(shapes, name, output)
        )
    with no_grad(), preserved_generator():
        try:
            twin(np.zeros(x, np.float32) if is_shape else x)
        except Exception as error:
            if is_shape:
                error.add_note(
                    f"summary called the net with float32 zeros of the shape {x}. If the net needs other "
                    "inputs, pass an example: summary(x)"
                )
            raise
    return Summary(twin, shapes)


def record_shape(shapes: dict[str, Any], name: str, output: Any) -> None:
    """Record the output shape of a module's first call."""
    shapes.setdefault(name, shape_of(output))


def shape_of(output: Any) -> Any:
    """The shape of an array, or the shapes of the parts of a tuple, list or dictionary."""
    if isinstance(output, (tuple, list)):
        return [shape_of(part) for part in output]
    if isinstance(output, dict):
        return {key: shape_of(part) for key, part in output.items()}
    return np.shape(output.data if isinstance(output, Tensor) else output)


@contextmanager
def preserved_generator() -> Iterator[None]:
    """Restore the state of the package's generator after the block."""
    generator = seeding.shared
    before = None if generator is None else generator.bit_generator.state
    try:
        yield
    finally:
        seeding.shared = generator
        if generator is not None:
            generator.bit_generator.state = before


def layer_rows(net: Module, shapes: dict[str, Any]) -> Iterator[Layer]:
    """Yield a row for each module. A shared parameter is counted in the first module that has it."""
    counted: set[int] = set()
    for name, module in net.named_modules():
        new = [parameter for parameter in module.parameters(recurse=False) if id(parameter) not in counted]
        counted |= {id(parameter) for parameter in new}
        is_built = all(parameter.size for parameter in new)
        count = sum(parameter.size for parameter in new) if is_built else None
        yield Layer(name, type(module).__name__, shapes.get(name), count)


def format_row(layer: Layer) -> tuple[str, str, str]:
    """The cells of a row as text."""
    depth = layer.name.count(".") + 1 if layer.name else 0
    short = layer.name.rpartition(".")[2]
    label = "  " * depth + (f"{short}: {layer.kind}" if short else layer.kind)
    shape = "-" if layer.output_shape is None else str(layer.output_shape)
    return label, shape, "not built" if layer.parameters is None else f"{layer.parameters:,}"
