"""What NumPy's own functions do with a Tensor: ``np.sum(t, axis=0)`` is ``ad.sum(t, axis=0)``.

NumPy hands such a call over (its ``__array_function__`` protocol, NEP 18). A function that is not listed here
is refused, since NumPy would compute without a gradient; with constants alone there is none to lose, and it
is computed on their data.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .ops import catalogue
from .tensor import Tensor, describe

PLAIN = frozenset((np.shape, np.ndim, np.size, np.array_equal, np.allclose, np.isclose, np.iscomplexobj))
"""These look at the data and give no Tensor."""

FUNCTIONS: dict[Any, Any] = {
    function: catalogue.find(name or function.__name__)
    for function, name in {
        np.sum: "", np.mean: "", np.prod: "", np.max: "", np.min: "", np.amax: "max", np.amin: "min",
        np.concatenate: "", np.stack: "", np.reshape: "", np.where: "", np.dot: "",
    }.items()
}  # fmt: skip


def numpy_function(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Answer a call of one of NumPy's functions in which a Tensor stands.

    Raises TypeError for a function or an argument that we do not differentiate.
    """
    if function in PLAIN:
        return function(*without_tensors(args), **without_tensors(kwargs))
    if function in FUNCTIONS:
        return FUNCTIONS[function](*args, **kwargs)
    tensors = list(tensors_in((args, kwargs)))
    if not any(tensor.requires_grad for tensor in tensors):
        return function(*without_tensors(args), **without_tensors(kwargs))
    near = difflib.get_close_matches(function.__name__, [f.__name__ for f in FUNCTIONS], 3, 0.5)
    raise TypeError(
        f"np.{function.__name__} is not recorded for {describe(tensors[0])}"
        + (f"; there is np.{', np.'.join(near)}" if near else "")
        + ". Use t.data for the plain array, or t.detach()"
    )


catalogue.numpy_function = numpy_function


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The Tensors among the arguments of a call."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(part)


def without_tensors(value: Any) -> Any:
    """Arguments with each Tensor's data in its place."""
    if isinstance(value, Tensor):
        return value.data
    if isinstance(value, dict):
        return {name: without_tensors(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(without_tensors(part) for part in value)
    return value
