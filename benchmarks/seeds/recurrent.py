"""Recurrent networks that must learn.

- **lstm**: an LSTM of 128 reads an MNIST picture row by row, and a linear layer its last state. 800 steps of
  Adam(1e-3), batches of 128, after tinynn's example; the test accuracy must be above .95.
- **rnn30**, **lstm30**: the same with 30, for ten epochs. Nothing is demanded of them.
- **gru**: a GRU of 128 writes first names letter by letter. Names are packed, so nothing is computed on
  padding. The validation loss per letter (the end of a name counts as one) must fall below 2.1 nats within
  ten minutes; some names are printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import data, nn, optim
from autodiff.nn.packed import PackedSequence, pack_sequence

from ..measure import Row, by_seed, clock
from . import mnist
from .text import NAMES

Pictures = tuple[np.ndarray, np.ndarray]  # of shape (count, 28, 28), and their labels
END = "."  # before the first letter and after the last


class Reader(nn.Module):
    """A recurrent layer over the rows of a picture, and a linear layer on its last state."""

    def __init__(self, kind: type[nn.RNNBase] = nn.LSTM, hidden: int = 128) -> None:
        self.layer = kind(28, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 10)

    def forward(self, pictures: Any) -> Any:
        return self.head(self.layer(pictures)[0][:, -1])


def rows_of_pictures(quick: bool) -> tuple[Pictures, Pictures]:
    """The pictures for training and for the test, without the axis of channels, and their labels."""
    both = []
    for part in mnist.pictures(quick, data.ToTensor()):
        x, y = part.batch(range(len(part)))
        both.append((x.numpy()[:, 0], y.numpy()))
    return both[0], both[1]


def read_pictures(
    train: Pictures,
    test: Pictures,
    steps: int = 800,
    hidden: int = 128,
    kind: type[nn.RNNBase] = nn.LSTM,
    seed: int = 0,
) -> float:
    """The test accuracy after so many steps on batches of 128."""
    ad.seed(seed)
    net = Reader(kind, hidden)
    optimizer = optim.Adam(net.parameters(), lr=1e-3)
    batches = batches_for_ever(len(train[0]), 128, seed)
    for _ in range(steps):
        chosen = next(batches)
        loss = nn.cross_entropy(net(train[0][chosen]), train[1][chosen])
        optimizer.zero_grad()
        loss.backward(release=True)
        optimizer.step()
    with ad.no_grad():
        answers = [net(part).numpy().argmax(axis=1) for part in np.array_split(test[0], 10)]
    return float((np.concatenate(answers) == test[1]).mean())


class Writer(nn.Module):
    """A GRU over letters; for each it says how likely every letter is to follow."""

    def __init__(self, letters: int, wide: int = 32, hidden: int = 128) -> None:
        self.letters = nn.Embedding(letters, wide)
        self.gru = nn.GRU(wide, hidden)
        self.head = nn.Linear(hidden, letters)

    def forward(self, written: Any, state: Any = None) -> tuple[Any, Any]:
        """Packed letters, or letters of shape (steps, batch), become logits and the last state."""
        is_packed = isinstance(written, PackedSequence)
        x = self.letters(written.data if is_packed else written)
        output, state = self.gru(written._replace(data=x) if is_packed else x, state)
        return self.head(output.data if is_packed else output), state


def packed(vocabulary: data.Vocabulary, names: Sequence[str]) -> tuple[PackedSequence, np.ndarray]:
    """Names as packed letters, and for each letter the next."""
    numbers = [vocabulary.encode(END + name + END) for name in sorted(names, key=len, reverse=True)]
    return pack_sequence([n[:-1] for n in numbers]), pack_sequence([n[1:] for n in numbers]).data


def nats_per_letter(net: Writer, vocabulary: data.Vocabulary, names: Sequence[str]) -> float:
    with ad.no_grad():
        written, following = packed(vocabulary, names)
        return float(nn.cross_entropy(net(written)[0], following))


def write_names(
    train: Sequence[str], valid: Sequence[str], steps: int = 4000, seed: int = 0
) -> tuple[float, Writer, data.Vocabulary]:
    """Validation loss per letter after so many steps on batches of 128, printed along the way; the network
    and its letters."""
    ad.seed(seed)
    vocabulary = data.Vocabulary(train, specials=[END], unknown=None)
    net = Writer(len(vocabulary))
    optimizer = optim.AdamW(net.parameters(), lr=4e-3, weight_decay=0.01)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    batches = batches_for_ever(len(train), 128, seed)
    for step in range(steps):
        written, following = packed(vocabulary, [train[place] for place in next(batches)])
        loss = nn.cross_entropy(net(written)[0], following)
        optimizer.zero_grad()
        loss.backward(release=True)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 500 == 499:
            print(f"  step {step + 1}: {nats_per_letter(net, vocabulary, valid):.4f} nats", flush=True)
    return nats_per_letter(net, vocabulary, valid), net, vocabulary


def sample(net: Writer, vocabulary: data.Vocabulary, count: int, seed: int = 0) -> list[str]:
    """Names that the network writes, at most 20 letters each."""
    rng = np.random.default_rng(seed)
    letters, state = np.full((1, count), vocabulary[END]), None
    lines = []
    with ad.no_grad():
        for _ in range(20):
            logits, state = net(letters, state)
            chances = ad.softmax(logits[0], axis=-1).numpy().astype(float).cumsum(axis=1)
            letters = (chances < rng.random((count, 1)) * chances[:, -1:]).sum(axis=1)[None]
            lines.append(vocabulary.decode(letters))
    return ["".join(name).partition(END)[0] for name in zip(*lines)]


def batches_for_ever(count: int, size: int, seed: int) -> Any:
    """Places in batches, shuffled anew each time that all have been seen; the rest is left out."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(count)
        yield from np.split(order[: count - count % size], count // size) if count >= size else [order]


def train_reader(
    kind: type[nn.RNNBase], hidden: int, steps: int, goal: str, quick: bool, seeds: int
) -> list[Row]:
    train, test = rows_of_pictures(quick)
    accuracies, seconds = [], []
    for seed in range(seeds):
        start = clock()
        accuracies.append(
            100 * read_pictures(train, test, min(steps, 5) if quick else steps, hidden, kind, seed)
        )
        seconds.append(clock() - start)
    what = f"{kind.__name__} of {hidden} reads MNIST row by row, {steps:,} steps"
    return [
        Row(f"{what}: test accuracy", goal, accuracies, "%", by_seed(accuracies)),
        Row(f"{what}: time", "", seconds, "s"),
    ]


def train_writer(quick: bool, seeds: int) -> list[Row]:
    train, valid, _ = (NAMES, NAMES, ()) if quick else data.split_names(data.names(), generator=0)
    losses, seconds = [], []
    for seed in range(seeds):
        start = clock()
        nats, net, vocabulary = write_names(train, valid, 5 if quick else 4_000, seed)
        losses.append(nats)
        seconds.append(clock() - start)
        print("names:", " ".join(sample(net, vocabulary, 12)), flush=True)
    what = "GRU of 128 writes names, 4,000 steps"
    return [
        Row(f"{what}: loss per letter of unseen names", "at most 2.1", losses, "nats", by_seed(losses)),
        Row(f"{what}: time", "at most 600", seconds, "s"),
    ]


TRAININGS = {
    "lstm": partial(train_reader, nn.LSTM, 128, 800, "at least 95"),
    "rnn30": partial(train_reader, nn.RNN, 30, 4_680, ""),
    "lstm30": partial(train_reader, nn.LSTM, 30, 4_680, ""),
    "gru": train_writer,
}
