"""Lesson 38: the numbers of its prose, and the same network in other programs."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, training
from autodiff_course import machine, runs
from autodiff_course.runs import lesson_38, store
from tests.course.stored import cells, lesson_path, prose, said

pytestmark = pytest.mark.filterwarnings("ignore")  # whatever the libraries warn of while they are imported

LESSON = lesson_path("38")
PROSE = prose(LESSON)
RUN = runs.stored("38")
ARRAYS = [RUN[name] for name in lesson_38.NAMES]
STEPS = [
    ("matmul", ["x", "W1"], "v1"),
    ("add", ["v1", "b1"], "v2"),
    ("tanh", ["v2"], "v3"),
    ("matmul", ["v3", "W2"], "v4"),
    ("add", ["v4", "b2"], "v5"),
]


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


@pytest.fixture(scope="module")
def drawer():
    pytest.importorskip("sklearn")
    pictures, digits = data.digits()
    places = np.random.default_rng(0).permutation(len(pictures))[1297:]
    return pictures[places], digits[places]


@pytest.fixture(scope="module")
def mine(drawer):
    """The scores of the stored network for the pictures in the drawer, by NumPy in float64."""
    W1, b1, W2, b2 = (array.astype(np.float64) for array in ARRAYS)
    return np.tanh(drawer[0] @ W1 + b1) @ W2 + b2


# -- your machine, the list, the package --------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_counts_of_the_lesson_are_much_the_same_from_other_starts(drawer, monkeypatch, seed):
    real, names = np.random.default_rng, vars(machine.after(38))
    monkeypatch.setattr(np.random, "default_rng", lambda _: real(seed))
    pictures, digits = data.digits()
    seen = real(0).permutation(len(pictures))[:1297]
    net = lesson_38.trained(names, pictures[seen], digits[seen])
    x, meant = drawer
    W1, b1, W2, b2 = (p.data for p in names["parameters"](net))
    right, wrong = np.tanh(x @ W1 + b1) @ W2 + b2, np.tanh(x @ W1.T + b1) @ W2 + b2
    assert (right.argmax(axis=1) == meant).sum() > 478
    assert (wrong.argmax(axis=1) == meant).sum() < 120
    if seed == 0:
        counts = [f"{(scores.argmax(axis=1) == meant).sum()} of 500 right" for scores in (right, wrong)]
        assert printed("mine = value(net(x))") == f"{counts[0]}\n"
        assert printed("def carried").startswith(f"{counts[1]}\nrepaired: {counts[0]}\n")
        for scores in (right, wrong):  # no two scores are so close that rounding could change a count
            assert np.diff(np.sort(scores, axis=1)[:, -2:]).min() > 1e-3


def test_the_list_of_the_graph_gives_the_scores_of_the_machine(drawer, mine):
    machine.start(38)
    x, *leaves = map(machine.Tensor, (drawer[0][:2], *ARRAYS))
    W1, b1, W2, b2 = leaves
    scores = machine.tanh(x @ W1 + b1) @ W2 + b2
    steps = lesson_38.steps_of(scores, {x: "x", **dict(zip(leaves, lesson_38.NAMES))})
    assert steps == STEPS
    lines = [f"{op} {inputs} {output}\n" for op, inputs, output in steps]
    assert printed("for step in steps") == "".join(lines)
    found = lesson_38.interpret(steps, {"x": drawer[0], **dict(zip(lesson_38.NAMES, ARRAYS))})
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, mine, rtol=0, atol=1e-5)


def test_the_package_gives_the_same_scores(drawer, mine):
    net = lesson_38.in_the_package(ARRAYS)
    np.testing.assert_allclose(net(drawer[0]).data, mine, rtol=0, atol=1e-5)


def test_what_the_lesson_prints_of_them():
    assert printed("found = interpret").splitlines()[0] == "the same digits: True"
    for words in ("found = interpret", "def carried", "distances ="):
        assert "False" not in printed(words)
    assert sum(array.nbytes for array in ARRAYS) == 19_240
    assert printed("arrays = plain(net)").endswith("together 19240 bytes\n")


# -- other programs -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("drawing_kept")
def test_pytorch_gives_the_same_scores(drawer, mine):
    pytest.importorskip("torch")
    np.testing.assert_allclose(lesson_38.by_pytorch(ARRAYS, drawer[0]), mine, rtol=0, atol=1e-5)


@pytest.mark.usefixtures("drawing_kept")
def test_jax_gives_the_same_scores(drawer, mine):
    pytest.importorskip("jax")
    np.testing.assert_allclose(lesson_38.by_jax(ARRAYS, drawer[0]), mine, rtol=0, atol=1e-5)


@pytest.mark.usefixtures("drawing_kept")
def test_an_onnx_file_gives_the_same_scores(drawer, mine, tmp_path):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    path = tmp_path / "digits.onnx"
    assert lesson_38.exported(ARRAYS, path) == RUN["nodes"].tolist()
    np.testing.assert_allclose(lesson_38.by_onnxruntime(path, drawer[0]), mine, rtol=0, atol=1e-5)
    with pytest.raises(Exception, match=r"tensor\(double\).*tensor\(float\)"):
        lesson_38.by_onnxruntime(path, drawer[0].astype(np.float64))


@pytest.mark.usefixtures("drawing_kept")
def test_a_question_has_no_place_in_the_file(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    path, ones = tmp_path / "question.onnx", np.ones((2, 3), np.float32)
    with pytest.raises(ValueError, match=r"\.item\(\) needs the value[\s\S]*in line"):
        training.export.onnx(lambda x: x * 2 if x.sum().item() > 0 else x * 3, ones, path)
    assert "the exporter refuses and names the line, as `ad.compile` does" in PROSE

    training.export.onnx(lambda x: ad.where(x.sum() > 0, x * 2, x * 3), ones, path, batch_axis=None)
    for x in (ones, -ones):
        (found,) = onnxruntime.InferenceSession(str(path)).run(None, {"x": x})
        assert np.array_equal(found, x * (2 if x.sum() > 0 else 3))
    assert "What the file shall decide, write with `ad.where`" in PROSE


# -- the stored run -----------------------------------------------------------------------------------------


def test_the_stored_run_is_small_and_as_the_lesson_says(drawer, mine):
    assert (store.RESULTS / "lesson_38.npz").stat().st_size < 50 * 1024
    assert RUN["programs"].tolist() == ["your machine", "PyTorch", "JAX", "ONNX"]
    assert np.array_equal(RUN["picture"], drawer[0][:1])
    np.testing.assert_allclose(RUN["scores"], np.repeat(mine[:1], 4, axis=0), rtol=0, atol=1e-5)
    assert set(RUN["right"]) == {(mine.argmax(axis=1) == drawer[1]).sum()} == {486}
    assert f"It took {RUN['seconds']:.0f} seconds" in PROSE


def test_the_prose_names_what_the_programs_share():
    of_one = [f"{score:.10f}" for score in RUN["scores"][:, 1]]
    (shared,) = re.findall(r"stand after the point: (\d\.\d+) in all", PROSE)
    assert all(text.startswith(shared) for text in of_one)
    assert len({text[: len(shared) + 1] for text in of_one}) > 1
    for scores in RUN["scores"].T:
        assert len({f"{score:.6g}" for score in scores}) == 1
    assert "ten scores that are equal to six digits" in PROSE
    assert len(shared) == len("5.") + 5
    assert RUN["scores"].argmax(axis=1).tolist() == [1] * 4
    assert drawer_says_one()
    assert 0 < RUN["apart"].max() < 1e-5


def drawer_says_one():
    _, digits = data.digits()
    return digits[np.random.default_rng(0).permutation(len(digits))[1297]] == 1


def test_the_prose_names_the_steps_of_the_file():
    kinds = [line.split()[0] for line in RUN["nodes"]]
    own = [kind for kind in kinds if kind not in ("Transpose", "Identity")]
    assert own == ["MatMul", "Add", "Tanh", "MatMul", "Add"]
    assert kinds.count("Transpose") == 2
    assert f"The file is {RUN['bytes'] - 19_240} bytes larger" in PROSE


def test_the_machine_knows_fewer_than_fifty_operations():
    assert len(vars(machine.after(38))["FORWARD"]) < 50
    assert "It knows fewer than fifty operations" in PROSE
