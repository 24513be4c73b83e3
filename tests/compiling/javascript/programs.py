"""Programs as they are compiled, with what they compute in Python: whole, and each value alone."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from autodiff.compiling import program as programs
from autodiff.compiling.javascript.translation import of_arrays, of_numbers
from autodiff.compiling.nodes import ProgramNode, reachable
from autodiff.compiling.numbers import is_of_numbers
from autodiff.compiling.plain import PlainWriter


class Run(NamedTuple):
    """The first run of a program: its arguments before and after it, and its results."""

    program: Any
    before: list[Any]
    results: list[Any]
    after: list[Any]


class Made(NamedTuple):
    """A value of a program, with the values that it was computed from."""

    node: ProgramNode
    args: list[Any]
    value: Any


class recorded:
    """Inside this block the first run of every program that is compiled is kept in a list."""

    def __enter__(self) -> list[Run]:
        self.found: list[Run] = []
        self.before = programs.Program.__init__

        @functools.wraps(self.before)
        def init(program: Any, *args: Any, **options: Any) -> None:
            self.before(program, *args, **options)
            run = program.run

            def first(*values: Any) -> Any:
                if program.run is run:
                    return run(*values)
                program.run = run
                before = copied(values)
                results = run(*values)
                self.found.append(Run(program, before, copied(results), copied(values)))
                return results

            program.run = first

        programs.Program.__init__ = init  # type: ignore[method-assign]
        return self.found

    def __exit__(self, *exception: object) -> None:
        programs.Program.__init__ = self.before  # type: ignore[method-assign]


def copied(values: Any) -> list[Any]:
    return [np.array(x) if isinstance(x, np.ndarray) else x for x in values]


def evaluated(program: Any, values: Any) -> Iterator[Made]:
    """Each value of a program that is computed, in the plain form of the program."""
    writer = PlainWriter(program.inputs, program.results)
    writer.source()
    known: dict[str, Any] = {"np": np, **writer.constants}
    known |= {writer.names[node]: value for node, value in zip(program.inputs, values)}
    lines = dict(line.split(" = ", 1) for line in writer.lines)
    with np.errstate(all="ignore"):
        for node in reachable(program.results):
            name = writer.names[node]
            if name in lines:
                known[name] = eval(lines[name], known)
            elif name not in known:
                known[name] = eval(name, known)
            if node.op not in ("input", "const", "array"):
                yield Made(node, [known[writer.names[arg]] for arg in node.args], known[name])


class OneValue:
    """The program of one value: what it is computed from are its arguments, and constants stay constants."""

    def __init__(self, node: ProgramNode) -> None:
        given = {arg: arg if arg.op == "const" else input_like(arg) for arg in node.args}
        node = copy.copy(node)
        node.args, node.index = tuple(given[arg] for arg in node.args), 10**9
        self.results, self.updated, self.words = [node], (), {}
        self.inputs = [arg for arg in dict.fromkeys(node.args) if arg.op == "input"]

    @property
    def translation(self) -> Any:
        write = of_numbers if is_of_numbers(self.results) else of_arrays
        return write(self)


def input_like(node: ProgramNode) -> ProgramNode:
    """An input with the shape and the dtype of a value."""
    found = copy.copy(node)
    found.op, found.args, found.name = "input", (), None
    return found


def kind_of(made: Made) -> Any:
    """What tells a call from others: calls alike in this are checked once."""
    operands = [np.asarray(x) for x in made.args if not isinstance(x, (list, tuple))]
    shapes = tuple((x.shape, str(x.dtype)) for x in operands)
    return made.node.op, repr(made.node.options), repr(made.node.value)[:200], shapes
