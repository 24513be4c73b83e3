"""Batching rules of indices with arrays, and of writing to the place of an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy  # noqa: ICN001

from .batching import Batch, batching_rule, in_front, spread, writable
from .inference import ComputedPart, is_basic, shape_of_item
from .nodes import Node

np: Any = numpy  # whose functions take symbols too, which their annotations do not say


@batching_rule("pick")
def pick(node: Node, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """An index with arrays takes elements of each example."""
    x, *parts = args
    if not parts:
        return picked_alike(node, front, x)
    index, moved = batched_index(node.value, node.args[0].shape, front, parts)
    found = spread(x, front, node.args[0].shape)[index]
    return np.moveaxis(found, *moved) if moved else found


def picked_alike(node: Node, front: tuple[int, ...], x: Batch) -> Any:
    """An index that is the same for all examples: the places it takes are places in the flat example."""
    if not front:
        return x.data[node.value]
    shape = node.args[0].shape
    size = node.args[0].size
    places = np.arange(size).reshape(shape)[node.value]
    return np.reshape(x.data, (*front, size))[:, places]


@batching_rule("put", "put_add")
def put(node: Node, front: tuple[int, ...], args: Sequence[Batch]) -> Any:
    """Write, or add, to the place of an index in each example."""
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
    """An index with arrays as an index of a batch, and how to move axes of the result afterwards: from where
    to where, or None.

    The number of each example becomes one more part. The parts with arrays stand first in the result then,
    also where they stand behind axes that are taken whole without a batch.
    """
    items = expanded(index, len(shape))
    remaining = iter(parts)
    taken = [next(remaining) if isinstance(item, ComputedPart) else item for item in items]
    arrays = [place for place, item in enumerate(taken) if is_part(item)]
    count = max(len(items[p].shape) if isinstance(items[p], ComputedPart) else np.ndim(items[p]) for p in arrays)
    if not front:
        return tuple(item.data if isinstance(item, Batch) else item for item in taken), None
    numbers = np.arange(front[0]).reshape((-1, *(1,) * count))
    whole = (numbers, *(aligned_part(item, count) if is_part(item) else item for item in taken))
    is_together = arrays == list(range(arrays[0], arrays[-1] + 1))
    if not (is_together and arrays[0]):
        return whole, None
    behind = arrays[0]  # that many axes stand before the arrays without a batch
    return whole, (tuple(range(1, count + 1)), tuple(range(behind + 1, behind + count + 1)))


def expanded(index: Any, count: int) -> list[Any]:
    """The items of an index, with ``...`` and masks written out: slices and arrays of integers."""
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
    """Whether an item of an index is an array or an integer, or computed."""
    return isinstance(item, (Batch, np.ndarray, int, np.integer))


def aligned_part(item: Any, count: int) -> Any:
    """A part of an index with the axes of ``count`` in front of which the numbers of the examples stand."""
    if not isinstance(item, Batch):
        return item
    own = np.shape(item.data)[len(item.front) :]
    return np.reshape(item.data, (*item.front, *(1,) * (count - len(own)), *own)) if item.front else item.data
