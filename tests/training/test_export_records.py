"""What a network is written from, as plain records: these tests need neither onnx nor onnxruntime."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn
from autodiff.engine import recording
from autodiff.training import export
from autodiff.training.export.rules import is_one_step
from autodiff.training.export.traces import Batch, Constant, Input, Result, traced
from tests.training import fake_onnx


def trace(net, *examples, batch_axis=0):
    return traced(net, examples, batch_axis, is_one_step)


def names(net, *examples, **options):
    return [step.name for step in trace(net, *examples, **options).steps]


X = np.zeros((3, 2), np.float32)


def test_a_decision_is_a_step_whatever_the_example():
    for example in (X, X + 1, X - 1, X * np.nan):
        assert names(lambda x: ad.where(x > 0, x, ad.exp(x)), example) == ["np.greater", "np.exp", "np.where"]
    assert names(lambda x: x * ad.floor(x), X) == ["np.floor", "np.multiply"]
    assert names(lambda x: ad.argmax(x, axis=1), X) == ["np.argmax"]


def test_the_records_of_a_network():
    net = nn.Sequential(nn.Linear(2, 4, generator=0), nn.Softmax())
    found = trace(net, X)
    assert found.inputs == [((Batch(1), 2), np.float32)]
    assert [step.name for step in found.steps][-1] == "softmax"
    assert found.outputs == [Result(len(found.steps) - 1)]
    assert found.kind(found.outputs[0]) == ((Batch(1), 4), np.float32)
    first = found.steps[0]
    assert first.operands[0] == Input(0)
    weights = [x for step in found.steps for x in step.operands if isinstance(x, Constant)]
    assert any(x.first.size == 8 for x in weights)


def test_sizes_that_follow_the_batch_are_marked():
    (step,) = trace(lambda x: x.reshape(len(x) * 2), X).steps
    assert step.shape == (Batch(2),)
    (step,) = trace(lambda x: x.reshape(6), X, batch_axis=None).steps
    assert step.shape == (6,)


def test_a_kind_of_operand_says_how_numpy_promotes():
    (step,) = trace(lambda x: x * 2, X).steps
    assert step.kinds == [np.float32, int]
    assert step.dtype == np.float32


READS = {
    "float": lambda x: x if float(x.sum()) > 0 else -x, "int": lambda x: x * int(x.max()),
    "item": lambda x: x * x.sum().item(), "tolist": lambda x: x * x.tolist()[0][0],
    "asarray": lambda x: x * np.asarray(x), "array": lambda x: x * np.array(x),
    "asarray of data": lambda x: x * np.array(x.data), "if": lambda x: x if x.sum() > 0 else -x,
    "and": lambda x: x if (x > 0).all() and len(x) else -x, "any": lambda x: x if ad.any(x > 0) else -x,
    "max": lambda x: max(x[0, 0], x[0, 1]) * x, "exp": lambda x: x * math.exp(x.sum()),
    "mask": lambda x: x[x > 0], "nonzero": lambda x: x[np.nonzero(x.data)[0]],
    "allclose": lambda x: x if ad.allclose(x, -x) else -x,
    "range": lambda x: [x for _ in range(int(x.sum()))],
    "while": lambda x: loop(x), "inside of no_grad": ad.no_grad()(lambda x: x * x.sum().item()),
}  # fmt: skip


def loop(x):
    while x.sum() > 0:
        x = x - 1
    return x


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("example", [X, X + 1, X - 1], ids=["zeros", "above", "below"])
@pytest.mark.parametrize("batch_axis", [0, None])
def test_a_value_that_is_read_out_is_refused(name, example, batch_axis):
    with pytest.raises(
        ValueError, match=r"cannot be written as ONNX[\s\S]*in line \d+ of test_export_records"
    ):
        trace(READS[name], example, batch_axis=batch_axis)
    assert not recording.traces


def test_values_of_parameters_may_be_read():
    net = nn.Linear(2, 2, generator=0)
    scale = float(net.weight.data[0, 0])
    found = trace(lambda x: x * net.weight[0, 0].item() if net.weight.sum() < 100 else x, X)
    assert found.steps[0].operands[1].first == pytest.approx(scale)


def test_random_numbers_are_refused():
    with pytest.raises(ValueError, match="draws random numbers"):
        trace(lambda x: x * ad.rand(2), X)
    with pytest.raises(ValueError, match="draws random numbers"):
        trace(nn.Dropout(0.5), X)  # in training mode


def test_what_depends_on_the_batch_in_another_way_is_refused():
    with pytest.raises(ValueError, match="other operations for a batch of another size"):
        trace(lambda x: x.exp() if len(x) == 3 else x * 2, X)
    for size in range(1, 9):
        with pytest.raises(ValueError, match="no multiple of it"):
            trace(lambda x: x[: len(x) // 2], np.zeros((size, 2)))
    with pytest.raises(ValueError, match=r"a batch of one the network gives the shape \(\)"):
        trace(lambda x: x[:, :1].squeeze(), X)
    assert trace(lambda x: x[:, :1].squeeze(axis=1), X).steps[-1].shape == (Batch(1),)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_size_of_the_example_s_batch_does_not_matter(size):
    def net(x):
        return (x - x.mean(axis=0)).reshape(len(x), 2, 1) @ np.ones((1, 2), np.float32)

    first = trace(net, np.zeros((size, 2), np.float32))
    assert [step.name for step in first.steps] == names(net, X)
    assert first.steps[-1].shape == (Batch(1), 2, 2)


def test_nothing_of_a_network_is_changed():
    net = nn.Sequential(nn.Linear(2, 2, generator=0), nn.BatchNorm1d(2)).eval()
    before = net.state_dict()
    trace(net, X)
    after = net.state_dict()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_a_network_that_keeps_what_has_no_value_is_refused():
    class Keeps(nn.Module):
        def forward(self, x):
            self.last = x * 2
            return self.last

    with pytest.raises(ValueError, match="keeps last"):
        trace(Keeps(), X)


def test_a_network_that_changes_what_it_refers_to_is_refused_and_changes_nothing():
    norm, state = nn.BatchNorm1d(2), ad.Tensor([1.0, 2.0], requires_grad=False)
    with pytest.raises(ValueError, match=r"changes the Tensor.* of shape \(2,\).*eval mode"):
        trace(lambda x: norm(x), X)

    def keeps(x):
        state.data = x.sum(axis=0)
        return x

    with pytest.raises(ValueError, match="changes the Tensor"):
        trace(keeps, X)
    assert norm.running_mean.data.tolist() == [0, 0]
    assert state.data.tolist() == [1, 2]


DEPENDENT = {
    "a slope": lambda x: nn.functional.leaky_relu(x, 1 / len(x)),
    "a shift": lambda x: ad.roll(x, len(x), axis=1),
    "repetitions": lambda x: ad.repeat(x, len(x), axis=1), "reps": lambda x: ad.tile(x, (1, len(x))),
    "padding": lambda x: ad.pad(x, ((0, 0), (0, len(x)))),
    "a constant": lambda x: x * np.linspace(0, 1, len(x))[:, None],
    "every other": lambda x: x.T * (2 * np.arange(len(x))),
    "backwards": lambda x: x.T * np.arange(len(x))[::-1],
    "the batch in turn": lambda x: ad.roll(x, 1, axis=0), "a list": list,
    "places": lambda x: written_at(x, np.arange(len(x)) % 5),
}  # fmt: skip


def written_at(x, places):
    y = ad.zeros(7, 2)
    y[places] = x
    return y


@pytest.mark.parametrize("name", DEPENDENT)
def test_what_depends_on_the_batch_in_an_option_is_refused(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", fake_onnx)  # some are refused when the file is written
    with pytest.raises(ValueError, match=r"batch"):
        export.onnx(DEPENDENT[name], X, "/nonexistent/net.onnx")


def test_outputs_that_are_numbers_are_constants():
    assert [type(x) for x in trace(lambda x: (x, x.ndim, [1, 2]), X).outputs] == [Input, Constant, Constant]
    with pytest.raises(ValueError, match="returns Tensors, arrays and numbers, not str"):
        trace(lambda x: (x, "text"), X)
    with pytest.raises(ValueError, match=r"an example has the shape \(\): export it with batch_axis=None"):
        trace(lambda x: x, np.ones(()))
