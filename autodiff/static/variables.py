"""Variables, whose values a session keeps from run to run; ``assign``, which changes them; and ``group``,
which makes one node of several."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import locking
from ..ops import catalogue
from .graph import get_default_graph
from .leaves import FLOAT, plain
from .node import Node, Values, checked_operand, common_graph, filled, frozen
from .shapes import fits, shape, shape_text


class Variable(Node):
    """A number or an array that a session keeps from run to run, and that optimizers update.

    It has a value in a session after ``global_variables_initializer()`` has run there; each session has its
    own value. The initial value is copied, so the caller's array is never changed.

    Parameters
    ----------
    initial_value
        A number, an array, or a node that is computed when the variable is initialized. Integers become
        floats, except in arrays of a variable that is not trainable. A node must have a known shape.
    name
        What pictures and error messages call it.
    trainable
        Whether optimizers update it.
    dtype
        The dtype of the values; by default that of the initial value.

    Raises
    ------
    TypeError
        If the initial value is not real numbers.
    ValueError
        If the initial value is a node of unknown shape.

    Example
    -------
    >>> from autodiff import static
    >>> with static.Graph(), static.Session() as session:
    ...     w = static.Variable(2.0, name="w")
    ...     session.run(static.global_variables_initializer())
    ...     session.run(w.assign(w * 10)), session.run(w)
    (20.0, 20.0)
    """

    __slots__ = ("_initializer", "initial", "is_number", "trainable")

    kind = "variable"

    def __init__(
        self, initial_value: Any, name: str | None = None, trainable: bool = True, dtype: Any = None
    ) -> None:
        self.trainable: bool = bool(trainable)
        self._initializer: Assign | None = None
        is_node = isinstance(initial_value, Node)
        self.initial: Any = initial_value if is_node else frozen(plain(initial_value, dtype, self.trainable))
        known = shape(self.initial)
        if known is None or None in known:
            raise ValueError(
                f"the initial value of a variable needs a known shape, and that of {self.initial} is "
                f"{shape_text(known)}; reshape it"
            )
        graph = initial_value.graph if is_node else get_default_graph()
        dtype = dtype or getattr(self.initial, "dtype", None) or FLOAT
        super().__init__(graph, (), name, known, dtype)
        is_plain = not isinstance(self.initial, np.ndarray)
        self.is_number: bool = known == () and self.dtype == FLOAT and is_plain

    @property
    def initializer(self) -> Assign:
        """The node that gives the variable its initial value."""
        with locking.shared:
            if self._initializer is None:
                self._initializer = Assign(self, self.initial, f"{self.name}/initializer")
            return self._initializer

    def assign(self, value: Any) -> Assign:
        """The node that gives the variable a new value, see :func:`assign`."""
        return assign(self, value)

    def as_kept(self, value: Any) -> Any:
        """A new value in the form in which a session keeps it: a Python float if the variable is a number."""
        return float(value) if self.is_number else np.asarray(value).astype(self.dtype, copy=False)


class Assign(Node):
    """A node that gives a variable a new value when it runs; made by :func:`assign`."""

    __slots__ = ("variable",)

    kind = "assign"

    def __init__(self, variable: Variable, value: Any, name: str | None) -> None:
        self.variable: Variable = variable
        value = checked_operand(value)
        graph = common_graph("assign", [variable, *([value] if isinstance(value, Node) else [])])
        given = shape(value)
        if given is not None and not fits(variable.shape or (), given):
            raise wrong_shape(variable, given)
        super().__init__(graph, (value,), name, variable.shape, variable.dtype)

    def compute(self, values: Values, is_recorded: bool) -> Any:
        """The new value, in the dtype of the variable."""
        value = filled(self.inputs[0], values, is_recorded)
        if shape(value) != self.shape:
            raise wrong_shape(self.variable, shape(value))
        given: Any = getattr(value, "dtype", np.dtype(type(value)))
        if not np.can_cast(given, self.dtype, "same_kind"):
            raise TypeError(f"the variable {self.variable.name!r} holds {self.dtype} and cannot hold {given}")
        return value if given == self.dtype else catalogue.cast(value, dtype=self.dtype)

    @property
    def creators(self) -> tuple[Any, ...]:
        """What pictures show as its operands: the variable, and the value that it is given."""
        return (self.variable, *self.inputs)


class GroupNode(Node):
    """Several nodes that run as one, without a value; made by :func:`group`."""

    __slots__ = ()

    kind = "group"

    def compute(self, values: Values, is_recorded: bool) -> None:
        """None: the inputs are computed before."""


def assign(variable: Variable, value: Any, name: str | None = None) -> Assign:
    """A node that gives a variable a new value when it runs. The value of the node is the new value.

    During a run every variable keeps the value that it had before, even if the run assigns to it; only nodes
    that are computed from the assign node use the new value. Variables change at the end of a run, unless the
    run raises an error. A run assigns to a variable at most once.

    Raises TypeError if ``variable`` is not a Variable, ValueError if the value does not have its shape.

    >>> from autodiff import static
    >>> with static.Graph(), static.Session() as session:
    ...     w = static.Variable(3.0)
    ...     session.run(static.global_variables_initializer())
    ...     doubled = static.assign(w, 2 * w)
    ...     session.run([doubled, w, doubled + 1]), session.run(w)
    ([6.0, 3.0, 7.0], 6.0)
    """
    check_variable(variable, "assign")
    return Assign(variable, value, name)


def assign_add(variable: Variable, value: Any, name: str | None = None) -> Assign:
    """A node that adds to a variable when it runs: ``assign(variable, variable + value)``."""
    check_variable(variable, "assign_add")
    return Assign(variable, variable + value, name)


def assign_sub(variable: Variable, value: Any, name: str | None = None) -> Assign:
    """A node that subtracts from a variable when it runs: ``assign(variable, variable - value)``."""
    check_variable(variable, "assign_sub")
    return Assign(variable, variable - value, name)


def group(*nodes: Node, name: str | None = None) -> GroupNode:
    """A node that runs all of these nodes. ``Session.run`` returns None for it.

    Raises TypeError for anything that is not a node, ValueError for nodes of two graphs.

    >>> from autodiff import static
    >>> with static.Graph(), static.Session() as session:
    ...     a, b = static.Variable(1.0), static.Variable(2.0)
    ...     session.run(static.global_variables_initializer())
    ...     swap = static.group(a.assign(b), b.assign(a))
    ...     session.run(swap), session.run([a, b])
    (None, [2.0, 1.0])
    """
    for node in nodes:
        if not isinstance(node, Node):
            raise TypeError(f"group takes nodes one by one, not {node!r:.60}")
    return GroupNode(common_graph("group", nodes), nodes, name)


def global_variables_initializer(name: str | None = None) -> GroupNode:
    """A node that gives each variable of the default graph its initial value.

    It initializes the variables that exist when it is made, so make it last: momentum and Adam make variables
    too.

    >>> from autodiff import static
    >>> with static.Graph(), static.Session() as session:
    ...     w = static.Variable([1.0, 2.0])
    ...     session.run(static.global_variables_initializer())
    ...     session.run(w)
    array([1., 2.])
    """
    graph = get_default_graph()
    variables = [node for node in list(graph.nodes.values()) if isinstance(node, Variable)]
    return GroupNode(graph, [variable.initializer for variable in variables], name)


def check_variable(thing: Any, caller: str) -> None:
    """Raise TypeError unless this is a Variable."""
    if not isinstance(thing, Variable):
        raise TypeError(f"{caller} changes a Variable, not {thing!r:.60}")


def wrong_shape(variable: Variable, given: Any) -> ValueError:
    """The error for a value that does not have the shape of its variable."""
    return ValueError(
        f"the variable {variable.name!r} has the shape {shape_text(variable.shape)}, and it was assigned a "
        f"value of shape {shape_text(given)}"
    )
