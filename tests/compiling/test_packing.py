"""Packing: graphs of numbers become programs of arrays that give the same."""

from __future__ import annotations

import gc
import inspect
import math
import random
import sys
from itertools import pairwise

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.compiling import compile_function as compiled
from autodiff.compiling import program as program_module
from autodiff.compiling.graph import ProgramGraph
from autodiff.compiling.nodes import ProgramNode
from autodiff.compiling.packing.access import access
from autodiff.compiling.printing import Printer
from tests.compiling.programs_of_numbers import disagreement, numbers, repeated_program, source_of

ALONE = ("pack",)
TOGETHER = ("fold", "algebra", "cse", "pack", "numbers")


def network(data, sizes, activation=ad.relu):
    """The squared error of a network of numbers: a function of the list of its weights."""

    def loss(weights):
        total = 0.0
        for x, target in data:
            place = 0
            for fan_in, fan_out in pairwise(sizes):
                size = fan_in + 1  # weights and a bias
                rows = [weights[place + k * size : place + (k + 1) * size] for k in range(fan_out)]
                place += fan_out * size
                x = [sum((w * xi for w, xi in zip(row, x)), row[-1]) for row in rows]
                x = [activation(z) for z in x] if place < len(weights) else x
            error = x[0] - target
            total = total + error * error
        return total

    return loss


def points(count, width=2, seed=0):
    rng = random.Random(seed)
    return [([rng.uniform(-1, 1) for _ in range(width)], rng.choice((-1.0, 1.0))) for _ in range(count)]


def weights_for(sizes, seed=1):
    rng = random.Random(seed)
    return [rng.gauss(0, 1) for a, b in pairwise(sizes) for _ in range(b * (a + 1))]


def flat(result):
    value, gradients = result
    return [value, *gradients]


def rounding(f, at):
    """How much the last digits of the numbers matter: the largest change of the result, among a few changes
    of each number by one unit there. It is large where numbers that are nearly alike are subtracted."""
    rng = random.Random(0)
    expected = flat(f(numbers(*at)))
    moved = [[x * (1 + rng.choice((-1, 1)) * 2.0**-52) for x in at] for _ in range(3)]
    return max(disagreement(flat(f(numbers(*values))), expected) for values in moved)


def check_agrees(f, at, passes=TOGETHER):
    """Compile the value and the gradient of a function of a list, and compare. Returns the source."""
    both = ad.value_and_grad(f)
    fast = compiled(both, passes=passes)
    found = fast(numbers(*at))
    assert disagreement(flat(found), flat(both(numbers(*at)))) < 1e-12 + rounding(both, at)
    assert all(type(number._value) is float for number in flat(found))
    return source_of(fast)


def test_a_network_of_numbers_becomes_matrix_products():
    sizes = (2, 8, 8, 1)
    source = check_agrees(network(points(12), sizes), weights_for(sizes))
    assert source.count("\n") < 25
    assert "relu1 @ w.T" in source
    assert "relu2 = np.maximum(" in source
    assert "# 12 x 8" in source


@pytest.mark.parametrize("passes", [ALONE, TOGETHER, ("cse", "pack"), ("algebra", "pack"), ("fold", "pack")])
@pytest.mark.parametrize("activation", [ad.relu, ad.tanh, ad.sigmoid, ad.exp])
@pytest.mark.thorough
def test_each_activation_with_each_pass(passes, activation):
    sizes = (2, 4, 3, 1)
    source = check_agrees(network(points(15), sizes, activation), weights_for(sizes), passes)
    assert "numbers" in source.splitlines()[0]


@pytest.mark.parametrize("count", [1, 2, 3, 17])
@pytest.mark.parametrize("sizes", [(2, 1), (1, 1, 1), (2, 5, 6, 1), (3, 1, 5, 1)])
def test_any_number_of_samples_and_neurons(count, sizes):
    check_agrees(network(points(count, sizes[0]), sizes), weights_for(sizes))


def test_random_networks_agree_with_the_engine(pytestconfig):
    for seed in range(400 if pytestconfig.getoption("--thorough") else 20):
        rng = random.Random(seed)
        neurons = rng.randint(1, 5)
        f = repeated_program(rng, rng.randint(1, 9), neurons)
        at = [rng.uniform(0.2, 1.5) for _ in range(neurons * neurons + rng.randint(0, 3))]
        try:
            check_agrees(f, at, rng.choice((ALONE, TOGETHER, ("cse", "pack"))))
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def test_second_derivatives_are_packed_too():
    sizes = (2, 6, 1)
    loss = network(points(20), sizes, ad.tanh)
    at = numbers(*weights_for(sizes))

    def curvature(weights):
        slopes = ad.grad(loss)(weights)
        return sum(s * s for s in slopes)

    both = ad.value_and_grad(curvature)
    fast = compiled(both)
    assert disagreement(flat(fast(at)), flat(both(at))) < 1e-12
    assert "np.tanh" in source_of(fast)


@pytest.mark.parametrize("special", [math.inf, -math.inf, math.nan, 0.0, -0.0, 1e200, 800.0])
@pytest.mark.parametrize("activation", [ad.relu, ad.tanh, ad.exp])
def test_special_values_are_those_of_the_engine(special, activation):
    sizes = (2, 3, 1)
    at = weights_for(sizes)
    at[1] = special
    loss = network(points(12), sizes, activation)
    found = compiled(ad.value_and_grad(loss))(numbers(*at))
    expected = ad.value_and_grad(loss)(numbers(*at))
    for a, b in zip(flat(found), flat(expected), strict=True):
        a, b = float(a), float(b)
        assert (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= 1e-12 * abs(b)


def test_division_by_zero_in_one_sample():
    def f(x):
        return [sum(a / b for a in x[:100]) for b in x[100:]]

    at = [1.0] * 100 + [2.0] * 18 + [0.0, math.inf]
    fast = compiled(f)
    assert [float(v) for v in fast(numbers(*at))] == [50.0] * 18 + [math.inf, 0.0]
    assert "numbers[:100].reshape(100, 1) / numbers[100:]" in source_of(fast)


def test_little_that_is_alike_stays_straight_line_code():
    def f(x, y):
        for _ in range(200):
            x = ad.tanh(x * y) + y
            y = y * 0.99 + ad.sin(x)
        return x

    fast = compiled(f)
    assert disagreement([fast(*numbers(0.3, 0.4))], [f(*numbers(0.3, 0.4))]) < 1e-13
    assert source_of(fast).startswith("from math import sin, tanh\ndef program(x, y):")


def test_results_in_every_position():
    """Inputs, unused inputs, constants, one result twice, sums, and comparisons, among packed numbers."""

    def f(x, unused):
        squares = [v * v for v in x]
        total = sum(ad.tanh(a * b) for a in squares for b in x)
        above = [v > 0.5 for v in x]
        doubled = [v + v for v in x]
        return [squares[3], x[0], 2.0, total, *squares, total, *reversed(x), -total, *above, *doubled]

    at = [0.02 * k for k in range(40)]
    fast = compiled(f)
    found, expected = fast(numbers(*at), Tensor(5.0)), f(numbers(*at), Tensor(5.0))
    assert disagreement(found, expected) < 1e-13
    assert [type(getattr(a, "_value", a)) for a in found] == [type(getattr(a, "_value", a)) for a in expected]
    assert "def program(numbers)" in source_of(fast)


def test_sums_of_different_lengths():
    """The sums of attention, in which each place reads the places before it."""

    def f(x):
        found = []
        for k in range(1, 25):
            powers = [ad.exp(x[k] * x[j]) for j in range(k)]
            total = sum(powers)
            found.append(sum(power / total * x[j] for j, power in enumerate(powers)))
        return sum(v * v for v in found)

    source = check_agrees(f, [0.1 * math.sin(k) for k in range(25)])
    assert "np.add.reduceat" in source
    assert source.count("\n") < 40


def test_numbers_read_from_arrays_and_stacked_into_one():
    def f(w, x):
        rows = [[w[i, j] for j in range(4)] for i in range(20)]
        values = [ad.tanh(sum(a * b for a, b in zip(row, x))) for row in rows]
        return ad.stack(values)

    rng = np.random.default_rng(0)
    w, x = Tensor(rng.normal(size=(20, 4))), Tensor(rng.normal(size=4))
    fast = compiled(f, passes=("fold", "algebra", "cse", "pack"))
    np.testing.assert_allclose(fast(w, x).data, f(w, x).data, rtol=1e-13)
    assert "np.tanh(w @ x)" in source_of(fast)


def test_numbers_beside_arrays_of_another_type():
    def f(x, scales):
        squares = [s * s for s in scales]
        return x * sum(squares), [x * s for s in squares[:2]], squares

    x = Tensor(np.ones(3, np.float32))
    at = [0.1 * k for k in range(100)]
    found, expected = compiled(f)(x, at), f(x, at)
    assert found[0].dtype == expected[0].dtype == np.float32
    np.testing.assert_allclose(found[0].data, expected[0].data, rtol=1e-6)
    np.testing.assert_allclose(found[1][1].data, expected[1][1].data, rtol=1e-6)
    assert disagreement(found[2], expected[2]) < 1e-15


def test_a_deep_graph_is_packed_without_recursion():
    def f(x):
        for _ in range(150):
            x = [ad.tanh(v) for v in x]
        return sum(x)

    fast = compiled(f)
    at = numbers(*(0.1 * k for k in range(80)))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 120)  # less than the graph is deep
    try:
        found = fast(at)
    finally:
        sys.setrecursionlimit(limit)
    assert disagreement([found], [f(at)]) < 1e-12
    assert "def program(numbers)" in source_of(fast)


@pytest.mark.parametrize(("shape", "index"), [
    ((48,), np.s_[:]), ((48,), np.s_[3:20]), ((48,), np.s_[3:40:5]), ((48,), np.s_[::-1]), ((48,), np.s_[7]),
    ((6, 8), np.s_[:, 3]), ((6, 8), np.s_[2]), ((6, 8), np.s_[1:4, 2:6]), ((6, 8), np.s_[::2, ::3]),
    ((6, 8), np.s_[::-1]), ((6, 8), np.s_[[3, 1, 4]]), ((6, 8), np.s_[2, 5]), ((2, 4, 6), np.s_[1, :, 2]),
    ((2, 4, 6), np.s_[:, 1:3, ::2]), ((1, 8), np.s_[:]), ((6, 1), np.s_[1:3]),
])  # fmt: skip
@pytest.mark.parametrize("form", ["as it is", "transposed", "flat", "one axis more", "repeated"])
def test_elements_are_read_at_their_places(shape, index, form):
    places = np.arange(math.prod(shape)).reshape(shape)[index]
    places = np.asarray({
        "as it is": places, "transposed": np.transpose(places), "flat": np.ravel(places),
        "one axis more": np.expand_dims(places, -1),
        "repeated": np.broadcast_to(places, (3, *np.shape(places))),
    }[form])  # fmt: skip
    graph = ProgramGraph()
    x = graph.input("x", shape)
    values = np.random.default_rng(0).normal(size=shape)
    for stretched in (False, True):
        node = access(graph, x, places, stretched)
        writer = Printer([x], [node])
        names = {"np": np}
        exec(writer.text, names)
        names.update(writer.constants)
        (found,) = names["program"](values)
        assert np.shape(found) == node.shape
        assert not stretched or node.shape == places.shape
        np.testing.assert_array_equal(np.broadcast_to(found, places.shape), values.ravel()[places])


@pytest.mark.parametrize("interleaved", [2, 3, 17])
def test_matrices_with_something_between_their_rows_are_slices(interleaved):
    graph = ProgramGraph()
    x = graph.input("numbers", (interleaved * 5,))
    for column in range(interleaved - 1):
        rows = np.arange(5)[:, None] * interleaved + np.arange(column, interleaved - (column == 0))
        node = access(graph, x, rows)
        assert "pick" not in {part.op for part in (node, *node.args, *(a for p in node.args for a in p.args))}


def test_sums_over_all_pairs():
    source = check_agrees(lambda x: sum(a * b for a in x[:20] for b in x[20:]), [0.1 * k for k in range(40)])
    assert "def program(numbers)" in source


PAIRS = {
    "all": lambda i, j: True, "triangle": lambda i, j: i <= j, "strict triangle": lambda i, j: i < j,
    "no diagonal": lambda i, j: i != j, "all but one": lambda i, j: (i, j) != (3, 5),
    "a grid": lambda i, j: i > 2 and j % 3 == 0, "a row": lambda i, j: i == 7,
}  # fmt: skip


@pytest.mark.parametrize("pairs", PAIRS)
@pytest.mark.parametrize("form", ["terms", "sums"])
def test_some_elements_of_a_matrix(pairs, form):
    """A grid of rows and columns is a matrix again; anything else, as a triangle, is not."""
    places = [(i, j) for i in range(32) for j in range(32)]

    def f(x):
        whole = {(i, j): x[i] * x[32 + j] for i, j in places}
        if form == "sums":
            whole = {at: value + whole[at[1], at[0]] for at, value in whole.items()}
        return sum(ad.tanh(value) if PAIRS[pairs](*at) else value for at, value in whole.items())

    assert "def program(numbers)" in check_agrees(f, [math.sin(k) for k in range(64)])


def test_true_counts_as_one():
    def f(x):
        counts = [(a > 0.5) + (b > 0.5) for a in x[:20] for b in x[20:]]
        return [sum(counts), sum(c * c * ad.tanh(a) for c, a in zip(counts, x * 10))]

    at = [math.sin(k) for k in range(40)]
    found, expected = compiled(f)(numbers(*at)), f(numbers(*at))
    assert [float(value) for value in found] == pytest.approx([float(value) for value in expected], rel=1e-12)


def test_comparisons_as_floats_are_packed():
    """The slopes of two numbers where neither is the larger are the halves of two comparisons."""
    sizes = (2, 4, 1)
    source = check_agrees(network(points(20), sizes, lambda z: ad.maximum(z, 0.1 * z)), weights_for(sizes))
    assert source.count("\n") < 40
    assert "@" in source


@pytest.mark.parametrize(
    "function", [ad.maximum, ad.minimum, lambda x, y: ad.clip(x, y, 0.5), lambda x, y: abs(x - y)]
)
def test_slopes_with_a_corner_are_packed(function):
    """Comparisons of numbers are added up as floats there, by NumPy's function with a dtype."""

    @ad.compile
    def program(array):
        value, slopes = ad.value_and_grad(lambda xs: sum(function(x, 0.1) for x in xs))([*array])
        return value, ad.stack(slopes)

    array = np.linspace(-1, 1, 201)
    value, slopes = program(array)
    assert len(str(program.program).splitlines()) < 12
    expected, by_array = ad.value_and_grad(lambda x: function(x, 0.1).sum())(array)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(slopes, by_array, rtol=1e-12)


def test_other_powers_are_other_functions():
    source = check_agrees(lambda x: sum(v**-0.5 + v**1.5 for v in x), [0.5 + 0.01 * k for k in range(200)])
    assert "-0.5)" in source
    assert ", data" not in source


def test_a_large_graph_is_counted_and_freed(monkeypatch):
    def f(x):
        return sum(ad.tanh(a * b) for a in x for b in x)

    at = [0.01 * k for k in range(40)]
    whole = compiled(f)
    whole(at)
    before = nodes_alive()
    monkeypatch.setattr(program_module, "LARGE", 1000)
    counted = compiled(f)
    assert counted(at) == pytest.approx(f(at))
    assert nodes_alive() - before < 100
    assert counted.report().splitlines()[:-1] == whole.report().splitlines()[:-1]
    assert counted.draw().text == whole.draw().text


def nodes_alive():
    gc.collect()
    return sum(type(each) is ProgramNode for each in gc.get_objects())


def test_powers_that_are_constants_without_axes():
    def f(x):
        return sum([(a * x[0]) ** np.array(2.0) for a in x]) * sum([(a * x[1]) ** np.array(3.0) for a in x])

    at = [Tensor(0.1 * k) for k in range(1, 100)]
    assert float(compiled(f)(at)) == pytest.approx(float(f(at)), rel=1e-12)
