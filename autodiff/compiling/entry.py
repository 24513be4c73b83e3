"""Entry: one program of a compiled function, with all that a call of it needs."""

from __future__ import annotations

import functools
import gc
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock, active_count
from typing import Any

import numpy as np

from .. import seeding
from ..calculus.derivatives import jvp, vjp
from ..engine import edits, locking, recording
from ..engine.contributions import as_tensor
from ..engine.operation import Operation
from ..engine.repeating import note_change
from ..engine.silence import silently
from ..engine.tensor import Tensor, constant_tensor, raw
from ..engine.values import is_alone
from .effects import Return, effects_of, returns_of
from .guards import Guard
from .numbers import is_of_numbers
from .outside_draws import refusing_draws
from .program import INEXACT_PASSES, Program
from .quick import QuickCall, quick_call
from .structure import flatten, kinds_of, rebuild, rebuilder, statics
from .trace import Draw, ProgramTrace, flatten_result

Function = Callable[..., Any]
FROZEN = "ad.compile calls it once, so that every call of the program would use the same numbers"


class Overtaken(Exception):
    """Raised for a program that was overtaken by another thread: it has to be chosen and run again."""


class Entry:
    """One program of a compiled function, with the sources of its inputs, the handling of its results, and
    its effects.

    The operands are the leaves of the arguments, the Tensors that the function refers to, and the random
    arrays that it draws.

    Parameters
    ----------
    f, args, keywords
        The function, and arguments of the kind that the program is made for.
    passes
        The passes of the program.
    compiled
        Compiles another function: ``compiled(function, passes)``.

    Attributes
    ----------
    captured
        The Tensors that the function refers to.
    returns
        How each result is returned.
    effects
        The changes that the function makes to Tensors.
    program
        Computes the results, and then the new values of Tensors and their gradients.
    """

    def __init__(
        self, f: Function, args: Any, keywords: Any, passes: Sequence[str], compiled: Callable[..., Function]
    ) -> None:
        self.f, self.passes, self.compiled = f, passes, compiled
        self.lock: Any = RLock()  # that of the compiled function takes its place
        self.derivatives: dict[Any, Function] = {}
        leaves: list[Any] = []
        self.structure = flatten((args, keywords), leaves)
        self.is_tensor = [isinstance(leaf, Tensor) for leaf in leaves]
        names = named_arguments(f, args, keywords)
        start = time.perf_counter()
        with uncollected():
            # The nodes are freed before the collector is on again.
            refusing_draws(f, FROZEN, lambda: self.trace(leaves, names), is_thorough=True)
        self.quick = self.quick_call(args, keywords)
        self.seconds = time.perf_counter() - start

    def trace(self, leaves: list[Any], names: list[str]) -> None:
        """Trace the function, and make its program."""
        trace = ProgramTrace(self.passes)
        trace.graph.is_exact = not INEXACT_PASSES.intersection(self.passes)
        trace.watch(self.f, statics(self.structure))
        arguments = [trace.input(leaf, name) for leaf, name in zip(leaves, names, strict=True)]
        args, keywords = rebuild(self.structure, iter(arguments))
        self.result, out = trace.call(self.f, args, keywords)
        self.guards: list[Guard] = trace.guards
        self.draws: list[Draw] = trace.draws
        self.captured = list(trace.captured)
        self.kinds = kinds_of(self.captured)
        stand_ins = [*arguments, *trace.captured.values()]
        self.returns = returns_of(trace, out, stand_ins)
        self.effects = effects_of(trace, stand_ins)
        self.before = [(effect.place, effect.kind_of_gradient is None) for effect in self.effects]
        self.is_free = not (self.guards or self.captured or self.effects)
        self.records = any(each.behind for each in self.returns)
        self.rebuilt = rebuilder(self.result)
        self.is_plain = not any(
            how.operand is not None or how.behind or how.requires_grad for how in self.returns
        )
        texts = [*map(return_text, self.returns)]
        self.finished = rebuilder(self.result, texts, constant_tensor=constant_tensor)
        self.program = self.written(trace, stand_ins)
        self.returns = [how._replace(node=None) for how in self.returns]  # the nodes can be freed

    def written(self, trace: ProgramTrace, stand_ins: Sequence[Any]) -> Program:
        """The program of a trace."""
        self.old_gradients = [i for i, effect in enumerate(self.effects) if effect.before is not None]
        inputs = [*trace.inputs, *map(trace.first.__getitem__, trace.captured.values()), *trace.drawn]
        inputs += [effect.before for effect in self.effects if effect.before is not None]
        results = [each.node for each in self.returns if each.node is not None]
        self.count = len(results)
        new_values = [effect for effect in self.effects if effect.value is not None]
        results += [effect.gradient for effect in self.effects if effect.gradient is not None]
        results += [effect.value for effect in new_values if effect.value is not None]
        # A walk back needs the values from before.
        self.in_place = [] if self.records else [effect.place for effect in new_values]
        updated = [trace.first[stand_ins[place]] for place in self.in_place]
        return Program(trace.graph, inputs, results, updated, self.passes)

    def quick_call(self, args: Any, keywords: Any) -> QuickCall | None:
        """The quick call of the program; None if there is none, since a call does more than compute."""
        if keywords or self.effects or self.draws or not self.is_plain:
            return None
        is_packed = "pack" in dict(self.program.stages)
        returns_floats = is_packed or is_of_numbers(self.program.stages[0][1])
        texts = [return_text(how, converts=not returns_floats) for how in self.returns]
        calls_numpy = "np." in self.program.source or bool(self.program.constants)
        may_warn = not is_packed and (calls_numpy or not returns_floats)
        result = self.result, texts
        return quick_call(self.program.run, args, self.captured, self.guards, result, may_warn)

    def holds(self, leaves: Sequence[Any]) -> bool:
        """Whether the program is still valid: guards, captured Tensors and gradients are of the kind that it
        was made for."""
        if self.is_free:
            return True
        if not all(guard.holds() for guard in self.guards) or kinds_of(self.captured) != self.kinds:
            return False
        if not self.effects:
            return True
        operands = [*leaves, *self.captured]
        return all(effect.has_kind_of_gradient(operands[effect.place]) for effect in self.effects)

    def __call__(self, leaves: list[Any]) -> Any:
        """Run the program on the leaves of the arguments, and return what the function would return."""
        operands = leaves
        if self.captured or self.draws:
            operands = [*leaves, *self.captured, *map(draw_now, self.draws)]
        if self.effects:
            with self.lock:  # of two calls that change a Tensor, one reads what the other has written
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
            if how.is_scalar:  # NumPy's functions return scalars
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
        """A result as a recorded Tensor, whose creators are the operands that a walk back reaches."""
        behind = self.returns[place].behind
        chosen = [x if where in behind else raw(x) for where, x in enumerate(operands)]
        return self.operation.record(value, tuple(chosen), {"place": place})

    def run_with_effects(self, operands: list[Any]) -> Any:
        """Run a program that changes Tensors. It writes into their arrays if nothing else refers to these,
        and into copies otherwise. Raises Overtaken, without a change, if another thread has changed a
        gradient since the program was chosen, or while a program that writes into no array ran."""
        ids = [*map(id, operands)]
        is_repeated = len(set(ids)) != len(ids)
        shared = {
            place for place in self.in_place
            if not is_alone(operands[place]) or (is_repeated and ids.count(ids[place]) > 1)
        }  # fmt: skip
        gradients = []
        for place, has_none in self.before:
            gradients.append(operands[place]._grad)
            if (gradients[-1] is None) is not has_none and active_count() > 1:
                raise Overtaken
        for effect in self.effects:
            if effect.value is not None:
                note_change(operands[effect.place], is_in_place=True)
        values = [*map(raw, operands)]
        for place in self.in_place:
            value = values[place]
            if isinstance(value, np.ndarray) and (place in shared or not value.flags.writeable):
                values[place] = np.array(value)
        values += [raw(gradients[number]) for number in self.old_gradients]
        found = silently(self.program.run, *values)
        after, edit = iter(found[self.count :]), edits.new()
        with locking.shared:
            if not self.in_place:
                for (place, _), gradient in zip(self.before, gradients):
                    if operands[place]._grad is not gradient and active_count() > 1:
                        raise Overtaken
            for effect in self.effects:
                if effect.sets_gradient:
                    effect.set_gradient(operands[effect.place], after)
        for effect in self.effects:
            if effect.value is not None:
                effect.set_value(operands[effect.place], after, edit)
        return found

    # -- derivatives of the whole ---------------------------------------------------------------------------

    @functools.cached_property
    def operation(self) -> Operation:
        """The whole function as one operation, whose rule runs a program of its own."""

        def forward(*operands: Any, place: int) -> Any:
            return raw(self.call_with([*operands])[place])

        forward.__name__ = getattr(self.f, "__name__", "compiled").strip("<>")
        operation = Operation(forward).backward(joint=self.rule)
        operation.pushed = self.pushed
        return operation

    def rule(self, grad: Any, z: Any, *operands: Any, wanted: Sequence[bool], place: int) -> list[Any]:
        """The gradients of one result with respect to the wanted operands, computed by a program; None for
        the other operands."""
        wanted_places = tuple(i for i, want in enumerate(wanted) if want)
        found = iter(self.pull(place, wanted_places)(grad, *operands))
        return [next(found) if want else None for want in wanted]

    def pull(self, place: int, wanted: tuple[int, ...]) -> Function:
        """The program that computes the gradients of one result with respect to some operands. Raises
        RuntimeError if a guard no longer holds.

        It computes the forward pass again, so differentiating outside takes 1.4 to 1.6 times as long as
        inside (an MLP 1.6 ms in place of 1.0, an RNN of 50 steps 1.6 in place of 1.15). The program of the
        call could hand over the values that the walk back needs. But which these are is known only when
        backward is called, for one result and some operands; every call would then return and keep them,
        also those that nobody differentiates; and a second derivative, which needs them as functions of the
        operands, would compute them again all the same.
        """

        def gradients(grad: Any, *operands: Any) -> list[Any]:
            return self.pulled(place, wanted, grad, operands)

        return self.derivative(("pull", place, wanted), gradients)

    def derivative(self, key: Any, function: Function) -> Function:
        """The program of a derivative, made once. Raises RuntimeError if a guard no longer holds."""
        if not all(guard.holds() for guard in self.guards):
            raise RuntimeError(
                f"something that {getattr(self.f, '__name__', self.f)} depends on has changed since the "
                "call, for instance the mode of a module, so the gradient would be wrong. Call backward "
                "before the change"
            )
        if key not in self.derivatives:
            self.derivatives[key] = self.compiled(function, self.passes)
        return self.derivatives[key]

    def pulled(self, place: int, wanted: tuple[int, ...], grad: Any, operands: Sequence[Any]) -> Any:
        """The gradients of one result, called while their program is traced."""
        result = self.result_of(place, wanted, operands)
        _, back = vjp(result, *(operands[where] for where in wanted))
        return [g if isinstance(grad, Tensor) else raw(g) for g in back(grad)]

    def pushed(self, tangents: Sequence[Any], operands: Sequence[Any], *, place: int) -> Any:
        """The tangent of one result, computed by a program from those of the operands; None for the tangent
        of an operand that does not change."""
        moving = tuple(i for i, tangent in enumerate(tangents) if tangent is not None)

        def tangent(*given: Any) -> Any:
            moves, values = given[: len(moving)], given[len(moving) :]
            result = self.result_of(place, moving, values)
            _, moved = jvp(result, tuple(values[where] for where in moving), moves)
            return moved if any(isinstance(value, Tensor) for value in given) else raw(moved)

        program = self.derivative(("push", place, moving), tangent)
        return program(*(tangents[where] for where in moving), *operands)

    def result_of(self, place: int, wanted: Sequence[int], operands: Sequence[Any]) -> Function:
        """One result as a function of some operands, while the others stay as they are."""

        def result(*some: Any) -> Any:
            everything = list(operands)
            for where, value in zip(wanted, some):
                everything[where] = value
            return self.call_with(everything)[place]

        return result

    def call_with(self, operands: list[Any]) -> list[Any]:
        """Call the function itself inside of another trace. The operands replace its arguments, the Tensors
        that it refers to and the arrays that it draws."""
        trace = recording.current().trace
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


def return_text(how: Return, converts: bool = True) -> str:
    """The source that turns a value, written ``{}``, into its result, for a result without a gradient. With
    ``converts=False`` a value that returns as a float is one already."""
    value = "{}"
    if how.is_scalar:  # NumPy's functions return scalars
        value = "{}[()]"
    elif how.number is not None and (converts or how.number is not float):
        value = f"{how.number.__name__}({{}})"
    return f"constant_tensor({value})" if how.is_tensor else value


def named_arguments(f: Function, args: Any, keywords: Any) -> list[str]:
    """A name for each leaf of the arguments, from the names of the function's parameters."""
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
    """Switch Python's garbage collector off in a ``with`` block. Otherwise it would scan the nodes of a large
    trace again and again, although none of them can be freed."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def draw_now(draw: Draw) -> Any:
    """Draw a random array."""
    generator = seeding.generator(draw.generator)
    return getattr(generator, draw.method)(*draw.args, **draw.options)
