"""Every call that a program makes, as a call of the JavaScript runtime: what a translator writes for each
node."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autodiff.compiling import program as programs
from autodiff.compiling.inference import ComputedPart
from autodiff.compiling.nodes import ELEMENTWISE, ProgramNode, reachable
from autodiff.compiling.opaque import ArgumentPlace
from autodiff.compiling.plain import PlainWriter

REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_or": "any",
    "logical_and": "all",
}  # fmt: skip
REFUSED_DTYPES = {
    "float128": "JavaScript has no float of more than 64 bits",
    "complex64": "the runtime has no complex numbers",
    "complex128": "the runtime has no complex numbers",
}
"""The dtypes of values that no translation computes, each with the reason."""


class Call(NamedTuple):
    """A call of the runtime."""

    name: str
    args: list[Any]
    options: dict[str, Any]


class Made(NamedTuple):
    """A value of a program, with the values that it was computed from."""

    node: ProgramNode
    args: list[Any]
    value: Any


class recorded:
    """Inside this block every program that is compiled is kept in a list, with the arguments of its first
    run."""

    def __enter__(self) -> list[Any]:
        self.found: list[Any] = []
        self.before = programs.Program.__init__

        @functools.wraps(self.before)
        def init(program: Any, graph: Any, inputs: Any, *args: Any, **options: Any) -> None:
            self.before(program, graph, inputs, *args, **options)
            run = program.run

            def first(*values: Any) -> Any:
                if program.run is not run:
                    program.run = run
                    if dict(program.stages).get("pack") is None and program.stages:
                        copies = [np.array(x) if isinstance(x, np.ndarray) else x for x in values]
                        self.found.append((inputs, program.stages[-1][1], copies))
                return run(*values)

            program.run = first

        programs.Program.__init__ = init  # type: ignore[method-assign]
        return self.found

    def __exit__(self, *exception: object) -> None:
        programs.Program.__init__ = self.before  # type: ignore[method-assign]


def evaluated(inputs: Any, results: Any, values: Any) -> Iterator[Made]:
    """Each value of a program that is computed, in the plain form of the program."""
    writer = PlainWriter(inputs, results)
    writer.source()
    known: dict[str, Any] = {"np": np, **writer.constants}
    known |= {writer.names[node]: value for node, value in zip(inputs, values)}
    lines = dict(line.split(" = ", 1) for line in writer.lines)
    with np.errstate(all="ignore"):
        for node in reachable(results):
            name = writer.names[node]
            if name in lines:
                known[name] = eval(lines[name], known)
            elif name not in known:
                known[name] = eval(name, known)
            if node.op not in ("input", "const", "array"):
                yield Made(node, [known[writer.names[arg]] for arg in node.args], known[name])


def call_of(node: ProgramNode, args: list[Any]) -> Call | None:
    """The call of the runtime for a node, given the values of its arguments; None for a part of several
    results. Raises NotImplementedError for what the runtime refuses."""
    for each in (node, *node.args):
        if str(each.dtype) in REFUSED_DTYPES:
            raise NotImplementedError(REFUSED_DTYPES[str(each.dtype)])
    op = node.op
    if op == "part":
        return None
    if op.startswith("reduce_"):
        axes, keepdims = node.options
        options = {"axis": list(axes), "keepdims": keepdims, "dtype": str(node.dtype)}
        return Call(REDUCTIONS[op[7:]], args, options)
    if op == "call":
        return function_call(node.value, args)
    if op in ELEMENTWISE or op in ("matmul", "copy", "ascontiguousarray"):
        return Call(op, args, {})
    if op != "astype":  # JavaScript does not tell 0.0 from 0
        args = [np.asarray(x, node.dtype) if arg.number else x for arg, x in zip(node.args, args)]
    return FORMS[op](node, args)


FORMS: dict[str, Callable[[ProgramNode, list[Any]], Call]] = {
    "astype": lambda node, args: (
        Call("number", args, {}) if node.number else Call("astype", [*args, str(node.dtype)], {})
    ),
    "full": lambda node, args: Call(
        "full", [list(node.shape), np.asarray(args[0]).item(), str(node.dtype)], {}
    ),
    "reshape": lambda node, args: Call("reshape", [*args, list(node.shape)], {}),
    "transpose": lambda node, args: Call("transpose", [*args, list(node.options[0])], {}),
    "broadcast_to": lambda node, args: Call("broadcast_to", [*args, list(node.shape)], {}),
    "getitem": lambda node, args: Call("getitem", [args[0], *index_of(node.value, [])], {}),
    "pick": lambda node, args: Call("getitem", [args[0], *index_of(node.value, args[1:])], {}),
    "put": lambda node, args: Call("put", [*args[:2], index_of(node.value, args[2:])], {}),
    "put_add": lambda node, args: Call("put_add", [*args[:2], index_of(node.value, args[2:])], {}),
    "assemble": lambda node, args: Call(
        "assemble", [list(node.shape), str(node.dtype), [index_of(each, []) for each in node.value], args], {}
    ),
    "stack": lambda node, args: Call("stack", [args], {"axis": node.options[0]}),
    "concatenate": lambda node, args: Call("concatenate", [args], {"axis": node.options[0]}),
}


def index_of(index: Any, computed: list[Any]) -> list[Any]:
    """An index as a list of its parts, with the values of those that are computed."""
    remaining = iter(computed)
    parts = index if isinstance(index, tuple) else (index,)
    return [next(remaining) if isinstance(part, ComputedPart) else part for part in parts]


def function_call(run: Any, args: list[Any]) -> Call:
    """The call of a function that runs unchanged in a program."""
    if not isinstance(run, functools.partial):
        return Call(run.__name__, args, {})
    function, (pattern, options) = run.args
    fill = functools.partial(filled, args=args)
    given = [fill(x) for x in pattern]
    name = REDUCTIONS[function.__self__.__name__] if function.__name__ == "reduce" else function.__name__
    more = {key: fill(x) for key, x in options.items() if key not in ("kind", "optimize", "exact", "wanted")}
    return Call(name, given, more)


def filled(x: Any, args: list[Any]) -> Any:
    """A structure with the values in the places of the arguments."""
    if isinstance(x, ArgumentPlace):
        return args[x.number]
    return [filled(each, args) for each in x] if isinstance(x, (list, tuple)) else x


def kind_of(made: Made) -> Any:
    """What tells a call from others: calls alike in this are checked once."""
    operands = [np.asarray(x) for x in made.args if not isinstance(x, (list, tuple))]
    shapes = tuple((x.shape, str(x.dtype)) for x in operands)
    return made.node.op, repr(made.node.options), repr(made.node.value)[:200], shapes
