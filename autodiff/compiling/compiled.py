"""``ad.compile``: a function as programs, one for each kind of arguments that it is called with."""

from __future__ import annotations

import functools
import inspect
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import seeding
from ..calculus.derivatives import vjp
from ..engine import edits, recording
from ..engine.operation import Operation
from ..engine.silence import silently
from ..engine.tensor import Tensor, constant_tensor, raw, wants_grad
from ..engine.values import is_alone
from .inspecting import Source, program_text, report_text
from .nodes import Node
from .passes import GRAPH_PASSES
from .program import Program
from .structure import LEAF, add_kinds, flatten, rebuild, rebuilder
from .symbol import Symbol
from .trace import Draw, Guard, Trace, flatten_result, node_of_result
from .writing import INEXACT_PASSES, WRITING_PASSES

Function = Callable[..., Any]
PASSES = ("fold", "algebra", "cse", "pack", "numbers", *GRAPH_PASSES, *WRITING_PASSES)
EXACT_PASSES = tuple(name for name in PASSES if name not in ("pack", "stacks", *INEXACT_PASSES))
"""The passes that keep every bit of a result."""

LIMIT = 32
"""The number of programs that a compiled function keeps."""


def compile_function(
    f: Function | None = None, *, passes: Sequence[str] = PASSES, exact: bool = False
) -> Any:
    """A function as a NumPy program, which computes the same faster.

    The function is called once for each kind of arguments, with arguments that have a shape and a dtype and
    no values; what it does with them becomes the program. Derivatives may be taken inside,
    ``ad.compile(ad.value_and_grad(loss))``, or outside.

    Parameters
    ----------
    f
        Takes and returns Tensors, arrays and floats, and lists, tuples and dicts of them. Other arguments
        count by their value: for another one there is another program. Tensors that it refers to, such as
        weights, are read at each call.
    passes
        What the compiler does to the program; for experiments.
    exact
        Whether to add up in the order in which NumPy does, so that every bit is that of the function itself.

    Raises TypeError if ``f`` is not a function. A call raises TraceError where ``f`` needs the value of an
    argument, for an ``if`` for instance.

    Example
    -------
    >>> import autodiff as ad
    >>> fast = ad.compile(ad.value_and_grad(lambda x: (x * x).sum()))
    >>> fast(ad.Tensor([1.0, 2.0]))
    (5, [2 4])
    """
    if f is None:
        return functools.partial(compile_function, passes=passes, exact=exact)
    if not callable(f):
        raise TypeError(f"ad.compile takes a function, not {f!r:.60}")
    return Compiled(f, [name for name in passes if not exact or name in EXACT_PASSES])


class Compiled:
    """A compiled function; made by :func:`autodiff.compile`."""

    # Attributes that every call reads have slots, since Python 3.11 reads the __dict__ that update_wrapper
    # fills much more slowly.
    __slots__ = ("__dict__", "__weakref__", "_latest", "_lock", "_programs", "f", "passes")

    def __init__(self, f: Function, passes: Sequence[str], replaced: Any = None) -> None:
        functools.update_wrapper(self, f, updated=())
        self.f = f
        self.passes = tuple(passes)
        self._programs: OrderedDict[Any, list[Entry]] = OrderedDict()
        self._latest: Any = None, None  # the kinds of the latest arguments, and their program
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<compiled {getattr(self.f, '__name__', self.f)}>"

    @property
    def program(self) -> Source:
        """The source of the latest program. Raises RuntimeError before the first call.

        >>> import autodiff as ad
        >>> double = ad.compile(lambda x: 2 * x)
        >>> double(3.0)
        6.0
        >>> double.program
        def program(x):
            return (2 * x,)
        <BLANKLINE>
        """
        return program_text(self._entry().program)

    def report(self) -> Source:
        """What each pass made of the latest program, and what it needs. Raises RuntimeError before the first
        call."""
        entry = self._entry()
        return report_text(entry.program, entry.seconds)

    def _entry(self) -> Entry:
        """The latest program, with what surrounds it."""
        entry = self._latest[1]
        if entry is None:
            raise RuntimeError(f"{self!r} has no program before it is called for the first time")
        return entry

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Run the program for these arguments, which is made if there is none."""
        switches = recording.current()
        if switches.trace is not None:  # part of another program
            return self.f(*args, **keywords)
        leaves: list[Any] = []
        values: list[Any] = []
        key: list[Any] = [switches.recording, len(args)]
        add_kinds(args, leaves, values, key)
        if keywords:
            add_kinds((keywords,), leaves, values, key)
        known, entry = self._latest
        if key != known or not (entry.always_holds or entry.holds()):
            entry = self._find(tuple(key)) or self._add(tuple(key), args, keywords)
            self._latest = key, entry
        return entry.run(leaves, values)

    def _find(self, key: Any) -> Entry | None:
        """A program for arguments of this kind that holds now."""
        for entry in self._programs.get(key, ()):
            if entry.holds():
                return entry
        return None

    def _add(self, key: Any, args: Any, keywords: Any) -> Entry:
        with self._lock:
            entry = Entry(self.f, args, keywords, self.passes)
            self._programs.setdefault(key, []).insert(0, entry)
            self._programs.move_to_end(key)
            while len(self._programs) > LIMIT:
                self._programs.popitem(last=False)
            del self._programs[key][LIMIT:]
        return entry


def data_text(node: Node, value: str) -> str:
    """The data of a result as text: Python's number for a number, NumPy's for an array without axes, as most
    of its functions return it, and other arrays as they are."""
    if node.number:
        return f"{node.number.__name__}({value})"
    return value if node.shape else f"{value}[()]"


def named_arguments(f: Function, args: Any, keywords: Any) -> list[str]:
    """A name for each argument that has no value, from the names of the parameters."""
    parts = [flatten_names(value, "x") for value in args]
    try:
        bound = inspect.signature(f).bind(*args).arguments
        known = [flatten_names(value, name) for name, value in bound.items()]
    except (TypeError, ValueError):
        known = []
    if sum(map(len, known)) == sum(map(len, parts)):
        parts = known
    parts += [flatten_names(value, name) for name, value in keywords.items()]
    return [name for part in parts for name in part]


def flatten_names(value: Any, name: str) -> list[str]:
    """A name for each leaf of an argument."""
    names: list[str] = []
    flatten(value, [], names, name)
    return names


class Entry:
    """One program of a compiled function, with what surrounds it: where its inputs come from, and what its
    results become."""

    def __init__(self, f: Function, args: Any, keywords: Any, passes: Sequence[str]) -> None:
        start = time.perf_counter()
        self.f, self.passes = f, passes
        self.pulls: dict[Any, Compiled] = {}
        leaves: list[Any] = []
        self.structure = flatten((args, keywords), leaves)
        names = named_arguments(f, args, keywords)
        trace = Trace(passes)
        arguments = [trace.input(leaf, name) for leaf, name in zip(leaves, names, strict=True)]
        args, keywords = rebuild(self.structure, iter(arguments))
        self.result, out = trace.call(f, args, keywords)
        self.captured = list(trace.captured)
        self.kinds: list[Any] = []
        add_kinds(self.captured, [], [], self.kinds)
        self.guards: list[Guard] = trace.guards
        self.draws: list[Draw] = trace.draws
        self.always_holds = not self.captured and not self.guards
        self.is_tensor = [isinstance(value, Tensor) for value in out]
        self.requires_grad = [wants_grad(value) for value in out]
        results = [node_of_result(trace.graph, value) for value in out]
        self.changed = [
            (tensor, twin._value.node)
            for tensor, twin in trace.captured.items()
            if type(twin._value) is not Symbol or twin._value.node is not trace.first[tensor]
        ]
        self.records = any(self.requires_grad)
        self.prepare_results(results)
        inputs = [*trace.inputs, *trace.first.values(), *trace.drawn]
        everything = [*results, *(node for _, node in self.changed)]
        updated = [trace.first[tensor] for tensor, _ in self.changed]
        self.program = Program(trace.graph, inputs, everything, updated, passes)
        self.seconds = time.perf_counter() - start

    def prepare_results(self, results: Sequence[Node]) -> None:
        """Write functions that make results of the program's values: all of them, and for each the data, and
        the Tensor if it is one."""
        data = [data_text(node, f"values[{place}]") for place, node in enumerate(results)]
        leaves = [f"constant_tensor({text})" if t else text for text, t in zip(data, self.is_tensor)]
        names = {"constant_tensor": constant_tensor}
        self.finished = rebuilder(self.result, leaves, names)
        self.data = [rebuilder(LEAF, [text], names) for text in data]
        self.leaves = [rebuilder(LEAF, [text], names) for text in leaves]

    def holds(self) -> bool:
        """Whether everything that the program was made for is as it was."""
        kinds: list[Any] = []
        add_kinds(self.captured, [], [], kinds)
        return kinds == self.kinds and all(guard.holds() for guard in self.guards)

    def run(self, leaves: list[Any], values: list[Any]) -> Any:
        """Run the program on the leaves of the arguments, whose data are ``values``, and return what the
        function would."""
        if self.changed:
            draws = [*map(drawn, self.draws)]
            operands = [*leaves, *self.captured, *draws]
            computed = self.run_and_change(values, draws)
        else:
            if self.captured or self.draws:
                others = [*self.captured, *map(drawn, self.draws)]
                leaves += others
                values += map(raw, others)
            operands = leaves
            computed = silently(self.program.run, *values)
        if not (self.records and recording.current().recording):
            return self.finished(computed)
        recorded = [
            self.operation.record(self.data[place](computed), tuple(operands), {"place": place})
            if requires_grad
            else self.leaves[place](computed)
            for place, requires_grad in enumerate(self.requires_grad)
        ]
        return rebuild(self.result, iter(recorded))

    def run_and_change(self, values: list[Any], draws: list[Any]) -> Any:
        """Run a program that changes Tensors that it refers to. It writes into their arrays where nobody else
        can notice, else into copies."""
        shared = {
            tensor: not is_alone(tensor) or not tensor._value.flags.writeable
            for tensor, _ in self.changed
            if type(tensor._value) is not float
        }
        values += [np.array(tensor._value) if shared.get(tensor) else raw(tensor) for tensor in self.captured]
        results = silently(self.program.run, *values, *draws)
        for (tensor, _), value in zip(self.changed, results[len(self.is_tensor) :]):
            tensor._value = float(value) if type(tensor._value) is float else value
            tensor._edit = edits.new()
            tensor._grad = None
        return results

    @functools.cached_property
    def operation(self) -> Operation:
        """The whole function as one operation, whose rule is a program too."""

        def forward(*operands: Any, place: int) -> Any:
            return self.program.run(*operands)[place]

        forward.__name__ = getattr(self.f, "__name__", "compiled").strip("<>")
        return Operation(forward).backward(joint=self.rule)

    def rule(self, grad: Any, z: Any, *operands: Any, wanted: Sequence[bool], place: int) -> list[Any]:
        """The gradients of one result by vector-Jacobian products, from a program of their own."""
        wanted_places = tuple(i for i, want in enumerate(wanted) if want)
        found = iter(self.pull(place, wanted_places)(grad, *operands))
        return [next(found) if want else None for want in wanted]

    def pull(self, place: int, wanted: tuple[int, ...]) -> Function:
        """The program of the gradients of one result with respect to some operands."""
        if (place, wanted) not in self.pulls:

            def gradients(grad: Any, *operands: Any) -> list[Any]:
                return self.pulled(place, wanted, grad, operands)

            self.pulls[place, wanted] = Compiled(gradients, self.passes)
        return self.pulls[place, wanted]

    def pulled(self, place: int, wanted: tuple[int, ...], grad: Any, operands: Sequence[Any]) -> Any:
        """The gradients of one result, while a program for them is traced."""

        def result(*some: Any) -> Any:
            everything = list(operands)
            for where, value in zip(wanted, some):
                everything[where] = value
            return self.call_with(everything)[place]

        _, back = vjp(result, *(operands[where] for where in wanted))
        gradients = back(grad)
        return [g if isinstance(grad, Tensor) else raw(g) for g in gradients]

    def call_with(self, operands: list[Any]) -> list[Any]:
        """Call the function itself, with operands in place of its arguments, of the Tensors that it refers to
        and of what it draws."""
        trace = recording.thread.switches.trace
        count = len(operands) - len(self.captured) - len(self.draws)
        leaves, captured = operands[:count], operands[count : count + len(self.captured)]
        before = trace.replaced, trace.given_draws
        trace.replaced = {**trace.replaced, **dict(zip(self.captured, map(as_tensor_like, captured)))}
        trace.given_draws = [*map(raw, operands[count + len(self.captured) :])]
        try:
            args, keywords = rebuild(self.structure, iter(leaves))
            out: list[Any] = []
            flatten_result(self.f(*args, **keywords), out)
            return out
        finally:
            trace.replaced, trace.given_draws = before


def as_tensor_like(value: Any) -> Tensor:
    """A Tensor as it is, anything else as a constant."""
    return value if isinstance(value, Tensor) else constant_tensor(value)


def drawn(draw: Draw) -> Any:
    """A random array, drawn now."""
    generator = seeding.generator(draw.generator)
    return getattr(generator, draw.method)(*draw.args, **draw.options)
