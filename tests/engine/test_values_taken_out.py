"""A value that is taken out of a Tensor inside a function that is being differentiated is an error; outside,
and for what no gradient can reach, it is a plain number."""

from __future__ import annotations

import array
import cmath
import copy
import io
import logging
import math
import operator
import pickle
import statistics
import struct

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.engine.tracing import TraceError

X = 1.25


def written(write):
    """A function that writes into an array, as a function of one Tensor."""

    def f(x):
        a = np.zeros((2, 2))
        write(a, x)
        return x * a.sum()

    return f


def item(a, x):
    a[0, 1] = x


def row(a, x):
    a[0] = x


def flat(a, x):
    a.flat[0] = x


WAYS_OUT = {
    "float": float,
    "int": int,
    "complex": lambda x: complex(x).real,
    "np.float64": np.float64,
    "np.float32": np.float32,
    "np.int64": np.int64,
    "math.exp": math.exp,
    "math.fsum": lambda x: math.fsum([x]),
    "math.floor": math.floor,
    "math.pow": lambda x: math.pow(2.0, x),
    "math.isnan": math.isnan,
    "cmath.exp": lambda x: cmath.exp(x).real,
    "struct.pack": lambda x: struct.pack("d", x)[0],
    "array.array": lambda x: array.array("d", [x])[0],
    "statistics.mean": lambda x: statistics.mean([x, x]),
    "statistics.fmean": lambda x: statistics.fmean([x, x]),
    "range": lambda x: len(range(x)),
    "index": operator.index,
    "bytes": lambda x: len(bytes(x)),
    "memoryview": lambda x: len(memoryview(x)),
    "tolist": lambda x: x.tolist(),
    "numpy": lambda x: x.numpy(),
    "np.asarray": np.asarray,
    "np.array of a list": lambda x: np.array([x, 1.0]).sum(),
    "np.array of a dtype": lambda x: np.array([x, 1.0], dtype=float).sum(),
    "np.fromiter": lambda x: np.fromiter([x], float).sum(),
    "np.full": lambda x: np.full(2, x).sum(),
    "np.full_like": lambda x: np.full_like(np.zeros(2), x).sum(),
    "np.linspace": lambda x: np.linspace(0, x).sum(),
    "np.arange": lambda x: np.arange(x).sum(),
    "np.random": lambda x: np.random.default_rng(0).normal(x, 1.0),
    "a[0, 1] = x": written(item),
    "a[0] = x": written(row),
    "a.flat[0] = x": written(flat),
    "a.fill(x)": written(lambda a, x: a.fill(x)),
    "a.put(0, x)": written(lambda a, x: a.put(0, x)),
    "setitem": written(lambda a, x: operator.setitem(a, (0, 1), x)),
    "Tensor": lambda x: Tensor(x),
    "tensor": lambda x: ad.tensor(x),
    "tensor of a list": lambda x: ad.tensor([x, x]).sum(),
    "Parameter": lambda x: nn.Parameter(x),
    "assign": lambda x: Tensor(0.0, requires_grad=False).assign(x),
    "data": lambda x: setattr(t := Tensor(0.0, requires_grad=False), "data", x) or t,
}
NEEDS_NO_VALUE = {
    "item": lambda x: x.item(),
    "detach": lambda x: x.detach(),
    "float of detached": lambda x: float(x.detach()),
    "math of item": lambda x: math.exp(x.item()),
    "data": lambda x: x.data,
}
DERIVATIVES = {
    "grad": lambda f, x: ad.grad(f)(x),
    "value_and_grad": lambda f, x: ad.value_and_grad(f)(x)[1],
    "jvp": lambda f, x: ad.jvp(f, (x,), (1.0,))[1],
    "vjp": lambda f, x: ad.vjp(f, x)[1](1.0)[0],
    "jacobian, forward": lambda f, x: ad.jacobian(f, mode="forward")(x),
    "jacobian, reverse": lambda f, x: ad.jacobian(f, mode="reverse")(x),
    "hessian": lambda f, x: ad.hessian(f)(x),
    "hvp": lambda f, x: ad.hvp(f, (x,), (1.0,))[0],
    "grad of grad": lambda f, x: ad.grad(ad.grad(f))(x),
    "of a Tensor": lambda f, x: ad.grad(f)(Tensor(x)),
    "under no_grad": lambda f, x: ad.no_grad(ad.grad(f))(x),
    "of a dict": lambda f, x: ad.grad(lambda p: f(p["x"]))({"x": np.array(x)})["x"],
    "of checkpoint": lambda f, x: ad.grad(lambda x: ad.checkpoint(lambda x: x * f(x), x))(x),
    "vmap of grad": lambda f, x: ad.vmap(ad.grad(f))(np.array([x])),
    "grad of vmap": lambda f, x: ad.grad(lambda x: ad.vmap(f)(x).sum())(np.array([x])),
    "compiled": lambda f, x: ad.compile(ad.grad(f))(x),
}
SECOND = ("hessian", "hvp", "grad of grad")
EAGER = {
    name: derivative
    for name, derivative in DERIVATIVES.items()
    if name not in ("vmap of grad", "grad of vmap", "compiled")  # where there is no value yet
}
every_derivative = pytest.mark.parametrize("derivative", DERIVATIVES.values(), ids=DERIVATIVES)
every_way = pytest.mark.parametrize("way", WAYS_OUT.values(), ids=WAYS_OUT)


@every_derivative
@every_way
def test_a_value_taken_out_inside_is_an_error(way, derivative):
    with pytest.raises((TypeError, RuntimeError)):
        derivative(lambda x: x * way(x), X)
    assert not ad.grad(lambda x: x)(X).requires_grad  # nothing is left switched on


@every_way
def test_of_a_result_and_of_a_parameter_that_is_closed_over_too(way):
    w, v = Tensor(X), Tensor(np.array(X))
    for inside in (w, v, w * 2):
        with pytest.raises(TypeError):
            ad.grad(lambda x, t=inside: x * way(t))(X)
    for made in (lambda x: x * 2, lambda x: ad.where(x > 0, x, 1.0), lambda x: ad.reshape(x, (1,))[0]):
        with pytest.raises(TypeError):
            ad.grad(lambda x, made=made: x * way(made(x)))(X)


@pytest.mark.parametrize("way", NEEDS_NO_VALUE.values(), ids=NEEDS_NO_VALUE)
def test_whoever_means_a_constant_can_say_so(way):
    slope = way(Tensor(X))
    for name, derivative in EAGER.items():
        expected = {"of checkpoint": 2 * X * slope, **dict.fromkeys(SECOND, 0.0)}.get(name, slope)
        np.testing.assert_allclose(derivative(lambda x: x * way(x), X).item(), expected)


def test_what_does_not_depend_on_anything_converts_inside_too():
    c, n = Tensor(X, requires_grad=False), ad.tensor(3)
    ways = [
        way for name, way in WAYS_OUT.items() if name not in ("range", "index", "bytes", "memoryview", "data")
    ]
    ways = [way for way in ways if way is not WAYS_OUT["statistics.mean"]]  # which knows no Tensor at all
    for way in ways:
        assert ad.grad(lambda x, way=way: x * way(c))(X) == way(c)
    assert ad.grad(lambda x: x * sum(range(n)))(X) == 3
    assert ad.grad(lambda x: x * float(x.detach() * 2))(X) == 2 * X
    assert ad.grad(lambda x: x * int(ad.floor(x)) * float(ad.sign(x)))(X) == 1


def test_under_no_grad_inside_nothing_is_recorded_so_nothing_is_lost():
    def f(x):
        with ad.no_grad():
            scale = float(x) + math.exp(x * 0)
        return x * scale

    assert ad.grad(f)(X) == X + 1


@every_way
def test_outside_it_is_as_it_was(way):
    for t in (Tensor(X), Tensor(X) * 1, Tensor(np.array(X))):
        lost = None
        try:
            value = way(t)
        except (TypeError, ValueError, struct.error) as error:
            lost = error
        assert "that is being differentiated" not in str(lost)
        if lost is None:
            assert np.isfinite(np.float64(ad.as_tensor(value).item()))


@pytest.mark.parametrize("derivative", EAGER.values(), ids=EAGER)
def test_decisions_and_printing_go_on_working(derivative):
    said = io.StringIO()
    log = logging.Logger("inside")
    log.addHandler(logging.StreamHandler(said))

    def f(x):
        print(x, f"{x:.2f}", "%.2f" % x, "%d and %.1f" % (x, x), f"{x}", repr(x), file=said)  # noqa: UP031
        text = "%.3f"
        text %= x
        log.warning("at %.2f", x)
        big = x if x > 0 and bool(x > 1) and x != 0 else -x
        return max(big, 0.0) * sorted([x, 1.0])[-1] * (1 if x else 2)

    derivative(f, X)
    assert "1.25 1.25 1.25 1 and 1.2 1.25 1.25" in said.getvalue()
    assert "at 1.25" in said.getvalue()


def message(f, x=X):
    with pytest.raises(TypeError) as caught:
        ad.grad(f)(x)
    return str(caught.value)


def test_the_message_names_the_function_of_ours():
    assert message(lambda x: x * math.exp(x)) == (
        "the Tensor 1.25 would lose its gradient as plain data in exp(), and the function that is being "
        "differentiated would get a wrong derivative. Write ad.exp, which is recorded, or t.item() if a "
        "constant is meant"
    )
    for f, ours in [
        (lambda x: cmath.sqrt(x), "ad.sqrt"),
        (lambda x: math.fsum([x, x]), "ad.sum"),
        (lambda x: math.acos(x), "ad.arccos"),
        (lambda x: math.fabs(x), "ad.abs"),
        (lambda x: math.floor(x), "ad.floor"),
        (lambda x: [math.tanh(part) for part in (x, x)], "ad.tanh"),
        (lambda x: math.hypot(1.0, x), "ad.hypot"),
        (lambda x: Tensor(x), "t.clone()"),
    ]:
        assert f"Write {ours}, which is recorded, or t.item()" in message(f)
    for f in (float, lambda x: struct.pack("d", x), lambda x: array.array("d", [x]), lambda x: x.tolist()):
        assert "Write t.detach() or t.item() if a constant is meant" in message(f)
    w = Tensor(2.0, name="w")
    assert "the Tensor 'w' 2 would lose its gradient as plain data in float()" in message(
        lambda x: x * float(w)
    )


@pytest.mark.parametrize("write", [item, flat, lambda a, x: struct.pack_into("d", a, 0, x)])
def test_an_error_that_others_replace_is_raised_in_our_words(write):
    """NumPy says "setting an array element with a sequence", struct "required argument is not a float"."""
    for f in (written(write), lambda x: ad.grad(written(write))(x)):
        with pytest.raises(TypeError, match="would lose its gradient") as caught:
            ad.grad(f)(X)
        assert caught.value.__cause__ is None
        assert caught.traceback[-1].name in (write.__name__, "<lambda>")


@pytest.mark.parametrize("write", [item, flat, lambda a, x: struct.pack_into("d", a, 0, x)])
@pytest.mark.parametrize("over", [ad.compile, ad.vmap])
def test_one_of_a_value_that_is_not_there_yet_is_raised_as_it_was(write, over):
    for f in (written(write), ad.grad(written(write))):
        with pytest.raises(TraceError, match="needs the value of"):
            over(f)(np.array([X]) if over is ad.vmap else X)


@pytest.mark.parametrize("over", [ad.grad, ad.compile])
def test_a_later_error_at_the_same_place_is_its_own(over):
    def f(x, value):
        return x * struct.pack("d", value(x))[0]

    with pytest.raises((TypeError, TraceError)):
        over(lambda x: f(x, lambda x: x))(X)
    with pytest.raises(struct.error, match="not a float"):
        over(lambda x: f(x, lambda x: "text"))(X)


def test_other_errors_are_as_they_were():
    def f(x):
        a = np.zeros(2)
        try:
            a[0] = x
        except (TypeError, ValueError):
            raise ValueError("of my own") from None

    for wrong, words in [(f, "of my own"), (lambda x: np.zeros(2).__setitem__(0, [1.0, 2.0]), "sequence")]:
        with pytest.raises(ValueError, match=words):
            ad.grad(wrong)(X)


def test_another_error_at_the_same_place_is_as_it_was():
    def f(x):
        a = np.zeros(2)
        for place in (0, 5):
            try:
                a[place] = x
            except ValueError:
                continue

    with pytest.raises(IndexError, match="out of bounds"):
        ad.grad(f)(X)


def test_copies_of_an_argument():
    for way in (
        copy.copy,
        copy.deepcopy,
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: copy.deepcopy([x * 2])[0],
    ):
        with pytest.raises(TypeError, match=r"a copy of an argument .* Write t.clone\(\)"):
            ad.grad(lambda x, way=way: x * way(x))(X)
    assert ad.grad(lambda x: x * x.clone())(X) == 2 * X
    net = nn.Linear(1, 1)
    ad.grad(lambda x: copy.deepcopy(net)(x.reshape(1, 1)).sum())(X)  # a network's copy has leaves of its own
    _, kept = ad.grad(lambda x: (x * x, x * 2), has_aux=True)(X)
    assert pickle.loads(pickle.dumps(kept)) == 2 * X


def test_scipy_that_needs_numbers():
    integrate = pytest.importorskip("scipy.integrate")
    optimize = pytest.importorskip("scipy.optimize")
    for f in (
        lambda x: integrate.quad(lambda s: s * x, 0, 1)[0],
        lambda x: integrate.quad(lambda s: s, 0, x)[0],
        lambda x: optimize.brentq(lambda s: s * s - x, 0, 5),
    ):
        assert "would lose its gradient as plain data" in message(f)
        assert f(X) == pytest.approx(f(Tensor(X)))


def test_forwards_and_rules_look_at_values_freely():
    @ad.operation
    def scaled(x):
        return x * math.floor(float(x))

    scaled.backward(lambda grad, z, x: grad * math.floor(float(ad.as_tensor(x).detach())))

    class Cube(ad.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * float(x) * np.asarray(x)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    assert ad.grad(scaled)(2.5) == ad.hessian(lambda x: x * scaled(x))(2.5) / 2 == 2
    assert ad.grad(Cube.apply)(2.0) == 12
    assert ad.grad(ad.grad(Cube.apply))(2.0) == 12
    ad.gradcheck(lambda x: Cube.apply(x), [2.0])


def test_a_hook_and_a_watch_inside():
    seen = []

    def f(x):
        y = x * x
        y.register_hook(lambda grad: seen.append(float(grad)))
        return y * 3

    assert ad.grad(f)(X) == 6 * X
    assert seen == [3.0]
    with ad.detect_anomaly():
        assert ad.grad(lambda x: x * x)(X) == 2 * X
    assert "x * x" in ad.grad(lambda x: (x * x, str(ad.draw(x * x))), has_aux=True)(X)[1]


# -- integers as indices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8])
def test_an_integer_constant_is_an_index(dtype):
    labels = ["cat", "dog", "bird"]
    t = ad.tensor(np.array(2, dtype))
    assert (labels[t], labels[:t], list(range(t)), operator.index(t)) == ("bird", labels[:2], [0, 1], 2)
    assert (np.zeros(t).shape, np.zeros((t, 3)).shape, hex(t)) == ((2,), (2, 3), "0x2")
    if t.dtype.kind == "i":  # of an unsigned one, t - 1 is a float
        assert "ab"[t - 1] == "b"
    assert labels[Tensor([0.5, 2.0, 1.0]).argmax()] == "dog"
    assert labels[ad.argmax(Tensor([[0.5, 2.0, 1.0]]), axis=1)[0]] == "dog"


@pytest.mark.parametrize(
    "t",
    [Tensor(2.0), ad.tensor(2.0), Tensor(2.0) * 1, ad.tensor([1]), ad.tensor([[1]]), ad.tensor(True)],
    ids=repr,
)
def test_anything_else_is_none(t):
    for use in (operator.index, range, lambda t: ["a", "b", "c"][t], lambda t: [1, 2][:t]):
        with pytest.raises(
            TypeError, match="only a constant Tensor that is one integer is an index or a count"
        ):
            use(t)


INDICES = [ad.tensor(1), ad.tensor([1]), ad.tensor([1, 0]), ad.tensor(True), ad.tensor([True, False, True])]


@pytest.mark.parametrize("t", INDICES, ids=repr)
def test_numpy_s_indexing_is_that_of_the_array(t):
    a = np.arange(12.0).reshape(3, 4)
    for use in (
        lambda a, i: a[i],
        lambda a, i: a[i, ...],
        lambda a, i: a[:, i] if i.dtype != bool else a[i, :],
        lambda a, i: a[i, 0] if i.ndim else a[i],
        lambda a, i: Tensor(a)[i].data,
        lambda a, i: Tensor(a)[i, ..., None].data,
        lambda a, i: np.take(a, i, axis=0) if i.dtype != bool else a,
    ):
        np.testing.assert_array_equal(use(a, t), use(a, t.data), strict=True)
    b, c = a.copy(), a.copy()
    b[t] = c[t.data] = -1.0
    np.testing.assert_array_equal(b, c)
