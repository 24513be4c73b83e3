"""Parameter: its dtype, its name, and that it is a Tensor like any other leaf."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn


@pytest.mark.parametrize("data", [[1, 2], [1.5, 2], np.zeros(2), np.zeros(2, np.float16), Tensor([1.0, 2.0])])
def test_arrays_become_float32(data):
    assert nn.Parameter(data).dtype == np.float32


def test_a_number_stays_a_python_float_and_leaves_float32_alone():
    scale = nn.Parameter(2.0)
    assert type(scale.data) is float
    y = scale * Tensor(np.float32([1, 2]))
    y.sum().backward()
    assert y.dtype == np.float32
    assert scale.grad == 3


@pytest.mark.parametrize(("dtype", "expected"), [(np.float64, np.float64), (None, np.float16)])
def test_another_dtype_on_request(dtype, expected):
    assert nn.Parameter(np.zeros(2, np.float16), dtype=dtype).dtype == expected


def test_what_is_too_large_for_the_dtype_is_infinite():
    assert nn.Parameter([1e300]).data.tolist() == [np.inf]


def test_the_data_is_copied():
    array = np.zeros(2, np.float32)
    parameter = nn.Parameter(array)
    array[0] = 5
    assert parameter.data.tolist() == [0, 0]


def test_it_is_a_leaf_that_requires_a_gradient():
    parameter = nn.Parameter([1.0, 2.0])
    assert isinstance(parameter, Tensor)
    assert parameter.requires_grad
    assert parameter.creators is None
    assert not nn.Parameter([1.0], requires_grad=False).requires_grad
    (parameter * parameter).sum().backward()
    assert parameter.grad.data.tolist() == [2, 4]
    assert parameter.grad.dtype == np.float32
    assert type(parameter * 2) is Tensor


@pytest.mark.parametrize("data", ["three", None, 1j, [[1], [2, 3]]])
def test_data_other_than_numbers_is_refused(data):
    with pytest.raises(TypeError):
        nn.Parameter(data)


def test_its_name_is_the_given_one_or_its_path():
    parameter = nn.Parameter([1.0])
    assert parameter.name is None
    net = nn.Sequential(nn.Linear(1, 1))
    assert net[0].weight.name == "0.weight"
    net[0].weight.name = "theta"
    nn.Sequential(net)
    assert net[0].weight.name == "theta"
    net[0].weight.name = None
    assert net[0].weight.name == "0.0.weight"
    assert nn.Parameter([1.0], name="theta").name == "theta"


def test_a_parameter_created_in_a_scope_belongs_to_no_box():
    with ad.scope("layer"):
        parameter = nn.Parameter([1.0])
    assert parameter.scope == ()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_a_copy_is_a_parameter_too(copied):
    net = nn.Sequential(nn.Linear(1, 1))
    twin = copied(net[0].weight)
    assert type(twin) is nn.Parameter
    assert twin is not net[0].weight
    assert twin == net[0].weight
    assert (twin.name, twin.dtype, twin.requires_grad) == ("0.weight", np.float32, True)
