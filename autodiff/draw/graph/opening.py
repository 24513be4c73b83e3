"""Which modules and scopes of a graph are shown open: those that the caller names, and those around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Literal

from .as_text import word
from .parts import Parts, ShownPart, path_to

LISTED = 12  # names in a message


def checked_names(given: object) -> Literal[True] | tuple[str, ...] | None:
    """The value of `open=`: None, True for all, or names; False is none of them.

    Raises TypeError for anything else.

    >>> checked_names("norm1"), checked_names(["norm1", "norm2"]), checked_names(True), checked_names(False)
    (('norm1',), ('norm1', 'norm2'), True, ())
    """
    if given is None or given is True:
        return given
    if given is False:
        return ()
    if isinstance(given, str):
        return (given,)
    if isinstance(given, (tuple, list, set, frozenset)) and all(isinstance(name, str) for name in given):
        return tuple(sorted(given) if isinstance(given, (set, frozenset)) else given)
    raise TypeError(
        "open takes the name of a module or scope, several of these, or True for all; "
        f"not {word(given)}, which is of type {type(given).__name__}"
    )


def opened_parts(names: Iterable[str], parts: Parts) -> frozenset[int]:
    """The parts with these names and those around them, by `id`.

    Raises ValueError, with the names that there are, for one that nothing has.
    """
    known: dict[str, list[ShownPart]] = {}
    for part in _all_parts(parts.outer):
        for name in names_of(part):
            known.setdefault(name, []).append(part)
    found: set[int] = set()
    for name in names:
        if name not in known:
            raise ValueError(f"cannot open {name!r}: {_choice(name, known, parts)}")
        found.update(id(around) for part in known[name] for around in path_to(part))
    return frozenset(found)


def names_of(part: ShownPart) -> list[str]:
    """What a part may be called, the best first: by the name of the attribute, by its path, by its class, or
    as its box is titled.

    >>> around = ShownPart("layers.0: TransformerEncoderLayer", ShownPart("TransformerEncoder", None))
    >>> names_of(ShownPart("norm1: LayerNorm", around))
    ['norm1', 'layers.0.norm1', 'LayerNorm', 'norm1: LayerNorm']
    """
    path = [label for around in path_to(part) if (label := _label_and_kind(around)[0])]
    label, kind = _label_and_kind(part)
    return list(dict.fromkeys(filter(None, [label, ".".join(path) if label else "", kind, part.name])))


def _label_and_kind(part: ShownPart) -> tuple[str, str]:
    """The label and the class of a module; a scope has a label alone, and so does a whole network a class."""
    label, colon, kind = part.name.partition(": ")
    if colon:
        return label, kind
    return ("", part.name) if part.name.isidentifier() and part.name[0].isupper() else (part.name, "")


def _all_parts(parts: Iterable[ShownPart]) -> Iterator[ShownPart]:
    """Parts and those in them, from the outermost to the innermost."""
    level = list(parts)
    while level:
        yield from level
        level = [inner for part in level for inner in part.parts]


def _choice(name: str, known: Iterable[str], parts: Parts) -> str:
    """What can be opened, that most like the wrong name first."""
    names = list(dict.fromkeys(names_of(part)[0] for part in _all_parts(parts.outer)))
    if not names:
        return "nothing in this graph was recorded in a module or scope"
    names = list(dict.fromkeys([*get_close_matches(name, list(known)), *names]))
    more = ", ..." if len(names) > LISTED else ""
    return f"no module or scope has this name. There are {', '.join(names[:LISTED])}{more}"
