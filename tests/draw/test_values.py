"""Data as text and as cells: numbers, arrays, and whatever else a reader's class may hold."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import draw
from autodiff.draw.graph.as_text import blocks, brief, number, value_of
from autodiff.draw.picture import values
from autodiff.draw.picture.faces import LEVELS, NOT_FINITE
from tests.draw.readers import Tensor, face, made, rows


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


# -- in a picture -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (40.0, "40"), (0.0, "0"), (-0.0, "0"), (2 / 3, "0.667"), (-2 / 3, "-0.667"), (12345.0, "12345"),
        (99999.0, "99999"), (100000.0, "1e5"), (1234.56, "1235"), (123.456, "123"), (0.000123, "0.000123"),
        (1.72354e-05, "1.72e-5"), (1e300, "1e300"), (-1e-300, "-1e-300"), (5e-324, "4.94e-324"),
        (float("nan"), "nan"), (float("inf"), "inf"), (float("-inf"), "-inf"), (True, "True"), (7, "7"),
        (10**20, "1e20"), (np.float32(0.1), "0.1"), (np.float16(6e-8), "5.96e-8"), (np.int8(-128), "-128"),
        (np.bool_(False), "False"), (1 + 2j, "(1+2j)"), ("word", "word"),
    ],
)  # fmt: skip
def test_three_digits(x, text):
    assert brief(x) == text


def test_six_digits_stay_in_the_table():
    x = ad.Tensor(2 / 3)
    assert rows(draw(x), "n0") == {"data": "0.667"}
    assert "0.666667" in str(draw(x))


@pytest.mark.parametrize("style", ["compact", "spread"])
def test_a_gradient_that_is_not_there_has_no_row(style):
    x = ad.Tensor(2.0)
    y = x * x
    assert list(rows(draw(y, style=style), "n0")) == ["data"]
    y.backward()
    assert rows(draw(y, style=style), "n0") == {"data": "2", "grad": "4"}
    assert list(rows(draw(made(None, None)), "n0").values()) == ["-"]


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (np.array(3.5), "3.5"),
        (np.array([[2.5]]), "2.5"),
        (np.array([1.0]), "1"),
        (np.array([1.0, -0.0]), [["1", "0"]]),
        (np.array([[1], [2], [3]]), [["1"], ["2"], ["3"]]),
        (np.arange(12.0).reshape(3, 4), [[str(4 * i + j) for j in range(4)] for i in range(3)]),
        (np.arange(8.0).reshape(2, 2, 2), [["0", "1"], ["2", "3"], ["4", "5"], ["6", "7"]]),
        (np.array([True, False]), [["True", "False"]]),
        (np.array([1, 2], np.uint8), [["1", "2"]]),
        (np.array([1e-9, 1e9]), [["1e-9", "1e9"]]),
        (np.array([np.nan, np.inf, 1.0]), [["nan", "inf", "1"]]),
        (np.arange(6.0).reshape(2, 3)[::-1, ::2], [["3", "5"], ["0", "2"]]),
        (np.broadcast_to(1.0, (2, 2)), [["1", "1"], ["1", "1"]]),
        (np.zeros((3, 5)), "(3, 5)"),
        (np.zeros(13), "(13,)"),
        (np.zeros((0, 3)), "(0, 3)"),
        (np.zeros(0), "(0,)"),
        (np.array([1j, 2.0]), "[0+1j, 2+0j]"),
        (np.array(["a", "b"]), "[a, b]"),
        ([1, 2.5], [["1", "2.5"]]),
    ],
)
def test_arrays_in_a_picture(data, shown):
    drawing = draw(Tensor(data))
    assert rows(drawing, "n0") == {"data": shown}
    assert drawing.svg


def test_cells_are_tinted_by_sign_and_size():
    (row,) = face(draw(Tensor(np.array([[4.0, -4.0, 0.0], [1.0, -1e-9, np.nan]]))), "n0").rows
    assert [[cell.shade for cell in line] for line in row.cells] == [[8, -8, 0], [4, -1, NOT_FINITE]]


def test_data_have_one_scale_in_a_picture_and_gradients_another():
    x = ad.Tensor(np.full((2, 2), 0.25))
    y = x * 400
    z = y.sum()
    z.backward()
    drawing = draw(z)
    data = [face(drawing, key).rows[0].cells[0][0].shade for key in ("n0", "n1")]
    grads = [face(drawing, key).rows[1].cells[0][0].shade for key in ("n0", "n1")]
    assert data == [1, LEVELS], "a quarter is pale beside a hundred"
    assert grads == [LEVELS, 1]


def test_a_large_array_is_shades_with_a_scale_below():
    w = ad.Tensor(np.linspace(-3, 3, 600).reshape(20, 30))
    y = (w * 0.5).sum()
    y.backward()
    drawing = draw(y)
    (data, grad) = face(drawing, "n0").rows
    assert (len(data.cells), len(data.cells[0])) == (5, 12)
    assert not data.has_numbers
    assert data.cells[0][0].shade == -LEVELS
    assert data.cells[-1][-1].shade == LEVELS
    assert [(part, round(scale, 6)) for part, scale in drawing._composed[1].scales] == [
        ("data", 3),
        ("grad", 1),
    ]
    assert "\N{MINUS SIGN}3" in drawing.svg
    assert grad.text == "(20, 30)"


def test_a_block_is_its_element_farthest_from_zero():
    array = np.zeros((50, 120))
    array[3, 7], array[3, 8], array[44, 119] = 2.0, -5.0, np.nan
    shown, is_whole = blocks(array)
    assert not is_whole
    assert shown[0][0] == -5.0
    assert np.isnan(shown[-1][-1])
    assert sum(x != 0 for line in shown for x in line) == 2


def test_shades():
    assert [values.shade(x, 4.0) for x in (4, 1, 1e-12, 0, -1e-12, -4, 400)] == [8, 4, 1, 0, -1, -8, 8]
    assert values.shade(1.0, 0.0) == 0
    assert values.largest([value_of(np.array([1.0, np.inf, -7.0])), value_of(3.0)]) == 7.0
    assert values.largest([]) == 0.0


def test_nan_is_red_where_it_is_born():
    x = ad.Tensor(-1.0)
    with np.errstate(all="ignore"):
        h = x.log()
        y = h * 2 + ad.Tensor(1.0)
    kinds = [one.kind for one in draw(y)._composed[1].faces.values()]
    assert kinds.count("wrong") == 1
    assert face(draw(y), "n1").kind == "wrong"
    given = ad.Tensor(float("nan"))
    assert "wrong" not in {one.kind for one in draw(given * 2)._composed[1].faces.values()}, "it came with it"
    w = ad.Tensor(np.array([1.0, 0.0]))
    with np.errstate(all="ignore"):
        drawing = draw((1 / w).sum())
    assert face(drawing, "n1").kind == "wrong"
    assert face(drawing, "n2").kind == "made"


def test_a_nan_that_an_infinity_makes_is_red_too():
    a = ad.Tensor(0.0)
    b = ad.log(a)
    c = b * a
    d = c + 1
    kinds = [face(draw(d), f"n{i}").kind for i in range(4)]
    assert kinds == ["leaf", "wrong", "wrong", "made"], "-inf comes up in b, and nan in c"
