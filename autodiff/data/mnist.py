"""MNIST and Fashion-MNIST: grey images of 28 x 28 pixels in ten classes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..engine.tensor import Tensor, constant_tensor
from .collate import default_collate
from .dataset import Dataset, Indices, read_only, take_rows
from .download import File, find_file
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


def image_and_label_files(
    folder: str, split: str, mirrors: tuple[str, ...], *sizes_and_checksums: tuple[int, str]
) -> tuple[File, ...]:
    """The files of the images and labels of the training or test split."""
    names = (f"{split}-images-idx3-ubyte.gz", f"{split}-labels-idx1-ubyte.gz")
    return tuple(
        File(f"{folder}/{name}", size, checksum, tuple(mirror + name for mirror in mirrors))
        for name, (size, checksum) in zip(names, sizes_and_checksums)
    )


class MNIST(Dataset):
    """60,000 training images and 10,000 test images of handwritten digits, 28 x 28 pixels each.

    LeCun, Bottou, Bengio and Haffner, "Gradient-based learning applied to document recognition" (1998).
    Sample i is the pair (image, label): a read-only array of uint8, from 0 (paper) to 255 (ink), and an int;
    or what the transforms return for them. A DataLoader applies the transforms of this package to a whole
    batch at once.

    Parameters
    ----------
    root
        The folder of data sets, with files such as ``mnist/train-images-idx3-ubyte.gz``; downloads go there.
        By default the folder that the environment variable AUTODIFF_DATA names is searched, then the cache,
        and downloads go to the cache.
    train
        Whether to take the training set or the test set.
    transform, target_transform
        Applied to each image and to each label, for example ``transforms.ToTensor()``.
    download
        Whether missing files may be downloaded (10 MB, checked by SHA-256).

    Attributes
    ----------
    data
        The pictures, an array of uint8 of shape (samples, 28, 28).
    targets
        The labels, an array of int64 of shape (samples,).
    classes
        The names of the labels, a list of strings.

    Raises
    ------
    DownloadError
        A FileNotFoundError: if a file is missing and ``download`` is False or the download fails. The message
        says where to put the file.
    ValueError
        If a file is damaged, or is not a file of this data set.

    Example
    -------
    >>> from autodiff.data import DataLoader, MNIST, transforms
    >>> digits = MNIST(train=False, transform=transforms.ToTensor())  # doctest: +SKIP
    >>> x, y = next(iter(DataLoader(digits, batch_size=32)))  # doctest: +SKIP
    >>> x.shape, x.dtype, y.shape  # doctest: +SKIP
    ((32, 1, 28, 28), dtype('float32'), (32,))
    """

    classes: ClassVar[list[str]] = list("0123456789")
    train_files: ClassVar[tuple[File, ...]] = image_and_label_files(
        "mnist", "train", MNIST_MIRRORS,
        (9912422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
        (28881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
    )  # fmt: skip
    test_files: ClassVar[tuple[File, ...]] = image_and_label_files(
        "mnist", "t10k", MNIST_MIRRORS,
        (1648877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
        (4542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
    )  # fmt: skip
    data: np.ndarray

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        train: bool = True,
        transform: Transformation = None,
        target_transform: Transformation = None,
        download: bool = True,
    ) -> None:
        paths = [find_file(file, root, download) for file in (self.train_files if train else self.test_files)]
        self.data, labels = map(read_idx, paths)
        self.targets: np.ndarray = labels.astype(np.int64)
        if self.data.dtype != np.uint8 or self.data.ndim != 3 or labels.shape != self.data.shape[:1]:
            raise ValueError(
                f"{paths[0]} and {paths[1]} do not match: the images have shape {self.data.shape}, the "
                f"labels {labels.shape}"
            )
        if not np.isin(self.targets, range(len(self.classes))).all():
            raise ValueError(f"{paths[1]} has labels outside 0 to {len(self.classes) - 1}")
        self.transform = transform
        self.target_transform = target_transform

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image, label = read_only(self.data[index]), int(self.targets[index])
        return (
            image if self.transform is None else self.transform(image),
            label if self.target_transform is None else self.target_transform(label),
        )

    def batch(self, indices: Indices) -> tuple[Any, Any]:
        """The images and labels at these indices, transformed."""
        images, labels = take_rows(self.data, indices), take_rows(self.targets, indices)
        return apply_transform(images, self.transform), apply_transform(labels, self.target_transform)


def apply_transform(samples: np.ndarray, transform: Any) -> Tensor:
    """Transform samples, at once if the transform can do so; returns them as one constant Tensor."""
    if not takes_batches(transform):
        single = samples.tolist() if samples.ndim == 1 else samples  # labels are ints, as in __getitem__
        return default_collate([transform(read_only(sample)) for sample in single])
    return constant_tensor(samples if transform is None else transform.apply(samples))


class FashionMNIST(MNIST):
    """60,000 training images and 10,000 test images of clothes, in MNIST's format and harder to classify.

    Xiao, Rasul and Vollgraf, "Fashion-MNIST: a novel image dataset for benchmarking machine learning
    algorithms" (2017). Parameters, attributes and errors are those of MNIST; the folder is ``fashion-mnist``,
    and the download is 31 MB.

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
    train_files: ClassVar[tuple[File, ...]] = image_and_label_files(
        "fashion-mnist", "train", FASHION_MIRRORS,
        (26421880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
        (29515, "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"),
    )  # fmt: skip
    test_files: ClassVar[tuple[File, ...]] = image_and_label_files(
        "fashion-mnist", "t10k", FASHION_MIRRORS,
        (4422102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
        (5148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"),
    )  # fmt: skip
