"""ad.save and ad.load: what goes in comes out; what cannot be saved, and what is no such file, is refused."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, training
from autodiff.training.files import write_npz

ROOT = Path(__file__).resolve().parents[2]


def same(first, second):
    """Whether two trees have the same values of the same types."""
    if type(first) is not type(second):
        return False
    if isinstance(first, Tensor):
        return first.requires_grad == second.requires_grad and same(first.data, second.data)
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second)
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[key], second[key]) for key in first)
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second or (first != first and second != second)


VALUES = [
    1, -2.5, True, None, "text", "\u00e4\n\x00", math.inf, math.nan, 10**40, [], (), {}, [[]], ((),),
    {"a": [1, (2, 3)], 5: None, 0.5: "x", True: 1, None: 2}, ("tensor", True, 1.0), ["tuple"],
    {"tuple": (1,)},
    np.arange(6.0).reshape(2, 3), np.arange(6).reshape(2, 3).T[::-1], np.array(2.0),
    np.zeros((0, 3), np.float32),
    np.array([True]), np.float32(2), np.int64(3), np.bool_(True), np.array(["a", "bc"]), np.array([1 + 2j]),
    np.broadcast_to(np.float32(1), (2, 3)), np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    Tensor(2.5), Tensor([1.0, 2.0]), Tensor([[1.0]], requires_grad=False), ad.tensor([1, 2]), ad.tensor(True),
    Tensor(np.float16([1])), [Tensor(1.0), (Tensor([2.0]), {"w": Tensor([3.0])})],
    {"header": np.ones(2), "a/b": np.ones(1), "a": {"b": np.zeros(1)}},
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:40])
@pytest.mark.parametrize("name", ["state.npz", "state.pt", "state"])
def test_what_goes_in_comes_out(value, name, tmp_path):
    ad.save(value, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert same(ad.load(tmp_path / name), value)
    assert same(ad.load(str(tmp_path / name)), value)


def test_a_recorded_tensor_comes_back_as_a_leaf(tmp_path):
    w = Tensor([1.0, 2.0], name="w")
    ad.save({"y": w * 2, "p": nn.Parameter([1.0])}, tmp_path / "a")
    loaded = ad.load(tmp_path / "a")
    assert (loaded["y"].tolist(), loaded["y"].is_leaf, loaded["y"].requires_grad) == ([2, 4], True, True)
    assert (type(loaded["p"]), loaded["p"].dtype) == (Tensor, np.float32)


def test_a_state_dict_and_an_ordered_one(tmp_path):
    first, second = nn.Linear(3, 2), nn.Linear(3, 2)
    ad.save(OrderedDict(first.state_dict()), tmp_path / "net.pt")
    second.load_state_dict(ad.load(tmp_path / "net.pt"))
    assert ad.equal(first.weight, second.weight)


def test_the_arrays_of_another_npz_come_by_name(tmp_path):
    net = nn.Linear(3, 2)
    training.save_weights(net, tmp_path / "weights.npz")
    assert same(ad.load(tmp_path / "weights.npz"), net.state_dict())
    np.savez(tmp_path / "other.npz", a=np.ones(2))
    assert same(ad.load(tmp_path / "other.npz"), {"a": np.ones(2)})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "value is <object"),
        ({"a": [1, {2: {3}}]}, r"value/dict|value/a/1/2 is \{3\}"),
        ([1, lambda: 1], "is <function"),
        (np.array([None]), "value is an array of objects"),
        ({"x": (1, np.array([{}]))}, r"value\['x'\]\[1\] is an array of objects"),
        ({(1, 2): 3}, r"value has the key \(1, 2\), but keys must be strings or numbers"),
        ([{np.int64(1): 3}], r"value\[0\] has the key"),
        (1j, "value is 1j"),
        (b"bytes", "value is b'bytes'"),
    ],
)
def test_what_cannot_be_saved_leaves_the_file_as_it_was(value, message, tmp_path):
    ad.save(1, tmp_path / "a")
    with pytest.raises(TypeError, match=message):
        ad.save(value, tmp_path / "a")
    assert ad.load(tmp_path / "a") == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_a_network_is_saved_by_its_state_dict(tmp_path):
    with pytest.raises(TypeError, match=r"Linear is saved by its state_dict\(\): ad\.save\(net\.state_dict"):
        ad.save(nn.Linear(3, 2), tmp_path / "a")
    assert not list(tmp_path.iterdir())


def test_there_is_no_file_or_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        ad.load(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        ad.save(1, tmp_path / "none" / "a")


HEADERS = [
    b"", b"no json", b"[]", b"1", b"{}", b'{"format": "autodiff run", "version": 1, "run": {}}',
    b'{"format": "autodiff object"}', b'{"format": "autodiff object", "version": 1}',
    b'{"format": "autodiff object", "version": 2, "value": 1}',
    b'{"format": "autodiff object", "version": "1", "value": 1}',
    b'{"format": "autodiff object", "version": 1, "value": {"array": "none"}}',
    b'{"format": "autodiff object", "version": 1, "value": {"array": [1]}}',
    b'{"format": "autodiff object", "version": 1, "value": {"what": 1}}',
    b'{"format": "autodiff object", "version": 1, "value": {}}',
    b'{"format": "autodiff object", "version": 1, "value": {"tuple": []}}',
    b'{"format": "autodiff object", "version": 1, "value": {"tuple": ["what", 1]}}',
    b'{"format": "autodiff object", "version": 1, "value": {"tuple": [1]}}',
    b'{"format": "autodiff object", "version": 1, "value": {"tuple": ["tensor", true]}}',
    b'{"format": "autodiff object", "version": 1, "value": {"tuple": ["tensor", true, "x"]}}',
    b'{"format": "autodiff object", "version": 1, "value": {"dict": [[[1], 1]]}}',
    b'{"format": "autodiff object", "version": 1, "value": {"dict": 3}}',
    b'{"format": "autodiff object", "version": 1, "value": {"float": []}}',
    b'{"format": "autodiff object", "version": 1, "value": ' + b"[" * 5000 + b"]" * 5000 + b"}",
]  # fmt: skip


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header[-40:].decode())
def test_a_header_of_another_kind_is_refused(header, tmp_path):
    write_npz(tmp_path / "a", {"header": np.frombuffer(header, np.uint8)})
    with pytest.raises(ValueError, match=r"a was not saved by ad\.save: "):
        ad.load(tmp_path / "a")


def test_any_changed_byte_of_the_header_s_text_is_a_value_or_a_value_error(tmp_path):
    ad.save({"w": Tensor([1.0]), "t": (1, [2.5, math.inf]), 3: np.ones(2)}, tmp_path / "a")
    arrays = ad.training.files.read_npz(tmp_path / "a")
    text = arrays.pop("header")
    rng = np.random.default_rng(0)
    json.loads(text.tobytes())
    for _ in range(500):
        changed = text.copy()
        changed[rng.integers(len(text), size=rng.integers(1, 4))] = rng.integers(32, 127)
        write_npz(tmp_path / "b", {"header": changed, **arrays})
        with suppress(ValueError):
            ad.load(tmp_path / "b")


def test_a_damaged_file_and_one_of_pytorch_s(tmp_path):
    ad.save(np.arange(100.0), tmp_path / "a")
    content = bytearray((tmp_path / "a").read_bytes())
    content[400] ^= 1
    (tmp_path / "b").write_bytes(content)
    (tmp_path / "c").write_bytes(content[:300])
    for name in "bc":
        with pytest.raises(ValueError, match=r"is no \.npz file, or a damaged one"):
            ad.load(tmp_path / name)
    torch = pytest.importorskip("torch")
    torch.save({"w": torch.ones(2)}, tmp_path / "d.pt")
    with pytest.raises(ValueError, match=r"is no \.npz file, or a damaged one"):
        ad.load(tmp_path / "d.pt")


def test_save_is_imported_when_it_is_first_used():
    program = (
        "import sys, autodiff as ad\nassert 'autodiff.training' not in sys.modules\nad.save\n"
        "assert 'autodiff.training.objects' in sys.modules\nassert {'save', 'load'} <= {*ad.__all__}"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
