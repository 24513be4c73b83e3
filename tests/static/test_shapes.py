"""Shapes that are known before a run."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import static

KNOWN = [
    (lambda x: x + 1, (None, 3)),
    (lambda x: x + np.zeros((1, 1)), (None, 3)),
    (lambda x: x * np.zeros((5, 1)), (5, 3)),
    (lambda x: x * static.placeholder(), None),
    (lambda x: x > 0, (None, 3)),
    (lambda x: static.where(x > 0, x, 0.0), (None, 3)),
    (lambda x: static.matmul(x, np.zeros((3, 4))), (None, 4)),
    (lambda x: x @ np.zeros(3), (None,)),
    (lambda x: np.zeros(7) @ x, (3,)),
    (lambda x: np.zeros((2, 1, 5, 3)) @ static.transpose(x), (2, 1, 5, None)),
    (static.reduce_sum, ()),
    (lambda x: static.reduce_sum(static.placeholder()), ()),
    (lambda x: static.reduce_sum(static.placeholder(), axis=0), None),
    (lambda x: static.reduce_max(x, axis=-1), (None,)),
    (lambda x: static.reduce_mean(x, axis=0, keepdims=True), (1, 3)),
    (lambda x: static.var(x, axis=(0, 1)), ()),
    (lambda x: static.argmax(x, axis=1), (None,)),
    (static.softmax, (None, 3)),
    (lambda x: static.sort(x, axis=0), (None, 3)),
    (lambda x: static.sort(x, axis=None), None),
    (lambda x: static.roll(x, 1), (None, 3)),
    (static.transpose, (3, None)),
    (lambda x: x[0], (3,)),
    (lambda x: x[:, 1:], (None, 2)),
    (lambda x: x[None], (1, None, 3)),
    (lambda x: x[:1], (None, 3)),
    (lambda x: x[:2], (None, 3)),
    (lambda x: x[-2:], (None, 3)),
    (static.diagonal, (None,)),
    (static.squeeze, None),
    (lambda x: static.reshape(x, (-1, 2)), None),
    (lambda x: static.reshape(x, (-1, 3, 1)), (None, 3, 1)),
    (lambda x: static.reshape(x, (-1,)), (None,)),
    (lambda x: static.reshape(x, (5, 3)), None),
    (static.flatten, (None,)),
    (lambda x: static.expand_dims(x, axis=1), (None, 1, 3)),
    (lambda x: static.gradients(static.reduce_sum(x), x)[0], (None, 3)),
    (lambda x: static.stack([x, x]), None),
    (lambda x: static.constant(np.zeros((2, 3)))[static.placeholder(dtype=int)], None),
]


@pytest.mark.parametrize(("make", "shape"), KNOWN)
def test_shapes_before_a_run(make, shape):
    with static.Graph():
        assert make(static.placeholder((None, 3))).shape == shape


def test_a_picture_of_a_hundred_million_numbers_takes_no_memory():
    with static.Graph():
        x = static.placeholder((10_000, 10_000))
        y = static.reshape(static.transpose(x)[::2], (-1, 5)) @ np.zeros((5, 2))
        assert y.shape == (10_000_000, 2)
