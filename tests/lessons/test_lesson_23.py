"""Lesson 23: its checks against right answers, stubs and planted mistakes; its networks and their numbers."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import nbformat
import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim
from autodiff.lessons import check
from autodiff.lessons.exercises import lesson_23
from autodiff.lessons.exercises.lesson_23 import patient
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "23_looking_inside.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name
PROSE = "\n".join(cell.source for cell in nbformat.read(LESSON, as_version=4).cells)


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"ad": ad, "np": np, "nn": nn, "check": check}
    exec(cell.source, scope)
    return scope


def printed(holds, path=LESSON):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(path) if holds in cell.source)


# -- the stored notebooks -----------------------------------------------------------------------------------


# -- the networks: what a machine with other last digits would say ------------------------------------------


@pytest.fixture(scope="module")
def lesson():
    """The lesson's functions and its data, as its cells define them."""
    pytest.importorskip("sklearn")
    scope = {"ad": ad, "np": np, "nn": nn, "optim": optim, "data": data}
    for cell in cells(LESSON):
        tree = ast.parse(cell.source)
        if any(word in cell.source for word in ("pictures, digits = data", "few = seen", "by_digit =")):
            kept = tree.body[: next((n for n, p in enumerate(tree.body) if "normed" in ast.unparse(p)), None)]
        else:
            kept = [part for part in tree.body if getattr(part, "name", "dropout") != "dropout"]
        exec(compile(ast.Module(kept, []), "lesson", "exec"), scope)
    return scope


def jittered(net, seed=1, size=1e-7):
    """The parameters, in float32, each moved by about its last digit."""
    rng = np.random.default_rng(seed)
    for p in net.parameters():
        p.assign(p.data * (1 + size * rng.normal(size=p.shape)))
    return net


def test_neither_bad_start_learns_to_read(lesson):
    train, right, build = lesson["train"], lesson["right"], lesson["build"]
    trained = train(jittered(build(0.02)))
    assert right(trained, lesson["unseen"]) == 39
    assert set(trained(lesson["pictures"]).data.argmax(axis=1)) == {3}
    assert np.bincount(lesson["digits"][lesson["seen"]]).argmax() == 3
    for seed in (1, 2, 3):  # by last digits alone it differs so much
        assert 30 < right(train(jittered(build(1), seed)), lesson["unseen"]) < 300
    shown = printed("for size in (0.02, 1):").splitlines()[-2:]
    assert [line.split(": ")[1] for line in shown] == ["under 70 % right"] * 2


def test_the_right_size_reads_97_of_100(lesson):
    count = lesson["right"](lesson["train"](jittered(lesson["build"](0.125))), lesson["unseen"])
    assert f"{count / 500:.0%}" == "97%"
    assert "97% right" in printed("xavier = ")


def test_sizes_layer_by_layer_are_those_shown(lesson):
    size_of = lesson["size_of"]
    tables = [printed("large, large_grads ="), printed('row("size 1", map(size_of, large_grads))')]
    for size, line in ((0.02, 1), (1, 2)):
        both = lesson["look"](jittered(lesson["build"](size)))
        for table, layers in zip(tables, both):
            shown = list(map(float, table.splitlines()[line].split()[2:]))
            assert shown == pytest.approx(list(map(size_of, layers)), rel=0.06)
    there, back = (list(map(size_of, each)) for each in lesson["look"](lesson["build"](0.02)))
    assert f"{there[-1]:.6f}" == "0.000007"
    assert 5 < there[0] / there[1] < 7
    assert 5_000 < back[-1] / back[0] < 20_000
    large, grads = lesson["look"](lesson["build"](1))
    assert 0.65 < np.mean([np.abs(each) > 0.99 for each in large[1:]]) < 0.8
    growths = [size_of(a) / size_of(b) for a, b in pairwise(grads)]
    slopes = [size_of(1 - each**2) for each in large[1:]]
    assert [8 * slope for slope in slopes] == pytest.approx(growths, rel=0.06)
    assert printed("slopes = ") == "local slopes of size 0.27, times 8: 2.2\n"
    good, good_grads = (list(map(size_of, each)) for each in lesson["look"](lesson["build"](0.125)))
    assert max(good) < 2 * min(good)
    assert max(good_grads) < 2 * min(good_grads)


@pytest.mark.parametrize("size", [0.02, 0.125, 1])
def test_a_norm_forgives_a_bad_start(lesson, size):
    table = printed("BatchNorm     LayerNorm")
    row = next(line for line in table.splitlines() if line.split()[:2] == ["size", f"{size:g}"])
    shown = re.findall(r"under 70 %|over 90 %|70 to 90 %", row)
    found = []
    for kind in (None, nn.BatchNorm1d, nn.LayerNorm):
        net = lesson["train"](jittered(lesson["build"](size, kind)), rate=0.01 if size == 0.02 else 0.1)
        share = lesson["right"](net, lesson["unseen"]) / 500
        assert min(abs(share - edge) for edge in (0.7, 0.9)) > 0.02
        found.append(lesson["in_words"](share))
    assert found == shown


def test_small_weights_before_layernorm_want_a_smaller_rate(lesson):
    build, shown = lesson["build"], printed("rate=0.3)").splitlines()
    for seed in (1, 2, 3):
        small = lesson["train"](jittered(build(0.02, nn.LayerNorm), seed), rate=0.3)
        assert lesson["right"](small, lesson["unseen"]) < 330
    usual = lesson["train"](jittered(build(0.125, nn.LayerNorm)), rate=0.3)
    assert lesson["right"](usual, lesson["unseen"]) > 470
    assert [line.split(": ")[1] for line in shown] == ["under 70 %", "over 90 %"]


def test_a_norm_sees_the_direction_of_weights_and_not_their_size(lesson):
    for kind in (nn.BatchNorm1d, nn.LayerNorm):
        small, usual = (lesson["look"](lesson["build"](size, kind))[0] for size in (0.02, 0.125))
        assert all(np.allclose(a, b, atol=0.01) for a, b in zip(small, usual))


def test_forgetting_eval_is_what_the_lesson_shows(lesson):
    net = lesson["train"](jittered(lesson["build"](0.125, nn.BatchNorm1d)))
    kept, shown = net.state_dict(), printed("by_digit = ").splitlines()[1:]
    for line, mode in zip(shown, (False, True)):
        shares = []
        for order in (lesson["unseen"], lesson["by_digit"]):
            net.load_state_dict(kept)
            net.train(mode)
            shares.append(f"{lesson['read'](net, order):.0%}")
        assert line.split()[-2:] == shares
    assert "98 % become 27 %" in PROSE


@pytest.mark.parametrize("p", [0, 0.2, 0.5])
def test_dropout_learns_less_and_reads_better(lesson, p):
    few, wrong, labels = lesson["few"], lesson["wrong"], lesson["labels"]
    net = lesson["train"](jittered(lesson["wide"](p)), rounds=100, chosen=few, targets=labels)
    learned, unseen = lesson["right"](net, few, labels) / 2, lesson["right"](net, lesson["unseen"]) / 5
    by_heart = lesson["right"](net, wrong, labels)
    line = next(line for line in printed("right in the drawer").splitlines() if line.startswith(f"p {p:3}"))
    found = [lesson["about"](learned / 100), f"{round(by_heart, -1)}", lesson["about"](unseen / 100)]
    assert re.findall(r"\d+ %|\d+", line[5:]) == found
    for value, step, margin in ((learned, 5, 0.5), (by_heart, 10, 1), (unseen, 5, 0.5)):
        assert abs((value + step / 2) % step - step / 2) < step / 2 - margin  # no last digit turns it


def test_twice_the_rounds_learn_all_of_it_by_heart(lesson):
    few, labels = lesson["few"], lesson["labels"]
    net = lesson["train"](jittered(lesson["wide"](0)), rounds=200, chosen=few, targets=labels)
    assert lesson["right"](net, few, labels) == 200


def test_the_twenty_layers_are_those_shown(lesson):
    for line, (name, start) in zip(
        printed("def deep").splitlines()[1:],
        (("Xavier", nn.init.xavier_normal_), ("Kaiming", lesson["kaiming"])),
    ):
        values, sizes = np.random.default_rng(0).normal(size=(1000, 64)), []
        for module in lesson["deep"](start):
            values = module(ad.Tensor(values, requires_grad=False)).data
            if isinstance(module, nn.ReLU):
                sizes.append(lesson["size_of"](values))
        shown = list(map(float, line.split()[1:]))
        assert line.split()[0] == name
        assert shown == pytest.approx([sizes[i - 1] for i in (1, 5, 10, 20)], rel=0.01, abs=5e-4)
    assert 2**10 == 1024


# -- 19 size ------------------------------------------------------------------------------------------------


def test_size_takes_what_is_near():
    assert check("23 size", answer("23 size")["my_guess"]).status == "right"
    for guess in (2, 1.9, np.float64(2.1)):
        assert check("23 size", guess).status == "right"
    assert check("23 size", None).status == "not done yet"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        (20, "nothing cancels"),
        (0, "On average"),
        (0.2, "one product"),
        (4, "variance"),
        (0.02, "divided by the root"),
        (10, "the weights are of size 0.2"),
        (7, "The root of 100"),
        ("two", "A number is asked for"),
    ],
)
def test_size_names_the_mistake(guess, kind):
    verdict = check("23 size", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 19 dropout ---------------------------------------------------------------------------------------------


def coins(x, p, rng):
    return rng.random(x.shape) >= p


def dropping(draw=coins, scale=lambda p: 1 / (1 - p), use=lambda x, p: x):
    """A Dropout with one of its parts replaced."""

    def dropout(x, p, training, rng):
        return x * draw(x, p, rng) * scale(p) if training else use(x, p)

    return dropout


def spoiling(x, p, training, rng):
    if training:
        x *= (rng.random(x.shape) >= p) / (1 - p)
    return x


def test_dropout_takes_right_answers():
    def choosing(x, p, training, rng):
        return np.where(rng.random(x.shape) < p, 0, x / (1 - p)) if training else x.copy()

    def by_layer(x, p, training, rng):
        layer = nn.Dropout(p, generator=rng).train(training)
        return layer(ad.Tensor(x))

    for function in (answer("23 dropout")["dropout"], dropping(), choosing, by_layer):
        verdict = check("23 dropout", function)
        assert verdict.status == "right", verdict
    assert check("23 dropout", lambda x, p, training, rng: None).status == "not done yet"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (dropping(scale=lambda p: 1), "stays as it was"),
        (dropping(scale=lambda p: 1 - p), "divide by it"),
        (dropping(scale=lambda p: 1 / p), "a share of 1 - p"),
        (dropping(draw=lambda x, p, rng: rng.random(x.shape) < p), "You keep what should go"),
        (dropping(draw=lambda x, p, rng: 1), "where the coin says so"),
        (dropping(draw=lambda x, p, rng: rng.random(x.shape[1]) >= p), "whole columns"),
        (dropping(draw=lambda x, p, rng: rng.random((len(x), 1)) >= p), "whole rows"),
        (
            dropping(draw=lambda x, p, rng: np.random.default_rng(0).random(x.shape) >= p),
            "drop the same elements",
        ),
        (dropping(draw=lambda x, p, rng: np.random.default_rng().random(x.shape) >= p), "not np.random"),
        (
            dropping(draw=lambda x, p, rng: rng.permutation(x.size).reshape(x.shape) >= p * x.size),
            "drops exactly 10000",
        ),
        (dropping(use=lambda x, p: x * (1 - p)), "return x as it is"),
        (lambda x, p, training, rng: dropping()(x, p, True, rng), "In use something is 0"),
        (lambda x, p, training, rng: (rng.random(x.shape) >= p) / (1 - p), "Multiply x by them"),
        (spoiling, "changed x itself"),
        (lambda x, p, training, rng: 0.5, "of the shape of x"),
        (0.5, "A function is asked for"),
    ],
)
def test_dropout_names_the_mistake(function, kind):
    verdict = check("23 dropout", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 19 patient ---------------------------------------------------------------------------------------------


def test_the_patient_is_ill_where_the_check_says(lesson):
    there, back = (list(map(lesson["size_of"], each)) for each in lesson["look"](patient()))
    assert [size > 0 for size in there] == [True, True, True, False, False, False]
    assert min(there[:3]) > 0.3
    assert [size > 0 for size in back] == [False] * 5 + [True]
    assert lesson_23.BAD == 4
    trained = lesson["train"](jittered(patient()))
    assert lesson["right"](trained, lesson["unseen"]) == 39
    assert printed("net = patient()") == "39 of 500 right\n"


def test_patient_takes_the_right_answer():
    assert check("23 patient", answer("23 patient")["which"]).status == "right"
    assert check("23 patient", None).status == "not done yet"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        (1, "look at its activations"),
        (2, "as large as what comes in"),
        (3, "Go on"),
        (5, "cannot be blamed"),
        (6, "The gradient ends there"),
        (7, "The scores"),
        (0, "There are seven"),
        (8, "There are seven"),
        ("fourth", "A number is asked for"),
    ],
)
def test_patient_names_the_misconception(guess, kind):
    verdict = check("23 patient", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message
