"""``ad.compile``: a function as programs, one for each kind of arguments that it is called with."""

from __future__ import annotations

import functools
import gc
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import seeding
from ..calculus.derivatives import vjp
from ..engine import edits, recording
from ..engine.node import Extras
from ..engine.operation import Operation
from ..engine.silence import silently
from ..engine.tensor import Tensor, constant_tensor, raw, wants_grad
from .program import Program
from .quick import Quick, can_be_built
from .structure import flatten, rebuild
from .symbol import Symbol
from .trace import Draw, Guard, Trace, flatten_result, node_of_result

Function = Callable[..., Any]
PASSES = ("fold", "algebra", "cse", "pack", "numbers")
LIMIT = 32
"""The number of programs that a compiled function keeps."""


def compile_function(f: Function | None = None, *, passes: Sequence[str] = PASSES) -> Any:
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
        return functools.partial(compile_function, passes=passes)
    if not callable(f):
        raise TypeError(f"ad.compile takes a function, not {f!r:.60}")
    return Compiled(f, passes)


class Compiled:
    """A compiled function; made by :func:`autodiff.compile`."""

    def __init__(self, f: Function, passes: Sequence[str], replaced: Any = None) -> None:
        functools.update_wrapper(self, f, updated=())
        self.f = f
        self.passes = tuple(passes)
        self._programs: OrderedDict[Any, list[Entry]] = OrderedDict()
        self._quick: dict[int, Quick] = {}  # the latest program of numbers for so many arguments
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<compiled {getattr(self.f, '__name__', self.f)}>"

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Run the program for these arguments, which is made if there is none."""
        if self._quick and not keywords and not recording.open_blocks:
            quick = self._quick.get(len(args))
            found = None if quick is None else quick(args)
            if found is not None:
                return found
        if recording.current().trace is not None:  # part of another program
            return self.f(*args, **keywords)
        leaves: list[Any] = []
        structure = flatten((args, keywords), leaves)
        key = structure, recording.current().recording, *map(kind_of, leaves)
        entry = self._find(key)
        if entry is None:
            entry = self._add(key, args, keywords)
        return entry(leaves)

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
            quick = entry.quick()
            if quick is not None and not recording.open_blocks:
                self._quick[len(args)] = quick
        return entry


def kind_of(leaf: Any) -> Any:
    """What a program depends on of an argument: its type, its shape, its dtype, whether it requires a
    gradient."""
    if isinstance(leaf, Tensor):
        value = leaf._value
        if type(value) is float:
            return leaf._requires_grad
        return leaf._requires_grad, value.shape, value.dtype
    return float if type(leaf) is float else (leaf.shape, leaf.dtype)


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
        self.f, self.passes = f, passes
        self.pulls: dict[Any, Compiled] = {}
        leaves: list[Any] = []
        self.structure = flatten((args, keywords), leaves)
        names = named_arguments(f, args, keywords)
        trace = Trace(passes)
        is_collecting = gc.isenabled()
        gc.disable()  # a hundred thousand nodes that all stay would be looked through again and again
        try:
            self._trace(trace, args, keywords, leaves, names, passes)
        finally:
            if is_collecting:
                gc.enable()

    def _trace(self, trace: Trace, args: Any, keywords: Any, leaves: Any, names: Any, passes: Any) -> None:
        """Trace the function, and make its program."""
        f = self.f
        arguments = [trace.input(leaf, name) for leaf, name in zip(leaves, names, strict=True)]
        args, keywords = rebuild(self.structure, iter(arguments))
        self.result, out = trace.call(f, args, keywords)
        self.captured = list(trace.captured)
        self.kinds = [kind_of(tensor) for tensor in self.captured]
        self.guards: list[Guard] = trace.guards
        self.draws: list[Draw] = trace.draws
        self.is_tensor = [isinstance(value, Tensor) for value in out]
        self.requires_grad = [wants_grad(value) for value in out]
        results = [node_of_result(trace.graph, value) for value in out]
        self.changed = [
            (tensor, twin._value.node)
            for tensor, twin in trace.captured.items()
            if type(twin._value) is not Symbol or twin._value.node is not trace.first[tensor]
        ]
        self.numbers = [node.number for node in results]
        self.is_constant = not any(map(wants_grad, (*arguments, *out)))
        self.is_of_floats = all(node.number is float for node in (*results, *trace.inputs))
        inputs = [*trace.inputs, *trace.first.values(), *trace.drawn]
        everything = [*results, *(node for _, node in self.changed)]
        updated = [trace.first[tensor] for tensor, _ in self.changed]
        self.program = Program(trace.graph, inputs, everything, updated, passes)

    def quick(self) -> Quick | None:
        """A shorter way to call the program, if it depends on numbers alone."""
        _, args, keywords = self.structure
        depends_on_more = self.guards or self.captured or self.draws or self.changed or keywords[1]
        is_plain = self.is_constant and self.is_of_floats and not depends_on_more
        if is_plain and Quick.fits(args[1:]) and can_be_built(self.result):
            return Quick(self.program.run, args[1:], self.result, self.is_tensor)
        return None

    def holds(self) -> bool:
        """Whether everything that the program was made for is as it was."""
        return all(guard.holds() for guard in self.guards) and all(
            kind_of(tensor) == kind for tensor, kind in zip(self.captured, self.kinds)
        )

    def __call__(self, leaves: list[Any]) -> Any:
        """Run the program on the leaves of the arguments, and return what the function would."""
        operands = (*leaves, *self.captured, *map(drawn, self.draws))
        values = silently(self.program.run, *map(raw, operands))
        extra = operands[2:]
        places = range(len(self.is_tensor))
        results = [self.returned(place, values[place], operands, extra) for place in places]
        for (tensor, _), value in zip(self.changed, values[len(results) :]):
            tensor._value = owned(value, tensor)
            tensor._edit = edits.new()
            tensor._grad = None
        return rebuild(self.result, iter(results))

    def returned(self, place: int, value: Any, operands: tuple[Any, ...], extra: tuple[Any, ...]) -> Any:
        """A result as the function returns it: a Tensor, an array or a number."""
        number = self.numbers[place]
        value = number(value) if number else np.array(value)
        if not self.is_tensor[place]:
            return value
        tensor = constant_tensor(value)
        if self.requires_grad[place] and recording.current().recording:
            if recording.current().group or len(operands) < 3:
                return self.operation.record(value, operands, {"place": place})
            tensor._x, tensor._y, tensor.creation_op = operands[0], operands[1], self.operation
            tensor._requires_grad = True  # results share the other operands, of which there may be thousands
            tensor._extras = Extras(extra, {"place": place})
        return tensor

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


def owned(value: Any, tensor: Tensor) -> Any:
    """A new value of a Tensor in memory of its own."""
    if type(tensor._value) is float:
        return float(value)
    return np.array(value)
