"""The reference: pages made from the docstrings. An operation comes with its rules, as mathematics
and as source."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.pycode import ModuleAnalyzer

import autodiff
from autodiff.engine.operation import Operation
from autodiff_course.source import operation_code

from .course import update
from .rules import sentences

ROOMS = (
    ("autodiff.nn", "Layers and losses"),
    ("autodiff.nn.functional", "Layers as functions"),
    ("autodiff.nn.init", "Initial weights"),
    ("autodiff.nn.utils", "Helpers for networks"),
    ("autodiff.nn.utils.rnn", "Sequences of unequal length"),
    ("autodiff.optim", "Optimizers"),
    ("autodiff.optim.lr_scheduler", "The rate over time"),
    ("autodiff.data", "Data"),
    ("autodiff.training", "Training"),
    ("autodiff.training.export", "Export"),
    ("autodiff.training.parallel", "Training on several processes"),
    ("autodiff.draw", "Pictures"),
    ("autodiff.living", "Live pages"),
    ("autodiff.static", "First the graph, then the numbers"),
    ("autodiff_course", "For the lessons"),
)

FAMILIES = (
    ("arithmetic", "Arithmetic", ("arithmetic", "powers", "rounding", "predicates")),
    ("elementary", "Functions of a number", ("elementary", "angles", "trigonometry", "piecewise")),
    ("activations", "Activations", ("activations", "rectifiers")),
    ("reductions", "Sums, maxima and orders", ("reductions", "cumulative", "ordering", "ranking")),
    ("matrices", "Matrices", ("linalg", "matrices", "decompositions", "assembling")),
    ("shapes", "Shapes and picking", ("shaping", "joining", "indexing", "variants")),
    ("windows", "Windows and recurrence", ()),
)

PICTURES = {
    "autodiff.draw": """\
import autodiff as ad

a = ad.Tensor(2)
b = 3 * a
c = a + 2
d = b + 4
e = c * d
e.backward()
ad.draw(e)"""
}
"""What a module makes, shown above its names."""

ELSEWHERE = {"autodiff.optim": "autodiff.optim.lr_scheduler"}
"""Modules with names that stand on the page of another one."""

DERIVATIVES = (
    "``import autodiff as ad``: gradients, Jacobians and tangents of functions, what is recorded and what is "
    "not, and how Tensors are made."
)
BEHIND = "function, extra_repr"
"""Attributes of layers that say nothing of their own: their function, and the settings in their repr."""

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
    update(folder / "derivatives.rst", head(title, DERIVATIVES) + rest)
    for room, title in ROOMS:
        page = page_of(room)
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
    names = {name: getattr(module, name) for name in in_order(module)}
    lead = f"``{room}``"
    if other := ELSEWHERE.get(room):
        there = importlib.import_module(other).__all__
        names = {name: thing for name, thing in names.items() if name not in there}
        lead += f". What ``{other}`` has is here too, and stands on :doc:`its own page <{page_of(other)}>`."
    entries = "".join(
        entry(room, name, thing) for name, thing in names.items() if not inspect.ismodule(thing)
    )
    shown = f".. picture::\n\n{textwrap.indent(PICTURES[room], '   ')}\n\n" if room in PICTURES else ""
    return head(title, lead) + f".. automodule:: {room}\n   :no-index:\n\n" + shown + entries


def in_order(module: Any) -> list[str]:
    """A module's public names: first those of which its first line tells, as it does, and then the others."""
    told = re.findall(r"`(\w+)`", (inspect.getdoc(module) or "").partition("\n")[0])
    return sorted(module.__all__, key=lambda name: (told.index(name) if name in told else len(told), name))


def page_of(room: str) -> str:
    """The name of a module's page."""
    return room.removeprefix("autodiff.").replace(".", "_")


def module_of(thing: Any) -> str:
    """The module in which a function, class or operation was written."""
    if isinstance(thing, Operation):
        return str(getattr(thing.forward, "__module__", ""))
    return str(getattr(thing, "__module__", ""))


def entry(room: str, name: str, thing: Any) -> str:
    """The lines for one name."""
    own = getattr(thing, "__name__", name)
    if own != name and getattr(importlib.import_module(room), own, None) is thing:
        kind, role = ("class", "class") if inspect.isclass(thing) else ("function", "func")
        return described(kind, room, f"{name}{call(thing)}", f"The same as :{role}:`{room}.{own}`.")
    if isinstance(thing, Operation):
        return described("function", room, f"{name}{call(thing)}", operation_text(thing))
    if not callable(thing):
        home = f"{room}.{importlib.import_module(room).HOMES[name]}"
        said = ModuleAnalyzer.for_module(home).find_attr_docs()[("", name)]
        return described("data", room, name, "\n".join(said))
    if not inspect.isclass(thing):
        return f".. autofunction:: {room}.{name}\n\n"
    is_layer = issubclass(thing, autodiff.nn.Module) and thing is not autodiff.nn.Module
    left_out = f"   :exclude-members: {BEHIND}\n" if is_layer else ""
    return f".. autoclass:: {room}.{name}\n   :members:\n{left_out}\n"


def described(kind: str, room: str, name: str, text: str) -> str:
    """The entry of a name, with a text of its own."""
    return f".. py:{kind}:: {name}\n   :module: {room}\n\n{textwrap.indent(text, '   ')}\n\n"


def call(thing: Any) -> str:
    """How something is called: its parameters in brackets."""
    try:
        given = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return "(...)"
    return str(inspect.Signature([each.replace(annotation=inspect.Parameter.empty) for each in given]))


def operation_text(thing: Operation) -> str:
    """What an operation says of itself, and its rules."""
    plain = Config(napoleon_use_param=False, napoleon_use_rtype=False)
    said = str(NumpyDocstring(inspect.cleandoc(thing.__doc__ or ""), plain))
    return said + "\n\n" + rules(thing, operation_code(thing))


def rules(operation: Operation, code: str) -> str:
    """The rules as mathematics, and the source, folded."""
    found = ", ".join(sentences(operation, code))
    mathematics = f"Rules, where :math:`\\bar z` is z's gradient: {found}\n\n" if found else ""
    head = ".. dropdown:: Source, with its rules\n\n   .. code-block:: python\n\n"
    return mathematics + head + textwrap.indent(code, "      ")


def signature(_app: Any, _what: str, _name: str, thing: Any, _options: Any, given: Any, back: Any) -> Any:
    """A signature for Sphinx, in which a default is a number, not the name that it has in the source."""
    home = vars(inspect.getmodule(thing) or autodiff)

    def value(found: re.Match[str]) -> str:
        known = home.get(found[1])
        return f"={known}" if isinstance(known, (int, float)) else found[0]

    return given and re.sub(r"=([A-Z_]+)\b", value, given), back


def kept_with_its_sign(text: str) -> str:
    """A text in which no line ends between a minus and its letter, as in "between -x and x"."""
    return re.sub(r"(?<![^\s(])-(?=[^\W\d])", "-\u2060", text)


def keep_signs(_app: Any, doctree: nodes.document, page: str) -> None:
    """Keep the signs in the prose of a page of the reference. Code stays as it is, since it is copied."""
    if page.startswith("reference/"):
        for part in list(doctree.findall(nodes.Text)):
            if isinstance(part.parent, nodes.paragraph):
                part.parent.replace(part, nodes.Text(kept_with_its_sign(part)))


def setup(app: Any) -> dict[str, bool]:
    """Have Sphinx ask for signatures here, and for what is done to a page at last."""
    app.connect("autodoc-process-signature", signature)
    app.connect("doctree-resolved", keep_signs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
