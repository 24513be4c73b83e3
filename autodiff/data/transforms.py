"""Transforms of samples: conversion to Tensors, normalization, augmentation.

A transform is written once, for a batch of samples (``apply``); called on one sample, it treats it as a batch
of one. A dataset that holds all its samples can therefore transform whole batches, and random transforms draw
the same numbers either way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import seeding
from ..checks import checked_integer
from ..engine.tensor import Tensor, constant_tensor, raw
from .collate import generator


class Transform(ABC):
    """The base class of transforms. A subclass defines ``apply`` for an array of samples, of shape (n, ...).

    Called on one sample, a transform returns a constant Tensor for a Tensor, and an array (or a NumPy number)
    for an array or a number.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import Transform
    >>> class Invert(Transform):
    ...     def apply(self, samples):
    ...         return 1 - samples
    >>> Invert()(np.array([0.0, 0.25]))
    array([1.  , 0.75])
    """

    @abstractmethod
    def apply(self, samples: np.ndarray) -> np.ndarray:
        """The transformed samples. The given array must not be changed."""

    def __call__(self, sample: Any) -> Any:
        """One sample, transformed."""
        result = self.apply(np.asarray(raw(sample))[None])[0]
        return constant_tensor(result) if isinstance(sample, Tensor) else result


def takes_batches(transform: Any) -> bool:
    """Whether a transform, with all its parts, can be applied to a batch at once."""
    if isinstance(transform, Compose):
        return all(map(takes_batches, transform.transforms))
    return transform is None or isinstance(transform, Transform)


class Compose(Transform):
    """Several transforms applied in order; any callable may be among them.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import Compose, Flatten, Normalize, ToTensor
    >>> transform = Compose([ToTensor(), Normalize(0.5, 0.5), Flatten()])
    >>> transform(np.array([[0, 255]], dtype=np.uint8))
    [-1 1]
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms: list[Callable[[Any], Any]] = list(transforms)

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Apply every transform in order to all samples."""
        for transform in self.transforms:
            if not isinstance(transform, Transform):
                raise TypeError(f"{transform!r:.60} takes one sample at a time: call this Compose on each")
            samples = transform.apply(samples)
        return samples

    def __call__(self, sample: Any) -> Any:
        """Apply every transform in order to one sample."""
        for transform in self.transforms:
            sample = transform(sample)
        return sample


class ToTensor(Transform):
    """Convert an image to a float32 Tensor between 0 and 1, with its channels first.

    An image of uint8 and shape (height, width) or (height, width, channels) becomes (channels, height,
    width), divided by 255. An image of floats keeps its dtype and is not divided. Raises TypeError for other
    dtypes, ValueError for other shapes.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import ToTensor
    >>> picture = ToTensor()(np.array([[0, 51], [102, 255]], dtype=np.uint8))
    >>> picture.shape, picture.dtype, picture.max()
    ((1, 2, 2), dtype('float32'), 1)
    """

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Images (n, height, width) or (n, height, width, channels) as (n, channels, height, width)."""
        if samples.ndim not in (3, 4):
            raise ValueError(
                "ToTensor takes an image of shape (height, width) or (height, width, channels), not "
                f"{samples.shape[1:]}"
            )
        if samples.dtype.kind != "f" and samples.dtype != np.uint8:
            raise TypeError(f"ToTensor takes an image of uint8 or floats, not of {samples.dtype}")
        images = samples[:, None] if samples.ndim == 3 else np.moveaxis(samples, -1, 1)
        return images if samples.dtype.kind == "f" else np.divide(images, np.float32(255), order="C")

    def __call__(self, sample: Any) -> Tensor:
        """Convert one image to a constant Tensor."""
        return constant_tensor(raw(super().__call__(sample)))


class Normalize(Transform):
    """Subtract a mean and divide by a standard deviation: one number each, or one per entry of a sample's
    first axis (the channels of an image, the features of a vector).

    Raises ValueError if a deviation is not above 0 or the lengths do not match the samples, TypeError for
    integer samples: put ToTensor before it.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import Normalize
    >>> Normalize(mean=[1, 10], std=[2, 5])(np.array([2.0, 20.0]))
    array([0.5, 2. ])
    """

    def __init__(self, mean: float | Sequence[float], std: float | Sequence[float]) -> None:
        self.mean: np.ndarray = np.asarray(mean, dtype=float)
        self.std: np.ndarray = np.asarray(std, dtype=float)
        if self.mean.ndim > 1 or self.std.ndim > 1:
            raise ValueError(
                "the mean and std of Normalize must be one number, or one per channel, not arrays of shapes "
                f"{self.mean.shape} and {self.std.shape}"
            )
        if not (self.std > 0).all():
            raise ValueError(f"the std of Normalize must be above 0, not {std!r:.60}")

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Normalize the samples; their dtype stays the same."""
        if samples.dtype.kind != "f":
            raise TypeError(f"Normalize takes floats, not {samples.dtype}; put ToTensor() before it")
        result = samples - self._along(self.mean, samples)
        result /= self._along(self.std, samples)
        return result

    def _along(self, numbers: np.ndarray, samples: np.ndarray) -> np.ndarray:
        """The mean or std in the samples' dtype, shaped to broadcast along a sample's first axis."""
        if numbers.size > 1 and numbers.shape != samples.shape[1:2]:
            raise ValueError(
                f"Normalize has {numbers.size} channels, which do not match a sample of shape "
                f"{samples.shape[1:]}"
            )
        shape = (-1,) + (1,) * (samples.ndim - 2) if samples.ndim > 1 else ()
        return numbers.astype(samples.dtype).reshape(shape)


class OneHot(Transform):
    """Encode a label from 0 to n - 1 as a float32 vector of n entries: 1 at the label, 0 elsewhere.

    Raises TypeError if n or a label is not an integer, ValueError if n is below 1 or a label is out of range.

    Example
    -------
    >>> from autodiff.data.transforms import OneHot
    >>> OneHot(3)(1)
    array([0., 1., 0.], dtype=float32)
    """

    def __init__(self, n: int) -> None:
        self.n: int = checked_integer("the n of OneHot", n)

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Encode labels of shape (...) as vectors of shape (..., n)."""
        if samples.dtype.kind not in "iu":
            raise TypeError(f"OneHot takes integer labels, not {samples.dtype}")
        outside = samples[(samples < 0) | (samples >= self.n)]
        if outside.size:
            raise ValueError(f"OneHot({self.n}) takes labels from 0 to {self.n - 1}, not {outside.flat[0]}")
        return np.equal(samples[..., None], np.arange(self.n)).astype(np.float32)


class Flatten(Transform):
    """Flatten a sample to one axis.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import Flatten
    >>> Flatten()(np.array([[1, 2], [3, 4]]))
    array([1, 2, 3, 4])
    """

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Reshape (n, ...) to (n, numbers per sample)."""
        return samples.reshape(len(samples), int(np.prod(samples.shape[1:])))


class RandomCrop(Transform):
    """Crop an image at a random position. Its last two axes are height and width.

    Parameters
    ----------
    size
        The height and width of the crop, or one number for both.
    padding
        The number of rows and columns of zeros added on each side of the image first.
    generator
        A ``numpy.random.Generator`` or a seed; ``data.generator()`` by default. In a loader with threads each
        batch has a generator that is derived from it, so that every run with this seed is the same.

    Raises
    ------
    ValueError
        At the call, if the crop is larger than the padded image.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import RandomCrop
    >>> RandomCrop(28, padding=4)(np.zeros((28, 28))).shape
    (28, 28)
    """

    generator: np.random.Generator | None

    def __init__(
        self,
        size: int | tuple[int, int],
        padding: int = 0,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.size: tuple[int, ...] = (size, size) if isinstance(size, (int, np.integer)) else tuple(size)
        self.padding = padding
        self.generator = None if generator is None else seeding.generator(generator)

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Crop each image at a position of its own."""
        edges = [(0, 0)] * (samples.ndim - 2) + [(self.padding, self.padding)] * 2
        padded = np.pad(samples, edges) if self.padding else samples
        if samples.ndim < 3 or padded.shape[-2] < self.size[0] or padded.shape[-1] < self.size[1]:
            raise ValueError(
                f"RandomCrop cannot crop {self.size[0]} x {self.size[1]} from an image of shape "
                f"{samples.shape[1:]} with a padding of {self.padding}"
            )
        windows = np.lib.stride_tricks.sliding_window_view(padded, self.size, axis=(-2, -1))
        positions = windows.shape[-4:-2]
        rows, columns = generator(self.generator).integers(positions, size=(len(samples), 2)).T
        return windows[np.arange(len(samples)), ..., rows, columns, :, :]


class RandomHorizontalFlip(Transform):
    """Reverse the last axis of an image, its width, with probability p.

    ``generator`` is as for RandomCrop. Raises ValueError if p is not between 0 and 1.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import RandomHorizontalFlip
    >>> RandomHorizontalFlip(p=1)(np.array([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]])
    """

    generator: np.random.Generator | None

    def __init__(self, p: float = 0.5, generator: np.random.Generator | int | None = None) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"the p of RandomHorizontalFlip must be between 0 and 1, not {p!r:.60}")
        self.p = p
        self.generator = None if generator is None else seeding.generator(generator)

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Flip each image with probability p."""
        flipped = generator(self.generator).random(len(samples)) < self.p
        result = samples.copy()
        result[flipped] = samples[flipped, ..., ::-1]
        return result
