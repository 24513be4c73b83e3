"""Showing the source code of an object in a notebook, so that lesson and library cannot differ."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

from autodiff.engine.operation import Operation


class Source:
    """Source code that a notebook shows highlighted, and folded if it has a summary. Its repr is the code."""

    def __init__(self, code: str, summary: str | None = None) -> None:
        self.code = code
        self.summary = summary

    def __repr__(self) -> str:
        return self.code

    def _repr_markdown_(self) -> str:
        fenced = f"```python\n{self.code}\n```"
        if self.summary is None:
            return fenced
        return f"<details><summary>{self.summary}</summary>\n\n{fenced}\n\n</details>"


def source(*things: Any, folded: bool | str = False) -> Source:
    """The code of functions, classes, modules or operations, which come with their rules.

    What is in the reader's machine is shown by ``autodiff_course.machine.text``.

    Parameters
    ----------
    things
        One or more objects, whose code is shown in this order.
    folded
        True folds the code under a line to click on; a string is the text of that line.

    Raises
    ------
    TypeError
        If no object is given, or one has no source code: it is built in, or was defined in the notebook.

    Example
    -------
    >>> import autodiff as ad
    >>> from autodiff_course import source
    >>> source(ad.neg)
    @operation(scalar=operator.neg, kind="elementwise", sign="-", precision="signed")
    def neg(x: Any) -> Any:
        return -x
    <BLANKLINE>
    neg.backward(lambda grad, z, x: -grad)
    """
    if not things:
        raise TypeError("source needs at least one function, class or module to show")
    summary = "The code, to unfold" if folded is True else folded or None
    return Source("\n\n\n".join(textwrap.dedent(code_of(thing)).strip() for thing in things), summary)


def code_of(thing: Any) -> str:
    """The code of one object, as it is written in its module."""
    if isinstance(thing, Operation):
        return operation_code(thing)
    try:
        return inspect.getsource(thing)
    except (TypeError, OSError) as error:
        name = getattr(thing, "__name__", f"{thing!r:.60}")
        raise TypeError(
            f"there is no source code for {name}: source shows objects that a Python module defines"
        ) from error


def operation_code(operation: Operation) -> str:
    """The forward without its docstring, and the statement that declares the rules."""
    text = inspect.getsource(inspect.getmodule(operation.forward))  # type: ignore[arg-type]
    parts = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == operation.name:
            first = node.decorator_list[0].lineno - 1
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = text.splitlines()
            head = lines[first : node.body[0].lineno - 1]
            parts.append("\n".join(head + lines[body[0].lineno - 1 : node.end_lineno]))
        elif isinstance(node, ast.Expr) and ast.unparse(node).startswith(f"{operation.name}.backward("):
            parts.append(str(ast.get_source_segment(text, node)))
    return "\n\n".join(parts)
