"""Programs as PyTorch users write them. Results are known from calculus, or from other lines."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim
from autodiff.nn import functional as F  # noqa: N812


@pytest.fixture
def points():
    return data.moons(60, noise=0.1, seed=0)


def network(width=8):
    return nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 2))


def test_the_loop_that_everybody_writes(points):
    ad.manual_seed(0)
    net = network()
    criterion, optimizer = nn.CrossEntropyLoss(), optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    loader = data.DataLoader(data.TensorDataset(*points), batch_size=20, shuffle=True)
    losses = []
    for _ in range(40):
        running = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(x)
        losses.append(running / len(loader.dataset))
    net.eval()
    with ad.no_grad():
        correct = (net(points[0]).argmax(dim=1) == points[1]).sum().item()
    assert losses[-1] < 0.1 < losses[0]
    assert correct >= 58


def test_a_gradient_penalty_reaches_the_weights(points):
    """WGAN-GP's term (Gulrajani and others, 2017), by the function and by the walk back: the same numbers."""
    ad.manual_seed(0)
    critic = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
    x = points[0]

    def penalty(slope):
        return ((ad.norm(slope, axis=1) - 1) ** 2).mean()

    inputs = ad.tensor(x, requires_grad=True)
    (slope,) = ad.gradients(critic(inputs).sum(), [inputs], create_graph=True)
    penalty(slope).backward()
    expected = [p.grad.data.copy() if p.grad is not None else None for p in critic.parameters()]
    assert np.abs(expected[0]).max() > 1e-3
    critic.zero_grad()
    penalty(ad.grad(lambda x: critic(x).sum())(x)).backward()
    for p, known in zip(critic.parameters(), expected, strict=True):
        if known is not None:
            np.testing.assert_allclose(p.grad.data, known, atol=1e-7)


def test_four_small_batches_are_one_large_one(points):
    x, y = points
    ad.manual_seed(0)
    net = network()
    for part in np.split(np.arange(60), 4):
        (F.cross_entropy(net(x[part]), y[part]) / 4).backward()
    small = [p.grad.data.copy() for p in net.parameters()]
    net.zero_grad()
    F.cross_entropy(net(x), y).backward()
    for p, known in zip(net.parameters(), small, strict=True):
        np.testing.assert_allclose(p.grad.data, known, atol=1e-7)  # the weights are float32


def test_frozen_layers_stay_as_they_are(points):
    ad.manual_seed(0)
    net = network()
    for p in net[0].parameters():
        p.requires_grad_(False)
    before = net[0].weight.data.copy()
    optimizer = optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        F.cross_entropy(net(points[0]), points[1]).backward()
        optimizer.step()
    assert (net[0].weight.data == before).all()
    assert net[0].weight.grad is None
    assert net[2].weight.grad is not None


def test_steps_by_hand_under_no_grad():
    w = ad.tensor([1.0, -2.0], requires_grad=True)
    for _ in range(100):
        loss = ((w - ad.tensor([3.0, 0.5])) ** 2).sum()
        loss.backward()
        with ad.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    np.testing.assert_allclose(w.data, [3.0, 0.5], atol=1e-8)


def test_a_training_goes_on_from_its_file(points, tmp_path):
    def step(net, optimizer):
        optimizer.zero_grad()
        F.cross_entropy(net(points[0]), points[1]).backward()
        optimizer.step()

    ad.manual_seed(0)
    net = network()
    optimizer = optim.Adam(net.parameters(), lr=0.05)
    step(net, optimizer)
    ad.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "point")
    step(net, optimizer)
    ad.manual_seed(1)
    other = network()
    again = optim.Adam(other.parameters(), lr=0.05)
    stored = ad.load(tmp_path / "point")
    other.load_state_dict(stored["net"])
    again.load_state_dict(stored["optimizer"])
    step(other, again)
    for one, two in zip(net.parameters(), other.parameters(), strict=True):
        assert (one.data == two.data).all()


def test_a_function_of_one_s_own():
    class Clamped(ad.Function):
        """Straight through: 0 or 1 forward, the identity back (Bengio and others, 2013)."""

        @staticmethod
        def forward(ctx, x):
            return (x > 0) * 1.0

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = ad.tensor([-1.0, 2.0], requires_grad=True)
    y = Clamped.apply(x)
    (y * ad.tensor([3.0, 5.0])).sum().backward()
    assert y.tolist() == [0, 1]
    assert x.grad.tolist() == [3, 5]


def test_learning_to_learn():
    """MAML (Finn and others, 2017) on parabolas: the best start is the mean of their lowest points."""
    targets = np.array([1.0, 2.0, 6.0])
    start = ad.Tensor(0.0)
    optimizer = optim.SGD([start], lr=0.3)
    for _ in range(60):
        optimizer.zero_grad()
        total = 0.0
        for target in targets:
            inner = lambda w, target=target: (w - target) ** 2
            adapted = start - 0.1 * ad.grad(inner)(start)
            total = total + inner(adapted)
        (total / 3).backward()
        optimizer.step()
    assert float(start) == pytest.approx(3.0)


def test_a_learned_rate():
    """The rate of the inner step is closed over by the function whose gradient is taken."""
    rate = ad.Tensor(0.1)

    def after_a_step(w):
        return w - rate * ad.grad(lambda v: (v - 4.0) ** 2)(w)

    value = (after_a_step(1.0) - 4.0) ** 2
    value.backward()
    assert float(value) == pytest.approx(5.76)
    assert float(rate.grad) == pytest.approx(2 * -2.4 * 6)
    slope = ad.grad(lambda w: (after_a_step(w) - 4.0) ** 2)(1.0)  # 2 (1 - 2r)^2 (w - 4)
    rate.zero_grad()
    slope.backward()
    assert float(rate.grad) == pytest.approx(-8 * (1 - 0.2) * -3)


def test_hooks_scale_and_look():
    x = ad.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    seen = []
    h.register_hook(lambda g: seen.append(g.tolist()))
    h.register_hook(lambda g: g * 10)
    (h * h).sum().backward()
    assert seen == [[6, 12]]
    assert x.grad.tolist() == [180, 360]


def test_clipping_keeps_the_direction(points):
    ad.manual_seed(0)
    net = network()
    (100 * F.cross_entropy(net(points[0]), points[1])).backward()
    before = np.concatenate([p.grad.data.ravel() for p in net.parameters()])
    length = nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0)
    after = np.concatenate([p.grad.data.ravel() for p in net.parameters()])
    assert float(length) == pytest.approx(np.linalg.norm(before))
    np.testing.assert_allclose(after, before / np.linalg.norm(before), rtol=1e-5)


def test_a_dataset_and_a_module_of_one_s_own():
    class Squares(data.Dataset):
        def __len__(self):
            return 32

        def __getitem__(self, i):
            x = np.float32(i / 32)
            return np.array([x]), np.array([2 * x + 1])

    class Line(nn.Module):
        def __init__(self):
            super().__init__()
            self.slope = nn.Parameter(ad.zeros(1))
            self.start = nn.Parameter(ad.zeros(1))

        def forward(self, x):
            return self.slope * x + self.start

    line = Line()
    optimizer = optim.Adam(line.parameters(), lr=0.1)
    for _ in range(150):
        for x, y in data.DataLoader(Squares(), batch_size=8, shuffle=True):
            optimizer.zero_grad()
            F.mse_loss(line(x), y).backward()
            optimizer.step()
    assert line.slope.item() == pytest.approx(2, abs=1e-3)
    assert line.start.item() == pytest.approx(1, abs=1e-3)


def test_dropout_is_off_when_it_is_judged():
    ad.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5), nn.Linear(64, 1))
    x = ad.ones(1, 4)
    assert net(x).item() != net(x).item()
    net.eval()
    assert net(x).item() == net(x).item()
    net.train()
    assert net(x).item() != net(x).item()


def test_a_slow_copy_of_the_weights(points):
    net = network()
    slow = copy.deepcopy(net)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    by_hand = [p.data.copy() for p in slow.parameters()]
    for _ in range(5):
        optimizer.zero_grad()
        F.cross_entropy(net(points[0]), points[1]).backward()
        optimizer.step()
        with ad.no_grad():
            for s, p in zip(slow.parameters(), net.parameters(), strict=True):
                s.mul_(0.9).add_(p, alpha=0.1)
        by_hand = [0.9 * s + 0.1 * p.data for s, p in zip(by_hand, net.parameters(), strict=True)]
    for s, known in zip(slow.parameters(), by_hand, strict=True):
        np.testing.assert_allclose(s.data, known, rtol=1e-12)


def test_gradients_of_each_example(points):
    x, y = points[0][:5], points[1][:5]
    w = np.array([[0.3, -0.2], [0.5, 0.1]])
    loss = lambda w, x, y: F.cross_entropy((x @ w).reshape(1, 2), y.reshape(1))
    each = ad.vmap(ad.grad(loss), in_axes=(None, 0, 0))(w, x, y)
    for i in range(5):
        one = ad.tensor(w, requires_grad=True)
        loss(one, x[i], y[i]).backward()
        np.testing.assert_allclose(each.data[i], one.grad.data, atol=1e-12)


def test_a_hinge_loss_of_each_example():
    margins = np.array([-0.5, 0.2, 0.9, 1.5, 1.0])
    slopes = ad.vmap(ad.grad(lambda m: ad.maximum(1 - m, 0.0)))(margins)
    assert slopes.tolist() == [-1, -1, -1, 0, -0.5]


def test_tied_weights_add_their_gradients():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.encode = nn.Linear(3, 2, bias=False)

        def forward(self, x):
            return self.encode(x) @ self.encode.weight

    net, x = Tied(), np.array([[1.0, 2.0, 3.0]])
    F.mse_loss(net(x), ad.tensor(x), reduction="sum").backward()
    W = net.encode.weight.data
    residual = x @ W.T @ W - x
    known = 2 * (W @ x.T @ residual + (residual @ W.T).T @ x)
    np.testing.assert_allclose(net.encode.weight.grad.data, known, rtol=1e-6)


def test_two_losses_share_a_trunk():
    trunk, one, two = (ad.Tensor(v) for v in (2.0, 3.0, 5.0))
    h = trunk * trunk
    (h * one).backward()
    (h * two).backward()
    assert (trunk.grad, one.grad, two.grad) == (4 * 3 + 4 * 5, 4, 4)


def test_a_target_network_gets_no_gradient():
    online, target = nn.Linear(2, 1), nn.Linear(2, 1)
    x = np.ones((3, 2))
    F.mse_loss(online(x), 1 + 0.9 * target(x).detach()).backward()
    assert all(p.grad is None for p in target.parameters())
    assert all(p.grad is not None for p in online.parameters())


def test_cells_unrolled_by_hand_are_the_layer():
    ad.manual_seed(0)
    layer = nn.LSTM(3, 4)
    cell = nn.LSTMCell(3, 4)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        getattr(cell, name).data = getattr(layer, f"{name}_l0").data
    x = np.random.default_rng(0).normal(size=(5, 2, 3)).astype(np.float32)
    out, (h, _) = layer(x)
    state = None
    for step in x:
        state = cell(step, state)
    np.testing.assert_allclose(state[0].data, h.data[0], atol=1e-6)
    np.testing.assert_allclose(out.data[-1], h.data[0], atol=1e-6)
