"""Quick calls of programs whose arguments and results are numbers. They leave out everything that only arrays
need: a call on one number takes a third of the time, and a call on a thousand numbers a fifth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..engine.tensor import Tensor, constant_tensor
from .structure import LEAF

FLOAT, TENSOR = {float}, {Tensor}


class Quick:
    """Calls a program on numbers, and on lists and tuples of numbers.

    Parameters
    ----------
    run
        The program: it takes floats and returns a tuple of floats.
    structure, result
        The structures of the positional arguments and of the result, see ``structure.py``.
    are_tensors
        For each result, whether it is a Tensor; otherwise it is a float.
    """

    def __init__(
        self, run: Callable[..., Any], structure: Any, result: Any, are_tensors: Sequence[bool]
    ) -> None:
        self.run = run
        self.sizes = [None if part is LEAF else len(part) - 1 for part in structure]
        self.kinds = [None if part is LEAF else part[0] for part in structure]
        self.plan = plan_of(result)[0]
        self.all_tensors = all(are_tensors)
        self.are_tensors = are_tensors

    @staticmethod
    def fits(structure: Any) -> bool:
        """Whether all arguments are numbers, and lists and tuples of numbers."""
        return all(part is LEAF or is_row(part) for part in structure)

    def __call__(self, args: tuple[Any, ...]) -> Any:
        """The result for these arguments; None if they are of another kind, or if a result must be
        recorded."""
        values: list[float] = []
        for arg, kind, size in zip(args, self.kinds, self.sizes):
            if kind is None:
                if type(arg) is Tensor:
                    if arg._requires_grad:
                        return None
                    arg = arg._value
                if type(arg) is not float:
                    return None
                values.append(arg)
            elif type(arg) is not kind or len(arg) != size:
                return None
            else:
                row = numbers_of(arg)
                if row is None:
                    return None
                values += row
        found: Any = self.run(*values)
        if self.all_tensors:
            found = [*map(constant_tensor, found)]
        else:
            kinds = zip(found, self.are_tensors)
            found = [constant_tensor(value) if is_tensor else value for value, is_tensor in kinds]
        return built(self.plan, found)


def is_row(part: Any) -> bool:
    """Whether a structure is a list or tuple of leaves."""
    is_nested = isinstance(part, tuple) and part[0] in (list, tuple)
    return is_nested and all(inner is LEAF for inner in part[1:])


def numbers_of(row: Sequence[Any]) -> Sequence[float] | None:
    """The floats in a list of floats or of Tensors; None if the list holds anything else, or a Tensor that
    requires a gradient."""
    kinds = set(map(type, row))
    if kinds == TENSOR:
        if any(tensor._requires_grad for tensor in row):
            return None
        row = [tensor._value for tensor in row]
        kinds = set(map(type, row))
    return row if kinds <= FLOAT else None


def plan_of(structure: Any, start: int = 0) -> tuple[Any, int]:
    """The plan by which ``built`` builds a result from a list of leaves, and the place after its last leaf.

    A plan is the place of a leaf, or a type of sequence with a slice of the leaves or with further plans.
    """
    if structure is LEAF:
        return start, start + 1
    kind, *parts = structure
    if is_row(structure):
        return (kind, slice(start, start + len(parts))), start + len(parts)
    plans = []
    for part in parts:
        plan, start = plan_of(part, start)
        plans.append(plan)
    return (kind, plans), start


def built(plan: Any, leaves: list[Any]) -> Any:
    """The result that a plan builds from leaves."""
    if type(plan) is int:
        return leaves[plan]
    kind, parts = plan
    return kind(leaves[parts] if type(parts) is slice else [built(part, leaves) for part in parts])


def can_be_built(structure: Any) -> bool:
    """Whether a structure consists of lists, tuples and leaves."""
    if structure is LEAF:
        return True
    is_nested = isinstance(structure, tuple) and structure[0] in (list, tuple)
    return is_nested and all(map(can_be_built, structure[1:]))
