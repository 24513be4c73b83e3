"""Lesson 13: the numbers that its prose names, on the reader's machine and on starts that differ a little."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from autodiff_course import machine
from tests.course.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "13_a_network_reads_digits.ipynb"


def printed(holds, path=LESSON):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(path) if holds in cell.source)


@pytest.mark.filterwarnings("ignore")
def test_pytorch_takes_probabilities_for_scores_without_an_error():
    torch = pytest.importorskip("torch")
    scores, target = torch.tensor([[2.0, 1.0, 1.0]]).log(), torch.tensor([1])
    loss = torch.nn.functional.cross_entropy
    assert loss(scores, target).item() == pytest.approx(math.log(4))
    assert loss(torch.softmax(scores, dim=1), target).item() != pytest.approx(math.log(4), abs=0.1)


# -- the training -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    file = pytest.importorskip("sklearn.datasets").load_digits()
    shuffled = np.random.default_rng(0).permutation(len(file.data))
    return file.data / 16, file.target, shuffled[:1297], shuffled[1297:]


@pytest.fixture(scope="module")
def lesson():
    """What the lesson's cells define: the start, the network, its loss, the training and reading."""
    scope = {"np": np, **vars(machine.after(13)), "print": lambda *words: None}
    for words in ("def start", "def loss_of", "def train"):
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        exec(source.partition("\n\nweights")[0].partition("\n\nprint")[0], scope)
    return scope


def judge(lesson, weights, x, targets):
    """The loss in two digits, and how many are right."""
    loss = lesson["value"](lesson["loss_of"](weights, x, targets))
    return f"{loss:.2f}", int((lesson["read"](weights, x) == targets).sum())


def jittered(lesson, seed, size=1e-9):
    """The lesson's start, each number moved a little: what another computer's arithmetic might do."""
    rng = np.random.default_rng(seed)
    weights = lesson["start"](0)
    for p in weights:
        p.data = p.data + size * rng.normal(size=p.shape)
    return weights


def test_the_training_does_not_hang_on_the_last_digits(data, lesson):
    pictures, digits, seen, unseen = data
    x, targets = pictures[seen], digits[seen]
    shown, weights, rng, done = [], jittered(lesson, 1), np.random.default_rng(0), 0
    for epochs in (0, 1, 5, 30):
        lesson["train"](weights, x, targets, rng, epochs - done)
        done = epochs
        shown.append(judge(lesson, weights, x, targets))
    assert shown == [("2.29", 180), ("0.70", 1142), ("0.18", 1241), ("0.03", 1294)]
    assert [tuple(line.split()[1:]) for line in printed("def train").splitlines()[1:]] == [
        (loss, str(right)) for loss, right in shown
    ]
    answers = lesson["network"](weights, pictures[unseen]).data
    first, second = np.sort(answers, axis=1)[:, :-3:-1].T
    assert int((answers.argmax(axis=1) == digits[unseen]).sum()) == 491
    assert (first - second).min() > 0.01  # no answer is near to another one
    assert printed("said, meant = ") == "491 of 500\n"
    assert printed("said_by_theirs") == "491 of 500\nall 2,410 numbers equal up to 1e-9: True\n"


def test_the_nine_mistakes_are_shown(data, lesson):
    pictures, digits, seen, unseen = data
    weights = jittered(lesson, 2)
    lesson["train"](weights, pictures[seen], digits[seen], np.random.default_rng(0), 30)
    answers = lesson["read"](weights, pictures[unseen])
    pairs = [f"says {s}, is {m}" for s, m in zip(answers, digits[unseen]) if s != m]
    assert len(pairs) == 9
    assert not any(pair in printed("range(1, 10), columns=9") for pair in pairs)
    assert all(pair in printed("titles, columns=9") for pair in pairs)


def test_a_split_in_the_file_s_order_makes_four_times_as_many_mistakes(data, lesson):
    pictures, digits, _, _ = data
    weights = jittered(lesson, 5)
    lesson["train"](weights, pictures[:1297], digits[:1297], np.random.default_rng(0), 30)
    assert int((lesson["read"](weights, pictures[1297:]) == digits[1297:]).sum()) == 464
    assert printed("trial, pictures[:1297]") == "464 of 500\n"


def test_the_rate_was_chosen_on_the_seen_pictures(data, lesson):
    """The rate and the epochs of the lesson do about as well as any on the 300 that were set aside."""
    pictures, digits, seen, _ = data
    fit, judged = seen[:997], seen[997:]
    slower, right = dict(lesson), {}
    slower["step"] = lambda weights, rate: lesson["step"](weights, rate / 5)
    source = next(cell.source for cell in cells(LESSON) if "def train" in cell.source)
    exec(source.partition("\n\nweights")[0], slower)
    for rate, names in ((0.5, lesson), (0.1, slower)):
        weights = names["start"](0)
        names["train"](weights, pictures[fit], digits[fit], np.random.default_rng(0), 30)
        right[rate] = judge(lesson, weights, pictures[judged], digits[judged])[1]
    assert right[0.5] >= 288 > right[0.1]


# -- other numbers in the prose -----------------------------------------------------------------------------


def test_one_number_a_node_would_be_some_240_000_nodes():
    hidden = 32 * (64 + 64 + 1)  # products, sums with the bias, tanh
    scores = 10 * (32 + 32)
    rest = 10 + 10 + 9 + 1 + 10 + 1 + 1  # differences, exps, sum, power, products, log, its place in the mean
    assert abs(50 * (hidden + scores + rest) - 240_000) < 2000


def test_one_step_is_twenty_nodes(data, lesson):
    pictures, digits, _, _ = data
    nodes = lesson["order"](lesson["loss_of"](lesson["start"](0), pictures[:50], digits[:50]))
    assert len(nodes) == 20
    assert sum(not node.creators for node in nodes) == 4
    assert sum(p.data.size for p in lesson["start"](0)) == 2410


def test_the_smallest_network_has_the_probabilities_minus_the_target():
    engine = machine.after(13)
    scores = engine.Tensor(np.log([[2.0, 1, 1]]))
    found = engine.gradients(engine.cross_entropy(engine.softmax(scores), [1]))[scores]
    assert np.allclose(found, [[0.5, -0.75, 0.25]])
    assert "∂loss/∂probabilities += [[0, -4, 0]]" in printed("film(loss")
    assert "∂loss/∂scores += [[0.5, -0.75, 0.25]]" in printed("film(loss")
    assert "[[ 0.5  -0.75  0.25]]" in printed("yours_too")
