"""Lesson 22: its checks against right answers, stubs and planted mistakes; its numbers; the full run."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim, training
from autodiff.lessons import check, runs
from autodiff.lessons.runs import __main__ as command
from autodiff.lessons.runs import lesson_22, store
from tests.data.samples import write_mnist
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "22_mnist.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name
PROSE = "\n".join(cell.source for cell in nbformat.read(LESSON, as_version=4).cells)


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"data": data, "check": check}
    exec(cell.source, scope)
    return scope


def printed(holds, path=LESSON):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(path) if holds in cell.source)


def defined(*holds):
    """The names that the lesson's cells with these words define, without what they print, plot and train."""
    scope = {"ad": ad, "np": np, "data": data, "nn": nn, "optim": optim, "training": training}
    for words in holds:
        parts = ast.parse(next(cell.source for cell in cells(LESSON) if words in cell.source)).body
        kept = [part for part in parts if not isinstance(part, (ast.Expr, ast.For))]
        exec(compile(ast.Module(kept, []), words, "exec"), scope)
    return scope


# -- the stored notebooks -----------------------------------------------------------------------------------


# -- the loader ---------------------------------------------------------------------------------------------


def loaders():
    """The lesson's two loaders: the one with the mistake, and the repaired one."""
    sources = [cell.source for cell in cells(LESSON) if cell.source.startswith("class Loader")]
    for source in sources:
        scope = {"np": np}
        exec(source.partition("\n\n\nloader = ")[0], scope)
        yield scope["Loader"]


def test_the_first_loader_repeats_itself_and_the_second_does_not():
    pairs = [(i, -i) for i in range(997)]
    first, second = (kind(pairs, 128, seed=0) for kind in loaders())
    for loader, same, seen in ((first, True, 896), (second, False, 997)):
        epochs = [list(loader) for _ in range(10)]
        orders = [np.concatenate([x for x, _ in epoch]) for epoch in epochs]
        assert all(sorted(order) == list(range(997)) for order in orders)
        assert all((x == -y).all() for epoch in epochs for x, y in epoch)
        assert all(np.array_equal(orders[0], order) for order in orders[1:]) is same
        assert len(set(np.concatenate([order[:896] for order in orders]))) == seen
        assert len(loader) == len(epochs[0]) == 8
    assert np.array_equal(np.concatenate([x for x, _ in next(loaders())(pairs, 128, seed=0)]), orders[0])


def test_the_loaders_numbers_in_the_prose():
    assert printed("shapes[-1]") == "32 batches, of shapes (32, 8, 8) ... (5, 8, 8)\n"
    wrong, mended = (said(cell) for cell in cells(LESSON) if "ever_seen(Loader" in cell.source)
    assert wrong == "896 of 997\n"
    assert mended.endswith("997 of 997\n")


# -- the training -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lesson():
    """The lesson's data, loaders and network, made by its own cells."""
    pytest.importorskip("sklearn")
    return defined(
        "class Pictures", "FULL =", "train, validation =", "ink = np.stack", "class Transformed",
        "def make():", "def right",
    )  # fmt: skip


def fit(lesson, epochs, jitter=None, **options):
    """A training of the lesson; with a jitter each weight is moved by about its last digit, as another
    machine's arithmetic might do."""
    model = lesson["make"]()
    if jitter is not None:
        rng = np.random.default_rng(jitter)
        for p in model.net.parameters():
            p.data = p.data * (1 + 1.2e-7 * rng.integers(-1, 2, p.shape)).astype(np.float32)
    learning = lesson["batches"](lesson["train"], lesson["normalize"])
    history = model.fit(learning, epochs, validation=lesson["unseen"], metrics=[lesson["right"]], **options)
    return model, history


@pytest.mark.parametrize("jitter", [None, 1, 2])
def test_the_early_stop_is_the_same_on_every_machine(lesson, jitter):
    stopping = training.EarlyStopping("val_loss", patience=5, restore_best=True)
    model, history = fit(lesson, 100, jitter, callbacks=[stopping])
    said_ = f"ended after epoch {len(history)} of 100, best was {stopping.best_epoch}\n"
    said_ += f"{lesson['count'](model, lesson['unseen'])} of 300 right\n"
    assert printed("training.EarlyStopping") == said_
    drawer = lesson["judging"](lesson["drawer"], lesson["normalize"])
    assert printed("answers = said.argmax") == f"{lesson['count'](model, drawer) / 5:.0f} % of 500\n"


def test_the_mean_of_means_depends_on_the_order_and_the_true_mean_does_not():
    lowest, highest = zip(*[line.split()[-2:] for line in printed("def mean_of_means").splitlines()[1:]])
    assert float(highest[0]) > 1.5 * float(lowest[0])
    assert highest[1] == lowest[1]


def test_what_is_said_of_the_transforms():
    _, *rows = printed("trials = {").splitlines()
    found = {row[:13].strip(): (row[13:28].strip(), row[29:]) for row in rows}
    assert found == {
        "none": ("70 to 85 %", "over 95 %"),
        "Normalize": ("85 to 95 %", "over 95 %"),
        "flipped": ("0 to 70 %", "85 to 95 %"),
        "moved": ("0 to 70 %", "85 to 95 %"),
    }


def test_the_nudge_is_the_prose_s():
    nudge, walked = re.findall(r"\d\.\d{3}", printed("by_nudge ="))
    assert nudge == walked
    assert f"moves the loss of the batch up by {float(nudge) / 100:.5f}" in PROSE


# -- the full run -------------------------------------------------------------------------------------------

RUN = runs.stored("22")


def test_the_stored_run_reads_mnist_at_98_percent():
    right = RUN["test_right"]
    assert len(right) == len(RUN["loss"]) == len(RUN["test_loss"]) == len(runs.TINYNN) == 20
    assert right[0] >= 9600
    assert right[-1] >= 9800
    assert (store.RESULTS / "mnist_22.npz").stat().st_size < 50 * 1024


def test_the_stored_run_has_what_the_prose_says():
    right, wrong = RUN["test_right"], RUN["confusion"] * (1 - np.eye(10, dtype=int))
    assert "98.20 % and 98.19 %" in PROSE
    assert (right[-1], round(runs.TINYNN[-1] * 10_000)) == (9820, 9819)
    ahead = np.mean(runs.TINYNN) * 10_000 - right.mean()
    assert f"tinynn is {ahead:.0f} pictures ahead on average" in PROSE
    for accuracies in (right / 10_000, runs.TINYNN):
        assert 0.0009 < np.abs(np.diff(accuracies))[7:].mean() < 0.0015  # a dozen or so
    assert "180 mistakes. Ten 4s and ten 3s were taken for 9s" in PROSE
    assert (wrong.sum(), wrong[4, 9], wrong[3, 9], wrong.max()) == (180, 10, 10, 10)
    assert wrong.sum(axis=1).argmax() == 3
    assert wrong.sum(axis=1).max() == 30
    assert "a chance above 0.999 in all twelve" in PROSE
    assert RUN["chance_said"].min() > 0.999
    assert "lowest after epoch 8, 0.07, and then it rose to 0.10" in PROSE
    assert RUN["test_loss"].argmin() + 1 == 8
    assert [f"{RUN['test_loss'][epoch]:.2f}" for epoch in (7, 19)] == ["0.07", "0.10"]
    assert abs(right[7] - right[19]) <= 10


def test_the_stored_run_agrees_with_itself():
    assert RUN["confusion"].sum() == 10_000
    assert np.trace(RUN["confusion"]) == RUN["test_right"][-1]
    assert RUN["picture"].shape == (12, 28, 28)
    assert RUN["picture"].dtype == np.uint8
    assert (RUN["is"] != RUN["said"]).all()
    assert (np.diff(RUN["chance_said"]) <= 0).all()
    assert (RUN["chance_is"] < RUN["chance_said"]).all()
    assert all(RUN["confusion"][pair] for pair in zip(RUN["is"], RUN["said"]))


def test_the_worst_mistakes_are_pictures_of_the_test_set():
    try:
        test = data.MNIST(train=False, download=False)
    except data.DownloadError:
        pytest.skip("MNIST is not here")
    for picture, digit in zip(RUN["picture"], RUN["is"]):
        found = np.flatnonzero((test.data == picture).all(axis=(1, 2)))
        assert test.targets[found].tolist() == [digit]


def test_a_full_run_stores_what_it_says(tmp_path, monkeypatch, capsys):
    write_mnist(tmp_path / "mnist", train=300, test=60)
    monkeypatch.setenv("AUTODIFF_DATA", str(tmp_path))
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    monkeypatch.setitem(store.RUNS, "18", ("small", lambda: lesson_22.mnist(epochs=2)))
    assert command.main(["18"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    small = runs.stored("22")
    assert set(small) == set(RUN)
    assert len(small["test_right"]) == 2
    assert np.trace(small["confusion"]) == small["test_right"][-1]
    again = lesson_22.mnist(epochs=2)
    assert all(np.array_equal(small[name], again[name]) for name in small)


@pytest.mark.parametrize("names", [[], ["17"]])
def test_a_full_run_of_another_lesson_is_refused(names):
    command = [sys.executable, "-m", "autodiff.lessons.runs", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "name one or more lessons: 18\n")


def test_the_surest_mistakes_come_first():
    chances = np.array([[0.9, 0.1], [0.4, 0.6], [0.8, 0.2], [0.3, 0.7]])
    found = lesson_22.mistakes(chances, np.array([1, 0, 0, 0]), np.arange(4), count=2)
    assert found["picture"].tolist() == [0, 3]
    assert found["said"].tolist() == [0, 1]
    assert found["chance_said"].tolist() == [0.9, 0.7]
    assert found["chance_is"].tolist() == [0.1, 0.3]
    assert found["confusion"].tolist() == [[1, 2], [1, 0]]


# -- 18 mean ------------------------------------------------------------------------------------------------


def test_mean_takes_the_mean_of_the_means():
    assert check("22 mean", answer("22 mean")["my_guess"]).status == "right"
    for guess in (75, 0.75, 75.0, np.float64(75)):
        assert check("22 mean", guess).status == "right"
    assert check("22 mean", None).status == "not done yet"
    assert "mean of the means 75%, right is 99%" in printed("shares =")


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        (99, "the true share"),
        (0.99, "the true share"),
        (1, "The fourth counts"),
        (74.25, "100 % each"),
        (50, "four shares"),
        (300, "divides it by four"),
        (0, "last batch alone"),
        (42, "Write down the share"),
        ("most", "A number is asked for"),
    ],
)
def test_mean_names_the_misconception(guess, kind):
    verdict = check("22 mean", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 18 windows ---------------------------------------------------------------------------------------------


def windows(count=lambda n, w: n - w, window=lambda i, w: (i, i + w), after=lambda i, w: i + w, joined=None):
    """A dataset of windows with some part of it different."""

    class Windows(data.Dataset):
        def __init__(self, numbers, width):
            self.numbers, self.width = numbers, width

        def __len__(self):
            return count(len(self.numbers), self.width)

        def __getitem__(self, index):
            begin, end = window(index, self.width)
            parts = self.numbers[begin:end], self.numbers[after(index, self.width)]
            return parts if joined is None else joined(*parts)

    return Windows


class Forgetful:
    """Keeps its numbers in the class, where every dataset finds those of the last one."""

    def __init__(self, numbers, width):
        Forgetful.numbers, Forgetful.width = numbers, width

    def __len__(self):
        return len(self.numbers) - self.width

    def __getitem__(self, index):
        return self.numbers[index : index + self.width], self.numbers[index + self.width]


class Plain:
    """Right, without the base class, and with everything cut beforehand."""

    def __init__(self, numbers, width):
        self.pairs = [(list(numbers[i - width : i]), float(numbers[i])) for i in range(width, len(numbers))]

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        return np.array(self.pairs[index][0]), self.pairs[index][1]


class Stub(data.Dataset):
    def __init__(self, numbers, width):
        pass

    def __len__(self):
        pass

    def __getitem__(self, index):
        pass


def test_windows_takes_right_answers():
    for kind in (answer("22 windows")["Windows"], windows(), Plain):
        verdict = check("22 windows", kind)
        assert verdict.status == "right", verdict


@pytest.mark.parametrize(
    ("kind", "mistake"),
    [
        (windows(count=lambda n, w: n), "beyond the end"),
        (windows(count=lambda n, w: n - w + 1), "nothing to predict"),
        (windows(count=lambda n, w: n - w - 1), "One more fits"),
        (windows(count=lambda n, w: n // w), "The windows overlap"),
        (windows(after=lambda i, w: i + w - 1), "it was seen"),
        (windows(after=lambda i, w: i + w + 1), "One number was skipped"),
        (windows(after=lambda i, w: slice(i + w, i + w + 1)), "a single number"),
        (windows(window=lambda i, w: (i, i + w + 1)), "one number too many"),
        (windows(window=lambda i, w: (i, i + w - 1)), "one number too few"),
        (windows(window=lambda i, w: (i * w, i * w + w)), "the next one begins one place later"),
        (windows(window=lambda i, w: (i + 1, i + 1 + w)), "That is the next window"),
        (windows(joined=lambda window, after: (after, window)), "The window comes first"),
        (windows(joined=lambda window, after: window.tolist()[0]), "A sample is a pair"),
        (windows(joined=lambda window, after: [*window, after]), "A sample is a pair"),
        (windows(after=lambda i, w: len("seven!!")), "IndexError"),
        (Forgetful, "Keep them in self"),
        (len, "A class is asked for"),
    ],
)
def test_windows_names_the_mistake(kind, mistake):
    verdict = check("22 windows", kind)
    assert verdict.status == "wrong"
    assert mistake in " ".join(verdict.message.split())


def test_windows_tells_a_stub_from_a_mistake():
    assert check("22 windows", Stub).status == "not done yet"
    half = windows(joined=lambda window, after: None)
    assert check("22 windows", half).status == "not done yet"


# -- 18 stop ------------------------------------------------------------------------------------------------


def stop(losses, patience, better=lambda loss, best: loss < best, start=1, late=0, total=False, last=False):
    best, waited = float("inf"), 0
    for epoch, loss in enumerate(losses, start):
        if better(loss, best):
            best = loss
            waited = waited if total else 0
        else:
            waited += 1
        best = loss if last else best
        if waited >= patience + late:
            return epoch
    return len(losses) + start - 1


def early(losses, patience):
    """The package's, on a network that is told these losses."""
    net, told = nn.Linear(1, 1), iter(losses)
    model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.1))
    stopping = training.EarlyStopping("told", patience=patience)
    metrics = {"told": lambda prediction, target: next(told)}
    return len(model.fit([([[0.0]], [[0.0]])], len(losses), metrics=metrics, callbacks=[stopping]))


def popping(losses, patience):
    ended = stop(losses, patience)
    del losses[ended:]
    return ended


def test_stop_takes_right_answers():
    for function in (answer("22 stop")["stop"], stop, early):
        verdict = check("22 stop", function)
        assert verdict.status == "right", verdict


@pytest.mark.parametrize(
    ("function", "mistake"),
    [
        (lambda losses, p: stop(losses, p, last=True), "Compare with the best so far"),
        (lambda losses, p: stop(losses, p, total=True), "Only those in a row count"),
        (lambda losses, p: stop(losses, p, lambda a, b: a <= b), "As good as the best is not better"),
        (lambda losses, p: stop(losses, p, late=1), "One epoch too late"),
        (lambda losses, p: stop(losses, p, late=-1), "One epoch too early"),
        (lambda losses, p: stop(losses, p, start=0), "counted from 1"),
        (lambda losses, p: min(len(losses), stop([*losses, -1], p, start=0)), "counted from 1"),
        (
            lambda losses, p: ended if (ended := stop([*losses, -1], p)) <= len(losses) else None,
            "after the loop",
        ),
        (lambda losses, p: losses.index(min(losses)) + 1, "the best epoch of all"),
        (lambda losses, p: losses.index(min(losses[: stop(losses, p)])) + 1, "That is the best epoch."),
        (lambda losses, p: stop(losses, p, lambda a, b: b == float("inf") or a > b), "The sign is turned"),
        (lambda losses, p: len(losses), "It never stops"),
        (lambda losses, p: 1, "with a pencil"),
        (popping, "changed the list"),
        (lambda losses, p: "soon", "A number is asked for"),
        (3, "A function is asked for"),
    ],
)
def test_stop_names_the_mistake(function, mistake):
    verdict = check("22 stop", function)
    assert verdict.status == "wrong"
    assert mistake in " ".join(verdict.message.split())


def test_stop_tells_a_stub_from_a_mistake():
    assert check("22 stop", lambda losses, patience: None).status == "not done yet"


def test_the_prose_s_example_of_stop():
    assert "`stop([5, 4, 6, 7, 8, 3], 3)` is 5" in PROSE
    assert stop([5, 4, 6, 7, 8, 3], 3) == 5
