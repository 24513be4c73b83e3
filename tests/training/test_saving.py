"""Weights in files."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from autodiff import nn, training


def network(seed, width=3):
    first = nn.Linear(4, width, generator=seed)
    first.weight.data = np.asfortranarray(first.weight.data)
    return nn.Sequential({"fc": first, "bn": nn.BatchNorm1d(width), "out": nn.Linear(width, 2)})


def equal(first, second):
    first, second = first.state_dict(), second.state_dict()
    return list(first) == list(second) and all(np.array_equal(first[name], second[name]) for name in first)


@pytest.fixture(params=["npz", "safetensors"])
def path(request, tmp_path):
    if request.param == "safetensors":
        pytest.importorskip("safetensors")
    return tmp_path / f"net.{request.param}"


def test_weights_and_buffers_come_back(path):
    first, second = network(0), network(1)
    first(np.random.default_rng(0).normal(size=(9, 4)))
    training.save_weights(first, path)
    assert training.load_weights(second, str(path)) == ([], [])
    assert equal(first, second)
    assert second.bn.num_batches_tracked.shape == ()
    assert second.bn.num_batches_tracked.item() == 1
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_file_that_does_not_fit_changes_nothing(path):
    training.save_weights(network(0, width=5), path)
    net, before = network(1), network(1)
    before.load_state_dict(net.state_dict())
    with pytest.raises(ValueError, match=r"fc\.weight has the shape \(3, 4\), and the saved one \(5, 4\)"):
        training.load_weights(net, path)
    training.save_weights(nn.Sequential({"fc": nn.Linear(4, 3)}), path)
    with pytest.raises(ValueError, match=r"missing: bn\.weight"):
        training.load_weights(net, path)
    assert equal(net, before)
    assert "out.bias" in training.load_weights(net, path, strict=False).missing_keys
    assert not equal(net, before)


@pytest.mark.parametrize("part", [slice(0), slice(-20), slice(500), slice(9, None)])
def test_a_file_of_which_a_part_is_missing_changes_nothing(path, part):
    training.save_weights(network(0), path)
    path.write_bytes(path.read_bytes()[part])
    net, before = network(1), network(1)
    before.load_state_dict(net.state_dict())
    with pytest.raises(ValueError, match=r"is no \.\w+ file, or a damaged one"):
        training.load_weights(net, path)
    assert equal(net, before)


def test_a_file_that_is_not_there(path):
    with pytest.raises(FileNotFoundError):
        training.load_weights(network(0), path)


def test_safetensors_have_the_layout_that_others_read(tmp_path):
    """The length of a text in JSON, the text, and the numbers row by row."""
    pytest.importorskip("safetensors")
    net, path = network(0), tmp_path / "net.safetensors"
    training.save_weights(net, path)
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    entry = header["fc.weight"]
    first, last = entry["data_offsets"]
    numbers = np.frombuffer(content[start + first : start + last], "<f4")
    assert (entry["dtype"], entry["shape"]) == ("F32", [3, 4])
    assert numbers.tolist() == net.fc.weight.data.ravel().tolist()  # by rows, though kept by columns
    assert header.keys() >= net.state_dict().keys()


def test_a_dtype_that_numpy_does_not_know_is_named(tmp_path):
    pytest.importorskip("safetensors")
    header = json.dumps({"weight": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}).encode()
    path = tmp_path / "net.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0")
    with pytest.raises(ValueError, match=r"net\.safetensors has numbers of the dtype 'BF16', which NumPy"):
        training.load_weights(network(0), path)


def test_other_endings_are_refused(tmp_path):
    for action in (training.save_weights, training.load_weights):
        with pytest.raises(ValueError, match=r"kept in \.npz or \.safetensors"):
            action(network(0), tmp_path / "net.pt")
    assert list(tmp_path.iterdir()) == []


def test_without_safetensors_it_says_what_to_install(tmp_path, monkeypatch):
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    for action in (training.save_weights, training.load_weights):
        with pytest.raises(ImportError, match=r'pip install "autodiff\[safetensors\]"'):
            action(network(0), tmp_path / "net.safetensors")
    training.save_weights(network(0), tmp_path / "net.npz")
