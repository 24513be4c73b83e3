"""Symbol: an array that has a shape and a dtype but no values.

Symbols implement NumPy's protocols (NEP 13 and NEP 18), as arrays of other libraries do. While a function is
traced, the calls of NumPy in forwards, in rules and in optimizers therefore make the nodes of the program. A
write into a symbol replaces its node by a new one.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy  # noqa: ICN001

from ..engine.tensor import Tensor, raw
from ..engine.tracing import TraceError, UnknownShapeError
from .graph import FLOAT, ProgramGraph
from .inference import ComputedPart, is_basic
from .memory_order import axes_of
from .nodes import ELEMENTWISE, ProgramNode
from .refusals import INTO_AN_ARRAY, refuse

np: Any = numpy  # whose functions take symbols too, which their annotations do not say


CONSTANTS = (bool, int, float, np.ndarray, np.generic)


class Symbol:
    """An array, or a Python number, whose value is not known yet."""

    __slots__ = ("__weakref__", "graph", "node", "sharing")

    call_ufunc: ClassVar[Callable[..., Any]]
    """Traces a call of a universal function; set by ``numpy_calls.py``."""

    call_function: ClassVar[Callable[..., Any]]
    """Traces a call of another function of NumPy; set by ``numpy_calls.py``."""

    graph: ProgramGraph
    node: ProgramNode
    sharing: list[weakref.ref[Symbol]] | None  # it and its views, all those that share its memory

    def __init__(self, graph: ProgramGraph, node: ProgramNode) -> None:
        self.graph = graph
        self.node = node
        self.sharing = None

    # -- shape and dtype ------------------------------------------------------------------------------------

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

    def as_operand(self) -> Symbol:
        """The symbol as an operand. ``engine/operands.py`` turns a NumPy scalar that is an integer, a boolean
        or in double precision into a Python number, so the symbol of such a scalar becomes that of a number;
        0-d arrays stay arrays."""
        node = made = self.node
        while made.op == "astype" and self.graph.is_exact:  # elsewhere an array computes the same faster
            made = made.args[0]
        is_like_python = node.dtype == FLOAT or node.dtype.kind in "iub"
        if node.shape or node.number or not is_like_python or not is_numpy_number(made):
            return self
        return Symbol(self.graph, self.graph.as_number(node, float))

    def __len__(self) -> int:
        if not self.node.shape:
            raise TypeError("a number or a 0-d array has no length")
        return self.node.shape[0]

    def __iter__(self) -> Iterator[Symbol]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        kind = "number" if self.node.number else f"array of shape {self.shape}"
        return f"<{kind}, not computed yet>"

    __hash__ = object.__hash__

    # -- methods that need a value --------------------------------------------------------------------------

    __bool__ = refuse("a decision (if, while, and, or, not)")
    __float__ = refuse("float()")
    __int__ = __index__ = refuse("int()")
    __array__ = refuse("np.array()", INTO_AN_ARRAY)
    item = refuse(".item()")
    tolist = refuse(".tolist()")

    # -- arithmetic -----------------------------------------------------------------------------------------

    @property
    def is_float(self) -> bool:
        """Whether it stands for a Python float."""
        return self.node.number is float

    @property
    def is_number(self) -> bool:
        """Whether it stands for a Python number, which takes the dtype of the array beside it."""
        return self.node.number is not None

    def as_like(self, other: Any) -> Symbol | None:
        """The symbol as a Python number if the symbol ``other`` stands for one; None if the two differ in
        shape or dtype."""
        one, two = self.node, other.node if type(other) is Symbol else None
        if two is None or one.shape != two.shape or one.dtype is not two.dtype:
            return None
        if one.number is two.number:
            return self
        return None if two.number is None else Symbol(self.graph, self.graph.as_number(one, two.number))

    def _call(self, name: str, *operands: Any) -> Any:
        graph = self.graph if self.graph.inner is None else self.graph.innermost()
        nodes = []
        for operand in operands:
            if type(operand) is Symbol:
                is_here = operand.graph is graph
                nodes.append(operand.node if is_here else graph.bring(operand.graph, operand.node))
            elif isinstance(operand, CONSTANTS):
                nodes.append(graph.const(operand))
            else:
                return NotImplemented
        return Symbol(graph, graph.elementwise(name, *nodes))

    # As in engine/operators.py, but by the names of NumPy's functions: a symbol stands for an array.
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
    def __pow__(self, other: Any) -> Any:
        is_array = self.node.shape or not (self.node.number or is_numpy_number(self.node))
        if is_array and self.node.dtype.kind == "b" and type(other) is int and other == 2:  # as NumPy does
            return self._call("square", self)
        return self._call("power", self, other)

    def __rpow__(self, other: Any) -> Any: return self._call("power", other, self)
    def __and__(self, other: Any) -> Any: return self._call("bitwise_and", self, other)
    def __rand__(self, other: Any) -> Any: return self._call("bitwise_and", other, self)
    def __or__(self, other: Any) -> Any: return self._call("bitwise_or", self, other)
    def __ror__(self, other: Any) -> Any: return self._call("bitwise_or", other, self)
    def __xor__(self, other: Any) -> Any: return self._call("bitwise_xor", self, other)
    def __rxor__(self, other: Any) -> Any: return self._call("bitwise_xor", other, self)
    def __lshift__(self, other: Any) -> Any: return self._call("left_shift", self, other)
    def __rlshift__(self, other: Any) -> Any: return self._call("left_shift", other, self)
    def __rshift__(self, other: Any) -> Any: return self._call("right_shift", self, other)
    def __rrshift__(self, other: Any) -> Any: return self._call("right_shift", other, self)
    def __divmod__(self, other: Any) -> Any: return self // other, self % other
    def __rdivmod__(self, other: Any) -> Any: return other // self, other % self
    def __neg__(self) -> Any: return self._call("negative", self)
    def __pos__(self) -> Any: return self._call("positive", self) if self.node.number else self.copy()
    def __abs__(self) -> Any: return self._call("absolute", self)
    def __round__(self, digits: int | None = None) -> Any:
        if self.node.number in (bool, int) and (digits or 0) >= 0:
            return +self
        rounded = np.round(self, digits or 0)
        if self.node.number is None or digits is not None:
            return rounded
        return Symbol(rounded.graph, rounded.graph.as_number(rounded.node, int))  # as Python rounds a float
    def __lt__(self, other: Any) -> Any: return self._call("less", self, other)
    def __le__(self, other: Any) -> Any: return self._call("less_equal", self, other)
    def __gt__(self, other: Any) -> Any: return self._call("greater", self, other)
    def __ge__(self, other: Any) -> Any: return self._call("greater_equal", self, other)
    def __eq__(self, other: object) -> Any: return self._call("equal", self, other)
    def __ne__(self, other: object) -> Any: return self._call("not_equal", self, other)

    def __invert__(self) -> Any:
        """The opposite of booleans. Raises TraceError for a Python bool, where ``~True`` is -2."""
        if self.node.number is bool:
            raise TraceError(
                "~ of a comparison of two numbers is not compiled: in Python ~True is -2 and ~False is -1. "
                "Write the opposite comparison, x <= 0 in place of ~(x > 0), or np.logical_not(x > 0)"
            )
        return self._call("invert", self)

    def __matmul__(self, other: Any) -> Any: return np.matmul(self, other)
    def __rmatmul__(self, other: Any) -> Any: return np.matmul(other, self)

    def _become(self, other: Any) -> Symbol:
        """Take the value of ``other``, in this shape and dtype, as an array that is written into. Raises
        ValueError if ``other`` does not broadcast to this shape. A number is not changed: the result is
        ``other``."""
        if self.node.number:
            return other
        self._check_not_shared()
        node = self.graph.broadcast_to(node_of(self.graph, other), self.shape)
        self.node = self.graph.astype(node, self.dtype)
        return self

    def _check_not_shared(self) -> None:
        """Raise TraceError if other symbols share the memory that is about to be written: a write would have
        to change these too."""
        if any(other() is not self and other() is not None for other in self.sharing or ()):
            raise TraceError(
                f"this writes into {self!r} while a view shares its memory, as y = x[0], x.T and x.reshape() "
                "do, and in a compiled function such a write would not reach both. Write into a copy, "
                "y = x[0].copy(), or assign the new value: x[0] = x[0] + 1 in place of x[0] += 1"
            )

    def _view(self, node: ProgramNode) -> Symbol:
        """A symbol for a view of this array."""
        view = Symbol(self.graph, node)
        if self.sharing is None:
            self.sharing = [weakref.ref(self)]
        self.sharing.append(weakref.ref(view))
        view.sharing = self.sharing
        return view

    def __iadd__(self, other: Any) -> Any: return self._become(self + other)
    def __isub__(self, other: Any) -> Any: return self._become(self - other)
    def __imul__(self, other: Any) -> Any: return self._become(self * other)
    def __itruediv__(self, other: Any) -> Any: return self._become(self / other)

    # -- indexing -------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Symbol:
        if self.graph.inner is not None:
            return here(self, self.graph.innermost())[index]
        index, computed = split_index(self.graph, index)
        node = self.graph.getitem(self.node, index, computed)
        is_view = is_basic(index) and (node.shape or index is Ellipsis)
        return self._view(node) if is_view else Symbol(self.graph, node)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._check_not_shared()
        index, computed = split_index(self.graph, index)
        self.node = self.graph.put(self.node, node_of(self.graph, value), index, computed)

    # -- the methods of arrays that forwards and rules call --------------------------------------------------

    @property
    def T(self) -> Symbol:  # noqa: N802
        """The axes in reverse order."""
        return self._view(self.graph.transpose(self.node))

    @property
    def mT(self) -> Symbol:  # noqa: N802
        """The last two axes in reverse order. Raises AxisError if there are fewer."""
        return self.swapaxes(-1, -2)

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
        if not copy and self.dtype == np.dtype(dtype):
            return self
        return Symbol(self.graph, self.graph.astype(self.node, dtype))

    def copy(self) -> Symbol:
        """An array that can be written into on its own."""
        return Symbol(self.graph, self.node)

    def flatten(self) -> Any:
        """A copy with one axis."""
        return self.reshape(-1).copy()

    def __copy__(self) -> Symbol: return self.copy()
    def __deepcopy__(self, memo: Any) -> Symbol: return self.copy()

    def __getattr__(self, name: str) -> Any:
        function = None if name.startswith("_") else getattr(np, name, None)
        if not callable(function) or not hasattr(np.ndarray, name):
            raise AttributeError(f"an array without a value has no attribute {name}")
        if not callable(getattr(np.ndarray, name)):  # x.real
            return function(self)
        return lambda *args, **options: function(self, *args, **options)

    # -- NumPy's protocols ---------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if any(isinstance(x, Tensor) for x in inputs):  # a Tensor records the call
            return NotImplemented
        graph = self.graph.innermost()
        if graph.outer is not None and method != "at":
            inputs = here(inputs, graph)
        result = Symbol.call_ufunc(graph, ufunc, method, inputs, options)
        if out is None or result is None:
            return result
        if type(out[0]) is not Symbol:
            raise TraceError(
                "writing into an array that is not part of the program is not compiled; make one by "
                "np.zeros_like(x)"
            )
        return out[0]._become(result)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, options: Any) -> Any:
        if any(issubclass(kind, Tensor) for kind in types):
            return NotImplemented
        graph = self.graph.innermost()
        if graph.outer is not None:
            args, options = here((args, options), graph)
        return Symbol.call_function(graph, function, args, options)


def is_numpy_number(node: ProgramNode) -> bool:
    """Whether the 0-d value of a node is a NumPy scalar, and not an array. A Python number is neither."""
    if node.number:
        return False
    if node.op in ("call", "part", "input", "const"):
        return "number" in node.options
    if node.op in ("getitem", "pick"):
        index = node.value if isinstance(node.value, tuple) else (node.value,)
        return not any(part is Ellipsis for part in index)
    return node.op in ELEMENTWISE - {"where"} or node.op.startswith("reduce_") or node.op == "matmul"


def here(value: Any, graph: ProgramGraph) -> Any:
    """The arguments of a call in a graph: each symbol of an outer graph is replaced by an input."""
    if type(value) is Symbol and value.graph is not graph:
        return Symbol(graph, graph.bring(value.graph, value.node))
    if type(value) in (list, tuple):
        return type(value)(here(part, graph) for part in value)
    if type(value) is dict:
        return {key: here(part, graph) for key, part in value.items()}
    return value


def split_index(graph: ProgramGraph, index: Any) -> tuple[Any, tuple[ProgramNode, ...]]:
    """An index with a ``ComputedPart`` in place of each symbol, and the nodes of these symbols. Raises
    UnknownShapeError for a symbol that is a mask."""
    computed: list[ProgramNode] = []

    def part_of(part: Any) -> Any:
        part = as_places(raw(part))
        if not isinstance(part, Symbol):
            return part
        if part.dtype.kind == "b":
            raise UnknownShapeError(
                "the shape of x[mask] depends on the values of the mask, which are not known while the "
                "function is compiled. Use ad.where(mask, x, 0), which keeps the shape"
            )
        computed.append(node_of(graph, part))
        return ComputedPart(part.shape)

    index = tuple(map(part_of, index)) if isinstance(index, tuple) else part_of(index)
    return index, tuple(computed)


def as_places(part: Any) -> Any:
    """A list or tuple of integers or booleans as an array; any other part of an index unchanged."""
    if not isinstance(part, (list, tuple)):
        return part
    if any(isinstance(place, Symbol) for place in part):
        return np.stack([np.asarray(place) if not isinstance(place, Symbol) else place for place in part])
    return np.asarray(part) if len(part) else np.asarray(part, int)


def node_of(graph: ProgramGraph, value: Any) -> ProgramNode:
    """The node of an operand: that of a symbol, or a constant. Raises TraceError for an array of another
    library."""
    if isinstance(value, Symbol):
        return value.node if value.graph is graph else graph.bring(value.graph, value.node)
    if isinstance(value, ProgramNode):
        return value
    if hasattr(value, "__array_function__") and not isinstance(value, (np.ndarray, np.generic)):
        raise TraceError(f"{value!r:.60} is not an array of NumPy, so it cannot be compiled")
    return graph.const(value if type(value) in (bool, int, float) else np.asarray(value))


def symbol_like(graph: ProgramGraph, like: Any, name: str) -> Symbol:
    """The symbol of a new input of the program, with the shape and dtype of a value."""
    if type(like) is float:
        return Symbol(graph, graph.input(name, number=float, dtype=FLOAT))
    if isinstance(like, Symbol):
        return Symbol(graph, graph.input(name, like.shape, like.dtype, like.node.number))
    is_scalar = isinstance(like, np.generic)
    axes = () if is_scalar else axes_of(like)
    return Symbol(graph, graph.input(name, np.shape(like), like.dtype, is_scalar=is_scalar, axes=axes))
