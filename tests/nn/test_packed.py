"""Sequences of unequal length: padded and packed, and back."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.nn.packed import (
    PackedSequence,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpack_sequence,
    unpad_sequence,
)
from tests.nn.helpers import random

LENGTHS = [2, 4, 1, 4]
PARTS = [random(length, 3, seed=place) for place, length in enumerate(LENGTHS)]


def test_the_room_is_where_pytorch_has_it():
    import autodiff.nn.utils.rnn as room

    assert room is nn.utils.rnn
    assert room.PackedSequence is PackedSequence
    theirs = pytest.importorskip("torch").nn.utils.rnn.__all__
    assert {*room.__all__} == {*theirs} - {"invert_permutation"}


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("side", ["right", "left"])
def test_padding(batch_first, side):
    padded = pad_sequence(PARTS, batch_first, padding_value=-1.0, padding_side=side)
    assert padded.shape == (4, 4, 3)
    rows = padded if batch_first else padded.swapaxes(0, 1)
    for row, part in zip(rows, PARTS, strict=True):
        inside = row[: len(part)] if side == "right" else row[4 - len(part) :]
        outside = row[len(part) :] if side == "right" else row[: 4 - len(part)]
        np.testing.assert_array_equal(inside, part)
        assert (outside == -1).all()


@pytest.mark.parametrize("batch_first", [False, True])
def test_there_and_back(batch_first):
    packed = pack_sequence(PARTS, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [4, 3, 2, 2]
    assert packed.sorted_indices.tolist() == [1, 3, 0, 2]
    np.testing.assert_array_equal(packed.data[:4], [PARTS[place][0] for place in (1, 3, 0, 2)])
    padded, lengths = pad_packed_sequence(packed, batch_first, padding_value=np.inf, total_length=6)
    assert padded.shape == ((4, 6, 3) if batch_first else (6, 4, 3))
    assert lengths.tolist() == LENGTHS
    for found, again, part in zip(
        unpad_sequence(padded, lengths, batch_first), unpack_sequence(packed), PARTS, strict=True
    ):
        np.testing.assert_array_equal(found, part)
        np.testing.assert_array_equal(again, part)
    rows = padded if batch_first else padded.swapaxes(0, 1)
    assert np.isinf(rows[2, 1:]).all()


def test_sorted_sequences_stay_in_their_order():
    packed = pack_padded_sequence(np.arange(6).reshape(3, 2), [3, 1])
    assert packed.sorted_indices is None
    assert packed.unsorted_indices is None
    assert packed.data.tolist() == [0, 1, 2, 4]
    assert packed.data.dtype.kind == "i"
    assert pad_packed_sequence(packed)[0].tolist() == [[0, 1], [2, 0], [4, 0]]


def test_the_order_back_may_be_left_out():
    packed = pack_sequence(PARTS, enforce_sorted=False)._replace(unsorted_indices=None)
    for found, part in zip(unpack_sequence(packed), PARTS, strict=True):
        np.testing.assert_array_equal(found, part)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes_stay(dtype):
    parts = [part.astype(dtype) for part in PARTS]
    packed = pack_sequence(parts, enforce_sorted=False)
    assert packed.data.dtype == dtype
    assert pad_packed_sequence(packed, padding_value=2.5)[0].dtype == dtype
    assert pad_sequence(parts, padding_value=1.0).dtype == dtype


def test_gradients_reach_the_elements_and_no_padding():
    leaves = [Tensor(part) for part in PARTS]
    weights = random(4, 5, 3, seed=9)

    def end(*parts):
        packed = pack_sequence(parts, enforce_sorted=False)
        padded, _ = pad_packed_sequence(packed, batch_first=True, padding_value=7.0, total_length=5)
        return (padded * weights).sum()

    end(*leaves).backward()
    for leaf, weight in zip(leaves, weights, strict=True):
        np.testing.assert_allclose(leaf.grad.data, weight[: len(leaf)])
    assert ad.gradcheck(lambda *parts: end(*parts) ** 2, *PARTS)
    padded = Tensor(random(4, 4, 3))
    pack_padded_sequence(padded, LENGTHS, enforce_sorted=False).data.sum().backward()
    assert padded.grad.data[:, :, 0].T.tolist() == [[1.0] * n + [0.0] * (4 - n) for n in LENGTHS]


def test_a_packed_batch_of_words_goes_through_an_embedding():
    """As networks for text do: the numbers of the words are packed, then looked up."""
    table = nn.Embedding(10, 3, generator=0)
    packed = pack_sequence([[1, 2, 3], [4]])
    output, last = nn.GRU(3, 2, generator=0)(packed._replace(data=table(packed.data)))
    assert output.data.shape == (4, 2)
    last.sum().backward()
    assert np.flatnonzero(table.weight.grad.data.any(axis=1)).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: pack_sequence([[1], [2, 3]]),
            r"in descending order, not \[1, 2\]; give enforce_sorted",
        ),
        (
            lambda: pack_padded_sequence(np.zeros((3, 2)), [3]),
            "lengths of 2 sequences must be 2 whole numbers",
        ),
        (lambda: pack_padded_sequence(np.zeros((3, 2)), [3, 1.5]), "must be 2 whole numbers, not"),
        (
            lambda: pack_padded_sequence(np.zeros((3, 2)), [3, 0]),
            r"between 1 and the number of steps, 3, not \[3, 0\]",
        ),
        (
            lambda: pack_padded_sequence(np.zeros((3, 2)), [4, 1]),
            r"between 1 and the number of steps, 3, not \[4, 1\]",
        ),
        (lambda: pack_padded_sequence(np.zeros(3), [3]), "takes an axis of steps and one of batch"),
        (lambda: pad_packed_sequence(pack_sequence(PARTS[:1]), total_length=1), "the longest sequence has 2"),
        (lambda: pad_sequence([]), "pad_sequence needs at least one sequence"),
        (lambda: pack_sequence([np.zeros((2, 3)), np.zeros((2, 4))]), "differ only in the first axis"),
        (lambda: pad_sequence([1.0, 2.0]), "differ only in the first axis"),
        (lambda: pad_sequence(PARTS, padding_side="top"), "must be 'left' or 'right', not 'top'"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_is_not_packed_is_refused():
    with pytest.raises(TypeError, match=r"takes a PackedSequence \(pack_sequence makes one\), not"):
        pad_packed_sequence(np.zeros((3, 2)))


@pytest.mark.parametrize("batch_first", [False, True])
def test_the_same_as_pytorch(batch_first):
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    theirs = torch.nn.utils.rnn
    tensors = [torch.tensor(part) for part in PARTS]
    for side in ("left", "right"):
        options = {"batch_first": batch_first, "padding_value": 3.0, "padding_side": side}
        np.testing.assert_array_equal(pad_sequence(PARTS, **options), theirs.pad_sequence(tensors, **options))
    ordered, ordered_tensors = sorted(PARTS, key=len, reverse=True), sorted(tensors, key=len, reverse=True)
    packed, expected = pack_sequence(ordered), theirs.pack_sequence(ordered_tensors)
    np.testing.assert_array_equal(packed.data, expected.data)
    np.testing.assert_array_equal(packed.batch_sizes, expected.batch_sizes)
    padded, lengths = pad_packed_sequence(packed, batch_first, -1.0, 7)
    their_padded, their_lengths = theirs.pad_packed_sequence(expected, batch_first, -1.0, 7)
    np.testing.assert_array_equal(padded, their_padded)
    np.testing.assert_array_equal(lengths, their_lengths)
