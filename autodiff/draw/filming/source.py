"""The code of a function beside its film: which line made each node, and what the function called it.

For that the function is called once more, with the same arguments. The engine reports each node that it
records, and the function's frame tells the current line.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.recording import enable_grad
from ...engine.scopes import scope
from ...engine.tensor import Tensor
from ..graph.as_text import attribute, word
from ..graph.caller import Scope
from ..graph.walk import Walk, is_node, walk


@dataclass(frozen=True, slots=True)
class Source:
    """The lines of a function's code, and the index of the line that made each node of the graph.

    `names` are what the function calls these nodes, by its own variables.
    """

    code: tuple[str, ...]
    lines: Mapping[int, int]
    names: Mapping[str, object]


def read_source(given: object, walked: Walk, named: Mapping[str, object], caller: Scope) -> Source:
    """The code of a function, given alone or as a tuple with its arguments, beside the graph that it made.

    An argument is found by the name of its parameter, among the nodes of the graph and the caller's
    variables.

    Raises TypeError if it is not a function with readable code, ValueError if its arguments are not known or
    it does not compute what is filmed.
    """
    function, *arguments = given if isinstance(given, tuple) else (given,)
    code = code_of(function)
    first, text = _text_of(code, word(attribute(function, "__name__") or function))
    if not isinstance(given, tuple):
        arguments = _arguments(function, {**caller.common, **caller.local, **named})
    recorder = Recorder(code)
    with enable_grad(), scope("", watch=recorder):
        made = function(*arguments)
    matched = dict(_matched(made, walked))
    if not matched:
        f = code.co_name
        raise ValueError(
            f"source={f}: this call computes another graph than the one that is filmed. Film what {f} "
            f"returns for the same arguments, as in film({f}(x), source=({f}, x))"
        )
    kept = _without_docstring(text)
    place = {first + line: k for k, line in enumerate(kept)}
    lines = {
        matched[id(node)]: place[at] for node, at in recorder.lines if id(node) in matched and at in place
    }
    names = {
        name: walked.order[matched[id(value)]]
        for name, value in recorder.variables.items()
        if id(value) in matched
    }
    return Source(tuple(text[line] for line in kept), lines, names)


def called(function: Any, caller: Scope) -> object:
    """What a function returns for the caller's variables; numbers and arrays among them become Tensors.

    Raises ValueError if there is no variable for a parameter.
    """
    found = _arguments(function, {**caller.common, **caller.local})
    names = list(inspect.signature(function).parameters)
    given = [
        Tensor(x, name=name) if isinstance(x, (int, float, np.ndarray)) and not isinstance(x, bool) else x
        for name, x in zip(names, found)
    ]
    with enable_grad():
        made: object = function(*given)
    return made


class Recorder:
    """Notes for each node that is recorded which line of one function is running."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code
        self.frame: types.FrameType | None = None
        self.lines: list[tuple[Any, int]] = []

    def made(self, node: Any, operation: object, operands: object) -> None:
        """Note the line that made a node: the engine calls this for every node that it records."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        if frame is not None:
            self.frame = self.frame or frame
            self.lines.append((node, frame.f_lineno))

    def passed(self, contribution: object, creator: object, node: object) -> None:
        """Do nothing: the engine calls this on the way back."""

    @property
    def variables(self) -> dict[str, Any]:
        """The function's variables, as they were when it returned."""
        return {} if self.frame is None else dict(self.frame.f_locals)


def code_of(function: Any) -> types.CodeType:
    """The code of a function, a method, or the `forward` of a layer. Raises TypeError if there is none."""
    for found in (inspect.unwrap(function) if callable(function) else None, attribute(function, "forward")):
        code = getattr(getattr(found, "__func__", found), "__code__", None)
        if isinstance(code, types.CodeType):
            return code
    raise TypeError(
        "source is the function that computed what is filmed, source=f, or with its arguments source=(f, x), "
        f"not {word(function)}"
    )


def _text_of(code: types.CodeType, name: str) -> tuple[int, list[str]]:
    """The number of the first line of a function, and its lines without common indentation."""
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError):
        raise ValueError(
            f"the code of {name} cannot be read: it was not written in a file or a cell"
        ) from None
    return first, textwrap.dedent("".join(lines)).rstrip().split("\n")


def _without_docstring(text: list[str]) -> list[int]:
    """The indices of a function's lines without those of its docstring."""
    try:
        body = ast.parse("\n".join(text)).body[0]
    except SyntaxError:  # a lambda inside of something
        return list(range(len(text)))
    left_out = range(0)
    statement = body.body[0] if isinstance(body, ast.FunctionDef) and len(body.body) > 1 else None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        left_out = range(statement.lineno - 1, statement.end_lineno or statement.lineno)
    return [k for k in range(len(text)) if k not in left_out]


def _arguments(function: Any, known: Mapping[str, object]) -> list[object]:
    """The arguments for the parameters that need one, by their names."""
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.default is not parameter.empty or parameter.kind > parameter.POSITIONAL_OR_KEYWORD:
            continue
        if parameter.name not in known:
            name = word(attribute(function, "__name__") or "f")
            raise ValueError(
                f"film calls {name} to see which line does what, and there is nothing named "
                f"{parameter.name!r} for its parameter: give the arguments too, source=({name}, ...)"
            )
        found.append(known[parameter.name])
    return found


def _matched(made: object, walked: Walk) -> Iterator[tuple[int, int]]:
    """Pairs of the id of a node that was made now, and the index of the node that it corresponds to."""
    results = made if isinstance(made, (tuple, list)) else [made]
    for result in filter(is_node, results):
        again = walk(result)
        for i in range(walked.end, -1, -1):
            pairs = _paired(again, walked, i)
            if pairs:
                yield from ((id(again.order[k]), j) for k, j in pairs.items())
                break


def _paired(again: Walk, walked: Walk, i: int) -> dict[int, int] | None:
    """The nodes of one graph, paired with those of another made in the same way; None if these differ."""
    pairs = {again.end: i}
    stack = [again.end]
    while stack:
        k = stack.pop()
        j = pairs[k]
        mine, theirs = again.creators[k], walked.creators[j]
        if len(mine) != len(theirs) or str(again.operation(k)) != str(walked.operation(j)):
            return None
        for one, other in zip(mine, theirs):
            if is_node(one) != is_node(other):
                return None
            if is_node(one):
                a, b = again.index[id(one)], walked.index[id(other)]
                if pairs.setdefault(a, b) != b:
                    return None
                stack.append(a)
    return pairs
