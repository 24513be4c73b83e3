"""Lesson 31: the numbers of its prose, the painter's training, and the stored run."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn, optim, training
from autodiff_course import runs
from autodiff_course.runs import lesson_31, store
from tests.course.stored import cells, lesson_path, prose, said

pytest.importorskip("sklearn")
pytest.importorskip("PIL")

LESSON = lesson_path("31")
PROSE = prose(LESSON)
RUN = runs.stored("31")


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def defined(*holds, **names):
    """What the cells with these words define, without what they show."""
    names = {"np": np, "ad": ad, "nn": nn, "optim": optim, "training": training, **names}
    for words in holds:
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        exec(source.partition("\nshow_paintings(")[0].partition("\ndraw(")[0], names)
    return names


@pytest.fixture(scope="module")
def lesson():
    """The names of the lesson before the first training."""
    photo = lesson_31.photograph()
    small = lesson_31.shrunk(photo, 8)
    sizes = dict(zip(("height", "width"), small.shape, strict=False))
    known = {"photo": photo, "small": small, **sizes, "places": lesson_31.places, "lesson_31": lesson_31}
    return defined("def painter", "where = places", "def paint(", "class Gallery", **known)


# -- the photograph and the network -------------------------------------------------------------------------


def test_the_prose_names_the_sizes(lesson):
    assert lesson["photo"].shape == (427, 640, 3)
    assert "427 rows of 640 pixels" in PROSE
    assert lesson["small"].shape == (53, 80, 3)
    assert f"{53 * 80:,} examples" in PROSE
    assert f"all {427 * 640:,} pixels" in PROSE
    assert f"{len(RUN['parameters']):,} numbers to learn" in PROSE
    assert round(lesson["photo"].size / len(RUN["parameters"])) == 50
    assert "50 times fewer numbers" in PROSE


def test_the_places_of_a_picture_of_two_by_two_pixels():
    found = lesson_31.places(2, 2).tolist()
    said_so = re.findall(r"\((−?0\.5), (−?0\.5)\)", PROSE)
    assert [[float(n.replace("−", "-")) for n in pair] for pair in said_so] == found


def test_the_cell_and_the_run_have_the_same_network(lesson):
    ad.seed(0)
    ours = lesson_31.painter()
    assert str(ours) == str(lesson["painter"]())
    for one, other in zip(ours.parameters(), lesson["painter"]().parameters(), strict=True):
        assert np.array_equal(one.data, other.data)


def test_an_untrained_painter_paints_grey(lesson):
    assert printed("first = paint(").startswith("every colour between 0.4 and 0.6: True")
    assert abs(lesson["paint"](lesson["painter"](), 53, 80) - 0.5).max() < 0.1


# -- training -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_errors_lie_well_within_their_bounds(lesson, monkeypatch, seed):
    real = ad.seed
    monkeypatch.setattr(ad, "seed", lambda _: real(seed))
    names = defined("rows, columns = np.mgrid", **lesson)
    assert names["error"](names["ours"], names["where"]) < 0.018  # the lesson says 0.02
    assert names["error"](names["theirs"], names["pixels"]) > 0.04  # the lesson says 0.03


def test_the_errors_are_as_the_lesson_says():
    assert "error below 0.012: True" in printed("gallery = Gallery()")
    assert "error below 0.02: True" in printed("rows, columns")
    assert "error above 0.03: True" in printed("rows, columns")
    assert printed("colours - colours.mean") == "'0.103'"


def test_the_lines_of_the_first_layer_pass_close_to_the_corner(lesson):
    first = lesson["painter"]()[0]
    distances = abs(first.bias.data) / np.linalg.norm(first.weight.data, axis=1)
    assert len(distances) == 30
    assert "at a distance below 2.6, and half of them below 0.5" in PROSE
    assert distances.max() < 2.6
    assert np.median(distances) < 0.5


# -- the stored run -----------------------------------------------------------------------------------------


def test_the_stored_run_is_small_and_whole():
    assert (store.RESULTS / "lesson_31.npz").stat().st_size < 100 * 1024
    assert RUN["sketches"].shape == (len(lesson_31.KEPT), 43, 64, 3)
    assert len(RUN["loss"]) == lesson_31.EPOCHS
    assert (np.diff(RUN["loss"]) < 0).all()
    assert "It took ten minutes" in PROSE
    assert abs(RUN["seconds"] / 60 - 10) < 1


def test_the_error_of_the_stored_painter_is_its_own():
    photo = lesson_31.photograph()
    painting = lesson_31.painted(lesson_31.kept_painter(RUN["parameters"]), 427, 640)
    assert np.mean((painting - photo) ** 2) == pytest.approx(RUN["error"], rel=1e-3)
    assert f"error {RUN['error']:.4f}" in printed("run['error']")
    small = lesson_31.shrunk(photo, 8)
    on_the_copy = np.mean((lesson_31.painted(lesson_31.kept_painter(RUN["parameters"]), 53, 80) - small) ** 2)
    assert f"on the small copy {on_the_copy:.3f}" in printed("run['error']")
    assert on_the_copy < RUN["error"] / 4
    assert RUN["error"] == pytest.approx(RUN["loss"][-1], rel=0.01)  # float16 is exact enough


def test_a_nudge_of_a_place_agrees_with_its_gradient():
    text = printed("def brightness")
    gradient, moved = float(re.search(r"gradient (\S+)", text)[1]), float(text.split()[-1])
    assert abs(moved / 0.001 / gradient - 1) < 0.03


def test_far_out_the_painter_is_straight():
    assert printed("far = np.array") == "the three steps are equal up to 0.1 %: True\n"
    far = np.array([[1000, 0], [2000, 0], [3000, 0], [4000, 0]], np.float32)
    with ad.no_grad():
        steps = np.diff(lesson_31.kept_painter(RUN["parameters"])[:-1](far).numpy(), axis=0)
    assert np.allclose(steps, steps[0], rtol=1e-3)
    assert abs(steps).min() > 1


def test_the_command_trains_in_small_what_it_trains_in_full():
    found = lesson_31.run(k=20, epochs=2)
    assert found["sketches"].shape == (2, 43, 64, 3)
    assert found["epochs"].tolist() == [1, 2]
    assert found["loss"][1] < found["loss"][0]
    assert {*found, "seconds", "code"} == set(RUN)
    assert found["parameters"].shape == RUN["parameters"].shape
