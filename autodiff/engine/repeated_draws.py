"""A random generator whose draws are noted, or repeated; see ``repeating.py``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np


class RepeatedGenerator(np.random.Generator):
    """Stands for another generator in a call that is repeated. Raises TypeError for ``spawn``."""

    def __init__(self, source: np.random.Generator, repeat: Any) -> None:
        super().__init__(type(source.bit_generator)(0))
        self._source, self._repeat = source, repeat

    def spawn(self, n_children: int) -> Any:
        """Refused, since the second call would get other children."""
        raise TypeError("spawn of a random generator cannot be repeated by ad.checkpoint; call it outside")

    def __reduce__(self) -> Any:
        return self._source.__reduce__()


def repeated(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a generator that draws, made repeatable."""

    @wraps(method)
    def draw(self: RepeatedGenerator, *args: Any, **options: Any) -> Any:
        return self._repeat.draw(self._source, self, method, args, options)

    return draw


for name in dir(np.random.Generator):
    if not name.startswith("_") and name not in ("spawn", "bit_generator"):
        setattr(RepeatedGenerator, name, repeated(getattr(np.random.Generator, name)))
