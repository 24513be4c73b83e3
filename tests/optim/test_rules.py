"""Each rule against the formula of its paper, number by number, and the behaviour of all optimizers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from autodiff import Tensor, optim
from tests.optim import literals
from tests.optim.cases import CASES, RULES, label, title

STEPS = 20
START = np.array([[0.5, -1.5, 2.0], [3.0, -0.25, 1.0]])
GRADS = np.random.default_rng(0).normal(size=(STEPS, 2, 3)) * [1, 10, 0.01]


def run(optimizer, parameter, grads):
    """The parameter after each step."""
    values = []
    for grad in grads:
        parameter.grad = grad
        optimizer.step()
        values.append(np.copy(parameter.data))
    return np.array(values)


def made(name, parameters, **options):
    return getattr(optim, name)(parameters, **options)


def expected(name, start, grads, **options):
    """The reference, element by element."""
    out = np.empty_like(grads)
    for place in np.ndindex(start.shape):
        series = grads[(slice(None), *place)].tolist()
        out[(slice(None), *place)] = list(RULES[name](start[place], series, **options))
    return out


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_the_rule_is_the_paper_s(name, options):
    options = {"lr": 0.05} | options
    extra = {"weight_decay": 0.0} if name == "AdamW" else {}
    found = run(made(name, [w := Tensor(START)], **options, **extra), w, GRADS)
    np.testing.assert_allclose(found, expected(name, START, GRADS, **options), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_the_numbers_are_torch_s(name, options):
    w = Tensor(literals.START)
    grads = [literals.gradient(t) for t in range(1, literals.STEPS[-1] + 1)]
    found = run(made(name, [w], lr=literals.LR, **options), w, grads)
    rows = [t - 1 for t in literals.STEPS]
    np.testing.assert_allclose(found[rows], literals.VALUES[title(name, options)], rtol=1e-12)


def test_there_are_numbers_for_every_case_and_no_other():
    assert list(literals.VALUES) == [title(name, options) for name, options in CASES]


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_numbers_and_arrays_give_the_same_bits(name, options):
    array = Tensor(START)
    numbers = [Tensor(float(value)) for value in START.flat]
    of_array, of_numbers = made(name, [array], **options), made(name, numbers, **options)
    for step, grad in enumerate(GRADS):
        array.grad = grad
        for place, (number, share) in enumerate(zip(numbers, grad.flat)):
            number.grad = float(share)
            assert step == 0 or len(of_numbers.state[numbers[place]]) == len(of_array.state[array])
        of_array.step()
        of_numbers.step()
        assert [number.data for number in numbers] == array.data.ravel().tolist()
    assert all(type(number.data) is float for number in numbers)


@pytest.mark.parametrize("name", RULES)
def test_maximize_changes_the_sign(name):
    down, up = Tensor(START), Tensor(START)
    found = run(made(name, [down]), down, GRADS), run(made(name, [up], maximize=True), up, -GRADS)
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("name", [name for name in RULES if name != "AdamW"])
def test_weight_decay_is_part_of_the_gradient(name):
    w, decay, rule = Tensor(START), 0.1, RULES[name]
    found = run(made(name, [w], lr=0.05, weight_decay=decay), w, GRADS)
    for place in np.ndindex(START.shape):
        value, grads = START[place], []
        for step, grad in enumerate(GRADS[(slice(None), *place)]):
            grads.append(grad + decay * value)
            value = list(rule(START[place], grads, lr=0.05))[-1]
            np.testing.assert_allclose(found[(step, *place)], value, rtol=1e-12)


@pytest.mark.parametrize("name", RULES)
def test_decoupled_weight_decay_is_subtracted_from_the_parameter(name):
    """In every optimizer, as in tinynn: lr times weight_decay, outside the rule."""
    option = {} if name == "AdamW" else {"decoupled_weight_decay": True}
    w = Tensor(START)
    optimizer = made(name, [w], lr=0.5, weight_decay=0.1, **option)
    found = run(optimizer, w, np.zeros_like(GRADS))  # with a gradient of 0, the rule itself changes nothing
    np.testing.assert_allclose(found[-1], START * 0.95**STEPS, rtol=1e-13)

    plain, decayed = Tensor(START), Tensor(START)
    without = made(name, [plain], lr=0.5, weight_decay=0.0)
    run(without, plain, GRADS[:1])
    run(made(name, [decayed], lr=0.5, weight_decay=0.1, **option), decayed, GRADS[:1])
    np.testing.assert_allclose(decayed.data, plain.data - 0.05 * START, rtol=1e-12, atol=1e-14)


def test_radam_has_the_factor_t():
    """Without the t in 2 t beta2^t / (1 - beta2^t) the second step would already be rectified; with it, the
    sixth is the first."""
    w = Tensor(10.0)
    found = run(optim.RAdam([w], lr=1.0, eps=0.0), w, np.full(7, 5.0))
    np.testing.assert_allclose(found[:5], [5, 0, -5, -10, -15], atol=1e-12)
    whole = 1999  # with the same gradient at each step m is g and √v is |g|: a step is the root of c alone
    for t in (6, 7):
        r = whole - 2 * t * 0.999**t / (1 - 0.999**t)
        assert t - 1 < r < t
        c = (r - 4) * (r - 2) * whole / ((whole - 4) * (whole - 2) * r)
        assert found[t - 2] - found[t - 1] == pytest.approx(c**0.5, rel=1e-9)


@pytest.mark.parametrize("name", ["Adam", "AdamW", "NAdam", "RAdam"])
def test_the_state_contains_the_paper_s_m_and_v(name):
    w, a = Tensor([0.0, 1.0]), Tensor(0.0)
    optimizer = made(name, [w, a], betas=(0.9, 0.99))
    for grad in (1.0, 3.0):
        w.grad, a.grad = [grad, -2 * grad], grad
        optimizer.step()
    m, v = 0.9 * 0.1 * 1 + 0.1 * 3, 0.99 * 0.01 * 1 + 0.01 * 9
    np.testing.assert_allclose(optimizer.state[w]["m"], [m, -2 * m], rtol=1e-14)
    np.testing.assert_allclose(optimizer.state[w]["v"], [v, 4 * v], rtol=1e-14)
    assert [optimizer.state[a][key] for key in ("m", "v")] == pytest.approx([m, v], rel=1e-14)
    assert {"m", "v", "step"} <= set(optimizer.state[w]) <= {"m", "v", "step", "mu_product"}


def test_adam_s_moments_are_kept_when_a_schedule_changes_the_betas():
    w = Tensor([0.0])
    optimizer = optim.Adam([w], lr=1.0)
    (first,) = run(optimizer, w, [[1.0]])  # in the papers, m is 0.1 now and v is 0.001
    optimizer.param_groups[0]["betas"] = (0.5, 0.99)
    (second,) = run(optimizer, w, [[2.0]])
    m, v = 0.5 * 0.1 + 0.5 * 2, 0.99 * 0.001 + 0.01 * 4
    moved = m / (1 - 0.5**2) / np.sqrt(v / (1 - 0.99**2))
    np.testing.assert_allclose(first - second, [moved], rtol=1e-7)


def test_a_centered_variance_below_0_by_rounding_counts_as_0():
    """With the same gradient at every step the variance goes to 0, and rounding makes it negative."""
    for grad in (0.1, 7.0):
        w = Tensor([0.0])
        optimizer = optim.RMSprop([w], alpha=0.9, centered=True)
        assert np.isfinite(run(optimizer, w, np.full((400, 1), grad))).all()


def test_options_may_be_switched_on_later():
    w = Tensor(START)
    optimizer = optim.RMSprop([w])
    run(optimizer, w, GRADS[:2])
    optimizer.param_groups[0].update(momentum=0.5, centered=True)
    run(optimizer, w, GRADS[2:4])
    assert set(optimizer.state[w]) == {"step", "square_avg", "momentum_buffer", "grad_avg"}


@pytest.mark.parametrize("name", RULES)
def test_the_gradient_is_not_changed(name):
    w = Tensor(START)
    w.grad = GRADS[0]
    made(name, [w], weight_decay=0.1, maximize=True).step()
    np.testing.assert_array_equal(w.grad.data, GRADS[0])


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
@pytest.mark.parametrize(
    "value",
    [np.float32([1, 2]), np.array(1.5), np.float32(2).reshape(()), np.empty((0, 3)), START.T, [[1.0]]],
    ids=["float32", "no axes", "no axes, float32", "empty", "Fortran order", "one element"],
)
def test_any_array_keeps_its_shape_and_dtype(name, options, value):
    w = Tensor(value)
    before = w.detach()
    optimizer = made(name, [w], weight_decay=0.1, **options)
    for _ in range(3):
        w.grad = np.ones(w.shape)
        optimizer.step()
    assert (w.shape, w.dtype, type(w.data)) == (before.shape, before.dtype, np.ndarray)
    assert np.all(w.data != before.data)
    remembered = optimizer.state[w].values()
    assert all(array.dtype == w.dtype for array in remembered if isinstance(array, np.ndarray))


@pytest.mark.parametrize("name", RULES)
def test_overflow_gives_no_warning(name):
    for value in (1e300, np.array([1e300, 1e-300, np.nan, np.inf])):
        w = Tensor(value)
        optimizer = made(name, [w])
        for _ in range(2):
            w.grad = value
            optimizer.step()


@pytest.mark.parametrize("name", RULES)
def test_every_rule_descends_a_valley(name):
    w, c = Tensor([3.0, -2.0]), Tensor(1.0)
    lr = {"SGD": 0.1, "Adadelta": 10.0, "Adagrad": 1.0, "RAdam": 0.3}.get(name, 0.1)
    optimizer = made(name, [w, c], lr=lr)
    for _ in range(300):
        optimizer.zero_grad()
        ((w - [1, 2]) ** 2 * [1, 3]).sum().backward()
        ((c - 5) ** 2).backward()
        optimizer.step()
    np.testing.assert_allclose([*w.data, c.data], [1, 2, 5], atol=0.1)


@pytest.mark.parametrize("name", RULES)
def test_every_option_is_a_keyword_and_an_entry_of_the_group(name):
    accepted = set(inspect.signature(getattr(optim, name)).parameters) - {"params"}
    group = made(name, [Tensor(1.0)]).param_groups[0]
    assert accepted | {"params", "decoupled_weight_decay"} == set(group)
