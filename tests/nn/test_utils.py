"""nn.utils: gradient clipping, and parameters as one vector."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor, nn, optim


def test_clipping_is_that_of_optim():
    assert nn.utils.clip_grad_norm_ is optim.clip_grad_norm_
    assert nn.utils.clip_grad_value_ is optim.clip_grad_value_


def test_to_a_vector_and_back():
    net = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2))
    vector = nn.utils.parameters_to_vector(net.parameters())
    assert vector.shape == (3 * 4 + 4 + 8 + 4 * 2 + 2,)
    assert vector.dtype == np.float32
    before = net.state_dict()
    nn.utils.vector_to_parameters(vector * 2, net.parameters())
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value, 2 * before[name])
        assert value.dtype == np.float32


def test_gradients_flow_back_through_the_vector():
    w, b = Tensor([[1.0, 2.0]]), Tensor(3.0)
    (nn.utils.parameters_to_vector([w, b]) * [1.0, 10.0, 100.0]).sum().backward()
    assert w.grad.data.tolist() == [[1, 10]]
    assert b.grad.item() == 100


def test_the_vector_is_copied():
    vector = np.arange(3.0)
    w = Tensor([0.0, 0.0, 0.0])
    nn.utils.vector_to_parameters(vector, w)
    vector[:] = 7
    assert w.data.tolist() == [0, 1, 2]


@pytest.mark.parametrize("vec", [[1.0], [[1.0, 2.0, 3.0]], np.arange(4.0), 1.0])
def test_a_vector_of_another_length_changes_nothing(vec):
    w, b = Tensor([1.0, 2.0]), Tensor(3.0)
    with pytest.raises(ValueError, match="the parameters have 3 elements"):
        nn.utils.vector_to_parameters(vec, [w, b])
    assert (w.data.tolist(), b.item()) == ([1, 2], 3)


def test_parameters_are_tensors():
    with pytest.raises(TypeError, match="takes Tensors"):
        nn.utils.parameters_to_vector([np.ones(2)])
    with pytest.raises(TypeError, match="takes Tensors"):
        nn.utils.vector_to_parameters([1.0], [2.0])
    with pytest.raises(ValueError, match="no parameters"):
        nn.utils.parameters_to_vector(iter(()))


def test_a_recorded_tensor_is_refused_before_anything_changes():
    w = Tensor([1.0])
    with pytest.raises(ValueError, match="its value comes from its creators"):
        nn.utils.vector_to_parameters([5.0, 6.0], [w, w * 2])
    assert w.data.tolist() == [1]
