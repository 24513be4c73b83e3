"""Datasets: TensorDataset, Subset, ConcatDataset, random_split, and how samples are joined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    Subset,
    TensorDataset,
    default_collate,
    random_split,
)

# -- TensorDataset --------------------------------------------------------------------------------------


def test_samples_are_the_rows_as_constants():
    x, y = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([4, 5, 6], np.int32)
    dataset = TensorDataset(x, y)
    assert len(dataset) == 3
    a, b = dataset[-1]
    assert (a.data.tolist(), b.data) == ([4, 5], 6)
    assert (a.dtype, b.dtype) == (np.float32, np.int32)
    assert not a.requires_grad
    assert not b.requires_grad
    assert [int(label.data) for _, label in dataset] == [4, 5, 6]
    assert dataset[1:][1].data.tolist() == [5, 6]
    with pytest.raises(IndexError):
        dataset[3]


def test_arrays_are_not_copied_and_not_changed_by_accident():
    x = np.zeros((4, 2))
    dataset = TensorDataset(x)
    assert dataset.tensors[0].data is x
    row, batch = dataset[0][0], dataset.batch(range(2))[0]
    assert np.shares_memory(row.data, x)
    assert np.shares_memory(batch.data, x)
    for view in (row, batch):
        with pytest.raises(ValueError, match="read-only"):
            view.data[...] = 1
        view += 1  # makes an array of its own
    assert not x.any()
    assert x.flags.writeable
    dataset.batch(np.array([0, 1]))[0].data[...] = 1  # a copy, which is the batch's
    assert not x.any()


@pytest.mark.parametrize(
    "indices",
    [range(2, 5), range(0, 6, 2), range(5, -1, -1), range(-3, 0), range(4, 4), range(0, 0, 2)],
    ids=str,
)
def test_a_batch_is_of_these_indices_whatever_range_they_are(indices):
    numbers = np.arange(6)
    (batch,) = TensorDataset(numbers).batch(indices)
    assert batch.data.tolist() == [numbers[index] for index in indices]
    again = Subset(range(6), numbers).batch(indices).data if indices else batch.data
    assert again.tolist() == batch.data.tolist()


def test_a_range_beyond_the_end_is_refused():
    with pytest.raises(IndexError):
        TensorDataset(np.arange(6)).batch(range(4, 8))


@pytest.mark.parametrize("x", [Tensor([[1.0], [2.0]]), [[1.0], [2.0]], np.array([[1.0], [2.0]])])
def test_tensors_lists_and_arrays_are_taken(x):
    (batch,) = TensorDataset(x).batch(np.array([1, 0]))
    assert batch.data.tolist() == [[2], [1]]
    assert not batch.requires_grad


@pytest.mark.parametrize(
    ("arrays", "error", "says"),
    [
        ((), TypeError, "at least one array"),
        (([1, 2], [1, 2, 3]), ValueError, r"different lengths: \[2, 3\]"),
        ((Tensor(3),), TypeError, "argument 0 of a TensorDataset must be .* not a single number"),
        (([1], ["a"]), TypeError, "argument 1 of a TensorDataset must be an array of real numbers"),
        (([[1, 2], [3]],), TypeError, "argument 0 of a TensorDataset is no array"),
        (([1j],), TypeError, "must be an array of real numbers"),
        ((None,), TypeError, "must be an array of real numbers"),
    ],
)
def test_what_is_no_dataset_is_refused(arrays, error, says):
    with pytest.raises(error, match=says):
        TensorDataset(*arrays)


# -- Dataset --------------------------------------------------------------------------------------------


def test_a_dataset_needs_both_methods():
    class Half(Dataset):
        def __len__(self):
            return 1

    with pytest.raises(TypeError, match="__getitem__"):
        Half()


# -- Subset, ConcatDataset ------------------------------------------------------------------------------


def test_a_subset_counts_from_both_ends_and_nests():
    subset = Subset(Subset("abcdef", [5, 3, 1, -6]), [0, -1, 0])
    assert list(subset) == ["f", "a", "f"]
    assert subset[-2] == "a"


def test_a_subset_of_arrays_is_indexed_as_a_whole():
    class Watched(TensorDataset):
        def __getitem__(self, index):
            raise AssertionError("one by one")

    subset = Subset(Subset(Watched(np.arange(10.0)), range(2, 10)), [7, 0, 3])
    batches = [batch.data.tolist() for (batch,) in DataLoader(subset, 2)]
    assert batches == [[9, 2], [5]]


@pytest.mark.parametrize(
    ("indices", "error"), [([3], IndexError), ([-4], IndexError), ([0.5], TypeError), ([[0]], TypeError)]
)
def test_indices_that_are_none_are_refused(indices, error):
    with pytest.raises(error):
        Subset("abc", indices)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64])
def test_indices_of_a_small_dtype_reach_into_a_large_dataset(dtype):
    indices = np.array([100, 0], dtype)
    assert list(Subset(range(1000), indices)) == [100, 0]
    if dtype is np.int8:
        assert list(Subset(range(1000), -indices)) == [900, 0]


def test_an_empty_subset_has_no_samples():
    assert list(Subset("abc", [])) == []
    assert list(DataLoader(Subset("abc", []), 2, shuffle=True)) == []


def test_datasets_one_after_the_other():
    joined = ConcatDataset(["ab", "", "c", TensorDataset([7.0])])
    assert len(joined) == 4
    assert [joined[0], joined[2], joined[-2]] == ["a", "c", "c"]
    assert joined[3][0].data == 7
    for index in (4, -5):
        with pytest.raises(IndexError, match=f"index {index} is out of range for a dataset of 4"):
            joined[index]
    assert list(ConcatDataset(part for part in ("ab", "c"))) == ["a", "b", "c"]
    for nothing in ([], iter([])):
        with pytest.raises(ValueError, match="at least one"):
            ConcatDataset(nothing)


# -- random_split ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "lengths", "expected"),
    [
        (10, [7, 3], [7, 3]),
        (10, [7, 0, 3], [7, 0, 3]),
        (10, [0.8, 0.2], [8, 2]),
        (10, [1 / 3, 1 / 3, 1 / 3], [4, 3, 3]),
        (11, [0.5, 0.25, 0.25], [6, 3, 2]),  # what is left over goes to the first
        (100, [0.71, 0.29], [71, 29]),  # 0.29 * 100 is 28.999999999999996
        (5, [1.0], [5]),
        (0, [0.5, 0.5], [0, 0]),
        (10, np.array([0.8, 0.2]), [8, 2]),
        (10, np.array([3, 7]), [3, 7]),
        (32033, [0.8, 0.1, 0.1], [25627, 3203, 3203]),
    ],
)
def test_the_parts_have_their_lengths_and_everything_is_in_one(n, lengths, expected):
    parts = random_split(range(n), lengths, generator=0)
    assert [len(part) for part in parts] == expected
    assert sorted(sample for part in parts for sample in part) == list(range(n))


def test_parts_are_random_and_the_same_for_a_seed():
    def first(generator):
        return list(random_split(range(100), [0.5, 0.5], generator)[0])

    assert first(0) == first(0) != first(1)
    rng = np.random.default_rng(0)
    assert first(rng) == first(0) != first(rng)
    ad.seed(3)
    own = first(None)
    assert own != first(None)
    ad.seed(3)
    assert own == first(None)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.uint64, float, object])
def test_lengths_may_be_numbers_of_any_type(dtype):
    """A sum of small integers of NumPy's may be too large for their type."""
    lengths = np.array([0.25, 0.5, 0.25] if dtype is float else [100, 100, 100], dtype)
    parts = random_split(range(400 if dtype is float else 300), lengths)
    assert [len(part) for part in parts] == ([100, 200, 100] if dtype is float else [100, 100, 100])
    assert sorted(i for part in parts for i in part) == [*range(sum(map(len, parts)))]


@pytest.mark.parametrize(
    ("lengths", "says"),
    [
        ([5, 4], "sum to 9, but the dataset has 10"),
        ([0.5, 0.4], "these sum to 0.9"),
        ([11, -1], "0 or more"),
        ([], "0 or more"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(lengths, says):
    with pytest.raises(ValueError, match=says):
        random_split(range(10), lengths)


# -- default_collate ------------------------------------------------------------------------------------


class Pair(NamedTuple):
    x: object
    y: object


@pytest.mark.parametrize(
    ("samples", "dtype", "values"),
    [
        ([1, 2], np.int64, [1, 2]),
        ([1.5, 2.5], np.float64, [1.5, 2.5]),
        ([True, False], np.bool_, [True, False]),
        ([np.float32(1), np.float32(2)], np.float32, [1, 2]),
        ([np.array([1, 2], np.uint8), np.array([3, 4], np.uint8)], np.uint8, [[1, 2], [3, 4]]),
        ([Tensor([1.0]), Tensor([2.0])], np.float64, [[1], [2]]),
        ([np.zeros((1, 2), np.float32)], np.float32, [[[0, 0]]]),
    ],
)
def test_numbers_arrays_and_tensors_get_an_axis_for_samples(samples, dtype, values):
    batch = default_collate(samples)
    assert isinstance(batch, Tensor)
    assert batch.dtype == dtype
    assert batch.data.tolist() == values
    assert not batch.requires_grad


def test_containers_are_joined_part_by_part():
    batch = default_collate([{"x": Pair(1, 2.0), "name": "a"}, {"x": Pair(3, 4.0), "name": "b"}])
    assert isinstance(batch["x"], Pair)
    assert batch["x"].x.data.tolist() == [1, 3]
    assert batch["name"] == ["a", "b"]
    assert isinstance(default_collate([[1, 2]]), list)


@pytest.mark.parametrize(
    ("samples", "error", "says"),
    [
        ([np.zeros(2), np.zeros(3)], ValueError, r"shapes from \(2,\) to \(3,\); pad or crop"),
        ([np.zeros(()), np.zeros(3)], ValueError, r"shapes from \(\) to \(3,\)"),
        ([(1, 2), (1,)], ValueError, "1 to 2 parts"),
        ([None, None], TypeError, "not None; give the loader a collate_fn"),
        ([1.5, None], TypeError, "not None; give"),
        ([(1.5, 2), (3.5, "b")], TypeError, "not 'b'; give"),
        ([{"x": 1}, {"x": 2, "y": 3}], ValueError, r"have different keys \(the first has \['x'\]\)"),
        ([{"x": 1, "y": 3}, {"x": 2}], ValueError, "have different keys"),
        ([], ValueError, "at least one sample"),
        ([1j], TypeError, "not 1j"),
    ],
)
def test_samples_that_do_not_go_together_are_refused(samples, error, says):
    with pytest.raises(error, match=says):
        default_collate(samples)
