"""The examples of the gallery: functions that record a graph and return a camera's picture of it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Example:
    """A picture and what is said of it. The docstring of `make` is its title, a blank line and its text."""

    make: Callable[[], Any]

    @property
    def anchor(self) -> str:
        """Its place on a page."""
        return self.make.__name__.replace("_", "-")

    @property
    def title(self) -> str:
        """The first line of the docstring, without its full stop."""
        return inspect.getdoc(self.make).partition("\n")[0].removesuffix(".")  # type: ignore[union-attr]

    @property
    def text(self) -> str:
        """What the docstring says below its title."""
        return inspect.getdoc(self.make).partition("\n")[2].strip()  # type: ignore[union-attr]

    def code(self, shown: set[str]) -> str:
        """The lines that make the picture, after those functions that they call which are not yet `shown`."""
        parts = [inspect.getsource(helper).rstrip() for helper in helpers(self.make, shown)]
        return "\n\n".join([*parts, body_of(self.make)])


class Part:
    """A part of the gallery, which collects its examples as a decorator."""

    def __init__(self, title: str, text: str = "") -> None:
        self.title = title
        self.text = text
        self.examples: list[Example] = []

    def __call__(self, make: Callable[[], Any]) -> Callable[[], Any]:
        """Put a function into this part."""
        self.examples.append(Example(make))
        return make


def helpers(function: Callable[..., Any], shown: set[str]) -> list[Callable[..., Any]]:
    """The gallery's own functions that a function calls, each after those that it calls itself. They count as
    shown from now on."""
    code = ast.parse(inspect.getsource(function))
    names = [node.id for node in ast.walk(code) if isinstance(node, ast.Name)]
    found: list[Callable[..., Any]] = []
    for name in names:
        helper = function.__globals__.get(name)
        if inspect.isfunction(helper) and helper.__module__ == function.__module__ and name not in shown:
            shown.add(name)
            found += [*helpers(helper, shown), helper]
    return found


def body_of(function: Callable[[], Any]) -> str:
    """The lines of a function below its docstring, of which the last gives what it returns."""
    lines = inspect.getsource(function).splitlines()
    written = ast.parse("\n".join(lines)).body[0]
    assert isinstance(written, ast.FunctionDef)
    docstring, last = written.body[0], written.body[-1]
    lines[last.lineno - 1] = lines[last.lineno - 1].replace("return ", "", 1)
    return textwrap.dedent("\n".join(lines[docstring.end_lineno :])).strip("\n")
