"""The plan of a page that trains: its programs, the arrays that they share, and what is drawn of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.tracing import TraceError
from ...nn.module import Module
from ...optim.optimizer import Optimizer
from .checks import Points, border, check_fit, input_kind
from .programs import (
    Named,
    Shelf,
    WatchedStep,
    beginning_anew,
    layer_name,
    looking,
    predicting,
    state_as_it_was,
)

GRID = {"plane": 40, "line": 200}  # points of the grid along an axis
MARGIN = 0.15  # beyond the points, as a part of their range
ADDED = 100  # points that a reader may add


class Plan:
    """All that the page knows: `programs`, the `shelf` of their arrays, and `facts` for its scripts.

    Raises ValueError and TraceError for a model, a loss or an optimizer that does not fit or is not compiled.
    """

    scripts = ("training", "painting", "network", "points", "history", "time", "looking", "controls")

    def __init__(
        self,
        model: Any,
        loss: Any,
        optimizers: dict[str, Optimizer],
        sets: Sequence[Points],
        batch: int,
        seed: int,
    ) -> None:
        self.model, self.loss, self.sets = model, loss, sets
        self.shelf = Shelf()
        self.programs: list[Named] = []
        for points in sets:
            check_fit(model, loss, points)
        sample = sets[0].x[:1]
        kind = input_kind(sample.shape[1:]) or ""
        domains = [domain_of(points, kind) for points in sets]
        asked = {"plane": GRID["plane"] ** 2, "line": GRID["line"], "picture": 1}[kind]
        look, columns = looking(model, np.zeros((asked, *sample.shape[1:]), sample.dtype), self.shelf)
        self.programs.append(look)
        target = self.target(look.fast.results[-1].shape)
        self.facts: dict[str, Any] = {
            "seed": seed,
            "input": kind,
            "grid": GRID.get(kind),
            "map": [sample.shape[-1], sample.shape[-2]] if kind == "picture" else [GRID["plane"]] * 2,
            **target,
            "sizes": sorted({0, *(batch for each in sets if batch < len(each.x))}),
            "sets": [
                {"name": each.name, "count": len(each.x), "domain": domain}
                for each, domain in zip(sets, domains)
            ],
            "columns": columns,
            "added": ADDED if kind != "picture" else 0,
            "layers": [*layers_of(model, optimizers, self.shelf)],
            "optimizers": [*steps_of(model, loss, optimizers, sets, batch, self.shelf, self.programs)],
        }
        if target["target"] != "number":
            self.add_prediction()
        if (begin := beginning_anew(model, self.shelf)) is not None:
            self.programs.append(begin)
        self.facts["generators"] = [state_of(each) for each in self.shelf.generators if each is not None]

    @property
    def text(self) -> str:
        """What trains, in a line."""
        parts = [type(each).__name__ for each in (self.model, self.loss)]
        parts += names_of(self.facts["optimizers"])
        sets = ", ".join(f"{each.name} ({len(each.x)} samples)" for each in self.sets)
        return f"a playground: {', '.join(parts)}; {sets}"

    def add_prediction(self) -> None:
        """Add the program of the prediction for all points, and for those that a reader adds."""
        x = self.sets[0].x
        count = max(len(each.x) for each in self.sets) + self.facts["added"]
        self.facts["room"] = count
        self.programs.append(predicting(self.model, np.zeros((count, *x.shape[1:]), x.dtype), self.shelf))

    def target(self, shape: tuple[int, ...]) -> dict[str, Any]:
        """What the targets are: classes, two numbers that stand for classes, or numbers; and how predictions
        become colours, `(prediction - middle) * scale` around 0."""
        y = np.concatenate([each.y for each in self.sets])
        if y.dtype.kind in "iub" and len(shape) == 2 and shape[1] > 1 and y.ndim == 1:
            if y.min() < 0 or y.max() >= shape[1]:
                wrong = y.min() if y.min() < 0 else y.max()
                raise ValueError(
                    f"y holds the class {wrong}, but the model has outputs for 0 to {shape[1] - 1}; leave "
                    "such samples out, or count classes from 0"
                )
            names = [str(k) for k in range(shape[1])]
            return {"target": "class", "names": names, "middle": 0.0, "scale": 0.5}
        values = np.unique(y)
        low, high = float(values[0]), float(values[-1])
        between = (low + high) / 2
        if len(values) == 2 and shape[1:] in ((), (1,)):
            middle = border(self.loss, low, high, y)
            scale = 0.5 if middle != between else 2.4 / (high - low)
            labels = {"names": [f"{low:g}", f"{high:g}"], "values": [low, high], "between": between}
            return {"target": "sign", "middle": middle, "scale": scale, **labels}
        return {"target": "number", "middle": between, "scale": 2.4 / ((high - low) or 1.0)}


def steps_of(
    model: Any,
    loss: Any,
    optimizers: dict[str, Optimizer],
    sets: Sequence[Points],
    batch: int,
    shelf: Shelf,
    programs: list[Named],
) -> Iterator[dict[str, Any]]:
    """What the page knows of each optimizer, after the programs of its steps are among the others.

    Raises TraceError for an optimizer that is not compiled, and ValueError for one of other parameters.
    """
    points = max(sets, key=lambda each: len(each.x))
    sizes = dict.fromkeys([*(len(each.x) for each in sets), *([batch] if batch < len(points.x) else [])])
    for number, (name, optimizer) in enumerate(optimizers.items()):
        with state_as_it_was(optimizer):
            step = WatchedStep(model, loss, optimizer)
            for size in sizes:
                try:
                    x, y = points.x[:size], points.y[:size]
                    program, state = step.named(f"step_{number}_{size}", x, y, shelf)
                except TraceError as error:
                    raise TraceError(f"{name} cannot train in a page: {error}") from error
                programs.append(program)
            if not any(step.found):
                raise ValueError(
                    f"the loss does not depend on the parameters of {name}; give it those of the model"
                )
            yield {
                "name": name,
                "rate": float(optimizer.param_groups[0]["lr"]),
                "numbers": state.numbers(),
                "parameters": [shelf.place(parameter) for parameter in optimizer._parameters],
                "steps": {size: f"step_{number}_{size}" for size in sizes},
            }


def domain_of(points: Points, kind: str) -> list[list[float]]:
    """The ranges that are drawn: of both inputs, of the input and the target, or of the pixels."""
    if kind == "picture":
        low, high = float(points.x.min()), float(points.x.max())
        return [[low, high if high > low else low + 1.0]]
    y = points.y.reshape(len(points.y), -1)[:, :1]
    drawn = points.x if kind == "plane" else np.column_stack([points.x, y])
    low, high = drawn.min(axis=0).astype(float), drawn.max(axis=0).astype(float)
    margin = MARGIN * np.where(high > low, high - low, 1.0)
    return [[round(float(a), 4), round(float(b), 4)] for a, b in zip(low - margin, high + margin)]


def state_of(generator: np.random.Generator) -> dict[str, Any]:
    """Where a generator is, for one in JavaScript; whole numbers beyond 53 bits are texts."""
    found = generator.bit_generator.state
    return {
        **{key: str(number) for key, number in found["state"].items()},
        "has_uint32": found["has_uint32"],
        "uinteger": found["uinteger"],
    }


def names_of(facts: Sequence[dict[str, Any]]) -> list[str]:
    """The names of data sets or optimizers."""
    return [each["name"] for each in facts]


def layers_of(model: Any, optimizers: dict[str, Optimizer], shelf: Shelf) -> Iterator[dict[str, Any]]:
    """The layers and their parameters that are trained, by their places."""
    modules = model.named_modules() if isinstance(model, Module) else ()
    owners = {
        id(parameter): layer_name(name, module)
        for name, module in modules
        for parameter in module.parameters(recurse=False)
    }
    parameters = dict.fromkeys(p for optimizer in optimizers.values() for p in optimizer._parameters)
    layers: dict[str, list[int]] = {}
    for count, parameter in enumerate(parameters):
        name = owners.get(id(parameter)) or parameter.name or f"parameter {count}"
        layers.setdefault(name, []).append(shelf.place(parameter))
    for name, places in layers.items():
        yield {"name": name, "parameters": places}
