"""Data as text: numbers, arrays, and whatever else a reader's class may hold."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from autodiff.draw import draw
from autodiff.draw.graph.as_text import number, value_of
from tests.draw.readers import Tensor


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (40.0, "40"),
        (40, "40"),
        (1 / 3, "0.333333"),
        (-0.5, "-0.5"),
        (1e-12, "1e-12"),
        (2097151, "2097151"),
        (314039061414.0, "3.14039e+11"),
        (10**400, str(10**400)[:37] + "..."),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (True, "True"),
        (np.True_, "True"),
        (np.float32(0.1), "0.1"),
        (np.int64(7), "7"),
        (Fraction(1, 3), "1/3"),
        (Decimal("0.10"), "0.10"),
        (1 + 2j, "(1+2j)"),
        ("word", "word"),
    ],
)
def test_numbers(x, text):
    assert number(x) == text
    assert value_of(x).line == text


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (None, "-"),
        (np.array(3.5), "3.5"),
        (np.array([1.0, 2.0]), "[1, 2]"),
        (np.array([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]"),
        (np.array([True, False]), "[True, False]"),
        (np.zeros(0), "(0,) float64"),
        (np.zeros((0, 3)), "(0, 3) float64"),
        (np.zeros((2, 2, 2)), "[[[0, 0], [0, 0]], [[0, 0], [0, 0]]]"),
        (np.full(9, 1 / 3), "(9,) float64"),
        (np.zeros(1000, np.int8), "(1000,) int8"),
        ([1, 2.5], "[1, 2.5]"),
        ([1, [2, 3]], "[1, [2, 3]]"),
        ([], "(0,) float64"),
        (["a", "b"], "['a', 'b']"),
        (np.array(["a", None], dtype=object), "[a, None]"),
    ],
)
def test_data(data, line):
    assert value_of(data).line == line


def test_a_matrix_ends():
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1, 2]])
    assert value_of(matrix).line == "[[1, 2]]"


class Raises:
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__

    def __format__(self, spec):
        raise RuntimeError("no format")


class Nested:
    data = property(lambda self: self)


@pytest.mark.parametrize(
    ("odd", "line"),
    [
        (Raises(), "<Raises>"),
        (object(), "<object>"),
        (Nested(), "<Nested>"),
        ("a\nb\x00", "a b\N{REPLACEMENT CHARACTER}"),
        ("", "<str>"),
        ("x" * 100, "x" * 37 + "..."),
        ({"a": 1}, "{'a': 1}"),
        (np.array([Raises()], dtype=object), "[<Raises>]"),
        (np.array([np.datetime64("2020-01-01")]), "[2020-01-01]"),
    ],
)
def test_odd_data_is_drawn_all_the_same(odd, line):
    x = Tensor(odd)
    x.grad = odd
    y = Tensor(1.0, (x, odd), Raises())
    drawing = draw(y)
    assert repr(drawing).splitlines()[1].split() == ["x", *line.split(), *line.split()]
    assert "text/html" in drawing._repr_mimebundle_()[0]


def test_properties_that_raise():
    class Closed:
        creators = creation_op = None
        data = 1.0
        grad = property(lambda self: 1 / 0)
        name = property(lambda self: 1 / 0)

    x = Closed()
    assert repr(draw(x)).splitlines()[1].split() == ["x", "1", "-"]
