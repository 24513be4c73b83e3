"""Where a gradient ends: the leaves behind a recorded Tensor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .node_parts import PLAIN


def is_origin(node: Any) -> bool:
    """Whether a Tensor that requires a gradient is a leaf, and not one that stood for a plain argument."""
    return node.creation_op is None and node._y is not PLAIN


def origins(end: Any) -> Iterator[Any]:
    """The leaves that require a gradient and that a Tensor was computed from, each once, found lazily.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.engine.origins import origins
    >>> x, y = Tensor(5), Tensor(7)
    >>> list(origins(x * y + x))
    [5, 7]
    """
    seen = {end}
    stack = [end] if end.requires_grad else []
    while stack:
        node = stack.pop()
        if is_origin(node):
            yield node
        for creator in node.creators or ():
            if getattr(creator, "_requires_grad", False) and creator not in seen:
                seen.add(creator)
                stack.append(creator)
