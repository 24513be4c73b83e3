"""The page of a training: its parts, and the object that saves and shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ...checks import checked_integer
from ...compiling.javascript import runtime, translated
from ...compiling.javascript.language import array_text
from ...compiling.javascript.shaking import minified
from ..page import page
from .body import body
from .checks import checked_data, checked_optimizers
from .plan import Plan

HERE = Path(__file__).parent
SCRIPTS = ("training", "pictures", "controls")
CALLED = re.compile(r"\bnd\.(\w+)")


def playground(
    model: Any,
    loss: Any,
    optimizer: Any,
    data: Any,
    *,
    batch: int = 32,
    seed: int = 0,
    title: str = "A network learns in this page",
) -> Playground:
    """A page in which a network trains, with the steps that Python would make.

    The step of a training is compiled, with the optimizer in it, and written in JavaScript; the page needs no
    Python, no server and no network. A reader plays, pauses and steps, forth and back; chooses the rate, the
    batch, the data and the seed; sees what each neuron makes of the input, the weights and their gradients,
    and the loss over time; and reads the program that runs.

    Steps are those of ``training.Model(..., compile=True)`` on batches of a ``data.DataLoader`` with
    ``shuffle`` and ``drop_last`` after ``ad.seed(seed)``: numbers differ in the last digits only. Nothing of
    the model and the optimizer is changed.

    Parameters
    ----------
    model
        A module, or another function of an input of shape (n, 1) or (n, 2), with a row for each sample. The
        page begins with its weights as they are.
    loss
        A function of prediction and target that returns one number.
    optimizer
        Updates parameters of the model; or several optimizers by name, to choose from.
    data
        A pair (x, y) of arrays; or several pairs by name. Integers in ``y`` of shape (n,) are classes, if the
        model has an output for each; two different numbers stand for two classes; others are to be fitted.
    batch
        The size of a batch, which the reader may choose in place of all samples.
    seed
        Of the order of the batches, and of random draws. With another seed, the layers also draw new weights,
        as their ``reset_parameters`` does.
    title
        The title of the page.

    Returns
    -------
    Playground
        Shows itself in a notebook; ``save("page.html")`` writes the page.

    Raises
    ------
    TypeError, ValueError
        If samples are not of 1 or 2 numbers, or data, model, loss and optimizer do not fit together.
    TraceError
        If one of them needs the value of an array or of a number that changes, as in an ``if``, so that it is
        not compiled. Of the package's optimizers these are RAdam and LBFGS.
    NotImplementedError
        If an operation has no counterpart in JavaScript.

    Example
    -------
    >>> from autodiff import data, nn, optim, training
    >>> net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
    >>> adam = optim.Adam(net.parameters(), lr=0.02)
    >>> training.playground(net, nn.CrossEntropyLoss(), adam, data.moons(100, seed=0))
    a playground: Sequential, CrossEntropyLoss, Adam; data (100 samples)
    """
    return Playground(model, loss, optimizer, data, batch=batch, seed=seed, title=title)


class Playground:
    """A training as a page; made by :func:`autodiff.training.playground`."""

    def __init__(
        self, model: Any, loss: Any, optimizer: Any, data: Any, *, batch: int, seed: int, title: str
    ) -> None:
        self.title = title
        batch = checked_integer("batch", batch, "a playground")
        seed = checked_integer("seed", seed, "a playground", minimum=0)
        self.plan = Plan(model, loss, checked_optimizers(optimizer), checked_data(data), batch, seed)
        self.programs = {each.name: translated(each.fast) for each in self.plan.programs}

    def __repr__(self) -> str:
        parts = [type(each).__name__ for each in (self.plan.model, self.plan.loss)]
        parts += [each["name"] for each in self.plan.facts["optimizers"]]
        sets = ", ".join(f"{each.name} ({len(each.x)} samples)" for each in self.plan.sets)
        return f"a playground: {', '.join(parts)}; {sets}"

    def save(self, path: str | Path) -> None:
        """Write the page into a file."""
        Path(path).write_text(self.page(), encoding="utf-8")

    def page(self) -> str:
        """The text of the page."""
        style = (HERE / "playground.css").read_text(encoding="utf-8")
        return page(self.title, body(self.plan, self.programs), styles=[style], scripts=[self.script()])

    def script(self, names: tuple[str, ...] = SCRIPTS) -> str:
        """The JavaScript of the page: the runtime, the programs, what they share, and the page's own."""
        own = [(HERE / f"{name}.js").read_text(encoding="utf-8") for name in names]
        facts = {
            **self.plan.facts,
            "programs": {
                each.name: {"arguments": each.arguments, **each.results} for each in self.plan.programs
            },
        }
        parts = [
            "const PROGRAMS = (() => {",
            *(each.text(name) for name, each in self.programs.items()),
            f"return {{{', '.join(self.programs)}}};",
            "})();",
            f"const PLAN = {json.dumps(facts)};",
            f"const TENSORS = [{', '.join(map(value_text, self.plan.shelf.values.values()))}];",
            f"const SETS = [{', '.join(map(set_text, self.plan.sets))}];",
            *own,
        ]
        functions = {name for part in parts for name in CALLED.findall(part)}
        return "\n".join([runtime(functions, minify=True), *map(minified, parts)])


def value_text(value: Any) -> str:
    """The JavaScript of a number or of an array."""
    return json.dumps(value) if type(value) in (float, int) else array_text(np.asarray(value))


def set_text(points: Any) -> str:
    """The JavaScript of a data set."""
    return f"{{x: {array_text(points.x)}, y: {array_text(points.y)}, count: {len(points.x)}}}"
