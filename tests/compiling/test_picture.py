"""The pictures of a program: its graph as it was traced, and after the passes."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.compiling import picture
from autodiff.draw.drawing import Drawing

X = np.linspace(-1.0, 1.0, 12).reshape(3, 4)


def called(f, *args, **options):
    fast = ad.compile(f, **options)
    fast(*args)
    return fast


def rows(drawing):
    """The lines of a drawing's table: how each node was made."""
    return [line.split("  ")[0] for line in drawing.text.splitlines()[1:]]


def test_inputs_operations_and_results():
    fast = called(ad.value_and_grad(lambda w, b: ad.tanh(X[:2] @ w + b).sum(), argnums=(0, 1)),
                  np.ones((4, 2)), np.ones(2))  # fmt: skip
    found = rows(fast.draw().before)
    assert found[:1] == ["w"]
    assert any(row.endswith("@ w") for row in found)
    assert "v4 = tanh(v3)" in found
    assert "value = sum(v4)" in found
    assert found[-1] == "results = return(value, d_w, d_b)"


def test_shapes_stand_in_place_of_data():
    drawing = called(lambda x: ad.exp(x).sum(axis=0), X).draw().before
    lines = [line.split() for line in drawing.text.splitlines()]
    assert lines[0] == ["node", "shape"]
    assert lines[1] == ["x", "(3,", "4)"]
    assert lines[-1][-1] == "(4,)"


@pytest.mark.parametrize(("f", "row"), [
    (lambda x: x + 1, "v1 = x + 1"),
    (lambda x: x @ np.broadcast_to(1.0, (4, 1)), "v1 = x @ all 1 (4, 1)"),
    (lambda x: -x, "v1 = -x"),
    (lambda x: x**3, "v1 = x ** 3"),
    (lambda x: x.T, "v1 = T(x)"),
    (lambda x: x.reshape(4, 3), "v1 = reshape(x)"),
    (lambda x: x[1], "v1 = [1](x)"),
    (lambda x: x[:, ::2], "v1 = [:, ::2](x)"),
    (lambda x: x.sum(), "v1 = sum(x)"),
    (lambda x: x.sum(axis=1), "v1 = sum over axis 1(x)"),
    (lambda x: x.reshape(3, 2, 2).sum(axis=(0, 2)), "v2 = sum over axes 0, 2(v1)"),
    (lambda x: ad.maximum(x, 0.0), "v1 = max(x, 0)"),
    (lambda x: ad.tanh(x), "v1 = tanh(x)"),
    (lambda x: ad.ops.shaping.cast(x, dtype=np.float32), "v1 = float32(x)"),
])  # fmt: skip
def test_the_sign_or_the_word_of_an_operation(f, row):
    found = rows(called(f, Tensor(X)).draw().before)
    assert row in found[1:3]


@pytest.mark.parametrize("arg", [2.0, np.float32(2), np.ones(0), np.ones((1, 1)), Tensor(2.0), X.T, X[::-1]])
def test_every_kind_of_argument(arg):
    pictures = called(lambda x: x * x + 1, arg).draw()
    assert rows(pictures.after)[-1] == "v2 = v1 + 1"


def test_a_program_that_computes_nothing():
    assert rows(called(lambda x: x, 2.0).draw().before) == ["x"]
    assert rows(called(lambda x: (x, x), 2.0).draw().before) == ["x", "results = return(x, x)"]
    assert rows(called(lambda x: np.ones(2), 2.0).draw().before)[-1].startswith("results = return(")


def test_the_passes_show_in_the_second_picture():
    def f(w, u):
        h = np.zeros((3, 4))
        for x in np.stack([X] * 4):
            h = ad.tanh(x @ w + h @ u)
        return (h * h).sum()

    pictures = called(ad.value_and_grad(f, argnums=(0, 1)), np.ones((4, 4)), np.ones((4, 4))).draw()
    assert pictures.before.text != pictures.after.text
    assert "stack(" in pictures.after.text
    assert len(pictures.drawings) == 2
    first, second = pictures.titles
    assert repr(pictures) == f"{first}\n{pictures.before.text}\n\n{second}\n{pictures.after.text}"


def test_a_graph_that_no_pass_changes_is_shown_once():
    pictures = called(lambda x: x * x + 1, 3.0).draw()
    assert pictures.before is pictures.after
    assert repr(pictures).count("node") == 1
    assert "2 operations" in repr(pictures)
    assert "1 operation\n" in repr(called(lambda x: x * x, 3.0).draw())


def test_a_notebook_shows_two_pictures():
    pictures = called(ad.value_and_grad(lambda w: (X @ w).sum()), np.ones((4, 2))).draw()
    bundle, _ = pictures._repr_mimebundle_()
    assert bundle["text/plain"] == repr(pictures)
    assert bundle["text/html"].count("<img ") == len(pictures.drawings)
    assert isinstance(pictures.before, Drawing)


def test_without_a_layout_a_notebook_shows_the_tables(no_layout):
    bundle, _ = called(lambda x: x * x, 3.0).draw()._repr_mimebundle_()
    assert set(bundle) == {"text/plain"}


def test_a_large_graph_is_left_out_and_the_small_one_is_shown():
    def f(w, x):
        return [ad.tanh(sum(a * b for a, b in zip(row, x))) for row in w]

    fast = called(f, [[0.1 * (i + j) for j in range(8)] for i in range(40)], [1.0] * 8)
    pictures = fast.draw()
    assert pictures.before is None
    assert pictures.after is not None
    assert "too many to be drawn" in repr(pictures)
    if pictures.after.svg:
        assert "too many to be drawn" in pictures._repr_mimebundle_()[0]["text/html"]


def test_a_graph_that_stays_large_is_refused():
    def f(x):
        for _ in range(picture.MOST + 1):
            x = ad.sin(x)
        return x

    with pytest.raises(ValueError, match=r"101 operations.*See \.program.*\.report\(\)"):
        called(f, 3.0).draw()


def test_directions():
    fast = called(lambda x: x * x, 3.0)
    for way in ("LR", "TB"):
        assert f"rankdir={way}" in fast.draw(direction=way).before.dot
    with pytest.raises(ValueError, match="unknown direction"):
        fast.draw(direction="up")


def test_before_the_first_call():
    with pytest.raises(RuntimeError, match="has no program yet"):
        ad.compile(lambda x: x).draw()


def test_values_have_the_names_of_variables():
    def f(w, u):
        h = np.zeros((3, 4))
        for x in (X, 2 * X):
            h = ad.tanh(x @ w + h @ u)
        out = h * h
        return out.sum()

    w = np.ones((4, 4))
    found = rows(called(ad.value_and_grad(f), w, w).draw().before)
    assert [row.split(" = ")[0] for row in found if "tanh" in row] == ["h0", "h1"]
    assert "out = h1 * h1" in found
    assert any(row.startswith("d_h0 = ") for row in found)
    assert any(row.startswith("d_h1 = ") for row in found)


def test_arrays_that_are_the_same_everywhere_say_so():
    found = rows(called(lambda x: x + np.zeros((3, 4)), X).draw().before)
    assert "v1 = x + all 0 (3, 4)" in found
