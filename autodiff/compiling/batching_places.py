"""Batching rules for indexing with arrays, and for writing at an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy  # noqa: ICN001

from .batching import Batch, batching_rule, in_front, spread, writable
from .inference import ComputedPart, is_basic, shape_of_item
from .nodes import ProgramNode

np: Any = numpy  # whose functions take symbols too, which their annotations do not say


@batching_rule("pick")
def pick(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Index each example with arrays."""
    x, *parts = args
    if not parts:
        return picked_alike(node, front, x)
    index, moved = batched_index(node.value, node.args[0].shape, front, parts)
    found = spread(x, front, node.args[0].shape)[index]
    return np.moveaxis(found, *moved) if moved else found


def picked_alike(node: ProgramNode, front: tuple[int, ...], x: Batch) -> Any:
    """Index all examples with the same arrays: the index selects positions in the flattened example."""
    if not front:
        return x.data[node.value]
    shape = node.args[0].shape
    size = node.args[0].size
    places = np.arange(size).reshape(shape)[node.value]
    return np.reshape(x.data, (*front, size))[:, places]


@batching_rule("put", "put_add")
def put(node: ProgramNode, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Write, or add, at an index of each example."""
    base, x, *parts = args
    shape = node.shape
    whole = writable(spread(base, front, shape), [arg.data for arg in args])
    value = spread(x, front, shape_of_item(shape, node.value))
    index, moved = node.value, None
    if is_basic(index):
        index = in_front(front, index)
    else:
        index, moved = batched_index(index, shape, front, parts)
    if moved:
        value = np.moveaxis(value, *reversed(moved))
    if node.op == "put_add":
        np.add.at(whole, index, value)
    else:
        whole[index] = value
    return whole


def batched_index(
    index: Any, shape: tuple[int, ...], front: tuple[int, ...], parts: Sequence[Batch]
) -> tuple[tuple[Any, ...], Any]:
    """The index of a batch for an index of one example. The second result says how to move the axes of what
    it selects, as arguments of ``np.moveaxis``; None if they stay.

    The number of each example becomes one more array of the index. NumPy then puts the axes of the arrays
    first in the result, even if for one example they come after other axes.
    """
    items = expanded(index, len(shape))
    remaining = iter(parts)
    taken = [next(remaining) if isinstance(item, ComputedPart) else item for item in items]
    arrays = [place for place, item in enumerate(taken) if is_part(item)]
    parts_taken = [items[place] for place in arrays]
    count = max(len(x.shape) if isinstance(x, ComputedPart) else np.ndim(x) for x in parts_taken)
    if not front:
        return tuple(item.data if isinstance(item, Batch) else item for item in taken), None
    numbers = np.arange(front[0]).reshape((-1, *(1,) * count))
    whole = (numbers, *(aligned_part(item, count) if is_part(item) else item for item in taken))
    is_together = arrays == list(range(arrays[0], arrays[-1] + 1))
    if not (is_together and arrays[0]):
        return whole, None
    behind = arrays[0]  # for one example, that many axes come before those of the arrays
    return whole, (tuple(range(1, count + 1)), tuple(range(behind + 1, behind + count + 1)))


def expanded(index: Any, count: int) -> list[Any]:
    """The items of an index, with ``...`` replaced by slices and masks replaced by arrays of integers."""
    items: list[Any] = []
    for item in index if isinstance(index, tuple) else (index,):
        if isinstance(item, (bool, np.bool_)) or (isinstance(item, np.ndarray) and item.dtype == bool):
            items.extend(np.nonzero(item))
        elif isinstance(item, (list, tuple)):
            items.append(np.asarray(item))
        else:
            items.append(item)
    used = sum(item is not None and item is not Ellipsis for item in items)
    whole = [slice(None)] * (count - used)
    if Ellipsis in [item for item in items if not isinstance(item, np.ndarray)]:
        place = next(i for i, item in enumerate(items) if item is Ellipsis)
        return [*items[:place], *whole, *items[place + 1 :]]
    return items


def is_part(item: Any) -> bool:
    """Whether an item of an index is an array, an integer or a computed part."""
    return isinstance(item, (Batch, np.ndarray, int, np.integer))


def aligned_part(item: Any, count: int) -> Any:
    """A part of an index, with axes of size 1 behind the front, so that it has ``count`` further axes."""
    if not isinstance(item, Batch):
        return item
    own = np.shape(item.data)[len(item.front) :]
    return np.reshape(item.data, (*item.front, *(1,) * (count - len(own)), *own)) if item.front else item.data
