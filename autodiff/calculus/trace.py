"""A call of a function on leaves that stand for its arguments, which derivatives are taken of.

``derivatives.py`` says what is done with it: gradients are pulled back, tangents are pushed forward.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..engine import recording
from ..engine.backward import gradients
from ..engine.contributions import zeros
from ..engine.node import ARGUMENT
from ..engine.recording import enable_grad
from ..engine.tensor import Tensor, constant_tensor, wants_grad
from ..engine.values import as_data
from .forward import leaf_of, link, tangent
from .trees import leaves, rebuilt

Function = Callable[..., Any]


class Trace:
    """A call of ``f`` on leaves that stand for the arguments to differentiate by.

    Inside, an argument depends on nothing, whatever it was made from; ``close`` ties it to that again, so
    that a derivative of the derivative finds its way.
    """

    def __init__(
        self,
        f: Function,
        inputs: Sequence[Any],
        argnums: int | Sequence[int],
        keywords: dict[str, Any] | None = None,
        has_aux: bool = False,
    ) -> None:
        self.is_single = isinstance(argnums, int)
        places = checked_places(argnums, len(inputs))
        arguments = list(inputs)
        self.chosen = [arguments[place] for place in places]
        self.given = [leaf for argument in self.chosen for leaf in leaves(argument)]
        self.starts = [argument_leaf(x) for x in self.given]
        self.recorded = recording.current().recording and (is_inside() or any(map(wants_grad, self.given)))
        rest = iter(self.starts)
        for place, argument in zip(places, self.chosen):
            arguments[place] = rebuilt(argument, rest)
        out = call(f, arguments, keywords or {})
        self.aux = None
        if has_aux:
            out, self.aux = checked_pair(out)
        self.ends = [as_end(end) for end in leaves(out)]
        self.out = rebuilt(out, self.ends)

    def close(self) -> None:
        """Tie each stand-in to the Tensor it stood for."""
        if self.recorded:
            link(self.starts, self.given)

    def alike(self, values: Iterable[Any]) -> Any:
        """One value per start, built like the arguments: a tuple, if ``argnums`` asked for several."""
        rest = iter(values)
        parts = tuple(rebuilt(argument, rest) for argument in self.chosen)
        return parts[0] if self.is_single else parts

    def pull(self, end: Tensor, cotangent: Any = None) -> list[Tensor]:
        """What arrives at each start from a gradient of ``end``."""
        if not end.requires_grad:  # the same whatever the arguments are
            return [constant_tensor(zeros(start)) for start in self.starts]
        recorded = self.recorded or (wants_grad(cotangent) and recording.current().recording)
        return gradients(end, self.starts, cotangent, create_graph=recorded)

    def push(self, moves: dict[Tensor, Any]) -> list[Tensor]:
        """How each end moves."""
        recorded = self.recorded or any(map(wants_grad, moves.values()))
        return [tangent(end, moves, create_graph=recorded) for end in self.ends]

    def value(self) -> Any:
        """What ``f`` returned; without its graph where nothing is recorded."""
        ends = self.ends if self.recorded else [end.detach() for end in self.ends]
        return rebuilt(self.out, ends)


class Nesting(threading.local):
    """How many functions are being differentiated in the thread, one inside the other."""

    depth = 0


nesting = Nesting()


def call(f: Function, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """Call ``f`` with recording on; what it differentiates itself is recorded too."""
    with enable_grad():
        nesting.depth += 1
        try:
            return f(*arguments, **keywords)
        finally:
            nesting.depth -= 1


def is_inside() -> bool:
    """Whether this stands inside a function that is being differentiated."""
    return nesting.depth > 0


def argument_leaf(value: Any) -> Tensor:
    """A leaf that stands for an argument. In-place operators rebind it; no other change of it is allowed."""
    leaf = leaf_of(value) if isinstance(value, Tensor) else Tensor(value)
    leaf._x = ARGUMENT
    return leaf


def checked_places(argnums: int | Sequence[int], count: int) -> list[int]:
    """The places of the arguments to differentiate by. Raises TypeError or ValueError for anything else."""
    places = [argnums] if isinstance(argnums, int) else argnums
    if not isinstance(places, (list, tuple, range)) or not all(isinstance(place, int) for place in places):
        raise TypeError(
            "argnums says by which arguments to differentiate, by one number or several, not "
            f"{argnums!r:.60}. The derivative is a function: ad.grad(f)(x)"
        )
    for place in places:
        if not -count <= place < count:
            raise ValueError(f"argnums asks for argument {place}, and {count} were given")
    return list(places)


def checked_pair(out: Any) -> tuple[Any, Any]:
    """What a function with ``has_aux`` returned. Raises TypeError if it is not a pair."""
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(f"with has_aux=True the function returns a pair, (result, aux), not {out!r:.60}")
    return out


def as_end(value: Any) -> Tensor:
    """What a function returned, as a Tensor: a number or an array becomes a constant, whose slopes are 0."""
    if isinstance(value, Tensor):
        return value
    try:
        return constant_tensor(as_data(value))
    except TypeError:
        raise TypeError(
            f"a function to differentiate returns Tensors or numbers, not {type(value).__name__}"
        ) from None
