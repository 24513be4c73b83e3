"""The page of a training: its parts, and the object that saves and shows it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...checks import checked_integer
from ...compiling.javascript import Translation, runtime, translated
from ...compiling.javascript.language import array_text
from ...compiling.javascript.shaking import minified
from ...draw.filming.shown import bundle
from ...draw.look import checked_theme
from ...draw.picture.render import image
from ...draw.theme import Theme
from ...engine.tensor import Tensor
from ..embedding import output
from ..page import page, save_page
from ..squeezing import squeezed, squeezed_style
from .body import body
from .checks import checked_data, checked_optimizers
from .descent import Descent
from .plan import Plan
from .still import still

HERE = Path(__file__).parent
CALLED = re.compile(r"\bnd\.(\w+)")


def playground(
    model: Any,
    loss: Any,
    optimizer: Any,
    data: Any,
    *,
    batch: int = 32,
    seed: int = 0,
    title: str = "",
    theme: str | Theme = "auto",
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
        A module, or another function of a batch of samples: of one number (n, 1), of two (n, 2), or pictures
        (n, height, width) or (n, 1 or 3, height, width). The page begins with its weights as they are. Or a
        Tensor of two numbers: then the page shows the surface of a loss of it, down which the optimizers go
        side by side, from a start that the reader drags.
    loss
        A function of prediction and target that returns one number; of a Tensor of two numbers, of it alone.
    optimizer
        Updates parameters of the model; or several optimizers by name, to choose from.
    data
        A pair (x, y) of arrays; or several pairs by name. Integers in ``y`` of shape (n,) are classes, if the
        model has an output for each; two different numbers stand for two classes; others are to be fitted.
        For a Tensor of two numbers, the region that is drawn: ``((low, high), (low, high))``.
    batch
        The size of a batch, which the reader may choose in place of all samples.
    seed
        Of the order of the batches, and of random draws. With another seed, the layers also draw new weights,
        as their ``reset_parameters`` does.
    title
        What stands above the page; "" for a title of its own.
    theme
        The colours, as of ``ad.draw``; "auto" has those for a white page and those for a dark one.

    Returns
    -------
    Playground
        Shows itself in a notebook; ``save("page.html")`` writes the page.

    Raises
    ------
    TypeError, ValueError
        For an unknown theme; if samples are neither of 1 or 2 numbers nor pictures; if data, model, loss and
        optimizer do not fit together; and for LBFGS, whose step calls the loss several times.
    TraceError
        If one of them needs the value of an array or of a number that changes, as in an ``if``, so that it is
        not compiled. RAdam is not.
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
    chosen = checked_theme(theme)
    batch = checked_integer("batch", batch, "a playground")
    seed = checked_integer("seed", seed, "a playground", minimum=0)
    rules = checked_optimizers(optimizer)
    if isinstance(model, Tensor):
        return Playground(Descent(model, loss, rules, data), title or "Down a surface", chosen)
    plan = Plan(model, loss, rules, checked_data(data), batch, seed)
    return Playground(plan, title or "A network learns in this page", chosen)


class Playground:
    """A training as a page; made by :func:`autodiff.training.playground`. `save` writes it as a file."""

    plan: Any  # a Plan or a Descent, of which a reader's type checker need not know
    title: str
    programs: dict[str, Translation]

    def __init__(self, plan: Any, title: str, theme: Theme) -> None:
        self.plan, self.title, self._theme = plan, title, theme
        self.programs = {each.name: translated(each.fast) for each in plan.programs}

    def __repr__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """What trains, in a line."""
        return self.plan.text

    @cached_property
    def _still(self) -> str:
        """The samples as SVG, for pages that run no script."""
        return still(self.plan, self._theme, self.text)

    @cached_property
    def html(self) -> str:
        """The whole page."""
        style = squeezed_style((HERE / "playground.css").read_text(encoding="utf-8"))
        text = body(self.plan.facts, self.programs, self._still)
        script = self.script((*self.plan.scripts, "../embedded"))
        return page(self.title, text, styles=[style], scripts=[script], theme=self._theme)

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The line of text, and with it the page in a frame behind a still. This never raises an error."""

        def framed(uid: str) -> str:
            return output(self.html, image(self._still, self.text), uid)

        return bundle("playground", self.text, framed, lambda: self._still)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file: it needs no other file, no network and no Python.

        Raises
        ------
        ValueError
            If the name does not end in .html.
        FileNotFoundError
            If the file's directory does not exist.
        """
        save_page(self.html, path)

    def script(self, names: Iterable[str]) -> str:
        """The JavaScript of the page: the runtime, the programs, what they share, and the page's own."""
        own = "\n".join((HERE / f"{name}.js").read_text(encoding="utf-8") for name in names)
        facts = {
            **self.plan.facts,
            "programs": {
                each.name: {"arguments": each.arguments, **each.results} for each in self.plan.programs
            },
        }
        parts = [
            "const PROGRAMS = (() => {",
            *(minified(each.text(name)) for name, each in self.programs.items()),  # a reader sees their lines
            f"return {{{', '.join(self.programs)}}};",
            "})();",
            f"const PLAN = {json.dumps(facts, separators=(',', ':'))};",
            f"const TENSORS = [{', '.join(map(value_text, self.plan.shelf.values.values()))}];",
            f"const SETS = [{', '.join(map(set_text, self.plan.sets))}];",
            squeezed(own),
        ]
        functions = {name for part in parts for name in CALLED.findall(part)}
        return "\n".join([squeezed(runtime(functions)), *parts])


def value_text(value: Any) -> str:
    """The JavaScript of a number or of an array."""
    return json.dumps(value) if type(value) in (float, int) else array_text(np.asarray(value))


def set_text(points: Any) -> str:
    """The JavaScript of a data set."""
    return f"{{x: {array_text(points.x)}, y: {array_text(points.y)}, count: {len(points.x)}}}"
