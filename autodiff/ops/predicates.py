"""Predicates: isnan, isinf, isfinite, allclose, equal, any, all.

They return plain booleans and record nothing, like comparisons.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.keywords import in_either_words
from ..engine.tensor import raw


def isnan(x: Any) -> Any:
    """Where ``x`` is nan.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.isnan(ad.Tensor([1, np.nan]))
    array([False,  True])
    """
    return np.isnan(raw(x))


def isinf(x: Any) -> Any:
    """Where ``x`` is inf or -inf.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.isinf(ad.Tensor([1, -np.inf]))
    array([False,  True])
    """
    return np.isinf(raw(x))


def isfinite(x: Any) -> Any:
    """Where ``x`` is neither infinite nor nan.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.isfinite(ad.Tensor([1, np.nan, np.inf]))
    array([ True, False, False])
    """
    return np.isfinite(raw(x))


def allclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether x and y, broadcast together, differ nowhere by more than ``atol + rtol * abs(y)``.

    >>> import autodiff as ad
    >>> ad.allclose(ad.Tensor([1, 2]), [1, 2 + 1e-9])
    True
    """
    return bool(np.allclose(raw(x), raw(y), rtol, atol, equal_nan))


def equal(x: Any, y: Any) -> bool:
    """Whether x and y have the same shape and the same elements.

    >>> import autodiff as ad
    >>> ad.equal(ad.Tensor([1, 2]), [1, 2]), ad.equal(ad.Tensor([1, 2]), 1)
    (True, False)
    """
    return bool(np.array_equal(raw(x), raw(y)))


@in_either_words
def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether any element is nonzero, among all or along ``axis``.

    >>> import autodiff as ad
    >>> bool(ad.Tensor([0, 2]).any()), ad.any([[0, 0], [0, 2]], dim=0)
    (True, array([False,  True]))
    """
    return np.any(raw(x), axis=axis, keepdims=keepdims)


@in_either_words
def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether all elements are nonzero, among all or along ``axis``.

    >>> import autodiff as ad
    >>> bool(ad.Tensor([0, 2]).all()), ad.all([[0, 1], [3, 2]], dim=0)
    (False, array([False,  True]))
    """
    return np.all(raw(x), axis=axis, keepdims=keepdims)
