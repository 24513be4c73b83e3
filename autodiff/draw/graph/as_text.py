"""What a node holds, as text: a number, a small array, or the shape of a large one.

Data become strings at once, so that a drawing shows the moment when it was made and keeps no graph alive.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, isnan
from numbers import Number
from typing import Any

import numpy as np

MAP_ROWS, MAP_COLUMNS = 5, 12  # blocks in which a picture shows a larger array, each by its largest element
SMALL_ROWS, SMALL_COLUMNS, SMALL = 4, 6, 12  # an array up to this size is shown number by number
LINE = 48  # an array whose text is longer than this is shown as its shape
CELLS = LINE // 3  # and so is one with more elements: each takes at least three characters
WORD = 40  # the text of anything else is cut off at this length
DOTS = "\N{HORIZONTAL ELLIPSIS}"
DIGITS = 15  # a Python int with more digits than these is rounded like a float


@dataclass(slots=True)  # not frozen: a graph has thousands of them, and freezing triples their cost
class Value:
    """Data as text, and what a picture needs to show it in few digits or as shades.

    The line of a large array is its shape and dtype; then `is_shape` is True, and `statistics` describe its
    elements. Numbers have the shape `()` and no statistics.

    `numbers` is a single number, or the rows of an array; `is_whole` is False if a picture shows these as
    shades alone, and `is_coarse` is True if some stand for a block of several elements. `oddness` is 2 if
    some element is nan, 1 if one is infinite, else 0.
    """

    line: str
    numbers: Any = None
    is_whole: bool = True
    oddness: int = 0
    is_array: bool = False
    is_shape: bool = False
    shape: str = "()"
    dtype: str = ""
    statistics: str = ""
    is_coarse: bool = False


NOTHING = Value("-")


@dataclass(frozen=True)
class Pending:
    """Stands for data that has not been computed yet. The shape has None for an unknown size, and is None if
    nothing is known."""

    shape: tuple[int | None, ...] | None

    @property
    def text(self) -> Value:
        """The shape, as far as it is known.

        >>> Pending((None, 3)).text.line, Pending(None).text.line
        ('(?, 3)', '-')
        """
        shape = "-" if self.shape is None else str(self.shape).replace("None", "?")
        return Value(shape, is_array=True, is_shape=True, shape=shape)

    def __repr__(self) -> str:
        return "<not computed before a run>"


def value_of(thing: object) -> Value:
    """The text of a number, an array, something that has one of these as `data`, or None.

    >>> import numpy as np
    >>> value_of(40.0).line, value_of(1 / 3).line, value_of(None).line
    ('40', '0.333333', '-')
    >>> value_of(np.array([[1.0, 2.5]])).line, value_of(np.zeros((3, 400))).line
    ('[[1, 2.5]]', '(3, 400) float64')
    """
    if type(thing) is float:  # what most nodes hold
        oddness = 0 if isfinite(thing) else 1 + isnan(thing)
        return Value(f"{thing:.6g}", thing, oddness=oddness, dtype="float64")
    for _ in range(3):  # a gradient is often a Tensor itself; three levels are more than enough
        if thing is None:
            return NOTHING
        if isinstance(thing, Pending):
            return thing.text
        if isinstance(thing, np.ndarray):
            return _array(thing) if thing.ndim else _number(thing[()], str(thing.dtype))
        if isinstance(thing, (Number, np.generic, str, bytes)):
            return _number(thing, _dtype(thing))
        if isinstance(thing, (list, tuple)):
            return _sequence(thing)
        inner = attribute(thing, "data")
        if inner is None:
            break
        thing = inner
    return Value(number(thing))


def attribute(thing: object, name: str) -> Any:
    """`thing.name`, or None if there is no such attribute or reading it fails."""
    try:
        return getattr(thing, name, None)
    except Exception:  # noqa: BLE001 - a property of the reader's class may raise anything
        return None


def number(x: object) -> str:
    """A number in six significant digits, without a trailing `.0`; anything else as a short word.

    `brief` has fewer, for pictures. Tensors print by `engine/values.py`, as NumPy's print options say, and a
    history by four digits, since later ones differ between machines.

    >>> number(40.0), number(2 / 3), number(65536), number(True), number(object())
    ('40', '0.666667', '65536', 'True', '<object>')
    """
    try:
        if isinstance(x, (bool, np.bool_)) or (isinstance(x, int) and abs(x) < 10**DIGITS):
            return str(x)
        if isinstance(x, (int, float, np.number)):
            return f"{x:.6g}"
    except (OverflowError, TypeError, ValueError):  # an int beyond the floats, a dtype without the format
        pass
    return word(x)


def brief(x: Any) -> str:
    """A number as pictures show it: in three significant digits, but whole numbers of up to five in full.

    >>> [brief(x) for x in (40.0, 2 / 3, 65535, 1234567.0, 1.72354e-05, -0.0, float("nan"), True)]
    ['40', '0.667', '65535', '1.23e6', '1.72e-5', '0', 'nan', 'True']
    """
    if not isinstance(x, (int, float, np.number)) or isinstance(x, bool):
        return number(x)
    size = abs(_as_float(x))
    if size == 0:
        return "0"
    if size == inf and isinstance(x, int):
        return number(x)
    if size < 10**5 and size == int(size):
        return f"{x:.0f}"
    text = f"{x:.0f}" if 1000 <= size < 10**5 else f"{x:.3g}"
    return re.sub(r"e([+-])0*", lambda found: "e" + found[1].strip("+"), text)


def _as_float(x: Any) -> float:
    """A number as a float; an int beyond the floats is infinite."""
    try:
        return float(x)
    except OverflowError:
        return inf


def index_text(options: Any) -> str:
    """The index of a part, in brackets as Python writes it; dots in place of arrays.

    >>> index_text({"index": (slice(1, None), 0)}), index_text({"index": np.array([2, 0])}), index_text({})
    ('[1:, 0]', '[…]', '[…]')
    """
    index = options.get("index", DOTS) if isinstance(options, dict) else DOTS
    parts = index if isinstance(index, tuple) else (index,)
    return clip(f"[{', '.join(map(_part_of_index, parts))}]", WORD)


def _part_of_index(part: Any) -> str:
    if isinstance(part, slice):
        bounds = ["" if bound is None else number(bound) for bound in (part.start, part.stop, part.step)]
        return ":".join(bounds if part.step is not None else bounds[:2])
    if part is Ellipsis:
        return "..."
    return str(part) if part is None or isinstance(part, (int, np.integer)) else DOTS


def word(thing: object) -> str:
    """The `str` of any object on one short line; its type if `str` fails or would show an address."""
    kind = f"<{type(thing).__name__}>"
    try:
        text = str(thing)
    except Exception:  # noqa: BLE001 - a broken __str__ must not break the picture of the rest
        return kind
    return kind if " at 0x" in text else clip(one_line(text), WORD) or kind


def one_line(text: str) -> str:
    """Text without line breaks, and without characters that a picture cannot show."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))


def clip(text: str, most: int) -> str:
    """Text cut off at a length, ending in dots if it was longer."""
    return text if len(text) <= most else text[: most - 3] + "..."


def shortened(name: str, most: int) -> str:
    """A name of a length at most, without its middle if it was longer: names often differ at their ends.

    >>> shortened("encoder.attention.query.weight", 20), shortened("short", 20)
    ('encoder.at…ry.weight', 'short')
    """
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return name[: most - 1 - end] + DOTS + name[len(name) - end :]


def statistics(array: np.ndarray[Any, Any]) -> str:
    """The range and the mean of an array's elements in three digits, and how many are not finite.

    >>> statistics(np.array([[1.0, 2.0], [3.0, np.nan]])), statistics(np.zeros((0, 3)))
    ('1 to 3, mean 2, 1 not finite', '')
    """
    if array.dtype.kind not in "biuf" or not array.size:
        return ""
    odd = 0
    if array.dtype.kind == "f":
        finite = np.isfinite(array)
        odd = array.size - int(np.count_nonzero(finite))
        array = array[finite] if odd else array
    parts = []
    if array.size:
        with np.errstate(all="ignore"):  # the sum of finite numbers may be infinite
            low, high, mean = array.min(), array.max(), array.mean(dtype=np.float64)
        parts = [f"{float(low):.3g} to {float(high):.3g}", f"mean {float(mean):.3g}"]
    return ", ".join([*parts, *([f"{odd:,} not finite"] if odd else [])])


def _dtype(thing: object) -> str:
    if isinstance(thing, np.generic):
        return str(thing.dtype)
    return "float64" if isinstance(thing, float) else type(thing).__name__


def _array(array: np.ndarray[Any, Any]) -> Value:
    array = np.asarray(array)  # even a row of an np.matrix is a matrix: reading it by rows would never end
    line = array_line(array)
    numbers, is_whole = blocks(array)
    oddness = 0
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        oddness = 1 + bool(np.isnan(array).any())
    shape, dtype = str(array.shape), str(array.dtype)
    text = line or f"{shape} {dtype}"
    is_coarse = not is_whole and array.size > len(numbers) * len(numbers[0])
    return Value(text, numbers, is_whole, oddness, True, not line, shape, dtype, statistics(array), is_coarse)


def blocks(array: np.ndarray[Any, Any]) -> tuple[tuple[tuple[Any, ...], ...], bool]:
    """The rows of an array as Python numbers, and whether that is all of it.

    An array of more than two axes becomes a table whose columns are its last axis. For a larger array each
    number stands for a block: it is the block's element that is farthest from 0, or one that is not finite.

    >>> blocks(np.array([1.0, -2.0]))
    (((1.0, -2.0),), True)
    >>> blocks(np.arange(48.0).reshape(2, 24))[0][0]
    (1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0, 21.0, 23.0)
    """
    if array.dtype.kind not in "biuf" or not array.size:
        return (), True
    table = array.reshape(1, -1) if array.ndim < 2 else array.reshape(-1, array.shape[-1])
    rows, columns = table.shape
    if rows <= SMALL_ROWS and columns <= SMALL_COLUMNS and table.size <= SMALL:
        return tuple(map(tuple, table.tolist())), True
    across = np.linspace(0, columns, min(columns, MAP_COLUMNS) + 1).astype(int)
    down = np.linspace(0, rows, min(rows, MAP_ROWS) + 1).astype(int)
    found = []
    for top, bottom in pairwise(down):
        strip = table[top:bottom].astype(float)
        high = np.maximum.reduceat(strip.max(axis=0), across[:-1])  # a nan wins in both
        low = np.minimum.reduceat(strip.min(axis=0), across[:-1])
        found.append(tuple(np.where(high >= -low, high, low).tolist()))
    return tuple(found), False


def _number(x: Any, dtype: str) -> Value:
    text = number(x)
    return Value(text, x, oddness={"nan": 2, "inf": 1}.get(text.lstrip("-"), 0), dtype=dtype)


def array_line(array: np.ndarray[Any, Any], write: Callable[[Any], str] = number) -> str:
    """The numbers of a small array on one line; nothing for one that is too long for that.

    >>> array_line(np.array([[1.0, 2 / 3]])), array_line(np.zeros((9, 9)))
    ('[[1, 0.666667]]', '')
    """
    line = _nested(array, write) if 0 < array.size <= CELLS else ""
    return line if len(line) <= LINE else ""


def _nested(array: np.ndarray[Any, Any], write: Callable[[Any], str]) -> str:
    if array.ndim == 0:
        return write(array[()])
    return "[" + ", ".join(_nested(np.asarray(part), write) for part in array) + "]"


def _sequence(values: list[Any] | tuple[Any, ...]) -> Value:
    try:
        array = np.asarray(values)
    except Exception:  # noqa: BLE001 - a ragged list is no array, but the reader's class may hold one
        return Value(word(values))
    return _array(array) if array.dtype.kind in "biuf" else Value(word(values))
