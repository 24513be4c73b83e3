"""A compiled training step changes everything that an uncompiled one changes, to the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim, training
from autodiff.compiling.training_step import TrainingStep

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 6)), RNG.integers(0, 3, 20)

OPTIMIZERS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "maximize": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3}),
    ("Adam", {"lr": 0.01}),
    ("Adam", {"lr": 0.01, "amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.01}),
    ("NAdam", {"lr": 0.01}),
    ("RAdam", {"lr": 0.01}),
    ("RMSprop", {"lr": 0.01}),
    ("RMSprop", {"lr": 0.01, "centered": True, "momentum": 0.9}),
    ("Adagrad", {"lr": 0.01}),
    ("Adadelta", {"lr": 1.0}),
]


def network(dtype, *, with_noise=False):
    noise = [nn.BatchNorm1d(8), nn.Dropout(0.5)] if with_noise else []
    return nn.Sequential(nn.Linear(6, 8, generator=1), nn.ReLU(), *noise, nn.Linear(8, 3, generator=2)).to(
        dtype
    )


def trained(name, options, dtype, *, is_compiled, steps=50, with_noise=False):
    """A network after some steps with a schedule, its optimizer, and the last loss."""
    ad.seed(3)
    net = network(dtype, with_noise=with_noise)
    optimizer = getattr(optim, name)(net.parameters(), **options)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    loss_function = nn.CrossEntropyLoss()
    step = TrainingStep(net, loss_function, optimizer, exact=True)
    x = X.astype(dtype)
    for _ in range(steps):
        if is_compiled:
            _, loss = step(x, Y)
        else:
            loss = loss_function(net(x), Y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        schedule.step()
    return net, optimizer, loss.item(), step


def assert_same_state(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name], err_msg=name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "options"), OPTIMIZERS)
def test_fifty_steps_of_each_optimizer(name, options, dtype):
    net, optimizer, loss, _ = trained(name, options, dtype, is_compiled=False)
    fast_net, fast_optimizer, fast_loss, step = trained(name, options, dtype, is_compiled=True)
    assert_same_state(net.state_dict(), fast_net.state_dict())
    assert loss == fast_loss
    expected, found = optimizer.state_dict()["state"], fast_optimizer.state_dict()["state"]
    for place, state in expected.items():
        assert_same_state(state, found[place])
        assert [*map(type, state.values())] == [*map(type, found[place].values())]
    programs = step._whole if name != "RAdam" else step._half
    assert len(programs._programs) == 1  # another learning rate needs no other program


def plain_steps(step):
    """Have a step note when it runs without a program; returns the notes."""
    noted = []
    for name in ("_plain_step", "_half_step"):
        run = getattr(step, name)
        setattr(step, name, lambda x, y, name=name, run=run: (noted.append(name), run(x, y))[1])
    return noted


@pytest.mark.parametrize(("name", "options"), [case for case in OPTIMIZERS if case[0] != "RAdam"])
def test_the_first_step_is_compiled_too(name, options):
    net = network(np.float64)
    step = TrainingStep(net, nn.CrossEntropyLoss(), getattr(optim, name)(net.parameters(), **options))
    noted = plain_steps(step)
    for _ in range(3):
        step(X, Y)
    assert not noted
    assert len(step._whole._programs) == 1


def test_a_rule_that_makes_its_state_in_the_first_step_is_compiled_after_it():
    class Heavy(optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 0.1})

        def update(self, data, grad, state, group):
            if "v" not in state:
                state["v"] = grad.copy()
            state["v"] = 0.9 * state["v"] + grad
            data -= group["lr"] * state["v"]

    results = []
    for is_compiled in (False, True):
        net = network(np.float64)
        step = TrainingStep(net, nn.CrossEntropyLoss(), Heavy(net.parameters()), exact=True)
        noted = plain_steps(step)
        for _ in range(4):
            step(X, Y) if is_compiled else step._plain_step(X, Y)
        results.append(net.state_dict())
    assert noted == ["_half_step"]
    assert_same_state(*results)


class Twice(optim.SGD):
    def step(self, closure=None):
        super().step()
        return super().step()


class WithoutRule(optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    def step(self, closure=None):
        for parameter in self._parameters:
            parameter.assign(parameter.data - 0.1 * parameter.grad.data)


@pytest.mark.parametrize("kind", [Twice, WithoutRule])
def test_a_step_of_an_optimizer_s_own_is_taken(kind):
    results = []
    for is_compiled in (False, True):
        net = network(np.float64)
        step = TrainingStep(net, nn.CrossEntropyLoss(), kind(net.parameters()), exact=True)
        for _ in range(3):
            step(X, Y) if is_compiled else step._plain_step(X, Y)
        results.append(net.state_dict())
    assert_same_state(*results)


def test_a_group_that_is_added_between_steps():
    results = []
    for is_compiled in (False, True):
        net = network(np.float64)
        first, *others = net.parameters()
        optimizer = optim.Adam([first], lr=0.1)
        step = TrainingStep(net, nn.CrossEntropyLoss(), optimizer, exact=True)
        noted = plain_steps(step)
        for k in range(5):
            if k == 2:
                net.zero_grad()  # steps without a program have gathered gradients in the others
                optimizer.add_param_group({"params": others})
            step(X, Y) if is_compiled else step._plain_step(X, Y)
        results.append(net.state_dict())
    assert not noted
    assert_same_state(*results)


def test_batch_statistics_and_random_draws_are_those_of_uncompiled_steps():
    net, _, loss, _ = trained("Adam", {}, np.float32, is_compiled=False, with_noise=True)
    fast, _, fast_loss, _ = trained("Adam", {}, np.float32, is_compiled=True, with_noise=True)
    assert_same_state(net.state_dict(), fast.state_dict())
    assert loss == fast_loss


def test_parameters_that_are_numbers():
    results = []
    for is_compiled in (False, True):
        a, b = Tensor(0.5), Tensor(-1.0)
        optimizer = optim.Adam([a, b], lr=0.1)
        x = np.array([1.0, 2.0, 3.0])
        step = TrainingStep(lambda x, a=a, b=b: a * x + b, nn.MSELoss(), optimizer, exact=True)
        for _ in range(10):
            if is_compiled:
                step(x, 2 * x)
            else:
                nn.mse_loss(a * x + b, 2 * x).backward()
                optimizer.step()
                optimizer.zero_grad()
        assert type(a.data) is float
        results.append((a.item(), b.item()))
    assert results[0] == results[1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(("name", "options"), [*OPTIMIZERS, ("SGD", {"momentum": 0.9, "maximize": True})])
def test_parameters_without_axes(name, options, dtype):
    """Of arrays without axes NumPy makes scalars, and so the moments were constants of the program."""
    results = []
    for is_compiled in (False, True):
        scale, shift = Tensor(np.asarray(0.5, dtype)), Tensor(np.asarray([-1.0], dtype))
        optimizer = getattr(optim, name)([scale, shift], **options)
        x = (X / 8).astype(dtype)
        line = lambda x, a=scale, b=shift: (x * a + b).sum(axis=1)
        step = TrainingStep(line, nn.MSELoss(), optimizer, exact=True)
        losses = []
        for _ in range(6):
            _, loss = step(x, Y) if is_compiled else step._plain_step(x, Y)
            losses.append(loss.item())
        states = [value for state in optimizer.state.values() for value in state.values()]
        assert {*map(type, states)} <= {np.ndarray, int, float}
        results.append(
            [*losses, scale.item(), *shift.data, *(x for state in states for x in np.ravel(state))]
        )
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(
    "keep", [lambda grad: [grad], lambda grad: grad.sum(), lambda grad: bool(grad.sum() > 0)]
)
def test_a_state_that_is_neither_array_nor_number_is_not_frozen(keep):
    class Remembering(optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 0.1})

        def update(self, data, grad, state, group):
            old = state.get("last", 0)
            data -= group["lr"] * (grad + (old[0] if isinstance(old, list) else old))
            state["last"] = keep(grad)

    results = []
    for is_compiled in (False, True):
        net = network(np.float64)
        step = TrainingStep(net, nn.CrossEntropyLoss(), Remembering(net.parameters()), exact=True)
        for _ in range(4):
            step(X, Y) if is_compiled else step._plain_step(X, Y)
        results.append(net.state_dict())
    assert_same_state(*results)


def test_a_parameter_without_a_gradient_and_groups_with_rates_of_their_own():
    results = []
    for is_compiled in (False, True):
        net, unused = network(np.float64), nn.Parameter([1.0, 2.0])
        first, *others = net.parameters()
        groups = [{"params": [first], "lr": 0.5}, {"params": [*others, unused]}]
        optimizer = optim.SGD(groups, lr=0.1, momentum=0.9)
        step = TrainingStep(net, nn.CrossEntropyLoss(), optimizer, exact=True)
        for rate in (0.1, 0.2, 0.3):
            optimizer.param_groups[1]["lr"] = rate
            if is_compiled:
                step(X, Y)
            else:
                step._plain_step(X, Y)
        np.testing.assert_array_equal(unused.data, [1, 2])
        results.append(net.state_dict())
    assert_same_state(*results)


def test_state_that_is_loaded_between_steps_is_used():
    _, optimizer, _, step = trained("Adam", {}, np.float64, is_compiled=True, steps=5)
    net = step.forward
    saved, weights = optimizer.state_dict(), net.state_dict()
    step(X, Y)
    expected = net.state_dict()
    step(X, Y)
    optimizer.load_state_dict(saved)
    net.load_state_dict(weights)
    step(X, Y)
    assert_same_state(net.state_dict(), expected)


def test_an_array_that_is_held_is_not_changed():
    _, _, _, step = trained("SGD", {"lr": 0.1}, np.float64, is_compiled=True, steps=3)
    step.optimizer.param_groups[0]["lr"] = 0.1  # the schedule has ended at 0
    weight = next(step.forward.parameters())
    view, before = weight.data[0], weight.data[0].copy()
    step(X, Y)
    np.testing.assert_array_equal(view, before)
    assert not np.array_equal(weight.data[0], before)


def fitted(is_compiled, model_class=training.Model):
    ad.seed(1)
    net = network(np.float32, with_noise=True)
    model = model_class(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters()), compile=is_compiled)
    x = X.astype(np.float32)
    history = model.fit(
        x, Y, epochs=3, batch_size=6, validation_data=(x, Y), metrics=[training.accuracy], verbose=False
    )
    return net, history


def test_a_model_is_fitted_to_the_same_numbers():
    (net, history), (fast, fast_history) = fitted(False), fitted(True)
    for name, value in net.state_dict().items():  # sums are taken in another order
        np.testing.assert_allclose(fast.state_dict()[name], value, rtol=1e-4, atol=1e-6)
    for one, other in zip(history, fast_history, strict=True):
        assert other == pytest.approx(one, rel=1e-5)


def test_a_model_with_a_step_of_its_own_is_not_compiled():
    class Clipped(training.Model):
        def apply_grad(self):
            optim.clip_grad_norm_(self.net.parameters(), 1.0)
            super().apply_grad()

    fitted(False, Clipped)
    with pytest.raises(ValueError, match=r"Clipped overrides apply_grad.*or compile a function that calls"):
        fitted(True, Clipped)

    class Noisy(training.Model):
        def forward(self, x):
            return super().forward(x) + 1

    with pytest.raises(ValueError, match=r"Noisy overrides forward.*or write what it does into the net"):
        fitted(True, Noisy)


def test_what_a_model_with_clipping_is_told_to_write_works():
    steps = []
    for wrap in (lambda f: f, ad.compile):
        ad.seed(1)
        net = network(np.float32)
        optimizer, loss = optim.SGD(net.parameters(), 0.5), nn.CrossEntropyLoss()

        @wrap
        def gradients(x, y, net=net, loss=loss):
            value = loss(net(x), y)
            value.backward()
            return value

        for _ in range(3):
            optimizer.zero_grad()
            value = gradients(X.astype(np.float32), Y)
            optim.clip_grad_norm_(net.parameters(), 0.01)
            optimizer.step()
        steps.append(value.item())
    np.testing.assert_allclose(*steps, rtol=1e-5)
