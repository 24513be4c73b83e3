"""Lists, tuples and dicts of Tensors, to any depth, taken as one argument: its leaves in order, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..engine.tensor import Tensor


def leaves(tree: Any) -> list[Any]:
    """The Tensors, arrays and numbers in a structure, in its own order.

    A list of numbers alone is no structure: it is the data of one array.

    Example
    -------
    >>> from autodiff.calculus.trees import leaves
    >>> leaves({"w": [np.zeros(2), 1.0], "b": [1, 2]})
    [array([0., 0.]), 1.0, [1, 2]]
    """
    if not is_structure(tree):
        return [tree]
    parts = tree.values() if isinstance(tree, dict) else tree
    return [leaf for part in parts for leaf in leaves(part)]


def rebuilt(tree: Any, values: Iterable[Any]) -> Any:
    """The same structure with ``values`` in place of its leaves.

    Example
    -------
    >>> from autodiff.calculus.trees import rebuilt
    >>> rebuilt({"w": [np.zeros(2), 1.0]}, "ab")
    {'w': ['a', 'b']}
    """
    return _rebuilt(tree, iter(values))


def _rebuilt(tree: Any, values: Iterator[Any]) -> Any:
    if not is_structure(tree):
        return next(values)
    if isinstance(tree, dict):
        return {key: _rebuilt(part, values) for key, part in tree.items()}
    parts = [_rebuilt(part, values) for part in tree]
    return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)  # a namedtuple takes its own


def is_structure(tree: Any) -> bool:
    """Whether this holds Tensors or arrays, rather than being the data of one."""
    if isinstance(tree, dict):
        return True
    if not isinstance(tree, (list, tuple)):
        return False
    return not tree or any(isinstance(part, (Tensor, np.ndarray)) or is_structure(part) for part in tree)


def matched(tree: Any, other: Any) -> list[Any]:
    """What stands in ``other`` where ``tree`` has its leaves. Raises ValueError if it is built otherwise.

    Example
    -------
    >>> from autodiff.calculus.trees import matched
    >>> matched({"w": np.zeros(2), "b": 1.0}, {"b": 5, "w": [3, 4]})
    [[3, 4], 5]
    """
    if not is_structure(tree):
        return [other]
    if isinstance(tree, dict):
        if not isinstance(other, dict) or other.keys() != tree.keys():
            raise ValueError(f"a dict with the keys {', '.join(map(str, tree))} is needed, not {other!r:.60}")
        return [leaf for key, part in tree.items() for leaf in matched(part, other[key])]
    if not isinstance(other, (list, tuple)) or len(other) != len(tree):
        raise ValueError(f"a {type(tree).__name__} of {len(tree)} parts is needed, not {other!r:.60}")
    return [leaf for part, value in zip(tree, other) for leaf in matched(part, value)]
