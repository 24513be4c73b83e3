"""Writes into arrays that share memory: they are compiled if nothing else would see them, and refused
otherwise, with the line and what to write instead."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import autodiff as ad
from autodiff.compiling import TraceError

X = np.random.default_rng(0).normal(size=(3, 4))


def row(x):
    y = np.exp(x)
    y[0] = y[0] + 1
    y[:, 1] = 2 * y[:, 1]
    return y


def of_something_dropped(x):
    y = np.exp(x)[1:]
    y *= 2
    return y


def copied(x):
    y = x[0].copy()
    y += 1
    return y, x.sum()


def after_the_view(x):
    y = np.exp(x)
    total = y.T.sum(axis=0)
    y[1] = total[1]
    return y, total


def filled(x):
    y = np.zeros_like(x)
    y[0] = x[1]
    return y


@pytest.mark.parametrize("f", [row, of_something_dropped, copied, after_the_view, filled])
def test_a_write_that_nothing_else_sees(f):
    gc.disable()  # as while a function is traced: the count of references decides
    try:
        found, expected = ad.compile(f)(X.copy()), f(X.copy())
    finally:
        gc.enable()
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, other)


def into_a_view(x):
    y = np.exp(x)
    z = y[0]
    z += 1  # here
    return y


def into_an_argument(x):
    y = x[0]
    y += 1  # here
    return x.sum()


def under_a_view(x):
    y = np.exp(x)
    z = y.T
    y[0] = 1.0  # here
    return z


def in_one_line(x):
    y = np.exp(x)
    y[0] += 1  # here
    return y


def under_two_views(x):
    y = np.exp(x)
    z = y.reshape(-1)[2:]
    y *= 2  # here
    return z


def out(x):
    y = np.exp(x)
    np.add(y[1], 1.0, out=y[0])  # here
    return y


@pytest.mark.parametrize(
    "f", [into_a_view, into_an_argument, under_a_view, in_one_line, under_two_views, out]
)
def test_a_write_that_a_view_would_see_is_refused(f):
    with pytest.raises(TraceError) as caught:
        ad.compile(f)(X.copy())
    message = str(caught.value)
    assert "# here" in message
    assert "test_views.py" in message
    assert "shares its memory" in message
    assert "x[0].copy()" in message


def test_a_symbol_in_an_array_of_numpy():
    def f(x):
        y = np.zeros((3, 4))
        y[0] = x[1]  # here
        return y

    with pytest.raises(TraceError, match=r"(?s)np\.zeros_like\(x\).*# here"):
        ad.compile(f)(X)
