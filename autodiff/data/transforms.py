"""Transforms of samples: pictures to numbers, normalization, augmentation.

Each is written once, for many samples at a time (``apply``); called on one sample it is a batch of one. So a
dataset that holds all its samples can transform whole batches, and random ones draw the same numbers either
way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import seeding
from ..engine.tensor import Tensor, constant_tensor, raw
from .collate import generator


class Transform(ABC):
    """The base of transforms: a subclass says what becomes of an array of samples, of shape (n, ...).

    Called on one sample it gives an array (a NumPy number, if it has no axes) for an array or a number, and a
    constant Tensor for a Tensor.

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
        """The transformed samples; the given array stays as it is."""

    def __call__(self, sample: Any) -> Any:
        """One sample, transformed."""
        result = self.apply(np.asarray(raw(sample))[None])[0]
        return constant_tensor(result) if isinstance(sample, Tensor) else result


def takes_batches(transform: Any) -> bool:
    """Whether a transform, with all its parts, can be applied to many samples at once."""
    if isinstance(transform, Compose):
        return all(map(takes_batches, transform.transforms))
    return transform is None or isinstance(transform, Transform)


class Compose(Transform):
    """Several transforms, one after the other; any callable may be among them.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import Compose, Flatten, Normalize, ToTensor
    >>> transform = Compose([ToTensor(), Normalize(0.5, 0.5), Flatten()])
    >>> transform(np.array([[0, 255]], dtype=np.uint8))
    [-1 1]
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = list(transforms)

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Every transform in turn, each on all samples."""
        for transform in self.transforms:
            if not isinstance(transform, Transform):
                raise TypeError(f"{transform!r:.60} takes one sample at a time")
            samples = transform.apply(samples)
        return samples

    def __call__(self, sample: Any) -> Any:
        """One sample after every transform in turn."""
        for transform in self.transforms:
            sample = transform(sample)
        return sample


class ToTensor(Transform):
    """A picture as a Tensor of float32 between 0 and 1, its channels first.

    Bytes (height, width) or (height, width, channels) become (channels, height, width), divided by 255.
    Floats are only turned, and keep their dtype. Raises TypeError for other dtypes, ValueError for other
    shapes.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import ToTensor
    >>> picture = ToTensor()(np.array([[0, 51], [102, 255]], dtype=np.uint8))
    >>> picture.shape, picture.dtype, picture.max()
    ((1, 2, 2), dtype('float32'), 1)
    """

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Pictures (n, height, width) or (n, height, width, channels) as (n, channels, height, width)."""
        if samples.ndim not in (3, 4):
            raise ValueError(
                "ToTensor takes a picture of shape (height, width) or (height, width, channels), not of "
                f"{samples.shape[1:]}"
            )
        if samples.dtype.kind != "f" and samples.dtype != np.uint8:
            raise TypeError(f"ToTensor takes a picture of uint8 or floats, not of {samples.dtype}")
        turned = samples[:, None] if samples.ndim == 3 else np.moveaxis(samples, -1, 1)
        return turned if samples.dtype.kind == "f" else np.divide(turned, np.float32(255), order="C")

    def __call__(self, sample: Any) -> Tensor:
        """One picture as a constant Tensor."""
        return constant_tensor(raw(super().__call__(sample)))


class Normalize(Transform):
    """Subtract the mean, divide by the standard deviation: one number each, or one per entry of a sample's
    first axis (the channels of a picture, the features of a vector).

    Raises ValueError if a deviation is not above 0 or the lengths do not fit, TypeError for integers: put
    ToTensor before it.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import Normalize
    >>> Normalize(mean=[1, 10], std=[2, 5])(np.array([2.0, 20.0]))
    array([0.5, 2. ])
    """

    def __init__(self, mean: float | Sequence[float], std: float | Sequence[float]) -> None:
        self.mean, self.std = np.asarray(mean, dtype=float), np.asarray(std, dtype=float)
        if self.mean.ndim > 1 or self.std.ndim > 1:
            raise ValueError("Normalize takes a number, or one per channel, for mean and for std")
        if not (self.std > 0).all():
            raise ValueError(f"Normalize divides by std, which must be above 0, not {std!r:.60}")

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """The samples in units of the deviation, in their own dtype."""
        if samples.dtype.kind != "f":
            raise TypeError(f"Normalize takes floats, not {samples.dtype}; put ToTensor() before it")
        result = samples - self._along(self.mean, samples)
        result /= self._along(self.std, samples)
        return result

    def _along(self, numbers: np.ndarray, samples: np.ndarray) -> np.ndarray:
        """The numbers in the samples' dtype, along their first axis."""
        if numbers.size > 1 and numbers.shape != samples.shape[1:2]:
            raise ValueError(
                f"Normalize has {numbers.size} numbers for a sample of shape {samples.shape[1:]}"
            )
        shape = (-1,) + (1,) * (samples.ndim - 2) if samples.ndim > 1 else ()
        return numbers.astype(samples.dtype).reshape(shape)


class OneHot(Transform):
    """A label from 0 to n - 1 as a float32 vector of n entries, 1 at the label and 0 elsewhere.

    Raises TypeError if n or a label is no integer, ValueError if n is not at least 1 or a label out of range.

    Example
    -------
    >>> from autodiff.data.transforms import OneHot
    >>> OneHot(3)(1)
    array([0., 1., 0.], dtype=float32)
    """

    def __init__(self, n: int) -> None:
        if not isinstance(n, (int, np.integer)) or isinstance(n, bool):
            raise TypeError(f"n of OneHot is a whole number, not {n!r:.60}")
        if n < 1:
            raise ValueError(f"n of OneHot must be at least 1, not {n}")
        self.n = int(n)

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Labels (...) as vectors (..., n)."""
        if samples.dtype.kind not in "iu":
            raise TypeError(f"OneHot takes integer labels, not {samples.dtype}")
        outside = samples[(samples < 0) | (samples >= self.n)]
        if outside.size:
            raise ValueError(f"OneHot({self.n}) takes labels from 0 to {self.n - 1}, not {outside.flat[0]}")
        return np.equal(samples[..., None], np.arange(self.n)).astype(np.float32)


class Flatten(Transform):
    """All numbers of a sample in one row.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import Flatten
    >>> Flatten()(np.array([[1, 2], [3, 4]]))
    array([1, 2, 3, 4])
    """

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """(n, ...) as (n, numbers per sample)."""
        return samples.reshape(len(samples), int(np.prod(samples.shape[1:])))


class RandomCrop(Transform):
    """A window at a random place of a picture, whose last two axes are height and width.

    Parameters
    ----------
    size
        The window's height and width, or one number for both.
    padding
        How many rows and columns of zeros are put around the picture first.
    generator
        A ``numpy.random.Generator`` or a seed; by default what ``data.generator`` says. One given here is
        shared by a loader's threads, whose turns are up to chance: with several, give it to the loader.

    Raises ValueError if the window is larger than the picture with its padding.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import RandomCrop
    >>> RandomCrop(28, padding=4)(np.zeros((28, 28))).shape
    (28, 28)
    """

    def __init__(
        self,
        size: int | tuple[int, int],
        padding: int = 0,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.size = (size, size) if isinstance(size, (int, np.integer)) else tuple(size)
        self.padding = padding
        self.generator = None if generator is None else seeding.generator(generator)

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """One window of each picture."""
        edges = [(0, 0)] * (samples.ndim - 2) + [(self.padding, self.padding)] * 2
        padded = np.pad(samples, edges) if self.padding else samples
        if samples.ndim < 3 or padded.shape[-2] < self.size[0] or padded.shape[-1] < self.size[1]:
            raise ValueError(
                f"RandomCrop cannot cut {self.size[0]} x {self.size[1]} out of a picture of shape "
                f"{samples.shape[1:]} with a padding of {self.padding}"
            )
        windows = np.lib.stride_tricks.sliding_window_view(padded, self.size, axis=(-2, -1))
        places = windows.shape[-4:-2]
        rows, columns = generator(self.generator).integers(places, size=(len(samples), 2)).T
        return windows[np.arange(len(samples)), ..., rows, columns, :, :]


class RandomHorizontalFlip(Transform):
    """With probability p the picture in a mirror: its last axis, the width, reversed.

    ``generator`` is as for RandomCrop. Raises ValueError if p is not between 0 and 1.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data.transforms import RandomHorizontalFlip
    >>> RandomHorizontalFlip(p=1)(np.array([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]])
    """

    def __init__(self, p: float = 0.5, generator: np.random.Generator | int | None = None) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"RandomHorizontalFlip takes a probability between 0 and 1, not {p!r:.60}")
        self.p = p
        self.generator = None if generator is None else seeding.generator(generator)

    def apply(self, samples: np.ndarray) -> np.ndarray:
        """Some of the pictures reversed."""
        flipped = generator(self.generator).random(len(samples)) < self.p
        result = samples.copy()
        result[flipped] = samples[flipped, ..., ::-1]
        return result
