"""Programs that hand functions of this package to SciPy, whose results are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn

pytest.importorskip("scipy")
from scipy import integrate, interpolate, linalg, optimize, stats


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG", "TNC", "SLSQP"])
def test_minimize_with_the_gradient(method):
    found = optimize.minimize(rosenbrock, np.full(4, 0.5), jac=ad.grad(rosenbrock), method=method)
    np.testing.assert_allclose(found.x, 1, atol=2e-3)


def test_minimize_with_value_and_gradient_in_one():
    found = optimize.minimize(ad.value_and_grad(rosenbrock), np.zeros(3), jac=True)
    np.testing.assert_allclose(found.x, 1, atol=1e-4)


@pytest.mark.parametrize("method", ["trust-exact", "Newton-CG", "trust-ncg", "trust-krylov"])
def test_minimize_with_second_derivatives(method):
    product = lambda x, v: ad.hvp(rosenbrock, (x,), (v,))[0]
    curvature = {"hess": ad.hessian(rosenbrock)} if method == "trust-exact" else {"hessp": product}
    jac = ad.grad(rosenbrock)
    found = optimize.minimize(rosenbrock, np.zeros(3), jac=jac, method=method, tol=1e-9, **curvature)
    np.testing.assert_allclose(found.x, 1, atol=1e-6)


def test_minimize_under_a_constraint():
    """The point of the unit circle nearest to (2, 1)."""
    distance = lambda x: ((x - np.array([2.0, 1.0])) ** 2).sum()
    circle = lambda x: (x**2).sum() - 1
    constraint = {"type": "eq", "fun": circle, "jac": ad.grad(circle)}
    found = optimize.minimize(
        distance, np.array([0.5, 0.5]), jac=ad.grad(distance), constraints=[constraint], tol=1e-12
    )
    np.testing.assert_allclose(found.x, np.array([2, 1]) / math.sqrt(5), atol=1e-6)


def test_least_squares_with_the_jacobian():
    t = np.linspace(0, 3, 20)
    y = 2.5 * np.exp(-1.3 * t) + 0.5
    residual = lambda p: p[0] * ad.exp(-p[1] * t) + p[2] - y
    found = optimize.least_squares(residual, np.ones(3), jac=ad.jacobian(residual))
    np.testing.assert_allclose(found.x, [2.5, 1.3, 0.5], rtol=1e-6)


def test_a_system_of_equations():
    equations = lambda x: ad.stack([x[0] ** 2 + x[1] ** 2 - 4, ad.exp(x[0]) + x[1] - 1])
    found = optimize.root(equations, np.array([1.0, -1.0]), jac=ad.jacobian(equations))
    np.testing.assert_allclose(equations(found.x), 0, atol=1e-9)
    one = optimize.root_scalar(
        lambda x: x - math.cos(x), fprime=ad.grad(lambda x: x - ad.cos(x)), x0=1.0, method="newton"
    )
    assert one.root == pytest.approx(0.7390851332151607)


def test_a_stiff_equation_with_its_jacobian():
    """Van der Pol's oscillator, with mu = 50."""
    change = lambda t, y: ad.stack([y[1], 50 * (1 - y[0] ** 2) * y[1] - y[0]])
    run = {"t_span": (0, 60), "y0": [2.0, 0.0], "method": "Radau", "rtol": 1e-8, "atol": 1e-10}
    with_ours = integrate.solve_ivp(change, jac=ad.jacobian(change, 1), **run)
    by_differences = integrate.solve_ivp(lambda t, y: [y[1], 50 * (1 - y[0] ** 2) * y[1] - y[0]], **run)
    np.testing.assert_allclose(with_ours.y[:, -1], by_differences.y[:, -1], rtol=1e-4)


def test_an_integral_outside_of_a_derivative():
    x = ad.Tensor(2.0)
    area, _ = integrate.quad(lambda s: (ad.tensor(s) * x.detach()).item(), 0, 1)
    assert area == pytest.approx(1)


def test_an_integral_inside_of_a_derivative_is_refused():
    """It was 0, where x/2 has the slope 1/2: SciPy takes a number out of the Tensor."""
    area = lambda x: integrate.quad(lambda s: s * x, 0, 1)[0]
    with pytest.raises((TypeError, RuntimeError), match="detach"):
        ad.grad(area)(3.0)
    points, weights = np.polynomial.legendre.leggauss(5)  # what to write in its place
    by_points = lambda x: (weights / 2 * ((points + 1) / 2 * x)).sum()
    assert float(ad.grad(by_points)(3.0)) == pytest.approx(0.5)


def test_a_number_of_the_math_module_inside_of_a_derivative_is_refused():
    with pytest.raises((TypeError, RuntimeError), match="exp"):
        ad.grad(lambda x: x * math.exp(x))(1.0)
    assert float(ad.grad(lambda x: x * ad.exp(x))(1.0)) == pytest.approx(2 * math.e)


def test_a_weight_that_the_function_closes_over_is_named():
    weight = ad.Tensor([1.0, 2.0], name="weight")
    value = lambda x: float((weight.data * x**2).sum())
    with pytest.raises((TypeError, RuntimeError), match="weight"):
        optimize.minimize(value, np.ones(2), jac=ad.grad(lambda x: (weight * x**2).sum()))
    frozen = weight.detach()
    found = optimize.minimize(value, np.ones(2), jac=ad.grad(lambda x: (frozen * x**2).sum()))
    np.testing.assert_allclose(found.x, 0, atol=1e-5)


def test_a_network_is_fitted_by_scipy():
    ad.seed(0)
    net = nn.Sequential(nn.Linear(1, 6, dtype=np.float64), nn.Tanh(), nn.Linear(6, 1, dtype=np.float64))
    x = np.linspace(-1, 1, 20)[:, None]
    y = x**2
    parameters = list(net.parameters())
    sizes = np.cumsum([p.size for p in parameters])[:-1]

    def value_and_gradient(flat):
        for p, part in zip(parameters, np.split(flat, sizes), strict=True):
            p.data = part.reshape(p.shape)
        net.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        return loss.item(), np.concatenate([p.grad.data.ravel() for p in parameters])

    start = np.concatenate([p.data.ravel() for p in parameters])
    found = optimize.minimize(value_and_gradient, start, jac=True, options={"maxiter": 300})
    assert found.fun < 1e-4


def test_the_same_logarithms_as_scipy_s_distributions():
    x = np.array([-2.0, 0.3, 1.7])

    def density(x, mean, spread):
        return -0.5 * ((x - mean) / spread) ** 2 - ad.log(spread) - math.log(2 * math.pi) / 2

    np.testing.assert_allclose(density(x, 0.5, ad.tensor(2.0)).data, stats.norm(0.5, 2).logpdf(x))
    score = ad.grad(lambda mean, spread: density(x, mean, spread).sum(), (0, 1))(0.5, 2.0)
    assert float(score[0]) == pytest.approx(((x - 0.5) / 4).sum())
    assert float(score[1]) == pytest.approx((((x - 0.5) / 2) ** 2 / 2 - 0.5).sum())


def test_matrix_functions_agree():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(4, 4))
    A = A @ A.T + np.eye(4)
    slope = ad.grad(lambda A: ad.logdet(A))(A)
    np.testing.assert_allclose(slope, linalg.inv(A), atol=1e-12)
    b = rng.normal(size=4)
    by_solve = ad.grad(lambda A: ad.solve(A, b).sum())(A)
    known = -np.outer(linalg.solve(A.T, np.ones(4)), linalg.solve(A, b))
    np.testing.assert_allclose(by_solve, known, atol=1e-12)


def test_a_table_is_read_between_its_points():
    """np.interp written with a table's indices, against SciPy's."""
    xs, ys = np.linspace(0, 1, 6), np.array([0.0, 1, 0, 2, 1, 3])

    def read(x):
        i = np.clip(np.searchsorted(xs, x.data) - 1, 0, 4)
        share = (x - xs[i]) / (xs[i + 1] - xs[i])
        return (1 - share) * ys[i] + share * ys[i + 1]

    at = np.array([0.13, 0.55, 0.91])
    np.testing.assert_allclose(read(ad.tensor(at)).data, interpolate.interp1d(xs, ys)(at))
    slopes = ad.grad(lambda x: read(x).sum())(at)
    np.testing.assert_allclose(slopes, [5, 10, 10], atol=1e-9)
