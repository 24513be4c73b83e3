"""NumPy's functions on Tensors: what they give, that it is recorded, where arguments go, what is refused."""

from __future__ import annotations

import inspect
import re
from operator import attrgetter

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.numpy_protocol import functions
from autodiff.numpy_protocol.functions import IMPLEMENTATIONS, PLAIN, SAME_ARGUMENTS, UFUNCS, signatures
from autodiff.numpy_protocol.instead import INSTEAD
from autodiff.testing import weights

SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, 0.25], [0.5, 0.25, 6.0]])
MATRIX = np.array([[0.5, -2.0, 3.0], [4.0, 1.5, -6.0]])
INDICES = np.array([[0, 2], [1, 1]])



def with_nan(x):
    return np.where([[False, True, False], [False, False, True]], np.nan, x)


# A function of NumPy's, and calls of it on x, a matrix of two rows and three columns.
CALLS = [
    (np.sum, lambda f, x: f(x)), (np.sum, lambda f, x: f(x, 0)), (np.sum, lambda f, x: f(axis=0, a=x)),
    (np.sum, lambda f, x: f(x, 1, None, None, True)), (np.sum, lambda f, x: f(x, (0, 1), keepdims=True)),
    (np.mean, lambda f, x: f(x, 1)), (np.mean, lambda f, x: f(x, axis=-1, keepdims=True, dtype=None)),
    (np.prod, lambda f, x: f(x, 0)), (np.max, lambda f, x: f(x, axis=1)),
    (np.min, lambda f, x: f(x, 0, keepdims=True)), (np.amax, lambda f, x: f(x)),
    (np.amin, lambda f, x: f(x, 1)), (np.var, lambda f, x: f(x, 1, ddof=1)),
    (np.var, lambda f, x: f(x, 1, None, None, 1)), (np.std, lambda f, x: f(x, axis=(0, 1))),
    (np.median, lambda f, x: f(x, 1)), (np.median, lambda f, x: f(x, keepdims=True, overwrite_input=False)),
    (np.cumsum, lambda f, x: f(x)), (np.cumsum, lambda f, x: f(x, 1)),
    (np.cumprod, lambda f, x: f(x, axis=0)), (np.sort, lambda f, x: f(x)),
    (np.sort, lambda f, x: f(x, 0, "stable")), (np.sort, lambda f, x: f(x, axis=None)),
    (np.reshape, lambda f, x: f(x, (3, 2))), (np.reshape, lambda f, x: f(x, -1, order="C")),
    (np.ravel, lambda f, x: f(x)), (np.ravel, lambda f, x: f(x, order="C")),
    (np.transpose, lambda f, x: f(x)), (np.transpose, lambda f, x: f(x, axes=(1, 0))),
    (np.swapaxes, lambda f, x: f(x, 0, 1)), (np.moveaxis, lambda f, x: f(x, 0, -1)),
    (np.expand_dims, lambda f, x: f(x, 1)), (np.expand_dims, lambda f, x: f(x, axis=(0, -1))),
    (np.squeeze, lambda f, x: f(x[:1])), (np.squeeze, lambda f, x: f(x[:, :1], axis=1)),
    (np.broadcast_to, lambda f, x: f(x, (2, 2, 3))),
    (np.broadcast_to, lambda f, x: f(x, shape=(1, 2, 3), subok=False)), (np.repeat, lambda f, x: f(x, 2)),
    (np.repeat, lambda f, x: f(x, [0, 3], axis=0)), (np.tile, lambda f, x: f(x, (2, 1))),
    (np.tile, lambda f, x: f(A=x, reps=2)), (np.flip, lambda f, x: f(x)),
    (np.flip, lambda f, x: f(x, axis=0)), (np.flip, lambda f, x: f(m=x, axis=1)),
    (np.roll, lambda f, x: f(x, 2)), (np.roll, lambda f, x: f(x, shift=1, axis=1)),
    (np.pad, lambda f, x: f(x, 1)),
    (np.pad, lambda f, x: f(x, ((0, 1), (2, 0)), "constant", constant_values=7)),
    (np.pad, lambda f, x: f(x, 1, "edge")),
    (np.pad, lambda f, x: f(array=x, pad_width=(1, 2), mode="reflect")),
    (np.concatenate, lambda f, x: f([x, x])), (np.concatenate, lambda f, x: f((x, [[1.0, 2.0, 3.0]]), 0)),
    (np.concatenate, lambda f, x: f((x, x), axis=None)), (np.concatenate, lambda f, x: f(x)),
    (np.stack, lambda f, x: f([x, MATRIX], axis=-1)), (np.stack, lambda f, x: f(arrays=(x, x))),
    (np.vstack, lambda f, x: f([x, x[0], [1.0, 2.0, 3.0]])), (np.hstack, lambda f, x: f([x, x])),
    (np.hstack, lambda f, x: f(tup=[x[0], 5.0, [1.0]])), (np.hstack, lambda f, x: f([x[0, 0], x[1, 1]])),
    (np.split, lambda f, x: f(x, 3, axis=1)), (np.split, lambda f, x: f(x, [1], 1)),
    (np.array_split, lambda f, x: f(x, 2, 1)), (np.array_split, lambda f, x: f(x, 4, axis=-1)),
    (np.array_split, lambda f, x: f(x, [1, 2], axis=1)), (np.where, lambda f, x: f(MATRIX > 0, x, 0)),
    (np.where, lambda f, x: f(x > 0, 10.0, x)), (np.clip, lambda f, x: f(x, 0, 1)),
    (np.clip, lambda f, x: f(x, None, 1)), (np.clip, lambda f, x: f(x, a_min=0, a_max=None)),
    (np.dot, lambda f, x: f(x, [1.0, 2.0, 3.0])), (np.dot, lambda f, x: f(x, x.T)),
    (np.inner, lambda f, x: f(x, x)), (np.outer, lambda f, x: f(x, [1.0, 2.0])),
    (np.outer, lambda f, x: f(a=x, b=x)), (np.einsum, lambda f, x: f("ij,kj->ik", x, MATRIX)),
    (np.einsum, lambda f, x: f("ij->j", x, optimize=True)), (np.trace, lambda f, x: f(x)),
    (np.trace, lambda f, x: f(x, 1, 1, 0)), (np.diagonal, lambda f, x: f(x, 1)),
    (np.tril, lambda f, x: f(x, -1)), (np.triu, lambda f, x: f(m=x, k=1)),
    (np.take_along_axis, lambda f, x: f(x, INDICES, 1)),
    (np.take_along_axis, lambda f, x: f(arr=x, indices=INDICES, axis=1)),
    (np.linalg.norm, lambda f, x: f(x)), (np.linalg.norm, lambda f, x: f(x, 2, 1)),
    (np.linalg.norm, lambda f, x: f(x, "fro")), (np.linalg.norm, lambda f, x: f(x[0], ord=2)),
    (np.linalg.norm, lambda f, x: f(x, None, (0, 1), True)),
    (np.linalg.norm, lambda f, x: f(x, axis=0, keepdims=True)), (np.linalg.det, lambda f, x: f(x[:, :2])),
    (np.linalg.inv, lambda f, x: f(x[:, :2])), (np.linalg.solve, lambda f, x: f(x[:, :2], x[:, 2])),
    (np.linalg.solve, lambda f, x: f(a=x[:, :2], b=x)),
    (np.linalg.cholesky, lambda f, x: f(x.T @ x + SQUARE)),
    (np.linalg.cholesky, lambda f, x: f(x.T @ x + SQUARE, upper=False)),
    # reductions with more options
    (np.sum, lambda f, x: f(x, dtype=np.float64)), (np.sum, lambda f, x: f(x, 0, initial=2.5)),
    (np.sum, lambda f, x: f(x, where=MATRIX > 0)), (np.sum, lambda f, x: f(x, 1, where=[True, False, True])),
    (np.sum, lambda f, x: f(x, keepdims=True, initial=1, where=MATRIX[0] > 0)),
    (np.mean, lambda f, x: f(x, where=MATRIX > 0)),
    (np.mean, lambda f, x: f(x, axis=1, where=MATRIX > 0, keepdims=True)),
    (np.mean, lambda f, x: f(x, 1, where=True)), (np.max, lambda f, x: f(x, initial=-1.0, where=False)),
    (np.mean, lambda f, x: f(x, dtype="float64")), (np.prod, lambda f, x: f(x, 1, where=MATRIX > 0)),
    (np.prod, lambda f, x: f(x, initial=0.5, dtype=float)), (np.max, lambda f, x: f(x, initial=2.0, axis=1)),
    (np.max, lambda f, x: f(x, 1, initial=-9.0, where=MATRIX < 3)),
    (np.min, lambda f, x: f(x, 0, initial=1.0)), (np.amin, lambda f, x: f(x, initial=9, where=MATRIX > 0)),
    (np.ptp, lambda f, x: f(x)), (np.ptp, lambda f, x: f(x, axis=1, keepdims=True)),
    (np.average, lambda f, x: f(x)), (np.average, lambda f, x: f(x, 1, [1.0, 2.0, 3.0])),
    (np.average, lambda f, x: f(x, weights=MATRIX**2, axis=0, keepdims=True)),
    (np.average, lambda f, x: f(x, (1, 0), weights=MATRIX.T**2)),
    (np.average, lambda f, x: f(MATRIX, weights=x * x, returned=True)[0]),
    (np.quantile, lambda f, x: f(x, 0.3)), (np.quantile, lambda f, x: f(x, [0.25, 0.5], axis=1)),
    (np.percentile, lambda f, x: f(x, (10, 80), 0, keepdims=True)),
    (np.percentile, lambda f, x: f(x, 50, method="linear")),
    (np.trapezoid, lambda f, x: f(x)), (np.trapezoid, lambda f, x: f(x, dx=0.5, axis=0)),
    (np.trapezoid, lambda f, x: f(x, [0.0, 1.0, 3.0])), (np.trapezoid, lambda f, x: f(x, x * x)),
    (np.trapezoid, lambda f, x: f(MATRIX[0], x=x[1])), (np.trapezoid, lambda f, x: f(x, [0, 2], axis=0)),
    # matrices
    (np.linalg.norm, lambda f, x: f(x, 2)), (np.linalg.norm, lambda f, x: f(x, 1, axis=0)),
    (np.linalg.norm, lambda f, x: f(x, "nuc")), (np.linalg.norm, lambda f, x: f(x, np.inf, (0, 1), True)),
    (np.linalg.norm, lambda f, x: f(x, ord=-np.inf, axis=-1)),
    (np.linalg.eigh, lambda f, x: f(x[:, :2])), (np.linalg.eigh, lambda f, x: f(a=x[:, 1:], UPLO="U")),
    (np.linalg.eigvalsh, lambda f, x: f(x[:, :2])), (np.linalg.svdvals, lambda f, x: f(x)),
    (np.linalg.svd, lambda f, x: f(x, full_matrices=False)), (np.linalg.svd, lambda f, x: f(x[:, :2])),
    (np.linalg.svd, lambda f, x: f(x, compute_uv=False)), (np.linalg.pinv, lambda f, x: f(x)),
    (np.linalg.pinv, lambda f, x: f(x.T, 1e-10)), (np.linalg.pinv, lambda f, x: f(x, rtol=1e-9)),
    (np.linalg.matrix_power, lambda f, x: f(x[:, :2], 3)),
    (np.linalg.matrix_power, lambda f, x: f(x[:, :2], n=-2)),
    (np.linalg.multi_dot, lambda f, x: f([x.T, x, MATRIX[0]])), (np.kron, lambda f, x: f(x, [1.0, 2.0])),
    (np.kron, lambda f, x: f(MATRIX, b=x)), (np.tensordot, lambda f, x: f(x, x)),
    (np.tensordot, lambda f, x: f(MATRIX, x, axes=([1], [1]))), (np.tensordot, lambda f, x: f(x, x, 0)),
    (np.cross, lambda f, x: f(x, x[0])), (np.cross, lambda f, x: f(x.T, MATRIX, axisa=0, axisc=0)),
    (np.cross, lambda f, x: f(x.T, MATRIX.T, axis=0)), (np.diag, lambda f, x: f(x)),
    (np.diag, lambda f, x: f(x[0], -1)), (np.diag, lambda f, x: f(v=x, k=1)),
    # made, joined, cut apart and turned
    (np.meshgrid, lambda f, x: f(x[0], x[1])), (np.meshgrid, lambda f, x: f(x[0], x[1, :2], indexing="ij")),
    (np.meshgrid, lambda f, x: f(x[0], x[1], sparse=True)), (np.append, lambda f, x: f(x, 5.0)),
    (np.append, lambda f, x: f(x, [[1.0, 2.0, 3.0]], axis=0)), (np.append, lambda f, x: f(MATRIX, x, 1)),
    (np.column_stack, lambda f, x: f([x[0], x[1], [1.0, 2.0, 3.0]])),
    (np.column_stack, lambda f, x: f((x, x[:, 0]))), (np.dstack, lambda f, x: f([x, MATRIX])),
    (np.dstack, lambda f, x: f((x[0], x[1]))), (np.atleast_1d, lambda f, x: f(x[0, 0])),
    (np.atleast_1d, lambda f, x: f(x * 2, x[0, 0], 3.0)[:2]), (np.atleast_2d, lambda f, x: f(x[0])),
    (np.atleast_2d, lambda f, x: f(x[0, 0], x + 1)), (np.atleast_3d, lambda f, x: f(x)),
    (np.atleast_3d, lambda f, x: f(x[0], x[0, 0], x[None])), (np.diff, lambda f, x: f(x)),
    (np.diff, lambda f, x: f(x, 2, axis=1)), (np.diff, lambda f, x: f(x, axis=0, n=1)),
    (np.diff, lambda f, x: f(x, prepend=0, append=x[:, :1])), (np.diff, lambda f, x: f(x[1:], n=0)),
    (np.nan_to_num, lambda f, x: f(np.where(MATRIX > 2, np.inf, x), posinf=7, nan=3)),
    (np.nan_to_num, lambda f, x: f(x, copy=True)),
    (np.select, lambda f, x: f([MATRIX > 2, MATRIX > 0], [x, x * x], 5.0)),
    (np.select, lambda f, x: f([MATRIX > 0], [x * x], default=x)), (np.flipud, lambda f, x: f(x)),
    (np.fliplr, lambda f, x: f(m=x)), (np.rot90, lambda f, x: f(x)), (np.rot90, lambda f, x: f(x, 2)),
    (np.rot90, lambda f, x: f(x, k=-1)), (np.rot90, lambda f, x: f(x[None], 3, (0, 2))),
    (np.rot90, lambda f, x: f(x, 0)), (np.rot90, lambda f, x: f(x, k=5, axes=(1, 0))),
    (np.rot90, lambda f, x: f(x, 4)), (np.rot90, lambda f, x: f(x, -6)),
    (np.hsplit, lambda f, x: f(x, 3)), (np.hsplit, lambda f, x: f(x[0], [1])),
    (np.vsplit, lambda f, x: f(x, 2)), (np.vsplit, lambda f, x: f(ary=x, indices_or_sections=[1])),
    (np.dsplit, lambda f, x: f(x[None], 3)), (np.partition, lambda f, x: f(x, 1)),
    (np.partition, lambda f, x: f(x, (0, 3), axis=None)), (np.sinc, lambda f, x: f(x)),
    (np.take, lambda f, x: f(x, [5, 0, 0])), (np.take, lambda f, x: f(x, INDICES, axis=1)),
    (np.take, lambda f, x: f(x, 1, -1)), (np.delete, lambda f, x: f(x, 1, axis=1)),
    (np.delete, lambda f, x: f(x, [0, -1])), (np.copy, lambda f, x: f(x)),
    # nan left out
    (np.nansum, lambda f, x: f(with_nan(x), 1)), (np.nanprod, lambda f, x: f(with_nan(x), axis=0)),
    (np.nanmean, lambda f, x: f(with_nan(x))), (np.nanmean, lambda f, x: f(with_nan(x), 1, keepdims=True)),
    (np.nanmax, lambda f, x: f(with_nan(x), axis=1)), (np.nanmin, lambda f, x: f(with_nan(x), keepdims=True)),
    # other names
    (np.linalg.cross, lambda f, x: f(x, MATRIX)), (np.linalg.matmul, lambda f, x: f(x, x.T)),
    (np.linalg.outer, lambda f, x: f(x[0], x[1])), (np.linalg.tensordot, lambda f, x: f(x, MATRIX, axes=2)),
    (np.linalg.diagonal, lambda f, x: f(x[None], offset=1)), (np.linalg.trace, lambda f, x: f(x[None])),
    (np.linalg.matrix_transpose, lambda f, x: f(x[None])), (np.matrix_transpose, lambda f, x: f(x)),
]  # fmt: skip
CONSTANT = [
    (np.linalg.slogdet, lambda f, x: f(x[:, :2])), (np.argmax, lambda f, x: f(x)),
    (np.argmax, lambda f, x: f(x, 1, keepdims=True)), (np.argmin, lambda f, x: f(x, axis=0)),
    (np.argsort, lambda f, x: f(x)), (np.argsort, lambda f, x: f(x, 0, kind="stable")),
    (np.round, lambda f, x: f(x)), (np.around, lambda f, x: f(x / 3, 1)),
    (np.round, lambda f, x: f(x / 3, decimals=2)), (np.zeros_like, lambda f, x: f(x)),
    (np.zeros_like, lambda f, x: f(x, dtype=int)), (np.ones_like, lambda f, x: f(x, np.float32)),
    (np.fix, lambda f, x: f(x / 3)), (np.linalg.norm, lambda f, x: f(x, 0, axis=1)),
    (np.full_like, lambda f, x: f(x, 7)), (np.full_like, lambda f, x: f(a=x, fill_value=7, dtype=None)),
]  # fmt: skip


def named(calls):
    return pytest.mark.parametrize(("function", "call"), calls, ids=[f.__name__ for f, _ in calls])


def parts(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


@named(CALLS)
def test_it_gives_what_numpy_gives_and_is_recorded(function, call):
    x = Tensor(MATRIX)
    found, expected = parts(call(function, x)), parts(call(function, MATRIX))
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected):
        assert isinstance(mine, Tensor)
        assert mine.creators is not None
        np.testing.assert_allclose(mine.data, theirs, rtol=1e-12, atol=1e-14)
        assert (mine.shape, mine.dtype) == (np.shape(theirs), theirs.dtype)


# Beside an array, a number and a list of numbers have no dtype here, and float64 in these functions of NumPy.
BESIDE_NUMBERS = (np.append, np.average, np.percentile, np.quantile)


@named([(function, call) for function, call in CALLS if function not in BESIDE_NUMBERS])
def test_single_precision_stays_where_numpy_s_does(function, call):
    matrix = MATRIX.astype(np.float32)
    found, expected = parts(call(function, Tensor(matrix))), parts(call(function, matrix))
    assert [part.dtype for part in found] == [part.dtype for part in expected]


def test_a_mean_of_all_elements_is_one_operation():
    assert str(np.mean(Tensor(MATRIX)).creation_op) == str(np.mean(Tensor(MATRIX), where=True).creation_op)
    assert str(np.mean(Tensor(MATRIX)).creation_op) == "mean"


def test_a_vector_is_no_matrix_to_transpose():
    with pytest.raises(ValueError, match="matrix_transpose"):
        np.matrix_transpose(Tensor(MATRIX[0]))


@named(CALLS)
def test_its_gradient_agrees_with_nudges(function, call):
    assert ad.gradcheck(lambda x: sum((part * part).sum() for part in parts(call(function, x))), MATRIX)


@named(CONSTANT)
@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")
def test_what_has_no_slope_is_a_constant(function, call):
    mine, theirs = parts(call(function, Tensor(MATRIX)))[0], parts(call(function, MATRIX))[0]
    assert not mine.requires_grad
    np.testing.assert_array_equal(mine.data, theirs)
    assert mine.dtype == theirs.dtype


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "strided": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
    "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "permuted": lambda a: np.stack([a, -a], axis=1).transpose(1, 0, 2)[0],
    "float32": lambda a: a.astype(np.float32),
}


@named(CALLS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_data_and_gradients_makes_no_difference(function, call, layout):
    x, y = Tensor(MATRIX), Tensor(MATRIX)
    y._value = LAYOUTS[layout](MATRIX)
    y._value.flags.writeable = False
    rtol = 1e-3 if layout == "float32" else 1e-11
    for mine, theirs in zip(parts(call(function, y)), parts(call(function, x))):
        np.testing.assert_allclose(mine.data, theirs.data, rtol, rtol)
        theirs.backward(weights(theirs.shape))
        mine.backward(np.array(weights(mine.shape), order="F"))
    np.testing.assert_allclose(y.grad.data, x.grad.data, rtol, rtol)
    assert y.grad.dtype == y.dtype


def test_every_function_is_called_above():
    called = {function for function, _ in CALLS + CONSTANT}
    assert set(SAME_ARGUMENTS) | set(IMPLEMENTATIONS) == called | {np.empty_like}
    assert np.empty_like(Tensor(MATRIX)).shape == (2, 3)


@pytest.mark.parametrize("function", SAME_ARGUMENTS, ids=lambda function: function.__name__)
def test_an_option_left_out_means_what_it_means_to_numpy(function):
    """What equals NumPy's default is not passed on, so ours must be the same."""
    theirs, count, _ = signatures(function, SAME_ARGUMENTS[function])
    for name, parameter in list(inspect.signature(SAME_ARGUMENTS[function]).parameters.items())[count:]:
        default = theirs.parameters[name].default
        if default not in (np._NoValue, inspect.Parameter.empty):
            assert parameter.default in (default, inspect.Parameter.empty)


def test_slogdet_is_a_constant_sign_and_a_recorded_logarithm():
    x = Tensor([[0.0, 2.0], [3.0, 0.0]])
    sign, logarithm = found = np.linalg.slogdet(x)
    assert (found.sign, found.logabsdet) == (sign, logarithm)
    assert (sign.item(), sign.requires_grad, logarithm.requires_grad) == (-1, False, True)
    assert logarithm.item() == pytest.approx(np.log(6))


def test_where_alone_gives_places():
    assert [places.tolist() for places in np.where(Tensor([0.0, 3.0, 4.0]))] == [[1, 2]]


def test_names_of_arguments_that_came_with_newer_versions_of_numpy():
    x = Tensor(MATRIX)
    if "shape" in inspect.signature(np.reshape).parameters:
        assert np.reshape(x, shape=(6, 1)).shape == (6, 1)
    if "min" in inspect.signature(np.clip).parameters:
        np.testing.assert_array_equal(np.clip(x, min=0, max=2).data, np.clip(MATRIX, 0, 2))
        np.testing.assert_array_equal(np.clip(x, max=2).data, np.clip(MATRIX, None, 2))


def test_a_function_of_numpy_s_whose_arguments_cannot_be_asked_for(monkeypatch):
    """So it is with those written in C before NumPy 2.4."""

    def unknown(function, asked=inspect.signature):
        if getattr(function, "__module__", None) == "numpy":
            raise ValueError("no signature found")
        return asked(function)

    monkeypatch.setattr(inspect, "signature", unknown)
    monkeypatch.setattr(functions, "signatures", signatures.__wrapped__)  # it keeps what it has seen
    x = Tensor(MATRIX)
    assert np.concatenate([x, x], axis=1).shape == (2, 6)
    assert np.where(MATRIX > 0, x, 0).creation_op == "where"
    assert np.dot(x, x.T).creation_op == "dot"
    with pytest.raises(TypeError, match="out"):
        np.dot(x, x.T, out=np.zeros((2, 2)))


LOOKS = [
    (np.shape, (2, 3)), (np.ndim, 2), (np.size, 6), (np.any, True), (np.all, True), (np.count_nonzero, 6),
    (np.iscomplexobj, False), (np.isrealobj, True), (np.result_type, np.float64),
]  # fmt: skip


@pytest.mark.parametrize(("function", "expected"), LOOKS, ids=[f.__name__ for f, _ in LOOKS])
def test_looking_at_the_data_gives_no_tensor(function, expected):
    assert function in PLAIN
    assert not isinstance(function(Tensor(MATRIX)), Tensor)
    assert function(Tensor(MATRIX)) == expected


def test_comparing_and_finding_give_no_tensor():
    x = Tensor([1.0, 2.0])
    assert np.array_equal(x, [1, 2])
    assert np.allclose(x, [1, 2 + 1e-12])
    assert np.isclose(x, [1, 3]).tolist() == [True, False]
    assert np.nonzero(x)[0].tolist() == [0, 1]
    assert np.argwhere(x > 1).tolist() == [[1]]
    assert np.searchsorted(x, 1.5) == 1
    assert np.logical_and(x > 0, np.logical_not(x > 1)).tolist() == [True, False]
    assert np.logical_or(x, x).tolist() == np.logical_not(np.logical_xor(x, x)).tolist() == [True, True]
    assert np.signbit(-x).tolist() == [True, True]
    assert np.fabs(-x).creation_op == "abs"


REFUSED = [
    (lambda x: np.sum(x, out=np.zeros(())), "np.sum with out="),
    (lambda x: np.cumsum(x, dtype=float), "np.cumsum with dtype="),
    (lambda x: np.quantile(x, 0.5, method="lower"), "np.quantile with method="),
    (lambda x: np.linalg.pinv(x, hermitian=True), "np.linalg.pinv with hermitian="),
    (lambda x: np.nan_to_num(x, copy=False), "np.nan_to_num with copy="),
    (lambda x: np.partition(x, 1, order="a"), "np.partition with order="),
    (lambda x: np.meshgrid(x, copy=False), "np.meshgrid with copy="),
    (lambda x: np.var(x, correction=1), "np.var with correction="),
    (lambda x: np.ravel(x, "F"), "np.ravel with order="),
    (lambda x: np.reshape(x, (3, 2), order="F"), "np.reshape with order="),
    (lambda x: np.broadcast_to(x, (1, 2, 3), subok=True), "np.broadcast_to with subok="),
    (lambda x: np.clip(x, 0, 1, where=MATRIX > 0), "np.clip with where="),
    (lambda x: np.concatenate([x], dtype=np.float32), "np.concatenate with dtype="),
    (lambda x: np.pad(x, 1, stat_length=1), "np.pad with stat_length="),
    (lambda x: np.zeros_like(x, shape=(3,)), "np.zeros_like with shape="),
    (lambda x: np.einsum("ij->i", x, out=np.zeros(2)), "np.einsum with out="),
    (lambda x: np.linalg.cholesky(x, upper=True), "np.linalg.cholesky with upper="),
    (lambda x: np.add.reduce(x, out=np.zeros(3)), "np.add.reduce with out="),
    (lambda x: np.add(x, 1, out=np.zeros((2, 3))), "np.add with out="),
    (lambda x: np.add(x, 1, where=MATRIX > 0), "np.add with where="),
    (lambda x: np.exp(x, dtype=np.float32), "np.exp with dtype="),
    (lambda x: np.multiply.outer(x, x, dtype=float), "np.multiply.outer with dtype="),
    (lambda x: np.add.at(np.zeros((2, 3)), 0, x), "np.add.at"),
    (lambda x: np.add.reduceat(x, [0]), "np.add.reduceat"),
    (lambda x: np.subtract.reduce(x), "np.subtract.reduce"),
    (lambda x: np.maximum.accumulate(x), "np.maximum.accumulate"),
    (lambda x: np.spacing(x), "np.spacing"),
    (lambda x: np.modf(x), "np.modf"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_an_argument_that_is_not_recorded_is_named(call, says):
    with pytest.raises(TypeError) as refusal:
        call(Tensor(MATRIX, name="w"))
    assert str(refusal.value).startswith(says + " ")
    assert "is not recorded for the Tensor 'w' of shape (2, 3)" in str(refusal.value)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (np.nancumsum, "np.nancumsum {}; write np.cumsum of np.nan_to_num(t). Use t.data"),
        (np.linalg.qr, "np.linalg.qr {}. Use t.data"),
        (np.gradient, "np.gradient {}; write np.diff. Use t.data"),
        (np.i0, "np.i0 {}. Use t.data"),
        (np.copysign, "np.copysign {}; write np.abs(x) * np.sign(y). Use t.data"),
        (lambda t: np.convolve(t, [1.0]), "np.convolve {}; write ad.nn.functional.conv1d of the reversed"),
        (lambda t: np.put(np.zeros(2), 0, t), "np.put {}; write ad.where, ad.scatter or ad."),
        (lambda t: np.interp(t, [0, 1], [0, 1]), "np.interp {}. Use t.data"),
        (lambda t: np.bitwise_invert(t), "np.invert {}. Use t.data"),
    ],
)
def test_a_function_that_is_not_recorded_says_what_to_write_or_nothing(function, says):
    with pytest.raises(TypeError) as refusal:
        function(*[Tensor(MATRIX, name="w")] * getattr(function, "nin", 1))
    reason = "is not recorded for the Tensor 'w' of shape (2, 3)"
    assert str(refusal.value).startswith(says.format(reason))
    assert "t.detach()" in str(refusal.value)


def test_every_suggestion_is_of_a_function_that_numpy_has_and_we_do_not_record():
    special = pytest.importorskip("scipy.special")
    recorded = {f.__name__ for f in (*SAME_ARGUMENTS, *IMPLEMENTATIONS, *UFUNCS)}
    for name, ours in INSTEAD.items():
        assert any(hasattr(room, name) for room in (np, np.linalg, special)) or name in ("matvec", "vecmat")
        assert name not in recorded
        for path in re.findall(r"\b(?:ad|np)\.[\w.]+", ours):
            assert attrgetter(path[3:])(ad if path.startswith("ad.") else np)


def test_a_function_of_scipy_names_that_of_ours():
    special = pytest.importorskip("scipy.special")
    x = Tensor(MATRIX)
    for name in dir(special):
        function = getattr(special, name)
        if isinstance(function, np.ufunc) and getattr(np, name, None) is not function:
            with pytest.raises(TypeError) as refusal:
                function(*[x] * function.nin)
            is_ours = hasattr(ad, name) and f"; write ad.{name}." in str(refusal.value)
            assert str(refusal.value).startswith(f"{function.__name__} is not recorded for the Tensor")
            assert is_ours or not hasattr(ad, name)
    assert "; write ad.erf. Use" in str(refused(special.erf, x))
    assert "; write ad.sigmoid. Use" in str(refused(special.expit, x))
    assert special.erf(x.detach()).tolist() == special.erf(MATRIX).tolist()


def refused(function, *arguments):
    with pytest.raises(TypeError) as refusal:
        function(*arguments)
    return refusal.value


def test_an_error_of_the_operation_is_the_operation_s():
    with pytest.raises(ValueError, match=r"sum cannot take the Tensor of shape \(2, 3\).*axis 2"):
        np.sum(Tensor(MATRIX), axis=2)


def test_of_constants_alone_numpy_computes_what_we_do_not_record():
    x = Tensor(MATRIX).detach()
    assert np.unwrap(x).tolist() == np.unwrap(MATRIX).tolist()
    assert np.interp(0.5, [0, 1], Tensor([2.0, 4.0]).detach()) == 3
    assert isinstance(np.sum(x), Tensor)


def test_numpy_does_not_write_into_a_constant_behind_our_back():
    x = Tensor(np.zeros((2, 2))).detach()
    with pytest.raises(ValueError, match="read-only"):
        np.fill_diagonal(x, 1)
    assert x.data.tolist() == [[0, 0], [0, 0]]
    assert x.data.flags.writeable


def test_options_of_reductions_that_do_not_fit():
    x = Tensor(MATRIX, name="w")
    with pytest.raises(TypeError, match=r"dtype=int64 would lose the gradient of the Tensor 'w'"):
        np.sum(x, dtype=np.int64)
    with pytest.raises(ValueError, match="needs initial="):
        np.max(x, where=MATRIX > 0)
    with pytest.raises(ZeroDivisionError, match="add up to 0"):
        np.average(x, weights=np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"weights of shape \(2,\) fit neither .* nor its axis 1"):
        np.average(x, 1, [1.0, 2.0])
    assert np.sum(x, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="full_matrices=False"):
        np.linalg.svd(x)


SHAPES_REFUSED = [
    (lambda x: np.hsplit(x[0, 0], 1), r"np\.hsplit needs at least 1 axis"),
    (lambda x: np.vsplit(x[0], 1), r"np\.vsplit needs at least 2 axes"),
    (lambda x: np.dsplit(x, 1), r"np\.dsplit needs at least 3 axes"),
    (lambda x: np.fliplr(x[0]), r"np\.fliplr needs at least 2 axes"),
    (lambda x: np.flipud(x[0, 0]), r"np\.flipud needs at least 1 axis"),
    (lambda x: np.rot90(x[0]), r"np\.rot90 needs at least 2 axes"),
    (lambda x: np.rot90(x, 1, (0, -2)), "two different axes"), (lambda x: np.diff(x, -1), "0, not -1"),
    (lambda x: np.select([True, False], [x]), "1 for 2"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "says"), SHAPES_REFUSED)
def test_shapes_that_do_not_fit(call, says):
    with pytest.raises(ValueError, match=says):
        call(Tensor(MATRIX))


def test_the_largest_and_the_mean_of_nothing_but_nan_is_nan():
    x = Tensor([[np.nan, np.nan], [1.0, np.nan]])
    for function in (np.nanmax, np.nanmin, np.nanmean):
        z = function(x, axis=1)
        assert np.isnan(z.data[0])
        z[1].backward()
        assert x.grad.data.tolist() == [[0, 0], [1, 0]]
        x.zero_grad()
