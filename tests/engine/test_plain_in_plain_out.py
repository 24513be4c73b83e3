"""Derivatives of functions of plain numbers and arrays are constants, which other libraries can take."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from tests.engine.held import held_by_steps

X = np.array([0.5, -1.0, 2.0])


def cubes(x):
    return (x * x * x).sum()


RESULTS = {
    "grad": lambda x: [ad.grad(cubes)(x)],
    "value_and_grad": lambda x: list(ad.value_and_grad(cubes)(x)),
    "vjp": lambda x: [ad.vjp(ad.exp, x)[0], *ad.vjp(ad.exp, x)[1](np.ones(3))],
    "jvp": lambda x: list(ad.jvp(ad.exp, (x,), (np.ones(3),))),
    "jacobian": lambda x: [ad.jacobian(ad.exp)(x)],
    "jacobian, reverse": lambda x: [ad.jacobian(ad.exp, mode="reverse")(x)],
    "hessian": lambda x: [ad.hessian(cubes)(x)],
    "hvp": lambda x: list(ad.hvp(cubes, (x,), (np.ones(3),))),
    "grad of grad": lambda x: [ad.grad(lambda x: ad.grad(cubes)(x).sum())(x)],
}
every_derivative = pytest.mark.parametrize("results", RESULTS.values(), ids=RESULTS)


@every_derivative
def test_plain_in_plain_out(results):
    for result in results(X):
        assert not result.requires_grad
        assert result.creators is None
        np.testing.assert_allclose(np.asarray(result), result.data)


@every_derivative
def test_a_tensor_in_is_recorded_and_a_constant_is_not(results):
    assert all(result.requires_grad for result in results(Tensor(X)))
    assert not any(result.requires_grad for result in results(Tensor(X, requires_grad=False)))
    with ad.no_grad():
        assert not any(result.requires_grad for result in results(Tensor(X)))


@every_derivative
def test_both_ways_give_the_same_numbers(results):
    for plain, recorded in zip(results(X), results(Tensor(X))):
        np.testing.assert_allclose(plain.data, recorded.data, rtol=1e-14)


@every_derivative
def test_inside_another_derivative_it_is_recorded(results):
    """What a derivative of plain numbers gives inside a function may depend on that function's argument."""
    zero = Tensor(0.0, requires_grad=False)
    inner = lambda scale: sum((result.sum() for result in results(X * scale)), zero)
    slope = (float(inner(1 + 1e-6)) - float(inner(1 - 1e-6))) / 2e-6
    assert float(ad.grad(inner)(1.0)) == pytest.approx(slope, rel=1e-6)


def test_an_inner_derivative_sees_what_the_outer_one_varies():
    """d/dx of d/dy (x * y) is 1: the perturbations must not be confused, nor the outer one lost."""
    assert ad.grad(lambda x: x * ad.grad(lambda y: x * y)(3.0))(2.0) == 4
    assert ad.jvp(lambda x: x * ad.jvp(lambda y: x * y, (3.0,), (1.0,))[1], (2.0,), (1.0,))[1] == 4


def test_a_recorded_cotangent_or_tangent_is_recorded():
    v = Tensor([1.0, 2.0, 3.0])
    out, pull = ad.vjp(ad.exp, X)
    (pulled,) = pull(v)
    _, moved = ad.jvp(ad.exp, (X,), (v,))
    for result in (pulled, moved):
        np.testing.assert_allclose(ad.gradients(result.sum(), v).data, np.exp(X))
    assert not out.requires_grad


def test_gradient_descent_holds_no_memory():
    """300 steps of w = w - lr * grad(f)(w) once kept every step's graph, 1.4 GB."""
    step = lambda w: w - 0.01 * ad.grad(lambda w: (w * w).sum())(w)
    w, held = held_by_steps(step, np.ones(1000))
    assert held < 20_000  # two arrays of w's size, not 300
    np.testing.assert_allclose(np.asarray(w), 0.98**302)


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG", "SLSQP"])
def test_scipy_minimizes_rosenbrock(method):
    optimize = pytest.importorskip("scipy.optimize")
    start = np.array([-1.2, 1.0, 0.5])
    by_jac = optimize.minimize(rosenbrock, start, jac=ad.grad(rosenbrock), method=method)
    both = optimize.minimize(ad.value_and_grad(rosenbrock), start, jac=True, method=method)
    for found in (by_jac, both):
        np.testing.assert_allclose(found.x, 1, atol=2e-3)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-exact", "trust-ncg"])
def test_scipy_takes_second_derivatives(method):
    optimize = pytest.importorskip("scipy.optimize")
    start = np.array([0.8, 1.1])
    options = {"jac": ad.grad(rosenbrock), "hess": ad.hessian(rosenbrock), "method": method}
    np.testing.assert_allclose(optimize.minimize(rosenbrock, start, **options).x, 1, atol=1e-4)


def test_scipy_takes_products_with_the_hessian():
    optimize = pytest.importorskip("scipy.optimize")
    hessp = lambda x, v: ad.hvp(rosenbrock, (x,), (v,))[0]
    options = {"jac": ad.grad(rosenbrock), "hessp": hessp, "method": "trust-ncg"}
    found = optimize.minimize(rosenbrock, [0.8, 1.1], **options)
    np.testing.assert_allclose(found.x, 1, atol=1e-4)


def test_scipy_finds_least_squares_and_roots():
    optimize = pytest.importorskip("scipy.optimize")
    t = np.linspace(0, 1, 20)
    target = 2 * np.exp(-3 * t)
    residuals = lambda p: p[0] * ad.exp(-p[1] * t) - target
    found = optimize.least_squares(residuals, [1.0, 1.0], jac=ad.jacobian(residuals))
    np.testing.assert_allclose(found.x, [2, 3], rtol=1e-6)
    equations = lambda x: ad.stack(x[0] + 2 * x[1] - 2, x[0] * x[0] + 4 * x[1] * x[1] - 4)
    found = optimize.root(equations, [0.5, 1.5], jac=ad.jacobian(equations))
    np.testing.assert_allclose(equations(found.x), 0, atol=1e-9)
    assert optimize.newton(lambda x: x**3 - 8, 3.0, fprime=ad.grad(lambda x: x**3 - 8)) == pytest.approx(2)
    assert optimize.root_scalar(lambda x: x**3 - 8, x0=3.0, fprime=ad.grad(lambda x: x**3 - 8)).root == 2


def test_keyword_arguments_are_handed_on():
    f = lambda x, *, power, shift=0: (x**power).sum() + shift
    assert ad.grad(f)([1.0, 2.0], power=3).data.tolist() == [3, 12]
    value, slope = ad.value_and_grad(f)([1.0, 2.0], power=2, shift=5)
    assert (value, slope.data.tolist()) == (10, [2, 4])
    assert ad.jacobian(f)([1.0, 2.0], power=3).data.tolist() == [3, 12]
    assert ad.hessian(f)([1.0, 2.0], power=3).data.tolist() == [[6, 0], [0, 12]]
    with pytest.raises(TypeError, match="unexpected keyword"):
        ad.grad(f)(1.0, power=2, exponent=3)


def test_a_second_result_goes_along():
    f = lambda x: ((x * x).sum(), {"mean": x.mean()})
    slope, aux = ad.grad(f, has_aux=True)(X)
    assert (slope.data.tolist(), float(aux["mean"])) == ((2 * X).tolist(), 0.5)
    (value, aux), slope = ad.value_and_grad(f, has_aux=True)(X)
    assert (value, float(aux["mean"]), slope.data.tolist()) == (5.25, 0.5, (2 * X).tolist())
    value, pull, aux = ad.vjp(f, X, has_aux=True)
    assert (value, float(aux["mean"]), pull(1.0)[0].data.tolist()) == (5.25, 0.5, (2 * X).tolist())
    with pytest.raises(TypeError, match="returns a pair"):
        ad.grad(lambda x: x.sum(), has_aux=True)(X)


@pytest.mark.parametrize("constant", [3, 3.0, True, np.float32(3), np.array(3.0), Tensor(3.0)], ids=repr)
def test_the_gradient_of_a_constant_is_zero(constant):
    value, slope = ad.value_and_grad(lambda x: constant)(X)
    assert (value, slope.data.tolist()) == (float(constant), [0, 0, 0])
    assert ad.grad(lambda x: constant)(2.0) == 0
    assert ad.jvp(lambda x: constant, (X,), (X,))[1] == 0
    assert ad.jacobian(lambda x: [1.0, 2.0])(X).data.tolist() == [[0, 0, 0]] * 2
    assert ad.hessian(lambda x: constant)(X).data.tolist() == [[0, 0, 0]] * 3


@pytest.mark.parametrize(
    "name", ["grad", "value_and_grad", "jacobian", "hessian", "vjp", "jvp", "hvp"],
)  # fmt: skip
def test_a_tensor_where_a_function_belongs(name):
    x = Tensor(2.0)
    rest = {"jvp": [(x,), (1.0,)], "hvp": [(x,), (1.0,)]}.get(name, [x])
    with pytest.raises(TypeError, match=rf"ad.{name} takes a function, .*ad\.gradients\(y, \[x\]\)"):
        getattr(ad, name)(x * x, *rest)
    with pytest.raises(TypeError, match=rf"ad.{name} takes a function, not 3"):
        getattr(ad, name)(3, *rest)


def test_an_argument_where_its_number_belongs():
    with pytest.raises(TypeError, match=r"not array.*ad.grad\(f\)\(x\)"):
        ad.grad(cubes, X)(X)
    with pytest.raises(TypeError, match=r"ad.grad\(f\)\(x\)"):
        ad.grad(cubes, Tensor(2.0))(X)
    with pytest.raises(ValueError, match="argnums has 1, and the function was called with 1 arg"):
        ad.grad(cubes, 1)(X)


# -- ad.gradients --------------------------------------------------------------------------------------------


def test_gradients_are_built_as_the_tensors_were_given():
    x, y = Tensor([1.0, 2.0]), Tensor(3.0)
    z = (x * x).sum() * y
    assert ad.gradients(z, x).data.tolist() == [6, 12]
    by_list = ad.gradients(z, [x, y])
    assert (by_list[0].data.tolist(), by_list[1]) == ([6, 12], 5)
    assert ad.gradients(z, {"y": y})["y"] == 5
    assert ad.gradients(z, [x, x])[1].data.tolist() == [6, 12]
    assert (x.grad, y.grad, z.grad) == (None, None, None)


def test_gradients_of_an_interior_node_and_of_the_end_itself():
    x = Tensor(2.0)
    h = x * x
    y = h * h
    assert ad.gradients(y, [y, h, x]) == [1, 8, 32]


def test_gradients_start_from_a_gradient():
    x = Tensor([1.0, 2.0])
    assert ad.gradients(x * x, x, [1.0, 10.0]).data.tolist() == [2, 40]
    with pytest.raises(RuntimeError, match="starts from a single number"):
        ad.gradients(x * x, x)


def test_gradients_are_recorded_on_request():
    x = Tensor(2.0)
    (first,) = ad.gradients(x**3, [x], create_graph=True)
    assert ad.gradients(first, [x]) == [12]
    assert not ad.gradients(x**3, x).requires_grad


def test_gradients_of_what_is_not_used():
    x, other = Tensor(2.0, name="x"), Tensor(3.0, name="other")
    with pytest.raises(RuntimeError, match="does not depend on the Tensor 'other' 3; allow_unused=True"):
        ad.gradients(x * x, [x, other])
    assert ad.gradients(x * x, [x, other], allow_unused=True) == [4, None]


def test_gradients_take_tensors():
    x = Tensor(2.0)
    with pytest.raises(TypeError, match=r"ad.gradients takes Tensors, not \[2.0\]"):
        ad.gradients(x * x, [2.0])
    with pytest.raises(TypeError, match="for a function, use"):
        ad.gradients(cubes, [x])
    with pytest.raises(RuntimeError, match="nothing to walk back from"):
        ad.gradients(Tensor(2.0, requires_grad=False), [x])


def test_gradients_leave_grad_as_it_was():
    x = Tensor(2.0)
    (x * x).backward()
    ad.gradients(x**3, [x])
    assert x.grad == 4
