"""``ad.compile``: a function becomes programs, one for each kind of arguments that it is called with."""

from __future__ import annotations

import copy
import functools
import sys
import threading
import types
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..engine import recording
from ..engine.tensor import Tensor
from .entry import Entry, Overtaken
from .inspecting import Source, program_text, report_text, source_text
from .passes import GRAPH_PASSES
from .program import INEXACT_PASSES
from .quick import QuickCall
from .signature import Argument, Result, arguments_of, results_of
from .structure import add_kinds
from .writing import WRITING_PASSES

if TYPE_CHECKING:
    from .picture import Pictures

Function = Callable[..., Any]
PASSES = ("fold", "algebra", "broadcasts", "cse", "pack", "numbers", *GRAPH_PASSES, *WRITING_PASSES)
EXACT_PASSES = tuple(name for name in PASSES if name not in INEXACT_PASSES)
LIMIT = 64
"""The number of programs that a compiled function keeps."""


def compile_function(
    f: Function | None = None, *, passes: Iterable[str] = PASSES, exact: bool = False
) -> Any:
    """Compile a function into NumPy programs that compute the same faster.

    The function is called once for each kind of arguments, with stand-ins that have a shape and a dtype but
    no values. The operations that it applies to them become the program. Derivatives can be taken inside, as
    in ``ad.compile(ad.value_and_grad(loss))``, or outside. Inside is faster: outside, the program of the
    gradient computes the function again. Without a function the result is a decorator:
    ``@ad.compile(exact=True)``.

    Parameters
    ----------
    f
        Takes and returns Tensors, arrays and floats, and lists, tuples and dicts of them. Other arguments,
        such as ints and strings, are part of the program: each value has a program of its own. A module, or
        the object of a method, is guarded: after one of its attributes is set, another program is made.
    passes
        The names of the simplifications that the compiler applies, by default all; for experiments.
    exact
        Leave out the passes that change the order of sums, so that the results, gradients and tangents of
        operations, layers and losses are equal to those without compiling in every bit. Last digits may
        differ in what is differentiated outside of the compiled function, where contributions to a gradient
        are added up in another order: ``backward`` from several results, and second derivatives. So may calls
        of NumPy's functions on Python numbers, as ``np.exp(2.0 * x)`` for a float x, and the slope of a power
        whose exponent is a Python number among the arguments.

    Raises
    ------
    TypeError
        If ``f`` is not a function.
    ValueError
        For an unknown pass.
    TraceError
        At a call, if ``f`` needs the value of an argument, for instance in an ``if``.

    Notes
    -----
    What ``f`` refers to is treated as follows:

    - Tensors, such as weights, are read at each call. Changes that ``f`` makes to them happen at each call
      too: ``assign``, ``+=``, and the gradients that a ``backward`` inside leaves in ``.grad``.
    - Global variables of its file and variables of enclosing functions are guarded: after a change another
      program is made.
    - Attributes of the modules that it calls, such as ``training``, are guarded too.
    - Random numbers from the package's generator, or from a ``generator=``, are drawn again at each call.
    - Everything else is read once, when the program is made: the contents of lists, attributes of other
      objects, NumPy arrays. ``print`` and other side effects happen only then.

    Several threads may call a compiled function at once, and no change that it makes is lost, nor a gradient
    that other code adds meanwhile. But if the function gives Tensors new *values*, such as running means,
    then what other code does to the same Tensors at the same moment may be lost.

    A call warns if there are more kinds of arguments than programs that are kept.

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
    """The names of passes, in the order in which they are applied. Raises ValueError for an unknown name."""
    chosen = [passes] if isinstance(passes, str) else list(passes)
    for name in chosen:
        if name not in PASSES:
            raise ValueError(f"there is no pass {name!r:.60}; the passes are {', '.join(PASSES)}")
    return tuple(name for name in (EXACT_PASSES if exact else PASSES) if name in chosen)


class Compiled:
    """A compiled function; made by :func:`autodiff.compile`."""

    # Attributes that every call reads have slots, since Python 3.11 reads the __dict__ that update_wrapper
    # fills much more slowly.
    __slots__ = (
        "__dict__", "__weakref__", "_has_warned", "_latest", "_lock", "_programs", "_quick", "f", "passes",
    )  # fmt: skip

    def __init__(self, f: Function, passes: Sequence[str]) -> None:
        functools.update_wrapper(self, f, updated=())
        self.f = f
        self.passes = tuple(passes)
        self._programs: OrderedDict[Any, list[Entry]] = OrderedDict()
        self._lock = threading.RLock()
        self._latest: Any = None, None  # the kinds of the latest arguments, and their program
        self._quick: QuickCall | None = None  # of the latest program
        self._has_warned = False

    def __repr__(self) -> str:
        return f"<compiled {getattr(self.f, '__name__', self.f)}>"

    @property
    def program(self) -> Source:
        """The latest program as Python over NumPy, written for readers: it computes the same in the same
        order, but leaves out where values lie in memory; see ``source``. What it cannot write out, such as
        long arrays, stands in it as ``...`` and is in ``program.constants``, by name. Raises RuntimeError
        before the first call.

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

    @property
    def source(self) -> Source:
        """The latest program as it runs, with the memory that it reuses. Raises RuntimeError before the first
        call."""
        return source_text(self._entry().program)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """What the latest program takes: the arguments of the function, then the Tensors that it refers to,
        the random numbers that it draws, and gradients that Tensors have before the call. Raises RuntimeError
        before the first call.

        >>> import autodiff as ad
        >>> w = ad.Tensor([1.0, 2.0], name="w")
        >>> scaled = ad.compile(lambda x: x * w)
        >>> scaled(3.0)
        [3 6]
        >>> [(each.name, each.shape, each.dtype, each.kind) for each in scaled.arguments]
        [('x', (), 'float64', 'argument'), ('w', (2,), 'float64', 'captured')]
        """
        return arguments_of(self._entry())

    @property
    def results(self) -> tuple[Result, ...]:
        """What the latest program returns: the results of the function but for arguments that it returns
        unchanged, then gradients and new values that the call leaves at Tensors. Raises RuntimeError before
        the first call.

        >>> import autodiff as ad
        >>> fast = ad.compile(ad.value_and_grad(lambda x: (x * x).sum()))
        >>> fast(ad.Tensor([1.0, 2.0]))
        (5, [2 4])
        >>> [(each.name, each.shape, each.dtype, each.kind) for each in fast.results]
        [('value', (), 'float64', 'result'), ('d_x', (2,), 'float64', 'result')]
        """
        return results_of(self._entry())

    def javascript(self, *, minify: bool = False) -> Source:
        """The latest program as a JavaScript module, which exports the function ``program`` and, unless it is
        one of numbers alone, ``nd``, the part of a small NumPy that it calls.

        ``program`` takes what ``arguments`` lists, and returns a list of what ``results`` lists: numbers, and
        arrays that ``nd.array([[1, 2]], "float64")`` makes and ``nd.tolist(x)`` makes lists of. It writes new
        values into the arrays that ``is_updated`` marks. No library is needed.

        Parameters
        ----------
        minify
            Leave out comments and indentation of ``nd``.

        Raises
        ------
        NotImplementedError
            For an operation or a dtype that JavaScript has no counterpart for here.
        RuntimeError
            Before the first call.

        Example
        -------
        >>> import autodiff as ad
        >>> fast = ad.compile(ad.value_and_grad(lambda x: x * x + 1))
        >>> fast(3.0)
        (10, 6)
        >>> fast.javascript()
        function program(x) {
          const value = x * x + 1;
          const d_x = x + x;
          return [value, d_x];
        }
        <BLANKLINE>
        export {program};
        <BLANKLINE>
        """
        from .javascript import exported, translated

        return Source(exported(translated(self), minify=minify))

    def report(self) -> Source:
        """What the passes made of the latest program, and what it costs.

        ``traced`` is the number of operations that the function applied. ``fold``, ``algebra`` and ``cse``
        are applied while it is traced; ``used`` is the number of operations that the results depend on.
        Raises RuntimeError before the first call.
        """
        entry = self._entry()
        return report_text(entry.program, entry.seconds)

    def draw(self, *, direction: str = "LR") -> Pictures:
        """Draw the graph of the latest program, before and after the passes over it.

        Raises RuntimeError before the first call, and ValueError for a graph that is too large for a picture.

        >>> import autodiff as ad
        >>> fast = ad.compile(lambda x: x * x + 1)
        >>> fast(3.0)
        10.0
        >>> fast.draw()
        before and after the passes over the graph: 2 operations
        node         shape
        x            ()
        v1 = x * x   ()
        v2 = v1 + 1  ()
        """
        from .picture import Pictures

        return Pictures(self._entry().program, direction)

    def _entry(self) -> Entry:
        """The latest entry. Raises RuntimeError before the first call."""
        entry = self._latest[1]
        if entry is None:
            raise RuntimeError(f"{self!r} has no program yet; call it first")
        return entry

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Run the program for these arguments. It is made if there is none yet."""
        quick = self._quick
        if quick is not None and not keywords and not recording.open_blocks:
            found = quick(args)
            if found is not None:
                return found
        switches = recording.current()
        if switches.trace is not None:  # part of another program
            return self.f(*args, **keywords)
        leaves: list[Any] = []
        key: list[Any] = [switches.recording, switches.depth > 0, len(args)]
        add_kinds(args, leaves, key)
        if keywords:
            add_kinds((keywords,), leaves, key)
        same = same_tensors(leaves) if len({*map(id, leaves)}) != len(leaves) else None
        if same is not None:
            key.append(same)
        known, entry = self._latest
        if key != known or not (entry.is_free or entry.holds(leaves)):
            entry = self._find(tuple(key), leaves) or self._add(tuple(key), leaves, args, keywords)
            is_usual = key[:2] == [True, False] and same is None
            self._latest, self._quick = (key, entry), entry.quick if is_usual else None
        while True:
            try:
                return entry(leaves)
            except Overtaken:
                entry = self._find(tuple(key), leaves) or self._add(tuple(key), leaves, args, keywords)

    def _find(self, key: Any, leaves: list[Any]) -> Entry | None:
        """An entry for arguments of this kind whose program is valid now."""
        for entry in self._programs.get(key, ()):
            if entry.holds(leaves):
                return entry
        return None

    def _add(self, key: Any, leaves: list[Any], args: Any, keywords: Any) -> Entry:
        """Make an entry, and drop the oldest one if there are too many."""
        with self._lock:
            entry = self._find(key, leaves)  # another thread may have made it
            if entry is None:
                entry = Entry(self.f, args, keywords, self.passes, Compiled)
                entry.lock = self._lock
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
                    f"{self!r} was compiled for more than {LIMIT} kinds of arguments, and drops its oldest "
                    "programs. Each shape, each dtype and each value of an int or a string has a program of "
                    "its own. Pass numbers that change as floats or arrays, and pad arrays to a few shapes",
                    RuntimeWarning,
                    stacklevel=4,
                )

    # -- as a method, copied, pickled -----------------------------------------------------------------------

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind the compiled function to an object, which becomes its first argument."""
        return self if instance is None else types.MethodType(self, instance)

    def __copy__(self) -> Compiled:
        return Compiled(self.f, self.passes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Compiled:
        return Compiled(copy.deepcopy(self.f, memo), self.passes)

    def __reduce__(self) -> Any:
        """A pickle holds the function without its programs. If the compiled function has replaced the
        function under its name, as a decorator does, the pickle holds only the name."""
        name = getattr(self.f, "__qualname__", "")
        found: Any = sys.modules.get(getattr(self.f, "__module__", ""))
        for part in name.split("."):
            found = getattr(found, part, None)
        return name if found is self else (Compiled, (self.f, self.passes))


def same_tensors(leaves: list[Any]) -> Any:
    """Which Tensors among the arguments are the same object: for each Tensor the place of its first
    occurrence; None if all are different."""
    first: dict[int, int] = {}
    tensors = [id(leaf) for leaf in leaves if isinstance(leaf, Tensor)]
    places = tuple(first.setdefault(one, place) for place, one in enumerate(tensors))
    return places if len(first) != len(tensors) else None
