"""A Tensor in another form: lists, dtypes, copies, plain booleans, and PyTorch's names for attributes."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn

DTYPES = {
    "half": np.float16, "float": np.float32, "double": np.float64, "int": np.int32, "long": np.int64,
    "bool": np.bool_,
}  # fmt: skip
LAYOUTS = {
    "C": lambda x: x,
    "Fortran": np.asfortranarray,
    "reversed": lambda x: x[::-1, ::-1],
    "strided": lambda x: np.repeat(np.repeat(x, 2, 0), 2, 1)[::2, ::2],
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
    "empty": lambda x: x[:0],
    "size 1": lambda x: x[:1, :1],
    "0-d": lambda x: np.array(x[1, 2]),
}
X = np.array([[-1.5, 0.0, 2.25], [3.75, -0.5, 100.0]])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.bool_])
@pytest.mark.parametrize("name", DTYPES)
def test_another_dtype_is_numpy_s_and_floats_are_recorded(name, dtype, layout):
    data = LAYOUTS[layout](X).astype(dtype)
    x = Tensor(data, requires_grad=data.dtype.kind == "f")
    for y in (getattr(x, name)(), x.astype(DTYPES[name]), x.to(DTYPES[name])):
        np.testing.assert_array_equal(y.data, data.astype(DTYPES[name]), strict=True)
        assert not np.shares_memory(y.data, x.data)
        is_smooth = x.requires_grad and np.dtype(DTYPES[name]).kind == "f"
        assert (y.requires_grad, y.is_leaf) == (is_smooth, not is_smooth)
        if is_smooth:
            x.zero_grad()
            (y * y).sum().backward()
            np.testing.assert_allclose(x.grad.data, 2 * data, rtol=1e-2)
            assert x.grad.dtype == dtype


def test_the_dtypes_are_pytorch_s():
    torch = pytest.importorskip("torch")
    for name, dtype in DTYPES.items():
        assert str(getattr(torch.zeros(2), name)().dtype) == f"torch.{np.dtype(dtype)}"


def test_a_number_in_another_dtype():
    x = Tensor(2.75)
    assert type(x.double().data) is float
    assert (x.float().dtype, x.long().data.tolist(), x.bool().data.tolist()) == (np.float32, 2, True)
    x.float().backward()
    assert x.grad == 1


def test_what_cannot_be_converted():
    for dtype in (complex, str, object):
        with pytest.raises(TypeError, match="a Tensor holds real numbers, and cannot be converted to"):
            Tensor([1.0]).astype(dtype)
    assert Tensor([np.nan, 1e300]).long().shape == (2,)  # whatever it is, NumPy's warning is not shown
    assert np.isinf(Tensor([1e300]).float().data).all()


def test_there_is_one_device():
    x = Tensor([1.0])
    assert x.cpu() is x.to("cpu") is x.contiguous() is x
    for device in ("cuda", "cuda:0", "mps"):
        with pytest.raises(ValueError, match=rf"no device '{device}': this package computes on the CPU"):
            x.to(device)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.bool_])
def test_a_clone_is_a_copy_that_the_gradient_passes(layout, dtype):
    data = LAYOUTS[layout](X).astype(dtype)
    x = Tensor(data, requires_grad=data.dtype.kind == "f")
    for y in (x.clone(), x.copy(), ad.clone(x)):
        np.testing.assert_array_equal(y.data, data, strict=True)
        assert not np.shares_memory(y.data, x.data)
        assert y.requires_grad == x.requires_grad
        if x.requires_grad:
            x.zero_grad()
            (y * y).sum().backward()
            np.testing.assert_allclose(x.grad.data, 2 * data, rtol=1e-6)


@pytest.mark.parametrize("value", [2.5, [1.0, 2.0], [[1.0], [2.0]], []], ids=str)
def test_tolist(value):
    assert Tensor(value).tolist() == value
    assert type(Tensor(2.5).tolist()) is float
    assert ad.tensor([1, 2]).tolist() == [1, 2]
    assert type(ad.tensor(3).tolist()) is int
    assert ad.tensor([True]).tolist() == [True]


def test_names_for_attributes():
    x = Tensor(X)
    assert (x.numel(), x.nelement(), x.dim()) == (6, 6, 2)
    assert (Tensor(2.0).numel(), Tensor(2.0).dim(), Tensor([]).numel()) == (1, 0, 0)
    assert (x.is_leaf, (x * 2).is_leaf, (x * 2).detach().is_leaf) == (True, False, True)
    with ad.no_grad():
        assert (x * 2).is_leaf


def test_requires_grad_in_place():
    x = ad.ones(2)
    assert x.requires_grad_() is x
    assert x.requires_grad
    assert not x.requires_grad_(False).requires_grad
    with pytest.raises(RuntimeError, match="cannot set requires_grad of"):
        (Tensor(X) * 2).requires_grad_(False)
    assert nn.Parameter([1.0]).requires_grad_(False).requires_grad is False


# -- handed over to another library ------------------------------------------------------------------------


ROWS = np.broadcast_to(X[0], (2, 3))


@pytest.mark.parametrize("value", [2.0, np.array(2.0), X, X.T, X[::-1], ROWS, [1, 2], True])
def test_torch_takes_a_constant(value):
    torch = pytest.importorskip("torch")
    if np.any(np.less(np.array(value, ndmin=1).strides, 0)):
        value = np.ascontiguousarray(value)  # torch has no negative strides
    t = ad.tensor(value)
    for take in (torch.as_tensor, torch.tensor, torch.from_dlpack, np.from_dlpack):
        np.testing.assert_array_equal(np.asarray(take(t)), np.array(value), strict=True)


def test_a_gradient_is_taken_and_a_parameter_is_not():
    torch = pytest.importorskip("torch")
    for f, x in ((lambda x: x.sum(), X), (lambda x: (x * x).sum(), X), (lambda x: x**3, 2.0)):
        grad = ad.grad(f)(x)
        np.testing.assert_array_equal(torch.as_tensor(grad).numpy(), np.asarray(grad))
        np.testing.assert_array_equal(torch.tensor(grad).numpy(), np.asarray(grad))
    for take in (torch.as_tensor, torch.tensor, torch.from_dlpack, np.from_dlpack):
        with pytest.raises(TypeError, match=r"would lose its gradient as a plain array; use t.data"):
            take(Tensor(X))


# -- plain booleans ----------------------------------------------------------------------------------------


QUESTIONS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("value", [1.0, np.nan, [1.0, np.nan, np.inf, -np.inf], []], ids=str)
def test_questions_about_elements(name, value):
    for given in (value, np.array(value), Tensor(value), Tensor(value) * 1):
        answer = getattr(ad, name)(given)
        np.testing.assert_array_equal(answer, QUESTIONS[name](value))
        assert not isinstance(answer, Tensor)


def test_any_and_all_are_plain():
    x = Tensor([[0.0, 2.0], [0.0, 0.0]])
    assert (bool(x.any()), bool(x.all()), bool(Tensor([]).all()), bool(Tensor(2.0).any())) == (1, 0, 1, 1)
    assert x.any(axis=0).tolist() == x.any(dim=0).tolist() == ad.any(x, 0).tolist() == [False, True]
    assert x.all(axis=1, keepdims=True).tolist() == [[False], [False]]
    assert not isinstance(x.any(), Tensor)


def test_allclose_and_equal():
    x = Tensor([1.0, 2.0])
    assert ad.allclose(x, [1.0, 2.0 + 1e-9]) is True
    assert ad.allclose(x, x + 1e-3) is False
    assert ad.allclose(x, x + 1e-3, atol=1e-2)
    assert ad.allclose([np.nan], [np.nan], equal_nan=True)
    assert ad.equal(x, x.data) is True
    assert ad.equal(x, [[1.0, 2.0]]) is ad.equal(x, [1.0, 3.0]) is False


# -- picked and filled -------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in ("empty", "size 1", "0-d")])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_picking_is_torch_s_with_its_gradient(layout, dtype):
    torch = pytest.importorskip("torch")
    calls = [
        lambda t, i: t.take(i([0, 5, 5])),
        lambda t, i: t.take(i([[0, 5], [5, 1]])),
        lambda t, i: t.index_select(1, i([2, 0, 2])),
        lambda t, i: t.index_select(-2, i([1])),
        lambda t, i: t.narrow(1, 1, 2),
        lambda t, i: t.narrow(-1, -2, 1),
        lambda t, i: t.masked_fill(i([[True, False, True]]), -7.0),
        lambda t, i: t.masked_fill(i([[True, False, True], [False, False, True]]), float("-inf")),
        lambda t, i: t[:, :1].expand(2, -1, 4),
        lambda t, i: t[:, :1].expand_as(t),
        lambda t, i: t.view_as(i([[0, 0], [0, 0], [0, 0]])),
        lambda t, i: t.t(),
        lambda t, i: t[0].t(),
        lambda t, i: t.clone(),
    ]
    data = LAYOUTS[layout](X).astype(dtype)
    for call in calls:
        x, y = Tensor(data), torch.tensor(data.copy(), requires_grad=True)
        mine, theirs = call(x, np.array), call(y, torch.tensor)
        np.testing.assert_array_equal(mine.data, theirs.detach().numpy(), strict=True)
        for form in (np.ascontiguousarray, np.asfortranarray):
            x.zero_grad()
            y.grad = None
            grad = form(np.linspace(-1, 1, mine.size).reshape(mine.shape).astype(dtype))
            mine.backward(grad)
            theirs.backward(torch.tensor(grad), retain_graph=True)
            np.testing.assert_allclose(x.grad.data, y.grad.numpy(), rtol=1e-5)


def test_a_filling_that_learns():
    x, value = Tensor(X), Tensor(3.0)
    x.masked_fill(X < 0, value).sum().backward()
    assert value.grad == 2
    np.testing.assert_array_equal(x.grad.data, X >= 0)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: x.take([0.5]), TypeError, "the indices of take are integers, not float64"),
        (lambda x: x.take([6]), IndexError, "getitem cannot take"),
        (lambda x: x.index_select(0, [[1]]), ValueError, "the indices of index_select are one vector"),
        (lambda x: x.index_select(2, [0]), ValueError, "axis 2 is out of bounds"),
        (lambda x: x.narrow(1, 2, 2), ValueError, "cannot take 2 elements from 2 on along axis 1 of size 3"),
        (lambda x: x.narrow(1, 0, -1), ValueError, "cannot take -1 elements from 0 on"),
        (lambda x: x.masked_fill([1, 0, 1], 0), TypeError, "masked_fill takes a boolean mask"),
        (lambda x: x.expand(-1, 2, 3), ValueError, r"expand\(-1, 2, 3\) has -1 for an axis"),
        (lambda x: x.expand(2, 4), ValueError, "broadcast_to cannot take"),
        (lambda x: x[None].t(), ValueError, r"t\(\) is for matrices.*swapaxes\(0, 1\)"),
        (lambda x: x.view_as(np.zeros(5)), ValueError, "reshape cannot take"),
    ],
)
def test_what_cannot_be_picked(call, kind, message):
    with pytest.raises(kind, match=message):
        call(Tensor(X))
