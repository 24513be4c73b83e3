"""Function: a custom operation as a class, as in PyTorch.

The shorter form is :func:`autodiff.operation`, a function with rules. Use this one if the forward computes
something that backward needs too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from .engine.contexts import switched
from .engine.contributions import as_tensor
from .engine.operation import Operation
from .engine.tensor import Tensor, constant_tensor, raw
from .ops import catalogue


class Context:
    """The ``ctx`` of a Function: what forward keeps for backward.

    Inputs and outputs are kept by :meth:`save_for_backward`. Anything else may be kept as an attribute
    (``ctx.mask = ...``); then backward runs, but cannot be differentiated.
    """

    needs_input_grad: tuple[bool, ...]
    """Whether each input needs a gradient; backward may return None for those that do not."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        self._tensors = [isinstance(value, Tensor) for value in inputs]
        self._arguments = [None if isinstance(value, Tensor) else value for value in inputs]
        self._saved: tuple[Any, ...] = ()
        self._positions: tuple[Any, ...] | None = None  # of the saved Tensors; set when forward has run
        self._outputs: list[Output] | None = None  # several outputs, which are recorded as one flat array
        self.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in inputs)

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs or outputs for backward, in ``ctx.saved_tensors``."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The saved Tensors, in order."""
        return self._saved

    def __repr__(self) -> str:
        return "<context>"

    @property
    def _extra(self) -> list[str]:
        """The names of attributes that keep something other than inputs and outputs."""
        own = ("_tensors", "_arguments", "_saved", "_positions", "_outputs", "needs_input_grad")
        arguments = [id(argument) for argument in self._arguments]
        extra = [name for name, value in vars(self).items() if name not in own and id(value) not in arguments]
        saves_other = any(isinstance(position, Tensor) for position in self._positions or ())
        return extra + ["save_for_backward"] * saves_other


class Function:
    """A custom operation: subclass it with static methods ``forward`` and ``backward``, and call ``apply``.

    ``forward(ctx, *inputs)`` gets constant Tensors (and other arguments of ``apply`` unchanged), records
    nothing, and returns a Tensor or a tuple of Tensors. ``backward(ctx, *grads)`` gets the gradient of each
    output (zeros for an unused one) and returns a gradient for each input of forward, or None. It can be
    differentiated again if ctx keeps only inputs and outputs; otherwise ``create_graph=True`` raises
    RuntimeError.

    Example
    -------
    >>> import autodiff as ad
    >>> class Cube(ad.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return 3 * x * x * grad
    >>> x = ad.Tensor(2)
    >>> y = Cube.apply(x)
    >>> y.backward()
    >>> y, x.grad, str(y.creation_op), ad.grad(ad.grad(Cube.apply))(2.0)
    (8, 12, 'Cube', 12)
    """

    operation: Operation
    """The operation that is recorded as ``creation_op``."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Any:
        """Compute the output, or a tuple of outputs, from the inputs."""
        raise NotImplementedError("a Function needs a static method forward(ctx, *inputs)")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Compute the gradient of each input from the gradient of each output."""
        raise NotImplementedError("a Function needs a static method backward(ctx, grad)")

    def __init_subclass__(cls) -> None:
        def forward(*values: Any, ctx: Context) -> Any:
            out = run_forward(cls, ctx, [constant_tensor(value) for value in values])
            return packed(out) if isinstance(out, list) else raw(out)

        def joint(grad: Any, z: Any, *inputs: Any, wanted: Sequence[bool], ctx: Context) -> Any:
            return run_backward(cls, ctx, grad, z, inputs)

        forward.__name__ = forward.__qualname__ = cls.__name__
        forward.__module__, forward.__doc__ = cls.__module__, cls.__doc__
        cls.operation = Operation(forward).backward(joint=joint)

    @classmethod
    def apply(cls, *inputs: Any) -> Any:
        """Compute the outputs, and record the operation if an input is a Tensor."""
        tensors = [value for value in inputs if isinstance(value, Tensor)]
        ctx = Context(inputs)
        if not tensors:
            out = run_forward(cls, ctx, tensors)
            return tuple(map(raw, out)) if isinstance(out, list) else raw(out)
        out = cls.operation(*tensors, ctx=ctx)
        return out if ctx._outputs is None else tuple(unpacked(out, ctx._outputs))


def run_forward(cls: type[Function], ctx: Context, tensors: list[Tensor]) -> Any:
    """Call the forward of a Function; the result is a Tensor, or a list for several outputs. If it is called
    again, by a picture for instance, ctx does not change."""
    call_ctx = ctx if ctx._positions is None else copy(ctx)
    remaining = iter(tensors)
    inputs = [next(remaining) if is_tensor else x for is_tensor, x in zip(ctx._tensors, ctx._arguments)]
    with switched(recording=False):
        out = cls.forward(call_ctx, *inputs)
    is_single = not isinstance(out, (tuple, list))
    nodes = [*tensors, out] if is_single else [*tensors, *out]
    call_ctx._positions = tuple(position_of(saved, nodes) for saved in call_ctx._saved)
    call_ctx._saved = ()
    if is_single:
        return out
    outputs = [as_tensor(value) for value in out]
    call_ctx._outputs = [Output(x.shape, x.dtype, None if x.dtype.kind == "f" else x) for x in outputs]
    return outputs


class Output(NamedTuple):
    """One of several outputs. The shapes determine its slice of the flat array."""

    shape: tuple[int, ...]
    dtype: np.dtype
    constant: Tensor | None  # the output itself, if it holds integers, which have no gradient


def position_of(saved: Any, nodes: Sequence[Any]) -> Any:
    """The position of a saved Tensor among the inputs and outputs, or the Tensor itself if it is neither."""
    return next((position for position, node in enumerate(nodes) if node is saved), saved)


def packed(outputs: Sequence[Tensor]) -> np.ndarray:
    """Several outputs as one flat array, since a node of the graph has one value."""
    floats = [np.ravel(output.data) for output in outputs if output.dtype.kind == "f"]
    return np.concatenate([np.zeros(0, np.float16), *floats])  # the empty array does not change the dtype


def unpacked(flat: Any, outputs: Sequence[Output]) -> list[Any]:
    """The slices of a flat array or Tensor, in the shapes and dtypes of the outputs."""
    parts: list[Any] = []
    start = 0
    for shape, dtype, constant in outputs:
        if constant is not None:
            parts.append(constant)
            continue
        end = start + math.prod(shape)
        part = catalogue.reshape(catalogue.getitem(flat, index=slice(start, end)), shape=shape)
        parts.append(part if part.dtype == dtype else catalogue.cast(part, dtype=dtype))
        start = end
    return parts


def run_backward(cls: type[Function], ctx: Context, grad: Any, z: Any, inputs: Sequence[Any]) -> list[Any]:
    """Call the backward of a Function; with Tensors that are recorded if the walk is, else with constants.

    Raises RuntimeError if it cannot be differentiated again but must be, or for a wrong number of gradients.
    """
    is_recorded = isinstance(grad, Tensor)
    if is_recorded and ctx._extra:
        raise RuntimeError(
            f"{cls.__name__} can be differentiated once only: its forward kept more than inputs and output "
            f"({', '.join(ctx._extra)}). Save inputs or the output by ctx.save_for_backward and compute the "
            "rest from them in backward, or pass it as an input"
        )
    tensor = (lambda value: value) if is_recorded else as_tensor
    call_ctx = copy(ctx)
    with switched(recording=is_recorded):
        outputs, grads = [z], [grad]
        if ctx._outputs is not None:
            outputs, grads = unpacked(z, ctx._outputs), output_gradients(grad, ctx._outputs)
        nodes = [*map(tensor, (*inputs, *outputs))]
        call_ctx._saved = tuple(nodes[p] if isinstance(p, int) else p for p in ctx._positions or ())
        result = cls.backward(call_ctx, *map(tensor, grads))
    contributions = result if isinstance(result, (tuple, list)) else (result,)
    if len(contributions) != len(ctx._tensors):
        raise RuntimeError(
            f"{cls.__name__}.backward gave {len(contributions)} gradients for {len(ctx._tensors)} inputs of "
            "forward; return one for each, and None for an input that gets none"
        )
    to_tensors = [part for part, is_tensor in zip(contributions, ctx._tensors) if is_tensor]
    return to_tensors if is_recorded else [raw(part) for part in to_tensors]


def output_gradients(grad: Any, outputs: Sequence[Output]) -> list[Any]:
    """The gradient of each output, from that of the flat array; zeros for integers."""
    parts = zip(unpacked(grad, outputs), outputs)
    return [part if output.constant is None else np.zeros(output.shape) for part, output in parts]
