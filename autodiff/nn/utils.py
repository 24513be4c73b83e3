"""PyTorch's ``nn.utils``: gradient clipping, the conversion between parameters and one vector, and ``rnn``
for sequences of unequal length."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.tensor import Tensor, describe, raw
from ..ops.joining import concatenate
from ..ops.shaping import reshape
from ..optim.clipping import checked_tensors, clip_grad_norm_, clip_grad_value_
from . import packed as rnn

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "rnn", "vector_to_parameters"]

sys.modules[f"{__name__}.rnn"] = rnn  # for the line "from autodiff.nn.utils.rnn import pad_sequence"


def parameters_to_vector(parameters: Iterable[Tensor]) -> Any:
    """All elements of the parameters in one vector. It is recorded: gradients flow back to the parameters.

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
        If one is not a Tensor, or there are none.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.utils.parameters_to_vector([Tensor([[1.0, 2.0]]), Tensor(3.0)])
    [1 2 3]
    """
    tensors = checked_tensors(parameters, "parameters_to_vector")
    if not tensors:
        raise ValueError("parameters_to_vector got no parameters (a generator can be read only once)")
    return concatenate([reshape(tensor, shape=(-1,)) for tensor in tensors])


def vector_to_parameters(vec: Any, parameters: Iterable[Tensor]) -> None:
    """Set the elements of the parameters to those of a vector, in order. The change is not recorded.

    Parameters
    ----------
    vec
        Of shape (number of elements,).
    parameters
        Tensors of any shape, as ``net.parameters()`` gives them; each keeps its dtype.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not a Tensor or not a leaf, or the vector has another length. Nothing is changed
        then.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> w, b = Tensor([[1.0, 2.0]]), Tensor(3.0)
    >>> nn.utils.vector_to_parameters([10.0, 20.0, 30.0], [w, b])
    >>> w, b
    ([[10 20]], 30)
    """
    tensors, vector = checked_tensors(parameters, "vector_to_parameters"), np.asarray(raw(vec))
    for tensor in tensors:
        if tensor.creation_op is not None:
            raise ValueError(
                f"vector_to_parameters cannot change {describe(tensor)}: its value comes from its creators"
            )
    ends = np.cumsum([tensor.size for tensor in tensors], dtype=int)
    count = int(ends[-1]) if tensors else 0
    if vector.shape != (count,):
        raise ValueError(f"vec has the shape {vector.shape}, and the parameters have {count} elements")
    for tensor, elements in zip(tensors, np.split(vector, ends[:-1])):
        tensor.assign(elements.reshape(tensor.shape))
