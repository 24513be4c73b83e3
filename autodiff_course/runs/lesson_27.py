"""The full runs of lesson 27: a GPT of 4,192 numbers learns to write names, and one of arrays to write lines
after Shakespeare. Both run on your machine."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff import data

from .shared import Arrays, whole_machine

Attend = Callable[[list[float], list[list[float]], list[list[float]]], list[float]]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
END = 26  # the code before and after each name
STEPS, RATE = 1_000, 0.01
KEPT = (100, STEPS)  # the steps after which the numbers are kept

WIDTH, HEADS, BLOCKS, CONTEXT, STRETCHES = 64, 4, 2, 64, 4
STEPS_ON_PLAYS, RATE_ON_PLAYS = 3_000, 0.004
LINE = "ROMEO:\nWhat light through yonder window breaks?"


def codes_of(name: str) -> list[int]:
    """A name as the numbers of its characters, with the end before and after it."""
    return [END, *map(LETTERS.index, name), END]


def some_names(count: int = STEPS, seed: int = 0) -> list[str]:
    """So many names in a random order. Raises FileNotFoundError if the file is not on this computer."""
    names = data.names(download=False)
    return [names[place] for place in np.random.default_rng(seed).permutation(len(names))[:count]]


# -- the GPT of numbers -------------------------------------------------------------------------------------


def untrained(names: Mapping[str, Any], seed: int = 0) -> Any:
    """A GPT of 4,192 random numbers, on a machine that is given by its names."""
    numbers = 0.08 * np.random.default_rng(seed).normal(size=4192)
    return names["NumberGPT"](map(names["Tensor"], numbers.tolist()))


def put_numbers(arrays: Any, lists: Any) -> None:
    """Give a GPT of arrays with one block the numbers of a GPT of lists."""
    for name in ("letters", "places"):
        getattr(arrays, name).data = np.array(getattr(lists, name))
    (block,) = arrays.blocks
    for owner, name in ((arrays, "last"), (block, "up"), (block, "down")):
        getattr(owner, name).data = np.array(getattr(lists, name)).T
    parts = np.split(np.arange(len(lists.query)), len(block.heads))
    for (*three, out), part in zip(block.heads, parts):
        for way, rows in zip(three, (lists.query, lists.key, lists.value)):
            way.data = np.array(rows)[part].T
        out.data = np.array(lists.out)[:, part].T


def shares_of(attend: Attend, net: Any, codes: Sequence[int]) -> dict[str, list[list[float]]]:
    """Who looks at whom in a GPT of plain numbers: for each head a row for each character, the shares that it
    gives to the characters so far. ``attend`` gives these shares if the values are the rows of the identity:
    their weighted mean is the list of the weights."""
    x = np.array(net.letters)[codes] + np.array(net.places)[: len(codes)]
    for _ in range(2):  # twice, as the net does
        x = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)
    queries, keys = (np.split(x @ np.array(rows).T, 4, axis=1) for rows in (net.query, net.key))
    each, found = np.eye(len(codes)).tolist(), {}
    for number, (query, key) in enumerate(zip(queries, keys), start=1):
        looks = [attend(row, key[: i + 1].tolist(), each[: i + 1]) for i, row in enumerate(query.tolist())]
        found[f"head {number}"] = looks
    return found


def train_on_names(
    names: Mapping[str, Any], net: Any, words: Sequence[str], steps: int = STEPS
) -> Iterator[float]:
    """Take a step on each of these names and yield its loss. The rate falls to 0 in ``steps`` steps."""
    numbers = names["parameters"](net)
    optimizer = names["Optimizer"](
        numbers, lambda grad, memory: names["adam"](grad, memory, 0.85, 0.99), RATE
    )
    for step, word in enumerate(words):
        loss = names["name_loss"](net, codes_of(word))
        names["backward"](loss)
        for number in numbers:
            if number.grad is None:  # of a letter that is not in the name
                number.grad = 0.0
        optimizer.rate = RATE * (1 - step / steps)
        optimizer.step()
        yield float(loss.data)


def run_on_names(names: Mapping[str, Any], seed: int = 0, steps: int = STEPS) -> Arrays:
    """The names, the loss of each step, and the numbers after some steps."""
    words = some_names(steps, seed)
    net, losses = untrained(names, seed), []
    found: Arrays = {"names": np.array(words, "S")}
    for loss in train_on_names(names, net, words, steps):
        losses.append(loss)
        if len(losses) in (*KEPT, steps):
            numbers = [number.data for number in names["parameters"](net)]
            found[f"numbers_{len(losses)}"] = np.array(numbers, np.float32)
        if len(losses) % 100 == 0:
            sys.stdout.write(
                f"{len(losses):5} names: mean loss of the last hundred {np.mean(losses[-100:]):.3f}\n"
            )
            sys.stdout.flush()
    return {**found, "loss": np.array(losses)}


# -- the GPT of arrays --------------------------------------------------------------------------------------


def apart(names: Mapping[str, Any], stretches: int, length: int) -> np.ndarray:
    """A mask for several stretches of text in one array: each place sees its own stretch up to itself."""
    hidden = np.full((stretches * length, stretches * length), -np.inf, np.float32)
    for begin in range(0, stretches * length, length):
        hidden[begin : begin + length, begin : begin + length] = names["mask"](length)
    return hidden


def written(names: Mapping[str, Any], net: Any, begin: str, characters: str, count: int, seed: int) -> str:
    """What a GPT writes after ``begin``: so many characters, drawn one by one at a temperature of 0.7."""
    rng, text = np.random.default_rng(seed), begin
    for _ in range(count):
        seen = np.array([characters.index(each) for each in text[-CONTEXT:]])
        scores = names["no_grad"](net, seen)[-1:].astype(float) / 0.7
        text += characters[rng.choice(len(characters), p=names["softmax"](scores)[0])]
    return text[len(begin) :]


def attention_of(names: Mapping[str, Any], net: Any, seen: np.ndarray) -> np.ndarray:
    """Who looks at whom: for each block and head an array with a row for each character, and its shares."""
    found = []
    x = names["rms_norm"](net.letters.data[seen] + net.places.data[: len(seen)])
    hidden, each = names["mask"](len(seen)), np.eye(len(seen))
    for block in net.blocks:
        h = names["rms_norm"](x)
        ways = [(query.data, key.data) for query, key, _, _ in block.heads]
        found.append([names["attention"](h @ query, h @ key, each, hidden) for query, key in ways])
        x = names["no_grad"](block, x, hidden)
    return np.array(found)


def run_on_plays(names: Mapping[str, Any], seed: int = 0, steps: int = STEPS_ON_PLAYS) -> Arrays:
    """The losses of a training on Shakespeare, what the GPT wrote on the way, and who looks at whom in a
    line."""
    text = data.shakespeare(download=False)
    characters = "".join(sorted(set(text)))
    codes = np.array([characters.index(each) for each in text])
    known, kept_aside = np.split(codes, [len(codes) * 9 // 10])
    rng = np.random.default_rng(seed)
    net = names["GPT"](len(characters), WIDTH, HEADS, BLOCKS, CONTEXT, rng)
    weights = names["parameters"](net)
    for weight in weights:
        weight.data = weight.data.astype(np.float32)  # twice as fast
    optimizer = names["Optimizer"](
        weights, lambda grad, memory: names["adam"](grad, memory, 0.9, 0.99), RATE_ON_PLAYS
    )
    hidden, places = apart(names, STRETCHES, CONTEXT), np.tile(np.arange(CONTEXT), STRETCHES)

    def loss_at(begins: np.ndarray, codes: np.ndarray) -> Any:
        at = (begins[:, None] + np.arange(CONTEXT)).ravel()
        return names["softmax_cross_entropy"](net(codes[at], hidden, places), codes[at + 1])

    losses: list[float] = []
    found: Arrays = {}
    for step in range(steps):
        if step in (0, 100, 500):
            found[f"plays_{step}"] = np.array(written(names, net, "\n", characters, 120, seed))
        loss = loss_at(rng.integers(0, len(known) - CONTEXT, STRETCHES), known)
        names["backward"](loss)
        optimizer.rate = RATE_ON_PLAYS * names["warmup_cosine"](step, steps, 100)
        optimizer.step()
        losses.append(float(loss.data))
        if (step + 1) % 100 == 0:
            sys.stdout.write(
                f"{step + 1:5} steps: mean loss of the last hundred {np.mean(losses[-100:]):.3f}\n"
            )
            sys.stdout.flush()
    begins = np.arange(0, len(kept_aside) - CONTEXT, CONTEXT)
    groups = begins[: len(begins) // STRETCHES * STRETCHES].reshape(-1, STRETCHES)
    aside = [float(names["no_grad"](loss_at, each, kept_aside)) for each in groups[::8]]
    line = np.array([characters.index(each) for each in LINE])
    return {
        **found,
        "plays": np.array(written(names, net, "\n", characters, 700, seed)),
        "plays_weights": np.array(sum(weight.data.size for weight in weights)),
        "plays_loss": np.array([np.mean(part) for part in np.array_split(losses, min(60, steps))]),
        "plays_loss_aside": np.array(np.mean(aside)),
        "line": np.array(LINE),
        "line_shares": np.round(255 * attention_of(names, net, line)).astype(np.uint8),
    }


def run(
    names: Mapping[str, Any] | None = None, seed: int = 0, steps: tuple[int, int] = (STEPS, STEPS_ON_PLAYS)
) -> Arrays:
    """Both trainings on your machine, or where your pieces are not kept, on the reference's.

    Returns
    -------
    dict of arrays
        ``names``, the names in the order of the steps, as bytes; ``loss`` of each step; ``numbers_100`` and
        ``numbers_1000``, the 4,192 numbers after so many steps. ``plays_0``, ``plays_100``, ``plays_500`` and
        ``plays``: what the GPT of arrays wrote after so many steps, and at the end; ``plays_weights``, how
        many numbers it has; ``plays_loss``, the mean losses of 60 equal stretches of the training, and
        ``plays_loss_aside`` that of text that it has not seen. ``line``, a line, and ``line_shares`` of shape
        (blocks, heads, characters, characters): who looks at whom in it, 255 for
        all of a character's attention.

    Raises
    ------
    FileNotFoundError
        If the texts are not on this computer.
    """
    names = whole_machine() if names is None else names
    gc.disable()  # it would look through 60,000 nodes again and again, and graphs have no cycles
    try:
        return {**run_on_names(names, seed, steps[0]), **run_on_plays(names, seed, steps[1])}
    finally:
        gc.enable()
