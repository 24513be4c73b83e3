"""state_dict and load_state_dict: all or nothing."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor, nn


def network(seed):
    return nn.Sequential({"fc": nn.Linear(3, 2, generator=seed), "bn": nn.BatchNorm1d(2), "act": nn.ReLU()})


NAMES = [
    "fc.weight", "fc.bias", "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var",
    "bn.num_batches_tracked",
]  # fmt: skip


def test_the_state_is_arrays_by_name():
    state = network(0).state_dict()
    assert list(state) == NAMES
    assert all(type(array) is np.ndarray for array in state.values())
    assert state["fc.weight"].dtype == np.float32
    assert state["bn.num_batches_tracked"].dtype.kind == "i"


def test_the_state_is_a_copy():
    net = network(0)
    state = net.state_dict()
    state["fc.weight"][:] = 0
    net.fc.bias += 1
    assert (net.fc.weight.data != 0).all()
    assert (state["fc.bias"] != net.fc.bias.data).all()


def test_loading_copies_everything():
    first, second = network(0), network(1)
    x = Tensor(np.random.default_rng(0).normal(size=(8, 3)))
    first(x)
    weight, state = second.fc.weight, first.state_dict()
    assert second.load_state_dict(state) == ([], [])
    state["fc.weight"][:] = 0
    assert second.fc.weight is weight
    assert second.bn.num_batches_tracked.item() == 1
    np.testing.assert_array_equal(first.eval()(x).data, second.eval()(x).data)


def test_loading_keeps_the_module_s_dtype_and_is_counted():
    net = network(0)
    loss = net(Tensor(np.ones((4, 3)))).sum()
    state = {name: array.astype(float).tolist() for name, array in network(1).state_dict().items()}
    net.load_state_dict(state)
    assert net.fc.weight.dtype == np.float32
    assert net.bn.num_batches_tracked.dtype.kind == "i"
    with pytest.raises(RuntimeError, match=r"the Tensor .* was changed after"):
        loss.backward()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fc.bias": None}, ["missing: fc.bias"]),
        ({"bias": np.zeros(2)}, ["unexpected: bias"]),
        ({3: np.zeros(2)}, ["unexpected: 3"]),
        ({"fc.weight": np.zeros((3, 2))}, ["fc.weight has the shape (2, 3), and the saved one (3, 2)"]),
        ({"fc.weight": "zeros"}, ["fc.weight: a Tensor holds real numbers"]),
        (
            {"fc.bias": None, "bias": np.zeros(2), "bn.weight": np.zeros(3)},
            ["missing: fc.bias", "unexpected: bias", "bn.weight has the shape"],
        ),
    ],
)
def test_what_does_not_fit_is_listed_and_nothing_is_loaded(change, words):
    net = network(0)
    before = net.state_dict()
    state = {name: array + 1 for name, array in before.items()} | change
    state = {name: value for name, value in state.items() if value is not None}
    with pytest.raises(ValueError, match="nothing was loaded into Sequential") as caught:
        net.load_state_dict(state)
    for word in words:
        assert word in str(caught.value)
    for name, array in net.state_dict().items():
        np.testing.assert_array_equal(array, before[name])


def test_without_strict_the_skipped_names_are_returned():
    net, before = network(0), network(0).state_dict()
    result = net.load_state_dict({"fc.bias": [5.0, 6.0], "more": np.zeros(1)}, strict=False)
    assert result.missing_keys == [name for name in NAMES if name != "fc.bias"]
    assert result.unexpected_keys == ["more"]
    assert net.fc.bias.data.tolist() == [5, 6]
    np.testing.assert_array_equal(net.fc.weight.data, before["fc.weight"])
    with pytest.raises(ValueError, match=r"fc\.bias has the shape"):
        net.load_state_dict({"fc.bias": np.zeros(3)}, strict=False)


def test_a_state_dict_is_a_dictionary():
    with pytest.raises(TypeError, match="dictionary of arrays"):
        network(0).load_state_dict([1, 2])


def test_it_goes_through_npz(tmp_path):
    first, second = network(0), network(1)
    np.savez(tmp_path / "net.npz", **first.state_dict())
    with np.load(tmp_path / "net.npz") as saved:
        second.load_state_dict(saved)
    np.testing.assert_array_equal(first.fc.weight.data, second.fc.weight.data)


def test_tied_weights_are_saved_under_both_names():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    net.load_state_dict(net.state_dict())
    assert net[1].weight is net[0].weight


def test_what_is_not_persistent_is_not_saved():
    net = nn.Identity()
    net.register_buffer("kept", np.zeros(1))
    net.register_buffer("cache", np.zeros(1), persistent=False)
    net.register_buffer("absent", None)
    assert list(net.state_dict()) == ["kept"]
