"""Weights in files."""

from __future__ import annotations

import json
import sys
import tracemalloc
import zipfile

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
    with pytest.raises(ValueError, match=r"net\.safetensors has an array of dtype 'BF16', which NumPy"):
        training.load_weights(network(0), path)


def test_other_endings_are_refused(tmp_path):
    for action in (training.save_weights, training.load_weights):
        with pytest.raises(ValueError, match=r"saved as \.npz or \.safetensors"):
            action(network(0), tmp_path / "net.pt")
    assert list(tmp_path.iterdir()) == []


def test_without_safetensors_it_says_what_to_install(tmp_path, monkeypatch):
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    for action in (training.save_weights, training.load_weights):
        with pytest.raises(ImportError, match=r'pip install "autodiff\[safetensors\]"'):
            action(network(0), tmp_path / "net.safetensors")
    training.save_weights(network(0), tmp_path / "net.npz")


# -- what does not fit is refused by its header -------------------------------------------------------------


def archive(path, **members):
    """An .npz of members as (header, bytes), compressed."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, (header, content) in members.items():
            beginning = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header
            file.writestr(f"{name}.npy", beginning + content)


def described(shape, dtype="<f4"):
    return f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}".encode()


MUCH = bytes(16_000_000)  # 16 KB when it is compressed
LINEAR = {"weight": (described((1, 1)), bytes(4)), "bias": (described((1,)), bytes(4))}


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"weight": (described((4_000_000, 1)), MUCH)}, r"\(1, 1\), and the saved one \(4000000, 1\)"),
        ({"weight": (described((1, 1)), MUCH)}, r"weight\.npy has 160000\d\d bytes, but its header"),
        ({"weight": (described((1, 1), "|V16000000"), MUCH)}, "weight: a Tensor holds real numbers, not"),
        ({"weight": (described((1, 1), "<c16"), bytes(16))}, "real numbers, not complex128"),
        ({"other": (described((4_000_000,)), MUCH)}, "unexpected: other"),
        ({"weight": (described((-1, -1)), bytes(4))}, r"an array has the impossible shape \(-1, -1\)"),
        ({"weight": (MUCH[:9999], b"")}, "damaged one"),
    ],
    ids=range(7),
)
def test_what_does_not_fit_is_refused_before_it_is_inflated(tmp_path, members, message):
    net, path = nn.Linear(1, 1), tmp_path / "net.npz"
    archive(path, **(LINEAR | members))
    before = net.state_dict()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=message):
            training.load_weights(net, path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    np.testing.assert_equal(net.state_dict(), before)


def test_what_is_not_here_is_not_read(tmp_path):
    net, path = nn.Linear(1, 1), tmp_path / "net.npz"
    archive(path, **LINEAR, other=(described((4_000_000,)), MUCH))
    tracemalloc.start()
    try:
        assert training.load_weights(net, path, strict=False).unexpected_keys == ["other"]
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert net.weight.item() == 0


def test_an_array_of_the_second_version_of_the_format_is_read(tmp_path):
    net, path = nn.Linear(1, 1), tmp_path / "net.npz"
    training.save_weights(net, path)
    with zipfile.ZipFile(path, "w") as file:
        for name, array in net.state_dict().items():
            with file.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array + 1, version=(2, 0))
    before = net.weight.item()
    training.load_weights(net, path)
    assert net.weight.item() == np.float32(before) + 1


def test_two_arrays_of_one_name_are_refused(tmp_path):
    path = tmp_path / "net.npz"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("weight.npy", b"")
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("weight.npy", b"")
    with pytest.raises(ValueError, match=r"damaged one"):
        training.load_weights(nn.Linear(1, 1), path)


def test_a_damaged_array_is_noticed_though_its_header_fits(tmp_path):
    net, path = network(0), tmp_path / "net.npz"
    training.save_weights(net, path)
    content = path.read_bytes()
    weight = net.out.weight.data.tobytes()
    place = content.index(weight)
    path.write_bytes(content[:place] + bytes(len(weight)) + content[place + len(weight) :])
    other = network(1)
    before = other.state_dict()
    with pytest.raises(ValueError, match=r"net\.npz is no \.npz file, or a damaged one: Bad CRC-32"):
        training.load_weights(other, path)
    np.testing.assert_equal(other.state_dict(), before)


def test_of_safetensors_only_the_header_is_read_at_first(tmp_path):
    pytest.importorskip("safetensors")
    path = tmp_path / "net.safetensors"
    training.save_weights(nn.Linear(1_000_000, 1), path)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="and the saved one"):
            training.load_weights(nn.Linear(1, 1), path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_class_with_names_of_its_own_is_asked_for_them(tmp_path):
    class Renamed(nn.Linear):
        def load_state_dict(self, state_dict, strict=True):
            return super().load_state_dict({name.lower(): state_dict[name] for name in state_dict}, strict)

    path = tmp_path / "net.npz"
    archive(path, WEIGHT=(described((1, 1)), np.float32(7).tobytes()), BIAS=LINEAR["bias"])
    net = Renamed(1, 1)
    training.load_weights(net, path)
    assert net.weight.item() == 7


def test_a_layer_that_is_not_built_yet_takes_nothing_compressed(tmp_path):
    net, path = nn.Dense(1), tmp_path / "net.npz"
    archive(path, **(LINEAR | {"weight": (described((1, 4_000_000)), MUCH)}))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="weight is compressed, and the layer is not built yet"):
            training.load_weights(net, path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert net.in_features is None
    built = nn.Linear(3, 1)
    np.savez_compressed(path, **built.state_dict())
    training.load_weights(nn.Linear(3, 1), path)
    training.save_weights(built, path)
    training.load_weights(net, path)
    assert (net.weight == built.weight).all()
