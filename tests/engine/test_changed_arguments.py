"""What a function does to its own arguments while it is differentiated, and what in-place operators hide."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

X = np.array([1.0, 2.0, 3.0])


def doubled(x):
    x *= 2
    return (x * x).sum()


def shifted(x):
    x += 1
    x -= 3
    x /= 2
    x **= 2
    return x.sum()


DERIVATIVES = {
    "grad": lambda f, x: ad.grad(f)(x),
    "vjp": lambda f, x: ad.vjp(f, x)[1](1.0)[0],
    "jacobian, forward": lambda f, x: ad.jacobian(f, mode="forward")(x),
    "jacobian, reverse": lambda f, x: ad.jacobian(f, mode="reverse")(x),
    "jvp": lambda f, x: [ad.jvp(f, (x,), (unit,))[1] for unit in np.eye(3)],
    "grad of a Tensor": lambda f, x: ad.grad(f)(Tensor(x)),
    "in a dict": lambda f, x: ad.grad(lambda p: f(p["x"]))({"x": x})["x"],
    "without recording": lambda f, x: ad.no_grad(ad.grad(f))(x),
}
every_derivative = pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=DERIVATIVES)


@every_derivative
@pytest.mark.parametrize(
    ("f", "slope"), [(doubled, 8 * X), (shifted, (X - 2) / 2)], ids=["doubled", "shifted"]
)
def test_in_place_operators_on_an_argument_are_differentiated(derivative, f, slope):
    x = X.copy()
    np.testing.assert_allclose([float(part) for part in derivative(f, x)], slope)
    np.testing.assert_array_equal(x, X)


def test_in_place_operators_on_numbers():
    assert ad.grad(doubled)(3.0) == 24
    assert ad.grad(ad.grad(doubled))(3.0) == 8
    assert ad.hvp(doubled, (X,), (np.ones(3),))[0].data.tolist() == [8, 8, 8]
    with pytest.raises(RuntimeError, match="argument of a function that is being differentiated"):
        ad.grad(lambda x: x.assign(3.0) * 2)(1.0)


def write_element(x):
    x[1] = 3.0
    return (x * x).sum()


def write_data(x):
    x.data = x.data * 2
    return (x * x).sum()


def assign(x):
    return (x.assign([1, 1, 1]) * x).sum()


@every_derivative
@pytest.mark.parametrize("f", [write_element, write_data, assign])
def test_other_changes_of_an_argument_are_refused(derivative, f):
    x = X.copy()
    with pytest.raises(RuntimeError, match="argument of a function that is being differentiated"):
        derivative(f, x)
    np.testing.assert_array_equal(x, X)


def test_a_tensor_of_one_s_own_may_be_changed_inside():
    def f(x):
        table = Tensor([0.0, 0.0, 0.0], requires_grad=False)
        table[1] = 5.0
        table += 1
        return (x * table).sum()

    assert ad.grad(f)(X).data.tolist() == [1, 6, 1]


def test_walking_back_from_a_leaf_that_an_operator_changed():
    """The factor 2 is recorded nowhere, and a gradient of 1 would be wrong for y = 2x."""
    x = Tensor(3.0)
    y = x
    y *= 2
    assert y is x
    with pytest.raises(RuntimeError, match=r"an in-place operator changed it.*Write y = x \* 2"):
        y.backward()
    assert x.grad is None
    with pytest.raises(RuntimeError, match="an in-place operator changed it"):
        ad.gradients(y, [x])


def test_a_changed_leaf_is_a_leaf_like_others():
    x = Tensor([1.0, 2.0])
    x += 1
    (x * x).sum().backward()
    assert x.grad.data.tolist() == [4, 6]
    total = Tensor(0.0)
    total += 1.0
    total += x.sum()
    total.backward()
    assert x.grad.data.tolist() == [5, 7]


def test_a_leaf_may_be_walked_back_from():
    x = Tensor(3.0)
    x.backward()
    assert x.grad == 1


def test_a_copy_of_an_array_that_changes_before_backward():
    """``ad.tensor(a)`` and ``Tensor(a)`` copy; a plain array is not watched, as Tensor's docstring says."""
    for copied in (ad.tensor, Tensor, np.copy):
        w, a = Tensor(X), X.copy()
        y = (w * copied(a)).sum()
        a[0] = 100
        y.backward()
        np.testing.assert_array_equal(w.grad.data, X)
    w, c = Tensor(X), ad.tensor(X)
    y = (w * c).sum()
    c[0] = 100
    with pytest.raises(RuntimeError, match="was changed after"):
        y.backward()


# -- arrays with rules of their own --------------------------------------------------------------------------

MASKED = np.ma.masked_array(X, [False, True, False])
WITH_MASKED = {
    "masked * t": lambda t: MASKED * t,
    "t * masked": lambda t: t * MASKED,
    "np.multiply": lambda t: np.multiply(MASKED, t),
    "np.ma.multiply": lambda t: np.ma.multiply(MASKED, t),
    "np.ma.multiply, right": lambda t: np.ma.multiply(t, MASKED),
    "np.ma.exp": lambda t: np.ma.exp(t),
    "masked + t": lambda t: MASKED + t,
    "masked - t": lambda t: MASKED - t,
    "masked / t": lambda t: MASKED / t,
    "masked ** t": lambda t: MASKED**t,
    "masked @ t": lambda t: MASKED @ t,
    "where": lambda t: ad.where(X > 1, MASKED, t),
    "Tensor": lambda t: Tensor(MASKED),
    "t += masked": lambda t: t.__iadd__(MASKED),
    "t[0] = masked": lambda t: t.__setitem__(slice(None), MASKED),
    "assign": lambda t: t.assign(MASKED),
    "backward": lambda t: (t * t).backward(MASKED),
    "grad": lambda t: ad.grad(lambda x: (x * x).sum())(MASKED),
}


@pytest.mark.parametrize("use", WITH_MASKED.values(), ids=WITH_MASKED)
def test_masked_arrays_are_refused(use):
    t = Tensor(X)
    with pytest.raises(TypeError, match=r"lose its (mask|gradient)"):
        use(t)
    np.testing.assert_array_equal(t.data, X)
    assert t.grad is None


@pytest.mark.parametrize(
    "use",
    [lambda m, t: m * t, lambda m, t: t * m, lambda m, t: m @ t, lambda m, t: t @ m, lambda m, t: m + t],
)
def test_matrices_are_refused(use):
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    t = Tensor([[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(TypeError, match=r"use np.asarray\(matrix\), and @"):
        use(matrix, t)
    assert Tensor(matrix).data.tolist() == [[1, 2], [3, 4]]


# -- one number has no elements ------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [3.0, np.array(3.0), np.float32(3)], ids=repr)
@pytest.mark.parametrize("use", [sum, list, tuple, iter, len, max, sorted, lambda t: [*t]])
def test_a_number_cannot_be_iterated(value, use):
    with pytest.raises(TypeError, match="needs a Tensor with at least one axis, and this is the Tensor"):
        use(Tensor(value))


def test_a_tensor_is_iterated_along_its_first_axis():
    t = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert [row.data.tolist() for row in t] == [[1, 2], [3, 4]]
    first, second = t
    (first * second).sum().backward()
    assert t.grad.data.tolist() == [[3, 4], [1, 2]]
    assert list(Tensor(np.ones((0, 2)))) == []


@pytest.mark.parametrize("kind", [float, np.float32, int, object])
@pytest.mark.parametrize(
    "number", [Tensor(3.0), Tensor(3.0) * 2, Tensor(np.array(3.0))], ids=["leaf", "made", "0-d"]
)
def test_a_gradient_is_not_lost_in_an_array(kind, number):
    z = np.zeros(2, dtype=kind)
    if kind is object:
        z[0] = number
        assert z[0] is number
        return
    with pytest.raises((TypeError, ValueError)) as caught:
        z[0] = number
    said = f"{caught.value}{caught.value.__cause__}"
    assert "would lose its gradient" in said
    assert z[0] == 0


def test_what_a_person_reads_is_a_plain_number():
    t = Tensor(3.0) * 2
    z = np.zeros(4)
    z[0], z[1], z[2] = float(t), t.item(), t.data
    z[3] = t.detach()
    assert z.tolist() == [6, 6, 6, 6]
    assert (f"{t:.1f}", round(float(t)), int(t), "%.1f" % t) == ("6.0", 6, 6, "6.0")  # noqa: UP031
    table = {}
    table[0] = t
    assert table[0] is t
