"""What a compiled function shows of itself: the source of its program, and what each pass made of it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .nodes import reachable
from .program import Program
from .rolling import rolled

SMALL = 64  # elements of an array that is written out


class Source(str):
    """A text that Python shows as it is, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def program_text(program: Program) -> Source:
    """The source of a program as Python over NumPy, with what it refers to, and with loops for runs of alike
    lines."""
    constants = [constant_text(name, value) for name, value in program.constants.items()]
    text = "\n".join([*constants, "" * bool(constants), rolled(program.source)]).strip() + "\n"
    return Source(f"import numpy as np\n\n{text}" if "np." in text else text)


def constant_text(name: str, value: Any) -> str:
    """The definition of an object that a program refers to; a comment, where it cannot be written out."""
    if isinstance(value, np.ndarray):
        if value.size <= SMALL:
            return f"{name} = np.array({value.tolist()}, {str(value.dtype)!r})"
        return f"{name} = ...  # an array of shape {value.shape}, {value.dtype}"
    function = value.func if isinstance(value, functools.partial) else value
    whole = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', function)}"
    return f"{name} = ...  # {whole}"


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
