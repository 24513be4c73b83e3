"""Nested lists, tuples and dicts of Tensors: their leaves in order, and the structure rebuilt from leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any


def leaves(tree: Any) -> list[Any]:
    """The Tensors, arrays and numbers in a structure, in order.

    A list that holds only numbers is not a structure but the data of one array.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.calculus.trees import leaves
    >>> leaves({"w": [np.zeros(2), 1.0], "b": [1, 2]})
    [array([0., 0.]), 1.0, [1, 2]]
    """
    if not is_structure(tree):
        return [tree]
    parts = tree.values() if isinstance(tree, dict) else tree
    return [leaf for part in parts for leaf in leaves(part)]


def rebuilt(tree: Any, values: Iterable[Any]) -> Any:
    """The same structure, with ``values`` in place of its leaves.

    Example
    -------
    >>> import numpy as np
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
    return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)  # a namedtuple has _fields


def with_tensors(tree: Any, change: Callable[[Any], Any]) -> Any:
    """The same structure, with each Tensor in it changed by a function.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.calculus.trees import with_tensors
    >>> with_tensors({"w": Tensor(2), "names": ["a"]}, lambda x: x * 3)
    {'w': 6, 'names': ['a']}
    """
    return rebuilt(tree, [change(x) if hasattr(x, "creation_op") else x for x in leaves(tree)])


def is_structure(tree: Any) -> bool:
    """Whether ``tree`` contains Tensors or arrays, rather than being the data of one."""
    if isinstance(tree, dict):
        return True
    if not isinstance(tree, (list, tuple)):
        return False
    return not tree or any(hasattr(part, "__array_function__") or is_structure(part) for part in tree)


def matching_leaves(tree: Any, other: Any) -> list[Any]:
    """The parts of ``other`` at the leaves of ``tree``, in order. Raises ValueError if the structures differ.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.calculus.trees import matching_leaves
    >>> matching_leaves({"w": np.zeros(2), "b": 1.0}, {"b": 5, "w": [3, 4]})
    [[3, 4], 5]
    """
    if not is_structure(tree):
        return [other]
    if isinstance(tree, dict):
        if not isinstance(other, dict) or other.keys() != tree.keys():
            raise ValueError(f"expected a dict with the keys {', '.join(map(str, tree))}, not {other!r:.60}")
        return [leaf for key, part in tree.items() for leaf in matching_leaves(part, other[key])]
    if not isinstance(other, (list, tuple)) or len(other) != len(tree):
        raise ValueError(f"expected a {type(tree).__name__} of length {len(tree)}, not {other!r:.60}")
    return [leaf for part, value in zip(tree, other) for leaf in matching_leaves(part, value)]
