"""The catalogue: every operation of the package, by name, and the functions composed of operations.

The modules in ``ops/`` enter their operations here, and Tensor's operators look theirs up, so neither has to
import the other. ``operation.py`` defines what an operation is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any


class Catalogue:
    """Operations as attributes: ``catalogue.mul`` is the operation that ``x * y`` calls.

    Example
    -------
    >>> import autodiff as ad
    >>> from autodiff.engine.catalogue import catalogue
    >>> catalogue.mul is ad.mul
    True
    >>> "exp" in [operation.name for operation in catalogue]
    True
    """

    walk_back: Callable[..., None]
    """Entered by ``backward.py`` and called by ``Tensor.backward``."""

    numpy_function: Callable[..., Any]
    """Entered by ``numpy_protocol``: what NumPy's functions do with a Tensor."""

    numpy_ufunc: Callable[..., Any]
    """Entered by ``numpy_protocol``: what NumPy's elementwise functions do with a Tensor."""

    def __init__(self) -> None:
        self.__dict__ = {}  # Python 3.11 reads a plain dict faster than one with shared keys

    def enter(self, operation: Any) -> Any:
        """Enter ``operation`` under its own name. Raises ValueError if the name is taken."""
        before = self.__dict__.get(operation.name)
        if before and before.__module__ != operation.__module__:  # a module that runs again replaces its own
            raise ValueError(f"the catalogue already has an operation named {operation.name!r}")
        self.__dict__[operation.name] = operation
        return operation

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__dict__.values())

    if TYPE_CHECKING:  # a class that really has __getattr__ looks up every attribute more slowly

        def __getattr__(self, name: str) -> Any: ...

    def find(self, name: str) -> Any:
        """The operation called ``name``. Raises ValueError, with all names, if there is none."""
        if name in self.__dict__:
            return self.__dict__[name]
        known = ", ".join(operation.name for operation in self)
        raise ValueError(f"no operation is called {name!r}; the operations are {known}")


catalogue = Catalogue()
