"""Learning rates step by step against the formulas; errors; saving."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from autodiff import Tensor, optim


def two_groups(name="SGD", **options):
    groups = [{"params": [Tensor(1.0)]}, {"params": [Tensor(2.0)], "lr": 0.02}]
    return getattr(optim, name)(groups, lr=0.1, **options)


def rates(scheduler, steps):
    """The rates of both groups before each step."""
    found = []
    for _ in range(steps):
        found.append([group["lr"] for group in scheduler.optimizer.param_groups])
        assert scheduler.get_last_lr() == found[-1]
        scheduler.step()
    return np.array(found).T


T = np.arange(12)
FACTORS = {
    "LambdaLR": ({"lr_lambda": lambda t: 1 / (1 + t)}, 1 / (1 + T)),
    "StepLR": ({"step_size": 5, "gamma": 0.5}, [1] * 5 + [0.5] * 5 + [0.25] * 2),
    "MultiStepLR": ({"milestones": [7, 2, 7], "gamma": 0.5}, [1] * 2 + [0.5] * 5 + [0.125] * 5),
    "ExponentialLR": ({"gamma": 0.9}, 0.9**T),
    "LinearLR": (
        {"start_factor": 0.25, "end_factor": 0.75, "total_iters": 4},
        [0.25, 0.375, 0.5, 0.625] + [0.75] * 8,
    ),
    "CosineAnnealingLR": ({"T_max": 5}, np.cos(math.pi * T / 10) ** 2),
    "CosineAnnealingWarmRestarts": (
        {"T_0": 2, "T_mult": 2},
        np.cos(math.pi / 2 * np.concatenate([T[:2] / 2, T[:4] / 4, T[:6] / 8])) ** 2,
    ),
    "NoamLR": (
        {"d_model": 16, "warmup_steps": 4},
        np.concatenate([np.arange(1, 5) / 8, 1 / np.sqrt(np.arange(5, 13))]) / 4,
    ),
}


@pytest.mark.parametrize("name", FACTORS)
def test_the_rate_is_the_initial_one_times_a_function_of_the_step(name):
    options, factors = FACTORS[name]
    found = rates(getattr(optim, name)(two_groups(), **options), 12)
    np.testing.assert_allclose(found, np.outer([0.1, 0.02], factors), rtol=1e-13, atol=1e-17)


def test_a_cosine_ends_at_its_minimum():
    optimizer = two_groups()
    found = rates(optim.CosineAnnealingLR(optimizer, T_max=4, eta_min=0.01), 9)
    half = 0.045 / math.sqrt(2)
    np.testing.assert_allclose(found[0][:5], [0.1, 0.055 + half, 0.055, 0.055 - half, 0.01], rtol=1e-13)
    np.testing.assert_allclose(found[0][5:], found[0][3::-1], rtol=1e-13)
    assert found[1][[0, 4, 8]] == pytest.approx([0.02, 0.01, 0.02])


def test_a_function_per_group():
    scheduler = optim.LambdaLR(two_groups(), [lambda t: t, lambda t: 1.0])
    np.testing.assert_allclose(rates(scheduler, 3), [[0, 0.1, 0.2], [0.02] * 3])


RAMP = np.array([0, 0.5, 1, 0.75, 0.5, 0.25] * 2)


@pytest.mark.parametrize(
    ("mode", "heights"),
    [
        ("triangular", RAMP),
        ("triangular2", RAMP * ([1] * 6 + [0.5] * 6)),
        ("exp_range", RAMP * 0.9**T),
    ],
)
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_cycles_of_rate_and_momentum(name, mode, heights):
    optimizer = two_groups(name)
    scheduler = optim.CyclicLR(
        optimizer, [0.1, 1.0], [0.5, 3.0], step_size_up=2, step_size_down=4, mode=mode, gamma=0.9
    )
    momenta = []
    for height in heights:
        np.testing.assert_allclose(scheduler.get_last_lr(), [0.1 + 0.4 * height, 1.0 + 2.0 * height])
        group = optimizer.param_groups[1]
        momenta.append(group["momentum"] if name == "SGD" else group["betas"][0])
        assert name == "SGD" or group["betas"][1] == 0.999
        scheduler.step()
    np.testing.assert_allclose(momenta, 0.9 - 0.1 * heights)


def test_one_cycle():
    optimizer = two_groups("AdamW")
    scheduler = optim.OneCycleLR(optimizer, [1.0, 2.0], total_steps=11, pct_start=5 / 11, div_factor=10)
    up, down = np.arange(5) / 4, np.arange(1, 7) / 6
    lrs, momenta = [], []
    for _ in range(11):
        lrs.append(optimizer.param_groups[1]["lr"])
        momenta.append(optimizer.param_groups[0]["betas"][0])
        scheduler.step()
    half = (1 - np.cos(math.pi * np.concatenate([up, 1 - down]))) / 2
    floors = np.array([0.2] * 5 + [0.2e-4] * 6)
    np.testing.assert_allclose(lrs, floors + (2.0 - floors) * half, rtol=1e-12)
    np.testing.assert_allclose(momenta, 0.95 - 0.1 * half, rtol=1e-12)


def test_one_cycle_ends():
    scheduler = optim.OneCycleLR(two_groups(), 1.0, epochs=2, steps_per_epoch=3, cycle_momentum=False)
    for _ in range(6):
        scheduler.step()
    before = scheduler.state_dict(), scheduler.get_last_lr()
    with pytest.raises(ValueError, match="step 7 is one too many: this OneCycleLR has 6 steps"):
        scheduler.step()
    assert (scheduler.state_dict(), scheduler.get_last_lr()) == before
    assert scheduler.optimizer.param_groups[0]["momentum"] == 0


@pytest.mark.parametrize("pct_start", [0, 0.1, 1])
def test_one_cycle_with_a_phase_of_no_length(pct_start):
    scheduler = optim.OneCycleLR(two_groups(), 1.0, total_steps=10, pct_start=pct_start)
    found = rates(scheduler, 10)
    assert np.isfinite(found).all()
    assert found[0].max() == pytest.approx(1.0, abs=0.05)


# The loss falls to 1, stays there, and falls again: with a patience of 2, the third step reduces the rate.
LOSSES = [3, 2, 1, 1, 1, 1, 1, 1, 1, 0.5, 0.5]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_plateau(sign):
    optimizer = two_groups()
    mode = "min" if sign == 1 else "max"
    scheduler = optim.ReduceLROnPlateau(optimizer, mode, factor=0.5, patience=2, threshold_mode="abs")
    found = []
    for loss in LOSSES:
        scheduler.step(Tensor(float(sign * loss)))
        found.append(optimizer.param_groups[0]["lr"])
    assert found == [0.1] * 5 + [0.05] * 3 + [0.025] * 3


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"cooldown": 2}, [0.1] * 5 + [0.05] * 6),
        ({"min_lr": 0.04}, [0.1] * 5 + [0.05] * 3 + [0.04] * 3),
        ({"min_lr": [0.06, 0.0]}, [0.1] * 5 + [0.06] * 6),
        ({"eps": 0.03}, [0.1] * 5 + [0.05] * 6),
        ({"threshold": 0.7}, [0.1] * 3 + [0.05] * 3 + [0.025] * 5),
        ({"threshold": 2.5, "threshold_mode": "abs"}, [0.1] * 3 + [0.05] * 3 + [0.025] * 3 + [0.0125] * 2),
    ],
)
def test_the_options_of_a_plateau(options, expected):
    optimizer = two_groups()
    scheduler = optim.ReduceLROnPlateau(optimizer, **{"factor": 0.5, "patience": 2} | options)
    found = []
    for loss in LOSSES:
        scheduler.step(loss)
        found.append(optimizer.param_groups[0]["lr"])
    np.testing.assert_allclose(found, expected)


def test_a_nan_is_no_improvement():
    optimizer = two_groups()
    scheduler = optim.ReduceLROnPlateau(optimizer, patience=1)
    for _ in range(3):
        scheduler.step(math.nan)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.01)


def test_a_later_scheduler_starts_from_the_optimizer_s_initial_rates():
    optimizer = two_groups()
    optim.ExponentialLR(optimizer, 0.5).step()
    assert optim.ExponentialLR(optimizer, 1.0).get_last_lr() == [0.1, 0.02]


def test_a_loaded_optimizer_has_its_initial_rates():
    optimizer, other = two_groups(), two_groups()
    optim.ExponentialLR(optimizer, 0.5).step()
    other.load_state_dict(optimizer.state_dict())
    assert [group["lr"] for group in other.param_groups] == [0.05, 0.01]
    assert optim.ExponentialLR(other, 1.0).get_last_lr() == [0.1, 0.02]


def test_a_rate_may_fall_to_0():
    optimizer = two_groups()
    optim.LambdaLR(optimizer, lambda t: 0)
    optimizer.param_groups[0]["params"][0].grad = 1.0
    optimizer.step()
    assert optimizer.param_groups[0]["params"][0] == 1.0


ALL = [(name, options) for name, (options, _) in FACTORS.items()] + [
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 3, "mode": "exp_range", "gamma": 0.9}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 20, "three_phase": True}),
    ("ReduceLROnPlateau", {"patience": 1, "cooldown": 1}),
]


@pytest.mark.parametrize(("name", "options"), ALL, ids=[name for name, _ in ALL])
def test_a_loaded_state_continues(name, options):
    def turn(scheduler):
        scheduler.step(*([1.0] if name == "ReduceLROnPlateau" else []))
        return [(group["lr"], group["betas"]) for group in scheduler.optimizer.param_groups]

    first = getattr(optim, name)(two_groups("Adam"), **options)
    for _ in range(5):
        turn(first)
    saved = pickle.loads(pickle.dumps((first.optimizer.state_dict(), first.state_dict())))
    optimizer = two_groups("Adam")
    optimizer.load_state_dict(saved[0])
    second = getattr(optim, name)(optimizer, **options)
    second.load_state_dict(saved[1])
    assert second.get_last_lr() == first.get_last_lr()
    assert [turn(second) for _ in range(10)] == [turn(first) for _ in range(10)]


def test_a_loaded_schedule_sets_its_rates_in_a_new_optimizer():
    first = optim.StepLR(two_groups(), step_size=1)
    first.step()
    second = optim.StepLR(two_groups(), step_size=7, gamma=0.9)
    second.load_state_dict(first.state_dict())
    assert second.get_last_lr() == first.get_last_lr() == [0.1 * 0.1, 0.02 * 0.1]
    assert second.step_size == 1


def test_what_is_saved_is_a_copy():
    scheduler = optim.MultiStepLR(two_groups(), [3])
    saved = scheduler.state_dict()
    saved["milestones"].append(4)
    saved["base_lrs"][0] = 7.0
    assert (scheduler.milestones, scheduler.base_lrs) == ([3], [0.1, 0.02])


def test_a_state_that_does_not_fit_changes_nothing():
    scheduler = optim.StepLR(two_groups(), 3)
    before = scheduler.state_dict()
    with pytest.raises(ValueError, match="saved by ExponentialLR, not by StepLR"):
        scheduler.load_state_dict(optim.ExponentialLR(two_groups(), 0.9).state_dict())
    with pytest.raises(ValueError, match="this is not a state of StepLR: its entries are class, gamma"):
        scheduler.load_state_dict({"class": "StepLR", "gamma": 0.5})
    with pytest.raises(TypeError, match="a state_dict is a dictionary, not None"):
        scheduler.load_state_dict(None)
    with pytest.raises(ValueError, match="for 1 parameter groups, and the optimizer has 2"):
        scheduler.load_state_dict(optim.StepLR(optim.SGD([Tensor(1.0)]), 3).state_dict())
    assert scheduler.state_dict() == before


def test_a_state_of_another_class_with_the_same_settings_does_not_fit():
    class Harmonic(optim.LRScheduler):
        def rate(self, step, base):
            return base / (1 + step)

    other = optim.LambdaLR(two_groups(), lambda step: 0.5**step)
    with pytest.raises(ValueError, match="saved by LambdaLR, not by Harmonic"):
        Harmonic(two_groups()).load_state_dict(other.state_dict())


@pytest.mark.parametrize("base_lrs", [[0.1], [0.1, 0.2, 0.3]])
def test_there_is_one_initial_rate_per_group(base_lrs):
    optimizer = two_groups()
    before = optimizer.state_dict()
    with pytest.raises(ValueError, match=f"base_lrs has {len(base_lrs)} values, but the optimizer has 2"):
        optim.LRScheduler(optimizer, base_lrs)
    assert optimizer.state_dict() == before


@pytest.mark.parametrize("name", ["StepLR", "ReduceLROnPlateau"])
def test_a_group_that_was_added_later_is_refused(name):
    scheduler = getattr(optim, name)(two_groups(), **({"step_size": 1} if name == "StepLR" else {}))
    scheduler.optimizer.add_param_group({"params": Tensor(1.0)})
    with pytest.raises(ValueError, match=f"this {name} is for 2 parameter groups, and the optimizer has 3"):
        scheduler.step(*([] if name == "StepLR" else [1.0]))
    assert scheduler.last_epoch == 0


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("StepLR", {"step_size": 0}, "step_size of StepLR must be a whole number of at least 1, not 0"),
        ("StepLR", {"step_size": 1.5}, "step_size of StepLR must be a whole number"),
        ("StepLR", {"step_size": 1, "gamma": 0}, "gamma of StepLR must be above 0, not 0"),
        (
            "MultiStepLR",
            {"milestones": [1], "gamma": -0.5},
            r"gamma of MultiStepLR must be above 0, not -0\.5",
        ),
        ("ExponentialLR", {"gamma": -1}, "gamma of ExponentialLR must be above 0, not -1"),
        ("ExponentialLR", {"gamma": math.nan}, "gamma of ExponentialLR must be above 0, not nan"),
        ("ExponentialLR", {"gamma": math.inf}, "gamma of ExponentialLR must be above 0, not inf"),
        ("LinearLR", {"start_factor": 0}, "start_factor of LinearLR must be above 0"),
        ("LinearLR", {"start_factor": 1.1}, "start_factor of LinearLR must be above 0 and at most 1"),
        ("LinearLR", {"end_factor": -0.1}, "end_factor of LinearLR must be between 0 and 1"),
        ("LinearLR", {"total_iters": 0}, "total_iters of LinearLR must be a whole number"),
        ("CosineAnnealingLR", {"T_max": 0}, "T_max of CosineAnnealingLR must be a whole number"),
        (
            "CosineAnnealingLR",
            {"T_max": 4, "eta_min": -1},
            "eta_min of CosineAnnealingLR must be at least 0, not -1",
        ),
        (
            "CosineAnnealingWarmRestarts",
            {"T_0": 4, "eta_min": -1},
            "eta_min of CosineAnnealingWarmRestarts must be at least 0, not -1",
        ),
        (
            "CosineAnnealingWarmRestarts",
            {"T_0": -1},
            "T_0 of CosineAnnealingWarmRestarts must be a whole number",
        ),
        (
            "CosineAnnealingWarmRestarts",
            {"T_0": 2, "T_mult": 0},
            "T_mult of CosineAnnealingWarmRestarts must be a whole number",
        ),
        ("NoamLR", {"d_model": 0}, "d_model of NoamLR must be a whole number"),
        ("NoamLR", {"d_model": 8, "warmup_steps": math.nan}, "warmup_steps of NoamLR must be a whole number"),
        ("LambdaLR", {"lr_lambda": [abs]}, "lr_lambda has 1 values, but the optimizer has 2"),
        ("LambdaLR", {"lr_lambda": lambda step: step - 1}, "LambdaLR gives -1 at step 0: .* at least 0"),
        ("LambdaLR", {"lr_lambda": [lambda step: 1, lambda step: math.nan]}, "LambdaLR gives nan at step 0"),
        ("CyclicLR", {"base_lr": -1, "max_lr": 1}, "base_lr of CyclicLR must be at least 0, not -1"),
        ("CyclicLR", {"base_lr": [0.1, -1], "max_lr": 1}, "base_lr of CyclicLR must be at least 0, not -1"),
        ("CyclicLR", {"base_lr": 0.1, "max_lr": -1}, "max_lr of CyclicLR must be above 0, not -1"),
        ("CyclicLR", {"base_lr": 0.1, "max_lr": 1, "gamma": -1}, "gamma of CyclicLR must be above 0, not -1"),
        ("CyclicLR", {"base_lr": [0.1], "max_lr": 1}, "base_lr has 1 values"),
        ("CyclicLR", {"base_lr": 0.1, "max_lr": 1, "mode": "square"}, "mode of .* not 'square'"),
        (
            "CyclicLR",
            {"base_lr": 0.1, "max_lr": 1, "step_size_down": 0},
            "step_size_down of CyclicLR must be a whole",
        ),
        ("OneCycleLR", {"max_lr": -1, "total_steps": 5}, "max_lr of OneCycleLR must be above 0, not -1"),
        ("OneCycleLR", {"max_lr": [1, 0], "total_steps": 5}, "max_lr of OneCycleLR must be above 0, not 0"),
        ("OneCycleLR", {"max_lr": 1}, "needs total_steps, or epochs and steps_per_epoch"),
        ("OneCycleLR", {"max_lr": 1, "epochs": 3}, "needs total_steps"),
        ("OneCycleLR", {"max_lr": 1, "total_steps": 0}, "total_steps of OneCycleLR must be a whole number"),
        (
            "OneCycleLR",
            {"max_lr": 1, "total_steps": 5, "pct_start": 2},
            "pct_start of OneCycleLR must be between 0 and 1",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1, "total_steps": 5, "div_factor": 0},
            "div_factor of OneCycleLR must be above 0, not 0",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1, "total_steps": 5, "final_div_factor": 0},
            "final_div_factor of OneCycleLR must be ab",
        ),
        (
            "OneCycleLR",
            {"max_lr": 1, "total_steps": 5, "anneal_strategy": "up"},
            "anneal_strategy of .* not 'up'",
        ),
        ("ReduceLROnPlateau", {"factor": 1.0}, "factor of ReduceLROnPlateau must be at least 0 and below 1"),
        ("ReduceLROnPlateau", {"mode": "mean"}, "mode of .* not 'mean'"),
        ("ReduceLROnPlateau", {"threshold_mode": "r"}, "threshold_mode of .* not 'r'"),
        (
            "ReduceLROnPlateau",
            {"patience": -1},
            "patience of ReduceLROnPlateau must be a whole number of at least 0, not -1",
        ),
        (
            "ReduceLROnPlateau",
            {"cooldown": -1},
            "cooldown of ReduceLROnPlateau must be a whole number of at least 0, not -1",
        ),
        ("ReduceLROnPlateau", {"min_lr": [0, -1]}, "min_lr of ReduceLROnPlateau must be at least 0, not -1"),
        ("ReduceLROnPlateau", {"min_lr": [0, 0, 0]}, "min_lr has 3 values"),
    ],
)
def test_refused_arguments_leave_the_optimizer_unchanged(name, options, message):
    optimizer = two_groups()
    before = optimizer.state_dict()
    with pytest.raises(ValueError, match=message):
        getattr(optim, name)(optimizer, **options)
    assert optimizer.state_dict() == before


def test_a_negative_factor_is_refused_at_the_step_that_would_set_it():
    scheduler = optim.LambdaLR(two_groups(), [lambda step: 1.0, lambda step: 1 - step])
    scheduler.step()
    before = scheduler.state_dict(), scheduler.optimizer.state_dict()
    with pytest.raises(ValueError, match="the function of LambdaLR gives -1 at step 2: a factor must be at"):
        scheduler.step()
    assert (scheduler.state_dict(), scheduler.optimizer.state_dict()) == before


def test_a_state_that_needs_a_negative_factor_changes_nothing():
    first = optim.LambdaLR(two_groups(), lambda step: 1.0)
    first.step()
    second = optim.LambdaLR(two_groups(), lambda step: 1 - 2 * step)
    before = second.state_dict(), second.optimizer.state_dict()
    with pytest.raises(ValueError, match="LambdaLR gives -1 at step 1"):
        second.load_state_dict(first.state_dict())
    assert (second.state_dict(), second.optimizer.state_dict()) == before


def test_momentum_is_cycled_only_where_there_is_one():
    for schedule in (lambda o: optim.CyclicLR(o, 0.1, 1), lambda o: optim.OneCycleLR(o, 1.0, 10)):
        with pytest.raises(ValueError, match="Adagrad has no momentum to cycle: pass cycle_momentum=False"):
            schedule(two_groups("Adagrad"))
    optim.OneCycleLR(two_groups("Adagrad"), 1.0, 10, cycle_momentum=False).step()


def test_a_scheduler_takes_an_optimizer():
    makers = (lambda o: optim.StepLR(o, 1), optim.ReduceLROnPlateau, lambda o: optim.CyclicLR(o, 1, 2))
    for make in makers:
        with pytest.raises(TypeError, match=r"a scheduler takes an Optimizer, not 0\.1"):
            make(0.1)


def test_a_schedule_needs_a_rate():
    with pytest.raises(NotImplementedError, match="LRScheduler has no rate"):
        optim.LRScheduler(two_groups())


def test_the_repr_contains_step_and_rate():
    scheduler = optim.StepLR(two_groups(), 3)
    scheduler.step()
    assert repr(scheduler) == "StepLR(step_size=3, gamma=0.1, step 1, lr 0.1, 0.02)"


def warmed_up(optimizer, milestones=(3,)):
    parts = [optim.LinearLR(optimizer, start_factor=0.25, total_iters=3), optim.ExponentialLR(optimizer, 0.5)]
    return optim.SequentialLR(optimizer, parts, milestones)


@pytest.mark.parametrize("kind", [list, tuple])
def test_schedules_one_after_the_other_are_a_list_of_its_own(kind):
    optimizer = optim.SGD([Tensor(1.0)], lr=1.0)
    parts = kind(warmed_up(optimizer).schedulers)
    scheduler = optim.SequentialLR(optimizer, parts, [3])
    assert type(scheduler.schedulers) is list
    assert scheduler.schedulers is not parts
    assert scheduler.schedulers == [*parts]


def test_schedules_one_after_the_other_are_saved_with_their_parts():
    first, second = (warmed_up(optim.SGD([Tensor(1.0)], lr=1.0)) for _ in range(2))
    for _ in range(4):
        first.step()
    second.load_state_dict(first.state_dict())
    rates = [
        [scheduler.get_last_lr()[0], scheduler.step(), scheduler.get_last_lr()[0]]
        for scheduler in (first, second)
    ]
    assert rates == [[0.5, None, 0.25]] * 2
    assert repr(first) == "SequentialLR(milestones=[3], step 5, lr 0.25)"


@pytest.mark.parametrize("fault", ["class", "group_count", "schedulers", "a part"])
def test_a_state_that_does_not_fit_leaves_schedules_unchanged(fault):
    scheduler = warmed_up(optim.SGD([Tensor(1.0)], lr=1.0))
    scheduler.step()
    before, state = scheduler.state_dict(), warmed_up(optim.SGD([Tensor(1.0)], lr=7.0)).state_dict()
    if fault == "a part":
        state["schedulers"][1]["class"] = "StepLR"
    else:
        state[fault] = {"class": "StepLR", "group_count": 2, "schedulers": []}[fault]
    with pytest.raises(ValueError, match=r"StepLR|2 parameter groups|0 schedulers"):
        scheduler.load_state_dict(state)
    assert scheduler.state_dict() == before
    assert scheduler.get_last_lr() == [0.5]


def test_schedules_that_do_not_follow_each_other():
    optimizer, other = (optim.SGD([Tensor(1.0)], lr=1.0) for _ in range(2))
    step = optim.StepLR(optimizer, 2)
    with pytest.raises(TypeError, match="schedules of the step"):
        optim.SequentialLR(optimizer, [step, optim.ReduceLROnPlateau(optimizer)], [1])
    with pytest.raises(ValueError, match="another optimizer"):
        optim.SequentialLR(optimizer, [step, optim.StepLR(other, 2)], [1])
    with pytest.raises(ValueError, match="2 schedulers need 1 milestones"):
        optim.SequentialLR(optimizer, [step, step], [1, 2])
    with pytest.raises(ValueError, match="milestones must increase"):
        optim.SequentialLR(optimizer, [step] * 3, [2, 2])
    assert optimizer.param_groups[0]["lr"] == 1


def test_a_product_below_0_is_refused_and_changes_nothing():
    optimizer = optim.SGD([Tensor(1.0)], lr=1.0)
    scheduler = optim.MultiplicativeLR(optimizer, lambda step: -1.0 if step == 2 else 0.5)
    scheduler.step()
    for _ in range(2):
        with pytest.raises(ValueError, match=r"give the product -0\.5 at step 2"):
            scheduler.step()
    assert (scheduler.last_epoch, scheduler.get_last_lr()) == (1, [0.5])
