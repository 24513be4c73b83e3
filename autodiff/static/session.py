"""Session: runs nodes of a graph, and keeps the values of its variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from ..compiling import TraceError, compile_function
from ..engine.contexts import Block
from ..engine.locking import Lock
from ..engine.tensor import raw
from ..engine.values import as_data
from .graph import Graph, get_default_graph
from .leaves import plain
from .node import Node
from .running import RunPlan, evaluate, execute
from .shapes import fits, shape_text
from .variables import Assign, GroupNode, Variable

Program = Callable[[list[Any], list[Any]], tuple[list[Any], list[Any]]]

PROGRAMS = 256
"""The number of programs that a session keeps; the oldest is dropped first."""


class Session(Block):
    """Runs nodes of one graph, and keeps the values of its variables from run to run.

    As a context manager it is the default session, and its graph the default graph; it closes at the end.

    Parameters
    ----------
    graph
        The graph to run; by default that of the innermost ``with`` block.

    Raises
    ------
    TypeError
        If ``graph`` is not a graph.

    Example
    -------
    >>> from autodiff import static
    >>> with static.Graph(), static.Session() as session:
    ...     x = static.placeholder(name="x")
    ...     session.run({"double": 2 * x, "square": x * x}, feed_dict={x: 3.0})
    {'double': 6.0, 'square': 9.0}
    """

    def __init__(self, graph: Graph | None = None) -> None:
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"a Session runs a Graph, not {graph!r:.60}")
        self.graph: Graph = graph or get_default_graph()
        self.is_closed: bool = False
        self._lock = Lock()
        self._values: dict[Variable, Any] = {}
        self._programs: dict[Any, tuple[RunPlan, Program]] = {}

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Compute nodes, and return their values as floats and arrays, which share no memory with the
        session.

        Each node that is needed is computed once. See :func:`assign` for when variables change.

        Parameters
        ----------
        fetches
            A node, or a list, tuple or dict of nodes (nested too); the result has the same structure. The
            value of a group, such as a training step, is None.
        feed_dict
            A value for each placeholder that is needed. Other nodes may be fed too, and are then not
            computed.

        Raises
        ------
        RuntimeError
            If the session is closed, or a variable has no value yet.
        ValueError
            If a placeholder that is needed is not fed, a fed value does not have the shape of its node, a
            node belongs to another graph, or two nodes assign to one variable.
        TypeError
            If something fetched or fed is not a node, or a fed value is not real numbers or does not fit the
            dtype of its node.
        """
        if self.is_closed:
            raise RuntimeError("this session is closed; its values are gone. Open another: Session(graph)")
        nodes = list(leaves(fetches))
        self._check_graph(nodes)
        fed = self._checked_feeds(feed_dict or {})
        with self._lock.held:
            plan, program = self._program(nodes, fed)
        check_fed(plan)
        # Of two runs that assign, one reads what the other has written.
        with self._lock.held if plan.assigns else nullcontext():
            held = self._held(plan)
            fetched, assigned = program([*fed.values()], held)
            self._keep(plan, fed, held, fetched, assigned)
        return rebuilt(fetches, iter(fetched))

    def _program(self, nodes: Sequence[Node], fed: Iterable[Node]) -> tuple[RunPlan, Program]:
        """The plan for these fetches and fed nodes, and the function that carries it out; made on first
        use."""
        key = tuple(nodes), tuple(fed)
        if key not in self._programs:
            plan = RunPlan(nodes, key[1])
            if len(self._programs) >= PROGRAMS:
                self._programs.pop(next(iter(self._programs)))
            self._programs[key] = plan, PlanProgram(plan)
        return self._programs[key]

    def _held(self, plan: RunPlan) -> list[Any]:
        """The values of the variables that a plan reads. Raises RuntimeError if one has none yet."""
        for variable in plan.variables:
            if variable not in self._values:
                raise RuntimeError(
                    f"the variable {variable.name!r} has no value in this session yet: run "
                    "global_variables_initializer(), made after all variables and minimize(), first"
                )
        return [self._values[variable] for variable in plan.variables]

    def _keep(
        self,
        plan: RunPlan,
        fed: Mapping[Node, Any],
        held: Sequence[Any],
        fetched: list[Any],
        assigned: Sequence[Any],
    ) -> None:
        """Keep the new values of variables. Values are copied where necessary, so that results and variables
        share no memory with each other, with fed values, or with the graph."""
        taken = {id(value) for value in (*fed.values(), *held)}
        new = {
            node.variable: node.variable.as_kept(owned(value, taken))
            for node, value in zip(plan.assigns, assigned)
        }
        fetched[:] = [owned(value, taken) for value in fetched]
        self._values.update(new)
        if plan.has_operations:
            self.graph.last_run = LastRun(plan, [*fed.values()], held)

    def _checked_feeds(self, feed_dict: Mapping[Any, Any]) -> dict[Node, Any]:
        """The fed values in the dtypes of their nodes. Raises the errors of ``run`` for wrong feeds."""
        if not isinstance(feed_dict, Mapping):
            raise TypeError(f"feed_dict is a dict from placeholders to values, not {feed_dict!r:.60}")
        self._check_graph(feed_dict)
        return {node: fed_value(node, value) for node, value in feed_dict.items()}

    def _check_graph(self, nodes: Iterable[Any]) -> None:
        """Raise TypeError for anything that is not a node, ValueError for a node of another graph."""
        for node in nodes:
            if not isinstance(node, Node):
                raise TypeError(f"a session runs and feeds nodes of a static graph, not {node!r:.60}")
            if node.graph is not self.graph:
                raise ValueError(f"this session runs {self.graph!r}, and {node} belongs to {node.graph!r}")

    def close(self) -> None:
        """Forget the values of the variables. Further runs raise RuntimeError; closing again does nothing."""
        self.is_closed = True
        self._values.clear()
        self._programs.clear()

    def __enter__(self) -> Session:
        if self.is_closed:
            raise RuntimeError("this session is closed; open another: Session(graph)")
        super().__enter__()
        return self

    def _changes(self) -> dict[str, Any]:
        return {"session": self, "graph": self.graph}

    def __exit__(self, *exception: object) -> None:
        super().__exit__()
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.is_closed else f"{len(self._values)} variables with values"
        return f"<session of {self.graph!r}, {state}>"


class LastRun:
    """The plan and the given values of the last run that applied operations, for pictures.

    Intermediate values are computed again when a picture first needs them. They are the same as in the run,
    unless the caller has changed a fed array since.
    """

    def __init__(self, plan: RunPlan, fed: Sequence[Any], held: Sequence[Any]) -> None:
        self._given = plan, fed, held
        self._values: dict[Node, Any] | None = None

    def value_of(self, node: Node) -> Any:
        """The value of a node in that run as plain data; None if the run did not need it."""
        if self._values is None:
            self._values = evaluate(*self._given)
        return raw(self._values.get(node))


class PlanProgram:
    """The function that carries out a plan.

    The first run computes node by node. Later runs use programs that :func:`autodiff.compile` makes, one for
    each set of shapes; the results are equal in every bit. A plan that cannot be compiled always runs node by
    node.
    """

    def __init__(self, plan: RunPlan) -> None:
        self.plain = partial(execute, plan)
        self.compiled: Any = compile_function(self.plain, exact=True)
        self.runs = 0

    def __call__(self, fed: list[Any], held: list[Any]) -> tuple[list[Any], list[Any]]:
        """The fetched values, and the new values of variables."""
        self.runs += 1
        if self.runs > 1 and self.compiled is not None:
            try:
                return self.compiled(fed, held)
            except TraceError:
                self.compiled = None
        return self.plain(fed, held)


def leaves(fetches: Any) -> Iterable[Any]:
    """The leaves of nested lists, tuples and dicts of fetches, in order."""
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if not isinstance(fetches, (list, tuple)):
        return [fetches]
    return [leaf for part in fetches for leaf in leaves(part)]


def rebuilt(fetches: Any, values: Any) -> Any:
    """The structure of the fetches, with values in place of nodes."""
    if isinstance(fetches, dict):
        return {key: rebuilt(part, values) for key, part in fetches.items()}
    if isinstance(fetches, (list, tuple)):
        parts = [rebuilt(part, values) for part in fetches]
        return type(fetches)(*parts) if hasattr(fetches, "_fields") else type(fetches)(parts)
    return next(values)


def check_fed(plan: RunPlan) -> None:
    """Raise ValueError if a placeholder that is needed has no value."""
    if plan.placeholders:
        node = plan.placeholders[0]
        raise ValueError(f"{node} was not fed: run(..., feed_dict={{{node.name}: value}})")


def fed_value(node: Node, value: Any) -> Any:
    """A fed value in the dtype of its node. Raises TypeError if it is not real numbers or the node cannot be
    fed, ValueError if its shape does not fit."""
    if isinstance(node, (Assign, GroupNode)):
        raise TypeError(f"{node} cannot be fed: feed_dict gives values to placeholders")
    if isinstance(value, Node):
        raise TypeError(f"{node} was fed the node {value}; feed a value")
    data = raw(value)
    given = getattr(data, "dtype", None) or np.asarray(data).dtype
    if node.dtype is not None and not np.can_cast(given, node.dtype, "same_kind"):
        raise TypeError(f"{node} holds {node.dtype}, and was fed {given}")
    if isinstance(data, np.ndarray) and data.dtype.kind == "f" and node.dtype in (None, data.dtype):
        found = data  # not copied, since a run does not change it
    else:
        found = plain(as_data(data, node.dtype is None), node.dtype)
    if not fits(np.shape(found), node.shape):
        raise ValueError(
            f"{node} was fed a value of shape {np.shape(found)}, and its own shape is "
            f"{shape_text(node.shape)}"
        )
    return found


def owned(value: Any, taken: set[int]) -> Any:
    """A result, copied if it may share memory with something else: with arrays whose ids are in ``taken``, or
    with constants of the graph, which are read-only."""
    if isinstance(value, np.ndarray):
        if value.base is not None or not value.flags.writeable or id(value) in taken:
            return value.copy()
        taken.add(id(value))
    return value
