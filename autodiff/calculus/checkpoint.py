"""checkpoint: keep the inputs of a function instead of all that it computes, and compute it again on the way
back (Chen, Xu, Zhang, Guestrin, "Training Deep Nets with Sublinear Memory Cost", 2016)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..engine import recording
from ..engine.backward import gradients
from ..engine.operation import operation
from ..engine.recording import enable_grad, grad_mode
from ..engine.scopes import scope
from ..engine.tensor import Tensor, constant_tensor, raw, wants_grad
from ..seeding import generator
from .forward import leaf_of, link


def checkpoint(f: Callable[..., Any], *inputs: Any) -> Any:
    """``f(*inputs)``, recorded as one operation: what ``f`` computes on the way is dropped, and computed anew
    during backward. It costs one more forward, and saves the memory of everything inside.

    ``f`` returns one Tensor, and has to do the same each time; random numbers from the package's generator
    are drawn alike. Tensors that it uses besides its inputs, its weights, get their gradients too.

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
    if not recording.current().recording:
        return f(*inputs)
    random = generator().bit_generator.state
    starts = [leaf_of(x) if wants_grad(x) else x for x in inputs]
    with scope(""):
        inside = recording.current().group
        out = f(*starts)
    if not isinstance(out, Tensor):
        raise TypeError(f"checkpoint needs a function that returns one Tensor, not {type(out).__name__}")
    if not out.requires_grad:
        return out
    operands = [x for x in inputs if wants_grad(x)]
    outside = [node for node in beginnings(out, inside) if all(node is not start for start in starts)]
    call = Call(f, inputs, outside, random)
    return recompute.record(out._value, (*operands, *outside), {"call": call})


class Call:
    """A call of ``f`` that can be made again: on other inputs, with the random numbers it had."""

    def __init__(
        self, f: Callable[..., Any], inputs: Sequence[Any], outside: list[Tensor], random: Any
    ) -> None:
        self.f = f
        self.is_operand = [wants_grad(x) for x in inputs]
        self.inputs = [None if wants_grad(x) else x for x in inputs]
        self.outside = outside  # the Tensors that f uses besides its inputs
        self.random = random

    def __call__(self, operands: Sequence[Tensor]) -> Tensor:
        """What ``f`` gives for these operands."""
        rest = iter(operands)
        inputs = [next(rest) if is_operand else x for is_operand, x in zip(self.is_operand, self.inputs)]
        source = generator().bit_generator
        later, source.state = source.state, self.random
        try:
            return self.f(*inputs)
        finally:
            source.state = later

    def __repr__(self) -> str:
        return getattr(self.f, "__name__", "f")


@operation
def recompute(*operands: Any, call: Call) -> Any:
    """What a checkpointed function gives for its inputs; the Tensors it uses besides stand behind them."""
    with grad_mode(False):
        return raw(call([constant_tensor(value) for value in operands]))


def by_recomputing(grad: Any, z: Any, *operands: Any, wanted: Sequence[bool], call: Call) -> list[Any]:
    """Compute once more, recording this time, and walk back from there."""
    count = sum(call.is_operand)
    starts = [leaf_of(x) for x in operands[:count]]
    with enable_grad():
        out = call(starts)
    create_graph = isinstance(grad, Tensor)
    # What led to the Tensors outside gets its gradient when the walk comes to them.
    inputs = starts + call.outside
    found = gradients(out, inputs, grad, create_graph=create_graph, stop=set(call.outside))
    if create_graph:
        link(starts, operands[:count])
        return found
    return [got._value for got in found]


recompute.backward(joint=by_recomputing)


def beginnings(out: Tensor, inside: Any) -> list[Tensor]:
    """The Tensors that wanted a gradient before the scope ``inside`` and are used in it."""
    found: dict[int, Tensor] = {}
    seen: set[int] = set()
    stack = [out]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if not is_in(node, inside):
            found[id(node)] = node
        else:
            stack.extend(c for c in node.creators or () if wants_grad(c))
    return list(found.values())


def is_in(node: Tensor, scope: Any) -> bool:
    """Whether a node was made in a scope, or in one inside it."""
    group = node._group
    while group is not None and group is not scope:
        group = group.parent
    return group is not None
