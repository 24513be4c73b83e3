"""The values of a program have the names that a reader would give them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim
from autodiff.compiling.training_step import TrainingStep

X = np.linspace(-1.0, 1.0, 12).reshape(3, 4)


def returned(fast):
    """The names in the last line of the program that returns."""
    return re.findall(r"return \((.*?),?\)", fast.program)[-1].split(", ")


def test_gradients_are_called_by_what_they_are_for():
    fast = ad.compile(ad.value_and_grad(lambda w, b: ad.tanh(X @ w + b).sum(), argnums=(0, 1)))
    fast(np.ones((4, 2)), np.ones(2))
    assert returned(fast) == ["value", "d_w", "d_b"]


def test_gradients_keep_their_names_in_every_pass():
    def f(w, u):
        h = np.zeros((3, 4))
        for _ in range(12):
            h = ad.tanh(X @ w + h @ u)
        return (h * h).sum()

    fast = ad.compile(ad.value_and_grad(f, argnums=(0, 1)))
    fast(np.ones((4, 4)), np.ones((4, 4)))
    assert returned(fast) == ["value", "d_w", "d_u"]


def test_numbers_too():
    fast = ad.compile(ad.value_and_grad(lambda x: ad.sin(x) * x))
    fast(2.0)
    assert returned(fast) == ["value", "d_x"]


def test_a_second_derivative_says_so():
    f = lambda x: ad.sin(x) * x**3
    second = ad.compile(ad.grad(ad.grad(f)))
    second(2.0)
    assert returned(second) == ["d2_x"]
    third = ad.compile(ad.grad(ad.grad(ad.grad(f))))
    third(2.0)
    assert returned(third) == ["d3_x"]


def test_gradients_of_tensors_that_the_function_refers_to():
    w = Tensor(np.ones((4, 2)), name="w")

    def f():
        loss = (X @ w).tanh().sum()
        return ad.gradients(loss, w)

    fast = ad.compile(f)
    fast()
    assert returned(fast) == ["d_w"]


def test_what_was_there_before_the_walk_keeps_its_name():
    fast = ad.compile(ad.value_and_grad(lambda x: ad.exp(x).sum()))
    fast(np.ones(3))
    assert "d_x" not in fast.program  # the gradient is exp(x), which the forward pass computes
    same = ad.compile(ad.grad(lambda x, y: (x * y).sum()))
    same(np.ones(3), np.ones(3))
    assert "def program(x, y):" in same.program
    assert "d_x" not in same.program


def test_a_name_that_is_taken_is_not_given_twice():
    fast = ad.compile(ad.value_and_grad(lambda w, d_w, value: (w * w * d_w * value).sum()))
    w, d_w, value = np.arange(1.0, 4), np.full(3, 2.0), np.full(3, 3.0)
    found = fast(w, d_w, value)
    np.testing.assert_allclose(found[1].data, 12 * w)
    assert "def program(w, d_w, value):" in fast.program
    assert not {"d_w", "value"} & set(returned(fast))


def test_two_walks_in_one_program():
    def f(w):
        one, two = (w * w * w).sum(), ad.sin(w).sum()
        return ad.gradients(one, w), ad.gradients(two, w)

    fast = ad.compile(f)
    w = Tensor(np.ones(3))
    fast(w)
    assert returned(fast)[0] == "d_w"
    found, expected = fast(w), f(w)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine.data, other.data)


def test_what_the_program_does_not_need_takes_no_name():
    def f(w):
        for _ in range(2):
            w = w - ad.grad(lambda w: ad.tanh(w).sum())(w)
        return (w * w).sum()

    fast = ad.compile(ad.value_and_grad(f))
    fast(np.ones(3))
    assert returned(fast)[0] == "value"


def test_names_decide_nothing():
    """Equal values are computed once, whether they have a name or not."""

    def f(w):
        loss = ad.tanh(w).sum()
        first = ad.gradients(loss, w)
        return first, 1 - ad.tanh(w).detach() * ad.tanh(w).detach()

    fast = ad.compile(f)
    fast(Tensor(np.ones(3)))
    assert fast.program.count("np.tanh") == 1


def test_layers_are_called_layers():
    model = nn.Sequential(nn.Linear(4, 2), nn.Tanh(), nn.Linear(2, 1))
    fast = ad.compile(lambda x: model(x))
    fast(Tensor(X))
    head = "def program(x, layer0_weight, layer0_bias, layer2_weight, layer2_bias):"
    assert head in fast.program


@pytest.mark.parametrize(("name", "expected"), [
    ("encoder.0.weight", "encoder_0_weight"), ("2nd", "_2nd"), ("0", "_0"), ("lambda", "lambda_"),
])  # fmt: skip
def test_other_names_are_names_of_python(name, expected):
    w = Tensor(np.ones(4), name=name)
    fast = ad.compile(lambda x: x * w)
    fast(Tensor(X))
    assert f"def program(x, {expected}):" in fast.program


def test_what_a_function_refers_to_has_the_word_of_the_source():
    def tensor():
        return Tensor(np.ones(4))

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = tensor()

        def forward(self, x):
            return x * self.scale

    shift, layer, rows, places = tensor(), Scaled(), [tensor(), tensor()], {"first": tensor(), 7: tensor()}

    def f(x):
        return layer(x + shift * rows[1] * places["first"] * places[7])

    fast = ad.compile(f)
    fast(Tensor(X))
    head = re.search(r"def program\((.*)\):", fast.program)[1]
    assert sorted(head.split(", ")) == ["places_7", "places_first", "rows_1", "scale", "shift", "x"]


def test_a_training_step_names_gradients_and_moments():
    model = nn.Sequential(nn.Linear(4, 1))
    step = TrainingStep(model, lambda p, t: ((p - t) ** 2).mean(), optim.Adam(model.parameters()))
    for _ in range(3):
        step(X, np.ones((3, 1)))
    program = step._whole.program
    names = (
        "d_layer0_weight", "layer0_weight_m", "layer0_weight_v", "layer0_bias_m", "loss = ", "prediction = ",
        "learning_rate,", "step_number,", "new_step_number = ",
    )  # fmt: skip
    for name in names:
        assert name in program
    assert "captured" not in program


def test_nothing_is_named_outside_of_a_compilation():
    x = Tensor([1.0, 2.0])
    y = (x * x).sum()
    y.backward()
    assert x.grad.name is None
    assert y.name is None
