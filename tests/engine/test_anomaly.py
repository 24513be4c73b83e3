"""detect_anomaly: the first nan or infinity, by operation and line."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine import recording


def test_nothing_is_said_of_finite_numbers():
    x = Tensor([1.0, 2.0])
    with ad.detect_anomaly():
        (x * x).sum().backward()
    assert x.grad.data.tolist() == [2, 4]


def test_forward_names_operation_operand_element_and_line():
    x = Tensor([1.0, 0.0], name="x")
    with ad.detect_anomaly(), pytest.raises(FloatingPointError) as told:
        x.log()  # this line
    says = str(told.value)
    assert says.startswith("log gave -inf at element 1, from the Tensor 'x' of shape (2,);")
    assert says.endswith("of test_anomaly.py: x.log()  # this line")


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (lambda x: x / 0.0, "div gave inf, from the Tensor 2 and 0.0"),
        (lambda x: (x * 1e308) * 1e308, "mul gave inf"),
        (lambda x: (-x).sqrt(), r"sqrt gave nan, from the Tensor -2 \(made by neg\)"),
        (lambda x: ad.where([1.0, 0.0], x, np.inf), "where gave inf at element 1"),
        (lambda x: ad.concatenate([x.reshape(1), [np.nan]]), "concatenate gave nan at element 1"),
    ],
    ids=["div", "mul", "sqrt", "where", "concatenate"],
)
def test_forward(f, says):
    with ad.detect_anomaly(), pytest.raises(FloatingPointError, match=says):
        f(Tensor(2.0))


def test_an_operand_that_was_not_finite_is_named():
    says = r"\(the Tensor 'x' nan was already not finite\)"
    with ad.detect_anomaly(), pytest.raises(FloatingPointError, match=says):
        Tensor(float("nan"), name="x") * 2


def test_constants_are_watched_too():
    with ad.detect_anomaly(), ad.no_grad(), pytest.raises(FloatingPointError, match="log gave -inf"):
        Tensor(0.0).log()


def test_backward_names_the_operation_and_the_line_that_recorded_it():
    x = Tensor([4.0, 0.0], name="x")
    with ad.detect_anomaly():
        root = x.sqrt()  # recorded here
        end = root.sum()
        with pytest.raises(FloatingPointError) as told:
            end.backward()
    says = str(told.value)
    assert says.startswith("on the way back sqrt passes inf at element 1 to the Tensor 'x' of shape (2,);")
    assert says.endswith("root = x.sqrt()  # recorded here")
    assert (x.grad, root.grad) == (None, None)


def test_backward_through_what_was_recorded_before():
    x = Tensor(0.0)
    y = x.sqrt()
    with ad.detect_anomaly(), pytest.raises(FloatingPointError, match="recorded before detect_anomaly began"):
        y.backward()


def test_a_gradient_of_a_gradient_is_watched():
    with ad.detect_anomaly(), pytest.raises(FloatingPointError, match=r"(gave|passes) -?(inf|nan)"):
        ad.grad(ad.grad(lambda x: x**1.5))(0.0)


def test_numbers_and_numpy_s_functions_are_watched():
    with ad.detect_anomaly(), pytest.raises(FloatingPointError, match="exp gave inf"):
        np.exp(Tensor(1000.0))


def test_it_ends_with_the_block_also_after_an_error():
    with pytest.raises(FloatingPointError), ad.detect_anomaly():
        Tensor(0.0).log()
    assert recording.current().group is None
    assert Tensor(0.0).log() == -np.inf


def test_it_is_a_decorator_too_and_leaves_scopes_alone():
    @ad.detect_anomaly()
    def f(x):
        with ad.scope("inside"):
            return x * 2

    assert f(Tensor(1.0)).scope == ("inside",)
    with pytest.raises(FloatingPointError, match="mul gave nan"):
        f(Tensor(float("nan")))
