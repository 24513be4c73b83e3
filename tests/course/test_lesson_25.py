"""Lesson 25: the numbers of its prose, and its operation and layer beside the package's."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn
from autodiff_course import machine, runs
from autodiff_course.runs import lesson_25, shared
from tests.course.stored import cells, lesson_path, prose, said
from tests.data.samples import write_mnist

LESSON = lesson_path("25")
PROSE = prose(LESSON)
RUN = runs.stored("25")
PICTURE, FILTER = np.array([[1.0, 2, 0], [0, 1, 3], [2, 0, 1]]), np.array([[1.0, 0], [2, -1]])
ARRIVES = np.array([[1.0, 0], [10, 100]])


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


@pytest.fixture(scope="module")
def names():
    """The names of the machine after the lesson."""
    return vars(machine.after(25))


def defined(names, *holds):
    """The names that the cells with these words define, beside others."""
    names = {"np": np, "data": data, **names}
    for words in holds:
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        kept = [line for line in source.splitlines() if not line.startswith(("plots", "show_pictures"))]
        exec("\n".join(kept), names)
    return names


# -- one picture, one filter --------------------------------------------------------------------------------


def test_the_sums_by_hand_are_those_of_the_loops(names):
    assert np.array_equal(names["slide"](PICTURE, FILTER), [[0, 1], [4, 0]])
    assert "1 · 1 + 2 · 0 + 0 · 2 + 1 · (−1) = 0" in PROSE
    assert 1 * 1 + 2 * 0 + 0 * 2 + 1 * -1 == 0


def test_the_upper_left_weight_gets_101_and_the_middle_pixel_99(names):
    x, w = names["Tensor"](PICTURE), names["Tensor"](FILTER)
    names["backward"](names["conv2d"](x, w), ARRIVES)
    assert w.grad[0, 0] == 1 * 1 + 2 * 0 + 0 * 10 + 1 * 100 == 101
    assert "1 · 1 + 2 · 0 + 0 · 10 + 1 · 100 = 101" in PROSE
    assert x.grad[1, 1] == 1 * -1 + 0 * 2 + 10 * 0 + 100 * 1 == 99
    assert "1 · (−1) + 0 · 2 + 10 · 0 + 100 · 1 = 99" in PROSE


@pytest.mark.parametrize(("height", "width", "rows", "columns"), [(5, 6, 3, 3), (4, 4, 1, 2), (6, 3, 4, 3)])
def test_the_rules_are_the_package_s(names, height, width, rows, columns):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(height, width)), rng.normal(size=(rows, columns))
    mine, theirs = map(names["Tensor"], (x, w)), [ad.Tensor(x[None, None]), ad.Tensor(w[None, None])]
    mine = list(mine)
    z, right = names["conv2d"](*mine), ad.conv2d(*theirs)
    arrives = rng.normal(size=z.shape)
    names["backward"](z, arrives)
    right.backward(arrives[None, None])
    assert np.allclose(z.data, right.data[0, 0])
    for leaf, other in zip(mine, theirs):
        assert np.allclose(leaf.grad, other.grad[0, 0])


@pytest.mark.parametrize("place", [0, 1])
def test_forward_mode_knows_the_operation(names, place):
    rng = np.random.default_rng(1)
    inputs = [rng.normal(size=(4, 5)), rng.normal(size=(2, 3))]
    tangent = rng.normal(size=inputs[place].shape)

    def f(moving):
        return names["conv2d"](*(moving if i == place else x for i, x in enumerate(inputs)))

    found = names["jvp"](f, inputs[place], tangent)[1]
    moved = inputs.copy()
    moved[place] = tangent
    assert np.allclose(found, names["slide"](*moved))


def test_the_wrong_rule_is_seen_with_the_edges_only(names):
    lines = printed("not_turned = operation").splitlines()
    assert [line.split("  ")[-1].strip() for line in lines[:2]] == ["right", "right"]
    assert "off by" in lines[2]
    assert lines[3].endswith("right")


# -- windows as rows ----------------------------------------------------------------------------------------


def test_the_table_of_windows_is_that_of_the_text(names):
    rows = names["windows"](3, 3, 2)
    assert "<br>".join(" ".join(map(str, row)) for row in rows) in PROSE


@pytest.mark.parametrize(("size", "inputs", "outputs"), [(3, 1, 4), (2, 3, 2), (1, 2, 2)])
def test_the_layer_is_the_package_s(names, size, inputs, outputs):
    rng = np.random.default_rng(2)
    layer = names["Convolution"](size, inputs, outputs, rng)
    x = rng.normal(size=(2, 6, 5, inputs))
    leaf, other = names["Tensor"](x), ad.Tensor(x.transpose(0, 3, 1, 2))
    theirs = nn.Conv2d(inputs, outputs, size).double()
    weight = layer.linear.weight.data.reshape(size, size, inputs, outputs)
    theirs.weight.data = weight.transpose(3, 2, 0, 1).copy()
    theirs.bias.data = layer.linear.bias.data.copy()
    z, right = layer(leaf), theirs(other)
    arrives = rng.normal(size=z.shape)
    names["backward"](z, arrives)
    right.backward(arrives.transpose(0, 3, 1, 2))
    assert np.allclose(z.data, right.data.transpose(0, 2, 3, 1))
    assert np.allclose(leaf.grad, other.grad.transpose(0, 2, 3, 1))
    assert np.allclose(
        layer.linear.weight.grad, theirs.weight.grad.transpose(2, 3, 1, 0).reshape(-1, outputs)
    )


def test_rows_and_rules_give_the_same_gradient(names):
    rows = [line.strip(" []") for line in printed("print(x.grad.reshape(3, 3))").splitlines()]
    x, w = names["Tensor"](PICTURE), FILTER
    names["backward"](names["conv2d"](x, w), ARRIVES)
    assert np.array_equal([[float(n) for n in row.split()] for row in rows], x.grad)


def test_max_pool_passes_its_gradient_to_the_winners(names):
    x = np.random.default_rng(0).normal(size=(2, 4, 6, 3))
    leaf, other = names["Tensor"](x), ad.Tensor(x.transpose(0, 3, 1, 2))
    z, right = names["max_pool"](leaf), nn.MaxPool2d(2)(other)
    names["backward"](z, np.ones(z.shape))
    right.backward(np.ones(right.shape))
    assert np.array_equal(z.data, right.data.transpose(0, 2, 3, 1))
    assert np.array_equal(leaf.grad, other.grad.transpose(0, 2, 3, 1))


# -- digits anywhere ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def digits(names):
    pytest.importorskip("sklearn")
    return defined(names, "pictures, digits = data.digits()", "sheets = np.zeros", "def convnet")


def test_both_networks_have_about_as_many_parameters(digits):
    for make, count in (("convnet", 4130), ("dense", 4195)):
        net = digits[make](np.random.default_rng(0))
        assert sum(p.data.size for p in digits["parameters"](net)) == count
        assert f"{make:8} {count} parameters" in printed("def convnet")


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [1, 2])
def test_the_bounds_hold_for_other_seeds_too(digits, seed):
    right, order = {}, np.random.default_rng(2).permutation(144)
    mixed = digits["sheets"].reshape(-1, 144)[:, order].reshape(-1, 12, 12, 1)
    for make, x in (("convnet", "sheets"), ("dense", "sheets"), ("convnet", "mixed"), ("dense", "mixed")):
        pictures = mixed if x == "mixed" else digits["sheets"]
        rng = np.random.default_rng(seed)
        net = digits[make](rng)
        seen, drawer, targets = digits["seen"], digits["drawer"], digits["digits"]
        optimizer = digits["Optimizer"](digits["parameters"](net), digits["adam"], 0.005)
        digits["train"](net, optimizer, pictures[seen], targets[seen], 12, 32, rng)
        right[make, x] = digits["count_right"](net, pictures[drawer], targets[drawer])
    assert right["convnet", "sheets"] > 400
    assert right["dense", "sheets"] < 360
    assert right["convnet", "sheets"] - right["convnet", "mixed"] > 80
    assert right["dense", "mixed"] > right["convnet", "mixed"]


def test_the_stored_cells_say_that_the_bounds_hold():
    assert printed("nets = {make").count("True") == 2
    assert printed("mixed = ").count("True") == 2


# -- the stored run -----------------------------------------------------------------------------------------


def test_the_stored_run_is_that_of_the_text():
    assert RUN["right_convnet"].min() > 9840 > RUN["right_dense"].max()
    assert lesson_25.count(lesson_25.convnet()) == RUN["parameters_convnet"] == 5994
    assert lesson_25.count(lesson_25.dense()) == RUN["parameters_dense"] == 6370
    assert 55 < 355_110 / 5994 < 65  # "a sixtieth"
    minutes = round(float(RUN["seconds"]) / 60)
    assert f"took {minutes} minutes" in PROSE


def test_the_stored_run_is_small():
    assert (RUN["filters"].shape, RUN["first"].shape) == ((8, 5, 5), (8, 24, 24))
    assert (runs.store.RESULTS / "lesson_25.npz").stat().st_size < 100_000


def test_the_filters_saw_what_is_stored():
    picture = RUN["picture"] / np.float32(255)
    windows = np.lib.stride_tricks.sliding_window_view(picture, (5, 5))
    sums = np.einsum("ijab,fab->fij", windows, RUN["filters"])
    for seen, its_sums in zip(RUN["first"], sums):
        bias = np.median((seen - its_sums)[seen > 0]) if (seen > 0).any() else 0
        assert np.allclose(seen, np.maximum(its_sums + bias, 0), atol=1e-4) or not seen.any()


def test_the_run_can_be_made_anew_on_a_few_pictures(tmp_path, monkeypatch, capsys):
    write_mnist(tmp_path / "mnist")
    monkeypatch.setenv("AUTODIFF_DATA", str(tmp_path))
    found = lesson_25.run(seeds=(0,))
    assert set(found) | {"seconds", "code"} == set(RUN)
    assert capsys.readouterr().out.count("seed 0") == 2


def test_without_mnist_the_run_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(shared, "mnist", lambda dtype: None)
    with pytest.raises(FileNotFoundError, match="download it"):
        lesson_25.run()
