"""What a compiled function shows of itself: the source of its program, and what each pass made of it."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from .nodes import reachable
from .program import Program
from .reading import rolled

IMPORTS = re.compile(r"\A((?:from|import) .*\n)*")
NOT_FINITE = re.compile(r"\b(inf|nan)\b")
SMALL = 64  # elements of an array that is written out


class Source(str):
    """A text that Python shows as it is, without quotes.

    Attributes
    ----------
    constants
        The objects that it refers to by name. Those that cannot be written out stand in it as ``...``.
    """

    def __new__(cls, text: str, constants: dict[str, Any] | None = None) -> Source:
        made = super().__new__(cls, text)
        made.constants = constants or {}
        return made

    constants: dict[str, Any]

    def __repr__(self) -> str:
        return str(self)


def program_text(program: Program) -> Source:
    """A program as a reader would write it, as Python over NumPy, with what it refers to."""
    if program.reader is None:
        return Source(whole(rolled(program.source), program.constants), program.constants)
    text, constants = rolled(program.reader.text, program.reader.kinds), program.reader.constants
    return Source(whole(text, constants), constants)


def source_text(program: Program) -> Source:
    """The source that runs, with what it refers to."""
    return Source(whole(program.source, program.constants), program.constants)


def whole(source: str, constants: dict[str, Any]) -> str:
    """A source with its imports and with the objects that it refers to."""
    made = [constant_text(name, value) for name, value in constants.items()]
    imports, source = IMPORTS.match(source)[0], IMPORTS.sub("", source)
    text = "\n".join([*made, "" * bool(made), source]).strip() + "\n"
    if "np." in text and "import numpy" not in imports:
        imports = "import numpy as np\n" + imports
    return f"{imports}\n{text}" if imports else text


def constant_text(name: str, value: Any) -> str:
    """The definition of an object that a program refers to; a comment, where it cannot be written out."""
    if isinstance(value, np.ndarray):
        return f"{name} = {array_text(value)}"
    function = value.func if isinstance(value, functools.partial) else value
    whole = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', function)}"
    return f"{name} = ...  # {whole}"


def array_text(array: np.ndarray[Any, Any]) -> str:
    """An array as Python makes it; a comment for one that is too large to be written out."""
    dtype = repr(str(array.dtype))
    if array.ndim == 1 and array.dtype == int and np.array_equal(array, np.arange(len(array))):
        return f"np.arange({len(array)})"
    first = array.flat[0].item() if array.size else 0
    if array.ndim and (array == first).all() and len(set(np.signbit(array).flat)) < 2:
        text = f"np.full({array.shape}, {first}, {dtype})"
    elif array.size <= SMALL:
        text = f"np.array({array.tolist()}, {dtype})"
    else:
        return f"...  # an array of shape {array.shape}, {array.dtype}"
    return NOT_FINITE.sub(r"np.\1", text)


def report_text(program: Program, seconds: float) -> Source:
    """The number of operations after each pass, and what the program needs."""
    stages = [(name, operations(results)) for name, results in program.stages]
    width = max(len(name) for name, _ in stages)
    lines = [f"{name.ljust(width)}  {count:>8,} operations" for name, count in stages]
    lines.append(f"{'program'.ljust(width)}  {program.source.count(chr(10)):>8,} lines")
    lines.append(f"{'memory'.ljust(width)}  {program.bytes:>8,} bytes in planned buffers")
    lines.append(f"{'made in'.ljust(width)}  {1000 * seconds:>8,.0f} ms")
    return Source("\n".join(lines))


def operations(results: Any) -> int:
    """The number of nodes that compute something."""
    return sum(bool(node.args) and node.op != "full" for node in reachable(results))
