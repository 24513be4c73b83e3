"""``ad.vmap``: a function of one example becomes a function of a batch.

How it works:

- The function is traced once, on symbols that have the shape of one example. The operations that it applies,
  and the derivatives that it takes, become a graph of nodes (``graph.py``). The graph is then computed for
  all examples at once, with one batching rule for each op (``batching.py``).
- The nodes of the graph are calls of NumPy, not operations: they have no derivative rules, and ``detach`` and
  ``no_grad`` leave no trace in them. The graph is therefore computed on plain data, and a result that
  requires a gradient is recorded as the result of *one* operation on the arguments and on the Tensors that
  the function refers to. The rule of this operation is a vmap too: the vector-Jacobian product of the
  function for one example, vmapped over the examples and over the gradient that arrives. It is traced from
  the function's own rules, so kinks, custom operations and ``detach`` have the same effect as in a loop. The
  rule records itself in the same way, so it can be differentiated again, and forward mode differentiates it
  with respect to the gradient, as for any other operation.
- A Tensor that the function refers to is the same for all examples. So is an argument with the axis None. The
  gradient of both is the sum over the examples.
- Inside of another function that is compiled or vmapped, the arguments are symbols, and computing the graph
  makes nodes of the outer graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy  # noqa: ICN001

from ..calculus.derivatives import check_function, vjp
from ..calculus.trees import leaves, rebuilt
from ..engine import recording
from ..engine.operation import Operation
from ..engine.silence import silently
from ..engine.tensor import Tensor, constant_tensor, describe, raw, wants_grad
from ..engine.tracing import TraceError, stand_ins
from . import batching_calls, batching_places, batching_sums  # noqa: F401  # the first two register rules
from .axes import checked_axis, leaves_of, size_of_batch, spread_axes
from .batching import Batch, evaluate
from .entry import draw_now
from .nodes import ProgramNode
from .outside_draws import refusing_draws
from .structure import rebuild
from .symbol import Symbol, symbol_like
from .trace import ProgramTrace, node_of_result

np: Any = numpy  # whose functions take symbols too, which their annotations do not say
Function = Callable[..., Any]
PASSES = ("fold", "algebra", "cse")
SAME = "ad.vmap calls it once for all examples, which would get the same numbers"
SUM = object()
"""Stands in place of the axis of a result: the result is summed over the examples."""


def vmap(f: Function, in_axes: Any = 0, out_axes: Any = 0) -> Function:
    """Turn a function of one example into a function of a batch, without a loop.

    ``ad.vmap(f)(xs)`` is the stack of ``f(x)`` for each ``x`` along the first axis of ``xs``, computed with
    arrays that have one more axis. It combines with the derivatives, inside and outside:
    ``ad.vmap(ad.grad(loss), in_axes=(None, 0, 0))`` gives the gradient of each example.

    Parameters
    ----------
    f
        Takes and returns Tensors and arrays, and lists, tuples and dicts of them. It is called once, with
        Tensors that have the shape of one example and no values, so an ``if`` cannot depend on them; use
        ``ad.where``. Keyword arguments are passed on unchanged. Random numbers are drawn for each example, in
        the order in which a loop over the examples would draw them.
    in_axes
        The axis of each argument along which the examples lie, or None for an argument that is the same for
        all examples. Either one axis for all arguments, or a tuple or list with one for each; for an argument
        that is a list, tuple or dict, either one axis for all its parts or the same structure of axes.
    out_axes
        The axis of the results along which the examples lie, or axes in the structure of the result. None for
        a result that does not depend on the examples, which is returned once.

    Returns
    -------
    function
        Its results are Tensors where ``f`` returns Tensors. They are recorded if a Tensor that requires a
        gradient took part, given or referred to, and otherwise constants, as with :func:`autodiff.grad`. See
        ``jax.vmap`` and ``torch.func.vmap``.

    Raises
    ------
    TypeError
        If ``f`` is not a function; in the new function, if an argument with examples or a result is not an
        array.
    ValueError
        In the new function, if no argument has examples, the numbers of examples differ, or an axis is out of
        range.
    TraceError
        In the new function, where ``f`` needs a value or changes a Tensor.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.vmap(lambda x, y: (x * y).sum())(ad.Tensor([[1, 2], [3, 4]]), ad.Tensor([[1, 1], [10, 10]]))
    [ 3 70]
    >>> loss = lambda w, x, y: ((w * x).sum() - y) ** 2
    >>> w, xs, ys = [1.0, 1.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2.0, 7.0, 12.0]
    >>> ad.vmap(ad.grad(loss), in_axes=(None, 0, 0))(w, xs, ys)
    [[ 2  4]
     [ 0  0]
     [-10 -12]]
    """
    check_function(f, "vmap")

    @functools.wraps(f, updated=())
    def for_a_batch(*arguments: Any, **keywords: Any) -> Any:
        return Batching(f, arguments, keywords, in_axes).results(out_axes)

    return for_a_batch


class ExampleTrace(ProgramTrace):
    """Traces a function on one example. The trace may run inside of another one."""

    words: Mapping[str, str] = {
        "a function is compiled by calling it once with arguments that have no values": (
            "ad.vmap calls the function once, with an example that has no values"
        ),
        "or compile the parts before and after it": "or leave it outside of ad.vmap",
        "or compile the parts before and after this": "or leave it outside of ad.vmap",
        "compile the loss with its gradients": "take the gradients in ad.vmap",
        "; or training.Model(..., compile=True)": "",
        "while the function is compiled": "in ad.vmap",
        "a compiled function": "a function in ad.vmap",
        "the compiled function": "ad.vmap",
        "cannot be compiled": "cannot be vectorized by ad.vmap",
        "is not compiled": "is not vectorized by ad.vmap",
    }

    def __init__(self) -> None:
        super().__init__(PASSES)
        self.given: list[tuple[Tensor, Tensor]] = []  # the arguments that are Tensors, and their stand-ins

    def call(self, function: Function, args: Any, keywords: Any) -> tuple[Any, list[Any]]:
        """Call the function with symbols, and return the structure and the leaves of its result."""
        around = recording.current().trace
        outer = self.graph.outer = None if around is None else around.graph
        if outer is not None:
            outer.inner = self.graph
        try:
            found = super().call(function, args, keywords)
        finally:
            if outer is not None:
                outer.inner = None
        if around is not None:
            around.guards.extend(self.guards)
        self.check_no_change()
        return found

    def example(self, value: Any, axis: int | None, name: str) -> Tensor:
        """The stand-in of an argument for one example."""
        data = raw(value)
        shape, name = np.shape(data), self.own_name(name)
        if axis is None:
            symbol = symbol_like(self.graph, data, name)
        else:
            shape = shape[:axis] + shape[axis + 1 :]
            number = float if not shape and data.dtype == float else None  # as Tensor(0.5) is a number
            symbol = Symbol(self.graph, self.graph.input(name, shape, data.dtype, number))
        self.inputs.append(symbol.node)
        stand_in = constant_tensor(symbol)
        stand_in._requires_grad = wants_grad(value)
        self.first[stand_in] = symbol.node
        if isinstance(value, Tensor):
            self.given.append((value, stand_in))
        return stand_in

    def check_no_change(self) -> None:
        """Raise TraceError if the function changed a Tensor that it was given or refers to."""
        for tensor, stand_in in (*self.given, *self.captured.items()):
            is_read = tensor in self.captured and stand_in in self.touched
            if not self.is_own(stand_in._value) or stand_in._value.node is not self.first[stand_in]:
                what = "changes"
            elif is_read or stand_in._grad is not self.gradients.get(stand_in):
                what = "reads or changes the gradient of"
            else:
                continue
            raise TraceError(
                f"the function in ad.vmap {what} {describe(tensor)}, which each example would change anew. "
                "Return the new value instead (ad.grad returns gradients); a layer that keeps running "
                "statistics works in evaluation mode, net.eval()"
            )


def with_arrays(out: Any) -> Any:
    """The result of a function, with arrays in place of Python numbers. Raises TypeError for a part that is
    not a Tensor, an array, a number or a structure of them."""
    if isinstance(out, (Tensor, Symbol, np.ndarray)):
        return out
    if isinstance(out, (bool, int, float, np.generic)):
        return np.asarray(out)
    if isinstance(out, dict):
        return {key: with_arrays(part) for key, part in out.items()}
    if isinstance(out, (list, tuple)):
        parts = [with_arrays(part) for part in out]
        return type(out)(*parts) if hasattr(out, "_fields") else type(out)(parts)
    raise TypeError(f"a function in ad.vmap returns Tensors, arrays or numbers, not {out!r:.60}")


class Batching:
    """One call of a function on a batch.

    Attributes
    ----------
    operands
        The values that the results are computed from: the arguments that are Tensors or have examples, the
        Tensors that the function refers to, and the random numbers that it draws.
    axes
        The axis of each operand along which the examples lie, or None.
    nodes
        The nodes of the results for one example.
    """

    def __init__(self, f: Function, arguments: Sequence[Any], keywords: dict[str, Any], in_axes: Any) -> None:
        self.f, self.arguments, self.keywords = f, arguments, keywords
        self.leaves = leaves_of(f, arguments, in_axes)
        self.size = size_of_batch(self.leaves)
        inputs = [leaf for leaf in self.leaves if is_input(leaf)]
        structure, out = refusing_draws(f, SAME, lambda: self.traced(inputs))
        trace = self.trace
        self.tree, self.is_tensor = rebuild(structure, iter(out)), [isinstance(x, Tensor) for x in out]
        self.requires_grad = [*map(wants_grad, out)]
        self.nodes = [node_of_result(trace.graph, value) for value in out]
        self.captured = list(trace.captured)
        captured = [trace.first[stand_in] for stand_in in trace.captured.values()]
        self.inputs = [*trace.inputs, *captured, *trace.drawn]
        self.operands = stand_ins((*(leaf.value for leaf in inputs), *self.captured, *self.random()))
        self.axes = [leaf.axis for leaf in inputs] + [None] * len(self.captured) + [0] * len(trace.drawn)

    def traced(self, inputs: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Trace the function on one example, and return the structure and the leaves of its result."""
        trace = self.trace = ExampleTrace()
        examples = [trace.example(leaf.value, leaf.axis, leaf.name) for leaf in inputs]
        return trace.call(self.called, (examples,), {})

    def called(self, inputs: Sequence[Any]) -> Any:
        """Call the function with these values in place of the arguments that are Tensors or have examples."""
        remaining = iter(inputs)
        values = iter([next(remaining) if is_input(leaf) else leaf.value for leaf in self.leaves])
        arguments = [rebuilt(argument, values) for argument in self.arguments]
        return with_arrays(self.f(*arguments, **self.keywords))

    def random(self) -> list[Any]:
        """The random numbers that the function draws: one array for each draw, with the examples along its
        first axis. They are drawn in the order of a loop over the examples."""
        draws = self.trace.draws
        rows = [[draw_now(draw) for draw in draws] for _ in range(self.size)]
        shapes = [node.shape for node in self.trace.drawn]
        return [
            np.stack(column) if column else np.zeros((0, *shape))
            for column, shape in zip(zip(*rows) if rows else [()] * len(draws), shapes)
        ]

    def results(self, out_axes: Any) -> Any:
        """The results for the whole batch, in their structure."""
        self.out_axes = [
            axis if axis is None or axis is SUM else checked_axis(axis, len(node.shape) + 1, "a result")
            for axis, node in zip(out_axes_of(self.tree, out_axes), self.nodes, strict=True)
        ]
        data = self.computed([*map(raw, self.operands)])
        return rebuilt(self.tree, [self.returned(place, value) for place, value in enumerate(data)])

    def computed(self, operands: Sequence[Any]) -> list[Any]:
        """The data of all results."""
        given = {
            node: Batch(value, ()) if axis is None else Batch(np.moveaxis(value, axis, 0), (self.size,))
            for node, value, axis in zip(self.inputs, operands, self.axes, strict=True)
        }
        for node, (own, outer) in self.trace.graph.brought.items():
            given[own] = Batch(Symbol(outer, node), ())
        return silently(self.computed_from, given)

    def computed_from(self, given: dict[ProgramNode, Batch]) -> list[Any]:
        """The data of all results. They share no memory with the operands or with each other."""
        wanted = [
            part
            for node, axis in zip(self.nodes, self.out_axes)
            for part in (batching_sums.needed(node) if axis is SUM else [node])
        ]
        values = evaluate(wanted, given, self.size)
        taken = [batch.data for batch in given.values()]
        found = []
        for node, axis in zip(self.nodes, self.out_axes):
            found.append(owned(self.arranged(node, axis, values), taken))
            taken.append(found[-1])
        return found

    def arranged(self, node: ProgramNode, axis: Any, values: dict[ProgramNode, Batch]) -> Any:
        """The data of a result, with the examples along ``axis``. Raises ValueError if the axis is None and
        the result depends on the examples."""
        if axis is SUM:
            return batching_sums.total(node, values, self.size)
        data, front = values[node]
        if axis is None:
            if front:
                raise ValueError(
                    "a result whose axis in out_axes is None depends on the examples; give it an axis"
                )
            return np.copy(data)
        if not front:
            data = np.copy(np.broadcast_to(data, (self.size, *node.shape)))
        return np.moveaxis(data, 0, axis)

    def returned(self, place: int, data: Any) -> Any:
        """A result as a plain array or a Tensor, which is recorded if it requires a gradient."""
        if not self.is_tensor[place]:
            return data
        if self.requires_grad[place] and recording.current().recording:
            return self.operation.record(data, self.operands, {"place": place})
        return constant_tensor(data)

    # -- derivatives ----------------------------------------------------------------------------------------

    @functools.cached_property
    def operation(self) -> Operation:
        """The whole call as one operation on the operands."""

        def vmap(*operands: Any, place: int) -> Any:
            return self.computed(operands)[place]

        return Operation(vmap).backward(joint=self.rule)

    def rule(self, grad: Any, z: Any, *operands: Any, wanted: Sequence[bool], place: int) -> list[Any]:
        """The contributions to the wanted operands: the vector-Jacobian products for one example, vmapped,
        and summed over the examples for an operand that is the same for all of them."""
        places = [where for where, want in enumerate(wanted) if want]

        def pull(grad: Any, *operands: Any) -> Any:
            return self.pulled(place, places, grad, operands)

        grad_axis = None if self.out_axes[place] is SUM else self.out_axes[place]
        summed = None if self.out_axes[place] is None else SUM
        axes = [self.axes[where] for where in places]
        tensors = [as_constant(value) for value in (grad, *operands)]
        batching = Batching(pull, tensors, {}, (grad_axis, *self.axes))
        found = iter(batching.results([summed if axis is None else axis for axis in axes]))
        is_plain = not any(isinstance(value, Tensor) for value in (grad, *operands))
        contributions = [next(found) if want else None for want in wanted]
        return [raw(value) for value in contributions] if is_plain else contributions

    def pulled(self, place: int, places: Sequence[int], grad: Any, operands: Sequence[Any]) -> list[Any]:
        """The contributions of one example, called while they are traced."""

        def result(*some: Any) -> Any:
            everything = list(operands)
            for where, value in zip(places, some, strict=True):
                everything[where] = value
            return self.called_with(everything)[place]

        _, back = vjp(result, *(operands[where] for where in places))
        return list(back(grad))

    def called_with(self, operands: Sequence[Any]) -> list[Any]:
        """Call the function, and return the leaves of its result. The operands replace its arguments, the
        Tensors that it refers to and the arrays that it draws."""
        trace = recording.current().trace
        count = len(operands) - len(self.captured) - len(self.trace.drawn)
        captured, random = operands[count:][: len(self.captured)], operands[count + len(self.captured) :]
        before = trace.replaced, trace.given_draws
        trace.replaced = {**trace.replaced, **dict(zip(self.captured, captured))}
        trace.given_draws = [*map(raw, random)]
        try:
            return leaves(self.called(operands[:count]))
        finally:
            trace.replaced, trace.given_draws = before


def is_input(leaf: Any) -> bool:
    """Whether a leaf of the arguments is replaced by a stand-in: it has examples, or is a Tensor."""
    return leaf.axis is not None or isinstance(leaf.value, Tensor)


def as_constant(value: Any) -> Tensor:
    """A Tensor as it is, anything else as a constant."""
    return value if isinstance(value, Tensor) else constant_tensor(value)


def out_axes_of(tree: Any, out_axes: Any) -> list[Any]:
    """The axis of each leaf of the result, or ``SUM`` inside the package."""
    if isinstance(out_axes, list) and SUM in out_axes:
        return out_axes
    return spread_axes(tree, out_axes, "out_axes")


def owned(data: Any, others: Sequence[Any]) -> Any:
    """The data of a result, copied if it may share memory with operands or other results."""
    if isinstance(data, np.ndarray):
        if data.ndim and 0 in data.strides and data.size > 1:
            return np.array(data)
        is_shared = any(isinstance(x, np.ndarray) and np.may_share_memory(data, x) for x in others)
        return np.array(data) if is_shared else data
    return np.asarray(data) if isinstance(data, np.generic) else data
