"""The memory order of the values of programs: that of NumPy, found without computing anything."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.calculus.trees import leaves
from autodiff.compiling import compile_function as compiled
from autodiff.compiling import known_results
from autodiff.compiling.graph import ProgramGraph
from autodiff.compiling.memory_order import axes_by_steps, axes_of, axes_of_result, stand_in
from autodiff.compiling.nodes import reachable
from autodiff.compiling.passes.orders import Orders
from autodiff.compiling.plain import PlainWriter
from autodiff.compiling.program import runnable
from autodiff.compiling.writing import planning
from autodiff.compiling.writing.layout import Layouts
from autodiff.engine.operation import Operation
from autodiff.ops import convolution, pooling, windows

PIXELS = (2, 3, 0, 1)  # pictures in memory as (H, W, N, C)


def laid(x, axes):
    """A copy of an array whose axes lie in this order in memory."""
    new = np.empty_like(stand_in(x.shape, x.dtype, axes))
    new[...] = x
    return new


LAYOUTS = {
    "C": lambda x: laid(x, ()),
    "Fortran": lambda x: laid(x, tuple(range(x.ndim))[::-1]),
    "permuted": lambda x: laid(x, {4: PIXELS, 3: (1, 2, 0), 2: (1, 0), 1: ()}[x.ndim]),
    "strided": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
}


def normal(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


@pytest.fixture
def small_buffers(monkeypatch):
    """Small values get buffers too."""
    monkeypatch.setattr(planning, "LARGE", 16)


# -- what NumPy does ----------------------------------------------------------------------------------------


def random_array(rng, shape):
    """Zeros in a random memory order, some with gaps, some broadcast."""
    own = [1 if rng.random() < 0.2 else size for size in shape]
    axes = tuple(map(int, rng.permutation(len(shape))))
    wide = [2 * own[axis] if rng.random() < 0.2 else own[axis] for axis in axes]
    base = np.zeros(wide)[tuple(slice(own[axis]) for axis in axes)]
    array = base.transpose(np.argsort(axes))
    return np.broadcast_to(array, shape) if rng.random() < 0.3 else array


def test_elementwise_calls_reductions_and_joins_keep_the_order_that_is_predicted():
    rng = np.random.default_rng(0)
    for _ in range(3000):
        shape = rng.choice([1, 2, 3, 5], rng.integers(2, 5))
        x, y = random_array(rng, shape), random_array(rng, shape)
        for call, operands in ((np.exp, [x]), (np.add, [x, y]), (np.arctan2, [y, x])):
            z = call(*operands)
            small = [a for a in operands if a.shape == z.shape]
            if len(small) == len(operands):
                assert axes_of_result(operands) == axes_by_steps(z.shape, z.strides)
        parts = [laid(np.zeros(shape), tuple(map(int, rng.permutation(len(shape))))) for _ in range(2)]
        z = np.concatenate(parts)
        axes = axes_of_result(parts)
        assert axes_of(stand_in(z.shape, z.dtype, axes)) == axes_of(z)


def test_empty_parts_are_joined():
    fast = compiled(lambda x, y: ad.concatenate([x.T, y.T], 1) * 2)
    assert fast(Tensor(np.zeros((0, 3))), Tensor(np.ones((4, 3)))).shape == (3, 4)


INDICES = [np.s_[::-1], np.s_[:, ::-1], np.s_[1:, ::2], np.s_[2], np.s_[:, 2:], np.s_[-1:0:-2, :, ::-1]]


@pytest.mark.parametrize("index", INDICES, ids=str)
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_what_is_certain_to_lie_in_c_order_does(index, axes):
    """A sum adds up in the order of the memory, to which a negative step matters too."""
    graph, x = ProgramGraph(()), laid(normal(3, 4, 5), axes)
    item, taken = graph.getitem(graph.const(x), index), x[index]
    cases = [
        (item, taken), (graph.elementwise("exp", item), np.exp(taken)), (graph.transpose(item), taken.T),
        (graph.reshape(item, (-1, 2)), taken.reshape(-1, 2)), (graph.copy(item), taken.copy()),
        (graph.reduce("add", item, axis=0), taken.sum(axis=0)),
        (graph.join("concatenate", [item, item], 0), np.concatenate([taken, taken])),
    ]  # fmt: skip
    orders = Orders()
    for node, value in cases:
        steps = [step for step, size in zip(value.strides, value.shape) if size > 1]
        is_c = steps == sorted(steps, reverse=True) and min(steps) > 0
        assert is_c or not orders.is_c(node), node.op
    assert any(map(orders.is_c, (node for node, _ in cases)))


def test_a_stand_in_has_the_strides_and_takes_no_memory():
    like = stand_in((2, 3, 4, 5), np.float32, PIXELS)
    real = laid(np.zeros((2, 3, 4, 5), np.float32), PIXELS)
    assert like.strides == real.strides
    assert like.base is not None
    assert axes_of(like) == axes_of(real) == PIXELS
    assert axes_of(real[:, :, ::2]) == ()  # it has gaps
    assert axes_of(np.zeros((2, 3))) == axes_of(np.zeros(())) == axes_of(np.zeros((0, 3))) == ()
    stand_in((10**6, 10**6), np.float64)


# -- programs ----------------------------------------------------------------------------------------------

X, W, B = normal(3, 4, 8, 8), normal(5, 4, 3, 3, seed=1), normal(5, seed=2)
FUNCTIONS = {
    "convolution, relu, sums": lambda x: (ad.conv2d(x, W, B).relu() * 0.3).exp().sum((0, 2, 3)),
    "convolution, total": lambda x: ad.conv2d(x, W, B).relu().exp().sum(),
    "convolution, sums with axes kept": lambda x: ad.conv2d(x, W, B).exp().sum((0, 2), keepdims=True),
    "transposed convolution": lambda x: ad.conv_transpose2d(x, W.swapaxes(0, 1), padding=1).exp().sum(1),
    "largest pixels": lambda x: ad.max_pool2d(x, 2).exp().sum((0, 2, 3)),
    "mean pixels": lambda x: ad.avg_pool2d(x, 2).exp().sum((0, 2, 3)),
    "pixels of a convolution": lambda x: ad.max_pool2d(ad.conv2d(x, W, B).relu(), 2).exp().sum((0, 2, 3)),
    "normalized": lambda x: normalized(ad.conv2d(x, W, B)).sum((1, 2)),
    "flattened": lambda x: (ad.conv2d(x, W, B).relu().reshape(3, -1) * 1.1).exp().sum(0),
    "transposed": lambda x: x.transpose(1, 3, 0, 2).exp().sum((0, 2)),
    "a part": lambda x: (ad.conv2d(x, W, B)[:, 1:4, ::2, None, 3] * 2).exp().sum((0, 1)),
    "a choice": lambda x: ad.where(x > 0, x.exp(), -x).sum((0, 2, 3)),
    "two orders": lambda x: (x.transpose(0, 1, 3, 2) * x).exp().sum((0, 2)),
    "joined": lambda x: ad.concatenate([ad.conv2d(x, W, B), x[:, :, :6, :6]], 1).exp().sum((0, 2, 3)),
    "stacked": lambda x: ad.stack([ad.conv2d(x, W, B), ad.conv2d(-x, W, B)], 1).exp().sum((0, 3, 4)),
}


def normalized(x):
    centred = x - x.mean((0, 2, 3), keepdims=True)
    return centred / (centred.square().mean((0, 2, 3), keepdims=True) + 1e-5).sqrt()


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_exact_programs_keep_every_bit_in_any_memory_order(small_buffers, f, layout):
    seed = f(Tensor(X)).data.astype(np.float32) + 0.5

    def loss(x):
        return (f(x) * seed).sum()

    for g in (f, ad.value_and_grad(loss)):
        fast = compiled(g, exact=True)
        for make in (layout, *LAYOUTS.values()):  # made for the first, called with each
            x = Tensor(make(X), requires_grad=False)
            found, expected = fast(x), g(x)
            for mine, other in zip(leaves(found), leaves(expected), strict=True):
                np.testing.assert_array_equal(mine.data, other.data)


def of_two_orders(x):
    """A value that is added up, and then becomes part of a result in another order."""
    z = ad.conv2d(x, W, B).exp()
    return [z.sum((0, 2, 3)), x[:, :1, :6, :6].broadcast_to((3, 5, 6, 6)).exp() + z]


def of_a_part(x):
    """A value that is added up, and is part of a stack."""
    z = ad.conv2d(x, W, B).exp()
    return [z.sum((0, 2, 3)), ad.stack([z, x[:, :1, :6, :6] + np.zeros((3, 5, 6, 6), np.float32)]).sum(0)]


def of_reversed(x):
    return [(x[:, :, ::-1].exp() * x).sum((0, 2, 3)), x[::-1, :, ::-1, ::-1].exp().sum((0, 2))]


def of_broadcast(x):
    z = ad.conv2d(x, W, B)
    wide = z.sum((0, 2, 3), keepdims=True).broadcast_to(z.shape)
    found = wide * 1 + z, ad.neg(-wide) + z, wide**1 * z
    return [each.exp().sum((0, 2, 3)) for each in found]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("f", [of_two_orders, of_a_part, of_reversed, of_broadcast])
def test_exact_programs_keep_every_bit_of_several_results(small_buffers, f, layout):
    fast = compiled(f, exact=True)
    for make in (layout, *LAYOUTS.values()):
        x = Tensor(make(X), requires_grad=False)
        for mine, other in zip(fast(x), f(x), strict=True):
            np.testing.assert_array_equal(mine.data, other.data)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_programs_compute_the_same_in_any_memory_order(small_buffers, f, layout):
    fast = compiled(f)
    for make in (layout, *LAYOUTS.values()):
        x = Tensor(make(X), requires_grad=False)
        np.testing.assert_allclose(fast(x).data, f(x).data, rtol=1e-4)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_order_of_every_value_is_found(f, layout):
    """What is certain is true; what is only expected is true of these functions, too."""
    x = layout(X)
    fast = compiled(f, passes=("fold", "algebra", "cse"))
    fast(Tensor(x, requires_grad=False))
    nodes = reachable(fast._entry().program.stages[-1][1])
    wanted = [node for node in nodes if len(node.shape) > 1 and node.op not in ("array", "full", "const")]
    inputs = [node for node in nodes if node.op == "input"]
    writer = PlainWriter(inputs, wanted)
    values = runnable(writer.source(), writer.constants)(x)
    layouts = Layouts(nodes, is_exact=True)
    known = 0
    for node, value in zip(wanted, values, strict=True):
        if layouts.is_known(node) and (node.op != "input" or axes_of(x) == layouts.axes(node)):
            assert layouts.axes(node) == axes_by_steps(value.shape, value.strides), node
            known += 1
    assert known >= 2 or layout is LAYOUTS["strided"]


def test_no_convolution_copies_what_the_program_has_computed(monkeypatch):
    weights = [normal(16, 8, 3, 3, seed=1), normal(16, 16, 3, 3, seed=2)]
    x = laid(normal(64, 8, 20, 20), PIXELS)

    def loss(x, first, second):
        h = normalized(ad.conv2d(x, first)).relu()
        return ad.max_pool2d(ad.conv2d(h, second).relu() * 0.5, 2).square().sum()

    copies = []
    contiguous = windows.contiguous

    def watched(pixels):
        found = contiguous(pixels)
        if found is not pixels and pixels.size > 10_000:
            copies.append(pixels.shape)
        return found

    fast = compiled(ad.value_and_grad(loss, argnums=(0, 1, 2)))
    fast(x, *weights)
    monkeypatch.setattr(windows, "contiguous", watched)
    fast(x, *weights)
    assert not copies
    assert "np.empty((18, 18, 64, 16), 'float32').transpose(2, 3, 0, 1)" in str(fast.source)


def test_results_lie_in_memory_as_uncompiled_ones():
    x = laid(normal(16, 8, 20, 20), PIXELS)
    fast = compiled(lambda x: [x.exp(), x.T * 2, ad.max_pool2d(x, 2) + 1])
    found = fast(Tensor(x, requires_grad=False))
    for mine, other in zip(found, fast.f(Tensor(x, requires_grad=False))):
        assert axes_of(mine.data) == axes_of(other.data) != ()
        assert mine.data.base is None  # so that the program knows whether somebody refers to it
    kept = [mine.data.T for mine in found]
    before = [np.array(each) for each in kept]
    del found, mine
    fast(Tensor(2 * x, requires_grad=False))
    for each, same in zip(kept, before):
        np.testing.assert_array_equal(each, same)


# -- operations that run unchanged ---------------------------------------------------------------------------

CALLS = {
    "convolution": [
        (lambda x: ad.conv2d(x, W, B), X), (lambda x: ad.conv2d(x, W, padding=1, stride=2, exact=True), X),
        (lambda x: ad.conv2d(x, W, B, dilation=2, padding="same"), X),
        (lambda x: ad.conv2d(x, W[:4, :1], groups=4), X), (lambda x: ad.conv2d(x, W[:4, :2], groups=2), X),
        (lambda x: ad.conv2d(x, W, B), X.astype(np.float64)), (lambda x: ad.conv2d(x, W[:, :1]), X[:1, :1]),
        (lambda x: ad.conv2d(x, normal(16, 16, 3, 3)), normal(9, 16, 13, 13)),
    ],
    "transposed_convolution": [
        (lambda x: ad.conv_transpose2d(x, normal(4, 3, 3, 3), stride=2, output_padding=1, padding=1), X),
        (lambda x: ad.conv_transpose2d(x, normal(4, 3, 2, 3), groups=2), X),
        (lambda x: ad.conv_transpose2d(x, normal(16, 16, 3, 3)), normal(9, 16, 13, 13)),
    ],
    "kernel_gradient": [
        (ad.grad(lambda w: ad.conv2d(X, w).square().sum()), W),
        (ad.grad(lambda w: ad.conv2d(X, w, groups=4).square().sum()), W[:4, :1]),
        (ad.grad(lambda w: ad.conv2d(normal(9, 16, 13, 13), w).square().sum()), normal(16, 16, 3, 3)),
    ],
    "to_largest": [
        (ad.grad(lambda x: ad.max_pool2d(x, 2).square().sum()), X),
        (ad.grad(lambda x: ad.max_pool2d(x, 3, stride=2, padding=1).square().sum()), X[0]),
    ],
    "spread_mean": [
        (ad.grad(lambda x: ad.avg_pool2d(x, 2).square().sum()), X),
        (ad.grad(lambda x: ad.avg_pool2d(x, 3, stride=2, padding=1).square().sum()), X[0]),
    ],
}  # fmt: skip


def test_each_operation_whose_result_is_known_is_tested():
    assert {forward.__name__ for forward in known_results.KNOWN} == set(CALLS)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("name", CALLS)
def test_known_results_are_what_the_operations_return(name, layout, monkeypatch):
    operation: Operation = getattr(convolution, name, None) or getattr(pooling, name)
    told = []
    tell = known_results.KNOWN[operation.forward]

    def heard(*args, **how):
        told.append(tell(*args, **how))
        return told[-1]

    monkeypatch.setitem(known_results.KNOWN, operation.forward, heard)
    for f, x in CALLS[name]:
        fast = compiled(f)
        fast(Tensor(layout(x)))
        calls = [
            node for node in reachable(fast._entry().program.stages[0][1])
            if node.op == "call" and node.value.__name__ == name
        ]  # fmt: skip
        assert len(calls) == 1
        (node,) = calls
        given = reachable(node.args)
        writer = PlainWriter([each for each in given if each.op == "input"], [node, *node.args])
        value, *given = runnable(writer.source(), writer.constants)(layout(x))
        like, options = told.pop()
        assert (like.shape, like.dtype) == (value.shape, value.dtype)
        axes = [option for option in options if option != "new"]
        if axes:
            ordered = stand_in(value.shape, value.dtype, *axes)
            assert axes_by_steps(ordered.shape, ordered.strides) == axes_by_steps(value.shape, value.strides)
        if "new" in options:
            last = sum((n - 1) * step for n, step in zip(value.shape, value.strides))
            assert value.nbytes == last + value.itemsize  # it has no gaps
            assert not any(np.may_share_memory(value, other) for other in given)
