"""``ad.compile``: a function as programs, one for each kind of arguments that it is called with."""

from __future__ import annotations

import copy
import functools
import inspect
import sys
import threading
import types
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .. import seeding
from ..calculus.derivatives import vjp
from ..calculus.trace import is_inside
from ..engine import recording
from ..engine.contributions import as_tensor
from ..engine.operation import Operation
from ..engine.silence import silently
from ..engine.tensor import Tensor, constant_tensor, raw
from .effects import effects_of, kind_of, kind_of_gradient, owned, return_of, value_of
from .guards import Guard
from .program import Program
from .structure import flatten, rebuild, statics
from .trace import Draw, Trace, flatten_result

Function = Callable[..., Any]
PASSES = ("fold", "algebra", "cse")
INEXACT_PASSES: frozenset[str] = frozenset()
"""Those of them that change the order of sums, and so the last digits of results."""

EXACT_PASSES = tuple(name for name in PASSES if name not in INEXACT_PASSES)
LIMIT = 64
"""The number of programs that a compiled function keeps."""


def compile_function(
    f: Function | None = None, *, passes: Iterable[str] = PASSES, exact: bool = False
) -> Any:
    """A function as a NumPy program, which computes the same faster.

    The function is called once for each kind of arguments, with arguments that have a shape and a dtype and
    no values; what it does with them becomes the program. Derivatives may be taken inside,
    ``ad.compile(ad.value_and_grad(loss))``, which is faster, or outside.

    Parameters
    ----------
    f
        Takes and returns Tensors, arrays and floats, and lists, tuples and dicts of them. Other arguments,
        such as ints and strings, count by their value: for another value there is another program. A module,
        or the object of a method, is watched: when an attribute is set anew, there is another program.
    passes
        What the compiler does to the program; for experiments.
    exact
        Leave out what changes the order of sums, so that every bit is as without compiling.

    What ``f`` refers to:

    - Tensors, such as weights, are read at each call. What ``f`` does to them happens at each call too:
      ``assign``, ``+=``, and the gradients that a ``backward`` inside leaves in ``.grad``.
    - Variables of its file and of the functions around it are watched: a new value gives another program.
    - Attributes of the modules that it calls are watched too, such as ``training``.
    - Random numbers from the package's generator, or from a ``generator=``, are drawn anew at each call.
    - Everything else is read once, when the program is made: contents of lists, attributes of other objects,
      arrays of NumPy. ``print`` and other actions run once too.

    Raises TypeError if ``f`` is not a function, and ValueError for an unknown pass. A call raises TraceError
    where ``f`` needs the value of an argument, for an ``if`` for instance, and warns when there are too many
    kinds of arguments to keep a program for each.

    Example
    -------
    >>> import autodiff as ad
    >>> fast = ad.compile(ad.value_and_grad(lambda x: (x * x).sum()))
    >>> fast(ad.Tensor([1.0, 2.0]))
    (5, [2 4])
    """
    passes = checked_passes(passes, exact)
    if f is None:
        return functools.partial(compile_function, passes=passes)
    if not callable(f) or isinstance(f, type):
        raise TypeError(f"ad.compile takes a function, not {f!r:.60}")
    return Compiled(f, passes)


def checked_passes(passes: Iterable[str], exact: bool) -> tuple[str, ...]:
    """The names of passes in their order. Raises ValueError for one that does not exist."""
    chosen = [passes] if isinstance(passes, str) else list(passes)
    for name in chosen:
        if name not in PASSES:
            raise ValueError(f"there is no pass {name!r:.60}; the passes are {', '.join(PASSES)}")
    return tuple(name for name in (EXACT_PASSES if exact else PASSES) if name in chosen)


class Compiled:
    """A compiled function; made by :func:`autodiff.compile`."""

    def __init__(self, f: Function, passes: Sequence[str]) -> None:
        functools.update_wrapper(self, f, updated=())
        self.f = f
        self.passes = tuple(passes)
        self._programs: OrderedDict[Any, list[Entry]] = OrderedDict()
        self._lock = threading.RLock()
        self._has_warned = False

    def __repr__(self) -> str:
        return f"<compiled {getattr(self.f, '__name__', self.f)}>"

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Run the program for these arguments, which is made if there is none."""
        switches = recording.current()
        if switches.trace is not None:  # part of another program
            return self.f(*args, **keywords)
        leaves: list[Any] = []
        structure = flatten((args, keywords), leaves)
        key = structure, switches.recording, is_inside(), same_tensors(leaves), *map(kind_of, leaves)
        entry = self._find(key, leaves) or self._add(key, leaves, args, keywords)
        return entry(leaves)

    def _find(self, key: Any, leaves: list[Any]) -> Entry | None:
        """A program for arguments of this kind that holds now."""
        for entry in self._programs.get(key, ()):
            if entry.holds(leaves):
                return entry
        return None

    def _add(self, key: Any, leaves: list[Any], args: Any, keywords: Any) -> Entry:
        """Make a program. The oldest is dropped if there are too many."""
        with self._lock:
            entry = self._find(key, leaves)  # another thread may have made it
            if entry is None:
                entry = Entry(self.f, args, keywords, self.passes)
                self._programs.setdefault(key, []).insert(0, entry)
                self._drop_oldest()
        return entry

    def _drop_oldest(self) -> None:
        while sum(map(len, self._programs.values())) > LIMIT:
            oldest = next(iter(self._programs))
            self._programs[oldest] = self._programs[oldest][:-1]
            if not self._programs[oldest]:
                del self._programs[oldest]
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(
                    f"{self!r} was compiled for more than {LIMIT} kinds of arguments, and drops the oldest "
                    "program. Each shape, each dtype and each value of an int or a string has a program of "
                    "its own: pass changing numbers as floats or arrays, and pad arrays to few shapes",
                    RuntimeWarning,
                    stacklevel=4,
                )

    # -- as a method, copied, pickled -----------------------------------------------------------------------

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As a method: the object is the first argument."""
        return self if instance is None else types.MethodType(self, instance)

    def __copy__(self) -> Compiled:
        return Compiled(self.f, self.passes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Compiled:
        return Compiled(copy.deepcopy(self.f, memo), self.passes)

    def __reduce__(self) -> Any:
        """A pickle holds the function, without its programs. If this has taken the function's place, as with
        a decorator, it is found under its name."""
        name = getattr(self.f, "__qualname__", "")
        found: Any = sys.modules.get(getattr(self.f, "__module__", ""))
        for part in name.split("."):
            found = getattr(found, part, None)
        return name if found is self else (Compiled, (self.f, self.passes))


def same_tensors(leaves: list[Any]) -> Any:
    """Which Tensors among the arguments are one Tensor, if some are: for each the place of the first."""
    ids = [*map(id, leaves)]
    if len(set(ids)) == len(ids):
        return None
    tensors = [id(leaf) for leaf in leaves if isinstance(leaf, Tensor)]
    return None if len(set(tensors)) == len(tensors) else tuple(map(tensors.index, tensors))


def named_arguments(f: Function, args: Any, keywords: Any) -> list[str]:
    """A name for each argument that has no value, from the names of the parameters."""
    parts = [flatten_names(value, "x") for value in args]
    try:
        bound = inspect.signature(getattr(f, "forward", f)).bind(*args).arguments
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
    results become.

    The operands are the leaves of the arguments, the Tensors that the function refers to, and what it draws.

    Attributes
    ----------
    captured
        The Tensors that the function refers to.
    returns
        What becomes of each result.
    effects
        What the function does to Tensors.
    program
        Computes the results, and then the new values of Tensors and their gradients.
    """

    def __init__(self, f: Function, args: Any, keywords: Any, passes: Sequence[str]) -> None:
        self.f, self.passes = f, passes
        self.pulls: dict[Any, Compiled] = {}
        leaves: list[Any] = []
        self.structure = flatten((args, keywords), leaves)
        self.is_tensor = [isinstance(leaf, Tensor) for leaf in leaves]
        names = named_arguments(f, args, keywords)
        trace = Trace(passes)
        trace.watch(f, statics(self.structure))
        arguments = [trace.input(leaf, name) for leaf, name in zip(leaves, names, strict=True)]
        args, keywords = rebuild(self.structure, iter(arguments))
        self.result, out = trace.call(f, args, keywords)
        self.guards: list[Guard] = trace.guards
        self.draws: list[Draw] = trace.draws
        self.captured = list(trace.captured)
        self.kinds = [kind_of(tensor) for tensor in self.captured]
        twins = [*arguments, *trace.captured.values()]
        self.returns = [return_of(trace, value, twins) for value in out]
        self.effects = effects_of(trace, twins)
        self.program = self.written(trace, twins)

    def written(self, trace: Trace, twins: Sequence[Any]) -> Program:
        """The program of a trace."""
        with_gradient = [effect for effect in self.effects if effect.before is not None]
        self.old_gradients = [effect.place for effect in with_gradient]
        inputs = [*trace.inputs, *[trace.first[twin] for twin in trace.captured.values()], *trace.drawn]
        inputs += [effect.before for effect in with_gradient]
        results = [each.node for each in self.returns if each.node is not None]
        for effect in self.effects:
            results += [node for node in (effect.value, effect.gradient) if node is not None]
        updated = [trace.first[twins[e.place]] for e in self.effects if e.value is not None]
        if any(each.behind for each in self.returns):  # a walk back needs the values from before
            updated = []
        return Program(trace.graph, inputs, results, updated, self.passes)

    def holds(self, leaves: Sequence[Any]) -> bool:
        """Whether everything that the program was made for is as it was."""
        if not all(guard.holds() for guard in self.guards):
            return False
        if [*map(kind_of, self.captured)] != self.kinds:
            return False
        operands = [*leaves, *self.captured] if self.effects else ()
        return all(
            kind_of_gradient(operands[effect.place]) == effect.kind_of_gradient for effect in self.effects
        )

    def __call__(self, leaves: list[Any]) -> Any:
        """Run the program on the leaves of the arguments, and return what the function would."""
        operands = [*leaves, *self.captured, *map(drawn, self.draws)]
        gradients = [operands[place]._grad for place in self.old_gradients]
        values = iter(silently(self.program.run, *map(value_of, [*operands, *gradients])))
        results = [self.returned(place, values, operands) for place in range(len(self.returns))]
        for effect in self.effects:
            effect.happen(operands[effect.place], values)
        return rebuild(self.result, iter(results))

    def returned(self, place: int, values: Iterator[Any], operands: list[Any]) -> Any:
        """A result as the function returns it: a Tensor, an array or a number."""
        how = self.returns[place]
        if how.operand is not None:
            return operands[how.operand]
        value = how.number(next(values)) if how.number else owned(next(values))
        if not how.is_tensor:
            return value
        if not how.behind:
            tensor = constant_tensor(value)
            tensor._requires_grad = how.requires_grad
            return tensor
        chosen = [x if where in how.behind else raw(x) for where, x in enumerate(operands)]
        return self.operation.record(value, tuple(chosen), {"place": place})

    # -- derivatives of the whole ---------------------------------------------------------------------------

    @functools.cached_property
    def operation(self) -> Operation:
        """The whole function as one operation, whose rule is a program too."""

        def forward(*operands: Any, place: int) -> Any:
            return raw(self.call_with([*operands])[place])

        forward.__name__ = getattr(self.f, "__name__", "compiled").strip("<>")
        return Operation(forward).backward(joint=self.rule)

    def rule(self, grad: Any, z: Any, *operands: Any, wanted: Sequence[bool], place: int) -> list[Any]:
        """The gradients of one result by vector-Jacobian products, from a program of their own."""
        wanted_places = tuple(i for i, want in enumerate(wanted) if want)
        found = iter(self.pull(place, wanted_places)(grad, *operands))
        return [next(found) if want else None for want in wanted]

    def pull(self, place: int, wanted: tuple[int, ...]) -> Function:
        """The program of the gradients of one result with respect to some operands. Raises RuntimeError if
        the function would compute something else by now."""
        if not all(guard.holds() for guard in self.guards):
            raise RuntimeError(
                f"what the compiled function {getattr(self.f, '__name__', self.f)} refers to has changed since "
                "the call, a module's mode for instance, so its gradient would be wrong. Walk back before"
            )
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
        return [g if isinstance(grad, Tensor) else raw(g) for g in back(grad)]

    def call_with(self, operands: list[Any]) -> list[Any]:
        """Call the function itself while another is traced, with operands in place of its arguments, of the
        Tensors that it refers to and of what it draws."""
        trace = recording.thread.switches.trace
        count = len(self.is_tensor)
        leaves, captured = operands[:count], operands[count : count + len(self.captured)]
        leaves = [as_tensor(leaf) if needed else leaf for leaf, needed in zip(leaves, self.is_tensor)]
        before = trace.replaced, trace.given_draws
        trace.replaced = {**trace.replaced, **dict(zip(self.captured, map(as_tensor, captured)))}
        trace.given_draws = [*map(raw, operands[count + len(self.captured) :])]
        try:
            args, keywords = rebuild(self.structure, iter(leaves))
            out: list[Any] = []
            flatten_result(self.f(*args, **keywords), out)
            return out
        finally:
            trace.replaced, trace.given_draws = before


def drawn(draw: Draw) -> Any:
    """A random array, drawn now."""
    generator = seeding.generator(draw.generator)
    return getattr(generator, draw.method)(*draw.args, **draw.options)
