"""Derivatives as functions of functions: ``grad(f)`` is a function too, and can be differentiated again.

An argument may be a number, an array, a Tensor, or a list, tuple or dict of Tensors or arrays; the derivative
is built alike. Nothing is stored on ``.grad``. What comes out is recorded, unless ``no_grad`` is on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from . import state
from .backward import gradients, zeros
from .ops.joining import stack
from .structure import leaves, matched, rebuilt
from .tangents import leaf_of, link, tangent
from .tensor import Tensor, constant_tensor, describe, raw
from .values import as_data

Function = Callable[..., Any]


class Trace:
    """A call of ``f`` on leaves that stand for the arguments to differentiate by.

    Inside, an argument depends on nothing, whatever it was made from; ``close`` ties it to that again, so
    that a derivative of the derivative finds its way.
    """

    def __init__(self, f: Function, inputs: Sequence[Any], argnums: int | Sequence[int]) -> None:
        places = [argnums] if isinstance(argnums, int) else list(argnums)
        for place in places:
            if not -len(inputs) <= place < len(inputs):
                raise ValueError(f"argnums asks for argument {place}, and {len(inputs)} were given")
        arguments = list(inputs)
        chosen = [arguments[place] for place in places]
        self.chosen = chosen
        self.is_single = isinstance(argnums, int)
        self.given = [leaf for argument in chosen for leaf in leaves(argument)]
        self.starts = [leaf_of(x) if isinstance(x, Tensor) else Tensor(x) for x in self.given]
        rest = iter(self.starts)
        for place, argument in zip(places, chosen):
            arguments[place] = rebuilt(argument, rest)
        self.create_graph = state.here().recording
        with state.enable_grad():
            self.out = f(*arguments)
        self.ends = leaves(self.out)
        for end in self.ends:
            if not isinstance(end, Tensor):
                raise TypeError(f"grad needs a function that returns a Tensor, not {type(end).__name__}")

    def close(self) -> None:
        """Tie each stand-in to the Tensor it stood for."""
        if self.create_graph:
            link(self.starts, self.given)

    def alike(self, values: Iterable[Any]) -> Any:
        """One value per start, built like the arguments: a tuple, if ``argnums`` asked for several."""
        rest = iter(values)
        parts = tuple(rebuilt(argument, rest) for argument in self.chosen)
        return parts[0] if self.is_single else parts

    def pull(self, end: Tensor, cotangent: Any = None) -> list[Tensor]:
        """What arrives at each start from a gradient of ``end``."""
        if not end.requires_grad:  # the same whatever the arguments are
            return [constant_tensor(zeros(start)) for start in self.starts]
        return gradients(end, self.starts, cotangent, create_graph=self.create_graph)

    def push(self, moves: dict[Tensor, Any]) -> list[Tensor]:
        """How each end moves."""
        return [tangent(end, moves, create_graph=self.create_graph) for end in self.ends]

    def value(self) -> Any:
        """What ``f`` returned; without its graph where nothing is recorded."""
        ends = self.ends if self.create_graph else [end.detach() for end in self.ends]
        return rebuilt(self.out, ends)


def value_and_grad(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """A function that gives both what ``f`` returns, which is one number, and its gradient.

    See :func:`grad` for the parameters and errors.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.value_and_grad(lambda x: x ** 3)(2.0)
    (8, 12)
    """

    def both(*inputs: Any) -> tuple[Any, Any]:
        trace = Trace(f, inputs, argnums)
        if len(trace.ends) != 1 or trace.ends[0].size != 1:
            what = describe(trace.ends[0]) if len(trace.ends) == 1 else f"{len(trace.ends)} Tensors"
            raise RuntimeError(
                f"grad needs a function that returns one number, and it returned {what}; sum it, or use "
                "jacobian"
            )
        found = trace.pull(trace.ends[0])
        trace.close()
        return trace.value(), trace.alike(found)

    return both


def grad(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """The gradient of ``f``, which returns one number, as a function.

    Parameters
    ----------
    f
        Takes Tensors, or lists, tuples or dicts of Tensors, and returns a Tensor with one element.
    argnums
        By which argument, or by which ones: for several the gradient is a tuple.

    Raises, when called, TypeError if ``f`` does not return a Tensor, RuntimeError if it is not one number.

    Example
    -------
    >>> import autodiff as ad
    >>> slope = ad.grad(lambda x: x ** 3)
    >>> slope(2.0), ad.grad(slope)(2.0), ad.grad(ad.grad(slope))(2.0)
    (12, 12, 6)
    >>> ad.grad(lambda p: p["w"] * p["w"] + p["b"])({"w": 3.0, "b": 1.0})
    {'w': 6, 'b': 1}
    """

    def gradient(*inputs: Any) -> Any:
        return value_and_grad(f, argnums)(*inputs)[1]

    return gradient


def vjp(f: Function, *primals: Any) -> tuple[Any, Function]:
    """What ``f`` returns at ``primals``, and the function that takes a gradient of that back to them.

    The second takes what is built and shaped like the output (or broadcasts to it), and returns a tuple with
    a gradient for each of ``primals``: a vector times the jacobian. It may be called many times.

    Example
    -------
    >>> import autodiff as ad
    >>> out, pull = ad.vjp(lambda x: x * x, [1.0, 2.0, 3.0])
    >>> out, pull([1, 0, 0])
    ([1 4 9], ([2 0 0],))
    """
    trace = Trace(f, primals, range(len(primals)))
    trace.close()

    def pull(cotangent: Any) -> Any:
        cotangents = matched(trace.out, cotangent)
        found = [trace.pull(end, part) for end, part in zip(trace.ends, cotangents)]
        return trace.alike(sum(shares[1:], shares[0]) for shares in zip(*found))

    return trace.value(), pull


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """What ``f`` returns at ``primals``, and how that moves when they move by ``tangents``: the jacobian
    times a vector, by the walk forward.

    Raises ValueError if a tangent has another shape than its primal.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.jvp(lambda x, y: x * y, (5.0, 7.0), (1.0, 10.0))
    (35, 57)
    """
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
    if isinstance(move, Tensor) and move.requires_grad and state.here().recording:
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
    if mode not in (None, "forward", "reverse"):
        raise ValueError(f'mode is "forward", "reverse" or None, not {mode!r}')

    def matrix(*inputs: Any) -> Any:
        trace = Trace(f, inputs, argnums)
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
    return jacobian(grad(f, argnums), argnums)


def hvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The hessian of ``f`` times a vector, without the hessian: how the gradient moves (Pearlmutter, "Fast
    Exact Multiplication by the Hessian", 1994). A tuple, built like ``primals``.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.hvp(lambda x: (x ** 3).sum(), ([1.0, 2.0],), ([1.0, 1.0],))
    ([ 6 12],)
    """
    gradient = grad(f, range(len(primals)))
    with state.enable_grad():
        moved = jvp(gradient, primals, tangents)[1]
    return moved if state.here().recording else rebuilt(moved, [part.detach() for part in leaves(moved)])
