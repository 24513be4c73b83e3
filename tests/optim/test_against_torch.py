"""Optimizers, schedules and clipping against PyTorch, where it is installed. The package never needs it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, optim
from tests.optim import cases, literals
from tests.optim.cases import OWN_OPTIONS, RULES, label

torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")

SHARED = [
    {},
    {"weight_decay": 0.1},
    {"maximize": True},
    {"weight_decay": 0.1, "maximize": True},
    {"lr": 0.3},
]
DECOUPLED = [(name, {"decoupled_weight_decay": True, "weight_decay": 0.1}) for name in ("NAdam", "RAdam")]
CASES = [
    (name, shared | options)
    for name in RULES
    for options in [{}, *OWN_OPTIONS[name]]
    for shared in (SHARED if not options else SHARED[::3])
]


@pytest.fixture(autouse=True)
def doubles():
    """NAdam in PyTorch keeps a number in the default dtype."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(("name", "options"), CASES + DECOUPLED, ids=label)
def test_20_steps_of_an_optimizer(name, options):
    random = np.random.default_rng(0)
    starts = [random.normal(size=(3, 4)), random.normal(size=4), random.normal()]
    ours = [Tensor(start) for start in starts]
    theirs = [torch.tensor(start, requires_grad=True) for start in starts]
    optimizer = getattr(optim, name)(ours, **options)
    other = getattr(torch.optim, name)(theirs, foreach=False, **options)
    for step in range(20):
        for mine, its in zip(ours, theirs):
            grad = random.normal(size=mine.shape)
            left_out = mine is ours[1] and step % 5 == 0
            mine.grad = None if left_out else grad
            its.grad = None if left_out else torch.as_tensor(grad)
        optimizer.step()
        other.step()
        for mine, its in zip(ours, theirs):
            np.testing.assert_allclose(mine.data, its.detach().numpy(), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(("name", "options"), cases.CASES, ids=label)
def test_the_literals_are_its_numbers(name, options):
    w = torch.tensor(literals.START, requires_grad=True)
    optimizer = getattr(torch.optim, name)([w], lr=literals.LR, foreach=False, **options)
    found = []
    for t in range(1, literals.STEPS[-1] + 1):
        w.grad = torch.tensor(literals.gradient(t))
        optimizer.step()
        if t in literals.STEPS:
            found.append(w.tolist())
    np.testing.assert_allclose(found, literals.VALUES[cases.title(name, options)], rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "options"),
    [("Adam", {}), ("Adam", {"amsgrad": True}), ("AdamW", {}), ("NAdam", {}), ("RAdam", {})],
    ids=label,
)
def test_20_steps_with_betas_that_a_schedule_changes(name, options):
    random = np.random.default_rng(0)
    start = random.normal(size=(2, 3))
    mine, its = Tensor(start), torch.tensor(start, requires_grad=True)
    single, other_single = Tensor(start[0, 0]), torch.tensor(start[0, 0], requires_grad=True)
    optimizer = getattr(optim, name)([mine, single], **options)
    other = getattr(torch.optim, name)([its, other_single], foreach=False, **options)
    for _ in range(20):
        grad = random.normal(size=(2, 3))
        mine.grad, single.grad = grad, grad[0, 0]
        its.grad, other_single.grad = torch.tensor(grad), torch.tensor(grad[0, 0])
        betas = (random.uniform(0.5, 0.95), random.uniform(0.5, 0.95))
        optimizer.param_groups[0]["betas"] = other.param_groups[0]["betas"] = betas
        optimizer.step()
        other.step()
        np.testing.assert_allclose(mine.data, its.detach().numpy(), rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(single.data, other_single.detach().numpy(), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", RULES)
def test_the_defaults_are_torch_s(name):
    ours = getattr(optim, name)([Tensor(1.0)]).defaults
    theirs = getattr(torch.optim, name)([torch.ones(1)]).defaults
    for option in ours.keys() - {"decoupled_weight_decay"}:
        assert ours[option] == theirs[option]
    assert ours["decoupled_weight_decay"] == theirs.get("decoupled_weight_decay", False)


@pytest.mark.parametrize("name", RULES)
def test_float32_is_near_torch_s(name):
    random = np.random.default_rng(1)
    start = random.normal(size=50).astype(np.float32)
    mine, its = Tensor(start), torch.tensor(start, requires_grad=True)
    optimizer, other = getattr(optim, name)([mine]), getattr(torch.optim, name)([its], foreach=False)
    for _ in range(20):
        grad = random.normal(size=50).astype(np.float32)
        mine.grad, its.grad = grad, torch.tensor(grad)
        optimizer.step()
        other.step()
    assert mine.dtype == np.float32
    np.testing.assert_allclose(mine.data, its.detach().numpy(), rtol=1e-5, atol=1e-6)


SCHEDULES = [
    ("StepLR", {"step_size": 7}),
    ("StepLR", {"step_size": 1, "gamma": 0.9}),
    ("MultiStepLR", {"milestones": [10, 3, 30, 30], "gamma": 0.3}),
    ("ExponentialLR", {"gamma": 0.95}),
    ("LinearLR", {}),
    ("LinearLR", {"start_factor": 1.0, "end_factor": 0.1, "total_iters": 30}),
    ("CosineAnnealingLR", {"T_max": 10}),
    ("CosineAnnealingLR", {"T_max": 60, "eta_min": 0.001}),
    ("CosineAnnealingWarmRestarts", {"T_0": 7}),
    ("CosineAnnealingWarmRestarts", {"T_0": 5, "T_mult": 2, "eta_min": 0.001}),
    ("CosineAnnealingWarmRestarts", {"T_0": 1, "T_mult": 3}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.5, "step_size_up": 6}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.5, "step_size_up": 5, "step_size_down": 3}),
    ("CyclicLR", {"base_lr": [0.01, 0.1], "max_lr": [0.5, 0.2], "step_size_up": 4, "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.5, "step_size_up": 4, "mode": "exp_range", "gamma": 0.95}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.5, "step_size_up": 6, "base_momentum": [0.5, 0.6]}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 50}),
    ("OneCycleLR", {"max_lr": [0.5, 0.1], "epochs": 10, "steps_per_epoch": 6, "three_phase": True}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 55, "anneal_strategy": "linear", "pct_start": 0.2}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 50, "div_factor": 10, "final_div_factor": 100.0}),
    ("LambdaLR", {"lr_lambda": lambda step: 0.95**step}),
    ("LambdaLR", {"lr_lambda": [lambda step: 0.95**step, lambda step: 1 / (1 + step)]}),
    ("ConstantLR", {}),
    ("ConstantLR", {"factor": 0.1, "total_iters": 20}),
    ("PolynomialLR", {}),
    ("PolynomialLR", {"total_iters": 40, "power": 0.7}),
    ("MultiplicativeLR", {"lr_lambda": lambda step: 1 - 1 / (1 + step)}),
    ("MultiplicativeLR", {"lr_lambda": [lambda step: 0.9, lambda step: 0.8]}),
]
KINDS = [("SGD", {"momentum": 0.9}), ("Adam", {}), ("RMSprop", {})]


def both(kind, options):
    """Our optimizer and theirs, each with two groups of their own rate."""
    ours = [{"params": [Tensor([1.0])]}, {"params": [Tensor([1.0])], "lr": 0.02}]
    theirs = [{"params": [torch.ones(1)]}, {"params": [torch.ones(1)], "lr": 0.02}]
    options = {"lr": 0.1} | options
    return getattr(optim, kind)(ours, **options), getattr(torch.optim, kind)(theirs, **options)


def settings(optimizer):
    """The values that a schedule sets: rate and momentum of each group."""
    return [
        (group["lr"], group["betas"][0] if "betas" in group else group["momentum"])
        for group in optimizer.param_groups
    ]


@pytest.mark.parametrize(("kind", "kind_options"), KINDS, ids=[kind for kind, _ in KINDS])
@pytest.mark.parametrize(
    ("name", "options"), SCHEDULES, ids=[f"{name} {number}" for number, (name, _) in enumerate(SCHEDULES)]
)
def test_50_steps_of_a_schedule(name, options, kind, kind_options):
    ours, theirs = both(kind, kind_options)
    scheduler = getattr(optim, name)(ours, **options)
    other = getattr(torch.optim.lr_scheduler, name)(theirs, **options)
    for _ in range(51):
        np.testing.assert_allclose(settings(ours), settings(theirs), rtol=1e-12, atol=1e-16)
        assert scheduler.get_last_lr() == [group["lr"] for group in ours.param_groups]
        if scheduler.last_epoch < 50:
            theirs.step()  # it warns otherwise
            scheduler.step()
            other.step()


@pytest.mark.filterwarnings("ignore:The epoch parameter in:UserWarning")  # PyTorch warns about its own call
def test_50_steps_of_schedules_one_after_the_other():
    ours, theirs = both("SGD", {})

    def made(room, optimizer):
        parts = [
            room.LinearLR(optimizer, start_factor=0.1, total_iters=7),
            room.ConstantLR(optimizer, factor=1.0, total_iters=1),
            room.StepLR(optimizer, step_size=4, gamma=0.5),
        ]
        return room.SequentialLR(optimizer, parts, milestones=[7, 20])

    scheduler, other = made(optim.lr_scheduler, ours), made(torch.optim.lr_scheduler, theirs)
    for _ in range(50):
        np.testing.assert_allclose(settings(ours), settings(theirs), rtol=1e-12)
        theirs.step()
        scheduler.step()
        other.step()


def test_the_names_of_lr_scheduler_are_torch_s():
    theirs = torch.optim.lr_scheduler
    assert {name for name in optim.lr_scheduler.__all__ if not hasattr(theirs, name)} == {"NoamLR"}
    for name in optim.lr_scheduler.__all__:
        assert getattr(optim, name) is getattr(optim.lr_scheduler, name)


def valley(w):
    """Rosenbrock's function in any number of dimensions: 0 at ones, in a curved valley."""
    return (100 * (w[1:] - w[:-1] ** 2) ** 2).sum() + ((1 - w[:-1]) ** 2).sum()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"history_size": 3},
        {"max_iter": 4},
        {"lr": 0.1},
        {"max_eval": 7},
        {"max_iter": 1},
        {"tolerance_grad": 0.1},
        {"tolerance_change": 0.01},
    ],
    ids=label,
)
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("size", [2, 6])
def test_steps_of_lbfgs_on_rosenbrock(size, search, options):
    start = np.linspace(-1.2, 1, size)
    mine, its = Tensor(start), torch.tensor(start, requires_grad=True)
    ours = optim.LBFGS([mine], line_search_fn=search, **options)
    theirs = torch.optim.LBFGS([its], line_search_fn=search, **options)
    calls = []

    def closure(w, optimizer, who):
        def called():
            calls.append(who)
            optimizer.zero_grad()
            loss = valley(w)
            loss.backward()
            return loss

        return called

    for _ in range(3 if search else 1):  # without a search, rounding grows until nothing can be compared
        loss, expected = ours.step(closure(mine, ours, "us")), theirs.step(closure(its, theirs, "them"))
        assert float(loss) == pytest.approx(expected.item(), rel=1e-5, abs=1e-9)
        np.testing.assert_allclose(mine.data, its.detach().numpy(), rtol=1e-5)
    assert calls.count("us") == calls.count("them")


@pytest.mark.parametrize("seed", [*range(6), 82, 186, 462, 595])  # the last four have a higher second trial
def test_a_line_search_of_lbfgs_on_waves_takes_torch_s_trials(seed):
    rng = np.random.default_rng(seed)
    (a, b, c), w, rate = rng.normal(size=3).tolist(), rng.uniform(0.5, 8), rng.uniform(0.05, 1)
    trials = []

    def closure(x, optimizer, sin, cos):
        def called():
            optimizer.zero_grad()
            loss = (a * sin(w * x + b) + c * cos(2.3 * w * x) + 0.1 * x * x).sum()
            loss.backward()
            trials[-1].append(float(x.detach()[0]))
            return loss

        return called

    mine, its = Tensor(np.zeros(1)), torch.zeros(1, dtype=torch.float64, requires_grad=True)
    for x, module, made in ((mine, ad, optim.LBFGS), (its, torch, torch.optim.LBFGS)):
        optimizer = made([x], lr=rate, max_iter=2, max_eval=40, line_search_fn="strong_wolfe")
        trials.append([])
        optimizer.step(closure(x, optimizer, module.sin, module.cos))
    np.testing.assert_allclose(*trials, rtol=1e-6, atol=1e-9)


def test_the_defaults_of_lbfgs_are_torch_s():
    assert optim.LBFGS([Tensor(1.0)]).defaults == torch.optim.LBFGS([torch.ones(1)]).defaults


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mode": "max"},
        {"mode": "max", "threshold": 0.2},
        {"threshold": 0.3},
        {"threshold": 0.3, "threshold_mode": "abs"},
        {"mode": "max", "threshold": 0.3, "threshold_mode": "abs"},
        {"cooldown": 4},
        {"min_lr": [0.001, 0.01]},
        {"eps": 0.01},
    ],
    ids=label,
)
def test_50_steps_on_a_plateau(options):
    options = {"patience": 2, "factor": 0.5} | options
    ours, theirs = both("SGD", {})
    scheduler = optim.ReduceLROnPlateau(ours, **options)
    other = torch.optim.lr_scheduler.ReduceLROnPlateau(theirs, **options)
    random = np.random.default_rng(0)
    for step in range(50):
        loss = 5 / (1 + step // 4) - 1 + 0.1 * random.normal()
        scheduler.step(loss)
        other.step(loss)
        np.testing.assert_allclose(settings(ours), settings(theirs), rtol=1e-14)
        assert (scheduler.best, scheduler.num_bad_epochs) == (other.best, other.num_bad_epochs)


@pytest.mark.parametrize("norm_type", [2.0, 1.0, math.inf, 3.0])
@pytest.mark.parametrize("max_norm", [0.5, 1e6, 0.0])
def test_clipping_the_norm(norm_type, max_norm):
    random = np.random.default_rng(2)
    grads = [random.normal(size=shape) for shape in [(3, 4), (4,), ()]]
    ours = [Tensor(np.ones_like(grad)) for grad in grads] + [Tensor(1.0)]
    theirs = [torch.ones(grad.shape, requires_grad=True) for grad in grads] + [torch.ones(())]
    for mine, its, grad in zip(ours, theirs, grads):
        mine.grad, its.grad = grad, torch.as_tensor(grad)
    norm = optim.clip_grad_norm_(ours, max_norm, norm_type)
    expected = torch.nn.utils.clip_grad_norm_(theirs, max_norm, norm_type)
    assert norm == pytest.approx(float(expected), rel=1e-14)
    for mine, its in zip(ours[:3], theirs):
        np.testing.assert_allclose(mine.grad.data, its.grad.numpy(), rtol=1e-13)
