"""Fits each contribution of the walk back to the shape and dtype of the Tensor it is for.

Broadcasting is undone here. A number stays a Python float, and an array stays an array.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from .catalogue import catalogue
from .contexts import switched, traces
from .dtypes import FLOAT16
from .node_parts import UPDATED
from .tensor import Tensor, constant_tensor, describe, raw
from .tracing import as_like
from .values import as_data, is_foreign


def fitted(contribution: Any, creator: Tensor, node: Tensor) -> Any:
    """The contribution from ``node`` in the shape and dtype of the creator it is for."""
    target = creator._value
    value = contribution._value if isinstance(contribution, Tensor) else contribution
    if type(value) is float and type(target) is float:
        return contribution
    if traces:
        found = as_like(value, target)
        if found is not None and (found is value or value is contribution):
            return contribution if found is value else found
    are_arrays = type(contribution) is np.ndarray and type(target) is np.ndarray
    if are_arrays and contribution.shape == target.shape and contribution.dtype == target.dtype:
        return contribution
    if contribution is None:
        raise TypeError(
            f"a rule of {node.creation_op} returned None for {describe(creator)}; does it lack a return "
            "statement?"
        )
    if not hasattr(contribution, "__array_function__"):  # a number, Python's or NumPy's
        contribution = np.asarray(contribution)
    if contribution.dtype.kind != "f":  # before the sum, since a sum of booleans may be a boolean
        contribution = catalogue.cast(contribution, dtype=creator.dtype)
    if contribution.shape != creator.shape:
        contribution = unbroadcast(contribution, creator, node)
    if contribution.dtype != creator.dtype:  # after the sum, so that it is rounded once
        contribution = catalogue.cast(contribution, dtype=creator.dtype)
    if isinstance(contribution, Tensor):
        return contribution
    if is_foreign(contribution):  # the one number of a library without numbers of its own may be an array
        return contribution if contribution.shape else np.full_like(target, contribution)
    return float(contribution) if type(target) is float else np.asarray(contribution)


def unbroadcast(grad: Any, creator: Tensor, node: Tensor) -> Any:
    """Sum a gradient over the axes along which NumPy stretched the creator."""
    is_float16 = grad.dtype == FLOAT16  # NumPy would sum in float16
    if not (is_float16 or isinstance(grad, Tensor)) and grad.ndim == 2 and grad.shape[1:] == creator.shape:
        return np.ones_like(grad, shape=(len(grad),)) @ grad  # twice as fast as a sum along the first axis
    extra = grad.ndim - creator.ndim
    sizes = grad.shape[max(extra, 0) :]
    if extra < 0 or any(small not in (1, size) for small, size in zip(creator.shape, sizes, strict=True)):
        raise ValueError(
            f"a rule of {node.creation_op} gave {describe(creator)} a gradient of shape {grad.shape}; "
            f"it must be {creator.shape}"
        )
    stretched = (extra + axis for axis, size in enumerate(creator.shape) if size == 1 and sizes[axis] != 1)
    return catalogue.sum(grad, axis=(*range(extra), *stretched), keepdims=True).reshape(creator.shape)


def owned(contribution: Any, in_use: Sequence[Any]) -> Any:
    """A contribution whose memory is its own: copied if it may share memory with an array ``in_use``.

    The user may write into a leaf's gradient, and no other array may change with it.
    """
    data = raw(contribution)
    if is_foreign(data):
        return contribution if isinstance(contribution, Tensor) else np.copy(contribution)
    if not isinstance(data, np.ndarray):
        return contribution
    may_share = data.base is not None or any(data is raw(x) for x in in_use)
    if not may_share:
        return contribution
    if not isinstance(contribution, Tensor):
        return data.copy()
    if contribution._requires_grad and contribution.creation_op is None:  # the user's own leaf
        return contribution
    twin = copy(contribution)  # recorded alike, from the same creators
    twin._value = data.copy()
    return twin


def initial_gradient(end: Tensor, grad: Any, create_graph: bool) -> Any:
    """The gradient that a walk from ``end`` begins with, in the shape and dtype of ``end``.

    Raises RuntimeError if ``end`` was not recorded, or if it is not a single number and ``grad`` is None;
    ValueError if ``grad`` does not broadcast to the shape of ``end``.
    """
    check_recorded(end)
    if grad is None:
        if end.size != 1:
            raise RuntimeError(
                f"backward() starts from a single number, and this is {describe(end)}. Reduce it first "
                f"(.sum() or .mean()), or give a gradient that broadcasts to {end.shape}"
            )
        if not create_graph:
            return 1.0 if type(end._value) is float else np.ones_like(end._value)
        grad = 1.0
    seed = grad if isinstance(grad, Tensor) else constant_tensor(end._like(as_data(grad)))
    if seed.shape != end.shape:
        try:
            with switched(recording=create_graph):
                seed = catalogue.broadcast_to(seed, shape=end.shape)
        except ValueError:
            message = f"a gradient of shape {seed.shape} does not broadcast to {describe(end)}"
            raise ValueError(message) from None
    if create_graph:
        return fitted(seed, end, end)
    start = fitted(seed._value, end, end)
    # The caller may write into an array of its own later; as_data has copied it already.
    return copy(start) if isinstance(grad, Tensor) or np.shape(start) != np.shape(grad) else start


def check_recorded(end: Tensor) -> None:
    """Raise RuntimeError if nothing was recorded that a walk from ``end`` could follow."""
    if not end._requires_grad:
        raise RuntimeError(
            f"nothing to walk back from {describe(end)}: it was computed from constants, under no_grad or by "
            "detach, so nothing was recorded. A Tensor to differentiate by is made by ad.Tensor(...), by "
            "nn.Parameter(...) or with requires_grad=True"
        )
    if end.creation_op is None and end._x is UPDATED:
        raise RuntimeError(
            f"nothing to walk back from {describe(end)}: an in-place operator changed it, as y *= 2 does, "
            "and that is not recorded. Write y = x * 2 to compute a new Tensor"
        )


def after_hooks(node: Tensor, grad: Any, create_graph: bool) -> Any:
    """The gradient that has arrived at a node, or what the node's hooks return in its place."""
    for hook in () if node._extras is None else node._extras.hooks:
        found = hook.function(as_tensor(grad))
        if found is not None:
            found = found if isinstance(found, Tensor) else constant_tensor(node._like(as_data(found)))
            if found.shape != node.shape:
                raise ValueError(
                    f"a hook gave {describe(node)} a gradient of shape {found.shape}; it must be {node.shape}"
                )
            grad = fitted(found if create_graph else np.copy(found._value), node, node)
    return grad


def accumulated(before: Any, arrived: Any) -> Any:
    """The sum of an earlier gradient and the one that has arrived; recorded if the new one is."""
    return added(before if isinstance(arrived, Tensor) else raw(before), arrived)


def added(one: Any, other: Any) -> Any:
    """The sum of two gradients. For two 0-d arrays NumPy returns a scalar; here the sum stays an array."""
    both = one + other
    return np.asarray(both) if isinstance(both, np.generic) else both


def zeros(node: Tensor) -> Any:
    """The gradient of a Tensor that the result does not depend on."""
    return 0.0 if type(node._value) is float else np.zeros_like(node._value)


def as_tensor(grad: Any) -> Tensor:
    """A gradient, or other plain data, as a constant; a Tensor as it is."""
    return grad if isinstance(grad, Tensor) else constant_tensor(grad)
