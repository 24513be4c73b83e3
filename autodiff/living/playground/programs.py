"""The programs of a page that trains: the step, what the network makes of a point, and new weights.

All of them are traced and not run, so that nothing of the reader's changes: not a weight, not a draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...compiling.compiled import Compiled, compile_function
from ...compiling.entry import Entry
from ...compiling.step_state import StepState
from ...compiling.trace import Draw
from ...compiling.training_step import TrainingStep
from ...engine.tensor import Tensor
from ...nn.module import Module
from ...optim.optimizer import Optimizer

DRAWS: dict[str, dict[str, Any]] = {
    "random": {"size": None},
    "standard_normal": {"size": None},
    "normal": {"loc": 0.0, "scale": 1.0, "size": None},
    "uniform": {"low": 0.0, "high": 1.0, "size": None},
    "integers": {"low": None, "high": None, "size": None},
    "permutation": {"x": None},
}
"""The methods of the generator in JavaScript, with their arguments and what these are by default."""


class Named(NamedTuple):
    """A program of the page: its name there, where its arguments come from, and what its results are."""

    name: str
    fast: Compiled
    arguments: list[list[Any]]
    results: dict[str, Any]


class Shelf:
    """What the programs of the page share: arrays and numbers, each of which stands for a Tensor, and the
    generators that they draw from. The first is the package's."""

    def __init__(self) -> None:
        self.values: dict[Tensor, Any] = {}
        self.generators: list[np.random.Generator | None] = [None]

    def place(self, tensor: Tensor, value: Any = None) -> int:
        """The place of a Tensor, with its value when the page is opened."""
        if tensor not in self.values:
            self.values[tensor] = np.copy(tensor.data) if value is None else value
        return [*map(id, self.values)].index(id(tensor))

    def source(self, generator: np.random.Generator | None) -> int:
        """The place of a generator. Raises NotImplementedError for one of another kind than NumPy's usual."""
        if generator is not None and not isinstance(generator.bit_generator, np.random.PCG64):
            kind = type(generator.bit_generator).__name__
            raise NotImplementedError(f"a page draws random numbers by PCG64, and not by {kind}")
        if generator not in self.generators:
            self.generators.append(generator)
        return self.generators.index(generator)

    def named(self, name: str, fast: Compiled, given: Sequence[list[Any]] = (), **results: Any) -> Named:
        """A program under a name; `given` says where the arguments of the function come from."""
        from_outside = iter(given)
        arguments, places = [], []
        for each in fast.arguments:
            if each.kind == "argument":
                arguments.append(next(from_outside))
            elif each.kind == "captured":
                assert each.tensor is not None
                arguments.append(["tensor", self.place(each.tensor)])
            elif each.kind == "drawn":
                assert each.draw is not None
                arguments.append(["draw", self.source(each.draw.generator), *drawn(each.draw)])
            else:
                raise NotImplementedError(f"{each.name}, a gradient from before the step, is not in a page")
            places.append(arguments[-1])
        values = {k: places[each.place][1] for k, each in enumerate(fast.results) if each.kind == "value"}
        return Named(name, fast, arguments, {**results, "values": [*values.items()]})


def drawn(draw: Draw) -> tuple[str, list[Any]]:
    """The method of a generator and its arguments, in the order of JavaScript. Raises NotImplementedError for
    a method that JavaScript has not."""
    if draw.method not in DRAWS:
        raise NotImplementedError(f"a page has no random numbers by {draw.method}")
    options = dict(draw.options)
    names = [*DRAWS[draw.method]][len(draw.args) :]
    given = [*draw.args, *(options.pop(name, DRAWS[draw.method][name]) for name in names)]
    if "dtype" in options:
        options["dtype"] = np.dtype(options["dtype"]).name
    return draw.method, [*given, options]


class WatchedStep(TrainingStep):
    """A training step whose program returns the gradients as well."""

    found: Sequence[Any] = ()

    def _gradients(self, x: Any, target: Any) -> tuple[Any, Any, Any, list[Any]]:
        found = super()._gradients(x, target)
        self.found = found[3]
        return found

    def _step(self, x: Any, target: Any, rates: list[Any], numbers: list[Any], structure: int) -> Any:
        results = super()._step(x, target, rates, numbers, structure)
        gradients, self.found = self.found, [gradient is not None for gradient in self.found]
        return (*results, [gradient for gradient in gradients if gradient is not None])

    def named(self, name: str, x: Any, target: Any, shelf: Shelf) -> tuple[Named, StepState]:
        """The program for batches like this one, and the state of the optimizer that it takes."""
        state, numbers = self._current_state()
        rates = state.rates()
        state.take()
        try:
            fast = traced(compile_function(self._step), x, target, rates, numbers, state.number)
        finally:
            state.put_back()
        for entries, key, held in state.arrays:
            shelf.place(held, np.copy(entries[key]))
        given: list[list[Any]] = [["x"], ["y"], *(["rate", rate / rates[0]] for rate in rates)]
        given += [["number", k] for k in range(len(numbers))]
        return shelf.named(name, fast, given, **self.results(fast, state)), state

    def results(self, fast: Compiled, state: StepState) -> dict[str, Any]:
        """Where in the program's results the loss, the new numbers of the state, and the gradients are."""
        places = {each.place: k for k, each in enumerate(fast.results) if each.kind == "result"}
        count, arrived = len(fast._entry().returns), sum(self.found)
        gradients = iter(range(count - arrived, count))
        first = count - arrived - len(state.slots)  # of the new numbers of the state
        numbers: list[int | None] = [None] * len(state.first)
        moved = {id(state.state[p]) for p, has in zip(self.optimizer._parameters, self.found) if has}
        for slot, (entries, _) in enumerate(state.slots):
            if id(entries) in moved:  # without a gradient, numbers stay, and nobody reads them
                numbers[state.arguments[slot]] = places[first + slot]
        return {
            "loss": places[1],
            "numbers": numbers,
            "gradients": [places.get(next(gradients)) if has else None for has in self.found],
        }


def traced(fast: Compiled, *arguments: Any) -> Compiled:
    """A compiled function with the program for such arguments, which is not run."""
    fast._latest = None, Entry(fast.f, arguments, {}, fast.passes, Compiled)
    return fast


# -- what the network makes of a point ----------------------------------------------------------------------


@dataclass
class Column:
    """The neurons of a layer: its name, what they give for each point, and the weights by which they came."""

    name: str
    values: Any
    weight: Tensor | None = None


@dataclass
class Columns:
    """The layers that a call of a network goes through, each with what the next one takes from it."""

    found: list[Column] = field(default_factory=list)

    def note(self, name: str) -> Callable[[Module, Any, Any], None]:
        """A hook for the module of this name."""

        def hook(module: Module, args: Any, output: Any) -> None:
            weight = getattr(module, "weight", None)
            if weight is not None and len(weight.shape) == 2:
                self.replace(args[0])
                self.found.append(Column(layer_name(name, module), output, weight))
            else:
                self.replace(output)

        return hook

    def replace(self, values: Any) -> None:
        """Let values of the same shape, as an activation leaves them, stand for those of the latest layer."""
        if self.found and np.shape(self.found[-1].values) == np.shape(values):
            self.found[-1].values = values


def layer_name(name: str, module: Module) -> str:
    """What a layer is called in the page."""
    return f"{name}: {type(module).__name__}".removeprefix(": ")


def columns_of(model: Any, x: Any) -> tuple[list[Column], Any]:
    """The layers of neurons of a network, with their values for an input, and the prediction. A function that
    is no module has none."""
    columns = Columns()
    with ExitStack() as stack:
        for name, module in model.named_modules() if isinstance(model, Module) else ():
            if not any(True for _ in module.children()):
                stack.enter_context(module.register_forward_hook(columns.note(name)))
        prediction = model(x)
    columns.replace(prediction)
    return [column for column in columns.found if len(column.values.shape) == 2], prediction


def looking(model: Any, x: np.ndarray, shelf: Shelf) -> tuple[Named, list[dict[str, Any]]]:
    """The program of what each layer makes of points, whose last result is the prediction, and the layers."""
    layers: list[dict[str, Any]] = []

    def look(x: Any) -> Any:
        columns, prediction = columns_of(model, x)
        layers[:] = [
            {"name": each.name, "width": int(each.values.shape[1]), "weight": each.weight} for each in columns
        ]
        return [column.values for column in columns], prediction

    with evaluating(model):
        fast = traced(compile_function(look), x)
    for layer in layers:
        layer["weight"] = shelf.place(layer["weight"])
    return shelf.named("look", fast, [["x"]]), layers


def predicting(model: Any, x: np.ndarray, shelf: Shelf) -> Named:
    """The program of the prediction for a batch of this shape."""

    def predict(x: Any) -> Any:
        return model(x)

    with evaluating(model):
        return shelf.named("predict", traced(compile_function(predict), x), [["x"]])


def beginning_anew(model: Any, shelf: Shelf) -> Named | None:
    """The program that draws new weights as the layers do it; None if there is no such layer."""
    modules = [*model.modules()] if isinstance(model, Module) else []
    layers = [each for each in modules if hasattr(each, "reset_parameters")]

    def begin() -> float:
        for layer in layers:
            layer.reset_parameters()
        return 0.0

    return shelf.named("begin", traced(compile_function(begin))) if layers else None


# -- everything as it was -----------------------------------------------------------------------------------


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """The modules of a network are in evaluation mode in the block, and as they were after it."""
    modules = [*model.modules()] if isinstance(model, Module) else []
    before = [module.training for module in modules]
    try:
        for module in modules:
            module.training = False
        yield
    finally:
        for module, was in zip(modules, before):
            module.training = was


@contextmanager
def state_as_it_was(optimizer: Optimizer) -> Iterator[None]:
    """The optimizer has its state back after the block."""
    before = optimizer.state
    optimizer.state = dict(before)
    try:
        yield
    finally:
        optimizer.state = before
