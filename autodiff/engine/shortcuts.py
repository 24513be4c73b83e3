"""Speed, and nothing else: without this file everything works as before, more slowly.

Each function does the work of a plain one elsewhere for the most frequent case, and states what it gains.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any

from . import edits, recording, tracing
from .dtypes import FLOAT16
from .node_parts import ABSENT, RELEASED, Extras
from .operands import ARITHMETIC_ERRORS, as_recorded, run_with_numpy
from .tensor import Tensor, check_not_released, wants_grad
from .tracing import TraceError, call_whole

NO_OPTIONS: dict[str, Any] = {}
new = object.__new__


# -- recording ------------------------------------------------------------------------------------------


def call(operation: Any, *inputs: Any, **options: Any) -> Any:
    """The call by name."""
    # One operand without options needs no sorting of arguments: a number, as in a rule, takes a third of the
    # time, and a Tensor of a number a fifth.
    if len(inputs) == 1 == len(operation.inputs) and not (options or operation.is_variadic):
        x = inputs[0]
        if type(x) is float:
            return operation.compute_numbers(x)
        if isinstance(x, Tensor):
            return operation.unary(x)
    return operation.call(inputs, options)


def unary(operation: Any, x: Tensor) -> Tensor:
    """The call on one Tensor, without options."""
    # A float goes straight to Python's arithmetic, and the node is written out: a call on a number takes a
    # third of the time of ``Operation.unary``, on a small array 70 %.
    if recording.traces:
        x = tracing.stand_in(x)
    a = x._value
    if type(a) is float:
        try:
            data = operation.scalar(a)
        except ARITHMETIC_ERRORS:
            data = operation.compute(x)
    else:
        data = operation.compute(x)
    if recording.open_blocks or not (x._requires_grad and operation.every_rule):
        return operation.record(data, (x,))
    node = new(Tensor)
    node._value = data
    node._x = x
    node._y = ABSENT
    node.creation_op = operation
    node._grad = node._extras = None
    node._edit = edits.latest
    node._requires_grad = True
    return node


def binary(operation: Any, x: Any, y: Any) -> Tensor:
    """The call of an operator: two operands, at least one of them a Tensor, and no options."""
    # Two floats go straight to Python's arithmetic, and the node is written out: a network of numbers, which
    # spends half its time here, takes 35 % of the time of ``Operation.binary``.
    if recording.traces:
        x, y = tracing.stand_ins((x, y))
    a = x._value if isinstance(x, Tensor) else x
    b = y._value if isinstance(y, Tensor) else y
    if (type(a) is float or type(a) is int) and (type(b) is float or type(b) is int):
        try:
            data = operation.scalar(a, b)
        except ARITHMETIC_ERRORS:
            data = operation.compute(x, y)
    else:
        x, y = as_recorded(x), as_recorded(y)
        data = operation.compute(x, y)
    group = None
    is_plain = operation.every_rule and (
        (isinstance(x, Tensor) and x._requires_grad) or (isinstance(y, Tensor) and y._requires_grad)
    )
    if recording.open_blocks:
        switches = recording.current()
        group = switches.group
        is_plain = is_plain and switches.recording and not (group and group.watch)
    if not is_plain:
        return operation.record(data, (x, y))
    node = new(Tensor)
    node._value = data
    node._x = x
    node._y = y
    node.creation_op = operation
    node._grad = None
    node._extras = Extras(group=group) if group else None
    node._edit = edits.latest
    node._requires_grad = True
    return node


# -- walking back ---------------------------------------------------------------------------------------


def order(end: Tensor, stop: AbstractSet[Tensor]) -> list[Tensor]:
    """``backward.order`` with the operands read from their slots, and only nodes that must wait put on the
    stack: a whole step of a network of numbers takes 0.7 of the time."""
    nodes: list[Tensor] = []
    seen: set[Tensor] = set()
    stack: list[Any] = [end]
    while stack:
        node = stack.pop()
        if node is None:
            nodes.append(stack.pop())
            continue
        while node not in seen:
            seen.add(node)
            if node.creation_op is None or (stop and node in stop):
                nodes.append(node)
                break
            x, y = node._x, node._y
            if x is RELEASED:
                check_not_released(node)
            if node._extras is not None and node._extras.rest:
                stack += (node, None, *filter(wants_grad, reversed((x, y, *node._extras.rest))))
                break
            waits = isinstance(y, Tensor) and y._requires_grad and y not in seen
            if isinstance(x, Tensor) and x._requires_grad and x not in seen:
                stack.append(node)
                stack.append(None)
                if waits:
                    stack.append(y)
                node = x
            elif waits:
                stack.append(node)
                stack.append(None)
                node = y
            else:
                nodes.append(node)
    return nodes


def visit(
    nodes: list[Tensor],
    arrived: dict[Tensor, Any],
    create_graph: bool,
    receive: Callable[..., None],
    forget: Callable[[Tensor, dict[Tensor, Any]], None] | None,
) -> None:
    """``backward.visit`` and ``hand_on`` in one loop, for nodes with one or two operands and nothing else: a
    training step on small arrays takes 70 % of the time. The loop ends before the first other node, which
    stays in the list."""
    visited = None
    while nodes:
        if forget and visited is not None:  # only now, since a branch below may continue
            forget(visited, arrived)
            visited = None
        node = nodes.pop()
        extras, operation = node._extras, node.creation_op
        options = NO_OPTIONS
        if extras is not None:
            # Hooks, further operands, or options of a node with two, whose rules are called without them.
            if extras.hooks or extras.rest or (extras.options and node._y is not ABSENT):
                nodes.append(node)
                return
            options = extras.options
        if operation is None:
            continue
        if node._edit != edits.latest or operation.is_short is not True:
            is_quick = operation.is_short is None and getattr(node._value, "dtype", None) is not FLOAT16
            if node._edit != edits.latest or not is_quick:
                nodes.append(node)
                return
        visited = node
        try:
            grad = arrived[node]
        except KeyError:  # no path with a rule leads here
            continue
        x, y = node._x, node._y
        # A sum of numbers: without the calls of its rules a step takes 0.95 of the time. A rule that was
        # replaced since it was declared is called.
        if operation.rules is operation.passing and type(grad) is float:
            if isinstance(x, Tensor) and x._requires_grad:
                if type(x._value) is float:
                    arrived[x] = arrived[x] + grad if x in arrived else grad
                else:
                    receive(x, grad, node, (grad,), arrived)
            if isinstance(y, Tensor) and y._requires_grad:
                if type(y._value) is float:
                    arrived[y] = arrived[y] + grad if y in arrived else grad
                else:
                    receive(y, grad, node, (grad,), arrived)
            continue
        z = node if create_graph else node._value
        if isinstance(x, Tensor):
            a, into_x = x if create_graph else x._value, x._requires_grad
        else:
            a, into_x = x, False
        if y is ABSENT:
            if not into_x:
                continue
            (by_x,) = operation.rules
            if by_x is None:
                continue
            try:
                contribution = by_x(grad, z, a, **options)
            except ARITHMETIC_ERRORS:
                contribution = run_with_numpy(by_x, grad, z, a, **options)
            except TraceError as error:
                contribution = call_whole(error, by_x, (grad, z, a), options)
            if type(contribution) is float is type(a):
                arrived[x] = arrived[x] + contribution if x in arrived else contribution
            else:
                receive(x, contribution, node, (grad, z, a), arrived)
            continue
        if isinstance(y, Tensor):
            b, into_y = y if create_graph else y._value, y._requires_grad
        else:
            b, into_y = y, False
        by_x, by_y = operation.rules
        if into_x and by_x is not None:
            try:
                contribution = by_x(grad, z, a, b)
            except ARITHMETIC_ERRORS:
                contribution = run_with_numpy(by_x, grad, z, a, b)
            except TraceError as error:
                contribution = call_whole(error, by_x, (grad, z, a, b), NO_OPTIONS)
            if type(contribution) is float is type(a):
                arrived[x] = arrived[x] + contribution if x in arrived else contribution
            else:
                receive(x, contribution, node, (grad, z, a, b), arrived)
        if into_y and by_y is not None:
            try:
                contribution = by_y(grad, z, a, b)
            except ARITHMETIC_ERRORS:
                contribution = run_with_numpy(by_y, grad, z, a, b)
            except TraceError as error:
                contribution = call_whole(error, by_y, (grad, z, a, b), NO_OPTIONS)
            if type(contribution) is float is type(b):
                arrived[y] = arrived[y] + contribution if y in arrived else contribution
            else:
                receive(y, contribution, node, (grad, z, a, b), arrived)
    if forget and visited is not None:
        forget(visited, arrived)
