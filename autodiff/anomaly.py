"""detect_anomaly: raise at the first nan or infinity, forward or backward, and name the operation."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .engine.frames import frame_outside
from .engine.scopes import scope
from .engine.tensor import Tensor, describe, raw
from .engine.tracing import check_not_compiling


def detect_anomaly() -> scope:
    """In the block or the decorated function, raise FloatingPointError at the first nan or infinity that an
    operation computes or passes back. The message names the operation and the line that called it.

    Put both forward and backward inside. Every number is checked, so the code runs several times slower.

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
    check_not_compiling("detect_anomaly", "it looks at values. Put it around the compiled function")
    return scope("", watch=Watch())


class Watch:
    """The checks that the engine calls for every recorded node and every contribution."""

    def made(self, node: Tensor, operation: Any, operands: Sequence[Any]) -> None:
        """Raise FloatingPointError if a new node is not finite."""
        line = calling_line()
        if node._extras is not None:
            node._extras.line = line
        if (anomaly := first_anomaly(node._value)) is None:
            return
        sources = " and ".join(describe(x) for x in operands)
        culprit = next((x for x in operands if first_anomaly(raw(x)) is not None), None)
        note = "" if culprit is None else f" ({describe(culprit)} was already not finite)"
        raise FloatingPointError(f"{operation} gave {anomaly}, from {sources}{note};\n  {line}")

    def passed(self, contribution: Any, creator: Tensor, node: Tensor) -> None:
        """Raise FloatingPointError if a contribution is not finite."""
        if (anomaly := first_anomaly(raw(contribution))) is None:
            return
        arrived = first_anomaly(raw(node._grad))
        note = f", where {arrived} had arrived" if arrived is not None else ""
        line = (node._extras and node._extras.line) or "recorded before detect_anomaly began"
        raise FloatingPointError(
            f"on the way back {node.creation_op} passes {anomaly} to {describe(creator)}{note};\n  {line}"
        )


def first_anomaly(data: Any) -> str | None:
    """The first nan or infinity in the data, and its index; None if all numbers are finite."""
    if data is None:
        return None
    is_bad = ~np.isfinite(data)
    if not is_bad.any():
        return None
    if np.ndim(data) == 0:
        return f"{float(data):g}"
    index = np.unravel_index(np.argmax(is_bad), data.shape)
    return f"{float(data[index]):g} at element {', '.join(map(str, index))}"


def calling_line() -> str:
    """The innermost running line outside the package, with its text if that can be read."""
    frame = frame_outside() or sys._getframe(1)
    return f"called in {line_text(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)}"


def line_text(name: str, number: int, variables: dict[str, Any]) -> str:
    """A line of a file as messages show it, with its text if that can be read."""
    from pathlib import Path  # here, since its import takes longer than that of this package's engine

    text = linecache.getline(name, number, variables).strip()
    place = f" of {Path(name).name}" if Path(name).is_file() else ""
    return f"line {number}{place}" + (f": {text}" if text else "")
