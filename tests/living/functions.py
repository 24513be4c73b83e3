"""Functions whose live pages are tested, with the inputs with which these begin."""

from __future__ import annotations

import numpy as np

import autodiff as ad
from autodiff import nn


def course(a):
    b = a + 2
    c = 3 * a + 4
    e = b * c
    return e  # noqa: RET504 - the page shows this name


def neuron(w1, x1, w2, x2, b):
    s = w1 * x1 + w2 * x2 + b
    o = ad.tanh(s)
    return o  # noqa: RET504 - the page shows this name


def network(x, y, u1, u2, c1, v1, v2, c2, t):
    h1 = ad.tanh(u1 * x + u2 * y + c1)
    h2 = ad.sigmoid(v1 * x + v2 * y + c2)
    p = ad.relu(h1 - h2)
    q = h1 * h2
    r = ad.exp(-p) + q**2
    z = r / (1 + p)
    d = z - t
    loss = d * d + 0.1 * ad.log(1 + u1**2)
    return loss  # noqa: RET504 - the page shows this name


def kinks(a, b):
    return ad.where(a > b, a * b, ad.maximum(a, -b)) + ad.abs(a - b)


def reused(x):
    y = x * x
    return y * y + y


W = ad.Tensor([[1.0, 0.5, -0.5], [0.2, -1.0, 1.0]], name="W")


def layer(x):
    h = ad.tanh(W @ x)
    s = ad.softmax(h)
    return (s * h).sum()


NET = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)).double()
for parameter in NET.parameters():
    parameter.assign(np.random.default_rng(parameter.size).standard_normal(parameter.shape))


def net(x):
    return (NET(x) ** 2).sum()


def regression(w, b):
    prediction = w * ad.Tensor([0.0, 1.0, 2.0], requires_grad=False) + b
    error = prediction - ad.Tensor([1.0, 2.5, 4.5], requires_grad=False)
    return (error**2).mean()


OF_NUMBERS = {
    course: {"a": 2.0},
    neuron: {"w1": 1.0, "x1": 0.5, "w2": -0.6, "x2": 0.8, "b": 0.3},
    network: {
        "x": 0.8, "y": -0.4, "u1": 1.2, "u2": 0.5, "c1": 0.1, "v1": -0.7, "v2": 0.9, "c2": 0.2, "t": 1.5,
    },
    kinks: {"a": 1.5, "b": -0.5},
    reused: {"x": -1.25},
}  # fmt: skip
OF_ARRAYS = {net: {"x": [0.5, -1.0]}, layer: {"x": [1.0, -2.0, 0.5]}, regression: {"w": 1.0, "b": 0.5}}
