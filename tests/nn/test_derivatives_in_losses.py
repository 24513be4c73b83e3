"""Losses that contain derivatives of a network with respect to its input: a physics-informed network, a
gradient penalty, and forces. They must reach the loss that PyTorch reaches from the same start."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim

POINTS = np.linspace(0, 1, 17)[:, None]
FORCE = np.pi**2 * np.sin(np.pi * POINTS)  # u'' = -FORCE and u(0) = u(1) = 0 are solved by sin(pi x)
ENDS = np.array([[0.0], [1.0]])
START = {
    "0.weight": np.random.default_rng(0).normal(size=(12, 1)),
    "0.bias": np.random.default_rng(1).normal(size=12),
    "2.weight": np.random.default_rng(2).normal(size=(1, 12)) / 4,
    "2.bias": np.zeros(1),
}
STEPS = 40


def network(inputs=1):
    net = nn.Sequential(nn.Linear(inputs, 12), nn.Tanh(), nn.Linear(12, 1))
    for name, parameter in net.named_parameters():
        parameter.data = start(name, inputs)
    return net


def start(name, inputs):
    return np.repeat(START[name], inputs, axis=1) if name == "0.weight" else START[name]


def their_network(torch, inputs=1):
    net = torch.nn.Sequential(torch.nn.Linear(inputs, 12), torch.nn.Tanh(), torch.nn.Linear(12, 1)).double()
    net.load_state_dict({name: torch.tensor(start(name, inputs)) for name in START})
    return net


def losses(net, loss, steps=STEPS):
    optimizer = optim.Adam(net.parameters(), lr=0.02)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        found.append(float(value))
    return found


def their_losses(torch, net, loss):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    found = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        found.append(value.item())
    return found


def by_sums(net, x):
    """The curvature at all points: each depends on one point, so the gradient of the sum has them all."""
    slopes = ad.grad(lambda x: net(x).sum())
    return ad.grad(lambda x: slopes(x).sum())(x)


def by_vmap(net, x):
    u = lambda x: net(ad.reshape(x, shape=(1, 1))).sum()
    return ad.reshape(ad.vmap(ad.grad(ad.grad(u)))(x[:, 0]), shape=(-1, 1))


def by_jvp(net, x):
    ones = np.ones_like(x)
    slope = lambda x: ad.jvp(net, (x,), (ones,))[1]
    return ad.jvp(slope, (x,), (ones,))[1]


def by_hvp(net, x):
    return ad.hvp(lambda x: net(x).sum(), (x,), (np.ones_like(x),))[0]


WAYS = {"grad of grad": by_sums, "vmap": by_vmap, "jvp of jvp": by_jvp, "hvp": by_hvp}


def residual_loss(net, curvature, x=POINTS):
    return ((curvature(net, x) + FORCE) ** 2).mean() + 10 * (net(ENDS) ** 2).mean()


@pytest.fixture(scope="module")
def their_residuals():
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    net = their_network(torch)
    x = torch.tensor(POINTS, requires_grad=True)

    def loss():
        (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        (curvature,) = torch.autograd.grad(slope.sum(), x, create_graph=True)
        return ((curvature + torch.tensor(FORCE)) ** 2).mean() + 10 * (net(torch.tensor(ENDS)) ** 2).mean()

    return their_losses(torch, net, loss)


@pytest.mark.parametrize("way", WAYS)
def test_a_physics_informed_network_learns_as_pytorch_s_does(way, their_residuals):
    net = network()
    found = losses(net, lambda: residual_loss(net, WAYS[way]))
    np.testing.assert_allclose(found, their_residuals, rtol=1e-6)


def test_a_batch_of_constant_tensors_is_a_batch_too():
    batch = Tensor(POINTS, requires_grad=False)
    one, other = network(), network()
    found = losses(one, lambda: residual_loss(one, by_sums, batch), steps=5)
    assert found == losses(other, lambda: residual_loss(other, by_sums), steps=5)


def test_a_compiled_loss_with_derivatives_in_it():
    one, other = network(), network()
    compiled = ad.compile(lambda: residual_loss(one, by_sums))
    found = losses(one, compiled, steps=10)
    expected = losses(other, lambda: residual_loss(other, by_sums), steps=10)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_physics_informed_network_finds_the_solution():
    net = network()
    losses(net, lambda: residual_loss(net, by_sums), steps=400)
    np.testing.assert_allclose(net(POINTS).data, np.sin(np.pi * POINTS), atol=0.05)


def test_a_gradient_penalty_learns_as_pytorch_s_does():
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    rng = np.random.default_rng(5)
    real, fake = rng.normal(size=(8, 2)), rng.normal(size=(8, 2)) + 1
    between = real * 0.3 + fake * 0.7
    critic, their_critic = network(2), their_network(torch, 2)

    def loss():
        slopes = ad.grad(lambda x: critic(x).sum())(between)
        penalty = ((ad.norm(slopes, axis=1) - 1) ** 2).mean()
        return critic(fake).mean() - critic(real).mean() + 10 * penalty

    def their_loss():
        x = torch.tensor(between, requires_grad=True)
        (slopes,) = torch.autograd.grad(their_critic(x).sum(), x, create_graph=True)
        penalty = ((slopes.norm(dim=1) - 1) ** 2).mean()
        ours, theirs = torch.tensor(fake), torch.tensor(real)
        return their_critic(ours).mean() - their_critic(theirs).mean() + 10 * penalty

    np.testing.assert_allclose(losses(critic, loss), their_losses(torch, their_critic, their_loss), rtol=1e-6)


def test_forces_are_the_slopes_of_a_learned_energy():
    """The loss is of forces alone: without the derivative's graph nothing would be learned."""
    rng = np.random.default_rng(3)
    places = rng.normal(size=(6, 2))
    energy = network(2)
    forces = ad.vmap(ad.grad(lambda place: energy(ad.reshape(place, shape=(1, 2))).sum()))
    found = losses(energy, lambda: ((forces(places) + places) ** 2).mean(), steps=150)
    assert found[-1] < found[0] / 10
