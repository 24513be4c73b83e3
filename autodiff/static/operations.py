"""Every operation of the catalogue as a function on nodes, under its own name, and under the names of
SimpleFlow and TensorFlow 1 if these differ.

The functions compute nothing: each makes a node by ``apply``, and takes the options of its operation and a
``name``. ``help(ad.softmax)`` says what an operation computes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops import catalogue
from . import several
from .node import apply

Function = Callable[..., Any]

INTERNAL = frozenset((
    "alias", "at_largest", "below_one", "cofactors", "convolution", "cosine", "detsign", "eigenvectors",
    "kernel_gradient", "middle", "power_norm", "score", "sech2", "sinc_slope", "singular_vectors",
    "spread_mean", "svdvals", "ties", "to_largest", "transposed_convolution", "unit", "wins",
))  # fmt: skip
"""Operations that only the rules of others use; they are not public."""

COMPOSED = (
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "bmm", "conv1d", "conv2d",
    "conv_transpose1d", "conv_transpose2d", "cross", "diag", "index_select", "kron", "masked_fill",
    "max_pool1d", "narrow", "take", "tensordot",
)  # fmt: skip
"""Functions composed of operations, each with one result. A run calls them on its Tensors."""

COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)

OTHER_NAMES = {
    "multiply": "mul", "negative": "neg", "subtract": "sub", "divide": "div", "power": "pow",
    "reduce_sum": "sum", "reduce_mean": "mean", "reduce_max": "max", "reduce_min": "min",
    "reduce_prod": "prod", "reduce_logsumexp": "logsumexp", "concat": "concatenate",
}  # fmt: skip
"""SimpleFlow's and TensorFlow 1's names, with the operations that they stand for."""

UNSEEN = {"cast": "A node that converts to another floating-point dtype, ``dtype=``, when it runs."}
"""The docstrings of functions that ``autodiff`` does not have under this name."""


def function_of(operation: Any, called: str | None = None) -> Function:
    """The function that makes a node by this operation.

    >>> import autodiff as ad
    >>> from autodiff import static
    >>> function_of(ad.exp)(static.constant(0.0, name="zero"), name="one")
    <one(zero) of shape ()>
    """

    def make(*inputs: Any, name: str | None = None, **options: Any) -> Any:
        return apply(operation, *inputs, name=name, **options)

    own = operation.__name__
    make.__name__ = make.__qualname__ = called or own
    same = f", TensorFlow's name for ``{own}``" if called and called != own else ""
    home = f"``numpy.{own}``" if isinstance(operation, np.ufunc) else f":func:`autodiff.{own}`"
    make.__doc__ = UNSEEN.get(own, f"A node that computes {own!r} when it runs{same}; see {home}.")
    return make


def all_functions() -> dict[str, Function]:
    """All functions on nodes, by their names."""
    found = {operation.name: function_of(operation) for operation in catalogue}
    found |= {name: function_of(getattr(catalogue, name)) for name in COMPOSED}
    found |= {name: several.function_of(getattr(catalogue, name)) for name in several.SEVERAL}
    found |= {ufunc.__name__: function_of(ufunc) for ufunc in COMPARISONS}
    return found | {name: function_of(catalogue.find(own), name) for name, own in OTHER_NAMES.items()}


FUNCTIONS = all_functions()
