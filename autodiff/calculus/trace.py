"""The recorded call of a function, from which ``derivatives.py`` pulls gradients back and pushes tangents
forward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..engine import recording
from ..engine.backward import gradients
from ..engine.contexts import switched
from ..engine.contributions import zeros
from ..engine.node import ARGUMENT
from ..engine.tensor import Tensor, constant_tensor, wants_grad
from ..engine.tracing import stand_in
from ..engine.values import as_data
from .forward import leaf_of, link, pushforward
from .trees import leaves, rebuilt

Function = Callable[..., Any]


class Trace:
    """A call of ``f`` on fresh leaves in place of the arguments to differentiate with respect to.

    During the call, these leaves depend on nothing. ``close`` links them to the arguments again, so that the
    derivative can be differentiated too.

    Attributes
    ----------
    primals
        The arguments to differentiate with respect to, as they were given.
    inputs, outputs
        The leaves in their place, and the Tensors that ``f`` returned.
    out
        The returned value, in its structure, with constants as Tensors.
    aux
        The second part of the returned pair, if ``has_aux``.
    """

    def __init__(
        self,
        f: Function,
        arguments: Sequence[Any],
        argnums: int | Sequence[int],
        keywords: dict[str, Any] | None = None,
        has_aux: bool = False,
    ) -> None:
        self.is_single = isinstance(argnums, int)
        positions = checked_positions(argnums, len(arguments))
        self.primals = [arguments[position] for position in positions]
        self.primal_leaves = [leaf for primal in self.primals for leaf in leaves(primal)]
        self.inputs = [argument_leaf(x) for x in self.primal_leaves]
        is_nested = is_inside() or any(map(wants_grad, self.primal_leaves))
        self.is_recorded = recording.current().recording and is_nested
        remaining = iter(self.inputs)
        replaced = list(arguments)
        for position, primal in zip(positions, self.primals):
            replaced[position] = rebuilt(primal, remaining)
        out = call(f, replaced, keywords or {})
        self.aux = None
        if has_aux:
            out, self.aux = checked_pair(out)
        self.outputs = [as_output(value) for value in leaves(out)]
        self.out = rebuilt(out, self.outputs)

    def close(self) -> None:
        """Link each leaf to the argument that it was made from."""
        if self.is_recorded:
            link(self.inputs, self.primal_leaves)

    def like_primals(self, values: Iterable[Any]) -> Any:
        """One value per input, in the structure of the primals: a tuple, if ``argnums`` is a sequence."""
        remaining = iter(values)
        parts = tuple(rebuilt(primal, remaining) for primal in self.primals)
        return parts[0] if self.is_single else parts

    def pull(self, output: Tensor, cotangent: Any = None) -> list[Tensor]:
        """The gradients of the inputs from a gradient of one output."""
        if not output.requires_grad:  # it does not depend on the inputs
            return [constant_tensor(zeros(x)) for x in self.inputs]
        create_graph = self.is_recorded or (wants_grad(cotangent) and recording.current().recording)
        return gradients(output, self.inputs, cotangent, create_graph=create_graph)

    def push(self, tangents: dict[Tensor, Any]) -> list[Tensor]:
        """The tangents of the outputs from tangents of inputs."""
        create_graph = self.is_recorded or any(map(wants_grad, tangents.values()))
        return [pushforward(output, tangents, create_graph=create_graph) for output in self.outputs]

    def value(self) -> Any:
        """What ``f`` returned, detached unless the derivative is recorded."""
        outputs = self.outputs if self.is_recorded else [output.detach() for output in self.outputs]
        return rebuilt(self.out, outputs)


def call(f: Function, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """Call ``f`` with recording enabled, so that derivatives inside it are recorded too."""
    with switched(recording=True, depth=recording.current().depth + 1):
        return f(*arguments, **keywords)


def is_inside() -> bool:
    """Whether a function is being differentiated here."""
    return recording.current().depth > 0


def argument_leaf(value: Any) -> Tensor:
    """A fresh leaf in place of an argument. In-place operators rebind its name; other updates are errors."""
    leaf = leaf_of(value) if isinstance(value, Tensor) else stand_in(Tensor(value))
    leaf._x = ARGUMENT
    return leaf


def checked_positions(argnums: int | Sequence[int], count: int) -> list[int]:
    """The positions in ``argnums`` as a list. Raises TypeError if they are not ints, ValueError if one is out
    of range."""
    positions = [argnums] if isinstance(argnums, int) else argnums
    is_sequence = isinstance(positions, (list, tuple, range))
    if not is_sequence or not all(isinstance(position, int) for position in positions):
        raise TypeError(
            f"argnums is the position of an argument, or several, not {argnums!r:.60}. The derivative is a "
            "function: ad.grad(f)(x)"
        )
    for position in positions:
        if not -count <= position < count:
            raise ValueError(f"argnums has {position}, and the function was called with {count} arguments")
    return list(positions)


def checked_pair(out: Any) -> tuple[Any, Any]:
    """What a function with ``has_aux`` returned. Raises TypeError unless it is a pair."""
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(f"with has_aux=True the function returns a pair, (result, aux), not {out!r:.60}")
    return out


def as_output(value: Any) -> Tensor:
    """A returned value as a Tensor: a number or an array becomes a constant, with the derivative 0.

    Raises TypeError for anything else.
    """
    if isinstance(value, Tensor):
        return value
    try:
        return constant_tensor(as_data(value))
    except TypeError:
        raise TypeError(
            f"a function to differentiate returns Tensors or numbers, not {type(value).__name__}"
        ) from None
