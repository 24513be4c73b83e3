"""A compiled function refuses what it cannot do: the message names the user's line and what to use instead,
and everything is left as it was."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim
from autodiff.compiling import TraceError
from autodiff.engine import recording
from autodiff.engine.tracing import UnknownShapeError

READS_A_VALUE = {
    "if": lambda t: t if t.sum() > 0 else -t,
    "and": lambda t: (t.sum() > 0) and t,
    "float": lambda t: t * float(t.sum()),
    "int": lambda t: t * int(t.sum()),
    "round": lambda t: t[: int(t.sum())],
    "item": lambda t: t * t.sum().item(),
    "tolist": lambda t: t.detach().numpy().tolist(),
    "data": lambda t: t if (t.data > 0).all() else -t,
    "asarray": lambda t: np.asarray(t.detach()) * 2,
    "array": lambda t: np.array(t.data),
    "numpy": lambda t: t.numpy(),
    "math": lambda t: t * math.exp(t.sum()),
    "in": lambda t: t if 1.0 in t else -t,
    "max": lambda t: max(t),
    "format": lambda t: f"{t.sum():.3f}",
    "isnan": lambda t: t if np.isnan(t.data).any() else -t,
    "allclose": lambda t: t if ad.allclose(t, t) else -t,
}


@pytest.mark.parametrize("name", READS_A_VALUE)
def test_a_value_is_refused_and_the_line_is_named(name):
    with pytest.raises((TraceError, TypeError), match=r"(?s)compile|requires") as caught:
        ad.compile(READS_A_VALUE[name])(Tensor([1.0, 2.0], requires_grad=False))
    if isinstance(caught.value, TraceError):
        assert f'"{name}": lambda t:' in str(caught.value)


def test_the_message_names_the_line_inside_a_function_that_is_called():
    def inner(t):
        t = t * 2
        return t if t > 0 else -t  # here

    def outer(t):
        return inner(t + 1)

    with pytest.raises(TraceError, match=r"test_refusals.py: return t if t > 0 else -t  # here") as caught:
        ad.compile(outer)(1.0)
    assert "ad.where" in str(caught.value)


@pytest.mark.parametrize("f", [
    lambda x: x[x > 0], lambda x: ad.masked_select(x, x > 0), lambda x: np.nonzero(x.data),
    lambda x: np.unique(x.data),
    lambda x: np.flatnonzero(x.data > 0), lambda x: np.argwhere(x.data), lambda x: np.where(x.data > 0),
    lambda x: np.compress(x.data > 0, x.data), lambda x: np.repeat(x.data, (x.data > 0).astype(int)),
    lambda x: np.bincount(x.data.astype(int)), lambda x: np.extract(x.data > 0, x.data),
    lambda x: np.trim_zeros(x.data), lambda x: np.union1d(x.data, x.data),
])  # fmt: skip
def test_a_shape_that_depends_on_values_is_refused(f):
    with pytest.raises(UnknownShapeError):
        ad.compile(f)(Tensor([1.0, 2.0, 0.0]))


def test_writing_into_an_argument_is_refused():
    def f(a):
        a[0] = 5.0
        return a

    array = np.ones(2)
    with pytest.raises(TraceError, match=r"writes into its argument a,"):
        ad.compile(f)(array)
    np.testing.assert_array_equal(array, 1)


@pytest.mark.parametrize(("f", "message"), [
    (lambda x: (i for i in [x]), "not generator"),
    (lambda x: {1, 2}, "not set"),
    (lambda x: ad.seed(0), "ad.seed"),
    (lambda x: np.random.default_rng(0).normal(x.data), "needs the value"),
    (lambda x: optim.SGD([Tensor(1.0)], lr=0.1).step(), "step of an optimizer"),
    (lambda x: optim.LBFGS([Tensor(1.0)]).step(lambda: x), "step of an optimizer"),
    (lambda x: nn.utils.clip_grad_norm_([Tensor(1.0)], 1.0), "clipping"),
    (lambda x: np.maximum.at(x.data, (), 1.0), r"np\.maximum\.at is not compiled; only np\.add\.at is"),
    (lambda x: np.add.at(np.zeros(2), 0, x.data), r"np\.add\.at into an array that is not part of the"),
    (lambda x: np.copyto(np.zeros(()), x.data), r"np\.copyto into an array that is not part of the"),
    (lambda x: 1 if x > 0 else 0, r"a decision \(if, while, and, or, not\) needs the value of"),
])  # fmt: skip
def test_other_things_are_refused(f, message):
    with pytest.raises(TraceError, match=message):
        ad.compile(f)(Tensor(1.0))


def test_anomaly_detection_goes_around_the_call():
    def f(x):
        with ad.detect_anomaly():
            return x.log()

    with pytest.raises(TraceError, match="detect_anomaly"):
        ad.compile(f)(Tensor(1.0))
    fast = ad.compile(lambda x: x.log())
    with ad.detect_anomaly(), pytest.raises(FloatingPointError, match="-inf"):
        fast(Tensor(0.0))


def test_a_gradient_that_is_recorded_is_refused():
    w = Tensor(2.0)
    with pytest.raises(TraceError, match=r"recorded gradient in \.grad"):
        ad.compile(lambda x: (w * w * x).backward(create_graph=True))(1.0)


def test_an_error_while_tracing_leaves_everything_as_it_was():
    w = Tensor([1.0, 2.0])
    net = nn.BatchNorm1d(2)
    before = {name: value.copy() for name, value in net.state_dict().items()}
    is_first = True

    def f(x):
        nonlocal is_first
        with ad.no_grad(), ad.scope("inside"):
            w.assign(w * 2)
        (w * x).sum().backward()
        net(np.ones((3, 2)) * x)
        if is_first:
            is_first = False
            raise KeyError("mine")
        return w * x

    fast = ad.compile(f)
    with pytest.raises(KeyError, match="mine"):
        fast(2.0)
    assert not recording.open_blocks
    assert recording.current().trace is None
    assert recording.current().group is None
    assert ad.is_grad_enabled()
    np.testing.assert_array_equal(w.data, [1, 2])
    assert w.grad is None
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value, before[name])
    np.testing.assert_array_equal(fast(2.0).data, [4, 8])  # and the next call is traced anew


@pytest.mark.parametrize("passes", ["nonsense", ["fold", "nonsense"]])
def test_an_unknown_pass_is_a_value_error(passes):
    with pytest.raises(ValueError, match=r"no pass 'nonsense'; the passes are fold, "):
        ad.compile(lambda x: x, passes=passes)


@pytest.mark.parametrize("f", [3, "f", Tensor(1.0), None.__class__, Tensor])
def test_what_is_not_a_function_is_a_type_error(f):
    with pytest.raises(TypeError, match=r"ad\.compile takes a function"):
        ad.compile(f)


@pytest.mark.parametrize("argument", [np.array(["a"]), np.array([1j]), np.array([None])])
def test_arrays_of_other_things_are_a_type_error(argument):
    with pytest.raises(TypeError, match="has the dtype"):
        ad.compile(lambda x: x)(argument)


def test_a_mistake_in_the_function_is_the_error_that_it_is():
    with pytest.raises(ValueError, match="broadcast"):
        ad.compile(lambda x, y: x + y)(Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0]))
    with pytest.raises(AttributeError):
        ad.compile(lambda x: x.nonsense)(Tensor(1.0))
