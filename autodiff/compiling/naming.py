"""The names in a program: each is taken once, and some stand for objects that the source refers to."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any


class Names:
    """Makes the names of one program.

    Attributes
    ----------
    taken
        The names that are in use.
    constants
        The objects that the source refers to, by their names.
    """

    def __init__(self, taken: Iterable[str] = (), constants: Mapping[str, Any] | None = None) -> None:
        self.constants = dict(constants or {})
        self.taken = {*taken, *self.constants}
        self._kept: dict[Hashable, str] = {id(value): name for name, value in self.constants.items()}
        self._counts: Counter[str] = Counter()

    def new_name(self, wish: str) -> str:
        """A name that is neither taken nor a keyword of Python; it is taken from now on."""
        wish = f"{wish}_" if keyword.iskeyword(wish) else wish
        name, number = wish, 1
        while name in self.taken:
            number += 1
            name = f"{wish}_{number}"
        self.taken.add(name)
        return name

    def numbered(self, word: str, mark: str = "") -> str:
        """A name for a value that has none: a word with a number, and a mark between them."""
        self._counts[word] += 1
        return self.new_name(f"{word}{mark}{self._counts[word]}")

    def keep(self, value: Any, wish: str, key: Hashable = None) -> str:
        """The name of an object that the source refers to: one for each object, or for each key."""
        key = id(value) if key is None else key
        if key not in self._kept:
            self._kept[key] = name = self.new_name(wish)
            self.constants[name] = value
        return self._kept[key]
