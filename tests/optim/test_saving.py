"""Saving and loading a state, and copying an optimizer."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from autodiff import Tensor, optim, seeding
from tests.optim.cases import CASES, label, step


def parameters():
    random = seeding.generator(3)
    return [
        ("w", Tensor(random.normal(size=(2, 3)))),
        ("b", Tensor(random.normal(size=3).astype(np.float32))),
        ("a", Tensor(random.normal())),
        ("c", Tensor(random.normal())),
    ]


def train(optimizer, turns):
    for turn in turns:
        random = seeding.generator(turn)
        step(optimizer, *(random.normal(size=p.shape) for p in optimizer._parameters[:-1]), None)


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_a_loaded_state_continues_bit_by_bit(name, options):
    named, again = parameters(), parameters()
    optimizer = getattr(optim, name)(named, weight_decay=0.01, **options)
    train(optimizer, range(5))
    saved = pickle.loads(pickle.dumps(optimizer.state_dict()))
    kept = [np.copy(parameter.data) for _, parameter in named]
    train(optimizer, range(5, 10))

    second = getattr(optim, name)([parameter for _, parameter in again], lr=9.0)
    for (_, parameter), value in zip(again, kept):
        parameter.data = value if value.ndim else float(value)
    second.load_state_dict(saved)
    train(second, range(5, 10))
    for (_, first), (_, other) in zip(named, again):
        np.testing.assert_array_equal(first.data, other.data)
        assert first.dtype == other.dtype


def test_what_is_saved_is_a_copy_and_what_is_loaded_too():
    w = Tensor([1.0])
    optimizer = optim.SGD([w], momentum=0.9)
    step(optimizer, [1.0])
    saved = optimizer.state_dict()
    step(optimizer, [1.0])
    assert saved["state"][0]["momentum_buffer"] == [1.0]
    optimizer.load_state_dict(saved)
    step(optimizer, [1.0])
    assert saved["state"][0] == {"step": 1, "momentum_buffer": [1.0]}


@pytest.mark.parametrize("names", [("w", None), (None, "w"), (None, None), ("w", "w")])
def test_names_are_compared_where_both_optimizers_have_them(names):
    saved, own = (
        optim.Adam([Tensor([1.0]) if name is None else (name, Tensor([1.0]))], lr=rate)
        for name, rate in zip(names, (0.5, 0.1))
    )
    own.load_state_dict(saved.state_dict())
    assert own.param_groups[0]["lr"] == 0.5
    assert own.param_groups[0].get("param_names") == (None if names[1] is None else ["w"])


class Remembering(optim.Optimizer):
    """A rule with a state that is not an array of the parameter's dtype, and an option that is a list."""

    def __init__(self, params, weights=(1.0,)):
        super().__init__(params, {"lr": 0.5, "weights": list(weights)})

    def update(self, data, grad, state, group):
        state.setdefault("grads", []).append(grad.copy())
        state["signs"] = np.int8(np.sign(grad))
        data -= group["lr"] * grad


def test_a_state_of_any_kind_is_copied():
    named = [("w", Tensor([1.0, 2.0]))]
    optimizer, twin = Remembering(named), Remembering([("w", Tensor([1.0, 2.0]))])
    step(optimizer, [1.0, -1.0])
    saved = optimizer.state_dict()
    twin.load_state_dict(saved)
    (memory,) = twin.state.values()
    assert memory["signs"].dtype == np.int8
    saved["state"][0]["grads"].clear()
    for group in saved["param_groups"]:
        group["weights"].append(2.0)
        group["param_names"].append("b")
    for own in (optimizer, twin):
        (memory,) = own.state.values()
        assert [grad.tolist() for grad in memory["grads"]] == [[1, -1]]
        assert (own.param_groups[0]["weights"], own.param_groups[0]["param_names"]) == ([1.0], ["w"])


def test_a_loaded_state_takes_the_parameter_s_dtype():
    double, single = Tensor([1.0]), Tensor(np.float32([1.0]))
    first, second = optim.Adam([double]), optim.Adam([single])
    step(first, [1.0])
    second.load_state_dict(first.state_dict())
    assert second.state[single]["m"].dtype == np.float32


def test_a_loaded_float32_without_axes_stays_float32():
    """Its state consists of NumPy numbers, which take the dtype of the parameter as arrays do."""
    double, single = Tensor(np.array(1.0)), Tensor(np.array(1.0, np.float32))
    first, second = optim.Adam([double]), optim.Adam([single])
    step(first, np.array(1.0))
    second.load_state_dict(first.state_dict())
    step(second, np.array(1.0))
    assert second.state[single]["m"].dtype == single.dtype == np.float32


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: optim.SGD([Tensor([1.0]), Tensor(1.0)]), "saved by SGD, not by Adam"),
        (lambda: optim.Adam([Tensor([1.0])]), r"group are \[1\], but those of the optimizer are \[2\]"),
        (lambda: optim.Adam([{"params": Tensor([1.0])}, {"params": Tensor(1.0)}]), r"are \[1, 1\]"),
        (lambda: optim.Adam([Tensor([1.0, 2.0]), Tensor(1.0)]), r"shapes are \[\[\(2,\), \(\)\]\]"),
        (lambda: optim.Adam([("b", Tensor([1.0])), ("w", Tensor(1.0))]), r"names are \['b', 'w'\]"),
    ],
)
def test_a_state_that_does_not_fit_changes_nothing(other, message):
    optimizer = optim.Adam([("w", Tensor([1.0])), ("b", Tensor(1.0))], lr=0.5)
    step(optimizer, [1.0], 1.0)
    before = optimizer.state_dict()
    with pytest.raises(ValueError, match=message):
        optimizer.load_state_dict(other().state_dict())
    np.testing.assert_equal(optimizer.state_dict(), before)
    with pytest.raises(ValueError, match="saved by something else"):
        optimizer.load_state_dict({})
    with pytest.raises(TypeError, match="a state_dict is a dictionary, not None"):
        optimizer.load_state_dict(None)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda state: state.pop("state"), "incomplete: it lacks state"),
        (lambda state: state.pop("param_groups"), "incomplete: it lacks param_groups"),
        (lambda state: state["state"].update({7: {"step": 1}}), "entry for parameter 7, but this Adam has 1"),
    ],
)
def test_a_damaged_state_changes_nothing(damage, message):
    optimizer = optim.Adam([Tensor([1.0])], lr=0.5)
    step(optimizer, [1.0])
    before, damaged = optimizer.state_dict(), optimizer.state_dict()
    damage(damaged)
    with pytest.raises(ValueError, match=message):
        optimizer.load_state_dict(damaged)
    np.testing.assert_equal(optimizer.state_dict(), before)


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))])
def test_a_copy_is_independent(twin_of):
    w, b = Tensor([1.0, 2.0]), Tensor(3.0)
    optimizer = optim.Adam([w, b])
    step(optimizer, [1.0, -1.0], 1.0)
    (w2, b2), twin = twin_of(((w, b), optimizer))
    step(optimizer, [1.0, 1.0], 1.0)
    after = w.data.tolist(), b.data
    assert (w2.data.tolist(), b2.data) != after
    step(twin, [1.0, 1.0], 1.0)
    assert (w2.data.tolist(), b2.data) == after == (w.data.tolist(), b.data)
