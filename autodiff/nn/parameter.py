"""Parameter: a Tensor that a module finds among its attributes and an optimizer changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.node import Extras
from ..engine.silence import silently
from ..engine.tensor import Tensor, raw
from ..engine.values import as_data


class Parameter(Tensor):
    """A leaf Tensor that belongs to a module, in float32 unless another dtype is asked for.

    Single precision is what networks are trained in: half the memory, about twice the speed. A number stays a
    Python float, as in any Tensor; beside float32 arrays it does not change their dtype.

    Parameters
    ----------
    data
        A number, or anything ``np.array`` takes; it is copied.
    requires_grad
        False freezes it: no gradient is computed, and an optimizer refuses it.
    dtype
        Of the array; None keeps the dtype the data has.
    name
        What pictures and error messages call it. Without one it is its place in the network that the module
        around belongs to, ``fc1.weight``.

    Raises
    ------
    TypeError
        If the data is not real numbers.

    Example
    -------
    >>> from autodiff import nn
    >>> w = nn.Parameter([1.0, 2.0])
    >>> w, w.dtype, w.requires_grad
    ([1 2], dtype('float32'), True)
    """

    __slots__ = ("_place",)

    _place: str | None  # where it stands in the network, once its module belongs to one

    def __init__(
        self,
        data: Any,
        requires_grad: bool = True,
        *,
        dtype: Any = np.float32,
        name: str | None = None,
    ) -> None:
        data = as_data(raw(data))
        if isinstance(data, np.ndarray) and dtype is not None:
            data = silently(data.astype, dtype, copy=False)  # what is too large for it is inf
        super().__init__(data, requires_grad=requires_grad)
        # Made inside a scope it still lies in no box: every later call uses it too.
        self._extras = None if name is None else Extras(name=name)
        self._place = None

    @property
    def name(self) -> str | None:
        """What pictures and error messages call it: the name it was given, else its place in the network."""
        return self._place if self._extras is None else self._extras.name or self._place

    @name.setter
    def name(self, value: str | None) -> None:
        self._extras = None if value is None else Extras(name=value)
