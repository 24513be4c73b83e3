"""Small texts for character-level language models; ``Vocabulary`` numbers words or letters, ``ngrams`` cuts a
text into pieces, and ``bleu`` compares a translation with references."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..engine.tensor import raw
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


class Vocabulary:
    """A number for each token of a text: for each word, letter, or any other token.

    The specials have the first numbers. The other tokens follow by frequency, the most frequent one first,
    and in alphabetical order where frequencies are equal. ``len``, ``in`` and iteration are over the tokens;
    ``vocabulary[token]`` is a token's number.

    Parameters
    ----------
    texts
        Sequences of tokens: lists of words, or strings for letters.
    min_freq
        The minimum frequency of a token that gets a number.
    max_size
        The largest number of tokens, including the specials; None for no limit.
    specials
        Tokens that get a number in any case, such as padding or the end of a sentence.
    unknown
        The special for all tokens without a number. With None, such tokens raise KeyError.

    Attributes
    ----------
    tokens : list
        The tokens in the order of their numbers.
    counts : Counter
        The frequency of each token in the texts, including those without a number.

    Raises
    ------
    ValueError
        If a special is given twice, ``unknown`` is not one of the specials, or ``max_size`` is less than the
        number of specials.

    Example
    -------
    >>> from autodiff import data
    >>> words = data.Vocabulary(["the cat saw the dog".split()], specials=["<pad>", "<unk>"], min_freq=2)
    >>> words.tokens
    ['<pad>', '<unk>', 'the']
    >>> words.encode("the dog".split())
    array([2, 1])
    >>> letters = data.Vocabulary(["ada", "noor"], specials=["."], unknown=None)
    >>> "".join(letters.decode(letters.encode("nora.")))
    'nora.'
    """

    def __init__(
        self,
        texts: Iterable[Iterable[Any]],
        min_freq: int = 1,
        max_size: int | None = None,
        specials: Sequence[Any] = ("<unk>",),
        unknown: Any = "<unk>",
    ) -> None:
        self.specials: list[Any] = list(specials)
        self.unknown = unknown
        if len(set(self.specials)) < len(self.specials):
            raise ValueError(f"specials of Vocabulary must differ, not {self.specials}")
        if unknown is not None and unknown not in self.specials:
            raise ValueError(
                f"unknown of Vocabulary must be one of the specials {self.specials} or None, not {unknown!r}"
            )
        if max_size is not None and max_size < len(self.specials):
            raise ValueError(
                f"max_size of Vocabulary must be at least {len(self.specials)}, the number of specials, not "
                f"{max_size}"
            )
        self.counts: Counter[Any] = Counter(token for text in texts for token in text)
        found = [t for t, n in self.counts.items() if n >= min_freq and t not in self.specials]
        found.sort(key=lambda token: (-self.counts[token], token))
        self.tokens: list[Any] = [*self.specials, *found][:max_size]
        self._numbers = {token: number for number, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tokens)

    def __contains__(self, token: Any) -> bool:
        return token in self._numbers

    def __getitem__(self, token: Any) -> int:
        """The number of a token, or that of ``unknown`` if it has none; KeyError if ``unknown`` is None."""
        if token in self._numbers:
            return self._numbers[token]
        if self.unknown is None:
            raise KeyError(
                f"{token!r} is not in the vocabulary, and with unknown=None no token stands for it"
            )
        return self._numbers[self.unknown]

    def encode(self, text: Iterable[Any]) -> np.ndarray:
        """The numbers of a text's tokens as an array of integers. Raises KeyError like
        ``vocabulary[token]``."""
        return np.array([self[token] for token in text], dtype=np.int64)

    def decode(self, numbers: Any, skip_specials: bool = False) -> list[Any]:
        """The tokens with these numbers, without specials if ``skip_specials`` is True. Raises IndexError for
        a number without a token."""
        places = np.ravel(raw(numbers)).astype(int).tolist()
        wrong = [place for place in places if not 0 <= place < len(self)]
        if wrong:
            raise IndexError(f"numbers of this vocabulary are 0 to {len(self) - 1}, not {wrong[0]}")
        first = len(self.specials) if skip_specials else 0
        return [self.tokens[place] for place in places if place >= first]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.tokens[:6])) + ", ..." * (len(self) > 6)
        return f"Vocabulary of {len(self)}: {shown}"


def ngrams(tokens: Sequence[Any], n: int) -> list[tuple[Any, ...]]:
    """All runs of ``n`` consecutive tokens, in order. The tokens of a string are its letters.

    Raises ValueError if ``n`` is less than 1.

    Example
    -------
    >>> from autodiff import data
    >>> data.ngrams("the cat sat".split(), 2)
    [('the', 'cat'), ('cat', 'sat')]
    """
    if n < 1:
        raise ValueError(f"n of ngrams must be at least 1, not {n}")
    return list(zip(*(tokens[start:] for start in range(n))))


def bleu(
    candidate: Sequence[Hashable],
    references: Sequence[Sequence[Hashable]],
    max_n: int = 4,
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
) -> float:
    """The BLEU score of one sentence, from 0 to 1: :func:`corpus_bleu` for a corpus of one sentence. Without
    smoothing it is 0 for any sentence that shares no run of ``max_n`` tokens with a reference.

    Example
    -------
    >>> from autodiff import data
    >>> candidate, reference = "the cat sat on the mat".split(), "the cat is on the mat".split()
    >>> round(data.bleu(candidate, [reference], max_n=2), 4)  # the root of 5/6 * 3/5
    0.7071
    >>> data.bleu(candidate, [reference]), round(data.bleu(candidate, [reference], smoothing="add one"), 4)
    (0.0, 0.4855)
    """
    return corpus_bleu([candidate], [references], max_n, weights, smoothing)


def corpus_bleu(
    candidates: Sequence[Sequence[Hashable]],
    references: Sequence[Sequence[Sequence[Hashable]]],
    max_n: int = 4,
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
) -> float:
    """The BLEU score of a corpus (Papineni, Roukos, Ward and Zhu, "BLEU: a method for automatic evaluation of
    machine translation", 2002): the geometric mean of the n-gram precisions, times the brevity penalty.

    The precision of n-grams is the share of the candidates' n-grams that a reference contains; each counts at
    most as often as it is in that reference. The brevity penalty is exp(1 - r/c) if c < r and 1 otherwise,
    where c is the total length of the candidates and r that of the references closest in length (of two
    equally close ones, the shorter).

    Parameters
    ----------
    candidates
        Translations, each a list of tokens.
    references
        For each candidate, one or more reference translations.
    max_n
        The length of the longest n-grams.
    weights
        The weight of the precision of each length from 1 to ``max_n``; None for equal weights.
    smoothing
        With None, a precision of 0 makes the score 0. "add one" adds 1 to the count of matches and to the
        count of n-grams, for n > 1 (Lin and Och, 2004). "epsilon" replaces a count of 0 matches by 0.1, for
        n > 1. (In Chen and Cherry, 2014, these are the techniques 2 and 1.) If candidates and references have
        no token in common, the score is always 0.

    Raises
    ------
    ValueError
        Unless there is one list of references per candidate, each with at least one reference, and one weight
        per length; and for another word as ``smoothing``.

    Example
    -------
    >>> from autodiff import data
    >>> data.corpus_bleu([list("abcd"), list("xyz")], [[list("abcd")], [list("xyw")]], max_n=1)
    0.8571428571428571
    """
    if len(candidates) != len(references) or not all(references):
        raise ValueError(
            f"{len(candidates)} candidates need {len(candidates)} lists of references, none of them empty"
        )
    weights = [1 / max_n] * max_n if weights is None else weights
    if len(weights) != max_n:
        raise ValueError(f"n-grams up to {max_n} need {max_n} weights, not {len(weights)}")
    precisions = [smoothed(*shared(candidates, references, n), n, smoothing) for n in range(1, max_n + 1)]
    if not precisions[0] or not all(precision for precision, weight in zip(precisions, weights) if weight):
        return 0.0
    length = sum(map(len, candidates))
    closest = sum(
        min(map(len, those), key=lambda size: (abs(size - len(candidate)), size))
        for candidate, those in zip(candidates, references)
    )
    penalty = 1.0 if length > closest else math.exp(1 - closest / length)
    mean = math.fsum(weight * math.log(p) for p, weight in zip(precisions, weights) if weight)
    return penalty * math.exp(mean)


def shared(candidates: Any, references: Any, n: int) -> tuple[int, int]:
    """The number of the candidates' n-grams that their references contain, and of all their n-grams."""
    found = total = 0
    for candidate, those in zip(candidates, references):
        own, most = Counter(ngrams(candidate, n)), Counter[Any]()
        for reference in those:
            most |= Counter(ngrams(reference, n))  # the larger of both counts
        found += (own & most).total()
        total += own.total()
    return found, total


def smoothed(found: int, total: int, n: int, smoothing: str | None) -> float:
    """The precision. A corpus too short for any n-gram counts as one n-gram without a match."""
    if smoothing not in (None, "add one", "epsilon"):
        raise ValueError(f'smoothing must be None, "add one" or "epsilon", not {smoothing!r}')
    total = max(total, 1)
    if smoothing == "add one" and n > 1:
        return (found + 1) / (total + 1)
    if smoothing == "epsilon" and not found and n > 1:
        return 0.1 / total
    return found / total
