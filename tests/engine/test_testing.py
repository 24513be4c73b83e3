"""gradcheck: it passes what is right, and says what is wrong, where, and by how much."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import GradcheckError, Tensor
from autodiff.engine import edits, recording
from autodiff.testing import LAYOUTS


def wrong(factor):
    """The square, with a slope that is off by a factor."""

    @ad.operation
    def square(x):
        return x * x

    return square.backward(lambda grad, z, x: grad * 2 * x * factor)


@pytest.mark.parametrize(
    "inputs", [(0.5, 2.0), ([0.5, 1.5], 2), (np.ones((2, 1)), [[1, 2, 3]]), (Tensor(1), [[]])]
)
def test_right_rules_pass(inputs):
    assert ad.gradcheck(lambda x, y: (x * y).tanh() + x, *inputs) is True


def test_float32_inputs_are_checked_in_float64():
    assert ad.gradcheck(ad.exp, np.array([0.1, 0.2], np.float32))


def test_a_wrong_rule_is_named_by_input_and_element_with_both_numbers():
    square = wrong(0.5)
    with pytest.raises(GradcheckError, match=r"^input 0: the rules give 3, a nudge gives 6"):
        ad.gradcheck(square, 3)
    says = "input 1, element 0, 2: the rules give 4 for the output's element 0, 2, a nudge gives 8, off by 4"
    with pytest.raises(GradcheckError, match=f"^{says}$"):
        ad.gradcheck(lambda x, y: x + square(y), [1.0, 2, 3], [[0.0, 0.0, 4.0]])


def test_a_small_mistake_is_found_and_may_be_allowed():
    with pytest.raises(GradcheckError):
        ad.gradcheck(wrong(1.001), 3)
    assert ad.gradcheck(wrong(1.001), 3, rtol=0.01)


def test_a_gradient_that_is_nan_does_not_pass():
    with pytest.raises(GradcheckError, match="the rules give nan"):
        ad.gradcheck(wrong(float("nan")), 3)


def test_mistakes_that_cancel_in_a_sum_are_found():
    @ad.operation
    def turn(x):
        return x * 1

    turn.backward(lambda grad, z, x: grad[::-1])
    with pytest.raises(GradcheckError):
        ad.gradcheck(turn, [1.0, 2.0])


def test_it_is_an_assertion_error_so_that_tests_read_well():
    assert issubclass(GradcheckError, AssertionError)


def test_a_second_derivative_can_be_checked():
    assert ad.gradcheck(ad.grad(lambda x: x**3), 2.0)


@pytest.mark.parametrize(
    ("f", "says"),
    [(lambda x: x.data, "returns a Tensor, not float"), (lambda x: x.detach(), "depends on its inputs")],
)
def test_a_function_that_records_nothing_is_refused(f, says):
    with pytest.raises(TypeError, match=says):
        ad.gradcheck(f, 3)


@pytest.mark.parametrize("factor", [1, 2])
def test_it_leaves_everything_as_it_was(factor):
    x = Tensor([1.0, 2.0])
    (x * x).backward(1)
    before = edits.latest
    try:
        ad.gradcheck(wrong(factor), x)
    except GradcheckError:
        assert factor == 2
    assert (x.data.tolist(), x.grad.data.tolist()) == ([1, 2], [2, 4])
    assert (recording.current().recording, edits.latest) == (True, before)


def test_a_rule_that_forgets_the_gradient_above_is_found():
    @ad.operation
    def square(x):
        return x * x

    square.backward(lambda grad, z, x: 2 * x)
    with pytest.raises(GradcheckError, match="right only where the gradient of the output is 1"):
        ad.gradcheck(square, 3)


# -- the second derivative, and the step into the imaginary -------------------------------------------------


def test_gradgradcheck_finds_a_rule_that_is_right_and_cannot_be_differentiated():
    @ad.operation
    def sine(x):
        return np.sin(x)

    sine.backward(lambda grad, z, x: grad * math.cos(float(x)))
    assert ad.gradcheck(sine, 0.5)
    with pytest.raises(GradcheckError, match="input 0: the rules give 0"):
        ad.gradgradcheck(sine, 0.5)


@pytest.mark.parametrize("check", [ad.gradcheck, ad.gradgradcheck])
def test_an_error_in_the_fourth_digit_is_found_unless_it_is_allowed(check):
    @ad.operation
    def twice(x):
        return 2 * x

    @ad.operation
    def square(x):
        return x * x

    twice.backward(lambda grad, z, x: grad * 2.0005)
    square.backward(lambda grad, z, x: grad * twice(x))
    f = twice if check is ad.gradcheck else square
    with pytest.raises(GradcheckError):
        check(f, [0.5, 1.5])
    for options in ({"rtol": 1e-3}, {"atol": 1e-2}):
        assert check(f, [0.5, 1.5], **options)


def test_gradgradcheck_looks_at_the_gradient_it_began_with_too():
    @ad.operation
    def double(x):
        return 2 * x

    double.backward(lambda grad, z, x: grad.detach() * 2 if isinstance(grad, Tensor) else grad * 2)
    with pytest.raises((GradcheckError, TypeError)):
        ad.gradgradcheck(double, [0.5, 1.0])
    assert ad.gradgradcheck(lambda x: 2 * x, [0.5, 1.0])


def test_the_complex_step_is_exact_to_the_last_digits():
    assert ad.gradcheck(ad.sin, [0.5, 100.0], complex_step=True, rtol=1e-14, atol=0)
    assert ad.gradcheck(functools.partial(ad.sum, axis=0), np.ones((2, 3)), complex_step=True, rtol=1e-14)
    with pytest.raises(GradcheckError):
        ad.gradcheck(wrong(1 + 1e-9), 3, complex_step=True, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("f", "says"),
    [(lambda x: x.sin(), "needs an operation"), (ad.abs, "the forward of abs loses the imaginary part")],
)
def test_where_there_is_no_complex_step(f, says):
    with pytest.raises(TypeError, match=says):
        ad.gradcheck(f, 0.5, complex_step=True)


# -- memory layout ------------------------------------------------------------------------------------------


def flat_add_at(x):
    """What np.add.at writes into is a copy of z, if x is in Fortran order."""
    z = np.zeros_like(x)
    np.add.at(np.reshape(z, -1), np.arange(z.size), np.ravel(x))
    return z


def test_gradcheck_finds_a_rule_that_depends_on_the_memory_layout():
    @ad.operation
    def unit(x):
        return np.positive(x)

    unit.backward(lambda grad, z, x: flat_add_at(grad))
    assert ad.gradcheck(unit, [1.0, 2.0])
    says = "the gradient of input 0 depends on the memory layout: it is different .* the layout 'Fortran'"
    with pytest.raises(GradcheckError, match=says):
        ad.gradcheck(unit, np.ones((2, 3)))


def test_gradcheck_finds_a_forward_that_depends_on_the_memory_layout():
    @ad.operation
    def unit(x):
        return flat_add_at(x)

    unit.backward(lambda grad, z, x: grad)
    with pytest.raises(GradcheckError, match="the result depends on the memory layout"):
        ad.gradcheck(unit, np.ones((2, 3)))


def test_gradcheck_finds_a_rule_that_writes_into_the_gradient_it_is_given():
    @ad.operation
    def double(x):
        return 2 * x

    def by_x(grad, z, x):
        grad *= 2
        return grad

    double.backward(by_x)
    with pytest.raises((GradcheckError, ValueError), match="read-only"):
        ad.gradcheck(double, np.ones((2, 3)))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3,), (2, 3), (2, 0, 3), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_changes_no_number(layout, shape):
    x = np.arange(np.prod(shape), dtype=float).reshape(shape)
    for array in (x, np.full(shape, 2.0)):
        found = LAYOUTS[layout](array)
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, array)


def test_the_layouts_are_what_they_are_called():
    x, steps = np.arange(24.0).reshape(2, 3, 4), {}
    for name, lay in LAYOUTS.items():
        steps[name] = tuple(step // 8 for step in lay(x).strides)
    assert steps == {
        "C": (12, 4, 1), "Fortran": (1, 2, 6), "permuted": (1, 8, 2), "strided": (24, 8, 2),
        "reversed": (-12, -4, -1), "broadcast": (12, 4, 1), "read-only": (12, 4, 1),
    }  # fmt: skip
    assert LAYOUTS["broadcast"](np.ones((2, 3))).strides == (0, 0)
    assert LAYOUTS["broadcast"](x[:, :1] + np.zeros((2, 3, 4))).strides == (32, 0, 8)
    assert not LAYOUTS["read-only"](x).flags.writeable


def test_a_function_that_does_not_repeat_itself():
    """The message of a wrong rule would send the reader looking for a mistake that is not there."""
    rng = np.random.default_rng(0)
    for noisy in (
        lambda x: x * rng.normal(),
        lambda x: x * rng.normal(size=2),
        lambda x: ad.nn.functional.dropout(ad.tile(x, 50), 0.5),
    ):
        with pytest.raises(GradcheckError, match="two calls of the function with the same inputs"):
            ad.gradcheck(noisy, [1.0, 2.0])
    assert ad.gradcheck(lambda x: x * np.random.default_rng(0).normal(), [1.0, 2.0])
    assert ad.gradcheck(lambda x: x * np.array([np.nan, 1.0])[1:], [1.0])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_rule_that_is_no_longer_differentiated_is_found_at_every_input(place):
    @ad.operation
    def product(x, y, z):
        return x * y * z

    def rule(number):
        def contribution(grad, out, *inputs):
            others = [x for k, x in enumerate(inputs) if k != number]
            if number == place:
                others = [ad.as_tensor(x).detach() for x in others]
            return grad * others[0] * others[1]

        return contribution

    product.backward(*map(rule, range(3)))
    inputs = [0.5, -1.5], [2.0, 0.75], [1.25, 3.0]
    assert ad.gradcheck(product, *inputs)
    with pytest.raises(GradcheckError):
        ad.gradgradcheck(product, *inputs)
