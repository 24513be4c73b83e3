"""Whole programs as readers see them. A new form of one must be read by eye before it is stored."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn, optim
from autodiff.compiling.training_step import TrainingStep
from benchmarks.scalar_mlp import loss_of, network, points

RNG = np.random.default_rng(0)


def shown(f, *arguments):
    fast = ad.compile(f)
    fast(*arguments)
    return fast.program


def test_a_scalar_expression():
    f = ad.value_and_grad(lambda a, b: (a * b + ad.sin(a)) ** 2 / b, argnums=(0, 1))
    assert shown(f, 2.0, 3.0) == """\
from math import cos, sin

def program(a, b):
    t1 = a * b + sin(a)
    value = t1 * t1 / b
    t2 = 1.0 / b * 2 * t1
    d_a = t2 * cos(a) + t2 * b
    d_b = t2 * a - value / b
    return (value, d_a, d_b)
"""


def test_the_names_of_variables():
    def f(x):
        inside = ad.exp(x) + 1
        outside = ad.log(inside) * inside
        return outside / inside**3

    assert shown(f, 2.0) == """\
from math import exp, log

def program(x):
    inside = exp(x) + 1
    return (log(inside) * inside / inside**3,)
"""


def test_the_derivative_of_a_square():
    assert shown(ad.grad(lambda x: x**2), 1.5) == """\
def program(x):
    d_x = 2.0 * x
    return (d_x,)
"""


def test_a_second_derivative_of_an_array():
    f = ad.grad(lambda x: ad.grad(lambda x: (x**2 * ad.exp(x)).sum())(x).sum())
    assert shown(f, np.ones(4)) == """\
import numpy as np

def program(x):
    # x: 4
    exp = np.exp(x)  # 4
    product = exp * 2  # 4
    d_x = product + (x * 2 + x**2) * exp + product * x  # 4
    return (d_x,)
"""


def test_a_network_with_cross_entropy():
    def loss(w1, b1, w2, b2, x, label):
        hidden = ad.relu(x @ w1 + b1)
        return nn.cross_entropy(hidden @ w2 + b2, label)

    arguments = [RNG.normal(size=shape) for shape in [(4, 8), (8,), (8, 3), (3,), (6, 4)]]
    assert shown(ad.value_and_grad(loss, argnums=(0, 1, 2, 3)), *arguments, RNG.integers(0, 3, 6)) == """\
import numpy as np

def program(w1, b1, w2, b2, x, label):
    # w1: 4 x 8, b1: 8, w2: 8 x 3, b2: 3, x: 6 x 4, label: 6 int64
    hidden = np.maximum(x @ w1 + b1, 0)  # 6 x 8
    sum1 = hidden @ w2 + b2  # 6 x 3
    clipped = np.clip(sum1.max(axis=1, keepdims=True), -np.finfo(float).max, np.finfo(float).max)  # 6 x 1
    difference1 = sum1 - clipped  # 6 x 3
    is_equal = difference1 == 0  # 6 x 3
    total = np.where(is_equal, 0, np.exp(difference1)).sum(axis=1, keepdims=True)  # 6 x 1
    log1p = np.log1p(total + (is_equal.astype('float64').sum(axis=1, keepdims=True) - 1))  # 6 x 1
    difference2 = difference1 - log1p  # 6 x 3
    is_unequal = label != -100  # 6
    chosen = np.where(is_unequal, label, 0)  # 6
    converted1 = is_unequal.sum().astype('float64')
    converted2 = float(np.where(is_unequal, -difference2[np.arange(6), chosen], 0).sum())
    value = converted2 / converted1
    added = np.zeros((6, 3))  # 6 x 3
    np.add.at(added, (np.arange(6), chosen), -np.where(is_unequal, float(1 / converted1), 0))
    exp = np.exp(difference2)  # 6 x 3
    difference3 = added - exp * added.sum(axis=1, keepdims=True)  # 6 x 3
    difference4 = difference3 - exp * difference3.sum(axis=1, keepdims=True)  # 6 x 3
    d_b2 = np.ones(6) @ difference4  # 3
    d_w2 = hidden.T @ difference4  # 8 x 3
    product = difference4 @ w2.T * (hidden > 0)  # 6 x 8
    d_b1 = np.ones(6) @ product  # 8
    d_w1 = x.T @ product  # 4 x 8
    return (value, d_w1, d_b1, d_w2, d_b2)
"""


def test_a_recurrent_network():
    def loss(w, u, b, x):
        h = np.zeros((4, 5))
        for t in range(12):
            h = ad.tanh(x[t] @ w + h @ u + b)
        return (h * h).sum()

    arguments = [RNG.normal(size=shape) for shape in [(5, 5), (5, 5), (5,), (12, 4, 5)]]
    assert shown(ad.value_and_grad(loss, argnums=(0, 1, 2)), *arguments) == """\
import numpy as np

def program(w, u, b, x):
    # w: 5 x 5, u: 5 x 5, b: 5, x: 12 x 4 x 5
    reshaped1 = x.reshape(48, 5)  # 48 x 5
    sum1 = (reshaped1 @ w).reshape(12, 4, 5) + b  # 12 x 4 x 5
    h = {}
    h[0] = np.tanh(sum1[0] + np.zeros((4, 5)) @ u)  # 4 x 5
    for t in range(1, 12):
        h[t] = np.tanh(sum1[t] + h[t - 1] @ u)  # 4 x 5
    square = h[11]**2  # 4 x 5
    value = square.sum()
    product = np.empty((12, 4, 5))
    product[11] = 2 * h[11] * (1 - square)  # 4 x 5
    stacked = np.stack([np.zeros((4, 5)), *[h[t] for t in range(11)]])  # 12 x 4 x 5
    difference = 1 - stacked[1:]**2  # 11 x 4 x 5
    for t in reversed(range(11)):
        product[t] = product[t + 1] @ u.T * difference[t]  # 4 x 5
    d_b = product.sum(axis=(0, 1))  # 5
    reshaped2 = product.reshape(48, 5)  # 48 x 5
    d_w = reshaped1.T @ reshaped2  # 5 x 5
    d_u = stacked.reshape(48, 5).T @ reshaped2  # 5 x 5
    return (value, d_w, d_u, d_b)
"""


@pytest.mark.thorough
def test_a_network_of_numbers():
    data = points(100)
    f = ad.value_and_grad(lambda layers: loss_of(layers, data))
    assert shown(f, network(float)) == """\
import numpy as np

data = ...  # an array of shape (100, 2), float64
data_2 = ...  # an array of shape (100,), float64
data_3 = ...  # an array of shape (2, 100), float64
places = ...  # an array of shape (338,), int64

def program(numbers):
    # numbers: 337
    relu1 = np.maximum(data @ numbers[:48].reshape(16, 3)[:, :2].T + numbers[2:48:3], 0)  # 100 x 16
    w = numbers[48:320].reshape(16, 17)[:, :16]  # 16 x 16
    relu2 = np.maximum(relu1 @ w.T + numbers[64:320:17], 0)  # 100 x 16
    b = numbers[320:336]  # 16
    difference = relu2 @ b + numbers[336] - data_2  # 100
    product1 = 2 * difference  # 100
    product2 = (relu2 > 0) * (product1.reshape(100, 1) * b)  # 100 x 16
    product3 = (relu1 > 0) * (product2 @ w)  # 100 x 16
    reshaped1 = (difference @ difference).reshape(1)  # 1
    reshaped2 = (product3.T @ data_3.T).reshape(32)  # 32
    reshaped3 = (product2.T @ relu1).reshape(256)  # 256
    joined = np.concatenate([
        reshaped1,
        reshaped2,
        product3.sum(axis=0),
        reshaped3,
        product2.sum(axis=0),
        product1 @ relu2,
        product1.sum().reshape(1),
    ])  # 338
    results = joined[places]  # 338
    return (results,)
"""


def test_a_training_step_with_adam():
    model = nn.Sequential(nn.Linear(4, 1, bias=False))
    step = TrainingStep(model, nn.mse_loss, optim.Adam(model.parameters()))
    for _ in range(3):
        step(RNG.normal(size=(6, 4)).astype(np.float32), RNG.normal(size=(6, 1)).astype(np.float32))
    assert step._whole.program == """\
import numpy as np

def program(x, target, learning_rate, step_number, layer0_weight, layer0_weight_m, layer0_weight_v):
    # x: 6 x 4 float32, target: 6 x 1 float32, layer0_weight: 1 x 4 float32
    # layer0_weight_m: 1 x 4 float32, layer0_weight_v: 1 x 4 float32
    prediction = x @ layer0_weight.T  # 6 x 1
    difference = prediction - target  # 6 x 1
    loss = (difference**2).sum() / 6
    d_layer0_weight = (x.T @ ((1 / 3) * difference)).T  # 1 x 4
    new_step_number = step_number + 1
    layer0_weight_m[...] = 0.9 * layer0_weight_m + (1 - 0.9) * d_layer0_weight
    layer0_weight_v[...] = 0.999 * layer0_weight_v + (1 - 0.999) * d_layer0_weight * d_layer0_weight
    sum1 = np.sqrt(layer0_weight_v / (1 - 0.999**new_step_number)) + 1e-08  # 1 x 4
    layer0_weight -= learning_rate * (layer0_weight_m / (1 - 0.9**new_step_number)) / sum1
    return (prediction, loss, new_step_number)
"""
