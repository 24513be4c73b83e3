"""Operands of every dtype: integers and booleans where the result is a float, float16 where numbers are added
up. The oracle is the same call on the same numbers in float64. ``tests/fuzz/dtypes.py`` draws such calls."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim
from autodiff.engine.catalogue import catalogue
from autodiff.engine.dtypes import PRECISIONS, change_of
from autodiff.nn import functional as F  # noqa: N812 - its usual name
from autodiff.ops.ranking import quantile
from tests.engine.ops.cases import CASES

WHOLE = (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
UNSIGNED = WHOLE[5:]
half = np.float16

OF_FLOATS = [
    name
    for name in CASES
    if catalogue.find(name).precision == "floats" and catalogue.find(name).kind == "elementwise"
]
OTHERS = {
    "softmin": F.softmin, "softmax": F.softmax, "log_softmax": F.log_softmax, "logsumexp": ad.logsumexp,
    "mean": ad.mean, "var": ad.var, "std": ad.std, "norm": ad.norm, "glu": F.glu,
    "mse": lambda x: F.mse_loss(x, [3.0, 0.0, 1.0, 1.0]),
    "l1": lambda x: F.l1_loss(x, [3.0, 0.0, 1.0, 1.0]),
    "huber": lambda x: F.huber_loss(x, [3.0, 0.0, 1.0, 1.0]),
    "with logits": lambda x: F.binary_cross_entropy_with_logits(x, [1.0, 0.0, 1.0, 1.0]),
    "kl": lambda x: F.kl_div(x, [1.0, 0.0, 1.0, 1.0]), "cross entropy": lambda x: F.cross_entropy(x, 2),
    "layer norm": lambda x: F.layer_norm(x, (4,)), "rms norm": lambda x: F.rms_norm(x, (4,), eps=1e-5),
    "normalize": lambda x: F.normalize(x, dim=0), "cosine": lambda x: ad.cosine_similarity(x, x + x),
    "median": ad.median, "quantile": lambda x: quantile(x, 0.3),
    "softplus with beta": lambda x: F.softplus(x, beta=2.0),
}  # fmt: skip


def constant(x):
    return Tensor(x, requires_grad=False)


def modes(f, x):
    """The results of a function of one operand in every mode, as arrays."""
    yield "eager", f(x)
    yield "of a constant Tensor", f(constant(x)).data
    yield "compiled", ad.compile(f)(x)
    yield "compiled, of a Tensor", ad.compile(f)(constant(x)).data
    yield "vmapped", ad.vmap(f)(constant(np.stack([x, x]))).data[1]


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8])
@pytest.mark.parametrize("name", OF_FLOATS)
def test_integers_are_floats_where_the_result_is_one(name, dtype):
    operation = catalogue.find(name)
    options = {"order": 1} if name == "sinc_slope" else {}
    count = len(operation.inputs)
    for x in (np.array([1, 0, 2, 12], dtype), np.array(1, dtype)):

        def f(x, operation=operation, options=options, count=count):
            return operation(*[x] * count, **options)

        with np.errstate(all="ignore"):
            expected = np.asarray(f(x.astype(float)))
            for mode, found in modes(f, x):
                assert np.asarray(found).dtype == np.float64, mode
                np.testing.assert_allclose(found, expected, 1e-13, err_msg=mode)
            if x.ndim == 0:
                np.testing.assert_allclose(f(x[()]), expected, 1e-13)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8])
@pytest.mark.parametrize("name", OTHERS)
def test_functions_of_integers_are_those_of_floats(name, dtype):
    f, x = OTHERS[name], np.array([1, 0, 12, 7], dtype)
    for mode, found in modes(f, x):
        assert np.asarray(found).dtype == np.float64, mode
        np.testing.assert_allclose(found, f(x.astype(float)), 1e-12, err_msg=mode)


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_a_difference_of_unsigned_integers_may_be_negative(dtype):
    x, y = np.array([1, 0, 2], dtype), np.array([2, 1, 1], dtype)
    for mode, found in modes(ad.neg, x):
        np.testing.assert_array_equal(found, [-1.0, 0.0, -2.0], mode)
    for mode, found in modes(lambda x: ad.sub(x, y), x):
        np.testing.assert_array_equal(found, [-1.0, -1.0, 1.0], mode)
    t = constant(x)
    for found in (-t, t - 2, 1 - t, t - constant(y), ad.cross(t, y), np.negative(t), np.subtract(t, y)):
        assert found.dtype == np.float64
    np.testing.assert_array_equal((1 - t).data, [0.0, 1.0, -1.0])
    with pytest.raises(TypeError, match="cannot hold float64"):
        t -= 1
    np.testing.assert_array_equal(t.data, x)
    assert (t - np.int8([1, 1, 1])).dtype == np.subtract(x, np.int8([1, 1, 1])).dtype  # signed: as in NumPy


@pytest.mark.parametrize("dtype", WHOLE)
def test_a_sum_of_integers_is_a_number_in_every_mode(dtype):
    x = constant(np.array([1, 0, 1], dtype))
    sigmoid_of_2 = 1 / (1 + math.exp(-2))
    for f, expected in ((lambda x: 1 - ad.sum(x), -1.0), (lambda x: ad.sigmoid(ad.sum(x)), sigmoid_of_2)):
        for treat in (lambda f: f, ad.compile):
            found = treat(f)(x)
            assert (found.data, found.dtype) == (pytest.approx(expected), float)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0)])
@pytest.mark.parametrize(
    "f",
    [
        ad.sum, ad.cumsum, ad.relu, ad.mean, lambda x: x + x, lambda x: x * 2, lambda x: ad.sum(x) * 2,
        lambda x: x > 0, lambda x: ad.where(x > 0, x, 0), lambda x: ad.maximum(x, 1), lambda x: x / 2,
        lambda x: ad.sum(x * x) + x, lambda x: ad.prod(x) - x * 1, lambda x: ad.square(x) ** 2,
        lambda x: ad.exp(ad.sum(x)) * x,
    ],
)  # fmt: skip
def test_the_dtype_is_the_same_in_every_mode(f, shape, dtype):
    x = np.ones(shape, dtype)
    with np.errstate(all="ignore"):
        expected = f(constant(x))
        compiled = ad.compile(f)(constant(x))
        rows = ad.vmap(f)(constant(np.stack([x, x])))
    assert np.asarray(compiled).dtype == np.asarray(expected).dtype
    assert np.asarray(rows).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(np.asarray(rows)[1], np.asarray(expected), 1e-6)


# -- float16 ----------------------------------------------------------------------------------------------


def test_sums_of_many_are_rounded_once():
    thousands = np.full(3_000_000, 1000, half)
    x = Tensor(thousands)
    y = ad.mean(x)
    y.backward(60000.0)
    assert (y.data, x.grad.data[7]) == (1000, half(0.02))
    assert (ad.var(x).data, ad.std(x).data) == (0, 0)
    assert ad.cumsum(np.full(100_000, 0.1, half))[-1] == half(100_000 * float(half(0.1)))
    assert ad.sum(np.tile(half([[30000, 30000, -30000]]), (1, 1000)), axis=1)[0] == np.inf
    assert ad.sum(np.tile(half([[60000, 60000, -59999]]), (1, 1))) == half(60000 * 2 - float(half(59999)))
    assert ad.sum(np.full((200_000, 2), 0.3, half), axis=0)[1] == half(200_000 * float(half(0.3)))


@pytest.mark.parametrize("loss", [F.mse_loss, F.l1_loss, F.huber_loss, F.smooth_l1_loss])
@pytest.mark.parametrize("treat", [lambda f: f, ad.compile])
def test_losses_of_many_halves(loss, treat):
    values = np.full(200_000, 0.5, half)
    values[0] = 300  # whose square is beyond float16
    x, exact, target = Tensor(values), Tensor(values.astype(float)), np.zeros(200_000)
    found, expected = treat(lambda x: loss(x, target))(x), loss(exact, target)
    found.backward()
    expected.backward()
    assert (found.dtype, found.data) == (half, half(expected.data))
    np.testing.assert_array_equal(x.grad.data, exact.grad.data.astype(half))


@pytest.mark.parametrize("treat", [lambda f: f, ad.compile])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: F.rms_norm(x, (4,), eps=1e-5), lambda x: F.layer_norm(x, (4,)),
        lambda x: F.group_norm(x, 2), lambda x: F.batch_norm(x, None, None, training=True),
        lambda x: F.instance_norm(as_picture(x)),
        lambda x: F.avg_pool2d(as_picture(x), 2), lambda x: F.adaptive_avg_pool2d(as_picture(x), (1, 3)),
        lambda x: F.scaled_dot_product_attention(x, x, x), lambda x: x @ x.T, lambda x: F.normalize(x),
        lambda x: ad.einsum("ij,kj->ik", x, x), lambda x: ad.std(x, axis=1), lambda x: ad.logsumexp(x),
        lambda x: ad.norm(x, ord=3, axis=1), lambda x: ad.cosine_similarity(x, np.float16(1) - x),
    ],
)  # fmt: skip
def test_layers_of_large_halves(f, treat):
    values = half([[500, -500, 400, -10], [-500, 500, 3, 0.5]])
    x, exact = Tensor(values), Tensor(values.astype(float))
    found, expected = treat(f)(x), f(exact)
    seed = np.ones(expected.shape) / 8
    found.backward(seed)
    expected.backward(seed)
    assert (found.dtype, x.grad.dtype) == (half, half)
    with np.errstate(over="ignore", invalid="ignore"):
        for mine, other in ((found.data, expected.data), (x.grad.data, exact.grad.data)):
            rounded = np.asarray(other, half)
            largest = np.max(np.abs(rounded), where=np.isfinite(rounded), initial=0)
            same = (mine == rounded) | (np.abs(mine.astype(float) - rounded) <= np.spacing(largest))
            assert same.all(), (mine, rounded)


def as_picture(x):
    return ad.reshape(x, shape=(1, 2, 4))


def test_sums_that_undo_broadcasting():
    b, x = Tensor(half([1.0])), np.full((4000, 1), 1, half)
    (b * x).backward(np.ones((4000, 1)))
    assert b.grad.data == 4000  # in float16, adding 1 has no effect from 2048 on
    bias = Tensor(half([0.0, 0.0]))
    (bias + np.zeros((4001, 2), half)).backward(np.ones((4001, 2)))
    np.testing.assert_array_equal(bias.grad.data, half([4001, 4001]))
    table = Tensor(np.zeros((2, 2), half))
    table[np.zeros(4001, int)].backward(np.ones((4001, 2)))
    np.testing.assert_array_equal(table.grad.data, half([[4001, 4001], [0, 0]]))


def test_running_statistics_of_large_halves():
    layer = nn.BatchNorm1d(2)
    layer(Tensor(half([[500, -500], [-500, 500]])))
    np.testing.assert_allclose(layer.running_var.data, 0.9 + 0.1 * 500_000, 1e-6)


@pytest.mark.parametrize("name", ["Adam", "AdamW", "RMSprop", "Adadelta", "NAdam", "RAdam", "Adagrad", "SGD"])
def test_optimizers_keep_the_moments_of_halves_in_float32(name):
    w, exact = Tensor(np.full(3, 1, half)), Tensor(np.full(3, 1, np.float32))
    for tensor in (w, exact):
        optimizer = getattr(optim, name)([tensor], lr=0.01)
        for step in range(3):
            tensor.grad = np.full(3, 1e-4 * (step + 1), half)  # the square of which is 0 in float16
            optimizer.step()
            optimizer.load_state_dict(optimizer.state_dict())
        arrays = [value for value in optimizer.state[tensor].values() if isinstance(value, np.ndarray)]
        assert all(value.dtype == np.float32 for value in arrays)
    assert w.dtype == half
    np.testing.assert_allclose(w.data.astype(float), exact.data, 2e-3)


def test_clipping_measures_halves_in_full():
    w = Tensor(half([0.0, 0.0]))
    w.grad = half([60000, 60000])
    assert optim.clip_grad_norm_([w], 1.0) == pytest.approx(math.hypot(60000, 60000))
    np.testing.assert_allclose(w.grad.data, math.sqrt(0.5), 1e-3)


def test_forward_mode_of_halves():
    x = half([500, -500, 400])
    tangent = ad.jvp(ad.std, (Tensor(x),), (half([1, 0, 0]),))[1]
    expected = ad.jvp(ad.std, (Tensor(x.astype(float)),), (np.array([1.0, 0, 0]),))[1]
    assert (tangent.dtype, tangent.data) == (half, half(expected.data))


# -- the declaration --------------------------------------------------------------------------------------


def test_an_operation_of_one_s_own_declares_its_precision():
    @ad.operation(precision="double")
    def mean_square(x):
        return np.mean(x * x)

    mean_square.backward(lambda grad, z, x: grad * 2 * x / x.size)
    x = Tensor(half([300, 0]))
    y = mean_square(x)
    y.backward()
    assert (y.dtype, y.data) == (half, 45000)
    np.testing.assert_array_equal(x.grad.data, half([300, 0]))
    assert mean_square(np.array([3, 4])) == 12.5
    with pytest.raises(ValueError, match=r"^cube has the unknown precision 'quad'; use one of 'signed', "):

        @ad.operation(precision="quad")
        def cube(x):
            return x * x * x


@pytest.mark.parametrize("precision", PRECISIONS)
def test_floats_of_full_size_are_left_alone(precision):
    for operands in ([np.ones(2), 3.0], [np.ones(2, np.float32), np.ones(2)], [np.float32(1), 2], [1.0]):
        assert change_of(precision, operands) is None


def test_a_number_takes_the_dtype_of_the_halves_beside_it():
    two, four = Tensor(2.0), Tensor([1.0, 3.0])
    for f in (lambda x: ad.hypot(x, 2.0), lambda x: ad.hypot(x, two), lambda x: x / ad.sum(four)):
        x = Tensor(half([1.5, 2.0]))
        y = f(x)
        y.backward(np.ones(2))
        assert (y.dtype, x.grad.dtype, ad.compile(f)(x).dtype) == (half, half, half)


@pytest.mark.parametrize("value", [3.0, np.array(3.0), half(3)])
def test_repeat_of_a_number_along_the_first_axis(value):
    x = Tensor(value)
    y = ad.repeat(x, 2, axis=0)
    y.backward(np.array([1.0, 10.0]))
    np.testing.assert_array_equal(y.data, [3, 3])
    assert x.grad.data == 11
    twin = Tensor(value)
    ad.repeat(twin, [3], axis=-1).sum().backward()
    assert twin.grad.data == 3
