"""Lesson 36: the numbers of its prose, students that never saw a three, the stored run and its command."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim
from autodiff_course import runs
from autodiff_course.checking import find_exercise
from autodiff_course.runs import __main__ as command
from autodiff_course.runs import lesson_36, store
from tests.course.stored import cells, lesson_path, prose, said
from tests.data.samples import write_mnist

LESSON = lesson_path("36")
PROSE = prose(LESSON)
RUN = runs.stored("36")
errors_apart = find_exercise("36 errors").table.answer()


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def defined(*holds, **names):
    """The names that the cells with these words define, with the functions that the reader writes."""
    given = {name: getattr(lesson_36, name) for name in ("softened", "distillation")}
    shown = {"draw": lambda *_, **__: None, "show_soft": lambda *_: None}
    names = {"np": np, "ad": ad, "nn": nn, "optim": optim, "data": data, **given, **shown, **names}
    for words in holds:
        exec(next(cell.source for cell in cells(LESSON) if words in cell.source), names)
    return names


@pytest.fixture(scope="module")
def names():
    """The lesson as far as the student that is to learn."""
    pytest.importorskip("sklearn")
    found = defined("def learn(", "teacher = nn.Sequential(", "taught = scores_of", "def student(")
    source = next(cell.source for cell in cells(LESSON) if "def without_threes(" in cell.source)
    exec(source.partition("\nalone, with_teacher")[0], found)
    return found


# -- the small digits ---------------------------------------------------------------------------------------


def test_the_teacher_is_near_490(names):
    found = names["right"](names["teacher"], names["drawer"], (1, 8, 8))
    assert printed("teacher = nn.Sequential(") == f"{found} of 500 right\n"
    assert found > 485


def test_the_numbers_of_pictures_are_those_of_the_prose(names):
    assert f"the {len(names['others']):,} others" in PROSE
    assert f"The drawer has {len(names['threes'])} threes" in PROSE
    assert not (names["digits"][names["others"]] == 3).any()


def test_the_multiplications_are_counted_right():
    small = 8 * 8 * 16 * 9, 4 * 4 * 32 * 16 * 9, 128 * 10
    large = 28 * 28 * 8 * 25, 14 * 14 * 16 * 8 * 25, 784 * 10
    assert f"{sum(small):,} multiplications and the student {64 * 30 + 300:,}" in PROSE
    assert f"{784 * 30 + 300:,} multiplications, and the teacher {sum(large):,}" in PROSE
    nets = lesson_36.convnet(), lesson_36.student(0, 784)
    assert [sum(p.size for p in net.parameters()) for net in nets] == RUN["numbers"].tolist()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_student_with_a_teacher_reads_threes_it_has_never_seen(names, seed):
    alone = names["without_threes"](names["labels_alone"], seed)
    taught = names["without_threes"](lesson_36.distillation, seed)
    assert names["right"](alone, names["threes"]) == 0
    assert names["right"](taught, names["threes"]) > 24


def test_without_the_square_the_teacher_is_not_heard(names, capsys):
    net = names["without_threes"](lesson_36.distillation)
    defined("def no_square(", **{**names, "with_teacher": net})
    assert capsys.readouterr().out == printed("def no_square(")
    ratio, taught, all_threes, unheard, _ = map(int, re.findall(r"\d+", printed("def no_square(")))
    labels = np.eye(10)[names["digits"][names["seen"]]]
    scores = names["scores_of"](names["student"](0), names["pictures"][names["seen"]])
    large = np.abs(lesson_36.softened(scores, 1) - labels).sum()
    small = np.abs(lesson_36.softened(scores, 20) - names["soft"]).sum() / 20
    assert abs(large / small - 160) < 5
    assert f"({ratio} times smaller is for this student; for one before training" in PROSE
    assert "it is some 160 times.)" in PROSE
    assert taught > all_threes / 2 > 5 * unheard


@pytest.mark.thorough
def test_labels_alone_are_better_than_with_the_teacher(names, capsys):
    found = defined("def teacher_alone(", **names)
    assert capsys.readouterr().out == printed("def teacher_alone(")
    labels, both = found["marks"]["labels"], found["marks"]["both"]
    assert 6 < np.mean(labels) - np.mean(both) < 13  # some ten
    assert {round(np.std(counts, ddof=1)) for counts in (labels, both)} <= {2, 3, 4}
    assert errors_apart(labels, both) > 3


def students(names, loss, temperature=20, hidden=30, epochs=12, rows=slice(None), taught=None):
    """Students from the five seeds, who learn from these rows of the pictures with labels."""
    soft = lesson_36.softened(names["taught"] if taught is None else taught, temperature)[rows]
    pictures, digits = (names[name][names["seen"][rows]] for name in ("pictures", "digits"))
    found = []
    for seed in range(5):
        ad.seed(seed)
        net = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, 10)).double()
        found.append(names["learn"](net, loss, pictures, soft, digits, epochs=epochs, seed=seed))
    return found


def mean_right(names, nets, rows="drawer"):
    """How many of the pictures they read, on average."""
    return np.mean([names["right"](net, names[rows]) for net in nets])


def at(temperature, alpha=0.9):
    """The loss of a student with a teacher, with these settings."""
    return lambda *arrays: lesson_36.distillation(*arrays, temperature=temperature, alpha=alpha)


@pytest.mark.thorough
def test_a_wider_student_with_a_teacher_is_less_behind(names):
    behind = []
    for hidden in (10, 30, 100, 300):
        kinds = [students(names, loss, hidden=hidden) for loss in (lesson_36.hard_alone, at(20))]
        labels, both = (mean_right(names, nets) for nets in kinds)
        behind.append(f"{labels - both:.0f}")
        if hidden == 30:
            labels, both = (mean_right(names, nets, "seen") for nets in kinds)
            assert f"*both* read {both:,.0f} on average, and *labels* {labels:,.0f}." in PROSE
    assert f"labels alone are ahead by {', '.join(behind[:3])} and {behind[3]} digits" in PROSE


@pytest.mark.thorough
def test_lower_temperatures_are_better_for_these_students(names):
    found = {t: f"{mean_right(names, students(names, at(t), temperature=t)):.0f}" for t in (1, 3, 8, 20)}
    assert f"T = 3 brings the mean of *both* to {found[3]}, and T = 1 to {found[1]}." in PROSE
    (path,) = LESSON.parent.glob("solutions/36_*.ipynb")
    assert (
        f"*both* reads {found[1]} at T = 1, {found[3]} at 3, {found[8]} at 8 and {found[20]} at 20"
    ) in prose(path)


def test_with_the_square_the_labels_are_drowned_out(names):
    labels = np.eye(10)[names["digits"][names["seen"]]]
    times = {}
    for epochs in (0, 12):
        for net in students(names, at(20), epochs=epochs):
            scores = names["scores_of"](net, names["pictures"][names["seen"]])
            soft_part = 0.9 * 20 * (lesson_36.softened(scores, 20) - names["soft"])
            label_part = 0.1 * (lesson_36.softened(scores, 1) - labels)
            times.setdefault(epochs, []).append(np.abs(soft_part).sum() / np.abs(label_part).sum())
    assert f"{np.mean(times[0]):.0f} times those of the label part before training, and almost 50" in PROSE
    assert 45 < min(times[12]) < max(times[12]) < 50


def test_at_a_high_temperature_the_student_copies_the_scores(names):
    net = students(names, at(20), epochs=0)[0]
    scores, taught = names["scores_of"](net, names["pictures"][names["seen"]]), names["taught"]
    slopes = 20 * (lesson_36.softened(scores, 20) - names["soft"])
    apart = scores - taught
    apart -= apart.mean(axis=1, keepdims=True)
    assert np.corrcoef(slopes.ravel(), apart.ravel())[0, 1] > 0.97


@pytest.mark.thorough
def test_a_teacher_pays_where_labels_are_dear(names, capsys):
    found = defined("def teacher_alone(", "few = seen", **names)
    assert capsys.readouterr().out.endswith(printed("few = seen"))
    few, taught = found["marks"]["130 labels"], found["marks"]["teacher"]
    assert errors_apart(taught, few) > 3
    source = next(cell.source for cell in cells(LESSON) if "teacher = nn.Sequential(" in cell.source)
    other = names | {"nn": nn, "squares": None}
    exec(source.partition("squares =")[0], other)
    squares = names["squares"]
    learned = names["learn"](
        other["teacher"], nn.cross_entropy, squares[:130], names["digits"][names["seen"][:130]],
        epochs=120, seed=0, rate=0.003,
    )  # fmt: skip
    own = names["right"](learned, names["drawer"], (1, 8, 8))
    nets = students(names, at(20, alpha=1), taught=names["scores_of"](learned, squares))
    assert f"from the 130 reads {own}, and its students read {mean_right(names, nets):.0f}:" in PROSE
    assert mean_right(names, nets) < np.mean(few)


def test_a_student_knows_more_of_the_three_than_it_says(names):
    net = names["without_threes"](lesson_36.distillation)
    pictures, digits = (names[name][names["drawer"]] for name in ("pictures", "digits"))
    scores = names["scores_of"](net, pictures)
    assert not (scores[digits != 3].argmax(axis=1) == 3).any()
    assert printed("said = scores_of(with").endswith("other digits that it calls a 3: 0\n")
    threes = scores.copy()
    threes[:, 3] += 2
    said = threes.argmax(axis=1) == 3
    (path,) = LESSON.parent.glob("solutions/36_*.ipynb")
    assert f"reads {said[digits == 3].sum()} of the 39 threes, and calls one other digit a 3" in prose(path)
    assert said[digits != 3].sum() == 1


def test_the_nudge_agrees_with_the_gradient():
    gradient, moved = map(float, re.findall(r"-?\d+\.\d{3,}", printed("bias.grad[5]")))
    assert gradient != 0
    assert abs(moved / 0.01 - gradient) < 0.01


def test_the_slope_falls_as_the_square_of_the_temperature():
    rng = np.random.default_rng(0)
    scores, others = rng.normal(size=(2, 50, 10))
    sizes = []
    for t in (100, 1000):
        soft = lesson_36.softened(others, t)
        sizes.append(np.abs(lesson_36.softened(scores, t) - soft).sum() / t)
    assert sizes[0] / sizes[1] == pytest.approx(100, rel=0.02)


# -- the stored run -----------------------------------------------------------------------------------------


def test_the_stored_run_has_what_the_prose_says():
    labels, both, _ = RUN["right"]
    assert f"{labels.mean():,.0f} against {both.mean():,.0f} on average" in PROSE
    alone, taught = RUN["threes_without"]
    assert f"between {taught.min()} and {taught.max()} of the {RUN['all_threes']:,} threes" in PROSE
    assert not alone.any()
    assert RUN["right_without"][1].min() > RUN["right_without"][0].max()
    assert "about a minute and a half" in PROSE
    assert 1.2 < RUN["seconds"] / 60 < 1.8
    assert RUN["right"].shape == RUN["threes"].shape == (3, len(lesson_36.SEEDS))
    assert (lesson_36.TAUGHT, lesson_36.SEEN) == (60_000, 20_000)
    assert (store.RESULTS / "lesson_36.npz").stat().st_size < 10_000


def test_a_full_run_stores_what_it_says(tmp_path, monkeypatch, capsys):
    write_mnist(tmp_path / "mnist", train=300, test=60)
    monkeypatch.setenv("AUTODIFF_DATA", str(tmp_path))
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    monkeypatch.setattr(lesson_36, "SEEDS", range(2))
    full, learn, has_threes = lesson_36.run, lesson_36.learn, []

    def spied(net, loss, pictures, *targets, **settings):
        has_threes.append(bool((targets[-1] == 3).any()))
        return learn(net, loss, pictures, *targets, **settings)

    monkeypatch.setattr(lesson_36, "learn", spied)
    monkeypatch.setattr(lesson_36, "run", lambda: full(taught=200, seen=150, epochs=(1, 1)))
    assert command.main(["36"]) == 0
    small = store.read_npz(tmp_path / "lesson_36.npz")
    assert set(small) == set(RUN)
    assert small["right"].shape == (3, 2)
    assert small["right_without"].shape == (2, 2)
    assert has_threes == [True] * 7 + [False] * 4  # a teacher, three kinds, and two without threes
    assert capsys.readouterr().out.startswith(f"teacher: {small['right_teacher']} of 60 right")


def test_the_run_needs_mnist_and_says_where_it_comes_from(monkeypatch):
    def missing(**_):
        raise data.DownloadError("not here")

    monkeypatch.setattr(data, "MNIST", missing)
    with pytest.raises(FileNotFoundError, match=r"autodiff\.data\.MNIST\(\)"):
        lesson_36.run()


def test_the_cell_and_the_command_train_the_same_network(names):
    rows = names["pictures"][names["seen"][:200]]
    soft, labels = names["soft"][:200], names["digits"][names["seen"][:200]]
    settings = {"epochs": 2, "seed": 3, "rate": 0.005, "size": 32}
    nets = [
        learn(student, lesson_36.distillation, rows, soft, labels, **settings)
        for learn, student in (
            (names["learn"], names["student"](3)),
            (lesson_36.learn, lesson_36.student(3, 64).double()),
        )
    ]
    one, other = (net(rows).numpy() for net in nets)
    assert np.array_equal(one, other)
