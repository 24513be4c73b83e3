"""Small texts of programs: names, shapes, the first and the last line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from ..nodes import ProgramNode

MARK = "·"
"""Stands between the word and the number of a name that is given by the program, as in ``tanh·3``. ``rolled``
numbers these names anew: ``tanh`` if there is one, otherwise ``tanh1``, ``tanh2``."""

WIDTH = 100
NUMBER = re.compile(rf"{MARK}\d+")


def head(shapes: Mapping[str, str]) -> list[str]:
    """The head of a function, with the shapes of its arguments, which are given by their names."""
    line = f"def program({', '.join(shapes)}):"
    if len(line) > WIDTH:
        arguments = [f"    {name},{'  # ' * bool(text)}{text}" for name, text in shapes.items()]
        return ["def program(", *arguments, "):"]
    lines = [line]
    for part in [f"{name}: {text}" for name, text in shapes.items() if text]:
        if len(lines) > 1 and len(lines[-1]) + len(part) < WIDTH:
            lines[-1] += f", {part}"
        else:
            lines.append(f"    # {part}")
    return lines


def end(texts: Sequence[str]) -> list[str]:
    """The line that returns results."""
    line = f"    return ({', '.join(texts)}{',' * (len(texts) == 1)})"
    if len(line) <= WIDTH:
        return [line]
    inner = textwrap.wrap(", ".join(texts), WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return ["    return (", *inner, "    )"]


def shape_text(node: ProgramNode) -> str:
    """The shape of an array as in ``100 x 16``; nothing for a number."""
    return " x ".join(map(str, node.shape))


def argument_text(node: ProgramNode) -> str:
    """The shape of an argument, and its dtype unless it is float64."""
    return f"{shape_text(node)}{f' {node.dtype}' * (str(node.dtype) != 'float64')}" if node.shape else ""


def length(text: str) -> int:
    """The length of an expression, whatever the numbers in its names: alike expressions are equally long."""
    return len(NUMBER.sub("", text))


def pattern(name: str) -> str:
    """A regular expression for a name, and not for a longer one that contains it."""
    return rf"(?<![\w.·]){name}(?![\w·])"


def has_word(text: str, name: str) -> bool:
    """Whether a name occurs in a text."""
    return re.search(pattern(name), text) is not None


def replaced(text: str, name: str, new: str) -> str:
    """A text with one name in place of another."""
    return re.sub(pattern(name), new, text)
