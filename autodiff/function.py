"""Function: a custom operation as a class, the form that users of PyTorch know.

The shorter form is :func:`autodiff.operation`, a function and its rules. This one is for operations whose
forward computes something that backward wants to keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from . import state
from .operation import Operation
from .tensor import Tensor, constant_tensor, raw

OUTPUT = -1  # the place of the output among what was saved; an input's is its number


class Context:
    """What a Function keeps from its forward for its backward: the ``ctx`` that both are given.

    Inputs and the output are kept by :meth:`save_for_backward`. Anything else may be kept as an attribute
    (``ctx.mask = ...``), and then backward can be run, but not differentiated.
    """

    needs_input_grad: tuple[bool, ...]
    """Backward may leave None for an input that needs no gradient."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        self._tensors = [isinstance(value, Tensor) for value in inputs]
        self._arguments = [None if isinstance(value, Tensor) else value for value in inputs]
        self._saved: tuple[Any, ...] = ()
        self._places: tuple[Any, ...] | None = None  # of what was saved; set when forward has run
        self.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in inputs)

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs or the output; backward finds them in ``ctx.saved_tensors``."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved, in order."""
        return self._saved

    def __repr__(self) -> str:
        return "<context>"

    @property
    def _extra(self) -> list[str]:
        """What was kept that is neither an input nor the output, by name."""
        known = ("_tensors", "_arguments", "_saved", "_places", "needs_input_grad")
        given = [id(argument) for argument in self._arguments]
        kept = [name for name, value in vars(self).items() if name not in known and id(value) not in given]
        return kept + ["save_for_backward"] * any(isinstance(place, Tensor) for place in self._places or ())


class Function:
    """A custom operation: subclass it with static methods ``forward`` and ``backward``, and call ``apply``.

    ``forward(ctx, *inputs)`` sees constant Tensors (and whatever else ``apply`` was given), records nothing,
    and returns one Tensor. ``backward(ctx, grad)`` returns a gradient per input of forward, None where there
    is none. It is differentiated itself if ctx kept inputs and output alone; else ``create_graph=True``
    raises RuntimeError.

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
    def backward(ctx: Any, grad: Any) -> Any:
        """The gradient of each input from the gradient of the output."""
        raise NotImplementedError("a Function needs a static method backward(ctx, grad)")

    def __init_subclass__(cls) -> None:
        def forward(*values: Any, ctx: Context) -> Any:
            return raw(run(cls, ctx, [constant_tensor(value) for value in values]))

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
        return cls.operation(*tensors, ctx=ctx) if tensors else raw(run(cls, ctx, tensors))


def run(cls: type[Function], ctx: Context, tensors: list[Tensor]) -> Any:
    """The forward of a Function. A picture may ask for it once more: then what was kept stays as it is."""
    here = ctx if ctx._places is None else copy(ctx)
    rest = iter(tensors)
    inputs = [next(rest) if is_tensor else x for is_tensor, x in zip(ctx._tensors, ctx._arguments)]
    with state.grad_mode(False):
        out = cls.forward(here, *inputs)
    if isinstance(out, (tuple, list)):
        raise TypeError(f"{cls.__name__}.forward returns one Tensor, not {len(out)}")
    here._places = tuple(place_of(kept, tensors, out) for kept in here._saved)
    here._saved = ()
    return out


def place_of(kept: Any, tensors: Sequence[Tensor], out: Any) -> Any:
    """Which input was kept, or that it was the output; a Tensor that is neither, itself."""
    if kept is out:
        return OUTPUT
    return next((place for place, tensor in enumerate(tensors) if tensor is kept), kept)


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
    nodes = [*map(tensor, inputs), tensor(z)]  # the output last, at place -1
    here._saved = tuple(nodes[place] if isinstance(place, int) else place for place in ctx._places or ())
    with state.grad_mode(is_recorded):
        shares = cls.backward(here, tensor(grad))
    shares = shares if isinstance(shares, (tuple, list)) else (shares,)
    if len(shares) != len(ctx._tensors):
        raise RuntimeError(
            f"{cls.__name__}.backward gave {len(shares)} gradients for {len(ctx._tensors)} inputs of forward"
        )
    shares = [share for share, is_tensor in zip(shares, ctx._tensors) if is_tensor]
    return list(shares) if is_recorded else [raw(share) for share in shares]


def as_tensor(value: Any) -> Tensor:
    """Plain data as a constant."""
    return value if isinstance(value, Tensor) else constant_tensor(value)
