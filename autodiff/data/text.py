"""Small texts for character-level language models."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from .dataset import random_split
from .download import File, find_file

# The commits of Karpathy's repositories that the checksums belong to.
CHAR_RNN = "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e"
MAKEMORE = "988aa59e4d8fefa526d06f3b453ad116258398d4"

SHAKESPEARE = File(
    "text/tinyshakespeare.txt",
    1115394,
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    (
        f"https://raw.githubusercontent.com/karpathy/char-rnn/{CHAR_RNN}/data/tinyshakespeare/input.txt",
        f"https://cdn.jsdelivr.net/gh/karpathy/char-rnn@{CHAR_RNN}/data/tinyshakespeare/input.txt",
        "https://storage.googleapis.com/download.tensorflow.org/data/shakespeare.txt",
    ),
)
NAMES = File(
    "text/names.txt",
    228145,
    "0a30b5557f192f32ab962680889aac5f6fda0f4cecf40a6d0b5694f58ea8cc4d",
    (
        f"https://raw.githubusercontent.com/karpathy/makemore/{MAKEMORE}/names.txt",
        f"https://cdn.jsdelivr.net/gh/karpathy/makemore@{MAKEMORE}/names.txt",
    ),
)


def shakespeare(root: str | os.PathLike[str] | None = None, download: bool = True) -> str:
    """Tiny Shakespeare (Karpathy, 2015): 40,000 lines of plays, 1,115,394 characters, 65 of them different.

    ``root`` and ``download`` are as for MNIST; the file is ``text/tinyshakespeare.txt`` (1.1 MB). Raises
    DownloadError, a FileNotFoundError that says where to put the file.

    Example
    -------
    >>> from autodiff import data
    >>> data.shakespeare()[:14]  # doctest: +SKIP
    'First Citizen:'
    """
    return find_file(SHAKESPEARE, root, download).read_text(encoding="ascii")


def names(root: str | os.PathLike[str] | None = None, download: bool = True) -> list[str]:
    """32,033 first names in lowercase, from the statistics of the United States for 2018.

    18,029 girls' names are followed by 14,004 boys' names, each list sorted by frequency; 2,539 names are in
    both. Shuffle them, and split them with ``split_names``. ``root`` and ``download`` are as for MNIST; the
    file is ``text/names.txt`` (0.2 MB). Raises DownloadError, a FileNotFoundError that says where to put it.

    Example
    -------
    >>> from autodiff import data
    >>> data.names()[:3]  # doctest: +SKIP
    ['emma', 'olivia', 'ava']
    """
    return find_file(NAMES, root, download).read_text(encoding="ascii").split()


def split_names(
    names: Sequence[str],
    lengths: Sequence[float] = (0.8, 0.1, 0.1),
    generator: np.random.Generator | int | None = None,
) -> list[list[str]]:
    """Split the distinct names at random, so that no name is both in the training set and in the test set.

    ``lengths``, ``generator`` and the errors are those of ``random_split``, for the distinct names.

    Example
    -------
    >>> from autodiff import data
    >>> train, test = data.split_names(["ada", "noor", "ada", "li", "kim"], [3, 1], generator=0)
    >>> len(train), len(test), set(train) & set(test)
    (3, 1, set())
    """
    parts = random_split(list(dict.fromkeys(names)), lengths, generator)
    return [list(part) for part in parts]
