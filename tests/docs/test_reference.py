"""What the reference is made of: public docstrings in NumPy's form, whose sections stay whole."""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib
import inspect
import re

import pytest

from tests.test_public_names import LISTED

FIELDS = {"Parameters", "Attributes", "Raises"}
SECTIONS = FIELDS | {"Returns", "Example", "Examples", "Notes", "References"}


def docstrings():
    """The docstrings of all public names, and of the public methods of classes, by name."""
    found = {}
    for name in LISTED:
        room, _, own = name.rpartition(".")
        thing = getattr(importlib.import_module(room), own)
        found[name] = thing
        for base in inspect.getmro(thing) if inspect.isclass(thing) else ():
            if base.__module__.startswith("autodiff"):
                methods = {key: value for key, value in vars(base).items() if not key.startswith("_")}
                found |= {f"{base.__name__}.{key}": value for key, value in methods.items()}
    texts = {name: thing.__doc__ for name, thing in found.items() if not isinstance(thing, str)}
    return {name: inspect.cleandoc(text) for name, text in texts.items() if text}


def faults(text):
    """What falls apart on a page: a section without a name of NumPy's, and a line that is taken for a
    parameter, since no indented line follows it."""
    section, lines = None, ["", *text.splitlines(), ""]
    for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
        if not before and re.fullmatch("-+", after):
            section = line
            if section not in SECTIONS:
                yield f"the section {section}"
        elif section in FIELDS and re.match(r"(?!-+$|[\w, ]+ : )\S", line) and not after.startswith("    "):
            yield line


def test_sections_stay_whole():
    found = docstrings()
    assert len(found) > 800
    assert {name: said for name, text in found.items() if (said := list(faults(text)))} == {}


def test_examples_call_public_names():
    of_modules = re.compile(r">>> .*\b(ad|autodiff)\.ops\.")
    assert [name for name, text in docstrings().items() if of_modules.search(text)] == []


def missing(text):
    """The names that the examples of a docstring use and nothing in them makes."""
    made = set(dir(builtins))
    for example in doctest.DocTestParser().get_examples(text):
        parts = list(ast.walk(ast.parse(example.source)))
        for part in parts:
            match part:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.ExceptHandler(name=name):
                    made.add(name)
                case ast.alias(name=name, asname=other):
                    made.add(other or name.partition(".")[0])
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    made.add(name)
        yield from (part.id for part in parts if isinstance(part, ast.Name) and part.id not in made)


def test_examples_can_be_copied():
    """A doctest knows the names of its module; a reader's session does not."""
    found = {name: set(missing(text)) for name, text in docstrings().items()}
    assert {name: names for name, names in found.items() if names} == {}
    assert sum(">>>" in text for text in docstrings().values()) > 500


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (">>> np.ones(2)", ["np"]),
        (">>> import numpy as np\n>>> np.ones(2)", []),
        (">>> y = x", ["x"]),
        (">>> import os.path\n>>> [len(os.path.join(a, 'b')) for a in 'ab']", []),
        (">>> def f(x):\n...     return x + y", ["y"]),
    ],
)
def test_names_that_nothing_makes_are_seen(text, said):
    assert list(missing(text)) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One.\n\nParameters\n----------\nx\n    A number.\n\nRaises\n------\nValueError\n    Never.", []),
        ("One.\n\nParameters\n----------\nx\n    A number.\n\nRaises ValueError.", ["Raises ValueError."]),
        ("One.\n\nParameters\n----------\nx\n    A number.\n\n- one", ["- one"]),
        ("One.\n\nInput\n-----\nA number.", ["the section Input"]),
        ("One.\n\nExample\n-------\n>>> table\nname\n----", []),
    ],
)
def test_what_falls_apart_is_seen(text, said):
    assert list(faults(text)) == said
