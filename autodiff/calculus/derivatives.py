"""Derivatives as functions of functions: ``grad(f)`` is a function too, and can be differentiated again.

An argument may be a number, an array, a Tensor, or a list, tuple or dict of Tensors or arrays; the derivative
is built alike. Nothing is stored on ``.grad``.

**Plain in, plain out**: for numbers and arrays the results are constants, which record nothing and convert to
NumPy. They are recorded if an argument is a Tensor that requires a gradient, or if the call stands inside a
function that is being differentiated itself; under ``no_grad`` never.
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
from ..engine.values import as_data
from ..ops.joining import stack
from .trace import Trace
from .trees import leaves, matched, rebuilt

Function = Callable[..., Any]


def check_function(f: Any, name: str) -> None:
    """Raise TypeError if a Tensor, or something else, stands where a function belongs."""
    if isinstance(f, Tensor):
        raise TypeError(
            f"ad.{name} takes a function, and this is {describe(f)}. For the gradient of a Tensor that was "
            "computed already: ad.gradients(y, [x])"
        )
    if not callable(f):
        raise TypeError(f"ad.{name} takes a function, not {f!r:.60}")


def value_and_grad(f: Function, argnums: int | Sequence[int] = 0, *, has_aux: bool = False) -> Function:
    """A function that gives both what ``f`` returns, which is one number, and its gradient.

    With ``has_aux`` it gives ``((value, aux), gradient)``. See :func:`grad` for the parameters and errors.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.value_and_grad(lambda x: x ** 3)(2.0)
    (8, 12)
    """
    check_function(f, "value_and_grad")

    def both(*inputs: Any, **keywords: Any) -> tuple[Any, Any]:
        trace = Trace(f, inputs, argnums, keywords, has_aux)
        if len(trace.ends) != 1 or trace.ends[0].size != 1:
            what = describe(trace.ends[0]) if len(trace.ends) == 1 else f"{len(trace.ends)} Tensors"
            raise RuntimeError(
                f"grad needs a function that returns one number, and it returned {what}; sum it, or use "
                "jacobian"
            )
        found = trace.pull(trace.ends[0])
        trace.close()
        value = (trace.value(), trace.aux) if has_aux else trace.value()
        return value, trace.alike(found)

    return both


def grad(f: Function, argnums: int | Sequence[int] = 0, *, has_aux: bool = False) -> Function:
    """The gradient of ``f``, which returns one number, as a function.

    Parameters
    ----------
    f
        Takes Tensors, or lists, tuples or dicts of Tensors, and returns a Tensor with one element. Keyword
        arguments are handed on to it as they are. If it returns a plain number, the gradient is 0.
    argnums
        By which argument, or by which ones: for several the gradient is a tuple.
    has_aux
        ``f`` returns a pair, ``(result, aux)``; then the gradient comes as ``(gradient, aux)``.

    Raises TypeError if ``f`` is not a function; when called, TypeError if ``f`` returns neither a Tensor
    nor a number, RuntimeError if it is not one number.

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
    both = value_and_grad(f, argnums, has_aux=has_aux)

    def gradient(*inputs: Any, **keywords: Any) -> Any:
        value, found = both(*inputs, **keywords)
        return (found, value[1]) if has_aux else found

    return gradient


def gradients(
    y: Tensor, xs: Any, grad: Any = None, *, create_graph: bool = False, allow_unused: bool = False
) -> Any:
    """The gradients of a Tensor that was computed already, with regard to Tensors it was computed from.

    No ``.grad`` changes.

    Parameters
    ----------
    y
        The Tensor to walk back from: one number, if no ``grad`` is given.
    xs
        A Tensor, or a list, tuple or dict of Tensors. The result is built alike.
    grad
        The gradient of ``y`` to start from; it broadcasts to the shape of ``y``.
    create_graph
        Record the walk, so that the gradients can be differentiated again.
    allow_unused
        Give None for a Tensor that ``y`` does not depend on, instead of an error.

    Raises TypeError if ``y`` or one of ``xs`` is not a Tensor, RuntimeError where ``backward`` does, and if
    ``y`` does not depend on one of ``xs``.

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
            raise TypeError(f"ad.gradients takes Tensors, not {value!r:.60}; for functions there is ad.grad")
    arrived = walk(y, grad, create_graph=create_graph)
    for value in inputs:
        if value not in arrived and not allow_unused:
            raise RuntimeError(
                f"{describe(y)} does not depend on {describe(value)}; allow_unused=True gives None for it"
            )
    return rebuilt(xs, [as_tensor(arrived[x]) if x in arrived else None for x in inputs])


def vjp(f: Function, *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """What ``f`` returns at ``primals``, and the function that takes a gradient of that back to them.

    The second takes what is built and shaped like the output (or broadcasts to it), and returns a tuple with
    a gradient for each of ``primals``: a vector times the Jacobian. It may be called many times. With
    ``has_aux`` the function returns a pair, and its second part comes third.

    Example
    -------
    >>> import autodiff as ad
    >>> out, pull = ad.vjp(lambda x: x * x, [1.0, 2.0, 3.0])
    >>> out, pull([1, 0, 0])
    ([1 4 9], ([2 0 0],))
    """
    check_function(f, "vjp")
    trace = Trace(f, primals, range(len(primals)), has_aux=has_aux)
    trace.close()

    def pull(cotangent: Any) -> Any:
        cotangents = matched(trace.out, cotangent)
        found = [trace.pull(end, part) for end, part in zip(trace.ends, cotangents)]
        return trace.alike(sum(parts[1:], parts[0]) for parts in zip(*found))

    return (trace.value(), pull, trace.aux) if has_aux else (trace.value(), pull)


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """What ``f`` returns at ``primals``, and how that moves when they move by ``tangents``: the Jacobian
    times a vector, by the walk forward.

    Raises ValueError if a tangent has another shape than its primal.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.jvp(lambda x, y: x * y, (5.0, 7.0), (1.0, 10.0))
    (35, 57)
    """
    check_function(f, "jvp")
    for values in (primals, tangents):
        if not isinstance(values, (tuple, list)):
            raise TypeError("jvp takes its arguments, and their tangents, as tuples: jvp(f, (x,), (v,))")
    trace = Trace(f, tuple(primals), range(len(primals)))
    if len(primals) != len(tangents):
        raise ValueError(f"{len(primals)} arguments have {len(tangents)} tangents")
    given = [leaf for pair in zip(primals, tangents) for leaf in matched(*pair)]
    moves = {start: move_of(start, move) for start, move in zip(trace.starts, given)}
    moved = trace.push(moves)
    trace.close()
    return trace.value(), rebuilt(trace.out, moved)


def move_of(start: Tensor, move: Any) -> Any:
    """A tangent as the walk takes it: like its Tensor's data, recorded only if it is a recorded Tensor."""
    if np.shape(raw(move)) != start.shape:
        raise ValueError(f"a tangent of shape {np.shape(raw(move))} was given for {describe(start)}")
    if wants_grad(move) and recording.current().recording:
        return move
    return start._like(as_data(raw(move)))


def jacobian(f: Function, argnums: int | Sequence[int] = 0, *, mode: str | None = None) -> Function:
    """All slopes of all that ``f`` returns, as a function: for an output of shape (m,) and an argument of
    shape (n,) an (m, n) Tensor.

    Parameters
    ----------
    f
        Returns a Tensor of any shape, or a list, tuple or dict of them.
    argnums
        By which argument, or by which ones. The result is built like the output, and in place of each Tensor
        there stands what is built like the argument (a tuple, if ``argnums`` is one).
    mode
        "forward" makes one walk per element of the arguments, "reverse" one per element of the output; None
        takes the fewer.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.jacobian(lambda x: x * x)([1.0, 2.0])
    [[2 0]
     [0 4]]
    """
    check_function(f, "jacobian")
    if mode not in (None, "forward", "reverse"):
        raise ValueError(f'mode is "forward", "reverse" or None, not {mode!r}')

    def matrix(*inputs: Any, **keywords: Any) -> Any:
        trace = Trace(f, inputs, argnums, keywords)
        wide, tall = (sum(x.size for x in side) for side in (trace.starts, trace.ends))
        by = mode or ("forward" if wide <= tall else "reverse")
        blocks = columns(trace) if by == "forward" else rows(trace)
        trace.close()
        return rebuilt(trace.out, map(trace.alike, blocks))

    return matrix


def rows(trace: Trace) -> list[list[Tensor]]:
    """A jacobian by one walk back per element of each end."""
    found = []
    for end in trace.ends:
        pulled = zip(*(trace.pull(end, unit) for unit in units(end)))
        parts = list(pulled) or [()] * len(trace.starts)  # an end without elements has no rows
        found.append([block(part, end, start) for part, start in zip(parts, trace.starts)])
    return found


def columns(trace: Trace) -> list[list[Tensor]]:
    """A jacobian by one walk forward per element of each start."""
    found: list[list[Tensor]] = [[] for _ in trace.ends]
    for start in trace.starts:
        pushed = zip(*(trace.push({start: unit}) for unit in units(start)))
        parts = list(pushed) or [()] * len(trace.ends)
        for end, part, blocks in zip(trace.ends, parts, found):
            blocks.append(block(part, end, start, axis=-1))
    return found


def units(tensor: Tensor) -> list[Any]:
    """For each element of a Tensor the data of its shape that is 1 there and 0 elsewhere."""
    if tensor.ndim == 0:
        return [tensor._like(1.0)]
    return list(np.eye(tensor.size, dtype=tensor.dtype).reshape(tensor.size, *tensor.shape))


def block(parts: Sequence[Tensor], end: Tensor, start: Tensor, axis: int = 0) -> Tensor:
    """The slopes of one end by one start, of both their shapes."""
    shape = (*end.shape, *start.shape)
    if not shape:
        return parts[0]
    if math.prod(shape) == 0:
        return constant_tensor(np.zeros(shape, dtype=end.dtype))
    return stack(*parts, axis=axis).reshape(shape)


def hessian(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """All second slopes of ``f``, which returns one number: for an argument of shape (n,) an (n, n) Tensor.

    For several arguments, or a dict, the result is built like them twice over: ``hessian(f)(p)["w"]["b"]``.

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
    """The Hessian of ``f`` times a vector, without the Hessian: how the gradient moves (Pearlmutter, "Fast
    Exact Multiplication by the Hessian", 1994). A tuple, built like ``primals``.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.hvp(lambda x: (x ** 3).sum(), ([1.0, 2.0],), ([1.0, 1.0],))
    ([ 6 12],)
    """
    check_function(f, "hvp")
    return jvp(grad(f, range(len(primals))), primals, tangents)[1]
