"""Tables, sparse matrices and arrays of other libraries beside a Tensor: refused, or right."""

from __future__ import annotations

import re

import numpy as np
import pytest

try:
    import jax.numpy as jnp  # here, since the import draws from NumPy's global generator
except ImportError:
    jnp = None

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.tensor import describe

VALUES = np.array([32.0, 16.0, 8.0])
SQUARE = np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]])


def pandas_series():
    return pytest.importorskip("pandas").Series(VALUES, index=[2, 1, 0])


def pandas_frame():
    return pytest.importorskip("pandas").DataFrame(SQUARE, index=[2, 1, 0])


def jax_array():
    if jnp is None:
        pytest.skip("JAX is not installed")
    return jnp.asarray(SQUARE)


def sparse(name):
    return lambda: getattr(pytest.importorskip("scipy.sparse"), name)(SQUARE)


OTHERS = {
    "Series": (pandas_series, r"x\.to_numpy\(\)"),
    "DataFrame": (pandas_frame, r"x\.to_numpy\(\)"),
    "Index": (lambda: pytest.importorskip("pandas").Index(VALUES), r"x\.to_numpy\(\)"),
    "nullable": (lambda: pytest.importorskip("pandas").array(VALUES), r"x\.to_numpy\(\)"),
    "csr_matrix": (sparse("csr_matrix"), r"x\.toarray\(\)"),
    "csr_array": (sparse("csr_array"), r"x\.toarray\(\)"),
    "coo_matrix": (sparse("coo_matrix"), r"x\.toarray\(\)"),
    "torch": (lambda: pytest.importorskip("torch").tensor(SQUARE), r"x\.detach\(\)\.numpy\(\)"),
    "jax": (jax_array, r"np\.asarray\(x\)"),
    "memoryview": (lambda: memoryview(VALUES), r"np\.asarray\(x\)"),
}
CALLS = {
    "x * t": lambda x, t: x * t,
    "t * x": lambda x, t: t * x,
    "x + t": lambda x, t: x + t,
    "t + x": lambda x, t: t + x,
    "x - t": lambda x, t: x - t,
    "t - x": lambda x, t: t - x,
    "x / t": lambda x, t: x / t,
    "t / x": lambda x, t: t / x,
    "t ** x": lambda x, t: t**x,
    "t @ x": lambda x, t: t @ x,
    "x @ t": lambda x, t: x @ t,
    "ad.matmul, left": lambda x, t: ad.matmul(x, t),
    "ad.matmul, right": lambda x, t: ad.matmul(t, x),
    "t.dot": lambda x, t: t.dot(x),
    "ad.where": lambda x, t: ad.where(SQUARE > 1, x, t),
    "ad.maximum": lambda x, t: ad.maximum(t, x),
    "np.multiply": lambda x, t: np.multiply(t, x),
    "np.dot": lambda x, t: np.dot(x, t),
    "ad.exp": lambda x, t: ad.exp(x),
    "t += x": lambda x, t: t.__iadd__(x),
    "t[...] = x": lambda x, t: t.__setitem__(..., x),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("requires_grad", [True, False])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("make", OTHERS)
def test_what_computes_by_rules_of_its_own_is_refused(make, call, requires_grad):
    other, way = OTHERS[make][0](), OTHERS[make][1]
    data = VALUES if np.ndim(other) == 1 and make != "memoryview" else SQUARE
    t = Tensor(data, requires_grad=requires_grad)
    is_theirs = call is CALLS["x @ t"] or not hasattr(other, "__pandas_priority__")
    if not requires_grad and is_theirs and call in (CALLS["x @ t"], CALLS["x * t"], CALLS["x / t"]):
        return  # the other library converts a constant, and computes with it
    with pytest.raises(TypeError) as caught:
        call(other, t)
    said = str(caught.value)
    assert re.search(way, said) or "would lose its gradient as a plain array" in said
    assert "ad.stack" not in said or make in ("jax", "memoryview", "torch")
    np.testing.assert_array_equal(t.data, data)


def test_data_are_taken_by_their_places():
    """``Tensor(series)`` copies the values in their order, whatever the labels say."""
    series, frame = pandas_series(), pandas_frame()
    for make in (Tensor, ad.tensor, ad.as_tensor):
        np.testing.assert_array_equal(make(series).data, VALUES)
        np.testing.assert_array_equal(make(frame).data, SQUARE)
    w = Tensor([1.0, 2.0, 3.0])
    (w * Tensor(series)).sum().backward()
    np.testing.assert_array_equal(w.grad.data, VALUES)
    (w * series.to_numpy()).sum().backward()
    np.testing.assert_array_equal(w.grad.data, 2 * VALUES)
    np.testing.assert_array_equal((w * [series, series]).data, w.data * np.array([VALUES, VALUES]))
    np.testing.assert_array_equal(ad.grad(lambda x: (x * x).sum())(series).data, 2 * VALUES)
    loss = ad.nn.functional.mse_loss(w, series)
    assert loss == np.mean((w.data - VALUES) ** 2)


def test_an_error_describes_an_array_of_another_library_in_words():
    assert describe(pandas_series()) == "a pandas Series of shape (3,)"
    assert describe(sparse("csr_matrix")()) == "a scipy csr_matrix of shape (3, 3)"
    assert (describe(np.float32(3)), describe(2.5), describe("a")) == ("np.float32(3.0)", "2.5", "'a'")


def test_a_sparse_matrix_is_no_data():
    for name in ("csr_matrix", "csr_array", "coo_matrix"):
        matrix = sparse(name)()
        for make in (Tensor, ad.tensor, ad.as_tensor, Tensor(SQUARE).assign, Tensor(SQUARE).backward):
            with pytest.raises(TypeError, match=rf"not a scipy {name}: write x.toarray\(\)"):
                make(matrix)
        assert ad.matmul(matrix.toarray(), Tensor(SQUARE)).data.tolist() == (SQUARE @ SQUARE).tolist()


def test_a_function_of_scipy_that_makes_an_array_is_named():
    special = pytest.importorskip("scipy.special")
    stats = pytest.importorskip("scipy.stats")
    for call, way in (
        (lambda: special.softmax(Tensor(VALUES)), r"scipy's softmax\(\) records nothing: write ad.softmax"),
        (lambda: special.logsumexp(Tensor(VALUES)), r"scipy's logsumexp\(\) records nothing: write ad.logs"),
        (lambda: stats.zscore(Tensor(VALUES)), r"scipy's zscore\(\) records nothing: use ad's own functions"),
    ):
        with pytest.raises(TypeError, match=way):
            call()
