"""What the program of a compiled function takes and returns, for those who call it from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..engine.tensor import Tensor
from .naming import Names
from .trace import Draw

if TYPE_CHECKING:
    from .entry import Entry


class Argument(NamedTuple):
    """An argument of a program.

    Attributes
    ----------
    name
        Its name in the program.
    shape, dtype
        The shape and the dtype of its value.
    number
        ``float``, ``int`` or ``bool`` for a Python number, otherwise None.
    kind
        ``"argument"`` for one of the function's arguments, ``"captured"`` for a Tensor that the function
        refers to, ``"drawn"`` for random numbers, and ``"gradient"`` for the gradient that a Tensor has
        before the call.
    tensor
        The Tensor that is captured, or whose gradient it is; otherwise None.
    draw
        How random numbers are drawn: the ``method`` of a NumPy generator, ``args`` and ``options``; otherwise
        None.
    is_updated
        Whether the program writes a new value into its memory.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    number: type | None
    kind: str
    tensor: Tensor | None
    draw: Draw | None
    is_updated: bool


class Result(NamedTuple):
    """A result of a program.

    Attributes
    ----------
    name
        Its name in the program, or None if it has none.
    shape, dtype, number
        As of an argument.
    kind
        ``"result"`` for one of the function's results, ``"gradient"`` for a gradient that the call leaves at
        a Tensor, and ``"value"`` for a new value of a Tensor that is not written into its memory.
    place
        For a result, its place among those of the function, counted from 0 through nested lists, tuples and
        dicts. Those that are missing are arguments that the function returns unchanged. For a gradient or a
        value, the place of its Tensor among the arguments.
    """

    name: str | None
    shape: tuple[int, ...]
    dtype: str
    number: type | None
    kind: str
    place: int


def arguments_of(entry: Entry) -> tuple[Argument, ...]:
    """The arguments of the program of an entry."""
    names, program = Names(("np", "program")), entry.program
    count, captured, drawn = len(entry.is_tensor), len(entry.captured), len(entry.draws)
    gradients = [entry.effects[number].place for number in entry.old_gradients]
    given = [None] * count + [*entry.captured]
    tensors = [*given, *[None] * drawn, *[given[place] for place in gradients]]
    draws = [None] * (count + captured) + [*entry.draws] + [None] * len(gradients)
    counts = {"argument": count, "captured": captured, "drawn": drawn, "gradient": len(gradients)}
    kinds = [kind for kind, number in counts.items() for _ in range(number)]
    return tuple(
        Argument(
            names.new_name(node.name or "x"), node.shape, str(node.dtype), node.number, kind, tensor, draw,
            node in program.updated,
        )
        for node, kind, tensor, draw in zip(program.inputs, kinds, tensors, draws, strict=True)
    )


def results_of(entry: Entry) -> tuple[Result, ...]:
    """The results of the program of an entry. New values of arrays that lie in the memory of an argument are
    not among them."""
    updated = set(entry.in_place)
    kinds = [("result", place) for place, how in enumerate(entry.returns) if how.operand is None]
    kinds += [("gradient", each.place) for each in entry.effects if each.gradient is not None]
    kinds += [("value", each.place) for each in entry.effects if each.value is not None]
    return tuple(
        Result(node.name, node.shape, str(node.dtype), node.number, kind, place)
        for node, (kind, place) in zip(entry.program.results, kinds, strict=True)
        if kind != "value" or place not in updated or not node.shape
    )
