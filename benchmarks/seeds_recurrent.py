"""Recurrent networks that must learn, beside published or measured figures.

    AUTODIFF_DATA=folder python -m benchmarks.seeds_recurrent [lstm] [rnn30] [lstm30] [gru] [--quick]

- **lstm**: an LSTM of 128 reads an MNIST picture row by row, and a linear layer its last state. 800 steps of
  Adam(1e-3), batches of 128, after tinynn's example; the test accuracy must be above .95.
- **rnn30**, **lstm30**: the same with 30, for ten epochs. Nothing is demanded of them.
- **gru**: a GRU of 128 writes first names letter by letter. Names are packed, so nothing is computed on
  padding. The validation loss per letter (the end of a name counts as one) must fall below 2.1 nats within
  ten minutes; some names are printed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import data, nn, optim
from autodiff.nn.packed import PackedSequence, pack_sequence

Pictures = tuple[np.ndarray, np.ndarray]  # of shape (count, 28, 28), and their labels
END = "."  # before the first letter and after the last


class Reader(nn.Module):
    """A recurrent layer over the rows of a picture, and a linear layer on its last state."""

    def __init__(self, kind: type[nn.RNNBase] = nn.LSTM, hidden: int = 128) -> None:
        self.layer = kind(28, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 10)

    def forward(self, pictures: Any) -> Any:
        return self.head(self.layer(pictures)[0][:, -1])


def mnist(train: bool) -> Pictures:
    """The pictures from 0 to 1, and their labels."""
    pictures = data.MNIST(train=train, transform=data.ToTensor())
    x, y = pictures.batch(range(len(pictures)))
    return x.numpy().reshape(-1, 28, 28), y.numpy()


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


def lstm(quick: bool) -> None:
    start = time.perf_counter()
    accuracy = read_pictures(mnist(train=True), mnist(train=False), steps=20 if quick else 800)
    seconds = time.perf_counter() - start
    print(f"LSTM 128, MNIST row by row: test accuracy {accuracy:.4f} (above .95), {seconds:.0f} s")


def ten_epochs(kind: type[nn.RNNBase], quick: bool) -> None:
    train, test = mnist(train=True), mnist(train=False)
    start = time.perf_counter()
    steps = 20 if quick else 10 * (len(train[0]) // 128)
    accuracy = read_pictures(train, test, steps, hidden=30, kind=kind)
    seconds = time.perf_counter() - start
    print(f"{kind.__name__} 30, MNIST row by row, ten epochs: test accuracy {accuracy:.4f}, {seconds:.0f} s")


def gru(quick: bool) -> None:
    train, valid, _ = data.split_names(data.names(), generator=0)
    start = time.perf_counter()
    nats, net, vocabulary = write_names(train, valid, steps=100 if quick else 4000)
    seconds = time.perf_counter() - start
    print(f"GRU 128 on names: {nats:.4f} nats a letter on unseen names (below 2.1), {seconds:.0f} s")
    print("  " + " ".join(sample(net, vocabulary, 12)))


def main() -> None:
    runs = {
        "lstm": lstm,
        "rnn30": partial(ten_epochs, nn.RNN),
        "lstm30": partial(ten_epochs, nn.LSTM),
        "gru": gru,
    }
    parser = argparse.ArgumentParser(prog="python -m benchmarks.seeds_recurrent", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"only these, of {', '.join(runs)}")
    parser.add_argument("--quick", action="store_true", help="a few steps: does it run at all?")
    options = parser.parse_args()
    if unknown := set(options.names) - set(runs):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(runs)}")
    for name in options.names or runs:
        runs[name](options.quick)


if __name__ == "__main__":
    main()
