"""Show source code in a notebook, taken from the real object, so that lesson and library cannot drift
apart."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

from ..operation import Operation


class Source:
    """Source code that shows itself highlighted, folded if asked for. Its text is the code."""

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


def source(thing: Any, *, folded: bool | str = False) -> Source:
    """The code of a function, class, module or operation (with its rules).

    Parameters
    ----------
    folded
        True folds it under a line to click on; a string is that line.

    Example
    -------
    >>> import autodiff as ad
    >>> from autodiff.lessons import source
    >>> source(ad.neg)
    @operation(number=operator.neg)
    def neg(x: Any) -> Any:
        return -x
    <BLANKLINE>
    neg.backward(lambda grad, z, x: -grad)
    """
    code = operation_code(thing) if isinstance(thing, Operation) else inspect.getsource(thing)
    summary = "The code, to unfold" if folded is True else folded or None
    return Source(textwrap.dedent(code).strip(), summary)


def operation_code(operation: Operation) -> str:
    """The forward without its docstring, and the statement that gives the rules."""
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
