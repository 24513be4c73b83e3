"""The engine without its shortcuts, and walks back in several threads."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine import backward
from autodiff.engine.rules import passes_on

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = """
import sys
sys.modules["autodiff.engine.shortcuts"] = None  # to import it fails, as if the file were not there
import pytest
import autodiff.engine.backward
assert autodiff.engine.backward.shortcuts is None
sys.exit(pytest.main(sys.argv[1:]))
"""
SOME = ("backward", "tensor", "calculus", "hooks", "function", "any_order_of_calls", "checkpointing")


@pytest.mark.thorough
def test_without_shortcuts_everything_works(request):
    """Only speed stands in that file."""
    thorough = request.config.getoption("--thorough")
    files = ["tests/engine"] if thorough else [f"tests/engine/test_{name}.py" for name in SOME]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    options.append("--deselect=tests/engine/test_shortcuts.py")
    options.append("--ignore=tests/engine/ops")  # rules of single operations, which know nothing of it
    command = [sys.executable, "-c", WITHOUT, *options, *files]
    usual = os.environ | {"PYTEST_ADDOPTS": ""}  # as many examples as without --thorough
    done = subprocess.run(command, cwd=ROOT, env=usual, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def shared_operands():
    x, y = Tensor(2.0), Tensor(3.0)
    h = x * y + x
    return h * h + 2 * (y - h) / 3 - x**2


def constants_and_one_operand():
    x, c = Tensor(2.0), Tensor(5.0, requires_grad=False)
    return (c * x).exp() + (-x).relu() * (c + 1) + c / (1 - x)


def many_operands():
    x, y, z = (Tensor([float(k), 2.0]) for k in range(3))
    both = ad.concatenate([x * y, z, x, y.exp(), z])
    return (ad.where(both > 1, both, both * both) + ad.stack([x, z, y]).sum()).sum()


def a_second_derivative():
    x = Tensor(2.0)
    y = (x * x).tanh() + x
    y.backward(create_graph=True)
    return x.grad * y + x.grad


GRAPHS = [shared_operands, constants_and_one_operand, many_operands, a_second_derivative]


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_order_is_that_of_the_plain_form(graph, monkeypatch):
    end = graph()
    short = backward.order(end)
    stops = [set(short[k :: len(short) // 2 or 1]) for k in range(3)]
    shorts = [backward.order(end, frozenset(stop)) for stop in stops]
    monkeypatch.setattr(backward, "shortcuts", None)
    plain = [backward.order(end), *(backward.order(end, frozenset(stop)) for stop in stops)]
    for found, expected in zip([short, *shorts], plain, strict=True):
        assert [id(node) for node in found] == [id(node) for node in expected]


def test_a_graph_that_is_gone_is_no_order():
    h = Tensor(2.0) * 3
    end = h * h
    end.backward(release=True)
    for gone in (end, h + 1, 1 + h, -h):
        with pytest.raises(RuntimeError, match="is gone"):
            backward.order(gone)


@pytest.mark.parametrize("place", [0, 1])
def test_a_rule_of_a_sum_that_was_replaced_is_followed(place, monkeypatch):
    rules = list(ad.add.rules)
    rules[place] = lambda grad, z, x, y: 10 * grad
    monkeypatch.setattr(ad.add, "rules", tuple(rules))
    x, y = Tensor(2.0), Tensor(3.0)
    (x + y).backward()
    assert (x.grad, y.grad) == ((10, 1) if place == 0 else (1, 10))


def test_rules_that_pass_the_gradient_on_are_told_by_their_code():
    def likewise(grad, value, one, other):
        return grad

    factor = 2.0
    others = [
        lambda grad, z, x, y: z,
        lambda grad, z, x, y: grad * factor,
        lambda grad, z, x, y: +grad,
        lambda z, grad, x, y: grad,
        lambda *grad: grad,
        lambda grad, z, x: grad,
        abs,
        None,
    ]
    assert passes_on(likewise)
    assert not any(map(passes_on, others))


def test_a_number_made_of_a_small_array_hands_on_an_array():
    x = Tensor(np.array(2.0, dtype=np.float32))
    y = Tensor(3.0)
    Tensor(5.0, creators=(x, y), creation_op="add").backward()
    assert (type(x.grad.data), x.grad.dtype, x.grad.shape) == (np.ndarray, np.float32, ())
    assert (x.grad, y.grad) == (1, 1)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [("log", 0.0, -np.inf), ("exp", 1000.0, np.inf), ("sqrt", -1.0, np.nan), ("reciprocal", 0.0, np.inf)],
)
def test_a_number_beyond_python_s_arithmetic_is_numpy_s(name, value, expected):
    z = getattr(Tensor(value), name)()
    assert type(z.data) is float
    np.testing.assert_equal(z.data, expected)
    assert str(z.creation_op) == name


@pytest.mark.parametrize("other", [2, 2.0, True, np.float64(2.0), np.int64(2)])
def test_every_kind_of_number_is_an_operand(other):
    x = Tensor(3.0)
    for z, slope in ((other * x, float(other)), (x + other, 1), (other + x, 1), (x - other, 1)):
        assert z.dtype == float
        assert ad.gradients(z, x) == slope


@pytest.fixture
def _threads_switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_threads_switch_often")
@pytest.mark.parametrize("value", [2.0, np.array([1.0, 2.0, 3.0])], ids=["number", "array"])
def test_threads_may_walk_back_through_a_shared_leaf(value):
    """Each walk keeps what arrives to itself: no .grad changes, not even for a moment."""
    x = Tensor(value)
    shared = (x * x).tanh()

    def slopes(k):
        seen, found = [], []
        for _ in range(100):
            y = (shared * k + x * x * k).sum()
            found.append(ad.gradients(y, [x, shared]))
            seen.append((x.grad, shared.grad))
        assert seen == [(None, None)] * 100
        return found

    with ThreadPoolExecutor(8) as pool:
        for k, found in enumerate(pool.map(slopes, range(8))):
            expected = k * (2 * x.data * (1 - np.tanh(x.data**2) ** 2) + 2 * x.data)
            for by_x, by_shared in found:
                np.testing.assert_allclose(by_x.data, expected, rtol=1e-12)
                np.testing.assert_array_equal(by_shared.data, np.full(x.shape, k))


def test_an_earlier_gradient_is_not_touched_by_gradients():
    x = Tensor(2.0)
    h = x * x
    (h * h).backward()
    watched = []

    def hook(grad):
        watched.append((x.grad, h.grad))

    h.register_hook(hook)
    ad.gradients(h * 3, [x])
    assert watched == [(32, 8)]
    assert (x.grad, h.grad) == (32, 8)
