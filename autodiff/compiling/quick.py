"""Quick calls: the short way from the arguments of a compiled function to its program, and from the results
of the program to those of the function.

Most compiled functions change nothing: they take Tensors, arrays and floats, and return new ones. For such a
program a function is generated that checks the kinds of the arguments, reads their values, runs the program,
and wraps the results. It leaves out everything that only other programs need. Around a program of a few
operations it takes a third of the time of the general call in ``compiled.py``.

For ``f(x, points)`` with a Tensor and a list of floats it is, for instance::

    def call(args):
        if not (len(args) == 2): return None
        x0, x1 = args
        if not (type(x0) is Tensor and not x0._requires_grad): return None
        x0 = x0._value
        if not (type(x0) is ndarray and x0.shape == (4, 4) and x0.dtype is dtype): return None
        if not (type(x1) is list and len(x1) == 20): return None
        if not ({*map(type, x1)} == {float}): return None
        if not (guard.holds()): return None
        leaves = run(x0, *x1)
        return constant_tensor(leaves[0])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.silence import thread
from ..engine.tensor import Tensor, constant_tensor
from .guards import Guard
from .naming import Names
from .structure import DICTS, FEW, MUTABLE, result_text

QuickCall = Callable[[tuple[Any, ...]], Any]
MOST = 200
"""The number of lines up to which a quick call is written."""

SILENT = """\
warnings = thread.warnings
    if warnings.are_silenced:
        leaves = run({values})
    else:
        warnings.are_silenced = True
        try:
            leaves = warnings.silent.run(run, {values})
        finally:
            warnings.are_silenced = False"""
"""``leaves = silently(run, ...)``, without packing and unpacking the values."""


class Unsuited(Exception):
    """An argument is of a kind for which no quick check is written."""


OBJECTS = {"Tensor": Tensor, "ndarray": np.ndarray, "constant_tensor": constant_tensor, "thread": thread}
LOCAL = ("args", "captured", "leaves", "run", "warnings")


class QuickWriter(Names):
    """Writes the source of a quick call.

    Attributes
    ----------
    lines
        The lines of the function so far.
    values
        The source of each argument of the program.
    """

    def __init__(self) -> None:
        super().__init__(LOCAL, OBJECTS)
        self.lines: list[str] = []
        self.values: list[str] = []

    def require(self, *conditions: str) -> None:
        """Write that the function returns None unless the conditions are true."""
        self.lines.append(f"if not ({' and '.join(conditions)}): return None")

    def read(self, name: str, like: Any) -> None:
        """Write the checks of an argument, and how its values are read; ``like`` is an argument that fits.
        Raises Unsuited for kinds that are rare."""
        if isinstance(like, Tensor):
            kind, no = self.keep(type(like), "kind"), "not " * (not like._requires_grad)
            self.require(f"type({name}) is {kind}", f"{no}{name}._requires_grad")
            self.lines.append(f"{name} = {name}._value")
            self.read_leaf(name, like._value)
        elif type(like) is float or isinstance(like, (np.ndarray, np.generic)):
            self.read_leaf(name, like)
        elif type(like) in (list, tuple):
            self.read_row(name, like)
        elif type(like) is dict and all(type(key) is str for key in like):
            self.require(f"type({name}) is dict", f"[*{name}] == {[*like]}")
            self.read_parts(name, f"{name}.values()", [*like.values()])
        elif isinstance(like, (tuple, *DICTS, *MUTABLE)):
            raise Unsuited
        else:  # it is part of the program
            self.require(f"{name} is {self.keep(like, 'kept')}")

    def read_leaf(self, name: str, like: Any) -> None:
        """Write the checks of a float or an array."""
        if type(like) is float:
            self.require(f"type({name}) is float")
        elif type(like) is np.ndarray:
            dtype = self.keep(like.dtype, "dtype")
            self.require(
                f"type({name}) is ndarray", f"{name}.shape == {like.shape}", f"{name}.dtype is {dtype}"
            )
        else:
            raise Unsuited
        self.values.append(name)

    def read_row(self, name: str, like: Sequence[Any]) -> None:
        """Write the checks of a list or tuple. One of floats alone is checked as a whole."""
        self.require(f"type({name}) is {type(like).__name__}", f"len({name}) == {len(like)}")
        if not is_of_floats(like):
            self.read_parts(name, name, like)
            return
        if type(like[0]) is Tensor:
            self.require(f"{{*map(type, {name})}} == {{Tensor}}")
            self.require(f"not any([x._requires_grad for x in {name}])")
            self.lines.append(f"{name} = [x._value for x in {name}]")
        self.require(f"{{*map(type, {name})}} == {{float}}")
        self.values.append(f"*{name}")

    def read_parts(self, name: str, parts: str, like: Sequence[Any]) -> None:
        """Write the checks of each of the parts of an argument; ``parts`` is their source."""
        if len(self.lines) + len(like) > MOST:
            raise Unsuited
        names = [f"{name}_{place}" for place in range(len(like))]
        if names:
            self.lines.append(f"{', '.join(names)}, = {parts}")
        for part_name, part in zip(names, like):
            self.read(part_name, part)

    def write_guard(self, guard: Guard) -> None:
        """Write the check of a guard: each name is looked up, and if a value is another object, the guard
        compares the values."""
        holds = f"{self.keep(guard, 'guard')}.holds()"
        if len(guard.names) > FEW:
            self.require(holds)
            return
        look = self.keep(guard.look, "look")
        same = [
            f"{look}({self.keep(name, 'name')}) is {self.keep(value, 'value')}"
            for name, value in zip(guard.names, guard.values)
        ]
        self.require(f"{' and '.join(same)} or {holds}")

    def source(self, result: str, may_warn: bool) -> str:
        """The function, which ends with the run of the program and its result."""
        values = ", ".join(self.values)
        run = SILENT.format(values=values) if may_warn else f"leaves = run({values})"
        return "\n    ".join(["def call(args):", *self.lines, run, f"return {result}"])


def is_of_floats(row: Sequence[Any]) -> bool:
    """Whether a list has several elements, and all are floats, or Tensors of floats without a gradient."""
    kinds = {*map(type, row)}
    if kinds == {Tensor}:
        return len(row) > 1 and all(type(x._value) is float and not x._requires_grad for x in row)
    return len(row) > 1 and kinds == {float}


def quick_call(
    run: Callable[..., Any],
    args: tuple[Any, ...],
    captured: list[Tensor],
    guards: Sequence[Guard],
    result: tuple[Any, Sequence[str]],
    may_warn: bool,
) -> QuickCall | None:
    """The quick call of a program as a function of the tuple of arguments. It returns None if they are of
    another kind than those that the program was made for, or if the program is not valid now. There is no
    quick call if the arguments are of rare kinds.

    Parameters
    ----------
    run
        The program. It takes the values of the arguments and of the captured Tensors.
    args
        Arguments that fit.
    captured, guards
        The Tensors that the function refers to, and the conditions under which the program is valid.
    result
        The structure of the result, and the source of its leaves, see ``result_text``.
    may_warn
        Whether the program may run into NumPy's floating-point warnings.
    """
    writer = QuickWriter()
    try:
        writer.require(f"len(args) == {len(args)}")
        writer.read_parts("x", "args", args)
        if captured:
            writer.lines.append(f"captured = {writer.keep(captured, 'known')}")
            writer.read_row("captured", captured)
    except Unsuited:
        return None
    for guard in guards:
        if guard.names:
            writer.write_guard(guard)
    source = writer.source(result_text(*result, writer.keep), may_warn)
    made: dict[str, Any] = {}
    exec(source, writer.constants | {"run": run}, made)
    call: QuickCall = made["call"]
    return call
