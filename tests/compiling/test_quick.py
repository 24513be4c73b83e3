"""Quick calls of programs (``autodiff/compiling/quick.py``): they are used for the kinds of arguments that a
program was made for and for no others, and notice every change after which another program is needed."""

from __future__ import annotations

import itertools
import math
import threading
from typing import NamedTuple

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.compiling import compiled as compiled_module
from autodiff.compiling.structure import add_kinds
from tests.compiling.test_calls import check_structure


class Point(NamedTuple):
    x: object
    y: object


PLAIN = (int, str, complex, set, slice, type, type(None))


def constant(value):
    return Tensor(value, requires_grad=False)


def doubled(tree):
    """A new tree with each number, array and Tensor times two."""
    if isinstance(tree, dict):
        return {key: doubled(part) for key, part in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*map(doubled, tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)([*map(doubled, tree)])
    return repr(tree) if isinstance(tree, PLAIN) else tree * 2


ROW = [float(n) for n in range(12)]
ARGUMENTS = [
    2.0, math.nan, -0.0, constant(2.0), Tensor(2.0), constant(np.array(2.0)), np.array(2.0), np.float64(2.0),
    np.float32(2.0), constant(np.float32(2.0)), np.ones(3), np.ones((1, 3)), np.ones((0, 3)),
    np.ones(3, np.float32), np.ones(3, int), np.ones(3, bool), np.ones(3, ">f8"),
    constant(np.ones(3)), Tensor(np.ones(3)), constant(np.ones(3, np.float32)), nn.Parameter(np.ones(3)),
    np.ones((3, 3)).T, np.broadcast_to(1.0, (3, 3)), np.arange(6.0)[::-2],
    [], (), {}, [2.0], (2.0,), [constant(2.0)], [Tensor(2.0)], [[2.0]], [2.0, 3.0], [2.0, constant(3.0)],
    [constant(2.0), constant(3.0)], [constant(2.0), Tensor(3.0)], [2.0, np.ones(3)], [2.0, 3],
    [2.0, np.float64(3)], ROW, tuple(ROW), ROW[:-1], [*map(constant, ROW)], tuple(map(constant, ROW)),
    [*map(Tensor, ROW)], [*ROW[:-1], 1], [*map(constant, ROW[:-1]), constant(np.ones(3))], [ROW, ROW],
    [ROW, [*map(constant, ROW)]], [ROW, np.ones(3)], Point(2.0, 3.0), (2.0, 3.0),
    {"a": 2.0}, {"b": 2.0}, {"a": 2.0, "b": 3.0}, {"b": 3.0, "a": 2.0}, {"a": constant(2.0)}, {1: 2.0},
    {True: 2.0}, 2, 3, True, None, "a", "b", (1, 2), (1, True), {1}, {True}, {1.0}, {0.0}, {-0.0},
    slice(0, 2), 2 + 0j, np.float32,
]  # fmt: skip


@pytest.fixture(scope="module")
def general():
    """One compiled function for all arguments."""
    return ad.compile(lambda x: (0.0, doubled(x)))


@pytest.mark.parametrize("first", ARGUMENTS, ids=repr)
def test_a_call_after_another(first, general, monkeypatch):
    """The quick call for one argument refuses all arguments of which the general call says that they are of
    another kind, and results are as uncompiled, whatever was called before."""
    monkeypatch.setattr(compiled_module, "LIMIT", 1000)
    for other in ARGUMENTS:
        check_structure(general(first), (0.0, doubled(first)))
        if general._quick is not None and kind_of(first) != kind_of(other):
            assert general._quick((other,)) is None
        check_structure(general(other), (0.0, doubled(other)))


def kind_of(argument):
    key = []
    add_kinds((argument,), [], key)
    return key


@pytest.mark.parametrize("argument", [
    2.0, constant(2.0), np.ones(3), constant(np.ones(3)), [], [2.0], ROW, [*map(constant, ROW)],
    [ROW, (ROW,)], {"a": 2.0, "b": [np.ones(3), None]}, 3, "a",
], ids=repr)  # fmt: skip
def test_everyday_arguments_have_a_quick_call(argument):
    fast = ad.compile(lambda x: (0.0, doubled(x)))
    fast(argument)
    check_structure(fast._quick((argument,)), (0.0, doubled(argument)))
    assert fast._quick(()) is None
    assert fast._quick((argument, argument)) is None


@pytest.mark.parametrize(("first", "second"), [*itertools.permutations((1, True, 1.0), 2)])
def test_values_of_different_types_have_programs_of_their_own(first, second):
    fast = ad.compile(lambda x, plain: (x * 2, repr(plain)))
    for make in (lambda v: {v}, lambda v: frozenset((v,)), lambda v: slice(v, None), lambda v: {v: "a"}):
        for plain in (make(first), make(second), make(first)):
            assert fast(2.0, plain)[1] == repr(plain)


def test_signs_of_zero_and_nan_in_sets():
    fast = ad.compile(lambda x, plain: (x * 2, [math.copysign(1, *plain)]))
    assert [fast(2.0, {value})[1] for value in (0.0, -0.0, 0.0)] == [[1], [-1], [1]]
    for _ in range(3):
        fast(2.0, {float("nan")})
    assert len(fast._programs) == 3


# -- changes ------------------------------------------------------------------------------------------------

factor = 3.0


class Scale(nn.Module):
    def __init__(self):
        self.by = 2.0
        self.w = constant(5.0)

    def forward(self, x):
        return x * self.by * self.w if self.training else x


def quick(f, *args):
    """The compiled function, called twice, and a counter of how often it was traced."""
    traces = []

    def counted(*args):
        traces.append(None)
        return f(*args)

    fast = ad.compile(counted)
    for _ in range(2):
        fast(*args)
    assert fast._quick is not None
    return fast, traces


def test_a_global_variable_is_rebound(monkeypatch):
    fast, traces = quick(lambda x: x * factor, 2.0)
    for value, expected in ((4.0, 8), (3.0, 6), (-0.0, -0.0), (0.0, 0.0), (4.0, 8)):
        monkeypatch.setitem(globals(), "factor", value)
        assert repr(fast(2.0)) == repr(2.0 * value)
        assert fast(2.0) == expected
    assert len(traces) == 4
    monkeypatch.setitem(globals(), "factor", float("4"))  # an equal value in another object
    assert fast._quick((2.0,)) == 8
    monkeypatch.delitem(globals(), "factor")
    with pytest.raises(NameError):
        fast(2.0)


def test_a_variable_of_an_enclosing_function_is_rebound():
    by = 3.0
    fast, _ = quick(lambda x: x * by, 2.0)
    by = 5.0
    assert fast(2.0) == 10


def test_many_variables_are_rebound_one_after_another(monkeypatch):
    a = b = c = d = e = g = h = i = j = k = 1.0
    fast, _ = quick(lambda x: x * (a + b + c + d + e + g + h + i + j + k), 2.0)
    a = 2.0
    assert fast(1.0) == 11
    k = 2.0
    assert fast(1.0) == 12


def test_an_attribute_and_the_mode_of_a_module_change():
    net = Scale().train()
    fast, traces = quick(lambda x: net(x), constant(2.0))
    assert fast(constant(2.0)) == 20
    net.by = 3.0
    assert fast(constant(2.0)) == 30
    net.w.assign(7.0)
    assert fast(constant(2.0)) == 42
    net.w = constant(1.0)
    assert fast(constant(2.0)) == 6
    net.eval()
    assert fast(constant(2.0)) == 2
    net.train()
    assert fast(constant(2.0)) == 6
    assert len(traces) == 4


def test_a_module_that_is_an_argument_changes():
    net, other = Scale(), Scale()
    other.by = 10.0
    fast, _ = quick(lambda net, x: net(x), net, constant(2.0))
    assert fast(other, constant(2.0)) == 100
    net.by = 3.0
    assert fast(net, constant(2.0)) == 30


def test_a_captured_tensor_changes():
    w = constant(np.ones(2))
    fast, traces = quick(lambda x: x * w, 2.0)
    w.assign([3.0, 4.0])
    np.testing.assert_array_equal(fast(2.0).data, [6, 8])
    assert len(traces) == 1
    w._value = np.ones(3, np.float32)
    assert (fast(2.0).shape, fast(2.0).dtype) == ((3,), np.float32)
    w.requires_grad = True
    assert fast(2.0).requires_grad
    w.requires_grad = False
    assert not fast(2.0).requires_grad


def test_recording_is_switched():
    fast, traces = quick(lambda x: (x * 2.0, ad.is_grad_enabled()), constant(2.0))
    with ad.no_grad():
        assert not fast(constant(2.0))[1]
        with ad.enable_grad():
            assert fast(constant(2.0))[1]
    assert fast(constant(2.0))[1]
    assert len(traces) == 2
    y = fast(Tensor(3.0))[0]
    assert y.requires_grad
    assert not fast(constant(3.0))[0].requires_grad


def test_no_grad_in_another_thread():
    fast, _ = quick(lambda x: x * 2.0 if ad.is_grad_enabled() else x * 3.0, constant(2.0))
    found, inside, done = [], threading.Event(), threading.Event()

    def work():
        with ad.no_grad():
            inside.set()
            assert done.wait(5)
            found.append(float(fast(constant(2.0))))

    thread = threading.Thread(target=work)
    thread.start()
    assert inside.wait(5)
    assert fast(constant(2.0)) == 4
    done.set()
    thread.join()
    assert found == [6]
    assert fast(constant(2.0)) == 4


def test_threads_with_different_arguments():
    fast, failures = ad.compile(lambda x: x * factor), []

    def work(argument):
        failures.extend(argument for _ in range(2000) if type(fast(argument)) is not type(argument))

    threads = [threading.Thread(target=work, args=(x,)) for x in (2.0, constant(2.0), np.ones(3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_inside_of_a_derivative_and_of_another_program():
    fast, _ = quick(lambda x: x * x, constant(2.0))
    assert float(ad.grad(fast)(3.0)) == 6
    assert float(ad.compile(lambda x: fast(x) + 1)(constant(3.0))) == 10
    assert float(ad.compile(ad.grad(fast))(constant(3.0))) == 6


# -- what it is not for -------------------------------------------------------------------------------------


def test_one_tensor_given_twice():
    fast, z = ad.compile(lambda a, b: a * b), constant(2.0)
    for a, b in ((z, z), (constant(3.0), constant(4.0)), (z, z), (z, constant(5.0))):
        assert fast(a, b) == float(a) * float(b)
    fast = ad.compile(lambda row: row[0] * row[1])
    assert fast([z, z]) == 4
    assert fast([constant(3.0), constant(4.0)]) == 12


def test_effects_and_random_numbers_happen_at_each_call():
    total = constant(0.0)

    @ad.compile
    def add(x):
        total.assign(total + x)
        return x * 2

    assert [add(1.0) for _ in range(4)] == [2] * 4
    assert float(total) == 4
    draw = ad.compile(lambda x: x + ad.rand(2))
    assert len({tuple(draw(1.0).data) for _ in range(4)}) == 4


def test_a_function_that_returns_its_argument():
    fast, x = ad.compile(lambda x: (x, x * 2)), constant(2.0)
    for _ in range(3):
        assert fast(x)[0] is x


def test_results_share_no_memory():
    fast, x = ad.compile(lambda x: (x * 2, x.T)), constant(np.ones((2, 2)))
    found = [*fast(x), *fast(x), *fast(x), x]
    for one, other in itertools.combinations(found, 2):
        assert not np.shares_memory(one.data, other.data)


def test_no_warning_reaches_the_caller():
    functions = {
        lambda x: (1 / x, ad.log(x)): 0.0, lambda x: x * x: 1e300, lambda x: np.float_power(x, -1.0): 0.0,
        lambda x: np.square(x): 1e300,
    }  # fmt: skip
    for mode in ("warn", "raise"):
        with np.errstate(all=mode):
            for f, at in functions.items():
                fast = ad.compile(f)
                for x in (at, constant(at), np.full(2, at), constant(np.full(2, at))):
                    one, other = fast(x), fast(x)
                    check_structure(one, other)


def test_numbers_are_floats():
    slope = ad.grad(lambda s: (s * np.ones(3)).sum() ** 2)
    fast = ad.compile(lambda s: (np.square(slope(s)), ad.exp(slope(s)), slope(s)))
    for x in (2.0, constant(2.0)):
        for _ in range(2):
            assert [type(value._value) for value in fast(x)] == [float] * 3
