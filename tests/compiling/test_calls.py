"""The arguments and results of a compiled function, and how its programs are made and kept."""

from __future__ import annotations

import copy
import pickle
import threading
import warnings
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.compiling import compiled as compiled_module
from tests.fuzz.compiled import check_alike


class Pair(NamedTuple):
    first: object
    second: object


def counting(f):
    """The function, and a list that grows with each trace."""
    traces = []

    def counted(*args, **keywords):
        traces.append(None)
        return f(*args, **keywords)

    return counted, traces


# -- arguments and results ----------------------------------------------------------------------------------


@pytest.mark.parametrize("argument", [
    2.0, np.float64(2.0), np.float32(2.0), np.array(2.0), np.array([1.0, 2.0]), np.ones((0, 3)),
    np.arange(3), np.array([True, False]),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0)[::-2], Tensor(2.0),
    Tensor([1.0, 2.0]), Tensor([1.0], requires_grad=False), Tensor(np.array([1, 2]), requires_grad=False),
    np.broadcast_to(1.5, (2, 3)), Tensor(np.array(2.0)), np.float16([1.0, 2.0]),
], ids=repr)  # fmt: skip
@pytest.mark.parametrize("f", [
    lambda x: x * 2, lambda x: (x, [x * x], {"a": x + x}), lambda x: Pair(x + 1, None), lambda x: x > 1,
    lambda x: ad.sum(x), lambda x: ad.exp(x), lambda x: (1, "a", True, None, 2.5, x),
    lambda x: OrderedDict(b=x * 1, a=[]),
], ids=range(8))  # fmt: skip
def test_results_are_those_of_the_function(f, argument):
    before = copy.deepcopy(argument)
    fast = ad.compile(f)
    for _ in range(2):
        check_structure(fast(argument), f(argument))
    check_alike(argument, before, exact=True)


def check_structure(found, expected):
    assert type(found) is type(expected) or isinstance(expected, (float, np.generic, np.ndarray))
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, (list, tuple)):
        for one, other in zip(found, expected, strict=True):
            check_structure(one, other)
    elif isinstance(expected, (Tensor, float, np.ndarray, np.generic)):
        check_alike(found, expected, exact=True)
    else:
        assert found == expected


@np.errstate(all="ignore")
def test_nan_inf_and_signs_are_kept():
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0])
    for f in (
        lambda x: 0 * x, lambda x: x + 0, lambda x: x - 0, ad.relu, lambda x: x * 1, lambda x: x**1,
        lambda x: ad.neg(ad.neg(x)), lambda x: x / 1, lambda x: 1 / x, lambda x: -x * x, lambda x: x - x,
        lambda x: x**2,
    ):  # fmt: skip
        check_alike(ad.compile(f)(x), f(x), exact=True)
        for number in x.tolist():
            check_alike(ad.compile(f)(number), f(Tensor(number)).data, exact=True)


@pytest.mark.parametrize("dtype", ["u1", "i8", "f4", "i1"])
def test_minus_in_unsigned_and_small_integers(dtype):
    x, y = np.array([1, 2, 200], np.uint8).astype(dtype), np.array([2.0, 3.0, 4.0])
    for f in (
        lambda x, y: -x * y, lambda x, y: y + -x, lambda x, y: -x / y, lambda x, y: y - -x,
        lambda x, y: np.negative(np.negative(x)),
    ):  # fmt: skip
        check_alike(ad.compile(f)(x, y), f(x, y), exact=True)


@pytest.mark.parametrize("plain", [
    3, True, None, "a", (1, 2), {1, 2}, slice(0, 1), 2 + 1j, frozenset((1,)), bytearray(b"a"), b"a",
    np.float32, Pair(1, 2),
], ids=repr)  # fmt: skip
def test_plain_arguments_count_by_value(plain):
    f, traces = counting(lambda x, plain: (x * 2, [plain] == [copy.copy(plain)]))
    fast = ad.compile(f)
    for _ in range(3):
        assert fast(2.0, copy.copy(plain)) == (4.0, True)
    assert len(traces) == 1


def test_another_plain_value_gives_another_program():
    fast = ad.compile(lambda x, power, by=None: x**power + len(by or ()))
    assert [fast(3.0, 2), fast(3.0, 3), fast(3.0, 1, by={1}), fast(3.0, 1, by={1, 2})] == [9, 27, 4, 5]
    assert [fast(3.0, True), fast(3.0, 1)] == [3, 3]
    chosen = {1}
    assert fast(3.0, 1, by=chosen) == 4
    chosen.add(5)
    assert fast(3.0, 1, by=chosen) == 5


def test_keywords_and_defaults():
    fast = ad.compile(lambda x, *rest, scale=1.0, **more: x * scale + sum(rest) + more.get("bias", 0.0))
    assert [fast(2.0), fast(2.0, scale=3.0), fast(2.0, 1.0, 4.0, bias=Tensor(0.5)).data] == [2, 6, 7.5]


def test_one_tensor_given_twice():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])

    def f(a, b):
        (a * b).sum().backward()
        return a * b

    fast = ad.compile(f)
    fast(x, y)
    np.testing.assert_array_equal(x.grad.data, [3, 4])
    z = Tensor([1.0, 2.0])
    fast(z, z)
    np.testing.assert_array_equal(z.grad.data, [2, 4])


def test_a_float32_argument_of_a_float64_program():
    fast = ad.compile(lambda x: x * 2)
    assert [fast(np.ones(2, d)).dtype for d in (np.float64, np.float32, np.int64, np.float64)] == [
        np.float64, np.float32, np.int64, np.float64,
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
def test_a_number_in_another_dtype(dtype):
    f = lambda x: ad.ops.shaping.cast(x, dtype=dtype) * np.ones(2, np.float32)
    check_alike(ad.compile(f)(Tensor(0.1)), f(Tensor(0.1)), exact=True)


def test_recording_is_part_of_the_program():
    w = Tensor(2.0)
    fast = ad.compile(lambda x: w * x)
    with ad.no_grad():
        assert not fast(3.0).requires_grad
    assert fast(3.0).requires_grad


# -- how it is made -----------------------------------------------------------------------------------------


@ad.compile
def double(x):
    """Twice x."""
    return x * 2


@ad.compile(exact=True)
def triple(x):
    return x * 3


class Scaled:
    def __init__(self, scale):
        self.scale = scale
        self.w = Tensor(1.0)

    @ad.compile
    def times(self, x):
        return x * self.scale * self.w


def test_decorators_and_methods():
    assert (double(2.0), triple(2.0), double.__name__, double.__doc__) == (4, 6, "double", "Twice x.")
    one, other = Scaled(2.0), Scaled(5.0)
    assert [float(one.times(3.0)), float(other.times(3.0))] == [6, 15]
    one.scale = 7.0  # attributes of the object are watched
    one.w.assign(2.0)
    assert float(one.times(3.0)) == 42
    assert ad.compile(Scaled.times)(other, 1.0).data == 5
    assert ad.compile(one.times)(1.0).data == 14


def test_compiled_functions_inside_each_other():
    outer = ad.compile(lambda x: double(x) + ad.compile(double)(x))
    assert outer(1.0) == 4
    assert float(ad.compile(ad.grad(double))(3.0)) == 2


def test_copies_and_pickles():
    assert pickle.loads(pickle.dumps(double)) is double
    again = pickle.loads(pickle.dumps(ad.compile(np.negative)))
    assert again(2.0) == -2
    for copied in (copy.copy(double), copy.deepcopy(double)):
        assert copied(2.0) == 4

    class Holds(nn.Module):
        def __init__(self):
            self.fc = nn.Linear(1, 1)
            self.fast = ad.compile(self.fc.forward)

    net = Holds()
    other = copy.deepcopy(net)
    other.fc.weight.assign([[0.0]])
    assert other.fast(np.ones(1)).item() == other.fc.bias.item()


def test_a_bounded_number_of_programs(monkeypatch):
    monkeypatch.setattr(compiled_module, "LIMIT", 3)
    f, traces = counting(lambda x, n: x * n)
    fast = ad.compile(f)
    for n in range(3):
        fast(1.0, n)
    with pytest.warns(RuntimeWarning, match="more than 3 kinds"):
        assert fast(1.0, 3) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it warns once
        assert [fast(2.0, n) for n in (3, 2, 1, 4, 0)] == [6, 4, 2, 8, 0]
    assert len(traces) == 6


# -- derivatives inside and outside -------------------------------------------------------------------------

DERIVATIVES = {
    "grad": ad.grad,
    "value_and_grad": ad.value_and_grad,
    "hessian": ad.hessian,
    "jacobian": lambda f: ad.jacobian(lambda x: x * f(x)),
    "jacobian backward": lambda f: ad.jacobian(lambda x: x * f(x), mode="reverse"),
    "jvp": lambda f: lambda x: ad.jvp(f, (x,), (x,)),
    "vjp": lambda f: lambda x: ad.vjp(f, x)[1](2.0),
    "hvp": lambda f: lambda x: ad.hvp(f, (x,), (x,)),
    "third": lambda f: ad.grad(lambda x: ad.hessian(f)(x).sum()),
    "checkpoint": lambda f: ad.grad(lambda x: ad.checkpoint(f, x)),
    "gradients": lambda f: lambda x: ad.gradients(f(x), [x]),
    "dict": lambda f: lambda x: ad.grad(lambda p: f(p["x"]) * p["x"][0])({"x": x}),
}


@pytest.mark.parametrize("name", DERIVATIVES)
@pytest.mark.parametrize("is_number", [False, True])
def test_derivatives_inside_and_outside(name, is_number):
    w = Tensor(0.7)

    def f(x):
        with ad.scope("inside"):
            return ((x * w).tanh() * x).sum() ** 2

    if is_number and name == "dict":
        return
    x = Tensor(0.3) if is_number else Tensor([0.3, -0.5, 2.0])
    derivative = DERIVATIVES[name]
    expected = derivative(f)(x)
    check_structure_closely(ad.compile(derivative(f))(x), expected)
    check_structure_closely(derivative(ad.compile(f))(x), expected)
    check_structure_closely(ad.compile(derivative(ad.compile(f)))(x), expected)


def check_structure_closely(found, expected):
    if isinstance(expected, dict):
        found, expected = list(found.values()), list(expected.values())
    check_alike(found, expected)


def test_a_compiled_function_within_a_larger_derivative():
    w = Tensor([1.0, 2.0])

    def loss(w, f):
        return (f(w * 2) * w).sum()

    f = lambda v: (v * v).tanh() * w
    for way in (lambda g: ad.grad(lambda v: loss(v, g))(w), lambda g: ad.hessian(lambda v: loss(v, g))(w)):
        check_alike(way(ad.compile(f)), way(f))


# -- threads ------------------------------------------------------------------------------------------------


def test_threads_compile_call_and_compute_at_once():
    w = Tensor(np.ones(50))
    f, traces = counting(lambda x: ad.grad(lambda v: ((v * w).sin() * v).sum())(x))
    fast, failures = ad.compile(f), []

    def work(seed):
        rng = np.random.default_rng(seed)
        for size in (50, 1, 50):
            for _ in range(20):
                x = rng.normal(size=size)
                found, expected = fast(x), ad.grad(lambda v: ((v * w).sin() * v).sum())(x)
                if not np.allclose(found.data, expected.data):
                    failures.append((seed, size))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(traces) == 2


def test_a_trace_does_not_disturb_another_thread():
    inside, done = threading.Event(), threading.Event()
    found = []

    def f(x):
        inside.set()
        assert done.wait(5)
        return x * 2

    def work():
        assert inside.wait(5)
        x = Tensor([1.0, 2.0])
        y = (x * x).sum()
        y.backward()
        value = float(y) if y > 0 else None
        found.append((type(y.data), x.grad.data, value, ad.compile(lambda v: v + 1)(1.0)))
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert ad.compile(f)(2.0) == 4
    thread.join()
    assert found[0][2:] == (5, 2)
    np.testing.assert_array_equal(found[0][1], [2, 4])


def test_a_function_that_calls_itself():
    @ad.compile
    def power(x, n):
        return x * power(x, n - 1) if n else 1.0

    assert power(2.0, 5) == 32


def test_a_leaf_that_is_made_inside_requires_a_gradient_at_every_call():
    def f(x):
        y = x.detach() * 2
        y.requires_grad = True
        return y

    fast, x = ad.compile(f), Tensor(3.0, requires_grad=False)
    assert [fast(x).requires_grad for _ in range(3)] == [True, True, True]


@pytest.mark.parametrize("rest", [(), (2,), (0,), (7, 9)])
@pytest.mark.parametrize("index", [
    np.array([0, -1, 0]), np.array([[4, 4], [1, -5]]), np.zeros((0,), int), np.array([3, 200], np.uint8) % 5,
    np.array([-1, 4], np.int8), np.array([1, 1], np.int32),
], ids=repr)  # fmt: skip
def test_the_gradient_of_rows_that_are_picked_by_an_argument(index, rest):
    table = np.arange(5.0 * np.prod(rest, dtype=int)).reshape(5, *rest)

    def lower(x, index):
        (x[index] ** 2).sum().backward()

    fast, plain = Tensor(table), Tensor(table)
    compiled = ad.compile(lower)
    for _ in range(2):
        compiled(fast, index)
        lower(plain, index)
    check_alike(fast.grad, plain.grad, exact=False)
