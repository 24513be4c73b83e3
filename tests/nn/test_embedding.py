"""Embedding: rows by index, and their gradients."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from tests.nn.helpers import check_gradients


@pytest.mark.parametrize("indices", [2, [0, 1], [[4, 1], [1, 1]], np.zeros((2, 0), int), np.uint8([3])])
def test_indices_select_rows(indices):
    table = nn.Embedding(5, 3)
    expected = table.weight.data[np.asarray(indices)]
    np.testing.assert_array_equal(table(indices).data, expected)
    constant = Tensor(np.asarray(indices), requires_grad=False)
    np.testing.assert_array_equal(table(constant).data, expected)


def test_the_gradient_adds_up_over_repeated_indices():
    table = nn.Embedding(4, 2)
    table([1, 3, 1, 1]).backward([[1, 10], [2, 20], [3, 30], [4, 40]])
    assert table.weight.grad.data.tolist() == [[0, 0], [8, 80], [0, 0], [2, 20]]
    assert table.weight.grad.dtype == np.float32


@pytest.mark.parametrize("padding_idx", [1, -3])
def test_padding_starts_at_zero_and_gets_no_gradient(padding_idx):
    table = nn.Embedding(4, 2, padding_idx=padding_idx)
    assert table.padding_idx == 1
    assert table.weight.data[1].tolist() == [0, 0]
    table([1, 3, 1]).sum().backward()
    assert table.weight.grad.data.tolist() == [[0, 0], [0, 0], [0, 0], [1, 1]]
    table.weight[1] = 7
    assert table([1]).data.tolist() == [[7, 7]]
    assert table([1]).dtype == np.float32


@pytest.mark.parametrize("padding_idx", [None, 0])
def test_gradients(padding_idx):
    table = nn.Embedding(3, 2, padding_idx, generator=0)
    indices = [[0, 2], [2, 1]]
    called = nn.Sequential(table)
    called.register_forward_pre_hook(lambda module, args: (indices,))
    if padding_idx is None:
        check_gradients(called)
    else:  # by design the padding row's gradient is not the derivative of the value
        weight = table.weight.data.astype(float)

        def looked_up(rows):
            vars(table)["weight"] = ad.concatenate([weight[:1], rows])
            return table(indices)

        ad.gradcheck(looked_up, weight[1:])
        ad.gradgradcheck(looked_up, weight[1:])


def test_the_table_is_drawn_from_the_normal_distribution():
    table = nn.Embedding(200, 50, generator=0)
    assert table.weight.data.std() == pytest.approx(1, rel=0.05)
    assert abs(table.weight.data.mean()) < 0.05
    np.testing.assert_array_equal(table.weight.data, nn.Embedding(200, 50, generator=0).weight.data)


@pytest.mark.parametrize("indices", [[5], [[0, -1]], 5])
def test_indices_out_of_range_are_refused(indices):
    with pytest.raises(IndexError, match=r"Embedding\(5, 3\) has the rows 0 to 4, and no row (5|-1)"):
        nn.Embedding(5, 3)(indices)


@pytest.mark.parametrize("indices", [[0.0], Tensor([0, 1]), [True]])
def test_indices_are_integers(indices):
    with pytest.raises(TypeError, match="takes integers"):
        nn.Embedding(5, 3)(indices)
    with pytest.raises(TypeError, match="requires_grad=False"):
        nn.Embedding(5, 3)(Tensor([0, 1]))


@pytest.mark.parametrize("padding_idx", [5, -6])
def test_padding_idx_is_checked(padding_idx):
    with pytest.raises(ValueError, match="padding_idx"):
        nn.Embedding(5, 3, padding_idx)


def test_from_pretrained_copies_a_table():
    rows = np.arange(6.0).reshape(3, 2)
    table = nn.Embedding.from_pretrained(rows)
    assert (table.num_embeddings, table.embedding_dim, table.padding_idx) == (3, 2, None)
    assert table([2, 0]).data.tolist() == [[4, 5], [0, 1]]
    assert table.weight.dtype == np.float32
    assert not table.weight.requires_grad
    rows[:] = 7
    assert table([0]).data.tolist() == [[0, 1]]
    assert list(table.state_dict()) == ["weight"]


def test_from_pretrained_without_freeze_is_trained():
    given = Tensor(np.ones((3, 2)))
    table = nn.Embedding.from_pretrained(given, freeze=False, padding_idx=-1, dtype=np.float64)
    table([0, 2]).sum().backward()
    assert table.weight.grad.data.tolist() == [[1, 1], [0, 0], [0, 0]]
    assert table.weight.data.tolist() == [[1, 1]] * 3  # the padding row is unchanged
    assert table.weight.dtype == np.float64
    assert given.grad is None


def test_a_table_has_two_axes():
    with pytest.raises(ValueError, match="rows and columns"):
        nn.Embedding.from_pretrained([1.0, 2.0])
    with pytest.raises(TypeError, match="real numbers"):
        nn.Embedding.from_pretrained([["a"]])


def test_a_lookup_changes_neither_the_table_nor_its_gradient():
    with pytest.raises(ValueError, match="max_norm is not supported"):
        nn.Embedding(3, 2, max_norm=1.0)
    with pytest.raises(ValueError, match="scale_grad_by_freq is not supported"):
        nn.functional.embedding([0], np.ones((3, 2)), scale_grad_by_freq=True)
    nn.Embedding(3, 2, None, None, 2.0, False, True)([0])  # sparse has no effect
