"""Numbers in words: very large counts, sums as one writes them by hand, and ordinals."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from ..graph.as_text import number

# A graph of a hundred thousand nodes may have 2 to the power of a hundred thousand paths. As Decimal that
# takes no more room than any number, and up to 60 digits it is exact. How large an exponent may be depends on
# the machine: with 32 bits, as in a browser, it is 425,000,000.
COUNTING = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
WRITTEN_OUT = 10**15  # from here on only the size of a count is given
SUMMED = 8  # terms; a longer sum is not written out
ORDINALS = ("1st", "2nd", "3rd")


def count_text(count: Decimal) -> str:
    """A count as text: exact while that is readable, with the power of two if it is one.

    >>> count_text(Decimal(6)), count_text(Decimal(2**20))
    ('6', '1,048,576 (2^20)')
    >>> count_text(Decimal(2**100)), count_text(Decimal(3**50))
    ('2^100', 'about 7 * 10^23')
    """
    power = _power_of_two(count)
    if count < WRITTEN_OUT:
        return f"{int(count):,}" + (f" (2^{power})" if power is not None and power >= 4 else "")
    if power is not None:
        return f"2^{power}"
    rounded = COUNTING.create_decimal(f"{count:.0e}")
    digit = rounded.as_tuple().digits[0]
    return f"about {'' if digit == 1 else f'{digit} * '}10^{rounded.adjusted()}"


def _power_of_two(count: Decimal) -> int | None:
    if count.adjusted() >= COUNTING.prec - 1:
        return None
    whole = int(count)
    return whole.bit_length() - 1 if whole > 0 and whole & (whole - 1) == 0 else None


def sum_text(terms: Sequence[float]) -> str:
    """A sum as one writes it by hand: `12 + 10`, `5 - 3`.

    >>> sum_text([12.0, 10.0]), sum_text([5.0, -3.0]), sum_text([1.0] * 20)
    ('12 + 10', '5 - 3', 'the sum of 20')
    """
    if len(terms) > SUMMED:
        return f"the sum of {len(terms)}"
    first, *rest = map(number, terms)
    return first + "".join(f" - {term[1:]}" if term.startswith("-") else f" + {term}" for term in rest)


def whole_number(x: float) -> str:
    """A number as text, a whole one with all its digits.

    >>> whole_number(1048576.0), whole_number(1 / 3)
    ('1,048,576', '0.333333')
    """
    return f"{x:,.0f}" if abs(x) < WRITTEN_OUT and x == round(x) else number(x)


def ordinal(i: int) -> str:
    """The ordinal of a place, counted from 0.

    >>> ordinal(0), ordinal(4)
    ('1st', '5th')
    """
    return ORDINALS[i] if i < len(ORDINALS) else f"{i + 1}th"
