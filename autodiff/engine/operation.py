"""Operation: a name, a forward function, and a rule for the gradient of each input.

Called on plain numbers and arrays, an operation computes. Called on Tensors, it computes and records, in
``record``. (``shortcuts.py`` writes the same node directly in the most frequent cases.) Rules are written in
operations too. So the same rule computes a gradient on plain data, and records the graph of that gradient on
Tensors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import recording, tracing
from .arguments import operands_of, wrong_count
from .dtypes import WIDE, Change, change_of
from .node_parts import ABSENT, Extras
from .operands import (
    ARITHMETIC_ERRORS,
    NUMBERS,
    PLAIN,
    as_plain,
    as_recorded,
    run_with_fallback,
    run_with_numpy,
)
from .rules import check_kind, check_precision, check_rule, passes_on
from .silence import silently
from .tensor import Tensor, constant_tensor, describe, wants_grad
from .values import is_foreign

try:
    from . import shortcuts
except ImportError:  # shortcuts.py serves speed alone and may be deleted
    shortcuts = None  # type: ignore[assignment]

Function = Callable[..., Any]


class Operation:
    """A forward function with a rule for each of its inputs; made by :func:`operation`.

    ``str(op)`` is its name, and an operation equals its name: ``e.creation_op == "mul"``.
    """

    # Attributes that every call reads have slots, since Python 3.11 reads the __dict__ that update_wrapper
    # fills much more slowly.
    __slots__ = (
        "__dict__", "__weakref__", "every_rule", "filled", "forward", "inputs", "is_short", "is_variadic",
        "joint", "kind", "name", "option_names", "options", "passing", "precision", "rules", "scalar", "sign",
    )  # fmt: skip

    hint = ""
    """What an error message about a refused call adds."""

    pushed: Function | None = None
    """``pushed(tangents, operands)`` computes the tangent of the result, for an operation that has more than
    its rules for it. None is the tangent of an operand that does not change."""

    def __init__(
        self,
        forward: Function,
        scalar: Function | None = None,
        *,
        kind: str | None = None,
        sign: str | None = None,
        precision: str | None = None,
    ) -> None:
        functools.update_wrapper(self, forward)
        self.name: str = forward.__name__
        check_kind(self.name, kind, sign)
        check_precision(self.name, precision)
        self.kind: str | None = kind
        self.precision: str | None = precision
        self.sign: str | None = sign
        self.forward: Function = forward
        self.scalar: Function = scalar or self.forward_of_numbers
        parameters = inspect.signature(forward).parameters.values()
        self.inputs: tuple[str, ...] = tuple(p.name for p in parameters if p.kind < p.KEYWORD_ONLY)
        self.options: tuple[str, ...] = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        self.option_names: frozenset[str] = frozenset(self.options)
        self.defaults: dict[str, Any] = {
            p.name: None if p.default is p.empty else p.default for p in parameters
        }
        self.takes_any_option: bool = any(p.kind is p.VAR_KEYWORD for p in parameters)
        self.is_variadic: bool = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        self.rules: tuple[Function | None, ...] = ()
        self.joint: Function | None = None
        self.filled: dict[str, Any] = {}  # the operation's defaults for options without one in a rule
        self.every_rule: bool = False  # whether each input has a rule of its own
        self.is_short: bool | None = False  # at most two rules, for shortcuts.py; None: unless in float16
        self.passing: Any = None  # the rules, if both return the gradient unchanged, for shortcuts.py

    @property
    def is_linear(self) -> bool:
        """Whether the operation is linear in all operands at once; a view is."""
        return self.kind in ("linear", "view")

    def backward(self, *rules: Function | None, joint: Function | None = None) -> Operation:
        """Set the rules: ``rule(grad, z, x, y)`` returns the contribution to the gradient of its input.

        ``grad`` is the gradient of the output ``z``; ``x`` and ``y`` are the inputs; the call's options come
        as keywords. None in place of a rule means that the output does not change smoothly with that input.
        Write a rule in operators and operations, for inputs of equal shape: the engine undoes broadcasting.

        Where the rules share work, or the operation takes any number of inputs (``*parts``), one ``joint``
        rule takes the place of all: ``joint(grad, z, x, y, wanted=(True, False))`` returns a contribution for
        each input, which may be None where none is wanted.

        Raises ValueError if there is neither one rule for each input nor a joint rule, and TypeError if a
        rule cannot be called as above.
        """
        if joint is not None and not rules:
            count = 0 if self.is_variadic else len(self.inputs)
            rules = tuple(functools.partial(part_of_joint, joint, place) for place in range(count))
        elif joint is not None or self.is_variadic or len(rules) != len(self.inputs):
            names = ", ".join(self.inputs)
            needs = f"a joint rule for {names}" if self.is_variadic else f"one rule for each of {names}"
            raise ValueError(f"{self} needs {needs}; it got {len(rules)}{' and a joint one' * bool(joint)}")
        needed = check_rule(self, joint, ("wanted",)).union(*(check_rule(self, rule) for rule in rules))
        self.filled = {name: self.defaults[name] for name in needed}
        self.rules = rules
        self.joint = joint
        self.every_rule = joint is None and all(rules)
        self.is_short = joint is None and len(rules) <= 2
        if self.is_short and self.precision in WIDE:
            self.is_short = None
        self.passing = rules if len(rules) == 2 and all(map(passes_on, rules)) else None
        return self

    def wanted(self, inputs: Sequence[Any]) -> list[bool]:
        """For each input, whether a gradient is wanted: it requires one, and there is a rule for it."""
        required = [*map(wants_grad, inputs)]
        if self.joint:
            return required
        return [need and rule is not None for need, rule in zip(required, self.rules)]

    def contributions(
        self, grad: Any, z: Any, inputs: Sequence[Any], wanted: Sequence[bool], options: dict[str, Any]
    ) -> Sequence[Any]:
        """What the rules return for the gradient of ``z``: a contribution per wanted input, else None."""
        if self.precision in WIDE and (change := change_of(self.precision, (grad, *inputs))):
            return self.wide_contributions(change, grad, z, inputs, wanted, options)
        if self.joint is None:
            return [
                run_with_fallback(rule, grad, z, *inputs, **options) if rule is not None and want else None
                for rule, want in zip(self.rules, wanted, strict=True)
            ]
        found = run_with_fallback(self.joint, grad, z, *inputs, wanted=tuple(wanted), **options)
        if not isinstance(found, (list, tuple)) or len(found) != len(inputs):
            raise TypeError(
                f"the joint rule of {self} returned {found!r:.60}; it must return a list with a contribution "
                f"or None for each of {len(inputs)} inputs"
            )
        return found

    def wide_contributions(
        self, change: Change, grad: Any, z: Any, inputs: Sequence[Any], wanted: Sequence[bool], options: Any
    ) -> Sequence[Any]:
        """``contributions`` computed in a wider dtype; the walk rounds them. ``z`` was rounded too, so it is
        computed again, unless the rules only need its shape."""
        grad, z, *wide = change.widened((grad, z, *inputs))
        if change.back is not None and not self.is_linear and self.kind != "multilinear":
            z = self(*wide, **options)
        return self.contributions(grad, z, wide, wanted, options)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Compute the result, and record it if an input is a Tensor.

        An operation on any number of inputs takes them one by one, or as one list or tuple. Options may
        follow the inputs without their names, ``ad.sum(x, 0)``, and inputs may be given by name,
        ``ad.where(mask, x=1, y=2)``. ``dim`` and ``keepdim`` mean ``axis`` and ``keepdims``. Several axes may
        be a list or a tuple.

        Raises TypeError if there are too many inputs or too few, or for an unknown option.
        """
        return self.call(inputs, options)

    def call(self, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The call with these arguments."""
        is_plain = len(inputs) == len(self.inputs) and not self.is_variadic
        if not (is_plain and self.option_names.issuperset(options)):
            inputs = operands_of(self, inputs, options)
        if options and type(options.get("axis")) is list:
            options["axis"] = tuple(options["axis"])
        if recording.traces:
            inputs = tracing.stand_ins(inputs)
        if not any(isinstance(x, Tensor) for x in inputs):
            return self.compute(*inputs, **options)
        operands = tuple(map(as_recorded, inputs))
        return self.record(self.compute(*operands, **options), operands, options)

    def unary(self, x: Tensor) -> Tensor:
        """The call on one Tensor, without options."""
        x = tracing.stand_in(x)
        return self.record(self.compute(x), (x,))

    def binary(self, x: Any, y: Any) -> Tensor:
        """The call of an operator: two operands, at least one of them a Tensor, and no options."""
        operands = tracing.stand_ins((as_recorded(x), as_recorded(y)))
        return self.record(self.compute(*operands), operands)

    if shortcuts:
        __call__ = functools.wraps(__call__)(shortcuts.call)  # type: ignore[assignment]
        unary = shortcuts.unary  # type: ignore[assignment]
        binary = shortcuts.binary  # type: ignore[assignment]

    def record(self, data: Any, operands: tuple[Any, ...], options: dict[str, Any] | None = None) -> Tensor:
        """The output as a Tensor: recorded with its operands if a gradient is wanted for one of them, else a
        constant. Raises TypeError if the operation has no rules."""
        if not (self.rules or self.joint):
            raise TypeError(f"{self} has no rules: set them by {self}.backward(...) or call it on data")
        if self.filled:
            options = {**self.filled, **(options or {})}
        switches = recording.current()
        node = constant_tensor(data)
        if switches.recording and any(self.wanted(operands)):
            node._x, node._y = (*operands, ABSENT)[:2]
            node.creation_op = self
            node._requires_grad = True
            if options or len(operands) > 2 or switches.group:
                node._extras = Extras(operands[2:], options, group=switches.group)
        if switches.group and switches.group.watch:
            switches.group.watch.made(node, self, operands)
        return node

    def check_count(self, count: int) -> None:
        """Raise TypeError if the operation does not take ``count`` operands."""
        is_right = count >= 1 if self.is_variadic else count == len(self.inputs)
        if not is_right:
            raise wrong_count(self, count)

    def compute(self, *inputs: Any, **options: Any) -> Any:
        """The forward on plain data, or on the data of Tensors: Python's own arithmetic for numbers, NumPy's
        for the rest. Raises TypeError, ValueError or IndexError, with the operands named, if they do not fit.
        """
        values = [x._value if isinstance(x, Tensor) else x for x in inputs]
        try:
            if not PLAIN.issuperset(map(type, values)):
                if recording.traces and tracing.are_floats(*values):  # a quick way for networks of numbers
                    return self.one_result(tracing.compute(self, values, options))
                values = [*map(as_plain, values)]
            if NUMBERS.issuperset(map(type, values)):
                return self.compute_numbers(*values, **options)
            if self.precision is not None and (change := change_of(self.precision, values)):
                return change.rounded(self.compute(*change.widened(values), **options))
            if recording.traces and any(map(is_foreign, values)):
                return self.one_result(tracing.compute_counts(self, values, options))
            data = silently(self.forward, *values, **options)
            if not hasattr(data, "dtype"):
                data = np.asarray(self.one_result(data))
            if data.dtype.kind not in "fiub":
                raise TypeError(f"operands are Tensors, real numbers and arrays of them; got {data.dtype}")
            return data
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise self.operand_error(inputs, error) from error

    def forward_of_numbers(self, *values: Any, **options: Any) -> Any:
        """The forward on Python numbers, by NumPy's arithmetic; a result that is a number is a float."""
        return self.one_result(run_with_numpy(self.forward, *values, **options))

    def one_result(self, data: Any) -> Any:
        """What a forward returned. Raises TypeError if it is a tuple or a list."""
        if isinstance(data, (tuple, list)):
            raise TypeError(
                f"the forward of {self} returned a {type(data).__name__} of {len(data)}, and an operation "
                "has one result. Make an operation for each of them, or join them by np.stack"
            )
        return data

    def operand_error(self, inputs: Sequence[Any], error: Exception) -> Exception:
        """The error that a call on unfit operands raises: it names them, and has the type of the error."""
        kind = next((k for k in (TypeError, ValueError, IndexError) if isinstance(error, k)), ValueError)
        operands = " and ".join(map(describe, inputs[:4]))
        operands += f" and {len(inputs) - 4} more" * (len(inputs) > 4)
        reason = str(error).strip()
        if "broadcast" in reason:
            reason += "; along each axis sizes must be equal, or one of them 1"
        elif "(n?,k),(k,m?)" in reason:  # what np.matmul says of its shapes, in words
            reason = "the first needs as many columns as the second has rows"
            if not all(map(np.ndim, inputs)):
                reason = "for a product with a number use *"
        return kind(f"{self} cannot take {operands}: {reason}{self.hint}")

    def compute_numbers(self, *values: Any, **options: Any) -> Any:
        """The forward on Python numbers. Where Python raises, at 1/0 or exp(1000), NumPy gives inf or nan."""
        try:
            return self.scalar(*values, **options)
        except ARITHMETIC_ERRORS:
            return self.forward_of_numbers(*values, **options)

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
    scalar: Function | None = None,
    kind: str | None = None,
    sign: str | None = None,
    precision: str | None = None,
) -> Any:
    """Make a function an operation that records. Set its rules with ``.backward``.

    Parameters
    ----------
    forward
        Takes plain numbers and arrays and returns the same; options are keyword-only.
    scalar
        A faster forward for Python floats, if there is one (``math.exp`` for ``np.exp``). It returns a float.
    kind
        A mathematical property of the operation, which makes forward mode faster. A wrong kind gives a wrong
        :func:`autodiff.jvp`; None is always right.

        - ``"elementwise"``: each element of the result depends on one element of each operand, after
          broadcasting. Forward mode applies the rule to the tangent in place of the gradient.
        - ``"linear"``: linear in all operands at once. Forward mode applies the operation to the tangents.
        - ``"view"``: linear in its one operand, whose elements it only rearranges, as reshape, transpose
          and broadcast_to do. Forward mode treats it as linear.
        - ``"multilinear"``: linear in each operand while the others stay fixed, as matmul is. Forward mode
          applies the product rule.
        - None: anything else. Forward mode differentiates the rule.
    sign
        How Python writes the operation, ``"*"`` for ``x * y``, or a letter. Pictures show it.
    precision
        The dtype that the forward and the rules compute in, if it is not that of the operands.

        - ``"floats"``: integers and booleans are converted to float64, so that -x does not wrap around.
          float16 is computed in float64, and the result is rounded once.
        - ``"double"``: float16 is computed in float64; integers stay integers.
        - ``"single"``: float16 is computed in float32, which is faster for products of matrices.
        - ``"signed"``: unsigned integers are converted to float64.

    Raises
    ------
    ValueError
        For a kind or a precision that is not listed here.
    TypeError
        For a sign that is not a string.

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
        return functools.partial(operation, scalar=scalar, kind=kind, sign=sign, precision=precision)
    return Operation(forward, scalar, kind=kind, sign=sign, precision=precision)


def part_of_joint(joint: Function, place: int, grad: Any, z: Any, *inputs: Any, **options: Any) -> Any:
    """The contribution to one input, from the joint rule."""
    wanted = tuple(i == place for i in range(len(inputs)))
    return joint(grad, z, *inputs, wanted=wanted, **options)[place]

