"""Programs over arrays: their results, and the memory that the results lie in."""

from __future__ import annotations

import functools
import threading
import tracemalloc
from itertools import combinations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.compiling import compile_function as compiled
from autodiff.compiling.compiled import EXACT_PASSES, PASSES
from autodiff.compiling.plain import PlainWriter
from autodiff.compiling.program import Program, runnable
from autodiff.compiling.writing import INEXACT_PASSES, WRITING_PASSES, blocks, planning
from autodiff.compiling.writing.binding import bound
from tests.compiling.random_graphs import RandomGraph

LAYOUTS = {
    "C": np.array,
    "Fortran": lambda a: np.asfortranarray(a) if a.ndim else a,
    "reversed": lambda a: np.ascontiguousarray(a[::-1])[::-1] if a.ndim else a,
    "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a,
}


@pytest.fixture(params=["small arrays", "large arrays", "blocks"])
def sizes(request, monkeypatch):
    """Each kind of memory, on arrays of a few elements."""
    if request.param != "small arrays":
        monkeypatch.setattr(planning, "LARGE", 16)
    if request.param == "blocks":
        monkeypatch.setattr(blocks, "LARGE", 4)
        monkeypatch.setattr(blocks, "FAR", 4)
        monkeypatch.setattr(blocks, "CACHE", 200)


def program_of(f, *values, passes=PASSES):
    """The program of a function for these arguments."""
    fast = compiled(f, passes=passes)
    fast(*values)
    return next(iter(fast._programs.values()))[0].program


# -- random programs ---------------------------------------------------------------------------------------


def plain_results(random, values):
    writer = PlainWriter(random.inputs, random.results)
    run = runnable(writer.source(), writer.constants)
    with np.errstate(all="ignore"):
        return [np.array(value) for value in run(*values)]


def check_results(random, program, values, expected, exact):
    """Run the program, and check its results and that none shares memory with another or with an input."""
    given = [np.array(value) for value in values]
    with np.errstate(all="ignore"):
        found = program.run(*values)
    count = len(random.results) - len(random.updated)
    for place, (mine, other) in enumerate(zip(found, expected, strict=True)):
        assert np.shape(mine) == other.shape, place
        assert np.asarray(mine).dtype == other.dtype, place
        if exact:
            np.testing.assert_array_equal(mine, other, str(place))
        else:
            rtol = 1e-12 if other.dtype == np.float64 and not random.has_float32 else 1e-3
            scale = np.abs(other[np.isfinite(other)]).max(initial=1.0) if other.dtype.kind == "f" else 1
            np.testing.assert_allclose(mine, other, rtol=rtol, atol=rtol * scale, err_msg=str(place))
    new = {node: found[count + place] for place, node in enumerate(random.updated)}
    for node, value, before in zip(random.inputs, values, given):
        if node in new and node.shape:
            assert new[node] is value
        else:
            np.testing.assert_array_equal(value, before)
    held = [value for value in found if isinstance(value, np.ndarray) and value.size]
    held += [value for node, value in zip(random.inputs, values) if node not in new and np.size(value)]
    assert not any(np.may_share_memory(a, b) for a, b in combinations(held, 2))
    return found[:count]


@pytest.mark.parametrize("exact", [True, False])
def test_random_programs(sizes, exact):
    for seed in range(100):
        random = RandomGraph(seed)
        random.has_float32 = any(node.dtype == np.float32 for node in random.nodes)
        passes = EXACT_PASSES if exact else PASSES
        program = Program(random.graph, random.inputs, random.results, random.updated, passes)
        kept = []
        for layout in LAYOUTS.values():
            values = [*map(layout, random.arrays()[:-1]), 0.5]
            expected = plain_results(random, values)
            found = check_results(random, program, values, expected, exact)
            kept.append((found, [np.array(value) for value in found]))
        for found, copies in kept:  # results that the caller holds have not been overwritten
            for mine, other in zip(found, copies):
                np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("name", WRITING_PASSES)
def test_each_pass_alone_and_all_without_it(sizes, name):
    for seed in range(300, 312):
        random = RandomGraph(seed)
        random.has_float32 = any(node.dtype == np.float32 for node in random.nodes)
        for passes in [("buffers", name), [other for other in PASSES if other != name]]:
            program = Program(random.graph, random.inputs, random.results, random.updated, passes)
            values = [*random.arrays()[:-1], 0.5]
            expected = plain_results(random, values)
            check_results(random, program, values, expected, exact=not INEXACT_PASSES & {*passes})


# -- results belong to the caller --------------------------------------------------------------------------

BIG = (64, 256)  # 128 KiB, so that the memory is planned


def big(seed=0, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=BIG).astype(dtype)


def address(array):
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("shape", [(3, 4), BIG])
def test_two_results_that_are_one_are_two_arrays(shape):
    fast = compiled(lambda x: [ad.tanh(x), ad.tanh(x), ad.tanh(x).reshape(-1)])
    found = [value.data for value in fast(Tensor(np.ones(shape)))]
    assert not any(np.shares_memory(a, b) for a, b in combinations(found, 2))


@pytest.mark.parametrize("shape", [(3, 4), BIG])
@pytest.mark.parametrize("of_input", [
    lambda x: x, lambda x: x.reshape(-1), lambda x: x.T, lambda x: x[1:],
    lambda x: np.broadcast_to(x, (2, *x.shape)),
])  # fmt: skip
def test_a_result_is_never_an_input_or_a_view_of_one(of_input, shape):
    x = np.ones(shape)
    found = compiled(of_input)(x)
    np.testing.assert_array_equal(found, of_input(x))
    assert not np.shares_memory(found, x)


def test_a_result_is_never_a_constant_or_a_view_of_one():
    small, large = np.ones(4), big()
    fast = compiled(lambda x: [small + 0 * 0, large, large[1:], np.zeros(BIG), x])
    first = fast(1.0)
    for value in first[:4]:
        value += 1
    second = fast(1.0)
    np.testing.assert_array_equal(large, big())
    np.testing.assert_array_equal(second[1], large)
    np.testing.assert_array_equal(second[3], np.zeros(BIG))
    assert not any(np.may_share_memory(a, b) for a in first[:4] for b in second[:4])


def test_a_part_of_a_value_is_returned_without_the_rest():
    found = compiled(lambda x: np.tanh(x)[1:3])(big())
    assert found.base is None or found.base.size == found.size


def test_a_result_that_is_held_is_not_overwritten():
    fast = compiled(lambda x: np.tanh(x))
    first = fast(big(1))
    part = fast(big(2))[3]  # a view holds the whole array
    kept = [fast(big(seed)) for seed in (3, 4, 5)]
    np.testing.assert_array_equal(first, np.tanh(big(1)))
    np.testing.assert_array_equal(part, np.tanh(big(2))[3])
    for value, seed in zip(kept, (3, 4, 5)):
        np.testing.assert_array_equal(value, np.tanh(big(seed)))


def test_memory_of_a_result_that_was_dropped_is_used_again():
    fast, x = compiled(lambda x: np.tanh(x)), big()
    y, addresses = fast(x), set()
    for _ in range(6):
        y = fast(x)  # while the last one is held
        addresses.add(address(y))
    assert len(addresses) <= 2


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_inputs_are_never_changed_and_may_be_read_only(sizes, layout):
    x = layout(np.arange(24.0).reshape(6, 4))
    before = x.copy()
    x.flags.writeable = False
    fast = compiled(lambda x: [np.tanh(x * 2 + 1) * x, x.reshape(-1) * 2, x.T * 3, x.sum(0), x.sum()])
    expected = [np.tanh(x * 2 + 1) * x, x.reshape(-1) * 2, x.T * 3, x.sum(0), x.sum()]
    for found in (fast(x), fast(x)):
        for mine, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-15)
    np.testing.assert_array_equal(x, before)


def test_inputs_may_be_one_array():
    x = big()
    fast = compiled(lambda a, b, c: [a * b + c, np.tanh(a) - b])
    np.testing.assert_allclose(fast(x, x.copy(), x)[0], x * x + x)
    found = fast(x, x, x[::-1])
    np.testing.assert_allclose(found[0], x * x + x[::-1])
    np.testing.assert_allclose(found[1], np.tanh(x) - x)


def test_an_empty_array_and_one_without_axes():
    fast = compiled(lambda x: [x * 2 + 1, x.sum(), x.sum(0, keepdims=True) if x.ndim else x])
    for x in (np.ones((0, 3)), np.ones((3, 0)), np.array(2.0), np.float32(2.0)):
        for mine, other in zip(fast(x), fast.f(x), strict=True):
            np.testing.assert_array_equal(mine, other)
            assert (np.shape(mine), mine.dtype) == (np.shape(other), other.dtype)


# -- Tensors that the function changes ---------------------------------------------------------------------


def changing(w, exact=True):
    """A function that changes a Tensor, as an optimizer does."""

    def step(x):
        w.assign(w.data * 0.5 + x)
        return (w * 1.0).data.sum()

    return compiled(step, exact=exact)


@pytest.mark.parametrize("shape", [(3, 4), BIG, (1 << 10, 1 << 9)])
def test_a_changed_tensor_keeps_its_memory(shape):
    w, x = Tensor(np.ones(shape)), np.full(shape, 2.0)
    fast, before = changing(w), address(w._value)
    fast(x)
    fast(x)
    assert address(w._value) == before
    np.testing.assert_array_equal(w.data, np.full(shape, 0.25 + 1 + 2))


@pytest.mark.parametrize("shape", [(3, 4), BIG])
def test_an_array_that_is_held_of_a_changed_tensor_is_not_overwritten(shape):
    w, x = Tensor(np.ones(shape)), np.full(shape, 2.0)
    fast = changing(w)
    array = w._value
    view = w._value[1:]
    fast(x)
    assert w._value is not array
    np.testing.assert_array_equal(array, np.ones(shape))
    np.testing.assert_array_equal(view, np.ones(shape)[1:])
    np.testing.assert_array_equal(w.data, np.full(shape, 2.5))


def test_a_changed_tensor_may_be_an_argument_too():
    w = Tensor(np.ones(BIG))

    def step(x):
        w.assign(x.data * 2)
        return x + w

    found = compiled(step)(w)
    np.testing.assert_array_equal(found.data, np.full(BIG, 3.0))
    np.testing.assert_array_equal(w.data, np.full(BIG, 2.0))


def test_two_tensors_change_places():
    a, b = Tensor(np.zeros(BIG)), Tensor(np.ones(BIG))

    def swap(x):
        old = a.data
        a.assign(b.data)
        b.assign(old)
        return x

    fast = compiled(swap)
    fast(1.0)
    np.testing.assert_array_equal(a.data, np.ones(BIG))
    np.testing.assert_array_equal(b.data, np.zeros(BIG))
    assert not np.shares_memory(a._value, b._value)


def test_a_read_only_tensor_is_replaced():
    w = Tensor(np.ones(BIG))
    array = w._value
    array.flags.writeable = False
    del array
    changing(w)(np.ones(BIG))
    np.testing.assert_array_equal(w.data, np.full(BIG, 1.5))


def test_a_call_that_fails_leaves_the_tensors_as_they_were():
    w = Tensor(np.ones((3, 3)))

    def step(x):
        w.assign(w.data * 2)
        return np.linalg.inv(x)

    fast = compiled(step)
    fast(np.eye(3))
    with pytest.raises(np.linalg.LinAlgError):
        fast(np.zeros((3, 3)))
    np.testing.assert_array_equal(w.data, np.full((3, 3), 2.0))


# -- functions that are called uncompiled ------------------------------------------------------------------


def test_what_a_function_returns_may_be_its_argument():
    functions = {"itself": lambda x: x, "view": lambda x: x[::-1]}
    for function in functions.values():
        graph = RandomGraph(0).graph
        x = graph.input("x", BIG)
        t = graph.elementwise("tanh", x)
        y = graph.call(function, [t], function, big())
        other = graph.elementwise("exp", t)  # could overwrite t if y were not a view of it
        results = [y, graph.elementwise("add", other, y), y]
        run = Program(graph, [x], results, (), PASSES).run
        found = run(big())
        t = np.tanh(big())
        np.testing.assert_array_equal(found[0], function(t))
        np.testing.assert_array_equal(found[1], np.exp(t) + function(t))
        assert not np.shares_memory(found[0], found[2])


@pytest.mark.parametrize("form", ["plain", "partial", "partial with an option", "partial with a function"])
def test_what_a_function_keeps_of_its_arguments_is_not_overwritten(form):
    kept = []

    def twice(x, by=2):
        kept.append(x)
        return x * by

    def after(function, x):
        return twice(function(x))

    keep = {
        "plain": twice, "partial": functools.partial(twice),
        "partial with an option": functools.partial(twice, by=3),
        "partial with a function": functools.partial(after, np.asarray),
    }[form]  # fmt: skip

    graph = RandomGraph(0).graph
    x = graph.input("x", BIG)
    t = graph.elementwise("tanh", x)
    y = graph.call(keep, [t], keep, big())
    run = Program(graph, [x], [graph.elementwise("exp", y), graph.elementwise("sin", t)], (), PASSES).run
    for seed in range(4):
        run(big(seed))
    for seed, value in enumerate(kept):
        np.testing.assert_array_equal(value, np.tanh(big(seed)))


def test_a_program_runs_within_itself():
    depth, fast = [], None

    def inner(x):
        if depth:
            return np.sin(x)
        depth.append(1)
        return fast(x * 2)[0]

    graph = RandomGraph(0).graph
    x = graph.input("x", BIG)
    t = graph.elementwise("tanh", x)
    y = graph.call(inner, [t], inner, big())
    fast = Program(graph, [x], [graph.elementwise("add", graph.elementwise("exp", t), y)], (), PASSES).run
    t, u = np.tanh(big()), np.tanh(np.tanh(big()) * 2)
    np.testing.assert_array_equal(fast(big())[0], np.exp(t) + (np.exp(u) + np.sin(u)))


def test_threads_run_one_program_at_once():
    fast = compiled(lambda x: np.tanh(np.sin(x) * 2 + x) * np.exp(-x * x))
    values = [big(seed) for seed in range(4)]
    expected = [fast.f(x) for x in values]
    faults = []

    def work(x, y):
        faults.extend(x for _ in range(60) if not np.array_equal(fast(x), y))

    threads = [threading.Thread(target=work, args=pair) for pair in zip(values, expected)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


# -- the same numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_bit_is_kept_by_exact_programs(layout, dtype):
    def f(x):
        y = np.tanh(x) * x
        return [y.sum(), y.sum(0), y.sum(1), (y * x).sum(), y.T.sum(0), (y @ y.T).mean(), np.exp(y.T).sum(1)]

    x = layout(big(dtype=dtype))
    for mine, other in zip(compiled(f, exact=True)(x), f(x), strict=True):
        np.testing.assert_array_equal(mine, other)
        assert mine.dtype == other.dtype
    for mine, other in zip(compiled(f)(x), f(x), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12 if dtype is np.float64 else 1e-3, atol=1e-12)


@pytest.mark.parametrize("shape", [(1 << 20,), (1000, 700), ((1 << 20) + 7,), (1031, 521)])
@pytest.mark.parametrize("exact", [True, False])
def test_blocks_of_rows(shape, exact):
    def f(x, b):
        y = np.tanh(x * b)
        return [y * x, (y * x).sum(), y.sum(), y.sum(0), np.where(y > 0, y, x).sum(), 2 * y]

    x = np.random.default_rng(0).normal(size=shape)
    fast = compiled(f, exact=exact)
    for mine, other in zip(fast(x, x[:1]), f(x, x[:1]), strict=True):
        if exact:
            np.testing.assert_array_equal(mine, other)
        else:
            np.testing.assert_allclose(mine, other, rtol=1e-11)
    program = program_of(f, x, x[:1], passes=EXACT_PASSES if exact else PASSES)
    assert "for i in range(0" in program.source


def test_infinity_and_nan_stay_where_they_are():
    x = big()
    x[0, :4] = np.inf, -np.inf, np.nan, -0.0
    f = ad.value_and_grad(lambda x: ((x * x).tanh() * x).sum())
    with np.errstate(all="ignore"):
        for mine, other in zip(compiled(f)(Tensor(x)), f(Tensor(x)), strict=True):
            np.testing.assert_allclose(mine.data, other.data, rtol=1e-12)


def test_a_reshape_that_is_a_copy_is_made_at_each_call():
    def f(x):
        y = np.tanh(x)
        return y.T.reshape(-1) * np.arange(y.size), y[::2, ::2].reshape(-1) + 1

    fast = compiled(f)
    for seed in range(3):
        for mine, other in zip(fast(big(seed)), f(big(seed)), strict=True):
            np.testing.assert_array_equal(mine, other)


def test_parts_of_an_array_are_computed_in_their_place():
    def f(x, w):
        rows = [np.tanh(x[i] @ w) for i in range(4)]
        whole = np.stack(rows)
        wide = np.concatenate([np.sin(whole), whole * 2, x[0][None] + np.zeros((4, 1, 1))], axis=2)
        return [wide.sum(0) + rows[1].sum(), np.exp(rows[2]), whole, np.stack([rows[0], rows[0]]) * 2]

    x, w = np.random.default_rng(0).normal(size=(4, 64, 64)), big()[:, :64]
    fast = compiled(f, passes=[name for name in PASSES if name != "stacks"])
    for _ in range(2):
        for mine, other in zip(fast(x, w), f(x, w), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)
    g = lambda x, w: f(x, w)[0]
    source = program_of(g, x, w, passes=[name for name in PASSES if name != "stacks"]).source
    assert " = stacked1[0]" in source
    assert " = joined1[:, :, 0:64]" in source


@pytest.mark.parametrize("exact", [True, False])
def test_infinity_times_zero_is_nan_in_products(exact):
    fast = compiled(lambda x, y: x @ y, exact=exact)
    for shapes in [((4, 1), (1, 1)), ((1, 1), (1, 4)), ((4, 1), (1, 4)), ((1, 4), (4, 1)), ((4, 4), (4, 4))]:
        x, y = np.full(shapes[0], np.inf), np.zeros(shapes[1])
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(fast(x, y), x @ y)


def test_a_choice_may_be_written_over_its_own_mask():
    def f(x):
        mask = x > 0
        return np.where(mask, x > 1, mask) & (x < 2)

    x = np.tile(big(), (4, 1))
    np.testing.assert_array_equal(compiled(f)(x), f(x))


# -- the source --------------------------------------------------------------------------------------------


def test_the_source_reads_as_written_by_hand():
    f = ad.value_and_grad(lambda x, w: ((x @ w).tanh() * 2).sum(), argnums=1)
    program = program_of(f, Tensor(np.ones((3, 4))), Tensor(np.ones((4, 2))))
    assert (
        program.source
        == """\
two = np.array(2.0, 'float64')
ones_6 = np.ones(6, 'float64')
one = np.array(1.0, 'float64')

def program(x, w):
    matmul1 = x.dot(w)
    tanh1 = np.tanh(matmul1)
    product1 = tanh1 * two
    value = product1.ravel().dot(ones_6)
    square1 = tanh1 * tanh1
    difference1 = one - square1
    product2 = two * difference1
    transposed1 = x.T
    d_w = transposed1.dot(product2)
    return (value, d_w)
"""
    )


def test_large_values_take_turns_in_memory_that_is_made_once():
    source = program_of(lambda x: (np.tanh(x) * 2 + x).sum(1), big()).source
    assert (
        source
        == """\
two = np.array(2.0, 'float64')

def build():
    tanh1 = np.empty((64, 256), 'float64')

    def program(x):
        np.tanh(x, out=tanh1)
        np.multiply(tanh1, two, out=tanh1)
        np.add(tanh1, x, out=tanh1)
        total1 = np.add.reduce(tanh1, axis=1)
        return (total1,)
    return program
"""
    )


PATTERNS = {
    "buffers": "np.empty", "inplace": "np.multiply(tanh1, two, out=tanh1)", "reuse": ".reshape(-1)",
    "recycle": "recycled",
    "typed": "two = np.array", "dot": "np.dot(", "ones": "ones_64.dot", "totals": ".ravel().dot",
}  # fmt: skip


@pytest.mark.parametrize("name", PATTERNS)
def test_each_pass_is_switched_by_its_name(name):
    def f(x):
        y = np.tanh(x) * 2
        z = y.reshape(128, 128) @ y.reshape(128, 128).T
        return [z, (z * z).sum(), (y + 1).sum(0), np.exp(np.sin(z) - np.cos(z))[:32] @ y.reshape(128, 128)]

    assert PATTERNS[name] in program_of(f, big()).source
    others = [other for other in PASSES if other != name]
    assert PATTERNS[name] not in program_of(f, big(), passes=others).source


def test_memory_at_its_peak_is_at_most_that_of_a_program_by_hand():
    x, w = np.random.default_rng(0).normal(size=(2, 400_000))

    def by_hand(x, w):
        e = x * x
        np.exp(np.negative(e, out=e), out=e)
        t = x * w
        np.tanh(t, out=t)
        by_x = t * e
        total = by_x.sum()
        by_x *= x
        by_x *= -2
        t *= t
        np.subtract(1, t, out=t)
        t *= e
        by_w = t * x
        t *= w
        by_x += t
        return total, by_x, by_w

    fast = compiled(ad.value_and_grad(lambda x, w: (ad.tanh(x * w) * ad.exp(-(x * x))).sum(), argnums=(0, 1)))
    fast(x, w)  # traced
    assert peak(lambda: [Fresh(fast)(x, w)]) <= 1.2 * peak(lambda: [by_hand(x, w)])


class Fresh:
    """A compiled function whose program has no memory yet."""

    def __init__(self, fast):
        (entry,) = next(iter(fast._programs.values()))
        entry.program.run = runnable(entry.program.source, entry.program.constants)
        self.fast = fast

    def __call__(self, *args):
        return self.fast(*args)


def peak(run):
    tracemalloc.start()
    run()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


# -- blocks and the memory of results ------------------------------------------------------------------------


def batches(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


OF_PRODUCTS = {
    "total": lambda x, y, s: [((x @ y) * s).sum(), s @ y.swapaxes(1, 2), x.swapaxes(1, 2) @ s],
    "kept too": lambda x, y, s: [x @ y, ((x @ y) * s).sum()],
    "read by another product": lambda x, y, s: [((x @ y) * s).sum(), (x @ y) @ s],
    "elementwise": lambda x, y, s: [(np.tanh(x @ y) * s).sum(), np.exp((x @ y) * 2 - s)],
    "one matrix for all": lambda x, y, s: [((x @ y[0]) * s).sum(), ((x[0] @ y) * s).sum()],
    "stretched": lambda x, y, s: [((x[:1] @ y) * s).sum(), ((x @ y[:1]) * s).sum()],
    "plain sum": lambda x, y, s: [(x @ y).sum(), (x @ y + s[0]).sum()],
    "sum of rows": lambda x, y, s: [(x @ y).sum(0), (x @ y + s[0]).sum(0)],
}


@pytest.mark.parametrize("count", [2, 7, 64, 67])
@pytest.mark.parametrize("which", OF_PRODUCTS)
def test_products_in_batches_are_computed_in_blocks(which, count, monkeypatch):
    monkeypatch.setattr(blocks, "FAR", 64)
    monkeypatch.setattr(blocks, "LARGE", 64)
    monkeypatch.setattr(blocks, "CACHE", 3 * 4 * 64 * 8)
    monkeypatch.setattr(planning, "LARGE", 64)
    args = batches((count, 8, 4), (count, 4, 8), (count, 8, 8))
    f = OF_PRODUCTS[which]
    fast = compiled(f)
    for _ in range(2):
        for mine, other in zip(fast(*args), f(*args), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-11, atol=1e-11)
    has_blocks = "for i in range(0" in program_of(f, *args).source
    assert has_blocks == (which not in ("kept too", "read by another product", "sum of rows"))


def test_a_value_with_its_total_takes_the_memory_of_a_block():
    def f(x, b, s):
        return ((x + b) * s).sum(), s.sum(0)

    x, b, s = batches((1024, 600), (600,), (1024, 600))
    fast = compiled(f)
    assert fast(x, b, s)[0] == pytest.approx(f(x, b, s)[0], rel=1e-11)
    assert "for i in range(0" in program_of(f, x, b, s).source
    assert peak(lambda: [Fresh(fast)(x, b, s)]) < x.nbytes / 8


def test_copies_of_inputs_are_made_in_blocks_and_belong_to_the_caller():
    f = lambda x, s: (((x + 1) * s).sum(), s, s)
    x, s = batches((1024, 600), (1024, 600))
    fast = compiled(f)
    _, first, second = fast(x, s)
    np.testing.assert_array_equal(first, s)
    np.testing.assert_array_equal(second, s)
    assert not any(np.shares_memory(a, b) for a, b in ((first, second), (first, s), (second, s)))
    first[...] = 0
    np.testing.assert_array_equal(fast(x, s)[1], s)
    assert "rows = " in program_of(f, x, s).source.partition("copied1_")[2]


def test_blocks_fit_in_the_cache_with_all_their_arrays():
    assert blocks.rows_in_block(count=1_000_000, row=36) == 25_000  # 40 blocks
    assert blocks.rows_in_block(count=1_000_003, row=36) == 27_777  # a prime number of rows
    assert blocks.rows_in_block(count=64, row=10) == 64
    assert blocks.rows_in_block(count=64, row=10**9) == 1


IN_RESULTS = {
    "before the result": lambda x, w: ((np.tanh(x) @ w.T) @ w, x.T @ w),
    "until the result": lambda x, w: ((np.tanh(x) @ w.T) @ (np.sin(w) @ x.T), np.sin(x).T @ w),
    "two values": lambda x, w: ((np.tanh(x) @ w.T) @ (np.sin(w) @ x.T) @ (np.cos(x) @ w.T), x.T @ w),
    "smaller": lambda x, w: ((np.tanh(x) @ w.T)[:3] @ w, np.sin(x.T @ w)),
    "views": lambda x, w: ((np.tanh(x) @ w.T).T[::-1].sum(1), (np.exp(x) @ w.T).reshape(-1) * 2, x.T @ w),
    "stacks": lambda x, w: (np.stack([np.tanh(x) @ w.T, np.sin(x) @ w.T]), x.T @ w, w.T @ x),
}


@pytest.mark.parametrize("which", IN_RESULTS)
def test_values_lie_in_results_that_are_computed_later(which):
    x, w = batches((48, 128), (48, 128))
    f = IN_RESULTS[which]
    fast = compiled(f)
    kept = []
    for turn in range(4):  # with results kept, and with results that were dropped
        found = fast(x + turn, w)
        for mine, other in zip(found, f(x + turn, w), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-11, atol=1e-11)
        kept.append((found, f(x + turn, w))) if turn < 2 else None
    for found, expected in kept:
        for mine, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-11, atol=1e-11)
    x_float = [x.astype(np.float32), w]
    for mine, other in zip(fast(*x_float), f(*x_float), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-4)


def test_a_copy_lies_in_a_result_that_is_computed_later():
    x, y, s = batches((64, 64, 32), (64, 32, 64), (64, 64, 64))
    f = OF_PRODUCTS["total"]
    fast = compiled(f)
    fast(x, y, s)
    assert peak(lambda: [Fresh(fast)(x, y, s)]) < 1.2 * peak(lambda: [f(x, y, s)])
    assert ".reshape(-1)" in program_of(f, x, y, s).source
    program = program_of(f, x, y, s, passes=[name for name in PASSES if name != "reuse"])
    assert "copied1 = np.empty" in program.source


def test_names_of_numpy_are_looked_up_once():
    names = {}
    source = """\
def program(x, y):
    np.add(x, y, out=y)
    np.maximum(x, y, out=y)
    np.concatenate([x, y], axis=0, out=z)
    np.dot(x, f(y, 2), out=z)
    np.add.reduce(x, axis=(0, 1), out=z)
    x[np.s_[1:]] = np.exp(y)
"""
    assert bound(source, names) == """\
def program(x, y):
    np_add(x, y, y)
    np_maximum(x, y, out=y)
    np_concatenate([x, y], axis=0, out=z)
    np_dot(x, f(y, 2), z)
    np_add.reduce(x, axis=(0, 1), out=z)
    x[np_s_[1:]] = np_exp(y)
"""
    assert names["np_add"] is np.add
    assert bound("np_add = np.exp(x)", names) == "np_add = _np_exp(x)"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_exponential_of_a_negated_difference_keeps_every_bit(dtype):
    values = np.array([0.0, -0.0, 1.5, -700, 90, np.inf, -np.inf, np.nan, 1e-30], dtype)
    x, y = np.repeat(values, len(values)), np.tile(values, len(values))
    f = lambda x, y: (np.exp(-(x - y)), 1 / np.exp(-(x - y)))
    fast = compiled(f, exact=True)
    with np.errstate(all="ignore"):
        for mine, other in zip(fast(x, y), f(x, y), strict=True):
            np.testing.assert_array_equal(mine, other)
    assert "negative" not in program_of(f, x, y).source
