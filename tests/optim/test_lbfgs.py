"""LBFGS, and steps with a closure: literal numbers, groups, errors, saving."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from autodiff import Tensor, no_grad, optim
from autodiff.optim.line_search import Point, strong_wolfe


def rosenbrock(x, y):
    return 100 * (y - x**2) ** 2 + (1 - x) ** 2


def closure_of(optimizer, function, *parameters):
    def closure():
        optimizer.zero_grad()
        loss = function(*parameters)
        loss.backward()
        return loss

    return closure


def test_the_line_search_finds_a_point_that_satisfies_both_conditions():
    """Sufficient decrease and a small slope, on waves with many minima."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        (a, b, c), w, calls = rng.normal(size=3), rng.uniform(0.5, 8), []

        def at(t, a=a, b=b, c=c, w=w, calls=calls):
            calls.append(t)
            value = a * np.sin(w * t + b) + c * np.cos(2.3 * w * t) + 0.1 * t * t
            slope = a * w * np.cos(w * t + b) - 2.3 * c * w * np.sin(2.3 * w * t) + 0.2 * t
            return Point(t, value, np.array([slope]), slope)

        start = at(0.0)
        if start.slope < 0:
            point = strong_wolfe(at, 1.0, start, 1.0, 1e-9, 25)
            assert point.value <= start.value + 1e-4 * point.t * start.slope
            assert abs(point.slope) <= 0.9 * abs(start.slope)
            assert len(calls) < 25


def test_rosenbrock_in_literal_numbers():
    """The result of PyTorch 2.13 in double precision."""
    x, y = Tensor(np.array(-1.2)), Tensor(np.array(1.0))
    optimizer = optim.LBFGS([x, y], max_iter=5, line_search_fn="strong_wolfe")
    closure = closure_of(optimizer, rosenbrock, x, y)
    losses, places = [], []
    for _ in range(4):
        losses.append(optimizer.step(closure).item())
        places.append((x.item(), y.item()))
    np.testing.assert_allclose(losses, LOSSES, rtol=1e-9)
    np.testing.assert_allclose(places, PLACES, rtol=1e-9)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize(
    "start", [(-1.2, 1.0), (np.float32(-1.2), np.float32(1)), (np.array([-1.2]), np.array([[1.0]]))], ids=str
)
def test_the_bottom_of_the_valley(start, search):
    x, y = map(Tensor, start)
    optimizer = optim.LBFGS([x, y], lr=0.5 if search is None else 1.0, line_search_fn=search)
    for _ in range(20):
        optimizer.step(closure_of(optimizer, lambda x, y: rosenbrock(x, y).sum(), x, y))
    assert (x.item(), y.item()) == pytest.approx((1, 1), abs=1e-3)
    assert (x.shape, y.shape) == (np.shape(start[0]), np.shape(start[1]))
    assert x.dtype == np.asarray(start[0]).dtype


def test_a_quadratic_bowl_takes_few_iterations():
    scale = np.array([1.0, 10.0, 100.0])
    w = Tensor(np.ones(3))
    optimizer = optim.LBFGS([w], line_search_fn="strong_wolfe", tolerance_grad=1e-6)
    optimizer.step(closure_of(optimizer, lambda w: (w * w * scale).sum(), w))
    assert abs(w.data).max() < 1e-6
    assert optimizer.state[w]["n_iter"] <= 15


def test_a_parameter_without_a_gradient_stays():
    used, unused = Tensor([3.0]), Tensor([5.0, 6.0])
    optimizer = optim.LBFGS([unused, used])
    optimizer.step(closure_of(optimizer, lambda w: (w * w).sum(), used))
    assert used.item() == pytest.approx(0, abs=1e-6)
    assert unused.data.tolist() == [5, 6]


def test_a_shared_array_is_not_overwritten():
    w = Tensor([3.0, 4.0])
    held = w.data
    optimizer = optim.LBFGS([w])
    optimizer.step(closure_of(optimizer, lambda w: (w * w).sum(), w))
    assert held.tolist() == [3, 4]


def test_a_saved_state_continues():
    def made():
        w = Tensor(np.array([-1.2, 1.0]))
        optimizer = optim.LBFGS([w], max_iter=4, line_search_fn="strong_wolfe")
        return w, optimizer, closure_of(optimizer, lambda w: rosenbrock(w[0], w[1]), w)

    first, optimizer, closure = made()
    optimizer.step(closure)
    second, other, other_closure = made()
    second.assign(first.data.copy())
    other.load_state_dict(deepcopy(optimizer.state_dict()))
    for _ in range(3):
        optimizer.step(closure)
        other.step(other_closure)
    assert first.data.tolist() == second.data.tolist()


@pytest.mark.parametrize("failing", [1, 2, 5])
def test_a_closure_that_raises_leaves_parameters_and_state_unchanged(failing):
    w = Tensor(np.array([-1.2, 1.0]))
    optimizer = optim.LBFGS([w], line_search_fn="strong_wolfe")
    inner = closure_of(optimizer, lambda w: rosenbrock(w[0], w[1]), w)
    calls = []

    def closure():
        calls.append(1)
        if len(calls) == failing:
            raise KeyboardInterrupt
        return inner()

    with pytest.raises(KeyboardInterrupt):
        optimizer.step(closure)
    assert w.data.tolist() == [-1.2, 1.0]
    assert optimizer.state == {}


def test_what_is_refused():
    w = Tensor([1.0])
    optimizer = optim.LBFGS([w])
    with pytest.raises(TypeError, match="pass a closure to step"):
        optimizer.step()
    with pytest.raises(TypeError, match="returned None"):
        optimizer.step(lambda: (w * w).sum().backward())
    w.zero_grad()
    with pytest.raises(RuntimeError, match="left no gradient"):
        optimizer.step(lambda: (w * w).sum())
    with pytest.raises(ValueError, match="one group"):
        optim.LBFGS([{"params": [w]}, {"params": [Tensor(1.0)]}])
    with pytest.raises(ValueError, match="one group"):
        optimizer.add_param_group({"params": [Tensor(1.0)]})
    with pytest.raises(ValueError, match="line_search_fn"):
        optim.LBFGS([w], line_search_fn="armijo")
    for option in ("max_iter", "max_eval", "history_size"):
        with pytest.raises(ValueError, match=option):
            optim.LBFGS([w], **{option: 0})
    for option in ("tolerance_grad", "tolerance_change"):
        with pytest.raises(ValueError, match=option):
            optim.LBFGS([w], **{option: -1.0})
    assert w.data.tolist() == [1]


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_a_step_with_a_closure(kind):
    w, twin = Tensor([3.0]), Tensor([3.0])
    optimizer, other = getattr(optim, kind)([w], lr=0.1), getattr(optim, kind)([twin], lr=0.1)
    with no_grad():  # the closure records in any case
        loss = optimizer.step(closure_of(optimizer, lambda w: (w * w).sum(), w))
    (twin * twin).sum().backward()
    assert other.step() is None
    assert loss.item() == 9
    assert w.data.tolist() == twin.data.tolist()


def test_gradients_of_zeros():
    w, number, unused = Tensor(np.float32([3, 4])), Tensor(2.0), Tensor([1.0])
    optimizer = optim.SGD([w, number, unused], lr=0.1, momentum=0.9)
    ((w * w).sum() * number).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    assert (w.grad.data.tolist(), w.grad.dtype, number.grad.item(), unused.grad) == (
        [0, 0],
        np.float32,
        0,
        None,
    )
    before = w.data.copy()
    optimizer.step()
    assert (w.data != before).all()  # by momentum
    optimizer.zero_grad()
    assert w.grad is None


LOSSES = [24.199999999999996, 4.111816451757751, 3.423165462292753, 1.6579626408971875]
PLACES = [
    (-1.0276177663827242, 1.0584120782656612),
    (-0.7745797354515831, 0.5476256792320806),
    (-0.2560895768966468, 0.03726198161622369),
    (0.21682779600948238, 0.06691881400560815),
]
