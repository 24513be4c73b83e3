"""The pass pieces keeps every bit, and writes the gradient of each slice once."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from tests.compiling.passes_agree import agree, calls_of

EXACT = ("pieces",)


def data(*shape, dtype=float, seed=0):
    return Tensor(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def gradient(f):
    """The value of a function and its gradient by the first argument."""
    return ad.value_and_grad(lambda x, *others: f(x, *others).sum())


def weigh(parts):
    """A sum in which each part has a different gradient."""
    total = 0.0
    for place, part in enumerate(parts):
        total = total + (part * part * (place + 1.5)).sum()
    return total


SLICES = {
    "rows": lambda x: [x[t] for t in range(len(x))],
    "rows backwards": lambda x: [x[t] for t in reversed(range(len(x)))],
    "negative rows": lambda x: [x[-t - 1] for t in range(len(x))],
    "iteration": list,
    "columns": lambda x: [x[:, t] for t in range(x.shape[1])],
    "last axis": lambda x: [x[..., t] for t in range(x.shape[-1])],
    "split": lambda x: ad.split(x, 2, axis=1),
    "unequal": lambda x: [x[:1], x[1:3], x[3:]],
    "rows and slices": lambda x: [x[0], x[1:3], x[3], x[4:]],
    "gaps": lambda x: [x[0], x[2], x[5]],
    "gaps of slices": lambda x: [x[:2], x[3:5]],
    "overlapping": lambda x: [x[0:3], x[2:5], x[1:4]],
    "twice": lambda x: [x[1], x[1], x[2], x[1:3]],
    "steps": lambda x: [x[::2], x[1::2]],
    "negative steps": lambda x: [x[::-1], x[4::-2], x[-1:0:-1]],
    "corners": lambda x: [x[:3, :2], x[3:, :2], x[:3, 2:], x[3:, 2:]],
    "convolution": lambda x: [x[i : i + 4, j : j + 2] for i in range(3) for j in range(3)],
    "elements": lambda x: [x[i, j] for i in range(2) for j in range(3)],
    "new axis": lambda x: [x[None, 0], x[1, None], x[2:, None]],
    "empty": lambda x: [x[:0], x[0:], x[3:3]],
    "an array": lambda x: [x[[0, 2]], x[[2, 2]], x[1]],
    "whole too": lambda x: [x[0], x, x[1], x[2], x * 2, x[3]],
    "whole first": lambda x: [x, x * 3, x[0], x[1], x[4:]],
    "overlapping after others": lambda x: [x * 2, ad.sin(x), x * x, x[:3], x[1:4], x[2:], x[:1]],
    "one": lambda x: [x[2]],
    "of slices": lambda x: [x[1:][t][2:] for t in range(4)],
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("which", SLICES)
def test_gradients_of_slices_keep_every_bit(which, dtype):
    agree(gradient(lambda x: weigh(SLICES[which](x))), [data(6, 4, dtype=dtype)], EXACT, tolerance=0)


@pytest.mark.parametrize("which", SLICES)
def test_second_derivatives_of_slices_keep_every_bit(which):
    def f(x):
        slope = ad.grad(lambda x: weigh([part.tanh() for part in SLICES[which](x)]))(x)
        return weigh([slope[0], slope * x])

    agree(gradient(f), [data(6, 4)], EXACT, tolerance=0)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 6])
def test_rows_become_one_stack(steps):
    f, args = gradient(lambda x: weigh(x[t] for t in range(len(x)))), [data(steps, 3)]
    agree(f, args, EXACT, tolerance=0)
    assert calls_of(f, args, ())["put"] == steps
    if steps > 1:
        after = calls_of(f, args, EXACT)
        assert (after["put"], after["stack"]) == (0, 1)


def test_slices_that_fill_an_axis_become_one_concatenation():
    f, args = gradient(lambda x: weigh(ad.split(x @ x.T, 3, axis=1))), [data(3, 6)]
    agree(f, args, EXACT, tolerance=0)
    after = calls_of(f, args, EXACT)
    assert (after["put"], after["concatenate"], after["assemble"]) == (0, 1, 0)


def test_slices_of_an_array_in_any_order_are_assembled():
    """A concatenation would lie in the order of its parts, in which a sum has other last bits."""
    f = gradient(lambda x: (weigh(ad.split(x, 3, axis=1)).reshape((1, 1)) * x).sum(axis=0))
    x = Tensor(np.asfortranarray(np.random.default_rng(0).normal(size=(50, 6))))
    agree(f, [x], EXACT, tolerance=0)
    after = calls_of(f, [x], EXACT)
    assert (after["put"], after["concatenate"], after["assemble"]) == (0, 0, 1)


def test_the_first_sum_in_a_list_of_terms_keeps_its_place():
    """Each place gets its terms in the order of the program: 1e16 + 1 - 1e16 is not 1e16 - 1e16 + 1."""

    def f(x, y):
        parts = [x * y[0], x[0] * y[1][0], x * y[2], x[1] * y[0][1], x * y[3], x[2] * y[3][0]]
        return weigh(parts)

    y = Tensor(np.random.default_rng(0).choice([1e16, 1.0, -1e16], size=(4, 3, 2)))
    agree(gradient(f), [data(3, 2), y], EXACT, tolerance=0)


def test_negative_zeros_are_as_before():
    f = gradient(lambda x: (x[0] * -0.0).sum() + (x[1] * 0.0).sum())
    agree(f, [data(2, 3)], EXACT, tolerance=0)


def test_inf_and_nan_stay_where_they_were():
    x = Tensor([[np.inf, 1.0], [np.nan, 0.0], [-np.inf, -0.0]])
    agree(gradient(lambda x: weigh(x[t] for t in range(3))), [x], EXACT, tolerance=0)


JOINS = {
    "rows of a stack": lambda x: [p * 2 for p in ad.stack([x[0] * 3, x[1], x[2] * 5])],
    "another axis": lambda x: [ad.stack([x[0] * 3, x[1], x[2] * 5], axis=1)[:, 1]],
    "columns of a stack": lambda x: [ad.stack([x[0] * 3, x[1], x[2] * 5])[:, 1]],
    "slices of a concatenation": lambda x: list(ad.split(ad.concatenate([x[:2] * 3, x[2:4]]), 2)),
    "within a part": lambda x: [ad.concatenate([x[:2] * 3, x[2:]])[3:5], ad.concatenate([x, x * 2])[7, 1:]],
    "across parts": lambda x: [ad.concatenate([x[:2] * 3, x[2:]])[1:4]],
    "split and joined": lambda x: [ad.concatenate(ad.split(x * 2, 3))],
    "joined the other way": lambda x: [ad.concatenate(ad.split(x * 2, 3)[::-1])],
    "unbound and stacked": lambda x: [ad.stack(ad.unbind(x * 2))],
    "stacked backwards": lambda x: [ad.stack(ad.unbind(x * 2)[::-1])],
    "a part of the rows": lambda x: [ad.stack(ad.unbind(x * 2)[1:3]), ad.stack(ad.unbind(x)[::2])],
    "with another dtype": lambda x: [ad.concatenate([x[:1], Tensor([[1, 2, 3, 4]])])[0]],
}


@pytest.mark.parametrize("which", JOINS)
def test_what_is_taken_apart_and_put_together_keeps_every_bit(which):
    agree(lambda x: JOINS[which](x), [data(6, 4)], EXACT, tolerance=0)
    agree(gradient(lambda x: weigh(JOINS[which](x))), [data(6, 4)], EXACT, tolerance=0)


@pytest.mark.parametrize("index", [[0, 2, 2], (slice(None), [1, 1]), ([0, 2], slice(1, 3))])
def test_the_gradient_of_rows_that_are_picked_is_no_opaque_call(index):
    f = gradient(lambda x: x[index] ** 2)
    agree(f, [data(4, 4)], EXACT, tolerance=0)
    assert not calls_of(f, [data(4, 4)], ())["call"]


def test_parts_without_elements_are_not_joined():
    f4 = np.float32
    shapes = (1, 0, 0), (0, 1), (0, 1), (4, 0), (4, 1), (4,), (4,)  # of an LSTM on no examples
    tensors = [Tensor(np.full(shape, 0.5, f4)) for shape in shapes]

    def slopes(*x):
        return sum((g * g).sum() for g in ad.grad(lambda *x: ad.lstm(*x).sum(), range(7))(*x))

    expected, found = ad.grad(slopes, range(7))(*tensors), ad.compile(ad.grad(slopes, range(7)))(*tensors)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine.data, other.data)
        assert mine.dtype == other.dtype
