"""DataLoader: batches, their order in every epoch, and the threads that load them ahead."""

from __future__ import annotations

import threading
import time
import traceback

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, no_grad, scope
from autodiff.data import (
    BatchIterator,
    Compose,
    DataLoader,
    Dataset,
    RandomCrop,
    RandomHorizontalFlip,
    TensorDataset,
    generator,
)


class Squares(Dataset):
    """i and its square; what is asked for is written down."""

    def __init__(self, n):
        self.n = n
        self.asked = []

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        self.asked.append(index)
        return float(index), index**2


def plain(loader):
    """What a loop gives, as lists."""
    return [[part.data.tolist() for part in batch] for batch in loader]


def order(loader):
    return [int(number) for (numbers,) in loader for number in numbers.data]


# -- batches --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("n", "size", "drop", "sizes"),
    [
        (7, 3, False, [3, 3, 1]),
        (7, 3, True, [3, 3]),
        (6, 3, False, [3, 3]),
        (6, 3, True, [3, 3]),
        (2, 5, False, [2]),
        (2, 5, True, []),
        (3, 1, False, [1, 1, 1]),
        (0, 4, False, []),
    ],
)
def test_batches_have_their_sizes_and_an_axis_for_samples(n, size, drop, sizes, whole, workers):
    dataset = TensorDataset(np.zeros((n, 2)), np.arange(n)) if whole else Squares(n)
    loader = DataLoader(dataset, size, drop_last=drop, num_workers=workers)
    batches = list(loader)
    assert len(loader) == len(sizes) == len(batches)
    for (x, y), length in zip(batches, sizes):
        assert x.shape == ((length, 2) if whole else (length,))
        assert y.shape == (length,)
        assert y.dtype.kind == "i"
        assert not x.requires_grad
        assert not y.requires_grad


def test_lists_and_other_things_with_an_index_will_do():
    assert [batch.data.tolist() for batch in DataLoader([1.5, 2.5, 3.5], 2)] == [[1.5, 2.5], [3.5]]
    assert list(DataLoader("abc", 2)) == [["a", "b"], ["c"]]


@pytest.mark.parametrize("workers", [0, 2])
def test_collate_fn_gets_the_samples(workers):
    loader = DataLoader(Squares(5), 2, collate_fn=list, num_workers=workers)
    assert list(loader) == [[(0.0, 0), (1.0, 1)], [(2.0, 4), (3.0, 9)], [(4.0, 16)]]


def test_samples_are_asked_for_by_plain_numbers_and_only_when_needed():
    dataset = Squares(100)
    next(iter(DataLoader(dataset, 3, shuffle=True)))
    assert len(dataset.asked) == 3
    assert {type(index) for index in dataset.asked} == {int}


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1, not 0"),
        ({"batch_size": 2.0}, TypeError, "batch_size must be a whole number, not 2.0"),
        ({"batch_size": True}, TypeError, "batch_size must be a whole number"),
        ({"num_workers": -1}, ValueError, "num_workers must be at least 0"),
        ({"prefetch_factor": 0}, ValueError, "prefetch_factor must be at least 1"),
        ({"generator": "chance"}, TypeError, "Generator or a seed"),
        ({"dataset": iter([1, 2])}, TypeError, "a length and an index, not list_iterator"),
    ],
)
def test_options_that_make_no_sense_are_refused_at_once(options, error, says):
    with pytest.raises(error, match=says):
        DataLoader(**{"dataset": [1, 2], **options})


def test_losses_work_on_batches():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(10, 4)).astype(np.float32), rng.integers(0, 3, 10)
    weight = Tensor(rng.normal(size=(4, 3)).astype(np.float32))
    for inputs, labels in DataLoader(TensorDataset(x, y), 4, shuffle=True, generator=0):
        weight.zero_grad()
        logits = inputs @ weight
        rows = np.arange(len(labels))
        loss = -ad.log_softmax(logits)[rows, labels].mean()
        loss.backward()
        picked = ad.take_along_axis(ad.log_softmax(logits), indices=labels.data[:, None])
        assert picked.mean().item() == pytest.approx(-loss.item(), rel=1e-6)
        p = np.exp(ad.log_softmax(logits).data)
        p[rows, labels.data] -= 1
        np.testing.assert_allclose(weight.grad.data, inputs.data.T @ p / len(labels), rtol=1e-5, atol=1e-6)
        assert weight.grad.dtype == np.float32
        assert inputs.grad is labels.grad is None
        assert (labels == logits.data.argmax(axis=1)).dtype == bool


# -- order ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("seed", [lambda: 5, lambda: np.random.default_rng(5)], ids=["number", "generator"])
def test_every_epoch_shuffles_anew_and_the_same_seed_gives_the_same_run(seed, workers):
    dataset = TensorDataset(np.arange(50))

    def run(**options):
        loader = DataLoader(dataset, 8, shuffle=True, num_workers=workers, **options)
        return [order(loader) for _ in range(3)]

    first = run(generator=seed())
    assert all(sorted(epoch) == list(range(50)) for epoch in first)
    assert len({tuple(epoch) for epoch in [*first, list(range(50))]}) == 4
    assert run(generator=seed()) == first
    assert run(generator=6) != first


def test_without_a_generator_the_package_s_seed_decides():
    loader = DataLoader(TensorDataset(np.arange(50)), 8, shuffle=True)
    ad.seed(0)
    first = [order(loader), order(loader)]
    assert first[0] != first[1]
    ad.seed(0)
    assert [order(loader), order(loader)] == first


def test_without_shuffling_no_random_number_is_drawn():
    ad.seed(0)
    expected = ad.seeding.generator().random()
    ad.seed(0)
    assert order(DataLoader(TensorDataset(np.arange(9)), 4)) == list(range(9))
    assert ad.seeding.generator().random() == expected


def test_two_loops_at_once_do_not_disturb_each_other():
    loader = DataLoader(TensorDataset(np.arange(20)), 4, shuffle=True, generator=0)
    pairs = list(zip(loader, loader))
    for side in range(2):
        assert sorted(order(pair[side] for pair in pairs)) == list(range(20))


@pytest.mark.parametrize("whole", [True, False])
def test_inputs_and_labels_stay_together(whole):
    numbers = np.arange(30)
    dataset = TensorDataset(numbers.astype(float), numbers**2) if whole else Squares(30)
    for x, y in DataLoader(dataset, 7, shuffle=True):
        np.testing.assert_array_equal(x.data**2, y.data)


# -- threads --------------------------------------------------------------------------------------------


def workers():
    return [thread for thread in threading.enumerate() if thread.name.startswith("DataLoader")]


class Uneven(Squares):
    """The first samples take longest: done out of order, if at once."""

    def __getitem__(self, index):
        time.sleep(0.02 if index < 4 else 0)
        return super().__getitem__(index)


def test_threads_keep_the_order_and_work_at_once():
    dataset = Uneven(12)
    assert plain(DataLoader(dataset, 2, num_workers=4)) == plain(DataLoader(Squares(12), 2))
    assert sorted(dataset.asked) == list(range(12)) != dataset.asked
    assert not workers()


def test_so_many_batches_are_loaded_ahead_and_no_more():
    dataset = Squares(100)
    loop = iter(DataLoader(dataset, 1, num_workers=2, prefetch_factor=3))
    assert not dataset.asked  # nothing before the first is wanted
    next(loop)
    for _ in range(200):
        if len(dataset.asked) == 7:
            break
        time.sleep(0.01)
    time.sleep(0.05)
    assert sorted(dataset.asked) == list(range(7))
    loop.close()


def test_what_was_to_be_loaded_ahead_is_dropped_when_the_loop_is_left():
    dataset = Uneven(40)
    loop = iter(DataLoader(dataset, 1, num_workers=1, prefetch_factor=30))
    next(loop)
    loop.close()
    assert len(dataset.asked) < 10


class Faulty(Squares):
    def __getitem__(self, index):
        if index == 5:
            raise KeyError("sample five")
        return super().__getitem__(index)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_an_exception_comes_in_its_place_with_its_own_traceback(number):
    loop = iter(DataLoader(Faulty(9), 2, num_workers=number))
    assert [next(loop)[1].data.tolist() for _ in range(2)] == [[0, 1], [4, 9]]
    with pytest.raises(KeyError, match="sample five") as caught:
        next(loop)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].name == "__getitem__"
    assert frames[-1].line == 'raise KeyError("sample five")'
    assert not workers()


@pytest.mark.parametrize("number", [0, 2])
def test_a_stop_iteration_does_not_end_the_loop_without_a_word(number):
    class Exhausted(Squares):
        def __getitem__(self, index):
            return next(iter(()))

    with pytest.raises(RuntimeError, match="StopIteration"):
        list(DataLoader(Exhausted(3), num_workers=number))


def left_by_break(loader):
    for _ in loader:
        break


def left_by_return(loader):
    for _ in loader:
        return


def left_by_an_exception(loader):
    def loop():
        for _ in loader:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        loop()


def never_begun(loader):
    iter(loader)


def run_to_its_end(loader):
    list(loader)


def forgotten(loader):
    loop = iter(loader)
    next(loop)
    del loop


@pytest.mark.parametrize(
    "leave", [left_by_break, left_by_return, left_by_an_exception, never_begun, run_to_its_end, forgotten]
)
def test_no_thread_is_left_over(leave):
    dataset = Uneven(40)
    leave(DataLoader(dataset, 2, num_workers=3))
    assert not workers()
    asked = len(dataset.asked)
    time.sleep(0.03)
    assert len(dataset.asked) == asked


def test_threads_warn_of_numbers_as_the_caller_wants():
    class Logs(Squares):
        def __getitem__(self, index):
            return np.log(np.float64(index))

    with np.errstate(divide="ignore"):
        assert next(iter(DataLoader(Logs(2), 2, num_workers=1))).data[0] == -np.inf
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        next(iter(DataLoader(Logs(2), 2, num_workers=1)))


# -- random transforms in a loader ----------------------------------------------------------------------


class Augmented(Squares):
    """Random crops of one picture; the sleep has threads take turns in an order of their own."""

    picture = np.arange(64.0).reshape(8, 8)

    def __init__(self, n, **options):
        super().__init__(n)
        self.transform = Compose([RandomCrop(5, **options), RandomHorizontalFlip(**options)])

    def __getitem__(self, index):
        time.sleep(0.001 * (index % 3))
        return self.transform(self.picture)


def pictures(workers, loader_generator=None, **options):
    loader = DataLoader(Augmented(24, **options), 4, num_workers=workers, generator=loader_generator)
    return [[batch.data.tolist() for batch in loader] for _ in range(2)]


def test_the_loader_s_seed_decides_with_any_number_of_threads():
    first = pictures(0, 3)
    assert pictures(1, 3) == pictures(4, 3) == first
    assert pictures(0, 4) != first
    batches = [str(batch) for epoch in first for batch in epoch]
    assert len(set(batches)) == len(batches)


@pytest.mark.parametrize("number", [0, 1, 4])
def test_else_the_package_s_seed_decides(number):
    ad.seed(1)
    first = pictures(number)
    assert first[0] != first[1]
    assert pictures(number) != first
    ad.seed(1)
    assert pictures(number) == first


def test_a_transform_s_own_generator_is_the_one_it_draws_from():
    assert pictures(0, 1, generator=5) == pictures(0, 2, generator=5) == pictures(1, 3, generator=5)
    rng = np.random.default_rng(0)
    assert generator(rng) is rng
    assert generator() is ad.seeding.generator()


# -- tinynn's name --------------------------------------------------------------------------------------


def test_batch_iterator_is_called_on_arrays_and_shuffles_per_call():
    x, y = np.arange(20.0)[:, None], np.arange(20)
    iterator = BatchIterator(batch_size=8, generator=0)
    epochs = []
    for _ in range(2):
        batches = list(iterator(x, y))
        assert [batch.inputs.shape for batch in batches] == [(8, 1), (8, 1), (4, 1)]
        epochs.append([int(label) for batch in batches for label in batch.targets.data])
        assert [int(v) for batch in batches for v in batch.inputs.data[:, 0]] == epochs[-1]
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(20))
    assert epochs[0] != epochs[1]
    inputs, targets = next(iter(BatchIterator(3, shuffle=False)(x, y)))
    assert targets.data.tolist() == [0, 1, 2]
    assert inputs.shape == (3, 1)


class WithoutRecording(Dataset):
    """Says whether a product was recorded; in the second sample it stays in no_grad until it is let go."""

    def __init__(self):
        self.inside, self.leave = threading.Event(), threading.Event()

    def __len__(self):
        return 2

    def __getitem__(self, index):
        with no_grad(), scope("a sample"):
            if index == 1:
                self.inside.set()
                self.leave.wait(10)
            return (Tensor(2) * 3).requires_grad


def test_a_thread_switches_recording_off_for_itself_alone():
    dataset = WithoutRecording()
    loop = iter(DataLoader(dataset, 1, num_workers=1))
    first = next(loop)
    assert dataset.inside.wait(10)
    y = Tensor(2) * 3
    assert y.requires_grad
    assert y.scope == ()
    dataset.leave.set()
    (second,) = loop
    assert [first.data.tolist(), second.data.tolist()] == [[False], [False]]
    assert (Tensor(2) * 3).requires_grad


@pytest.mark.parametrize("given", [None, 7], ids=["package", "own"])
@pytest.mark.parametrize("loader_seed", [None, 3], ids=["no seed", "a seed"])
def test_batches_are_the_same_in_every_run_with_threads(given, loader_seed):
    class Drawing(ad.data.Dataset):
        def __init__(self):
            self.flip = ad.data.transforms.RandomHorizontalFlip(generator=given)
            self.crop = ad.data.transforms.RandomCrop(3, padding=1, generator=given)

        def __len__(self):
            return 24

        def __getitem__(self, index):
            picture = np.arange(9.0).reshape(3, 3) + 10 * index
            time.sleep(1e-4 * (index % 3))
            return self.crop(self.flip(picture)) + ad.rand(3, 3).data

    def epochs(workers):
        ad.seed(0)
        loader = ad.data.DataLoader(Drawing(), 4, shuffle=True, num_workers=workers, generator=loader_seed)
        return np.stack([[batch.data for batch in loader] for _ in range(2)])

    first = epochs(4)
    assert not np.array_equal(first[0], first[1])
    for workers in (4, 1, 2, *([0] if loader_seed is not None else [])):
        np.testing.assert_array_equal(epochs(workers), first)
