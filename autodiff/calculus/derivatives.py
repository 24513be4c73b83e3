"""Derivatives of functions. ``grad(f)`` is a function too, and can be differentiated again.

An argument may be a number, an array, a Tensor, or a list, tuple or dict of Tensors or arrays; the derivative
has the same structure. Nothing is stored in ``.grad``.

**Plain in, plain out, and no gradient lost**: a result is recorded if a Tensor that requires a gradient took
part in it, as any argument or because the function refers to it, such as a network's weights. So a loss may
contain derivatives, and ``backward`` reaches the weights. Where none took part, and under ``no_grad``, the
results are constants, which record nothing and convert to NumPy. A Tensor that the function itself makes does
not count, and neither does a frozen one (``requires_grad=False``).

>>> import autodiff as ad
>>> w = ad.Tensor(3.0)
>>> slope = ad.grad(lambda x: w * x ** 2)(5.0)
>>> slope.backward()
>>> slope, w.grad
(30, 10)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine import recording
from ..engine.backward import walk
from ..engine.contributions import as_tensor
from ..engine.tensor import Tensor, constant_tensor, describe, raw, wants_grad
from ..engine.tracing import stand_ins
from ..engine.values import as_data
from ..ops.joining import stack
from .trace import CallTrace
from .trees import leaves, matching_leaves, rebuilt

Function = Callable[..., Any]


def check_function(f: Any, name: str) -> None:
    """Raise TypeError if ``f`` is not a function."""
    if isinstance(f, Tensor):
        raise TypeError(
            f"ad.{name} takes a function, and this is {describe(f)}. For the gradient of a Tensor that was "
            "computed already, use ad.gradients(y, [x])"
        )
    if not callable(f):
        raise TypeError(f"ad.{name} takes a function, not {f!r:.60}")


def value_and_grad(f: Function, argnums: int | Sequence[int] = 0, *, has_aux: bool = False) -> Function:
    """A function that returns both the value of ``f``, which is one number, and its gradient.

    With ``has_aux`` it returns ``((value, aux), gradient)``. See :func:`grad` for the parameters and errors.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.value_and_grad(lambda x: x ** 3)(2.0)
    (8, 12)
    """
    check_function(f, "value_and_grad")

    def value_and_gradient(*inputs: Any, **keywords: Any) -> tuple[Any, Any]:
        trace = CallTrace(f, inputs, argnums, keywords, has_aux)
        if len(trace.outputs) != 1 or trace.outputs[0].size != 1:
            what = describe(trace.outputs[0]) if len(trace.outputs) == 1 else f"{len(trace.outputs)} Tensors"
            raise RuntimeError(
                f"grad needs a function that returns one number, and it returned {what}; sum it, or use "
                "jacobian"
            )
        gradient = trace.pull(trace.outputs[0])
        trace.close()
        value = (trace.value(), trace.aux) if has_aux else trace.value()
        return value, trace.like_primals(gradient)

    value_and_gradient.__wrapped__ = f  # type: ignore[attr-defined]  # its arguments are those of f
    return value_and_gradient


def grad(f: Function, argnums: int | Sequence[int] = 0, *, has_aux: bool = False) -> Function:
    """The gradient of ``f``, which returns one number, as a function.

    Parameters
    ----------
    f
        Takes Tensors, or lists, tuples or dicts of Tensors, and returns a Tensor with one element. Keyword
        arguments are passed on unchanged. If it returns a plain number, the gradient is 0.
    argnums
        The position of the argument to differentiate with respect to, or several; the gradient is then a
        tuple.
    has_aux
        ``f`` returns a pair, ``(result, aux)``, and the gradient function returns ``(gradient, aux)``.

    Raises
    ------
    TypeError
        If ``f`` is not a function; by the gradient function, if ``f`` returns neither a Tensor nor a number,
        or takes a value out of a Tensor by ``float(x)``, ``math.exp(x)`` or a write into an array.
    RuntimeError
        By the gradient function, if ``f`` returns more than one number.

    Example
    -------
    >>> import autodiff as ad
    >>> slope = ad.grad(lambda x: x ** 3)
    >>> slope(2.0), ad.grad(slope)(2.0), ad.grad(ad.grad(slope))(2.0)
    (12, 12, 6)
    >>> ad.grad(lambda p: p["w"] * p["w"] + p["b"])({"w": 3.0, "b": 1.0})
    {'w': 6, 'b': 1}
    """
    check_function(f, "grad")
    value_and_gradient = value_and_grad(f, argnums, has_aux=has_aux)

    def gradient_of_f(*inputs: Any, **keywords: Any) -> Any:
        value, gradient = value_and_gradient(*inputs, **keywords)
        return (gradient, value[1]) if has_aux else gradient

    gradient_of_f.__wrapped__ = f  # type: ignore[attr-defined]
    return gradient_of_f


def gradients(
    y: Tensor, xs: Any, grad: Any = None, *, create_graph: bool = False, allow_unused: bool = False
) -> Any:
    """The gradients of a Tensor that was computed already, with respect to Tensors it was computed from.

    No ``.grad`` changes.

    Parameters
    ----------
    y
        The Tensor to walk back from. It is one number, unless ``grad`` is given.
    xs
        A Tensor, or a list, tuple or dict of Tensors. The result has the same structure.
    grad
        The gradient of ``y`` to start from; it broadcasts to the shape of ``y``.
    create_graph
        Record the walk, so that the gradients can be differentiated again.
    allow_unused
        Return None for a Tensor that ``y`` does not depend on, instead of raising an error.

    Raises
    ------
    TypeError
        If ``y`` or one of ``xs`` is not a Tensor.
    RuntimeError
        If ``backward`` would raise one, or if ``y`` does not depend on one of ``xs``.

    Example
    -------
    >>> import autodiff as ad
    >>> x, y = ad.Tensor(5), ad.Tensor(7)
    >>> ad.gradients(x * y, [x, y]), x.grad
    ([7, 5], None)
    """
    inputs = leaves(xs)
    for value in (y, *inputs):
        if not isinstance(value, Tensor):
            raise TypeError(f"ad.gradients takes Tensors, not {value!r:.60}; for a function, use ad.grad")
    y, *inputs = stand_ins((y, *inputs))
    arrived = walk(y, grad, create_graph=create_graph)
    for value in inputs:
        if value not in arrived and not allow_unused:
            raise RuntimeError(
                f"{describe(y)} does not depend on {describe(value)}; allow_unused=True returns None for it"
            )
    return rebuilt(xs, [as_tensor(arrived[x]) if x in arrived else None for x in inputs])


def vjp(f: Function, *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of ``f`` at ``primals``, and the function that computes vector-Jacobian products there.

    This function takes a cotangent in the structure and the shapes of the output (or shapes that broadcast to
    them). It returns a tuple with the gradient of each of ``primals``: the cotangent times the Jacobian. It
    may be called many times. With ``has_aux``, ``f`` returns a pair ``(result, aux)``, and aux is returned
    third.

    Example
    -------
    >>> import autodiff as ad
    >>> out, pull = ad.vjp(lambda x: x * x, [1.0, 2.0, 3.0])
    >>> out, pull([1, 0, 0])
    ([1 4 9], ([2 0 0],))
    """
    check_function(f, "vjp")
    trace = CallTrace(f, primals, range(len(primals)), has_aux=has_aux)
    trace.close()

    def pull(cotangent: Any) -> Any:
        trace.check_not_released()
        cotangents = matching_leaves(trace.out, cotangent)
        contributions = [trace.pull(output, part) for output, part in zip(trace.outputs, cotangents)]
        return trace.like_primals(sum(parts[1:], parts[0]) for parts in zip(*contributions))

    return (trace.value(), pull, trace.aux) if has_aux else (trace.value(), pull)


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value of ``f`` at ``primals``, and the Jacobian-vector product there, by forward mode: how the
    value changes if the primals change by ``tangents``.

    Raises ValueError if a tangent does not have the shape of its primal.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.jvp(lambda x, y: x * y, (5.0, 7.0), (1.0, 10.0))
    (35, 57)
    """
    check_function(f, "jvp")
    for values in (primals, tangents):
        if not isinstance(values, (tuple, list)):
            raise TypeError("jvp takes the primals and the tangents as tuples: jvp(f, (x,), (v,))")
    trace = CallTrace(f, tuple(primals), range(len(primals)))
    if len(primals) != len(tangents):
        raise ValueError(
            f"jvp needs one tangent per primal, and was given {len(tangents)} for {len(primals)}"
        )
    tangent_leaves = [leaf for pair in zip(primals, tangents) for leaf in matching_leaves(*pair)]
    pushed = trace.push({x: as_tangent(v, x) for x, v in zip(trace.inputs, tangent_leaves)})
    trace.close()
    return trace.value(), rebuilt(trace.out, map(trace.settled, pushed))


def as_tangent(value: Any, x: Tensor) -> Any:
    """A tangent of x: a Tensor if it is to be differentiated too, otherwise data in the dtype of x.

    Raises ValueError if it does not have the shape of x.
    """
    if np.shape(raw(value)) != x.shape:
        raise ValueError(
            f"the tangent of {describe(x)} must have the shape {x.shape}, not {np.shape(raw(value))}"
        )
    if wants_grad(value) and recording.current().recording:
        return value
    return x._like(as_data(raw(value)))


def jacobian(f: Function, argnums: int | Sequence[int] = 0, *, mode: str | None = None) -> Function:
    """The Jacobian of ``f``, as a function: for an output of shape (m,) and an argument of shape (n,), a
    Tensor of shape (m, n).

    Parameters
    ----------
    f
        Returns a Tensor of any shape, or a list, tuple or dict of them.
    argnums
        The position of the argument to differentiate with respect to, or several. The result has the
        structure of the output, and each Tensor in it is replaced by the structure of the argument (a tuple
        for several).
    mode
        "forward" takes one walk per element of the arguments, "reverse" one per element of the output; None
        chooses the mode with fewer walks.

    Raises
    ------
    ValueError
        For another mode.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.jacobian(lambda x: x * x)([1.0, 2.0])
    [[2 0]
     [0 4]]
    """
    check_function(f, "jacobian")
    if mode not in (None, "forward", "reverse"):
        raise ValueError(f'mode of jacobian must be "forward", "reverse" or None, not {mode!r}')

    def matrix(*inputs: Any, **keywords: Any) -> Any:
        trace = CallTrace(f, inputs, argnums, keywords)
        column_count, row_count = (sum(x.size for x in side) for side in (trace.inputs, trace.outputs))
        is_forward = mode == "forward" or (mode is None and column_count <= row_count)
        blocks = jacobian_by_columns(trace) if is_forward else jacobian_by_rows(trace)
        trace.close()
        return rebuilt(trace.out, map(trace.like_primals, blocks))

    return matrix


def jacobian_by_rows(trace: CallTrace) -> list[list[Tensor]]:
    """A block for each output and input, by one walk back per element of each output."""
    blocks = []
    for output in trace.outputs:
        pulled = zip(*(trace.pull(output, unit) for unit in unit_vectors(output)))
        rows = list(pulled) or [()] * len(trace.inputs)  # an output without elements has no rows
        blocks.append([jacobian_block(part, output, x) for part, x in zip(rows, trace.inputs)])
    return blocks


def jacobian_by_columns(trace: CallTrace) -> list[list[Tensor]]:
    """A block for each output and input, by one walk forward per element of each input."""
    blocks: list[list[Tensor]] = [[] for _ in trace.outputs]
    for x in trace.inputs:
        pushed = zip(*(trace.push({x: unit}) for unit in unit_vectors(x)))
        columns = list(pushed) or [()] * len(trace.outputs)
        for output, part, blocks_of_output in zip(trace.outputs, columns, blocks):
            blocks_of_output.append(jacobian_block(part, output, x, axis=-1))
    return blocks


def unit_vectors(tensor: Tensor) -> list[Any]:
    """For each element of a Tensor, data in its shape that is 1 at that element and 0 elsewhere."""
    if tensor.ndim == 0:
        return [tensor._like(1.0)]
    return list(np.eye(tensor.size, dtype=tensor.dtype).reshape(tensor.size, *tensor.shape))


def jacobian_block(parts: Sequence[Tensor], output: Tensor, x: Tensor, axis: int = 0) -> Tensor:
    """The Jacobian of one output with respect to one input, from its rows (axis 0) or columns (axis -1)."""
    shape = (*output.shape, *x.shape)
    if not shape:
        return parts[0]
    if math.prod(shape) == 0:
        return constant_tensor(np.zeros(shape, dtype=output.dtype))
    return stack(*parts, axis=axis).reshape(shape)


def hessian(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """The Hessian of ``f``, which returns one number, as a function: for an argument of shape (n,), a Tensor
    of shape (n, n).

    For several arguments, or a dict, their structure is nested twice: ``hessian(f)(p)["w"]["b"]``.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.hessian(lambda x: (x ** 3).sum())([1.0, 2.0])
    [[ 6  0]
     [ 0 12]]
    """
    check_function(f, "hessian")
    return jacobian(grad(f, argnums), argnums)


def hvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Hessian-vector product, without the Hessian: the tangent of the gradient (Pearlmutter, "Fast Exact
    Multiplication by the Hessian", 1994). It is a tuple with the structure of ``primals``.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.hvp(lambda x: (x ** 3).sum(), ([1.0, 2.0],), ([1.0, 1.0],))
    ([ 6 12],)
    """
    check_function(f, "hvp")
    return jvp(grad(f, range(len(primals))), primals, tangents)[1]
