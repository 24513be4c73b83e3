"""The names of parameters and modules: paths through the network such as ``encoder.fc.weight``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def join_path(path: str | None, name: str) -> str:
    """The path of the part called ``name`` of the module at ``path``; the outermost module has no path.

    >>> join_path("encoder.fc", "weight"), join_path(None, "weight")
    ('encoder.fc.weight', 'weight')
    """
    return f"{path}.{name}" if path else name


def with_prefix(prefix: str, named_parts: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The same pairs (name, part), with a prefix before each name. Raises TypeError if it is not a string."""
    if not isinstance(prefix, str):
        raise TypeError(f"prefix must be a string, not {prefix!r:.60}. Pass recurse by keyword: recurse=...")
    return ((join_path(prefix, name), part) for name, part in named_parts)
