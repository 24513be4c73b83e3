"""Functions with several results, such as ``split`` and ``svd``, on nodes: a run calls the function once, and
each result is a node of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..ops import catalogue
from ..ops.decompositions import SVD, Eigh
from ..ops.matrices import SignAndLog
from ..ops.ranking import TopK
from ..ops.rounding import QuotientAndRemainder
from .node import Node, Result, Values, apply
from .shapes import TRIED_SIZES, Shape, broadcast, shape

Function = Callable[..., Any]

SEVERAL = ("chunk", "divmod", "eigh", "meshgrid", "slogdet", "split", "svd", "topk", "unbind")
"""The functions of the package that return several results."""

CONSTANT = {("divmod", 0), ("slogdet", 0), ("topk", 1)}
"""The results that have no gradient, by function and place."""


class OneResult(Node):
    """One of several results of a function."""

    __slots__ = ("field", "place", "whole")

    def __init__(self, whole: Result, place: int, field: str, shape: Shape) -> None:
        self.whole, self.place, self.field = whole, place, field
        super().__init__(whole.graph, (whole,), None, shape)

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The name of the call, and that of the result."""
        return f"{self.whole.name}_{self.field}"

    @property
    def op(self) -> str:
        """The function, and the name of the result."""
        return f"{self.whole.kind}.{self.field}"

    @property
    def creators(self) -> tuple[Any, ...]:
        """What pictures show as its operands: those of the function."""
        return self.whole.inputs

    def compute(self, values: Values, is_recorded: bool) -> Any:
        """The result, from all results of the call."""
        return values[self.whole][self.place]

    def smooth_inputs(self) -> Iterator[Node]:
        """The call, unless the result is a constant."""
        return iter(() if (self.whole.kind, self.place) in CONSTANT else (self.whole,))


def function_of(function: Function) -> Function:
    """The function on nodes that returns the tuple of the results of this one.

    >>> import autodiff as ad
    >>> from autodiff import static
    >>> x = static.constant([[2.0, 0.0], [0.0, 3.0]], name="x")
    >>> function_of(ad.svd)(x).S
    <svd_S(svd) of shape (2,)>
    >>> static.Session().run(function_of(ad.split)(x, 2, axis=1))
    (array([[2.],
           [0.]]), array([[0.],
           [3.]]))
    """
    signature = inspect.signature(function)

    def make(*inputs: Any, name: str | None = None, **options: Any) -> Any:
        bound = signature.bind(*inputs, **options)
        bound.apply_defaults()
        values = dict(bound.arguments)
        operands = values.pop("xi", None) or [values.pop(word) for word in ("x", "y") if word in values]
        shapes = shapes_of(function.__name__, [shape_of_operand(x) for x in operands], values)
        whole = apply(function, *operands, name=name, **values)
        kind = KINDS.get(function.__name__, tuple)
        fields = getattr(kind, "_fields", range(len(shapes)))
        parts = [
            OneResult(whole, i, str(field), known) for i, (field, known) in enumerate(zip(fields, shapes))
        ]
        return kind(*parts) if hasattr(kind, "_fields") else tuple(parts)

    own = function.__name__
    make.__name__ = make.__qualname__ = own
    make.__doc__ = f"The results of {own!r} as nodes, in a tuple; see :func:`autodiff.{own}`."
    return make


KINDS: dict[str, Any] = {
    "divmod": QuotientAndRemainder, "eigh": Eigh, "slogdet": SignAndLog, "svd": SVD, "topk": TopK,
}
"""The namedtuples of functions that return one."""


def shape_of_operand(x: Any) -> Shape:
    """The shape of an operand, as far as it is known."""
    return shape(x) if isinstance(x, Node) else np.shape(x)


def shapes_of(name: str, shapes: Sequence[Shape], options: dict[str, Any]) -> list[Shape]:
    """The shape of each result, as far as it is known. Raises ValueError if the number of results depends on
    a size that is not known.

    >>> shapes_of("svd", [(None, 5, 3)], {}), shapes_of("split", [None], {"sections": 2, "axis": 0})
    ([(None, 5, 3), (None, 3), (None, 3, 3)], [None, None])
    """
    first = shapes[0]
    if name == "divmod":
        return [broadcast(name, shapes)] * 2
    if name in KINDS:
        return [None] * len(KINDS[name]._fields) if first is None else of_matrices(name, first, options)
    if all(known is not None and None not in known for known in shapes):
        return of_parts(name, shapes, 0, options)
    if name == "meshgrid":
        return [None] * len(shapes)
    if name == "split":
        sections = options["sections"]
        count = sections if isinstance(sections, (int, np.integer)) else len(sections) + 1
        return [None if first is None else without_size(first, options["axis"])] * count
    if first is None or first[options["axis"]] is None:
        raise ValueError(
            f"static.{name} makes a node for each result, and how many there are depends on a size that is "
            "not known before the run. Give the placeholder its shape"
        )
    found = [of_parts(name, shapes, size, options) for size in TRIED_SIZES[:2]]
    return [tuple(a if a == b else None for a, b in zip(*both)) for both in zip(*found)]


def without_size(known: tuple[int | None, ...], axis: int) -> Shape:
    """A shape with an unknown size along one axis."""
    axis %= len(known)
    return (*known[:axis], None, *known[axis + 1 :])


def of_matrices(name: str, known: tuple[int | None, ...], options: dict[str, Any]) -> list[Shape]:
    """The shapes of the results of a decomposition, or of ``topk``."""
    if name == "topk":
        axis = options["axis"] % max(len(known), 1)
        return [(*known[:axis], options["k"], *known[axis + 1 :])] * 2
    *front, rows, columns = known if len(known) > 1 else (None, None)
    if name == "eigh":
        return [(*front, rows), (*front, rows, columns)]
    if name == "slogdet":
        return [tuple(front)] * 2
    count = None if rows is None or columns is None else min(rows, columns)
    return [(*front, rows, count), (*front, count), (*front, count, columns)]


def of_parts(name: str, shapes: Sequence[Shape], size: int, options: dict[str, Any]) -> list[Any]:
    """The shapes of the parts of arrays, with this size in place of unknown ones. They are found by calling
    the function on arrays that take no memory."""
    sizes = [tuple(size if one is None else one for one in known or ()) for known in shapes]
    parts = getattr(catalogue, name)(*(np.broadcast_to(np.False_, one) for one in sizes), **options)
    return [np.shape(part) for part in parts]
