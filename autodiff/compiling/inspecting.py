"""What a compiled function shows of itself: the source of its program, and what each pass made of it."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .nodes import reachable
from .printing import rolled
from .program import Program

NOT_FINITE = re.compile(r"\b(inf|nan)\b")
SMALL = 64  # elements of an array that is written out


class Source(str):
    """A text that Python shows as it is, without quotes.

    Attributes
    ----------
    constants
        The objects that it refers to by name. Those that cannot be written out stand in it as ``...``.
    """

    constants: Mapping[str, Any] = {}

    def __repr__(self) -> str:
        return str(self)


def program_text(program: Program) -> Source:
    """A program as a reader would write it, as Python over NumPy, with what it refers to."""
    if program.printer is None:
        return whole(rolled(program.source), program.constants)
    printer = program.printer()
    return whole(printer.rolled, printer.constants)


def source_text(program: Program) -> Source:
    """The source that runs, with what it refers to."""
    return whole(program.source, program.constants)


def whole(source: str, constants: dict[str, Any]) -> Source:
    """A source with its imports and with the objects that it refers to."""
    lines = source.split("\n")
    count = next(i for i, line in enumerate(lines) if not line.startswith(("from ", "import ")))
    imports, lines = lines[:count], lines[count:]
    made = [constant_text(name, value) for name, value in constants.items()]
    text = "\n".join([*made, *[""] * bool(made), *lines]).strip() + "\n"
    if "np." in text and "import numpy as np" not in imports:
        imports.insert(0, "import numpy as np")
    found = Source("\n".join([*imports, *[""] * bool(imports), text]))
    found.constants = constants
    return found


UNCHANGED = "no change"  # before the passes that left as many operations as there were


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
    """The number of operations that were traced and that each pass has left, and what the program needs. What
    the program does in a loop is counted turn by turn."""
    stages = {**program.counts, **{name: operations(results) for name, results in program.stages}}
    width = max(map(len, [*stages, UNCHANGED]))
    before, lines, unchanged = None, [], []
    for name, count in stages.items():
        if count == before:
            unchanged.append(name)
        else:
            change = "" if before is None else change_text(count - before)
            lines.append(f"{name.ljust(width)}  {count:>9,} operations{change}")
        before = count
    if unchanged:
        lines.append(f"{UNCHANGED.ljust(width)}  {', '.join(unchanged)}")
    lines.append(f"{'program'.ljust(width)}  {program_text(program).count(chr(10)):>9,} lines")
    if program.bytes:
        lines.append(f"{'memory'.ljust(width)}  {program.bytes:>9,} bytes in planned buffers")
    lines.append(f"{'made in'.ljust(width)}  {1000 * seconds:>9,.0f} ms")
    return Source("\n".join(lines))


def change_text(change: int) -> str:
    """By how much a number of operations has changed."""
    return f",  {abs(change):,} {'fewer' if change < 0 else 'more'}" if change else ""


def operations(results: Any) -> int:
    """The number of nodes that compute something."""
    return sum(bool(node.args) and node.op != "full" for node in reachable(results))
