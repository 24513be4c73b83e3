"""Entry: one program of a compiled function, with what surrounds it."""

from __future__ import annotations

import functools
import gc
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import seeding
from ..calculus.derivatives import vjp
from ..engine import recording
from ..engine.contributions import as_tensor
from ..engine.operation import Operation
from ..engine.silence import silently
from ..engine.tensor import Tensor, constant_tensor, raw
from ..engine.values import is_alone
from .effects import Return, effects_of, kind_of_gradient, return_of
from .guards import Guard
from .program import Program
from .quick import Quick, can_be_built
from .structure import flatten, kinds_of, rebuild, rebuilder, statics
from .trace import Draw, Trace, flatten_result

Function = Callable[..., Any]


class Entry:
    """One program of a compiled function, with what surrounds it: where its inputs come from, and what its
    results become.

    The operands are the leaves of the arguments, the Tensors that the function refers to, and what it draws.

    Parameters
    ----------
    f, args, keywords
        The function, and arguments of the kind that the program is for.
    passes
        Those of the program.
    compiled
        Compiles another function, with these passes.

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

    def __init__(
        self, f: Function, args: Any, keywords: Any, passes: Sequence[str], compiled: Callable[..., Function]
    ) -> None:
        self.f, self.passes, self.compiled = f, passes, compiled
        self.pulls: dict[Any, Function] = {}
        leaves: list[Any] = []
        self.structure = flatten((args, keywords), leaves)
        self.is_tensor = [isinstance(leaf, Tensor) for leaf in leaves]
        names = named_arguments(f, args, keywords)
        start = time.perf_counter()
        trace = Trace(passes)
        trace.watch(f, statics(self.structure))
        with uncollected():
            self.trace(trace, leaves, names)
        self.seconds = time.perf_counter() - start

    def trace(self, trace: Trace, leaves: list[Any], names: list[str]) -> None:
        """Trace the function, and make its program."""
        arguments = [trace.input(leaf, name) for leaf, name in zip(leaves, names, strict=True)]
        args, keywords = rebuild(self.structure, iter(arguments))
        self.result, out = trace.call(self.f, args, keywords)
        self.guards: list[Guard] = trace.guards
        self.draws: list[Draw] = trace.draws
        self.captured = list(trace.captured)
        self.kinds = kinds_of(self.captured)
        twins = [*arguments, *trace.captured.values()]
        self.returns = [return_of(trace, value, twins) for value in out]
        self.effects = effects_of(trace, twins)
        self.is_free = not (self.guards or self.captured or self.effects)
        self.records = any(each.behind for each in self.returns)
        self.rebuilt = rebuilder(self.result)
        self.is_plain = not any(
            how.operand is not None or how.behind or how.requires_grad for how in self.returns
        )
        texts = [return_text(how, f"leaves[{place}]") for place, how in enumerate(self.returns)]
        self.finished = rebuilder(self.result, texts, constant_tensor=constant_tensor)
        self.program = self.written(trace, twins)
        self.is_of_floats = all(each.number is float for each in self.returns) and all(
            node.number is float for node in trace.inputs
        )

    def written(self, trace: Trace, twins: Sequence[Any]) -> Program:
        """The program of a trace."""
        with_gradient = [effect for effect in self.effects if effect.before is not None]
        self.old_gradients = [effect.place for effect in with_gradient]
        inputs = [*trace.inputs, *[trace.first[twin] for twin in trace.captured.values()], *trace.drawn]
        inputs += [effect.before for effect in with_gradient if effect.before is not None]
        results = [each.node for each in self.returns if each.node is not None]
        self.count = len(results)
        new_values = [effect for effect in self.effects if effect.value is not None]
        results += [effect.gradient for effect in self.effects if effect.gradient is not None]
        results += [effect.value for effect in new_values if effect.value is not None]
        # A walk back needs the values from before.
        self.in_place = [] if self.records else [effect.place for effect in new_values]
        updated = [trace.first[twins[place]] for place in self.in_place]
        return Program(trace.graph, inputs, results, updated, self.passes)

    def quick(self) -> Quick | None:
        """A shorter way to call the program, if it depends on numbers alone."""
        _, args, keywords = self.structure
        is_plain = self.is_of_floats and self.is_free and not (self.draws or self.records or keywords[1])
        returns_operand = any(each.operand is not None for each in self.returns)
        if is_plain and not returns_operand and Quick.fits(args[1:]) and can_be_built(self.result):
            return Quick(self.program.run, args[1:], self.result, [e.is_tensor for e in self.returns])
        return None

    def holds(self, leaves: Sequence[Any]) -> bool:
        """Whether everything that the program was made for is as it was."""
        if self.is_free:
            return True
        if not all(guard.holds() for guard in self.guards) or kinds_of(self.captured) != self.kinds:
            return False
        if not self.effects:
            return True
        operands = [*leaves, *self.captured]
        return all(
            kind_of_gradient(operands[effect.place]) == effect.kind_of_gradient for effect in self.effects
        )

    def __call__(self, leaves: list[Any]) -> Any:
        """Run the program on the leaves of the arguments, and return what the function would."""
        operands = leaves
        if self.captured or self.draws:
            operands = [*leaves, *self.captured, *map(drawn, self.draws)]
        if self.effects:
            found = self.run_with_effects(operands)
        else:
            found = silently(self.program.run, *[x._value if isinstance(x, Tensor) else x for x in operands])
        if self.is_plain:
            return self.finished(found)
        remaining = iter(found)
        results: list[Any] = []
        for place, how in enumerate(self.returns):
            if how.operand is not None:
                results.append(operands[how.operand])
                continue
            value = next(remaining)
            if how.is_scalar:  # as NumPy's functions return it
                value = value[()]
            elif how.number is not None:
                value = how.number(value)
            if how.behind:
                value = self.recorded(place, value, operands)
            elif how.is_tensor:
                value = constant_tensor(value)
                value._requires_grad = how.requires_grad
            results.append(value)
        return self.rebuilt(results)

    def recorded(self, place: int, value: Any, operands: list[Any]) -> Tensor:
        """A result as a Tensor that the operands which a gradient arrives at have made."""
        behind = self.returns[place].behind
        chosen = [x if where in behind else raw(x) for where, x in enumerate(operands)]
        return self.operation.record(value, tuple(chosen), {"place": place})

    def run_with_effects(self, operands: list[Any]) -> Any:
        """Run a program that changes Tensors. It writes into their arrays, where nobody else can notice, else
        into copies."""
        ids = [*map(id, operands)]
        is_repeated = len(set(ids)) != len(ids)
        shared = [
            place for place in self.in_place
            if not is_alone(operands[place]) or (is_repeated and ids.count(ids[place]) > 1)
        ]  # fmt: skip
        values = [*map(raw, operands)]
        for place in self.in_place:
            value = values[place]
            if isinstance(value, np.ndarray) and (place in shared or not value.flags.writeable):
                values[place] = np.array(value)
        values += [raw(operands[place]._grad) for place in self.old_gradients]
        found = silently(self.program.run, *values)
        after = iter(found[self.count :])
        for effect in self.effects:
            effect.set_gradient(operands[effect.place], after)
        for effect in self.effects:
            effect.set_value(operands[effect.place], after)
        return found

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
                f"what {getattr(self.f, '__name__', self.f)} refers to has changed since the call, the mode "
                "of a module for instance, so its gradient would be wrong. Walk back before that"
            )
        if (place, wanted) not in self.pulls:

            def gradients(grad: Any, *operands: Any) -> list[Any]:
                return self.pulled(place, wanted, grad, operands)

            self.pulls[place, wanted] = self.compiled(gradients, self.passes)
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
            return [*map(trace.stand_in, out)]
        finally:
            trace.replaced, trace.given_draws = before


def return_text(how: Return, value: str) -> str:
    """What becomes of a result that is computed and that no gradient goes back from, as text."""
    if how.is_scalar:  # as NumPy's functions return it
        value = f"{value}[()]"
    elif how.number is not None:
        value = f"{how.number.__name__}({value})"
    return f"constant_tensor({value})" if how.is_tensor else value


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


@contextmanager
def uncollected() -> Iterator[None]:
    """Switch Python's garbage collector off, which would look through a hundred thousand nodes that all stay
    again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def drawn(draw: Draw) -> Any:
    """A random array, drawn now."""
    generator = seeding.generator(draw.generator)
    return getattr(generator, draw.method)(*draw.args, **draw.options)
