"""The full run of lesson 35: the words of Shakespeare's plays get places, by skip-gram with negative sampling
(Mikolov, Sutskever, Chen, Corrado and Dean, "Distributed representations of words and phrases and their
compositionality", 2013)."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from autodiff import Tensor, compiling, data, optim, softplus

from .shared import Arrays

SIZE = 16
WINDOW = 4
INVENTED = 5
BATCH = 1024
EPOCHS = 8
RATE = 0.01
SEEDS = (0, 1, 2)
LEAST = 10
"""How often a word has to stand in the text to get a place."""
OFTEN = 1e-3
"""The share of the text from which on a word is left out now and then."""


# -- what the reader writes ----------------------------------------------------------------------------------


def pairs(sentence: Sequence[Any], window: int) -> list[tuple[Any, Any]]:
    """Each word with each of its neighbours: the words at most ``window`` places before and after it.

    >>> pairs(["cats", "drink", "milk"], 1)
    [('cats', 'drink'), ('drink', 'cats'), ('drink', 'milk'), ('milk', 'drink')]
    """
    return [
        (word, sentence[j])
        for i, word in enumerate(sentence)
        for j in range(max(0, i - window), min(len(sentence), i + window + 1))
        if j != i
    ]


def invented(counts: Any, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Numbers of words, drawn by chance: each with a probability proportional to its count to the power 3/4.

    >>> invented([8, 0, 8], (2, 2), np.random.default_rng(0)).shape
    (2, 2)
    """
    weights = np.asarray(counts, float) ** 0.75
    return rng.choice(len(weights), size=shape, p=weights / weights.sum())


def loss_of(word: Any, neighbour: Any, others: Any) -> Any:
    """The loss of n pairs, from rows of numbers: of the words (n, d), of their neighbours (n, d), and of k
    invented neighbours for each (n, k, d).

    >>> zeros = np.zeros((1, 5, 16))
    >>> round(float(loss_of(zeros[:, 0], zeros[:, 0], zeros)), 4)  # six times the logarithm of 2
    4.1589
    """
    right = (word * neighbour).sum(axis=1)
    wrong = (word.reshape(-1, 1, word.shape[1]) * others).sum(axis=2)
    return (softplus(-right) + softplus(wrong).sum(axis=1)).mean()


# -- the text ------------------------------------------------------------------------------------------------


def speeches(text: str) -> list[list[str]]:
    r"""The words of each speech in a play, in lowercase. The names of the speakers are left out.

    >>> speeches("KING LEAR:\nO, let me not be mad!\n\nFool:\nNuncle, 'tis cold.")
    [['o', 'let', 'me', 'not', 'be', 'mad'], ['nuncle', 'tis', 'cold']]
    """
    found = []
    for part in text.split("\n\n"):
        name, _, speech = part.partition(":\n")
        found.append(re.findall(r"[a-z]+(?:'[a-z]+)*", (speech or name).lower()))
    return found


def all_pairs(words: np.ndarray, speech: np.ndarray, window: int) -> np.ndarray:
    """The pairs of all speeches, as two rows. ``words`` are the words of all speeches in order, and
    ``speech`` says of each to which speech it belongs.

    >>> all_pairs(np.array([7, 8, 9]), np.array([0, 0, 1]), 2).tolist()
    [[8, 7], [7, 8]]
    """
    found = []
    for far in range(1, window + 1):
        together = speech[far:] == speech[:-far]
        later, earlier = words[far:][together], words[:-far][together]
        found += [np.stack([later, earlier]), np.stack([earlier, later])]
    return np.concatenate(found, axis=1)


# -- the training --------------------------------------------------------------------------------------------


def learn(
    words: np.ndarray, speech: np.ndarray, counts: np.ndarray, seed: int, epochs: int
) -> tuple[np.ndarray, list[float]]:
    """The places of the words after a training, a row for each word, and the mean loss of each epoch.

    In each epoch a word that makes up more than ``OFTEN`` of the text is left out with a probability that
    grows with its count, as Mikolov and the others do. The rate falls to 0 on a straight line.
    """
    rng = np.random.default_rng(seed)
    places, around = (Tensor(rng.normal(0, 0.1, (len(counts), SIZE)).astype(np.float32)) for _ in range(2))
    adam = optim.Adam([places, around], lr=RATE)

    @compiling.compile_function
    def loss_backward(word: Any, neighbour: Any, others: Any) -> Any:
        loss = loss_of(places[word], around[neighbour], around[others])
        loss.backward()
        return loss

    stays = np.minimum(1, np.sqrt(OFTEN * counts.sum() / counts))
    losses = []
    for epoch in range(epochs):
        here = rng.random(len(words)) < stays[words]
        found = rng.permutation(all_pairs(words[here], speech[here], WINDOW), axis=1)
        batches = np.array_split(found, max(1, found.shape[1] // BATCH), axis=1)
        total = 0.0
        for k, (word, neighbour) in enumerate(batches):
            adam.param_groups[0]["lr"] = RATE * (1 - (epoch + k / len(batches)) / epochs)
            adam.zero_grad()
            loss = loss_backward(word, neighbour, invented(counts, (len(word), INVENTED), rng))
            adam.step()
            total += loss.item()
        losses.append(total / len(batches))
        sys.stdout.write(f"seed {seed}, epoch {epoch + 1}: {losses[-1]:.4f}\n")
    return np.asarray(places.data), losses


def cosines(places: np.ndarray) -> np.ndarray:
    """The cosine of the angle between each two rows.

    >>> cosines(np.array([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]])).tolist()
    [[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]
    """
    rows = places / np.linalg.norm(places, axis=1, keepdims=True)
    return np.asarray(rows @ rows.T)


def nearest(places: np.ndarray, count: int) -> np.ndarray:
    """For each row the numbers of the ``count`` other rows with the largest cosines, the nearest first.

    >>> nearest(np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]), 1).ravel().tolist()
    [1, 0, 1]
    """
    near = cosines(places)
    np.fill_diagonal(near, -2)
    return np.argsort(-near, axis=1, kind="stable")[:, :count]


def shared(some: np.ndarray, others: np.ndarray) -> float:
    """The share of the numbers in a row that stand in the same row of the other array too, on average.

    >>> shared(np.array([[1, 2], [0, 2]]), np.array([[2, 1], [3, 0]]))
    0.75
    """
    return float((some[:, :, None] == others[:, None]).any(axis=2).mean())


def run(text: str | None = None, least: int = LEAST, epochs: int = EPOCHS) -> Arrays:
    """Train on Tiny Shakespeare from three seeds.

    Returns
    -------
    dict of arrays
        ``words``, those that stand in the text at least ``least`` times, the most frequent first, joined by
        spaces and encoded (:func:`words_of` gives them as a list); ``counts``, how often; ``places``, a row
        for each (float16), of the first seed. ``loss``, a row of mean losses of the epochs for each seed.
        ``shared``, for each two of the seeds, which share of a word's five nearest words is the same, in the
        mean over all words. ``pairs``, the number of pairs in the whole text.

    Raises
    ------
    FileNotFoundError
        If the text is not on this computer.
    """
    if text is None:
        try:
            text = data.shakespeare(download=False)
        except data.DownloadError:
            raise FileNotFoundError(
                "the text is not on this computer: run autodiff.data.shakespeare() once to download it"
            ) from None
    texts = speeches(text)
    vocabulary = data.Vocabulary(texts, min_freq=least, specials=(), unknown=None)
    numbers = [[vocabulary[word] for word in part if word in vocabulary] for part in texts]
    words = np.array([number for part in numbers for number in part])
    speech = np.repeat(np.arange(len(numbers)), [len(part) for part in numbers])
    counts = np.array([vocabulary.counts[word] for word in vocabulary.tokens])
    found = [learn(words, speech, counts, seed, epochs) for seed in SEEDS]
    near = [nearest(places, 5) for places, _ in found]
    return {
        "words": np.array(" ".join(vocabulary.tokens).encode("ascii")),
        "counts": counts.astype(np.uint16),
        "places": found[0][0].astype(np.float16),
        "loss": np.array([losses for _, losses in found]),
        "shared": np.array([shared(*both) for both in combinations(near, 2)]),
        "pairs": np.array(all_pairs(words, speech, WINDOW).shape[1]),
    }


def words_of(found: Arrays) -> list[str]:
    """The words of a run, in the order of their rows.

    >>> words_of({"words": np.array(b"the and to")})
    ['the', 'and', 'to']
    """
    return found["words"].item().decode("ascii").split()
