"""Lesson 20: its checks against right answers, stubs and planted mistakes; its races and its numbers."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

import autodiff as ad
from autodiff import optim
from autodiff.lessons import check
from autodiff.lessons.exercises import lesson_20
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "20_optimizers.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name
PROSE = "\n".join(cell.source for cell in nbformat.read(LESSON, as_version=4).cells)


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"ad": ad, "np": np, "math": math, "optim": optim, "check": check}
    exec(cell.source, scope)
    return scope


def printed(holds, path=LESSON):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(path) if holds in cell.source)


def defined(*names):
    """The lesson's own functions, from its cells."""
    scope = {"ad": ad, "np": np, "optim": optim}
    for cell in cells(LESSON):
        for part in ast.parse(cell.source).body:
            if isinstance(part, ast.FunctionDef):
                exec(ast.unparse(part), scope)
    return [scope[name] for name in names]


WALK, ARRIVED, ABOUT = defined("walk", "arrived", "about")
BOWL, TURNED, ROSENBROCK = defined("bowl", "turned", "rosenbrock")
RULES = dict(zip(("plain", "momentum", "RMSprop", "Adam"), defined("plain", "momentum", "rmsprop", "adam")))
(UNCORRECTED,) = defined("uncorrected")
SLANT = (-11 / 2**0.5, -9 / 2**0.5)
VALLEYS = {
    "bowl": (BOWL, (-10, 1), [0, 0]),
    "turned": (TURNED, SLANT, [0, 0]),
    "rosenbrock": (ROSENBROCK, (-1.2, 1), [1, 1]),
}


# -- the stored notebooks -----------------------------------------------------------------------------------


# -- the races ----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:(overflow|invalid):RuntimeWarning")
@pytest.mark.parametrize("valley", VALLEYS)
def test_each_rule_has_its_best_rate(valley):
    """All rates 1, 2, 5, 10 and so on at once, one column each."""
    f, start, bottom = VALLEYS[valley]
    rates = np.array([m * 10.0**e for e in range(-4, 1) for m in (1, 2, 5)])
    shown = shown_races()
    for name, rule in RULES.items():
        w, memory, path = np.repeat(np.array([start], float).T, len(rates), axis=1), {}, []
        for _ in range(3000):
            path.append(w)
            w = w - rates * rule(slopes(f, w), memory)
        counts = {}
        for column, rate in enumerate(rates):
            count = ARRIVED(np.array(path)[:, :, column], bottom)
            if count is not None:
                counts[round(float(rate), 6)] = int(count)
        best = min(counts, key=counts.get)
        assert best == shown[valley][name][0], (name, counts)
        assert agrees(shown[valley][name][1], counts[best]), (name, counts)


def slopes(f, w):
    """The gradient at each column of w."""
    leaf = ad.Tensor(w)
    f(leaf).sum().backward()
    return leaf.grad.data


def shown_races():
    """The rates that the lesson gives, and the counts that it prints, in two digits; None where none is."""
    first = [re.findall(r"[\w.]+", line) for line in printed("ROSENBROCK = {").splitlines()]
    table = {line.split()[0]: line.split()[1:] for line in printed("def turned").splitlines()[1:]}
    code = next(cell.source for cell in cells(LESSON) if "\nRATES = {" in cell.source)
    rates = re.findall(r'"(\w+)": \(\w+, ([\d.]+), ([\d.]+)\)', code)
    assert [table[words[0]][2] for words in first if words[0] in table] == [
        words[-2] for words in first if words[0] in table
    ]
    races = {"bowl": {}, "turned": {}, "rosenbrock": {w[0]: (float(w[2]), int(w[-2])) for w in first}}
    for name, *each in rates:
        for column, valley in enumerate(("bowl", "turned")):
            races[valley][name] = float(each[column]), int(table[name][column]) if name in table else None
    return races


def agrees(shown, count):
    """Whether a count is the one shown; RMSprop's, of which the prose speaks, may tremble a little."""
    return 220 <= count <= 255 if shown is None else ABOUT(count) == shown


@pytest.mark.parametrize("valley", VALLEYS)
def test_the_counts_do_not_hang_on_the_last_digits(valley):
    f, start, bottom = VALLEYS[valley]
    moved = tuple(np.array(start) + 1e-9 * np.array([1, -1]))
    races = shown_races()[valley]
    assert set(races) == set(RULES)
    for name, (rate, shown) in races.items():
        count = ARRIVED(WALK(RULES[name], rate, 3000 if f is ROSENBROCK else 600, f, moved), bottom)
        assert agrees(shown, count), (name, count)


def test_the_mistake_s_table_does_not_hang_on_the_last_digits():
    rows = [line.split() for line in printed("rate   there after").splitlines()[1:]]
    assert len(rows) == 4
    for valley, name, rate, count, highest in rows:
        f, start = (BOWL, (-10, 1)) if valley == "bowl" else (ROSENBROCK, (1.5, 1))
        rule = RULES["Adam"] if name == "Adam" else UNCORRECTED
        path = WALK(rule, float(rate), 1000, f, tuple(np.array(start) + 1e-9))
        assert ARRIVED(path, [0, 0] if valley == "bowl" else [1, 1]) == int(count)
        assert f"{max(f(point) for point in path[1:]):.0f}" == highest
    assert ARRIVED(WALK(RULES["Adam"], 0.2, 300), 0) == 81


def test_two_over_the_largest_curvature_is_where_it_stops_working():
    for factor, shrinks in ((0.999, True), (1.001, False)):
        y = np.abs(WALK(RULES["plain"], factor * 2 / 100, 400)[:, 1])
        assert (y[-1] < y[0]) == shrinks
    assert round(1.1**60) == 304


def test_without_the_correction_steps_are_as_long_as_the_prose_says():
    steps = -np.diff(WALK(UNCORRECTED, 0.1, 3000, lambda w: 3 * w, 0)) / 0.1
    assert steps[0] == pytest.approx(3.162, abs=1e-3)
    assert steps[11] == steps.max() == pytest.approx(6.57, abs=5e-3)
    assert 3 < steps[99] < 3.5
    assert steps[999] > 1.2


def test_the_steep_start_does_not_hang_on_the_last_digits():
    (start_steep,) = defined("start_steep")
    shown = printed("def start_steep").splitlines()
    for line, options in zip(shown[1:], ({"warm": True}, {"clip": 10})):
        x, y = map(float, re.findall(r"[\d.]+", line))
        end = start_steep(**options)[-1]
        assert (round(end[0], 2), round(end[1], 2)) == (x, y)
        assert np.abs(end * 1000 % 10 - 5).min() > 0.01  # not at the border between two roundings
    with np.errstate(all="ignore"):
        assert np.isnan(start_steep(steps=30)[-1]).all()


# -- 17 first -----------------------------------------------------------------------------------------------


def test_first_takes_the_right_answer():
    assert check("20 first", answer("20 first")["my_guess"]).status == "right"
    assert check("20 first", np.float64(4.9)).status == "right"
    assert check("20 first", ad.Tensor(4.9)).status == "right"
    assert check("20 first", None).status == "not done yet"
    w = ad.Tensor(5.0)
    (200 * w).backward()
    optim.Adam([w], lr=0.1).step()
    assert w.item() == pytest.approx(lesson_20.FIRST)


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        (-15, "the plain step"),
        (3, "a tenth of the gradient"),
        (4.684, "without the correction"),
        (4.99, "m without its correction"),
        (1.838, "v without its correction"),
        (5.1, "uphill"),
        (4, "And then the rate"),
        (0.1, "Where does it arrive"),
        (4.8, "Write down m and v"),
        ("one", "A number is asked for"),
    ],
)
def test_first_names_the_mistake(guess, kind):
    verdict = check("20 first", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 17 schedule --------------------------------------------------------------------------------------------


def down(shape):
    """A schedule with the right warm-up, and ``shape`` of the part of the way down that is done."""

    def rate(step, peak, warmup, total):
        if step < warmup:
            return peak * (step + 1) / warmup
        return peak * shape(min((step - warmup) / (total - warmup), 1))

    return rate


RIGHT = down(lambda done: (1 + math.cos(math.pi * done)) / 2)


def unshifted(step, peak, warmup, total):
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * (1 + math.cos(math.pi * min(step / total, 1))) / 2


def from_zero(step, peak, warmup, total):
    return peak * step / warmup if step < warmup else RIGHT(step, peak, warmup, total)


def rising_again(step, peak, warmup, total):
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2


def test_schedule_takes_right_answers():
    for function in (answer("20 schedule")["rate"], RIGHT, lambda *a: np.float64(RIGHT(*a))):
        verdict = check("20 schedule", function)
        assert verdict.status == "right", verdict
    assert check("20 schedule", lambda step, peak, warmup, total: None).status == "not done yet"
    row = [round(RIGHT(step, 1, 4, 8), 3) for step in range(9)]
    assert ", ".join(f"{rate:g}" for rate in row) in PROSE


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (from_zero, "nothing moves"),
        (unshifted, "jumps at its beginning"),
        (rising_again, "a cosine goes on"),
        (lambda s, p, w, t: RIGHT(s, 1, w, t), "Multiply by peak"),
        (lambda s, p, w, t: p * (1 + math.cos(math.pi * min(s / t, 1))) / 2, "no warm-up"),
        (down(lambda done: 1 - done), "straight line"),
        (down(lambda done: 1), "for ever"),
        (down(lambda done: math.cos(math.pi * done)), "minus the peak"),
        (down(lambda done: 1 + math.cos(math.pi * done)), "twice the peak"),
        (down(lambda done: (1 + math.cos(2 * math.pi * done)) / 2), "a whole turn"),
        (down(lambda done: math.cos(math.pi * done / 2)), "quarter of a turn"),
        (down(lambda done: (1 + math.cos(180 * done)) / 2), "radians"),
        (lambda s, p, w, t: 0.1, "Print it for every step"),
        (lambda step: step, "TypeError"),
        (0.3, "A function is asked for"),
    ],
)
def test_schedule_names_the_mistake(function, kind):
    verdict = check("20 schedule", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 17 nesterov --------------------------------------------------------------------------------------------


def made(update):
    """An optimizer with this update."""

    class Made(optim.Optimizer):
        def __init__(self, params, lr=0.01, momentum=0.9):
            super().__init__(params, {"lr": lr, "momentum": momentum})

    Made.update = update
    return Made


def moving(direction, blend=lambda v, g, momentum: momentum * v + g):
    """An update along ``direction(v, g, momentum)``."""

    def update(self, data, grad, state, group):
        v = state["v"] = blend(state.get("v", 0), grad, group["momentum"])
        data -= group["lr"] * direction(v, grad, group["momentum"])

    return made(update)


def rebinding(self, data, grad, state, group):
    v = state["v"] = group["momentum"] * state.get("v", 0) + grad
    data = data - group["lr"] * (grad + group["momentum"] * v)


def forgetful(self, data, grad, state, group):
    v = grad
    data -= group["lr"] * (grad + group["momentum"] * v)


def shared(self, data, grad, state, group):
    self.v = group["momentum"] * getattr(self, "v", 0) + grad
    data -= group["lr"] * (grad + group["momentum"] * self.v)


def spoiling(self, data, grad, state, group):
    v = state["v"] = group["momentum"] * state.get("v", 0) + grad
    grad += group["momentum"] * v
    data -= group["lr"] * grad


def aliasing(self, data, grad, state, group):
    if "v" not in state:
        state["v"] = grad
    v = state["v"]
    v *= group["momentum"]
    v += grad
    data -= group["lr"] * (grad + group["momentum"] * v)


def doubled(self, data, grad, state, group):
    """As aliasing, with a copy: the first gradient is counted twice."""
    v = state["v"] = group["momentum"] * state.get("v", grad) + grad
    data -= group["lr"] * (grad + group["momentum"] * v)


def unremembered(self, data, grad, state, group):
    v = state["v"] = group["momentum"] * state["v"] + grad
    data -= group["lr"] * (grad + group["momentum"] * v)


def misnamed(self, data, grad, state, group):
    data -= group["rate"] * grad


def numbered(lr=None, momentum=None, ahead=None):
    """An update with numbers of its own in place of the group's."""

    def update(self, data, grad, state, group):
        v = state["v"] = (momentum or group["momentum"]) * state.get("v", 0) + grad
        data -= (lr or group["lr"]) * (grad + (ahead or group["momentum"]) * v)

    return made(update)


def early(self, data, grad, state, group):
    v = state.get("v", 0)
    data -= group["lr"] * (grad + group["momentum"] * v)
    state["v"] = group["momentum"] * v + grad


def test_nesterov_takes_right_answers():
    def in_place(self, data, grad, state, group):
        v = state.setdefault("v", np.zeros_like(data))
        v *= group["momentum"]
        v += grad
        data -= group["lr"] * grad
        data -= group["lr"] * group["momentum"] * v

    def asking(self, data, grad, state, group):
        try:
            v = group["momentum"] * state["v"] + grad
        except KeyError:
            v = grad.copy()
        state["v"] = v
        data -= group["lr"] * (grad + group["momentum"] * v)

    class Ours(optim.SGD):
        def __init__(self, params, lr, momentum):
            super().__init__(params, lr=lr, momentum=momentum, nesterov=True)

    for each in (answer("20 nesterov")["Nesterov"], made(in_place), made(asking), Ours):
        verdict = check("20 nesterov", each)
        assert verdict.status == "right", verdict
    stub = check("20 nesterov", made(lambda self, data, grad, state, group: None))
    assert stub.status == "not done yet"


@pytest.mark.parametrize(
    ("each", "kind"),
    [
        (made(rebinding), "Write into it"),
        (made(shared), "belongs into state"),
        (made(spoiling), "The gradient itself was changed"),
        (made(aliasing), "The gradient itself was changed"),
        (made(doubled), "v is the gradient, the step goes along 1.75 g"),
        (made(unremembered), "at the first step nothing is remembered yet: state.get('v', 0)"),
        (made(misnamed), "KeyError: 'rate'"),
        (numbered(lr=0.01), "those of group"),
        (numbered(lr=0.1), "those of group"),
        (numbered(momentum=0.9), "those of group"),
        (numbered(ahead=0.9), "those of group"),
        (numbered(momentum=0.9, ahead=0.9), "those of group"),
        (numbered(lr=0.01, momentum=0.9, ahead=0.9), "those of group"),
        (made(early), "a look with the old velocity"),
        (made(forgetful), "belongs into state"),
        (moving(lambda v, g, m: v), "without the look ahead"),
        (moving(lambda v, g, m: g), "the plain step"),
        (moving(lambda v, g, m: g + v), "by the whole velocity"),
        (moving(lambda v, g, m: m * v), "gradient itself is missing"),
        (moving(lambda v, g, m: -(g + m * v)), "uphill"),
        (moving(lambda v, g, m: (g + m * v) / lesson_20.LR), "The rate is missing"),
        (moving(lambda v, g, m: (g + m * v) * lesson_20.LR), "comes in twice"),
        (moving(lambda v, g, m: g + m * v, lambda v, g, m: m * v + (1 - m) * g), "a share of 1 - momentum"),
        (moving(lambda v, g, m: g + m * v, lambda v, g, m: v + g), "never fades"),
        (moving(lambda v, g, m: 7 * g), "Write down v and w"),
        (optim.SGD, "without the look ahead"),
        (0.3, "A class is asked for"),
    ],
)
def test_nesterov_names_the_mistake(each, kind):
    verdict = check("20 nesterov", each)
    assert verdict.status == "wrong"
    assert kind in verdict.message
