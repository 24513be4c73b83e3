"""The reference: pages made from the docstrings. An operation comes with its rules, as mathematics
and as source."""

from __future__ import annotations

import importlib
import inspect
import textwrap
from pathlib import Path
from typing import Any

from sphinx.ext.napoleon import Config, NumpyDocstring

import autodiff
from autodiff.engine.operation import Operation
from autodiff.lessons.source import operation_code

from .course import update
from .rules import sentences

ROOMS = (
    ("autodiff.nn", "Layers and losses"),
    ("autodiff.nn.functional", "Layers as functions"),
    ("autodiff.nn.init", "Initial weights"),
    ("autodiff.nn.utils", "Helpers for networks"),
    ("autodiff.optim", "Optimizers"),
    ("autodiff.optim.lr_scheduler", "The rate over time"),
    ("autodiff.data", "Data"),
    ("autodiff.training", "Training"),
    ("autodiff.training.export", "Export"),
    ("autodiff.training.parallel", "Training on several processes"),
    ("autodiff.draw", "Pictures"),
    ("autodiff.static", "First the graph, then the numbers"),
    ("autodiff.lessons", "For the lessons"),
)

FAMILIES = (
    ("arithmetic", "Arithmetic", ("arithmetic", "powers", "rounding", "predicates", "exactness")),
    ("elementary", "Functions of a number", ("elementary", "angles", "trigonometry", "piecewise")),
    ("activations", "Activations", ("activations", "rectifiers")),
    ("reductions", "Sums, maxima and orders", ("reductions", "cumulative", "ordering", "ranking")),
    ("matrices", "Matrices", ("linalg", "matrices", "decompositions", "assembling")),
    ("shapes", "Shapes and picking", ("shaping", "joining", "indexing", "variants")),
    ("windows", "Windows and recurrence", ()),
)

SHOWN: set[int] = set()
"""What has an entry already; a second one is no place to link to."""

HEAD = """\
{title}
{line}

{lead}

"""


def write(docs: Path) -> None:
    """Write ``docs/reference``."""
    folder = docs / "reference"
    folder.mkdir(exist_ok=True)
    pages = ["tensor", "derivatives", *(f"operations_{name}" for name, _, _ in FAMILIES)]
    lead = "The number, or array of numbers, that remembers how it was made."
    update(folder / "tensor.rst", head("Tensor", lead) + entry("autodiff", "Tensor", autodiff.Tensor))
    left = {name: getattr(autodiff, name) for name in sorted(autodiff.__all__) if name != "Tensor"}
    left = {name: thing for name, thing in left.items() if not inspect.ismodule(thing)}
    known = {module for _, _, modules in FAMILIES for module in modules}
    for page, title, modules in FAMILIES:
        mine = [
            name for name, thing in left.items()
            if (home := module_of(thing)).startswith("autodiff.ops.")
            and (home.rpartition(".")[2] in modules if modules else home.rpartition(".")[2] not in known)
        ]  # fmt: skip
        text = "".join(entry("autodiff", name, left.pop(name)) for name in mine)
        lead = "An operation is a forward function and, per input, a rule: z's gradient in, the input's out."
        update(folder / f"operations_{page}.rst", head(title, lead) + text)
    rest = "".join(entry("autodiff", name, thing) for name, thing in left.items())
    title = "Derivatives, recording and creation"
    update(folder / "derivatives.rst", head(title, "``import autodiff as ad``") + rest)
    for room, title in ROOMS:
        page = room.removeprefix("autodiff.").replace(".", "_")
        pages.append(page)
        update(folder / f"{page}.rst", room_page(room, title))
    toctree = ".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {page}\n" for page in pages)
    update(
        folder / "index.rst",
        head("Reference", "Every public name, with shapes, errors and an example.") + toctree,
    )


def head(title: str, lead: str) -> str:
    """The beginning of a page."""
    return HEAD.format(title=title, line="=" * len(title), lead=lead)


def room_page(room: str, title: str) -> str:
    """The page of a module: what it says of itself, and its public names."""
    module = importlib.import_module(room)
    names = {name: getattr(module, name) for name in sorted(module.__all__)}
    entries = "".join(
        entry(room, name, thing) for name, thing in names.items() if not inspect.ismodule(thing)
    )
    return head(title, f"``{room}``") + f".. automodule:: {room}\n   :no-index:\n\n" + entries


def module_of(thing: Any) -> str:
    """The module in which a function, class or operation was written."""
    if isinstance(thing, Operation):
        return str(getattr(thing.forward, "__module__", ""))
    return str(getattr(thing, "__module__", ""))


def entry(room: str, name: str, thing: Any) -> str:
    """The lines for one name."""
    if isinstance(thing, Operation):
        return operation_entry(room, name, thing)
    if not callable(thing):
        return f".. py:data:: {room}.{name}\n\n"
    again = "   :no-index:\n" if id(thing) in SHOWN else ""
    SHOWN.add(id(thing))
    if inspect.isclass(thing):
        return f".. autoclass:: {room}.{name}\n   :members:\n{again}\n"
    return f".. autofunction:: {room}.{name}\n{again}\n"


def operation_entry(room: str, name: str, thing: Operation) -> str:
    """An operation: its call, what it says of itself, and its rules."""
    try:
        given = inspect.signature(thing).parameters.values()
        called = str(inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in given]))
    except (TypeError, ValueError):
        called = "(...)"
    plain = Config(napoleon_use_param=False, napoleon_use_rtype=False)
    said = str(NumpyDocstring(inspect.cleandoc(thing.__doc__ or ""), plain))
    code = operation_code(thing) if thing.name == name else f"{room}.{thing.name}"
    lines = [f".. py:function:: {room}.{name}{called}", "", textwrap.indent(said, "   "), ""]
    if thing.name == name:
        lines += [textwrap.indent(rules(thing, code), "   "), ""]
    return "\n".join(lines) + "\n"


def rules(operation: Operation, code: str) -> str:
    """The rules as mathematics, and the source, folded."""
    found = ", ".join(sentences(operation, code))
    mathematics = f"Rules, where :math:`\\bar z` is z's gradient: {found}\n\n" if found else ""
    head = ".. dropdown:: Source, with its rules\n\n   .. code-block:: python\n\n"
    return mathematics + head + textwrap.indent(code, "      ")
