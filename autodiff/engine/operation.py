"""Operation: a name, a forward function, and per input a rule for its gradient.

Called on plain numbers and arrays an operation computes; called on Tensors it computes and records. This is
the one place where a graph is recorded. A rule is written in operations too, so the same rule computes a
gradient from plain data and records the gradient's own graph from Tensors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import recording
from .keywords import check_words, translate
from .node import ABSENT, Extras
from .operands import NUMBERS, PLAIN, REFUSALS, as_numpy, as_plain, as_recorded, attempt
from .rules import check_kind, check_rule
from .silence import silently
from .tensor import Tensor, constant_tensor, describe

try:
    from . import shortcuts
except ImportError:  # that file stands there for speed alone
    shortcuts = None  # type: ignore[assignment]

Function = Callable[..., Any]


class Operation:
    """A function with a rule per input; made by :func:`operation`.

    ``str(op)`` is its name, and an operation equals its name: ``e.creation_op == "mul"``.
    """

    # What is read at every call has a slot: Python 3.11 is far slower on the __dict__ update_wrapper fills.
    __slots__ = (
        "__dict__", "__weakref__", "every_rule", "forward", "inputs", "is_short", "is_variadic", "joint",
        "kind", "known", "name", "number", "options", "rules", "sign",
    )  # fmt: skip

    hint = ""
    """What else to say where a call is refused."""

    def __init__(
        self,
        forward: Function,
        number: Function | None = None,
        *,
        kind: str | None = None,
        sign: str | None = None,
    ) -> None:
        functools.update_wrapper(self, forward)
        self.name: str = forward.__name__
        check_kind(self.name, kind, sign)
        self.kind = kind
        self.sign = sign
        self.forward = forward
        self.number = number or functools.partial(as_numpy, forward)
        parameters = inspect.signature(forward).parameters.values()
        self.inputs = tuple(p.name for p in parameters if p.kind < p.KEYWORD_ONLY)
        self.options = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        self.known = frozenset(self.options)
        self.defaults = {p.name: None if p.default is p.empty else p.default for p in parameters}
        self.takes_any_option = any(p.kind is p.VAR_KEYWORD for p in parameters)
        self.is_variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        self.rules: tuple[Function | None, ...] = ()
        self.joint: Function | None = None
        self.every_rule = False  # whether each input has a rule of its own
        self.is_short = False  # whether it has one rule or two: shortcuts.py asks

    @property
    def is_linear(self) -> bool:
        """Whether it is linear in all operands at once, as a view is, too."""
        return self.kind in ("linear", "view")

    def backward(self, *rules: Function | None, joint: Function | None = None) -> Operation:
        """Give one rule per input: ``rule(grad, z, x, y)`` is that input's contribution to its gradient.

        ``grad`` is the gradient of the output ``z``; ``x`` and ``y`` are the inputs; the call's options
        arrive as keywords. None instead of a rule says that the output does not change smoothly with that
        input. Write a rule in operators and operations, for inputs of equal shape: the engine undoes
        broadcasting.

        Where rules share work, or the operation takes any number of inputs (``*parts``), one ``joint`` rule
        stands for all: ``joint(grad, z, x, y, wanted=(True, False))`` returns a contribution per input, and
        may leave None for those that are not wanted.

        Raises ValueError if there is neither one rule per input nor a joint one, TypeError if a rule cannot
        be called like that.
        """
        if joint is not None and not rules:
            count = 0 if self.is_variadic else len(self.inputs)
            rules = tuple(functools.partial(one_of, joint, place) for place in range(count))
        elif joint is not None or self.is_variadic or len(rules) != len(self.inputs):
            names = ", ".join(self.inputs)
            needs = "a joint rule for" if self.is_variadic else "a rule for each of"
            raise ValueError(f"{self} needs {needs} {names}, and nothing else; {len(rules)} were given")
        for rule in rules:
            check_rule(self, rule)
        check_rule(self, joint, ("wanted",))
        self.rules = rules
        self.joint = joint
        self.every_rule = joint is None and all(rules)
        self.is_short = joint is None and len(rules) <= 2
        return self

    def wanted(self, inputs: Sequence[Any]) -> list[bool]:
        """Which inputs want a gradient and have a rule to get it by."""
        wanted = [isinstance(x, Tensor) and x._requires_grad for x in inputs]
        return wanted if self.joint else [want and rule is not None for want, rule in zip(wanted, self.rules)]

    def contributions(
        self, grad: Any, z: Any, inputs: Sequence[Any], wanted: Sequence[bool], options: dict[str, Any]
    ) -> Sequence[Any]:
        """What the rules make of the gradient of ``z``: a contribution per input, or None."""
        if self.joint is None:
            return [
                attempt(rule, grad, z, *inputs, **options) if rule is not None and want else None
                for rule, want in zip(self.rules, wanted, strict=True)
            ]
        return attempt(self.joint, grad, z, *inputs, wanted=tuple(wanted), **options)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Compute the result, and record it if an input is a Tensor. Raises TypeError if there are too many
        inputs or too few, or for an option that the operation does not have.

        An operation on any number of inputs takes them one by one, or as one list or tuple. Options may
        follow the inputs without their names, ``ad.sum(x, 0)``, and inputs may have theirs:
        ``ad.where(mask, x=1, y=2)``. ``dim`` and ``keepdim`` are ``axis`` and ``keepdims``.
        """
        if self.is_variadic or len(inputs) > len(self.inputs):
            inputs = self.sort_out(inputs, options)
        if options and not self.known.issuperset(options):
            inputs = self.by_name(inputs, options)
        self.expect(len(inputs))
        for value in inputs:
            if isinstance(value, Tensor):
                break
        else:
            return self.compute(*inputs, **options)
        operands = tuple(map(as_recorded, inputs))
        return self.record(self.compute(*operands, **options), operands, options)

    def sort_out(self, given: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
        """The inputs among what was given in order; what follows them is put into the options."""
        inputs, rest = given[: len(self.inputs)], given[len(self.inputs) :]
        if self.is_variadic:
            first, *more = given or ((),)
            is_one_list = isinstance(first, (list, tuple)) and not any(isinstance(x, ARRAYS) for x in more)
            inputs, rest = (tuple(first), tuple(more)) if is_one_list else (given, ())
        names = self.options[: len(rest)]
        if len(names) < len(rest) or not options.keys().isdisjoint(names):
            self.expect(len(given))
        options.update(zip(names, rest))
        return inputs

    def by_name(self, given: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
        """The inputs, with those among the options that were given by name, which are taken out there. The
        other options get the names that the operation has for them."""
        names = (*self.inputs, *self.options)
        translate(self.name, options, names, self.defaults)
        if not self.takes_any_option:
            check_words(self.name, options, names, self.described())
        if self.is_variadic:
            return given or tuple(options.pop(self.inputs[0], ()))
        place = {name: options.pop(name) for name in self.inputs if name in options}
        missing = [name for name in self.inputs[len(given) :] if name not in place]
        twice = [name for name in self.inputs[: len(given)] if name in place]
        if twice:
            raise TypeError(f"{self} was given the operand {twice[0]} twice, by its place and by its name")
        if missing and place:
            raise TypeError(f"{self} needs {' and '.join(missing)} too; it takes {self.described()}")
        return (*given, *(place[name] for name in self.inputs[len(given) :] if name in place))

    def described(self) -> str:
        """What the operation takes, in words."""
        operands = f"the operand{'s' * (len(self.inputs) > 1 or self.is_variadic)} {', '.join(self.inputs)}"
        options = f"the option{'s' * (len(self.options) > 1)} {', '.join(self.options)}"
        return f"{operands}, and {options}" if self.options else operands

    def unary(self, x: Tensor) -> Tensor:
        """The call on one Tensor, without options."""
        return self.record(self.compute(x), (x,))

    def binary(self, x: Any, y: Any) -> Tensor:
        """The call on two operands, one of them a Tensor at least, without options: operators call it."""
        operands = as_recorded(x), as_recorded(y)
        return self.record(self.compute(*operands), operands)

    if shortcuts:
        unary = shortcuts.unary  # type: ignore[assignment]
        binary = shortcuts.binary  # type: ignore[assignment]

    def record(self, data: Any, operands: tuple[Any, ...], options: dict[str, Any] | None = None) -> Tensor:
        """The output as a Tensor: with its operands, if one of them wants a gradient, or else a constant."""
        switches = recording.current()
        node = constant_tensor(data)
        if self.is_wanted(operands) and switches.recording:
            node._x, node._y = (*operands, ABSENT)[:2]
            node.creation_op = self
            node._requires_grad = True
            if options or len(operands) > 2 or switches.group:
                node._extras = Extras(operands[2:], options, group=switches.group)
        if switches.group and switches.group.watch:
            switches.group.watch.made(node, self, operands)
        return node

    def expect(self, count: int) -> None:
        """Raise TypeError if the operation does not take ``count`` operands."""
        if count < 1 if self.is_variadic else count != len(self.inputs):
            names = ", ".join(self.inputs)
            names += f", and the options {', '.join(self.options)}" * bool(self.options)
            raise TypeError(f"{self} takes the operands {names}; {count} were given{self.hint}")

    def is_wanted(self, inputs: tuple[Any, ...]) -> bool:
        """Whether some input wants a gradient and has a rule to get it by. Raises TypeError without rules."""
        if not (self.rules or self.joint):
            raise TypeError(f"{self} has no rules: give them by {self}.backward(...) or call it on data")
        return any(self.wanted(inputs))

    def compute(self, *inputs: Any, **options: Any) -> Any:
        """The forward on plain data, or on the data of Tensors: numbers by Python's own arithmetic, the rest
        by NumPy.

        Raises TypeError or ValueError, naming the operands, where they do not fit.
        """
        values = [x._value if isinstance(x, Tensor) else x for x in inputs]
        try:
            if not PLAIN.issuperset(map(type, values)):
                values = [*map(as_plain, values)]
            if NUMBERS.issuperset(map(type, values)):
                return self.compute_numbers(*values, **options)
            data = silently(self.forward, *values, **options)
            if not hasattr(data, "dtype"):
                data = np.asarray(data)
            if data.dtype.kind not in "fiub":
                what = f"the result is {data.dtype}"
                raise TypeError(f"operands are Tensors, real numbers and arrays of them; {what}")
            return data
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            kind = next((k for k in (TypeError, ValueError, IndexError) if isinstance(error, k)), ValueError)
            operands = " and ".join(map(describe, inputs[:4]))
            operands += f" and {len(inputs) - 4} more" * (len(inputs) > 4)
            reason = str(error).strip()
            if "broadcast" in reason:
                reason += "; along each axis sizes must be equal, or one of them 1"
            raise kind(f"{self} cannot take {operands}: {reason}{self.hint}") from error

    def compute_numbers(self, *values: Any, **options: Any) -> Any:
        """The forward on Python numbers. Where Python refuses, at 1/0 or exp(1000), NumPy has inf or nan."""
        try:
            return self.number(*values, **options)
        except REFUSALS:
            return as_numpy(self.forward, *values, **options)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<operation {self.name}>"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, str) and other == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> str:
        return self.name  # a copy or a pickle refers to the one operation of that name


def operation(
    forward: Function | None = None,
    *,
    number: Function | None = None,
    kind: str | None = None,
    sign: str | None = None,
) -> Any:
    """Make a function into an operation that records. Its rules follow with ``.backward``.

    Parameters
    ----------
    forward
        Takes plain numbers and arrays and returns the same; options are keyword-only.
    number
        The forward for Python floats, where there is a faster one (``math.exp`` for ``np.exp``).
    kind
        What is known about the operation. Forward mode relies on it and is faster for it, and the film of the
        walk back reads it. A wrong kind gives a wrong :func:`autodiff.jvp`; None is always right.

        - ``"elementwise"``: each element of the result depends on one element of each operand, after
          broadcasting. Forward mode applies the rule to the tangent in place of the gradient.
        - ``"linear"``: linear in all operands at once. Forward mode applies the operation to the tangents.
        - ``"view"``: linear in its one operand, whose elements it only lays out anew, as reshape, transpose
          and broadcast_to do. Forward mode treats it as linear.
        - ``"multilinear"``: linear in each operand while the others are held, as matmul is. Forward mode
          applies the product rule.
        - None: anything else. Forward mode differentiates the rule.
    sign
        How Python writes the operation, ``"*"`` for ``x * y``, or a letter. Pictures and messages show it.

    Raises ValueError for a kind that is not listed here, TypeError for a sign that is no string.

    Example
    -------
    >>> import autodiff as ad
    >>> @ad.operation
    ... def cube(x):
    ...     return x * x * x
    >>> cube.backward(lambda grad, z, x: grad * 3 * x * x)
    <operation cube>
    >>> x = ad.Tensor(2)
    >>> y = cube(x)
    >>> y.backward()
    >>> y, x.grad, cube(2.0)
    (8, 12, 8.0)
    """
    if forward is None:
        return functools.partial(operation, number=number, kind=kind, sign=sign)
    return Operation(forward, number, kind=kind, sign=sign)


def one_of(joint: Function, place: int, grad: Any, z: Any, *inputs: Any, **options: Any) -> Any:
    """The rule for one input, taken out of a joint one."""
    wanted = tuple(i == place for i in range(len(inputs)))
    return joint(grad, z, *inputs, wanted=wanted, **options)[place]


ARRAYS = (Tensor, np.ndarray, list, tuple)
