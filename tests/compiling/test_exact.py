"""ad.compile(exact=True) is equal to what it was made from in every bit."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn
from autodiff.engine.catalogue import catalogue
from autodiff.testing import LAYOUTS
from benchmarks import accuracy

POWERS = (-2, -1, -0.5, 0.5, 1.5, 2, 2.5, 3, 4, 5)


def assert_equal_in_every_bit(f, *inputs):
    expected, found = f(*inputs), ad.compile(f, exact=True)(*inputs)
    parts = [each if isinstance(each, tuple) else (each,) for each in (expected, found)]
    for one, other in zip(*parts, strict=True):
        one, other = (each.data if isinstance(each, ad.Tensor) else each for each in (one, other))
        np.testing.assert_array_equal(np.asarray(other), np.asarray(one))
        signs = [np.signbit(each) & ~np.isnan(each) for each in (one, other)]
        np.testing.assert_array_equal(*signs)
        assert np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize("exponent", POWERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_powers(exponent, dtype):
    x = (np.random.default_rng(0).random((5, 7)) * 3 + 0.2).astype(dtype)
    f = lambda x: (x**exponent).sum()
    assert_equal_in_every_bit(lambda x: x**exponent, ad.Tensor(x))
    assert_equal_in_every_bit(ad.value_and_grad(f), x)
    assert_equal_in_every_bit(ad.grad(lambda x: ad.grad(f)(x).sum()), x)
    assert_equal_in_every_bit(ad.value_and_grad(lambda x: x**exponent), 3.3)


def test_what_is_checkpointed():
    x = np.random.default_rng(0).normal(size=(5, 7))
    assert_equal_in_every_bit(
        ad.value_and_grad(lambda x: ad.checkpoint(lambda x: (x * x).tanh().sum(), x)), x
    )
    inner = lambda x: (x**3).exp().mean(axis=0)
    assert_equal_in_every_bit(ad.value_and_grad(lambda x: ad.checkpoint(inner, x / 3).sum()), x)


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("batch", [1, 2, 3])
@pytest.mark.parametrize("layer", [nn.RNN, nn.LSTM, nn.GRU])
def test_recurrent_layers(layer, batch, batch_first):
    net = layer(3, 4, batch_first=batch_first, num_layers=2)
    shape = (batch, 6, 3) if batch_first else (6, batch, 3)
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    assert_equal_in_every_bit(lambda x: net(x)[0], ad.Tensor(x))
    with ad.no_grad():
        assert_equal_in_every_bit(ad.value_and_grad(lambda x: (net(x)[0] ** 2).sum()), x)


# -- numbers -------------------------------------------------------------------------------------------------

OF_NUMBERS = {case.name: case for case in accuracy.cases() if case.of_numbers}
POSITIVE = {"log": 0.2, "log2": 0.2, "log10": 0.2, "log1p": 0.2, "sqrt": 0.2, "pow": 0.2, "arccosh": 1.1}
INSIDE = ("arcsin", "arccos", "arctanh", "below_one")


def points_of(name, count):
    rng = np.random.default_rng(3)
    for _ in range(2):
        x = rng.normal(size=count) * 0.8
        yield np.sin(x) if name in INSIDE else abs(x) + POSITIVE[name] if name in POSITIVE else x


@pytest.mark.parametrize("form", [float, np.float64, np.float32])
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_operations_on_one_number(name, form):
    """Python's and NumPy's functions differ in the last digit, and so do those of scalars and arrays."""
    f, count = OF_NUMBERS[name].ours, OF_NUMBERS[name].columns
    places = tuple(range(count))
    scaled = lambda *x: f(*x) * 1.5
    for point in points_of(name, count):
        x = [form(part) for part in point]
        tensors = [ad.Tensor(part) for part in x]
        with np.errstate(all="ignore"):
            assert_equal_in_every_bit(f, *x)
            assert_equal_in_every_bit(ad.grad(scaled, places), *tensors)
            assert_equal_in_every_bit(ad.grad(lambda *x: ad.grad(scaled)(*x), places), *tensors)


def test_every_elementwise_operation_is_among_them():
    names = {op.name for op in catalogue if op.kind == "elementwise" and any(op.rules)}
    assert names <= {*OF_NUMBERS} | accuracy.PARTS | accuracy.REARRANGING


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.mean() ** 3, lambda x: x.sum() ** -1, lambda x: (x * x).mean() ** 0.5,
        lambda x: 2 ** x.mean(), lambda x: ad.exp(x.mean()), lambda x: x.mean() * ad.tanh(-x.sum()),
    ],
)  # fmt: skip
def test_functions_of_a_total(f, dtype):
    x = (np.random.default_rng(0).normal(size=(4, 5)) * 0.8).astype(dtype)
    for part in (x, x[0], x[0, :1]):
        assert_equal_in_every_bit(f, part)
        assert_equal_in_every_bit(f, ad.Tensor(part))
        assert_equal_in_every_bit(ad.value_and_grad(f), ad.Tensor(part))
        assert_equal_in_every_bit(ad.grad(lambda x: ad.grad(f)(x).sum()), ad.Tensor(part))


@pytest.mark.parametrize("kind", [None, "elementwise"])
def test_an_operation_of_ones_own_on_numbers(kind):
    @ad.operation(kind=kind)
    def bell(x):
        return np.exp(-x * x)

    bell.backward(lambda grad, z, x: -2 * grad * x * z)
    for x in np.linspace(-2, 2, 40).tolist():
        assert_equal_in_every_bit(ad.value_and_grad(bell), x)


def test_a_call_that_raises_in_python_leaves_the_others_to_python():
    for x in np.linspace(0.1, 3, 40).tolist():
        assert_equal_in_every_bit(
            lambda x, y: (ad.tanh(x) + ad.expm1(x), x / y), ad.Tensor(x), ad.Tensor(0.0)
        )


def test_the_sum_of_a_negative_zero():
    """It is 0 in NumPy."""
    for x in (-0.0, np.array(-0.0), np.array([-0.0])):
        assert_equal_in_every_bit(lambda x: ad.sum(x), ad.Tensor(x))
        assert_equal_in_every_bit(lambda x: ad.sum(x, axis=()), ad.Tensor(x))
    assert_equal_in_every_bit(
        ad.grad(lambda x: ad.grad(lambda x: ad.log_softmax(x) * 1.5)(x)), ad.Tensor(np.asarray(0.7))
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_plain_arrays_in_any_memory_order(layout, dtype):
    """A derivative computes on a copy without gaps, and NumPy's functions differ on arrays with gaps."""
    x = LAYOUTS[layout]((np.random.default_rng(2).normal(size=(4, 5)) * 0.8).astype(dtype))
    for f in (
        lambda x: ad.exp(x) + ad.sinh(x),
        lambda x: ad.exp2(x[1:, ::-1]),
        lambda x: ad.logsigmoid(x) ** 3,
    ):
        assert_equal_in_every_bit(f, x)
        assert_equal_in_every_bit(ad.value_and_grad(lambda x, f=f: f(x).sum()), x)
        assert_equal_in_every_bit(lambda x, f=f: ad.jvp(f, (x,), (np.ones_like(x),)), x)


ALL = {case.name: case for case in accuracy.cases()}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ALL)
def test_tangents_of_a_compiled_function(name, dtype):
    """Taken inside and outside: outside, the compiled function has a program for its tangent."""
    f, rng = ALL[name].ours, np.random.default_rng(4)
    x = tuple(
        (abs(np.sin(rng.normal(size=5))) * 0.9 + POSITIVE.get(name, 0)).astype(dtype)
        for _ in range(ALL[name].columns)
    )
    moves = tuple(rng.normal(size=5).astype(dtype) for _ in x)
    assert_equal_in_every_bit(lambda *x: ad.jvp(f, x, moves), *x)
    expected, found = ad.jvp(f, x, moves), ad.jvp(ad.compile(f, exact=True), x, moves)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(other.data, one.data)
        assert other.dtype == one.dtype


def test_tangents_with_weights_that_are_closed_over_and_of_several_results():
    net = nn.Sequential(nn.Linear(4, 3, generator=0), nn.Tanh(), nn.Linear(3, 2, generator=1))
    x, v = np.random.default_rng(0).normal(size=(2, 5, 4)).astype(np.float32)
    both = lambda x: (net(x), net(2 * x).sum())

    def results(f):
        values, moved = ad.jvp(f, (x,), (v,))
        return [*values, *moved, ad.grad(lambda x: (ad.jvp(f, (x,), (v,))[1][0] ** 2).sum())(x)]

    expected, found = results(both), results(ad.compile(both, exact=True))
    for one, other in zip(expected[:4], found[:4], strict=True):
        np.testing.assert_array_equal(other.data, one.data)
        assert one.requires_grad
        assert other.requires_grad
    np.testing.assert_allclose(found[4].data, expected[4].data, rtol=1e-5)


def test_a_number_that_is_broadcast_keeps_its_dtype():
    """The tangent of a Python float becomes an array of float64; a number beside float32 would not count."""
    x, v = np.random.default_rng(0).normal(size=(2, 300)).astype(np.float32)
    assert_equal_in_every_bit(lambda x, y: ad.jvp(lambda x, y: x * y, (x, y), (v, 0.1234)), x, 0.7)
    for exact in (True, False):
        found = ad.compile(lambda x, y: np.broadcast_to(y, x.shape) * x, exact=exact)(x, np.float64(0.7))
        assert found.dtype == np.float64


LAYERS = {
    "conv": (lambda: nn.Conv2d(3, 4, 3, padding=1), (2, 3, 8, 8)),
    "transposed": (lambda: nn.ConvTranspose2d(3, 4, 3, stride=2), (2, 3, 5, 5)),
    "batch": (lambda: nn.BatchNorm2d(3), (4, 3, 5, 5)),
    "layer": (lambda: nn.LayerNorm(5), (3, 4, 5)),
    "group": (lambda: nn.GroupNorm(2, 4), (2, 4, 3, 3)),
    "mish": (lambda: nn.Sequential(nn.Linear(5, 6), nn.Mish(), nn.PReLU()), (3, 7, 5)),
}


@pytest.mark.parametrize("is_fortran", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_whose_gradient_starts_from_an_array_of_one_value(name, is_fortran):
    """3 * grad of a mean is an array in C order, which has a say in the order of sums over pictures."""
    make, shape = LAYERS[name]
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    x = np.asfortranarray(x) if is_fortran else x
    ad.seed(0)
    layer = make()
    weights = [*layer.parameters()]

    def step(x):
        loss = (layer(x) ** 3).mean()
        loss.backward()
        return loss

    results = []
    for run in (step, ad.compile(step, exact=True)):
        layer.zero_grad()
        leaf = ad.Tensor(x)
        loss = run(leaf)
        results.append([loss.data, leaf.grad.data, *[weight.grad.data for weight in weights]])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(other, one)
    assert_equal_in_every_bit(ad.value_and_grad(lambda x: (layer(x) ** 2).sum()), x)


@pytest.mark.parametrize(
    "shapes", [((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((1, 3), (3, 4)), ((2, 3), (3, 4))]
)
def test_dot_of_vectors_and_of_two_dtypes(shapes):
    """np.dot and @ add up in other orders there."""
    rng = np.random.default_rng(0)
    for left, right in ((np.float32, np.float64), (np.float64, np.float64)):
        for make in (np.asarray, np.asfortranarray):
            x, y = (make(rng.normal(size=shape)).astype(d) for shape, d in zip(shapes, (left, right)))
            assert_equal_in_every_bit(ad.dot, ad.Tensor(x), ad.Tensor(y))
            assert_equal_in_every_bit(lambda x, y: ad.jvp(ad.dot, (x, y), (x, y)), x, y)
