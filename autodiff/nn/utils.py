"""What PyTorch keeps in ``nn.utils``: gradients cut to size, and parameters as one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.tensor import Tensor, describe, raw
from ..ops.joining import concatenate
from ..ops.shaping import reshape
from ..optim.clipping import clip_grad_norm_, clip_grad_value_

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Any:
    """All elements of the parameters in one vector. It is recorded: gradients walk back to the parameters.

    Parameters
    ----------
    parameters
        Tensors of any shape, as ``net.parameters()`` gives them.

    Returns
    -------
    Tensor
        Of shape (number of elements,).

    Raises
    ------
    TypeError, ValueError
        If one is no Tensor, or there are none.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.utils.parameters_to_vector([Tensor([[1.0, 2.0]]), Tensor(3.0)])
    [1 2 3]
    """
    given = listed(parameters, "parameters_to_vector")
    if not given:
        raise ValueError("parameters_to_vector was given no parameters (a generator can be read only once)")
    return concatenate([reshape(parameter, shape=(-1,)) for parameter in given])


def vector_to_parameters(vec: Any, parameters: Iterable[Tensor]) -> None:
    """Give the parameters the elements of a vector, in order. It is a change of data and is not recorded.

    Parameters
    ----------
    vec
        Of shape (number of elements,).
    parameters
        Tensors of any shape, as ``net.parameters()`` gives them; each keeps its dtype.

    Raises
    ------
    TypeError, ValueError
        If a parameter is no Tensor or no leaf, or the vector is of another length. Nothing is changed then.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> w, b = Tensor([[1.0, 2.0]]), Tensor(3.0)
    >>> nn.utils.vector_to_parameters([10.0, 20.0, 30.0], [w, b])
    >>> w, b
    ([[10 20]], 30)
    """
    given, values = listed(parameters, "vector_to_parameters"), np.asarray(raw(vec))
    for parameter in given:
        if parameter.creation_op is not None:
            raise ValueError(
                f"vector_to_parameters cannot change {describe(parameter)}: its value comes from its creators"
            )
    ends = np.cumsum([math.prod(parameter.shape) for parameter in given], dtype=int)
    count = int(ends[-1]) if given else 0
    if values.shape != (count,):
        raise ValueError(f"vec has the shape {values.shape}, and the parameters have {count} elements")
    for parameter, part in zip(given, np.split(values, ends[:-1])):
        parameter.assign(part.reshape(parameter.shape))


def listed(parameters: Any, owner: str) -> list[Tensor]:
    """Parameters as a list. Raises TypeError if one is no Tensor."""
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for parameter in given:
        if not isinstance(parameter, Tensor):
            raise TypeError(f"{owner} takes Tensors, not {describe(parameter)}")
    return given
