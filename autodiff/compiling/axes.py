"""The axes along which the examples of a batch lie: one for each array in nested lists, tuples and dicts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..calculus.trees import is_structure, leaves
from ..engine.tensor import Tensor, describe
from ..engine.values import as_data

AXIS_KINDS = (int, np.integer)


class Leaf(NamedTuple):
    """One array of the arguments."""

    name: str  # as error messages call it
    value: Any
    axis: int | None  # along which its examples lie, from 0; None if it has none


def leaves_of(f: Callable[..., Any], arguments: Sequence[Any], in_axes: Any) -> list[Leaf]:
    """Every leaf of the arguments, with its axis. Raises the errors of ``vmap`` for a wrong ``in_axes``."""
    if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(arguments):
        raise ValueError(
            f"in_axes has {len(in_axes)} axes, and the function was called with {len(arguments)} arguments"
        )
    of_each = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(arguments)
    found = []
    for name, argument, axes in zip(names_of(f, len(arguments)), arguments, of_each):
        values, names = leaves(argument), paths(argument, name)
        axes = spread_axes(argument, axes, f"in_axes for {name}")
        found += [checked_leaf(*leaf) for leaf in zip(names, values, axes, strict=True)]
    return found


def names_of(f: Callable[..., Any], count: int) -> list[str]:
    """The names of a function's positional arguments."""
    names = [f"argument {place}" for place in range(count)]
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return names
    known = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    return known + names[len(known) :]


def paths(tree: Any, name: str) -> list[str]:
    """A name for each leaf of a structure: ``params['w']``, ``pair[1]``."""
    if not is_structure(tree):
        return [name]
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree)
    return [path for key, part in parts for path in paths(part, f"{name}[{key!r}]")]


def spread_axes(tree: Any, axes: Any, what: str) -> list[Any]:
    """The axis of each leaf of a structure. ``axes`` has the same structure, where one axis may stand for all
    leaves of a part.

    Raises ValueError if the structures differ, TypeError for an axis that is not an integer or None.
    """
    if axes is None or (isinstance(axes, AXIS_KINDS) and not isinstance(axes, bool)):
        return [axes] * len(leaves(tree))
    if not isinstance(axes, (dict, list, tuple)):
        raise TypeError(f"{what} is an axis, None, or a structure of them, not {axes!r:.60}")
    if isinstance(axes, dict):
        is_alike = isinstance(tree, dict) and tree.keys() == axes.keys()
    else:
        is_alike = is_structure(tree) and not isinstance(tree, dict) and len(tree) == len(axes)
    if not is_alike:
        raise ValueError(
            f"{what} is {axes!r:.60}, which does not have the structure of {tree!r:.60}. Give one axis "
            "for all parts, or one for each"
        )
    keys = tree if isinstance(tree, dict) else range(len(tree))
    return [axis for key in keys for axis in spread_axes(tree[key], axes[key], what)]


def checked_leaf(name: str, value: Any, axis: Any) -> Leaf:
    """A leaf, with its axis counted from the front. Raises TypeError if it has an axis and is not an array,
    ValueError if the axis is out of range."""
    if axis is None or value is None:
        return Leaf(name, value, None)
    if isinstance(value, (list, tuple)):
        value = as_data(value, requires_grad=False)
    if not isinstance(value, Tensor) and not hasattr(value, "__array_function__"):
        raise TypeError(
            f"{name} is {value!r:.60}, not an array, so it has no examples along the axis {axis}. Set its "
            "axis in in_axes to None if it is the same for all examples"
        )
    return Leaf(name, value, checked_axis(axis, np.ndim(value), f"{name}, {describe(value)},"))


def checked_axis(axis: int, count: int, what: str) -> int:
    """An axis counted from the front, of ``count`` axes. Raises ValueError if it is out of range."""
    if not -count <= axis < count:
        raise ValueError(f"{what} has no axis {axis}: it has {count} axes")
    return int(axis) % count


def size_of_batch(found: Sequence[Leaf]) -> int:
    """The number of examples. Raises ValueError if there are none, or if the numbers differ."""
    sizes = [(leaf.name, np.shape(leaf.value)[leaf.axis]) for leaf in found if leaf.axis is not None]
    if not sizes:
        raise ValueError(
            "no argument has examples: give at least one axis in in_axes that is not None, and pass the "
            "examples as positional arguments"
        )
    name, size = sizes[0]
    for other, another in sizes[1:]:
        if another != size:
            raise ValueError(
                f"{name} has {size} examples and {other} has {another}; the sizes of the axes in in_axes "
                "must be equal"
            )
    return int(size)
