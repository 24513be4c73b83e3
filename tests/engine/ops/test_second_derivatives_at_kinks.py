"""Where a rule substitutes a value, as the slope 0 of a norm at 0, a second derivative computed through it is
inf or nan, never a finite number that is wrong. At the kink of abs alone it is 0, as beside it."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad

ORIGIN = np.zeros(2)
CASES = {
    "norm": (ad.norm, ORIGIN),
    "square of a norm": (lambda x: ad.norm(x) ** 2, ORIGIN),
    "product of norms": (lambda x: ad.norm(x) * ad.norm(x), ORIGIN),
    "Frobenius norm": (lambda x: ad.norm(ad.reshape(x, shape=(1, 2)), "fro") ** 2, ORIGIN),
    "norm of order 3": (lambda x: ad.norm(x, 3) ** 2, ORIGIN),
    "norm of order 1.5 on an axis": (lambda x: ad.norm(x, 1.5), np.array([0.0, 1.0])),
    "std": (ad.std, np.ones(2)),
    "square of a std": (lambda x: ad.std(x) ** 2, np.ones(2)),
    "hypot": (lambda x: ad.hypot(x[0], x[1]) ** 2, ORIGIN),
    "arctan2": (lambda x: ad.arctan2(x[0], x[1]) * (x * x).sum(), ORIGIN),
    "root": (lambda x: ad.sqrt((x * x).sum()) ** 2, ORIGIN),
    "cosine similarity": (lambda x: ad.cosine_similarity(x, np.array([1.0, 2.0])) * ad.norm(x), ORIGIN),
}
WAYS = {
    "forward": ad.hessian,
    "reverse": lambda f: ad.jacobian(ad.grad(f), mode="reverse"),
    "forward of forward": lambda f: ad.jacobian(ad.jacobian(f, mode="forward"), mode="forward"),
    "compiled": lambda f: ad.compile(ad.hessian(f)),
    "vmapped": lambda f: lambda x: ad.vmap(ad.hessian(f))(x[None])[0],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_the_second_derivative_at_a_kink_is_not_finite(case, way):
    f, x = CASES[case]
    second = WAYS[way](f)(x).data
    assert not np.isfinite(np.diag(second)).all()


@pytest.mark.parametrize("case", [case for case in CASES if case != "root"])
def test_the_slope_at_a_kink_is_a_number(case):
    f, x = CASES[case]
    assert np.isfinite(ad.grad(f)(x).data).all()


@pytest.mark.parametrize("way", WAYS)
def test_what_to_write_for_a_square(way):
    np.testing.assert_array_equal(WAYS[way](lambda x: (x * x).sum())(ORIGIN).data, 2 * np.eye(2))
    expected = [[0.5, -0.5], [-0.5, 0.5]]
    np.testing.assert_array_equal(WAYS[way](lambda x: ad.var(x))(np.ones(2)).data, expected)


@pytest.mark.parametrize("way", WAYS)
def test_near_the_kink_the_second_derivative_of_a_square_is_right(way):
    x = np.array([3e-150, -4e-150])
    np.testing.assert_allclose(WAYS[way](lambda x: ad.norm(x) ** 2)(x).data, 2 * np.eye(2), atol=1e-12)


@pytest.mark.parametrize("way", [way for way in WAYS if way != "forward of forward"])
def test_other_rows_keep_their_second_derivatives(way):
    """Only what comes through the row of zeros is nan. Forward mode alone would add up the rows first."""
    x = np.array([0.0, 0.0, 3.0, 4.0])
    f = lambda x: (ad.norm(ad.reshape(x, shape=(2, 2)), axis=1) ** 2).sum()
    np.testing.assert_allclose(WAYS[way](f)(x).data[2:, 2:], 2 * np.eye(2), atol=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_a_single_element_never_deviates(way):
    f = lambda x: (ad.std(ad.reshape(x, shape=(2, 1)), axis=1) * x).sum()
    np.testing.assert_array_equal(WAYS[way](f)(np.array([3.0, 5.0])).data, np.zeros((2, 2)))


@pytest.mark.parametrize("way", WAYS)
def test_the_second_derivative_of_abs_is_0_as_beside_its_kink(way):
    x, right = np.array([0.0, 3.0, -2.0]), lambda x: (x * x).sum()
    np.testing.assert_array_equal(WAYS[way](lambda x: ad.abs(x).sum())(x).data, np.zeros((3, 3)))
    np.testing.assert_array_equal(WAYS[way](lambda x: ad.abs(x).sum() + right(x))(x).data, 2 * np.eye(3))
    squares = WAYS[way](lambda x: (ad.abs(x) ** 2).sum())(x).data
    np.testing.assert_array_equal(squares, np.diag([0.0, 2, 2]))  # the first is 2; the docstring says so
    np.testing.assert_array_equal(WAYS[way](right)(x).data, 2 * np.eye(3))
