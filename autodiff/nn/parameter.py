"""Parameter: a Tensor that belongs to a module and that an optimizer updates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.node_parts import Extras
from ..engine.silence import silently
from ..engine.tensor import Tensor, check_may_leave, raw
from ..engine.values import as_data


class Parameter(Tensor):
    """A leaf Tensor that belongs to a module; its dtype is float32 unless another is given.

    Networks are trained in single precision: half the memory, about twice the speed. A number stays a Python
    float, as in any Tensor; combined with float32 arrays it leaves their dtype unchanged.

    Parameters
    ----------
    data
        A number, or anything ``np.array`` accepts; it is copied.
    requires_grad
        False freezes it: no gradient is computed, and an optimizer refuses it.
    dtype
        The dtype of the array; None keeps that of the data.
    name
        The name in pictures and error messages. By default it is the path in the network, ``fc1.weight``.

    Raises
    ------
    TypeError
        If the data does not consist of real numbers.

    Example
    -------
    >>> from autodiff import nn
    >>> w = nn.Parameter([1.0, 2.0])
    >>> w, w.dtype, w.requires_grad
    ([1 2], dtype('float32'), True)
    """

    __slots__ = ("_path",)

    _path: str | None  # its path in the network, once its module belongs to one

    def __init__(
        self,
        data: Any,
        requires_grad: bool = True,
        *,
        dtype: Any = np.float32,
        name: str | None = None,
    ) -> None:
        check_may_leave(data)
        data = as_data(raw(data))
        if isinstance(data, np.ndarray) and dtype is not None:
            data = silently(data.astype, dtype, copy=False)  # values out of range become inf
        self._path = None  # a trace that is told of the new Tensor asks for its name
        super().__init__(data, requires_grad=requires_grad)
        # This drops the scope: a parameter belongs to no box in pictures, since every call uses it.
        self._extras = None if name is None else Extras(name=name)

    @property
    def name(self) -> str | None:
        """The name in pictures and error messages, the one that was given, else the path in the network."""
        return self._path if self._extras is None else self._extras.name or self._path

    @name.setter
    def name(self, value: str | None) -> None:
        self._extras = None if value is None else Extras(name=value)
