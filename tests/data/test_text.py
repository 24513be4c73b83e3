"""What is done with texts: numbers for tokens, n-grams, and BLEU."""

# ruff: noqa: SIM905 - sentences are read better than lists of words

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor, data

THE = "the the the the the the the".split()
CAT = ["the cat is on the mat".split(), "there is a cat on the mat".split()]

# The examples of Papineni et al. (2002), which NLTK's documentation has too.
PARTY = (
    "It is a guide to action which ensures that the military always obeys the commands of the party".split()
)
TROOPS = "It is to insure the troops forever hearing the activity guidebook that party direct".split()
REFERENCES = [
    "It is a guide to action that ensures that the military will forever heed Party commands".split(),
    (
        "It is the guiding principle which guarantees the military forces always being under the command "
        "of the Party"
    ).split(),
    "It is the practical guide for the army always to heed the directions of the party".split(),
]
BOOK = "he read the book because he was interested in world history".split()
HISTORY = ["he was interested in world history because he read the book".split()]


def test_ngrams():
    assert data.ngrams("abcd", 3) == [("a", "b", "c"), ("b", "c", "d")]
    assert data.ngrams([1, 2], 1) == [(1,), (2,)]
    assert data.ngrams([1, 2], 3) == []
    with pytest.raises(ValueError, match="n of ngrams must be at least 1, not 0"):
        data.ngrams("abcd", 0)


# -- BLEU ------------------------------------------------------------------------------------------------


def test_precisions_of_the_paper():
    """A word counts as often as one reference has it: 2 of 7, not 7 of 7."""
    assert data.bleu(THE, CAT, max_n=1) == pytest.approx(2 / 7)
    assert data.bleu(PARTY, REFERENCES, max_n=1) == pytest.approx(17 / 18)
    assert data.bleu(PARTY, REFERENCES, max_n=2, weights=[0, 1]) == pytest.approx(10 / 17)
    penalty = math.exp(1 - 16 / 14)
    assert data.bleu(TROOPS, REFERENCES, max_n=2, weights=[1, 0]) == pytest.approx(penalty * 8 / 14)
    assert data.bleu(TROOPS, REFERENCES, max_n=2, weights=[0, 1]) == pytest.approx(penalty * 1 / 13)


def test_what_nltk_says():
    """NLTK 3.10; the numbers without smoothing stand in its documentation too."""
    assert data.bleu(PARTY, REFERENCES) == pytest.approx(0.5045666840058485)
    assert data.bleu(PARTY, REFERENCES, weights=(0.1, 0.3, 0.5, 0.1)) == pytest.approx(0.4914381496499865)
    assert data.bleu(TROOPS, REFERENCES) == 0
    assert data.bleu(TROOPS, REFERENCES, smoothing="epsilon") == pytest.approx(0.03703131191121491)
    assert data.bleu(TROOPS, REFERENCES, smoothing="add one") == pytest.approx(0.13111209575157431)
    assert data.corpus_bleu([PARTY, BOOK], [REFERENCES, HISTORY]) == pytest.approx(0.5920778868801042)


def test_a_translation_that_is_too_short_is_penalized():
    """By its closest reference, the shorter of two at the same distance."""
    assert data.bleu("ab", ["abcd"], max_n=1) == pytest.approx(math.exp(1 - 4 / 2))
    assert data.bleu("abc", ["abcd", "ab"], max_n=1) == 1
    assert data.bleu("abcdef", ["abcd"], max_n=1) == pytest.approx(4 / 6)
    assert data.bleu("abcd", ["abcd"], max_n=1) == 1


def test_a_corpus_is_no_mean_of_its_sentences():
    """Counts and lengths are added up first."""
    both = data.corpus_bleu(["ab", "abcdefgh"], [["ab"], ["xbcdefgh"]], max_n=1)
    assert both == pytest.approx(9 / 10)
    assert both != pytest.approx((1 + 7 / 8) / 2)


@pytest.mark.parametrize("smoothing", [None, "add one", "epsilon"])
def test_nothing_in_common_is_0_and_everything_is_1(smoothing):
    assert data.bleu("abcde", ["vwxyz"], smoothing=smoothing) == 0
    assert data.bleu("", ["vwxyz"], smoothing=smoothing) == 0
    assert data.bleu("abcde", ["abcde", "xyz"], smoothing=smoothing) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: data.corpus_bleu(["a"], []), "1 candidates need 1 lists of references"),
        (lambda: data.bleu("a", []), "none of them empty"),
        (lambda: data.bleu("a", ["a"], weights=[1.0]), "up to 4 need 4 weights, not 1"),
        (
            lambda: data.bleu("a", ["a"], smoothing="some"),
            'smoothing must be None, "add one" or "epsilon", not',
        ),
    ],
)
def test_bleu_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# -- Vocabulary ------------------------------------------------------------------------------------------


def test_frequent_tokens_come_first_and_specials_before_them():
    words = data.Vocabulary(["b a c a".split(), "c d a".split()], specials=["<pad>", "<unk>"])
    assert words.tokens == ["<pad>", "<unk>", "a", "c", "b", "d"]
    assert (len(words), list(words)) == (6, words.tokens)
    assert words.counts["a"] == 3
    assert "b" in words
    assert "z" not in words


@pytest.mark.parametrize("kind", [list, tuple])
def test_specials_are_a_list_of_its_own(kind):
    given = kind(["<pad>", "<unk>"])
    words = data.Vocabulary(["a b".split()], specials=given)
    assert words.specials == ["<pad>", "<unk>"]
    words.specials.append("<end>")
    assert list(given) == ["<pad>", "<unk>"]


def test_rare_tokens_and_tokens_beyond_the_size_are_unknown():
    texts = ["b a c a".split(), "c d a".split()]
    assert data.Vocabulary(texts, min_freq=2).tokens == ["<unk>", "a", "c"]
    assert data.Vocabulary(texts, max_size=2).tokens == ["<unk>", "a"]
    words = data.Vocabulary(texts, min_freq=2)
    assert words["d"] == words["<unk>"] == 0
    assert words.counts["d"] == 1


def test_there_and_back():
    letters = data.Vocabulary(["hello"], specials=["<pad>", "<unk>", "<end>"])
    numbers = letters.encode([*"hollow", "<end>"])
    assert numbers.dtype == np.int64
    assert letters.decode(numbers) == ["h", "o", "l", "l", "o", "<unk>", "<end>"]
    assert letters.decode(numbers, skip_specials=True) == ["h", "o", "l", "l", "o"]
    assert letters.decode(Tensor([3.0], requires_grad=False)) == ["l"]
    assert letters.encode("").shape == (0,)


def test_a_special_may_stand_in_the_texts():
    assert data.Vocabulary(["a.b."], specials=["."], unknown=None).tokens == [".", "a", "b"]


def test_it_refuses_what_it_does_not_know():
    letters = data.Vocabulary(["ab"], specials=[], unknown=None)
    with pytest.raises(KeyError, match="'c' is not in the vocabulary"):
        letters.encode("abc")
    for place in (2, -1):
        with pytest.raises(IndexError, match=f"numbers of this vocabulary are 0 to 1, not {place}"):
            letters.decode([0, place])
    with pytest.raises(
        ValueError, match=r"unknown of Vocabulary must be one of the specials \['.'\] or None"
    ):
        data.Vocabulary(["ab"], specials=["."])
    with pytest.raises(ValueError, match="specials of Vocabulary must differ, not"):
        data.Vocabulary(["ab"], specials=["<unk>", "<unk>"])
    with pytest.raises(ValueError, match="max_size of Vocabulary must be at least 2, the number of specials"):
        data.Vocabulary(["ab"], max_size=1, specials=["<unk>", "."])


def test_the_repr_shows_a_few():
    assert repr(data.Vocabulary(["abcdefgh"])) == ("Vocabulary of 9: '<unk>', 'a', 'b', 'c', 'd', 'e', ...")
