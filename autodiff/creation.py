"""New Tensors: zeros, ones, full, empty, eye, arange, linspace, randn, rand, randint, randperm, one_hot, and
those shaped like another. What is made of given data (tensor, as_tensor, from_numpy) is in ``given.py``.

All are constants, as in NumPy and PyTorch: data, labels, masks, starting values. What is to be learned gets
``requires_grad=True``, or is made by ``Tensor(...)`` or ``nn.Parameter(...)``, which ask for a gradient of
themselves.

A shape is given as ``zeros(2, 3)`` or ``zeros((2, 3))``. The dtype is float64 unless said otherwise, and that
of the values in ``full`` and ``arange``; a single float is a number, as in ``Tensor(2)``.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .engine.operands import as_recorded
from .engine.tensor import Tensor, raw
from .seeding import generator as source


def zeros(
    *shape: Any, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Zeros of a shape: a constant, unless ``requires_grad=True``, as all that is made here.

    Raises TypeError if integers are to have a gradient, as all functions here do.

    >>> import autodiff as ad
    >>> ad.zeros(2, 3)
    [[0 0 0]
     [0 0 0]]
    >>> ad.zeros(2).requires_grad, ad.zeros(2, requires_grad=True).requires_grad
    (False, True)
    >>> ad.zeros((2,), dtype=bool)
    [False False]
    """
    return leaf(np.zeros(sizes(shape), dtype), dtype, requires_grad, name)


def ones(
    *shape: Any, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Ones of a shape.

    >>> import autodiff as ad
    >>> ad.ones(2, dtype="float32").dtype
    dtype('float32')
    """
    return leaf(np.ones(sizes(shape), dtype), dtype, requires_grad, name)


def full(
    shape: Any, value: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """One value all over a shape. Integers and booleans keep their dtype.

    >>> import autodiff as ad
    >>> ad.full((2, 2), 7)
    [[7 7]
     [7 7]]
    >>> ad.full(2, 7).dtype, ad.full(2, 7.0).dtype
    (dtype('int64'), dtype('float64'))
    """
    return leaf(np.full(sizes((shape,)), value, dtype), dtype, requires_grad, name)


def empty(
    *shape: Any, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """A shape whose values are whatever was in memory, to be assigned before they are used.

    >>> import autodiff as ad
    >>> ad.empty(2, 3).shape
    (2, 3)
    """
    return leaf(np.empty(sizes(shape), dtype), dtype, requires_grad, name)


def eye(
    n: int, m: int | None = None, *, k: int = 0, dtype: Any = None, requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Ones on the ``k``-th diagonal of ``n`` rows and ``m`` columns (as many as rows, if not given), zeros
    elsewhere.

    >>> import autodiff as ad
    >>> ad.eye(2)
    [[1 0]
     [0 1]]
    """
    return leaf(np.eye(n, m, k, dtype or float), dtype, requires_grad, name)


def arange(
    start: float, stop: float | None = None, step: float = 1, *, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers from ``start`` up to but not including ``stop``; from 0 to ``start``, if that stands alone. Of
    integers it makes integers.

    >>> import autodiff as ad
    >>> ad.arange(3), ad.arange(1, 2, 0.25)
    ([0 1 2], [   1 1.25  1.5 1.75])
    """
    if stop is None:
        start, stop = 0, start
    return leaf(np.arange(start, stop, step, dtype=dtype), dtype, requires_grad, name)


def linspace(
    start: float, stop: float, num: int = 50, *, endpoint: bool = True, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """``num`` numbers at equal distances from ``start`` to ``stop``, which is the last unless ``endpoint`` is
    False.

    >>> import autodiff as ad
    >>> ad.linspace(0, 1, 5)
    [   0 0.25  0.5 0.75    1]
    """
    return leaf(np.linspace(start, stop, num, endpoint, dtype=dtype), dtype, requires_grad, name)


def randn(
    *shape: Any, generator: np.random.Generator | int | None = None, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normally distributed numbers of mean 0 and variance 1, from the package's generator if none is given.

    >>> import autodiff as ad
    >>> ad.randn(2, 3, generator=0).shape
    (2, 3)
    """
    numbers = source(generator).standard_normal(sizes(shape))
    return leaf(as_floats(numbers, dtype), dtype, requires_grad, name)


def rand(
    *shape: Any, generator: np.random.Generator | int | None = None, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers spread evenly from 0 up to but not including 1.

    >>> import autodiff as ad
    >>> 0 <= ad.rand() < 1
    True
    """
    return leaf(as_floats(source(generator).random(sizes(shape)), dtype), dtype, requires_grad, name)


def randint(
    low: int, high: int | None = None, size: Any = (), *, generator: np.random.Generator | int | None = None,
    dtype: Any = np.int64, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Integers from ``low`` up to but not including ``high``; from 0 to ``low``, if that stands alone.

    >>> import autodiff as ad
    >>> ad.randint(1, 7, (2, 5)).shape
    (2, 5)
    """
    bounds = (operator.index(low), None if high is None else operator.index(high))
    return leaf(np.asarray(source(generator).integers(*bounds, sizes((size,)), dtype)), dtype, False, name)


def randperm(
    n: int, *, generator: np.random.Generator | int | None = None, dtype: Any = np.int64,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The integers from 0 up to but not including ``n`` in random order.

    >>> import autodiff as ad
    >>> sorted(ad.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    return leaf(source(generator).permutation(operator.index(n)).astype(dtype), dtype, False, name)


def one_hot(
    labels: Any, num_classes: int | None = None, *, dtype: Any = np.int64, name: str | None = None
) -> Tensor:
    """A row for each label, with a 1 at its place and zeros elsewhere.

    Parameters
    ----------
    labels
        Integers from 0 on, in any shape; that of the result has one axis more, the last.
    num_classes
        How long a row is; one more than the largest label, if it is not given (or -1, as in PyTorch).

    Raises TypeError if the labels are not integers, ValueError if one does not fit.

    >>> import autodiff as ad
    >>> ad.one_hot([0, 2], 3)
    [[1 0 0]
     [0 0 1]]
    """
    places = np.asarray(raw(labels))
    if places.dtype.kind not in "iu":
        raise TypeError(
            f"one_hot needs integers as labels, not {places.dtype}; ad.tensor(...) keeps integers as they are"
        )
    if num_classes in (None, -1):
        if not places.size:
            raise ValueError("one_hot needs num_classes, since there are no labels to take it from")
        num_classes = int(places.max()) + 1
    count = operator.index(num_classes)
    if places.size and not 0 <= places.min() <= places.max() < count:
        raise ValueError(
            f"one_hot was given labels from {places.min()} to {places.max()}; of {count} classes the last is "
            f"{count - 1}"
        )
    return leaf((places[..., None] == np.arange(count)).astype(dtype), dtype, False, name)


def zeros_like(
    x: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Zeros in the shape and dtype of ``x``, a Tensor or an array.

    >>> import autodiff as ad
    >>> ad.zeros_like(ad.Tensor([1, 2]))
    [0 0]
    """
    shape, dtype = mould(x, dtype)
    return zeros(shape, dtype=dtype, requires_grad=requires_grad, name=name)


def ones_like(
    x: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Ones in the shape and dtype of ``x``.

    >>> import autodiff as ad
    >>> ad.ones_like(np.array([1, 2])).requires_grad
    False
    """
    shape, dtype = mould(x, dtype)
    return ones(shape, dtype=dtype, requires_grad=requires_grad, name=name)


def full_like(
    x: Any, value: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """One value all over the shape of ``x``, in its dtype.

    >>> import autodiff as ad
    >>> ad.full_like(ad.Tensor([1, 2]), 0.5)
    [0.5 0.5]
    """
    shape, dtype = mould(x, dtype)
    if dtype is None:  # a number is a float
        value = np.asarray(value, float)
    return full(shape, value, dtype=dtype, requires_grad=requires_grad, name=name)


def empty_like(
    x: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Whatever was in memory, in the shape and dtype of ``x``.

    >>> import autodiff as ad
    >>> ad.empty_like(ad.Tensor([1, 2])).shape
    (2,)
    """
    shape, dtype = mould(x, dtype)
    return empty(shape, dtype=dtype, requires_grad=requires_grad, name=name)


def randn_like(
    x: Any, *, generator: np.random.Generator | int | None = None, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normally distributed numbers in the shape of ``x``, and in its dtype if that is one of floats.

    >>> import autodiff as ad
    >>> ad.randn_like(ad.Tensor([1, 2])).shape
    (2,)
    """
    shape, dtype = mould(x, dtype, np.floating)
    return randn(shape, generator=generator, dtype=dtype, requires_grad=requires_grad, name=name)


def rand_like(
    x: Any, *, generator: np.random.Generator | int | None = None, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers spread evenly from 0 to 1 in the shape of ``x``, and in its dtype if that is one of floats.

    >>> import autodiff as ad
    >>> ad.rand_like(ad.Tensor([1, 2])).shape
    (2,)
    """
    shape, dtype = mould(x, dtype, np.floating)
    return rand(shape, generator=generator, dtype=dtype, requires_grad=requires_grad, name=name)


def leaf(array: np.ndarray, dtype: Any, requires_grad: bool, name: str | None) -> Tensor:
    """The Tensor for an array: a number, if it is a float without axes and nobody asked for a dtype."""
    is_smooth = array.dtype.kind == "f"
    if requires_grad and array.dtype.kind in "iub":
        raise TypeError(
            f"numbers of {array.dtype} cannot have a gradient: give dtype=float, or leave requires_grad out"
        )
    data = array.item() if array.ndim == 0 and dtype is None and is_smooth else array
    return Tensor(data, requires_grad=bool(requires_grad), name=name)


def sizes(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape out of ``(2, 3)`` or ``((2, 3),)``. Raises TypeError if its sizes are not whole numbers."""
    try:
        if len(shape) == 1 and np.ndim(shape[0]) > 0:
            shape = tuple(shape[0])
        return tuple(map(operator.index, shape))
    except TypeError:
        raise TypeError(f"a shape is whole numbers, as in 2, 3 or (2, 3), not {shape!r:.60}") from None


def as_floats(numbers: Any, dtype: Any) -> np.ndarray:
    """Random numbers in their dtype. Raises TypeError if that would cut off their decimals."""
    if np.dtype(dtype).kind != "f":  # that of None is float64
        raise TypeError(f"random floats do not fit into {np.dtype(dtype)}; there is randint for integers")
    return np.asarray(numbers, dtype)


def mould(x: Any, dtype: Any, kind: type[np.generic] = np.generic) -> tuple[tuple[int, ...], Any]:
    """The shape of ``x``, and its dtype if none was asked for; None for a number, or one of another kind."""
    data = as_recorded(raw(x))
    found = getattr(data, "dtype", None)
    if dtype is None and found is not None and np.issubdtype(found, kind):
        dtype = found
    return getattr(data, "shape", ()), dtype
