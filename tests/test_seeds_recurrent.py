"""The recurrent networks of ``benchmarks/seeds/recurrent.py`` on small sets: they run, and they learn."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import data, nn
from benchmarks.seeds import recurrent as seeds

NAMES = ["ada", "abba", "anna", "dana", "nada", "banana", "dan", "ban"]


@pytest.mark.parametrize("kind", [nn.LSTM, nn.RNN])
def test_a_layer_reads_pictures(kind):
    """The kind is which of the columns is lit."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, 100)
    pictures = 0.1 * rng.random((100, 28, 28), dtype=np.float32)
    pictures[np.arange(100), :, labels] = 4
    assert seeds.read_pictures((pictures, labels), (pictures, labels), steps=80, hidden=8, kind=kind) > 0.4


def test_a_gru_writes_names(capsys):
    nats, net, vocabulary = seeds.write_names(NAMES, NAMES, steps=60)
    assert nats < 1.2  # guessing among these letters takes 1.6
    assert set("".join(seeds.sample(net, vocabulary, 5))) <= set("abdn")
    assert vocabulary.tokens[0] == seeds.END


def test_the_loss_is_the_same_for_names_together_and_alone():
    """A packed batch has no padding that could count."""
    vocabulary = data.Vocabulary(NAMES, specials=[seeds.END], unknown=None)
    net = seeds.Writer(len(vocabulary))
    alone = [(seeds.nats_per_letter(net, vocabulary, [name]), len(name) + 1) for name in NAMES]
    expected = sum(nats * letters for nats, letters in alone) / sum(letters for _, letters in alone)
    assert seeds.nats_per_letter(net, vocabulary, NAMES) == pytest.approx(expected, rel=1e-5)


def test_batches_go_on_for_ever_and_miss_none():
    batches = seeds.batches_for_ever(6, 2, seed=0)
    for _ in range(3):
        assert sorted(np.concatenate([next(batches) for _ in range(3)])) == [0, 1, 2, 3, 4, 5]
    assert sorted(next(seeds.batches_for_ever(3, 8, seed=0))) == [0, 1, 2]
