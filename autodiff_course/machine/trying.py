"""Running a reader's code on a machine of its own: what comes out, what is printed, and when it is
stopped."""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import io
import linecache
import sys
import types
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .plan import TOP, YOURS, Given, Probe, active

STEPS = 300_000
"""How many steps, which are lines, a probe may run in the machine before it is stopped: less than a
second."""
PREFIX = "machine, "
"""How the names of the machine's parts begin in tracebacks; only their lines are counted."""


class Stopped(BaseException):
    """Raised in code that runs for too long. ``except Exception`` does not catch it."""


@dataclass(frozen=True)
class Outcome:
    """What a probe gave: a value, an error's text, or "endless"."""

    kind: str
    value: Any
    printed: str = ""
    inside: str = ""
    """For an error, the part of the machine in which it was raised."""


# -- building a machine --------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1000)
def compiled(name: str, code: str, whose: str) -> types.CodeType:
    """The code object of a part. Tracebacks and ``inspect`` show its lines."""
    mark = "" if whose != YOURS else f", {zlib.crc32(code.encode()):08x}"  # another text, another name
    filename = f"{PREFIX}{name} ({whose}{mark})"
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # Python has shown it with the reader's own cell
        return compile(code, filename, "exec")


def run_part(part: Given, own: Mapping[str, str], names: dict[str, Any]) -> None:
    """Run a part of the machine: the reader's text if there is one, else the reference."""
    whose = YOURS if part.name in own else "the reference"
    exec(compiled(part.name, own.get(part.name, part.code), whose), names)


def built(
    stop: int, own: Mapping[str, str], top: str = TOP, names: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The names of a machine of which the first ``stop`` parts are there, put into ``names``."""
    names = {} if names is None else names
    names["__name__"] = "machine"
    exec(compiled("first lines", top, "given"), names)
    for part in active(stop):
        run_part(part, own, names)
    return names


# -- running -------------------------------------------------------------------------------------------------


def is_of_machine(filename: str) -> bool:
    """Whether code is part of a machine, by the name of its file."""
    return filename.startswith(PREFIX)


@contextlib.contextmanager
def stopped_after(steps: int, is_counted: Callable[[str], bool] = is_of_machine) -> Any:
    """Raise Stopped when code of the machine, or of the files that are counted, has taken that many steps.

    It works by Python's own trace function, so it needs no signals and no threads, and is the same on every
    system. Steps are lines, and the rounds of a loop in one line, which Python does not count as a new line
    each time.
    """
    left = steps

    def count(frame: types.FrameType, event: str, arg: Any) -> Any:
        nonlocal left
        if not is_counted(frame.f_code.co_filename):
            return None
        if event == "call":
            frame.f_trace_opcodes = bool(rounds(frame.f_code))
        elif event == "opcode" and frame.f_lasti not in rounds(frame.f_code):
            return count
        left -= 1
        if left < 0:
            raise Stopped
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)


@functools.lru_cache(maxsize=1000)
def rounds(code: types.CodeType) -> frozenset[int]:
    """Where code goes back to an earlier place of the same line, as in ``while True: pass``: the offsets of
    these instructions (newer versions of Python make such loops of more and more that is written in a call,
    as ``all(x for x in xs)``)."""
    lines, found = {}, set()
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno or line if instruction.positions else line
        lines[instruction.offset] = line
        if "JUMP" in instruction.opname and lines.get(instruction.argval) == line:
            found.add(instruction.offset)
    return frozenset(found)


@functools.cache
def halves(probe: Probe) -> tuple[types.CodeType, types.CodeType]:
    """The code of a probe up to its last line, and that of the expression in its last line."""
    tree = ast.parse(probe.code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    filename = f"{PREFIX}probe"
    return compile(tree, filename, "exec"), compile(ast.Expression(last.value), filename, "eval")


def outcome(names: dict[str, Any], probe: Probe) -> Outcome:
    """Run a probe in these names. Nothing that it prints is shown, and no error leaves this function."""
    first, last = halves(probe)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            with stopped_after(STEPS):
                exec(first, names)
                value = plain(eval(last, names))
        except Stopped:
            return Outcome("endless", None, text_of(printed))
        except RecursionError as error:
            return Outcome("recursion", None, text_of(printed), raised_in(error))
        except Exception as error:  # noqa: BLE001  the reader's code may raise anything
            said = f"{type(error).__name__}: {error}"
            return Outcome("error", said, text_of(printed), raised_in(error))
    text = text_of(printed)
    return Outcome("value", text if probe.prints else value, text)


def text_of(printed: io.StringIO) -> str:
    """What was printed, without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in printed.getvalue().split("\n")).strip("\n")


def raised_in(error: BaseException) -> str:
    """The name of the last part of the machine that an error passed through."""
    name, step = "", error.__traceback__
    while step:
        filename = step.tb_frame.f_code.co_filename
        if filename.startswith(PREFIX) and not filename.endswith("probe"):
            name = filename.removeprefix(PREFIX).rpartition(" (")[0]
        step = step.tb_next
    return name


# -- comparing and showing -----------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value without arrays and NumPy's numbers, so that it can be compared and shown."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return type(value)(plain(part) for part in value) if type(value) in (list, tuple) else repr(value)
    if hasattr(value, "creators") and hasattr(value, "data"):
        return f"a Tensor with {shown(plain(value.data))}"
    if isinstance(value, memoryview):  # an array has an attribute `data`, too
        return "the .data of a plain array, and not of a Tensor"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return f"something of the type {type(value).__name__}"


def same(found: Any, right: Any) -> bool:
    """Whether two plain values are the same, up to rounding."""
    if isinstance(right, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(found) == len(right) and all(map(same, found, right))
    numbers = (int, float)
    if isinstance(found, numbers) and isinstance(right, numbers):
        return bool(np.isclose(found, right, rtol=1e-6, atol=1e-9, equal_nan=True))
    return type(found) is type(right) and bool(found == right)


def same_outcome(found: Outcome, other: Outcome) -> bool:
    """Whether two outcomes show the same mistake."""
    if found.kind == other.kind == "value":
        return same(found.value, other.value)
    return found.kind == other.kind and found.value == other.value


def shown(value: Any, digits: int = 6) -> str:
    """A plain value as the reader would write it, with so many digits of a float."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value + 0:.{digits}g}"  # 0 in place of -0
    parts = [shown(part, digits) for part in value] if isinstance(value, (list, tuple)) else []
    if isinstance(value, tuple):
        return f"({', '.join(parts)}{',' * (len(value) == 1)})"
    if isinstance(value, list):
        return f"[{', '.join(parts)}]"
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]}..."
