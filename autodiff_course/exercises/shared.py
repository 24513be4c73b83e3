"""What the judges of several lessons share: reading answers, comparing numbers and writing them down."""

import math

import numpy as np

from ..checking import Mistake


def course(a):
    """The calculation of the whole course: 40 at a = 2, with the slope 22."""
    return (a + 2) * (3 * a + 4)


# -- reading answers ----------------------------------------------------------------------------------------


def array(answer, said, wanted="An array is asked for."):
    """A reader's answer as an array of floats. Raises Mistake, in a message that begins with ``said``."""
    data = answer if isinstance(answer, np.ndarray) else getattr(answer, "data", answer)
    try:
        return np.asarray(data, dtype=float)
    except (TypeError, ValueError):
        given = "a function" if callable(answer) else f"{answer!r:.60}"
        raise Mistake(f"{said} {given}. {wanted}") from None


def numpy_array(answer, said):
    """A reader's answer as an array of floats, where the lesson goes on with it as an array. Raises Mistake
    for a list or a Tensor too, in a message that begins with ``said``."""
    found = array(answer, said)
    if isinstance(answer, list | tuple):
        raise Mistake(f"{said} a {type(answer).__name__}. Return np.array(...) of it.")
    if not isinstance(answer, np.ndarray):
        raise Mistake(f"{said} a {type(answer).__name__}. Return an array of NumPy.")
    return found


# -- comparing numbers --------------------------------------------------------------------------------------


def close(found, right, within=1e-6):
    """Whether two numbers are equal within a relative or absolute tolerance."""
    return math.isclose(found, right, rel_tol=within, abs_tol=within)


def same(found, right):
    """Whether two arrays have the same shape, and the same numbers up to rounding."""
    return right is not None and np.shape(found) == np.shape(right) and np.allclose(found, right, atol=1e-7)


# -- writing numbers ----------------------------------------------------------------------------------------


def listed(values, decimals=6):
    """Numbers as one would type them: [22, 10, 4], and rows in brackets of their own."""
    if np.ndim(values):
        return f"[{', '.join(listed(part, decimals) for part in values)}]"
    return f"{round(float(values), decimals) + 0:.6g}"


def apart(found, right):
    """The element in which two arrays differ most, with as many digits as tell it from the right one:
    91.0000002 in place of 91."""
    place = np.argmax(np.abs(np.asarray(found) - right))
    pair = float(np.ravel(found)[place]), float(np.ravel(right)[place])
    shown = ([f"{part:.{digits}g}" for part in pair] for digits in range(6, 18))
    return " in place of ".join(next(two for two in shown if two[0] != two[1]))


def in_words(numbers, decimals=6):
    """Numbers as a phrase: 7, 5 and 3."""
    *most, last = [listed(number, decimals) for number in numbers]
    return f"{', '.join(most)} and {last}" if most else last
