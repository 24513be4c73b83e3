"""MNIST, and what was made in its form: 28 x 28 grey pictures of ten kinds."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..engine.tensor import Tensor, constant_tensor
from .collate import default_collate
from .dataset import Dataset, Indices, rows, sealed
from .download import File, find
from .idx import read_idx
from .transforms import takes_batches

MNIST_MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)
FASHION_MIRRORS = (
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/",
    "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
)

Transformation = Callable[[Any], Any] | None


def pair(folder: str, part: str, mirrors: tuple[str, ...], *known: tuple[int, str]) -> tuple[File, ...]:
    """The files of a part's pictures and labels, by their sizes and checksums."""
    names = (f"{part}-images-idx3-ubyte.gz", f"{part}-labels-idx1-ubyte.gz")
    return tuple(
        File(f"{folder}/{name}", size, checksum, tuple(mirror + name for mirror in mirrors))
        for name, (size, checksum) in zip(names, known)
    )


class MNIST(Dataset):
    """Handwritten digits, 60,000 to train on and 10,000 to test, each a picture of 28 x 28 bytes.

    LeCun, Bottou, Bengio and Haffner, "Gradient-based learning applied to document recognition" (1998).
    Sample i is the pair (picture, label): a read-only array of uint8, 0 for paper and 255 for ink, and an
    int, each as its transform gives it. With the transforms of this package a DataLoader transforms whole
    batches.

    Parameters
    ----------
    root
        A folder that has, or gets, ``mnist/train-images-idx3-ubyte.gz`` and its like. By default the folder
        that the environment variable AUTODIFF_DATA names is read, then the cache, where downloads go.
    train
        Whether to take the training samples or the test samples.
    transform, target_transform
        What is done to each picture and to each label: ``transforms.ToTensor()``, for one.
    download
        Whether the files may be downloaded if they are not there: 10 MB, checked by their sha256.

    Attributes
    ----------
    data : array of uint8, (samples, 28, 28)
    targets : array of int64, (samples,)
    classes : list of str
        What the labels stand for.

    Raises
    ------
    DownloadError
        A FileNotFoundError: if a file is not there and is not to be, or cannot be, downloaded. It says where
        to put the file.
    ValueError
        If a file is damaged or is none of this data set.

    Example
    -------
    >>> from autodiff.data import DataLoader, MNIST, transforms
    >>> digits = MNIST(train=False, transform=transforms.ToTensor())  # doctest: +SKIP
    >>> x, y = next(iter(DataLoader(digits, batch_size=32)))  # doctest: +SKIP
    >>> x.shape, x.dtype, y.shape  # doctest: +SKIP
    ((32, 1, 28, 28), dtype('float32'), (32,))
    """

    classes: ClassVar[list[str]] = list("0123456789")
    train_files: ClassVar[tuple[File, ...]] = pair(
        "mnist", "train", MNIST_MIRRORS,
        (9912422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
        (28881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
    )  # fmt: skip
    test_files: ClassVar[tuple[File, ...]] = pair(
        "mnist", "t10k", MNIST_MIRRORS,
        (1648877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
        (4542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
    )  # fmt: skip

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        train: bool = True,
        transform: Transformation = None,
        target_transform: Transformation = None,
        download: bool = True,
    ) -> None:
        paths = [find(file, root, download) for file in (self.train_files if train else self.test_files)]
        self.data, labels = map(read_idx, paths)
        self.targets = labels.astype(np.int64)
        if self.data.dtype != np.uint8 or self.data.ndim != 3 or labels.shape != self.data.shape[:1]:
            raise ValueError(
                f"{paths[0]} and {paths[1]} do not belong together: pictures of shape {self.data.shape}, "
                f"labels of {labels.shape}"
            )
        if not np.isin(self.targets, range(len(self.classes))).all():
            raise ValueError(f"{paths[1]} has labels other than 0 to {len(self.classes) - 1}")
        self.transform = transform
        self.target_transform = target_transform

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        picture, label = sealed(self.data[index]), int(self.targets[index])
        return (
            picture if self.transform is None else self.transform(picture),
            label if self.target_transform is None else self.target_transform(label),
        )

    def batch(self, indices: Indices) -> tuple[Any, Any]:
        """Pictures and labels at these indices, transformed as a whole if the transforms can."""
        return (
            transformed(rows(self.data, indices), self.transform),
            transformed(rows(self.targets, indices), self.target_transform),
        )


def transformed(samples: np.ndarray, transform: Any) -> Tensor:
    """Samples after their transform, as one constant Tensor."""
    if not takes_batches(transform):
        single = samples.tolist() if samples.ndim == 1 else samples  # labels are ints, as in __getitem__
        return default_collate([transform(sealed(sample)) for sample in single])
    return constant_tensor(samples if transform is None else transform.apply(samples))


class FashionMNIST(MNIST):
    """Pictures of clothes in the form of MNIST, and harder: 60,000 to train on and 10,000 to test.

    Xiao, Rasul and Vollgraf, "Fashion-MNIST: a novel image dataset for benchmarking machine learning
    algorithms" (2017). Parameters, attributes and errors are MNIST's; the folder is ``fashion-mnist``, and
    the download has 31 MB.

    Example
    -------
    >>> from autodiff.data import FashionMNIST
    >>> FashionMNIST.classes[9]
    'Ankle boot'
    """

    classes: ClassVar[list[str]] = [
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag",
        "Ankle boot",
    ]  # fmt: skip
    train_files: ClassVar[tuple[File, ...]] = pair(
        "fashion-mnist", "train", FASHION_MIRRORS,
        (26421880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
        (29515, "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"),
    )  # fmt: skip
    test_files: ClassVar[tuple[File, ...]] = pair(
        "fashion-mnist", "t10k", FASHION_MIRRORS,
        (4422102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
        (5148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"),
    )  # fmt: skip
