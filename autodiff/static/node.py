"""Node: a step of a calculation that runs later; Result, the node of an operation; and ``apply``, with which
operators and functions make it.

A node does not hold a value. It holds the operation and the nodes from which its value will be computed. The
other kinds of nodes are in ``leaves.py``, ``variables.py`` and ``differentiating.py``; ``running.py``
computes the values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from ..draw.graph.as_text import Pending
from ..engine.arguments import operands_of
from ..engine.operation import Operation
from ..engine.tensor import Tensor, describe, raw
from ..engine.values import as_data
from ..ops import catalogue
from .graph import Graph, get_default_graph, get_default_session
from .shapes import Shape, shape_of, shape_text

Values = Mapping[Any, Any]


class Node:
    """A step of a calculation that runs later; the base class of all kinds of nodes.

    Operators and indexing make further nodes, and so do ``<``, ``<=``, ``>`` and ``>=``. ``==`` and ``!=``
    compare identity, since nodes are the keys of ``feed_dict``; use ``static.equal``.

    Attributes
    ----------
    graph
        The graph that it belongs to.
    name
        Its name, which no other node of the graph has.
    inputs
        The nodes and plain values that it is computed from.
    shape
        The shape as far as it is known before a run: a tuple with None for an unknown size, or None.
    dtype
        The dtype of its value, None if it is not known before a run.

    Example
    -------
    >>> from autodiff import static
    >>> x = static.placeholder(shape=(None, 2), name="x")
    >>> y = 2 * x + 1
    >>> y, y.shape
    (<add(mul, 1) of shape (?, 2)>, (None, 2))
    >>> y.eval(session=static.Session(), feed_dict={x: [[1, 2]]})
    array([[3., 5.]])
    """

    __slots__ = ("__weakref__", "dtype", "graph", "inputs", "is_named", "name", "shape")

    dtype: Any

    kind = "node"
    """The beginning of an automatic name."""

    requires_grad = True
    """Pictures show a node in muted colours if this is False."""

    def __init__(
        self,
        graph: Graph,
        inputs: Iterable[Any] = (),
        name: str | None = None,
        shape: Shape = None,
        dtype: Any = None,
    ) -> None:
        self.graph: Graph = graph
        self.inputs: tuple[Any, ...] = tuple(inputs)
        self.shape: Shape = shape
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.is_named: bool = name is not None  # pictures prefer the caller's variable to an automatic name
        self.name: str = graph.add(self, checked_name(name) or self.kind)

    @property
    def op(self) -> Any:
        """The operation of the node, or the name of its kind for other nodes."""
        return self.kind

    def compute(self, values: Values, is_recorded: bool) -> Any:
        """The value of the node in a run, from the values of its inputs. With ``is_recorded`` it is
        recorded, since a gradient is taken through it."""
        raise NotImplementedError

    def smooth_inputs(self) -> Iterator[Node]:
        """The nodes among the inputs along which a gradient may flow back."""
        return filter(is_node, self.inputs)

    def eval(self, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> Any:
        """The value of the node: ``session.run(node, feed_dict)``, by default in the session of the innermost
        ``with`` block. Raises RuntimeError if there is none."""
        session = session or get_default_session()
        if session is None:
            raise RuntimeError(
                f"{self} has no session to run in: call eval inside `with Session():`, or give session="
            )
        return session.run(self, feed_dict)

    # -- what pictures read ---------------------------------------------------------------------------------

    @property
    def data(self) -> Any:
        """The value in the last run of the graph. If that run did not compute the node, a ``Pending`` object,
        which pictures show as the shape."""
        last = self.graph.last_run
        value = None if last is None else last.value_of(self)
        return Pending(self.shape) if value is None else value

    @property
    def grad(self) -> None:
        """None, since a gradient is a node of its own in a static graph."""

    @property
    def creators(self) -> tuple[Any, ...] | None:
        """The inputs, None for a leaf."""
        return self.inputs or None

    @property
    def creation_op(self) -> Any:
        """The same as ``op``; None for a leaf."""
        return self.op if self.inputs else None

    def __repr__(self) -> str:
        shape = "" if self.shape is None else f" of shape {shape_text(self.shape)}"
        made = f"({', '.join(map(short, self.inputs))})" if self.inputs else ""
        return f"<{'' if made else self.kind + ' '}{self.name}{made}{shape}>"

    # -- operators ------------------------------------------------------------------------------------------

    __array_ufunc__ = None  # so that NumPy leaves `array * node` to the node
    __hash__: ClassVar[Callable[[object], int]] = object.__hash__

    # As in engine/operators.py, but the operations are applied later, and comparisons are nodes too.
    def __add__(self, other: Any) -> Any: return apply(catalogue.add, self, other)
    def __radd__(self, other: Any) -> Any: return apply(catalogue.add, other, self)
    def __sub__(self, other: Any) -> Any: return apply(catalogue.sub, self, other)
    def __rsub__(self, other: Any) -> Any: return apply(catalogue.sub, other, self)
    def __mul__(self, other: Any) -> Any: return apply(catalogue.mul, self, other)
    def __rmul__(self, other: Any) -> Any: return apply(catalogue.mul, other, self)
    def __truediv__(self, other: Any) -> Any: return apply(catalogue.div, self, other)
    def __rtruediv__(self, other: Any) -> Any: return apply(catalogue.div, other, self)
    def __floordiv__(self, other: Any) -> Any: return apply(catalogue.floor_divide, self, other)
    def __rfloordiv__(self, other: Any) -> Any: return apply(catalogue.floor_divide, other, self)
    def __mod__(self, other: Any) -> Any: return apply(catalogue.remainder, self, other)
    def __rmod__(self, other: Any) -> Any: return apply(catalogue.remainder, other, self)
    def __pow__(self, other: Any) -> Any: return apply(catalogue.pow, self, other)
    def __rpow__(self, other: Any) -> Any: return apply(catalogue.pow, other, self)
    def __matmul__(self, other: Any) -> Any: return apply(catalogue.matmul, self, other)
    def __rmatmul__(self, other: Any) -> Any: return apply(catalogue.matmul, other, self)
    def __neg__(self) -> Any: return apply(catalogue.neg, self)
    def __pos__(self) -> Any: return self
    def __abs__(self) -> Any: return apply(catalogue.abs, self)
    def __lt__(self, other: Any) -> Any: return apply(np.less, self, other)
    def __le__(self, other: Any) -> Any: return apply(np.less_equal, self, other)
    def __gt__(self, other: Any) -> Any: return apply(np.greater, self, other)
    def __ge__(self, other: Any) -> Any: return apply(np.greater_equal, self, other)
    def __getitem__(self, index: Any) -> Any: return apply(catalogue.getitem, self, index=index)

    def __bool__(self) -> bool: raise no_value(self, "be true or false; use static.where")
    def __float__(self) -> float: raise no_value(self, "become a number")
    def __int__(self) -> int: raise no_value(self, "become a number")
    def __len__(self) -> int: raise no_value(self, "have a length; use node.shape")
    def __iter__(self) -> Iterator[Any]: raise no_value(self, "be iterated over; use node[0], node[1]")
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any: raise no_value(self, "become an array")


class Result(Node):
    """The result of an operation on nodes. ``options`` are the keyword arguments of the operation."""

    __slots__ = ("operands", "operation", "options")
    operation: Any
    operands: tuple[Any, ...]
    options: dict[str, Any]

    def __init__(
        self,
        graph: Graph,
        operation: Any,
        operands: tuple[Any, ...],
        options: dict[str, Any],
        name: str | None,
    ) -> None:
        self.operation, self.operands, self.options = operation, operands, options
        in_options = [node for value in options.values() for node in nodes_in(value)]  # an index, say
        shape = None if in_options else shape_of(operation, operands, options)
        inputs = (*operands, *in_options)
        super().__init__(graph, inputs, name, shape)

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The name of the operation."""
        return str(self.operation.__name__)

    @property
    def op(self) -> Any:
        """The operation, or the name of another function."""
        return self.operation if isinstance(self.operation, Operation) else self.kind

    def smooth_inputs(self) -> Iterator[Node]:
        """The operands for which the operation has a rule. A comparison has none."""
        if isinstance(self.operation, np.ufunc):
            return iter(())
        if getattr(self.operation, "joint", True):  # a joint rule, or a function composed of operations
            return filter(is_node, self.operands)
        return (x for x, rule in zip(self.operands, self.operation.rules) if rule and isinstance(x, Node))

    def compute(self, values: Values, is_recorded: bool) -> Any:
        """Call the operation on the values of its operands."""
        operands = [filled(x, values, is_recorded) for x in self.operands]
        options = {word: filled(x, values, False) for word, x in self.options.items()}
        return self.operation(*operands, **options)


def apply(operation: Callable[..., Any], *inputs: Any, name: str | None = None, **options: Any) -> Result:
    """Make the node of an operation on nodes and plain values. All operators and functions use it; call it
    for an operation of your own.

    Parameters
    ----------
    operation
        An operation of the package, one made by ``ad.operation``, or another function that takes Tensors and
        arrays and returns one of them.
    inputs, options
        The operands and options of the operation. All nodes among them belong to one graph; without nodes
        the result belongs to the default graph.
    name
        What pictures and error messages call it.

    Raises
    ------
    TypeError
        For a wrong number of inputs, for an unknown option and for a Tensor among the inputs.
    ValueError
        For nodes of two graphs, and for known shapes that do not fit.

    Example
    -------
    >>> import autodiff as ad
    >>> from autodiff import static
    >>> cube = ad.operation(lambda x: x * x * x)
    >>> x = static.placeholder(name="x")
    >>> static.Session().run(static.apply(cube, x), {x: 2.0})
    8.0
    """
    if isinstance(operation, Operation):
        inputs = operands_of(operation, inputs, options)
    operands = tuple(map(checked_operand, inputs))
    options = {word: checked_option(value) for word, value in options.items()}
    nodes = [node for value in (*operands, *options.values()) for node in nodes_in(value)]
    return Result(common_graph(operation.__name__, nodes), operation, operands, options, name)


def common_graph(what: str, nodes: Iterable[Node]) -> Graph:
    """The graph of some nodes; the default graph if there are none. Raises ValueError for nodes of two
    graphs."""
    first: Node | None = None
    for node in nodes:
        if first is not None and node.graph is not first.graph:
            raise ValueError(
                f"{what} got nodes of two graphs: {first} of {first.graph!r} and {node} of {node.graph!r}"
            )
        first = node if first is None else first
    return get_default_graph() if first is None else first.graph


def checked_operand(value: Any) -> Any:
    """An operand in the form in which a node keeps it: a node, a number, or a read-only copy of an array.

    Raises TypeError for a Tensor, and for anything that is neither a number nor an array.
    """
    if isinstance(value, Node):
        return value
    if isinstance(value, Tensor):
        raise TypeError(
            f"{describe(value)} cannot be mixed with nodes of a static graph, since its gradient would be "
            "lost. Give its data, t.data, as a constant"
        )
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return value
    return frozen(as_data(value, requires_grad=False))


def checked_option(value: Any) -> Any:
    """An option in the form in which a node keeps it: arrays and lists are copied."""
    if isinstance(value, Tensor):
        return frozen(raw(value))
    if isinstance(value, np.ndarray):
        return frozen(value.copy())
    if type(value) is tuple:
        return tuple(map(checked_option, value))
    return list(map(checked_option, value)) if isinstance(value, list) else value


def frozen(data: Any) -> Any:
    """The same data; an array is made read-only."""
    if isinstance(data, np.ndarray):
        data.setflags(write=False)
    return data


def checked_name(name: Any) -> str | None:
    """The name that a caller gives a node, or None. Raises TypeError if it is not a text."""
    if name is None or (isinstance(name, str) and name.strip()):
        return name
    raise TypeError(f"the name of a node must be a non-empty string, not {name!r:.60}")


def is_node(thing: object) -> bool:
    """Whether a thing is a node of a static graph."""
    return isinstance(thing, Node)


def nodes_in(value: Any) -> Iterator[Node]:
    """The nodes in an operand or an option, which may be a tuple that contains nodes, such as an index."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from nodes_in(part)


def filled(part: Any, values: Values, is_recorded: bool) -> Any:
    """An operand or an option with each node replaced by its value, as plain data unless it is recorded."""
    if isinstance(part, Node):
        return values[part] if is_recorded else raw(values[part])
    return tuple(filled(x, values, is_recorded) for x in part) if type(part) is tuple else part


def no_value(node: Node, what: str) -> TypeError:
    """The error for a node that is used where a value is needed."""
    return TypeError(f"{node} has no value before Session.run, so it cannot {what}")


def short(value: Any) -> str:
    """The text of an input: the name of a node, a number, or the shape of an array."""
    if isinstance(value, Node):
        return value.name
    return f"array of shape {value.shape}" if isinstance(value, np.ndarray) and value.ndim else f"{value}"
