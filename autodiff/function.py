"""Function: a custom operation as a class, the form that users of PyTorch know.

The shorter form is :func:`autodiff.operation`, a function and its rules. This one is for operations whose
forward computes something that backward wants to keep.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from .engine.contributions import as_tensor
from .engine.operation import Operation
from .engine.recording import grad_mode
from .engine.tensor import Tensor, constant_tensor, raw
from .ops import catalogue


class Context:
    """What a Function keeps from its forward for its backward: the ``ctx`` that both are given.

    Inputs and outputs are kept by :meth:`save_for_backward`. Anything else may be kept as an attribute
    (``ctx.mask = ...``), and then backward can be run, but not differentiated.
    """

    needs_input_grad: tuple[bool, ...]
    """Backward may leave None for an input that needs no gradient."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        self._tensors = [isinstance(value, Tensor) for value in inputs]
        self._arguments = [None if isinstance(value, Tensor) else value for value in inputs]
        self._saved: tuple[Any, ...] = ()
        self._places: tuple[Any, ...] | None = None  # of what was saved; set when forward has run
        self._outputs: list[Output] | None = None  # several outputs, which are recorded as one flat array
        self.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in inputs)

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs or outputs; backward finds them in ``ctx.saved_tensors``."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved, in order."""
        return self._saved

    def __repr__(self) -> str:
        return "<context>"

    @property
    def _extra(self) -> list[str]:
        """What was kept that is neither an input nor an output, by name."""
        known = ("_tensors", "_arguments", "_saved", "_places", "_outputs", "needs_input_grad")
        given = [id(argument) for argument in self._arguments]
        kept = [name for name, value in vars(self).items() if name not in known and id(value) not in given]
        return kept + ["save_for_backward"] * any(isinstance(place, Tensor) for place in self._places or ())


class Function:
    """A custom operation: subclass it with static methods ``forward`` and ``backward``, and call ``apply``.

    ``forward(ctx, *inputs)`` sees constant Tensors (and whatever else ``apply`` was given), records nothing,
    and returns a Tensor or a tuple of Tensors. ``backward(ctx, *grads)`` is given the gradient of each of
    them (zeros for what was not used) and returns a gradient per input of forward, None where there is none.
    It is differentiated itself if ctx kept inputs and outputs alone; else ``create_graph=True`` raises
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
    """What is recorded as ``creation_op``."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Any:
        """Compute the output from the inputs."""
        raise NotImplementedError("a Function needs a static method forward(ctx, *inputs)")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradient of each input from the gradient of each output."""
        raise NotImplementedError("a Function needs a static method backward(ctx, grad)")

    def __init_subclass__(cls) -> None:
        def forward(*values: Any, ctx: Context) -> Any:
            out = run(cls, ctx, [constant_tensor(value) for value in values])
            return packed(out) if isinstance(out, list) else raw(out)

        def joint(grad: Any, z: Any, *inputs: Any, wanted: Sequence[bool], ctx: Context) -> Any:
            return walk_back(cls, ctx, grad, z, inputs, wanted)

        forward.__name__ = forward.__qualname__ = cls.__name__
        forward.__module__, forward.__doc__ = cls.__module__, cls.__doc__
        cls.operation = Operation(forward).backward(joint=joint)

    @classmethod
    def apply(cls, *inputs: Any) -> Any:
        """Compute; record, too, if an input is a Tensor."""
        tensors = [value for value in inputs if isinstance(value, Tensor)]
        ctx = Context(inputs)
        if not tensors:
            out = run(cls, ctx, tensors)
            return tuple(map(raw, out)) if isinstance(out, list) else raw(out)
        out = cls.operation(*tensors, ctx=ctx)
        return out if ctx._outputs is None else tuple(unpacked(out, ctx._outputs))


def run(cls: type[Function], ctx: Context, tensors: list[Tensor]) -> Any:
    """The forward of a Function: a Tensor, or a list of several. A picture may ask for it once more: then
    what was kept stays as it is."""
    here = ctx if ctx._places is None else copy(ctx)
    rest = iter(tensors)
    inputs = [next(rest) if is_tensor else x for is_tensor, x in zip(ctx._tensors, ctx._arguments)]
    with grad_mode(False):
        out = cls.forward(here, *inputs)
    is_single = not isinstance(out, (tuple, list))
    nodes = [*tensors, out] if is_single else [*tensors, *out]
    here._places = tuple(place_of(kept, nodes) for kept in here._saved)
    here._saved = ()
    if is_single:
        return out
    outputs = [as_tensor(value) for value in out]
    here._outputs = [Output(x.shape, x.dtype, None if x.dtype.kind == "f" else x) for x in outputs]
    return outputs


class Output(NamedTuple):
    """One of several outputs: where its numbers are in a flat array follows from the shapes."""

    shape: tuple[int, ...]
    dtype: np.dtype
    constant: Tensor | None  # the output itself, if it holds integers, which have no gradient


def place_of(kept: Any, nodes: Sequence[Any]) -> Any:
    """The place of what was kept among the inputs and outputs; a Tensor that is none of them, itself."""
    return next((place for place, node in enumerate(nodes) if node is kept), kept)


def packed(outputs: Sequence[Tensor]) -> np.ndarray:
    """Several outputs as one flat array, which one node of the graph can hold."""
    floats = [np.ravel(output.data) for output in outputs if output.dtype.kind == "f"]
    return np.concatenate([np.zeros(0, np.float16), *floats])  # the smallest dtype changes no other


def unpacked(flat: Any, outputs: Sequence[Output]) -> list[Any]:
    """The parts of a flat array, or Tensor, in the shapes and dtypes of the outputs."""
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


def walk_back(
    cls: type[Function], ctx: Context, grad: Any, z: Any, inputs: Sequence[Any], wanted: Sequence[bool]
) -> list[Any]:
    """The backward of a Function on plain data, or on Tensors if it is itself recorded."""
    is_recorded = isinstance(grad, Tensor)
    if is_recorded and ctx._extra:
        raise RuntimeError(
            f"{cls.__name__} can be differentiated once only: its forward kept more than inputs and output "
            f"({', '.join(ctx._extra)}). Save inputs or the output by ctx.save_for_backward and compute the "
            "rest from them in backward, or hand it in as an input"
        )
    tensor = (lambda value: value) if is_recorded else as_tensor
    here = copy(ctx)
    with grad_mode(is_recorded):
        several = ctx._outputs
        ends = [z] if several is None else unpacked(z, several)
        grads = [grad] if several is None else gradients_of(unpacked(grad, several), several)
        nodes = [*map(tensor, (*inputs, *ends))]
        here._saved = tuple(nodes[place] if isinstance(place, int) else place for place in ctx._places or ())
        shares = cls.backward(here, *map(tensor, grads))
    shares = shares if isinstance(shares, (tuple, list)) else (shares,)
    if len(shares) != len(ctx._tensors):
        raise RuntimeError(
            f"{cls.__name__}.backward gave {len(shares)} gradients for {len(ctx._tensors)} inputs of forward"
        )
    shares = [share for share, is_tensor in zip(shares, ctx._tensors) if is_tensor]
    return list(shares) if is_recorded else [raw(share) for share in shares]


def gradients_of(parts: Sequence[Any], outputs: Sequence[Output]) -> list[Any]:
    """The gradient of each output; of integers it is zeros."""
    return [
        part if output.constant is None else np.zeros(output.shape) for part, output in zip(parts, outputs)
    ]
