"""Samplers, batches of their indices, and datasets that are streams."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim, training
from autodiff.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    generator,
)

NUMBERS = TensorDataset(np.arange(10))


class Count(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))


class Drawn(IterableDataset):
    def __iter__(self):
        draw = generator()
        for _ in range(6):
            yield int(draw.integers(1000))


def batches(loader):
    return [numbers.data.tolist() for (numbers,) in loader]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("chosen", [[3, 1, 2, 1, 9], np.array([3, 1, 2, 1, 9], np.uint8), (3, 1, 2, 1, 9)])
def test_a_sampler_says_the_order(chosen, workers):
    loader = DataLoader(NUMBERS, 2, sampler=chosen, num_workers=workers)
    assert len(loader) == 3
    for _ in range(2):
        assert batches(loader) == [[3, 1], [2, 1], [9]]
    assert batches(DataLoader(NUMBERS, 2, sampler=chosen, drop_last=True)) == [[3, 1], [2, 1]]
    assert batches(DataLoader(NUMBERS, 2, sampler=SequentialSampler(NUMBERS)))[-1] == [8, 9]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_batch_sampler_says_the_batches(workers):
    loader = DataLoader(NUMBERS, batch_sampler=[[1], [2, 3, 4], (5, 6)], num_workers=workers)
    assert len(loader) == 3
    assert batches(loader) == [[1], [2, 3, 4], [5, 6]]
    sampler = BatchSampler(SubsetRandomSampler([4, 5, 6], generator=0), 2, drop_last=True)
    loader = DataLoader(NUMBERS, batch_sampler=sampler)
    assert (len(loader), len(batches(loader)), len(batches(loader)[0])) == (1, 1, 2)


def test_samples_one_by_one_and_a_collate_fn():
    loader = DataLoader("abcdef", 2, sampler=[5, 0, 1], collate_fn="".join)
    assert list(loader) == ["fa", "b"]


def test_an_endless_sampler_is_read_as_far_as_it_is_asked():
    class Endless(Sampler):
        def __iter__(self):
            return itertools.cycle([0, 1, 2])

    loader = DataLoader(NUMBERS, 2, sampler=Endless())
    first = [numbers.data.tolist() for (numbers,) in itertools.islice(loader, 3)]
    assert first == [[0, 1], [2, 0], [1, 2]]
    with pytest.raises(TypeError, match="no length: its Endless has none"):
        len(loader)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"sampler": [0], "shuffle": True}, ValueError, "give sampler or shuffle, not both"),
        (
            {"batch_sampler": [[0]], "batch_size": 2},
            ValueError,
            "batch_size cannot be used with a batch_sampler",
        ),
        (
            {"batch_sampler": [[0]], "shuffle": True},
            ValueError,
            "shuffle cannot be used with a batch_sampler",
        ),
        ({"batch_sampler": [[0]], "sampler": [0]}, ValueError, "sampler cannot be used with a batch_sampler"),
        (
            {"batch_sampler": [[0]], "drop_last": True},
            ValueError,
            "drop_last cannot be used with a batch_sampler",
        ),
        ({"sampler": iter([0])}, TypeError, "iterated over in every epoch"),
        ({"batch_sampler": 3}, TypeError, "a batch_sampler is iterated over"),
        ({"dataset": Count(3), "shuffle": True}, ValueError, "shuffle cannot be used"),
        ({"dataset": Count(3), "sampler": [0]}, ValueError, "sampler cannot be used"),
        ({"dataset": Count(3), "batch_sampler": [[0]]}, ValueError, "batch_sampler cannot be used"),
        (
            {"dataset": Count(3), "num_workers": 2},
            ValueError,
            "num_workers cannot be used with an IterableDataset",
        ),
    ],
)
def test_options_that_exclude_each_other(options, error, says):
    with pytest.raises(error, match=says):
        DataLoader(**{"dataset": NUMBERS, **options})


@pytest.mark.parametrize("wrong", [{"sampler": ["a"]}, {"sampler": [0.5]}, {"batch_sampler": [[[0]]]}])
def test_a_sampler_gives_integers(wrong):
    with pytest.raises(TypeError, match="a sampler must yield integers"):
        list(DataLoader(NUMBERS, **wrong))
    with pytest.raises(TypeError, match="lists of indices, not 0"):
        list(DataLoader(NUMBERS, batch_sampler=[0]))
    with pytest.raises(IndexError):
        list(DataLoader(NUMBERS, sampler=[10]))


KINDS = {
    "list": list, "tuple": tuple, "set": set, "dict": dict.fromkeys, "iterator": iter, "array": np.array,
    "bytes": lambda batch: np.array(batch, np.uint8), "map": lambda batch: map(int, batch),
    "range": lambda batch: range(batch[0], batch[-1] + 1), "generator": lambda batch: (i for i in batch),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expected", [[[0, 1, 2], [3, 4]], [[5]]])
def test_a_batch_is_any_iterable_of_indices(kind, expected):
    class Batches:
        def __iter__(self):
            return map(KINDS[kind], expected)

    loader = DataLoader(NUMBERS, batch_sampler=Batches())
    assert batches(loader) == batches(loader) == expected


# -- the samplers ---------------------------------------------------------------------------------------


def test_every_index_in_random_order():
    sampler = RandomSampler(NUMBERS, generator=0)
    first, second = list(sampler), list(sampler)
    assert len(sampler) == 10
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second
    assert first == list(RandomSampler(NUMBERS, generator=0))
    assert {type(index) for index in first} == {int}
    ad.seed(0)
    third = list(RandomSampler(NUMBERS))
    ad.seed(0)
    assert list(RandomSampler(NUMBERS)) == third


def test_more_or_fewer_indices():
    assert len(list(RandomSampler(NUMBERS, num_samples=3))) == len(RandomSampler(NUMBERS, num_samples=3)) == 3
    many = list(RandomSampler(NUMBERS, num_samples=25))
    assert sorted(many[:10]) == sorted(many[10:20]) == list(range(10))
    assert len(set(many[20:])) == 5
    assert list(RandomSampler([])) == []
    with pytest.raises(ValueError, match="cannot draw 3 samples from an empty dataset"):
        list(RandomSampler([], num_samples=3))


def test_with_replacement_each_index_is_drawn_alike():
    drawn = np.array(list(RandomSampler(NUMBERS, replacement=True, num_samples=20000, generator=0)))
    np.testing.assert_allclose(np.bincount(drawn, minlength=10), 2000, rtol=0.1)


def test_a_subset_in_random_order():
    sampler = SubsetRandomSampler([7, 2, 2, 5], generator=1)
    assert (sorted(sampler), len(sampler)) == ([2, 2, 5, 7], 4)
    assert sorted(SubsetRandomSampler(Subset(NUMBERS, [1, 3]).indices)) == [1, 3]


def test_indices_are_drawn_by_weight():
    weights = [1.0, 0.0, 3.0, 4.0]
    drawn = np.array(list(WeightedRandomSampler(weights, 20000, generator=0)))
    np.testing.assert_allclose(np.bincount(drawn) / 20000, np.array(weights) / 8, atol=0.01)
    few = list(WeightedRandomSampler(Tensor(weights), 3, replacement=False, generator=0))
    assert sorted(few) == [0, 2, 3]
    assert set(WeightedRandomSampler(np.array([1e308, 1e308]), 50, generator=0)) == {0, 1}


@pytest.mark.parametrize(
    ("args", "error", "says"),
    [
        (([1.0, -1.0], 2), ValueError, "at least 0"),
        (([0.0, 0.0], 2), ValueError, "not all 0"),
        (([], 2), ValueError, "not all 0"),
        (([np.inf, 1.0], 2), ValueError, "finite"),
        (([[1.0]], 2), TypeError, "a list of numbers"),
        ((["a"], 2), TypeError, "a list of numbers"),
        (([1.0], 0), ValueError, "num_samples must be at least 1"),
        (([1.0, 0.0], 2, False), ValueError, "1 have a weight above 0"),
    ],
)
def test_weights_that_make_no_sense(args, error, says):
    with pytest.raises(error, match=says):
        WeightedRandomSampler(*args)


@pytest.mark.parametrize(
    "made",
    [
        lambda: RandomSampler([1], num_samples=0),
        lambda: BatchSampler([1], 0),
        lambda: RandomSampler([1], generator="x"),
    ],
)
def test_options_of_samplers(made):
    with pytest.raises((ValueError, TypeError), match=r"at least 1|Generator or a seed"):
        made()


# -- streams and sums -----------------------------------------------------------------------------------


def test_a_stream_in_batches():
    loader = DataLoader(Count(5), 2)
    for _ in range(2):
        assert [batch.data.tolist() for batch in loader] == [[0, 1], [2, 3], [4]]
    assert [batch.data.tolist() for batch in DataLoader(Count(5), 2, drop_last=True)] == [[0, 1], [2, 3]]
    assert list(DataLoader(Count(3), 2, collate_fn=list)) == [[0, 1], [2]]
    assert list(DataLoader(Count(0))) == []
    with pytest.raises(TypeError, match="no length: its Count has none"):
        len(loader)


def test_an_endless_stream_is_read_as_far_as_it_is_asked():
    class Endless(IterableDataset):
        def __iter__(self):
            return itertools.count()

    assert next(iter(DataLoader(Endless(), 3))).data.tolist() == [0, 1, 2]


def test_a_stream_draws_from_the_loader_s_generator():
    first, second = (DataLoader(Drawn(), 4, generator=3) for _ in range(2))
    numbers = [batch.data.tolist() for batch in first]
    assert numbers == [batch.data.tolist() for batch in second]
    assert numbers != [batch.data.tolist() for batch in first]  # the next epoch


def test_fit_on_a_stream():
    class Points(IterableDataset):
        def __iter__(self):
            return ((np.float32([x]), np.float32([3 * x])) for x in (0.0, 1.0, 2.0))

    net = nn.Linear(1, 1, generator=0)
    model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.1))
    model.fit(DataLoader(Points(), 2), 100, verbose=False)
    assert net.weight.item() == pytest.approx(3, abs=0.01)


def test_datasets_are_added():
    both = TensorDataset([1, 2]) + TensorDataset([3])
    assert isinstance(both, ConcatDataset)
    assert [number.item() for (number,) in both] == [1, 2, 3]
    assert len(both + "ab") == 5


def test_an_abstract_class_is_not_made():
    for kind in (Sampler, IterableDataset, Dataset):
        with pytest.raises(TypeError, match="abstract"):
            kind()


def test_names_and_defaults_are_torch_s():
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    import inspect

    for ours in (
        RandomSampler,
        SequentialSampler,
        SubsetRandomSampler,
        WeightedRandomSampler,
        Subset,
        DataLoader,
    ):
        theirs = inspect.signature(getattr(torch.utils.data, ours.__name__).__init__).parameters
        for name, parameter in inspect.signature(ours).parameters.items():
            assert name in theirs
            if name not in ("shuffle", "prefetch_factor"):  # None there, for False and for 2
                assert parameter.default == theirs[name].default
