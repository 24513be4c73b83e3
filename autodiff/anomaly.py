"""detect_anomaly: stop at the first nan or infinity, in either direction, and say where it came from."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .engine.scopes import scope
from .engine.tensor import Tensor, describe, raw

PACKAGE = __file__.removesuffix("anomaly.py")


@contextmanager
def detect_anomaly() -> Iterator[None]:
    """Inside the block, or the decorated function, raise FloatingPointError at the first nan or infinity that
    an operation computes or passes back, naming the operation, and the line that called it.

    Forward and backward belong inside. It looks at every number, and takes a multiple of the time.

    Example
    -------
    >>> import autodiff as ad
    >>> x = ad.Tensor([1.0, 0.0], name="x")
    >>> with ad.detect_anomaly():
    ...     y = x.log()
    Traceback (most recent call last):
        ...
    FloatingPointError: log gave -inf at element 1, from the Tensor 'x' of shape (2,);
      called in line 2: y = x.log()
    """
    with scope("", watch=Watch()):
        yield


class Watch:
    """Told of every node that is made and every contribution that is passed back."""

    def made(self, node: Tensor, operation: Any, operands: Sequence[Any]) -> None:
        """Raise FloatingPointError if a fresh node is not finite."""
        line = calling_line()
        if node._extras is not None:
            node._extras.line = line
        if (found := not_finite(node._value)) is None:
            return
        sources = [describe(x) for x in operands]
        before = next((x for x in operands if not_finite(raw(x)) is not None), None)
        already = "" if before is None else f" ({describe(before)} was not finite to begin with)"
        raise FloatingPointError(
            f"{operation} gave {found}, from {' and '.join(sources)}{already};\n  {line}"
        )

    def passed(self, share: Any, creator: Tensor, node: Tensor) -> None:
        """Raise FloatingPointError if a contribution is not finite."""
        if (found := not_finite(raw(share))) is None:
            return
        already = not_finite(raw(node._grad))
        above = f", where {already} had arrived" if already is not None else ""
        line = (node._extras and node._extras.line) or "recorded before detect_anomaly began"
        raise FloatingPointError(
            f"on the way back {node.creation_op} passes {found} to {describe(creator)}{above};\n  {line}"
        )


def not_finite(data: Any) -> str | None:
    """The first nan or infinity in data, and its place; None if there is none."""
    if data is None:
        return None
    is_bad = ~np.isfinite(data)
    if not is_bad.any():
        return None
    if np.ndim(data) == 0:
        return f"{float(data):g}"
    place = np.unravel_index(np.argmax(is_bad), data.shape)
    return f"{float(data[place]):g} at element {', '.join(map(str, place))}"


def calling_line() -> str:
    """The line outside the package that is running, with its text where that can be read."""
    from pathlib import Path  # here, since it takes longer to import than this package's engine

    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    name, number = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(name, number, frame.f_globals).strip()
    place = f" of {Path(name).name}" if Path(name).is_file() else ""
    return f"called in line {number}{place}" + (f": {text}" if text else "")
