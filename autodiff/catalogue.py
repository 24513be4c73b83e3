"""The catalogue: every operation of the package, by name.

Tensor's operators look their operation up here, the modules in ``ops/`` enter theirs, and so neither has to
import the other. Nothing else lives here: what an operation is stands in ``operation.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np


class Catalogue:
    """Operations as attributes: ``catalogue.mul`` is the operation that ``x * y`` calls.

    Example
    -------
    >>> import autodiff as ad
    >>> from autodiff.catalogue import catalogue
    >>> catalogue.mul is ad.mul
    True
    >>> "exp" in [operation.name for operation in catalogue]
    True
    """

    walk_back: Callable[..., None]
    """Entered by backward.py; Tensor.backward looks it up as an operator does its operation."""

    numpy_function: Callable[..., Any]
    """Entered by numpy_functions.py: what NumPy's functions do with a Tensor."""

    def __init__(self) -> None:
        self.__dict__ = {}  # Python 3.11 reads a dict of one's own faster than one that shares its keys

    def enter(self, operation: Any) -> Any:
        """Put ``operation`` on the list under its own name. Raises ValueError if the name is taken."""
        before = self.__dict__.get(operation.name)
        if before and before.__module__ != operation.__module__:  # a module run again replaces its own
            raise ValueError(f"the catalogue already has an operation named {operation.name!r}")
        self.__dict__[operation.name] = operation
        return operation

    def __iter__(self) -> Iterator[Any]:
        return (entry for name, entry in self.__dict__.items() if name not in ("walk_back", "numpy_function"))

    if TYPE_CHECKING:  # only then: a class with __getattr__ looks every attribute up the slow way

        def __getattr__(self, name: str) -> Any: ...

    def find(self, name: str) -> Any:
        """The operation called ``name``. Raises ValueError, with the names there are, if there is none."""
        for operation in self:
            if operation.name == name:
                return operation
        known = ", ".join(operation.name for operation in self)
        raise ValueError(f"no operation is called {name!r}; there are {known}")


catalogue = Catalogue()

# What NumPy's own functions are called here, and which of them give no Tensor.
UFUNCS: dict[Any, str] = {
    np.add: "add", np.subtract: "sub", np.multiply: "mul", np.divide: "div", np.power: "pow",
    np.negative: "neg", np.absolute: "abs", np.fabs: "abs", np.matmul: "matmul", np.rint: "round",
} | {
    getattr(np, name): name
    for name in (
        "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "ceil", "cos",
        "cosh", "exp", "exp2", "expm1", "floor", "fmax", "fmin", "hypot", "log", "log10", "log1p", "log2",
        "logaddexp", "maximum", "minimum", "reciprocal", "sign", "sin", "sinh", "sqrt", "square", "tan",
        "tanh",
    )
}  # fmt: skip

PLAIN_UFUNCS: frozenset[Any] = frozenset((
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.isnan, np.isinf, np.isfinite, np.signbit,
    np.logical_and, np.logical_not, np.logical_or, np.logical_xor,
))  # fmt: skip
