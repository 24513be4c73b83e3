"""Files take their place whole, and trees come back as they were."""

from __future__ import annotations

import os
import sys
import zipfile

import numpy as np
import pytest

from autodiff.training.files import atomic_write, open_npz, read_npz, write_npz
from autodiff.training.packing import pack, unpack

ARRAYS = {
    "file": np.arange(6.0).reshape(2, 3),  # names that np.savez would take for its own arguments
    "allow_pickle": np.float32([[1, 2], [3, 4]]).T,
    "a.b/c": np.array(7),
    "empty": np.zeros((0, 3), bool),
}


def test_arrays_come_back_with_their_dtypes(tmp_path):
    write_npz(tmp_path / "a.npz", ARRAYS)
    for found in (read_npz(tmp_path / "a.npz"), np.load(tmp_path / "a.npz", allow_pickle=False)):
        assert list(found) == list(ARRAYS)
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(found[name], array, strict=True)


def test_numpy_s_own_files_are_read(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    assert read_npz(tmp_path / "a.npz")["x"].tolist() == [0, 1, 2]
    np.savez_compressed(tmp_path / "b.npz", x=np.arange(3))
    with open_npz(tmp_path / "b.npz") as entries:
        assert (entries["x"].shape, entries["x"].dtype) == ((3,), int)
        assert np.asarray(entries["x"]).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"b\.npz is compressed and could fill the memory"):
        read_npz(tmp_path / "b.npz")


def test_the_same_arrays_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_npz(tmp_path / name, ARRAYS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_every_cut_and_every_flipped_bit_is_noticed(tmp_path):
    """A bit may be flipped where nothing is kept, in a date, say. In the archive's list of contents it can
    hide an array, whose name is then missing; no array is ever wrong."""
    write_npz(tmp_path / "a.npz", {"x": np.arange(9.0), "y": np.ones(2)})
    whole, path = (tmp_path / "a.npz").read_bytes(), tmp_path / "b.npz"
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"b\.npz is no \.npz file, or a damaged one"):
            read_npz(path)
    noticed = 0
    for place, byte in enumerate(whole):
        path.write_bytes(whole[:place] + bytes([byte ^ 1]) + whole[place + 1 :])
        try:
            arrays = read_npz(path)
        except ValueError:
            noticed += 1
        else:
            data = {name: array.tolist() for name, array in arrays.items()}
            assert data.items() <= {"x": list(range(9)), "y": [1.0, 1.0]}.items()
    assert noticed > len(whole) / 2


def test_an_array_that_says_it_is_shorter_is_noticed(tmp_path):
    """Its first bytes would do; its size is that of all of them."""
    path = tmp_path / "a.npz"
    write_npz(path, {"x": np.arange(9000.0)})
    path.write_bytes(path.read_bytes().replace(b"(9000,)", b"(1000,)"))
    with pytest.raises(ValueError, match=r"x\.npy has 72128 bytes, but its header says 8128"):
        read_npz(path)


def test_pickles_and_other_files_are_refused(tmp_path):
    np.savez(tmp_path / "pickled.npz", x=np.array([object()]))
    np.save(tmp_path / "single.npy", np.arange(3))
    (tmp_path / "text.npz").write_text("loss,accuracy")
    for name in ("pickled.npz", "single.npy", "text.npz"):
        with pytest.raises(ValueError, match=f"{name} is no .npz file"):
            read_npz(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        read_npz(tmp_path / "absent.npz")
    with pytest.raises(ValueError, match="allow_pickle=False"):
        write_npz(tmp_path / "new.npz", {"x": np.array([object()])})
    assert not (tmp_path / "new.npz").exists()


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999,)}",
        b"{'descr': ('<f8',), 'fortran_order': False, 'shape': (0,)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (",
        b"(" * 5000,
    ],
    ids=range(5),
)
def test_an_array_that_is_none_is_refused_whatever_it_says_of_itself(header, tmp_path):
    """The checksums are right: somebody has made the file so."""
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(ValueError, match=r"a\.npz is no \.npz file, or a damaged one"):
        read_npz(path)


def test_an_archive_of_other_things_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ValueError, match=r"a damaged one: readme\.txt is no array"):
        read_npz(tmp_path / "a.npz")


def test_an_error_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def write():
        with atomic_write(path) as stream:
            stream.write(b"half")
            stream.flush()
            assert path.read_bytes() == b"old"
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        write()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_new_file_is_on_the_disk_before_it_takes_its_place(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(os, "fsync", lambda number: done.append((tmp_path / "a").exists()))
    with atomic_write(tmp_path / "a") as stream:
        stream.write(b"new")
    assert done == [False]
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic_write(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"there is no folder .*absent"),
        atomic_write(tmp_path / "absent" / "a"),
    ):
        pass


def test_a_tree_comes_back_with_its_types():
    tree = {
        0: {"step": 3, "betas": (0.9, 0.999), "best": float("-inf"), "on": True, "name": None},
        "list": [1, [2.5, "three"], ()],
        "big": 2**127 + 1,
        "array": np.float32([1, 2]),
        "number": np.float32(0.1),
        "tiny": 5e-324,
    }
    arrays = {}
    again = unpack(pack(tree, "tree", arrays), arrays)
    assert list(again) == list(tree)
    np.testing.assert_equal(again, tree)
    assert type(again["number"]) is np.float32
    assert type(again["list"][2]) is tuple
    assert type(again[0]["on"]) is bool
    assert np.isnan(unpack(pack(float("nan"), "x", {}), {}))


def test_arrays_at_places_of_one_name_are_told_apart():
    tree, arrays = {"a": {"b/c": np.array(1)}, "a/b": {"c": np.array(2)}}, {}
    packed = pack(tree, "t", arrays)
    assert len(arrays) == 2
    assert unpack(packed, arrays)["a/b"]["c"] == 2


def test_what_needs_a_pickle_is_refused():
    with pytest.raises(TypeError, match=r"state/0/rule is .* cannot be saved: only arrays, numbers"):
        pack({0: {"rule": print}}, "state", {})
