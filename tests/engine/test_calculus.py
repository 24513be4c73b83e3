"""grad, value_and_grad, vjp, jvp, jacobian, hessian, hvp: derivatives as functions."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.calculus import trace


def derivative(f, times):
    for _ in range(times):
        f = ad.grad(f)
    return f


@pytest.mark.parametrize("order", range(5))
def test_every_derivative_of_a_sine(order):
    expected = [math.sin, math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x), math.sin][order](0.7)
    assert float(derivative(ad.sin, order)(Tensor(0.7))) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("f", "times", "at", "value"),
    [
        (lambda x: x**3, 3, 2.0, 6),
        (lambda x: x.tanh(), 3, 0.0, -2),
        (lambda x: x * x * x, 2, 2.0, 12),
        (lambda x: 3 * x, 2, 2.0, 0),
        (lambda x: x.relu(), 2, 2.0, 0),
        (lambda x: x**2, 4, 2.0, 0),
    ],
    ids=["x**3", "tanh", "x*x*x", "3x", "relu", "x**2, four times"],
)
def test_higher_derivatives(f, times, at, value):
    assert float(derivative(f, times)(at)) == pytest.approx(value)


def test_the_argument_is_chosen_by_number():
    f = lambda x, y: x * x * y
    assert ad.grad(f)(3.0, 5.0) == 30
    assert ad.grad(f, 1)(3.0, 5.0) == 9
    assert ad.grad(f, -1)(3.0, 5.0) == 9
    assert ad.grad(f, (1, 0))(3.0, 5.0) == (9, 30)


def test_mixed_derivatives_are_the_same_either_way():
    f = lambda x, y: (x * y).sin() + x / y
    one = ad.grad(ad.grad(f, 0), 1)(0.5, 2.0)
    other = ad.grad(ad.grad(f, 1), 0)(0.5, 2.0)
    assert float(one) == pytest.approx(float(other))


def test_of_an_array():
    slope = ad.grad(lambda x: (x * x).sum())([1.0, 2.0])
    assert slope.data.tolist() == [2, 4]


def test_nothing_is_stored_on_grad():
    x, w = Tensor(2.0), Tensor(3.0)
    assert ad.grad(lambda x: w * x * x)(x) == 12
    assert (x.grad, w.grad) == (None, None)


def test_an_argument_that_plays_no_part_has_slope_0():
    w, y = Tensor(3.0), Tensor(2.0)
    (5 * y).backward()
    assert ad.grad(lambda y: w * w)(y) == 0
    assert y.grad == 5


def test_by_a_tensor_that_wants_no_gradient_it_is_not_0():
    assert ad.grad(lambda x: x * x)(Tensor(2.0, requires_grad=False)) == 4


def test_an_infinite_argument_that_plays_no_part_has_slope_0():
    assert ad.grad(lambda x: Tensor(3.0, requires_grad=False))(float("inf")) == 0


def test_what_is_used_besides_the_argument_is_held_even_if_made_from_it():
    x = Tensor(3.0)
    h = x * x
    assert ad.grad(lambda x: x * h)(x) == 9


def test_the_derivative_goes_on_to_what_the_argument_was_made_from():
    x = Tensor(3.0)
    slope = ad.grad(lambda u: u**3)(2 * x)  # 3 (2x)^2
    slope.backward()
    assert (slope, x.grad) == (108, 72)


def test_under_no_grad_it_is_the_same_and_nothing_is_recorded():
    with ad.no_grad():
        slope = ad.grad(lambda x: x * x)(2.0)
        value, pull = ad.vjp(lambda x: x * x, 3.0)
        product = ad.hvp(lambda x: x**3, (2.0,), (1.0,))
        moved = ad.jvp(lambda x: x**3, (2.0,), (1.0,))
    assert (slope, value, pull(1.0), product, moved) == (4, 9, (6,), (12,), (8, 12))
    assert not any(t.requires_grad for t in (slope, value, *product, *moved))


@pytest.mark.parametrize("of", [ad.grad, ad.value_and_grad, ad.jacobian])
@pytest.mark.parametrize("value", [None, "3", 3j], ids=repr)
def test_a_function_that_returns_no_number(of, value):
    with pytest.raises(TypeError, match=r"a function to differentiate returns Tensors or numbers, not \w+"):
        of(lambda x: value)(2.0)


@pytest.mark.parametrize(
    ("f", "says"),
    [(lambda x: x * [1, 2], "returned the Tensor of shape"), (lambda x: (x, x), "returned 2 Tensors")],
)
def test_grad_of_more_than_one_number_is_refused(f, says):
    with pytest.raises(RuntimeError, match=says):
        ad.grad(f)(2.0)


def test_an_argument_that_is_not_there():
    with pytest.raises(ValueError, match="argnums has 2, and the function was called with 1 arg"):
        ad.grad(lambda x: x, 2)(1.0)


# -- structures -------------------------------------------------------------------------------------------

class Pair(NamedTuple):
    w: Any
    b: Any


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"w": 3.0, "b": 1.0}, {"w": 6, "b": 1}),
        ([Tensor(3.0), Tensor(1.0)], [6, 1]),
        (Pair(Tensor(3.0), 1.0), Pair(6, 1)),
        ({"w": 3.0, "b": [Tensor(1.0), {}]}, {"w": 6, "b": [1, {}]}),
    ],
    ids=["dict", "list", "namedtuple", "nested"],
)
def test_the_gradient_is_built_like_its_argument(parameters, expected):
    def f(p):
        w, b = (p["w"], p["b"]) if isinstance(p, dict) else p
        return w * w + (b[0] if isinstance(b, list) else b)

    found = ad.grad(f)(parameters)
    assert found == expected
    assert type(found) is type(expected)


def test_vjp_and_jvp_over_structures():
    f = lambda p, y: {"product": p["x"] * y, "sum": [p["x"] + y]}
    primals = ({"x": [1.0, 2.0]}, 3.0)
    out, pull = ad.vjp(f, *primals)
    cotangent = {"product": [1.0, 10.0], "sum": [[100.0, 1000.0]]}
    by_p, by_y = pull(cotangent)
    assert (by_p["x"].data.tolist(), by_y) == ([103, 1030], 1121)
    assert out["product"].data.tolist() == [3, 6]
    again, moved = ad.jvp(f, primals, ({"x": [1.0, 0.0]}, 1.0))
    assert (moved["product"].data.tolist(), moved["sum"][0].data.tolist()) == ([4, 2], [2, 1])
    assert again["sum"][0].data.tolist() == [4, 5]


def test_pull_can_be_called_again():
    _, pull = ad.vjp(lambda x: x * x, [1.0, 2.0])
    assert [pull(v)[0].data.tolist() for v in ([1, 0], [0, 1], 1)] == [[2, 0], [0, 4], [2, 4]]


@pytest.mark.parametrize(
    ("primals", "tangents", "error", "says"),
    [
        ((1.0,), ([1.0, 2.0],), ValueError, r"tangent of the Tensor 1 must have the shape \(\), not \(2,\)"),
        ((1.0,), (1.0, 2.0), ValueError, "one tangent per primal, and was given 2 for 1"),
        (1.0, 1.0, TypeError, r"as tuples: jvp\(f, \(x,\), \(v,\)\)"),
        (({"a": 1.0},), ({"b": 1.0},), ValueError, "expected a dict with the keys a, not"),
        (([Tensor(1.0)],), ([Tensor(1.0), 2.0],), ValueError, "expected a list of length 1, not"),
    ],
)
def test_tangents_that_do_not_fit(primals, tangents, error, says):
    with pytest.raises(error, match=says):
        ad.jvp(lambda x: x, primals, tangents)


# -- matrices of slopes -----------------------------------------------------------------------------------

MATRIX = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])


@pytest.mark.parametrize("mode", ["forward", "reverse", None])
def test_the_jacobian_of_a_linear_map_is_its_matrix(mode):
    found = ad.jacobian(lambda x: MATRIX @ x, mode=mode)([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(found.data, MATRIX)
    tall = ad.jacobian(lambda x: MATRIX.T @ x, mode=mode)([1.0, 2.0])
    np.testing.assert_array_equal(tall.data, MATRIX.T)


@pytest.mark.parametrize(("f", "walks"), [(lambda x: MATRIX @ x, 2), (lambda x: x[:1] * MATRIX, 3)])
def test_the_jacobian_takes_the_cheaper_mode(f, walks, monkeypatch):

    count = []
    for name in ("gradients", "pushforward"):
        walk = getattr(trace, name)
        monkeypatch.setattr(
            trace, name, lambda *a, walk=walk, name=name, **k: count.append(name) or walk(*a, **k)
        )
    ad.jacobian(f)([1.0, 2.0, 3.0])
    assert count == [{2: "gradients", 3: "pushforward"}[walks]] * walks


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_jacobian_has_the_shapes_of_both(mode):
    x, y = np.ones((2, 3)), np.ones((3, 4))
    by_x, by_y = ad.jacobian(lambda x, y: x @ y, (0, 1), mode=mode)(x, y)
    assert (by_x.shape, by_y.shape) == ((2, 4, 2, 3), (2, 4, 3, 4))
    np.testing.assert_array_equal(by_x.data, np.einsum("ik,jl->ijkl", np.eye(2), y.T))
    assert ad.jacobian(lambda x: x[:0], mode=mode)([1.0]).shape == (0, 1)
    assert ad.jacobian(lambda x: x.sum(), mode=mode)(np.ones((0,))).shape == (0,)
    assert ad.jacobian(lambda x: x * x, mode=mode)(3.0) == 6


def test_a_jacobian_of_structures_has_a_block_for_each_pair():
    found = ad.jacobian(lambda p: [p["x"] * p["y"], p["x"]])({"x": [1.0, 2.0], "y": 3.0})
    assert found[0]["x"].data.tolist() == [[3, 0], [0, 3]]
    assert found[0]["y"].data.tolist() == [1, 2]
    assert found[1]["y"].data.tolist() == [0, 0]


def test_a_mode_that_does_not_exist():
    with pytest.raises(ValueError, match='mode of jacobian must be "forward", "reverse" or None'):
        ad.jacobian(lambda x: x, mode="sideways")


@pytest.mark.parametrize("inner", ["forward", "reverse"])
@pytest.mark.parametrize("outer", ["forward", "reverse"])
def test_every_way_to_a_second_derivative_agrees(inner, outer):
    x = np.array([0.3, -1.0, 2.0])
    s = np.exp(x) / np.exp(x).sum()
    found = ad.jacobian(ad.jacobian(lambda x: x.logsumexp(), mode=inner), mode=outer)(x)
    np.testing.assert_allclose(found.data, np.diag(s) - np.outer(s, s), atol=1e-15)


def test_the_hessian_is_symmetric_and_hvp_is_its_product():
    f = lambda x: (x[0] * x[1].sin() + x.norm() * x[2]).exp()
    x, v = np.array([0.3, -1.0, 0.5]), np.array([1.0, 2.0, -1.0])
    found = ad.hessian(f)(x)
    np.testing.assert_allclose(found.data, found.data.T, rtol=1e-12)
    np.testing.assert_allclose(ad.hvp(f, (x,), (v,))[0].data, found.data @ v, rtol=1e-12)


def test_a_hessian_over_a_dict_is_built_like_it_twice():
    found = ad.hessian(lambda p: (p["w"] @ p["w"]) * p["b"])({"w": [1.0, 2.0], "b": 3.0})
    assert found["w"]["w"].data.tolist() == [[6, 0], [0, 6]]
    assert found["w"]["b"].data.tolist() == [2, 4]
    assert found["b"]["b"] == 0


def test_hvp_over_two_arguments():
    f = lambda x, y: x * x * y
    assert ad.hvp(f, (2.0, 3.0), (1.0, 0.0)) == (6, 4)
    assert ad.hvp(f, (2.0, 3.0), (0.0, 1.0)) == (4, 0)


@pytest.mark.parametrize(
    "f", [ad.tanh, lambda x: x**3, lambda x: x.exp().log() * x], ids=["tanh", "cube", "log"]
)
def test_forward_over_forward_is_reverse_over_reverse(f):
    first = lambda x: ad.jvp(f, (x,), (1.0,))[1]
    assert float(ad.jvp(first, (0.7,), (1.0,))[1]) == pytest.approx(float(ad.grad(ad.grad(f))(0.7)))
    assert float(ad.grad(first)(0.7)) == pytest.approx(float(ad.grad(ad.grad(f))(0.7)))


def test_perturbations_are_not_confused():
    """d/dx (x d/dy (x + y)) is 1, and 2 where the two directions are taken for one (Siskind, Pearlmutter)."""
    inner = lambda x: ad.jvp(lambda y: x + y, (1.0,), (1.0,))[1]
    assert ad.jvp(lambda x: x * inner(x), (1.0,), (1.0,))[1] == 1
    assert ad.grad(lambda x: x * ad.grad(lambda y: x + y)(1.0))(1.0) == 1


def test_a_picture_shows_the_argument_and_not_its_stand_in():
    x = Tensor(0.5, name="x")
    table = repr(ad.draw(ad.grad(ad.grad(ad.tanh))(x)))
    assert "alias" not in table
    assert sum(line.startswith("x ") for line in table.splitlines()) == 1


def test_float32_stays_float32():
    x = np.array([1.0, 2.0], np.float32)
    f = lambda x: (x.softmax() * [1, 2]).sum()
    for found in (ad.grad(f)(x), ad.jacobian(ad.tanh)(x), ad.hessian(f)(x), ad.jvp(ad.exp, (x,), (x,))[1]):
        assert found.dtype == np.float32
