"""Small models and loaders that the tests of training share."""

from __future__ import annotations

import numpy as np

import autodiff as ad
from autodiff import data, nn, optim, training


def samples(n=48):
    """Points in four dimensions, and on which side of a plane each lies."""
    x = np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32)
    return data.TensorDataset(x, (x @ [1.0, -2.0, 0.5, 1.0] > 0).astype(np.int64))


def loader(batch_size=10, shuffle=True, **options):
    return data.DataLoader(samples(), batch_size, shuffle, **options)


def classifier(lr=0.05, dropout=0.25):
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(dropout), nn.Linear(8, 2))
    return training.Model(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters(), lr=lr))


def line(lr=0.1):
    """One weight and one bias, from 0, and the mean squared error."""
    net = nn.Linear(1, 1)
    nn.init.zeros_(net.weight)
    nn.init.zeros_(net.bias)
    return training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=lr))


def batch(x, y):
    """A batch of one sample for :func:`line`."""
    return ad.Tensor([[x]], requires_grad=False), ad.Tensor([[y]], requires_grad=False)


def weights(model):
    return [parameter.data.copy() for parameter in model.net.parameters()]


def same(first, second):
    return all(map(np.array_equal, first, second)) and len(first) == len(second)
