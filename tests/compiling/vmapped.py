"""A function over a batch and in a loop over its examples, to be compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.ops.cases import CASES


def batch_of(operand: Any, size: int, prepare: Any = None) -> np.ndarray:
    """A batch of examples with the elements of an operand in different orders."""
    array = np.asarray(operand)
    rows = [np.roll(array.reshape(-1), number).reshape(array.shape) for number in range(size)]
    rows = [prepare(row) if prepare else row for row in rows]
    return np.stack(rows) if rows else np.zeros((0, *array.shape), array.dtype)


def rows_of(values: list[Any], axes: tuple[int | None, ...], size: int) -> list[list[Any]]:
    """The operands of each example."""
    return [
        [v if axis is None else np.asarray(np.take(v, number, axis)) for v, axis in zip(values, axes, strict=True)]
        for number in range(size)
    ]


def batched(name: str, operands: list[Any], axes: tuple[int | None, ...], size: int) -> list[Any]:
    """The operands with a batch in place of those that have an axis."""
    prepare = CASES[name].prepare
    return [
        x if axis is None else np.moveaxis(batch_of(x, size, None if place else prepare), 0, axis)
        for place, (x, axis) in enumerate(zip(operands, axes, strict=True))
    ]
