"""Copies and pickles: of leaves, of graphs however deep, and of what holds them."""

from __future__ import annotations

import copy
import io
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim, training

DEEP = 20_000  # Python's own copies end at a few hundred


def pickled(protocol):
    return lambda given: pickle.loads(pickle.dumps(given, protocol))


def python_pickled(given):
    """By the pickler that is written in Python."""
    stream = io.BytesIO()
    pickle._Pickler(stream).dump(given)
    return pickle.loads(stream.getvalue())


DEEP_COPIES = [copy.deepcopy, pickled(2), pickled(5), python_pickled]
ids = ["deepcopy", "pickle 2", "pickle 5", "pickle in Python"]
every_copy = pytest.mark.parametrize("copied", DEEP_COPIES, ids=ids)


def chain(x, step, length=DEEP):
    for _ in range(length):
        x = step(x)
    return x


def root(tensor):
    while tensor.creators:
        tensor = next(creator for creator in tensor.creators if isinstance(creator, Tensor))
    return tensor


STEPS = {
    "mul": lambda y: y * 1.0001,
    "tanh": lambda y: y.tanh(),
    "where": lambda y: ad.where(np.array([True, False]), y, 0.5 * y),
    "sum": lambda y: y + y.sum(axis=0, keepdims=True),
}


@every_copy
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
@pytest.mark.thorough
def test_a_deep_result_is_copied_with_its_graph(copied, step):
    x = Tensor([0.5, 0.25], name="x")
    y = chain(x, step, 3000)
    twin = copied(y)
    with np.errstate(all="ignore"):
        y.sum().backward()
        twin.sum().backward()
    leaf = root(twin)
    assert leaf is not x
    assert leaf.name == "x"
    np.testing.assert_array_equal(twin.data, y.data)
    np.testing.assert_array_equal(leaf.grad.data, x.grad.data)
    assert twin.creation_op is y.creation_op


@every_copy
@pytest.mark.thorough
def test_twenty_thousand_operations_are_not_too_many(copied):
    x = Tensor(0.5)
    twin = copied(chain(x, lambda y: y * 1.0001))
    twin.backward()
    assert root(twin).grad.item() == pytest.approx(1.0001**DEEP, rel=1e-6)


JOINING = {
    "one": lambda *xs: xs[0].exp(), "two": lambda *xs: xs[0] * xs[1], "three": lambda *xs: ad.where(*xs[:3]),
    "four": lambda *xs: ad.stack(xs), "a constant": lambda *xs: ad.concatenate([xs[0], np.ones(2), xs[3]]),
}  # fmt: skip


@every_copy
@pytest.mark.parametrize("count", JOINING)
def test_the_original_is_walked_back_through_as_if_it_had_not_been_copied(copied, count):
    def slopes(look):
        xs = [Tensor([0.5, -0.25]) for _ in range(4)]
        y = JOINING[count](*xs)
        look(y)
        (y * y).sum().backward()
        return [None if x.grad is None else x.grad.data.tolist() for x in xs]

    assert slopes(copied) == slopes(lambda y: None)


@every_copy
def test_gradients_that_are_recorded_are_copied_with_their_graph(copied):
    """They lead in a circle: the leaf keeps a gradient that was made from the leaf."""
    x = Tensor(0.5)
    y = chain(x, lambda y: y.tanh(), 2000)
    y.backward(create_graph=True)
    twin = copied(y)
    leaf = root(twin)
    assert leaf.grad.item() == x.grad.item()
    for each in (x, leaf):
        grad = each.grad
        each.zero_grad()
        grad.backward()
    assert leaf.grad.item() == x.grad.item() != 0


@every_copy
def test_what_is_one_is_one_in_the_copy_and_what_is_equal_is_not(copied):
    x = Tensor([1.0, 2.0])
    y = x * x
    z = y + x
    x2, other, (y2, z2) = copied((x, Tensor([1.0, 2.0]), [y, z]))
    assert x2 is not x
    assert x2 is not other
    assert y2.creators == (x2, x2)
    assert y2.creators[0] is y2.creators[1] is x2
    assert z2.creators[0] is y2
    assert z2.creators[1] is x2
    z2.sum().backward()
    assert x2.grad.data.tolist() == [3.0, 5.0]
    assert x.grad is None
    assert y.grad is None


@every_copy
@pytest.mark.parametrize(
    "data",
    [3.0, np.array(3.0), np.float32([1, 2]), np.zeros((0, 3)), np.ones((1, 1)), np.asfortranarray(np.eye(3)),
     np.arange(8.0)[::-2], np.arange(4), np.array([True, False])],
    ids=str,
)  # fmt: skip
def test_a_leaf_keeps_what_it_is(copied, data):
    leaf = Tensor(data, requires_grad=np.asarray(data).dtype.kind == "f", name="t")
    twin = copied(leaf)
    assert type(twin.data) is type(leaf.data)
    np.testing.assert_array_equal(twin.data, leaf.data, strict=isinstance(data, np.ndarray))
    assert (twin.name, twin.requires_grad, twin.creators) == ("t", leaf.requires_grad, None)
    if isinstance(data, np.ndarray):
        assert not np.shares_memory(twin.data, leaf.data)


def test_a_shallow_copy_shares_its_array_and_its_creators():
    x = Tensor([1.0, 2.0])
    y = chain(x, lambda y: y * 2)
    twin = copy.copy(y)
    assert twin is not y
    assert twin.data is y.data
    assert twin.creators[0] is y.creators[0]
    twin.sum().backward()
    assert x.grad is not None


@every_copy
def test_a_released_graph_stays_released(copied):
    y = (Tensor(2.0) * 3.0).exp()
    y.backward(release=True)
    with pytest.raises(RuntimeError, match="release=True"):
        copied(y).backward()


@every_copy
def test_a_change_after_recording_is_found_in_the_copy_too(copied):
    x = Tensor([1.0])
    y = (x * x).sum()
    x += 1
    with pytest.raises(RuntimeError, match="changed after"):
        copied(y).backward()


@every_copy
def test_attributes_of_a_subclass_are_kept(copied):
    class Labelled(Tensor):
        pass

    Labelled.__qualname__ = "Labelled"
    globals()["Labelled"] = Labelled
    leaf = Labelled([1.0])
    leaf.label = leaf.owner = [leaf]
    twin = copied(leaf)
    assert twin.label is twin.owner
    assert type(twin) is Labelled


@every_copy
def test_parts_and_networks_and_models_are_copied(copied):
    def fit(model):
        model.fit(x, x[:, :2], epochs=1, shuffle=False)
        return [parameter.data.tolist() for parameter in model.net.parameters()]

    x = np.random.default_rng(0).normal(size=(8, 3))
    layers = nn.BatchNorm1d(4), nn.Tanh(), nn.Dropout(0.5, generator=3), nn.Dense(2)
    net = nn.Sequential(nn.Linear(3, 4), *layers)
    model = training.Model(net, nn.MSELoss(), optim.Adam(net.parameters()))
    fit(model)
    twin = copied(model)
    assert twin.net is not net
    assert twin.history.rows == model.history.rows
    parameters = set(twin.net.parameters())
    assert parameters == set(twin.optimizer.param_groups[0]["params"]) == set(twin.optimizer.state)
    assert fit(twin) == fit(model)
    net.kept = chain(net[0].weight.sum(), lambda y: y * 2, 2000)
    twin = copied(net)
    assert root(twin.kept) is twin[0].weight


FRESH = """
import pickle, sys
from autodiff import Tensor, nn
net = pickle.load(sys.stdin.buffer)
frozen, other = net
y = (frozen * frozen).sum()
other += 1
y.backward()
print(frozen.grad)
"""


def test_a_pickle_of_a_long_program_is_used_in_a_new_one():
    """Changes are counted in each program: a Tensor changed late in one is not changed later in another."""
    frozen, other = Tensor([1.0, 2.0]), Tensor([1.0])
    for _ in range(50):
        frozen += 0
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", FRESH], input=pickle.dumps((frozen, other)), capture_output=True, check=False,
        cwd=root, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert done.stdout.split() == b"[2 4]".split(), done.stderr.decode()


def test_many_results_of_one_graph_are_pickled_once():
    x = Tensor(np.zeros(100_000))
    results = [x * number for number in range(5)]
    size = len(pickle.dumps(results))
    assert size < 6.1 * x.data.nbytes


def test_a_copy_shares_no_name_no_hook_and_no_operand_with_its_original():
    a = Tensor(2.0, name="a")
    b = copy.copy(a)
    b.name = "b"
    b.register_hook(lambda grad: 10 * grad)
    (a * 3).backward()
    assert (a.name, b.name, a.grad.data) == ("a", "b", 3)

    y = ad.where(np.array([True, False]), Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    twin = copy.copy(y)
    y.backward([1, 1], release=True)
    twin.backward([1, 1])
    assert len(twin.creators) == 3
