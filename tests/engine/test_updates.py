"""Changes in place by methods: on leaves alone, counted, nothing recorded, the gradient cleared."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

UPDATES = {
    "add_": (lambda x: x.add_(2), lambda x: x + 2),
    "add_ alpha": (lambda x: x.add_([[3.0], [1.0]], alpha=-0.5), lambda x: x - [[1.5], [0.5]]),
    "sub_": (lambda x: x.sub_(2), lambda x: x - 2),
    "sub_ alpha": (lambda x: x.sub_(2, alpha=3), lambda x: x - 6),
    "mul_": (lambda x: x.mul_(3), lambda x: x * 3),
    "div_": (lambda x: x.div_(4), lambda x: x / 4),
    "zero_": (lambda x: x.zero_(), lambda x: x * 0),
    "fill_": (lambda x: x.fill_(7), lambda x: x * 0 + 7),
    "copy_": (lambda x: x.copy_([5, 6, 7]), lambda x: x * 0 + [5, 6, 7]),
    "clamp_": (lambda x: x.clamp_(-1, 2), lambda x: np.clip(x, -1, 2)),
    "clamp_ min": (lambda x: x.clamp_(min=0), lambda x: np.maximum(x, 0)),
    "clamp_ max": (lambda x: x.clamp_(max=0), lambda x: np.minimum(x, 0)),
}
updates = pytest.mark.parametrize(("change", "expected"), UPDATES.values(), ids=UPDATES)
LAYOUTS = {
    "C": lambda x: x, "Fortran": np.asfortranarray, "reversed": lambda x: x[::-1, ::-1],
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
}  # fmt: skip
X = np.array([[-1.5, 0.0, 2.25], [3.75, -0.5, 100.0]])


@updates
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("make", [Tensor, ad.tensor, ad.from_numpy], ids=["Tensor", "tensor", "from_numpy"])
def test_a_leaf_is_changed_in_place(change, expected, layout, dtype, make):
    data = LAYOUTS[layout](X).astype(dtype)
    kept = data.copy()
    x = make(data)
    x.grad = np.ones_like(data)
    edits = x._edit
    assert change(x) is x
    np.testing.assert_allclose(x.data, expected(kept), rtol=1e-6)
    assert (x.dtype, x.is_leaf, x.grad) == (dtype, True, None)
    assert x._edit > edits
    np.testing.assert_array_equal(data, kept)  # the caller's array


@pytest.mark.parametrize("name", [name for name in UPDATES if name not in ("add_ alpha", "copy_")])
def test_a_number_stays_one(name):
    change, expected = UPDATES[name]
    x = Tensor(3.5)
    assert change(x) is x
    assert type(x.data) is float
    assert x.data == expected(3.5)


@updates
def test_a_recorded_tensor_is_refused_and_left_as_it_is(change, expected):
    x = Tensor(X, name="x")
    y = x * 2
    y.name = "y"
    kept = y.data.copy()
    with pytest.raises(RuntimeError, match=r"cannot update the Tensor 'y'.*made by mul\): its value comes"):
        change(y)
    np.testing.assert_array_equal(y.data, kept)
    y.sum().backward()
    assert x.grad.tolist() == (2 * np.ones_like(X)).tolist()


@updates
def test_a_change_after_use_is_noticed(change, expected):
    x = Tensor(X, name="x")
    y = (x * x).sum()
    change(x)
    with pytest.raises(RuntimeError, match=r"'x'.* was changed after"):
        y.backward()


@pytest.mark.parametrize(
    "change",
    [
        lambda x, w: x.add_(w), lambda x, w: x.sub_(w, alpha=2), lambda x, w: x.sub_(1, alpha=w),
        lambda x, w: x.mul_(w), lambda x, w: x.div_(w), lambda x, w: x.fill_(w), lambda x, w: x.copy_(w),
        lambda x, w: x.clamp_(w), lambda x, w: x.clamp_(max=w),
    ],
)  # fmt: skip
def test_a_value_that_would_lose_its_gradient_is_refused(change):
    x, w = Tensor(X), Tensor(2.0, name="w")
    with pytest.raises(RuntimeError, match=r"'w' 2 would lose its gradient when it updates the"):
        change(x, w)
    np.testing.assert_array_equal(x.data, X)
    with ad.no_grad():
        assert change(x, w) is x
    assert change(x, w.detach()) is x


@updates
def test_an_argument_of_a_function_that_is_differentiated_is_refused(change, expected):
    def function(x):
        change(x)
        return (x * x).sum()

    for derivative in (ad.grad(function), ad.value_and_grad(function)):
        with pytest.raises(RuntimeError, match=r"cannot update .*: it is an argument of a function"):
            derivative(X)


def test_a_step_of_descent_in_pytorch_s_words():
    w = Tensor(X)
    (w * w).sum().backward()
    with ad.no_grad():
        w.add_(w.grad, alpha=-0.25)
    np.testing.assert_array_equal(w.data, X / 2)
    assert w.requires_grad


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda x: x.add_([1.0, 2.0]), ValueError), (lambda x: x.copy_([1.0, 2.0]), ValueError),
        (lambda x: x.add_(np.ones((4, 2, 3))), ValueError),
        (lambda x: x.copy_(np.ones((4, 2, 3))), ValueError),
        (lambda x: x.fill_([1.0, 2.0]), ValueError), (lambda x: x.clamp_(np.ones((4, 2, 3))), ValueError),
        (lambda x: x.add_("1"), TypeError), (lambda x: x.fill_(None), TypeError),
        (lambda x: x.copy_(1j), TypeError),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(change, kind):
    x = Tensor(X)
    with pytest.raises(kind):
        change(x)
    np.testing.assert_array_equal(x.data, X)


def test_integers_stay_integers():
    k = ad.tensor([1, 2, 3])
    assert k.add_(1).fill_(4).clamp_(max=3).tolist() == [3, 3, 3]
    assert k.dtype == int
    with pytest.raises(TypeError, match=r"cannot add in place.*cannot hold float64"):
        k.add_(0.5)
    with pytest.raises(TypeError, match="cannot div in place"):
        k.div_(2)
    assert k.tolist() == [3, 3, 3]


# -- micrograd's and Karpathy's loop -----------------------------------------------------------------------


@pytest.mark.parametrize("start", [3.0, [3.0, -2.0], np.float32([[3.0], [-2.0]])], ids=type)
@pytest.mark.parametrize(
    "step",
    [
        lambda p, lr: setattr(p, "data", p.data + -lr * p.grad),
        lambda p, lr: setattr(p, "data", p.data - lr * p.grad.data),
        lambda p, lr: exec("p.data += -lr * p.grad", {"p": p, "lr": lr}),
        lambda p, lr: exec("p.data -= lr * p.grad", {"p": p, "lr": lr}),
        lambda p, lr: exec("p.data -= lr * p.grad.data", {"p": p, "lr": lr}),
        lambda p, lr: exec("p.data += -lr * p.grad.data", {"p": p, "lr": lr}),
    ],
    ids=["data + grad", "data - grad.data", "+= grad", "-= grad", "-= grad.data", "+= grad.data"],
)
def test_the_loop_that_steps_by_data(start, step):
    p = Tensor(start)
    data = np.array(p.data)
    for _ in range(3):
        p.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        step(p, 0.125)
        data -= np.asarray(0.125, data.dtype) * (2 * data)
        np.testing.assert_allclose(p.data, data, rtol=1e-6)
        assert (p.is_leaf, p.requires_grad, p.dtype) == (True, True, data.dtype)
        assert type(p.data) is type(Tensor(start).data)
    with pytest.raises(RuntimeError, match="was changed after"):
        loss.backward()
