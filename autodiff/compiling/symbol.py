"""Symbol: an array with a shape and a dtype and without values.

It takes part in NumPy's protocols (NEP 13 and NEP 18), as an array of another library does. So while a
function is traced, NumPy's calls in forwards, in rules and in optimizers make the nodes of the program. A
symbol can change the node it stands for, as an array changes when it is written into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy  # noqa: ICN001

from ..engine.tracing import TraceError, UnknownShapeError
from .graph import FLOAT, Graph
from .inference import Place
from .nodes import Node
from .refusals import refuse

np: Any = numpy  # whose functions take symbols too, which their annotations do not say


class Symbol:
    """An array, or a Python number, whose value is not known yet."""

    __slots__ = ("graph", "is_shared", "node")

    call_ufunc: ClassVar[Callable[..., Any]]
    """Entered by ``numpy_calls.py``: what NumPy's elementwise functions do with symbols."""

    call_function: ClassVar[Callable[..., Any]]
    """Entered by ``numpy_calls.py``: what NumPy's other functions do with symbols."""

    graph: Graph
    node: Node
    is_shared: bool  # whether it is a view, or has views, which a write would have to reach

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph = graph
        self.node = node
        self.is_shared = False

    # -- what is known of it --------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return self.node.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self.node.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.node.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.node.size

    @property
    def itemsize(self) -> int:
        """The bytes of one element."""
        return self.node.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.itemsize

    def __len__(self) -> int:
        if not self.node.shape:
            raise TypeError("a number has no length")
        return self.node.shape[0]

    def __iter__(self) -> Iterator[Symbol]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        kind = "number" if self.node.number else f"array of shape {self.shape}"
        return f"<{kind}, not computed yet>"

    __hash__ = object.__hash__

    # -- what would need its value --------------------------------------------------------------------------

    __bool__ = refuse("if, while, and, or and not")
    __float__ = refuse("float()")
    __int__ = __index__ = refuse("int()")
    __array__ = refuse("np.array()")
    item = refuse(".item()")
    tolist = refuse(".tolist()")

    # -- arithmetic -----------------------------------------------------------------------------------------

    @property
    def is_float(self) -> bool:
        """Whether it stands for a float, or for an array of one without axes."""
        return self.node.dtype is FLOAT and not self.node.shape

    def _call(self, name: str, *operands: Any) -> Any:
        graph = self.graph
        nodes = []
        for operand in operands:
            if type(operand) is Symbol:
                nodes.append(operand.node)
            elif isinstance(operand, (bool, int, float, np.ndarray, np.generic)):
                nodes.append(graph.const(operand))
            else:
                return NotImplemented
        return Symbol(graph, graph.elementwise(name, *nodes))

    def __add__(self, other: Any) -> Any: return self._call("add", self, other)
    def __radd__(self, other: Any) -> Any: return self._call("add", other, self)
    def __sub__(self, other: Any) -> Any: return self._call("subtract", self, other)
    def __rsub__(self, other: Any) -> Any: return self._call("subtract", other, self)
    def __mul__(self, other: Any) -> Any: return self._call("multiply", self, other)
    def __rmul__(self, other: Any) -> Any: return self._call("multiply", other, self)
    def __truediv__(self, other: Any) -> Any: return self._call("divide", self, other)
    def __rtruediv__(self, other: Any) -> Any: return self._call("divide", other, self)
    def __floordiv__(self, other: Any) -> Any: return self._call("floor_divide", self, other)
    def __rfloordiv__(self, other: Any) -> Any: return self._call("floor_divide", other, self)
    def __mod__(self, other: Any) -> Any: return self._call("remainder", self, other)
    def __rmod__(self, other: Any) -> Any: return self._call("remainder", other, self)
    def __pow__(self, other: Any) -> Any: return self._call("power", self, other)
    def __rpow__(self, other: Any) -> Any: return self._call("power", other, self)
    def __and__(self, other: Any) -> Any: return self._call("bitwise_and", self, other)
    def __rand__(self, other: Any) -> Any: return self._call("bitwise_and", other, self)
    def __or__(self, other: Any) -> Any: return self._call("bitwise_or", self, other)
    def __ror__(self, other: Any) -> Any: return self._call("bitwise_or", other, self)
    def __xor__(self, other: Any) -> Any: return self._call("bitwise_xor", self, other)
    def __rxor__(self, other: Any) -> Any: return self._call("bitwise_xor", other, self)
    def __neg__(self) -> Any: return self._call("negative", self)
    def __pos__(self) -> Any: return self
    def __abs__(self) -> Any: return self._call("absolute", self)
    def __invert__(self) -> Any: return self._call("invert", self)
    def __lt__(self, other: Any) -> Any: return self._call("less", self, other)
    def __le__(self, other: Any) -> Any: return self._call("less_equal", self, other)
    def __gt__(self, other: Any) -> Any: return self._call("greater", self, other)
    def __ge__(self, other: Any) -> Any: return self._call("greater_equal", self, other)
    def __eq__(self, other: object) -> Any: return self._call("equal", self, other)
    def __ne__(self, other: object) -> Any: return self._call("not_equal", self, other)

    def __matmul__(self, other: Any) -> Any: return np.matmul(self, other)
    def __rmatmul__(self, other: Any) -> Any: return np.matmul(other, self)

    def _become(self, other: Any) -> Symbol:
        """Stand for another value of this shape and dtype, as an array does that was written into."""
        if self.node.number:  # a number is never changed
            return other
        self._check_not_shared()
        node = other.node
        if node.shape != self.shape:
            node = self.graph.broadcast_to(node, self.shape)
        if node.dtype != self.dtype or node.number is not self.node.number:
            node = self.graph.astype(node, self.dtype)
        self.node = node
        return self

    def _check_not_shared(self) -> None:
        """Raise TraceError if other symbols share the memory that is about to be written."""
        if self.is_shared:
            raise TraceError("writing into a view of an array, or into an array with views, is not compiled")

    def _view(self, node: Node) -> Symbol:
        """A symbol for a view of this array."""
        view = Symbol(self.graph, node)
        view.is_shared = self.is_shared = True
        return view

    def __iadd__(self, other: Any) -> Any: return self._become(self + other)
    def __isub__(self, other: Any) -> Any: return self._become(self - other)
    def __imul__(self, other: Any) -> Any: return self._become(self * other)
    def __itruediv__(self, other: Any) -> Any: return self._become(self / other)

    # -- places ---------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Symbol:
        index, computed = split_index(index)
        node = self.graph.getitem(self.node, index, computed)
        return self._view(node) if node.op == "getitem" else Symbol(self.graph, node)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._check_not_shared()
        index, computed = split_index(index)
        self.node = self.graph.put(self.node, node_of(self.graph, value), index, computed)

    # -- the methods of arrays that forwards and rules call --------------------------------------------------

    @property
    def T(self) -> Symbol:  # noqa: N802
        """The axes in reverse order."""
        return self._view(self.graph.transpose(self.node))

    def reshape(self, *shape: Any, **options: Any) -> Any:
        """``np.reshape``, with the sizes as one tuple or one by one."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return np.reshape(self, shape, **options)

    def transpose(self, *axes: Any) -> Any:
        """``np.transpose``, with the axes as one tuple or one by one."""
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return self._view(self.graph.transpose(self.node, axes or None))

    def astype(self, dtype: Any, copy: bool = True) -> Symbol:
        """The values in another dtype."""
        return Symbol(self.graph, self.graph.astype(self.node, dtype))

    def copy(self) -> Symbol:
        """An array that can be written into on its own."""
        return Symbol(self.graph, self.node)

    def flatten(self) -> Any:
        """A copy with one axis."""
        return self.reshape(-1).copy()

    def __copy__(self) -> Symbol: return self.copy()

    def __getattr__(self, name: str) -> Any:
        function = None if name.startswith("_") else getattr(np, name, None)
        if not callable(function) or not hasattr(np.ndarray, name):
            raise AttributeError(f"what stands for an array while a function is compiled has no {name}")
        return lambda *args, **options: function(self, *args, **options)

    # -- NumPy's protocols ---------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        result = Symbol.call_ufunc(self.graph, ufunc, method, inputs, options)
        if out is None or result is None:
            return result
        return out[0]._become(result)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, options: Any) -> Any:
        return Symbol.call_function(self.graph, function, args, options)


def split_index(index: Any) -> tuple[Any, tuple[Node, ...]]:
    """An index with a ``Place`` for each part that is computed, and the nodes of these parts. Raises
    TraceError for a mask that is computed."""
    computed: list[Node] = []

    def part_of(part: Any) -> Any:
        if not isinstance(part, Symbol):
            return part
        if part.dtype.kind == "b":
            raise UnknownShapeError(
                "a mask as an index, x[x > 0], takes as many elements as there are True, which is not known "
                "while the function is compiled; use ad.where(mask, x, 0)"
            )
        computed.append(part.node)
        return Place(part.shape)

    index = tuple(map(part_of, index)) if isinstance(index, tuple) else part_of(index)
    return index, tuple(computed)


def node_of(graph: Graph, value: Any) -> Node:
    """The node of an operand: a symbol's own, or a constant."""
    if isinstance(value, Symbol):
        return value.node
    if isinstance(value, Node):
        return value
    if hasattr(value, "__array_function__") and not isinstance(value, (np.ndarray, np.generic)):
        raise TraceError(f"{value!r:.60} cannot be part of a compiled program")
    return graph.const(value if type(value) in (bool, int, float) else np.asarray(value))


def symbol_like(graph: Graph, like: Any, name: str) -> Symbol:
    """An input of the program, in the shape and dtype of a value."""
    if type(like) is float:
        return Symbol(graph, graph.input(name, number=float, dtype=FLOAT))
    return Symbol(graph, graph.input(name, np.shape(like), like.dtype))
