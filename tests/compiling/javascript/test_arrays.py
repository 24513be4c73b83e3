"""How arrays are made, seen, indexed and reduced: the cases that random calls (test_fuzz.py) do not name."""

from __future__ import annotations

import numpy as np
import pytest

from tests.compiling.javascript.node import Error, check

DTYPES = (
    "bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32",
    "float64",
)  # fmt: skip


@pytest.mark.parametrize("one", DTYPES)
@pytest.mark.parametrize("other", DTYPES)
def test_promotion(nd, one, other):
    x, y = np.ones(2, one), np.ones(2, other)
    assert nd.result_type(x, y) == np.result_type(x, y)
    for number in (True, 2, 0.5, -1.0):
        assert nd.result_type(x, number) == np.result_type(x, int(number) if number == -1 else number)


@pytest.mark.parametrize("dtype", DTYPES)
def test_bytes_come_and_go(nd, dtype):
    x = (np.arange(-20, 20) * 3 % 101).astype(dtype)
    check(nd.copy(x), x)
    check(nd.astype(x, "float64"), x.astype(float))


@pytest.mark.parametrize("dtype", ["complex128", "float128", "object"])
def test_other_dtypes_are_refused(nd, dtype):
    with pytest.raises(Error, match=f"the dtype {dtype} is not available in JavaScript"):
        nd.zeros([2], dtype)


def test_new_arrays(nd):
    check(nd.zeros([2, 3]), np.zeros((2, 3)))
    check(nd.ones(3, "float32"), np.ones(3, "float32"))
    check(nd.full([2], 7, "int32"), np.full(2, 7, "int32"))
    check(nd.full([], 0.1, "float32"), np.full((), 0.1, "float32"))
    check(nd.array([[1, 2.5], [3, 4]]), np.array([[1, 2.5], [3, 4]]))
    check(nd.array([[True], [False]]), np.array([[True], [False]]))
    check(nd.array([], "float32"), np.array([], "float32"))
    check(nd.zeros_like(np.ones((2, 1), "int32")), np.zeros((2, 1), "int32"))
    for args in ((5,), (2, 9), (9, 2, -3), (0, 1, 0.1), (3, 3)):
        check(nd.arange(*args), np.arange(*args))


@pytest.mark.parametrize("x", [[300, -1, 7], [2.9, -2.9, 0.0]])
def test_conversions_cut_off_and_wrap(nd, x):
    for dtype in ("int32", "int64", "int8", "bool"):
        check(nd.astype(np.array(x), dtype), np.array(x).astype(dtype))


def test_views_share_their_data_and_single_elements_do_not(nd):
    """Written through JavaScript itself, since results are copies by the time they arrive."""
    x = np.arange(12.0).reshape(3, 4)
    check(nd.call("setitem", x.copy(), 5, 1), np.where(np.arange(3)[:, None] == 1, 5, x))
    turned = x.T
    expected = np.where(np.arange(3) == 1, 0, turned)
    check(nd.setitem(turned.copy(order="K"), 0, slice(None, None, -1), 1), expected)


def test_an_array_written_onto_itself(nd):
    x = np.arange(6.0)
    y = x.copy()
    y[1:] = y[:-1].copy()
    check(nd.concatenate([x[:1], x[:-1]]), y)
    check(nd.add(x[::-1], x, out=x.copy()), x[::-1] + x)


@pytest.mark.parametrize("index", [(3,), (0, -5), ([0, 3],)])
def test_an_index_that_is_out_of_bounds_is_refused(nd, index):
    with pytest.raises(Error, match="out of bounds"):
        nd.getitem(np.zeros((3, 4)), *index)


@pytest.mark.parametrize("index", [True, np.array(False)])
def test_a_boolean_is_no_index(nd, index):
    with pytest.raises(Error, match="not a boolean"):
        nd.getitem(np.zeros((2, 2)), index)


def test_too_many_indices(nd):
    with pytest.raises(Error, match="3 indices for an array of shape"):
        nd.getitem(np.zeros((2, 2)), 0, 0, 0)


def test_shapes_that_do_not_fit_are_refused(nd):
    with pytest.raises(Error, match="shapes do not fit"):
        nd.add(np.zeros(3), np.zeros(2))
    with pytest.raises(Error, match="cannot become one of shape"):
        nd.broadcast_to(np.zeros(3), [2])
    with pytest.raises(Error, match="cannot have the shape"):
        nd.reshape(np.zeros(3), [2, 2])
    with pytest.raises(Error, match="cannot be multiplied"):
        nd.matmul(np.zeros((2, 3)), np.zeros((2, 3)))


@pytest.mark.parametrize("places", [[0, 1, 0, 0], [[0, 1], [1, 1]]])
def test_what_is_added_at_the_same_place_adds_up(nd, places):
    x, places = np.zeros((3, 2), "float32"), np.array(places)
    y = x.copy()
    np.add.at(y, places, np.float32(0.1))
    check(nd.add_at(x, [places], np.float32(0.1)), y)


def test_an_ellipsis_of_no_axes_stands_between_arrays(nd):
    x, places = np.arange(12.0).reshape(3, 4), np.array([0, 2])
    mask = np.array([True, False, True])
    for index in ((places, ..., places), (mask, ..., 1), (None, mask, ..., 1), (None, places, 1)):
        check(nd.getitem(x, *index), x[index])


@pytest.mark.parametrize("mask", [True, False, np.array([True, False, True])])
def test_copyto(nd, mask):
    x = np.arange(6.0).reshape(2, 3)
    y = x.copy()
    np.copyto(y, -1.5, where=mask)
    check(nd.copyto(x, -1.5, where=mask), y)


def test_assemble(nd):
    parts = [np.ones((2, 2)), np.full(3, 2.0)]
    expected = np.zeros((3, 3))
    expected[:2, 1:] += parts[0]
    expected[1] += parts[1]
    check(nd.assemble([3, 3], "float64", [[slice(None, 2), slice(1, None)], [1]], parts), expected)


# -- reductions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 15, 127, 128, 129, 1000, 4096, 20_003])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sums_add_up_in_numpy_s_order(nd, dtype, count):
    x = np.random.default_rng(0).normal(size=count).astype(dtype)
    check(nd.sum(x), x.sum())
    check(nd.sum(x[::-1]), x[::-1].sum())
    check(nd.sum(x[::3]), x[::3].sum())
    check(nd.mean(x[: count or None]) if count else np.float64(0), x.mean() if count else np.float64(0))


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 1), (0, 2), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (2, 1, 0), (1, 0, 2)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sums_along_axes_in_every_order_of_memory(nd, dtype, order, axis):
    x = np.random.default_rng(1).normal(size=(13, 40, 150)).astype(dtype).transpose(order)
    check(nd.sum(x, axis=list(axis) if isinstance(axis, tuple) else axis), x.sum(axis=axis))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all"])
def test_masks_and_starts(nd, name):
    x = np.random.default_rng(2).normal(size=(4, 5))
    options = {"axis": 1, "keepdims": True}
    if name in ("any", "all"):
        check(nd.call(name, x > 0, where=x < 1, **options), getattr(np, name)(x > 0, where=x < 1, **options))
    else:
        options["initial"] = 0.25
        check(nd.call(name, x, where=x > 0, **options), getattr(np, name)(x, where=x > 0, **options), 1e-15)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod", "mean"])
def test_the_dtypes_of_sums(nd, name, dtype):
    x = np.array([[1, 0, 3], [2, 5, 1]], dtype)
    options = {"axis": 0} if name != "mean" else {}
    check(nd.call(name, x, **options), getattr(np, name)(x, **options))


def test_no_elements_have_no_extremum(nd):
    with pytest.raises(Error, match="extremum"):
        nd.max(np.zeros((0, 2)), axis=0)
    check(nd.max(np.zeros((2, 0)), axis=0), np.zeros(0))


@pytest.mark.parametrize("axis", [None, 0, 1, [0, 1]])
@pytest.mark.parametrize("shape", [(3, 4), (5, 5), (1, 2)])
def test_medians(nd, shape, axis):
    x = np.random.default_rng(3).normal(size=shape)
    for array in (x, np.where(np.arange(x.size).reshape(x.shape) == 1, np.nan, x)):
        expected = np.median(array, axis=tuple(axis) if isinstance(axis, list) else axis)
        check(nd.median(array, axis=axis), expected)


def test_take_along_axis(nd):
    x = np.random.default_rng(4).normal(size=(3, 4))
    order = np.argsort(x, axis=1)[:, :2]
    check(nd.take_along_axis(x, order, 1), np.take_along_axis(x, order, 1))
    check(nd.take_along_axis(x, order - 4, -1), np.take_along_axis(x, order - 4, -1))


@pytest.mark.parametrize(
    "places", [1, -1, [2, 0, 0], [[1], [-2]], np.array([0, 2]), np.zeros((0,), np.int64)]
)
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_take(nd, places, axis):
    for x in (np.arange(12.0).reshape(3, 4), np.arange(12).reshape(3, 4).T):
        expected = np.take(x, places, axis)
        check(nd.take(x, places, axis), expected)
        check(nd.take(x, places, axis=axis), expected)
