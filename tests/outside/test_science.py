"""Programs of scientists, written from the guide alone, whose results are known without this package."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn, optim


def test_the_length_of_a_pendulum_is_fitted_to_its_swing():
    def swing(length, steps=200, dt=0.01):
        """The angle over time, by the classical Runge-Kutta method."""
        angle, speed, angles = ad.Tensor(0.5), ad.Tensor(0.0), []

        def change(angle, speed):
            return speed, -9.81 / length * ad.sin(angle)

        for _ in range(steps):
            a1, s1 = change(angle, speed)
            a2, s2 = change(angle + dt / 2 * a1, speed + dt / 2 * s1)
            a3, s3 = change(angle + dt / 2 * a2, speed + dt / 2 * s2)
            a4, s4 = change(angle + dt * a3, speed + dt * s3)
            angle = angle + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            speed = speed + dt / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
            angles.append(angle)
        return ad.stack(angles)

    with ad.no_grad():
        measured = swing(1.3).data
    length = 1.0
    for _ in range(8):  # Gauss and Newton's method
        value, slope = ad.jvp(swing, (length,), (1.0,))
        residual, slope = value.data - measured, slope.data
        length -= float(slope @ residual / (slope @ slope))
    assert length == pytest.approx(1.3, abs=1e-9)


def test_a_network_learns_the_equation_of_a_spring():
    """U'' = -u, u(0) = 0, u'(0) = 1: the sine, without a single point of it (a physics-informed network)."""
    ad.seed(1)
    net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))

    def u(t):
        return t + t * t * net(t.reshape(1, 1)).reshape(())  # it starts at 0 with speed 1

    times = np.linspace(0, 2, 25)
    velocity = ad.grad(u)
    acceleration = ad.vmap(ad.grad(velocity))
    optimizer = optim.LBFGS(net.parameters(), lr=1, max_iter=250, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = ((acceleration(times) + ad.vmap(u)(times)) ** 2).mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    error = np.abs(ad.vmap(u)(times).data - np.sin(times)).max()
    assert error < 2e-3


def test_the_same_equation_with_the_walk_back_written_out():
    """As PyTorch users write it: gradients of a sum with respect to the points, recorded."""
    ad.seed(1)
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    t = ad.Tensor(np.linspace(0, 2, 20)[:, None])

    def residual():
        u = net(t)
        (du,) = ad.gradients(u.sum(), [t], create_graph=True)
        (ddu,) = ad.gradients(du.sum(), [t], create_graph=True)
        return ddu + u

    by_hand = ad.gradients((residual() ** 2).mean(), list(net.parameters()))
    acceleration = ad.grad(lambda s: ad.grad(lambda r: net(r).sum())(s).sum())
    as_functions = ad.gradients(((acceleration(t.data) + net(t.data)) ** 2).mean(), list(net.parameters()))
    for one, other in zip(by_hand, as_functions, strict=True):
        np.testing.assert_allclose(one.data, other.data, rtol=1e-5, atol=1e-9)  # of float32 weights


def test_the_conductivity_of_a_rod_is_found_from_two_temperatures():
    x = np.linspace(0, 1, 21)
    start = np.sin(np.pi * x)

    def final(k, steps=150, dt=1e-3):
        u = ad.as_tensor(start)
        for _ in range(steps):
            inner = u[1:-1] + k * dt / 0.05**2 * (u[2:] - 2 * u[1:-1] + u[:-2])
            u = ad.concatenate([[0.0], inner, [0.0]])
        return u

    target = final(0.7).data
    k = ad.Tensor(0.3)
    optimizer = optim.Adam([k], lr=0.05)
    for _ in range(160):
        optimizer.zero_grad()
        loss = ((final(k) - target) ** 2).sum()
        loss.backward()
        optimizer.step()
    assert float(k) == pytest.approx(0.7, abs=1e-3)


def test_a_double_pendulum_keeps_its_energy():
    """Its motion from the Lagrangian alone (Lagrange's equations, by a Hessian and a Jacobian)."""

    def lagrangian(q, v):
        kinetic = v[0] ** 2 + 0.5 * v[1] ** 2 + v[0] * v[1] * ad.cos(q[0] - q[1])
        potential = -9.81 * (2 * ad.cos(q[0]) + ad.cos(q[1]))
        return kinetic - potential

    def acceleration(q, v):
        mass = ad.hessian(lagrangian, 1)(q, v)
        mixed = ad.jacobian(ad.grad(lagrangian, 1), 0)(q, v)
        return np.linalg.solve(mass, np.asarray(ad.grad(lagrangian, 0)(q, v)) - np.asarray(mixed) @ v)

    def energy(q, v):
        momentum, value = ad.grad(lagrangian, 1)(q, v), lagrangian(ad.tensor(q), ad.tensor(v))
        return float(np.asarray(momentum) @ v - np.asarray(value))

    def change(state):
        return np.concatenate([state[2:], acceleration(state[:2], state[2:])])

    state, dt = np.array([1.0, 0.5, 0.0, 0.0]), 0.01
    before = energy(state[:2], state[2:])
    for _ in range(30):
        k1 = change(state)
        k2 = change(state + dt / 2 * k1)
        k3 = change(state + dt / 2 * k2)
        k4 = change(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert energy(state[:2], state[2:]) == pytest.approx(before, abs=1e-5)


def test_angular_momentum_commutes_with_a_central_force():
    def bracket(f, g):
        """Poisson's bracket of two functions of (q, p)."""

        def value(q, p):
            fq, fp = ad.grad(f, (0, 1))(q, p)
            gq, gp = ad.grad(g, (0, 1))(q, p)
            return (fq * gp - fp * gq).sum()

        return value

    def hamiltonian(q, p):
        return (p**2).sum() / 2 - 1 / ad.norm(q)

    def turning(q, p):
        return q[0] * p[1] - q[1] * p[0]

    q, p = np.array([0.8, -0.3]), np.array([0.2, 0.9])
    assert float(bracket(turning, hamiltonian)(q, p)) == pytest.approx(0, abs=1e-14)
    jacobi = float(bracket(lambda q, p: q[0], lambda q, p: p[0])(q, p))
    assert jacobi == 1
    # {L, {L, x}} = -x, a bracket of a bracket
    twice = bracket(turning, bracket(turning, lambda q, p: q[0]))
    assert float(twice(q, p)) == pytest.approx(-0.8, abs=1e-14)


def test_the_curvature_of_a_logistic_regression():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(50, 3)), rng.normal(size=3)
    y = (rng.random(50) < 0.5).astype(float)
    loss = lambda w: (ad.softplus(X @ w) - y * (X @ w)).sum()
    p = 1 / (1 + np.exp(-X @ w))
    np.testing.assert_allclose(ad.grad(loss)(w), X.T @ (p - y), atol=1e-12)
    np.testing.assert_allclose(ad.hessian(loss)(w), (X.T * (p * (1 - p))) @ X, atol=1e-12)


def test_the_evidence_of_a_gaussian_process():
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(12))
    y = np.sin(6 * x)
    squares = (x[:, None] - x) ** 2

    def evidence(log_length):
        K = ad.exp(-squares / (2 * ad.exp(2 * log_length))) + 0.01 * np.eye(12)
        L = ad.cholesky(K)
        z = ad.solve(L, y)
        return -(z**2).sum() / 2 - ad.log(ad.diag(L)).sum()

    at = math.log(0.3)
    K = np.exp(-squares / (2 * 0.3**2)) + 0.01 * np.eye(12)
    dK = np.exp(-squares / (2 * 0.3**2)) * squares / 0.3**2
    weights = np.linalg.solve(K, y)
    known = (weights @ dK @ weights - np.trace(np.linalg.solve(K, dK))) / 2
    assert float(ad.grad(evidence)(at)) == pytest.approx(known, rel=1e-9)


def test_the_sensitivity_of_a_root_by_the_implicit_function_theorem():
    def root(a):
        """The x with x + exp(a x) = 2, by Newton's method, all of it differentiated."""
        x = 0.5
        for _ in range(12):
            x = x - (x + ad.exp(a * x) - 2) / (1 + a * ad.exp(a * x))
        return x

    a = 0.7
    x = float(root(a))
    known = -x * math.exp(a * x) / (1 + a * math.exp(a * x))
    assert float(ad.grad(root)(a)) == pytest.approx(known, rel=1e-12)


def test_the_christoffel_symbols_of_a_sphere():
    place = lambda u: ad.stack([ad.sin(u[0]) * ad.cos(u[1]), ad.sin(u[0]) * ad.sin(u[1]), ad.cos(u[0])])

    def metric(u):
        J = ad.jacobian(place)(u)
        return J.T @ J

    u = np.array([0.6, 1.1])
    d = np.asarray(ad.jacobian(metric)(u))  # d[i, j, k], the change of g_ij with u_k
    lower = (d.transpose(0, 2, 1) + d - d.transpose(2, 1, 0)) / 2
    symbols = np.einsum("il,ljk->ijk", np.linalg.inv(metric(u)), lower.transpose(0, 2, 1))
    assert symbols[0, 1, 1] == pytest.approx(-math.sin(0.6) * math.cos(0.6))
    assert symbols[1, 0, 1] == pytest.approx(math.cos(0.6) / math.sin(0.6))


def test_forces_between_atoms():
    def energy(places):
        i, j = np.triu_indices(len(places), 1)
        r = ad.norm(places[i] - places[j], axis=1)
        return (4 * (r**-12 - r**-6)).sum()

    rng = np.random.default_rng(0)
    atoms = rng.normal(size=(5, 3)) * 2
    forces = -np.asarray(ad.grad(energy)(atoms))
    np.testing.assert_allclose(forces.sum(axis=0), 0, atol=1e-9)
    pair = np.array([[0.0, 0, 0], [2 ** (1 / 6), 0, 0]])  # at rest
    np.testing.assert_allclose(ad.grad(energy)(pair), 0, atol=1e-12)
    stiffness = np.asarray(ad.hessian(energy)(pair))[1, 0, 1, 0]
    assert stiffness == pytest.approx(57.1464378708551)


def test_a_maxwell_relation_of_a_real_gas():
    def free_energy(T, V):
        """Van der Waals, up to a function of T alone."""
        return -T * ad.log(V - 0.1) - 0.5 / V

    T, V = 1.4, 2.0
    pressure = lambda T, V: -ad.grad(free_energy, 1)(T, V)
    entropy = lambda T, V: -ad.grad(free_energy, 0)(T, V)
    assert float(pressure(T, V)) == pytest.approx(T / (V - 0.1) - 0.5 / V**2)
    assert float(ad.grad(entropy, 1)(T, V)) == pytest.approx(float(ad.grad(pressure, 0)(T, V)))
    assert float(ad.grad(pressure, 0)(T, V)) == pytest.approx(1 / 1.9)


def test_the_fisher_information_of_a_normal_distribution():
    def log_density(theta, x):
        return -((x - theta[0]) ** 2) / (2 * ad.exp(2 * theta[1])) - theta[1]

    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    x = (x - x.mean()) / x.std()  # so that the sample's moments are exact
    theta = np.array([0.0, 0.0])
    scores = ad.vmap(ad.grad(log_density), in_axes=(None, 0))(theta, x)
    np.testing.assert_allclose(scores.data.mean(axis=0), 0, atol=1e-12)
    curvature = ad.vmap(ad.hessian(log_density), in_axes=(None, 0))(theta, x)
    np.testing.assert_allclose(-curvature.data.mean(axis=0), [[1, 0], [0, 2]], atol=1e-9)


def test_hamiltonian_monte_carlo_turns_back_exactly():
    precision = np.array([[2.0, 0.6], [0.6, 1.0]])
    slope = ad.grad(lambda x: x @ precision @ x / 2)

    def leapfrog(x, v, steps=30, dt=0.1):
        v = v - dt / 2 * slope(x)
        for _ in range(steps - 1):
            x = x + dt * v
            v = v - dt * slope(x)
        x = x + dt * v
        return x, v - dt / 2 * slope(x)

    x, v = np.array([1.0, -0.5]), np.array([0.3, 0.8])
    there = leapfrog(x, v)
    back = leapfrog(there[0], -there[1])
    np.testing.assert_allclose(back[0], x, atol=1e-12)
    np.testing.assert_allclose(-back[1], v, atol=1e-12)


def test_the_greeks_of_an_option():
    """Black and Scholes, 1973, in closed form."""

    def price(S, sigma, T, K=100.0, r=0.02):
        d1 = (ad.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * ad.sqrt(T))
        d2 = d1 - sigma * ad.sqrt(T)
        N = lambda x: (1 + ad.erf(x / math.sqrt(2))) / 2
        return S * N(d1) - K * ad.exp(-r * T) * N(d2)

    S, sigma, T = 105.0, 0.2, 0.5
    d1 = (math.log(S / 100) + (0.02 + sigma**2 / 2) * T) / (sigma * math.sqrt(T))
    density = math.exp(-(d1**2) / 2) / math.sqrt(2 * math.pi)
    delta, vega = ad.grad(price, (0, 1))(S, sigma, T)
    assert float(delta) == pytest.approx((1 + math.erf(d1 / math.sqrt(2))) / 2)
    assert float(vega) == pytest.approx(S * density * math.sqrt(T))
    gamma = ad.grad(ad.grad(price))(S, sigma, T)
    assert float(gamma) == pytest.approx(density / (S * sigma * math.sqrt(T)))


def test_a_curl_has_no_divergence():
    field = lambda x: ad.stack([x[1] ** 2 * ad.sin(x[2]), ad.exp(x[0] * x[2]), x[0] * x[1] * x[2]])

    def curl(x):
        J = ad.jacobian(field)(x)
        return ad.stack([J[2, 1] - J[1, 2], J[0, 2] - J[2, 0], J[1, 0] - J[0, 1]])

    x = np.array([0.3, -0.7, 1.2])
    assert float(ad.trace(ad.jacobian(curl)(x))) == pytest.approx(0, abs=1e-14)
    np.testing.assert_allclose(curl(x)[0], x[0] * x[2] - x[0] * np.exp(x[0] * x[2]))


def test_kalman_s_likelihood_and_its_slope():
    rng = np.random.default_rng(0)
    seen = np.cumsum(rng.normal(size=30)) + rng.normal(size=30)

    def likelihood(log_noise):
        noise, mean, spread, total = ad.exp(log_noise), 0.0, 1.0, 0.0
        for value in seen:
            spread = spread + 1.0
            total = total - (value - mean) ** 2 / (2 * (spread + noise)) - ad.log(spread + noise) / 2
            gain = spread / (spread + noise)
            mean, spread = mean + gain * (value - mean), (1 - gain) * spread
        return total

    # The same likelihood, as one normal distribution of 30 numbers
    i = np.arange(1, 31)
    noise = math.exp(0.3)
    walk = np.minimum(i[:, None], i) + 1.0
    K = walk + noise * np.eye(30)
    known = -seen @ np.linalg.solve(K, seen) / 2 - np.linalg.slogdet(K)[1] / 2
    weights = np.linalg.solve(K, seen)
    known_slope = noise * (weights @ weights - np.trace(np.linalg.inv(K))) / 2
    value, slope = ad.value_and_grad(likelihood)(0.3)
    assert float(value) == pytest.approx(known, rel=1e-12)
    assert float(slope) == pytest.approx(known_slope, rel=1e-9)
    fast = ad.compile(ad.value_and_grad(likelihood))
    assert [*map(float, fast(0.3))] == pytest.approx([known, known_slope])
