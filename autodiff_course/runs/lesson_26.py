"""The full run of lesson 26: your LSTM reads 29,000 first names letter by letter, and writes new ones."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autodiff import data

from .shared import Arrays, whole_machine

LETTERS = ".abcdefghijklmnopqrstuvwxyz"  # the dot begins a name, and ends it
EPOCHS, BATCH, SIZE, RATE = 5, 100, 96, 0.01
WRITTEN = 12


def ids(names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Names as two tables with a row per letter and a column per name: what goes in, and what comes next.
    After the end of a name there is nothing to tell: -1."""
    table = np.full((max(map(len, names)) + 2, len(names)), -1)
    table[0] = 0
    for column, name in enumerate(names):
        table[1 : len(name) + 2, column] = [LETTERS.index(letter) for letter in f"{name}."]
    return np.maximum(table[:-1], 0), table[1:]


def loss_of(m: Mapping[str, Any], cell: Any, out: Any, names: Sequence[str]) -> Any:
    """The mean cross-entropy of all letters of these names, by a machine that is given by its names."""
    come, follow = ids(names)
    start = np.zeros((len(names), cell.size))
    states = m["unroll"](cell, np.eye(27)[come], (start, start))
    total: Any = 0
    for (h, _), right in zip(states, follow):
        rows = np.flatnonzero(right >= 0)
        total = total + m["log_softmax"](out(h))[rows, right[rows]].sum()
    return -total / (follow >= 0).sum()


def write(m: Mapping[str, Any], cell: Any, out: Any, rng: np.random.Generator) -> str:
    """A new name, letter by letter, each drawn with its probability."""
    h = c = np.zeros((1, cell.size))
    name = "."
    while len(name) < 16:
        h, c = m["no_grad"](cell, np.eye(27)[[LETTERS.index(name[-1])]], (h, c))
        chances = m["softmax"](m["no_grad"](out, h))[0]
        letter = LETTERS[rng.choice(27, p=chances / chances.sum())]
        if letter == ".":
            break
        name += letter
    return name[1:]


def run(
    m: Mapping[str, Any] | None = None, names: Sequence[str] | None = None, seed: int = 0
) -> Arrays:
    """Train a machine's LSTM on the distinct names: yours where your pieces are kept, else the reference.

    Returns
    -------
    dict of arrays
        ``loss``, after each epoch, before the first one too, the mean loss of 2,000 names (or a tenth) that
        were set aside; ``written``, 12 names that the network wrote then, a row for each epoch; ``new``, how
        many of 1,000 names written at the end are in no list; and ``names``, the first 1,000 of the list.

    Raises
    ------
    FileNotFoundError
        If the file of names is not on this computer.
    """
    listed = list(dict.fromkeys(data.names(download=False) if names is None else names))
    m = whole_machine() if m is None else m
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(listed))
    count = min(2000, len(listed) // 10)
    aside, seen = ([listed[i] for i in part] for part in (order[:count], order[count:]))
    cell, out = m["LSTM"](27, SIZE, rng), m["Linear"](SIZE, 27, rng)
    optimizer = m["Optimizer"](m["parameters"]([cell, out]), m["adam"], RATE)
    losses, written, step, steps = [], [], 0, EPOCHS * -(-len(seen) // BATCH)
    for epoch in range(EPOCHS + 1):
        for batch in m["batches"](len(seen), BATCH, rng) if epoch else ():
            optimizer.rate = RATE * m["warmup_cosine"](step, steps)
            m["backward"](loss_of(m, cell, out, [seen[i] for i in batch]))
            optimizer.step()
            step += 1
        losses.append(float(m["value"](m["no_grad"](loss_of, m, cell, out, aside))))
        draws = np.random.default_rng(epoch)
        written.append([write(m, cell, out, draws) for _ in range(WRITTEN)])
        sys.stdout.write(f"epoch {epoch}: loss {losses[-1]:.3f}   {' '.join(written[-1][:6])}\n")
        sys.stdout.flush()
    draws = np.random.default_rng(0)
    known = set(listed)
    new = sum(write(m, cell, out, draws) not in known for _ in range(1000))
    return {
        "loss": np.array(losses),
        "written": np.array(written),
        "new": np.array(new),
        "names": np.array(listed[:1000]),
    }
