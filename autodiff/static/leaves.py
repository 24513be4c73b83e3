"""Constants, and placeholders for the values that a run is fed with. Variables are in ``variables.py``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.tensor import raw
from ..engine.values import as_data
from .graph import Graph, get_default_graph
from .node import Node, Values, frozen
from .shapes import Shape

FLOAT = np.dtype(float)


class Constant(Node):
    """A number or an array that is part of the graph."""

    __slots__ = ("value",)

    kind = "constant"
    requires_grad = False

    def __init__(self, value: Any, dtype: Any, graph: Graph, name: str | None) -> None:
        self.value: Any = frozen(plain(value, dtype))
        super().__init__(graph, (), name, np.shape(self.value), getattr(self.value, "dtype", FLOAT))

    def compute(self, values: Values, is_recorded: bool) -> Any:
        """The value itself."""
        return self.value

    @property
    def data(self) -> Any:
        """The value, which is known before a run too."""
        return self.value


class Placeholder(Node):
    """A leaf whose value is given to each run in ``feed_dict``."""

    __slots__ = ()

    kind = "placeholder"
    requires_grad = False


def constant(value: Any, dtype: Any = None, name: str | None = None) -> Constant:
    """A constant of the default graph: a number, or an array, which is copied.

    Raises TypeError if the value is not real numbers.

    >>> from autodiff import static
    >>> with static.Graph().as_default():
    ...     total = static.constant(1.0) + static.constant(2.0)
    >>> static.Session(total.graph).run(total)
    3.0
    """
    return Constant(value, dtype, get_default_graph(), name)


def placeholder(shape: Any = None, dtype: Any = None, name: str | None = None) -> Placeholder:
    """A leaf whose value is fed to each run: ``session.run(y, feed_dict={x: value})``.

    Parameters
    ----------
    shape
        A tuple, with None for a size that may differ from run to run. None allows any shape.
    dtype
        The dtype that values are converted to. By default they are converted as by ``ad.Tensor``: integers
        and booleans become floats. Labels and indices need ``dtype=int``, masks ``dtype=bool``.
    name
        What pictures and error messages call it.

    Raises
    ------
    TypeError
        If the shape is not a tuple or list of sizes, or the dtype does not exist.

    Example
    -------
    >>> from autodiff import static
    >>> x = static.placeholder(shape=(None, 2), name="x")
    >>> static.Session().run(static.reduce_sum(x, axis=1), {x: [[1, 2], [3, 4]]})
    array([3., 7.])
    """
    return Placeholder(get_default_graph(), (), name, checked_shape(shape), dtype)


def checked_shape(shape: Any) -> Shape:
    """A shape as a tuple of ints and None, or None. Raises TypeError for anything else."""
    if shape is None:
        return None
    if isinstance(shape, Iterable) and not isinstance(shape, str):
        sizes = tuple(int(size) if isinstance(size, np.integer) else size for size in shape)
        if all(size is None or (type(size) is int and size >= 0) for size in sizes):
            return sizes
    raise TypeError(
        f"the shape of a placeholder is a tuple of sizes, with None for an unknown size, not {shape!r:.60}. "
        "The shape comes before the dtype: placeholder((None, 3), np.float32)"
    )


def plain(value: Any, dtype: Any = None, is_float: bool = False) -> Any:
    """A value in the form in which a leaf holds it: a Python float, or a copied array, in the given dtype if
    there is one. With ``is_float`` integers become floats."""
    data = as_data(raw(value), is_float)
    if dtype is None:
        return data
    is_number = type(data) is float and np.dtype(dtype) == FLOAT
    return data if is_number else np.asarray(data).astype(dtype, copy=False)
