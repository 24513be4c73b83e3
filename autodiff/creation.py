"""New Tensors: zeros, ones, full, empty, eye, arange, linspace, randn, rand, randint, randperm, one_hot, and
zeros_like and its siblings. ``given.py`` has Tensors from existing data (tensor, as_tensor, from_numpy).

All are constants by default, as in NumPy and PyTorch: data, labels, masks, starting values. For a parameter,
pass ``requires_grad=True``, or use ``Tensor(...)`` or ``nn.Parameter(...)``, which require a gradient.

A shape is ``zeros(2, 3)`` or ``zeros((2, 3))``. The default dtype is float64; ``full`` and ``arange`` keep
that of their values. A single float is a number, as in ``Tensor(2)``.

All functions raise TypeError if integers are to require a gradient.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .engine import tracing
from .engine.operands import as_recorded
from .engine.tensor import Tensor, raw
from .engine.values import as_array
from .seeding import generator as source


def zeros(
    *shape: Any, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Zeros in a shape; a constant, unless ``requires_grad=True``.

    Raises TypeError if integers are to require a gradient.

    >>> import autodiff as ad
    >>> ad.zeros(2, 3)
    [[0 0 0]
     [0 0 0]]
    >>> ad.zeros(2).requires_grad, ad.zeros(2, requires_grad=True).requires_grad
    (False, True)
    >>> ad.zeros((2,), dtype=bool)
    [False False]
    """
    return new_leaf(np.zeros(checked_shape(shape), dtype), dtype, requires_grad, name)


def ones(
    *shape: Any, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Ones in a shape.

    >>> import autodiff as ad
    >>> ad.ones(2, dtype="float32").dtype
    dtype('float32')
    """
    return new_leaf(np.ones(checked_shape(shape), dtype), dtype, requires_grad, name)


def full(
    shape: Any, value: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """A shape filled with one value. Integers and booleans keep their dtype.

    >>> import autodiff as ad
    >>> ad.full((2, 2), 7)
    [[7 7]
     [7 7]]
    >>> ad.full(2, 7).dtype, ad.full(2, 7.0).dtype
    (dtype('int64'), dtype('float64'))
    """
    return new_leaf(np.full(checked_shape((shape,)), value, dtype), dtype, requires_grad, name)


def empty(
    *shape: Any, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """A shape with arbitrary values, which are to be assigned before they are used.

    >>> import autodiff as ad
    >>> ad.empty(2, 3).shape
    (2, 3)
    """
    return new_leaf(np.empty(checked_shape(shape), dtype), dtype, requires_grad, name)


def eye(
    n: int, m: int | None = None, *, k: int = 0, dtype: Any = None, requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Matrix of ``n`` rows and ``m`` columns (by default ``n``), with ones on the ``k``-th diagonal and zeros
    elsewhere.

    >>> import autodiff as ad
    >>> ad.eye(2)
    [[1 0]
     [0 1]]
    """
    return new_leaf(np.eye(n, m, k, dtype or float), dtype, requires_grad, name)


def arange(
    start: float, stop: float | None = None, step: float = 1, *, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers from ``start`` up to but not including ``stop``, or from 0 up to ``start`` if ``stop`` is
    missing. Integer arguments give integers.

    >>> import autodiff as ad
    >>> ad.arange(3), ad.arange(1, 2, 0.25)
    ([0 1 2], [   1 1.25  1.5 1.75])
    """
    if stop is None:
        start, stop = 0, start
    return new_leaf(np.arange(start, stop, step, dtype=dtype), dtype, requires_grad, name)


def linspace(
    start: float, stop: float, num: int = 50, *, endpoint: bool = True, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """``num`` evenly spaced numbers from ``start`` to ``stop``, which is included unless ``endpoint`` is
    False.

    >>> import autodiff as ad
    >>> ad.linspace(0, 1, 5)
    [   0 0.25  0.5 0.75    1]
    """
    return new_leaf(np.linspace(start, stop, num, endpoint, dtype=dtype), dtype, requires_grad, name)


def randn(
    *shape: Any, generator: np.random.Generator | int | None = None, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the normal distribution with mean 0 and variance 1. The default generator is the
    package's.

    >>> import autodiff as ad
    >>> ad.randn(2, 3, generator=0).shape
    (2, 3)
    """
    numbers = source(generator).standard_normal(checked_shape(shape))
    return new_leaf(as_floats(numbers, dtype), dtype, requires_grad, name)


def rand(
    *shape: Any, generator: np.random.Generator | int | None = None, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the uniform distribution from 0 up to but not including 1.

    >>> import autodiff as ad
    >>> 0 <= ad.rand() < 1
    True
    """
    numbers = source(generator).random(checked_shape(shape))
    return new_leaf(as_floats(numbers, dtype), dtype, requires_grad, name)


def randint(
    low: int, high: int | None = None, size: Any = (), *, generator: np.random.Generator | int | None = None,
    dtype: Any = np.int64, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random integers from ``low`` up to but not including ``high``, or from 0 up to ``low`` if ``high`` is
    missing.

    >>> import autodiff as ad
    >>> ad.randint(1, 7, (2, 5)).shape
    (2, 5)
    """
    bounds = (operator.index(low), None if high is None else operator.index(high))
    numbers = source(generator).integers(*bounds, checked_shape((size,)), dtype)
    return new_leaf(as_array(numbers), dtype, False, name)


def randperm(
    n: int, *, generator: np.random.Generator | int | None = None, dtype: Any = np.int64,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The integers from 0 up to but not including ``n``, in random order.

    >>> import autodiff as ad
    >>> sorted(ad.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    return new_leaf(source(generator).permutation(operator.index(n)).astype(dtype), dtype, False, name)


def one_hot(
    labels: Any, num_classes: int | None = None, *, dtype: Any = np.int64, name: str | None = None
) -> Tensor:
    """One row per label, with a 1 at the index of the label and zeros elsewhere.

    Parameters
    ----------
    labels
        Integers from 0 on, in any shape. The result has one more axis, the last.
    num_classes
        The size of the last axis; by default (or for -1, as in PyTorch) one more than the largest label.

    Raises
    ------
    TypeError
        If the labels are not integers.
    ValueError
        If a label is negative or too large.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.one_hot([0, 2], 3)
    [[1 0 0]
     [0 0 1]]
    """
    labels = np.asarray(raw(labels))
    if labels.dtype.kind not in "iu":
        raise TypeError(
            f"one_hot needs integers as labels, not {labels.dtype}; ad.tensor(...) keeps integers as they are"
        )
    if num_classes in (None, -1):
        if not labels.size:
            raise ValueError("one_hot needs num_classes, since there are no labels to compute it from")
        num_classes = int(labels.max()) + 1
    count = operator.index(num_classes)
    if labels.size and not 0 <= labels.min() <= labels.max() < count:
        raise ValueError(
            f"one_hot needs labels from 0 to {count - 1} for {count} classes, not from {labels.min()} to "
            f"{labels.max()}"
        )
    return new_leaf((labels[..., None] == np.arange(count)).astype(dtype), dtype, False, name)


def zeros_like(
    x: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Zeros in the shape and dtype of ``x``, a Tensor or an array.

    >>> import autodiff as ad
    >>> ad.zeros_like(ad.Tensor([1, 2]))
    [0 0]
    """
    shape, dtype = shape_and_dtype(x, dtype)
    return zeros(shape, dtype=dtype, requires_grad=requires_grad, name=name)


def ones_like(
    x: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Ones in the shape and dtype of ``x``.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.ones_like(np.array([1, 2])).requires_grad
    False
    """
    shape, dtype = shape_and_dtype(x, dtype)
    return ones(shape, dtype=dtype, requires_grad=requires_grad, name=name)


def full_like(
    x: Any, value: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """The shape of ``x`` filled with one value, in the dtype of ``x``.

    >>> import autodiff as ad
    >>> ad.full_like(ad.Tensor([1, 2]), 0.5)
    [0.5 0.5]
    """
    shape, dtype = shape_and_dtype(x, dtype)
    if dtype is None:  # x is a number, so the result is a float
        value = np.asarray(value, float)
    return full(shape, value, dtype=dtype, requires_grad=requires_grad, name=name)


def empty_like(
    x: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Arbitrary values in the shape and dtype of ``x``.

    >>> import autodiff as ad
    >>> ad.empty_like(ad.Tensor([1, 2])).shape
    (2,)
    """
    shape, dtype = shape_and_dtype(x, dtype)
    return empty(shape, dtype=dtype, requires_grad=requires_grad, name=name)


def randn_like(
    x: Any, *, generator: np.random.Generator | int | None = None, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the standard normal distribution in the shape of ``x``, and in its dtype if that is
    a floating-point one.

    >>> import autodiff as ad
    >>> ad.randn_like(ad.Tensor([1, 2])).shape
    (2,)
    """
    shape, dtype = shape_and_dtype(x, dtype, np.floating)
    return randn(shape, generator=generator, dtype=dtype, requires_grad=requires_grad, name=name)


def rand_like(
    x: Any, *, generator: np.random.Generator | int | None = None, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Random numbers from the uniform distribution from 0 to 1 in the shape of ``x``, and in its dtype if
    that is a floating-point one.

    >>> import autodiff as ad
    >>> ad.rand_like(ad.Tensor([1, 2])).shape
    (2,)
    """
    shape, dtype = shape_and_dtype(x, dtype, np.floating)
    return rand(shape, generator=generator, dtype=dtype, requires_grad=requires_grad, name=name)


def new_leaf(array: np.ndarray, dtype: Any, requires_grad: bool, name: str | None) -> Tensor:
    """The Tensor for a new array. A float without axes becomes a number, unless ``dtype`` is given.

    Raises TypeError if integers are to require a gradient.
    """
    if requires_grad and array.dtype.kind in "iub":
        raise TypeError(
            f"numbers of {array.dtype} cannot have a gradient: give dtype=float, or leave requires_grad out"
        )
    is_number = array.ndim == 0 and dtype is None and array.dtype.kind == "f"
    data = tracing.as_number(array) if is_number else array
    return Tensor(data, requires_grad=bool(requires_grad), name=name)


def checked_shape(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape from ``(2, 3)`` or ``((2, 3),)``. Raises TypeError if the sizes are not integers."""
    try:
        if len(shape) == 1 and np.ndim(shape[0]) > 0:
            shape = tuple(shape[0])
        return tuple(map(operator.index, shape))
    except TypeError:
        raise TypeError(f"a shape consists of integers, as in 2, 3 or (2, 3), not {shape!r:.60}") from None


def as_floats(numbers: Any, dtype: Any) -> np.ndarray:
    """Random numbers in a dtype (float64 for None). Raises TypeError unless it is a floating-point dtype."""
    if np.dtype(dtype).kind != "f":
        raise TypeError(f"random floats cannot have the dtype {np.dtype(dtype)}; use randint for integers")
    return as_array(numbers).astype(np.dtype(dtype), copy=False)


def shape_and_dtype(x: Any, dtype: Any, kind: type[np.generic] = np.generic) -> tuple[tuple[int, ...], Any]:
    """The shape of ``x``, and ``dtype``, or if it is None the dtype of ``x`` if that is of the given kind. A
    number has no dtype."""
    data = as_recorded(raw(x))
    dtype_of_x = getattr(data, "dtype", None)
    if dtype is None and dtype_of_x is not None and np.issubdtype(dtype_of_x, kind):
        dtype = dtype_of_x
    return getattr(data, "shape", ()), dtype
