"""The sets: made up, bundled with scikit-learn, and read from files."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import data
from autodiff.data import (
    MNIST,
    DataLoader,
    Dataset,
    FashionMNIST,
    Subset,
    default_collate,
    download,
    transforms,
)
from tests.data.samples import idx, write_mnist

LOCAL = Path(os.environ.get("AUTODIFF_DATA") or "nowhere")


def needs(place):
    """Skips a test where a folder of data sets has no such file."""
    return pytest.mark.skipif(
        not (LOCAL / place).exists(), reason=f"AUTODIFF_DATA names no folder with {place} in it"
    )


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    monkeypatch.setattr(
        download, "fetch", lambda file, path: pytest.fail(f"{file.relative_path} was to be downloaded")
    )


# -- made up --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [data.moons, data.spiral])
def test_points_are_float32_and_the_same_for_a_seed(make):
    x, y = make(101, seed=3)
    assert x.shape == (101, 2)
    assert (x.dtype, y.dtype) == (np.float32, np.int64)
    again, other = make(101, seed=3), make(101, seed=4)
    assert (x == again[0]).all()
    assert (y == again[1]).all()
    assert not (x == other[0]).all()
    assert len(set(y[:20].tolist())) > 1  # in random order
    rng = np.random.default_rng(3)
    assert (make(101, seed=rng)[0] == x).all()
    assert not (make(101, seed=rng)[0] == x).all()
    ad.seed(3)
    assert (make(101)[0] == x).all()


def test_moons_lie_on_two_half_circles():
    x, y = data.moons(101, noise=0, seed=0)
    upper, lower = x[y == 0], x[y == 1]
    assert (len(upper), len(lower)) == (51, 50)
    np.testing.assert_allclose((upper**2).sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(((lower - [1, 0.5]) ** 2).sum(axis=1), 1, rtol=1e-6)
    assert upper[:, 1].min() > -1e-6
    assert lower[:, 1].max() < 0.5 + 1e-6
    noisy, _ = data.moons(101, noise=0.1, seed=np.random.default_rng(0))
    assert 0.05 < np.abs((noisy[y == 0] ** 2).sum(axis=1) ** 0.5 - 1).mean() < 0.2


def test_a_spiral_s_arms_run_from_the_middle_and_turn_by_four():
    x, y = data.spiral(300, classes=3, noise=0, seed=0)
    assert np.bincount(y).tolist() == [100, 100, 100]
    radius, angle = np.hypot(*x.T), np.arctan2(x[:, 0], x[:, 1])
    assert (radius.min(), radius.max()) == pytest.approx((0, 1))
    away = radius > 0
    off = angle - (2 * np.pi * y / 3 + 4 * radius)
    np.testing.assert_allclose(np.cos(off[away]), 1, atol=1e-6)
    assert np.bincount(data.spiral(11, classes=5, seed=0)[1]).tolist() == [3, 2, 2, 2, 2]
    assert data.spiral(2, classes=3, seed=0)[0].shape == (2, 2)


# -- bundled --------------------------------------------------------------------------------------------


def test_digits_and_iris_are_whole():
    pytest.importorskip("sklearn")  # which a small machine does not have
    x, y = data.digits()
    assert (x.shape, x.dtype, y.dtype) == ((1797, 64), np.float32, np.int64)
    assert (x.min(), x.max()) == (0, 1)
    assert np.bincount(y).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    x, y = data.iris()
    assert (x.shape, x.dtype, y.dtype) == ((150, 4), np.float32, np.int64)
    assert np.bincount(y).tolist() == [50, 50, 50]


@pytest.mark.parametrize("make", [data.digits, data.iris])
def test_without_scikit_learn_one_is_told_what_to_install(make, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=rf'^{make.__name__}\(\).*pip install "autodiff\[lessons\]"$'):
        make()


# -- in MNIST's form ------------------------------------------------------------------------------------


@pytest.fixture(params=[(MNIST, "mnist"), (FashionMNIST, "fashion-mnist")], ids=lambda param: param[1])
def made(request, tmp_path):
    """A data set's class, a folder with files for it, and the arrays that are in them."""
    kind, folder = request.param
    return kind, tmp_path, write_mnist(tmp_path / folder)


def test_the_arrays_are_those_in_the_files(made):
    kind, root, arrays = made
    for train, part in ((True, "train"), (False, "t10k")):
        dataset = kind(root, train=train)
        assert isinstance(dataset, Dataset)
        assert len(dataset) == (50 if train else 20)
        np.testing.assert_array_equal(dataset.data, arrays[f"{part}-images-idx3-ubyte"], strict=True)
        assert dataset.targets.dtype == np.int64
        assert (dataset.targets == arrays[f"{part}-labels-idx1-ubyte"]).all()
        picture, label = dataset[-1]
        assert (picture == dataset.data[-1]).all()
        assert type(label) is int
        assert 0 <= label < len(dataset.classes) == 10


def test_autodiff_data_is_read_and_unpacked_files_will_do(made, monkeypatch):
    kind, root, arrays = made
    monkeypatch.setenv("AUTODIFF_DATA", str(root))
    first = kind()
    for path in list(root.rglob("*.gz")):
        path.with_suffix("").write_bytes(idx(arrays[path.stem]))
        path.unlink()
    assert (kind().data == first.data).all()


@pytest.mark.parametrize(
    "transform",
    [
        None,
        transforms.ToTensor(),
        transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.13, 0.31), transforms.Flatten()]),
        lambda picture: picture.mean(),
        transforms.Compose([transforms.ToTensor(), lambda picture: picture * 2]),
    ],
    ids=["none", "ToTensor", "Compose", "function", "mixed"],
)
@pytest.mark.parametrize("target_transform", [None, transforms.OneHot(10), lambda label: label + 0.5])
@pytest.mark.parametrize("shuffle", [True, False])
def test_whole_batches_are_the_samples_one_by_one(transform, target_transform, shuffle, tmp_path):
    write_mnist(tmp_path / "mnist")
    dataset = MNIST(tmp_path, transform=transform, target_transform=target_transform)
    whole = DataLoader(dataset, 16, shuffle, generator=0)
    one_by_one = DataLoader(dataset, 16, shuffle, generator=0, collate_fn=default_collate)
    for (x, y), (u, v) in zip(whole, one_by_one, strict=True):
        np.testing.assert_array_equal(x.data, u.data, strict=True)
        np.testing.assert_array_equal(y.data, v.data, strict=True)
        assert not x.requires_grad
        assert not y.requires_grad


@pytest.mark.parametrize("shuffle", [True, False])
def test_the_pictures_are_not_changed_by_accident(shuffle, tmp_path):
    def erase(picture):
        picture[:9] = 0
        return picture

    write_mnist(tmp_path / "mnist")
    dataset = MNIST(tmp_path)
    before = dataset.data.copy()
    with pytest.raises(ValueError, match="read-only"):
        erase(dataset[0][0])
    for x, _ in DataLoader(dataset, 16, shuffle):
        if shuffle:
            erase(x.data)  # a copy, which is the batch's
        else:
            with pytest.raises(ValueError, match="read-only"):
                erase(x.data)
    dataset.transform = erase
    with pytest.raises(ValueError, match="read-only"):
        next(iter(DataLoader(dataset, 16, shuffle)))
    assert (dataset.data == before).all()
    assert dataset.data.flags.writeable


def test_a_function_gets_a_label_as_a_plain_int_in_a_batch_too(tmp_path):
    write_mnist(tmp_path / "mnist")
    dataset = MNIST(tmp_path, target_transform=lambda label: kinds.append(type(label)) or 2**-label)
    kinds = []
    _, batch = next(iter(DataLoader(dataset, 4)))
    assert batch.data.tolist() == [dataset[index][1] for index in range(4)]
    assert set(kinds) == {int}


def test_random_transforms_are_the_same_for_a_seed_and_differ_between_epochs(tmp_path):
    write_mnist(tmp_path / "mnist")
    crop = transforms.Compose([transforms.RandomCrop(28, 4), transforms.RandomHorizontalFlip()])
    subset = Subset(MNIST(tmp_path, transform=crop), range(40))

    def run(workers):
        loader = DataLoader(subset, 16, generator=2, num_workers=workers)
        return [[x.data.copy() for x, _ in loader] for _ in range(2)]

    first, second = run(0), run(3)
    for epoch, again in zip(first, second):
        for batch, same in zip(epoch, again):
            np.testing.assert_array_equal(batch, same)
    assert not (first[0][0] == first[1][0]).all()


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    arrays = write_mnist(tmp_path / "mnist")
    labels = tmp_path / "mnist" / "train-labels-idx1-ubyte.gz"
    for content, says in [
        (arrays["t10k-labels-idx1-ubyte"], "do not match"),
        (arrays["train-images-idx3-ubyte"], "do not match"),
        (np.full(50, 10, np.uint8), "labels outside 0 to 9"),
    ]:
        labels.write_bytes(idx(content))
        with pytest.raises(ValueError, match=says):
            MNIST(tmp_path)
    labels.write_bytes(b"<html>")
    with pytest.raises(ValueError, match=r"train-labels-idx1-ubyte\.gz is no idx file"):
        MNIST(tmp_path)


def test_without_the_files_and_without_a_download_one_is_told_where_they_go(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"mnist/train-images-idx3-ubyte\.gz is not in") as caught:
        MNIST(tmp_path, download=False)
    assert str(tmp_path / "mnist" / "train-images-idx3-ubyte.gz") in str(caught.value)
    assert "https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "file"),
    [(kind, file) for kind in (MNIST, FashionMNIST) for file in kind.train_files[:1]]
    + [(data.names, data.text.NAMES), (data.shakespeare, data.text.SHAKESPEARE)],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_a_set_that_is_not_there_is_downloaded_unless_it_is_forbidden(make, file, tmp_path, monkeypatch):
    class Asked(Exception):
        """In place of a download."""

    def fetch(wanted, path):
        raise Asked(wanted, path)

    monkeypatch.setattr(download, "fetch", fetch)
    for options in ({}, {"download": True}):
        with pytest.raises(Asked) as caught:
            make(tmp_path, **options)
        assert caught.value.args == (file, tmp_path / file.relative_path)
    with pytest.raises(FileNotFoundError):
        make(tmp_path, download=False)


@needs("mnist")
def test_the_real_mnist():
    train, test = MNIST(), MNIST(train=False)
    assert train.data.shape == (60000, 28, 28)
    assert np.bincount(train.targets).tolist() == [
        5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949,
    ]  # fmt: skip
    assert np.bincount(test.targets).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    ink, share = np.arange(256) / 255, np.bincount(train.data.ravel()) / train.data.size
    mean = ink @ share
    deviation = ((ink - mean) ** 2 @ share) ** 0.5
    assert (mean, deviation) == pytest.approx((0.1307, 0.3081), abs=5e-5)  # as PyTorch's examples say
    test.transform = transforms.ToTensor()
    x, y = next(iter(DataLoader(test, 32)))
    assert (x.shape, y.data[:5].tolist()) == ((32, 1, 28, 28), [7, 2, 1, 0, 4])


@needs("mnist")
@pytest.mark.parametrize("file", MNIST.train_files + MNIST.test_files, ids=lambda file: file.relative_path)
def test_the_checksums_are_those_of_the_files(file):
    path = LOCAL / file.relative_path
    with path.open("rb") as stream:
        assert (path.stat().st_size, download.checksum(stream, file)) == (file.size, file.checksum)


# -- texts ----------------------------------------------------------------------------------------------


@needs("text")
def test_the_real_texts():
    text = data.shakespeare()
    assert (len(text), len(set(text)), text.count("\n")) == (1115394, 65, 40000)
    names = data.names()
    assert (len(names), len(set(names)), names[0]) == (32033, 29494, "emma")
    assert {len(name) for name in names} == set(range(2, 16))
    for file in (data.text.SHAKESPEARE, data.text.NAMES):
        with (LOCAL / file.relative_path).open("rb") as stream:
            assert download.checksum(stream, file) == file.checksum


def test_texts_are_read_from_root(tmp_path):
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "names.txt").write_bytes(b"ada\r\nnoor\nli")
    (tmp_path / "text" / "tinyshakespeare.txt").write_bytes(b"To be,\n")
    assert data.names(tmp_path) == ["ada", "noor", "li"]
    assert data.shakespeare(tmp_path) == "To be,\n"
    with pytest.raises(FileNotFoundError, match=r"text/names\.txt"):
        data.names(tmp_path / "nowhere", download=False)


def test_no_name_is_in_two_parts_or_twice_in_one():
    names = ["ada", "noor", "li", "ada", "kim", "li", "bo", "eve", "max", "tom", "ann", "joe"]
    parts = data.split_names(names, generator=1)
    assert [len(part) for part in parts] == [8, 1, 1]
    counts = Counter(name for part in parts for name in part)
    assert counts == dict.fromkeys(names, 1)
    assert data.split_names(names, generator=1) == parts != data.split_names(names, generator=2)
    with pytest.raises(ValueError, match="sum to 3, but the dataset has 10"):
        data.split_names(names, [2, 1])
