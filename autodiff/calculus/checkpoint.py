"""checkpoint: store only the inputs of a function, and compute it again during backward (Chen, Xu, Zhang,
Guestrin, "Training Deep Nets with Sublinear Memory Cost", 2016)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..engine import recording
from ..engine.backward import gradients
from ..engine.contexts import switched
from ..engine.node_parts import blocks_around
from ..engine.operation import operation
from ..engine.repeating import Repeat
from ..engine.scopes import inner_scope
from ..engine.tensor import Tensor, constant_tensor, raw, wants_grad
from .forward import leaf_of, link


def checkpoint(f: Callable[..., Any], *inputs: Any) -> Any:
    """``f(*inputs)``, recorded as one operation. The intermediate results are not kept, but computed again
    during backward, which saves their memory and costs one more forward.

    ``f`` returns one Tensor, and must compute the same each time. Random numbers from the package's generator
    or from a ``generator=`` are repeated, by a generator of the call's own; those of ``np.random`` are not.
    What ``f`` changes is changed once: running means and counts of layers, and Tensors, which get their
    earlier values back during the second call (so no other thread should use them then). Changes to arrays,
    lists and other objects are made twice. Other Tensors that ``f`` uses, such as weights, get their
    gradients too.

    Raises TypeError if ``f`` does not return one Tensor.

    Example
    -------
    >>> import autodiff as ad
    >>> w, x = ad.Tensor(3), ad.Tensor(2)
    >>> y = ad.checkpoint(lambda x: (w * x * x).exp().log(), x)
    >>> y.backward()
    >>> y, x.grad, w.grad, str(y.creation_op)
    (12, 12, 4, 'recompute')
    """
    switches = recording.current()
    if not switches.recording or switches.trace is not None:  # a compiled function keeps what it needs
        return f(*inputs)
    first = Repeat()
    arguments = [leaf_of(x) if wants_grad(x) else x for x in inputs]
    with inner_scope("", repeat=first):
        inside = recording.current().group
        out = f(*arguments)
    if not isinstance(out, Tensor):
        raise TypeError(f"checkpoint needs a function that returns one Tensor, not {type(out).__name__}")
    if not out.requires_grad:
        return out
    operands = [x for x in inputs if wants_grad(x)]
    captured = [node for node in used_in(out, inside) if all(node is not x for x in arguments)]
    call = Call(f, inputs, captured, first)
    return recompute.record(out._value, (*operands, *captured), {"call": call})


class Call:
    """A call of ``f`` that can be repeated on other operands, with the same random numbers."""

    def __init__(
        self, f: Callable[..., Any], inputs: Sequence[Any], captured: list[Tensor], first: Repeat
    ) -> None:
        self.f = f
        self.is_operand = [wants_grad(x) for x in inputs]
        self.inputs = [None if wants_grad(x) else x for x in inputs]
        self.captured = captured  # other Tensors that f uses
        self.first = first

    def __call__(self, operands: Sequence[Tensor], repeat: Repeat, is_recorded: bool) -> Tensor:
        """Compute ``f`` of these operands."""
        remaining = iter(operands)
        inputs = [next(remaining) if is_operand else x for is_operand, x in zip(self.is_operand, self.inputs)]
        with switched(repeat=repeat, recording=is_recorded):
            return self.f(*inputs)

    def __repr__(self) -> str:
        return getattr(self.f, "__name__", "f")


@operation
def recompute(*operands: Any, call: Call) -> Any:
    """The checkpointed function of its inputs, followed by the Tensors that it captures."""
    repeat = Repeat(call.first)
    with repeat.as_before(is_recorded=False):
        return raw(call([constant_tensor(value) for value in operands], repeat, is_recorded=False))


def recompute_rule(grad: Any, z: Any, *operands: Any, wanted: Sequence[bool], call: Call) -> list[Any]:
    """Compute the function again, recorded this time, and walk back through it."""
    count = sum(call.is_operand)
    arguments = [leaf_of(x) for x in operands[:count]]
    create_graph, repeat = isinstance(grad, Tensor), Repeat(call.first)
    with repeat.as_before(is_recorded=create_graph):
        out = call(arguments, repeat, is_recorded=True)
        # The walk stops at the captured Tensors: the surrounding walk continues from there.
        inputs = arguments + call.captured
        contributions = gradients(out, inputs, grad, create_graph=create_graph, stop=set(call.captured))
    if create_graph:
        link(arguments, operands[:count])
        return contributions
    return [contribution._value for contribution in contributions]


recompute.backward(joint=recompute_rule)


def used_in(out: Tensor, inside: Any) -> list[Tensor]:
    """The Tensors that require a gradient, were made outside of the scope ``inside`` and are used in it."""
    found: dict[int, Tensor] = {}
    seen: set[int] = set()
    stack = [out]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if not is_in_scope(node, inside):
            found[id(node)] = node
        else:
            stack.extend(c for c in node.creators or () if wants_grad(c))
    return list(found.values())


def is_in_scope(node: Tensor, scope: Any) -> bool:
    """Whether a node was made in a scope, or in a scope inside it."""
    return any(group is scope for group in blocks_around(node._group))
