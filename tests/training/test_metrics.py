"""Metrics against scikit-learn, and against numbers worked out by hand."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff import Tensor, training

TARGET = [0, 0, 0, 1, 1, 2]
PREDICTED = [0, 0, 1, 1, 2, 2]


# --- by hand ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "options", "value"),
    [
        (training.accuracy, {}, 4 / 6),
        (training.precision, {"average": "macro"}, (1 + 1 / 2 + 1 / 2) / 3),
        (training.recall, {"average": "macro"}, (2 / 3 + 1 / 2 + 1) / 3),
        (training.f1, {"average": "macro"}, (4 / 5 + 1 / 2 + 2 / 3) / 3),
        (training.precision, {"average": "micro"}, 4 / 6),
        (training.recall, {"average": "micro"}, 4 / 6),
        (training.f1, {"average": "micro"}, 4 / 6),
        (training.mse, {}, 2 / 6),
        (training.mae, {}, 2 / 6),
    ],
)
def test_three_classes_by_hand(metric, options, value):
    assert metric(PREDICTED, TARGET, **options) == pytest.approx(value, rel=1e-15)
    as_tensors = (Tensor(part, requires_grad=False) for part in (PREDICTED, TARGET))
    assert type(metric(*as_tensors, **options)) is float


def test_two_classes_by_hand():
    predicted, target = [1, 1, 1, 0, 0], [1, 0, 1, 1, 0]
    assert training.precision(predicted, target) == 2 / 3
    assert training.recall(predicted, target) == 2 / 3
    assert training.precision(predicted, target, positive=0) == 1 / 2
    assert training.f1(np.array(predicted) == 1, target) == 2 / 3
    assert training.precision([0, 0], [1, 0]) == training.recall([1, 0], [0, 0]) == 0
    assert training.f1([0, 0], [0, 0]) == 0


def test_scores_stand_for_the_highest():
    scores = Tensor([[0.1, 0.9], [2.0, -1.0], [0.0, 0.0]])
    assert training.accuracy(scores, [1, 0, 0]) == 1
    pixels = np.zeros((1, 3, 2, 2))
    pixels[0, 2] = 1
    assert training.accuracy(pixels, [[[2, 2], [2, 0]]]) == 0.75


def test_top_k_by_hand():
    scores = [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3]]
    assert training.top_k_accuracy(scores, [0, 0, 2], k=1) == 1 / 3
    assert training.top_k_accuracy(scores, [1, 0, 2], k=2) == 1 / 3
    assert training.top_k_accuracy(scores, [2, 0, 2], k=3) == 1
    collapsed = np.zeros((30, 3))  # ties: a net that says nothing knows no more than chance
    assert training.top_k_accuracy(collapsed, np.arange(30) % 3, k=2) == pytest.approx(2 / 3)


def test_nan_is_the_highest_score_as_in_accuracy():
    scores = [[np.nan, 1.0, 2.0], [np.inf, np.nan, np.nan], [np.nan] * 3, [-np.inf, 0.0, np.inf]]
    for target in ([2, 0, 1, 0], [0, 1, 0, 2], [1, 2, 2, 1]):
        assert training.top_k_accuracy(scores, target, k=1) == training.accuracy(scores, target)
    assert training.top_k_accuracy(scores, [2, 2, 1, 1], k=2) == 1


def test_confusion_by_hand():
    assert training.confusion_matrix(PREDICTED, TARGET).tolist() == [[2, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert training.confusion_matrix([0], [0], classes=3).shape == (3, 3)
    assert training.confusion_matrix(np.eye(4)[[1]], [0]).tolist()[0] == [0, 1, 0, 0]
    with pytest.raises(ValueError, match="classes from 0 to 1, not from 0 to 2"):
        training.confusion_matrix(PREDICTED, TARGET, classes=2)
    with pytest.raises(ValueError, match="not from -1 to 1"):
        training.confusion_matrix([-1, 1], [0, 1])


@pytest.mark.parametrize(
    ("score", "target", "value"),
    [
        ([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], 0.75),
        ([0.5, 0.5, 0.5, 0.5], [0, 1, 0, 1], 0.5),  # by order of appearance it would be 0.25 or 0.75
        ([0, 1, 1, 1], [0, 0, 1, 1], 0.75),
        ([-np.inf, 0, np.inf], [0, 0, 1], 1.0),
        ([1, 0], [0, 1], 0.0),
    ],
)
def test_auc_counts_ties_half(score, target, value):
    assert training.roc_auc(score, target) == value
    assert training.roc_auc(score[::-1], target[::-1]) == value
    assert training.roc_auc(score, np.array(target, bool)) == value


def test_numbers_by_hand():
    predicted, target = [2.0, 3.0, 5.0], [1.0, 2.0, 3.0]
    assert training.mse(predicted, target) == 2.0
    assert training.mae(predicted, target) == 4 / 3
    assert training.r2(predicted, target) == 1 - 6 / 2
    assert training.explained_variance(predicted, target) == pytest.approx(1 - (2 / 3) / 2)
    assert training.r2([1.0, 1.0], [1.0, 1.0]) == 1
    assert training.r2([1.0, 2.0], [1.0, 1.0]) == 0
    assert training.mse([200], np.array([100], np.uint8)) == 100**2


def test_log_loss_by_hand():
    assert training.log_loss([0.25, 0.5], [0, 1]) == pytest.approx(-(np.log(0.75) + np.log(0.5)) / 2)
    assert str(training.log_loss([[1.0, 0.0]], [0])) == "0.0"
    assert training.log_loss([0.0], [1]) == pytest.approx(-np.log(np.finfo(float).eps))
    assert training.log_loss(np.float32([[1.0, 0.0]]), [1]) == pytest.approx(-np.log(np.finfo("f4").eps))


# --- against scikit-learn ---------------------------------------------------------------------------

labels = st.integers(0, 3)
pairs = st.lists(st.tuples(labels, labels), min_size=1, max_size=30)


@settings(max_examples=40)
@given(pairs, st.sampled_from(["macro", "micro", "binary"]))
def test_counts_agree_with_scikit_learn(pairs, average):
    reference = pytest.importorskip("sklearn.metrics")
    predicted, target = np.array(pairs).T
    if average == "binary":
        predicted, target = predicted % 2, target % 2
    for ours, theirs in (
        (training.precision, reference.precision_score),
        (training.recall, reference.recall_score),
        (training.f1, reference.f1_score),
    ):
        expected = theirs(target, predicted, average=average, zero_division=0, labels=None)
        assert ours(predicted, target, average) == pytest.approx(expected, abs=1e-15)
    assert training.accuracy(predicted, target) == reference.accuracy_score(target, predicted)
    matrix = reference.confusion_matrix(target, predicted, labels=range(4))
    assert np.array_equal(training.confusion_matrix(predicted, target, classes=4), matrix)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40))
def test_auc_agrees_with_scikit_learn_under_ties(samples):
    reference = pytest.importorskip("sklearn.metrics")
    score, target = np.array(samples).T
    if target.min() == target.max():
        with pytest.raises(ValueError, match="at least one of each"):
            training.roc_auc(score, target)
    else:
        assert training.roc_auc(score, target) == pytest.approx(reference.roc_auc_score(target, score))


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(2, 20))
def test_scores_and_numbers_agree_with_scikit_learn(seed, n):
    reference = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    scores, target = rng.normal(size=(n, 5)), rng.integers(0, 5, n)
    for k in (1, 3, 4):
        expected = reference.top_k_accuracy_score(target, scores, k=k, labels=range(5))
        assert training.top_k_accuracy(scores, target, k) == pytest.approx(expected)
    probabilities = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    expected = reference.log_loss(target, probabilities, labels=range(5))
    assert training.log_loss(probabilities, target) == pytest.approx(expected)
    other = rng.normal(size=(n, 5))
    for ours, theirs in (
        (training.mse, reference.mean_squared_error),
        (training.mae, reference.mean_absolute_error),
        (training.r2, reference.r2_score),
        (training.explained_variance, reference.explained_variance_score),
    ):
        assert ours(other, scores) == pytest.approx(theirs(scores, other))
        assert ours(other[:, 0], scores[:, 0]) == pytest.approx(theirs(scores[:, 0], other[:, 0]))


# --- errors -----------------------------------------------------------------------------------------

ON_CLASSES = [
    training.accuracy, training.precision, training.recall, training.f1, training.confusion_matrix,
]  # fmt: skip
ON_NUMBERS = [
    training.mse, training.mae, training.r2, training.explained_variance, training.roc_auc,
]  # fmt: skip
ON_SCORES = [training.top_k_accuracy, training.log_loss]


def name(metric):
    return metric.__name__


@pytest.mark.parametrize("metric", ON_CLASSES + ON_NUMBERS + ON_SCORES, ids=name)
def test_nothing_and_what_does_not_fit_is_refused(metric):
    with pytest.raises(ValueError, match=f"the prediction of {metric.__name__} is empty"):
        metric(np.zeros((0, 2)), np.zeros(0, int))
    with pytest.raises(ValueError, match=f"{metric.__name__} cannot compare a prediction of shape"):
        metric(np.ones((3, 2)) / 2, np.zeros(2, int))
    with pytest.raises(ValueError, match="must hold numbers"):
        metric(np.ones((1, 2)) / 2, ["cat"])


@pytest.mark.parametrize("metric", ON_NUMBERS, ids=name)
def test_a_column_is_not_compared_with_a_row(metric):
    with pytest.raises(ValueError, match=r"\(3, 1\) with a target of shape \(3,\)"):
        metric(np.zeros((3, 1)), np.array([0, 1, 1]))


@pytest.mark.parametrize("metric", ON_CLASSES, ids=name)
def test_scores_are_not_taken_for_classes(metric):
    with pytest.raises(ValueError, match=r"turn scores into classes, as in score > 0\.5"):
        metric([0.3, 0.9], [0, 1])
    with pytest.raises(ValueError, match=r"target of .* must hold classes, which are integers"):
        metric([0, 1], [0.5, 1])
    with pytest.raises(ValueError, match=r"turn scores into classes, as in score > 0\.5"):
        metric([np.inf, 1], [0, 1])
    with pytest.raises(ValueError, match=r"of shape \(2, 1\) has one for each sample; turn scores"):
        metric([[-3.0], [2.0]], [0, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: training.top_k_accuracy([[1, 2]], [0], k=3), "must be from 1 to 2, not 3"),
        (lambda: training.top_k_accuracy([[1, 2]], [2], k=1), "classes 0 to 1, but targets from 2 to 2"),
        (lambda: training.log_loss([[2.0, -1.0]], [0]), "log_loss needs probabilities"),
        (lambda: training.log_loss([[0.2, 0.2]], [0]), "with a sum of 1"),
        (lambda: training.log_loss([[np.nan, 1.0]], [0]), "log_loss needs probabilities"),
        (lambda: training.roc_auc([1.0, np.nan], [0, 1]), "cannot rank scores that are nan"),
        (lambda: training.roc_auc([1.0, 2.0], [1, 2]), "must hold 0 and 1"),
        (lambda: training.r2([1.0], [1.0]), "at least 2 samples"),
        (lambda: training.f1([0, 1], [0, 1], "weighted"), "average of f1 must be"),
        (lambda: training.f1([0, 1, 2], [0, 1, 2]), "two classes, 1 and one other, and there are more"),
    ],
)
def test_what_has_no_meaning_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- the plot ---------------------------------------------------------------------------------------


def test_the_plot_shows_every_count():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    matrix = training.confusion_matrix(PREDICTED, TARGET)
    ax = training.plot_confusion(matrix, ["a", "b", "c"])
    assert [text.get_text() for text in ax.texts] == [str(count) for count in matrix.flat]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "is")
    assert training.plot_confusion(matrix, ax=ax) is ax
    plt.close(ax.figure)
    with pytest.raises(ValueError, match="3 classes but 1 names"):
        training.plot_confusion(matrix, ["a"])
    with pytest.raises(ValueError, match="a confusion matrix must be square"):
        training.plot_confusion([[1, 2]])


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"plot_confusion draws with matplotlib"):
        training.plot_confusion([[1]])
