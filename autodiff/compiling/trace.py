"""A trace: one call of a function on symbols, which records the nodes of its program."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import chain
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..anomaly import line_text
from ..engine import recording
from ..engine.contexts import switched
from ..engine.frames import PACKAGE
from ..engine.leaving import forget, raise_in_our_words
from ..engine.node_parts import Extras
from ..engine.tensor import Tensor, constant_tensor, raw
from ..engine.tracing import TraceError, are_floats
from ..engine.values import check_operand
from . import numpy_calls  # noqa: F401  # which registers itself at Symbol
from .exact_numbers import computed_exactly, is_number, on_numbers
from .graph import ProgramGraph
from .guards import Guard, check_no_leak, guard_of_module, guards_of_function
from .nodes import ProgramNode
from .opaque import opaque
from .structure import DICTS, LEAF, Static, flatten, kinds_of
from .symbol import Symbol, here, node_of, symbol_like
from .variables import LOOKS, variable_of, variables


class Draw(NamedTuple):
    """A random array that is drawn at each call of the program: a method of a generator, and its
    arguments."""

    generator: np.random.Generator | None
    method: str
    args: tuple[Any, ...]
    options: dict[str, Any]


class ProgramTrace:
    """Traces one function.

    Attributes
    ----------
    inputs
        The nodes of the arguments.
    arguments
        The arguments that are Tensors, each with its stand-in.
    captured
        The Tensors that the function refers to, each with its stand-in. They are read at each call.
    first
        For each stand-in, the node of its value before the call.
    gradients
        For each stand-in of a Tensor that had a gradient before the call, the stand-in of this gradient.
    draws
        The random arrays that the function draws, in order.
    guards
        The conditions under which the program is valid.
    words
        What an error says in place of words about compiling, if the function is traced for something else.
    """

    words: Mapping[str, str] = MappingProxyType({})

    def __init__(self, passes: Sequence[str]) -> None:
        self.graph = ProgramGraph(passes)
        self.inputs: list[ProgramNode] = []
        self.arguments: dict[Tensor, Tensor] = {}
        self.captured: dict[Tensor, Tensor] = {}
        self.first: dict[Tensor, ProgramNode] = {}
        self.gradients: dict[Tensor, Tensor] = {}
        self.originals: dict[Tensor, Tensor] = {}  # the Tensor that each stand-in replaces
        self.gradient_nodes: dict[Tensor, ProgramNode] = {}
        self.gradient_kinds: dict[Tensor, Any] = {}
        self.touched: set[Tensor] = set()  # the stand-ins whose .grad the function reads or sets
        self.arrays: list[tuple[Symbol, ProgramNode, str]] = []  # the arguments that are arrays
        self.replaced: dict[Tensor, Any] = {}
        self.draws: list[Draw] = []
        self.drawn: list[ProgramNode] = []
        self.given_draws: list[Any] | None = None
        self.guards: list[Guard] = []
        self.modules: dict[int, Any] = {}
        self.constants: dict[Tensor, Tensor] = {}  # the Tensors made during the call
        self.names: set[str] = set()
        self.names_gradients = True  # see tracing.unnamed_gradients
        self.looks = LOOKS  # at the variables of the function
        self.orders: dict[ProgramNode, int] = {}  # of the derivatives among the nodes

    # -- running ---------------------------------------------------------------------------------------------

    def input(self, value: Any, name: str) -> Any:
        """A symbol, or a stand-in with a symbol, for an argument that is a Tensor, an array or a number.
        Raises TypeError for a dtype that is not compiled."""
        data = value._value if isinstance(value, Tensor) else value
        if not isinstance(data, float) and data.dtype.kind not in "fiub":
            raise TypeError(
                f"the argument {name} of a compiled function has the dtype {data.dtype}, and needs floats, "
                "integers or booleans"
            )
        check_operand(data)
        symbol = symbol_like(self.graph, data, self.own_name(name))
        self.inputs.append(symbol.node)
        if not isinstance(value, Tensor):
            self.arrays.append((symbol, symbol.node, name))
            return symbol
        if value not in self.arguments:  # otherwise it was given before
            self.arguments[value] = self.stand_in_for(value, symbol)
        return self.arguments[value]

    def stand_in_for(self, value: Tensor, symbol: Symbol) -> Tensor:
        """A stand-in for a Tensor: a leaf with the same hooks, and with a gradient if the Tensor has one."""
        stand_in = constant_tensor(symbol)
        stand_in._requires_grad = value._requires_grad
        if value._extras is not None:
            stand_in._extras = Extras(name=value.name)
            stand_in._extras.hooks = value._extras.hooks
        before = value._grad
        if before is not None:
            data = before._value if isinstance(before, Tensor) else before  # raw() would give its stand-in
            gradient = symbol_like(self.graph, data, self.own_name(f"d_{symbol.node.name}"))
            stand_in._grad = self.gradients[stand_in] = constant_tensor(gradient)
            self.gradient_nodes[stand_in] = gradient.node
            self.gradient_kinds[stand_in] = kinds_of([data])
        self.first[stand_in] = symbol.node
        self.originals[stand_in] = value
        return stand_in

    def watch(self, function: Callable[..., Any], values: Iterable[Any]) -> None:
        """Guard the names that the function refers to, and the attributes of objects among its arguments."""
        self.guards += guards_of_function(function)
        for value in values:
            if hasattr(value, "__dict__") and not isinstance(value, (type, ModuleType, FunctionType)):
                self.note(value)

    def call(self, function: Callable[..., Any], args: Any, keywords: Any) -> tuple[Any, list[Any]]:
        """Call the function with symbols, and return the structure and the leaves of its result."""
        recording.traces.add(self)
        forget()
        try:
            with switched(trace=self, group=None, repeat=None, source=None):
                out = function(*args, **keywords)
                leaves: list[Any] = []
                structure = flatten_result(out, leaves)
                leaves = [*map(self.stand_in, leaves)]
                self.check_after()
        except TraceError as error:
            self.locate(error)
            raise
        except Exception as error:
            try:
                raise_in_our_words(error)
            except TraceError as own:
                self.locate(own)
                raise
            raise
        finally:
            recording.traces.discard(self)
        return structure, leaves

    def locate(self, error: TraceError) -> None:
        """Add to the message the innermost line of the user's code that was running."""
        if getattr(error, "is_located", False):
            return
        place, found = error.__traceback__, None
        while place is not None:
            name = place.tb_frame.f_code.co_filename
            if not name.startswith((PACKAGE, NUMPY, "<frozen")) and "contextlib" not in name:
                found = place
            place = place.tb_next
        text = str(error)
        for words, ours in self.words.items():
            text = text.replace(words, ours)
        if found is not None:
            frame = found.tb_frame
            text += f";\n  in {line_text(frame.f_code.co_filename, found.tb_lineno, frame.f_globals)}"
            error.is_located = True
        error.args = (text,)

    def check_after(self) -> None:
        """Raise TraceError if the call has stored a symbol in a module, or has written into an array that is
        an argument. Otherwise drop the guards of values that the function itself has changed."""
        for module in self.modules.values():
            check_no_leak(module)
        for symbol, node, name in self.arrays:
            if symbol.node is not node:
                raise TraceError(
                    f"the function writes into its argument {name}, and a compiled function cannot change an "
                    f"array that it is given. Write into a copy: {name} = {name}.copy()"
                )
        for guard in self.guards:
            guard.drop_changed()

    def own_name(self, wish: str) -> str:
        """A name for a variable of the program that no other has."""
        wish = re.sub(r"^(?=\d+\.)", "layer", wish)  # 0.weight, of a Sequential
        name = re.sub(r"\W+", "_", wish).strip("_") or "x"
        if name[0].isdigit() or keyword.iskeyword(name) or name in RESERVED:
            name = f"_{name}" if name[0].isdigit() else f"{name}_"
        number, free = 1, name
        while free in self.names:
            number += 1
            free = f"{name}_{number}"
        self.names.add(free)
        return free

    def name(self, value: Any, wish: str) -> None:
        """Name a value, unless it is a constant or has a name already; an argument is renamed."""
        data = raw(value)
        if self.is_own(data) and (data.node.op == "input" or (data.node.args and data.node.name is None)):
            data.node.name = self.own_name(wish)

    def read_variables(self) -> None:
        """Note the names of the local variables of the function: each is the word for the value that it holds
        now, unless that has a word already."""
        self.looks -= 1
        words = self.graph.words
        for name, value in variables():
            data = value._value if isinstance(value, Tensor) else value
            if type(data) is Symbol and data.graph is self.graph and data.node.args:
                words.setdefault(data.node, name)

    def name_gradients(self, end: Tensor, arrived: Mapping[Tensor, Any]) -> None:
        """Name the gradient that has arrived at an input ``w`` in a walk back ``d_w``, or ``d2_w`` if the
        walk began at a gradient, and the number at which it began ``value``. What was computed before the
        walk, or has a name, keeps its name."""
        if not self.names_gradients or not self.is_own(end._value):
            return
        last = end._value.node
        order = self.orders.get(last, 0) + 1
        gradients: dict[ProgramNode, ProgramNode] = {}
        for tensor, gradient in arrived.items():
            wanted, found = tensor._value, raw(gradient)
            if not (self.is_own(wanted) and self.is_own(found)):
                continue
            if wanted.node.op == "input":
                before = gradients.get(wanted.node, last)
                gradients[wanted.node] = max(before, found.node, key=lambda node: node.index)
            elif wanted.node in self.graph.words and found.node.index > last.index:
                word = self.graph.words[wanted.node]
                self.graph.words.setdefault(found.node, f"d{order if order > 1 else ''}_{word}")
        for wanted, node in gradients.items():
            if node is not last and node.args and node.name is None:
                node.name = f"d{order if order > 1 else ''}_{wanted.name}"
                self.orders[node] = order
        if last.size == 1 and last.args and last.name is None:
            last.name = "value"

    # -- what the engine calls -------------------------------------------------------------------------------

    def stand_in(self, value: Any) -> Any:
        """The stand-in of a Tensor; any other value unchanged. A Tensor that is new to the trace is
        captured."""
        if not isinstance(value, Tensor) or self.is_own(value._value):
            return value
        for known in (self.replaced, self.constants):
            if value in known:
                return known[value]
        stand_in = self.captured.get(value)
        if stand_in is None:
            if type(value._value) is Symbol:
                self.graph.check_in_reach(value._value.graph)
            symbol = symbol_like(self.graph, value._value, self.own_name(self.name_of(value)))
            stand_in = self.captured[value] = self.stand_in_for(value, symbol)
        return stand_in

    def name_of(self, value: Tensor) -> str:
        """The name of a Tensor that the function refers to: its own, that of a module's attribute, or that of
        a variable."""
        attributes = (vars(module).items() for module in self.modules.values())
        own = (name for name, part in chain.from_iterable(attributes) if part is value)
        return value.name or next(own, None) or variable_of(value) or "captured"

    def with_gradient(self, value: Any) -> Any:
        """``stand_in`` for a Tensor whose ``.grad`` is read or set, which the trace notes: the program
        depends on whether there is a gradient."""
        stand_in = self.stand_in(value)
        if isinstance(stand_in, Tensor):
            self.touched.add(stand_in)
        return stand_in

    def is_own(self, data: Any) -> bool:
        """Whether data is a symbol of this trace, and not of an outer one."""
        return type(data) is Symbol and data.graph is self.graph

    def made(self, tensor: Tensor) -> None:
        """Note a Tensor that the function has made. If it has a value, it is a constant of the program."""
        if type(tensor._value) is Symbol:
            tensor._value = here(tensor._value, self.graph)
        else:
            stand_in = copy(tensor)
            stand_in._value = Symbol(self.graph, self.graph.const(tensor._value))
            self.constants[tensor] = stand_in

    def generator(self, given: Any) -> Any:
        """The stand-in of a random number generator."""
        return SymbolicGenerator(self, given)

    def call_whole(
        self, function: Callable[..., Any], values: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """Make a forward or a rule that cannot be traced one call of the program. Raises TraceError for a
        rule on Tensors, which would have to be differentiated."""
        if any(isinstance(value, Tensor) for value in values):
            raise TraceError(
                f"the rule {getattr(function, '__name__', function)} cannot be traced, and since it is "
                "differentiated again, it cannot be one call of the program either"
            )
        if all(map(is_number, values)):  # as the engine runs it on numbers
            function = on_numbers(function)
        return opaque(self.graph, function, values, options)

    def are_counts(self, values: Sequence[Any]) -> bool:
        """Whether these are Python numbers, and integers or booleans among them."""
        return all(map(is_number, values)) and not are_floats(*values)

    def as_float(self, number: Any) -> Any:
        """A Python number as a float."""
        return self.as_number(number) if type(number) is Symbol else float(number)

    def as_number(self, array: Any) -> Any:
        """A 0-d array as a Python number."""
        if type(array) is not Symbol:
            return array.item()
        return Symbol(self.graph, self.graph.as_number(array.node, float))

    def computed(self, operation: Any, values: Sequence[Any], options: dict[str, Any]) -> Any:
        """The forward of an operation on symbols."""
        if self.graph.is_exact and all(map(is_number, values)):
            return computed_exactly(self.graph, operation, values, options)
        return operation.forward(*values, **options)

    def finished(self, data: Any, values: Sequence[Any], forward: Any = None, options: Any = None) -> Any:
        """The result of a forward as the engine returns it: a Python float if all values are numbers and the
        result is a 0-d array of float64."""
        if self.looks:
            self.read_variables()
        if type(data) is Symbol and not data.shape and data.dtype == float and all(map(is_number, values)):
            return Symbol(self.graph, self.graph.as_number(data.node, float))
        return data

    def note(self, module: Any) -> None:
        """Note that the function calls a module, and guard its attributes."""
        if id(module) not in self.modules:
            self.modules[id(module)] = module
            self.guards.append(guard_of_module(module))


class SymbolicGenerator:
    """The stand-in of a random number generator. Each array that the function draws from it is drawn again at
    each call of the program, in the same order, even if it is not used."""

    def __init__(self, trace: ProgramTrace, given: Any) -> None:
        self._trace = trace
        self._given = given

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if not hasattr(np.random.Generator, method) or method in ("spawn", "shuffle", "bit_generator"):
            raise TraceError(f"{method} of a random number generator is not compiled")

        def draw(*args: Any, **options: Any) -> Any:
            trace = self._trace
            if trace.given_draws is not None:
                return trace.given_draws.pop(0)
            like = getattr(np.random.default_rng(0), method)(*args, **options)
            like = float(like) if isinstance(like, float) else np.asarray(like)
            symbol = symbol_like(trace.graph, like, trace.own_name("drawn"))
            trace.draws.append(Draw(self._given, method, args, options))
            trace.drawn.append(symbol.node)
            return symbol

        return draw


def flatten_result(out: Any, leaves: list[Any]) -> Any:
    """The structure of a result, in which symbols are leaves too; the leaves are added to a list. Raises
    TraceError for an object of another type, which might hold symbols."""
    kind = type(out)
    if kind is Symbol:
        leaves.append(out)
        return LEAF
    if kind is list or isinstance(out, tuple):
        return (kind, *[flatten_result(part, leaves) for part in out])
    if kind in DICTS:
        parts = [flatten_result(part, leaves) for part in out.values()]
        return (kind, tuple(map(Static, out)), *parts)
    if isinstance(out, RETURNED):
        return flatten(out, leaves)
    raise TraceError(
        "a compiled function returns Tensors, arrays, numbers, strings, None, and lists, tuples and dicts of "
        f"them, not {kind.__name__}"
    )


def node_of_result(graph: ProgramGraph, value: Any) -> ProgramNode:
    """The node of one leaf of the result."""
    return node_of(graph, value._value if isinstance(value, Tensor) else value)


NUMPY = np.__file__.removesuffix("__init__.py")
RETURNED = (Tensor, np.ndarray, np.generic, bool, int, float, str, bytes, np.dtype, type(None))
RESERVED = frozenset(("np", "numpy", "math", "program", "out", "exp", "log"))
