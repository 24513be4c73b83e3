"""Quotients and remainders at edges: signs, jumps, 0 and inf, whole numbers; and what nan_to_num replaces."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

inf, nan = np.inf, np.nan
PAIRS = [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-7.5, -2.0), (6.0, 2.0), (5.0, 0.0), (0.0, 0.0), (5.0, inf),
         (-5.0, inf), (inf, 2.0), (nan, 2.0), (2.0, nan), (-1e-20, 1.0), (5.3, 0.1)]  # fmt: skip
FUNCTIONS = {ad.remainder: np.remainder, ad.floor_divide: np.floor_divide, ad.fmod: np.fmod}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("x", "y"), PAIRS)
def test_values_are_numpy_s_for_numbers_and_arrays(function, x, y):
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[function](x, y)
    for found in (function(x, y), function(Tensor(x), y).data, function(x, Tensor([y])).data[0]):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("x", "y"), PAIRS[:5])
def test_a_quotient_and_its_remainder_make_the_number(x, y):
    for quotient, remainder in (ad.divmod(Tensor(x), y), np.divmod(Tensor(x), Tensor(y))):
        assert (quotient * y + remainder).item() == x
        assert not quotient.requires_grad
        assert remainder.requires_grad


@pytest.mark.parametrize("name", ["remainder", "fmod"])
def test_slopes_are_torch_s(name):
    torch = pytest.importorskip("torch")
    values = [np.array(side) for side in zip(*PAIRS[:5], (5.3, 0.125))]
    ours = [Tensor(value) for value in values]
    theirs = [torch.tensor(value, requires_grad=True) for value in values]
    getattr(ad, name)(*ours).backward(1)
    getattr(torch, name)(*theirs).sum().backward()
    for mine, other in zip(ours, theirs):
        np.testing.assert_array_equal(mine.grad.data, other.grad.numpy())


def test_whole_numbers_stay_whole():
    x = Tensor([7, -7], requires_grad=False)
    for out in (ad.remainder(x, 4), ad.floor_divide(x, 4), ad.fmod(x, 4)):
        assert out.dtype.kind == "i"
    assert ad.mod is ad.remainder


def test_nan_to_num_passes_the_gradient_where_there_is_a_number():
    x = Tensor([1.0, nan, inf, -inf])
    z = np.nan_to_num(x, nan=5, posinf=7.0)
    z.backward([10, inf, nan, 1], create_graph=True)
    assert z.data.tolist() == [1, 5, 7, np.finfo(float).min]
    assert x.grad.data.tolist() == [10, 0, 0, 0]
    assert ad.nan_to_num(nan) == 0
    assert ad.nan_to_num(Tensor(inf), posinf=2).item() == 2
