"""Lesson 13: its checks against right answers, stubs and planted mistakes; its network and its numbers."""

from __future__ import annotations

import ast
import inspect
import math
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.engine.backward import order
from autodiff.lessons import after_13, check
from autodiff.lessons.after_13 import cross_entropy, network, read, softmax, start, step, train
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "13_a_network_reads_digits.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"ad": ad, "np": np, "check": check}
    exec(cell.source, scope)
    return scope


def printed(holds, path=LESSON):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(path) if holds in cell.source)


# -- the stored notebooks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("thing", [start, network, softmax, cross_entropy, step, train, read])
def test_the_lesson_s_code_is_the_snapshot_s(thing):
    written = [ast.dump(part) for cell in cells(LESSON) for part in ast.parse(cell.source).body]
    assert ast.dump(ast.parse(inspect.getsource(thing)).body[0]) in written


@pytest.mark.filterwarnings("ignore")
def test_pytorch_takes_chances_for_scores_without_an_error():
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


def judge(parameters, x, targets):
    """The loss in two digits, and how many are right."""
    with ad.no_grad():
        loss = cross_entropy(network(parameters, x), targets).item()
    return f"{loss:.2f}", int((read(parameters, x) == targets).sum())


def jittered(seed, size=1e-9):
    """The lesson's start, each parameter moved a little: what another machine's arithmetic might do."""
    rng = np.random.default_rng(seed)
    parameters = start(0)
    for p in parameters:
        p.data = p.data + size * rng.normal(size=p.shape)
    return parameters


def unforgetting(parameters, x, targets, rate=0.5):
    loss = cross_entropy(network(parameters, x), targets)
    loss.backward()
    for p in parameters:
        p.data -= rate * p.grad.data
    return loss.item()


def test_the_training_does_not_hang_on_the_last_digits(data):
    pictures, digits, seen, unseen = data
    x, targets = pictures[seen], digits[seen]
    shown, parameters, rng, done = [], jittered(1), np.random.default_rng(0), 0
    for rounds in (0, 1, 5, 30):
        train(parameters, x, targets, rng, rounds - done)
        done = rounds
        shown.append(judge(parameters, x, targets))
    assert shown == [("2.29", 180), ("0.70", 1142), ("0.18", 1241), ("0.03", 1294)]
    assert [tuple(line.split()[1:]) for line in printed("def judge").splitlines()[1:]] == [
        (loss, str(right)) for loss, right in shown
    ]
    answers = network(parameters, pictures[unseen]).data
    first, second = np.sort(answers, axis=1)[:, :-3:-1].T
    assert int((answers.argmax(axis=1) == digits[unseen]).sum()) == 491
    assert (first - second).min() > 0.01  # no answer is near to another one
    assert printed("meant = ") == "491 of 500\n"


def test_the_nine_mistakes_are_those_the_prose_speaks_of(data):
    pictures, digits, seen, unseen = data
    parameters = jittered(2)
    train(parameters, pictures[seen], digits[seen], np.random.default_rng(0), 30)
    answers = read(parameters, pictures[unseen])
    pairs = [(int(s), int(m)) for s, m in zip(answers, digits[unseen]) if s != m]
    assert len(pairs) == 9
    assert pairs.count((8, 6)) == 2
    assert len(set(pairs)) == 8
    unmoved = start(0)[0].data - parameters[0].data
    assert np.flatnonzero(np.abs(unmoved).max(axis=1) < 1e-7).tolist() == [0, 32, 39]


@pytest.mark.parametrize(("rate", "right"), [(0.5, 1185), (1.0, 1211)])
def test_a_step_with_all_pictures_is_worth_as_much_as_the_prose_says(data, rate, right):
    pictures, digits, seen, _ = data
    parameters = jittered(3)
    for _ in range(30):
        step(parameters, pictures[seen], digits[seen], rate)
    assert judge(parameters, pictures[seen], digits[seen])[1] == right


def test_with_four_times_the_rate_the_thirty_steps_fly_apart(data):
    pictures, digits, seen, _ = data
    parameters = start(0)
    for _ in range(30):
        step(parameters, pictures[seen], digits[seen], 2.0)
    assert judge(parameters, pictures[seen], digits[seen])[1] < 400


def test_forgetting_to_forget_is_ahead_for_a_round_and_far_behind_after_two(data):
    pictures, digits, seen, _ = data
    x, targets = pictures[seen], digits[seen]
    table = [line.split()[-4:] for line in printed("def forgetful").splitlines()[1:]]
    for one_step, row in ((step, table[0]), (unforgetting, table[1])):
        parameters, rng, shown = jittered(4), np.random.default_rng(0), []
        for _ in range(2):
            train(parameters, x, targets, rng, 1, step=one_step)
            shown += [str(part) for part in judge(parameters, x, targets)]
        assert shown == row
    assert float(table[1][0]) < float(table[0][0])
    assert float(table[1][2]) > 2 * float(table[0][2])


def test_its_losses_end_each_time_at_another_step(data):
    """Three starts that differ in the twelfth digit, as machines differ in the sixteenth."""
    pictures, digits, seen, _ = data
    ends = []
    for seed in (100, 101, 102):
        parameters, rng = jittered(seed, 1e-12), np.random.default_rng(0)
        losses = train(parameters, pictures[seen], digits[seen], rng, 30, step=unforgetting)
        ends.append(int(np.argmin(np.isfinite(losses))))
    assert 100 < min(ends) < max(ends)
    assert not any(np.isfinite(p.data).any() for p in parameters)


def test_a_split_in_the_file_s_order_makes_four_times_as_many_mistakes(data):
    pictures, digits, _, _ = data
    parameters = jittered(5)
    train(parameters, pictures[:1297], digits[:1297], np.random.default_rng(0), 30)
    assert int((read(parameters, pictures[1297:]) == digits[1297:]).sum()) == 464
    assert printed("trial, pictures[:1297]") == "464 of 500\n"


def test_what_was_given_was_chosen_on_the_seen_pictures(data):
    """The rate and the rounds of the lesson do about as well as any on the 300 that were set aside."""
    pictures, digits, seen, _ = data
    fit, judged = seen[:997], seen[997:]
    right = {}
    for rate in (0.1, 0.5):
        parameters = start(0)

        def at_rate(parameters, x, targets, rate=rate):
            return step(parameters, x, targets, rate)

        train(parameters, pictures[fit], digits[fit], np.random.default_rng(0), 30, step=at_rate)
        right[rate] = judge(parameters, pictures[judged], digits[judged])[1]
    assert right[0.5] >= 288 > right[0.1]


# -- other numbers in the prose -----------------------------------------------------------------------------


def test_one_number_a_node_would_be_some_240_000_nodes():
    hidden = 32 * (64 + 64 + 1)  # products, sums with the bias, tanh
    scores = 10 * (32 + 32)
    rest = 9 + 10 + 10 + 9 + 10 + 1 + 1  # max, differences, exps, sum, quotients, log, its place in the mean
    assert abs(50 * (hidden + scores + rest) - 240_000) < 2000


def test_one_step_is_eighteen_nodes_in_four_boxes(data):
    pictures, digits, _, _ = data
    loss = cross_entropy(network(start(0), pictures[:50]), digits[:50])
    assert len(order(loss)) == 18
    assert len(printed('ad.scope("first layer")').splitlines()) == 19
    assert sum(p.size for p in start(0)) == 2410


def test_the_tiny_version_is_what_it_said_less_what_is_true():
    scores = ad.Tensor(np.log([[2.0, 1, 1]]))
    cross_entropy(scores, [1]).backward()
    assert np.allclose(scores.grad.data, [[0.5, -0.75, 0.25]])
    assert "the sum is [[0.5, -0.75, 0.25]]" in printed("ad.film")


def test_picking_with_a_slice_raises_no_error_and_is_another_loss():
    scores, targets = ad.Tensor(np.eye(3) * 5), [0, 1, 2]
    wrong = -softmax(scores)[:, targets].log().mean()
    assert wrong.item() > 3
    assert cross_entropy(scores, targets).item() < 0.1


# -- 12 softmax ---------------------------------------------------------------------------------------------


def powers(scores, axis=1):
    return (scores - scores.max(axis=axis, keepdims=True)).exp()


def below(scores):
    """Less the largest as a constant: it has no slope in the end, so nobody need walk back through it."""
    return scores - scores.data.max(axis=1, keepdims=True)


def by_constant_sum(scores):
    p = powers(scores)
    return p / p.data.sum(axis=1, keepdims=True)


def test_softmax_takes_right_answers():
    for function in (
        answer("13 softmax")["softmax"],
        softmax,
        lambda scores: ad.softmax(scores, axis=1),
        lambda s: below(s).exp() / below(s).exp().sum(axis=1).reshape(-1, 1),
        lambda s: ad.stack([ad.softmax(row, axis=0) for row in s]),
        lambda s: (s - (powers(s).sum(axis=1, keepdims=True).log() + s.max(axis=1, keepdims=True))).exp(),
    ):
        verdict = check("13 softmax", function)
        assert verdict.status == "right", verdict


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda s: s.exp() / s.exp().sum(axis=1, keepdims=True), "too large for exp"),
        (
            lambda s: (s - s.max()).exp() / (s - s.max()).exp().sum(axis=1, keepdims=True),
            "Each row has a maximum of its own",
        ),
        (lambda s: powers(s, 0) / powers(s, 0).sum(axis=0), "Your columns add up to 1"),
        (lambda s: powers(s) / powers(s).sum(axis=0), "sums of the columns"),
        (lambda s: powers(s, 0) / powers(s, 0).sum(axis=1, keepdims=True), "taken off by columns"),
        (lambda s: s.exp() / s.exp().sum(), "All the numbers together"),
        (lambda s: powers(s) / powers(s).sum(), "sum of all rows"),
        (lambda s: powers(s) / powers(s).sum(axis=1), "keepdims=True"),
        (lambda s: s - s.max(axis=1), "one of them 1. A sum along the rows"),
        (lambda s: (s - max(s)).exp(), "asks which row is the larger"),
        (lambda s: [ad.softmax(row, axis=0) for row in s], "a list of rows"),
        (powers, "Those are the powers"),
        (lambda s: s.exp(), "Those are the powers"),
        (lambda s: s / s.sum(axis=1, keepdims=True), "exp is missing"),
        (lambda s: softmax(s).log(), "logarithms of the chances"),
        (lambda s: (s.data == s.data.max(axis=1, keepdims=True)) * 1.0, "everything to the largest"),
        (lambda s: softmax(s).sum(axis=1), "Each score has its chance"),
        (lambda s: softmax(s) * 2, "its own power"),
        (lambda s: softmax(s).data, "nothing was recorded"),
        (by_constant_sum, "some of the paths were cut"),
        (lambda s: below(s).exp() / powers(s).sum(axis=1, keepdims=True), "some of the paths were cut"),
        (lambda s: "chances", "An array is asked for"),
        (0.5, "A function is asked for"),
    ],
)
def test_softmax_names_the_mistake(function, kind):
    verdict = check("13 softmax", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_softmax_tells_a_stub_from_a_mistake():
    assert check("13 softmax", lambda scores: None).status == "not done yet"


# -- 12 hands -----------------------------------------------------------------------------------------------


def test_hands_takes_what_is_near():
    assert check("13 hands", answer("13 hands")["my_guess"]).status == "right"
    for guess in (444, 464, 484, np.int64(470)):
        assert check("13 hands", guess).status == "right"
    assert check("13 hands", None).status == "not done yet"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        (491, "it is fewer"),
        (500, "it is fewer"),
        (50, "blind guessing"),
        (250, "not as bad"),
        (0.93, "not a share"),
        (0, "blind guessing"),
        (600, "a count out of 500"),
        ("fewer", "A number is asked for"),
    ],
)
def test_hands_names_the_misconception(guess, kind):
    verdict = check("13 hands", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 12 rule ------------------------------------------------------------------------------------------------


def one_hot(chances, targets):
    return np.eye(chances.shape[1])[targets]


def changing(chances, targets):
    chances[np.arange(len(targets)), targets] -= 1
    return chances / len(targets)


def in_all_columns(chances, targets):
    gradient = chances.copy()
    gradient[:, targets] -= 1
    return gradient / len(targets)


def by_walking(chances, targets):
    scores = ad.Tensor(np.log(chances))
    cross_entropy(scores, targets).backward()
    return scores.grad


def test_rule_takes_right_answers():
    for function in (
        answer("13 rule")["score_gradient"],
        lambda p, d: (p - one_hot(p, d)) / len(d),
        lambda p, d: ((p - one_hot(p, d)) / len(d)).tolist(),
        by_walking,  # and so the right answer is what a walk back gives
    ):
        verdict = check("13 rule", function)
        assert verdict.status == "right", verdict


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda p, d: p - one_hot(p, d), "divide by their number"),
        (lambda p, d: (one_hot(p, d) - p) / len(d), "The sign is turned"),
        (lambda p, d: p / len(d), "What is taken off at the right places?"),
        (lambda p, d: p.copy(), "What is taken off at the right places?"),
        (in_all_columns, "read in pairs"),
        (lambda p, d: in_all_columns(p, d) * len(d), "And the loss is a mean"),
        (lambda p, d: -one_hot(p, d) / p / len(d), "Softmax lies between"),
        (lambda p, d: (p - one_hot(p, d)) / p.shape[1], "number of digits"),
        (lambda p, d: (p - 1) * one_hot(p, d) / len(d), "The wrong digits get a gradient, too"),
        (lambda p, d: (p - 1) / len(d), "at the right digit of each row only"),
        (lambda p, d: (p - one_hot(p, d)) * 3, "walk back from cross_entropy"),
        (lambda p, d: (p[np.arange(len(d)), d] - 1) / len(d), "as the chances are"),
        (changing, "Work on a copy"),
        (lambda p, d: "p - y", "An array is asked for"),
        ([0.5, -0.75, 0.25], "A function is asked for"),
    ],
)
def test_rule_names_the_mistake(function, kind):
    verdict = check("13 rule", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_rule_tells_a_stub_from_a_mistake():
    assert check("13 rule", lambda chances, targets: None).status == "not done yet"


def test_the_operation_of_the_solutions_gives_what_the_walk_gives():
    scope = {"ad": ad, "np": np}
    exec(next(cell.source for cell in cells(SOLUTIONS) if "def surprise" in cell.source), scope)
    walked, ruled = (ad.Tensor([[2.0, 1, 0], [0, 3, 1]]) for _ in range(2))
    cross_entropy(walked, [1, 2]).backward()
    scope["surprise"](ruled, targets=[1, 2]).backward()
    assert np.allclose(walked.grad.data, ruled.grad.data)


# -- the snapshot -------------------------------------------------------------------------------------------


def test_a_step_changes_the_same_tensors_and_forgets():
    parameters = start(0)
    before = [p.data.copy() for p in parameters]
    train(parameters, np.ones((4, 64)), np.array([0, 1, 2, 3]), np.random.default_rng(0), 1, size=2)
    assert all(p.grad is None and p.creators is None for p in parameters)
    assert all(not np.array_equal(p.data, old) for p, old in zip(parameters, before))


def test_a_round_takes_each_picture_once():
    taken = []

    def watching(parameters, x, targets):
        taken.append(x[:, 0].tolist())
        assert np.array_equal(x[:, 0], targets)

    x = np.arange(7.0)[:, None] * np.ones(64)
    after_13.train(start(0), x, np.arange(7), np.random.default_rng(0), 2, size=3, step=watching)
    assert [len(batch) for batch in taken] == [3, 3, 1] * 2
    first, second = ([value for batch in part for value in batch] for part in (taken[:3], taken[3:]))
    assert sorted(first) == sorted(second) == list(range(7))
    assert first != second
