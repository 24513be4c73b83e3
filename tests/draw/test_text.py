"""The table of a graph: its golden form, how operations read, how large graphs are cut."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import draw
from tests.draw.readers import Tensor, chain, made

ROOT = Path(__file__).resolve().parents[2]

BEFORE = """\
node        data  grad
a              2     -
v1             2     -
c = a + v1     4     -
v3             3     -
b = a * v3     6     -
v5             4     -
d = b + v5    10     -
e = c * d     40     -"""

AFTER = """\
node        data  grad
a              2    22
v1             2    10
c = a + v1     4    10
v3             3     8
b = a * v3     6     4
v5             4     4
d = b + v5    10     4
e = c * d     40     1"""


@pytest.mark.parametrize("kind", [Tensor, ad.Tensor])
def test_the_22_graph_before_backward(kind):
    a = kind(2)
    b = a * kind(3)
    c = a + kind(2)
    d = b + kind(4)
    e = c * d
    assert repr(draw(e)) == BEFORE


def test_the_22_graph_after_backward():
    a = ad.Tensor(2)
    b = a * ad.Tensor(3)
    c = a + ad.Tensor(2)
    d = b + ad.Tensor(4)
    e = c * d
    before = draw(e)
    e.backward()
    assert repr(draw(e)) == AFTER
    assert str(before) == BEFORE, "a drawing shows the moment it was made"


def test_gradients_may_be_numbers_arrays_or_tensors():
    x = made(None, 1.0, grad=2.0)
    y = made("neg", np.array([1.0, 2.0]), x, grad=np.array([0.5, 3.0]))
    z = made("exp", 5.0, y, grad=Tensor(7.0))
    assert [row.split("  ")[-1].strip() for row in repr(draw(z)).splitlines()[1:]] == ["2", "[0.5, 3]", "7"]


@pytest.mark.parametrize(
    ("operation", "operands", "says"),
    [
        ("add", ("x", "y"), "x + y"),
        ("sub", ("x", 2), "x - 2"),
        ("mul", (3.0, "x"), "3 * x"),
        ("div", (1, "x"), "1 / x"),
        ("pow", ("x", -1), "x ** -1"),
        ("pow", (-2, "x"), "(-2) ** x"),
        ("matmul", ("x", "y"), "x @ y"),
        ("mm", ("x", "y"), "x @ y"),
        ("*", ("x", "y"), "x * y"),
        ("neg", ("x",), "-x"),
        ("tanh", ("x",), "tanh(x)"),
        ("maximum", ("x", 0), "maximum(x, 0)"),
        ("add", ("x", np.array([1.0, 2.5])), "x + [1, 2.5]"),
        ("mul", ("x", np.zeros((30, 40))), "x * <(30, 40) float64>"),
        (None, ("x",), "?(x)"),
    ],
)
def test_operations_read_as_python_does(operation, operands, says):
    x = Tensor(1.0)
    y = Tensor(2.0)
    z = made(operation, 3.0, *[{"x": x, "y": y}.get(o, o) if isinstance(o, str) else o for o in operands])
    assert repr(draw(z)).splitlines()[-1].startswith(f"z = {says}  ")


def test_a_node_used_twice_stands_in_the_table_once():
    a = Tensor(2)
    h = a + a
    y = h * a
    assert repr(draw(y)).splitlines()[1:] == [
        "a             2     -",
        "h = a + a     4     -",
        "y = h * a     8     -",
    ]


def test_equal_data_does_not_make_one_node_of_two():
    x, y = Tensor(2), Tensor(2)
    z = x + y
    assert len(repr(draw(z)).splitlines()) == 1 + 3


def test_arrays_stand_in_one_line_or_as_shape_and_dtype():
    x = Tensor(np.array([[2.0, 4.0, 9.0], [4.0, 6.0, 12.0], [6.0, 8.0, 15.0]]))
    y = made("sum", np.zeros((784, 400), np.float32), x)
    assert repr(draw(y)).splitlines() == [
        "node        data                                 grad",
        "x           [[2, 4, 9], [4, 6, 12], [6, 8, 15]]     -",
        "y = sum(x)  (784, 400) float32                      -",
    ]


def test_a_large_graph_shows_its_last_nodes_and_says_so():
    lines = repr(draw(chain(9_999), fold=False)).splitlines()
    assert len(lines) == 2 + 60
    assert lines[1] == "... and 9,940 more before these"
    assert lines[2].split() == ["v9940", "=", "v9939", "+", "1", "9940", "-"]


def test_a_graph_of_300_nodes_is_whole_and_limit_sets_the_number():
    assert len(repr(draw(chain(299), fold=False)).splitlines()) == 1 + 300
    assert len(repr(draw(chain(300), fold=False)).splitlines()) == 2 + 60
    assert len(repr(draw(chain(300), limit=500)).splitlines()) == 1 + 301
    assert len(repr(draw(chain(300), limit=100)).splitlines()) == 2 + 100
    assert repr(draw(chain(5), limit=1)).splitlines() == [
        "node         data  grad",
        "... and 5 more before these",
        "v5 = v4 + 1     5     -",
    ]


def test_names_reach_operands_that_are_cut_off():
    weight = Tensor(3)
    far = made("neg", -3, weight)
    end = made("mul", -9, made("exp", 1, made("exp", 1, far)), weight)
    assert repr(draw(end, limit=1)).splitlines()[-1].startswith("end = v3 * weight")


@pytest.mark.parametrize("length", [100_000, pytest.param(1_000_000, marks=pytest.mark.thorough)])
def test_long_chains_need_no_recursion(length):
    end = chain(length)
    assert f"... and {length + 1 - 60:,} more before these" in repr(draw(end, fold=False))


def test_a_cycle_that_a_reader_made_by_mistake_ends():
    x = Tensor(1)
    y = x + x
    x.creators, x.creation_op = (y, y), "add"
    assert len(repr(draw(y)).splitlines()) == 1 + 2


PROGRAM = """
import numpy as np, autodiff as ad
from autodiff.draw import draw
w = [ad.Tensor(float(i)) for i in range(30)]
total = ad.Tensor(np.ones(3))
for i, x in enumerate(w):
    total = total * x + w[i - 1]
drawing = draw(total.sum())
print(drawing.text, drawing.dot, drawing.mermaid, drawing._repr_mimebundle_())
"""


def test_the_same_in_every_run():
    def run(seed):
        command = [sys.executable, "-c", PROGRAM]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        return subprocess.run(command, env=environment, capture_output=True, check=True, cwd=ROOT).stdout

    first = run("1")
    assert len(first) > 10_000
    assert first == run("2")
    assert b" at 0x" not in first


def test_a_part_is_written_with_its_index():
    x = ad.Tensor(np.arange(12.0).reshape(3, 4))
    parts = x[1:, 0], x[..., None], x[-1], x[::2], x[[0, 2]], x[x.data > 3]
    shown = [str(draw(part)).splitlines()[-1].split(" = ")[1].split("  ")[0] for part in parts]
    assert shown == ["x[1:, 0]", "x[..., None]", "x[-1]", "x[::2]", "x[…]", "x[…]"]
    y = (x * 2)[0]
    assert "v1[0]" in str(draw(y))
    assert "…[0]" in draw(y).dot
