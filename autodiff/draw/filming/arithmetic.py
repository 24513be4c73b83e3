"""Products, sums and arrays as a film writes them: few digits in pictures, six in the table.

What is rounded is never written as if it were exact: `0.333 · 3 ≈ 1`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from functools import reduce
from math import isclose, isfinite
from typing import Any

import numpy as np

from ..graph.as_text import array_line, brief, number
from ..words.notation import TIMES

Write = Callable[[Any], str]
"""How numbers are written: `brief` in pictures, `number` in the table."""
EXACT = Context(prec=60, traps=[])
ROUGHLY = "\N{ALMOST EQUAL TO}"


def short(x: Any) -> str:
    """A number as pictures have it, in three significant digits; an array of one element as its number.

    >>> import numpy as np
    >>> short(0.7864477), short(np.array([[2.0]]))
    ('0.786', '2')
    """
    return brief(scalar(x))


def exact(x: Any) -> str:
    """A number as the table has it, in six significant digits, 0 without a sign."""
    text = number(scalar(x))
    return "0" if text == "-0" else text


def scalar(x: Any) -> Any:
    """The Python number in an array of one element; anything else as it is."""
    return x.item() if isinstance(x, (np.ndarray, np.generic)) and np.size(x) == 1 else x


def in_sum(text: str) -> str:
    """A number inside a sum or product: a negative one has brackets.

    >>> in_sum("3"), in_sum("-3")
    ('3', '(-3)')
    """
    return f"({text})" if text.startswith("-") else text


def product(factors: Sequence[Any], result: Any, write: Write) -> str:
    """A product of numbers: `4 · 3 = 12`; with ≈ if the digits that are written do not give the result.

    >>> product([4.0, -3.0], -12.0, short), product([1 / 3, 3.0], 1.0, short)
    ('4 · (-3) = -12', '0.333 · 3 ≈ 1')
    """
    return products([factors], result, write)


def products(terms: Sequence[Sequence[Any]], result: Any, write: Write) -> str:
    """A sum of products of numbers.

    >>> products([(10.0, 1.0), (4.0, 3.0)], 22.0, short)
    '10 · 1 + 4 · 3 = 22'
    """
    made, written = Decimal(0), list[str]()
    for factors in terms:
        texts = [write(x) for x in factors]
        made = EXACT.add(made, reduce(EXACT.multiply, map(EXACT.create_decimal, texts)))
        first, *rest = texts
        written.append(f" {TIMES} ".join([in_sum(first) if written else first, *map(in_sum, rest)]))
    return f"{' + '.join(written)} {sign(made, write(result))} {write(result)}"


def total(terms: Sequence[Any], result: Any, write: Write) -> str:
    """A sum of numbers: `12 + 10 = 22`.

    >>> total([12.0, -2.0], 10.0, short), total([0.123456, 0.2], 0.323456, short)
    ('12 + (-2) = 10', '0.123 + 0.2 = 0.323')
    """
    texts = [write(x) for x in terms]
    made = Decimal(0)
    for text in texts:
        made = EXACT.add(made, EXACT.create_decimal(text))
    return f"{added(texts)} {sign(made, write(result))} {write(result)}"


def added(texts: Sequence[str]) -> str:
    """Terms that are added, in a line: `12 + (-2)`."""
    first, *rest = texts
    return " + ".join([first, *map(in_sum, rest)])


def sign(made: Decimal, result: str) -> str:
    """The sign between a calculation with written digits and its written result.

    >>> sign(Decimal("0.84"), "0.84"), sign(Decimal("0.999"), "1"), sign(Decimal("nan"), "nan")
    ('=', '≈', '=')
    """
    return "=" if not made.is_finite() or made == EXACT.create_decimal(result) else ROUGHLY


def equal(given: Sequence[Any], result: Any, write: Write) -> str:
    """The sign between any calculation and its result: `=` only if no written digits are rounded.

    >>> equal([2.0], 0.1 + 0.2, short), equal([2.0], 7.389056, short)
    ('=', '≈')
    """
    return ROUGHLY if any(_is_rounded(x, write) for x in (*given, result)) else "="


def _is_rounded(x: Any, write: Write) -> bool:
    try:
        number = float(x)
        return isfinite(number) and not isclose(float(write(x)), number, rel_tol=1e-12)
    except (TypeError, ValueError, OverflowError):
        return False


def array_text(array: Any, write: Write) -> str:
    """The numbers of a small array, or the shape of a large one.

    >>> import numpy as np
    >>> array_text(np.array([[1.0, 2 / 3]]), short), array_text(np.zeros((9, 9)), short)
    ('[[1, 0.667]]', '(9, 9)')
    """
    return array_line(np.asarray(array), write) or str(np.shape(array))
