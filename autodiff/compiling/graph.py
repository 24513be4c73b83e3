"""The graph of a program. Its nodes are calls of NumPy that have a shape and a dtype, and no value.

Two equal calls are one node, and a node is simplified when it is made (``algebra.py``). A pass is a function
that replaces the results of a program by equivalent ones (``passes/``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..engine.tracing import TraceError
from . import algebra, inference
from .counting import Counted
from .inference import broadcast_shape, dtype_of_call, index_key, is_basic, kind_of, shape_of_item
from .memory_order import Axes
from .nodes import ELEMENTWISE, ProgramNode, Shape, reachable

FLOAT = np.dtype(float)
OF_FLOATS = frozenset(("add", "subtract", "multiply", "divide"))
SPECIAL = frozenset(("const", "negative"))  # only calls with one of these as an operand can be simplified
NUMBER_DTYPES = {float: FLOAT, int: np.dtype(int), bool: np.dtype(bool)}


class ProgramGraph(Counted):
    """Makes the nodes of one program.

    ``passes`` names the simplifications that are applied when a node is made: ``"fold"`` computes calls on
    constants, ``"algebra"`` drops calls that change nothing, ``"broadcasts"`` computes what is the same for
    many elements once, before it is broadcast, and ``"cse"`` makes equal nodes only once.
    """

    def __init__(self, passes: Iterable[str] = ("fold", "algebra", "cse")) -> None:
        self.passes = frozenset(passes)
        self.known: dict[Any, ProgramNode] = {}
        self.numbers: dict[Any, ProgramNode] = {}  # the constants that are Python numbers, except for 0
        self.pairs: dict[Any, ProgramNode] = {}  # the calls on two floats
        self.kept: list[Any] = []  # objects whose identity is part of a key, so they must not be freed
        super().__init__()
        self.outer: ProgramGraph | None = None  # of the trace inside of which this one runs, as in ad.vmap
        self.inner: ProgramGraph | None = None
        self.is_exact = False  # whether every bit is that of the function that is not compiled
        self.words: dict[ProgramNode, str] = {}  # the local variables that values were assigned to
        self.brought: dict[
            ProgramNode, tuple[ProgramNode, ProgramGraph]
        ] = {}  # inputs in place of outer nodes

    def innermost(self) -> ProgramGraph:
        """The graph that nodes are added to now: that of the innermost trace."""
        graph = self
        while graph.inner is not None:
            graph = graph.inner
        return graph

    def check_in_reach(self, outer: ProgramGraph) -> None:
        """Raise TraceError unless this graph is the innermost one inside of ``outer``: the trace of ``outer``
        may have ended, or run inside of this one."""
        if outer.innermost() is not self:
            raise TraceError(
                "an array without a value was used outside of the compiled or vmapped function that computed "
                "it; return the array from that function instead"
            )

    def bring(self, outer: ProgramGraph, node: ProgramNode) -> ProgramNode:
        """An input of this graph in place of a node of an outer graph. Raises TraceError for a node of a
        trace that has ended."""
        if outer is self:
            return node
        self.check_in_reach(outer)
        if node not in self.brought:
            name = node.name or "outer"
            self.brought[node] = self.input(name, node.shape, node.dtype, node.number), outer
        return self.brought[node][0]

    # -- making nodes ---------------------------------------------------------------------------------------

    def make(
        self,
        op: str,
        args: tuple[ProgramNode, ...] = (),
        options: tuple[Any, ...] = (),
        *,
        shape: Shape = (),
        dtype: Any = FLOAT,
        number: type | None = None,
        value: Any = None,
        name: str | None = None,
        key: Any = None,
    ) -> ProgramNode:
        """A new node, or the equal node that was made before."""
        known = (op, *map(id, args), options, shape, dtype, number, key)
        if "cse" in self.passes or op == "const":
            found = self.known.get(known)
            if found is not None:
                self.repeated += bool(args) and op != "full"
                return found
        self.leaves += not args or op == "full"
        node = ProgramNode()
        node.op, node.args, node.options = op, args, options
        node.shape, node.dtype, node.number = shape, np.dtype(dtype), number
        node.value, node.name = value, name
        node.index = self.count = self.count + 1
        self.known[known] = node
        self.kept.append(node)
        return node

    def input(
        self,
        name: str,
        shape: Shape = (),
        dtype: Any = FLOAT,
        number: type | None = None,
        *,
        is_scalar: bool = False,
        axes: Axes = (),
    ) -> ProgramNode:
        """A new input of the program. With ``is_scalar``, which becomes the option ``"number"``, its value is
        a NumPy scalar; ``axes``, the order of its axes in memory, becomes an option unless it is ``()``."""
        options: tuple[Any, ...] = ("number",) if is_scalar else (axes,) * bool(axes)
        known: dict[str, Any] = {"number": number, "name": name, "key": self.count}
        return self.make("input", (), options, shape=shape, dtype=dtype, **known)

    def const(self, value: Any) -> ProgramNode:
        """A constant: ``"const"`` for a number or an array of at most one element, ``"full"`` for an array
        that repeats one value in memory, ``"array"`` for any other array."""
        kind = type(value)
        if kind in NUMBER_DTYPES:
            found = self.numbers.get((kind, value))
            if found is None:
                dtype = NUMBER_DTYPES[kind]
                found = self.make("const", dtype=dtype, number=kind, value=value, key=repr(value))
                if value != 0:  # 0 and -0 are equal
                    self.numbers[kind, value] = found
            return found
        array = np.asarray(value)
        if array.ndim and array.size and not any(array.strides):
            return self.full(array.shape, array.flat[0])
        if array.size <= 1:
            is_scalar = isinstance(value, np.generic)
            own, options = (value, ("number",)) if is_scalar else (array.copy(), ())
            like: dict[str, Any] = {"shape": array.shape, "dtype": array.dtype}
            return self.make("const", (), options, value=own, key=array.tobytes(), **like)
        self.kept.append(array)
        return self.make("array", shape=array.shape, dtype=array.dtype, value=array, key=id(array))

    def full(self, shape: Shape, value: Any) -> ProgramNode:
        """An array with the same value everywhere, or an array broadcast to a shape."""
        if np.ndim(value):
            return self.broadcast_to(self.const(value), shape)
        node = self.const(value if isinstance(value, np.generic) else np.asarray(value))
        return self.make("full", (node,), shape=tuple(shape), dtype=node.dtype)

    def elementwise(self, name: str, *args: ProgramNode, is_numpy: bool = False) -> ProgramNode:
        """A call of one of NumPy's elementwise functions, or of ``where``. On Python numbers it is the
        operator of Python, in which True counts as 1; with ``is_numpy`` it is NumPy's function all the same,
        so that ``np.add(True, True)`` is True."""
        if len(args) == 2 and name in OF_FLOATS:
            x, y = args
            if x.dtype is FLOAT is y.dtype and not (x.shape or y.shape):
                return self.of_floats(name, x, y)
        number: type | None = None
        shape: Shape = ()
        if all(arg.number for arg in args) and not (is_numpy and algebra.is_numpy_apart(name, args)):
            number = algebra.number_type(name, args)
            dtype = NUMBER_DTYPES[number]
        else:
            shape = broadcast_shape([arg.shape for arg in args])
            dtype = dtype_of_call(name, args)
            args = algebra.without_broadcasts(name, args, shape, dtype)
        if "fold" in self.passes and math.prod(shape) <= 1 and all(arg.op == "const" for arg in args):
            self.folded += 1
            return self.const(algebra.folded(name, args, shape, dtype, number))
        if "fold" in self.passes and number is None and all(is_uniform(arg) for arg in args):
            self.folded += 1
            values = [uniform_value(arg) for arg in args]
            found = self.full(shape, algebra.folded(name, values, (), dtype, None))
            # NumPy's result is an array in C order, which has a say in the order of what is computed with it.
            return self.copy(found) if self.is_exact and len(shape) > 1 else found
        if "broadcasts" in self.passes and any(arg.op == "broadcast_to" for arg in args):
            smaller = algebra.with_broadcast_last(self, name, args, shape)
            if smaller is not None and smaller.dtype == dtype:
                return smaller
        if "algebra" in self.passes:
            before = self.calls
            simpler = algebra.simplified(self, name, args, shape, dtype, number)
            if simpler is not None:
                return self.in_place_of_one(before, simpler)
        return self.make(name, args, shape=shape, dtype=dtype, number=number)

    def of_floats(self, name: str, x: ProgramNode, y: ProgramNode) -> ProgramNode:
        """``elementwise`` for two floats or 0-d arrays, in a third of the time: a network of numbers has a
        hundred thousand of these calls."""
        key = name, x, y
        node = self.pairs.get(key)
        if node is not None:
            self.repeated += 1
            return node
        number = float if x.number and y.number else None
        is_special = x.op in SPECIAL or y.op in SPECIAL
        if is_special and "fold" in self.passes and x.op == y.op == "const":
            self.folded += 1
            node = self.const(algebra.folded(name, (x, y), (), FLOAT, number))
        elif is_special and "algebra" in self.passes:
            before = self.calls
            node = algebra.simplified(self, name, (x, y), (), FLOAT, number)
            if node is not None:
                self.in_place_of_one(before, node)
        if node is None:
            node = ProgramNode()
            node.op, node.args, node.options, node.shape, node.dtype = name, (x, y), (), (), FLOAT
            node.number, node.value, node.name = number, None, None
            node.index = self.count = self.count + 1
        if "cse" in self.passes:
            self.pairs[key] = node
        return node

    def reduce(self, name: str, x: ProgramNode, axis: Any = None, keepdims: bool = False) -> ProgramNode:
        """``np.add.reduce``, or the reduction of another universal function, along some axes."""
        dtype = getattr(np, name).reduce(np.ones(1, x.dtype)).dtype
        axes = range(len(x.shape)) if axis is None or not x.shape else axis
        axes = tuple(sorted(normalize_axis_tuple(axes, len(x.shape))))
        if not axes:
            found = self.astype(x, dtype)
            if name == "add" and dtype.kind == "f":
                found = self.elementwise("add", found, self.const(0.0))  # the sum of -0 is 0
            return found if x.shape else self.getitem(found, ())  # a NumPy scalar, not an array
        sizes = enumerate(x.shape)
        shape = tuple(1 if i in axes else n for i, n in sizes if keepdims or i not in axes)
        if x.op == "full" and name == "add" and dtype == x.dtype and "fold" in self.passes:
            count = math.prod(x.shape[a] for a in axes)
            if float(x.args[0].value) in (0.0, 1.0):  # other sums are rounded on the way
                self.folded += 1
                return self.full(shape, np.asarray(x.args[0].value * count + 0, dtype)[()])
        return self.make(f"reduce_{name}", (x,), (axes, bool(keepdims)), shape=shape, dtype=dtype)

    def matmul(self, x: ProgramNode, y: ProgramNode) -> ProgramNode:
        """``x @ y``."""
        if not (x.shape and y.shape):
            raise ValueError("matmul needs operands with axes; use * for a product with a number")
        shape = inference.shape_of_product(x.shape, y.shape)
        return self.make("matmul", (x, y), shape=shape, dtype=np.result_type(x.dtype, y.dtype))

    def astype(self, x: ProgramNode, dtype: Any) -> ProgramNode:
        """The value in another dtype."""
        dtype = np.dtype(dtype)
        if x.dtype == dtype and not x.number:
            return x
        if x.op in ("const", "full") and "fold" in self.passes:
            self.folded += 1
            value = np.asarray(x.value if x.op == "const" else x.args[0].value).astype(dtype)[()]
            return self.const(value) if x.op == "const" else self.full(x.shape, value)
        return self.make("astype", (x,), (dtype.str,), shape=x.shape, dtype=dtype)

    def copy(self, x: ProgramNode) -> ProgramNode:
        """The array in memory of its own, in C order."""
        return self.make("copy", (x,), shape=x.shape, dtype=x.dtype)

    def as_number(self, x: ProgramNode, kind: type) -> ProgramNode:
        """The only element as a Python number: an ``"astype"`` whose result is a number. Raises ValueError if
        there is not exactly one element."""
        if x.number is kind:
            return x
        if x.op == "const" and "fold" in self.passes:
            self.folded += 1
            return self.const(kind(np.asarray(x.value).item()))
        if x.size != 1:
            raise ValueError(f"an array of shape {x.shape} is not one number, since it has {x.size} elements")
        dtype = NUMBER_DTYPES[kind]
        return self.make("astype", (x,), (dtype.str,), dtype=dtype, number=kind)

    # -- views and places -----------------------------------------------------------------------------------

    def reshape(self, x: ProgramNode, shape: Any) -> ProgramNode:
        """``x.reshape(shape)``, in C order."""
        shape = np.broadcast_to(np.zeros((), bool), x.shape).reshape(shape).shape
        if shape == x.shape:
            return x
        if "algebra" in self.passes and x.op == "full":
            return self.in_place_of_one(self.calls, self.full(shape, x.args[0].value))
        if "algebra" in self.passes and x.op == "reshape":
            return self.in_place_of_one(self.calls, self.reshape(x.args[0], shape))
        if "algebra" in self.passes and x.op.startswith("reduce_") and x.options[1]:
            axes = x.options[0]
            if shape == tuple(n for axis, n in enumerate(x.shape) if axis not in axes):
                return self.in_place_of_one(self.calls, self.reduce(x.op[7:], x.args[0], axes))
        return self.make("reshape", (x,), (shape,), shape=shape, dtype=x.dtype)

    def transpose(self, x: ProgramNode, axes: Sequence[int] | None = None) -> ProgramNode:
        """``x.transpose(axes)``."""
        count = len(x.shape)
        axes = tuple(range(count))[::-1] if axes is None else normalize_axis_tuple(axes, count)
        if len(axes) != count:
            raise ValueError(f"transpose of an array with {count} axes needs all of them, not {axes}")
        if axes == tuple(range(count)):
            return x
        if "algebra" in self.passes and x.op == "transpose":
            axes = [x.options[0][a] for a in axes]
            return self.in_place_of_one(self.calls, self.transpose(x.args[0], axes))
        return self.make("transpose", (x,), (axes,), shape=tuple(x.shape[a] for a in axes), dtype=x.dtype)

    def broadcast_to(self, x: ProgramNode, shape: Shape) -> ProgramNode:
        """``np.broadcast_to(x, shape)``."""
        shape = tuple(shape)
        if shape == x.shape:
            return x
        if np.broadcast_shapes(x.shape, shape) != shape:
            raise ValueError(f"an array of shape {x.shape} does not broadcast to the shape {shape}")
        if "fold" in self.passes and (x.op == "full" or (x.op == "const" and x.size == 1)):
            self.folded += 1
            value = np.reshape((x.args[0] if x.op == "full" else x).value, ())
            return self.full(shape, value[()])
        return self.make("broadcast_to", (x,), (shape,), shape=shape, dtype=x.dtype)

    def getitem(self, x: ProgramNode, index: Any, computed: tuple[ProgramNode, ...] = ()) -> ProgramNode:
        """``x[index]``: a view for integers, slices, None and ``...``, otherwise a copy. Each
        ``ComputedPart`` in the index stands for one of the nodes in ``computed``."""
        x = self.astype(x, x.dtype)  # a Python number cannot be indexed
        shape = shape_of_item(x.shape, index)
        if "fold" in self.passes and x.op == "full":
            self.folded += 1
            return self.full(shape, x.args[0].value)
        self.kept.append(index)
        op = "getitem" if is_basic(index) else "pick"
        key = index_key(index)
        return self.make(op, (x, *computed), shape=shape, dtype=x.dtype, value=index, key=key)

    def put(
        self,
        base: ProgramNode,
        x: ProgramNode,
        index: Any,
        computed: tuple[ProgramNode, ...] = (),
        *,
        add: bool = False,
    ) -> ProgramNode:
        """A copy of ``base`` with ``x`` written at an index. With ``add``, ``x`` is added there, and an
        element that the index repeats is added each time."""
        self.kept.append(index)
        op = "put_add" if add else "put"
        key, args = index_key(index), (base, x, *computed)
        return self.make(op, args, shape=base.shape, dtype=base.dtype, value=index, key=key)

    def join(self, op: str, parts: Sequence[ProgramNode], axis: int) -> ProgramNode:
        """``np.stack`` or ``np.concatenate``."""
        dummies = [np.broadcast_to(np.zeros((), part.dtype), part.shape) for part in parts]
        whole = getattr(np, op)(dummies, axis=axis)
        return self.make(op, tuple(parts), (axis % whole.ndim,), shape=whole.shape, dtype=whole.dtype)

    def call(
        self, function: Callable[..., Any], args: Sequence[ProgramNode], key: Any, like: Any, *others: Any
    ) -> ProgramNode:
        """A call of a function that the program runs unchanged. Its result has the shape and dtype of
        ``like``; the option ``"number"`` says that it is a NumPy scalar. Several results, a tuple or list,
        have no shape and the dtype ``object``. Further options are the order of the axes in memory, where the
        function gives it to every result, and ``"new"``, where each result has memory of its own without
        gaps."""
        self.kept.append(key)
        kind = kind_of(like)
        options = (*kind.pop("options"), *others)
        return self.make("call", tuple(args), options, **kind, value=function, key=key)

    def part(self, whole: ProgramNode, place: int, like: Any, *others: Any) -> ProgramNode:
        """One of several results of a call, which has the shape and dtype of ``like``; its options are as for
        ``call``."""
        kind = kind_of(like)
        options = (*kind.pop("options"), *others)
        return self.make("part", (whole,), options, **kind, value=place, key=place)

    # -- rewriting ------------------------------------------------------------------------------------------

    def again(self, node: ProgramNode, args: tuple[ProgramNode, ...]) -> ProgramNode:
        """The call of a node on other arguments, which have the same shapes and dtypes."""
        if node.args == args:
            return node
        if node.op in ELEMENTWISE:
            found = self.elementwise(node.op, *args)
        else:
            key = None if node.value is None else id(node.value)
            if node.op in ("getitem", "pick", "put", "put_add", "part"):
                key = index_key(node.value)
            found = self.make(
                node.op, args, node.options, shape=node.shape, dtype=node.dtype, number=node.number,
                value=node.value, name=node.name, key=key,
            )  # fmt: skip
        self.give_word(found, node)
        return found

    def give_word(self, node: ProgramNode, old: ProgramNode) -> None:
        """Give a node the word of the node that it replaces, if that has one."""
        if old in self.words:
            self.words.setdefault(node, self.words[old])

    def rewrite(
        self,
        results: Sequence[ProgramNode],
        replace: dict[ProgramNode, Callable[[dict[ProgramNode, ProgramNode]], ProgramNode]],
    ) -> list[ProgramNode]:
        """The results, with some nodes replaced. ``replace`` holds a function for each of these: it takes the
        new nodes of all earlier nodes, by the old ones, and returns the new node. Names are kept."""
        new: dict[ProgramNode, ProgramNode] = {}
        for node in reachable(results):
            if node in replace:
                found = replace[node](new)
            else:
                found = self.again(node, tuple([new[arg] for arg in node.args]))
            if found.name is None and found.args:
                found.name = node.name
            new[node] = found
        return [new[result] for result in results]


def is_uniform(node: ProgramNode) -> bool:
    """Whether a node is a constant with one value everywhere, or a copy of it."""
    if node.op == "copy":
        return node.args[0].op == "full"
    return node.op == "full" or (node.op == "const" and node.size == 1)


def uniform_value(node: ProgramNode) -> ProgramNode:
    """The constant with the value of a node that is the same everywhere."""
    while node.op in ("full", "copy"):
        (node,) = node.args
    return node
