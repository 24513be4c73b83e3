"""Values, first and second derivatives beside 50 digits: at a few points here, at many by ``python -m
benchmarks
accuracy``, which says how errors are counted."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn
from benchmarks import accuracy

pytest.importorskip("mpmath", reason="the oracle, a small package in pure Python: pip install mpmath")

from benchmarks import accuracy_truths

NUMBERS = 24
CASES = {case.name: case for case in accuracy.cases()}

# Where the truth cannot be had from what an operation computes with, by name and order of the derivative.
EXCEPTIONS = {
    ("tanh", 1): "1 - z * z loses digits where z is near 1; all of them cost a fourth of a recurrent step",
    ("tanh", 2): "as its slope",
    ("std", 2): "the spread of small elements is lost in their deviations, if one is far larger",
    ("softmax", 2): "next to equal probabilities of one half it is their difference, which rounding decides",
    ("softmin", 2): "as softmax",
    ("prod", 0): "a product of some factors overflows or underflows where that of all does not, as in NumPy",
    ("prod", 1): "likewise",
    ("cumprod", 0): "likewise",
    ("cumprod", 1): "likewise",
    ("gelu_tanh", 2): "up to 10 near its extrema, where the rounding of the polynomial is multiplied",
    ("mish", 2): "through the slope of tanh, and up to 8 near its extrema, where three terms cancel",
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", CASES)
def test_nothing_is_lost_and_errors_are_small(name, dtype):
    case = CASES[name]
    found = accuracy.compare(case, dtype, NUMBERS // case.columns, {"ours": accuracy.differentiate})["ours"]
    assert sum(map(len, found.found)) > 0
    for order, errors in enumerate(found.found):
        if (name, order) not in EXCEPTIONS:
            assert max(errors, default=0) <= accuracy.GOAL, f"derivative of order {order}"


def test_every_case_has_a_truth():
    assert [name for name in CASES if accuracy_truths.truth_of(name) is None] == []


def test_every_exception_names_a_case():
    assert {name for name, _ in EXCEPTIONS} <= set(CASES)


def test_a_lost_digit_is_seen():
    """The check itself: 1 - tanh(x)**2 as the slope of tanh is not taken for right."""
    wrong = accuracy.Case("sech2 by tanh", lambda x: 1 - ad.tanh(x) ** 2)
    truth = [(0, accuracy_truths.mp.sech(20) ** 2, 40.0)]
    value = wrong.ours(ad.Tensor(20.0)).item()
    spacing = float(np.spacing(float(truth[0][1])))
    assert accuracy_truths.error(value, truth[0][1], 40.0, spacing) > accuracy.GOAL
    assert accuracy_truths.error(0.0, truth[0][1], 40.0, spacing) == np.inf


# -- the kinds of faults, each by one example ----------------------------------------------------------------


def slope(f, x, order=1):
    for _ in range(order):
        f = ad.grad(f)
    return f(x)


@pytest.mark.parametrize("form", [float, np.float64, lambda x: np.array([x])], ids=["number", "0-d", "array"])
@pytest.mark.parametrize(
    ("f", "at", "order", "truth"),
    [
        (ad.gelu, -10.0, 0, -7.619853024160527e-23),
        (ad.erfc, 10.0, 0, 2.088487583762545e-45),
        (ad.sigmoid, 40.0, 1, 4.248354255291589e-18),
        (ad.softplus, 40.0, 2, 4.248354255291589e-18),
        (ad.expm1, -40.0, 1, 4.248354255291589e-18),
        (ad.arctanh, 1 - 2e-9, 1, 1 / (2e-9 * (2 - 2e-9))),
    ],
)
def test_a_tail_keeps_its_digits(f, at, order, truth, form):
    result = slope(lambda x: f(x).sum(), form(at), order) if order else f(form(at))
    rtol = 1e-7 if f is ad.arctanh else 1e-13  # 1 - 2e-9 itself is rounded
    np.testing.assert_allclose(np.ravel(result), truth, rtol=rtol)


def test_the_gradient_of_logsumexp_sums_to_1_for_large_logits():
    x = ad.Tensor(np.array([1.5e6, 1.5e6 + 1], np.float32))
    ad.logsumexp(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.26894143, 0.7310586], rtol=1e-6)


def test_a_class_that_is_nearly_certain_keeps_its_loss_and_its_gradient():
    x = ad.Tensor([50.0, 0.0, 0.0])
    loss = nn.cross_entropy(x, 0)
    loss.backward()
    np.testing.assert_allclose(loss.item(), 2 * np.exp(-50.0), rtol=1e-14)
    np.testing.assert_allclose(x.grad.numpy(), np.exp(-50.0) * np.array([-2, 1, 1]), rtol=1e-14)


def test_a_probability_near_0_keeps_its_cross_entropy_with_the_target_0():
    loss = nn.binary_cross_entropy(ad.Tensor([1e-20]), [0.0])
    np.testing.assert_allclose(loss.item(), 1e-20, rtol=1e-14)


@pytest.mark.parametrize(("dtype", "size"), [(np.float16, 1000), (np.float16, 60000), (np.float32, 1e20)])
def test_the_approximate_gelu_has_slopes_far_out(dtype, size):
    x = ad.Tensor(np.array([size, -size], dtype))
    ad.gelu(x, approximate="tanh").backward(1)
    assert x.grad.data.tolist() == [1, 0]


def test_the_second_derivative_of_a_norm_beside_a_large_element():
    """(1 - u**2) / norm, where u rounds to 1."""
    f = ad.grad(ad.grad(lambda x: ad.norm(ad.stack([x, ad.Tensor(1e-9, requires_grad=False)]))))
    np.testing.assert_allclose(f(1.0), 1e-18, rtol=1e-14)
    g = ad.grad(ad.grad(lambda x: ad.hypot(x, 1e-9)))
    np.testing.assert_allclose(g(1.0), 1e-18, rtol=1e-14)
